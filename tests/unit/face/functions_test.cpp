// All scalar functions of the table: read and printed, differentiated, and there for the element
// types that the table says. What a new one has to pass.
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include <ricci/ir/element_rules.hpp>
#include <ricci/ir/functions.hpp>
#include "src/kernels/elementwise/elementwise.hpp"
#include "src/kernels/scalar/scalar_twin.hpp"
#include "tests/catch.hpp"
#include "tests/front.hpp"
#include "tests/unit/interpreter.hpp"

using namespace ricci;
using ricci::testing::dense;
using ricci::testing::gradient_of;
using ricci::testing::interpreter;
using ricci::testing::read_equations;

namespace {

namespace types = detail::function_types;

std::string string_of(detail::text_view text) {
    return {text.data, static_cast<std::size_t>(text.size)};
}

/// Calls `body` with every function that is read by a word.
template <class Body>
void for_each_function(Body body) {
    for (std::size_t k = 0; k < std::size(ir::function_table::entries); ++k) {
        const auto f = static_cast<ir::function>(k);
        if (ir::entry_of(f).form == ir::function_form::infix) continue;
        INFO("function " << string_of(ir::function_word(f)));
        body(f, ir::entry_of(f));
    }
}

std::string equation_of(const ir::function_entry& entry, const std::string& word) {
    return "Y^{i} = \\operatorname{" + word + "}(X^{i}" + (entry.arguments == 2 ? ", Z^{i})" : ")");
}

int operation_of(ir::function f) { return steps::first_function + static_cast<int>(f); }

/// The plain meaning of a derived equation where X is `x` and the cotangent is 1.
long double derivative_at(const ir::program& derived, long double x) {
    interpreter meaning(derived);
    for (ir::ref n = 0; n < derived.names.size(); ++n) {
        const std::string name = string_of(derived.name(n));
        if (name == "X") meaning.tensors[n] = {{1}, {x}};
        if (name == "dL/dY") meaning.tensors[n] = {{1}, {1}};
    }
    meaning.run();
    return meaning.tensors.at(derived.find("dL/dX")).values.at(0);
}

template <class T>
bool has_kernels(ir::function f) {
    const auto& masks = kernels::elementwise<T>().apply[operation_of(f)];
    for (int mask = 0; mask + 1 < 1 << ir::entry_of(f).arguments; ++mask)
        if (masks[mask] == nullptr) return false;
    return true;
}

}  // namespace

TEST_CASE("every function is read by its words and by what is printed", "[functions]") {
    for_each_function([](ir::function f, const ir::function_entry& entry) {
        const auto read = read_equations(equation_of(entry, string_of(entry.word)));
        REQUIRE(!read.mistake);
        const std::string printed =
            ricci::testing::latex_of(read.program, read.program.equations[0]);
        CAPTURE(printed);
        CHECK(read.program.nodes[read.program.equations[0].body].detail ==
              static_cast<std::uint8_t>(f));
        const auto again = read_equations(printed);
        REQUIRE(!again.mistake);
        CHECK(ricci::testing::latex_of(again.program, again.program.equations[0]) == printed);
        if (!entry.also.empty()) {
            const auto other = read_equations(equation_of(entry, string_of(entry.also)));
            REQUIRE(!other.mistake);
            CHECK(ricci::testing::latex_of(other.program, other.program.equations[0]) == printed);
        }
    });
}

TEST_CASE("every function's derivative is what differences say", "[functions]") {
    for_each_function([](ir::function f, const ir::function_entry& entry) {
        // The derivative of an imaginary part has i in it.
        if (entry.arguments != 1 || f == ir::function::imaginary) return;
        const auto read = read_equations(equation_of(entry, string_of(entry.word)));
        REQUIRE(!read.mistake);
        const auto derived = gradient_of(read.program, "Y", {"X"});
        const auto value = [&](long double x) {
            return kernels::scalar::apply<long double>(operation_of(f), x, 0, 0);
        };
        for (const long double x : {-2.7L, -1.3L, -0.6L, 0.35L, 0.8L, 1.9L, 3.4L}) {
            constexpr long double h = 1e-5L;
            const long double slope = (value(x + h) - value(x - h)) / (2 * h);
            if (!std::isfinite(slope)) continue;
            CAPTURE(static_cast<double>(x));
            // What is flat almost everywhere depends on nothing.
            const long double said = derived.mistake ? 0 : derivative_at(derived.program, x);
            CHECK(std::abs(said - slope) <= 1e-7L * (1 + std::abs(slope)));
        }
    });
}

TEST_CASE("every function is there for the element types of the table", "[functions]") {
    for_each_function([](ir::function f, const ir::function_entry& entry) {
        const auto read = read_equations(equation_of(entry, string_of(entry.word)));
        REQUIRE(!read.mistake);
        const auto accepts = [&](element type) {
            return !ir::element_rules(read.program, type).run();
        };
        const bool keeps = ir::says(f, types::keeps_whole) || ir::says(f, types::keeps_reals);
        CHECK(accepts(element::f32));
        CHECK(accepts(element::i64) == (ir::says(f, types::of_whole) || keeps));
        CHECK(accepts(element::c64) == ir::says(f, types::of_complex));
        // Of real arguments among complex numbers all functions are there.
        CHECK(has_kernels<std::complex<float>>(f));
        CHECK(has_kernels<std::complex<double>>(f));
        if (accepts(element::i32) && !keeps) {
            CHECK(has_kernels<std::int32_t>(f));
            CHECK(has_kernels<std::int64_t>(f));
        }
    });
}
