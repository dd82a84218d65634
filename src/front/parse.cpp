// The front end at run time: the same passes that the compiler runs, on a text of the caller's.
#include <ricci/derive/try_on_numbers.hpp>
#include <ricci/detail/bind/parse_and_prove.hpp>
#include <ricci/parse.hpp>

#include "src/text/reading.hpp"

namespace ricci::detail {

namespace {

// Places in a text and the arrays of a program are counted in 32 bits; no paper is this long.
constexpr std::size_t longest_text = 1 << 24;

mistake as_value(const ir::mistake& m) {
    const text_view words = m.words;
    return {m.kind, m.line, m.column, m.begin, m.end, std::string(words.begin(), words.end())};
}

}  // namespace

bool parse_text(std::string_view text, ir::program& out, mistake& wrong) {
    if (text.size() > longest_text) {
        wrong = as_value(ir::make_mistake(
            ir::mistake_kind::other, "the text is longer than 16 MiB; split it into programs"));
        return false;
    }
    auto result = parse_and_prove({text.data(), static_cast<std::int32_t>(text.size())});
    if (result.mistake) {
        wrong = as_value(result.mistake);
        return false;
    }
    out = std::move(result.program);
    return true;
}

notation::parse_result read_equations(text_view text) { return notation::parse_equations(text); }

notation::parse_result define_equations(text_view text) { return parse_and_define(text); }

derive::judgement judge_claims(const ir::program_view& p, const ir::program& claims) {
    return derive::judge(p, claims);
}

derive::judgement try_claims(const ir::program_view& p, const ir::program& claims,
                             std::int32_t claim) {
    return derive::try_on_numbers(p, claims, claim);
}

bool proves_claims(const ir::program_view& p, const ir::program& claims) {
    return derive::proves(p, claims);
}

}  // namespace ricci::detail
