// Products of small matrices, of one batch or of many: nothing is packed, and a kernel is called
// once for a run of batches.
#pragma once

#include <cstdint>
#include <vector>

#include "src/contract/index_groups.hpp"
#include "src/contract/strategy.hpp"
#include "src/kernels/gemm/gemm.hpp"

namespace ricci::contractions {

/// Whether the matrices are small, each group walks each operand in equal steps, B and C are
/// contiguous along n, and there are kernels for that. Depends on the machine's caches.
template <class T>
bool suits_direct(const index_groups& groups, const kernels::kernel_table<T>& table);

/// Computes in T, as the operands are stored.
template <class T>
class direct final : public strategy {
public:
    /// `groups`: such as suits_direct() accepts with this table.
    direct(const index_groups& groups, const kernels::kernel_table<T>& table);
    void run(const void* a, const void* b, void* c, const engine::number& alpha,
             const engine::number& beta) const override;
    /// The same, of elements.
    void multiply(const T* a, const T* b, T* c, T alpha, T beta) const;
    std::vector<product_call> calls(const engine::number& alpha,
                                    const engine::number& beta) const override;
    /// Numbers that say what it does to its operands, from where the walk of each starts.
    std::vector<std::int64_t> key() const;

private:
    using matrices = kernels::small_matrices<T>;
    using places = kernels::product_places;
    using function = typename kernels::kernel_table<T>::direct_function;

    // Columns that a kernel holds side by side in registers.
    struct column_panel {
        std::int64_t first = 0;
        int columns = 0, vectors = 0;
    };

    /// One call of a kernel: rows and columns of a run of batches.
    struct tile {
        function kernel = nullptr;
        std::int64_t a = 0, b = 0, c = 0;  // elements to where they begin
        int columns = 0;
        std::int64_t batches = 1, ahead = 0;
        bool ask_a = false, ask_b = false, ask_c = false;
    };
    template <class Go>
    void visit_tiles(std::int64_t unit, const Go& go) const;
    void list_tiles();
    matrices part_of(const tile& t, T alpha, T beta) const;
    class shape;

    const kernels::kernel_table<T>* table_;
    loop_list outer_;                  // batches, without the innermost loop
    steps::contraction_loop batches_;  // the innermost loop
    matrices steps_;                   // without addresses and numbers
    std::vector<column_panel> panels_;
    walk_origin origin_;
    std::int64_t m_ = 1;
    std::int64_t row_unit_ = 1;  // tiles of rows are multiples of this
    // A unit is a run of batches and a tile of rows.
    struct {
        std::int64_t runs = 1, m_tiles = 1, count = 1, per_task = 1;
        bool serial = false;
    } units_;
    bool far_ = false;         // the matrices come from memory
    std::vector<tile> tiles_;  // of all units, where they are few and run on one thread
};

}  // namespace ricci::contractions
