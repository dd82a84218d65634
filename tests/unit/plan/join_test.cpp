// Contractions that run together because they have an operand in common: which do, the right
// values, the same bits as one after another, on any number of threads.
#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <ricci/prepared.hpp>

#include "src/plan/make_plan.hpp"
#include "tests/catch.hpp"
#include "tests/unit/bound_program.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

const std::string together = "packed once for ";

bool joins(const std::string& words, int count) {
    return words.find(together + std::to_string(count) + " contractions") != std::string::npos;
}

constexpr auto projections = R"(
    P^{hia} = X^{ib} U^{hba}
    Q^{hja} = 2 T^{hba} X^{jb}
    R^{ic}  = X^{ib} V^{cb})";

// Nine panels of columns and more on every CPU, which leave no rows where they lie, and more rows
// than one tile has, which would pack B for itself.
bound_program bind_projections(element type, layout l, unsigned seed) {
    bound_program p(projections, type, seed);
    p.input("X", {300, 6}, l).input("U", {2, 6, 225}, l).input("T", {2, 6, 225}, l);
    p.input("V", {449, 6}, l);
    return p;
}

using bytes = guarded_memory;

// The bytes of every output, computed on so many threads.
std::vector<bytes> run_on(bound_program& p, int count) {
    ricci::threads(count);
    p.prepare().run();
    ricci::threads(0);
    std::vector<bytes> result;
    for (const auto name : p.output_names()) result.push_back(p.result(name).bytes);
    return result;
}

// The bytes of what one equation gives, by itself.
bytes alone(const std::string& text, const std::vector<std::pair<std::string, memory*>>& inputs) {
    bound_program p(text, inputs[0].second->type, 0);
    for (const auto& [name, at] : inputs) p.input(name, *at);
    return run_on(p, 1).at(0);
}

memory& operand(bound_program& p, const char* name) { return p.operand(p.name(name)); }
const bytes& result(bound_program& p, const char* name) { return p.result(p.name(name)).bytes; }

}  // namespace

TEST_CASE("projections of one input pack it once", "[join]") {
    for (const element type : {element::f32, element::f64, element::bf16, element::i32}) {
        auto p = bind_projections(type, layout::row_major, 3);
        INFO(p.prepare().explain());
        CHECK(joins(p.prepare().explain(), 3));
    }
    auto p = bind_projections(element::f64, layout::row_major, 3);
    CHECK(p.compare() == "");
    auto q = bind_projections(element::f32, layout::shuffled, 4);
    CHECK(q.compare() == "");
}

TEST_CASE("a joined step holds its contractions and what they have in common", "[join]") {
    bound_program p = bind_projections(element::f32, layout::row_major, 3);
    const plan::program_plan made = plan::make_plan(p.request());
    REQUIRE(made.compiled.size() == 1);
    const auto* joined = std::get_if<plan::joined_step>(&made.compiled[0]);
    REQUIRE(joined != nullptr);
    REQUIRE(joined->parts.size() == 3);
    const plan::slot_number x = plan::slot_of_name(p.name("X"));
    std::vector<plan::slot_number> written;
    for (const auto& part : joined->parts) {
        const bool first = part.common == plan::shared_operand::a;
        CHECK((first ? part.what.a.slot : part.what.b.slot) == x);
        written.push_back(part.what.c.slot);
    }
    for (const char* name : {"P", "Q", "R"})
        CHECK(std::count(written.begin(), written.end(), plan::slot_of_name(p.name(name))) == 1);
    // Whoever visits the parts of all steps meets each of them.
    std::size_t visited = 0;
    plan::for_each_part(made.compiled[0], [&](const auto&) { ++visited; });
    CHECK(visited == 3);
}

TEST_CASE("contractions that run together give the bits of each alone, on any number of threads",
          "[join]") {
    for (const element type : {element::f32, element::f64, element::bf16, element::c64}) {
        auto p = bind_projections(type, layout::row_major, 5);
        const auto one = run_on(p, 1);
        CHECK(one == run_on(p, 2));
        CHECK(one == run_on(p, 5));
        auto* const x = &operand(p, "X");
        CHECK(alone("P^{hia} = X^{ib} U^{hba}", {{"X", x}, {"U", &operand(p, "U")}}) ==
              result(p, "P"));
        CHECK(alone("Q^{hja} = 2 T^{hba} X^{jb}", {{"X", x}, {"T", &operand(p, "T")}}) ==
              result(p, "Q"));
        CHECK(alone("R^{ic} = X^{ib} V^{cb}", {{"X", x}, {"V", &operand(p, "V")}}) ==
              result(p, "R"));
    }
}

TEST_CASE("batches, long sums and several blocks of them run together", "[join]") {
    bound_program p(R"(
        P^{bij} = X^{bik} U^{bkj}
        Q^{bij} = X^{bik} V^{bkj})",
                    element::f64, 1);
    p.input("X", {2, 242, 700}, layout::row_major);
    p.input("U", {2, 700, 240}, layout::row_major).input("V", {2, 700, 225}, layout::row_major);
    CHECK(joins(p.prepare().explain(), 2));
    run_on(p, 2);
    auto* const x = &operand(p, "X");
    CHECK(alone("P^{bij} = X^{bik} U^{bkj}", {{"X", x}, {"U", &operand(p, "U")}}) ==
          result(p, "P"));
    CHECK(alone("Q^{bij} = X^{bik} V^{bkj}", {{"X", x}, {"V", &operand(p, "V")}}) ==
          result(p, "Q"));
}

TEST_CASE("old values count, and a contraction that needs another's result waits", "[join]") {
    auto scaled = bind_projections(element::f64, layout::row_major, 7);
    scaled.output("P", {2, 300, 225}).output("Q", {2, 300, 225}).output("R", {300, 449});
    scaled.alpha = 0.5, scaled.beta = -2;
    CHECK(scaled.compare() == "");

    bound_program p(R"(
        P^{ij} = X^{ik} U^{kj}
        Q^{ij} = X^{ik} P^{kj}
        R^{ij} = X^{ik} V^{kj})",
                    element::f64, 2);
    p.input("X", {300, 300}, layout::row_major).input("U", {300, 230}, layout::row_major);
    p.input("V", {300, 225}, layout::row_major);
    p.keep("P").keep("Q");
    CHECK(joins(p.prepare().explain(), 2));  // Q and R
    run_on(p, 2);
    auto* const x = &operand(p, "X");
    CHECK(alone("P^{ij} = X^{ik} U^{kj}", {{"X", x}, {"U", &operand(p, "U")}}) == result(p, "P"));
    CHECK(alone("Q^{ij} = X^{ik} P^{kj}", {{"X", x}, {"P", &p.result(p.name("P"))}}) ==
          result(p, "Q"));
    CHECK(alone("R^{ij} = X^{ik} V^{kj}", {{"X", x}, {"V", &operand(p, "V")}}) == result(p, "R"));
}

TEST_CASE("a result in the memory of an operand of another contraction waits", "[join]") {
    bound_program p(R"(
        P^{ij} = X^{ik} U^{kj}
        Q^{ij} = X^{ik} V^{kj})",
                    element::f64, 4);
    p.input("X", {300, 300}, layout::row_major).input("V", {300, 230}, layout::row_major);
    auto& u = p.allocate({300, 230}, layout::row_major);
    p.input("U", u).output("Q", u);
    memory before = u;
    INFO(p.prepare().explain());
    CHECK(p.prepare().explain().find(together) == std::string::npos);
    run_on(p, 2);
    auto* const x = &operand(p, "X");
    CHECK(alone("P^{ij} = X^{ik} U^{kj}", {{"X", x}, {"U", &before}}) == result(p, "P"));
    CHECK(alone("Q^{ij} = X^{ik} V^{kj}", {{"X", x}, {"V", &operand(p, "V")}}) == result(p, "Q"));
}

TEST_CASE("intermediates of contractions that run together do not share memory", "[join]") {
    // W is not needed after the first of them, and R would fit into its place.
    bound_program p(R"(
        W^{kj} = \sin(U^{kj})
        P^{ij} = X^{ik} W^{kj}
        R^{ij} = X^{ik} V^{kj}
        Y^{ij} = P^{ij} R^{ij})",
                    element::f64, 9);
    p.input("X", {300, 300}, layout::row_major).input("U", {300, 230}, layout::row_major);
    p.input("V", {300, 230}, layout::row_major);
    p.fuse = false;
    INFO(p.prepare().explain());
    CHECK(joins(p.prepare().explain(), 2));
    run_on(p, 2);
    bound_program one(R"(
        W^{kj} = \sin(U^{kj})
        P^{ij} = X^{ik} W^{kj})",
                      element::f64, 0);
    one.input("X", operand(p, "X")).input("U", operand(p, "U"));
    one.fuse = false;
    run_on(one, 1);
    memory& first = one.result(one.name("P"));
    memory second = first;
    second.bytes =
        alone("R^{ij} = X^{ik} V^{kj}", {{"X", &operand(p, "X")}, {"V", &operand(p, "V")}});
    CHECK(alone("Y^{ij} = P^{ij} R^{ij}", {{"P", &first}, {"R", &second}}) == result(p, "Y"));
}
