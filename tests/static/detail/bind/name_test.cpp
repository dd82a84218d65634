// Names as types: one type for every way to write a name, another for another name.
#include <type_traits>

#include <ricci/detail/bind/name.hpp>

#include "tests/static/support.hpp"

namespace {

using namespace ricci::literals;

template <class A, class B>
constexpr bool same(A, B) {
    return std::is_same_v<A, B>;
}
template <std::uint64_t Hash>
constexpr bool is_spelt(ricci::name<Hash>, ricci::detail::text_view expected) {
    return ricci::detail::spelling<Hash>() == expected;
}

static_assert(same("X"_t, "X"_t));
static_assert(!same("X"_t, "Y"_t));
static_assert(!same("X"_t, "X'"_t));
static_assert(same("W_{QKV}"_t, "W_QKV"_t));
static_assert(same("W_Q"_t, R"(W_{Q})"_t));
static_assert(same("\\beta"_t, R"(\beta)"_t));
static_assert(same(R"(\text{Output})"_t, "Output"_t));
static_assert(same(R"(S_{\text{masked}})"_t, "S_\\text{masked}"_t));
static_assert(same("dL/dW_{Q}"_t, "dL/dW_Q"_t));
static_assert(!same("dL/dW_Q"_t, "W_Q"_t));
static_assert(!same("A_l"_t, "A_left"_t));

static_assert(is_spelt("W_{QKV}"_t, "W_QKV"));
static_assert(is_spelt(R"(\text{Output})"_t, "Output"));
static_assert(is_spelt(R"(\tilde{Q})"_t, "\\tilde{Q}"));
static_assert(is_spelt("dL/d\\beta"_t, "dL/d\\beta"));
static_assert(is_spelt("d/dt X"_t, "d/dt X"));

// A name and an index of the same letter are different things.
static_assert(!same("h"_t, "h"_i));
static_assert(decltype("h"_i = 8)::hash == decltype("h"_i)::hash);
static_assert(("h"_i = 8).extent == 8);
static_assert(("d_k"_t = 64).value == 64.0);
static_assert(("d_k"_t = 0.5f).value == 0.5);

// The types hold hashes: the name's length is not in them.
static_assert(sizeof("W_Q"_t) == 1);
static_assert(same(ricci::wrt("X"_t, "W_{Q}"_t), ricci::wrt("X"_t, "W_Q"_t)));

}  // namespace
