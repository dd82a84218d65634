// What a normal form is made of: terms with a coefficient, factors and sums, and their arithmetic.
#pragma once

#include <cstdint>

#include <ricci/detail/buffer.hpp>
#include <ricci/ir/quotient.hpp>
#include <ricci/ir/program.hpp>

namespace ricci::ir {

struct normal_factor {
    ref atom;  // a node that is no sum, product or quotient; a number where its power does not fold
    quotient exponent;
};

struct normal_term {
    quotient coefficient = 1;
    detail::buffer<normal_factor> factors;
    detail::buffer<ref> bound;  // indices summed over the whole term, each a symbol of its own
};

/// Sums over an index no longer.
constexpr void unbind(normal_term& t, ref index) {
    detail::buffer<ref> others;
    for (const ref i : t.bound)
        if (i != index) others.push(i);
    t.bound = others;
}

/// Terms by value in a growable list; `buffer` holds trivial types only.
class normal_sum {
public:
    constexpr normal_sum() = default;
    constexpr normal_sum(normal_sum&& other) noexcept
        : terms_(other.terms_), size_(other.size_), capacity_(other.capacity_) {
        other.terms_ = nullptr;
        other.size_ = other.capacity_ = 0;
    }
    constexpr normal_sum& operator=(normal_sum&& other) noexcept {
        auto* terms = terms_;
        auto size = size_, capacity = capacity_;
        terms_ = other.terms_, size_ = other.size_, capacity_ = other.capacity_;
        other.terms_ = terms, other.size_ = size, other.capacity_ = capacity;
        return *this;
    }
    constexpr ~normal_sum() { delete[] terms_; }

    constexpr void push(normal_term&& t) {
        if (size_ == capacity_) {
            capacity_ = capacity_ ? 2 * capacity_ : 4;
            auto* moved = new normal_term[static_cast<std::uint32_t>(capacity_)];
            for (std::int32_t k = 0; k < size_; ++k)
                moved[k] = static_cast<normal_term&&>(terms_[k]);
            delete[] terms_;
            terms_ = moved;
        }
        terms_[size_++] = static_cast<normal_term&&>(t);
    }
    constexpr std::int32_t size() const { return size_; }
    constexpr normal_term& operator[](std::int32_t k) { return terms_[k]; }
    constexpr const normal_term& operator[](std::int32_t k) const { return terms_[k]; }

private:
    normal_term* terms_ = nullptr;
    std::int32_t size_ = 0;
    std::int32_t capacity_ = 0;
};

/// i i = -1.
constexpr void fold_imaginary_units(const program& p, normal_term& t) {
    for (std::int32_t k = 0; k < t.factors.size(); ++k) {
        normal_factor& f = t.factors[k];
        if (p.nodes[f.atom].kind != op::imaginary_unit || !f.exponent.is_whole()) continue;
        const std::int64_t turns = f.exponent.above() & 3;
        if (turns >= 2) t.coefficient.multiply(-1);
        f.exponent = turns & 1;
        if (turns % 2 == 0) {
            f = t.factors.back();
            t.factors.shrink(t.factors.size() - 1);
        }
        return;  // equal atoms are one factor
    }
}

}  // namespace ricci::ir
