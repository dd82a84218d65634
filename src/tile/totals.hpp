// What the values of a folded row amount to so far, for real, whole and complex numbers.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <ricci/element.hpp>

namespace ricci::elementwise {

template <class T>
inline constexpr bool is_whole = std::is_integral_v<T>;
template <class T>
inline constexpr bool is_real = std::is_floating_point_v<T>;
template <class T>
inline constexpr bool is_complex_number = is_complex(element_v<T>);

/// What values of type T are added up in.
template <class T>
struct total_type {
    using type = double;
};
template <std::integral T>
struct total_type<T> {
    using type = std::uint64_t;  // wraps
};
template <class R>
struct total_type<std::complex<R>> {
    using type = std::complex<double>;
};

/// The type T of a number that is written down as a double.
template <class T>
T number_from(double value) {
    if constexpr (is_complex_number<T>) return T(static_cast<typename T::value_type>(value));
    else if constexpr (is_whole<T>) return static_cast<T>(static_cast<std::int64_t>(value));
    else return static_cast<T>(value);
}

/// What a maximum (`largest`) or a minimum of nothing is. Complex numbers have none.
template <class T>
constexpr T extreme_of_nothing(bool largest) {
    if constexpr (is_whole<T>) {
        return largest ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();
    } else if constexpr (is_real<T>) {
        constexpr T infinity = std::numeric_limits<T>::infinity();
        return largest ? -infinity : infinity;
    } else {
        return T{};
    }
}

template <class T>
struct row_total {
    using sum_type = typename total_type<T>::type;
    /// Extremes of real numbers are kept in double, which a shift of exponentials is taken from.
    using extreme_type = std::conditional_t<is_real<T>, double, T>;

    extreme_type extreme{};
    sum_type sum{};
    sum_type rest{};  // rounding errors of sum

    /// sum *= x; whole numbers wrap around.
    void multiply(sum_type x) {
        if constexpr (is_whole<T>) {
            using bits = std::make_unsigned_t<sum_type>;
            sum = static_cast<sum_type>(static_cast<bits>(sum) * static_cast<bits>(x));
        } else {
            sum *= x;
        }
    }
    /// sum += x with the rounding error kept; infinite sums have none.
    void add(sum_type x) {
        if constexpr (is_whole<T>) {
            sum += x;
        } else {
            const sum_type next = sum + x;
            const sum_type part = next - sum;
            const sum_type error = (sum - (next - part)) + (x - part);
            sum = next;
            if constexpr (is_real<T>) {
                if (!std::isnan(error)) rest += error;
            } else {
                rest += sum_type(std::isnan(error.real()) ? 0 : error.real(),
                                 std::isnan(error.imag()) ? 0 : error.imag());
            }
        }
    }
};

}  // namespace ricci::elementwise
