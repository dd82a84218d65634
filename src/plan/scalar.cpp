// The instructions of element-wise programs on single numbers.
#include "src/plan/scalar.hpp"

#include <algorithm>
#include <cmath>

namespace ricci::plan {

int argument_count(opcode code) {
    if (code <= opcode::position) return 0;
    if (code < opcode::add) return 1;
    return code == opcode::select ? 3 : 2;
}

bool is_expensive(opcode code) {
    switch (code) {
        case opcode::exp:
        case opcode::log:
        case opcode::sin:
        case opcode::cos:
        case opcode::tanh:
        case opcode::sigmoid:
        case opcode::gelu:
        case opcode::silu:
        case opcode::elu:
        case opcode::erf:
        case opcode::power:
        case opcode::modulo:
            return true;
        default:
            return false;
    }
}

double evaluate(opcode code, double x, double y, double z) {
    const auto sigmoid = [](double t) {
        // The exponential of a negative number cannot overflow.
        const double e = std::exp(-std::abs(t));
        return t >= 0 ? 1 / (1 + e) : e / (1 + e);
    };
    const auto truth = [](bool b) { return b ? 1.0 : 0.0; };
    switch (code) {
        case opcode::constant:
        case opcode::load:
        case opcode::position:
            break;
        case opcode::conjugate:
            return x;
        case opcode::negate:
            return -x;
        case opcode::absolute:
            return std::abs(x);
        case opcode::sqrt:
            return std::sqrt(x);
        case opcode::exp:
            return std::exp(x);
        case opcode::log:
            return std::log(x);
        case opcode::sin:
            return std::sin(x);
        case opcode::cos:
            return std::cos(x);
        case opcode::tanh:
            return std::tanh(x);
        case opcode::sigmoid:
            return sigmoid(x);
        case opcode::relu:
            return x > 0 || std::isnan(x) ? x : 0;
        case opcode::gelu:
            return 0.5 * x * (1 + std::erf(x * 0.70710678118654752440));
        case opcode::silu:
            return x * sigmoid(x);
        case opcode::elu:
            return x > 0 ? x : std::expm1(x);
        case opcode::sign:
            return x > 0 ? 1 : x < 0 ? -1 : x;
        case opcode::erf:
            return std::erf(x);
        case opcode::floor:
            return std::floor(x);
        case opcode::square:
            return x * x;
        case opcode::reciprocal:
            return 1 / x;
        case opcode::logical_not:
            return truth(x == 0);
        case opcode::add:
            return x + y;
        case opcode::subtract:
            return x - y;
        case opcode::multiply:
            return x * y;
        case opcode::divide:
            return x / y;
        case opcode::power:
            return std::pow(x, y);
        case opcode::minimum:
            return std::min(x, y);
        case opcode::maximum:
            return std::max(x, y);
        case opcode::modulo:
            return x - y * std::floor(x / y);
        case opcode::less:
            return truth(x < y);
        case opcode::less_equal:
            return truth(x <= y);
        case opcode::equal:
            return truth(x == y);
        case opcode::not_equal:
            return truth(x != y);
        case opcode::logical_and:
            return truth(x != 0 && y != 0);
        case opcode::logical_or:
            return truth(x != 0 || y != 0);
        case opcode::select:
            return x != 0 ? y : z;
    }
    return 0;
}

}  // namespace ricci::plan
