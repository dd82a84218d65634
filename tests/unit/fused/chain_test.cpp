// Groups that run together by blocks of rows: which do, and that results are what they are without.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tests/catch.hpp"
#include "tests/few.hpp"
#include "tests/unit/bound_program.hpp"
#include "tests/unit/fused/chains.hpp"

#include "src/kernels/targets.hpp"
#include "src/plan/make_plan.hpp"

namespace {

using namespace ricci::testing;
using ricci::element;

const std::string attention = scores + "\nA^{hij} = \\operatorname{softmax}_j(S^{hij})" + values;

bool is_chained(bound_program& p) {
    return p.prepare().explain().find("together with the next steps") != std::string::npos;
}

bool is_chained(const ricci::ir::program& program, const sizes& s, element type = element::f32) {
    bound_program p(ricci::ir::program(program.view()), type, 1);
    bind(p, s, layout::row_major);
    return is_chained(p);
}

ricci::ir::program gradients(const std::string& text, const std::vector<std::string>& by) {
    return program_of(gradient_of(bound_program::parsed(text), "O", by, true));
}

}  // namespace

TEST_CASE("a softmax and its gradients run together by blocks of rows") {
    // Without a softmax there are no two groups; one row, or two loops of columns, are left as they
    // are.
    const std::set<std::string> apart = {"no softmax",
                                         "normalised by its sum",
                                         "weights without a maximum",
                                         "one query",
                                         "queries that share keys, one place each",
                                         "two column indices"};
    for (const auto& which : chains()) {
        INFO(which.name);
        for (const element type : {element::f32, element::f64})
            CHECK(is_chained(with_gradients(which), {2, 2, 153, 349, 5, 11}, type) ==
                  !apart.contains(which.name));
    }
    const auto program = with_gradients({"plain", attention});
    CHECK_FALSE(is_chained(program, {2, 2, 5, 349, 5, 11}));  // one tile of rows
    CHECK(is_chained(program, {2, 2, 153, 100, 5, 11}));      // one tile of columns
    CHECK_FALSE(
        is_chained(program, {1, 1, 100, 70000, 8, 8}));  // more sums over rows than are kept
}

TEST_CASE("a chained step holds its two groups and the sums between them") {
    const auto program = with_gradients({"plain", attention});
    bound_program p(ricci::ir::program(program.view()), element::f32, 1);
    bind(p, {2, 2, 153, 349, 5, 11}, layout::row_major);
    const auto made = ricci::plan::make_plan(p.request());
    const ricci::plan::chained_step* chained = nullptr;
    std::size_t groups = 0;
    for (const auto& step : made.compiled) {
        if (const auto* found = std::get_if<ricci::plan::chained_step>(&step)) chained = found;
        if (std::holds_alternative<ricci::plan::fused_step>(step)) ++groups;
    }
    REQUIRE(chained != nullptr);
    CHECK(groups == 0);
    const auto sums = chained->between.size();
    CHECK(sums == 1);  // of the weights times their gradients, over each row
    CHECK(chained->operands.size() == 3 * sums);
    for (const auto& sum : chained->between) {
        CHECK(sum.alone.folding == ricci::steps::fold::sum);
        CHECK(sum.uses.size() == 3);
    }
    CHECK(!chained->first.group.consumers.empty());
    CHECK(!chained->second.group.consumers.empty());
    CHECK(!chained->kept.empty());
}

TEST_CASE("blocks of rows of any number, on every SIMD target") {
    for (const auto& target : ricci::kernels::supported_targets()) {
        REQUIRE(ricci::kernels::force_target(target));
        unsigned seed = 2000;
        for (const auto& which : chains())
            // Batches that are tasks of their own, and rows that are cut into tasks; the last tile
            // of rows may be narrow.
            for (const sizes& s : {sizes{17, 2, 99, 130, 16, 8}, sizes{1, 2, 241, 200, 8, 16},
                                   sizes{1, 2, 450, 290, 3, 7}}) {
                const bool often = s.h == 17 && which.name != std::string("groups of heads");
                if ((often && seed % 3 != 0) || (few() && (seed + seed / 3) % 3 != 0)) {
                    ++seed;
                    continue;
                }
                INFO(which.name << " on " << target << ", " << s.i << " x " << s.j);
                const auto l = seed % 2 == 0 ? layout::row_major : layout::shuffled;
                const bool single = seed % 4 < 2;
                CHECK(against_unfused(with_gradients(which), s,
                                      single ? element::f32 : element::f64, l, seed,
                                      single ? 2e-4 : 1e-11) == "");
                ++seed;
            }
    }
    ricci::kernels::reset_target();
}

TEST_CASE("blocks of rows give the same bits for any number of threads") {
    for (const auto& which : chains())
        for (const sizes& s : {sizes{1, 2, 600, 260, 8, 8}, sizes{20, 1, 100, 140, 4, 4}})
            if (s.h == 1 || which.name == std::string("causal"))
                CHECK(differences_between_threads(which, s) == "");
}

// Rows that see nothing, and lanes that are left out, have kept products all the same.
TEST_CASE("kept products of masks that only the run knows") {
    const std::string text = scores + R"(
        M^{hij} = \begin{cases} S^{hij} & \text{if } j < n^{h} \\ -\infty & \text{otherwise} \end{cases}
        A^{hij} = \operatorname{softmax}_j(M^{hij}))" +
                             values;
    const auto program = gradients(text, {"Q", "K", "V"});
    for (unsigned seed = 1; seed < 9; ++seed) {
        const sizes s{5, 1, 60 + 17 * seed, 140 + 31 * seed, 6, 9};
        CHECK(is_chained(program, s));
        CHECK(against_unfused(program, s, element::f64, layout::row_major, seed, 1e-12) == "");
    }
}

TEST_CASE("steps between two groups move out of their way") {
    const sizes s{2, 2, 100, 150, 8, 8};
    // Y needs O; its gradient by O, which the second group reads, needs nothing of the first.
    const std::string layer = attention + "\nY^{id} = O^{hic} W^{hcd}";
    const auto program =
        program_of(gradient_of(bound_program::parsed(layer), "Y", {"Q", "K", "V", "W"}, true));
    CHECK(is_chained(program, s));
    CHECK(against_unfused(program, s, element::f64, layout::shuffled, 1, 1e-11) == "");
    // The gradient by O needs O: the second group has to wait for more than its own rows.
    const std::string squared = attention + "\nL = (\\sum_{h i c} (O^{hic})^2)^2";
    const auto loss =
        program_of(gradient_of(bound_program::parsed(squared), "L", {"Q", "K", "V"}, true));
    CHECK_FALSE(is_chained(loss, s));
    CHECK(against_unfused(loss, s, element::f64, layout::shuffled, 2, 1e-10) == "");
}

TEST_CASE("results on the memory of what was read are written after all of it") {
    const sizes s{1, 1, 100, 150, 8, 8};
    const auto program = with_gradients({"plain", attention});
    bound_program want(ricci::ir::program(program.view()), element::f64, 3);
    bind(want, s, layout::row_major);
    want.prepare().run();
    bound_program p(ricci::ir::program(program.view()), element::f64, 3);
    bind(p, s, layout::row_major);
    // The gradient by Q takes the place of Q.
    const auto q = p.name("Q");
    ricci::ir::ref gradient = ricci::ir::none;
    for (const auto output : want.output_names()) {
        const auto text = p.view().name(output);
        if (std::string(text.begin(), text.end()).find("Q") != std::string::npos) gradient = output;
    }
    REQUIRE(gradient != ricci::ir::none);
    auto& memory = p.operand(q);
    const auto text = p.view().name(gradient);
    p.output(std::string(text.begin(), text.end()), memory);
    CHECK_FALSE(is_chained(p));
    p.prepare().run();
    const auto got = memory.values(), expected = want.result(gradient).values();
    long double error = 0;
    for (std::size_t k = 0; k < expected.values.size(); ++k)
        error = std::max(error, std::abs(got.values[k] - expected.values[k]));
    CHECK(error < 1e-14L);
}
