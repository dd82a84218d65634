// What is an element type, and what is said of each.
#include <complex>
#include <cstdint>
#include <string_view>

#include <ricci/element.hpp>

namespace {

using ricci::element;
using ricci::element_of;
using ricci::element_v;

static_assert(element_v<float> == element::f32 && element_v<const double> == element::f64);
static_assert(element_v<std::int32_t> == element::i32 && element_v<std::int64_t> == element::i64);
static_assert(element_v<ricci::bf16> == element::bf16 && element_v<ricci::f16> == element::f16);
static_assert(element_v<std::complex<float>> == element::c64 &&
              element_v<const std::complex<double>> == element::c128);
static_assert(element_v<const bool> == element::boolean);
static_assert(!element_of<std::complex<long double>>::supported &&
              !element_of<unsigned>::supported && !element_of<long double>::supported);

template <class T>
constexpr bool described = ricci::size_of(element_v<T>) == sizeof(T);
static_assert(described<float> && described<double> && described<std::int32_t> &&
              described<std::int64_t> && described<ricci::bf16> && described<ricci::f16> &&
              described<bool> && described<std::complex<float>> && described<std::complex<double>>);
static_assert(std::string_view(ricci::name_of(element::c128)) == "std::complex<double>");
static_assert(ricci::is_integer(element::i64) && !ricci::is_integer(element::f32));
static_assert(ricci::is_whole(element::boolean) && !ricci::is_integer(element::boolean));
static_assert(ricci::is_complex(element::c64) && !ricci::is_complex(element::bf16));

}  // namespace
