// Random programs with functions of matrices: their values and gradients beside plain loops and
// differences, and what every pass of the planner makes of them.
// RICCI_SEED and RICCI_PROGRAMS say which and how many.
#include <exception>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/catch.hpp"
#include "tests/property/matrix_generator.hpp"
#include "tests/property/run.hpp"
#include "tests/property/settings.hpp"
#include "tests/unit/plan/interpreted/passes.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

template <class Check>
void on_matrix_texts(unsigned usual, Check check) {
    const unsigned first = first_seed(), count = program_count(usual);
    int failures = 0;
    for (unsigned seed = first; seed < first + count && failures < 5; ++seed) {
        const matrix_text m = matrix_generator(seed).run();
        std::string wrong;
        try {
            wrong = check(m, seed);
        } catch (const std::exception& e) {
            wrong = e.what();
        }
        if (wrong.empty()) continue;
        ++failures;
        FAIL_CHECK("seed " << seed << "\n" << m.text << "\n" << wrong);
    }
}

ir::program program_of(const matrix_text& m) { return bound_program::parsed(m.text); }

/// What the planner's passes make of a program, with its inputs from -1 to 1.
std::string check_all_passes(const matrix_text& m, ir::program program, unsigned seed,
                             plan_contents& seen) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    bound_program p(std::move(program), element::f64, seed);
    for (const shaped_input& x : m.inputs) {
        if (p.name(x.name) == ir::none) continue;
        memory& at = p.allocate(x.extents);
        at.each([&](std::int64_t k) { at.set(k, uniform(random)); });
        p.input(x.name, at);
    }
    return check_passes(p.request(), seen);
}

}  // namespace

TEST_CASE("random functions of matrices and their gradients are what they mean") {
    on_matrix_texts(300, [](const matrix_text& m, unsigned seed) {
        slopes s(program_of(m), m.result, m.inputs, seed);
        if (!s.usable()) return std::string();
        return s.check_values() + s.check_gradients();
    });
}

// Of the programs alone: plain loops make an inverse again for each element of a gradient.
TEST_CASE("every pass leaves the values of random functions of matrices as they were") {
    plan_contents seen;
    on_matrix_texts(40, [&](const matrix_text& m, unsigned seed) {
        return check_all_passes(m, program_of(m), seed, seen);
    });
}
