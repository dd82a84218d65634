// The front end at run time: equations from a string, and a mistake as a value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <ricci/ext/expected.hpp>
#include <ricci/ir/mistake.hpp>
#include <ricci/ir/program.hpp>

namespace ricci {

/// A checked program that owns its equations; what "..."_eq is, as a value.
class program {
public:
    explicit program(ir::program equations) : equations_(std::move(equations)) {}

    /// The equations as the planner and the engine read them; valid as long as this program is.
    ir::program_view view() const { return equations_.view(); }
    operator ir::program_view() const { return view(); }

private:
    ir::program equations_;
};

/// What is wrong with a text, and where: the words that the compiler prints for the same text.
struct mistake {
    ir::mistake_kind kind = ir::mistake_kind::valid;
    std::int32_t line = 0;  // both from 1; 0 when the mistake has no place in the text
    std::int32_t column = 0;
    std::int32_t begin = 0;  // the marked characters of the text are [begin, end)
    std::int32_t end = 0;
    std::string message;  // one line: the place, the equation with the place marked, a sentence
};

namespace detail {

/// Gives a program or a mistake. The compiled library knows nothing of `expected`, whose type
/// depends on the language version of the file that includes it.
bool parse_text(std::string_view text, ir::program& out, mistake& wrong);

}  // namespace detail

/// Reads equations; the notation and the checks are those of "..."_eq. The text need not outlive
/// the call.
inline expected<program, mistake> parse(std::string_view text) {
    ir::program equations;
    mistake wrong;
    if (!detail::parse_text(text, equations, wrong)) return unexpected<mistake>(std::move(wrong));
    return program(std::move(equations));
}

std::string to_latex(const ir::program_view& program);
std::string to_text(const ir::program_view& program);
/// The equations in LaTeX, a line each, as parse() reads them.
inline std::string to_latex(const program& p) { return to_latex(p.view()); }
/// The equations in plain text: Q[h,i,a] = sum(b) X[i,b] * W_Q[h,b,a].
inline std::string to_text(const program& p) { return to_text(p.view()); }

}  // namespace ricci
