// Diagrams of expressions: every expression is a network with open indices, which what is around it
// joins.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <ricci/ir/print_name.hpp>
#include <ricci/ir/print_plain.hpp>
#include <ricci/ir/rewrite.hpp>

#include "draw/diagram.hpp"
#include "draw/forks.hpp"
#include "draw/title.hpp"
#include "src/base/texts.hpp"

namespace ricci::draw {
namespace {

// What an expression has become: its nodes, and where each index that it leaves open ends.
struct network {
    std::map<ir::ref, std::vector<std::int32_t>> open;
    std::vector<std::int32_t> members;

    void add(const network& other) {
        for (const auto& [index, ends] : other.open) {
            auto& mine = open[index];
            mine.insert(mine.end(), ends.begin(), ends.end());
        }
        members.insert(members.end(), other.members.begin(), other.members.end());
    }
};

std::vector<ir::ref> members_of(const ir::index_set& set) {
    std::vector<ir::ref> all;
    for (ir::ref i = 0; i < set.end(); ++i)
        if (set.has(i)) all.push_back(i);
    return all;
}

class builder {
public:
    builder(const ir::program_view& p, bool whole) : p_(p), whole_(whole) {
        for (const ir::equation& e : p_.equations) {
            if (!ir::computes(p_, e)) continue;
            ir::for_each_node(p_, e.body, [&](ir::ref n) {
                if (p_.nodes[n].kind == ir::op::tensor) ++uses_[p_.nodes[n].name];
            });
        }
    }

    void equation(const ir::equation& e) {
        const auto parts = factors_of(p_, e);
        std::int32_t number = 0;
        for (const ir::ref part : parts) factor_[part] = number++;
        network net = expression(e.body);
        for (std::int32_t k = 0; k < e.positions.count; ++k) leave(net, p_.at(e.positions, k));
        factor_.clear();
    }
    diagram finish() {
        join_forks(out_);
        return std::move(out_);
    }

private:
    std::int32_t add(shape s, label text) {
        out_.nodes.push_back({s, std::move(text), current_});
        return static_cast<std::int32_t>(out_.nodes.size()) - 1;
    }
    void connect(std::int32_t from, std::int32_t to, label text, bool arrow = false,
                 std::int32_t strands = 1) {
        out_.edges.push_back({from, to, std::move(text), strands, arrow, {}, {}});
    }
    std::int32_t add_dot(network& net) {
        const std::int32_t outer = std::exchange(current_, -1);
        const std::int32_t d = add(shape::dot, {});
        current_ = outer;
        net.members.push_back(d);
        return d;
    }

    // Several ends of an index are one from here on: a dot is joined to each. Dots that are joined
    // are one.
    std::int32_t one_end(network& net, ir::ref index) {
        auto& ends = net.open[index];
        if (ends.size() == 1) return ends[0];
        std::int32_t dot = -1;
        for (const std::int32_t e : ends)
            if (out_.nodes[static_cast<std::size_t>(e)].shape == shape::dot) dot = e;
        if (dot < 0) dot = add_dot(net);
        bool said = false;  // the letter stands once at a dot
        for (const std::int32_t e : ends) {
            if (e == dot) continue;
            connect(e, dot, said ? label{} : label_of_index(p_, index));
            said = true;
        }
        ends = {dot};
        return dot;
    }
    void contract(network& net, ir::ref index) {
        const auto found = net.open.find(index);
        if (found == net.open.end()) return;
        const auto& ends = found->second;
        if (ends.size() == 1 && out_.nodes[static_cast<std::size_t>(ends[0])].shape != shape::dot) {
            connect(ends[0], add_dot(net), label_of_index(p_, index));
        } else if (ends.size() == 2) {
            connect(ends[0], ends[1], label_of_index(p_, index));
        } else {
            one_end(net, index);
        }
        net.open.erase(index);
    }

    // The letters of a position of several indices.
    label letters(const ir::position& q) const {
        label all;
        if (q.kind == ir::position_kind::affine) {
            detail::text_builder text;
            ir::plain_printer(p_, text).one_place(q);
            return {{with_greek(string_of(text.view())), 0}};
        }
        for (std::int32_t t = 0; t < q.terms.count; ++t)
            append(all, label_of_index(p_, p_.affine_terms[q.terms.first + t].index));
        return all;
    }

    // What is left open ends in a letter, in the order of the axes.
    void leave(network& net, const ir::position& q) {
        if (q.kind == ir::position_kind::index) {
            if (!net.open.contains(q.index)) return;
            const std::int32_t from = one_end(net, q.index);
            connect(from, add(shape::end, label_of_index(p_, q.index)), {});
        } else if (q.kind == ir::position_kind::merged) {
            const std::int32_t fork = add(shape::fork, {});
            for (std::int32_t t = 0; t < q.terms.count; ++t) {
                const ir::ref i = p_.affine_terms[q.terms.first + t].index;
                if (net.open.contains(i)) connect(one_end(net, i), fork, label_of_index(p_, i));
            }
            connect(fork, add(shape::end, letters(q)), {}, false, q.terms.count);
        }
    }

    // Whether the expression can be said in words: it holds no tensor with axes, and none computed
    // here.
    bool is_plain(ir::ref n) const {
        bool plain = true;
        ir::for_each_node(p_, n, [&](ir::ref k) {
            const ir::node& x = p_.nodes[k];
            if (x.kind == ir::op::choose) plain = false;
            if (x.kind == ir::op::tensor && (x.positions.count > 0 || is_inside(x.name)))
                plain = false;
        });
        return plain;
    }
    bool is_inside(ir::ref name) const {
        const ir::ref e = whole_ ? p_.definition(name) : ir::none;
        return e != ir::none && ir::computes(p_, p_.equations[e]);
    }

    network expression(ir::ref n) {
        const std::int32_t outer = current_;
        if (const auto found = factor_.find(n); found != factor_.end()) current_ = found->second;
        network net = make(n);
        current_ = outer;
        return net;
    }

    network make(ir::ref n) {
        const ir::node& x = p_.nodes[n];
        if (x.kind == ir::op::tensor) return tensor(x);
        if (x.kind == ir::op::reduce && x.detail == static_cast<std::uint8_t>(ir::reduction::sum)) {
            network net = expression(p_.child(x, 0));
            for (std::int32_t k = 0; k < x.indices.count; ++k) contract(net, p_.reduced(x, k));
            return net;
        }
        if (x.kind == ir::op::delta) {
            network net;
            std::vector<network> places;
            axes(x, add(shape::tensor, {{"δ", 0}}), net, places);
            return net;
        }
        if (is_plain(n) && !splits(x)) return value(n, label_of_expression(p_, n));
        if (x.kind == ir::op::multiply) {
            network net;
            for (std::int32_t k = 0; k < x.children.count; ++k) net.add(expression(p_.child(x, k)));
            return net;
        }
        if (x.kind == ir::op::divide) {
            network net;
            const ir::node& above = p_.nodes[p_.child(x, 0)];
            const ir::ref below = p_.child(x, 1);
            if (above.kind != ir::op::number || above.value != 1) net = expression(p_.child(x, 0));
            if (is_plain(below)) {
                label words{
                    {p_.nodes[below].kind == ir::op::add || p_.nodes[below].kind == ir::op::multiply
                         ? "1/("
                         : "1/",
                     0}};
                const bool brackets = words[0].text.size() > 2;
                append(words, label_of_expression(p_, below));
                if (brackets) append(words, {{")", 0}});
                net.add(value(below, words));
            } else {
                net.add(function({{"1/x", 0}}, {below}, ir::free_indices(p_, below)));
            }
            return net;
        }
        std::vector<ir::ref> arguments;
        for (std::int32_t k = 0; k < x.children.count; ++k) arguments.push_back(p_.child(x, k));
        label word = word_of_function(p_, x, arguments);
        return function(std::move(word), arguments, ir::free_indices(p_, n));
    }

    // A product of values with places of indices is drawn as its factors; of scalars alone as one
    // word.
    bool splits(const ir::node& x) const {
        if (x.kind != ir::op::multiply) return false;
        for (std::int32_t k = 0; k < x.children.count; ++k)
            if (!ir::free_indices(p_, p_.child(x, k)).empty()) return true;
        return false;
    }

    network value(ir::ref n, label words) {
        network net;
        const std::int32_t v = add(shape::value, std::move(words));
        net.members.push_back(v);
        for (const ir::ref i : members_of(ir::free_indices(p_, n))) net.open[i].push_back(v);
        return net;
    }

    // Arrows bring what a function takes: a line for each open index, a dashed one for a number.
    network function(label words, const std::vector<ir::ref>& arguments,
                     const ir::index_set& free) {
        const bool sum = !words.empty() && words[0].text.starts_with("+");
        std::vector<network> parts;
        std::vector<bool> negative;
        for (const ir::ref a : arguments) {
            negative.push_back(sum && is_negative(a));
            parts.push_back(negative.back() ? without_sign(a) : expression(a));
            gather_ends(parts.back());
        }
        const std::int32_t f = add(shape::function, std::move(words));
        network net;
        net.members.push_back(f);
        for (std::size_t k = 0; k < parts.size(); ++k) {
            const std::size_t first = out_.edges.size();
            consume(parts[k], f, net);
            if (negative[k] && first < out_.edges.size()) out_.edges[first].sign = "−";
        }
        for (const ir::ref i : members_of(free)) net.open[i].push_back(f);
        return net;
    }
    // -1 times something that is drawn.
    bool is_negative(ir::ref a) const {
        const ir::node& x = p_.nodes[a];
        return x.kind == ir::op::multiply && x.children.count > 1 && !is_plain(a) &&
               is_minus_one(p_.child(x, 0));
    }
    bool is_minus_one(ir::ref n) const {
        return p_.nodes[n].kind == ir::op::number && p_.nodes[n].value == -1;
    }
    network without_sign(ir::ref a) {
        const ir::node& x = p_.nodes[a];
        network net;
        for (std::int32_t k = 1; k < x.children.count; ++k) net.add(expression(p_.child(x, k)));
        return net;
    }
    // Dots before the function that takes them, which puts them on its left.
    void gather_ends(network& part) {
        std::vector<ir::ref> indices;
        for (const auto& [index, ends] : part.open) indices.push_back(index);
        for (const ir::ref i : indices) one_end(part, i);
    }
    void consume(network& part, std::int32_t f, network& net) {
        std::set<std::int32_t> joined;
        for (auto& [index, ends] : part.open) {
            const std::int32_t from = one_end(part, index);
            connect(from, f, label_of_index(p_, index), true);
            joined.insert(from);
        }
        for (const std::int32_t alone : loose_parts(part, joined)) connect(alone, f, {}, true, 0);
        net.members.insert(net.members.end(), part.members.begin(), part.members.end());
    }

    // A node of every connected part of the network that no open index leaves.
    std::vector<std::int32_t> loose_parts(const network& part,
                                          const std::set<std::int32_t>& joined) const {
        std::map<std::int32_t, std::int32_t> root;
        for (const std::int32_t m : part.members) root[m] = m;
        for (const std::int32_t m : joined) root[m] = m;
        const auto top = [&](std::int32_t n) {
            while (root[n] != n) n = root[n];
            return n;
        };
        for (const edge& e : out_.edges)
            if (root.contains(e.from) && root.contains(e.to)) root[top(e.from)] = top(e.to);
        std::set<std::int32_t> done;
        for (const std::int32_t j : joined) done.insert(top(j));
        // of each the last that was made: a function, and not what it takes
        std::vector<std::int32_t> loose, members = part.members;
        std::sort(members.rbegin(), members.rend());
        for (const std::int32_t m : members)
            if (out_.nodes[static_cast<std::size_t>(m)].shape != shape::end &&
                done.insert(top(m)).second)
                loose.push_back(m);
        return loose;
    }

    network tensor(const ir::node& x) {
        network net;
        if (is_inside(x.name)) {
            if (uses_.at(x.name) == 1 && inline_use(x, net)) return net;
            std::vector<network> places = gathered_places(x);
            const std::int32_t s = stored(x.name);
            axes(x, s, net, places);
            return net;
        }
        std::vector<network> places = gathered_places(x);
        axes(x, add(shape::tensor, label_of_name(string_of(p_.name(x.name)))), net, places);
        return net;
    }
    // What says at which places, before the tensor itself, which puts it on the left.
    std::vector<network> gathered_places(const ir::node& x) {
        std::vector<network> all;
        for (std::int32_t k = 0; k < x.children.count; ++k)
            all.push_back(expression(p_.child(x, k)));
        return all;
    }
    void axes(const ir::node& x, std::int32_t t, network& net, std::vector<network>& gathered) {
        net.members.push_back(t);
        for (std::int32_t k = 0; k < x.positions.count; ++k) {
            const ir::position& q = p_.at(x.positions, k);
            if (q.kind == ir::position_kind::index) net.open[q.index].push_back(t);
            if (q.kind == ir::position_kind::fixed) {
                const std::int32_t e = add(shape::end, {{fmt::to_string(q.offset), 0}});
                connect(t, e, {});
                net.members.push_back(e);
            }
            if (q.kind == ir::position_kind::merged || q.kind == ir::position_kind::affine) {
                const bool merged = q.kind == ir::position_kind::merged;
                const std::int32_t f = add(shape::fork, {});
                net.members.push_back(f);
                connect(t, f, letters(q), false, merged ? q.terms.count : 1);
                for (std::int32_t i = 0; i < q.terms.count; ++i)
                    net.open[p_.affine_terms[q.terms.first + i].index].push_back(f);
            }
            if (q.kind == ir::position_kind::gathered) {
                const network& places = gathered[static_cast<std::size_t>(q.offset)];
                if (!places.members.empty()) connect(places.members.front(), t, {}, true, 0);
                net.add(places);
            }
        }
    }

    // The equation in the place of the tensor that it defines, with the letters of the use.
    bool inline_use(const ir::node& x, network& net) {
        const ir::equation& e = p_.equations[p_.definition(x.name)];
        std::set<ir::ref> distinct;
        for (std::int32_t k = 0; k < x.positions.count; ++k) {
            const ir::position& use = p_.at(x.positions, k);
            const ir::position& axis = p_.at(e.positions, k);
            if (use.kind != ir::position_kind::index || axis.kind != ir::position_kind::index ||
                !distinct.insert(use.index).second)
                return false;
        }
        network body = expression(e.body);
        for (std::int32_t k = 0; k < x.positions.count; ++k) {
            const auto found = body.open.find(p_.at(e.positions, k).index);
            if (found == body.open.end()) continue;
            net.open[p_.at(x.positions, k).index] = found->second;
        }
        net.members = body.members;
        return true;
    }
    std::int32_t stored(ir::ref name) {
        if (const auto found = stored_.find(name); found != stored_.end()) return found->second;
        network body = expression(p_.equations[p_.definition(name)].body);
        gather_ends(body);
        const std::int32_t s = add(shape::stored, label_of_name(string_of(p_.name(name))));
        network rest;
        consume(body, s, rest);
        return stored_[name] = s;
    }

    ir::program_view p_;
    bool whole_;
    std::map<ir::ref, int> uses_;
    std::map<ir::ref, std::int32_t> factor_, stored_;
    std::int32_t current_ = -1;
    diagram out_;
};

}  // namespace

std::vector<ir::ref> factors_of(const ir::program_view& p, const ir::equation& e) {
    ir::ref n = e.body;
    while (p.nodes[n].kind == ir::op::reduce &&
           p.nodes[n].detail == static_cast<std::uint8_t>(ir::reduction::sum))
        n = p.child(p.nodes[n], 0);
    if (p.nodes[n].kind != ir::op::multiply) return {n};
    std::vector<ir::ref> all;
    for (std::int32_t k = 0; k < p.nodes[n].children.count; ++k)
        all.push_back(p.child(p.nodes[n], k));
    return all;
}

diagram diagram_of(const ir::program_view& p, const ir::equation& e) {
    builder b(p, false);
    b.equation(e);
    diagram d = b.finish();
    d.title = title_of(p, e);
    d.heading = heading_of(p, e);
    return d;
}

std::vector<diagram> diagrams_of(const ir::program_view& p) {
    std::vector<diagram> all;
    for (const ir::equation& e : p.equations)
        if (!p.names[e.name].shape_only) all.push_back(diagram_of(p, e));
    return all;
}

diagram whole_diagram(const ir::program_view& p) {
    builder b(p, true);
    std::set<ir::ref> used;
    for (const ir::equation& e : p.equations)
        if (ir::computes(p, e))
            ir::for_each_node(p, e.body, [&](ir::ref n) {
                if (p.nodes[n].kind == ir::op::tensor) used.insert(p.nodes[n].name);
            });
    label heading;
    for (const ir::equation& e : p.equations) {
        if (!ir::computes(p, e) || used.contains(e.name)) continue;
        b.equation(e);
        if (!heading.empty()) append(heading, {{", ", 0}});
        append(heading, label_of_name(string_of(p.name(e.name))));
    }
    diagram d = b.finish();
    d.title = plain_text(heading);
    d.heading = heading;
    return d;
}

}  // namespace ricci::draw
