// Factors and solutions of one matrix as a list of operations that are planned once: panels,
// exchanges of rows, small triangles, and products, which do nearly all of the work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "src/contract/contraction.hpp"
#include "src/contract/offsets.hpp"
#include "src/kernels/linear/linear.hpp"
#include "src/linear/panels.hpp"
#include "src/linear/substitution.hpp"
#include "src/runtime/loans.hpp"

namespace ricci::linear {

/// Where a program finds its matrix, and right-hand sides, which may be the same memory.
template <class T>
struct program_memory {
    T* matrix = nullptr;
    T* sides = nullptr;
    std::int32_t* pivots = nullptr;
};

/// A part of a matrix: number (i, j) is at offset + i * row + j * column.
struct part_at {
    std::int64_t offset = 0;
    std::int64_t row = 1, column = 0;

    part_at from(std::int64_t i, std::int64_t j) const {
        return {offset + i * row + j * column, row, column};
    }
};

/// Right-hand sides: rows, each over the loops of `columns`, whose stride is that of `c`.
struct right_sides {
    side_rows rows;
    contractions::loop_list columns;
};

template <class T>
class blocked_program {
public:
    blocked_program() = default;

    /// L U, or L L*, of a matrix of `size` rows, number (i, j) at i + j * leading. Of the latter
    /// only what is on and below the diagonal has a meaning, before and after.
    void add_lu(std::int64_t size, std::int64_t leading);
    void add_cholesky(std::int64_t size, std::int64_t leading);
    /// The right-hand sides become solutions of a triangle of the matrix.
    void add_substitution(const triangle& which, const right_sides& sides);

    /// `tasks`: programs that run at the same time, at most.
    void list_loans(runtime::loan_book& to, std::int64_t tasks) const;
    /// Operations in order, up to a panel that cannot be factored. Returns the first pivot that is
    /// 0 or ends it. Bitwise the same on any number of threads; allocates nothing while its loans
    /// are held.
    panel_result run(const program_memory<T>& memory) const;

private:
    enum class action : std::uint8_t { lu_panel, cholesky_panel, exchange, substitute, multiply };
    struct operation {
        action what;
        std::size_t index = 0;  // of its description
    };
    struct panel_columns {
        std::int64_t first, width;
    };
    struct exchanged {
        std::int64_t first, last;                // pivots
        std::int64_t first_column, last_column;  // of the matrix
    };
    struct substituted {
        triangle which;
        side_rows rows;
        std::size_t columns;
    };
    struct multiplied {
        std::int64_t a, b, c;
        std::size_t kernels;
    };

    void add_lu_columns(std::int64_t first, std::int64_t width);
    void add_cholesky_columns(std::int64_t first, std::int64_t width);
    void add_lower_update(std::int64_t first, std::int64_t rows, std::int64_t columns,
                          std::int64_t from, std::int64_t depth);
    void add_panel(action what, std::int64_t first, std::int64_t width);
    void add_exchange(const exchanged& what);
    /// C -= A B: `m` rows and `depth` columns of A, B of the matrix where it is `conjugate_b`.
    void add_product(const part_at& a, std::int64_t m, std::int64_t depth, const side_rows& b,
                     const side_rows& c, const contractions::loop_list& n, bool conjugate_a,
                     bool conjugate_b);
    std::size_t columns_of(const contractions::loop_list& loops);
    void exchange(const program_memory<T>& memory, const exchanged& what) const;

    std::vector<operation> operations_;
    std::vector<panel_columns> panels_;
    std::vector<exchanged> exchanges_;
    std::vector<substituted> substitutions_;
    std::vector<multiplied> products_;
    std::vector<contractions::offset_vector> columns_;
    std::vector<std::unique_ptr<const contractions::prepared_contraction>> kernels_;
    // Equal ones are prepared once.
    std::map<std::vector<std::int64_t>, std::size_t> columns_by_loops_, kernels_by_loops_;
    std::int64_t size_ = 0, leading_ = 0;
    const kernels::linear_table<T>* table_ = &kernels::linear_kernels<T>();
};

}  // namespace ricci::linear
