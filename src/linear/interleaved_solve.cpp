// Solutions for the small matrices of a batch, a matrix in each lane.
#include <algorithm>
#include <complex>
#include <utility>
#include <vector>

#include "src/base/arithmetic.hpp"
#include "src/contract/sharing.hpp"
#include "src/linear/strategies.hpp"
#include "src/linear/interleaving.hpp"
#include "src/linear/numbers.hpp"
#include "src/linear/solve_order.hpp"

namespace ricci::linear {
namespace {

// Right-hand sides of a matrix that are solved at once, at most.
constexpr std::int64_t most_sides = 8;

template <class T>
class interleaved_solve final : public solve_strategy {
public:
    interleaved_solve(const steps::linear_solve& what, const factor_layout<T>& layout,
                      const batch_positions& batch)
        : layout_(layout),
          batch_(batch),
          triangles_(triangles_of(what, what.size, 1)),
          x_row_(what.x_row),
          y_row_(what.y_row),
          identity_(what.of_identity),
          permuted_(what.kind == steps::factor_kind::lu),
          transposed_(what.transposed) {
        contractions::loop_list columns;
        for (const auto& loop : what.columns) columns.push_back({loop.extent, 0, loop.y, loop.x});
        y_columns_ = contractions::flatten(columns, &steps::contraction_loop::b);
        x_columns_ = contractions::flatten(columns, &steps::contraction_loop::c);
    }

    void run(const std::byte* factors, const void* y, void* x) const override {
        auto solve = [&](std::int64_t unit, int) {
            solve_group(factors, unit, static_cast<const T*>(y), static_cast<T*>(x));
        };
        const double n = static_cast<double>(layout_.size());
        const double flops = n * (n + 16) * static_cast<double>(x_columns_.offset.size()) *
                             static_cast<double>(batch_.count() * kernels::parts<T>);
        contractions::distribute_units(layout_.units(),
                                       contractions::units_in_task(layout_.units(), flops),
                                       flops < contractions::serial_flops, solve);
    }

private:
    static constexpr std::int64_t group = kernels::group_size<T>;
    static constexpr std::int64_t slot = group * kernels::parts<T>;
    static constexpr std::int64_t most_numbers =
        factor_layout<T>::most_interleaved * most_sides * slot;
    using part = part_type<T>;

    // Neighbouring columns that are equally far apart, in both.
    std::int64_t columns_from(std::int64_t first) const {
        const auto count = static_cast<std::int64_t>(x_columns_.offset.size());
        const auto is_even = [&](std::int64_t end) {
            return contractions::uniform_step(x_columns_, first, end) != 0 &&
                   (identity_ || contractions::uniform_step(y_columns_, first, end) != 0);
        };
        std::int64_t end = std::min(count, first + most_sides);
        while (end - first > 1 && !is_even(end)) --end;
        return end - first;
    }

    void solve_group(const std::byte* factors, std::int64_t unit, const T* y, T* x) const {
        const std::int64_t begin = unit * group, lanes = std::min(group, batch_.count() - begin);
        std::int64_t y_offset[group], x_offset[group];
        batch_.list(begin, lanes, &contractions::position::b, &steps::contraction_loop::b,
                    y_offset);
        batch_.list(begin, lanes, &contractions::position::c, &steps::contraction_loop::c,
                    x_offset);
        const auto count = static_cast<std::int64_t>(x_columns_.offset.size());
        for (std::int64_t first = 0, columns = 0; first < count; first += columns) {
            columns = columns_from(first);
            matrices_of_group<T> from{y, y_offset, lanes, 0, layout_.size(), columns, y_row_, 1};
            matrices_of_group<T, T*> to{x, x_offset, lanes, 0, layout_.size(), columns, x_row_, 1};
            if (!identity_) from.origin += y_columns_.offset[static_cast<std::size_t>(first)];
            to.origin += x_columns_.offset[static_cast<std::size_t>(first)];
            if (columns > 1) {
                from.column = contractions::uniform_step(y_columns_, first, first + columns);
                to.column = contractions::uniform_step(x_columns_, first, first + columns);
            }
            from.step = batch_.step().b;
            to.step = batch_.step().c;
            solve_columns(factors, unit, from, to, first);
        }
    }

    void solve_columns(const std::byte* factors, std::int64_t unit,
                       const matrices_of_group<T>& from, const matrices_of_group<T, T*>& to,
                       std::int64_t first) const {
        const std::int64_t n = layout_.size(), columns = to.columns;
        const kernels::linear_table<T>& table = kernels::linear_kernels<T>();
        alignas(64) part sides[most_numbers];
        if (identity_) write_unit_columns(sides, first, columns);
        else interleave(from, sides);
        const auto* const pivots =
            permuted_ ? layout_.template pivots<kernels::lane_integer<T>>(factors, unit) : nullptr;
        if (permuted_ && !transposed_) table.exchange_lanes(n, columns, pivots, false, sides);
        // It is read alone.
        part* const numbers =
            reinterpret_cast<part*>(const_cast<T*>(layout_.numbers(factors, unit)));
        for (const triangle& one : triangles_) {
            const bool from_last = one.row < 0 || one.column < 0;
            kernels::interleaved_matrix<T> b{sides, columns, 1};
            if (from_last) b = {sides + (n - 1) * columns * slot, -columns, 1};
            table.substitute_lanes(n, columns, {numbers + one.offset * slot, one.row, one.column},
                                   one.unit, one.conjugated, b);
        }
        if (permuted_ && transposed_) table.exchange_lanes(n, columns, pivots, true, sides);
        separate(sides, to);
    }

    void write_unit_columns(part* sides, std::int64_t first, std::int64_t columns) const {
        std::fill(sides, sides + layout_.size() * columns * slot, part{0});
        for (std::int64_t j = 0; j < columns; ++j) {
            part* const one = sides + ((first + j) * columns + j) * slot;
            std::fill(one, one + group, part{1});
        }
    }

    factor_layout<T> layout_;
    batch_positions batch_;
    std::vector<triangle> triangles_;
    std::int64_t x_row_, y_row_;
    bool identity_, permuted_, transposed_;
    contractions::offset_vector x_columns_, y_columns_;
};

}  // namespace

template <class T>
std::unique_ptr<const solve_strategy> make_interleaved_solve(const steps::linear_solve& what,
                                                             const factor_layout<T>& layout,
                                                             const batch_positions& batch) {
    return std::make_unique<const interleaved_solve<T>>(what, layout, batch);
}

#define RICCI_INSTANTIATE(T)                                               \
    template std::unique_ptr<const solve_strategy> make_interleaved_solve( \
        const steps::linear_solve&, const factor_layout<T>&, const batch_positions&)
RICCI_FOR_FACTORED_TYPES(RICCI_INSTANTIATE);
#undef RICCI_INSTANTIATE

}  // namespace ricci::linear
