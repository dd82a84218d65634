// The product of a block of rows of A with panels of B over one block of k.
#pragma once

#include <cstdint>

#include "src/contract/k_block.hpp"
#include "src/contract/left_panels.hpp"
#include "src/contract/result_lines.hpp"
#include "src/contract/right_panels.hpp"
#include "src/kernels/gemm/gemm.hpp"

namespace ricci::contractions {

/// The three operands of a contraction, prepared: what no pass changes.
template <class T, class Stored>
struct panel_operands {
    const kernels::kernel_table<T, Stored>* table;
    left_panels<T, Stored> left;
    right_panels<T, Stored> right;
    result_lines<T, Stored> result;
    bool left_far = false, right_far = false;  // A, or B, does not stay in the caches
    std::int64_t largest_buffer = 0;           // elements of the largest panel that is packed alone
};

/// Rows [first, end) of A in a block of k: those of A itself, and where they are packed.
template <class T, class Stored>
struct block_rows {
    operand_start<Stored> a = {};
    std::int64_t first = 0, end = 0;
    const k_block* block = nullptr;
    const T* packed = nullptr;
};

/// Panels [first, end) of B in that block: packed already, or to be read where they lie and else
/// packed one by one.
template <class T, class Stored>
struct block_columns {
    std::int64_t first = 0, end = 0;
    const T* packed = nullptr;     // the first panel's block
    operand_start<Stored> b = {};  // otherwise B, and memory for one panel at a time
    T* buffer = nullptr;
};

/// Where the product goes: to C itself, or to partial sums.
template <class T, class Stored>
struct destination {
    Stored* c = nullptr;
    T* sums = nullptr;
    const std::int64_t* rows = nullptr;
    const std::int64_t* columns = nullptr;
    unsigned adjacency = 0;  // ~0: all columns are adjacent, as those of partial sums are
    bool partial = false;
    T alpha = T{1};
    T beta = T{0};
    bool stream = false;  // written past the caches, where rows are whole lines
    bool fold = false;    // or where tiles of several rows are
};

template <class T, class Stored>
void multiply_block(const panel_operands<T, Stored>& operands, const block_rows<T, Stored>& rows,
                    const block_columns<T, Stored>& columns, const destination<T, Stored>& to);

}  // namespace ricci::contractions
