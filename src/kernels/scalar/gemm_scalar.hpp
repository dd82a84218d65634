// The kernels of a contraction as plain loops: what the vector ones are compared with.
#pragma once

#include <cstdint>

#include "src/kernels/gemm/gemm.hpp"

namespace ricci::kernels {

// A "vector" of four elements, so that the panels of the oracle are blocked as the real ones are.
inline constexpr int scalar_lanes = 4;

template <class T, int rows, int vectors>
void scalar_in_place(std::int64_t depth, const row_panel<T>& a, const T* b, std::int64_t b_step,
                     const output_tile<T>& out) {
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < vectors * scalar_lanes && j < out.column_count; ++j) {
            T sum = 0;
            const T* row = a.origin + i * a.row_step;
            for (std::int64_t k = 0; k < depth; ++k) sum += row[k * a.step] * b[k * b_step + j];
            T& c = out.origin[out.rows[i] + out.columns[j]];
            c = out.beta == T{0} ? out.alpha * sum : out.alpha * sum + out.beta * c;
        }
    }
}

template <class T, int rows, int vectors>
void scalar_gemm(std::int64_t depth, const T* a, const T* b, std::int64_t b_step,
                 const output_tile<T>& out) {
    scalar_in_place<T, rows, vectors>(depth, {a, row_pitch<T>, 1}, b, b_step, out);
}

template <class T>
void scalar_pack(const pack_source<T>& from, T* to, std::int64_t step, int padded) {
    for (std::int64_t k = 0; k < from.depth; ++k) {
        for (int x = 0; x < padded; ++x) {
            to[k * step + x] = x < from.width ? from.origin[from.across[x] + from.along[k]] : T{0};
        }
    }
}

template <class T, int rows>
void scalar_multiply_direct(const small_matrices<T>& p, const T* a, const T* b, T* c) {
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < p.columns; ++j) {
            T sum = 0;
            for (std::int64_t k = 0; k < p.depth; ++k)
                sum += a[i * p.a_row + k * p.a_step] * b[k * p.b_step + j];
            T& to = c[i * p.c_row + j];
            to = p.beta == T{0} ? p.alpha * sum : p.alpha * sum + p.beta * to;
        }
    }
}

template <class T, int rows>
void scalar_multiply_products(const small_matrices<T>& p, const product_places* at,
                              std::int64_t count) {
    for (std::int64_t t = 0; t < count; ++t)
        for (std::int64_t l = 0; l < p.batches; ++l)
            scalar_multiply_direct<T, rows>(p, static_cast<const T*>(at[t].a) + l * p.a_batch,
                                            static_cast<const T*>(at[t].b) + l * p.b_batch,
                                            static_cast<T*>(at[t].c) + l * p.c_batch);
}

template <class T, int rows, int vectors>
void add_scalar_tile(kernel_table<T>& table) {
    table.gemm[rows - 1][vectors - 1] = &scalar_gemm<T, rows, vectors>;
    table.gemm_in_place[rows - 1][vectors - 1] = &scalar_in_place<T, rows, vectors>;
    table.multiply_direct[rows - 1][vectors - 1] = &scalar_multiply_products<T, rows>;
    table.direct_rows[vectors - 1] = max_rows;
}

template <class T, int rows>
void add_scalar_tiles(kernel_table<T>& table) {
    add_scalar_tile<T, rows, 1>(table);
    add_scalar_tile<T, rows, 2>(table);
    add_scalar_tile<T, rows, 3>(table);
    if constexpr (rows > 1) add_scalar_tiles<T, rows - 1>(table);
}

template <class T, int rows, int columns>
void scalar_multiply_lanes(std::int64_t depth, const T* a, const T* b, const lane_tile<T>& out) {
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < out.column_count; ++j) {
            for (int l = 0; l < out.lanes; ++l) {
                T sum = 0;
                for (std::int64_t k = 0; k < depth; ++k) {
                    sum += a[(k * rows + i) * scalar_lanes + l] *
                           b[(k * columns + j) * scalar_lanes + l];
                }
                T& c = out.origin[out.rows[i] + out.columns[j] + l * out.step];
                c = out.beta == T{0} ? out.alpha * sum : out.alpha * sum + out.beta * c;
            }
        }
    }
}

/// `value` is applied to each element: a type, or the conjugate.
template <class T, class Stored, class Value>
void scalar_pack_lanes(const lane_source<Stored>& from, T* to, int padded, Value value) {
    for (std::int64_t k = 0; k < from.depth; ++k) {
        for (int x = 0; x < from.width; ++x) {
            for (int l = 0; l < scalar_lanes; ++l) {
                to[(k * padded + x) * scalar_lanes + l] =
                    l < from.lanes
                        ? value(from.origin[from.across[x] + from.along[k] + l * from.step])
                        : T{0};
            }
        }
    }
}

template <class T>
void add_scalar_lanes(kernel_table<T>& table) {
    table.lane_rows = 2;
    table.lane_columns = 2;
    table.narrow_lane_columns = 1;
    table.multiply_lanes[0][0] = &scalar_multiply_lanes<T, 1, 1>;
    table.multiply_lanes[0][1] = &scalar_multiply_lanes<T, 1, 2>;
    table.multiply_lanes[1][0] = &scalar_multiply_lanes<T, 2, 1>;
    table.multiply_lanes[1][1] = &scalar_multiply_lanes<T, 2, 2>;
    table.pack_lanes_a = table.pack_lanes_b = [](const lane_source<T>& from, T* to, int padded) {
        scalar_pack_lanes(from, to, padded, [](T x) { return x; });
    };
}

template <class T>
kernel_table<T> make_scalar_table() {
    kernel_table<T> table;
    table.target = "scalar twin";
    table.lanes = scalar_lanes;
    table.mr = max_rows;
    table.vectors = 3;
    add_scalar_tiles<T, max_rows>(table);
    table.direct_masks = true;
    table.panel_pitch = row_pitch<T>;
    table.pack_rows = [](const pack_source<T>& from, T* to) {
        for (int x = 0; x < from.width; ++x) {
            for (std::int64_t k = 0; k < from.depth; ++k)
                to[x * row_pitch<T> + k] = from.origin[from.across[x] + from.along[k]];
        }
    };
    table.pack_across = [](const pack_source<T>& from, T* to) {
        scalar_pack(from, to, from.width, from.width);
    };
    table.pack_columns = [](const pack_source<T>& from, T* to, std::int64_t step) {
        scalar_pack(from, to, step, scalar_lanes);
    };
    table.transpose = [](const T* from, std::int64_t from_step, T* to, std::int64_t to_step,
                         std::int64_t rows, std::int64_t columns) {
        for (std::int64_t i = 0; i < rows; ++i) {
            for (std::int64_t j = 0; j < columns; ++j)
                to[j * to_step + i] = from[i * from_step + j];
        }
    };
    add_scalar_lanes(table);
    table.dot = [](std::int64_t n, strided<T> x, strided<T> y) {
        T sum = 0;
        for (std::int64_t t = 0; t < n; ++t) sum += x.data[t * x.step] * y.data[t * y.step];
        return sum;
    };
    table.multiply_add = [](std::int64_t n, T alpha, strided<T> x, strided<T> y, T beta, T* c,
                            std::int64_t c_step) {
        for (std::int64_t t = 0; t < n; ++t) {
            const T product = alpha * x.data[t * x.step] * y.data[t * y.step];
            T& to = c[t * c_step];
            to = beta == T{0} ? product : product + beta * to;
        }
    };
    return table;
}

}  // namespace ricci::kernels
