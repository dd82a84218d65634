// Printing and reading back: the same program, and the same text after one round.
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/few.hpp"
#include "tests/property/build.hpp"
#include "tests/property/corpus.hpp"
#include "tests/property/derived.hpp"
#include "tests/property/generator.hpp"
#include "tests/property/random_programs.hpp"
#include "tests/property/run.hpp"
#include "tests/property/settings.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

/// What goes wrong on the way of a program to LaTeX and back, or nothing.
std::string round_trip(const ir::program& first) {
    const std::string printed = to_latex(first.view());
    const auto second = read_equations(printed);
    std::string wrong = second.mistake ? "not read back: " + spelled(second.mistake.words)
                                       : difference_of(first, second.program);
    if (wrong.empty()) {
        const auto third = read_equations(to_latex(second.program.view()));
        wrong = third.mistake ? "not read again: " + spelled(third.mistake.words)
                              : difference_of(second.program, third.program);
    }
    return wrong.empty() ? wrong : wrong + "\nprinted " + printed;
}

std::string round_trip(const std::string& text) {
    const auto first = read_equations(text);
    if (first.mistake) return "not read: " + spelled(first.mistake.words);
    if (first.program.equations.empty()) return {};  // definitions of functions only
    return round_trip(first.program);
}

/// Every derivation of a program: its gradient, with the value too, along a direction, as a
/// Jacobian, and the gradient and the tangent of the gradient.
template <class F>
std::string for_each_derivation(const ir::program& program, const std::string& of,
                                const std::string& by, const std::string& again, F&& check) {
    std::string wrong;
    const auto see = [&](const char* what, const outcome& derived) {
        if (!wrong.empty() || derived.mistake) return;
        wrong = check(derived.program);
        if (!wrong.empty()) wrong = std::string(what) + " by " + by + ": " + wrong;
    };
    const auto first = gradient_of(program, of, {by});
    see("gradient", first);
    see("value and gradient", gradient_of(program, of, {by, again}, true));
    see("tangent", tangent_of(program, by));
    see("jacobian", jacobian_of(program, of, by));
    if (!wrong.empty() || first.mistake) return wrong;
    see("gradient of gradient", gradient_of(first.program, "dL/d" + by, {again}));
    see("tangent of gradient", tangent_of(first.program, again));
    see("jacobian of gradient", jacobian_of(first.program, "dL/d" + by, again));
    return wrong;
}

std::string check_derivations(const random_program& p) {
    const ir::program program = ir_builder(p).build();
    std::vector<std::string> inputs;
    for (std::size_t t = 0; t < p.tensors.size(); ++t)
        if (!p.tensors[t].defined && p.tensors[t].places == 0 && reaches(p, t))
            inputs.push_back(p.tensors[t].name);
    std::string wrong;
    for (std::size_t k = 0; k < inputs.size() && wrong.empty(); ++k)
        wrong = for_each_derivation(program, result_of(p).name, inputs[k],
                                    inputs[(k * 3 + p.seed) % inputs.size()],
                                    [](const ir::program& derived) { return round_trip(derived); });
    return wrong;
}

/// What the program means, which is not what it was read from: the printer finds all words itself.
std::string check_round_trip(const random_program& p) { return round_trip(ir_builder(p).build()); }

}  // namespace

TEST_CASE("the equations of the literature are read, printed and read back") {
    const auto texts = corpus();
    REQUIRE(texts.size() > 40);
    for (const auto& text : texts) {
        INFO(text);
        CHECK(round_trip(text) == "");
    }
}

TEST_CASE("random programs are printed and read back") {
    constructs all;
    all.twins = false;  // two indices of one letter are made by the reader
    on_random_programs(program_count(2000), all, check_round_trip);
}

TEST_CASE("what is derived from random programs is printed and read back") {
    constructs all;
    all.twins = false;
    on_random_programs(program_count(200) / few_or(3u, 1u), all, check_derivations);
}

TEST_CASE("what is derived from the equations of the literature is printed and read back") {
    for (const auto& text : corpus()) {
        const auto read = read_program(text);
        if (read.mistake) continue;  // its own test says so
        const auto& p = read.program;
        for (const ir::equation& e : p.equations) {
            if (e.claim) continue;
            std::vector<std::string> inputs;
            for (ir::ref n = 0; n < p.names.size(); ++n)
                if (p.definition(n) == ir::none) inputs.push_back(spelled(p.name(n)));
            for (std::size_t k = 0; k < inputs.size(); ++k) {
                INFO(text);
                CHECK(for_each_derivation(
                          p, spelled(p.name(e.name)), inputs[k], inputs[(k + 1) % inputs.size()],
                          [](const ir::program& d) { return round_trip(d); }) == "");
            }
        }
    }
}
