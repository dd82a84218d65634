// Random programs with functions of matrices: their values and gradients beside plain loops and
// differences. RICCI_SEED and RICCI_PROGRAMS say which and how many.
#include <exception>
#include <string>

#include "tests/catch.hpp"
#include "tests/property/matrix_generator.hpp"
#include "tests/property/settings.hpp"

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

}  // namespace

TEST_CASE("random functions of matrices and their gradients are what they mean") {
    on_matrix_texts(300, [](const matrix_text& m, unsigned seed) {
        slopes s(program_of(m), m.result, m.inputs, seed);
        if (!s.usable()) return std::string();
        return s.check_values() + s.check_gradients();
    });
}
