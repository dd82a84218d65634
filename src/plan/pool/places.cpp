// Places of axes: sums of multiples of loops, and tensors that are read at them.
#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "src/plan/pool/expression.hpp"

namespace ricci::plan {

std::int64_t place::factor(loop l) const {
    for (const auto& s : terms)
        if (s.over == l) return s.factor;
    return 0;
}

void place::add(loop l, std::int64_t factor) {
    const auto at = std::ranges::find_if(terms, [&](const term& s) { return s.over >= l; });
    if (at == terms.end() || at->over != l) {
        if (factor != 0) terms.insert(at, {l, factor});
    } else if ((at->factor += factor) == 0) {
        terms.erase(at);
    }
}

void place::add(const place& other, std::int64_t factor) {
    offset += factor * other.offset;
    for (const auto& s : other.terms) add(s.over, factor * s.factor);
}

place place::plus(const place& other, std::int64_t factor) const {
    place sum = *this;
    sum.add(other, factor);
    return sum;
}

place place::without(loop l) const {
    place rest = *this;
    rest.add(l, -factor(l));
    return rest;
}

loop renamed(loop l, const loop_map& map) {
    for (const auto& [from, to] : map)
        if (from == l) return to;
    return l;
}

loop_list renamed(loop_list loops, const loop_map& map) {
    for (loop& l : loops) l = renamed(l, map);
    return sorted(std::move(loops));
}
place renamed(const place& p, const loop_map& map) {
    place result = p;
    result.terms.clear();
    for (const auto& s : p.terms) result.add(renamed(s.over, map), s.factor);
    return result;
}

access renamed(const access& a, const loop_map& map) {
    access result = a;
    for (auto& p : result.at) p = renamed(p, map);
    return result;
}

bool is_whole_axis(const place& p) {
    return p.offset == 0 && p.edge == edge::none && p.terms.size() <= 1 &&
           (p.terms.empty() || p.terms[0].factor == 1);
}

bool is_whole_tensor(const graph& values, const access& a,
                     const std::vector<std::int64_t>& extents) {
    loop_list seen;
    for (std::size_t axis = 0; axis < a.at.size(); ++axis) {
        const place& p = a.at[axis];
        if (!is_whole_axis(p)) return false;
        const std::int64_t extent = p.terms.empty() ? 1 : values.extent(p.terms[0].over);
        if (extent != extents[axis]) return false;
        if (p.terms.empty()) continue;
        if (contains(seen, p.terms[0].over)) return false;
        add_loop(seen, p.terms[0].over);
    }
    return true;
}

loop loop_at(const place& p) {
    const bool alone = p.terms.size() == 1 && p.terms[0].factor == 1 && p.offset == 0;
    return alone && p.edge == edge::none ? p.terms[0].over : loop(loop::none);
}

place without_edge(place p) {
    p.edge = edge::none;
    p.low = p.high = 0;
    return p;
}

bool has_edge(const access& a, edge e) {
    return std::ranges::any_of(a.at, [&](const place& p) { return p.edge == e; });
}

bool has_edge(const access& a) {
    return std::ranges::any_of(a.at, [](const place& p) { return p.edge != edge::none; });
}

loop_list loops_of(const access& a) {
    loop_list result;
    result.reserve(a.at.size());
    for (const auto& p : a.at)
        for (const auto& s : p.terms) add_loop(result, s.over);
    return result;
}

loop_list by_stride(loop_list loops, const place& at) {
    std::ranges::sort(loops, [&](loop x, loop y) {
        const auto a = std::abs(at.factor(x)), b = std::abs(at.factor(y));
        return a != b ? a > b : x < y;
    });
    return loops;
}

bool are_apart(const graph& values, const access& a, const access& b) {
    for (std::size_t axis = 0; axis < a.at.size() && axis < b.at.size(); ++axis) {
        if (!values.reach(a.at[axis]).meets(values.reach(b.at[axis]))) return true;
    }
    return false;
}

place inner_address_of(const access& a, const std::vector<std::int64_t>& strides) {
    place result;
    for (std::size_t axis = 0; axis < a.at.size(); ++axis) result.add(a.at[axis], strides[axis]);
    return result;
}

place address_of(const access& a, const std::vector<std::int64_t>& strides) {
    // What lies beside an axis has no address.
    if (has_edge(a)) throw std::logic_error("the address of an edge");
    return inner_address_of(a, strides);
}

}  // namespace ricci::plan
