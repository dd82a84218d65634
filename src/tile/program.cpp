// Simplification of element-wise programs, one instruction at a time, then fusion.

#include "src/tile/program.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "src/base/hashed_numbers.hpp"
#include "src/tile/totals.hpp"
#include "src/kernels/elementwise/price.hpp"
#include "src/kernels/scalar/scalar_twin.hpp"
#include "src/kernels/scalar/scalar_whole.hpp"

namespace ricci::elementwise {

bool operator==(const node& a, const node& b) {
    return a.op == b.op && a.operand == b.operand &&
           std::bit_cast<std::uint64_t>(a.value) == std::bit_cast<std::uint64_t>(b.value) &&
           std::equal(std::begin(a.argument), std::end(a.argument), std::begin(b.argument));
}

std::uint64_t hash_of(const node& n) {
    std::uint64_t h = std::bit_cast<std::uint64_t>(n.value);
    for (const int part : {n.op, n.operand, n.argument[0], n.argument[1], n.argument[2]})
        h = (h ^ static_cast<std::uint64_t>(part)) * 0x9e3779b97f4a7c15u + (h >> 29);
    return h ^ (h >> 32);
}

namespace {

using steps::opcode;

/// Appends values and hands back their numbers; a value that exists already is not repeated.
class builder {
public:
    explicit builder(element type) : type_(type) {}

    std::vector<node> values;

    int constant(double value) {
        node n;
        n.value = value;
        return append(n);
    }

    int leaf(opcode code, int operand) {
        node n;
        n.op = kernels::operation(code);
        n.operand = operand;
        return append(n);
    }

    int apply(int op, int a, int b = -1, int c = -1) {
        const int arguments = kernels::arity(op);
        if (constant_at(a) && (arguments < 2 || constant_at(b)) &&
            (arguments < 3 || constant_at(c))) {
            const auto number = [&](int k) { return k < 0 ? 0.0 : at(k).value; };
            double value = 0;
            if (fold(op, number(a), number(b), number(c), value)) return constant(value);
        }
        node n;
        n.op = op;
        n.argument[0] = a;
        n.argument[1] = b;
        n.argument[2] = c;
        return append(n);
    }

    int apply(opcode code, int a, int b = -1, int c = -1) {
        return apply(kernels::operation(code), a, b, c);
    }

    /// Instruction `code` with the rewrites that need no knowledge of other users.
    int rewrite(opcode code, int a, int b, int c) {
        switch (code) {
            case opcode::multiply:
                if (is_number(a, 1)) return b;
                if (is_number(b, 1)) return a;
                if (a == b) return apply(opcode::square, a);
                break;
            case opcode::divide:
                if (is_number(b, 1)) return a;
                if (is_integer(type_)) break;
                if (is_number(a, 1)) return apply(opcode::reciprocal, b);
                if (constant_at(b) && exact_reciprocal(at(b).value)) {
                    return rewrite(opcode::multiply, a, constant(1 / at(b).value), -1);
                }
                break;
            case opcode::power:
                if (constant_at(b)) return power(a, b);
                break;
            case opcode::select:
                if (constant_at(a)) return at(a).value != 0 ? b : c;
                if (b == c) return b;
                break;
            default:
                break;
        }
        return apply(code, a, b, c);
    }

private:
    element type_;
    hashed_numbers known_;  // of the values

    /// The value of an operation on constants, where a double can hold it.
    bool fold(int op, double a, double b, double c, double& value) const {
        if (is_integer(type_)) {
            const auto whole = [&]<class T>(T) {
                return static_cast<double>(kernels::scalar::apply<T>(
                    op, number_from<T>(a), number_from<T>(b), number_from<T>(c)));
            };
            value = type_ == element::i32 ? whole(std::int32_t{}) : whole(std::int64_t{});
            return std::abs(value) < 0x1p53;
        }
        // Of a negative number these are complex.
        const bool real = a >= 0 || (op != kernels::operation(opcode::sqrt) &&
                                     op != kernels::operation(opcode::log) &&
                                     op != kernels::operation(opcode::power));
        if (is_complex(type_) && !real) return false;
        value = kernels::scalar::apply<double>(op, a, b, c);
        return true;
    }

    const node& at(int k) const { return values[static_cast<std::size_t>(k)]; }
    bool constant_at(int k) const { return k >= 0 && is(at(k), opcode::constant); }
    bool is_number(int k, double value) const { return constant_at(k) && at(k).value == value; }

    static bool exact_reciprocal(double value) {
        int exponent = 0;
        return std::abs(std::frexp(value, &exponent)) == 0.5 && std::abs(exponent) < 100;
    }

    int append(const node& n) {
        const std::uint64_t hash = hash_of(n);
        const auto is_same = [&](std::int32_t k) { return at(k) == n; };
        if (const std::int32_t known = known_.find(hash, is_same); known >= 0) return known;
        values.push_back(n);
        const int number = static_cast<int>(values.size()) - 1;
        known_.insert(hash, number);
        return number;
    }

    /// a ^ b for the constant b: products for small whole exponents, square roots for halves.
    /// x^0.5 is sqrt(x), which differs from pow for -infinity alone.
    int power(int a, int b) {
        const double exponent = at(b).value;
        const double size = std::abs(exponent);
        if (exponent == 0) return constant(1);
        if (is_integer(type_) && exponent < 0) return apply(opcode::power, a, b);
        int result = -1;
        if (size == std::floor(size) && size <= 16) {
            result = whole_power(a, static_cast<int>(size));
        } else if (size == 0.5) {
            result = apply(opcode::sqrt, a);
        } else if (size == 1.5) {
            result = apply(opcode::multiply, a, apply(opcode::sqrt, a));
        } else {
            return apply(opcode::power, a, b);
        }
        return exponent < 0 ? apply(opcode::reciprocal, result) : result;
    }

    int whole_power(int a, int exponent) {
        if (exponent == 1) return a;
        const int half = whole_power(a, exponent / 2);
        const int square = apply(opcode::square, half);
        return exponent % 2 == 0 ? square : apply(opcode::multiply, square, a);
    }
};

/// Keeps what the last value needs, in the same order.
std::vector<node> without_dead(const std::vector<node>& values, int result) {
    std::vector<char> live(values.size(), 0);
    live[static_cast<std::size_t>(result)] = 1;
    for (std::size_t k = values.size(); k-- > 0;) {
        if (live[k] == 0) continue;
        for (const int argument : values[k].argument) {
            if (argument >= 0) live[static_cast<std::size_t>(argument)] = 1;
        }
    }
    std::vector<node> kept;
    std::vector<int> number(values.size(), -1);
    for (std::size_t k = 0; k <= static_cast<std::size_t>(result); ++k) {
        if (live[k] == 0) continue;
        number[k] = static_cast<int>(kept.size());
        node n = values[k];
        for (int& argument : n.argument) {
            if (argument >= 0) argument = number[static_cast<std::size_t>(argument)];
        }
        kept.push_back(n);
    }
    return kept;
}

/// a * b + c as one instruction where nobody else wants the product.
void fuse_products(std::vector<node>& values) {
    std::vector<int> uses(values.size(), 0);
    for (const node& n : values) {
        for (const int argument : n.argument) {
            if (argument >= 0) ++uses[static_cast<std::size_t>(argument)];
        }
    }
    for (node& n : values) {
        if (!is(n, opcode::add)) continue;
        for (int side = 0; side < 2; ++side) {
            const auto product = static_cast<std::size_t>(n.argument[side]);
            const node& p = values[product];
            const bool square = is(p, opcode::square);
            if (uses[product] != 1 || (!square && !is(p, opcode::multiply))) continue;
            const int other = n.argument[1 - side];
            n.op = kernels::multiply_add;
            n.argument[0] = p.argument[0];
            n.argument[1] = square ? p.argument[0] : p.argument[1];
            n.argument[2] = other;
            break;
        }
    }
}

}  // namespace

std::vector<node> simplify(std::span<const steps::instruction> program, element type) {
    if (program.empty())
        throw std::invalid_argument("an element-wise program without instructions");
    builder build(type);
    std::vector<int> number;
    for (const steps::instruction& step : program) {
        const int arguments = kernels::arity(kernels::operation(step.code));
        const std::int32_t given[3] = {step.first, step.second, step.third};
        int argument[3] = {-1, -1, -1};
        for (int k = 0; k < arguments; ++k) {
            if (given[k] < 0 || static_cast<std::size_t>(given[k]) >= number.size()) {
                throw std::invalid_argument("an instruction's argument is not an earlier value");
            }
            argument[k] = number[static_cast<std::size_t>(given[k])];
        }
        switch (step.code) {
            case opcode::constant:
                number.push_back(build.constant(step.value));
                break;
            case opcode::load:
            case opcode::position:
                number.push_back(build.leaf(step.code, step.operand));
                break;
            default:
                number.push_back(build.rewrite(step.code, argument[0], argument[1], argument[2]));
        }
    }
    // What is not needed any more counts as a use: where a condition is known, a product is joined
    // as where it is not, and the value rounded as it is there.
    fuse_products(build.values);
    return without_dead(build.values, number.back());
}

double cost_of(std::span<const node> program) {
    double cost = 0.05;
    for (const node& n : program) {
        if (is(n, opcode::constant)) continue;
        if (is(n, opcode::load) || is(n, opcode::position)) {
            cost += 0.1;
            continue;
        }
        switch (kernels::price_of(static_cast<opcode>(n.op))) {
            case detail::function_price::quick:
                cost += 0.06;
                break;
            case detail::function_price::division:
            case detail::function_price::exponential:
                cost += 0.3;
                break;
            case detail::function_price::series:
                cost += 1;
                break;
            case detail::function_price::each_lane:
                cost += 10;
                break;
        }
    }
    return cost;
}

}  // namespace ricci::elementwise
