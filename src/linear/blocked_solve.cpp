// Solutions with the factors of matrices one by one: right-hand sides are copied to where the
// solutions go, and become these there.
#include <algorithm>
#include <complex>
#include <utility>

#include "src/contract/sharing.hpp"
#include "src/linear/blocked_program.hpp"
#include "src/linear/strategies.hpp"
#include "src/linear/numbers.hpp"
#include "src/linear/side_copy.hpp"
#include "src/linear/solve_order.hpp"

namespace ricci::linear {
namespace {

contractions::loop_list column_loops(const steps::linear_solve& what) {
    contractions::loop_list loops;
    for (const auto& loop : what.columns) loops.push_back({loop.extent, 0, loop.y, loop.x});
    return loops;
}

template <class T>
class blocked_solve final : public solve_strategy {
public:
    blocked_solve(const steps::linear_solve& what, const factor_layout<T>& layout,
                  const batch_positions& batch)
        : layout_(layout),
          batch_(batch),
          x_row_(what.x_row),
          y_row_(what.y_row),
          identity_(what.of_identity),
          permuted_(what.kind == steps::factor_kind::lu),
          transposed_(what.transposed) {
        contractions::loop_list columns = column_loops(what);
        y_columns_ = contractions::flatten(columns, &steps::contraction_loop::b);
        x_columns_ = contractions::flatten(columns, &steps::contraction_loop::c);
        // Solved where they are.
        for (auto& loop : columns) loop.b = loop.c;
        for (const triangle& one : triangles_of(what, 1, layout.leading())) {
            const bool from_last = one.row < 0 || one.column < 0;
            const side_rows rows =
                from_last ? side_rows{(what.size - 1) * x_row_, -x_row_} : side_rows{0, x_row_};
            if (what.size > 0 && !x_columns_.offset.empty())
                program_.add_substitution(one, {rows, columns});
        }
    }

    void run(const std::byte* factors, const void* y, void* x) const override {
        auto solve = [&](std::int64_t matrix, int) {
            const contractions::position at = batch_.at(matrix);
            const T* const from = identity_ ? nullptr : static_cast<const T*>(y) + at.b;
            solve_one(factors, matrix, from, static_cast<T*>(x) + at.c);
        };
        const double n = static_cast<double>(layout_.size());
        const double flops = n * n * static_cast<double>(x_columns_.offset.size()) * 2 *
                             (is_complex_number<T> ? flops_of_complex : 1) *
                             static_cast<double>(batch_.count());
        contractions::distribute_units(batch_.count(),
                                       contractions::units_in_task(batch_.count(), flops),
                                       flops < contractions::serial_flops, solve);
    }

    void list_loans(runtime::loan_book& to) const override {
        program_.list_loans(to, batch_.count());
    }

private:
    void solve_one(const std::byte* factors, std::int64_t matrix, const T* y, T* x) const {
        const std::int64_t n = layout_.size();
        const std::int32_t* const pivots =
            permuted_ ? layout_.template pivots<std::int32_t>(factors, matrix) : nullptr;
        side_copy<T> copy{n, nullptr, y, y_row_, &y_columns_, x, x_row_, &x_columns_};
        if (permuted_ && !transposed_) copy.order = pivots + n;
        if (identity_) write_identity(copy);
        else copy_sides(copy);
        // Programs that only solve read the matrix and write the sides.
        program_.run({const_cast<T*>(layout_.numbers(factors, matrix)), x, nullptr});
        if (permuted_ && transposed_) put_back(pivots, x);
    }

    // Row i of what is solved belongs to the row of K that was exchanged for it.
    void put_back(const std::int32_t* pivots, T* x) const {
        const std::vector<std::int64_t>& columns = x_columns_.offset;
        for (std::int64_t k = layout_.size() - 1; k >= 0; --k) {
            if (pivots[k] == k) continue;
            T* const upper = x + k * x_row_;
            T* const lower = x + pivots[k] * x_row_;
            for (const std::int64_t j : columns) std::swap(upper[j], lower[j]);
        }
    }

    factor_layout<T> layout_;
    batch_positions batch_;
    std::int64_t x_row_, y_row_;
    bool identity_, permuted_, transposed_;
    contractions::offset_vector x_columns_, y_columns_;
    blocked_program<T> program_;
};

}  // namespace

template <class T>
std::unique_ptr<const solve_strategy> make_blocked_solve(const steps::linear_solve& what,
                                                         const factor_layout<T>& layout,
                                                         const batch_positions& batch) {
    return std::make_unique<const blocked_solve<T>>(what, layout, batch);
}

#define RICCI_INSTANTIATE(T)                                           \
    template std::unique_ptr<const solve_strategy> make_blocked_solve( \
        const steps::linear_solve&, const factor_layout<T>&, const batch_positions&)
RICCI_FOR_FACTORED_TYPES(RICCI_INSTANTIATE);
#undef RICCI_INSTANTIATE

}  // namespace ricci::linear
