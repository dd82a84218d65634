// Which axes are as long as one another is what the terms say: an index that two axes share.
#include "judge/matched_sums.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <ricci/ir/normal.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::judge {
namespace {

using ir::op;
using ir::ref;

constexpr std::size_t most_matched = 3;

/// Classes of axes and indices that are as long as one another.
class lengths {
public:
    explicit lengths(const ir::program& p) : p_(p) {}

    void add(ref body) {
        ir::for_each_node(p_, body, [&](ref n) {
            const ir::node& x = p_.nodes[n];
            if (x.kind != op::tensor) return;
            for (std::int32_t k = 0; k < x.positions.count; ++k) {
                const ir::position& at = p_.positions[x.positions.first + k];
                if (at.kind == ir::position_kind::index)
                    parents_[root({-1, at.index})] = root({x.name, k});
            }
        });
    }
    /// Whether two indices run over the same axis; what stands on none, over no known one.
    bool alike(ref i, ref j) {
        if (i == j) return true;
        return parents_.count({-1, i}) > 0 && parents_.count({-1, j}) > 0 &&
               root({-1, i}) == root({-1, j});
    }

private:
    using place = std::pair<ref, ref>;  // a tensor and its axis; -1 and an index
    place root(const place& of) {
        const auto [at, fresh] = parents_.try_emplace(of, of);
        return at->second == of ? of : at->second = root(at->second);
    }

    const ir::program& p_;
    std::map<place, place> parents_;
};

/// Calls visit(order) for the orders of the indices of `list` of which the first ones are as long
/// as those of `at`; until it returns true.
template <class Visit>
bool for_orders(lengths& all, const std::vector<ref>& at, std::vector<ref> list,
                const Visit& visit) {
    std::sort(list.begin(), list.end());
    do {
        bool alike = true;
        for (std::size_t k = 0; k < at.size(); ++k) alike = alike && all.alike(at[k], list[k]);
        if (alike && visit(list)) return true;
    } while (std::next_permutation(list.begin(), list.end()));
    return false;
}

/// A term without its sums over the first indices of `order`, which become those of `at`.
ref without_sums(ir::program& p, ref body, const std::vector<ref>& order,
                 const std::vector<ref>& at) {
    ir::index_map renamed;
    detail::buffer<ref> kept;
    for (std::size_t k = 0; k < order.size(); ++k)
        if (k < at.size()) renamed.set(order[k], at[k]);
        else kept.push(order[k]);
    const ref open = ir::rename_indices(p, body, renamed);
    return kept.empty() ? open : p.reduce(ir::reduction::sum, p.add_links(kept), open);
}

struct matched {
    std::vector<ref> indices;
    std::vector<ref> terms;
};

/// The sum over the orders of its indices in which it is the same.
ref symmetric(ir::program& p, lengths& all, const matched& one) {
    const ref sum =
        p.make(op::add, 0, one.terms.data(), static_cast<std::int32_t>(one.terms.size()));
    if (one.indices.size() < 2 || one.indices.size() > most_matched) return sum;
    std::vector<ref> orders;
    for_orders(all, one.indices, one.indices, [&](const std::vector<ref>& order) {
        ir::index_map renamed;
        for (std::size_t k = 0; k < order.size(); ++k) renamed.set(one.indices[k], order[k]);
        orders.push_back(ir::rename_indices(p, ir::freshen_bound(p, sum), renamed));
        return false;
    });
    return p.make(op::add, 0, orders.data(), static_cast<std::int32_t>(orders.size()));
}

/// Takes an expression apart into terms, none of which is expanded.
class term_list {
public:
    explicit term_list(ir::program& p) : p_(p) {}

    /// Adds `factor` times n; a factor of none is 1.
    void add(ref n, ref factor, const std::vector<ref>& indices) {
        const ir::node x = p_.nodes[n];
        if (x.kind == op::add && indices.empty()) {
            for (std::int32_t k = 0; k < x.children.count; ++k)
                add(p_.links[x.children.first + k], factor, indices);
        } else if (is_sum(x)) {
            std::vector<ref> more = indices;
            for (std::int32_t k = 0; k < x.indices.count; ++k)
                more.push_back(p_.links[x.indices.first + k]);
            add(p_.links[x.children.first], factor, more);
        } else if (x.kind == op::multiply && indices.empty() && add_product(x, factor)) {
            return;
        } else {
            terms.push_back({indices, product(factor, n)});
        }
    }
    std::vector<summed> terms;

private:
    static bool is_sum(const ir::node& x) {
        return x.kind == op::reduce && x.detail == static_cast<std::uint8_t>(ir::reduction::sum);
    }
    ref product(ref factor, ref n) {
        return factor == ir::none ? n : p_.make(op::multiply, factor, n);
    }
    /// Of a product with one sum, or sum of sums, the others stand behind it.
    bool add_product(const ir::node& x, ref factor) {
        std::int32_t at = -1;
        for (std::int32_t k = 0; k < x.children.count; ++k) {
            const ir::node& child = p_.nodes[p_.links[x.children.first + k]];
            if (!is_sum(child) && child.kind != op::add && child.kind != op::multiply) continue;
            if (at >= 0) return false;
            at = k;
        }
        if (at < 0) return false;
        for (std::int32_t k = 0; k < x.children.count; ++k)
            if (k != at) factor = product(factor, p_.links[x.children.first + k]);
        add(p_.links[x.children.first + at], factor, {});
        return true;
    }

    ir::program& p_;
};

}  // namespace

std::vector<summed> terms_of(ir::program& p, ref n) {
    term_list list(p);
    list.add(n, ir::none, {});
    return list.terms;
}

std::vector<summed> terms_of(ir::program& p, const ir::normal_sum& sum) {
    std::vector<summed> out;
    for (std::int32_t k = 0; k < sum.size(); ++k) {
        ir::normal_term open = sum[k];
        open.bound.clear();
        ir::normal_sum alone;
        alone.push(std::move(open));
        out.push_back(
            {{sum[k].bound.begin(), sum[k].bound.end()}, ir::normaliser(p).to_node(alone)});
    }
    return out;
}

std::vector<ref> matched_sums(ir::program& p, std::vector<summed> terms, bool nested) {
    lengths all(p);
    for (const summed& t : terms) all.add(t.body);
    std::vector<summed> ordered;  // those over fewer indices first
    for (summed& t : terms)
        ordered.insert(std::upper_bound(ordered.begin(), ordered.end(), t,
                                        [](const summed& a, const summed& b) {
                                            return a.indices.size() < b.indices.size();
                                        }),
                       std::move(t));
    std::vector<matched> groups;
    for (const summed& t : ordered) {
        bool found = false;
        for (matched& g : groups) {
            const std::size_t size = g.indices.size();
            const bool fits =
                nested && size > 0 ? size <= t.indices.size() : size == t.indices.size();
            if (found || !fits || t.indices.size() > most_matched) continue;
            found = for_orders(all, g.indices, t.indices, [&](const std::vector<ref>& order) {
                g.terms.push_back(without_sums(p, t.body, order, g.indices));
                return true;
            });
        }
        if (!found) groups.push_back({t.indices, {t.body}});
    }
    std::vector<ref> out;
    for (const matched& g : groups) out.push_back(symmetric(p, all, g));
    return out;
}

}  // namespace ricci::judge
