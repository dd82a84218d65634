// A fused group whose pairs of rows and columns the register machine runs, block by block. Columns
// are packed into a worker's frame, some hundred at a time; the rows of a task go by.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "src/bodies/program.hpp"
#include "src/fused/loop_order.hpp"
#include "src/fused/pair_body.hpp"
#include "src/kernels/gemm/gemm.hpp"
#include "src/runtime/turns.hpp"

namespace ricci::fused {

/// Two numbers of an extremum: it, and how many are equal or where the first one stands.
template <class T>
struct pair_state {
    T value, beside;
};

template <class T>
class pairs final : public loop_order {
public:
    pairs(const steps::fused_group& what, const geometry& g, pair_body body,
          const kernels::kernel_table<T>& packing);

    /// Whether there is enough to do that this pays.
    bool is_suitable() const { return suitable_; }

    void run(void* const* bases, const double* numbers) const override;
    std::string describe() const override;

private:
    /// The loops of rows or of columns: those of a block, and those around.
    struct side {
        tile_loop loop;
        std::vector<tile_loop> others;
    };
    struct task {
        T* frame = nullptr;
        T* totals = nullptr;  // of each fold over columns: two for each row of a unit
        std::int64_t* at = nullptr;
        void* const* bases = nullptr;
        const double* numbers = nullptr;
        bool finite_rows = false, finite_columns = false;  // what was packed last
    };

    /// Some rows and some columns.
    struct pair_range {
        std::int64_t row = 0, rows = 0, column = 0, columns = 0;
    };

    void choose_tasks();
    std::size_t total_elements() const;
    std::size_t bytes() const;
    task start(int worker, void* const* bases, const double* numbers) const;
    void run_rows(task& t, std::int64_t unit) const;
    void run_columns(task& t, runtime::turn& mine, std::int64_t batch, std::int64_t part) const;
    void move_to(task& t, std::int64_t batch, std::int64_t rows, std::int64_t columns) const;
    void load(const task& t, const pair_operand& o, const side& s, std::int64_t first,
              std::int64_t count, std::int64_t padded, T* to) const;
    std::int64_t pack_columns(task& t, std::int64_t first) const;
    void pack_rows(task& t, std::int64_t row, std::int64_t count) const;
    bool are_finite(const T* from, std::size_t count) const;
    void pack_planes(const task& t, const pair_range& b, std::int64_t padded) const;
    void add_pairs(task& t, const pair_range& all) const;
    void clear_totals(const task& t) const;
    void clear_columns(const task& t) const;
    void write_rows(const task& t, std::int64_t row, std::int64_t rows, bool first) const;
    void write_columns(const task& t, std::int64_t first, std::int64_t columns) const;
    void write_beside(const task& t, const pair_result& r, std::int64_t from, std::int64_t count,
                      const T* values, const T* beside, bool first) const;
    void write(const task& t, const pair_result& r, T* to, T value, T second, bool first) const;
    void begin_state(const task& t, std::size_t fold, std::int64_t row, std::int64_t count) const;
    void end_state(const task& t, std::size_t fold, std::int64_t row, std::int64_t count) const;
    T* total(const task& t, std::size_t fold) const {
        return t.totals + static_cast<std::int64_t>(2 * fold) * unit_rows_;
    }
    T identity(std::size_t fold) const;
    T joined(std::size_t fold, T a, T b) const;
    T joined_beside(std::size_t fold, pair_state<T> a, pair_state<T> b) const;
    steps::monoid monoid_of(std::size_t fold) const {
        return fused::monoid_of(body_.what.folds()[fold].what);
    }

    pair_body body_;
    const kernels::body_table<T>* machine_;
    const kernels::kernel_table<T>* packing_;
    bodies::machine_shape shape_;
    bodies::program program_;
    std::size_t products_ = 0, operands_ = 0;
    std::vector<std::int64_t> offset_;
    std::vector<tile_loop> batch_;
    side rows_, columns_;
    bool suitable_ = false;
    std::int64_t batches_ = 1, row_units_ = 1, unit_rows_ = 1, column_tiles_ = 1;
    bool split_ = false;  // tiles of columns of a batch are tasks of their own
    mutable runtime::turns order_;
};

extern template class pairs<float>;
extern template class pairs<double>;

}  // namespace ricci::fused
