// Products by groups.
#include "src/contract/grouped_product.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "src/base/arithmetic.hpp"
#include "src/contract/sharing.hpp"
#include "src/runtime/buffers.hpp"

namespace ricci::contractions {
namespace {

// Rows that are packed at once, and panels of columns that they meet in a task.
constexpr std::int64_t rows_a_task = 128, panels_a_task = 8;
// A panel of B is packed for more rows than these; fewer read it where it lies.
constexpr std::int64_t rows_to_pack = 16;

constexpr auto no_runs = [] {
    std::array<std::int32_t, kernels::most_depth<float>> ones{};
    for (auto& one : ones) one = 1;
    return ones;
}();

template <class T>
T* memory_of_a(int worker) {
    return reinterpret_cast<T*>(runtime::worker_memory(worker));
}
template <class T>
T* memory_of_b(int worker) {
    return reinterpret_cast<T*>(runtime::worker_memory(worker) + runtime::worker_bytes / 2);
}

template <class T>
constexpr std::int64_t deepest = kernels::most_depth<T>;
static_assert(rows_a_task * kernels::row_pitch<double> * sizeof(double) <=
              runtime::worker_bytes / 2);

}  // namespace

template <class T>
struct grouped_product<T>::operands {
    const T* a;
    const T* b;
    T* c;
    T alpha;
    T beta;
    const steps::grouped_rows<T>& rows;
};

/// Some iterations of one index group: rows, or panels of columns.
template <class T>
struct grouped_product<T>::part {
    std::int64_t first, end;
};

template <class T>
grouped_product<T>::grouped_product(const steps::grouped_product& what)
    : table_(kernels::gemm_kernels<T>()),
      sums_rows_(what.sums_rows),
      group_extents_(what.group_extents),
      group_strides_(what.group_strides),
      groups_(what.groups()),
      a_rows_(flatten(what.m, &steps::contraction_loop::a)),
      c_rows_(flatten(what.m, &steps::contraction_loop::c)),
      b_columns_(flatten(what.n, &steps::contraction_loop::b)),
      c_columns_(flatten(what.n, &steps::contraction_loop::c)),
      a_depth_(flatten(what.k, &steps::contraction_loop::a)),
      b_depth_(flatten(what.k, &steps::contraction_loop::b)),
      b_step_(uniform_step(what.k, &steps::contraction_loop::b)),
      panels_(c_columns_, table_.lanes, table_.vectors, static_cast<std::int64_t>(sizeof(T))) {
    runtime::worker_memory(0);
}

template <class T>
std::int64_t grouped_product<T>::group_offset(std::int64_t group) const {
    std::int64_t offset = 0;
    for (std::size_t k = group_extents_.size(); k-- > 0;) {
        offset += group % group_extents_[k] * group_strides_[k];
        group /= group_extents_[k];
    }
    return offset;
}

template <class T>
kernels::output_tile<T> grouped_product<T>::tile_at(const column_panel& which, T* c, T alpha,
                                                    T beta) const {
    kernels::output_tile<T> to;
    to.origin = c;
    to.columns = c_columns_.offset.data() + which.first;
    to.column_count = which.columns;
    to.adjacent = which.adjacent;
    to.halves = which.halves;
    to.split = which.split;
    to.alpha = alpha;
    to.beta = beta;
    return to;
}

// `to.rows`: of all rows.
template <class T>
void grouped_product<T>::multiply_panel(const T* a, std::int64_t depth, const T* b,
                                        std::int64_t b_step, std::int64_t rows,
                                        kernels::output_tile<T> to) const {
    const auto vectors = static_cast<std::size_t>(ceil_divide(to.column_count, table_.lanes));
    to.next.first = b;
    for (std::int64_t i = 0; i < rows; i += table_.mr) {
        const auto count = static_cast<std::size_t>(std::min<std::int64_t>(table_.mr, rows - i));
        table_.gemm[count - 1][vectors - 1](depth, a + i * kernels::row_pitch<T>, b, b_step, to);
        to.rows += count;
    }
}

// Rows [first, end), which are in one group, times its matrix.
template <class T>
void grouped_product<T>::multiply_segment(const operands& of, std::int64_t group,
                                          std::int64_t first, std::int64_t end, part columns,
                                          int worker) const {
    const T* const matrix = of.b + group_offset(group);
    const auto all_depth = static_cast<std::int64_t>(a_depth_.offset.size());
    T* const packed_a = memory_of_a<T>(worker);
    T* const packed_b = memory_of_b<T>(worker);
    T beta = of.beta;
    for (std::int64_t k = 0; k < all_depth; k += deepest<T>, beta = 1) {
        const std::int64_t depth = std::min(deepest<T>, all_depth - k);
        for (std::int64_t i = first; i < end; i += table_.mr) {
            auto from = pack_source(of.a, a_depth_, 0, 0, a_depth_, k, depth);
            from.across = of.rows.a + i;
            from.across_run = no_runs.data();
            from.width = static_cast<int>(std::min<std::int64_t>(table_.mr, end - i));
            T* const to = packed_a + (i - first) * kernels::row_pitch<T>;
            table_.pack_rows(from, to);
            for (int x = 0; of.rows.weights != nullptr && x < from.width; ++x)
                for (std::int64_t j = 0; j < depth; ++j)
                    to[x * kernels::row_pitch<T> + j] *= of.rows.weights[i + x];
        }
        for (std::int64_t p = columns.first; p < columns.end; ++p) {
            const column_panel& which = panels_[p];
            const std::int64_t width = panels_.width(which);
            const auto column = static_cast<std::size_t>(which.first);
            auto to = tile_at(which, of.c, of.alpha, beta);
            to.rows = of.rows.other + first;
            const bool in_place = b_step_ != 0 && end - first <= rows_to_pack &&
                                  which.columns == width && b_columns_.run[column] >= width;
            if (in_place) {
                const T* const here = matrix + b_columns_.offset[column] +
                                      b_depth_.offset[static_cast<std::size_t>(k)];
                multiply_panel(packed_a, depth, here, b_step_, end - first, to);
                continue;
            }
            for (int v = 0; v < which.vectors; ++v) {
                const std::int64_t x = std::int64_t{v} * table_.lanes;
                const auto from = pack_source(
                    matrix, b_columns_, which.first + x,
                    std::min<std::int64_t>(table_.lanes, which.columns - x), b_depth_, k, depth);
                table_.pack_columns(from, packed_b + x, width);
            }
            multiply_panel(packed_a, depth, packed_b, width, end - first, to);
        }
    }
}

// Rows [first, end), group after group.
template <class T>
void grouped_product<T>::multiply_rows(const operands& of, std::int64_t first, std::int64_t end,
                                       part columns, int worker) const {
    const std::uint32_t* const begin = of.rows.first;
    const auto* const after =
        std::upper_bound(begin, begin + groups_ + 1, static_cast<std::uint32_t>(first));
    for (auto group = static_cast<std::int64_t>(after - begin) - 1; first < end; ++group) {
        if (group == groups_) {  // in none
            if (of.beta == 0) clear(of, of.c, of.rows.other + first, end - first, columns);
            return;
        }
        const std::int64_t last = std::min<std::int64_t>(end, begin[group + 1]);
        if (first < last) multiply_segment(of, group, first, last, columns, worker);
        first = last;
    }
}

template <class T>
void grouped_product<T>::clear(const operands&, T* c, const std::int64_t* rows, std::int64_t count,
                               part columns) const {
    const std::int64_t first = panels_.first_column(columns.first),
                       end = panels_.first_column(columns.end);
    for (std::int64_t i = 0; i < count; ++i)
        for (std::int64_t j = first; j < end; ++j)
            c[rows[i] + c_columns_.offset[static_cast<std::size_t>(j)]] = 0;
}

// Some rows and columns of a group's sum over its rows.
template <class T>
void grouped_product<T>::sum_group(const operands& of, std::int64_t group, part rows, part columns,
                                   int worker) const {
    T* const c = of.c + group_offset(group);
    const auto inner = static_cast<std::int64_t>(a_depth_.offset.size());
    const std::int64_t begin = of.rows.first[group] * inner, end = of.rows.first[group + 1] * inner;
    if (begin == end && of.beta == 0)
        clear(of, c, c_rows_.offset.data() + rows.first, rows.end - rows.first, columns);
    T* const packed_a = memory_of_a<T>(worker);
    T* const packed_b = memory_of_b<T>(worker);
    std::array<std::int64_t, kernels::most_depth<float>> a_along, b_along;
    std::array<T, kernels::most_depth<float>> weights;
    T beta = of.beta;
    for (std::int64_t k = begin; k < end; k += deepest<T>, beta = 1) {
        const std::int64_t depth = std::min(deepest<T>, end - k);
        for (std::int64_t j = 0; j < depth; ++j) {
            const std::int64_t row = (k + j) / inner;
            const auto along = static_cast<std::size_t>((k + j) % inner);
            const auto at = static_cast<std::size_t>(j);
            a_along[at] = of.rows.a[row] + a_depth_.offset[along];
            b_along[at] = of.rows.other[row] + b_depth_.offset[along];
            if (of.rows.weights != nullptr) weights[at] = of.rows.weights[row];
        }
        for (std::int64_t i = rows.first; i < rows.end; i += table_.mr) {
            auto from =
                pack_source(of.a, a_rows_, i, std::min<std::int64_t>(table_.mr, rows.end - i),
                            a_rows_, 0, depth);
            from.along = a_along.data();
            from.along_run = no_runs.data();
            from.along_stretch = 1;
            T* const to = packed_a + (i - rows.first) * kernels::row_pitch<T>;
            table_.pack_rows(from, to);
            for (int x = 0; of.rows.weights != nullptr && x < from.width; ++x)
                for (std::int64_t j = 0; j < depth; ++j)
                    to[x * kernels::row_pitch<T> + j] *= weights[static_cast<std::size_t>(j)];
        }
        for (std::int64_t p = columns.first; p < columns.end; ++p) {
            const column_panel& which = panels_[p];
            const std::int64_t width = panels_.width(which);
            for (int v = 0; v < which.vectors; ++v) {
                const std::int64_t x = std::int64_t{v} * table_.lanes;
                auto from = pack_source(of.b, b_columns_, which.first + x,
                                        std::min<std::int64_t>(table_.lanes, which.columns - x),
                                        b_columns_, 0, depth);
                from.along = b_along.data();
                from.along_run = no_runs.data();
                from.along_stretch = 1;
                table_.pack_columns(from, packed_b + x, width);
            }
            auto to = tile_at(which, c, of.alpha, beta);
            to.rows = c_rows_.offset.data() + rows.first;
            multiply_panel(packed_a, depth, packed_b, width, rows.end - rows.first, to);
        }
    }
}

template <class T>
void grouped_product<T>::run(const T* a, const T* b, T* c, T alpha, bool adds,
                             const steps::grouped_rows<T>& rows) const {
    const operands of{a, b, c, alpha, adds ? T{1} : T{0}, rows};
    const auto m = static_cast<std::int64_t>(a_rows_.offset.size());
    const std::int64_t tiles =
        sums_rows_ ? groups_ * ceil_divide(m, rows_a_task) : ceil_divide(rows.count, rows_a_task);
    const std::int64_t parts = ceil_divide(panels_.count(), panels_a_task);
    const auto products = static_cast<double>(panels_.columns()) *
                          static_cast<double>(rows.count * m) *
                          static_cast<double>(a_depth_.offset.size());
    distribute(tiles * parts, 2 * products < serial_flops, [&](std::int64_t task, int worker) {
        const std::int64_t p = task % parts, tile = task / parts;
        const part columns{panels_.count() * p / parts, panels_.count() * (p + 1) / parts};
        if (sums_rows_) {
            const std::int64_t first = tile / groups_ * rows_a_task;
            sum_group(of, tile % groups_, {first, std::min(m, first + rows_a_task)}, columns,
                      worker);
        } else {
            const std::int64_t first = tile * rows_a_task;
            multiply_rows(of, first, std::min(rows.count, first + rows_a_task), columns, worker);
        }
    });
}

template class grouped_product<float>;
template class grouped_product<double>;

}  // namespace ricci::contractions
