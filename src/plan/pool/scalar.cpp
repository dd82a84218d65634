// The instructions of element-wise programs on single numbers.
#include "src/plan/pool/scalar.hpp"

#include <limits>

#include "src/kernels/elementwise/price.hpp"
#include "src/kernels/scalar/scalar_twin.hpp"

namespace ricci::plan {

bool is_expensive(opcode code) {
    return kernels::price_of(code) >= kernels::function_price::exponential;
}

double largest_number(element type) {
    return type == element::f32 ? double{std::numeric_limits<float>::max()}
                                : std::numeric_limits<double>::max();
}

double evaluate(opcode code, double x, double y, double z) {
    return kernels::scalar::apply<double>(kernels::operation(code), x, y, z);
}

}  // namespace ricci::plan
