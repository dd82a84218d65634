// A contraction as a blocked matrix product, whatever the strides: index groups are flattened to
// offset vectors, and only packing and the write-back of C look at them. Operands that a micro-kernel
// can walk where they lie are not packed for little work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "src/contract/blocking.hpp"
#include "src/contract/folded_rows.hpp"
#include "src/contract/index_groups.hpp"
#include "src/contract/offsets.hpp"
#include "src/contract/strategy.hpp"
#include "src/kernels/gemm/gemm.hpp"

namespace ricci::contract {

// More than any tile holds: vectors of up to 256 bytes.
inline constexpr std::size_t largest_tile = kernels::max_rows * kernels::max_vectors * 64;

// Panels whose columns make whole lines together, at most.
inline constexpr std::int64_t most_panels_of_lines = 8;

template <class T, class Stored>
class joined;

/// Computes in T on operands stored as `Stored`. Where the two differ, packing widens, and a sum over
/// k is complete before it is rounded.
template <class T, class Stored = T>
class blocked final : public strategy {
public:
    /// `alone`: it stays on the caller's thread, as a part of a task.
    blocked(index_groups groups, const kernels::kernel_table<T, Stored>& table, bool alone = false);
    void run(const void* a, const void* b, void* c, const engine::number& alpha,
             const engine::number& beta) const override;
    std::unique_ptr<const joined_strategy> join(std::span<const joinable> all) const override;

private:
    friend class joined<T, Stored>;

    using computed_type = T;
    using stored_type = Stored;
    // Columns [first, first + columns) of C and B, padded to `vectors` whole vectors when packed.
    struct column_panel {
        std::int64_t first = 0;
        int columns = 0;
        int vectors = 0;
        unsigned adjacent = 0, halves = 0;  // as in output_tile
        std::uint8_t split[kernels::max_vectors] = {};
        bool lines = false;  // its columns of C are whole cache lines, if C begins with one
    };
    // The blocks of B that are packed at the same time, and how many there are.
    struct chunk {
        std::int64_t batch = 0, batch_end = 0;
        std::int64_t panel = 0, panel_end = 0;
        std::int64_t block = 0, block_end = 0;
    };
    using operands = bound_operands<T, Stored>;
    static constexpr bool widens = !std::is_same_v<T, Stored>;
    // Where a unit writes: C itself, or its partial sums.
    struct destination {
        Stored* c = nullptr;
        T* sums = nullptr;
        const std::int64_t* rows = nullptr;
        const std::int64_t* columns = nullptr;
        unsigned adjacency = ~0u;  // partial sums are adjacent everywhere
        bool partial = false;
        T alpha = T{1};
        T beta = T{0};
        bool stream = false;  // written past the caches, where rows are whole lines
        bool fold = false;    // or where tiles of several rows are
    };

    // Where the panels of B are: packed, or in place where a panel can be read there.
    struct right_operand {
        const T* packed = nullptr;  // the first panel's block
        const Stored* b = nullptr;  // otherwise B, and memory for one panel at a time
        T* buffer = nullptr;
    };
    // A block of k: how the operands are read in it.
    struct k_block {
        std::int64_t first = 0, end = 0;
        std::int64_t a_step = 0;  // of A, which is read in place; 0: it is packed
        std::int64_t b_step = 0;  // of B, which can be read in place; 0: it cannot
    };

    // Rows [first, end) of A in a block of k: those of A itself, and where they are packed.
    struct block_rows {
        const Stored* a = nullptr;
        std::int64_t first = 0, end = 0;
        const k_block* block = nullptr;
        const T* packed = nullptr;
    };
    class block_pass;

    operands bind(const bound_contraction& given) const;
    destination output(const operands& from, std::int64_t c, bool first) const;
    // Elements of packed B, and of those and the partial sums.
    std::size_t packed_size() const {
        return packed_elements_ * static_cast<std::size_t>(cut_.batch_chunk);
    }
    std::size_t borrowed() const {
        return packed_size() + partial_elements_ * static_cast<std::size_t>(cut_.k_splits);
    }
    bool empty() const { return batch_ == 0 || m_ == 0 || n_ == 0; }
    bool is_contiguous_across() const;
    bool steps_well(std::int64_t step) const;
    bool is_aliased(std::int64_t step) const;
    std::int64_t shallow_depth() const;
    void choose_tile();
    void make_panels();
    void make_blocks();
    bool reads_in_place(const column_panel& which) const;
    bool reads_in_place(const k_block& block, const column_panel& which) const;
    bool fits_stack() const;
    bool uses_b_once() const;
    bool may_stream() const;
    void find_lines();
    bool begins_line(const operands& from) const;
    std::int64_t block_start(std::int64_t block) const;
    std::int64_t packed_column(std::int64_t panel) const;
    void run_in_place(const operands& from) const;
    void multiply_in_place(const operands& from, std::int64_t unit, T* packed_a, T* packed_b) const;
    void run_packing(const operands& from, const T* rows, T* packed) const;
    void run_chunk(const operands& from, const chunk& part, const T* rows, T* packed,
                   T* partial) const;
    void pack_panels(const Stored* b, std::int64_t panel, std::int64_t panel_end, std::int64_t k,
                     std::int64_t k_end, std::int64_t from_k, std::int64_t to_k, T* to) const;
    void pack_grid(const Stored* b, std::int64_t panel, std::int64_t panel_end, std::int64_t k,
                   std::int64_t k_end, std::int64_t from_k, std::int64_t to_k, T* to) const;
    bool find_grid();
    void compute_unit(const operands& from, const chunk& part, std::int64_t unit, const T* packed,
                      const T* rows, T* partial, int worker) const;
    void pack_a(const Stored* a, std::int64_t m, std::int64_t m_end, const k_block& block,
                T* to) const;
    std::int64_t pitch_of(const k_block& block) const {
        return table_->panel_pitch != 0 ? table_->panel_pitch : block.end - block.first;
    }
    // Rows of a panel of a tile of `count`: of a few rows as many in each, so that no thin panel is left
    // over. Where a panel's layout is the table's own affair panels are cut the same wherever a tile begins.
    std::int64_t panel_rows(std::int64_t count) const {
        const std::int64_t panels = (count + mr_ - 1) / mr_;
        return table_->panel_pitch == 0 || count == 0 ? mr_ : (count + panels - 1) / panels;
    }
    // Where a row begins in a block of all rows, packed for several contractions, and their elements.
    std::int64_t packed_row(std::int64_t block, std::int64_t m) const;
    std::int64_t packed_rows() const { return packed_row(cut_.k_blocks, 0); }
    void multiply_block(const block_rows& rows, std::int64_t panel, std::int64_t panel_end,
                        const right_operand& right, const destination& to) const;
    void add_partial_sums(const operands& from, std::int64_t batch, std::int64_t panel,
                          std::int64_t panel_end, T* partial) const;
    void write_row(const column_panel& which, const T* sums, T alpha, T beta, Stored* row) const;

    index_groups groups_;
    const kernels::kernel_table<T, Stored>* table_;
    int mr_ = 1;       // rows of a full tile
    int vectors_ = 1;  // vectors across it
    std::int64_t batch_ = 1, m_ = 1, n_ = 1, k_ = 1;
    offset_vector a_rows_, c_rows_, b_columns_, c_columns_, a_depth_, b_depth_;
    block_sizes cut_;
    std::vector<column_panel> panels_;
    std::vector<k_block> blocks_;
    // Columns of B in tiles that are transposed while they are packed: column j * rows + i of a tile is
    // `step` * i + j elements into it. No rows: there are none.
    struct column_grid {
        std::int64_t rows = 0, columns = 0, step = 0;
    };
    column_grid grid_;
    bool far_ = false;      // C does not stay in the caches
    bool a_far_ = false;    // nor does A
    bool b_far_ = false;    // nor B
    bool streams_ = false;  // it may be written past them, a row of a tile at a time
    folded_rows folded_;    // or whole tiles of several rows may
    // How many panels from each on make such tiles; 0: none do.
    std::vector<std::int64_t> folded_panels_;
    std::int64_t a_row_step_ = 0;  // the distance between rows of A, when it is always the same
    bool packs_a_ = false;
    bool packs_own_b_ = false;   // every unit packs what it needs of B, which no other one needs
    bool packs_across_ = false;  // A is contiguous across its rows
    std::size_t largest_buffer_ = 0;  // elements of the largest panel that is packed alone
    std::int64_t deepest_block_ = 0;
    std::int64_t k_unit_ = 16;
    std::int64_t rows_per_pack_ = 8;    // how many k of all panels are packed before going on
    std::size_t packed_elements_ = 0;   // of one batch of a chunk
    std::size_t partial_elements_ = 0;  // of one k split
    std::vector<std::int64_t> partial_rows_, partial_columns_;
    std::vector<std::int64_t> tile_rows_, tile_columns_;  // of a tile of sums, where T widens
};

}  // namespace ricci::contract
