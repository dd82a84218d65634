// Numbers of things: which of them convert into what, and their order.
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <unordered_set>
#include <vector>

#include "src/base/number_of.hpp"
#include "src/plan/schedule/plan.hpp"
#include "tests/catch.hpp"

namespace {

using plate = ricci::number_of<struct plate_kind>;
using glass = ricci::number_of<struct glass_kind>;

// Neither another kind nor an integer is taken for a number, and a number for none of them.
template <class From, class To>
constexpr bool turns_into = std::is_convertible_v<From, To>;
static_assert(!turns_into<plate, glass> && !std::is_constructible_v<plate, glass>);
static_assert(!turns_into<int, plate> && !turns_into<std::size_t, plate>);
static_assert(!turns_into<plate, int> && !turns_into<plate, std::size_t>);
static_assert(!turns_into<plate, double> && !turns_into<plate, bool>);
static_assert(!std::equality_comparable_with<plate, glass>);
static_assert(!std::equality_comparable_with<plate, int>);

// It costs what its integer does.
static_assert(sizeof(plate) == sizeof(std::int32_t));
static_assert(std::is_trivially_copyable_v<plate>);

static_assert(!plate() && plate().number() == -1);
static_assert(plate(0) && plate(3).index() == 3 && plate(std::size_t{3}) == plate(3));

// What the planner tells apart.
using namespace ricci::plan;
template <class A, class B>
constexpr bool are_apart_types = !std::is_constructible_v<A, B> && !std::is_constructible_v<B, A>;
static_assert(are_apart_types<loop, expr> && are_apart_types<loop, slot_number> &&
              are_apart_types<expr, slot_number>);

}  // namespace

TEST_CASE("numbers of one kind have the order of integers, none first") {
    std::vector<plate> all{plate(2), plate::none, plate(0), plate(1)};
    std::sort(all.begin(), all.end());
    CHECK(plate() == plate::none);
    CHECK(all == std::vector<plate>{plate::none, plate(0), plate(1), plate(2)});
    const std::unordered_set<plate> kept(all.begin(), all.end());
    CHECK(kept.size() == 4);
    CHECK(kept.count(plate(1)) == 1);
    CHECK(kept.count(plate(7)) == 0);
}
