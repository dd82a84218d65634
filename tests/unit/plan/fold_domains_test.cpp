// Folds under conditions between places: windows, parts of loops, both sides of a place, and what is
// looked up under them, beside the oracle; and how their operations grow with the places.
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <ricci/engine/executable.hpp>

#include "tests/catch.hpp"
#include "tests/few.hpp"
#include "tests/unit/bound_program.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

constexpr std::int64_t rows = 5, wide = 3;

/// With operands of n places and numbers that say rows of E and w.
void bind(bound_program& p, const ir::program& program, std::int64_t n) {
    const std::vector<std::pair<std::string, shape>> inputs{
        {"x", {n}}, {"y", {n}},       {"w", {rows}},    {"E", {rows, wide}}, {"G", {n, wide}},
        {"g", {n}}, {"Q", {n, wide}}, {"K", {n, wide}}, {"V", {n, wide}},    {"dL/dL", {}}};
    for (const auto& [name, extents] : inputs)
        if (p.name(name) != ir::none) p.input(name, extents);
    if (p.name("t") != ir::none) {
        memory& t = p.allocate({n}, layout::shuffled, element::i32);
        std::int64_t k = 0;
        t.each([&](std::int64_t at) { t.set(at, static_cast<double>(k++ * 7 % rows)); });
        p.input("t", t);
        p.inputs.back().is_positions = true;
        p.inputs.back().positions = element::i32;
    }
    // A derivative by w or E is over their rows, p.
    for (const auto& [letter, extent] : {std::pair{"i", n}, {"j", n}, {"p", rows}})
        if (program.find_index({letter, 1}) != ir::none) p.extent(letter, extent);
}

std::string wrong_in(const ir::program& program) {
    std::string words;
    for (const std::int64_t n : {3, 9, 30, 70})
        for (const bool fuse : {true, false}) {
            bound_program p(ir::program(program.view()), element::f64, 7);
            bind(p, program, n);
            p.fuse = fuse;
            words += p.compare();
        }
    return words;
}

/// Of its plan, each tensor stored.
double operations(const ir::program& program, std::int64_t n) {
    bound_program p(ir::program(program.view()), element::f64, 7);
    bind(p, program, n);
    p.fuse = false;
    const std::string words = p.prepare().explain();
    const auto number = words.find(", ", words.find("total: ")) + 2;
    char* end = nullptr;
    double value = std::strtod(words.c_str() + number, &end);
    for (std::size_t k = 0; k < std::string("kMGT").find(end[1]) + 1 && end[1] != 'F'; ++k)
        value *= 1000;
    return value;
}

ir::program derived(const ir::program& program, const std::vector<std::string>& by) {
    return program_of(gradient_of(program.view(), "L", by));
}

const std::string conditions[] = {
    R"(j \le i)",
    R"(j > i)",
    R"(j \ne i)",
    R"(i - 5 \le j \land j \le i)",
    R"(|i - j| \le 2)",
    R"(j \le i \land j \ge 2)",
    R"(j = i + 1)",
    R"(j < 2 i \land j > i)",
    R"(i - 3 \le j \land j < i + 2 \land j \ge 1)",
    R"(j \le i \lor j = 1)",
    R"(j > i \lor j = 2)",
    R"(j < i - 1 \lor j > i + 2)",
    R"(j \le 2 i)",
    R"(2 j \le i)",
    R"(3 j > i + 1)",
};

/// All of them, or every third where there are to be few.
std::vector<std::string> conditions_to_try() {
    std::vector<std::string> out;
    for (std::size_t k = 0; k < std::size(conditions); k += few_or(3u, 1u))
        out.push_back(conditions[k]);
    return out;
}

std::string cases(const std::string& value, const std::string& condition,
                  const std::string& otherwise) {
    return R"((\begin{cases} )" + value + R"( & \text{if } )" + condition + R"( \\ )" + otherwise +
           R"( & \text{otherwise} \end{cases}))";
}

}  // namespace

TEST_CASE("folds under conditions between places") {
    for (const std::string& c : conditions_to_try()) {
        const std::string sum = R"(\sum_j [)" + c + "] ";
        const std::vector<std::pair<std::string, std::vector<std::string>>> texts{
            {"s^{i} = " + sum + "\\sin(x^j)\n L = g^i s^i", {"x"}},
            {"s^{i} = " + sum + "x^j y^i [x^j > 0]\n L = g^i s^i", {"x", "y"}},
            {"s^{i} = " + sum + "\\exp(-(x^i - y^j)^2) (i - j) y^j\n L = g^i s^i", {"x", "y"}},
            {"s^{ia} = " + sum + "E^{t_j a}\n L = G^{ia} s^{ia}", {"E"}},
            {"s^{i} = " + sum + "x^j w^{t_j}\n L = g^i s^i", {"x", "w"}},
            {"s^{ib} = " + sum + "Q^{ia} K^{ja} V^{jb}\n L = G^{ib} s^{ib}", {"Q", "K", "V"}},
            {"s^{i} = \\max_j" + cases("x^j", c, "-\\infty") + "\n L = \\sum_i " +
                 cases("g^i s^i", "s^i > -2", "0"),
             {"x"}},
            {"s^{i} = \\min_j" + cases("x^j", c, "\\infty") + "\n L = \\sum_i " +
                 cases("g^i s^i", "s^i < 2", "0"),
             {"x"}},
            {"s^{i} = \\min_j" + cases("x^j y^j", c, "\\infty") + "\n L = \\sum_i " +
                 cases("g^i s^i", "s^i < 2", "0"),
             {"x", "y"}},
            {"s^{i} = \\prod_j" + cases("x^j", c, "1") + "\n L = g^i s^i", {"x"}},
            {"s^{i} = \\operatorname{logsumexp}_j" + cases("x^j", c, "-\\infty") +
                 "\n L = \\sum_i " + cases("g^i s^i", "s^i > -9", "0"),
             {"x"}},
            {"s^{i} = \\max_j" + cases("w^{t_j}", c, "-\\infty"), {}},
            {"s^{i} = \\operatorname{mean}_j" + cases("x^j y^j", c, "0") + "\n L = g^i s^i", {"x"}},
            {"A^{ij} = \\operatorname{softmax}_j" + cases("x^j", c, "-\\infty") +
                 "\n s^{i} = A^{ij} y^j\n L = g^i s^i",
             {"x", "y"}},
            {"s^{i} = \\log(1 + " + sum + "\\exp(2 x^j))\n L = g^i s^i", {"x"}},
        };
        for (const auto& [text, by] : texts) {
            INFO(text);
            const ir::program program = program_of(read_equations(text));
            CHECK(wrong_in(program) == "");
            if (!by.empty()) CHECK(wrong_in(derived(program, by)) == "");
        }
    }
}

TEST_CASE("what is added up where numbers say is read where others say") {
    const std::vector<std::pair<std::string, std::vector<std::string>>> texts{
        {"s^{i} = y^i \\sum_p [p = t_i] \\sum_j [p = t_j] x^j\n L = g^i s^i", {"x", "y"}},
        {"s^{i} = \\frac{\\exp(x^i)}{\\sum_p [p = t_i] \\sum_j [p = t_j] \\exp(x^j)}\n L = g^i s^i",
         {"x"}},
        {"s^{i} = \\sum_p [p = t_i] w^p \\sum_j [p = t_j] x^j y^i\n L = g^i s^i", {"x", "w"}},
        {"s^{ib} = \\sum_p [p = t_i] \\sum_j [p = t_j] V^{jb}\n L = G^{ib} s^{ib}", {"V"}},
        {"L = \\sum_{i,j,p} [p = t_i] [p = t_j] x^i y^j", {"x", "y"}},
    };
    for (const auto& [text, by] : texts) {
        INFO(text);
        const ir::program program = program_of(read_equations(text)),
                          gradient = derived(program, by);
        CHECK(wrong_in(program) == "");
        CHECK(wrong_in(gradient) == "");
        CHECK(operations(program, 4000) < 5 * operations(program, 1000));
        CHECK(operations(gradient, 4000) < 5 * operations(gradient, 1000));
    }
}

TEST_CASE("conditions between places cost no look at all pairs") {
    const std::vector<std::pair<std::string, std::vector<std::string>>> texts{
        {R"(s^{ia} = \sum_j [j \le i] E^{t_j a})", {}},
        {R"(s^{ia} = \sum_j [j \ne i] E^{t_j a})", {}},
        {R"(s^{ia} = \sum_j [i - 5 \le j \land j \le i] E^{t_j a})", {}},
        {R"(s^{i} = \max_j(\begin{cases} x^j & \text{if } |i - j| \le 2 \\ -\infty & \text{otherwise} \end{cases}))",
         {}},
        {R"(s^{i} = \max_j(\begin{cases} x^j & \text{if } j \le i \land j \ge 2 \\ -\infty & \text{otherwise} \end{cases}))",
         {}},
        {R"(s^{i} = \operatorname{logsumexp}_j(\begin{cases} x^j & \text{if } i - 5 \le j \land j \le i \\ -\infty & \text{otherwise} \end{cases}))",
         {}},
        {R"(s^{i} = \sum_j [|i - j| \le 2] \exp(-(x^i - y^j)^2) y^j)", {}},
        {"s^{i} = \\sum_j [j \\le i] [x^j > 0] x^j w^{t_j}\n L = g^i s^i", {"x", "w"}},
        {"s^{ia} = \\sum_j [i - 5 \\le j \\land j \\le i] E^{t_j a}\n L = G^{ia} s^{ia}", {"E"}},
        {R"(s^{ia} = \sum_j [j \le i \lor j = 0] E^{t_j a})", {}},
        {R"(s^{i} = \sum_j [j = t_i \lor j = 2] x^j)", {}},
        {R"(s^{i} = \log \sum_j [j \ne i] \exp(x^j))", {}},
        {"s^{i} = \\log \\sum_j [j \\ne i] \\exp(x^j)\n L = g^i s^i", {"x"}},
        {"s^{i} = \\log \\sum_j [|i - j| \\le 4] \\exp(x^j)\n L = g^i s^i", {"x"}},
        {"s^{i} = \\log \\sum_j [j > i \\lor j = 2] \\exp(x^j)\n L = g^i s^i", {"x"}},
        {"s^{i} = \\log \\sum_j [j \\le i \\land j \\ge 3] \\exp(x^j)\n L = g^i s^i", {"x"}},
        {"A^{ij} = \\operatorname{softmax}_j" + cases("x^j", "j \\ne i", "-\\infty") +
             "\n s^{i} = A^{ij} y^j\n L = g^i s^i",
         {"x", "y"}},
        {"s^{i} = \\max_j" + cases("x^j", "|i - j| \\le 4", "-\\infty") + "\n L = g^i s^i", {"x"}},
        {"s^{i} = \\sum_j [j \\le 2 i] x^j y^i\n L = g^i s^i", {"x", "y"}},
        {"s^{i} = \\max_j" + cases("x^j", "2 j \\le i", "-\\infty"), {}},
        {"s^{i} = \\max_j" + cases("x^j", "j \\ne i", "-\\infty") + "\n L = g^i s^i", {"x"}},
        {"s^{i} = \\min_j" + cases("x^j", "j \\le i \\land j \\ge 3", "\\infty") + "\n L = g^i s^i",
         {"x"}},
        {"s^{i} = \\max_j" + cases("x^j", "j > i \\lor j = 2", "-\\infty") + "\n L = g^i s^i",
         {"x"}},
        {"s^{i} = \\max_j" + cases("x^j", "j \\le 2 i", "-\\infty") + "\n L = g^i s^i", {"x"}},
        {"s^{i} = \\max_j" + cases("x^j", "2 j \\le i", "-\\infty") + "\n L = g^i s^i", {"x"}},
        {"s^{i} = \\log \\sum_j [j \\le 2 i] \\exp(x^j)\n L = g^i s^i", {"x"}},
        {"s^{i} = \\log \\sum_j [3 j > i + 1] \\exp(x^j)\n L = g^i s^i", {"x"}},
        {"A^{ij} = \\operatorname{softmax}_j" + cases("x^j", "2 j \\le i", "-\\infty") +
             "\n s^{i} = A^{ij} y^j\n L = g^i s^i",
         {"x", "y"}},
        {"A^{ij} = \\operatorname{softmax}_j" + cases("x^j", "j \\le 2 i", "-\\infty") +
             "\n s^{i} = A^{ij} y^j\n L = g^i s^i",
         {"x", "y"}},
        {"A^{ij} = \\operatorname{softmax}_j" + cases("x^j", "|i - j| \\le 4", "-\\infty") +
             "\n s^{i} = A^{ij} y^j\n L = g^i s^i",
         {"x", "y"}},
    };
    for (const auto& [text, by] : texts) {
        INFO(text);
        ir::program program = program_of(read_equations(text));
        if (!by.empty()) program = derived(program, by);
        const double few = operations(program, 1000), many = operations(program, 4000);
        INFO(few << " operations, and " << many);
        CHECK(many < 5 * few);
    }
}

TEST_CASE("states under conditions between places go by blocks") {
    const std::string of[] = {
        "s^{ib} = \\sum_j [%] Q^{ia} K^{ja} V^{jb}\n L = G^{ib} s^{ib}",
        "S^{ij} = Q^{ia} K^{ja}\n s^{ib} = \\sum_j [%] S^{ij} V^{jb}\n L = G^{ib} s^{ib}",
    };
    for (const std::string& c : conditions_to_try())
        for (std::string text : of) {
            const bool apart = text[0] == 'S';
            text.replace(text.find('%'), 1, c);
            INFO(text);
            const ir::program program = program_of(read_equations(text)),
                              gradient = derived(program, {"Q", "K", "V"});
            for (const ir::program* each : {&program, &gradient}) {
                bound_program p(ir::program(each->view()), element::f64, 7);
                bind(p, *each, 400);
                CHECK(p.compare() == "");
                // Products of pairs with an equation of their own are tiles there.
                const bool tiles = c.find("2 j") != c.npos || c.find("3 j") != c.npos ||
                                   c.find("2 i") != c.npos || c.find("i - ") == 0 || c[0] == '|' ||
                                   c.find("i + 1") != c.npos;
                if ((apart && tiles) || c.find("2 i \\land") != c.npos) continue;
                CHECK(operations(*each, 4000) < 5 * operations(*each, 1000));
            }
        }
}

TEST_CASE("folds under conditions between places of loops that differ in length") {
    const std::string unequal[] = {R"(j \le i)",       R"(j \ge i)",       R"(j < i - 4)",
                                   R"(j \ge i - 4)",   R"(j \le i + 5)",   R"(j \le 2 i)",
                                   R"(j \le 2 i - 5)", R"(j \ge 3 i - 4)", R"(j > 2 i + 1)",
                                   R"(2 j \le i + 3)", R"(3 j > i - 2)",   R"(j \ne i)"};
    for (const std::string& c : unequal) {
        const std::vector<std::pair<std::string, std::vector<std::string>>> texts{
            {"s^{i} = \\operatorname{logsumexp}_j" + cases("x^j", c, "-\\infty") +
                 "\n L = \\sum_i " + cases("g^i s^i", "s^i > -9", "0"),
             {"x"}},
            {"s^{i} = \\max_j" + cases("x^j", c, "-\\infty") + "\n L = \\sum_i " +
                 cases("g^i s^i", "s^i > -9", "0"),
             {"x"}},
            {"s^{i} = \\prod_j" + cases("x^j", c, "1") + "\n L = g^i s^i", {"x"}},
            {"A^{ij} = \\operatorname{softmax}_j" + cases("x^j", c, "-\\infty") +
                 "\n s^{i} = A^{ij} y^j\n L = g^i s^i",
             {"x", "y"}},
        };
        for (const auto& [text, by] : texts)
            for (const auto& [n, rows_of_i] : {std::pair{20, 9}, {20, 10}, {20, 47}, {31, 30}}) {
                INFO(text << " of " << n << " and " << rows_of_i);
                const ir::program program = program_of(read_equations(text)),
                                  gradient = derived(program, by);
                for (const ir::program* each : {&program, &gradient}) {
                    bound_program p(ir::program(each->view()), element::f64, 7);
                    for (const char* name : {"x", "y"})
                        if (p.name(name) != ir::none) p.input(name, {n});
                    if (p.name("g") != ir::none) p.input("g", {rows_of_i});
                    if (p.name("dL/dL") != ir::none) p.input("dL/dL", {});
                    p.extent("i", rows_of_i);
                    p.extent("j", n);
                    CHECK(p.compare() == "");
                }
            }
    }
}

TEST_CASE("who is the extremum under conditions, where several are") {
    for (const std::string& c : conditions)
        for (const bool largest : {true, false}) {
            const std::string most = largest ? "\\max" : "\\min",
                              nothing = largest ? "-\\infty" : "\\infty";
            const ir::program program =
                derived(program_of(read_equations("s^{i} = " + most + "_j" +
                                                  cases("x^j", c, nothing) + "\n L = g^i s^i")),
                        {"x"});
            INFO(most << " where " << c);
            for (const std::int64_t n : {9, 40, 77}) {
                bound_program p(ir::program(program.view()), element::f64, 7);
                bind(p, program, n);
                memory& x = p.operand(p.name("x"));
                std::int64_t k = 0;
                x.each([&](std::int64_t at) {
                    const std::int64_t number = k++ * 29 % 31 % 4;
                    const double beyond = std::numeric_limits<double>::infinity();
                    x.set(at, number == 3 ? (k % 3 == 0 ? beyond : -beyond)
                                          : static_cast<double>(number));
                });
                CHECK(p.compare() == "");
            }
        }
}

TEST_CASE("weights of parts of a condition keep their digits") {
    // exp(x) has no room for these, and logarithms of sums of them lose what is beside the largest.
    const std::int64_t n = 40;
    for (const std::string& c : conditions) {
        const std::string text = "s^{i} = \\operatorname{logsumexp}_j" +
                                 cases("x^j", c, "-\\infty") + "\n L = \\sum_i " +
                                 cases("g^i s^i", "2 < i \\land i < 37", "0");
        const ir::program program = derived(program_of(read_equations(text)), {"x"});
        for (const double scale : {1e10, -1e10, 300.0}) {
            INFO(text << " times " << scale);
            bound_program p(ir::program(program.view()), element::f64, 7);
            bind(p, program, n);
            memory& x = p.operand(p.name("x"));
            std::int64_t k = 0;
            x.each([&](std::int64_t at) {
                const auto number = static_cast<double>(k++ * 29 % 40);
                x.set(at, k % 9 == 4 ? -std::numeric_limits<double>::infinity()
                                     : scale + (number > 20 ? 20 : number));
            });
            CHECK(p.compare() == "");
        }
    }
}
