// Places of extrema over a shared-out index: the first of equals, and NaN beyond all numbers,
// wherever among the ranks they are.
#include <cmath>
#include <string>
#include <vector>

#include "tests/mpi/grids.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

/// Values of which many are equal; in some columns NaN, infinities, or one number alone.
array with_equals(std::size_t rows, std::size_t columns, unsigned seed) {
    array a = drawn({rows, columns}, seed);
    double* const x = static_cast<double*>(a.data());
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t k = 0; k < columns; ++k) {
            double& one = x[i * columns + k];
            one = std::floor(3 * one);
            if (k % 7 == 1 && (i == 3 || i == rows - 1)) one = NAN;
            if (k % 7 == 2) one = -INFINITY;
            if (k % 7 == 3) one = i == rows - 2 ? -1e30 : -INFINITY;
            if (k % 7 == 4) one = INFINITY;
            if (k % 7 == 5) one = 4;
            if (k % 7 == 6 && one == 0) one = i % 2 == 0 ? -0.0 : 0.0;
        }
    return a;
}

array in(element type, const array& values) {
    array a(type, values.extents());
    for (std::size_t k = 0; k < a.size(); ++k) {
        const double x = static_cast<const double*>(values.data())[k];
        if (type == element::f32) static_cast<float*>(a.data())[k] = static_cast<float>(x);
        else static_cast<std::int64_t*>(a.data())[k] = static_cast<std::int64_t>(x);
    }
    return a;
}

/// argmax by hand, of a column.
std::int32_t first_place(const array& a, std::size_t column, bool largest) {
    const double* const x = static_cast<const double*>(a.data());
    const std::size_t columns = a.extent(1);
    std::size_t best = 0;
    for (std::size_t i = 1; i < a.extent(0); ++i) {
        const double one = x[i * columns + column], other = x[best * columns + column];
        if (std::isnan(other)) break;
        if (std::isnan(one) || (largest ? one > other : one < other)) best = i;
    }
    return static_cast<std::int32_t>(best);
}

const char* const both = R"(
    M^{k} = \operatorname{argmax}_i(x^{ik})
    N^{k} = \operatorname{argmin}_i(x^{ik}))";

}  // namespace

TEST_CASE("places of extrema are found among those of all ranks") {
    const program p = parse(std::string(both) + R"(
        T^{i} = \operatorname{argmin}_k(x^{ik}))")
                          .value();
    const array x = with_equals(11, 14, 1), finite = drawn({11, 14}, 2);
    for (const cut how : {cut::even, cut::last, cut::uneven}) {
        check_shared_out(p, "i", {{"x", x, 0}}, {{"T", 0}}, how);
        check_shared_out(p, "i", {{"x", in(element::f32, x), 0}}, {{"T", 0}}, how);
        check_shared_out(p, "i", {{"x", finite, 0}}, {{"T", 0}}, how);
        array whole = in(element::i64, drawn({11, 14}, 3));
        for (std::size_t k = 0; k < whole.size(); ++k)
            static_cast<std::int64_t*>(whole.data())[k] = static_cast<std::int64_t>(k * 5 % 3);
        check_shared_out(p, "i", {{"x", whole, 0}}, {{"T", 0}}, how);
    }
}

TEST_CASE("they are those that are found by hand, for four bytes beside each value") {
    const program p = parse(both).value();
    const array x = with_equals(64, 28, 4);
    for (const cut how : {cut::even, cut::last, cut::uneven}) {
        const std::string words = check_shared_out(p, "i", {{"x", x, 0}}, {}, how);
        auto step =
            mpi::prepare(MPI_COMM_WORLD, p, {"i"}, {{"x", own_part(x, 0, counts_of(64, how))}});
        step();
        for (std::size_t k = 0; k < 28; ++k) {
            INFO("column " << k << "\n" << words);
            CHECK(static_cast<const std::int32_t*>(step["M"].data())[k] == first_place(x, k, true));
            CHECK(static_cast<const std::int32_t*>(step["N"].data())[k] ==
                  first_place(x, k, false));
        }
        if (ranks_of_world() == 1) continue;
        CHECK(step.bytes_sent() == 2 * 28 * (8 + 4) + 4);
        CHECK(has(words, "all-reduce (maximum and its first place) over i of "));
        CHECK(has(words, "all-reduce (minimum and its first place) over i of "));
    }
}

TEST_CASE("places of extrema say where others are read, and leave out what never wins") {
    const program p = parse(R"(
        p^{i} = \operatorname{argmax}_j(\begin{cases} Q^{ia} K^{ja} & j \le i \\
                                                      -\infty & \text{otherwise} \end{cases})
        Z^{ic} = V^{p_i c}
        q^{h} = \operatorname{argmin}_j(s^{jh})
        r^{ha} = K^{q_h a})")
                          .value();
    for (const cut how : {cut::even, cut::last, cut::uneven})
        check_shared_out(p, "j",
                         {{"Q", drawn({9, 3}, 1)},
                          {"K", drawn({400, 3}, 2), 0},
                          {"V", drawn({400, 2}, 3)},
                          {"s", drawn({400, 2}, 4), 0}},
                         {}, how);
}

TEST_CASE("places of extrema over a grid") {
    const program p = parse(R"(
        M^{nk} = \operatorname{argmax}_i(x^{nik})
        N^{k} = \operatorname{argmin}_n(y^{nk})
        T^{nik} = x^{nik} y^{nk})")
                          .value();
    array x = with_equals(5 * 9, 6, 5);
    const std::array<std::size_t, 3> extents = {5, 9, 6};
    const std::array<std::int64_t, 3> strides = {54, 6, 1};
    x = array::over(nullptr, element::f64, x.data(), extents, strides).clone();
    const array y = with_equals(5, 6, 6);
    for (const cut how : {cut::even, cut::uneven}) {
        check_on_grid(p, {"n", "i"}, {{"x", x, {0, 1}}, {"y", y, {0, -1}}},
                      {{"M", {0, -1}}, {"T", {0, 1}}}, how);
        check_on_grid(p, {"i", "n"}, {{"x", x, {1, 0}}, {"y", y, {-1, 0}}},
                      {{"M", {-1, 0}}, {"T", {1, 0}}}, how);
        check_on_grid(p, {"k", "i"}, {{"x", x, {2, 1}}, {"y", y, {1, -1}}},
                      {{"M", {1, -1}}, {"N", {0, -1}}, {"T", {2, 1}}}, how);
    }
}

TEST_CASE("places of extrema are the same in blocks") {
    const program p = parse(both).value();
    const array x = with_equals(61, 14, 7);
    const arrays expected = run(p, {{"x", x}});
    const int ranks = ranks_of_world();
    for (const int blocks : {2, 7, 16}) {
        auto step = mpi::prepare(MPI_COMM_WORLD, p, {"i"},
                                 {{"x", part_of_rank(x, 0, mpi::parts_of(61, ranks, blocks),
                                                     static_cast<std::size_t>(rank_of_world()))}},
                                 {}, {.reproducible = true, .blocks = blocks});
        for (int k = 0; k < 2; ++k) {
            take_counted_bytes();
            step();
            CHECK(take_counted_bytes() == step.bytes_sent());
            for (const auto& [name, value] : expected) {
                INFO(name << " in " << blocks << " blocks\n" << step.explain());
                CHECK(are_same_bits(step[name], value));
            }
        }
    }
}
