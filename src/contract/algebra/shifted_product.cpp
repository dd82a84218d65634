// Log-sum-exp as an ordinary product of shifted exponentials.
#include "src/contract/algebra/shifted_product.hpp"

#include <algorithm>
#include <limits>

#include "src/base/arithmetic.hpp"
#include "src/contract/offsets.hpp"
#include "src/contract/sharing.hpp"
#include "src/runtime/buffers.hpp"

namespace ricci::contractions {
namespace {

using steps::contraction_loop;

// Exponentials of all batches are made at once if they take no more than this.
constexpr std::int64_t most_chunk_bytes = std::int64_t{1} << 24;
// Lines that a worker shifts at a time, and columns that it finishes.
constexpr std::int64_t lines_in_part = 64;
constexpr std::int64_t columns_in_part = 65536;

// The strides of loops, the last one fastest, that lie densely, `step` elements apart.
void lay_out(loop_list& loops, std::int64_t contraction_loop::*stride, std::int64_t step) {
    for (std::size_t l = loops.size(); l-- > 0;) {
        loops[l].*stride = step;
        step *= loops[l].extent;
    }
}

bool runs_along(const offset_vector& depth, const offset_vector& lines) {
    return depth.run[0] >= 4 || lines.run[0] < 4;
}

}  // namespace

bool suits_shifted_product(const index_groups& groups) {
    const std::int64_t m = iterations(groups.m), n = iterations(groups.n);
    const std::int64_t k = iterations(groups.k);
    return m >= 4 && n >= 4 && k >= 2 && m * n * k >= 512;
}

template <class T>
shifted_product<T>::shifted_product(const index_groups& groups,
                                    const kernels::logsumexp_table<T>& table)
    : table_(&table), origin_(groups.origin), batches_(groups.batch), flat_(groups) {
    a_ = {flat_.m, flat_.k, runs_along(flat_.a_depth, flat_.a_rows)};
    b_ = {flat_.n, flat_.k, runs_along(flat_.b_depth, flat_.b_columns)};
    using limits = std::numeric_limits<T>;
    // limits::epsilon is 2 u.
    least_ = static_cast<T>(flat_.k) * 8 * limits::min() / limits::epsilon();
    chunk_ = flat_.batch;
    if (chunk_elements() * static_cast<std::int64_t>(sizeof(T)) > most_chunk_bytes) chunk_ = 1;
    serial_ = static_cast<double>(flat_.batch * flat_.m) * static_cast<double>(flat_.n) *
                  static_cast<double>(flat_.k) <
              serial_flops / 2;
    prepare_product(groups);
}

template <class T>
void shifted_product<T>::prepare_product(const index_groups& groups) {
    index_groups loops = groups;
    if (chunk_ == 1) loops.batch.clear();
    lay_out(loops.batch, &contraction_loop::a, a_.size());
    lay_out(loops.batch, &contraction_loop::b, b_.size());
    lay_out(loops.m, &contraction_loop::a, a_.line_step());
    lay_out(loops.n, &contraction_loop::b, b_.line_step());
    lay_out(loops.k, &contraction_loop::a, a_.depth_step());
    lay_out(loops.k, &contraction_loop::b, b_.depth_step());
    steps::contraction what;
    what.type = sizeof(T) == 4 ? element::f32 : element::f64;
    what.batch = loops.batch;
    what.m = loops.m;
    what.n = loops.n;
    what.k = loops.k;
    product_ = std::make_unique<const prepared_contraction>(what);
}

template <class T>
std::int64_t shifted_product<T>::chunk_elements() const {
    return chunk_ * (a_.size() + b_.size() + a_.lines + b_.lines);
}

template <class T>
runtime::loan_list shifted_product<T>::loans() const {
    runtime::loan_list all = product_->how().loans();
    all.push_back({static_cast<std::size_t>(chunk_elements()) * sizeof(T), 1});
    return all;
}

template <class T>
typename shifted_product<T>::scratch shifted_product<T>::parts_of(T* memory) const {
    scratch parts;
    parts.a = memory;
    parts.b = parts.a + chunk_ * a_.size();
    parts.a_shifts = parts.b + chunk_ * b_.size();
    parts.b_shifts = parts.a_shifts + chunk_ * a_.lines;
    return parts;
}

template <class T>
algebra_operands<T> shifted_product<T>::batch_of(const algebra_operands<T>& from,
                                                 std::int64_t batch) const {
    const position at = locate(batches_, batch);
    algebra_operands<T> moved = from;
    moved.a += at.a;
    moved.b += at.b;
    moved.c += at.c;
    return moved;
}

template <class T>
void shifted_product<T>::run(const algebra_operands<T>& given) const {
    const algebra_operands<T> from = from_origin(origin_, given);
    const runtime::lent_memory lent(static_cast<std::size_t>(chunk_elements()) * sizeof(T));
    const scratch to = parts_of(reinterpret_cast<T*>(lent.data()));
    const std::int64_t results = from.joins ? chunk_ * flat_.m * flat_.n : 0;
    const runtime::lent_memory lent_before(static_cast<std::size_t>(results) * sizeof(T));
    T* const before = reinterpret_cast<T*>(lent_before.data());
    for (std::int64_t first = 0; first < flat_.batch; first += chunk_) {
        if (from.joins) copy_before(from, first, before);
        run_chunk(from, first, to);
        if (from.joins) join_before(from, first, before);
    }
}

template <class T>
void shifted_product<T>::run_chunk(const algebra_operands<T>& from, std::int64_t first,
                                   const scratch& to) const {
    const std::int64_t parts =
        ceil_divide(a_.lines, lines_in_part) + ceil_divide(b_.lines, lines_in_part);
    auto shift_unit = [&](std::int64_t unit, int) { shift_part(from, first, unit, to); };
    const double terms = static_cast<double>(chunk_ * (a_.size() + b_.size()));
    distribute_units(chunk_ * parts, units_in_task(chunk_ * parts, 20 * terms), serial_,
                     shift_unit);
    // The product of all batches begins where C itself does.
    T* const c = chunk_ == flat_.batch ? from.c : batch_of(from, first).c;
    product_->run(to.a, to.b, c, engine::number(1.0), engine::number(0.0));
    auto finish_unit = [&](std::int64_t unit, int worker) {
        auto* const redo = reinterpret_cast<std::int32_t*>(runtime::worker_memory(worker));
        finish_row(from, first + unit / flat_.m, unit % flat_.m, to, redo);
    };
    const std::int64_t rows = chunk_ * flat_.m;
    distribute_units(rows, units_in_task(rows, 20.0 * static_cast<double>(rows * flat_.n)), serial_,
                     finish_unit);
}

template <class T>
void shifted_product<T>::shift(const T* origin, const lines_layout& how, const offset_vector& lines,
                               const offset_vector& depth, std::int64_t part, T* to,
                               T* shifts) const {
    const std::int64_t first = part * lines_in_part;
    kernels::operand_lines<T> from;
    from.origin = origin;
    from.across = lines.offset.data() + first;
    from.across_runs = lines.run.data() + first;
    from.along = depth.offset.data();
    from.along_runs = depth.run.data();
    from.width = std::min(lines_in_part, how.lines - first);
    from.depth = how.depth;
    T* const at = to + first * how.line_step();
    if (how.along) table_->shift_along(from, at, shifts + first);
    else table_->shift_across(from, at, how.depth_step(), shifts + first);
}

template <class T>
void shifted_product<T>::shift_part(const algebra_operands<T>& from, std::int64_t first,
                                    std::int64_t unit, const scratch& to) const {
    const std::int64_t a_parts = ceil_divide(a_.lines, lines_in_part);
    const std::int64_t parts = a_parts + ceil_divide(b_.lines, lines_in_part);
    const std::int64_t batch = unit / parts, part = unit % parts;
    const algebra_operands<T> at = batch_of(from, first + batch);
    if (part < a_parts)
        shift(at.a, a_, flat_.a_rows, flat_.a_depth, part, to.a + batch * a_.size(),
              to.a_shifts + batch * a_.lines);
    else
        shift(at.b, b_, flat_.b_columns, flat_.b_depth, part - a_parts, to.b + batch * b_.size(),
              to.b_shifts + batch * b_.lines);
}

template <class T>
void shifted_product<T>::finish_row(const algebra_operands<T>& from, std::int64_t batch,
                                    std::int64_t row, const scratch& shifts,
                                    std::int32_t* redo) const {
    const std::int64_t in_chunk = batch % chunk_;
    const algebra_operands<T> at = batch_of(from, batch);
    kernels::shifted_row<T> of;
    of.c = at.c + flat_.c_rows.offset[static_cast<std::size_t>(row)];
    of.row_shift = shifts.a_shifts[in_chunk * a_.lines + row];
    of.least = least_;
    for (std::int64_t j = 0; j < flat_.n; j += columns_in_part) {
        of.columns = flat_.c_columns.offset.data() + j;
        of.column_runs = flat_.c_columns.run.data() + j;
        of.column_shifts = shifts.b_shifts + in_chunk * b_.lines + j;
        of.width = std::min(columns_in_part, flat_.n - j);
        const std::int64_t count = table_->finish(of, redo);
        if (count > 0) fold_again(at, row, j, redo, count);
    }
}

template <class T>
void shifted_product<T>::fold_again(const algebra_operands<T>& at, std::int64_t row,
                                    std::int64_t first_column, const std::int32_t* redo,
                                    std::int64_t count) const {
    constexpr std::int64_t most_lanes = 64;
    std::int64_t columns[most_lanes];
    T folds[most_lanes];
    kernels::fold_terms<T> terms;
    terms.a = at.a + flat_.a_rows.offset[static_cast<std::size_t>(row)];
    terms.b = at.b;
    terms.a_outer = flat_.a_depth.offset.data();
    terms.b_outer = flat_.b_depth.offset.data();
    terms.outer = flat_.k;
    T* const c = at.c + flat_.c_rows.offset[static_cast<std::size_t>(row)];
    for (std::int64_t x = 0; x < count; x += table_->lanes) {
        const std::int64_t width = std::min<std::int64_t>(table_->lanes, count - x);
        const auto column = [&](std::int64_t l) {
            return static_cast<std::size_t>(first_column + redo[x + l]);
        };
        for (std::int64_t l = 0; l < width; ++l) columns[l] = flat_.b_columns.offset[column(l)];
        table_->listed(terms, columns, static_cast<int>(width), folds);
        for (std::int64_t l = 0; l < width; ++l) c[flat_.c_columns.offset[column(l)]] = folds[l];
    }
}

template <class T>
void shifted_product<T>::copy_before(const algebra_operands<T>& from, std::int64_t first,
                                     T* before) const {
    auto copy = [&](std::int64_t unit, int) {
        const T* const c = batch_of(from, first + unit / flat_.m).c +
                           flat_.c_rows.offset[static_cast<std::size_t>(unit % flat_.m)];
        T* const row = before + unit * flat_.n;
        for (std::int64_t j = 0; j < flat_.n; ++j)
            row[j] = c[flat_.c_columns.offset[static_cast<std::size_t>(j)]];
    };
    const std::int64_t rows = chunk_ * flat_.m;
    distribute_units(rows, units_in_task(rows, static_cast<double>(rows * flat_.n)), serial_, copy);
}

template <class T>
void shifted_product<T>::join_before(const algebra_operands<T>& from, std::int64_t first,
                                     const T* before) const {
    const T one = 0;  // of the algebra's product
    const std::int64_t start = 0;
    auto join = [&](std::int64_t unit, int) {
        T* const c = batch_of(from, first + unit / flat_.m).c +
                     flat_.c_rows.offset[static_cast<std::size_t>(unit % flat_.m)];
        kernels::fold_terms<T> terms;
        terms.b = &one;
        terms.a_outer = terms.b_outer = &start;
        kernels::fold_line<T> to;
        to.joins = true;
        to.a_step = to.c_step = 1;
        for (std::int64_t j = 0; j < flat_.n; j += to.count) {
            const auto column = static_cast<std::size_t>(j);
            to.count = std::min<std::int64_t>(flat_.c_columns.run[column], flat_.n - j);
            to.c = c + flat_.c_columns.offset[column];
            terms.a = before + unit * flat_.n + j;
            table_->line(terms, to);
        }
    };
    const std::int64_t rows = chunk_ * flat_.m;
    distribute_units(rows, units_in_task(rows, 20.0 * static_cast<double>(rows * flat_.n)), serial_,
                     join);
}

template class shifted_product<float>;
template class shifted_product<double>;

}  // namespace ricci::contractions
