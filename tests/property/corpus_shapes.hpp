// Shapes for a program of which only the text is known: a small extent for each index, and for each
// tensor the axes that its positions need.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include <ricci/ir/program.hpp>

namespace ricci::testing {

/// Indices that stand at one axis of a tensor have one extent; the classes of such indices get
/// extents of 3 to 5, or of a list.
class corpus_shapes {
public:
    /// `square`: the two indices of a delta have one extent too, as where it has been eliminated,
    /// and so have all of one letter.
    corpus_shapes(const ir::program_view& p, unsigned seed,
                  const std::vector<std::int64_t>& extents = {3, 4, 5}, bool square = false)
        : p_(p) {
        same_.resize(static_cast<std::size_t>(p.indices.size()));
        std::iota(same_.begin(), same_.end(), 0);
        each_use([&](ir::ref name, std::int32_t axis, const ir::position& q) {
            if (q.kind == ir::position_kind::index) join(axis_class(name, axis), q.index);
        });
        for (ir::ref i = 0; i < p.indices.size(); ++i) join_unprimed(i);
        join_compared();
        for (const ir::node& n : p.nodes) {
            if (!square || n.kind != ir::op::delta) continue;
            const ir::position &a = p.at(n.positions, 0), &b = p.at(n.positions, 1);
            if (a.kind == ir::position_kind::index && b.kind == ir::position_kind::index)
                join(a.index, b.index);
        }
        for (ir::ref i = 0; square && i < p.indices.size(); ++i)
            for (ir::ref j = 0; j < i; ++j)
                if (p.index(i) == p.index(j)) join(i, j);
        draw(seed, extents);
        measure();
    }
    std::int64_t extent(ir::ref index) const { return extents_.at(find(index)); }
    std::vector<std::int64_t> shape(ir::ref name) const {
        std::vector<std::int64_t> out;
        for (auto at = axes_.lower_bound({name, 0}); at != axes_.end() && at->first.first == name;
             ++at)
            out.push_back(lengths_.at(at->first));
        return out;
    }
    /// For a tensor whose values are positions: the least axis that they stand at, otherwise 0.
    std::int64_t places(ir::ref name) const {
        const auto found = places_.find(name);
        return found == places_.end() ? 0 : found->second;
    }

private:
    using axis_key = std::pair<ir::ref, std::int32_t>;

    template <class F>
    void each_use(F f) const {
        const auto all = [&](ir::ref name, ir::range at) {
            for (std::int32_t k = 0; k < at.count; ++k) f(name, k, p_.at(at, k));
        };
        for (const ir::equation& e : p_.equations) all(e.name, e.positions);
        for (const ir::node& n : p_.nodes)
            if (n.kind == ir::op::tensor) all(n.name, n.positions);
    }
    ir::ref find(ir::ref i) const {
        while (same_[static_cast<std::size_t>(i)] != i) i = same_[static_cast<std::size_t>(i)];
        return i;
    }
    void join(ir::ref a, ir::ref b) { same_[static_cast<std::size_t>(find(a))] = find(b); }
    /// A primed index is as long as its letter: what reads x^{\operatorname{clamp}(t-1)} is as long
    /// as x.
    void join_unprimed(ir::ref i) {
        detail::text_view letter = p_.index(i);
        while (letter[letter.size - 1] == '\'') --letter.size;
        for (ir::ref j = 0; j < p_.indices.size(); ++j)
            if (p_.index(j) == letter) return join(i, j);
    }
    /// An index that no tensor has plainly is as long as the one that a condition compares it with.
    void join_compared() {
        std::vector<bool> plain(static_cast<std::size_t>(p_.indices.size()), false);
        for (const ir::node& n : p_.nodes)
            for (std::int32_t k = 0; n.kind == ir::op::tensor && k < n.positions.count; ++k)
                if (p_.at(n.positions, k).kind == ir::position_kind::index)
                    plain[static_cast<std::size_t>(p_.at(n.positions, k).index)] = true;
        for (const ir::node& n : p_.nodes) {
            if (n.kind != ir::op::compare) continue;
            const ir::node &a = p_.nodes[p_.child(n, 0)], &b = p_.nodes[p_.child(n, 1)];
            if (a.kind != ir::op::position || b.kind != ir::op::position) continue;
            const ir::ref i = p_.at(a.positions, 0).index, j = p_.at(b.positions, 0).index;
            if (!plain[static_cast<std::size_t>(i)] || !plain[static_cast<std::size_t>(j)])
                join(i, j);
        }
    }
    ir::ref axis_class(ir::ref name, std::int32_t axis) {
        const auto [at, is_new] =
            axes_.try_emplace({name, axis}, static_cast<ir::ref>(same_.size()));
        if (is_new) same_.push_back(at->second);
        return at->second;
    }
    void draw(unsigned seed, const std::vector<std::int64_t>& extents) {
        std::mt19937 random(seed);
        for (ir::ref i = 0; i < static_cast<ir::ref>(same_.size()); ++i)
            if (find(i) == i) extents_[i] = extents[random() % extents.size()];
        for (ir::ref i = 0; i < p_.indices.size();
             ++i)  // the parts of a tensor are counted by the text
            if (p_.indices[i].extent > 0) extents_[find(i)] = p_.indices[i].extent;
        // An axis that is also read as several indices is as long as their product.
        each_use([&](ir::ref name, std::int32_t axis, const ir::position& q) {
            const auto known = axes_.find({name, axis});
            if (q.kind != ir::position_kind::merged || known == axes_.end()) return;
            extents_[find(known->second)] = reach(q);
        });
    }
    /// The length of the axis that a position fills.
    std::int64_t reach(const ir::position& q) const {
        if (q.kind == ir::position_kind::index) return extent(q.index);
        std::int64_t length = q.kind == ir::position_kind::merged ? 1 : q.offset + 1;
        for (std::int32_t k = 0; k < q.terms.count; ++k) {
            const ir::affine_term& t = p_.affine_terms[q.terms.first + k];
            if (q.kind == ir::position_kind::merged) length *= extent(t.index);
            else length += std::abs(t.coefficient) * (extent(t.index) - 1);
        }
        return length;
    }
    void measure() {
        each_use([&](ir::ref name, std::int32_t axis, const ir::position& q) {
            auto& length = lengths_[{name, axis}];
            const ir::ref other = axes_.try_emplace({name, axis}, ir::none).first->second;
            const std::int64_t gathered = other == ir::none ? 3 : extents_.at(find(other));
            length = std::max(length, q.kind == ir::position_kind::gathered ? gathered : reach(q));
        });
        for (const ir::node& n : p_.nodes)
            for (std::int32_t k = 0; n.kind == ir::op::tensor && k < n.positions.count; ++k) {
                const ir::position& q = p_.at(n.positions, k);
                if (q.kind != ir::position_kind::gathered) continue;
                const ir::ref numbers = p_.nodes[p_.child(n, q.offset)].name;
                auto& least = places_.try_emplace(numbers, lengths_.at({n.name, k})).first->second;
                least = std::min(least, lengths_.at({n.name, k}));
            }
    }

    const ir::program_view p_;
    std::vector<ir::ref> same_;         // by index, then by axis: another of the same extent
    std::map<axis_key, ir::ref> axes_;  // none: an axis that no index stands at
    std::map<ir::ref, std::int64_t> extents_;
    std::map<axis_key, std::int64_t> lengths_;
    std::map<ir::ref, std::int64_t> places_;
};

}  // namespace ricci::testing
