// Calls that a thread remembers: the next one with the same shapes plans nothing, and computes the
// same as one that does.
#include <array>
#include <cstddef>
#include <thread>
#include <vector>

#include <ricci/ricci.hpp>

#include "tests/catch.hpp"
#include "tests/unit/dense.hpp"
#include "tests/unit/face/einsum_oracle.hpp"

namespace {

using namespace ricci::testing;
using size = std::array<std::size_t, 2>;

std::string product_differs(std::size_t m, std::size_t k, std::size_t n, std::uint32_t seed) {
    const auto a = random_tensor<float, 2>(size{m, k}, seed);
    const auto b = random_tensor<float, 2>(size{k, n}, seed + 1);
    const auto c = ricci::einsum<"mk,kn->mn">(a, b);
    return difference(copy_of(c), einsum_by_loops("mk,kn->mn", {copy_of(a), copy_of(b)}),
                      tolerance_of<float>);
}

}  // namespace

TEST_CASE("calls of many shapes, again and again", "[einsum]") {
    for (std::uint32_t round = 0; round < 3; ++round) {
        // More shapes than are remembered.
        for (std::size_t m = 1; m < 25; ++m) CHECK(product_differs(m, 7, 5, round * 100) == "");
        CHECK(product_differs(4, 4, 4, round) == "");
    }
}

TEST_CASE("a remembered call takes other strides, factors and places", "[einsum]") {
    const auto a = random_tensor<double, 2>(size{6, 6}, 1);
    const auto b = random_tensor<double, 2>(size{6, 6}, 2);
    const ricci::tensor_view<const double, 2> turned(a.data(), {6, 6}, {1, 6});
    const dense_copy plain = einsum_by_loops("ij,jk->ik", {copy_of(a), copy_of(b)});
    const dense_copy of_turned = einsum_by_loops("ji,jk->ik", {copy_of(a), copy_of(b)});
    for (int round = 0; round < 3; ++round) {
        ricci::tensor<double, 2> c(size{6, 6});
        ricci::einsum_into<"ij,jk->ik">(c, a, b);
        CHECK(difference(copy_of(c), plain, 1e-13) == "");
        ricci::einsum_into<"ij,jk->ik">(c, turned, b);
        CHECK(difference(copy_of(c), of_turned, 1e-13) == "");
        ricci::einsum_into<"ij,jk->ik">(c, {.alpha = 2, .beta = -1}, turned, b);
        CHECK(difference(copy_of(c), of_turned, 1e-13) == "");
    }
}

TEST_CASE("an output in the place of an input is no remembered call", "[einsum]") {
    const auto a = random_tensor<float, 2>(size{5, 5}, 3);
    const auto b = random_tensor<float, 2>(size{5, 5}, 4);
    const dense_copy expected = einsum_by_loops("ij,jk->ik", {copy_of(a), copy_of(b)});
    for (int round = 0; round < 2; ++round) {
        ricci::tensor<float, 2> c(size{5, 5});
        ricci::einsum_into<"ij,jk->ik">(c, a, b);
        CHECK(difference(copy_of(c), expected, 1e-5) == "");
        auto in_place = a.clone();
        ricci::einsum_into<"ij,jk->ik">(in_place, in_place, b);
        CHECK(difference(copy_of(in_place), expected, 1e-5) == "");
        const ricci::tensor_view<float, 2> shifted(in_place.data() + 1, {4, 5}, {5, 1});
        const ricci::tensor_view<const float, 2> first(in_place.data(), {4, 5}, {5, 1});
        CHECK_THROWS_AS((ricci::einsum_into<"ij,jk->ik">(shifted, first, b)), ricci::error);
    }
}

TEST_CASE("threads remember for themselves", "[einsum]") {
    std::array<std::string, 4> wrong;
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < wrong.size(); ++t) {
        threads.emplace_back([t, &wrong] {
            for (std::uint32_t round = 0; round < 40 && wrong[t].empty(); ++round)
                wrong[t] = product_differs(3 + (t + round) % 5, 9, 4 + round % 3, round);
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::string& words : wrong) CHECK(words == "");
}
