// Expressions that are the same but for the names of their loops: what the names make of the first
// is the second, node for node.
#include <algorithm>
#include <random>
#include <vector>

#include "src/plan/pool/definitions.hpp"
#include "src/plan/pool/match.hpp"
#include "tests/catch.hpp"

using namespace ricci;
using namespace ricci::plan;

namespace {

plan::access at(slot_number slot, const std::vector<loop>& loops) {
    plan::access a;
    a.slot = slot;
    for (const loop l : loops) a.at.push_back({0, {{l, 1}}});
    return a;
}

/// Whether a place adds loops of one factor: which of them is which, the place alone does not say.
bool has_twins(const graph& values, expr e) {
    const auto& node = values[e];
    const auto& terms = node.at.terms;
    for (std::size_t k = 1; k < terms.size(); ++k)
        for (std::size_t j = 0; j < k; ++j)
            if (terms[j].factor == terms[k].factor) return true;
    return std::any_of(node.arguments.begin(), node.arguments.end(),
                       [&](expr a) { return has_twins(values, a); });
}

/// Expressions over the loops of a table, drawn.
class drawn_expressions {
public:
    drawn_expressions(graph& values, unsigned seed) : values_(values), draw_(seed) {
        for (ir::ref letter = 0; letter < 5; ++letter)
            loops_.push_back(values_.loops().of(letter, letter < 3 ? 4 : 7));
    }

    expr value(int depth) {
        const int kind = depth == 0 ? number(0, 1) : number(0, 5);
        switch (kind) {
            case 0:
                return values_.load(at(slot_number(number(0, 2)), {any(), any()}));
            case 1:
                return values_.position({number(1, 3), {{any(), number(1, 2)}}});
            case 2:
                return values_.add({value(depth - 1), value(depth - 1)});
            case 3:
                return values_.multiply({value(depth - 1), value(depth - 1)});
            case 4:
                return values_.row(fold::maximum, {any()}, value(depth - 1));
            default:
                return values_.apply(opcode::square, value(depth - 1));
        }
    }
    /// Each loop as another one of its extent.
    loop_map other_names() {
        loop_map names;
        for (const std::size_t first : {std::size_t{0}, std::size_t{3}}) {
            const std::size_t end = first == 0 ? 3 : loops_.size();
            std::vector<loop> to(loops_.begin() + static_cast<std::ptrdiff_t>(first),
                                 loops_.begin() + static_cast<std::ptrdiff_t>(end));
            std::shuffle(to.begin(), to.end(), draw_);
            for (std::size_t k = first; k < end; ++k) names.emplace_back(loops_[k], to[k - first]);
        }
        return names;
    }

    /// The same with what may stand in any order in another one.
    expr shuffled(expr e) {
        const auto node = values_[e];
        expr_list arguments;
        for (const expr a : node.arguments) arguments.push_back(shuffled(a));
        if (is_commutative(node)) std::shuffle(arguments.begin(), arguments.end(), draw_);
        if (node.kind == kind::fold) return values_.row(node.folding, node.over, arguments[0]);
        return node.kind == kind::operation ? values_.as_written(node.code, arguments) : e;
    }

private:
    int number(int least, int most) {
        return std::uniform_int_distribution<int>(least, most)(draw_);
    }
    loop any() { return loops_[static_cast<std::size_t>(number(0, 4))]; }

    graph& values_;
    std::mt19937 draw_;
    std::vector<loop> loops_;
};

}  // namespace

TEST_CASE("what has other names matches, and the names make it the same") {
    int several = 0;
    for (unsigned seed = 1; seed <= 2000; ++seed) {
        graph values;
        drawn_expressions drawn(values, seed);
        const expr first = drawn.value(4);
        if (has_twins(values, first)) continue;
        const expr second = values.renamed(first, drawn.other_names());
        const auto found = match(values, first, second);
        INFO(seed);
        REQUIRE(found);
        // As a tensor that is read there it is the second, whatever bound loops are called.
        const auto& free = values[first].indices;
        const plan::access target = at(slot_number(9), {free.begin(), free.end()});
        std::vector<std::int64_t> extents;
        for (const loop l : free) extents.push_back(values.extent(l));
        definitions known(values);
        known.add(target, extents, first);
        const auto again =
            match(values, known.value_of(values.load(renamed(target, found->names))), second);
        REQUIRE(again);
        for (const auto& [from, to] : again->names) CHECK(from == to);
        several += found->names.size() > 1;
        // No other value of one place less or more is it.
        CHECK_FALSE(match(values, first, values.add({second, values.constant(1)})));
        CHECK_FALSE(match(values, first, values.apply(opcode::reciprocal, second)));
    }
    CHECK(several > 500);
}

TEST_CASE("what stands in another order matches where that says nothing") {
    int several = 0, missed = 0;
    for (unsigned seed = 1; seed <= 2000; ++seed) {
        graph values;
        drawn_expressions drawn(values, seed);
        const expr first = drawn.value(4);
        if (has_twins(values, first)) continue;
        const expr second = drawn.shuffled(values.renamed(first, drawn.other_names()));
        forms of(values);
        INFO(seed);
        REQUIRE(of.of(first) == of.of(second));
        // The first order that a part may have need not be that which suits the whole.
        const auto names = match_in_any_order(values, of, first, second);
        if (!names) {
            ++missed;
            continue;
        }
        loop_map same;
        for (const loop l : values[second].indices) same.emplace_back(l, l);
        // What is bound is none of the names.
        loop_list taken;
        for (const auto& [from, to] : *names) taken = united(united(taken, {from}), {to});
        const expr here = values.renamed(values.apart(taken, first), *names);
        CHECK(match_in_any_order(values, of, here, second, same));
        several += names->size() > 1;
        CHECK_FALSE(
            match_in_any_order(values, of, first, values.add({second, values.constant(1)})));
    }
    CHECK(several > 500);
    CHECK(missed < several / 20);
}

TEST_CASE("two loops are not one") {
    graph values;
    const loop i = values.loops().of(0, 4), j = values.loops().of(1, 4),
               k = values.loops().of(2, 9);
    const auto load = [&](loop a, loop b) { return values.load(at(slot_number(0), {a, b})); };
    CHECK(match(values, load(i, j), load(j, i)));
    CHECK_FALSE(match(values, load(i, j), load(i, i)));
    CHECK_FALSE(match(values, load(i, i), load(i, j)));
    CHECK_FALSE(match(values, load(i, j), load(i, k)));
    // The order in which they are bound says nothing, the place where they stand does.
    const auto largest = [&](loop l, expr e) { return values.row(fold::maximum, {l}, e); };
    CHECK(match(values, largest(i, load(i, j)), largest(j, load(j, i))));
    CHECK_FALSE(match(values, largest(i, load(i, j)), largest(j, load(i, j))));
    // A letter may be bound in one part and free in another.
    const expr a = values.multiply({largest(i, load(i, j)), load(i, j)});
    const expr b = values.multiply({largest(j, load(j, i)), load(j, i)});
    const expr c = values.multiply({largest(j, load(j, i)), load(i, j)});
    CHECK(match(values, a, b));
    CHECK_FALSE(match(values, a, c));
    // Which factor is which, the second one says: A_ij B_ij v_j is not A_ji B_ij v_j.
    const auto other = [&](loop l, loop m) { return values.load(at(slot_number(1), {l, m})); };
    const expr v = values.load(at(slot_number(2), {j}));
    forms of(values);
    CHECK(match_in_any_order(values, of, values.multiply({load(i, j), other(i, j), v}),
                             values.multiply({v, other(i, j), load(i, j)})));
    CHECK_FALSE(match_in_any_order(values, of, values.multiply({load(i, j), other(i, j), v}),
                                   values.multiply({v, other(i, j), load(j, i)})));
    // The first of two that may be the same need not be: A_ij A_ji v_j with A_ji A_ij v_i.
    const expr w = values.load(at(slot_number(2), {i}));
    const auto turned = match_in_any_order(values, of, values.multiply({load(i, j), load(j, i), v}),
                                           values.multiply({load(i, j), load(j, i), w}));
    REQUIRE(turned);
    CHECK(renamed(j, *turned) == i);
}

TEST_CASE("a tensor's value is that of its definition at the loops where it is read") {
    graph values;
    const loop i = values.loops().of(0, 4), j = values.loops().of(1, 4),
               a = values.loops().of(2, 4);
    const auto load = [&](std::size_t slot, std::vector<loop> loops) {
        return values.load(at(slot_number(slot), loops));
    };
    const expr body = values.multiply({load(0, {i, a}), load(1, {j, a})});
    definitions known(values);
    known.add(at(slot_number(2), {i, j}), {4, 4}, values.sum({a}, body));
    CHECK(known.value_of(load(2, {i, j})) == values.sum({a}, body));
    CHECK(known.value_of(load(2, {j, i})) ==
          values.sum({a}, values.multiply({load(0, {j, a}), load(1, {i, a})})));
    // What it sums over is another loop than the one at which it is read.
    const expr at_a = known.value_of(load(2, {i, a}));
    REQUIRE(values[at_a].kind == kind::sum);
    const loop own = values[at_a].over[0];
    CHECK(own != a);
    CHECK(values[at_a].arguments[0] == values.multiply({load(0, {i, own}), load(1, {a, own})}));
    // A part of a tensor, a diagonal or an input says nothing.
    known.add(at(slot_number(3), {i, i}), {4, 4}, load(0, {i, i}));
    CHECK_FALSE(known.value_of(load(3, {i, j})));
    known.add(at(slot_number(4), {i, j}), {4, 5}, load(0, {i, j}));
    CHECK_FALSE(known.value_of(load(4, {i, j})));
    CHECK_FALSE(known.value_of(load(0, {i, j})));
    CHECK_FALSE(known.value_of(body));
}
