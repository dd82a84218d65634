// Fused groups at the edges of masks, where some vectors of lanes need fewer columns than others:
// which lanes are made, that sums are right without the rest, and that nothing of it gets out.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/catch.hpp"
#include "tests/few.hpp"
#include "tests/unit/bound_program.hpp"
#include "tests/unit/fused/chains.hpp"

#include "src/kernels/targets.hpp"
#include "src/fused/lane_steps.hpp"

namespace {

using namespace ricci::testing;
using ricci::element;
using ricci::fused::find_steps;
using ricci::fused::tile_range;

/// The steps of a range, where a part of it counts if any of its elements does; "0-16:0-3 ...".
template <class Seen>
std::string steps_of(const tile_range& range, std::int64_t lanes, Seen seen) {
    const auto counts = [&](const tile_range& part) {
        for (std::int64_t i = part.row; i < part.row_end; ++i)
            for (std::int64_t j = part.column; j < part.column_end; ++j)
                if (seen(i, j)) return true;
        return false;
    };
    std::string words;
    for (const auto& s : find_steps(range, lanes, counts))
        words += std::to_string(s.column) + "-" + std::to_string(s.column_end) + ":" +
                 std::to_string(s.first_vector) + "-" + std::to_string(s.last_vector) + " ";
    return words;
}

struct mask {
    const char* name;
    const char* condition;
};

const mask masks[] = {
    {"causal", "j \\le i"},
    {"later keys only", "j > i"},
    {"a part of the earlier keys", "j < i - 21"},
    {"window", "j \\le i \\land i - j < 75"},
    {"narrow window", "|i - j| < 9"},
    {"window on both sides", "|i - j| < 40"},
    {"blocks", "i - i \\bmod 32 = j - j \\bmod 32"},
    {"blocks that fill no vectors", "i - i \\bmod 20 = j - j \\bmod 20"},
    {"strided", "(i - j) \\bmod 64 < 7"},
    {"every third", "j \\bmod 3 = i \\bmod 3"},
    {"all but a hole", "j < 16 \\lor j \\ge 48 \\lor i > 100"},
    {"anti-diagonal", "i + j < 90"},
};

const std::pair<std::int64_t, std::int64_t> shapes[] = {
    {48, 48}, {100, 100}, {131, 97}, {70, 260}, {210, 64}};

/// Softmax of masked scores, which get two tensors added.
std::string softmax_of(const mask& m) {
    return scores + "\nM^{hij} = \\begin{cases} S^{hij} + B^{hij} + b_{i-j} & \\text{if } " +
           m.condition +
           " \\\\ -\\infty & \\text{otherwise} \\end{cases}\n"
           "A^{hij} = \\operatorname{softmax}_j(M^{hij})" +
           values;
}

/// No softmax: what is masked is 0.
std::string bracket_of(const mask& m) {
    return "S^{hij} = Q^{hia} K^{hja} + B^{hij} + b_{i-j}\nM^{hij} = [" + std::string(m.condition) +
           "] \\tanh(S^{hij})\nO^{hic} = M^{hij} V^{hjc}";
}

/// The same masked after the softmax, whose weights are made again for the gradients.
std::string masked_weights_of(const mask& m) {
    return scores + "\nA^{hij} = [" + m.condition +
           "] \\operatorname{softmax}_j(S^{hij} + B^{hij} + b_{i-j})" + values;
}

ricci::ir::program gradients_of(const std::string& text) {
    return program_of(
        gradient_of(bound_program::parsed(text), "O", {"Q", "K", "V", "B", "b"}, true));
}

}  // namespace

TEST_CASE("steps at the edge of a mask") {
    const auto causal = [](std::int64_t i, std::int64_t j) { return j <= i; };
    CHECK(steps_of({0, 48, 0, 48}, 16, causal) == "0-16:0-3 16-32:1-3 32-48:2-3 ");
    CHECK(steps_of({96, 144, 80, 144}, 16, causal) == "80-112:0-3 112-128:1-3 128-144:2-3 ");
    // Rows that do not exist do not count.
    CHECK(steps_of({48, 75, 48, 75}, 16, causal) == "48-64:0-2 64-75:1-2 ");
    // Lanes of 8 have steps of 16 columns all the same.
    CHECK(steps_of({0, 32, 0, 32}, 8, causal) == "0-16:0-4 16-32:2-4 ");
    const auto window = [](std::int64_t i, std::int64_t j) { return j <= i && i - j < 32; };
    CHECK(steps_of({0, 48, 0, 48}, 16, window) == "0-16:0-3 16-32:1-3 32-48:2-3 ");
    CHECK(steps_of({48, 96, 16, 80}, 16, window) == "16-32:0-1 32-48:0-2 48-64:0-3 64-80:1-3 ");
    // Columns that no row needs are in no step; vectors between two that count are.
    CHECK(steps_of({0, 48, 0, 64}, 16, [](std::int64_t i, std::int64_t j) {
              return (j < 16 || j >= 48) && (i < 3 || i > 40);
          }) == "0-16:0-3 48-64:0-3 ");
    // Everything counts, or nearly everything.
    CHECK(steps_of({0, 48, 0, 128}, 16, [](std::int64_t, std::int64_t) { return true; }) == "");
    CHECK(steps_of({0, 48, 0, 48}, 16,
                   [](std::int64_t i, std::int64_t j) { return (i + j) % 3 == 0; }) == "");
    CHECK(steps_of({0, 48, 0, 20}, 16,
                   [](std::int64_t i, std::int64_t j) { return j < 16 || i >= 16; }) == "");
}

TEST_CASE("masked groups and their gradients, on every SIMD target") {
    for (const auto& target : ricci::kernels::supported_targets()) {
        REQUIRE(ricci::kernels::force_target(target));
        unsigned seed = 40;
        for (const auto& m : masks)
            for (const auto& text : {softmax_of(m), bracket_of(m), masked_weights_of(m)}) {
                const auto program = gradients_of(text);
                for (const auto& [rows, columns] : shapes) {
                    ++seed;
                    if (few() && seed % 7 > 2) continue;
                    INFO(target << ", " << m.name << ", " << rows << " x " << columns << "\n"
                                << text);
                    const sizes s{1, 2, rows, columns, 17, 36};
                    const auto l = seed % 2 == 0 ? layout::row_major : layout::shuffled;
                    if (seed % 3 == 0) {
                        CHECK(against_unfused(program, s, element::f32, l, seed, 1e-4) == "");
                    } else {
                        CHECK(against_unfused(program, s, element::f64, l, seed, 1e-12) == "");
                    }
                }
            }
    }
    ricci::kernels::reset_target();
}

TEST_CASE("masked groups give the same bits for any number of threads") {
    for (const auto& m : masks)
        CHECK(differences_between_threads({m.name, softmax_of(m)}, {1, 2, 200, 300, 17, 36}) == "");
}

// Lanes that are left out hold what an earlier tile had: here NaN, of a key that later rows see.
// Rows are made from the last one to the first.
TEST_CASE("rows do not get what is hidden from them, be it NaN") {
    const std::int64_t n = 150, bad = 53;
    for (const auto& target : ricci::kernels::supported_targets()) {
        REQUIRE(ricci::kernels::force_target(target));
        for (const element type : {element::f32, element::f64}) {
            INFO(target << " " << ricci::name_of(type));
            const auto run = [&](double key) {
                bound_program p(softmax_of(masks[0]) + "\nm^{hi} = A^{hij} p^{j}", type, 5);
                p.input("Q", {1, n, 17}, layout::row_major)
                    .input("K", {1, n, 17}, layout::row_major);
                p.input("V", {1, n, 36}, layout::row_major)
                    .input("B", {1, n, n}, layout::row_major);
                p.input("b", {n}, layout::row_major).input("p", {n}, layout::row_major);
                auto& k = p.operand(p.name("K"));
                if (key != 0) k.set(bad * 17 + 3, key);
                p.prepare().run();
                return std::pair{p.result(p.name("O")).values().values,
                                 p.result(p.name("m")).values().values};
            };
            const auto want = run(0);
            for (const double key : {std::numeric_limits<double>::quiet_NaN(),
                                     std::numeric_limits<double>::infinity()}) {
                const auto got = run(key);
                const auto same = [&](const auto& x, const auto& y, std::int64_t count) {
                    return std::equal(x.begin(), x.begin() + count, y.begin());
                };
                CHECK(same(got.first, want.first, bad * 36));
                CHECK(same(got.second, want.second, bad));
                const auto seen = static_cast<std::size_t>(bad * 36);
                CHECK(got.first[seen] != want.first[seen]);
            }
        }
    }
    ricci::kernels::reset_target();
}
