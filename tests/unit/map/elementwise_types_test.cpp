// Kernels of whole and complex numbers on every SIMD target against what they mean, and folds of
// every element type over random loops and strides.
#include <algorithm>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <ricci/detail/function_kinds.hpp>
#include "src/map/map.hpp"
#include "src/kernels/elementwise/elementwise.hpp"
#include "tests/catch.hpp"
#include "tests/unit/map/elementwise_targets.hpp"
#include "tests/unit/map/meanings.hpp"

namespace {

using ricci::bf16;
using ricci::f16;
using ricci::kernels::arity;
using ricci::kernels::operation;
using ricci::steps::fold;
using ricci::steps::opcode;

template <class T>
constexpr bool whole = std::is_integral_v<T>;
template <class T>
constexpr bool complex = ricci::is_complex(ricci::element_v<T>);

template <class T>
T random_number(std::mt19937_64& random) {
    const auto pick = random();
    if constexpr (whole<T>) {
        if (pick % 16 == 0) return std::numeric_limits<T>::lowest();
        if (pick % 16 == 1) return std::numeric_limits<T>::max();
        return pick % 2 == 0 ? static_cast<T>(random())
                             : static_cast<T>(static_cast<std::int64_t>(random() % 9) - 4);
    } else if constexpr (complex<T>) {
        using part = typename T::value_type;
        std::uniform_real_distribution<part> value(-3, 3);
        const part re = value(random), im = value(random);
        return {pick % 7 == 0 ? part(0) : re, pick % 5 == 0 ? part(0) : im};
    } else {
        return T(std::uniform_real_distribution<float>(-3, 3)(random));
    }
}

// Operations of real numbers, which complex kernels do on the real parts.
constexpr bool for_real_numbers(int op) {
    using namespace ricci::detail::function_types;
    switch (static_cast<opcode>(op)) {
#define RICCI_FUNCTION(NAME, WORD, ALSO, FORM, TYPES, ...) \
    case opcode::NAME:                                     \
        return ((TYPES)&of_complex) == 0;
#include <ricci/detail/functions.inc>
        default:
            return op == operation(opcode::less) || op == operation(opcode::less_equal);
    }
}

template <class T>
bool same(int op, T got, T want) {
    if constexpr (whole<T>) {
        return got == want;
    } else {
        using part = typename T::value_type;
        if (got == want) return true;
        if (std::isnan(want.real()) || std::isnan(want.imag())) return true;
        // A remainder or a step is far off where its argument is rounded differently.
        if (op == operation(opcode::modulo) || op == operation(opcode::floor)) return true;
        return std::abs(got - want) <=
               100 * std::numeric_limits<part>::epsilon() * (std::abs(want) + 1);
    }
}

template <class T>
void check_operations() {
    INFO(ricci::name_of(ricci::element_v<T>));
    const auto& kernels = ricci::kernels::elementwise<T>();
    constexpr std::size_t n = 67;
    std::mt19937_64 random(5);
    int wrong = 0;
    for (int op = operation(opcode::negate); op < ricci::kernels::operation_count; ++op) {
        if (kernels.apply[op][0] == nullptr) continue;
        for (int single = 0; single < 1 << arity(op); ++single) {
            const auto kernel = kernels.apply[op][single];
            if (kernel == nullptr) continue;
            std::vector<T> x[3], out(n);
            for (auto& v : x)
                for (std::size_t i = 0; i < n; ++i) {
                    v.push_back(random_number<T>(random));
                    if constexpr (complex<T>)
                        if (for_real_numbers(op)) v.back() = v.back().real();
                }
            for (const std::size_t count : {std::size_t{1}, std::size_t{5}, n}) {
                kernel(out.data(), x[0].data(), x[1].data(), x[2].data(), count);
                for (std::size_t i = 0; i < count; ++i) {
                    const auto at = [&](int k) { return x[k][(single >> k & 1) != 0 ? 0 : i]; };
                    const T want = ricci::test::meaning(op, at(0), at(1), at(2));
                    if (same(op, out[i], want)) continue;
                    INFO("operation " << op << ", single " << single << ", element " << i);
                    if (wrong++ < 5) CHECK(false);
                }
            }
        }
    }
    CHECK(wrong == 0);
}

// A fold of random loops: the sum, mean or extreme of x * x + x over the folded ones.
template <class T>
void check_fold(unsigned seed) {
    INFO("seed " << seed << ", " << ricci::name_of(ricci::element_v<T>));
    std::mt19937_64 random(seed);
    const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
    std::vector<fold> foldings{fold::sum};
    if (!whole<T>) foldings.push_back(fold::mean);
    if (!complex<T>) foldings.push_back(fold::maximum), foldings.push_back(fold::minimum);
    const fold folding = foldings[static_cast<std::size_t>(below(foldings.size()))];

    const std::int64_t rows = below(5), values = seed % 11 == 0 ? 40000 : below(300);
    const std::vector<std::int64_t> extents{rows, values};
    // By rows or by columns, now and then with gaps, backwards or repeated.
    std::int64_t row_step = values + below(3), step = 1;
    if (below(2) == 0) row_step = 1, step = rows + below(3);
    if (below(4) == 0) step = -step;
    if (below(6) == 0) row_step = 0;
    const std::int64_t reach = std::abs(row_step) * rows + std::abs(step) * values + 1;
    std::vector<T> x(static_cast<std::size_t>(reach)), out(static_cast<std::size_t>(2 * rows + 1));
    for (T& v : x) v = random_number<T>(random);
    const std::int64_t origin = step < 0 ? -step * values : 0;

    using ricci::steps::instruction;
    std::vector<instruction> program{{opcode::load, -1, -1, -1, 1, 0},
                                     {opcode::multiply, 0, 0, -1, -1, 0},
                                     {opcode::add, 1, 0, -1, -1, 0}};
    const std::vector<std::int64_t> out_strides{2, 0}, x_strides{row_step, step};
    const std::vector<ricci::steps::operand> operands{{0, out_strides}, {origin, x_strides}};
    const ricci::elementwise::prepared_map map(
        {ricci::element_v<T>, folding, extents, 1, operands, program});
    void* const bases[] = {out.data(), x.data()};
    map.run(bases);

    using wide =
        std::conditional_t<whole<T>, T,
                           std::conditional_t<complex<T>, std::complex<long double>, long double>>;
    int wrong = 0;
    for (std::int64_t r = 0; r < rows; ++r) {
        wide total(0);
        long double size = 1;
        for (std::int64_t k = 0; k < values; ++k) {
            const T v = x[static_cast<std::size_t>(origin + r * row_step + k * step)];
            wide term(0);
            if constexpr (whole<T>) {
                term = ricci::test::meaning(ricci::kernels::multiply_add, v, v, v);
            } else if constexpr (complex<T>) {
                term = wide(v.real(), v.imag());
                term = term * term + term;
                size += std::abs(term);
            } else {
                term = static_cast<float>(v);
                term = term * term + term;
                size += std::abs(term);
            }
            if constexpr (whole<T>) {
                if (folding == fold::sum)
                    total = ricci::test::meaning(operation(opcode::add), total, term, T(0));
            } else {
                if (folding == fold::sum || folding == fold::mean) total += term;
            }
            if constexpr (!complex<T>) {
                if (folding == fold::maximum) total = k == 0 ? term : std::max(total, term);
                if (folding == fold::minimum) total = k == 0 ? term : std::min(total, term);
            }
        }
        const T got = out[static_cast<std::size_t>(2 * r)];
        if constexpr (whole<T>) {
            const bool extreme = folding == fold::maximum || folding == fold::minimum;
            if (values == 0 && extreme) continue;
            wrong += got != total;
        } else {
            if (values == 0 && folding != fold::sum) continue;
            if (folding == fold::mean) total /= static_cast<long double>(values);
            if constexpr (complex<T>) {
                using part = typename T::value_type;
                const long double unit = std::numeric_limits<part>::epsilon();
                wrong += std::abs(wide(got.real(), got.imag()) - total) > 32 * unit * size;
            } else {
                const long double unit = std::is_same_v<T, bf16> ? 0x1p-8L : 0x1p-11L;
                if (std::is_same_v<T, f16> && std::abs(total) > 65000) continue;  // infinity
                wrong += std::abs(static_cast<float>(got) - total) >
                         unit * std::abs(total) + 1e-6L * size;
            }
        }
    }
    CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("kernels of whole and complex numbers compute what they mean", "[elementwise]") {
    ricci::test::every_target().run([] {
        check_operations<std::int32_t>();
        check_operations<std::int64_t>();
        check_operations<std::complex<float>>();
        check_operations<std::complex<double>>();
    });
}

TEST_CASE("folds of every element type", "[elementwise]") {
    ricci::test::every_target().run([] {
        for (unsigned seed = 0; seed < 60; ++seed) {
            check_fold<std::int32_t>(seed);
            check_fold<std::int64_t>(seed);
            check_fold<bf16>(seed);
            check_fold<f16>(seed);
            check_fold<std::complex<float>>(seed);
            check_fold<std::complex<double>>(seed);
        }
    });
}
