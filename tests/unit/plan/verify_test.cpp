// The verifier of plans: the plans of all recorded programs keep their invariants, and a plan that
// breaks one of them is refused, with words for it, the pass and the step. Here of assignments.
#include <algorithm>
#include <string>
#include <utility>

#include "tests/catch.hpp"
#include "tests/unit/plan/broken_plan.hpp"
#include "tests/unit/small_panels.hpp"

namespace ricci::plan {
namespace {

using namespace ricci::testing;

// All ways, a position, and intermediates.
const recorded_program layers = {"layers",
                                 R"(
        H^{ib} = X^{ia} W^{ab}
        m^i = \operatorname{mean}_b H^{ib}
        Y^{ib} = (H^{ib} - m^i) i + t^{2b+1} + P^{ib}
        E^{ib} = T^{x_i b} + Y^{ib}
        G^{vb} = \sum_i [v = x_i] E^{ib}
        D^p = \sum_{i,b} [p = i + b] E^{ib}
    )",      "i=8 a=5 b=6 v=10", "t 16; T 10x6; x i32 8 <10", "", "G",
                                 "",       "v=10 p=13"};

/// The first axis of a tensor is walked by two loops, in this order.
void walk_by(access& a, loop first, loop second) { a.at[0].terms = {{first, 1}, {second, 1}}; }

}  // namespace

TEST_CASE("the plans of recorded programs keep their invariants") {
    int plans = 0;
    for (const auto& which : recorded_programs()) {
        INFO(which.name);
        bound_case program(which);
        // From the pass read to the pass order plans are equations, which have sums in bodies.
        bool are_equations = false;
        for (const bool fuse : {true, false})
            make_plan(program.request(fuse), [&](const char* pass, const ir::program_view& view,
                                                 const program_plan* plan) {
                are_equations =
                    pass == std::string("read") || (are_equations && pass != std::string("order"));
                if (plan == nullptr || are_equations) return;
                ++plans;
                CHECK_NOTHROW(verify(*plan, view, pass));
            });
    }
    CHECK(plans > 1000);
}

TEST_CASE("an access has a place for each axis, and every place is on its axis") {
    const planned p(layers, "order");
    const auto h = p.slot("H"), y = p.slot("Y");
    const auto i = p.loop_of("Y", 0), b = p.loop_of("Y", 1);
    p.refuses("an access of another rank", "Y[", [&](program_plan& broken) {
        auto& at = assignment(broken, y).target.at;
        at.pop_back();
    });
    p.refuses("a place outside its axis", "H[",
              [&](program_plan& broken) { assignment(broken, h).target.at[0].offset = 1; });
    p.refuses("a place outside its axis", "H[",
              [&](program_plan& broken) { assignment(broken, h).target.at[0].offset = -1; });
    p.refuses("a place outside its axis", "Y[", [&](program_plan& broken) {
        // A loop of more iterations than the axis has places.
        auto& a = assignment(broken, y);
        const loop longer = broken.values.loops().fresh(ir::none, 9);
        a.body = broken.values.renamed(a.body, {{i, longer}});
    });
    p.refuses("a place whose loops are not sorted", "H[", [&](program_plan& broken) {
        walk_by(assignment(broken, h).target, std::max(i, b), std::min(i, b));
    });
    p.refuses("a place that does not move", "H[", [&](program_plan& broken) {
        assignment(broken, h).target.at[0].terms.push_back({b, 0});
    });
    p.refuses("a place that does not move", "H[", [&](program_plan& broken) {
        const loop once = broken.values.loops().fresh(ir::none, 1);
        assignment(broken, h).target.at[0].terms.push_back({once, 1});
    });
    p.refuses("a slot without elements", "Y[",
              [&](program_plan& broken) { broken.slots[y.index()].kind = storage::unused; });
    p.refuses("a slot that there is not", "step 1",
              [&](program_plan& broken) { assignment(broken, h).target.slot = slot_number(1000); });
}

TEST_CASE("loops are the target's or folded, each bound once") {
    const planned p(layers, "order");
    const auto h = p.slot("H"), m = p.slot("m"), y = p.slot("Y");
    const auto i = p.loop_of("Y", 0), b = p.loop_of("Y", 1);
    p.refuses("a loop that nobody runs", "Y[", [&](program_plan& broken) {
        auto& a = assignment(broken, y);
        const loop other = broken.values.loops().fresh(ir::none, 6);
        a.body = broken.values.renamed(a.body, {{b, other}});
    });
    p.refuses("a loop that nobody runs", "G[", [&](program_plan& broken) {
        auto& a = assignment(broken, assignment_kind::lookups);
        const loop other = broken.values.loops().fresh(ir::none, 8);
        a.numbers = broken.values.renamed(a.numbers, {{i, other}});
    });
    p.refuses("loops that are not sorted", "Y[", [&](program_plan& broken) {
        auto& a = assignment(broken, y);
        std::swap(a.loops[0], a.loops[1]);
    });
    p.refuses("folded loops that are not sorted", "H[", [&](program_plan& broken) {
        auto& a = assignment(broken, h);
        a.over = {a.over[0], i};
    });
    p.refuses("a loop of one iteration", "Y[", [&](program_plan& broken) {
        assignment(broken, y).loops.push_back(broken.values.loops().fresh(ir::none, 1));
    });
    p.refuses("a folded loop in the target", "H[",
              [&](program_plan& broken) { add_loop(assignment(broken, h).over, i); });
    p.refuses("a target that other loops reach", "Y[", [&](program_plan& broken) {
        assignment(broken, y).loops.push_back(broken.values.loops().fresh(ir::none, 3));
    });
    p.refuses("a target with loops of its own", "D[", [&](program_plan& broken) {
        auto& a = assignment(broken, assignment_kind::scatter);
        a.body = broken.values.load(assignment(broken, m).target);
        a.loops = a.over = {i};
    });
    p.refuses("a fold over nothing", "m[", [&](program_plan& broken) {
        auto& a = assignment(broken, m);
        a.over.clear();
        a.body = broken.values.constant(1);
    });
}

TEST_CASE("a body is of the form that its way of running needs") {
    const planned p(layers, "order");
    const auto h = p.slot("H"), y = p.slot("Y");
    const auto b = p.loop_of("Y", 1);
    p.refuses("a sum inside a body", "m[", [&](program_plan& broken) {
        auto& a = assignment(broken, p.slot("m"));
        a.body = broken.values.row(fold::maximum, {b}, a.body);
    });
    p.refuses("a factor that depends on loops", "H[", [&](program_plan& broken) {
        auto& a = assignment(broken, h);
        a.scale = broken.values[a.body].arguments[0];
    });
    const std::string contraction = "a contraction of something else than two tensors";
    p.refuses(contraction, "H[", [&](program_plan& broken) {
        auto& a = assignment(broken, h);
        a.body = broken.values.multiply({a.body, broken.values[a.body].arguments[0]});
    });
    p.refuses(contraction, "H[", [&](program_plan& broken) {
        auto& a = assignment(broken, h);
        a.body = broken.values.add({a.body, broken.values.constant(1)});
    });
    p.refuses(contraction, "H[", [&](program_plan& broken) { assignment(broken, h).scale = {}; });
    p.refuses("a map with factors of a contraction", "Y[", [&](program_plan& broken) {
        assignment(broken, y).scale = broken.values.constant(2);
    });
    p.refuses("a gather of no tensor", "", [&](program_plan& broken) {
        assignment(broken, assignment_kind::gather).body = broken.values.constant(1);
    });
    p.refuses("a scatter of no tensor", "D[", [&](program_plan& broken) {
        assignment(broken, assignment_kind::scatter).body = broken.values.constant(1);
    });
    p.refuses("lookups that scale what was there", "G[",
              [&](program_plan& broken) { assignment(broken, assignment_kind::lookups).beta = 2; });
    p.refuses("lookups that add up at an axis of no result", "G[", [&](program_plan& broken) {
        assignment(broken, assignment_kind::lookups).numbers = {};
    });
    p.refuses("lookups of no tensor", "G[", [&](program_plan& broken) {
        auto& a = assignment(broken, assignment_kind::lookups);
        a.body = broken.values.as_written(opcode::multiply,
                                          {a.body, broken.values.apply(opcode::negate, a.body)});
    });
    p.refuses("a tensor of another type than the result", "H[", [&](program_plan& broken) {
        auto& x = broken.slots[p.slot("X").index()];
        x.is_foreign = true;
        x.own_type = element::f64;
    });
}

TEST_CASE("windows stay within their tensors in every pass") {
    const recorded_program sums = {
        "sums", "P^{ij} = \\sum_{k \\le j} \\exp(x^i y^k)\n m^j = \\max_i P^{ij}", "i=7 j=5 k=5"};
    const with_small_panels small;
    const planned p(sums, "panels");
    const auto window = [](program_plan& of) -> slot& {
        return *std::ranges::find_if(of.slots, [](const slot& s) {
            return s.kind == storage::window && s.window.advance[0] > 0;
        });
    };
    p.refuses("a part beyond the end of its tensor", "t",
              [&](program_plan& broken) { ++window(broken).window.first[0]; });
    p.refuses("a part beyond the end of its tensor", "t",
              [&](program_plan& broken) { ++window(broken).window.advance[0]; });
    p.refuses("a part beyond the end of its tensor", "t",
              [&](program_plan& broken) { ++broken.passes[0].count; });
    p.refuses("a part of another tensor than it says", "t",
              [&](program_plan& broken) { window(broken).strides[0] = 2; });
    p.refuses("passes of steps that there are not", "",
              [&](program_plan& broken) { broken.passes[0].count = 0; });
}

TEST_CASE("what is read has been written, and inputs are not written") {
    const planned p(layers, "order");
    const auto h = p.slot("H"), m = p.slot("m"), y = p.slot("Y");
    const std::string early = "a tensor that is read before it is written";
    p.refuses(early, "m[",
              [&](program_plan& broken) { std::swap(broken.steps[0], broken.steps[1]); });
    p.refuses(early, "H[", [&](program_plan& broken) { assignment(broken, h).beta = 1; });
    p.refuses(early, "H[", [&](program_plan& broken) {
        // The target's own factor: what is added to a product is there before.
        auto& a = assignment(broken, h);
        a.scale = broken.values.load({m, {place{}}});
    });
    p.refuses("an input that is written", "P[",
              [&](program_plan& broken) { assignment(broken, y).target.slot = p.slot("P"); });
    p.refuses("a tile outside its group", "Y[",
              [&](program_plan& broken) { broken.slots[y.index()].kind = storage::tile; });
    p.refuses_steps("a step that touches something else than it says", "Y[",
                    [&](program_plan& broken) {
                        for (auto& s : broken.steps)
                            if (s.as_assign()->target.slot == y) s.effects.erase(s.effects.begin());
                    });
}

}  // namespace ricci::plan
