// The words of a mistake: one line with the place marked, whatever the text holds.
#include <ricci/ir/mistake.hpp>

#include "tests/static/support.hpp"

namespace {

using ricci::detail::text_view;
using ricci::ir::make_mistake;
using ricci::ir::mistake_kind;
using ricci::testing::is_text;

constexpr bool says(text_view text, std::int32_t begin, std::int32_t end, text_view words) {
    return is_text(make_mistake(mistake_kind::other, text, begin, end, "no").words, words);
}
static_assert(says("a b c", 2, 3, "line 1, column 3: a >>>b<<< c : no"));
static_assert(says("a\n  b c\r\nd", 4, 5, "line 2, column 3: >>>b<<< c : no"));
// a place that runs over the end of a line
static_assert(says("x = a\n  + b\ny", 4, 11, "line 1, column 5: x = >>>a   + b<<< : no"));
static_assert(says("a\tb\fc", 0, 1, "line 1, column 1: >>>a<<< b c : no"));
static_assert(says("a", 1, 1, "line 1, column 2: a>>><<< : no"));
static_assert(is_text(make_mistake(mistake_kind::other, "in\nY").words, "in Y"));

}  // namespace
