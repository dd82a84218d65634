// Contractions that run together because they have an operand in common: which do, the right values, the
// same bits as one after another, on any number of threads.
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <ricci/prepared.hpp>

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
    R^{ic}  = X^{ib} V^{bc})";

bound_program bind_projections(element type, layout l, unsigned seed) {
    bound_program p(projections, type, seed);
    p.input("X", {230, 71}, l).input("U", {3, 71, 21}, l).input("T", {3, 71, 21}, l);
    p.input("V", {71, 130}, l);
    return p;
}

// The bytes of every output, computed on so many threads.
std::vector<std::vector<std::byte>> run_on(bound_program& p, int count) {
    ricci::threads(count);
    p.prepare().run();
    ricci::threads(0);
    std::vector<std::vector<std::byte>> result;
    for (const auto name : p.output_names()) result.push_back(p.result(name).bytes);
    return result;
}

}  // namespace

TEST_CASE("projections of one input pack it once", "[join]") {
    for (const element type : {element::f32, element::f64, element::b16, element::i32}) {
        auto p = bind_projections(type, layout::row_major, 3);
        INFO(p.prepare().explain());
        CHECK(joins(p.prepare().explain(), 3));
    }
    for (const element type : {element::f32, element::f64, element::c32, element::c64}) {
        auto p = bind_projections(type, layout::row_major, 3);
        CHECK(p.compare(type == element::c32 ? 2e-4 : 0, 2) == "");
    }
    for (unsigned seed = 0; seed < 12; ++seed) {
        auto p = bind_projections(element::f64, layout::shuffled, seed);
        CHECK(p.compare() == "");
    }
}

TEST_CASE("contractions that run together give the bits of each alone, on any number of threads",
          "[join]") {
    for (const element type : {element::f32, element::f64, element::b16, element::c32}) {
        auto p = bind_projections(type, layout::row_major, 5);
        const auto one = run_on(p, 1);
        CHECK(one == run_on(p, 2));
        CHECK(one == run_on(p, 5));
        const std::pair<const char*, const char*> alone[] = {
            {"P^{hia} = X^{ib} U^{hba}", "U"},
            {"Q^{hja} = 2 T^{hba} X^{jb}", "T"},
            {"R^{ic}  = X^{ib} V^{bc}", "V"},
        };
        for (std::size_t k = 0; k < one.size(); ++k) {
            bound_program single(alone[k].first, type, 5);
            single.input("X", p.operand(p.name("X")));
            single.input(alone[k].second, p.operand(p.name(alone[k].second)));
            CHECK(run_on(single, 1).at(0) == one[k]);
        }
    }
}

TEST_CASE("batches, long sums and several blocks of them run together", "[join]") {
    bound_program p(R"(
        P^{bij} = X^{bik} U^{bkj}
        Q^{bij} = X^{bik} V^{bkj})",
                    element::f64, 1);
    p.input("X", {2, 210, 900}, layout::row_major);
    p.input("U", {2, 900, 60}, layout::row_major).input("V", {2, 900, 31}, layout::row_major);
    CHECK(joins(p.prepare().explain(), 2));
    CHECK(p.compare() == "");
}

TEST_CASE("old values count, and a contraction that needs another's result waits", "[join]") {
    auto scaled = bind_projections(element::f64, layout::row_major, 7);
    scaled.output("P", {3, 230, 21}).output("Q", {3, 230, 21}).output("R", {230, 130});
    scaled.alpha = 0.5, scaled.beta = -2;
    CHECK(scaled.compare() == "");

    bound_program chained(R"(
        P^{ij} = X^{ik} U^{kj}
        Q^{ij} = X^{ik} P^{kj}
        R^{ij} = X^{ik} V^{kj})",
                          element::f64, 2);
    chained.input("X", {220, 220}, layout::row_major).input("U", {220, 40}, layout::row_major);
    chained.input("V", {220, 30}, layout::row_major);
    chained.keep("P").keep("Q");
    CHECK(joins(chained.prepare().explain(), 2));  // Q and R
    CHECK(chained.compare() == "");
}

TEST_CASE("a result in the memory of an operand of another contraction waits", "[join]") {
    bound_program p(R"(
        P^{ij} = X^{ik} U^{kj}
        Q^{ij} = X^{ik} V^{kj})",
                    element::f64, 4);
    p.input("X", {220, 220}, layout::row_major).input("V", {220, 220}, layout::row_major);
    auto& u = p.allocate({220, 220}, layout::row_major);
    p.input("U", u).output("Q", u);
    const auto words = p.prepare().explain();
    INFO(words);
    CHECK(words.find(together) == std::string::npos);
    CHECK(p.compare() == "");
}

TEST_CASE("intermediates of contractions that run together do not share memory", "[join]") {
    // W is not needed after the first of them, and R would fit into its place.
    bound_program p(R"(
        W^{kj} = \sin(U^{kj})
        P^{ij} = X^{ik} W^{kj}
        R^{ij} = X^{ik} V^{kj}
        Y^{ij} = P^{ij} \exp(R^{ij}))",
                    element::f64, 9);
    p.input("X", {220, 220}, layout::row_major).input("U", {220, 220}, layout::row_major);
    p.input("V", {220, 220}, layout::row_major);
    p.fuse = false;
    INFO(p.prepare().explain());
    CHECK(joins(p.prepare().explain(), 2));
    CHECK(p.compare(0, 2) == "");
}
