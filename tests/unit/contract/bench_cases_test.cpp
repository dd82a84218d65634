// The benchmark's contractions, cut down, against loops over every label.
#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/bound_case.hpp"
#include "bench/cases.hpp"
#include "bench/static_case.hpp"
#include "tests/catch.hpp"
#include "tests/few.hpp"
#include "tests/unit/face/einsum_oracle.hpp"

namespace {

using namespace ricci::bench;
using ricci::testing::dense_copy;

// Parts of complex numbers, and real numbers as they are.
template <class T>
long double real_part(const T& x) {
    if constexpr (ricci::is_complex(ricci::element_v<T>)) return x.real();
    else return static_cast<long double>(x);
}
template <class T>
long double imaginary_part(const T& x) {
    if constexpr (ricci::is_complex(ricci::element_v<T>)) return x.imag();
    else return 0;
}

// Rounding of some hundred terms, in units of the largest result.
template <class T>
constexpr double tolerance() {
    if constexpr (std::is_same_v<T, ricci::bf16>) return 0x1p-8;
    else if constexpr (std::is_same_v<T, ricci::f16>) return 0x1p-11;
    else if constexpr (ricci::is_integer(ricci::element_v<T>)) return 0;
    else if constexpr (ricci::is_complex(ricci::element_v<T>))
        return ricci::testing::tolerance_of<typename T::value_type>;
    else return ricci::testing::tolerance_of<T>;
}

template <class T, class Part>
dense_copy part_of(const bound_case<T>& bound, const sized_case& which, std::size_t k, Part part) {
    dense_copy d;
    for (const auto n : which.shape(k)) d.extents.push_back(static_cast<std::size_t>(n));
    const auto& from = k + 1 == which.labels.size() ? bound.result() : bound.operand(k);
    for (const T& x : from) d.values.push_back(part(x));
    return d;
}

template <class T>
void check(const sized_case& which) {
    bound_case<T> bound(which);
    bound.run();
    const std::size_t last = which.labels.size() - 1;
    std::vector<dense_copy> real, imaginary;
    for (std::size_t k = 0; k < last; ++k) {
        real.push_back(part_of(bound, which, k, real_part<T>));
        imaginary.push_back(part_of(bound, which, k, imaginary_part<T>));
    }
    const auto einsum = [&](const std::vector<dense_copy>& operands) {
        return ricci::testing::einsum_by_loops(which.text, operands);
    };
    dense_copy expected = einsum(real);
    if constexpr (ricci::is_complex(ricci::element_v<T>)) {
        REQUIRE(last == 2);
        dense_copy other = einsum({real[0], imaginary[1]});
        const dense_copy back = einsum({imaginary[0], imaginary[1]});
        const dense_copy more = einsum({imaginary[0], real[1]});
        for (std::size_t k = 0; k < expected.values.size(); ++k) {
            expected.values[k] -= back.values[k];
            other.values[k] += more.values[k];
        }
        CHECK(ricci::testing::difference(part_of(bound, which, last, imaginary_part<T>), other,
                                         tolerance<T>()) == "");
    }
    CHECK(ricci::testing::difference(part_of(bound, which, last, real_part<T>), expected,
                                     tolerance<T>()) == "");
}

std::string words_for(const sized_case& which) {
    std::string words = which.text + " ";
    for (const auto& [label, extent] : which.extents)
        words += std::string(1, label) + std::to_string(extent) + " ";
    return words;
}

}  // namespace

TEST_CASE("the contractions that are timed, cut down", "[contract]") {
    const auto sizes = ricci::testing::few_or<std::vector<std::int64_t>>({400}, {400, 20000});
    for (const contraction_case& which : contraction_cases) {
        for (const std::int64_t most : sizes) {
            const sized_case small = sized_case(which).shrunk(most);
            INFO(words_for(small));
            check<float>(small);
            check<double>(small);
            if (which.with != types::every) continue;
            check<std::complex<float>>(small);
            check<std::complex<double>>(small);
            check<ricci::bf16>(small);
            check<ricci::f16>(small);
            check<std::int32_t>(small);
            check<std::int64_t>(small);
        }
    }
}

TEST_CASE("the contractions that are timed with extents in their types", "[contract]") {
    for_static_cases([]<std::size_t Number>() {
        const static_case<Number> ours;
        const sized_case which(contraction_cases[Number]);
        INFO(words_for(which));
        std::vector<dense_copy> operands;
        for (std::size_t k = 0; k < which.labels.size(); ++k) {
            dense_copy d;
            for (const auto n : which.shape(k)) d.extents.push_back(static_cast<std::size_t>(n));
            if (k + 1 < which.labels.size())
                d.values.assign(ours.operand(k), ours.operand(k) + which.size(k));
            operands.push_back(std::move(d));
        }
        dense_copy result = std::move(operands.back());
        operands.pop_back();
        const auto out = ours.run();
        result.values.assign(out.data(), out.data() + out.size());
        CHECK(ricci::testing::difference(result,
                                         ricci::testing::einsum_by_loops(which.text, operands),
                                         tolerance<float>()) == "");
    });
}
