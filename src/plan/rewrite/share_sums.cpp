#include "src/plan/rewrite/share_sums.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include <ricci/ir/conditions.hpp>
#include <ricci/ir/rewrite.hpp>
#include "src/base/sorted_list.hpp"
#include "src/plan/trees/brackets.hpp"
#include "src/plan/trees/canonical.hpp"
#include "src/plan/pool/expression.hpp"
#include "src/plan/read/grown_program.hpp"
#include "src/plan/bind/operands.hpp"
#include "src/plan/rewrite/repeated_sums.hpp"
#include "src/path/path.hpp"

namespace ricci::plan {
namespace {

// A sum up to an index is not by all pairs where there are so many places, and so many for each
// value that a product of two of its factors sums.
constexpr std::int64_t least_places_with_state = 256;
constexpr double state_over_summed = 6;

/// A shared sum once it has an equation: the tensor, and for each of its axes which of the sum's
/// free indices stands there.
struct shared_sum {
    ir::ref name;
    std::vector<std::size_t> axes;
};

class sharing {
public:
    sharing(const ir::program_view& program, const ir::shape_table& shapes, repeated_sums repeated,
            bool rounds_named)
        : p_(program),
          to_(program),
          shapes_(shapes),
          rounds_named_(rounds_named),
          brackets_(program),
          repeated_(std::move(repeated)) {
        for (ir::ref e = 0; e < p_.equations.size(); ++e)
            if (ir::computes(p_, p_.equations[e])) count(e, p_.equations[e].body, false);
    }

    bool finds_any() const {
        return std::any_of(counts_.begin(), counts_.end(),
                           [](const auto& entry) { return entry.second > 1; });
    }

    /// The copy; `origins` says for each of its equations which one it was or was taken from.
    ir::program rewritten(std::vector<ir::ref>& origins) {
        roles_ = find_roles(p_);
        rewrite_equations(p_, to_, made_, origins,
                          [&](ir::ref e, ir::ref body) { return rewrite(e, body, true); });
        return std::move(to_);
    }

private:
    const canonical_form& form(ir::ref e, ir::ref n) {
        auto& known = forms_[(static_cast<std::uint64_t>(e) << 32) | static_cast<std::uint32_t>(n)];
        if (known.spelling.empty())
            known = canonical(to_, n, [&](ir::ref i) { return extent(e, i); });
        return known;
    }
    std::int64_t extent(ir::ref e, ir::ref index) const { return shapes_.index_extent(e, index); }

    // Whole numbers in a position are not of the plan's type: what they are made of stays there.
    // And x in x^0 is not read, so that its tensors need no memory.
    bool descends(const ir::node& x) const {
        return x.kind != ir::op::tensor && !ir::is_power_of_zero(to_, x);
    }

    // Places under a bracket need not exist: what looks them up stays below it.
    bool has_lookup(ir::ref n) const {
        if (n < p_.nodes.size()) return brackets_.has_lookup(n);
        const ir::node& x = to_.nodes[n];
        for (std::int32_t k = 0; k < x.children.count; ++k)
            if (has_lookup(to_.links[x.children.first + k])) return true;
        return false;
    }
    bool guards(ir::ref n) const {
        const ir::node& x = to_.nodes[n];
        if (x.kind == ir::op::choose || x.kind == ir::op::compare) return true;
        const bool product = x.kind == ir::op::multiply || x.kind == ir::op::divide;
        if (!product && x.kind != ir::op::add) return false;
        for (std::int32_t k = 0; k < x.children.count; ++k) {
            const ir::ref child = to_.links[x.children.first + k];
            if (child >= p_.nodes.size()) continue;
            if (!(product ? brackets_.hiding(child) : brackets_.masking(child)).empty())
                return true;
        }
        return false;
    }

    /// x^{i+1} as it is written out, the sum over p of [p = i + 1] x^p: a tensor that is read at
    /// another place, which takes nothing where it is needed.
    bool is_shifted_read(ir::ref n) const {
        const ir::node& sum = to_.nodes[n];
        if (!is_sum(sum)) return false;
        const ir::ref body = to_.links[sum.children.first];
        const ir::node& product = to_.nodes[body];
        if (product.kind != ir::op::multiply) return false;
        int tensors = 0;
        std::vector<ir::ref> told;  // indices that an equality says
        for (std::int32_t k = 0; k < product.children.count; ++k) {
            const ir::node& f = to_.nodes[to_.links[product.children.first + k]];
            if (f.kind == ir::op::tensor) ++tensors;
            else if (f.kind != ir::op::compare) return false;
            if (f.kind != ir::op::compare ||
                f.detail != static_cast<std::uint8_t>(ir::comparison::equal))
                continue;
            const ir::node& left = to_.nodes[to_.links[f.children.first]];
            if (left.kind == ir::op::position)
                told.push_back(to_.positions[left.positions.first].index);
        }
        if (tensors != 1) return false;
        for (std::int32_t k = 0; k < sum.indices.count; ++k)
            if (std::find(told.begin(), told.end(), to_.links[sum.indices.first + k]) == told.end())
                return false;
        return true;
    }

    void count(ir::ref e, ir::ref n, bool guarded) {
        const ir::node x = to_.nodes[n];
        if (x.kind == ir::op::reduce && !(guarded && has_lookup(n))) {
            if (repeated_.has(to_, n) && !is_shifted_read(n)) ++counts_[form(e, n).spelling];
            for (const ir::ref pair : pairs_of(e, n))
                if (!is_shifted_read(pair)) ++counts_[form(e, pair).spelling];
        }
        for (std::int32_t k = 0; descends(x) && k < x.children.count; ++k) {
            const ir::ref child = to_.links[x.children.first + k];
            count(e, child, guarded || (has_lookup(child) && guards(n)));
        }
    }
    bool is_shared(ir::ref e, ir::ref n) {
        return repeated_.has(to_, n) && counts_[form(e, n).spelling] > 1;
    }

    // Products inside sums -----------------------------------------------------------------

    factors factors_of(ir::ref n) const {
        const ir::node& x = to_.nodes[n];
        if (!is_sum(x)) return {};
        const ir::ref product = to_.links[x.children.first];
        if (has_lookup(product) && guards(product)) return {};
        return plan::factors_of(to_, x);
    }
    path::contraction_path path_of(ir::ref e, const factors& f) const {
        index_list all;
        for (const auto& list : f.indices) all = sorted::united(all, list);
        return path::find_path({f.indices.begin(), f.indices.end()}, sorted::without(all, f.over),
                               [&](ir::ref i) { return extent(e, i); });
    }
    /// What two of the factors are summed over before the others come in.
    static index_list closed_by(const factors& f, std::size_t a, std::size_t b) {
        auto over = sorted::common(f.over, sorted::united(f.indices[a], f.indices[b]));
        for (std::size_t k = 0; k < f.nodes.size(); ++k)
            if (k != a && k != b) over = sorted::without(over, f.indices[k]);
        return over;
    }
    bool is_inequality(ir::ref n) const {
        const ir::node& x = to_.nodes[n];
        const auto kind = static_cast<ir::comparison>(x.detail);
        return x.kind == ir::op::compare &&
               (kind == ir::comparison::less || kind == ir::comparison::less_equal);
    }
    /// Whether a sum up to an index, as of [j <= i], would be one over all pairs of i and j with
    /// this product in it, which carries a state without: see prefix_blocks.cpp.
    bool pairs_places(ir::ref e, const factors& f, std::size_t a, std::size_t b) const {
        const auto both = sorted::united(f.indices[a], f.indices[b]);
        const auto closed = closed_by(f, a, b);
        for (std::size_t k = 0; k < f.nodes.size(); ++k) {
            const auto& compared = f.indices[k];
            if (k == a || k == b || !is_inequality(f.nodes[k]) || compared.size() != 2) continue;
            const bool apart = sorted::common(compared, both).size() == 2 &&
                               sorted::common(compared, f.indices[a]).size() == 1 &&
                               sorted::common(compared, f.indices[b]).size() == 1;
            bool mixed = false;  // another factor has both: there is no state
            for (std::size_t other = 0; other < f.nodes.size(); ++other)
                mixed =
                    mixed || (other != k && sorted::common(compared, f.indices[other]).size() == 2);
            if (!apart || mixed || sorted::common(compared, f.over).empty()) continue;
            double summed = 1;
            for (const ir::ref i : closed) summed *= static_cast<double>(extent(e, i));
            const std::int64_t places = std::min(extent(e, compared[0]), extent(e, compared[1]));
            if (places >= least_places_with_state &&
                static_cast<double>(places) >= state_over_summed * summed)
                return true;
        }
        return false;
    }
    /// A bracket stays beside all that it hides: what is made of it elsewhere is a number.
    bool may_pair(ir::ref e, const factors& f, std::size_t a, std::size_t b) {
        const auto is_bracket = [&](std::size_t k) {
            return ir::is_bracket(to_.nodes[f.nodes[k]]);
        };
        return !is_bracket(a) && !is_bracket(b) &&
               repeated_.has_pair(to_, f.nodes[a], f.nodes[b]) && !closed_by(f, a, b).empty() &&
               !pairs_places(e, f, a, b);
    }
    ir::ref sum_of_pair(const factors& f, std::size_t a, std::size_t b) {
        const auto over = closed_by(f, a, b);
        const ir::ref product = to_.make(ir::op::multiply, f.nodes[a], f.nodes[b]);
        return to_.reduce(ir::reduction::sum,
                          to_.add_links(over.data(), static_cast<std::int32_t>(over.size())),
                          product);
    }
    /// Of the sums of two factors with which the best path through a longer product begins those
    /// that may stand elsewhere.
    std::vector<ir::ref> pairs_of(ir::ref e, ir::ref n) {
        std::vector<ir::ref> pairs;
        const factors f = factors_of(n);
        if (!f.have_pairs() || !repeated_.has_any_pair(to_, f)) return pairs;
        const auto size = static_cast<std::int32_t>(f.nodes.size());
        for (const auto& [left, right] : path_of(e, f).products) {
            if (left >= size || right >= size) continue;
            const auto a = static_cast<std::size_t>(left), b = static_cast<std::size_t>(right);
            if (may_pair(e, f, a, b)) pairs.push_back(sum_of_pair(f, a, b));
        }
        return pairs;
    }
    /// The same sum with shared sums of two of its factors in their place, while the rest of the
    /// path is no longer than the whole was.
    ir::ref with_shared_pairs(ir::ref e, ir::ref n, factors f) {
        if (!repeated_.has_any_pair(to_, f)) return n;
        const std::size_t written = f.nodes.size();
        double least = path_of(e, f).multiplications;
        for (std::size_t a = 0; a + 1 < f.nodes.size(); ++a)
            for (std::size_t b = a + 1; b < f.nodes.size() && f.nodes.size() > 2; ++b) {
                if (!may_pair(e, f, a, b)) continue;
                const auto closed = closed_by(f, a, b);
                const ir::ref pair = sum_of_pair(f, a, b);
                if (!is_shared(e, pair)) continue;
                factors less = f;
                less.nodes[a] = pair;
                less.indices[a] = list_of(ir::free_indices(to_, pair));
                less.nodes.erase(less.nodes.begin() + static_cast<std::ptrdiff_t>(b));
                less.indices.erase(less.indices.begin() + static_cast<std::ptrdiff_t>(b));
                less.over = sorted::without(f.over, closed);
                const double rest = path_of(e, less).multiplications;
                if (rest > least) continue;
                least = rest;
                f = std::move(less);
                b = a;  // the pair may be one factor of another pair
            }
        if (f.nodes.size() == written) return n;
        f.nodes.insert(f.nodes.end(), f.scalars.begin(), f.scalars.end());
        const auto product = to_.make(ir::op::multiply, 0, f.nodes.data(),
                                      static_cast<std::int32_t>(f.nodes.size()));
        if (f.over.empty()) return product;
        return to_.reduce(ir::reduction::sum,
                          to_.add_links(f.over.data(), static_cast<std::int32_t>(f.over.size())),
                          product, to_.nodes[n].source);
    }

    // Rewriting ----------------------------------------------------------------------------

    // Inner sums first, so that what is left of an outer one reads them.
    ir::ref rewrite(ir::ref e, ir::ref n, bool whole, bool guarded = false) {
        const ir::node x = to_.nodes[n];
        if (!descends(x)) return n;
        const bool shared =
            x.kind == ir::op::reduce && !(guarded && has_lookup(n)) && is_shared(e, n);
        if (shared)
            if (const auto found = shared_.find(form(e, n).spelling); found != shared_.end())
                return use(found->second, form(e, n));
        factors f = factors_of(n);
        const ir::ref paired = f.have_pairs() ? with_shared_pairs(e, n, std::move(f)) : n;
        const ir::ref inside = ir::rebuild_children(to_, paired, [&](ir::ref c) {
            return rewrite(e, c, false, guarded || (has_lookup(c) && guards(paired)));
        });
        if (!shared) return inside;
        const canonical_form& sum = form(e, n);
        const ir::equation& around = p_.equations[e];
        if (whole && !rounds_named_) {
            // The equation is this sum and nothing else: what it defines serves the others.
            shared_sum s{around.name, axes_of(around, sum)};
            if (s.axes.size() == sum.free.size() &&
                static_cast<std::size_t>(around.positions.count) == sum.free.size()) {
                if (roles_.output[static_cast<std::size_t>(around.name)])
                    to_.names[around.name].kept = true;
                shared_.emplace(sum.spelling, s);
            }
            return inside;
        }
        return use(shared_.emplace(sum.spelling, define(around, sum, inside)).first->second, sum);
    }

    // Which free index stands at each axis of the left side; fewer where one does not stand alone.
    static std::size_t place(const canonical_form& f, ir::ref index) {
        return static_cast<std::size_t>(std::find(f.free.begin(), f.free.end(), index) -
                                        f.free.begin());
    }
    std::vector<std::size_t> axes_of(const ir::equation& q, const canonical_form& f) const {
        std::vector<std::size_t> axes;
        for (std::int32_t axis = 0; axis < q.positions.count; ++axis) {
            const auto& at = p_.at(q.positions, axis);
            if (at.kind != ir::position_kind::index) continue;
            const std::size_t k = place(f, at.index);
            if (k < f.free.size() && std::find(axes.begin(), axes.end(), k) == axes.end())
                axes.push_back(k);
        }
        return axes;
    }

    // An equation of its own, its axes in the order of the equation that first needs it.
    shared_sum define(const ir::equation& around, const canonical_form& f, ir::ref body) {
        shared_sum s{new_name(to_), axes_of(around, f)};
        for (std::size_t k = 0; k < f.free.size(); ++k)
            if (std::find(s.axes.begin(), s.axes.end(), k) == s.axes.end()) s.axes.push_back(k);
        made_.push_back({s.name, positions(s, f), body, false, around.source});
        return s;
    }
    ir::range positions(const shared_sum& s, const canonical_form& f) {
        const ir::range at{to_.positions.size(), static_cast<std::int32_t>(s.axes.size())};
        for (const auto k : s.axes) to_.positions.push(ir::index_position(f.free[k]));
        return at;
    }
    ir::ref use(const shared_sum& s, const canonical_form& f) {
        return to_.tensor(s.name, positions(s, f));
    }

    const ir::program_view& p_;
    ir::program to_;  // the copy; nodes keep their numbers
    const ir::shape_table& shapes_;
    const bool rounds_named_;  // tensors that the text names have fewer digits than a shared sum
    brackets brackets_;
    repeated_sums repeated_;
    name_roles roles_;  // in the program as it came
    std::unordered_map<std::uint64_t, canonical_form> forms_;
    std::unordered_map<std::string, int> counts_;
    std::unordered_map<std::string, shared_sum> shared_;
    std::vector<ir::equation> made_;
};

}  // namespace

std::optional<ir::program> share_sums(const ir::program_view& program, ir::shape_table& shapes,
                                      std::vector<slot>& slots, element type) {
    repeated_sums repeated(program);
    if (repeated.empty()) return std::nullopt;
    sharing shared(program, shapes, std::move(repeated), is_narrow(type));
    if (!shared.finds_any()) return std::nullopt;
    std::vector<ir::ref> origins;
    ir::program result = shared.rewritten(origins);

    carry_over(program, result, origins, {}, shapes, slots, type);
    return result;
}

}  // namespace ricci::plan
