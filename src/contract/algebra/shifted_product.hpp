// Log-sum-exp as an ordinary product: of the exponentials of A and B, shifted by the maxima of A's
// rows and of B's columns, whose logarithms are shifted back. Elements that this would cost digits
// are folded again, term by term.
//
// With r the maximum of a row and c that of a column, p = the sum over k of exp(a - r) exp(b - c)
// is at most the number of terms K. A factor or a product below the smallest normal number t may
// become 0, which costs less than 3 K t in all: where p is at least 4 K t / u (u: half the distance
// from 1 to the next number) that is less than u p. Elsewhere, and where a maximum is not finite,
// the element is folded again; but where a row or column is all -infinity it is -infinity.
// The error is at most u (2 K + 4 |log p| + 2 |r + c| + 16), and u (2 K + 4 |result| + 16) of
// elements that are folded again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "src/contract/algebra/algebra_strategy.hpp"
#include "src/contract/contraction.hpp"
#include "src/contract/flat_contraction.hpp"
#include "src/kernels/algebra/logsumexp.hpp"

namespace ricci::contractions {

/// Whether the operands are used so often that exponentials of them are fewer than those of terms.
bool suits_shifted_product(const index_groups& groups);

template <class T>
class shifted_product final : public algebra_strategy<T> {
public:
    shifted_product(const index_groups& groups, const kernels::logsumexp_table<T>& table);
    void run(const algebra_operands<T>& given) const override;
    runtime::loan_list loans() const override;
    const char* name() const override { return "a product of shifted exponentials"; }

private:
    // An operand's exponentials, of one batch: rows or columns (lines) contiguous along k, or k
    // along lines, as the operand itself lies.
    struct lines_layout {
        std::int64_t lines = 1, depth = 1;
        bool along = true;
        std::int64_t line_step() const { return along ? depth : 1; }
        std::int64_t depth_step() const { return along ? 1 : lines; }
        std::int64_t size() const { return lines * depth; }
    };
    // What is lent: exponentials and shifts, batch after batch.
    struct scratch {
        T *a = nullptr, *b = nullptr, *a_shifts = nullptr, *b_shifts = nullptr;
    };
    void prepare_product(const index_groups& groups);
    std::int64_t chunk_elements() const;
    scratch parts_of(T* memory) const;
    void run_chunk(const algebra_operands<T>& from, std::int64_t first, const scratch& to) const;
    void shift(const T* origin, const lines_layout& how, const offset_vector& lines,
               const offset_vector& depth, std::int64_t part, T* to, T* shifts) const;
    void shift_part(const algebra_operands<T>& from, std::int64_t first, std::int64_t unit,
                    const scratch& to) const;
    void finish_row(const algebra_operands<T>& from, std::int64_t batch, std::int64_t row,
                    const scratch& shifts, std::int32_t* redo) const;
    void fold_again(const algebra_operands<T>& at, std::int64_t row, std::int64_t first_column,
                    const std::int32_t* redo, std::int64_t count) const;
    void join_before(const algebra_operands<T>& from, std::int64_t first, const T* before) const;
    void copy_before(const algebra_operands<T>& from, std::int64_t first, T* before) const;
    algebra_operands<T> batch_of(const algebra_operands<T>& from, std::int64_t batch) const;

    const kernels::logsumexp_table<T>* table_;
    walk_origin origin_;
    loop_list batches_;
    flat_contraction flat_;
    lines_layout a_, b_;
    std::int64_t chunk_ = 1;  // batches at a time: all, or one
    std::unique_ptr<const prepared_contraction> product_;
    T least_;
    bool serial_;
};

}  // namespace ricci::contractions
