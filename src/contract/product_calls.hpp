// What small contractions come to: calls of kernels whose operands alone differ, prepared once, and
// a list of them that is run without a look at anything else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <typeindex>
#include <utility>
#include <vector>

#include "src/kernels/gemm/gemm.hpp"

namespace ricci::contractions {

/// A small product with all that it takes but the addresses of its operands.
class product_shape {
public:
    product_shape() = default;
    product_shape(const product_shape&) = delete;
    product_shape& operator=(const product_shape&) = delete;
    virtual ~product_shape() = default;

    /// So many products, one after the other: one may read what those before it have written. Runs
    /// on the calling thread, lends nothing.
    virtual void run(const kernels::product_places* at, std::int64_t count) const = 0;

    /// Numbers that tell apart what does not do the same, of shapes of one class.
    virtual std::vector<std::int64_t> key() const = 0;
};

/// As a part of a key: 0 and -0 are not the same factor.
template <class T>
std::int64_t bits_of(T value) {
    std::int64_t bits = 0;
    static_assert(sizeof value <= sizeof bits);
    std::memcpy(&bits, &value, sizeof value);
    return bits;
}

/// A product of a contraction: where its operands begin, in bytes from those of the contraction.
struct product_call {
    std::unique_ptr<const product_shape> shape;
    std::int64_t a = 0, b = 0, c = 0;
    bool swapped = false;  // its A is the contraction's B
};

/// A contraction of more calls than this does not notice what comes before them.
inline constexpr std::size_t most_calls = 8;

/// The products of steps one after another: a flat list of addresses, and few shapes, as steps that
/// are alike share theirs. Products of one shape that follow each other are one call of a kernel.
class call_list {
public:
    /// The next step; without calls where it is carried out by others.
    void add_step(std::vector<product_call> calls);
    bool has_calls(std::size_t step) const { return ends_[step] < ends_[step + 1]; }

    /// Where the operands of a step's contraction are.
    void bind(std::size_t step, const void* a, const void* b, void* c);

    void run(std::size_t step) const { run_calls(ends_[step], ends_[step + 1]); }
    /// Runs steps of [first, end) for which `is_due(step)`, up to one that has no calls; gives its
    /// number, or `end`.
    template <class IsDue>
    std::size_t run(std::size_t first, std::size_t end, const IsDue& is_due) const;

private:
    struct offsets {
        std::int64_t a, b, c;
        bool swapped;
    };
    void run_calls(std::size_t first, std::size_t end) const;

    std::vector<std::size_t> ends_{0};  // before the first step, and of each one: of its calls
    // Of each call:
    std::vector<const product_shape*> shapes_;
    std::vector<kernels::product_places> places_;
    std::vector<offsets> offsets_;
    using shape_key = std::pair<std::type_index, std::vector<std::int64_t>>;
    std::map<shape_key, std::unique_ptr<const product_shape>> distinct_;
};

template <class IsDue>
std::size_t call_list::run(std::size_t first, std::size_t end, const IsDue& is_due) const {
    std::size_t waiting = 0, ready = 0;  // calls in a row that are due
    for (; first < end; ++first) {
        if (!is_due(first)) continue;
        if (!has_calls(first)) break;
        if (ends_[first] != ready) {
            run_calls(waiting, ready);
            waiting = ends_[first];
        }
        ready = ends_[first + 1];
    }
    run_calls(waiting, ready);
    return first;
}

}  // namespace ricci::contractions
