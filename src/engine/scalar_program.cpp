// Instructions on single numbers, in the type that factors are computed in.
#include "src/engine/scalar_program.hpp"

#include <complex>
#include <cstdint>
#include <type_traits>

#include <ricci/half.hpp>

#include "src/kernels/scalar/scalar_complex.hpp"
#include "src/kernels/scalar/scalar_whole.hpp"
#include "src/plan/pool/scalar.hpp"

namespace ricci::engine {
namespace {

template <class T, class Stored>
T read(const void* data) {
    return static_cast<T>(*static_cast<const Stored*>(data));
}

// One element as a number of the type that factors are computed in.
template <class T>
T element_at(const void* data, element type) {
    if constexpr (std::is_same_v<T, double>) {
        switch (type) {
            case element::f32:
                return read<T, float>(data);
            case element::bf16:
                return read<float, bf16>(data);
            case element::f16:
                return read<float, f16>(data);
            default:
                return read<T, double>(data);
        }
    } else if constexpr (std::is_integral_v<T>) {
        return read<T, T>(data);
    } else {
        return type == element::c64 ? read<T, std::complex<float>>(data)
                                    : read<T, std::complex<double>>(data);
    }
}

template <class T>
T apply(steps::opcode code, T x, T y, T z) {
    if constexpr (std::is_same_v<T, double>) return plan::evaluate(code, x, y, z);
    else return kernels::scalar::apply(kernels::operation(code), x, y, z);
}

}  // namespace

scalar_program::scalar_program(const plan::scalar& from)
    : value_(from.value),
      instructions_(from.instructions),
      operands_(from.operands.size()),
      values_(from.instructions.size()) {}

template <class T>
number scalar_program::run_as() {
    for (std::size_t k = 0; k < instructions_.size(); ++k) {
        const auto& i = instructions_[k];
        const auto argument = [&](std::int32_t n) {
            return n < 0 ? T{} : values_[static_cast<std::size_t>(n)].template as<T>();
        };
        switch (i.code) {
            case steps::opcode::constant:
                values_[k] = i.value;
                break;
            case steps::opcode::load: {
                const auto& [data, type] = operands_[static_cast<std::size_t>(i.operand)];
                values_[k] = element_at<T>(data, type);
            } break;
            default:
                values_[k] =
                    apply<T>(i.code, argument(i.first), argument(i.second), argument(i.third));
        }
    }
    return values_.back();
}

number scalar_program::run(element type) {
    if (type == element::i32) return run_as<std::int32_t>();
    if (type == element::i64) return run_as<std::int64_t>();
    if (is_complex(type)) return run_as<std::complex<double>>();
    return run_as<double>();
}

}  // namespace ricci::engine
