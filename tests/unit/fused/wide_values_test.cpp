// Fused groups written by hand whose sums have so many values that a task takes more memory than a
// worker has, over rows and over columns at once, and of one tile of rows, whose sums over rows are
// written as they are made: against sums in long double. A large vocabulary's plan.
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <ricci/program.hpp>

#include "src/fused/group.hpp"
#include "src/runtime/parallel.hpp"
#include "src/steps/fused.hpp"
#include "tests/catch.hpp"
#include "tests/unit/fused/all_pairs.hpp"

namespace {

using namespace ricci;
using steps::loop_role;
using testing::pairs::matrix;

struct sizes {
    std::size_t rows, columns, values;
    double number = 1;    // of the sums over rows
    bool masked = false;  // row i sees columns up to i alone
};

constexpr std::size_t width = 3;

template <class T>
std::vector<T> numbers_of(const matrix& m) {
    std::vector<T> all;
    for (const long double x : m.values) all.push_back(static_cast<T>(x));
    return all;
}

/// R = S V and C = number * S' X of S = A B', where S is 0 under a mask.
template <class T>
class both_sides {
public:
    explicit both_sides(const sizes& s)
        : s_(s),
          a_(testing::pairs::random_matrix<T>(s.rows, width, 1)),
          b_(testing::pairs::random_matrix<T>(s.columns, width, 2)),
          v_(testing::pairs::random_matrix<T>(s.columns, s.values, 3)),
          x_(testing::pairs::random_matrix<T>(s.rows, s.values, 4)) {
        for (const matrix* m : {&a_, &b_, &v_, &x_}) memory_.push_back(numbers_of<T>(*m));
        memory_.push_back(std::vector<T>(s.rows * s.values, T(99)));
        memory_.push_back(std::vector<T>(s.columns * s.values, T(99)));
        const auto many = static_cast<std::int64_t>(s.values);
        group_.type = element_v<T>;
        group_.loops = {{static_cast<std::int64_t>(s.rows), loop_role::row},
                        {static_cast<std::int64_t>(s.columns), loop_role::column}};
        const std::int64_t strides[][2] = {{width, 0}, {0, width}, {0, many},
                                           {many, 0},  {many, 0},  {0, many}};
        for (std::size_t k = 0; k < memory_.size(); ++k)
            add_operand(memory_[k].data(), strides[k][0], strides[k][1]);
        steps::tile_product p;
        p.a = 0, p.b = 1;
        p.contracted = {{width, 1, 1}};
        group_.products.push_back(p);
        if (s.masked) add_mask();
        add_consumer(loop_role::column, 2, 4, many);
        add_consumer(loop_role::row, 3, 5, many);
    }

    void run(fused::kernel_choice kernels) {
        const std::vector<double> numbers{1, 1, s_.number};
        fused::prepared_group(group_, kernels).run(bases_.data(), numbers.data());
    }

    void check() const {
        matrix rows{s_.rows, s_.values, std::vector<long double>(s_.rows * s_.values)},
            columns{s_.columns, s_.values, std::vector<long double>(s_.columns * s_.values)};
        for (std::size_t i = 0; i < s_.rows; ++i)
            for (std::size_t j = 0; j < s_.columns; ++j) {
                if (s_.masked && j > i) continue;
                const long double score = testing::pairs::dot(a_, i, b_, j);
                for (std::size_t c = 0; c < s_.values; ++c) {
                    rows(i, c) += score * v_(j, c);
                    columns(j, c) += s_.number * score * x_(i, c);
                }
            }
        compare(memory_[4], rows);
        compare(memory_[5], columns);
    }

private:
    void add_operand(void* memory, std::int64_t row, std::int64_t column) {
        steps::operand o;
        o.strides = {row, column};
        group_.operands.push_back(std::move(o));
        bases_.push_back(memory);
    }
    // select(j <= i, S, 0)
    void add_mask() {
        add_operand(nullptr, 1, 0);
        add_operand(nullptr, 0, 1);
        std::vector<steps::instruction> program;
        const auto push = [&](steps::opcode code, std::int32_t operand, std::int32_t first = -1,
                              std::int32_t second = -1, std::int32_t third = -1) {
            steps::instruction i;
            i.code = code;
            i.operand = operand;
            i.first = first, i.second = second, i.third = third;
            program.push_back(i);
            return static_cast<std::int32_t>(program.size()) - 1;
        };
        const auto i = push(steps::opcode::position, 6), j = push(steps::opcode::position, 7);
        const auto inside = push(steps::opcode::less_equal, -1, j, i);
        const auto score = push(steps::opcode::load, steps::tile_operand(0));
        push(steps::opcode::select, -1, inside, score, push(steps::opcode::constant, -1));
        steps::tile_operation masked;
        masked.program = std::move(program);
        group_.operations.push_back(std::move(masked));
    }
    void add_consumer(loop_role over, std::int32_t b, std::int32_t output, std::int64_t many) {
        steps::tile_consumer c;
        c.tile = s_.masked ? 1 : 0;
        c.summed = over;
        c.b = b;
        c.output = output;
        c.values = {{many, 1, 1}};
        group_.consumers.push_back(std::move(c));
    }
    static void compare(const std::vector<T>& got, const matrix& expected) {
        long double largest = 1e-30L, worst = 0;
        for (std::size_t k = 0; k < got.size(); ++k) {
            largest = std::max(largest, std::abs(expected.values[k]));
            worst = std::max(worst, std::abs(got[k] - expected.values[k]));
        }
        CHECK(static_cast<double>(worst / largest) <= (sizeof(T) == 4 ? 1e-5 : 1e-14));
    }

    sizes s_;
    matrix a_, b_, v_, x_;
    std::vector<std::vector<T>> memory_;
    steps::fused_group group_;
    std::vector<void*> bases_;
};

template <class T>
void check_everywhere(const sizes& s) {
    INFO(s.rows << " x " << s.columns << ", " << s.values << " values, number " << s.number
                << (s.masked ? ", masked" : ""));
    for (const auto kernels : {fused::kernel_choice::best, fused::kernel_choice::scalar})
        for (const int threads : {1, 3}) {
            runtime::set_worker_count(threads);
            both_sides<T> group(s);
            group.run(kernels);
            group.check();
        }
    runtime::set_worker_count(0);
}

}  // namespace

TEST_CASE("sums over both sides of more values than a worker has room for") {
    check_everywhere<float>({100, 150, 2600});
    check_everywhere<double>({60, 70, 2600});
}

TEST_CASE("sums over the rows of one tile are written as they are made") {
    for (const bool masked : {false, true})
        for (const double number : {1.0, -0.5})
            for (const std::size_t rows : {1u, 15u, 16u, 40u})
                for (const std::size_t values : {1u, 20u, 64u}) {
                    check_everywhere<float>({rows, 300, values, number, masked});
                    check_everywhere<double>({rows, 900, values, number, masked});
                }
}

TEST_CASE("a language model's loss and its gradients store no logits") {
    const auto loss = parse(R"(
        Z^{iv} = X^{ia} U^{va}
        L = \operatorname{mean}_i(\operatorname{logsumexp}_v(Z^{iv}) - Z^{i y_i})
    )")
                          .value();
    const auto p = value_and_gradient(loss, "L", {"X", "U"});
    const auto of = [](element type, const std::vector<std::size_t>& extents) {
        return shape(type, std::span<const std::size_t>(extents));
    };
    const std::vector<named> operands = {{"X", of(element::f32, {4096, 2048})},
                                         {"U", of(element::f32, {32768, 2048})},
                                         {"y", of(element::i32, {4096})},
                                         {"dL/dL", 1.0}};
    const std::string words = explain(p, operands);
    INFO(words);
    CHECK(words.find("not stored: Z[i,v]") != std::string::npos);
    CHECK(memory_of(p, operands).workspace < std::size_t{100} << 20);
}
