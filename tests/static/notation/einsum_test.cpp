// einsum strings: what each means, as an equation in plain text, and what is refused.
#include <ricci/notation/einsum.hpp>

#include "tests/static/support.hpp"

namespace {

using ricci::detail::text_view;
using ricci::ir::mistake_kind;

template <class... Ranks>
constexpr bool means(text_view text, text_view expected, Ranks... ranks) {
    const std::int32_t list[] = {static_cast<std::int32_t>(ranks)..., 0};
    const auto read = ricci::notation::parse_einsum(text, list, sizeof...(Ranks));
    ricci::detail::text_builder out;
    if (!read.mistake) ricci::ir::to_text(read.program, out);
    return !read.mistake && ricci::testing::is_text(out, expected);
}
template <class... Ranks>
constexpr bool refused(text_view text, mistake_kind kind, std::int32_t column, text_view words,
                       Ranks... ranks) {
    const std::int32_t list[] = {static_cast<std::int32_t>(ranks)..., 0};
    const auto read = ricci::notation::parse_einsum(text, list, sizeof...(Ranks));
    return read.mistake.kind == kind && read.mistake.line == 1 && read.mistake.column == column &&
           ricci::testing::contains(read.mistake.words, words);
}

static_assert(means("ib,hba->hia", "result[h,i,a] = sum(b) operand 1[i,b] * operand 2[h,b,a]", 2,
                    3));
static_assert(means(" i b , h b a -> h i a ",
                    "result[h,i,a] = sum(b) operand 1[i,b] * operand 2[h,b,a]", 2, 3));
static_assert(means("ij->ji", "result[j,i] = operand 1[i,j]", 2));
static_assert(means("ii->i", "result[i] = operand 1[i,i]", 2));
static_assert(means("ij->", "result = sum(i,j) operand 1[i,j]", 2));
static_assert(means("i,i->", "result = sum(i) operand 1[i] * operand 2[i]", 1, 1));
static_assert(means(",ij->ij", "result[i,j] = operand 1 * operand 2[i,j]", 0, 2));
static_assert(means("i,j->ij", "result[i,j] = operand 1[i] * operand 2[j]", 1, 1));

// Implicit output: letters that stand once, capitals first, in the order of the alphabet
static_assert(means("ij,jk", "result[i,k] = sum(j) operand 1[i,j] * operand 2[j,k]", 2, 2));
static_assert(means("ba", "result[a,b] = operand 1[b,a]", 2));
static_assert(means("aZ", "result[Z,a] = operand 1[a,Z]", 2));
static_assert(means("ii", "result = sum(i) operand 1[i,i]", 2));

// The ellipsis stands for the leading axes that the letters leave, aligned at the right
static_assert(means("...i->i...", "result[i,...1,...0] = operand 1[...1,...0,i]", 3));
static_assert(means("...ij,...jk->...ik",
                    "result[...0,i,k] = sum(j) operand 1[...0,i,j] * operand 2[j,k]", 3, 2));
static_assert(means("...i", "result[...0,i] = operand 1[...0,i]", 2));
static_assert(means("...->...", "result = operand 1", 0));

// Labels beyond ASCII
static_assert(means(
    "\xce\xb1\xce\xb2,\xce\xb2->\xce\xb1",
    "result[\xce\xb1] = sum(\xce\xb2) operand 1[\xce\xb1,\xce\xb2] * operand 2[\xce\xb2]", 2, 1));
static_assert(means("\xce\xb1z", "result[z,\xce\xb1] = operand 1[\xce\xb1,z]", 2));

// Spaces of every kind are ignored, and letters beyond ASCII that are raised or marked are none
static_assert(
    means("i\xc2\xa0j\xe2\x80\x8b,\njk - > \xef\xbb\xbf"
          "ik",
          "result[i,k] = sum(j) operand 1[i,j] * operand 2[j,k]", 2, 2));
static_assert(means("...i->. . . i", "result[...0,i] = operand 1[...0,i]", 2));
static_assert(
    refused("ij\xe2\x88\x92>ji", mistake_kind::unexpected, 3,
            "ij>>>\xe2\x88\x92<<<>ji : this is U+2212, which looks like -; an einsum string "
            "holds letters",
            2));
static_assert(refused("ij\xe2\x86\x92ji", mistake_kind::unexpected, 3, "looks like \\to", 2));
static_assert(refused("i\xe2\x89\xa4j", mistake_kind::unexpected, 2, "looks like \\le", 2));
static_assert(refused("i\xc2\xb7j", mistake_kind::unexpected, 2, "looks like \\cdot", 2));
static_assert(refused("i\xcc\x81", mistake_kind::unexpected, 2, "this is U+0301; an einsum", 1));
static_assert(refused("i\xe2\x80\x8dj", mistake_kind::unexpected, 2, "U+200D, which is invisible",
                      2));

// ... stands once on each side or not at all
static_assert(
    refused("a->...a", mistake_kind::unexpected, 4,
            "a->>>>...a<<< : ... stands for axes of the operands, and none of them has it; "
            "write a->a, or ...a->...a",
            1));
static_assert(
    refused("...i->i", mistake_kind::unexpected, 7,
            "...i->>>>i<<< : ... stands for axes that the result has too; write ...i->...i to "
            "keep them, or zi->i to sum over them",
            2));
static_assert(refused("...i,z...i->i", mistake_kind::unexpected, 13,
                      "write ...i,z...i->...i to keep them, or yi,zxyi->i to sum over them", 2, 4));
static_assert(refused("...i->i", mistake_kind::unexpected, 7, "or i->i to sum", 1));
static_assert(refused("...->", mistake_kind::unexpected, 6, "or yz-> to sum", 2));
static_assert(refused("i...->...i...", mistake_kind::unexpected, 7,
                      "... stands twice in the result; write i...->...i or i...->i...", 2));
static_assert(refused("i->...i...", mistake_kind::unexpected, 4, "twice in the result", 1));

static_assert(refused("->,->", mistake_kind::unexpected, 4,
                      "->,>>>-><<< : this is the second -> of the string", 0));
static_assert(refused("i->j,k", mistake_kind::unexpected, 5, "a comma separates operands", 1));
static_assert(refused("ij,jk->ik", mistake_kind::rank, 1,
                      "this string has 2 operands, and 1 is given", 2));
static_assert(refused("ij,jk->ik", mistake_kind::rank, 4,
                      "operand 2 has 2 indices here, and its rank is 3", 2, 3));
static_assert(refused("...ij->ij", mistake_kind::rank, 1,
                      "operand 1 has 2 indices here, and its rank is 1", 1));
static_assert(refused("ij->ik", mistake_kind::index_missing, 6, "in no operand", 2));
static_assert(refused("ij->ii", mistake_kind::index_repeated, 6, "stands twice in the result", 2));
static_assert(refused("i.j->ij", mistake_kind::unexpected, 2, "letters, commas", 2));
static_assert(refused("i->j->i", mistake_kind::unexpected, 5, "second ->", 1));
static_assert(refused("i1", mistake_kind::unexpected, 2, "letters, commas", 2));
static_assert(refused("...i...->i", mistake_kind::unexpected, 1, "at most one ...", 3));
static_assert(refused("i\xff", mistake_kind::unexpected, 2, "not UTF-8", 2));

}  // namespace
