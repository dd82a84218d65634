#include "src/plan/pool/match.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

namespace ricci::plan {
namespace {

class loop_matcher {
public:
    loop_matcher(const graph& values, forms* in_any_order, loop_map names)
        : values_(values), forms_(in_any_order), pairs_(std::move(names)) {}

    bool match(expr first, expr second) {
        if (++looks_ > most_looks) return false;
        if (first == second) {
            const state before = now();
            if (std::ranges::all_of(values_[first].indices, [&](loop l) { return match(l, l); }))
                return true;
            if (forms_ == nullptr) return false;
            back_to(before);
        }
        const auto &a = values_[first], &b = values_[second];
        if (!alike(a, b)) return false;
        const auto outer = pairs_;
        for (const loop l : bound_by(a))
            std::erase_if(pairs_, [&](auto& p) { return p.first == l; });
        for (const loop l : bound_by(b))
            std::erase_if(pairs_, [&](auto& p) { return p.second == l; });
        if (forms_ != nullptr && is_commutative(a)) {
            std::vector<bool> taken(b.arguments.size());
            return match_from(0, a.arguments, b.arguments, taken);
        }
        const std::size_t count = a.kind == kind::gather ? a.lookups.size() : a.arguments.size();
        for (std::size_t k = 0; k < count; ++k)
            if (!match(a.arguments[k], b.arguments[k])) return false;
        if (!match(a.source, b.source) || !match(a.at, b.at) || !match(a.over, b.over))
            return false;
        if (a.kind == kind::gather) found_.push_back({first, second, pairs_});
        return bound_by(a).empty() || leave(outer, bound_by(a), bound_by(b));
    }

    matching_loops take() { return {std::move(pairs_), std::move(found_)}; }

private:
    static constexpr int most_looks = 10'000;

    struct state {
        loop_map pairs;
        std::size_t found;
    };
    state now() const { return {pairs_, found_.size()}; }
    void back_to(const state& before) {
        pairs_ = before.pairs;
        found_.resize(before.found);
    }

    // The arguments of one from number k on, and those of the other that are left, in any order.
    bool match_from(std::size_t k, expr_span a, expr_span b, std::vector<bool>& taken) {
        if (k == a.size()) return true;
        const state before = now();
        for (std::size_t other = 0; other < b.size(); ++other) {
            if (taken[other] || forms_->of(a[k]) != forms_->of(b[other])) continue;
            taken[other] = true;
            if (match(a[k], b[other]) && match_from(k + 1, a, b, taken)) return true;
            taken[other] = false;
            back_to(before);
        }
        return false;
    }

    static const loop_list& bound_by(const expression& e) {
        static const loop_list none;
        return e.folding == fold::softmax ? none : e.over;
    }
    static bool alike(const expression& a, const expression& b) {
        return a.kind == b.kind && a.code == b.code && a.folding == b.folding &&
               std::bit_cast<std::uint64_t>(a.value) == std::bit_cast<std::uint64_t>(b.value) &&
               a.source.slot == b.source.slot && a.condition == b.condition &&
               a.lookups == b.lookups && a.over.size() == b.over.size() &&
               a.indices.size() == b.indices.size() && a.source.at.size() == b.source.at.size() &&
               (a.kind == kind::gather || a.arguments.size() == b.arguments.size());
    }
    // Outside of what binds a loop its name is that which it had before.
    bool leave(const loop_map& outer, const loop_list& a, const loop_list& b) {
        std::erase_if(pairs_, [&](const auto& p) { return contains(a, p.first); });
        for (const auto& p : outer)
            if ((contains(a, p.first) || contains(b, p.second)) && !match(p.first, p.second))
                return false;
        return true;
    }

    bool match(loop l, loop m) {
        for (const auto& [first, second] : pairs_)
            if (first == l || second == m) return first == l && second == m;
        if (values_.extent(l) != values_.extent(m)) return false;
        pairs_.emplace_back(l, m);
        return true;
    }
    bool match(const loop_list& a, const loop_list& b) {
        return std::ranges::all_of(
            a, [&](loop l) { return std::ranges::any_of(b, [&](loop m) { return match(l, m); }); });
    }
    bool match(const access& a, const access& b) {
        return std::ranges::equal(a.at, b.at,
                                  [&](const place& p, const place& q) { return match(p, q); });
    }
    bool match(const place& a, const place& b) {
        if (a.offset != b.offset || a.edge != b.edge || a.low != b.low || a.high != b.high ||
            a.terms.size() != b.terms.size())
            return false;
        return std::ranges::all_of(a.terms, [&](const term& t) {
            return std::ranges::any_of(b.terms, [&](const term& u) {
                return t.factor == u.factor && match(t.over, u.over);
            });
        });
    }

    const graph& values_;
    forms* forms_;  // none: in the same order
    loop_map pairs_;
    std::vector<matching_lookup> found_;
    int looks_ = 0;
};

}  // namespace

std::optional<matching_loops> match(const graph& values, expr first, expr second) {
    loop_matcher all(values, nullptr, {});
    if (!all.match(first, second)) return {};
    return all.take();
}

loop_map turned(const loop_map& names) {
    loop_map result;
    for (const auto& [first, second] : names) result.emplace_back(second, first);
    return result;
}

expr brought_back(graph& values, expr e, const loop_map& names, const loop_list& others) {
    loop_list taken = others;
    for (const auto& [first, second] : names) add_loop(taken, first), add_loop(taken, second);
    return values.renamed(values.apart(taken, e), turned(names));
}

loop_map own_names(const graph& values, const loop_list& own, expr first, expr second) {
    const auto same = match(values, first, second);
    loop_map names;
    if (!same) return names;
    for (const auto& pair : same->names) {
        if (contains(own, pair.first)) names.push_back(pair);
        else if (pair.first != pair.second) return {};
    }
    return names;
}

std::optional<loop_map> match_in_any_order(const graph& values, forms& of, expr first, expr second,
                                           loop_map names) {
    if (of.of(first) != of.of(second)) return {};
    loop_matcher all(values, &of, std::move(names));
    if (!all.match(first, second)) return {};
    return all.take().names;
}

}  // namespace ricci::plan
