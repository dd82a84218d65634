// What is known of values before they are made holds for all of them, however they are rounded: of
// programs, and of numbers in memory.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "src/fused/bounds.hpp"
#include "src/fused/conditions.hpp"
#include "src/steps/fused.hpp"
#include "tests/catch.hpp"
#include "tests/few.hpp"

namespace {

using ricci::fused::interval;
using ricci::steps::instruction;
using ricci::steps::opcode;

instruction of(opcode code, std::int32_t a = -1, std::int32_t b = -1, std::int32_t c = -1) {
    instruction i;
    i.code = code;
    i.first = a, i.second = b, i.third = c;
    return i;
}

/// Loads, numbers, then operations on what comes before them; the last values are conditions.
std::vector<instruction> random_program(std::mt19937& random, std::int32_t loads) {
    std::vector<instruction> program;
    for (std::int32_t k = 0; k < loads; ++k) {
        program.push_back(of(opcode::load));
        program.back().operand = k;
    }
    for (const double number : {0.1, 3.0, -0.5}) {
        program.push_back(of(opcode::constant));
        program.back().value = number;
    }
    static constexpr opcode all[] = {
        opcode::add,      opcode::subtract, opcode::multiply, opcode::divide, opcode::absolute,
        opcode::square,   opcode::negate,   opcode::floor,    opcode::relu,   opcode::maximum,
        opcode::minimum,  opcode::exp,      opcode::modulo,   opcode::select, opcode::reciprocal,
        opcode::subtract, opcode::add};
    static constexpr opcode conditions[] = {opcode::less,       opcode::less_equal,
                                            opcode::equal,      opcode::not_equal,
                                            opcode::logical_or, opcode::logical_and};
    const auto earlier = [&] { return static_cast<std::int32_t>(random() % program.size()); };
    for (int k = 0; k < 12; ++k)
        program.push_back(of(all[random() % std::size(all)], earlier(), earlier(), earlier()));
    for (int k = 0; k < 5; ++k)
        program.push_back(of(conditions[random() % std::size(conditions)], earlier(), earlier()));
    return program;
}

/// One value in T; sums of products at once, if wanted, as kernels may do it.
template <class T>
std::vector<T> values_of(const std::vector<instruction>& program, const std::vector<T>& loads,
                         bool at_once) {
    std::vector<T> v;
    for (const auto& i : program) {
        const auto at = [&](std::int32_t k) {
            return k < 0 ? T{0} : v[static_cast<std::size_t>(k)];
        };
        const T a = at(i.first), b = at(i.second), c = at(i.third);
        const auto& first = program[static_cast<std::size_t>(std::max(i.first, 0))];
        const auto truth = [](bool is) { return is ? T{1} : T{0}; };
        switch (i.code) {
            case opcode::load:
                v.push_back(loads[static_cast<std::size_t>(i.operand)]);
                break;
            case opcode::constant:
                v.push_back(static_cast<T>(i.value));
                break;
            case opcode::add:
                v.push_back(at_once && first.code == opcode::multiply
                                ? std::fma(at(first.first), at(first.second), b)
                                : a + b);
                break;
            case opcode::subtract:
                v.push_back(a - b);
                break;
            case opcode::multiply:
                v.push_back(a * b);
                break;
            case opcode::divide:
                v.push_back(a / b);
                break;
            case opcode::reciprocal:
                v.push_back(1 / a);
                break;
            case opcode::absolute:
                v.push_back(std::abs(a));
                break;
            case opcode::square:
                v.push_back(a * a);
                break;
            case opcode::negate:
                v.push_back(-a);
                break;
            case opcode::floor:
                v.push_back(std::floor(a));
                break;
            case opcode::relu:
                v.push_back(a > 0 ? a : T{0});
                break;
            case opcode::maximum:
                v.push_back(a > b ? a : b);
                break;
            case opcode::minimum:
                v.push_back(a < b ? a : b);
                break;
            case opcode::exp:
                v.push_back(std::exp(a));
                break;
            case opcode::modulo:
                v.push_back(a - std::floor(a / b) * b);
                break;
            case opcode::select:
                v.push_back(a != 0 ? b : c);
                break;
            case opcode::less:
                v.push_back(truth(a < b));
                break;
            case opcode::less_equal:
                v.push_back(truth(a <= b));
                break;
            case opcode::equal:
                v.push_back(truth(a == b));
                break;
            case opcode::not_equal:
                v.push_back(truth(a != b));
                break;
            case opcode::logical_or:
                v.push_back(truth(a != 0 || b != 0));
                break;
            case opcode::logical_and:
                v.push_back(truth(a != 0 && b != 0));
                break;
            default:
                v.push_back(0);
        }
    }
    return v;
}

template <class T>
void check_programs(unsigned seeds) {
    for (unsigned seed = 0; seed < seeds; ++seed) {
        std::mt19937 random(seed);
        const auto program = random_program(random, 4);
        std::vector<std::vector<T>> loads(4);
        std::vector<interval> known;
        for (auto& list : loads) {
            const bool whole = random() % 2 == 0;
            const auto start = static_cast<T>(static_cast<int>(random() % 9) - 4);
            for (int k = 0; k < 4; ++k)
                list.push_back(whole ? start + static_cast<T>(random() % 3)
                                     : start + static_cast<T>(random() % 1024) / 777);
            known.push_back({static_cast<double>(*std::ranges::min_element(list)),
                             static_cast<double>(*std::ranges::max_element(list)), whole});
        }
        std::vector<interval> found(program.size());
        ricci::fused::find_intervals<T>(program, found.data(), [&](const instruction& i) {
            return known[static_cast<std::size_t>(i.operand)];
        });
        int wrong = 0;
        for (int draw = 0; draw < 256; ++draw)
            for (const bool at_once : {false, true}) {
                std::vector<T> one;
                for (std::size_t k = 0; k < 4; ++k)
                    one.push_back(loads[k][static_cast<std::size_t>(draw >> (2 * k) & 3)]);
                const auto values = values_of(program, one, at_once);
                for (std::size_t k = 0; k < values.size(); ++k) {
                    const auto x = static_cast<double>(values[k]);
                    // What rests on what is no number may be hidden.
                    if (!std::isfinite(x)) break;
                    // A product with 0 is 0, whatever stands beside it.
                    const bool inside = found[k].is_any() || found[k].is(0) ||
                                        (x >= found[k].least && x <= found[k].most);
                    const bool whole = !found[k].whole || x == std::floor(x);
                    if (!inside || !whole) ++wrong;
                    const bool condition = ricci::fused::is_condition(program[k].code);
                    if (condition && found[k].known() && x != found[k].least) ++wrong;
                }
            }
        INFO("seed " << seed);
        CHECK(wrong == 0);
    }
}

template <class T>
void check_bounds(std::int64_t rows, std::int64_t batches, unsigned seed) {
    using namespace ricci::steps;
    std::mt19937 random(seed);
    fused_group group;
    group.type = ricci::element_v<T>;
    group.loops = {{batches, loop_role::batch}, {rows, loop_role::row}, {3, loop_role::column}};
    group.operands = {{2, {2 * rows, 2, 0}}};
    std::vector<T> memory(static_cast<std::size_t>(2 * rows * batches + 2));
    for (T& x : memory) x = static_cast<T>(static_cast<int>(random() % 2000) - 1000);
    const bool whole = seed % 2 == 0;
    if (!whole) memory[2] = T(0.5);
    const auto none = static_cast<std::size_t>(2 + 2 * (rows / 2));
    if (seed % 3 == 0) memory[none] = std::numeric_limits<T>::quiet_NaN();
    const auto shape = ricci::fused::make_geometry(group);
    const std::size_t operands[] = {0};
    const ricci::fused::operand_bounds<T> bounds(shape, operands);
    void* const bases[] = {memory.data()};
    const ricci::fused::found_bounds<T> found(bounds, bases);
    int wrong = 0;
    for (int draw = 0; draw < 400; ++draw) {
        const auto batch = static_cast<std::int64_t>(random() % static_cast<unsigned>(batches));
        const auto first = static_cast<std::int64_t>(random() % static_cast<unsigned>(rows));
        const auto end =
            first + 1 + static_cast<std::int64_t>(random() % static_cast<unsigned>(rows - first));
        const std::int64_t at = 2 + batch * 2 * rows;
        const auto known = bounds.of(0, at, first, end, found.trees());
        double least = INFINITY, most = -INFINITY;
        bool numbers = true;
        for (std::int64_t i = first; i < end; ++i) {
            const auto x = static_cast<double>(memory[static_cast<std::size_t>(at + 2 * i)]);
            numbers = numbers && x == x;
            least = std::min(least, x), most = std::max(most, x);
        }
        if (!numbers && !known.is_any()) ++wrong;
        if (numbers && !(known.least <= least && known.most >= most)) ++wrong;
        // Whole parts are known as they are.
        const bool parts = first % 8 == 0 && (end % 8 == 0 || end == rows);
        if (parts && numbers && (known.least != least || known.most != most)) ++wrong;
        if (batch == 0 && !whole && known.whole) ++wrong;
        if (seed % 6 == 2 && !known.whole) ++wrong;
    }
    CHECK(bounds.of(0, 3, 0, 1, found.trees()).is_any());  // no line begins there
    INFO(rows << " rows, " << batches << " batches, seed " << seed);
    CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("values lie where they are said to be") {
    const auto count = ricci::testing::few_or(400u, 1500u);
    check_programs<float>(count);
    check_programs<double>(count);
}

TEST_CASE("the least and the largest of any part of an operand") {
    unsigned seed = 0;
    for (const std::int64_t rows : {1, 7, 8, 9, 63, 64, 65, 1000, 4097})
        for (const std::int64_t batches : {1, 3})
            for (int k = 0; k < 6; ++k) {
                check_bounds<float>(rows, batches, seed);
                check_bounds<double>(rows, batches, seed++);
            }
}
