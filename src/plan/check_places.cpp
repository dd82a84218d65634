#include "src/plan/check_places.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <ricci/error.hpp>
#include <ricci/ir/rewrite.hpp>
#include "src/plan/words.hpp"

namespace ricci::plan {
namespace {

class place_checker {
public:
    place_checker(const ir::program_view& p, const ir::shape_table& shapes, ir::ref equation)
        : p_(p), shapes_(shapes), e_(equation) {}

    void visit(ir::ref n) {
        const ir::node& x = p_.nodes[n];
        const auto outer = loops_.size();
        const auto held = conditions_.size();
        for (std::int32_t k = 0; ir::binds(x) && k < x.indices.count; ++k)
            loops_.push_back({p_.reduced(x, k), shapes_.bound_extent(e_, n, p_.reduced(x, k)), 0});
        if (x.kind == ir::op::reduce) check(x);
        for (std::int32_t k = 0; k < x.children.count; ++k) {
            if (x.kind == ir::op::multiply) take_factors(x, k);
            if (x.kind == ir::op::choose) take_cases(x, k);
            visit(p_.child(x, k));
            conditions_.resize(held);
        }
        loops_.resize(outer);
    }

private:
    struct loop {
        ir::ref index;
        std::int64_t extent;
        std::int64_t at;
    };
    struct condition {
        ir::ref node;
        bool holds;
    };

    // What the other factors and cases ask for, where child `k` counts.
    void take_factors(const ir::node& x, std::int32_t k) {
        for (std::int32_t j = 0; j < x.children.count; ++j)
            if (j != k) conditions_.push_back({p_.child(x, j), true});
    }
    void take_cases(const ir::node& x, std::int32_t k) {
        for (std::int32_t j = 1; j < k; j += 2)
            if (j != k) conditions_.push_back({p_.child(x, j), false});
        if (k % 2 == 0 && k + 1 < x.children.count)
            conditions_.push_back({p_.child(x, k + 1), true});
    }

    /// \sum_p [p = place] x^p, with a marked p.
    void check(const ir::node& sum) {
        for (std::int32_t k = 0; k < sum.indices.count; ++k) {
            const ir::ref index = p_.reduced(sum, k);
            if (p_.indices[index].extent != ir::kept_inside) continue;
            const ir::node& product = p_.nodes[p_.child(sum, 0)];
            for (std::int32_t f = 0; f < product.children.count; ++f) {
                const ir::node& x = p_.nodes[p_.child(product, f)];
                if (x.kind != ir::op::compare ||
                    x.detail != static_cast<std::uint8_t>(ir::comparison::equal))
                    continue;
                const ir::node& left = p_.nodes[p_.child(x, 0)];
                if (left.kind == ir::op::position && p_.at(left.positions, 0).index == index)
                    check(index, p_.child(x, 1));
            }
        }
    }
    void check(ir::ref axis, ir::ref place) {
        const std::int64_t extent = extent_of(axis);
        const auto own = letters({place});
        // Places of one index grow or fall with it: from either end on, those outside come first.
        if (own.size() == 1) {
            const std::int64_t count = extent_of(own[0]);
            std::int64_t first = 0;
            while (first < count && is_outside(place, extent, {own[0], count, first})) ++first;
            for (std::int64_t at = count; at-- > first;)
                if (!is_outside(place, extent, {own[0], count, at})) break;
            return;
        }
        over_each(own, 0, [&] { see(place, extent); });
    }
    bool is_outside(ir::ref place, std::int64_t extent, const loop& tried) {
        tried_.push_back(tried);
        const bool outside = see(place, extent);
        tried_.pop_back();
        return outside;
    }
    /// Whether the place is outside; refuses one that no condition excludes.
    bool see(ir::ref place, std::int64_t extent) {
        const auto at = value(place);
        if (!at || (*at >= 0 && *at < static_cast<double>(extent))) return false;
        std::vector<ir::ref> asked;
        for (const condition& c : conditions_) asked.push_back(c.node);
        auto others = letters(asked);
        std::erase_if(others, [&](ir::ref i) { return is_set(i); });
        over_each(others, 0, [&] {
            if (may_hold()) refuse(place, *at, extent);
        });
        return true;
    }
    bool may_hold() const {
        return std::all_of(conditions_.begin(), conditions_.end(), [&](const condition& c) {
            const auto v = value(c.node);
            return !v || (*v != 0) == c.holds;
        });
    }
    [[noreturn]] void refuse(ir::ref place, double at, std::int64_t extent) const {
        std::vector<std::string> where;
        ir::index_set seen;
        ir::collect_free(p_, place, seen);
        for (ir::ref i = 0; i < seen.end(); ++i) {
            if (!seen.has(i)) continue;
            where.push_back(
                fmt::format("{} = {}", words_of_index(p_, i), static_cast<std::int64_t>(at_of(i))));
        }
        throw error(fmt::format(
            "ricci: in {} the place {} is read where {}, and the axis has the places 0 to {}; no "
            "condition on positions excludes it.",
            words_of_equation(p_, e_), static_cast<std::int64_t>(at), fmt::join(where, ", "),
            extent - 1));
    }

    // Positions that are being tried --------------------------------------------------------------

    /// The indices of expressions of which the numbers are known here.
    std::vector<ir::ref> letters(const std::vector<ir::ref>& nodes) const {
        std::vector<ir::ref> found;
        for (const ir::ref n : nodes) {
            if (!is_known(n)) continue;
            const ir::index_set free = ir::free_indices(p_, n);
            for (ir::ref i = 0; i < free.end(); ++i)
                if (free.has(i) && std::find(found.begin(), found.end(), i) == found.end())
                    found.push_back(i);
        }
        return found;
    }
    template <class F>
    void over_each(const std::vector<ir::ref>& list, std::size_t first, F&& visit_all) {
        if (first == list.size()) return visit_all();
        const std::int64_t extent = extent_of(list[first]);
        for (std::int64_t at = 0; at < extent; ++at) {
            tried_.push_back({list[first], extent, at});
            over_each(list, first + 1, visit_all);
            tried_.pop_back();
        }
    }
    bool is_set(ir::ref index) const {
        return std::any_of(tried_.begin(), tried_.end(),
                           [&](const loop& l) { return l.index == index; });
    }
    double at_of(ir::ref index) const {
        for (const loop& l : tried_)
            if (l.index == index) return static_cast<double>(l.at);
        return 0;
    }
    std::int64_t extent_of(ir::ref index) const {
        for (auto l = loops_.rbegin(); l != loops_.rend(); ++l)
            if (l->index == index) return l->extent;
        return shapes_.index_extent(e_, index);
    }

    /// Whether an expression is made of positions and numbers alone.
    bool is_known(ir::ref n) const {
        const ir::node& x = p_.nodes[n];
        switch (x.kind) {
            case ir::op::number:
            case ir::op::position:
                return true;
            case ir::op::apply:
                if (static_cast<ir::function>(x.detail) != ir::function::logical_not) return false;
                break;
            case ir::op::add:
            case ir::op::multiply:
            case ir::op::compare:
                break;
            default:
                return false;
        }
        for (std::int32_t k = 0; k < x.children.count; ++k)
            if (!is_known(p_.child(x, k))) return false;
        return true;
    }
    /// The number where the indices are as tried; nothing where it is not known.
    std::optional<double> value(ir::ref n) const {
        const ir::node& x = p_.nodes[n];
        if (!is_known(n)) return std::nullopt;
        const auto child = [&](std::int32_t k) { return *value(p_.child(x, k)); };
        double result = x.kind == ir::op::multiply ? 1 : 0;
        switch (x.kind) {
            case ir::op::number:
                return x.value;
            case ir::op::position:
                return at_of(p_.at(x.positions, 0).index);
            case ir::op::apply:
                return child(0) == 0 ? 1.0 : 0.0;
            case ir::op::add:
                for (std::int32_t k = 0; k < x.children.count; ++k) result += child(k);
                return result;
            case ir::op::multiply:
                for (std::int32_t k = 0; k < x.children.count; ++k) result *= child(k);
                return result;
            default:
                break;
        }
        const double a = child(0), b = child(1);
        switch (static_cast<ir::comparison>(x.detail)) {
            case ir::comparison::less:
                return a < b;
            case ir::comparison::less_equal:
                return a <= b;
            case ir::comparison::equal:
                return a == b;
            case ir::comparison::not_equal:
                return a != b;
            case ir::comparison::logical_and:
                return a != 0 && b != 0;
            case ir::comparison::logical_or:
                return a != 0 || b != 0;
        }
        return std::nullopt;
    }

    const ir::program_view& p_;
    const ir::shape_table& shapes_;
    ir::ref e_;
    std::vector<loop> loops_;            // that signs around the place in hand bind
    std::vector<loop> tried_;            // indices with a value
    std::vector<condition> conditions_;  // around the place in hand
};

}  // namespace

void check_places(const ir::program_view& program, const ir::shape_table& shapes) {
    const auto is_marked = [](const ir::index_symbol& i) { return i.extent == ir::kept_inside; };
    if (std::none_of(program.indices.begin(), program.indices.end(), is_marked)) return;
    for (ir::ref e = 0; e < program.equations.size(); ++e)
        if (ir::computes(program, program.equations[e]))
            place_checker(program, shapes, e).visit(program.equations[e].body);
}

}  // namespace ricci::plan
