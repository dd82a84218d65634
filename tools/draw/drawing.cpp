// Ends of indices, and the lines that join them.
#include "draw/drawing.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <ricci/ir/print_plain.hpp>

#include "formula/symbols.hpp"
#include "src/base/texts.hpp"

namespace ricci::draw {

void network::add(const network& other) {
    for (const auto& [index, ends] : other.open) {
        auto& mine = open[index];
        mine.insert(mine.end(), ends.begin(), ends.end());
    }
    members.insert(members.end(), other.members.begin(), other.members.end());
}

std::int32_t drawing::enter_factor(std::int32_t factor) { return std::exchange(factor_, factor); }

std::int32_t drawing::add(shape s, label text) {
    out.nodes.push_back({s, std::move(text), factor_});
    return static_cast<std::int32_t>(out.nodes.size()) - 1;
}

line_end drawing::end_of(leg l, ir::ref index) const {
    const bool is_axis = at(l.node).shape == shape::tensor || at(l.node).shape == shape::stored ||
                         at(l.node).shape == shape::use;
    if (is_axis && l.place > 0) return {l.place, {{fmt::to_string(l.place), 0}}};
    const bool other = index != ir::none && l.letter != ir::none && index != l.letter &&
                       !(p_.index(index) == p_.index(l.letter));
    return {l.place, other ? label_of_index(p_, l.letter) : label{}};
}

edge& drawing::bundle(leg from, leg to, std::int32_t strands) {
    edge e;
    e.from = from.node, e.to = to.node, e.strands = strands;
    e.tail = end_of(from, ir::none), e.head = end_of(to, ir::none);
    return out.edges.emplace_back(std::move(e));
}
edge& drawing::connect(leg from, leg to, ir::ref index, bool said) {
    edge& e = bundle(from, to, 1);
    if (said) e.text = label_of_index(p_, index);
    e.tail = end_of(from, index), e.head = end_of(to, index);
    return e;
}

leg drawing::add_dot(network& net) {
    const std::int32_t outer = enter_factor(-1);
    const std::int32_t d = add(shape::dot, {});
    enter_factor(outer);
    net.members.push_back(d);
    return {d};
}

// Dots that are joined are one.
leg drawing::one_end(network& net, ir::ref index) {
    auto& ends = net.open[index];
    if (ends.size() == 1) return ends[0];
    leg dot;
    for (const leg& e : ends)
        if (at(e.node).shape == shape::dot) dot = e;
    if (dot.node < 0) dot = add_dot(net);
    bool said = false;  // the letter stands once at a dot
    for (const leg& e : ends) {
        if (e.node == dot.node) continue;
        connect(e, dot, index, !said);
        said = true;
    }
    ends = {dot};
    return dot;
}

void drawing::every_end_one(network& net) {
    std::vector<ir::ref> indices;
    for (const auto& [index, ends] : net.open) indices.push_back(index);
    for (const ir::ref i : indices) one_end(net, i);
}

void drawing::contract(network& net, ir::ref index) {
    const auto found = net.open.find(index);
    if (found == net.open.end()) return;
    const auto& ends = found->second;
    if (ends.size() == 1 && at(ends[0].node).shape != shape::dot) {
        const leg only = ends[0];
        connect(only, add_dot(net), index);
    } else if (ends.size() == 2 &&
               !(is_box(at(ends[0].node).shape) && is_box(at(ends[1].node).shape))) {
        connect(ends[0], ends[1], index);
    } else {
        one_end(net, index);
    }
    net.open.erase(index);
}

label drawing::letters(const ir::position& q) const {
    label all;
    if (q.kind == ir::position_kind::affine) {
        detail::text_builder text;
        ir::plain_printer(p_, text).one_place(q);
        return {{formula::with_greek(string_of(text.view())), 0}};
    }
    for (std::int32_t t = 0; t < q.terms.count; ++t)
        append(all, label_of_index(p_, p_.affine_terms[q.terms.first + t].index));
    return all;
}

void drawing::leave(network& net, const ir::position& q) {
    if (q.kind == ir::position_kind::index) {
        if (!net.open.contains(q.index)) return;
        const leg from = one_end(net, q.index);
        connect(from, {add(shape::end, label_of_index(p_, q.index))}, q.index, false);
    } else if (q.kind == ir::position_kind::merged) {
        const std::int32_t fork = merge(q, net);
        bundle({fork}, {add(shape::end, letters(q))}, q.terms.count);
    }
}

std::int32_t drawing::merge(const ir::position& q, network& net) {
    for (std::int32_t t = 0; t < q.terms.count; ++t) {
        const ir::ref i = p_.affine_terms[q.terms.first + t].index;
        if (net.open.contains(i)) one_end(net, i);
    }
    const std::int32_t fork = add(shape::fork, {});
    for (std::int32_t t = 0; t < q.terms.count; ++t) {
        const ir::ref i = p_.affine_terms[q.terms.first + t].index;
        if (net.open.contains(i)) connect(one_end(net, i), {fork, t + 1, i}, i);
        net.open.erase(i);
    }
    net.members.push_back(fork);
    return fork;
}

std::int32_t drawing::split(const ir::position& q, network& net) {
    const std::int32_t f = add(shape::fork, {});
    net.members.push_back(f);
    for (std::int32_t t = 0; t < q.terms.count; ++t) {
        const ir::ref i = p_.affine_terms[q.terms.first + t].index;
        net.open[i].push_back({f, t + 1, i});
    }
    return f;
}

void drawing::consume(network& part, std::int32_t into,
                      const std::map<ir::ref, std::int32_t>& places,
                      std::set<std::int32_t> joined) {
    for (auto& [index, ends] : part.open) {
        const auto place = places.find(index);
        const leg from = one_end(part, index);
        connect(from, {into, place == places.end() ? 0 : place->second, index}, index).arrow = true;
        joined.insert(from.node);
    }
    for (const std::int32_t alone : loose_parts(part, joined))
        bundle({alone}, {into}, 0).arrow = true;
}

// A node of every connected part of the network that no open index leaves.
std::vector<std::int32_t> drawing::loose_parts(const network& part,
                                               const std::set<std::int32_t>& joined) const {
    std::map<std::int32_t, std::int32_t> root;
    for (const std::int32_t m : part.members) root[m] = m;
    for (const std::int32_t m : joined) root[m] = m;
    const auto top = [&](std::int32_t n) {
        while (root[n] != n) n = root[n];
        return n;
    };
    for (const edge& e : out.edges)
        if (root.contains(e.from) && root.contains(e.to)) root[top(e.from)] = top(e.to);
    std::set<std::int32_t> done;
    for (const std::int32_t j : joined) done.insert(top(j));
    // of each the last that was made: a function, and not what it takes
    std::vector<std::int32_t> loose, members = part.members;
    std::sort(members.rbegin(), members.rend());
    for (const std::int32_t m : members)
        if (at(m).shape != shape::end && done.insert(top(m)).second) loose.push_back(m);
    return loose;
}

}  // namespace ricci::draw
