// Magnitudes and powers of two against plain loops, on every SIMD target of this CPU.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "tests/catch.hpp"

#include "src/kernels/range/range.hpp"
#include "src/kernels/targets.hpp"

using namespace ricci;

namespace {

template <class T>
std::vector<T> drawn(std::size_t count, std::mt19937_64& random) {
    std::vector<T> list(count);
    for (T& x : list) {
        x = static_cast<T>(static_cast<double>(random() % 2000) - 1000);
        if (random() % 9 == 0) x = 0;
        if (random() % 17 == 0) x = std::numeric_limits<T>::infinity();
        if (random() % 17 == 0) x = -std::numeric_limits<T>::quiet_NaN();
    }
    return list;
}

template <class T>
bool same(T a, T b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

template <class T>
void check_functions(std::size_t count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto x = drawn<T>(count, random), y = drawn<T>(count, random);
    const auto n = static_cast<std::int64_t>(count);
    const auto& table = kernels::range_kernels<T>();
    T most = 0;
    for (const T v : x)
        if (std::isfinite(v) && std::abs(v) > most) most = std::abs(v);
    CHECK(table.largest(n, x.data()) == most);
    // Together they reach below the smallest number.
    for (const T first : {T{4}, std::numeric_limits<T>::min()})
        for (const T second : {T{1}, T{3}, std::numeric_limits<T>::min()}) {
            std::vector<T> product(count), quotient = x, sum = y;
            table.multiply(n, x.data(), first, second, product.data());
            table.divide(n, quotient.data(), first, second, quotient.data());
            table.add(n, x.data(), first, T{1}, sum.data());
            bool right = true;
            for (std::size_t k = 0; k < count; ++k)
                right = right && same(product[k], x[k] * first * second) &&
                        same(quotient[k], x[k] * first / second) &&
                        same(sum[k], y[k] + x[k] * first);
            CHECK(right);
        }
}

}  // namespace

TEST_CASE("magnitudes and powers of two are those of plain loops", "[kernels]") {
    for (const auto& target : kernels::supported_targets()) {
        INFO(target);
        REQUIRE(kernels::force_target(target));
        for (std::size_t count = 0; count < 150; count += count < 20 ? 1 : 13) {
            check_functions<float>(count, count);
            check_functions<double>(count, count);
        }
        kernels::reset_target();
    }
}
