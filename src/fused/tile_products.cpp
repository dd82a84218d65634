// The products of tiles of a fused group: rows packed, and multiplied by columns where these lie.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "src/fused/lane_steps.hpp"
#include "src/fused/tiles.hpp"
#include "src/steps/packed_rows.hpp"

namespace ricci::fused {

template <class T>
void tiles<T>::add_product(const steps::tile_product& p) {
    product made;
    made.a = static_cast<std::size_t>(p.a);
    made.b = static_cast<std::size_t>(p.b);
    made.contracted = flatten(p.contracted);
    made.in_blocks = steps::packed_at_once(made.contracted.total) < made.contracted.total;
    made.is_distance = p.is_distance;
    made.weights = p.weights;
    if (p.weights >= 0) made.weighs = side_of_weights(p.weights);
    made.expanded = p.is_distance && !p.exact && made.contracted.total >= least_expanded &&
                    made.weighs == weight_side::terms;
    products_.push_back(std::move(made));
}

// Few rows, and lines of which each fills vectors.
template <class T>
bool tiles<T>::is_narrow(const task& t, const product& p) const {
    return t.width.rows <= table_->most_narrow && p.contracted.last.b == 1 &&
           p.contracted.last.extent >= table_->lanes && !p.is_distance &&
           (!p.in_blocks || reads_lines(p));
}

// Whether the rows of a narrow product are lines where they lie.
template <class T>
bool tiles<T>::reads_lines(const product& p) const {
    return p.contracted.last.a == 1;
}

// The rows of a narrow product as lines.
template <class T>
void tiles<T>::copy_lines(const task& t, const product& p, const T* a) const {
    T* to = t.address(p.packed);
    for (std::int64_t i = 0; i < t.width.rows; ++i, a += geometry_.row.strides[p.a])
        for (const std::int64_t run : p.contracted.a) {
            const T* from = a + run;
            for (std::int64_t k = 0; k < p.contracted.last.extent; ++k)
                *to++ = from[k * p.contracted.last.a];
        }
}

template <class T>
void tiles<T>::pack_rows(const task& t) const {
    for (std::size_t k = 0; k < products_.size(); ++k) {
        if (is_reused(k)) continue;
        const product& p = products_[k];
        const T* a = t.base(p.a) + t.at[p.a] + t.row * geometry_.row.strides[p.a];
        if (is_narrow(t, p)) {
            if (!reads_lines(p)) copy_lines(t, p, a);
            continue;
        }
        if (p.weights >= 0 && p.weighs == weight_side::terms) pack_weights(t, p);
        const std::int64_t depth = p.contracted.last.extent;
        for (std::size_t run = 0; run < p.contracted.a.size() && !p.in_blocks; ++run)
            pack(t, p, {run, 0, depth}, static_cast<std::int64_t>(run) * depth);
        if (is_expanded(t, p)) pack_norms(t, p, a);
    }
}

// Rows of a product, and the same with weights where distances are expanded: from row `at` on of
// those that are packed.
template <class T>
void tiles<T>::pack(const task& t, const product& p, const packed_part& part,
                    std::int64_t at) const {
    const std::int64_t width = t.width.width, stride = geometry_.row.strides[p.a];
    const auto length = static_cast<std::size_t>(part.count * width);
    const T* const from = t.base(p.a) + t.at[p.a] + t.row * stride + p.contracted.a[part.run] +
                          part.first * p.contracted.last.a;
    T* const to = t.address(p.packed) + at * width;
    transpose(*packing_, from, t.width.rows, stride, part.count, p.contracted.last.a, to, width);
    const auto multiply = elementwise_->apply[kernels::operation(steps::opcode::multiply)][2];
    const T number = static_cast<T>(t.numbers[&p - products_.data()]);
    if (number != 1) multiply(to, to, &number, nullptr, length);
    if (p.weights >= 0 && p.weighs == weight_side::rows) {
        const auto k = static_cast<std::size_t>(p.weights);
        const std::int64_t of_row = geometry_.row.strides[k];
        const T* const weights = t.base(k) + t.at[k] + t.row * of_row + p.contracted.c[part.run] +
                                 part.first * p.contracted.last.c;
        return transpose(*packing_, weights, t.width.rows, of_row, part.count, p.contracted.last.c,
                         t.address(p.weighted) + at * width, width);
    }
    if (p.weights < 0 || !is_expanded(t, p)) return;
    const T* const weights = t.address(p.weight_line) + part.first +
                             static_cast<std::int64_t>(part.run) * p.contracted.last.extent;
    for (std::int64_t k = 0; k < part.count; ++k)
        multiply(t.address(p.weighted) + (at + k) * width, to + k * width, weights + k, nullptr,
                 static_cast<std::size_t>(width));
}

// Each run of the last loop that is summed adds to those before it, and so does each block of a
// run.
template <class T>
void tiles<T>::multiply_runs(const task& t, const product& p, const product_kernels& multiply,
                             kernels::lane_product<T> x, const tile_range& range) const {
    const T* const columns = x.a;
    const T* const rows = x.b;
    const T* const weights = x.weights;
    T* const maximum = x.maximum;
    const std::int64_t depth = x.depth;
    const auto weights_at = [&](std::size_t run, std::int64_t first, std::int64_t before) {
        if (p.weighs == weight_side::terms) return weights + before;
        if (p.weighs == weight_side::columns)
            return weights + p.contracted.c[run] + first * x.weight_step;
        return p.in_blocks ? weights : weights + before * x.weight_step;
    };
    for (std::size_t run = 0; run < p.contracted.b.size(); ++run)
        for (std::int64_t first = 0; first < depth; first += x.depth) {
            x.depth = std::min(depth - first, steps::summed_block);
            const std::int64_t before = static_cast<std::int64_t>(run) * depth + first;
            if (p.in_blocks) pack(t, p, {run, first, x.depth}, 0);
            x.a = columns + p.contracted.b[run] + first * x.a_step;
            x.b = p.in_blocks ? rows : rows + before * x.b_step;
            x.mode = before == 0 ? kernels::product_mode::store : kernels::product_mode::add;
            x.maximum = before + x.depth == p.contracted.total ? maximum : nullptr;
            if (weights != nullptr) x.weights = weights_at(run, first, before);
            multiply_steps(*table_, multiply, x, range);
        }
}

template <class T>
void tiles<T>::choose_run(const product& p, std::size_t run, const T* first, T* maximum,
                          kernels::lane_product<T>& x) {
    x.a = first + p.contracted.b[run];
    x.mode = run == 0 ? kernels::product_mode::store : kernels::product_mode::add;
    x.maximum = run + 1 == p.contracted.b.size() ? maximum : nullptr;
}

template <class T>
void tiles<T>::multiply(const task& t, const product& p, const tile_range& range, T* out,
                        T* maximum) const {
    const std::int64_t stride = geometry_.column.strides[p.b];
    const std::int64_t width = t.width.width;
    const bool narrow = is_narrow(t, p), lines = narrow && reads_lines(p);
    const bool expanded = is_expanded(t, p);
    // All members at once: the compiler would clear the whole of it otherwise.
    kernels::lane_product<T> x{
        .rows = range.column_end - range.column,
        .depth = p.contracted.last.extent,
        .a = t.base(p.b) + t.at[p.b] + range.column * stride,
        .a_row = stride,
        .a_step = p.contracted.last.b,
        .b = t.address(expanded && p.weights >= 0 ? p.weighted : p.packed),
        .b_step = lines    ? geometry_.row.strides[p.a]
                  : narrow ? p.contracted.total
                           : width,
        .c = out,
        .c_row = width,
        .mode = kernels::product_mode::store,
        .scale = nullptr,
        .ahead = ahead(p.b),
        .used = t.width.rows,
        .factor =
            narrow ? static_cast<T>(t.numbers[static_cast<std::size_t>(&p - products_.data())]) : 1,
        .maximum = maximum,
        .weights = nullptr,
        .weight_row = 0,
        .weight_step = 0,
        .weight_lane = 0};
    if (!narrow) {
        if (!p.is_distance || expanded) multiply_runs(t, p, table_->multiply, x, range);
        else make_directly(t, p, x, range);
        if (expanded) expand(t, p, range, out);
        return;
    }
    const T* const b = x.a;
    for (std::size_t run = 0; run < p.contracted.b.size(); ++run) {
        choose_run(p, run, b, maximum, x);
        if (lines) x.b = t.base(p.a) + t.at[p.a] + t.row * x.b_step + p.contracted.a[run];
        table_->narrow_lines(x);
        if (!lines) x.b += x.depth;
    }
}

#define RICCI_INSTANTIATE(T)                                                                    \
    template void tiles<T>::add_product(const steps::tile_product&);                            \
    template bool tiles<T>::is_narrow(const task&, const product&) const;                       \
    template bool tiles<T>::reads_lines(const product&) const;                                  \
    template void tiles<T>::copy_lines(const task&, const product&, const T*) const;            \
    template void tiles<T>::pack_rows(const task&) const;                                       \
    template void tiles<T>::pack(const task&, const product&, const packed_part&, std::int64_t) \
        const;                                                                                  \
    template void tiles<T>::multiply_runs(const task&, const product&, const product_kernels&,  \
                                          kernels::lane_product<T>, const tile_range&) const;   \
    template void tiles<T>::choose_run(const product&, std::size_t, const T*, T*,               \
                                       kernels::lane_product<T>&);                              \
    template void tiles<T>::multiply(const task&, const product&, const tile_range&, T*, T*) const
RICCI_INSTANTIATE(float);
RICCI_INSTANTIATE(double);
#undef RICCI_INSTANTIATE

}  // namespace ricci::fused
