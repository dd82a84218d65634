// The front end at run time: equations from a string, and a mistake as a value.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <ricci/detail/export.hpp>
#include <ricci/ext/expected.hpp>
#include <ricci/ir/mistake.hpp>
#include <ricci/ir/program.hpp>

namespace ricci {

class program;
// What the members of a program give is in <ricci/program.hpp>, with all that runs one.
class tensor_list;
class mistake_list;
struct judgement;

namespace detail {
class program_body;
struct layers_of_program;
program_body& body_of(const program& p);

template <class T>
concept of_layers = requires(const T& layers) {
    layers.layering();
};
template <class T>
concept of_equations = !of_layers<T> && requires {
    T::program().equations;
};
}  // namespace detail

/// A checked program as a value: what "..."_eq is, known at run time. Copies share the equations,
/// which never change. Its members are used with <ricci/program.hpp>.
class RICCI_EXPORT program {
public:
    explicit program(ir::program equations);
    /// Of equations that are in the source: ricci::program(attention).
    template <class Equations>
    requires detail::of_equations<Equations>
    explicit program(const Equations&) : program(ir::program(Equations::program())) {}
    /// Layers are more than the equations that a call of them binds: write
    /// ricci::repeat(ricci::program(layer), 12, {.from = "Y", .to = "X", .index = "l"}).
    template <detail::of_layers Layers>
    explicit program(const Layers&) = delete;
    program(const program& other) noexcept;
    program(program&& other) noexcept : program(std::as_const(other)) {}
    program& operator=(program other) noexcept {
        std::swap(body_, other.body_);
        return *this;
    }
    ~program();

    /// What a call binds, and what it gives: names, indices, ranks, in the order of the equations.
    tensor_list inputs() const;
    tensor_list outputs() const;
    /// All tensors that are computed, outputs among them.
    tensor_list definitions() const;

    /// The same program with more outputs: tensors that it computes on the way. Throws ricci::error
    /// for what it does not define.
    program keep(std::initializer_list<std::string_view> names) const;

    /// Whether the equations imply `claim`, as one of them does up to the names of indices, the
    /// order of factors and terms, deltas, constants and signs. Throws ricci::error for a claim
    /// that cannot be read.
    bool states(std::string_view claim) const;
    /// The same with the reason: a counterexample in numbers, or both sides in normal form.
    judgement judge(std::string_view claim) const;

    /// What is probably not meant, in sentences; nothing that keeps the program from running.
    mistake_list warnings() const;

    /// The equations as the planner and the engine read them; valid as long as this program is.
    ir::program_view view() const;
    operator ir::program_view() const { return view(); }

private:
    friend detail::program_body& detail::body_of(const program& p);
    friend detail::layers_of_program;
    explicit program(detail::program_body* body) : body_(body) {}

    detail::program_body* body_;
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
RICCI_EXPORT bool parse_text(std::string_view text, ir::program& out, mistake& wrong);

}  // namespace detail

/// Reads equations; the notation and the checks are those of "..."_eq. The text need not outlive
/// the call.
inline expected<program, mistake> parse(std::string_view text) {
    ir::program equations;
    mistake wrong;
    if (!detail::parse_text(text, equations, wrong)) return unexpected<mistake>(std::move(wrong));
    return program(std::move(equations));
}

RICCI_EXPORT std::string to_latex(const ir::program_view& program);
RICCI_EXPORT std::string to_text(const ir::program_view& program);
/// The equations in LaTeX, a line each, as parse() reads them. Of layers: those of each, below a
/// comment that says how one follows on another.
RICCI_EXPORT std::string to_latex(const program& p);
/// The equations in plain text: Q[h,i,a] = sum(b) X[i,b] * W_Q[h,b,a].
RICCI_EXPORT std::string to_text(const program& p);

}  // namespace ricci
