// A product of a few elements that lie anyhow: what lies out of order is copied to the stack, an
// element at a time, and multiplied there. Other ways prepare for longer than such a product takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "src/contract/direct.hpp"
#include "src/contract/index_groups.hpp"
#include "src/contract/offsets.hpp"
#include "src/contract/strategy.hpp"
#include "src/kernels/gemm/gemm.hpp"

namespace ricci::contractions {

/// Whether there are so few elements, and not enough batches to be run in vectors.
template <class T>
bool suits_small_product(const index_groups& groups, const kernels::kernel_table<T>& table);

/// The product itself, of operands from where their walks start.
template <class T>
class copied_product {
public:
    copied_product(const index_groups& groups, const kernels::kernel_table<T>& table);
    void run(const T* a, const T* b, T* c, T alpha, T beta) const;
    /// Numbers that tell it from what does something else.
    std::vector<std::int64_t> key() const;

private:
    /// Where the elements of a matrix lie, row after row; none: it is used where it lies.
    using places = std::vector<std::int32_t>;
    void make_kernels(const index_groups& groups, const kernels::kernel_table<T>& table);
    void multiply_batch(const T* a, const T* b, T* c, T alpha, T beta) const;
    void multiply_loops(const T* a, const T* b, T* c, T alpha, T beta) const;

    bool conjugate_a_ = false, conjugate_b_ = false;
    std::vector<position> batches_;
    std::int64_t m_ = 1, n_ = 1, k_ = 1;
    places a_, b_, c_;
    // The product of what is in order then, by kernels; or by plain loops, of copies.
    std::optional<direct<std::conditional_t<std::is_arithmetic_v<T>, T, float>>> kernels_;
};

/// Computes in T, as the operands are stored. Lends nothing, and runs on the calling thread.
template <class T>
class small_product final : public strategy {
public:
    /// `groups`: such as suits_small_product() accepts with this table.
    small_product(const index_groups& groups, const kernels::kernel_table<T>& table)
        : origin_(groups.origin), how_(std::make_shared<copied_product<T>>(groups, table)) {}
    void run(const void* a, const void* b, void* c, const engine::number& alpha,
             const engine::number& beta) const override;
    std::vector<product_call> calls(const engine::number& alpha,
                                    const engine::number& beta) const override;

private:
    class shape;

    walk_origin origin_;
    std::shared_ptr<const copied_product<T>> how_;  // calls have it, too
};

}  // namespace ricci::contractions
