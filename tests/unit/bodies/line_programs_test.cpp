// Random programs on lines, of every SIMD target: the same bits as one operation after another, for
// operands that lie anyhow, wherever an element is in its line.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <vector>

#include "src/bodies/line_code.hpp"
#include "src/kernels/scalar/scalar_twin.hpp"
#include "tests/catch.hpp"
#include "tests/few.hpp"
#include "tests/unit/map/elementwise_targets.hpp"

namespace {

using namespace ricci;
using elementwise::node;
using elementwise::tile_shape;
using elementwise::tile_strides;
using steps::opcode;

template <class T>
bool same_number(T a, T b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

/// A program with memory of its own.
template <class T>
class machine {
public:
    machine(std::span<const node> program, std::span<const tile_strides> strides, tile_shape shape)
        : code_(program, strides, shape), numbers_(code_.number_elements()) {
        slots_.resize(code_.slot_count());
    }
    const bodies::line_code<T>& code() const { return code_; }

    /// `step`: between rows of `out`, where it is given; 0: the tile as the code has it.
    std::vector<T> run(std::vector<void*> bases, const std::vector<std::int64_t>& at, T* out,
                       std::int64_t step) {
        const typename bodies::line_code<T>::memory_type m{numbers_.data(), slots_.data(),
                                                           bases.data()};
        const std::int64_t p = code_.shape().p_chunk, q = code_.shape().q_chunk;
        code_.start(m);
        code_.begin(m, at.data());
        const T* from = out;
        if (step == 0) {
            const auto view = code_.run(m, at.data(), p, q, out);
            from = view.data, step = view.stride;
        } else {
            code_.run_to_rows(m, at.data(), p, q, out, step);
        }
        std::vector<T> result;
        for (std::int64_t i = 0; i < p; ++i)
            for (std::int64_t j = 0; j < q; ++j) result.push_back(from[i * step + j]);
        return result;
    }

private:
    bodies::line_code<T> code_;
    std::vector<T> numbers_;
    std::vector<kernels::line_operand<T>> slots_;
};

node leaf(opcode code, int operand) {
    node n;
    n.op = kernels::operation(code);
    n.operand = operand;
    return n;
}
node applied(int op, int a, int b = -1, int c = -1) {
    node n;
    n.op = op;
    n.argument[0] = a, n.argument[1] = b, n.argument[2] = c;
    return n;
}

/// One operation on values that lie one behind the other.
template <class T>
std::vector<T> one_operation(int op, std::vector<T> a, std::vector<T> b, std::vector<T> c) {
    const auto count = static_cast<std::int64_t>(a.size());
    std::vector<node> program;
    for (int k = 0; k < kernels::arity(op); ++k) program.push_back(leaf(opcode::load, k));
    program.push_back(
        applied(op, 0, kernels::arity(op) > 1 ? 1 : -1, kernels::arity(op) > 2 ? 2 : -1));
    const std::vector<tile_strides> strides(3, {count, 1});
    machine<T> m(program, strides, {1, count, 1, count});
    return m.run({a.data(), b.data(), c.data()}, {0, 0, 0}, nullptr, 0);
}

/// Those that are exact, or rounded once, by themselves.
bool is_plain(int op) {
    if (op == kernels::multiply_add) return false;
    constexpr opcode all[] = {
        opcode::negate,    opcode::square,      opcode::reciprocal, opcode::sqrt,
        opcode::absolute,  opcode::relu,        opcode::floor,      opcode::add,
        opcode::subtract,  opcode::multiply,    opcode::divide,     opcode::maximum,
        opcode::minimum,   opcode::less,        opcode::less_equal, opcode::equal,
        opcode::not_equal, opcode::logical_and, opcode::logical_or, opcode::logical_not,
        opcode::select,    opcode::sign};
    return std::ranges::find(all, static_cast<opcode>(op)) != std::end(all);
}

class drawing {
public:
    explicit drawing(unsigned seed) : generator_(seed) {}
    int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(generator_); }

    /// Mostly ordinary numbers, equal ones among them.
    template <class T>
    T number() {
        constexpr T limit = std::numeric_limits<T>::infinity();
        switch (below(40)) {
            case 0:
                return std::numeric_limits<T>::quiet_NaN();
            case 1:
                return below(2) == 0 ? limit : -limit;
            case 2:
            case 3:
            case 4:
                return static_cast<T>(1 + below(3));
            default:
                return static_cast<T>(std::uniform_real_distribution<double>(-3, 3)(generator_));
        }
    }

    int operation() {
        constexpr opcode few[] = {opcode::add,      opcode::subtract,   opcode::multiply,
                                  opcode::multiply, opcode::add,        opcode::divide,
                                  opcode::maximum,  opcode::minimum,    opcode::less,
                                  opcode::select,   opcode::less_equal, opcode::square};
        switch (below(4)) {
            case 0:
                return kernels::multiply_add;
            case 1: {
                // Any other, functions too.
                const int first = kernels::operation(opcode::negate);
                return first + below(kernels::operation(opcode::select) - first);
            }
            default:
                return kernels::operation(few[below(static_cast<int>(std::size(few)))]);
        }
    }

private:
    std::mt19937 generator_;
};

/// An operand's elements as they lie, and one behind the other.
template <class T>
struct lying {
    tile_strides strides;
    std::vector<T> memory, elements;
    bool is_position = false;
    std::int64_t at = 0;
};

template <class T>
lying<T> operand(drawing& draw, std::int64_t p, std::int64_t q) {
    const tile_strides ways[] = {{q, 1}, {q, 1}, {q + 3, 1}, {1, 0},    {0, 0},
                                 {1, p}, {0, 1}, {2 * q, 2}, {1, p + 1}};
    lying<T> o;
    o.strides = ways[draw.below(static_cast<int>(std::size(ways)))];
    o.is_position = draw.below(8) == 0;
    o.at = draw.below(3);
    const auto place = [&](std::int64_t i, std::int64_t j) {
        return o.at + i * o.strides.p + j * o.strides.q;
    };
    o.memory.resize(static_cast<std::size_t>(place(p - 1, q - 1)) + 1);
    for (T& x : o.memory) x = draw.number<T>();
    for (std::int64_t i = 0; i < p; ++i)
        for (std::int64_t j = 0; j < q; ++j)
            o.elements.push_back(o.is_position ? static_cast<T>(place(i, j))
                                               : o.memory[static_cast<std::size_t>(place(i, j))]);
    return o;
}

template <class T>
void check_program(unsigned seed) {
    drawing draw(seed);
    const std::int64_t p = draw.below(3) == 0 ? 1 : 1 + draw.below(7);
    const std::int64_t q = 1 + draw.below(draw.below(2) == 0 ? 40 : 400);
    const auto count = static_cast<std::size_t>(p * q);
    std::vector<lying<T>> operands;
    for (int k = 0; k < 4; ++k) operands.push_back(operand<T>(draw, p, q));

    std::vector<node> program;
    std::vector<std::vector<T>> values;
    for (int k = 0; k < 4; ++k) {
        program.push_back(leaf(
            operands[static_cast<std::size_t>(k)].is_position ? opcode::position : opcode::load,
            k));
        values.push_back(operands[static_cast<std::size_t>(k)].elements);
    }
    node constant;
    constant.value = 0.75;
    program.push_back(constant);
    values.emplace_back(count, static_cast<T>(0.75));
    const int operations = draw.below(20);
    for (int k = 0; k < operations; ++k) {
        const auto any = [&] { return draw.below(static_cast<int>(program.size())); };
        // The last value most of the time, so that programs are deep.
        const int a = draw.below(3) == 0 ? any() : static_cast<int>(program.size()) - 1;
        const int op = draw.operation();
        const node n = applied(op, a, kernels::arity(op) > 1 ? any() : -1,
                               kernels::arity(op) > 2 ? any() : -1);
        const auto argument = [&](int i) {
            return values[static_cast<std::size_t>(std::max(n.argument[i], 0))];
        };
        std::vector<T> value;
        if (is_plain(op)) {
            for (std::size_t i = 0; i < count; ++i)
                value.push_back(
                    kernels::scalar::apply<T>(op, argument(0)[i], argument(1)[i], argument(2)[i]));
        } else {
            value = one_operation<T>(op, argument(0), argument(1), argument(2));
        }
        program.push_back(n);
        values.push_back(std::move(value));
    }

    std::vector<tile_strides> strides;
    std::vector<void*> bases;
    std::vector<std::int64_t> at;
    for (auto& o : operands) {
        strides.push_back(o.strides);
        bases.push_back(o.memory.data());
        at.push_back(o.at);
    }
    machine<T> m(program, strides, {p, q, p, q});
    const auto check = [&](const std::vector<T>& got, const char* where) {
        for (std::size_t i = 0; i < count; ++i) {
            if (same_number(got[i], values.back()[i])) continue;
            CAPTURE(seed, where, p, q, i, got[i], values.back()[i]);
            FAIL_CHECK("another number");
            return;
        }
    };
    check(m.run(bases, at, nullptr, 0), "its own memory");
    std::vector<T> out(static_cast<std::size_t>(p * (q + 5)));
    check(m.run(bases, at, out.data(), 0), "a tile");
    if (m.code().writes_rows()) check(m.run(bases, at, out.data(), q + 5), "rows");
    // An operand that is one line may be the result.
    for (auto& o : operands)
        if (!o.is_position && o.strides.p == q && o.strides.q == 1) {
            check(m.run(bases, at, o.memory.data() + o.at, 0), "an operand");
            break;
        }
}

}  // namespace

TEST_CASE("random programs on lines are their operations one after another") {
    test::every_target().run([] {
        for (unsigned seed = 0; seed < testing::few_or(100u, 1000u); ++seed) {
            check_program<float>(seed);
            check_program<double>(seed + 100000);
        }
    });
}
