// The products of tiles of a fused group: rows packed, and multiplied by columns where these lie.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "src/fused/lane_steps.hpp"
#include "src/fused/tiles.hpp"

namespace ricci::fused {

template <class T>
void tiles<T>::add_product(const steps::tile_product& p) {
    product made;
    made.a = static_cast<std::size_t>(p.a);
    made.b = static_cast<std::size_t>(p.b);
    made.contracted = flatten(p.contracted);
    made.is_distance = p.is_distance;
    made.expanded = p.is_distance && !p.exact && made.contracted.total >= least_expanded;
    made.weights = p.weights;
    products_.push_back(std::move(made));
}

// Few rows, and lines of which each fills vectors.
template <class T>
bool tiles<T>::is_narrow(const task& t, const product& p) const {
    return t.width.rows <= table_->most_narrow && p.contracted.last.b == 1 &&
           p.contracted.last.extent >= table_->lanes && !p.is_distance;
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
        T* const packed = t.address(p.packed);
        const T* a = t.base(p.a) + t.at[p.a] + t.row * geometry_.row.strides[p.a];
        if (is_narrow(t, p)) {
            if (!reads_lines(p)) copy_lines(t, p, a);
            continue;
        }
        if (p.weights >= 0) pack_weights(t, p);
        T* to = packed;
        for (std::size_t run = 0; run < p.contracted.a.size(); ++run) {
            transpose(*packing_, a + p.contracted.a[run], t.width.rows, geometry_.row.strides[p.a],
                      p.contracted.last.extent, p.contracted.last.a, to, t.width.width);
            to += p.contracted.last.extent * t.width.width;
        }
        const T number = static_cast<T>(t.numbers[k]);
        if (number != 1)
            elementwise_->apply[kernels::operation(steps::opcode::multiply)][2](
                packed, packed, &number, nullptr, static_cast<std::size_t>(to - packed));
        if (is_expanded(t, p)) pack_norms(t, p, a);
    }
}

// Each run of the last loop that is summed adds to those before it.
template <class T>
void tiles<T>::multiply_runs(const product& p, const product_kernels& multiply,
                             kernels::lane_product<T> x, const tile_range& range) const {
    const T* const first = x.a;
    T* const maximum = x.maximum;
    for (std::size_t run = 0; run < p.contracted.b.size(); ++run) {
        choose_run(p, run, first, maximum, x);
        multiply_steps(*table_, multiply, x, range);
        x.b += x.depth * x.b_step;
        if (x.weights != nullptr) x.weights += x.depth;
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
        .ahead = ahead(stride),
        .used = t.width.rows,
        .factor =
            narrow ? static_cast<T>(t.numbers[static_cast<std::size_t>(&p - products_.data())]) : 1,
        .maximum = maximum,
        .weights = nullptr};
    if (!narrow) {
        if (!p.is_distance || expanded) multiply_runs(p, table_->multiply, x, range);
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

#define RICCI_INSTANTIATE(T)                                                                  \
    template void tiles<T>::add_product(const steps::tile_product&);                          \
    template bool tiles<T>::is_narrow(const task&, const product&) const;                     \
    template bool tiles<T>::reads_lines(const product&) const;                                \
    template void tiles<T>::copy_lines(const task&, const product&, const T*) const;          \
    template void tiles<T>::pack_rows(const task&) const;                                     \
    template void tiles<T>::multiply_runs(const product&, const product_kernels&,             \
                                          kernels::lane_product<T>, const tile_range&) const; \
    template void tiles<T>::choose_run(const product&, std::size_t, const T*, T*,             \
                                       kernels::lane_product<T>&);                            \
    template void tiles<T>::multiply(const task&, const product&, const tile_range&, T*, T*) const
RICCI_INSTANTIATE(float);
RICCI_INSTANTIATE(double);
#undef RICCI_INSTANTIATE

}  // namespace ricci::fused
