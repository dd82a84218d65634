// Everything of a request that a plan depends on, as numbers: what tells two requests apart.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include <ricci/engine/executable.hpp>

#include "src/kernels/gemm/gemm.hpp"

namespace ricci::engine {

/// Addresses are not among them, but for whether there is one.
using call_key = std::vector<std::int64_t>;

/// Hands out the numbers of a request, one after the other, until `visit` returns false. Every
/// struct is taken apart into all of its members: one that is added does not compile until it
/// stands here too.
template <class Visit>
class key_numbers {
public:
    explicit key_numbers(Visit visit) : visit_(visit) {}

    bool of(const request& r) {
        // The key stands for the program. Where outputs go is the caller's business at each call.
        const auto& [program, program_key, owner, layers, type, inputs, input_count, outputs,
                     output_count, index_extents, index_extent_count, alpha, beta, fuse,
                     solve_places, exact_distances, allocate, context] = r;
        // Layers are planned for themselves.
        static_cast<void>(program), static_cast<void>(owner), static_cast<void>(layers);
        static_cast<void>(allocate), static_cast<void>(context);
        // Kernels that a test forces are other kernels.
        const auto kernels = reinterpret_cast<std::intptr_t>(kernels::gemm_kernels<float>().target);
        return all(program_key, kernels, type, fuse + 2 * solve_places + 4 * exact_distances) &&
               of(alpha) && of(beta) && of(inputs, input_count) && of(outputs, output_count) &&
               of(index_extents, index_extent_count);
    }

private:
    // Small calls compare a key again and again: two numbers that fit into one are one.
    static std::int64_t both(std::int32_t a, std::int32_t b) {
        return static_cast<std::int64_t>(a) * (std::int64_t{1} << 32) +
               static_cast<std::int64_t>(static_cast<std::uint32_t>(b));
    }
    template <class... Value>
    bool all(Value... values) {
        return (visit_(static_cast<std::int64_t>(values)) && ...);
    }
    template <class T>
    bool of(const T* list, std::int32_t count) {
        if (!all(count)) return false;
        for (std::int32_t k = 0; k < count; ++k)
            if (!of(list[k])) return false;
        return true;
    }
    bool of(const engine::number& n) {
        const auto& [real, imaginary, whole] = n;
        return all(std::bit_cast<std::int64_t>(real), std::bit_cast<std::int64_t>(imaginary),
                   whole);
    }
    bool of(const index_extent& i) {
        const auto& [index, extent] = i;
        return all(index, extent);
    }
    bool of(const operand& o) {
        const auto& [name, rank, data, extents, strides, value, is_positions, positions, shape_only,
                     watch] = o;
        static_cast<void>(shape_only), static_cast<void>(watch);  // shapes are no part of a call
        // Only where it is a number is the value of one part of the plan.
        const std::int64_t kind = static_cast<std::int64_t>(positions) * 4 +
                                  (is_positions ? 2 : 0) + (data == nullptr ? 1 : 0);
        if (!all(both(name, rank), kind)) return false;
        if (data == nullptr && !of(value)) return false;
        for (std::int32_t axis = 0; axis < rank; ++axis)
            if (!all(extents[axis], strides[axis])) return false;
        return true;
    }

    Visit visit_;
};

inline call_key key_of(const request& r) {
    call_key key;
    key_numbers([&](std::int64_t value) {
        key.push_back(value);
        return true;
    }).of(r);
    return key;
}

inline bool describes(const call_key& key, const request& r) {
    std::size_t at = 0;
    const bool same = key_numbers([&](std::int64_t value) {
                          return at < key.size() && key[at++] == value;
                      }).of(r);
    return same && at == key.size();
}

}  // namespace ricci::engine
