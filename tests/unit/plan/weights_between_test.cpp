// Sums over pairs whose weights are made of what lies between them, products of all but one over
// several indices, and extrema of what lands where numbers say, with their gradients, beside the
// oracle, with zeros among the factors; and how their operations grow with the places.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <ricci/engine/executable.hpp>

#include "tests/catch.hpp"
#include "tests/unit/bound_program.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

struct text_and_inputs {
    std::string text;
    std::vector<std::string> by;
};

constexpr std::int64_t wide = 3;

/// With operands of n places, tables of n by m, and numbers that say one of m rows.
void bind(bound_program& p, const ir::program& program, std::int64_t n, std::int64_t m) {
    const std::vector<std::pair<std::string, shape>> inputs{
        {"x", {n}}, {"r", {n}},    {"g", {n}},     {"V", {n, wide}}, {"R", {n, wide}},
        {"c", {}},  {"A", {n, m}}, {"E", {n}},     {"F", {m}},       {"B", {n, m, wide}},
        {"h", {m}}, {"H", {m, 2}}, {"q", {2 * n}}, {"dL/dL", {}},    {"G", {n, wide}}};
    for (const auto& [name, extents] : inputs)
        if (p.name(name) != ir::none) p.input(name, extents);
    for (const auto& [name, rows] : {std::pair{"t", m}, {"b", std::int64_t{2}}}) {
        if (p.name(name) == ir::none) continue;
        memory& t = p.allocate({n}, layout::shuffled, element::i32);
        std::int64_t k = 0;
        t.each([&](std::int64_t at) {
            t.set(at, static_cast<double>((k * 7 + k / 5) % rows));
            ++k;
        });
        p.input(name, t);
        p.inputs.back().is_positions = true;
        p.inputs.back().positions = element::i32;
    }
    for (const auto& [letter, extent] : {std::pair{"i", n},
                                         {"j", n},
                                         {"l", n},
                                         {"k", m},
                                         {"p", m},
                                         {"v", 2 * n},
                                         {"u", std::int64_t{2}}})
        if (program.find_index({letter, 1}) != ir::none) p.extent(letter, extent);
}

/// Some of the factors are 0: no gradient may divide by them.
void add_zeros(bound_program& p) {
    for (const char* name : {"r", "R", "A", "E", "F", "B"}) {
        if (p.name(name) == ir::none) continue;
        memory& factors = p.operand(p.name(name));
        std::int64_t k = 0;
        factors.each([&](std::int64_t at) {
            if (k++ % 11 == 5) factors.set(at, 0);
        });
    }
}

std::string wrong_in(const ir::program& program) {
    std::string words;
    for (const auto& [n, m] : {std::pair{3, 2}, {9, 11}, {12, 3}, {31, 10}})
        for (const bool zeros : {false, true})
            for (const bool fuse : {true, false}) {
                bound_program p(ir::program(program.view()), element::f64, 7);
                bind(p, program, n, m);
                if (zeros) add_zeros(p);
                p.fuse = fuse;
                words += p.compare();
            }
    return words;
}

double operations(const ir::program& program, std::int64_t n, std::int64_t m) {
    bound_program p(ir::program(program.view()), element::f64, 7);
    bind(p, program, n, m);
    p.fuse = false;
    const std::string words = p.prepare().explain();
    const auto number = words.find(", ", words.find("total: ")) + 2;
    char* end = nullptr;
    double value = std::strtod(words.c_str() + number, &end);
    for (std::size_t k = 0; k < std::string("kMGT").find(end[1]) + 1 && end[1] != 'F'; ++k)
        value *= 1000;
    return value;
}

void check_values_and_growth(const text_and_inputs& each, bool grows_with_rows) {
    INFO(each.text);
    const ir::program program = program_of(read_equations(each.text)),
                      gradient = program_of(gradient_of(program.view(), "L", each.by));
    for (const ir::program* p : {&program, &gradient}) {
        CHECK(wrong_in(*p) == "");
        const std::int64_t few = 400, rows = grows_with_rows ? 40 : 20;
        const double before = operations(*p, few, 20), after = operations(*p, 4 * few, rows);
        INFO(before << " operations, and " << after);
        CHECK(after < (grows_with_rows ? 10 : 5) * before);
    }
}

}  // namespace

TEST_CASE("weights made of what lies between two places take one pass") {
    const text_and_inputs all[] = {
        {"s^i = \\sum_{j \\le i} (\\prod_{j < l \\le i} r^l) x^j\n L = g^i s^i", {"x"}},
        {"s^i = \\sum_{j < i} (\\prod_{j < l < i} r^l) x^j\n L = g^i s^i", {"x"}},
        {"s^i = \\sum_{j \\ge i} (\\prod_{i \\le l < j} r^l) x^j\n L = g^i s^i", {"x"}},
        {"s^i = \\sum_{j \\ge i} (\\prod_{i < l \\le j} r^l) x^j\n L = g^i s^i", {"x"}},
        {"s^{ia} = \\sum_{j \\le i} (\\prod_{j < l \\le i} R^{la}) V^{ja}\n L = G^{ia} s^{ia}",
         {"V"}},
        {"s^i = \\sum_{j \\le i} (\\prod_{j < l \\le i} (1 - r^l)) r^j x^j\n L = g^i s^i", {"x"}},
        {"s^i = \\sum_{j \\le i} \\exp(\\sum_l [j < l \\land l \\le i] r^l) x^j\n L = g^i s^i",
         {"x"}},
        {"s^i = \\sum_{j \\le i} \\exp(r^i - r^j) x^j\n L = g^i s^i", {"x", "r"}},
        {"s^i = \\sum_{j \\ge i} \\exp(r^j - r^i) x^j\n L = g^i s^i", {"x", "r"}},
        {"u^{ia} = \\sum_{j \\le i} \\log(1 + (R^{ja})^2)\n"
         "s^{ia} = \\sum_{j \\le i} \\exp(u^{ja} - u^{ia}) V^{ja}\n L = G^{ia} s^{ia}",
         {"V", "R"}},
        {"s^i = \\sum_j \\exp(-|i - j|) x^j\n L = g^i s^i", {"x"}},
        {"s^i = \\sum_j \\exp(-|i - j| c^2) x^j\n L = g^i s^i", {"x", "c"}},
        {"s^i = \\sum_j (c)^{|i - j|} x^j\n L = g^i s^i", {"x"}},
    };
    for (const auto& each : all) check_values_and_growth(each, false);
}

TEST_CASE("products over several indices, and their gradients, go over their elements") {
    const text_and_inputs all[] = {
        {"L = \\prod_{i,k} A^{ik}", {"A"}},
        {"L = \\prod_{i,k} (E^i F^k)", {"E", "F"}},
        {"L = \\prod_{i,k} (1 + \\frac{A^{ik}}{9} E^i)", {"A", "E"}},
        {"L = \\prod_{i,k} \\begin{cases} A^{ik} F^k & \\text{if } i < k + 1 \\\\ 1 & "
         "\\text{otherwise} \\end{cases}",
         {"A", "F"}},
        {"L = \\prod_{i,k,a} B^{ika}", {"B"}},
        {"L = \\prod_{i,k,a} \\begin{cases} B^{ika} E^i & \\text{if } k \\le i + 1 \\\\ 1 & "
         "\\text{otherwise} \\end{cases}",
         {"B", "E"}},
        {"s^k = \\prod_{i,a} B^{ika}\n L = h^k s^k", {"B"}},
    };
    for (const auto& each : all) check_values_and_growth(each, true);
}

TEST_CASE("who is the extremum of what lands where numbers say") {
    const std::string at_pairs =
        "\\begin{cases} x^i & \\text{if } k = t_i \\land u = b_i \\\\ -\\infty & \\text{otherwise} "
        "\\end{cases}";
    const std::string at =
        "\\begin{cases} x^i & \\text{if } k = t_i \\\\ -\\infty & "
        "\\text{otherwise} \\end{cases}";
    const std::string total =
        "\n L = \\sum_k \\begin{cases} h^k s^k & \\text{if } s^k > -9 \\\\ 0 & "
        "\\text{otherwise} \\end{cases}";
    const text_and_inputs all[] = {
        {"s^k = \\max_i " + at + total, {"x"}},
        {"s^{ku} = \\max_i " + at_pairs +
             "\n L = \\sum_{k,u} \\begin{cases} H^{ku} s^{ku} & \\text{if } s^{ku} > -9 \\\\ 0 & "
             "\\text{otherwise} \\end{cases}",
         {"x"}},
        {"m^k = \\max_i " + at +
             "\n z^k = \\sum_i [k = t_i] \\exp(x^i - m^{t_i})\n"
             "y^i = \\frac{\\exp(x^i - m^{t_i})}{z^{t_i}}\n L = g^i y^i",
         {"x"}},
    };
    for (const auto& each : all) check_values_and_growth(each, false);
}

TEST_CASE("all but every second place, and blocks of places") {
    const text_and_inputs all[] = {
        {"s^i = \\sum_v [v \\ne 2i] q^v\n L = g^i s^i", {"q"}},
        {"s^i = \\sum_v [2i \\le v \\land v < 2i + 2] q^v\n L = g^i s^i", {"q"}},
        {"s^i = \\sum_v [3i \\le v + 1 \\land v \\le 3i + 4] q^v\n L = g^i s^i", {"q"}},
    };
    for (const auto& each : all) check_values_and_growth(each, false);
}
