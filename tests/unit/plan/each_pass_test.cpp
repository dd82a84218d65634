// What passes on programs are for: a program in which one finds something, before the pass and after
// it. Passes on plans have their texts in passes/.
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/unit/plan/passes_of.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

struct pass_case {
    const char* pass;
    recorded_program program;
    const char* made;  // stands in the notation after the pass alone
};

const std::vector<pass_case> cases{
    {"split", {"", "Y^i = \\sum_j A^{ij} + \\sum_j B^{ij}", "i=2", "A 2x3; B 2x5"}, "j'"},
    {"solutions",
     {"", "d = \\det_{ij}(K^{ij})\nG^{ij} = d (K^{-1})^{ji} w", "i=4 j=4", "w = 2"},
     "cofactors"},
    {"cancel",
     {"", "E^{ij} = \\exp(S^{ij})\nZ^i = \\sum_j E^{ij}\nA^{ij} = \\frac{E^{ij}}{Z^i}", "i=4 j=7"},
     "softmax"},
};

}  // namespace

TEST_CASE("each pass does what it is for") {
    for (const auto& c : cases) {
        INFO(c.pass << "\n" << c.program.text);
        const passes_of passes(c.program);
        const std::string before = passes.before(c.pass).notation,
                          after = passes.after(c.pass).notation;
        INFO("before\n" << before << "after\n" << after);
        CHECK(before.find(c.made) == std::string::npos);
        CHECK(after.find(c.made) != std::string::npos);
    }
}
