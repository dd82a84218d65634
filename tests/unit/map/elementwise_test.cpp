// Element-wise maps and folds against brute force: random programs, loops, strides and offsets, on
// every SIMD target of the processor; masked rows; results for any number of threads.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "src/map/map.hpp"
#include "src/kernels/elementwise/elementwise.hpp"
#include "src/runtime/parallel.hpp"
#include "tests/catch.hpp"
#include "tests/few.hpp"
#include "tests/unit/map/elementwise_problem.hpp"
#include "tests/unit/map/elementwise_targets.hpp"

namespace {

using namespace ricci::test;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Row-major strides of the given loops, 0 for the others.
std::vector<std::int64_t> dense(const std::vector<std::int64_t>& extents, std::size_t loops) {
    std::vector<std::int64_t> stride(extents.size(), 0);
    std::int64_t step = 1;
    for (std::size_t i = loops; i-- > 0;) {
        stride[i] = step;
        step *= extents[i];
    }
    return stride;
}

/// The folds that give one number for a row, by their number.
fold every_but_softmax(int number) {
    return number == 7 ? fold::excess : static_cast<fold>(number);
}

class random_problems {
public:
    explicit random_problems(std::uint32_t seed) : random_(seed) {}

    template <class T>
    problem<T> next() {
        problem<T> p;
        p.folding = every_but_softmax(static_cast<int>(below(8)));
        choose_loops(p);
        const std::size_t count = 2 + below(3);
        p.set_operands(count);
        choose_program(p, count);
        for (std::size_t k = 0; k < count; ++k) choose_strides(p, k);
        for (std::size_t k = 0; k < count; ++k) p.allocate(k, [&] { return number(); });
        const bool elements = p.folding == fold::none || p.folding == fold::softmax;
        if (elements && below(3) == 0) {
            p.strides[1] = p.strides[0];
            p.offsets[1] = p.offsets[0];
            p.bases[1] = p.bases[0];
        }
        return p;
    }

private:
    std::mt19937 random_;

    std::size_t below(std::size_t n) { return random_() % n; }

    double number() {
        switch (below(8)) {
            case 0:
                return static_cast<double>(below(7)) - 3;
            case 1:
                return below(20) == 0 ? -infinity : 0.5;
            default:
                return std::uniform_real_distribution<double>(-2, 2)(random_);
        }
    }

    template <class T>
    void choose_loops(problem<T>& p) {
        static constexpr std::int64_t extents[] = {1,  2,  3,  4,  5,  7,   8,
                                                   16, 17, 31, 33, 64, 100, 257};
        const std::size_t depth = below(5);
        std::int64_t all = 1;
        for (std::size_t i = 0; i < depth; ++i) {
            std::int64_t n = extents[below(std::size(extents))];
            if (below(40) == 0) n = 0;
            if (all * n > 4000) n = 2;
            p.extents.push_back(n);
            all *= std::max<std::int64_t>(n, 1);
        }
        if (p.folding != fold::none) p.folded = static_cast<std::int32_t>(below(depth + 1));
    }

    template <class T>
    void choose_strides(problem<T>& p, std::size_t k) {
        const std::size_t depth = p.extents.size();
        const bool every = p.folding == fold::none || p.folding == fold::softmax;
        const std::size_t free = depth - static_cast<std::size_t>(p.folded);
        std::vector<std::size_t> order(depth);
        for (std::size_t i = 0; i < depth; ++i) order[i] = i;
        if (below(2) == 0) std::shuffle(order.begin(), order.end(), random_);
        p.strides[k].assign(depth, 0);
        std::int64_t step = below(4) == 0 ? 2 : 1;
        for (std::size_t i = depth; i-- > 0;) {
            const std::size_t l = order[i];
            if (k == 0 ? !every && l >= free : below(5) == 0) continue;
            p.strides[k][l] = below(6) == 0 ? -step : step;
            step *= std::max<std::int64_t>(p.extents[l], 1);
            if (below(5) == 0) step += 3;
        }
        p.offsets[k] = static_cast<std::int64_t>(below(9)) - 4;
    }

    template <class T>
    void choose_program(problem<T>& p, std::size_t operands) {
        const auto leaf = [&] {
            instruction n;
            const std::size_t kind = below(8);
            n.code = kind == 0 ? opcode::constant : kind == 1 ? opcode::position : opcode::load;
            n.operand = static_cast<std::int32_t>(1 + below(operands - 1));
            if (n.code == opcode::constant) {
                static constexpr double values[] = {0,    1,   2,   3,  -1,       0.5,
                                                    -0.5, 1.5, 0.1, -2, -infinity};
                n.value = values[below(std::size(values))];
                n.operand = -1;
            }
            return n;
        };
        p.program.push_back(leaf());
        const std::size_t length = below(9);
        constexpr auto first = static_cast<std::size_t>(opcode::negate);
        constexpr auto last = static_cast<std::size_t>(opcode::select);
        for (std::size_t i = 0; i < length; ++i) {
            if (below(3) == 0) {
                p.program.push_back(leaf());
                continue;
            }
            instruction n;
            n.code = static_cast<opcode>(first + below(last - first + 1));
            const int arguments = ricci::kernels::arity(ricci::kernels::operation(n.code));
            const auto argument = [&] {
                return static_cast<std::int32_t>(below(p.program.size()));
            };
            n.first = argument();
            if (arguments > 1) n.second = argument();
            if (arguments > 2) n.third = argument();
            p.program.push_back(n);
        }
    }
};

template <class T>
void check_random(std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t seed = first; seed < first + count; ++seed) {
        auto p = random_problems(seed).next<T>();
        CAPTURE(seed, static_cast<int>(p.folding), p.extents, p.folded, p.strides);
        check(p);
    }
}

/// out[i][j] = a[i][j] b[i][j] + c[j], of rows `pitch` elements apart that begin at an element
/// `offset` of the output; b `jumps` where its columns are contiguous instead of its rows. On one
/// thread and on two.
template <class T>
void check_large_output(std::int64_t rows, std::int64_t columns, std::int64_t pitch,
                        std::int64_t offset, bool jumps) {
    problem<T> p;
    p.extents = {rows, columns};
    p.set_operands(4);
    p.strides = {{pitch, 1}, {columns, 1}, {columns, 1}, {0, 1}};
    if (jumps) p.strides[2] = {1, rows};
    p.offsets[0] = offset;
    p.program = {load(1), load(2), operation(opcode::multiply, 0, 1), load(3),
                 operation(opcode::add, 2, 3)};
    std::mt19937 random(5);
    std::uniform_real_distribution<double> values(-4, 4);
    for (std::size_t k = 0; k < 4; ++k) p.allocate(k, [&] { return values(random); });
    CAPTURE(rows, columns, pitch, offset, jumps, sizeof(T));
    ricci::runtime::set_worker_count(1);
    const prepared_map prepared(p.map());
    // Not by the oracle of any program, which takes seconds for so many elements.
    std::vector<double> expected(p.memory[0].begin(), p.memory[0].end());
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < columns; ++j) {
            const auto value = [&](std::size_t k) {
                const std::int64_t at = i * p.strides[k][0] + j * p.strides[k][1];
                return static_cast<double>(p.memory[k][static_cast<std::size_t>(at)]);
            };
            expected[static_cast<std::size_t>(i * pitch + j)] = value(1) * value(2) + value(3);
        }
    prepared.run(p.bases.data());
    const std::vector<T> first = p.memory[0];
    std::int64_t wrong = 0;
    for (std::size_t k = 0; k < first.size(); ++k) {
        const double error = std::abs(static_cast<double>(first[k]) - expected[k]);
        wrong += !(error <= 32 * static_cast<double>(std::numeric_limits<T>::epsilon()));
    }
    CHECK(wrong == 0);
    ricci::runtime::set_worker_count(2);
    prepared.run(p.bases.data());
    CHECK(std::memcmp(first.data(), p.memory[0].data(), first.size() * sizeof(T)) == 0);
    ricci::runtime::set_worker_count(0);
}

}  // namespace

TEST_CASE("random maps agree with brute force on every target", "[elementwise]") {
    std::uint32_t seed = 1;
    ricci::test::every_target().run([&] {
        const std::uint32_t count = ricci::testing::few_or(90u, 250u);
        check_random<float>(seed, count);
        check_random<double>(seed + 250, count);
        seed += 500;
    });
}

TEST_CASE("constant powers are products and square roots", "[elementwise]") {
    for (const double exponent : {0.0, 1.0, 2.0, 3.0, 7.0, -1.0, -2.0, -3.0, 0.5, -0.5, 1.5, 0.3}) {
        problem<double> p;
        p.extents = {37};
        p.set_operands(2);
        p.strides = {{1}, {1}};
        instruction c;
        c.value = exponent;
        p.program = {load(1), c, operation(opcode::power, 0, 1)};
        double x = exponent == std::floor(exponent) ? -2 : 0;
        p.allocate(0, [] { return 0; });
        p.allocate(1, [&] { return x += 0.125; });
        CAPTURE(exponent);
        check(p);
    }
}

TEST_CASE("masked rows, NaN and infinity", "[elementwise]") {
    ricci::test::every_target().run([] {
        for (const bool inner : {true, false}) {
            for (const std::int64_t rows : {3, 40}) {
                for (const fold folding : {fold::softmax, fold::logsumexp, fold::excess,
                                           fold::maximum, fold::minimum, fold::sum, fold::mean}) {
                    for (const double special : {-infinity, infinity, std::nan("")}) {
                        auto p = matrix_fold<float>(folding, inner ? rows : 70, inner ? 70 : rows,
                                                    inner, 5);
                        const std::int64_t step = p.strides[1][1], next = p.strides[1][0];
                        float* x = p.memory[1].data();
                        for (std::int64_t j = 0; j < 70; ++j)
                            x[j * step] = static_cast<float>(special);
                        x[next + 33 * step] = static_cast<float>(special);
                        CAPTURE(inner, rows, static_cast<int>(folding), special);
                        const std::vector<float> y = check(p);
                        if (folding == fold::softmax && special == -infinity) CHECK(y[0] == 0.0f);
                        if (folding == fold::logsumexp && special == -infinity) {
                            CHECK(y[0] == -std::numeric_limits<float>::infinity());
                        }
                    }
                }
            }
        }
    });
}

TEST_CASE("outputs of more than the caches hold", "[elementwise]") {
    for (const bool jumps : ricci::testing::few_or<std::vector<bool>>({true}, {true, false})) {
        // Rows that begin where cache lines do, or all as far behind.
        check_large_output<double>(1100, 1024, 1024, 0, jumps);
        check_large_output<double>(1100, 1024, 1024, 3, jumps);
        check_large_output<float>(2100, 1024, 1024, 0, jumps);
        // Rows that begin anywhere, and short ones.
        check_large_output<double>(1031, 1027, 1040, 0, jumps);
        check_large_output<float>(2203, 1001, 1003, 5, jumps);
        check_large_output<double>(9001, 127, 131, 0, jumps);
        check_large_output<double>(350001, 3, 3, 0, jumps);
    }
    // Rows without a gap, whose first and last elements share lines with others.
    check_large_output<float>(2203, 1001, 1001, 0, false);
    check_large_output<float>(7001, 333, 333, 1, false);
    check_large_output<float>(16001, 131, 131, 7, false);
    check_large_output<double>(1301, 905, 905, 2, false);
}

TEST_CASE("results do not depend on the number of threads", "[elementwise]") {
    struct shape {
        std::int64_t rows, columns;
    };
    const auto shapes = ricci::testing::few_or<std::vector<shape>>(
        {{3, 70000}, {300, 500}},
        {{1, 200000}, {3, 70000}, {600, 700}, {70000, 3}, {5000, 60}, {3000, 150}});
    for (const shape s : shapes) {
        for (int f = 0; f < 8; ++f) {
            for (const bool inner : {true, false}) {
                const fold folding = every_but_softmax(f);
                auto p = matrix_fold<float>(folding, s.rows, s.columns, inner, 11);
                if (folding == fold::none) {
                    p.folded = 0;
                    p.strides[0] = dense(p.extents, 2);
                    p.allocate(0, [] { return 0; });
                }
                if (f % 2 == 1) p.program = {load(1), operation(opcode::tanh, 0)};
                const prepared_map prepared(p.map());
                std::vector<float> first;
                CAPTURE(s.rows, s.columns, f, inner);
                for (const int threads : {1, 2, 3}) {
                    ricci::runtime::set_worker_count(threads);
                    prepared.run(p.bases.data());
                    if (threads == 1) first = p.memory[0];
                    CHECK(std::memcmp(first.data(), p.memory[0].data(),
                                      first.size() * sizeof(float)) == 0);
                }
                ricci::runtime::set_worker_count(0);
                if (inner == (f % 2 == 0)) check(p);
            }
        }
    }
}

TEST_CASE("programs of more values at once than the first cache has room for", "[elementwise]") {
    for (const fold folding : {fold::none, fold::sum, fold::softmax, fold::logsumexp})
        for (const bool inner : {true, false}) {
            auto p =
                matrix_fold<double>(folding == fold::none ? fold::sum : folding, 5, 150, inner, 3);
            p.folding = folding;
            if (folding == fold::none) {
                p.folded = 0;
                p.strides[0] = dense(p.extents, 2);
                p.allocate(0, [] { return 0; });
            }
            // Each value is the sine of the one before it; then all are summed, the last ones
            // first.
            const std::int32_t count = ricci::testing::few_or(450, 900);
            p.program = {load(1)};
            for (std::int32_t k = 1; k < count; ++k)
                p.program.push_back(operation(opcode::sin, k - 1));
            p.program.push_back(operation(opcode::add, count - 1, count - 2));
            for (std::int32_t k = count - 2; k-- > 0;)
                p.program.push_back(
                    operation(opcode::add, static_cast<std::int32_t>(p.program.size()) - 1, k));
            CAPTURE(static_cast<int>(folding), inner);
            CHECK(!prepared_map(p.map()).loans().empty());
            CHECK(prepared_map(p.map()).loans()[0].bytes > 0);
            check(p);
        }
}

TEST_CASE("descriptions that contradict themselves are refused", "[elementwise]") {
    auto p = matrix_fold<float>(fold::sum, 3, 4, true, 1);
    p.program = {load(2)};
    CHECK_THROWS_AS(prepared_map(p.map()), std::invalid_argument);
    p.program = {load(1), operation(opcode::add, 0, 1)};
    CHECK_THROWS_AS(prepared_map(p.map()), std::invalid_argument);
    p.program.clear();
    CHECK_THROWS_AS(prepared_map(p.map()), std::invalid_argument);
    p.program = {load(1)};
    p.strides[1].pop_back();
    CHECK_THROWS_AS(prepared_map(p.map()), std::invalid_argument);
}
