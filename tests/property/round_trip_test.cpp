// Printing and reading back: the same program, and of derived ones the same inputs, outputs and
// values.
#include <string>
#include <vector>

#include <ricci/derive/batch.hpp>

#include <algorithm>

#include "tests/catch.hpp"
#include "tests/few.hpp"
#include "tests/property/build.hpp"
#include "tests/property/corpus.hpp"
#include "tests/property/derived.hpp"
#include "tests/property/generator.hpp"
#include "tests/property/read_back.hpp"
#include "tests/property/random_programs.hpp"
#include "tests/property/run.hpp"
#include "tests/property/settings.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

/// What goes wrong on the way of a program to LaTeX and back, or nothing.
std::string round_trip(const ir::program& first) {
    const std::string printed = printed_of(first.view());
    const auto second = read_equations(printed);
    std::string wrong = second.mistake ? "not read back: " + spelled(second.mistake.words)
                                       : difference_of(first, second.program);
    if (wrong.empty()) {
        const auto third = read_equations(printed_of(second.program.view()));
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

ir::program keeping_all(const ir::program& p) {
    ir::program out(p.view());
    for (const ir::equation& e : p.equations)
        if (!e.claim) out.names[e.name].kept = true;
    return out;
}

outcome batch_of(const ir::program& p, const std::string& by) {
    const detail::text_view name{by.data(), static_cast<std::int32_t>(by.size())};
    derive::derived d = derive::batch(p.view(), &name, 1, "B");
    return {std::move(d.program), std::move(d.mistake)};
}

/// Every derivation of a program: its gradient, with the value and with all that is kept, along a
/// direction, as a Jacobian, batched, and the gradient, the tangent and the Jacobian of the
/// gradient.
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
    see("value and gradient of what is kept",
        gradient_of(keeping_all(program), of, {by, again}, true));
    see("tangent", tangent_of(program, by));
    see("tangent of what is kept", tangent_of(keeping_all(program), by));
    see("batch", batch_of(program, by));
    see("jacobian", jacobian_of(program, of, by));
    if (!wrong.empty() || first.mistake) return wrong;
    see("gradient of gradient", gradient_of(first.program, "dL/d" + by, {again}));
    see("tangent of gradient", tangent_of(first.program, again));
    see("jacobian of gradient", jacobian_of(first.program, "dL/d" + by, again));
    see("batch of gradient", batch_of(first.program, by));
    return wrong;
}

std::string check_derivations(const random_program& p) {
    const auto read = read_equations(text_of(p));
    if (read.mistake) return {};  // as of a program that has been made too small
    const ir::program& program = read.program;
    std::vector<std::string> inputs;
    for (std::size_t t = 0; t < p.tensors.size(); ++t)
        if (!p.tensors[t].defined && p.tensors[t].places == 0 && reaches(p, t))
            inputs.push_back(p.tensors[t].name);
    std::string wrong;
    const bool shapes = runs_on_shapes(program);
    for (std::size_t k = 0; k < inputs.size() && wrong.empty(); ++k)
        wrong = for_each_derivation(
            program, result_of(p).name, inputs[k], inputs[(k * 3 + p.seed) % inputs.size()],
            [&](const ir::program& d) { return read_back(d, nullptr, false, shapes); });
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
    all.edges = false;  // and so are the conditions of an edge
    on_random_programs(program_count(2000), all, check_round_trip);
}

TEST_CASE("what is derived from random programs is printed and read back") {
    constructs all;
    all.twins = false;
    on_random_programs(program_count(200) / few_or(4u, 10u), all, check_derivations);
}

TEST_CASE("what is derived from the equations of the literature is printed and read back") {
    counts seen;
    int turn = 0;  // every fifth: each has some fifty derivations
    for (const auto& text : corpus()) {
        if (turn++ % 5 != 0) continue;
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
                          [&](const ir::program& d) { return read_back(d, &seen); }) == "");
            }
        }
    }
    CHECK(seen.run > seen.read * 8 / 10);
}

TEST_CASE("what is derived from models that have read back as claims is printed and read back") {
    const char* const dice =
        R"(p^i = \sigma(z^i)
           L = 1 - \frac{2 \sum_i p^i t^i + 1}{\sum_i p^i + \sum_i t^i + 1})";
    const char* const lstm =
        R"(a^{bgh} = W^{ghk} x^{bk} + U^{ghk} h^{bk} + b^{gh}
           i^{bh} = \sigma(a^{b0h}), \quad f^{bh} = \sigma(a^{b1h})
           o^{bh} = \sigma(a^{b,2,h}), \quad g^{bh} = \tanh(a^{b,3,h})
           C^{bh} = f^{bh} c^{bh} + i^{bh} g^{bh}
           H^{bh} = o^{bh} \tanh(C^{bh})
           L = \sum_{b,h} H^{bh} y^{bh})";
    const char* const machine =
        R"(s^{bf} = \sum_i V^{if} x^{bi}
           q^{bf} = \sum_i (V^{if} x^{bi})^2
           y^b = c + \sum_i w^i x^{bi} + \frac{1}{2} \sum_f ((s^{bf})^2 - q^{bf})
           L = \sum_b (y^b - t^b)^2)";
    const char* const parts =
        R"(R^{2i} = x^i
           R^{2i+1} = y^i x^i
           L = \sum_i (R^i)^2 w^i)";
    const char* const primed =
        R"(x'^{j'} = \tanh(W^{j'k} x^k)
           L = \max_{j'} x'^{j'} + \operatorname{mean}_{j'}((x'^{j'})^2))";
    const char* const picked =
        R"(E^{ia} = T^{x_i a}
           m^a = \max_i(E^{ia})
           L = \sum_{a} m^a T^{0a})";
    for (const std::string text : {dice, lstm, machine, parts, primed, picked}) {
        const auto read = read_program(text);
        INFO(text);
        REQUIRE(spelled(read.mistake.words) == "");
        const ir::program_view p = read.program.view();
        std::vector<std::string> inputs;
        for (ir::ref n = 0; n < p.names.size(); ++n)
            if (ir::is_input(p, n)) inputs.push_back(spelled(p.name(n)));
        for (std::size_t k = 0; k < inputs.size(); ++k)
            CHECK(for_each_derivation(read.program, "L", inputs[k], inputs[(k + 1) % inputs.size()],
                                      [](const ir::program& d) { return read_back(d); }) == "");
    }
}
