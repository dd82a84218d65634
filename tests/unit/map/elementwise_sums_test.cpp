// Sums of many terms in an element-wise program against brute force, on every SIMD target: terms
// that are rows, products, numbers and numbers of a row, sums that are scaled on the way, and more
// terms than run at once.

#include <cstddef>
#include <cstdint>
#include <random>

#include "tests/catch.hpp"
#include "tests/few.hpp"
#include "tests/unit/map/elementwise_problem.hpp"
#include "tests/unit/map/elementwise_targets.hpp"

namespace {

using namespace ricci::test;

/// Rows x columns; each operand moves along both, along one of them, or is one number, and rows of
/// some lie further apart than they are long.
template <class T>
class random_sums {
public:
    explicit random_sums(std::uint32_t seed) : random_(seed) {}

    problem<T> next() {
        problem<T> p;
        p.extents = {static_cast<std::int64_t>(1 + below(9)),
                     static_cast<std::int64_t>(1 + below(below(3) == 0 ? 300 : 60))};
        const std::size_t operands = 2 + below(6);
        p.set_operands(operands);
        for (std::size_t k = 0; k < operands; ++k) {
            const auto row = p.extents[1] + static_cast<std::int64_t>(below(3));
            const std::size_t kind = k == 0 ? below(2) : below(8);
            if (kind < 5) p.strides[k] = {row, 1};
            else if (kind == 5) p.strides[k] = {1, 0};
            else if (kind == 6) p.strides[k] = {0, 1};
            else p.strides[k] = {0, 0};
            p.allocate(k, [&] { return value(); });
        }
        add_terms(p, operands);
        return p;
    }

private:
    std::size_t below(std::size_t n) { return random_() % n; }
    double value() { return std::uniform_real_distribution<double>(-2, 2)(random_); }

    std::int32_t push(problem<T>& p, const instruction& n) {
        p.program.push_back(n);
        return static_cast<std::int32_t>(p.program.size()) - 1;
    }
    std::int32_t leaf(problem<T>& p, std::size_t operands) {
        if (below(6) != 0) return push(p, load(static_cast<std::int32_t>(1 + below(operands - 1))));
        instruction n;
        n.value = value();
        return push(p, n);
    }
    std::int32_t term(problem<T>& p, std::size_t operands) {
        const std::int32_t x = leaf(p, operands);
        if (below(2) == 0) return x;
        if (below(6) == 0) return push(p, operation(opcode::square, x));
        return push(p, operation(opcode::multiply, x, leaf(p, operands)));
    }
    void add_terms(problem<T>& p, std::size_t operands) {
        const std::size_t count = 2 + below(below(4) == 0 ? 120 : 12);
        std::int32_t sum = term(p, operands);
        for (std::size_t k = 1; k < count; ++k) {
            if (below(8) == 0) sum = push(p, operation(opcode::multiply, leaf(p, operands), sum));
            const std::int32_t next = term(p, operands);
            sum = push(p, below(3) == 0 ? operation(opcode::add, next, sum)
                                        : operation(opcode::add, sum, next));
            if (below(30) == 0) sum = push(p, operation(opcode::sin, sum));
        }
    }

    std::mt19937 random_;
};

template <class T>
void check_sums(std::uint32_t count) {
    for (std::uint32_t seed = 0; seed < count; ++seed) {
        auto p = random_sums<T>(seed).next();
        CAPTURE(seed, p.extents, p.strides);
        check(p);
    }
}

}  // namespace

TEST_CASE("sums of many terms") {
    every_target().run([] {
        check_sums<float>(ricci::testing::few() ? 100 : 400);
        check_sums<double>(ricci::testing::few() ? 100 : 400);
    });
}
