// What a plan says of itself, and how it decides in which way an assignment runs.
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <ricci/ricci.hpp>

#include "src/kernels/gemm/gemm.hpp"
#include "src/plan/code/classify.hpp"
#include "tests/catch.hpp"
#include "tests/unit/attention.hpp"
#include "tests/unit/bound_program.hpp"

using namespace ricci;
using testing::attention;
using testing::bound_program;
using testing::Contains;
using testing::layout;
using testing::shape;

namespace {

/// C^{mn} = A^{mk} B^{nk}, or A^{km} B^{kn}: rows of both lie next to each other, or columns do.
enum class lies { rows, columns };
plan::contraction_step product(std::int64_t m, std::int64_t n, std::int64_t k, lies how) {
    const bool rows = how == lies::rows;
    plan::contraction_step c;
    c.m = {{m, rows ? k : 1, 0, n}};
    c.n = {{n, 0, rows ? k : 1, 1}};
    c.k = {{k, rows ? 1 : m, rows ? 1 : n, 0}};
    return c;
}

plan::way taken(const plan::contraction_step& c, element type = element::f32) {
    return plan::classify(c, type).taken.how;
}

/// The way that an explained plan names first.
std::string way_in(const std::string& text,
                   const std::vector<std::pair<std::string, shape>>& inputs,
                   element type = element::f32) {
    bound_program p(text, type, 3);
    for (const auto& [name, extents] : inputs) p.input(name, extents);
    const std::string words = p.prepare().explain();
    INFO(words);
    const auto end = words.find(" nominal cycles");
    REQUIRE(end != std::string::npos);
    const auto line = words.rfind('\n', end) + 1;
    const auto from = words.find_first_not_of(' ', line);
    return words.substr(from, words.find(',', from) - from);
}

}  // namespace

TEST_CASE("a plan explains itself") {
    bound_program p(attention, element::f32, 7);
    p.input("X", {9, 12})
        .input("W_Q", {2, 12, 5})
        .input("W_K", {2, 12, 5})
        .input("W_V", {2, 12, 6});
    p.input("W_O", {2, 6, 12}).number("d_k", 4);
    p.fuse = false;
    const auto words = p.prepare().explain();
    INFO(words);
    CHECK_THAT(words, Contains("contract  Q[h,i,a] = X[i,b] W_Q[h,b,a]"));
    CHECK_THAT(words, Contains("= 0.5 Q[h,i,a] K[h,j,a]"));
    CHECK_THAT(words, Contains("softmax over j=9"));
    CHECK_THAT(words, Contains("total: 7 steps"));
    CHECK_THAT(words, Contains("workspace"));
}

TEST_CASE("a plan names products whose vectors run along the batches") {
    bound_program inside("C^{mnb} = A^{mkb} B^{knb}", element::f32, 8);
    inside.input("A", {6, 7, 64}).input("B", {7, 5, 64});
    const auto lanes = inside.prepare().explain();
    INFO(lanes);
    CHECK_THAT(lanes,
               Contains("lanes: a batch in each, " +
                        std::to_string(kernels::gemm_kernels<float>().lanes) + " at a time"));
    bound_program outside("C^{bmn} = A^{bmk} B^{bkn}", element::f32, 8);
    outside.input("A", {64, 6, 7}).input("B", {64, 7, 5});
    CHECK_THAT(outside.prepare().explain(), !Contains("lanes: "));
}

TEST_CASE("few results of long rows are folded, others are contracted") {
    using plan::way;
    CHECK(taken(product(2, 2, 1000, lies::rows)) == way::fold);
    CHECK(taken(product(4, 4, 1000, lies::rows)) == way::fold);
    CHECK(taken(product(16, 16, 1000, lies::rows)) == way::contract);
    CHECK(taken(product(3, 3, 64, lies::rows)) == way::contract);
    CHECK(taken(product(2, 2, 1000, lies::columns)) == way::contract);
    // Past the caches every product reads memory again.
    CHECK(taken(product(2, 2, 1000000, lies::rows)) == way::fold);
    CHECK(taken(product(4, 4, 1000000, lies::rows), element::f64) == way::contract);

    const auto both = plan::classify(product(2, 2, 1000, lies::rows), element::f32);
    REQUIRE(both.runner_up);
    CHECK(both.runner_up->how == way::contract);
    CHECK(both.runner_up->cycles > both.taken.cycles);
    const auto large = plan::classify(product(64, 64, 64, lies::rows), element::f32);
    REQUIRE(large.runner_up);
    CHECK(large.runner_up->how == way::fold);
}

TEST_CASE("a contraction that adds, scales or conjugates is no fold") {
    using plan::way;
    const auto like = [](auto change) {
        auto c = product(2, 2, 1000, lies::rows);
        change(c);
        return plan::classify(c, element::c64);
    };
    for (const auto& made :
         {like([](auto& c) { c.beta = 1; }), like([](auto& c) { c.alpha.value = 2; }),
          like([](auto& c) { c.b.conjugated = true; }), like([](auto& c) { c.k[0].extent = 0; }),
          like([](auto& c) { c.m[0].extent = 1; })}) {
        CHECK(made.taken.how == way::contract);
        CHECK_FALSE(made.runner_up);
    }
}

TEST_CASE("a plan names the way of every assignment") {
    CHECK(way_in("C^{ij} = A^{ik} B^{kj}", {{"A", {30, 40}}, {"B", {40, 50}}}) == "contract");
    CHECK(way_in("C^{ij} = A^{ik} B^{jk}", {{"A", {2, 1000}}, {"B", {3, 1000}}}) == "fold");
    CHECK(way_in("y^i = \\sum_j \\exp(A^{ij})", {{"A", {30, 40}}}) == "fold");
    CHECK(way_in("C^{ij} = A^{ji}", {{"A", {30, 40}}}) == "copy");
    CHECK(way_in("C^{ij} = 2 A^{ji}", {{"A", {30, 40}}}) == "map");
}

TEST_CASE("sums have the same values whichever way they run") {
    // Around the place where the cheapest way changes.
    const std::vector<element> types{element::f32, element::f64, element::i32, element::i64};
    const std::vector<std::string> texts{"C^{mn} = A^{mk} B^{nk}", "C^{bmn} = A^{bmk} B^{bnk}",
                                         "C^{mn} = A^{mka} B^{akn}",
                                         "C^{mn} = A^{km} B^{nk} + D^{mn}"};
    unsigned seed = 0;
    for (const element type : types)
        for (const std::string& text : texts)
            for (const std::int64_t k : {7, 150, 700}) {
                bound_program p(text, type, ++seed);
                const auto l = seed % 3 == 0 ? layout::shuffled : layout::row_major;
                const std::int64_t m = 2 + seed % 3, n = 2 + seed % 2;
                if (text == texts[0]) p.input("A", {m, k}, l).input("B", {n, k}, l);
                if (text == texts[1]) p.input("A", {3, m, k}, l).input("B", {3, n, k}, l);
                if (text == texts[2]) p.input("A", {m, k, 2}, l).input("B", {2, k, n}, l);
                if (text == texts[3])
                    p.input("A", {k, m}, l).input("B", {n, k}, l).input("D", {m, n}, l);
                INFO(text << ", k = " << k << ", " << name_of(type));
                CHECK(p.compare() == "");
            }
}

TEMPLATE_TEST_CASE("folded products of narrow and of complex numbers round once", "", bf16, f16,
                   std::complex<float>, std::complex<double>) {
    const std::size_t m = 3, n = 2, k = 700;
    tensor<TestType, 2> a({m, k}), b({n, k});
    const auto number = [](std::size_t i, std::size_t period) {
        const double x = static_cast<double>(i * 7919 % period) / 16 - 2;
        return engine::number(x, is_complex(element_v<TestType>) ? 1 - x / 2 : 0);
    };
    for (std::size_t i = 0; i < a.size(); ++i) a.data()[i] = number(i, 61).template as<TestType>();
    for (std::size_t i = 0; i < b.size(); ++i) b.data()[i] = number(i, 53).template as<TestType>();
    const auto c = einsum<"mk,nk->mn">(a, b);
    const double step = is_complex(element_v<TestType>)
                            ? std::numeric_limits<float>::epsilon()
                            : (element_v<TestType> == element::bf16 ? 0.00390625 : 0.00048828125);
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            std::complex<long double> sum = 0;
            for (std::size_t x = 0; x < k; ++x) {
                const engine::number p(a(i, x)), q(b(j, x));
                sum += std::complex<long double>(p.real, p.imaginary) *
                       std::complex<long double>(q.real, q.imaginary);
            }
            const engine::number got(c(i, j));
            const auto off = std::abs(std::complex<long double>(got.real, got.imaginary) - sum);
            INFO(i << ", " << j);
            CHECK(static_cast<double>(off) <= step * static_cast<double>(std::abs(sum)));
        }
}
