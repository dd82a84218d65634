// A contraction by way of OpenBLAS.
#include "bench/blas.hpp"

#include <algorithm>
#include <complex>
#include <type_traits>
#include <utility>

#ifdef RICCI_BENCH_OPENBLAS
#include <cblas.h>
#endif

namespace ricci::bench {
namespace {

bool has(const std::string& labels, char label) { return labels.find(label) != std::string::npos; }

// The stride that `group` has as one axis of the operand, 0 when it is none; 1 for an empty group.
std::int64_t fused_stride(const sized_case& which, std::size_t operand, const std::string& group) {
    const std::string& labels = which.labels[operand];
    const auto stride_of = [&](char label) {
        std::int64_t stride = 1;
        for (std::size_t axis = labels.find(label) + 1; axis < labels.size(); ++axis)
            stride *= which.extent(labels[axis]);
        return stride;
    };
    if (group.empty()) return 1;
    for (std::size_t k = 0; k + 1 < group.size(); ++k)
        if (stride_of(group[k]) != stride_of(group[k + 1]) * which.extent(group[k + 1])) return 0;
    return stride_of(group.back());
}

}  // namespace

#ifdef RICCI_BENCH_OPENBLAS
bool has_blas() { return true; }
const char* blas_core() { return openblas_get_corename(); }
void set_blas_threads(int threads) { openblas_set_num_threads(threads); }
#else
bool has_blas() { return false; }
const char* blas_core() { return "none"; }
void set_blas_threads(int) {}
#endif

template <class T>
blas_case<T>::blas_case(const sized_case& which) {
    if (!has_blas() || which.labels.size() != 3) return;
    for (const std::string& labels : which.labels)
        for (const char label : labels)
            if (std::count(labels.begin(), labels.end(), label) > 1) return;
    std::string batch, rows, columns, summed;
    for (const char label : which.labels[2]) {
        const bool in_a = has(which.labels[0], label), in_b = has(which.labels[1], label);
        (in_a && in_b ? batch : in_a ? rows : columns) += label;
    }
    // Summed labels in the order of the larger operand, which is dearer to copy.
    const bool follow_a = which.size(0) >= which.size(1);
    for (const char label : which.labels[follow_a ? 0 : 1])
        if (!has(which.labels[2], label)) summed += label;
    for (const std::size_t operand : {std::size_t{0}, std::size_t{1}})
        for (const char label : which.labels[operand])
            if (!has(which.labels[2], label) && !has(summed, label)) return;
    for (const char label : summed)
        if (!has(which.labels[0], label) || !has(which.labels[1], label)) return;
    // A product without a batch of matrices is no work for matrix products.
    if (summed.empty() && rows.empty() && columns.empty()) return;
    for (const char label : rows) m_ *= which.extent(label);
    for (const char label : columns) n_ *= which.extent(label);
    for (const char label : summed) k_ *= which.extent(label);
    a_ = lay_out(which, 0, batch, rows, summed, false);
    b_ = lay_out(which, 1, batch, summed, columns, false);
    c_ = lay_out(which, 2, batch, rows, columns, true);
    possible_ = true;
}

template <class T>
typename blas_case<T>::matrix blas_case<T>::lay_out(const sized_case& which, std::size_t operand,
                                                    const std::string& batch,
                                                    const std::string& rows,
                                                    const std::string& columns, bool output) const {
    matrix made;
    std::int64_t row_count = 1, column_count = 1, batches = 1;
    for (const char label : rows) row_count *= which.extent(label);
    for (const char label : columns) column_count *= which.extent(label);
    for (const char label : batch) batches *= which.extent(label);
    const std::int64_t row = fused_stride(which, operand, rows);
    const std::int64_t column = fused_stride(which, operand, columns);
    const bool plain = row != 0 && column != 0 &&
                       ((row == 1 && column >= row_count) || (column == 1 && row >= column_count) ||
                        row_count == 1 || column_count == 1);
    made.copied = !plain;
    made.row = plain ? row : column_count;
    made.column = plain ? column : 1;
    made.row_step = made.row;
    made.column_step = made.column;
    // The stride of an axis of one element is free: it is chosen to be that of a plain matrix.
    if (column_count == 1) made.column = 1;
    else if (row_count == 1) made.row = made.column == 1 ? column_count : 1;

    const auto stride_of = [&](char label) {
        const std::string& labels = which.labels[operand];
        std::int64_t stride = 1;
        for (std::size_t axis = labels.find(label) + 1; axis < labels.size(); ++axis)
            stride *= which.extent(labels[axis]);
        return stride;
    };
    made.batch.assign(static_cast<std::size_t>(batches), 0);
    for (std::int64_t i = 0; i < batches; ++i) {
        std::int64_t rest = i, offset = 0;
        for (std::size_t k = batch.size(); k-- > 0; rest /= which.extent(batch[k]))
            offset += rest % which.extent(batch[k]) * stride_of(batch[k]);
        made.batch[static_cast<std::size_t>(i)] = plain ? offset : i * row_count * column_count;
    }
    if (plain) return made;
    std::int64_t to = 1;
    const std::string order = batch + rows + columns;
    for (std::size_t k = order.size(); k-- > 0;) {
        const std::int64_t from = stride_of(order[k]);
        if (output) made.copy.push_back({which.extent(order[k]), to, from});
        else made.copy.push_back({which.extent(order[k]), from, to});
        to *= which.extent(order[k]);
    }
    made.memory.resize(static_cast<std::size_t>(to));
    return made;
}

// Copies in tiles of the two loops that are contiguous, one in the source and one in the target.
template <class T>
void blas_case<T>::move(std::vector<loop> loops, const T* from, T* to) {
    const auto take = [&](std::int64_t loop::*stride) {
        for (std::size_t k = 0; k < loops.size(); ++k)
            if (loops[k].*stride == 1) {
                const loop found = loops[k];
                loops.erase(loops.begin() + static_cast<std::ptrdiff_t>(k));
                return found;
            }
        return loop{};
    };
    const loop along = take(&loop::to);
    const loop across = along.from == 1 ? loop{} : take(&loop::from);
    constexpr std::int64_t tile = 16;
    std::vector<std::int64_t> at(loops.size(), 0);
    for (;;) {
        for (std::int64_t j0 = 0; j0 < across.extent; j0 += tile)
            for (std::int64_t i0 = 0; i0 < along.extent;
                 i0 += across.extent == 1 ? along.extent : tile) {
                const std::int64_t i1 =
                    across.extent == 1 ? along.extent : std::min(along.extent, i0 + tile);
                const std::int64_t j1 = std::min(across.extent, j0 + tile);
                for (std::int64_t j = j0; j < j1; ++j) {
                    const T* source = from + j * across.from;
                    T* target = to + j * across.to;
                    if (along.from == 1) std::copy(source + i0, source + i1, target + i0);
                    else
                        for (std::int64_t i = i0; i < i1; ++i) target[i] = source[i * along.from];
                }
            }
        std::size_t k = 0;
        for (; k < loops.size(); ++k) {
            from += loops[k].from;
            to += loops[k].to;
            if (++at[k] < loops[k].extent) break;
            from -= at[k] * loops[k].from;
            to -= at[k] * loops[k].to;
            at[k] = 0;
        }
        if (k == loops.size()) return;
    }
}

template <class T>
void blas_case<T>::run(const T* a, const T* b, T* c) {
    if (a_.copied) move(a_.copy, a, a_.memory.data());
    if (b_.copied) move(b_.copy, b, b_.memory.data());
    multiply(a_.copied ? a_.memory.data() : a, b_.copied ? b_.memory.data() : b,
             c_.copied ? c_.memory.data() : c);
    if (c_.copied) move(c_.copy, c_.memory.data(), c);
}

#ifdef RICCI_BENCH_OPENBLAS
namespace {

blasint whole(std::int64_t value) { return static_cast<blasint>(value); }

// The routine of each type; complex ones take their factors by address.
template <class T>
struct routines;
template <>
struct routines<float> {
    static constexpr auto gemm = &cblas_sgemm;
    static constexpr auto gemv = &cblas_sgemv;
    static constexpr auto dot = &cblas_sdot;
};
template <>
struct routines<double> {
    static constexpr auto gemm = &cblas_dgemm;
    static constexpr auto gemv = &cblas_dgemv;
    static constexpr auto dot = &cblas_ddot;
};
template <>
struct routines<std::complex<float>> {
    static constexpr auto gemm = &cblas_cgemm;
    static constexpr auto gemv = &cblas_cgemv;
    static constexpr auto dot = &cblas_cdotu_sub;
};
template <>
struct routines<std::complex<double>> {
    static constexpr auto gemm = &cblas_zgemm;
    static constexpr auto gemv = &cblas_zgemv;
    static constexpr auto dot = &cblas_zdotu_sub;
};

template <class T>
constexpr bool by_address = !std::is_floating_point_v<T>;

template <class T>
auto factor(const T& x) {
    if constexpr (by_address<T>) return &x;
    else return x;
}

}  // namespace

template <class T>
void blas_case<T>::multiply(const T* a, const T* b, T* c) const {
    // C is written row by row; where its rows are the contiguous ones, C^T = B^T A^T is computed.
    const bool turned = c_.column != 1;
    const matrix& x = turned ? b_ : a_;
    const matrix& y = turned ? a_ : b_;
    const blasint rows = whole(turned ? n_ : m_), columns = whole(turned ? m_ : n_);
    const auto transposed = [&](const matrix& which) {
        return (turned ? which.row : which.column) == 1 ? CblasNoTrans : CblasTrans;
    };
    // Where there is only one line, any distance to the next one will do, but a valid one.
    const auto leading = [&](const matrix& which, blasint rows_of, blasint columns_of) {
        const bool plain = transposed(which) == CblasNoTrans;
        return std::max(whole(which.column == 1 ? which.row : which.column),
                        plain ? columns_of : rows_of);
    };
    const blasint c_leading = std::max(whole(turned ? c_.column : c_.row), columns);
    const T one = 1, zero = 0;
    for (std::size_t i = 0; i < c_.batch.size(); ++i) {
        const T* left = (turned ? b : a) + x.batch[i];
        const T* right = (turned ? a : b) + y.batch[i];
        T* out = c + c_.batch[i];
        if (m_ == 1 || n_ == 1) {
            multiply_vector(a + a_.batch[i], b + b_.batch[i], out);
        } else {
            routines<T>::gemm(CblasRowMajor, transposed(x), transposed(y), rows, columns, whole(k_),
                              factor(one), left, leading(x, rows, whole(k_)), right,
                              leading(y, whole(k_), columns), factor(zero), out, c_leading);
        }
    }
}

// A dot product or a matrix times a vector.
template <class T>
void blas_case<T>::multiply_vector(const T* a, const T* b, T* c) const {
    if (m_ == 1 && n_ == 1) {
        const blasint a_step = whole(a_.column_step), b_step = whole(b_.row_step);
        if constexpr (by_address<T>) routines<T>::dot(whole(k_), a, a_step, b, b_step, c);
        else *c = routines<T>::dot(whole(k_), a, a_step, b, b_step);
        return;
    }
    // The matrix as `lines` x k_, whose lines are contiguous or not.
    const matrix& which = n_ == 1 ? a_ : b_;
    const std::int64_t along = n_ == 1 ? which.column : which.row;
    const std::int64_t between = n_ == 1 ? which.row : which.column;
    const bool contiguous = along == 1;
    const blasint lines = whole(n_ == 1 ? m_ : n_);
    const auto order = contiguous ? CblasRowMajor : CblasColMajor;
    const blasint leading = whole(contiguous ? between : along);
    const T* data = n_ == 1 ? a : b;
    const T* x = n_ == 1 ? b : a;
    const blasint x_step = whole(n_ == 1 ? b_.row_step : a_.column_step);
    const blasint c_step = whole(n_ == 1 ? c_.row_step : c_.column_step);
    const T one = 1, zero = 0;
    routines<T>::gemv(order, CblasNoTrans, lines, whole(k_), factor(one), data, leading, x, x_step,
                      factor(zero), c, c_step);
}
#else
template <class T>
void blas_case<T>::multiply(const T*, const T*, T*) const {}
#endif

template class blas_case<float>;
template class blas_case<double>;
template class blas_case<std::complex<float>>;
template class blas_case<std::complex<double>>;

}  // namespace ricci::bench
