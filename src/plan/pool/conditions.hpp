// What conditions say of places, and what a fold takes up under them: read here alone, whoever
// wrote them, by all who solve, cut, scan, scatter or leave out.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "src/plan/pool/expression.hpp"

namespace ricci::plan {

/// The expression as a place, where it is made of positions and whole numbers: i - j + 3, or that
/// within bounds, as a clamp or on a ring.
std::optional<place> place_of(const graph&, expr e);

/// The constant that the expression is, where that is a whole number.
std::optional<std::int64_t> whole_number(const graph&, expr e);

/// Two places that a condition compares.
struct compared_places {
    opcode code = opcode::equal;
    place left, right;

    bool has_edge() const { return left.edge != edge::none || right.edge != edge::none; }
    /// left - right, without edges.
    place difference() const;
    /// Of an inequality: 0 or more where it holds.
    place margin() const;
};
std::optional<compared_places> compared_in(const graph&, expr condition);

/// 0 <= sign * j + rest: a comparison between one loop of a fold and others, or numbers.
struct bound_of_fold {
    loop j;
    std::int64_t sign = 0;
    place rest;
};
std::optional<bound_of_fold> bound_in(const graph&, expr condition, const loop_list& over);

/// The loops i and j of a condition that says how their places lie and nothing else: [j != i],
/// [j <= i and j >= 3], [j > 2i or j = 2]. It is made of comparisons, each of which has i or j with
/// the factor 1, so that it can be solved for that loop. A fold over one of them need not look at
/// all pairs then: it takes one pass, is solved, or is several folds that do.
std::optional<std::pair<loop, loop>> related_by(graph&, expr condition);

/// The pairs under a condition: j <= stride * i + offset, or stride * i + offset <= j where it
/// points down.
struct triangle {
    loop j, i;
    bool up = true;
    std::int64_t offset = 0, stride = 1;
    bool operator==(const triangle&) const = default;
    /// Whether each place of i has one pair more than the one before it.
    bool steps_by_one() const { return stride == 1; }
};
/// What a condition says of one loop and one other.
std::optional<triangle> triangle_in(const graph&, expr condition, loop j);

/// An equality of a loop and of a value that knows nothing of it: [v = x_i].
struct loop_equality {
    loop what;
    expr number;
};
/// `accepts`: which loop, beside which value.
template <class F>
std::optional<loop_equality> loop_equality_in(const graph& values, expr condition, F accepts) {
    const auto& test = values[condition];
    if (test.kind != kind::operation || test.code != opcode::equal) return {};
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
        const loop l = loop_at(values[test.arguments[side]]);
        const expr number = test.arguments[1 - side];
        if (l && !contains(values[number].indices, l) && accepts(l, number))
            return loop_equality{l, number};
    }
    return {};
}

/// The place that conditions leave of a loop, where one says that it is a number.
std::optional<std::int64_t> only_place(const graph&, expr_span conditions, loop);

/// The factors of a condition, [a and b] as [a] [b], and [|p| <= n] as [-n <= p] [p <= n].
expr_list conjuncts_of(graph&, expr condition);

/// What changes nothing where it is folded with other numbers; of a softmax what gets no weight.
double identity_of(fold);

/// What a fold takes up where all of some conditions hold; elsewhere it takes up nothing.
struct guarded {
    expr_list parts;  // the conditions; of a sum all factors, conditions where they stand
    expr value;       // of other folds
};
/// Whether what stands beside cases in a product counts where these are 0, since 0 times what is no
/// number is none.
enum class beside_cases : std::uint8_t { counts, hidden };
guarded guarded_in(graph&, fold, expr body, beside_cases = beside_cases::counts);
/// Whether a part of a fold is cases that a condition on places chooses by, of which one changes
/// nothing.
bool is_guarded(const graph&, fold, expr part);
/// The same as the body of a fold.
expr body_of(graph&, fold, const guarded&);

/// Weights of a softmax over j of a value that knows nothing of the loops that conditions relate to
/// j, the ends.
struct related_weights {
    loop j;
    guarded cases;
    loop_list ends;
};
std::optional<related_weights> related_weights_in(graph&, expr);

}  // namespace ricci::plan
