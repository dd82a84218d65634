// Contraction paths from the inside: operands as sets of numbered indices.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/plan/path.hpp"

namespace ricci::plan {

/// A set of a product's indices, which are numbered from 0.
class index_set {
public:
    explicit index_set(std::size_t indices = 0) : words_((indices + 63) / 64) {}
    void insert(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
    friend index_set operator|(index_set a, const index_set& b) {
        for (std::size_t k = 0; k < a.words_.size(); ++k) a.words_[k] |= b.words_[k];
        return a;
    }
    friend index_set operator&(index_set a, const index_set& b) {
        for (std::size_t k = 0; k < a.words_.size(); ++k) a.words_[k] &= b.words_[k];
        return a;
    }
    friend index_set operator-(index_set a, const index_set& b) {
        for (std::size_t k = 0; k < a.words_.size(); ++k) a.words_[k] &= ~b.words_[k];
        return a;
    }
    double size(const std::vector<double>& extents) const {
        double product = 1;
        for (std::size_t k = 0; k < words_.size(); ++k)
            for (std::uint64_t w = words_[k]; w != 0; w &= w - 1)
                product *= extents[64 * k + static_cast<std::size_t>(std::countr_zero(w))];
        return product;
    }
    /// The size of the union with another set.
    double size_with(const index_set& other, const std::vector<double>& extents) const {
        double product = 1;
        for (std::size_t k = 0; k < words_.size(); ++k)
            for (std::uint64_t w = words_[k] | other.words_[k]; w != 0; w &= w - 1)
                product *= extents[64 * k + static_cast<std::size_t>(std::countr_zero(w))];
        return product;
    }
    bool intersects(const index_set& other) const {
        for (std::size_t k = 0; k < words_.size(); ++k)
            if (words_[k] & other.words_[k]) return true;
        return false;
    }

private:
    std::vector<std::uint64_t> words_;
};

struct problem {
    std::vector<index_set> operands;
    index_set result;
    std::vector<double> extents;
};

/// The best path there is; for up to exact_path_operands operands.
contraction_path exact_path(const problem& p);
/// A good path for any number of operands.
contraction_path greedy_path(const problem& p);

}  // namespace ricci::plan
