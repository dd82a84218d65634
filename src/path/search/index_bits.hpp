// Sets of a few numbered indices, as words of bits.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ricci::path {

/// A set of a product's indices, which are numbered from 0. The first 64, which is nearly always
/// all, need no memory of their own.
class index_bits {
public:
    explicit index_bits(std::size_t indices = 0) : high_(indices > 64 ? (indices - 1) / 64 : 0) {}
    void insert(std::size_t i) {
        (i < 64 ? low_ : high_[i / 64 - 1]) |= std::uint64_t{1} << (i % 64);
    }
    friend index_bits operator|(index_bits a, const index_bits& b) {
        return a.combine(b, [](std::uint64_t x, std::uint64_t y) { return x | y; });
    }
    friend index_bits operator&(index_bits a, const index_bits& b) {
        return a.combine(b, [](std::uint64_t x, std::uint64_t y) { return x & y; });
    }
    double size(const std::vector<double>& extents) const { return size_with(*this, extents); }
    /// The size of the union with another set.
    double size_with(const index_bits& other, const std::vector<double>& extents) const {
        double product = size_of(low_ | other.low_, extents.data());
        for (std::size_t k = 0; k < high_.size(); ++k)
            product *= size_of(high_[k] | other.high_[k], extents.data() + 64 * (k + 1));
        return product;
    }

private:
    template <class Operation>
    index_bits&& combine(const index_bits& other, Operation operation) {
        low_ = operation(low_, other.low_);
        for (std::size_t k = 0; k < high_.size(); ++k)
            high_[k] = operation(high_[k], other.high_[k]);
        return std::move(*this);
    }
    static double size_of(std::uint64_t word, const double* extents) {
        double product = 1;
        for (; word != 0; word &= word - 1) product *= extents[std::countr_zero(word)];
        return product;
    }

    std::uint64_t low_ = 0;
    std::vector<std::uint64_t> high_;
};

}  // namespace ricci::path
