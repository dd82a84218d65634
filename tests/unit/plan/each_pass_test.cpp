// What each pass of the planner is for: a program in which it finds something, as the plan stands
// before the pass and after it.
#include <cstddef>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "src/plan/make_plan.hpp"
#include "src/plan/words/notation.hpp"
#include "tests/catch.hpp"
#include "tests/unit/plan/recorded/bound_case.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

/// What an observer sees of a plan.
struct seen_plan {
    std::string notation;
    std::size_t rules = 0, compiled = 0, workspace_bytes = 0;

    bool operator==(const seen_plan&) const = default;
};

class passes_of {
public:
    explicit passes_of(const recorded_program& which) {
        bound_case program(which);
        plan::make_plan(program.request_with_memory(),
                        [&](const char* pass, const ir::program_view& view,
                            const plan::program_plan* made) { add(pass, view, made); });
    }
    /// After the pass, and after the one before it, the last time that both ran.
    const seen_plan& after(const std::string& pass) const { return at(pass).second; }
    const seen_plan& before(const std::string& pass) const { return at(pass).first; }
    bool ran(const std::string& pass) const { return all_.count(pass) > 0; }

private:
    void add(const char* pass, const ir::program_view& view, const plan::program_plan* made) {
        seen_plan now{plan::notation_of(view, made)};
        if (made != nullptr) {
            now.rules = made->rules.size();
            now.compiled = made->compiled.size();
            now.workspace_bytes = made->workspace_bytes;
        }
        all_[pass] = {std::exchange(last_, now), now};
    }
    const std::pair<seen_plan, seen_plan>& at(const std::string& pass) const {
        INFO(pass);
        REQUIRE(ran(pass));
        return all_.at(pass);
    }

    std::map<std::string, std::pair<seen_plan, seen_plan>> all_;
    seen_plan last_;
};

struct pass_case {
    const char* pass;
    recorded_program program;
    const char* made;  // stands in the notation after the pass alone
};

const std::string attention = R"(
    S^{ij} = Q^{ia} K^{ja}
    A^{ij} = \operatorname{softmax}_j(S^{ij})
    O^{ic} = A^{ij} V^{jc})";

const std::vector<pass_case> cases{
    {"split", {"", "Y^i = \\sum_j A^{ij} + \\sum_j B^{ij}", "i=2", "A 2x3; B 2x5"}, "j'"},
    {"solutions",
     {"", "d = \\det_{ij}(K^{ij})\nG^{ij} = d (K^{-1})^{ji} w", "i=4 j=4", "w = 2"},
     "cofactors"},
    {"cancel",
     {"", "E^{ij} = \\exp(S^{ij})\nZ^i = \\sum_j E^{ij}\nA^{ij} = \\frac{E^{ij}}{Z^i}", "i=4 j=7"},
     "softmax"},
    {"share",
     {"", "Y^i = \\tanh(A^{ij} x^j)\nZ^i = \\exp(A^{ij} x^j)", "i=40 j=50"},
     "T_{\\text{1}}"},
    {"apart",
     {"", "y^i = \\operatorname{logsumexp}_j(x^{ij}) - x^{ii}", "i=8 j=8"},
     "logsumexp - max"},
    {"twice",
     {"",
      "S^{ij} = X^{ia} Y^{ja}\ny = \\operatorname{mean}_i(\\operatorname{logsumexp}_j(S^{ij}) + "
      "\\operatorname{logsumexp}_j(S^{ji}))",
      "i=256 j=256 a=8"},
     "t7[i,j] = sum(a) X[i,a] Y[j,a]"},
    {"fuse", {"", attention, "i=256 j=256 a=8 c=8"}, "fused"},
    {"chain", {"", attention, "i=512 j=512 a=16 c=16", "", "both O Q K V"}, "by blocks of rows"},
    {"pack",
     {"", "Y^{ic} = E^{x_i a} W^{ac}", "i=20 a=6 c=8", "E 50x6; x i32 20 <50"},
     "E[x[i],a] W[a,c]"},
    {"inline",
     {"", "C^{ik} = \\operatorname{logsumexp}_j(A^{ij} + B^{jk})", "i=40 j=40 k=40", "",
      "both C A B"},
     "= exp("},
    {"pair",
     {"", "C^{ik} = \\max_j(A^{ij} + 2 B^{jk} + c^k)", "i=40 j=40 k=40"},
     "C[i,k] = c[k] + C[i,k]"},
    {"cut",
     {"", "A^{ij} = [j \\le i] Q^{ia} K^{ja}\nO^{ic} = A^{ij} V^{jc}", "i=260 j=260 a=4 c=4", "",
      "", "A"},
     " = 0 "},
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

TEST_CASE("protect postpones an output in the memory of an input that is read later") {
    const passes_of passes(
        {"", "Y^{ij} = 2 X^{ij}\nZ^{ij} = X^{ji}", "i=8 j=8", "", "", "", "Y@X"});
    const std::string after = passes.after("protect").notation;
    INFO(after);
    // It is made elsewhere, and copied behind the transposition.
    CHECK(after.find(" Z[") < after.rfind(" Y["));
    CHECK(after.find(" Y[") < after.find(" Z["));
}

TEST_CASE("rules say what the numbers of operands have to be") {
    const passes_of passes({"", "Y^{ij} = [m^{ij}] X^{ij}", "i=6 j=4", "m boolean"});
    CHECK(passes.before("rules").rules == 0);
    const passes_of counted({"", "y^i = [m^i] x^i", "i=6", "m i32 6 <2"});
    CHECK(counted.before("rules").rules == 0);
    CHECK(counted.after("rules").rules == 1);
}

TEST_CASE("steps are compiled, joined and laid out after all assignments are settled") {
    const passes_of passes(
        {"", "P^{ic} = X^{ia} U^{ac}\nR^{id} = X^{ia} W^{ad}\nS^{id} = \\exp(R^{id})",
         "i=64 a=64 c=64 d=64"});
    CHECK(passes.before("emit").compiled == 0);
    CHECK(passes.after("emit").compiled == 3);
    CHECK(passes.after("join").compiled < passes.before("join").compiled);
    for (const char* pass : {"rules", "emit", "join", "workspace"})
        CHECK(passes.before(pass).notation == passes.after(pass).notation);
}
