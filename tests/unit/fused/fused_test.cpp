// Fused groups: what they are formed of, and that they compute what the equations say, for every
// SIMD target, layout, shape and chain between two contractions.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/catch.hpp"
#include "tests/few.hpp"
#include "tests/unit/bound_program.hpp"
#include "tests/unit/fused/chains.hpp"

#include "src/kernels/targets.hpp"

namespace {

using namespace ricci::testing;
using ricci::element;

/// What scores get added or are divided by, and its letter.
struct change {
    const char* body;
    char letter;
};

const change changes[] = {
    {"S^{hij} + B^{hij}", 'B'},   {"S^{hij} + B^{ij}", 'B'}, {"S^{hij} + b_{i-j}", 'b'},
    {"S^{hij} + b^h_{i-j}", 'b'}, {"S^{hij} + p^j", 'p'},    {"S^{hij} - m^h |i - j|", 'm'},
    {"S^{hij} - m |i - j|", 'm'}, {"S^{hij} / T", 'T'},      {"S^{hij} / T^h", 'T'}};

ricci::ir::program with_gradients(const change& by) {
    const auto text =
        scores + "\n" + "A^{hij} = \\operatorname{softmax}_j(" + by.body + ")" + values;
    return program_of(
        gradient_of(bound_program::parsed(text), "O", {"Q", "K", "V", std::string(1, by.letter)}));
}

/// Of types and layouts two pairs are enough where there are to be few: each is in one of them.
bool is_left_out(element type, layout l) {
    return few() && (type == element::f32) != (l == layout::row_major);
}

}  // namespace

TEST_CASE("every chain is fused and right") {
    unsigned seed = 1;
    for (const auto& which : chains())
        for (const element type : {element::f32, element::f64})
            for (const layout l : {layout::row_major, layout::shuffled}) {
                if (is_left_out(type, l)) continue;
                INFO(which.name << " " << ricci::name_of(type));
                CHECK(against_oracle(which, {2, 2, 6, 9, 3, 2}, type, l, seed) == "");
                const double tolerance = type == element::f32 ? 2e-5 : 1e-13;
                CHECK(against_unfused(which, {}, type, l, seed, tolerance) == "");
                CHECK(against_unfused(which, {2, 2, 153, 349, 5, 11}, type, l, seed, tolerance) ==
                      "");
                ++seed;
                bound_program p(which.text, type, seed);
                bind(p, {}, l);
                const auto words = p.prepare().explain();
                INFO(words);
                CHECK(words.find("  fused  O") != std::string::npos);
            }
}

TEST_CASE("every SIMD target computes the same") {
    for (const auto& target : ricci::kernels::supported_targets()) {
        REQUIRE(ricci::kernels::force_target(target));
        unsigned seed = 100;
        for (const auto& which : chains()) {
            INFO(which.name << " on " << target);
            const sizes s{1, 2, 21, 75, 7, 5};
            CHECK(against_unfused(which, s, element::f32, layout::row_major, seed++, 1e-5) == "");
            CHECK(against_unfused(which, s, element::f64, layout::shuffled, seed++, 1e-13) == "");
        }
    }
    ricci::kernels::reset_target();
}

TEST_CASE("few rows, whose products have lanes of their own") {
    const auto counts = few_or<std::vector<std::int64_t>>({1, 4}, {1, 2, 3, 4, 5});
    for (const auto& target : ricci::kernels::supported_targets()) {
        REQUIRE(ricci::kernels::force_target(target));
        unsigned seed = 200;
        for (const auto& which : chains())
            for (const std::int64_t rows : counts) {
                INFO(which.name << " on " << target << ", " << rows << " rows");
                const sizes s{1, 2, rows, 150, 37, 150};
                const auto alike =
                    against_unfused(which, s, element::f32, layout::row_major, seed++, 1e-5);
                CHECK(alike == "");
                CHECK(against_unfused(which, s, element::f64, layout::row_major, seed++, 1e-13) ==
                      "");
                CHECK(against_unfused(which, s, element::f32, layout::shuffled, seed++, 1e-5) ==
                      "");
            }
    }
    ricci::kernels::reset_target();
}

TEST_CASE("gradients whose values fill vectors, on every SIMD target") {
    for (const auto& target : ricci::kernels::supported_targets()) {
        REQUIRE(ricci::kernels::force_target(target));
        unsigned seed = 300;
        for (const auto& which : chains()) {
            INFO(which.name << " on " << target);
            const auto program = with_gradients(which);
            const sizes s{1, 2, 70, 147, 64, 48};
            CHECK(against_unfused(program, s, element::f32, layout::row_major, seed++, 1e-4) == "");
            CHECK(against_unfused(program, s, element::f64, layout::row_major, seed++, 1e-12) ==
                  "");
        }
    }
    ricci::kernels::reset_target();
}

TEST_CASE("a plan says what is fused, and why something is not") {
    const std::string text = scores + "\nA^{hij} = \\operatorname{softmax}_j(S^{hij})" + values;
    bound_program fused(text, element::f32, 1), kept(text, element::f32, 1);
    bind(fused, {}, layout::row_major);
    bind(kept, {}, layout::row_major);
    kept.keep("A");
    const auto words = fused.prepare().explain();
    INFO(words);
    CHECK(words.find("fused  O[h,i,c] = sum of A[h,i,j] V[h,j,c]   batch h=2  rows i=32  columns "
                     "j=48") != std::string::npos);
    CHECK(words.find("not stored: S[h,i,j], A[h,i,j]; 24.58 kB saved") != std::string::npos);
    CHECK(words.find("total: 1 steps") != std::string::npos);
    CHECK(words.find("workspace 0 B") != std::string::npos);
    const auto why = kept.prepare().explain();
    INFO(why);
    CHECK(why.find("  fused  ") == std::string::npos);
    CHECK(why.find("not fused: A is stored: it is an output") != std::string::npos);
}

TEST_CASE("a product that reads one tensor that is not stored along two indices") {
    for (const std::int64_t n : {2, 40}) {
        bound_program p(
            "z^{k} = \\operatorname{softmax}_k(A^{ka} w^a)\n"
            "g = h \\operatorname{mean}_k(\\sum_l z^l z^k)",
            element::f64, 3);
        p.input("A", {n, 4}).input("w", {4}).input("h", {});
        CHECK(p.compare() == "");
    }
}

TEST_CASE("gradients are fused and right") {
    unsigned seed = 500;
    for (const auto& which : chains()) {
        const auto program = with_gradients(which);
        for (const element type : {element::f32, element::f64})
            for (const layout l : {layout::row_major, layout::shuffled}) {
                if (is_left_out(type, l)) continue;
                INFO(which.name << " " << ricci::name_of(type));
                const double tolerance = type == element::f32 ? 1e-4 : 1e-12;
                CHECK(against_unfused(program, {}, type, l, seed++, tolerance) == "");
                CHECK(against_unfused(program, {2, 2, 153, 349, 5, 11}, type, l, seed++,
                                      tolerance) == "");
            }
    }
}

TEST_CASE("gradients by what scores get added or are divided by store no weights") {
    const sizes s{3, 2, 130, 300, 8, 8};
    unsigned seed = 900;
    for (const auto& [body, letter] : changes) {
        const auto program = with_gradients({body, letter});
        bound_program p(ricci::ir::program(program.view()), element::f32, 1);
        bind(p, s, layout::row_major);
        const auto words = p.prepare().explain();
        INFO(body << "\n" << words);
        CHECK(words.find("not fused") == std::string::npos);
        CHECK(words.find("contract  ") == std::string::npos);
        CHECK(against_unfused(program, s, element::f64, layout::shuffled, seed++, 1e-11) == "");
    }
}

TEST_CASE("groups of one tile, whose sums are written at once") {
    for (const auto& target : ricci::kernels::supported_targets()) {
        REQUIRE(ricci::kernels::force_target(target));
        unsigned seed = 1100;
        const auto check = [&](const ricci::ir::program& program, const sizes& s) {
            CHECK(against_unfused(program, s, element::f64, layout::row_major, seed++, 1e-12) ==
                  "");
            CHECK(against_unfused(program, s, element::f64, layout::shuffled, seed++, 1e-12) == "");
        };
        const auto shapes = few_or<std::vector<std::pair<int, int>>>(
            {{5, 5}, {8, 11}}, {{5, 5}, {3, 8}, {8, 3}, {8, 11}, {12, 2}});
        for (const auto& [rows, columns] : shapes) {
            const sizes s{7, 2, rows, columns, 24, 37};
            INFO(target << ", " << rows << " x " << columns);
            for (const auto& which : chains()) {
                INFO(which.name);
                const auto program = with_gradients(which);
                CHECK(against_unfused(program, s, element::f32, layout::row_major, seed++, 1e-4) ==
                      "");
                check(program, s);
            }
            for (const auto& by : changes) {
                INFO(by.body);  // temperatures near 0 leave little of a float
                check(with_gradients(by), s);
            }
        }
    }
    ricci::kernels::reset_target();
}

TEST_CASE("the same bits for any number of threads") {
    for (const auto& which : chains())
        CHECK(differences_between_threads(which, {1, 2, 200, 700, 8, 8}) == "");
}
