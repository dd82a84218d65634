// Printing and reading back: the same program, and the same text after one round.
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/property/corpus.hpp"
#include "tests/property/generator.hpp"
#include "tests/property/run.hpp"
#include "tests/property/settings.hpp"
#include "tests/property/shrink.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

/// Whether each equation of `b`, taken as it stands, is one of `a`.
std::string stated(ir::program a, ir::program b, const char* which) {
    for (ir::equation& e : a.equations) e.claim = false;
    for (ir::equation& e : b.equations) e.claim = false;
    ir::equation refuted{};
    if (proves(a, b, &refuted)) return {};
    return std::string("not the same program: ") + which + " does not state " +
           latex_of(b, refuted);
}

/// What goes wrong on the way to LaTeX and back, or nothing.
std::string round_trip(const std::string& text) {
    const auto first = read_equations(text);
    if (first.mistake) return "not read: " + spelled(first.mistake.words);
    if (first.program.equations.empty()) return {};  // definitions of functions only
    const std::string printed = to_latex(first.program.view());
    const auto second = read_equations(printed);
    if (second.mistake) return "not read back: " + spelled(second.mistake.words);
    if (first.program.equations.size() != second.program.equations.size())
        return "not as many equations: " + printed;
    std::string wrong = stated(first.program, second.program, "the original");
    if (wrong.empty()) wrong = stated(second.program, first.program, "what was read back");
    if (!wrong.empty()) return wrong + "\nprinted " + printed;
    const std::string again = to_latex(second.program.view());
    if (again != printed) return "not a fixed point: " + printed + "becomes " + again;
    return {};
}

std::string check_round_trip(const random_program& p) { return round_trip(text_of(p)); }

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
    const unsigned first = first_seed(), count = program_count(2000);
    unsigned failures = 0;
    for (unsigned seed = first; seed < first + count && failures < 5; ++seed) {
        const random_program p = generator(seed, {}).run();
        if (check_round_trip(p).empty()) continue;
        ++failures;
        const random_program small = shrinker(check_round_trip).run(p);
        UNSCOPED_INFO(describe(small, check_round_trip(small)));
        CHECK(false);
    }
    CHECK(failures == 0);
}
