#include "src/plan/bind/check_places.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <ricci/error.hpp>
#include <ricci/ir/rewrite.hpp>
#include "src/plan/bind/brackets.hpp"
#include "src/plan/bind/position_conditions.hpp"
#include "src/plan/words/words.hpp"

namespace ricci::plan {
namespace {

// How many places are tried where inequalities do not decide.
constexpr std::int64_t most_tried = 1 << 18;

// How many ways to leave no place are looked at one by one.
constexpr std::size_t most_ways = 256;

bool is_count_of_mean(const ir::node& x) {
    return x.kind == ir::op::reduce && x.value == ir::some_place;
}

class place_checker {
public:
    place_checker(const ir::program_view& p, const brackets& conditions,
                  const ir::shape_table& shapes, ir::ref equation)
        : p_(p),
          brackets_(conditions),
          shapes_(shapes),
          e_(equation),
          reader_(p, [this](ir::ref index) { return extent_of(index); }) {}

    void visit(ir::ref n) {
        const ir::node& x = p_.nodes[n];
        const auto outer = loops_.size();
        const auto held = conditions_.size();
        for (std::int32_t k = 0; ir::binds(x) && k < x.indices.count; ++k)
            loops_.push_back(
                {loop(p_.reduced(x, k)), shapes_.bound_extent(e_, n, p_.reduced(x, k))});
        if (x.kind == ir::op::reduce) check(x);
        if (is_count_of_mean(x)) check_count(x);
        // x^0 is 1 whatever x is, which is not read
        if (ir::is_power_of_zero(p_, x)) return loops_.resize(outer);
        if (x.kind == ir::op::tensor) check_use(x);
        const auto hiding = conditions_of_factors(x);
        for (std::int32_t k = 0; k < x.children.count; ++k) {
            for (const auto& [factor, condition] : hiding)
                if (factor != k) conditions_.push_back({condition, true});
            if (x.kind == ir::op::choose) take_cases(x, k);
            if (x.kind == ir::op::compare) take_parts(x, k);
            visit(p_.child(x, k));
            conditions_.resize(held);
        }
        loops_.resize(outer);
    }

private:
    // The conditions of each factor of a product, or of what stands above a stroke.
    std::vector<std::pair<std::int32_t, ir::ref>> conditions_of_factors(const ir::node& x) const {
        std::vector<std::pair<std::int32_t, ir::ref>> found;
        const bool quotient = x.kind == ir::op::divide;
        if (!quotient && x.kind != ir::op::multiply) return found;
        for (std::int32_t k = 0; k < (quotient ? 1 : x.children.count); ++k)
            for (const ir::ref c : brackets_.hiding(p_.child(x, k))) found.emplace_back(k, c);
        return found;
    }
    // Cases count where their own condition holds, and none before it.
    void take_cases(const ir::node& x, std::int32_t k) {
        for (std::int32_t j = 1; j < k; j += 2)
            if (j != k) conditions_.push_back({p_.child(x, j), false});
        if (k % 2 == 0 && k + 1 < x.children.count)
            conditions_.push_back({p_.child(x, k + 1), true});
    }
    // a and b: b does not count where a is false. a or b: where a is true.
    void take_parts(const ir::node& x, std::int32_t k) {
        const auto kind = static_cast<ir::comparison>(x.detail);
        if (kind == ir::comparison::logical_and || kind == ir::comparison::logical_or)
            conditions_.push_back({p_.child(x, 1 - k), kind == ir::comparison::logical_and});
    }

    /// \sum_p [p = place] x^p, with a marked p or with none at all.
    void check(const ir::node& sum) {
        for (std::int32_t k = 0; k < sum.indices.count; ++k) {
            const ir::ref index = p_.reduced(sum, k);
            const bool marked = p_.indices[index].extent == ir::kept_inside;
            if (!marked && extent_of(index) != 0) continue;
            const ir::node& product = p_.nodes[p_.child(sum, 0)];
            for (std::int32_t f = 0; f < product.children.count; ++f) {
                const ir::node& x = p_.nodes[p_.child(product, f)];
                if (x.kind != ir::op::compare ||
                    x.detail != static_cast<std::uint8_t>(ir::comparison::equal))
                    continue;
                const ir::node& left = p_.nodes[p_.child(x, 0)];
                if (left.kind != ir::op::position || p_.at(left.positions, 0).index != index)
                    continue;
                const ir::ref said = p_.child(x, 1);
                if (!marked && is_bounded(said)) check_nearest(sum, product, index, said);
                const auto at = marked ? reader_.form_of(said) : std::nullopt;
                const auto held = conditions_.size();
                for (const auto& [factor, condition] : conditions_of_factors(product))
                    if (factor != f && !ir::free_indices(p_, condition).has(index))
                        conditions_.push_back({condition, true});
                if (at) check(*at, extent_of(index));
                conditions_.resize(held);
            }
        }
    }
    /// Whether a place is one within bounds or on a ring: \max(0, \min(n - 1, i)) or i \bmod n.
    bool is_bounded(ir::ref place) const {
        const ir::node& x = p_.nodes[place];
        if (x.kind != ir::op::apply) return false;
        if (x.detail == static_cast<std::uint8_t>(ir::function::modulo)) {
            const auto ring = reader_.form_of(p_.child(x, 1));
            return ring && ring->terms.empty() && ring->offset == 0;
        }
        const ir::node& inner = p_.nodes[p_.child(x, x.children.count - 1)];
        return x.detail == static_cast<std::uint8_t>(ir::function::maximum) &&
               inner.kind == ir::op::apply &&
               inner.detail == static_cast<std::uint8_t>(ir::function::minimum);
    }
    /// An axis of no places has no nearest one, and none on a ring.
    void check_nearest(const ir::node& sum, const ir::node& product, ir::ref index, ir::ref said) {
        bool nowhere = false;  // some index around has no value
        for (std::size_t k = 0; k + static_cast<std::size_t>(sum.indices.count) < loops_.size();
             ++k)
            nowhere = nowhere || loops_[k].extent == 0;
        ir::for_each_index(p_, p_.equations[e_].positions,
                           [&](ir::ref i) { nowhere = nowhere || extent_of(i) == 0; });
        if (nowhere) return;
        for (const conjunction& c : reader_.alternatives(conditions_)) {
            box_.clear();
            take_letters(said);
            if (is_anywhere(c.affine, c.others)) refuse_empty(product, index);
        }
    }
    [[noreturn]] void refuse_empty(const ir::node& product, ir::ref index) const {
        for (std::int32_t k = 0; k < product.children.count; ++k) {
            const ir::node& x = p_.nodes[p_.child(product, k)];
            if (x.kind != ir::op::tensor) continue;
            for (std::int32_t axis = 0; axis < x.positions.count; ++axis)
                if (p_.at(x.positions, axis).index == index)
                    throw error(fmt::format(
                        "ricci: in {} axis {} of {} has extent 0, and clamp or wrap reads it: "
                        "there "
                        "is no place that is nearest, and no ring; what is outside is 0 with pad.",
                        words_of_equation(p_, e_), axis, words_of_name(p_, x.name)));
        }
        throw error(fmt::format("ricci: in {} clamp or wrap reads an axis of extent 0.",
                                words_of_equation(p_, e_)));
    }
    /// Arithmetic that may leave the axis at its end.
    void check_use(const ir::node& use) {
        for (std::int32_t axis = 0; axis < use.positions.count; ++axis) {
            const ir::position& q = p_.at(use.positions, axis);
            if (q.kind != ir::position_kind::affine) continue;
            if (const auto at = reader_.form_of(q)) check(*at, shapes_.extent(use.name, axis));
        }
    }
    void check(const place& at, std::int64_t extent) {
        box_.clear();
        take_letters(at);
        const auto anywhere = bounds_of(at, box_, {});
        if (!anywhere || anywhere->lies_within(places_of(extent))) return;
        for (const conjunction& c : reader_.alternatives(conditions_)) {
            // 0 or more where the place is below or above its axis
            for (const place& outside : {place{-1, {}}.plus(at, -1), place{-extent, {}}.plus(at)}) {
                box_.clear();
                take_letters(at);
                auto all = c.affine;
                all.push_back(outside);
                if (is_anywhere(std::move(all), c.others)) refuse(at, extent);
            }
        }
    }
    /// How many places the condition of a mean leaves, which are some wherever the mean is read.
    void check_count(const ir::node& count) {
        const ir::ref condition = p_.child(count, 0);
        const position_condition holds{condition, true};
        const auto left = reader_.alternatives({&holds, 1});
        for (const conjunction& around : reader_.alternatives(conditions_)) {
            const auto ways = ways_to_leave_none(count, left);
            counted_ = ways ? nullptr : &count;
            for (const auto& way : ways.value_or(std::vector<std::vector<place>>{{}})) {
                box_.clear();
                auto all = around.affine;
                all.insert(all.end(), way.begin(), way.end());
                for (const place& f : all) take_letters(f);
                for (const auto& other : around.others) take_letters(other.node);
                take_letters(condition);
                std::erase_if(box_,
                              [&](const loop_extent& r) { return binds(count, r.what.number()); });
                if (is_in_box(std::move(all), around.others)) refuse_mean();
            }
            counted_ = nullptr;
        }
    }
    bool binds(const ir::node& sign, ir::ref index) const {
        for (std::int32_t k = 0; k < sign.indices.count; ++k)
            if (p_.reduced(sign, k) == index) return true;
        return false;
    }
    /// Of one letter that is counted: the inequalities of the others that leave none of its places,
    /// each way one list; nothing where inequalities do not say it.
    std::optional<std::vector<std::vector<place>>> ways_to_leave_none(
        const ir::node& count, const std::vector<conjunction>& alternatives) const {
        std::vector<std::vector<place>> ways{{}};
        if (count.indices.count != 1) return {};
        const ir::ref letter = p_.reduced(count, 0);
        for (const conjunction& c : alternatives) {
            if (!c.others.empty()) return {};
            const auto gaps = gaps_of(c, letter);
            if (!gaps || gaps->size() * ways.size() > most_ways) return {};
            std::vector<std::vector<place>> more;
            for (const auto& way : ways)
                for (const place& gap : *gaps) {
                    more.push_back(way);
                    more.back().push_back(gap);
                }
            ways = std::move(more);
        }
        return ways;
    }
    /// What is 0 or more where no place of the letter is between two of its bounds.
    std::optional<std::vector<place>> gaps_of(const conjunction& c, ir::ref letter) const {
        std::vector<place> least{{}}, most, gaps;  // of the letter
        most.push_back({extent_of(letter) - 1, {}});
        for (const place& f : c.affine) {
            const std::int64_t factor = f.factor(loop(letter));
            if (factor < -1 || factor > 1) return {};
            const place rest = f.without(loop(letter)), turned = place{}.plus(rest, -1);
            if (factor > 0) least.push_back(turned);
            else if (factor < 0) most.push_back(rest);
            else gaps.push_back(turned.plus({-1, {}}));
        }
        for (const place& a : least)
            for (const place& b : most) gaps.push_back(place{-1, {}}.plus(a).plus(b, -1));
        return gaps;
    }
    /// Whether the condition of the mean in hand leaves a place where the letters around are at
    /// the places that are tried.
    bool leaves_a_place() {
        const ir::node& count = *std::exchange(counted_, nullptr);
        const auto outer_box = box_;
        const auto outer_tried = tried_;
        const position_condition holds{p_.child(count, 0), true};
        bool found = false;
        for (const conjunction& c : reader_.alternatives({&holds, 1})) {
            auto all = c.affine;
            for (std::size_t k = 0; k < outer_tried.size(); ++k) {
                add_equality(all, outer_box[k].what, outer_tried[k]);
            }
            for (std::int32_t k = 0; k < count.indices.count; ++k)
                take_letter(p_.reduced(count, k));
            found = found || holds_somewhere(all, c.others);
            box_ = outer_box;
            tried_ = outer_tried;
        }
        counted_ = &count;
        return found;
    }
    [[noreturn]] void refuse_mean() const {
        std::vector<std::string> where;
        for (std::size_t k = 0; k < tried_.size(); ++k)
            where.push_back(
                fmt::format("{} = {}", words_of_index(p_, box_[k].what.number()), tried_[k]));
        throw error(fmt::format(
            "ricci: in {} the condition of a mean leaves no place{}, and a mean of none is no "
            "number; exclude that by a bracket or cases around it.",
            words_of_equation(p_, e_),
            where.empty() ? "" : fmt::format(" where {}", fmt::join(where, ", "))));
    }
    void take_letter(ir::ref index) {
        const auto same = [&](const loop_extent& r) { return r.what == loop(index); };
        if (std::ranges::none_of(box_, same)) box_.push_back({loop(index), extent_of(index)});
    }
    void take_letters(const place& f) {
        for (const auto& t : f.terms) take_letter(t.over.number());
    }
    void take_letters(ir::ref n) {
        const ir::index_set free = ir::free_indices(p_, n);
        for (ir::ref i = 0; i < free.end(); ++i)
            if (free.has(i)) take_letter(i);
    }

    /// Whether everything holds at some places of all letters; those in `box_` come first.
    bool is_anywhere(std::vector<place> all, const std::vector<position_condition>& others) {
        for (const place& f : all) take_letters(f);
        for (const auto& other : others) take_letters(other.node);
        return is_in_box(std::move(all), others);
    }
    bool is_in_box(std::vector<place> all, const std::vector<position_condition>& others) {
        tried_.clear();
        left_ = most_tried;
        return holds_somewhere(all, others);
    }

    /// Whether there are places of all letters, after those that are tried, at which everything
    /// holds; they are in `tried_` then. One letter after the other takes each value that the
    /// inequalities leave to it.
    bool holds_somewhere(std::vector<place>& all, const std::vector<position_condition>& others) {
        if (tried_.size() == box_.size()) {
            if (--left_ < 0) refuse_undecided();
            const bool all_hold =
                std::ranges::all_of(all, [&](const place& f) { return value_of(f) >= 0; }) &&
                std::ranges::all_of(others, [&](const position_condition& c) {
                    return (reader_.value(c.node, [&](ir::ref i) { return place_of(loop(i)); }) !=
                            0) == c.holds;
                });
            return all_hold && (counted_ == nullptr || !leaves_a_place());
        }
        const loop letter = box_[tried_.size()].what;
        const auto range = bounds_of({0, {{letter, 1}}}, box_, all);
        if (!range) return false;
        for (std::int64_t at = range->least; at <= range->most; ++at) {
            if (--left_ < 0) refuse_undecided();
            add_equality(all, letter, at);
            tried_.push_back(at);
            if (holds_somewhere(all, others)) return true;
            tried_.pop_back();
            all.resize(all.size() - 2);
        }
        return false;
    }
    // letter - at and at - letter are 0 or more.
    static void add_equality(std::vector<place>& all, loop letter, std::int64_t at) {
        const place least{-at, {{letter, 1}}};
        all.push_back(least);
        all.push_back(place{}.plus(least, -1));
    }
    std::int64_t place_of(loop letter) const {
        for (std::size_t k = 0; k < tried_.size(); ++k)
            if (box_[k].what == letter) return tried_[k];
        return 0;
    }
    std::int64_t value_of(const place& f) const {
        std::int64_t value = f.offset;
        for (const auto& t : f.terms) value += t.factor * place_of(t.over);
        return value;
    }
    [[noreturn]] void refuse(const place& at, std::int64_t extent) const {
        std::vector<std::string> where;
        for (const auto& term : at.terms)
            where.push_back(fmt::format("{} = {}", words_of_index(p_, term.over.number()),
                                        place_of(term.over)));
        throw error(fmt::format(
            "ricci: in {} the place {} is read where {}, and the axis has the places 0 to {}; no "
            "condition on positions excludes it.",
            words_of_equation(p_, e_), value_of(at), fmt::join(where, ", "), extent - 1));
    }
    [[noreturn]] void refuse_undecided() const {
        throw error(
            fmt::format("ricci: in {} {}, and whether the conditions around it exclude that is not "
                        "seen from more than {} of its places; write them as inequalities "
                        "of indices, as in [i + j \\ge 3].",
                        words_of_equation(p_, e_),
                        counted_ != nullptr ? "a mean may be of no place"
                                            : "a place may lie outside of its axis",
                        most_tried));
    }
    std::int64_t extent_of(ir::ref index) const {
        for (auto l = loops_.rbegin(); l != loops_.rend(); ++l)
            if (l->what == loop(index)) return l->extent;
        return shapes_.index_extent(e_, index);
    }

    const ir::program_view& p_;
    const brackets& brackets_;
    const ir::shape_table& shapes_;
    ir::ref e_;
    position_reader reader_;
    std::vector<loop_extent> loops_;              // that signs around the place in hand bind
    std::vector<position_condition> conditions_;  // around the place in hand
    std::vector<loop_extent> box_;                // the letters of what is asked
    std::vector<std::int64_t> tried_;             // places of the first of them
    std::int64_t left_ = 0;                       // how many more places are tried
    const ir::node* counted_ = nullptr;           // the count of a mean that may be of no place
};

bool may_leave_axes(const ir::program_view& p) {
    return std::ranges::any_of(
               p.indices, [](const ir::index_symbol& i) { return i.extent == ir::kept_inside; }) ||
           p.affine_terms.size() > 0 || std::ranges::any_of(p.nodes, is_count_of_mean);
}

bool has_empty_axes(const ir::program_view& p, const ir::shape_table& shapes) {
    for (ir::ref n = 0; n < p.names.size(); ++n)
        for (std::int32_t axis = 0; axis < shapes.rank(n); ++axis)
            if (shapes.extent(n, axis) == 0) return true;
    return false;
}

}  // namespace

void check_places(const ir::program_view& program, const ir::shape_table& shapes) {
    if (!may_leave_axes(program) && !has_empty_axes(program, shapes)) return;
    const brackets conditions(program);
    for (ir::ref e = 0; e < program.equations.size(); ++e)
        if (ir::computes(program, program.equations[e]))
            place_checker(program, conditions, shapes, e).visit(program.equations[e].body);
}

}  // namespace ricci::plan
