// The verifier of what is compiled: a step that reads or writes elsewhere than its assignment says,
// or leaves its memory, is refused.
#include <string>
#include <utility>
#include <variant>

#include "tests/catch.hpp"
#include "tests/unit/plan/broken_plan.hpp"

namespace ricci::plan {
namespace {

using namespace ricci::testing;

const recorded_program ways = {"ways of steps",
                               R"(
        H^{ib} = X^{ia} W^{ab}
        Y^{ib} = \exp(H^{ib}) + P^{ib}
        E^{ib} = T^{x_i b}
        G^{vb} = \sum_i [v = x_i] Y^{ib} P^{ib}
        s^{ib} = \sum_{j \le i} Y^{jb}
        C^{pc} = \sum_{k,a} X^{\operatorname{pad}(p+k-1) a} V^{kac}
    )",
                               "i=8 a=5 b=6 v=10 j=8 p=8 k=3 c=7",
                               "t 16; T 10x6; x i32 8 <10",
                               "",
                               "",
                               "",
                               "v=10 p=8"};

const recorded_program sums_of_two = {"a maximum of sums", "C^{ik} = \\max_j (A^{ij} + B^{jk})",
                                      "i=8 j=9 k=7"};

const recorded_program rows = {"a product of rows", "Y^{bc} = E^{x_b a} W^{ac}", "b=8 a=5 c=7",
                               "x i32 8 <20; E 20x5"};

const recorded_program shared_factor = {"two products of one factor",
                                        R"(
        Q^{ic} = X^{ia} U^{ac}
        K^{ic} = X^{ia} W^{ac}
    )",
                                        "i=64 a=64 c=64"};

template <class Step>
Step& compiled(program_plan& p) {
    for (auto& s : p.compiled)
        if (auto* found = std::get_if<Step>(&s)) return *found;
    throw std::logic_error("no such step");
}

}  // namespace

TEST_CASE("what is compiled reads and writes what its assignment does") {
    const planned p(ways, "emit");
    const auto refuses = [&](const std::string& words, auto change) {
        p.refuses_steps(words, "compiled step", change);
    };
    refuses("a contraction that writes elsewhere",
            [](program_plan& broken) { compiled<contraction_step>(broken).c.offset += 1; });
    refuses("a contraction that reads elsewhere",
            [](program_plan& broken) { compiled<contraction_step>(broken).k[0].a *= 2; });
    refuses("a map that writes elsewhere", [](program_plan& broken) {
        compiled<map_step>(broken).operands[0].strides.back() = 0;
    });
    refuses("a gather that writes elsewhere",
            [](program_plan& broken) { compiled<gather_step>(broken).out.at.offset = 1; });
    refuses("lookups that are written elsewhere",
            [](program_plan& broken) { compiled<lookup_sum_step>(broken).out.at.offset = 1; });
    refuses("a scan that writes elsewhere",
            [](program_plan& broken) { compiled<scan_step>(broken).out.offset = 1; });
    refuses("a scan that reads elsewhere",
            [](program_plan& broken) { compiled<scan_step>(broken).in.offset = -1; });
    refuses("a decay that got lost", [](program_plan& broken) {
        compiled<scan_step>(broken).decayed_by.slot = slot_number(0);
    });
    refuses("another number of steps", [](program_plan& broken) { broken.compiled.pop_back(); });
    refuses("edges that got lost", [](program_plan& broken) {
        for (auto& s : broken.compiled)
            if (auto* c = std::get_if<contraction_step>(&s)) c->a.edges.clear(), c->b.edges.clear();
    });
}

TEST_CASE("a fold of sums of two tensors reads and writes what its assignment does") {
    const planned p(sums_of_two, "emit");
    p.refuses_steps("a fold of sums that is written elsewhere", "compiled step",
                    [](program_plan& broken) { compiled<algebra_step>(broken).c.offset = 1; });
    p.refuses_steps("a fold of sums that are read elsewhere", "compiled step",
                    [](program_plan& broken) { compiled<algebra_step>(broken).m[0].a += 1; });
}

TEST_CASE("what is compiled stays in its memory") {
    const planned p(ways, "emit");
    const auto refuses = [&](auto change) {
        p.refuses_steps("an operand that leaves its memory", "compiled step", change);
    };
    refuses([](program_plan& broken) { compiled<map_step>(broken).operands[1].offset = 1 << 20; });
    refuses([](program_plan& broken) { compiled<gather_step>(broken).lookups[0].extent += 1; });
    refuses([](program_plan& broken) { compiled<gather_step>(broken).in.at.offset = -1; });
    refuses([](program_plan& broken) {
        compiled<lookup_sum_step>(broken).factors[0].from.at.offset = 1 << 20;
    });
}

TEST_CASE("products read the rows that their numbers say, and numbers in memory") {
    const planned p(rows, "emit");
    const auto lookup = [](program_plan& broken) -> planned_lookup& {
        return compiled<contraction_step>(broken).a.lookups.at(0);
    };
    p.refuses_steps("lookups that got lost", "compiled step", [](program_plan& broken) {
        compiled<contraction_step>(broken).a.lookups.clear();
    });
    for (int which = 0; which < 3; ++which)
        p.refuses_steps("an operand that leaves its memory", "compiled step",
                        [&](program_plan& broken) {
                            if (which == 0) lookup(broken).extent += 1;
                            if (which == 1) lookup(broken).stride *= 2;
                            if (which == 2) lookup(broken).numbers.at.strides[0] = 2;
                        });
    p.refuses_steps("a contraction with edges and lookups", "contract", [](program_plan& broken) {
        // The other factor at a place with an edge.
        assign& product = assignment(broken, assignment_kind::contract);
        graph& values = broken.values;
        const expr_list factors = values[product.body].arguments;
        access other = values[factors[1]].source;
        other.at[1].edge = edge::zero;
        other.at[1].high = 5;
        product.body = values.as_written(opcode::multiply, {factors[0], values.load(other)});
    });
}

TEST_CASE("joined steps do not need each other") {
    const planned p(shared_factor, "join");
    p.refuses_steps("joined steps that need each other", "compiled step", [](program_plan& broken) {
        auto& parts = compiled<joined_step>(broken).parts;
        parts[1].what.b.slot = parts[0].what.c.slot;
    });
}

}  // namespace ricci::plan
