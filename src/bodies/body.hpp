// An element-wise body over pairs of rows and columns, or over the elements of lines: its values,
// and what is folded of them, or written.
#pragma once

#include <cstdint>
#include <vector>

#include "src/base/hashed_numbers.hpp"
#include "src/kernels/bodies/bodies.hpp"
#include "src/tile/program.hpp"

namespace ricci::bodies {

using elementwise::node;

/// Operations of bodies alone, behind those of kernels: the powers of the machine, and third -
/// first * second.
inline constexpr int inverse_root = kernels::operation_count;
inline constexpr int inverse_root_cubed = inverse_root + 1;
inline constexpr int quotient = inverse_root_cubed + 1;
inline constexpr int less_product = quotient + 1;

/// What a body reads: one number for each row, for each column, or for each pair. Over lines, rows
/// are one number for all elements.
enum class leaf_kind : std::uint8_t { row, column, element, pair };
inline constexpr int leaf_kinds = 4;
struct leaf {
    leaf_kind kind = leaf_kind::row;
    std::int32_t number = 0;  // among those of its kind
};

/// A value that is folded: over the columns of each row, or over the rows of each column.
struct body_fold {
    kernels::body_fold what = kernels::body_fold::add;  // of one argument
    bool over_rows = false;
    int value = -1;
    int beside = -1;  // a leaf: the numbers that the first extremum has one of
};

class body {
public:
    int row(std::int32_t number);
    int column(std::int32_t number);
    int element(std::int32_t number);
    int pair(std::int32_t number);
    int load(leaf what);
    int constant(double value);
    /// A value that is there already is not repeated.
    int apply(int op, int a, int b = -1, int c = -1);
    int apply(steps::opcode code, int a, int b = -1, int c = -1) {
        return apply(kernels::operation(code), a, b, c);
    }
    void fold(body_fold what) { folds_.push_back(what); }
    /// Over lines: what is written of each element.
    void result(int value) { results_.push_back(value); }

    const std::vector<node>& values() const { return values_; }
    const node& operator[](int k) const { return values_[static_cast<std::size_t>(k)]; }
    const std::vector<body_fold>& folds() const { return folds_; }
    const std::vector<int>& results() const { return results_; }
    /// Of a load.
    leaf leaf_of(int k) const;
    bool is(int k, steps::opcode code) const { return elementwise::is((*this)[k], code); }
    bool is_leaf_of(leaf_kind kind, int k) const {
        return is(k, steps::opcode::load) && leaf_of(k).kind == kind;
    }
    bool is_row(int k) const { return is_leaf_of(leaf_kind::row, k); }
    bool is_column(int k) const { return is_leaf_of(leaf_kind::column, k); }
    bool is_element(int k) const { return is_leaf_of(leaf_kind::element, k); }
    bool is_pair(int k) const { return is_leaf_of(leaf_kind::pair, k); }
    /// One number for a row, or the same one everywhere.
    bool is_row_or_constant(int k) const { return is_row(k) || is(k, steps::opcode::constant); }
    bool is_leaf(int k) const {
        return is(k, steps::opcode::load) || is(k, steps::opcode::constant);
    }

    /// How many values, folds and results want each value; none that none of these needs.
    std::vector<int> uses() const;
    /// The same values in fewer operations: products in the sums that they are terms of, and
    /// 1 / (x sqrt x) and its like as powers where no value jumps. `freely`: where they may be
    /// rounded otherwise, quotients within 1.5 ulp, and sums of products that begin with the number
    /// that is added.
    void simplify(bool freely = true);

private:
    int append(const node& n);

    std::vector<node> values_;
    hashed_numbers known_;  // of the values
    std::vector<body_fold> folds_;
    std::vector<int> results_;
};

/// Whether the machine has the operation.
bool has_instruction(int op);

}  // namespace ricci::bodies
