// What every pass of the planner leaves as it was: the values of the recorded programs and of those
// of the literature, forward and with derivatives, on small extents, by plain loops after each
// pass. RICCI_SEED says which extents and numbers.
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "src/plan/make_plan.hpp"

#include "tests/catch.hpp"
#include "tests/few.hpp"
#include "tests/property/settings.hpp"
#include "tests/unit/plan/interpreted/passes.hpp"
#include "tests/unit/plan/interpreted/small.hpp"
#include "tests/unit/plan/recorded/bound_case.hpp"
#include "tests/unit/small_panels.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

std::string check(const recorded_program& which, unsigned seed, plan_contents& seen) {
    try {
        bound_case program(which, seed);
        return check_passes(program.request_with_memory(), seen);
    } catch (const std::exception& refused) {
        return refused.what();
    }
}

void check_all(const std::vector<recorded_program>& programs, unsigned seeds, plan_contents& seen) {
    for (const auto& which : programs)
        for (unsigned seed = first_seed(); seed < first_seed() + seeds; ++seed) {
            const auto small = with_small_extents(which, seed);
            const std::string words = check(small, seed, seen);
            if (words.empty()) continue;
            FAIL_CHECK(which.name << "\n" << which.text << small.operands << "\n" << words);
            break;
        }
}

/// What few recorded programs have: tiles that are written as they are, or added along lines.
std::vector<recorded_program> more_programs() {
    const std::string biased = R"(
        S^{ij} = Q^{ia} K^{ja} + b_{i-j}
        A^{ij} = \operatorname{softmax}_j(S^{ij})
        O^{ic} = A^{ij} V^{jc})";
    const std::string biased_heads = R"(
        S^{hij} = Q^{hia} K^{hja} + b_{i-j}
        A^{hij} = \operatorname{softmax}_j(S^{hij})
        O^{hic} = A^{hij} V^{hjc})";
    const std::string plane = R"(
        S^{ij} = Q^{ia} K^{ja}
        A^{ij} = \operatorname{softmax}_j(S^{ij})
        O^{ic} = A^{ij} V^{jc}
        P^{ij} = A^{ij} G^{ij})";
    // The sum of the weights times their gradient is one of the values times theirs.
    const std::string scaled = R"(
        S^{ij} = Q^{ia} K^{ja}
        A^{ij} = \operatorname{softmax}_j(S^{ij})
        O^{ic} = 3 A^{ij} V^{jc})";
    // What the weights give is overwritten before the sum of the weights times their gradient.
    const std::string changed = R"(
        S^{ij} = Q^{ia} K^{ja}
        A^{ij} = \operatorname{softmax}_j(S^{ij})
        O^{ic} = \tanh(A^{ij} V^{jc}))";
    const std::string added = R"(
        S^{ij} = Q^{ia} K^{ja}
        A^{ij} = \operatorname{softmax}_j(S^{ij})
        O^{ic} = A^{ij} V^{jc} + U^{ic})";
    // Rows and columns that add to one tensor.
    const std::string similar = R"(
        S^{ij} = X^{ia} X^{ja}
        A^{ij} = \operatorname{softmax}_j(S^{ij})
        O^{ic} = A^{ij} X^{jc})";
    const std::string permuted = R"(
        M^{kij} = D^{li} H^{lkj}
        Y^{ik} = M^{ikj} a^j + M^{jki} b^j)";
    const std::string turned = R"(
        S^{ij} = Q^{ia} K^{ja}
        A^{ij} = \operatorname{softmax}_j(S^{ij})
        O^{ic} = A^{ij} V^{jc}
        P^{ij} = A^{ij} + G^{ji})";
    return {{"scaled values, gradients", scaled, "", "", "both O Q K V"},
            {"values that change, gradients", changed, "", "", "both O Q K V"},
            {"values with others added, gradients", added, "", "", "both O Q K V U"},
            {"similarity, gradients", similar, "", "", "both O X"},
            {"rows and columns of one sum", permuted, "k=4 i=4 j=4 l=3"},
            {"relative bias", biased, ""},
            {"weights in place of what is added to them", turned, "", "", "", "", "P@G"},
            {"relative bias, gradients", biased, "", "", "both O Q b"},
            {"relative bias of heads, gradients", biased_heads, "", "", "both O K b"},
            {"weights as a result", plane, ""},
            {"weights as a result, scaled", plane, "", "O 4x4; P 4x4", "", "", "O P", "",
             element::f64, 2, 1}};
}

}  // namespace

TEST_CASE("every pass leaves the values of recorded programs as they were") {
    plan_contents seen;
    for (const auto& programs : {attention_programs(), chain_programs(), pair_programs(),
                                 other_programs(), more_programs()})
        check_all(programs, few_or(2u, 6u), seen);
    // Everything that a plan may consist of was there.
    for (const char* what :
         {"contract",       "map",       "gather",     "scatter", "scattered",
          "beta",           "sum",       "mean",       "maximum", "minimum",
          "product",        "logsumexp", "softmax",    "number",  "truths",
          "careful",        "shared",    "makes tile", "weights", "rescaled",
          "log_sum",        "again",     "tile",       "rows",    "columns",
          "pairs",          "added",     "between",    "kept",    "largest score",
          "largest weight", "place"})
        if (seen[what] == 0) FAIL_CHECK("no plan has one: " << what);
    CHECK(seen["fused"] > few_or(100, 300));
    CHECK(seen["chained"] > few_or(33, 100));
}

TEST_CASE("every pass leaves the values of the literature's programs as they were") {
    plan_contents seen;
    for (const auto& which : corpus_programs()) {
        const std::string words = check(which, first_seed(), seen);
        if (!words.empty()) FAIL_CHECK(which.name << "\n" << which.text << "\n" << words);
    }
    check_all(corpus_programs(), 4, seen);
    CHECK(seen["fused"] > 0);
}

TEST_CASE("panels of pairs under a condition leave the values as they were") {
    const std::string linear = R"(
        A^{ij} = [j < i + 2] Q^{ia} K^{ja}
        O^{ic} = A^{ij} V^{jc})";
    const std::string causal = R"(
        S^{ij} = Q^{ia} K^{ja}
        A^{ij} = \operatorname{softmax}_j \begin{cases} S^{ij} & \text{if } j \le i \\ -\infty & \text{otherwise} \end{cases}
        O^{ic} = A^{ij} V^{jc})";
    const std::string columns = R"(
        A^{ij} = [i \le j] \operatorname{relu}(Q^{ia} K^{ja})
        O^{jc} = A^{ij} V^{ic})";
    for (const auto& [name, text] :
         {std::pair{"linear weights", linear}, std::pair{"weights of a softmax", causal},
          std::pair{"weights that are read by columns", columns}})
        for (const char* derived : {"", "both O Q K V"}) {
            INFO(name << " " << derived << "\n" << text);
            const recorded_program which{name, text, "i=26 j=29 a=2 c=2", "", derived, "A"};
            bound_case program(which, first_seed());
            const auto steps = [&] {
                return plan::make_plan(program.request_with_memory()).steps.size();
            };
            const std::size_t whole = steps();
            const with_small_panels small;
            plan_contents seen;
            CHECK(check(which, first_seed(), seen) == "");
            CHECK(steps() > whole);
        }
}

TEST_CASE("panels of rows leave the values as they were") {
    const with_small_panels small;
    const std::vector<recorded_program> programs = {
        {"a product over pairs, gradients", "s^i = \\prod_j (1 + c x^i y^j)", "i=7 j=5", "",
         "both s x y c"},
        {"a product over others, gradients", "s^i = \\prod_{j \\ne i} (2 + x^i x^j)", "i=6 j=6", "",
         "both s x"},
        {"products of sums, gradients", "s^{bi} = \\prod_j (1 + Q^{bia} K^{ja})", "b=2 i=5 j=4 a=3",
         "", "both s Q K"},
        {"two products, gradients",
         "s^i = \\prod_j (1 + x^i y^j)\n t^j = \\prod_i (2 + u^i y^j)\n r = s^i t^i", "i=5 j=5", "",
         "both r x y u"},
        {"sums up to each, and folds of them",
         "P^{ij} = \\sum_{k \\le j} \\exp(x^i y^k)\n m^j = \\max_i P^{ij}\n n^j = \\prod_i P^{ij}",
         "i=6 j=5 k=5"},
        {"a diagonal of a plane", "P^{ij} = \\sum_{k \\le j} x^{ik}\n d = \\sum_i P^{ii} y^i",
         "i=5 j=5 k=5"},
        {"shifted rows", "P^{ij} = \\sum_{k \\le j} x^{i+2} y^{i+k}\n m^{ij} = P^{ij} i",
         "i=5 j=4 k=4", "x 7; y 8"},
    };
    plan_contents seen;
    check_all(programs, 3, seen);
    if (seen["passes"] == 0) FAIL_CHECK("no plan has passes");
    CHECK(seen["windows"] > 0);
}
