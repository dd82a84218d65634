// The verifier of programs: all recorded programs keep their invariants after every pass that
// rewrites them, and a program that breaks one of them is refused.
#include <stdexcept>
#include <string>

#include "src/plan/make_plan.hpp"
#include "src/plan/verify/verify_program.hpp"
#include "tests/catch.hpp"
#include "tests/unit/plan/recorded/bound_case.hpp"

namespace ricci::plan {
namespace {

using namespace ricci::testing;

const recorded_program two_equations = {
    "two equations",
    "H^{ib} = X^{ia} W^{ab}\nY^{ib} = \\tanh(H^{ib}) + T^{2b+1}",
    "i=8 a=5 b=6",
    "T 16",
    "",
    "H"};

ir::program program_of(const recorded_program& which) {
    bound_case bound(which);
    ir::program found;
    make_plan(bound.request(),
              [&](const char* pass, const ir::program_view& program, const program_plan*) {
                  if (std::string(pass) == "bind") found = ir::program(program);
              });
    return found;
}

/// Breaks a copy by `change`, and checks that the verifier says `words`.
template <class F>
void refuses(const std::string& words, F change) {
    ir::program broken = program_of(two_equations);
    CHECK_NOTHROW(verify_program(broken, "pass"));
    change(broken);
    CHECK_THROWS_WITH(verify_program(broken, "pass"),
                      Contains("after pass: " + words) && Contains("equation"));
}

/// The node of the tensor's first use on a right side.
ir::node& use_of(ir::program& p, const char* name) {
    for (ir::node& x : p.nodes)
        if (x.kind == ir::op::tensor && p.name(x.name) == detail::text_view(name)) return x;
    throw std::logic_error("nothing reads it");
}

}  // namespace

TEST_CASE("recorded programs keep their invariants") {
    int programs = 0;
    for (const auto& which : recorded_programs()) {
        INFO(which.name);
        bound_case bound(which);
        make_plan(bound.request(),
                  [&](const char* pass, const ir::program_view& program, const program_plan* plan) {
                      if (plan != nullptr) return;
                      ++programs;
                      CHECK_NOTHROW(verify_program(program, pass));
                  });
    }
    CHECK(programs > 400);
}

TEST_CASE("a program that breaks an invariant is refused") {
    refuses("a tensor that is read before it is defined",
            [](ir::program& p) { std::swap(p.equations[0], p.equations[1]); });
    refuses("a tensor that is defined twice",
            [](ir::program& p) { p.equations.push(p.equations[0]); });
    refuses("a tensor of two ranks", [](ir::program& p) { use_of(p, "H").positions.count = 1; });
    refuses("an index that is neither on the left nor summed",
            [](ir::program& p) { --p.equations[1].positions.count; });
    refuses("a name that there is not",
            [](ir::program& p) { use_of(p, "X").name = p.names.size(); });
    refuses("an index that there is not", [](ir::program& p) {
        p.positions[use_of(p, "X").positions.first].index = p.indices.size();
    });
    refuses("a position that there is not",
            [](ir::program& p) { use_of(p, "X").positions.first = p.positions.size(); });
    refuses("an expression that there is not",
            [](ir::program& p) { p.equations[1].body = p.nodes.size(); });
}

}  // namespace ricci::plan
