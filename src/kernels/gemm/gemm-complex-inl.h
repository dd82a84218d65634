// Micro-kernels and packing for complex numbers in Highway, compiled once for every SIMD target.
// Packed B has real and imaginary parts apart, so that every lane multiplies and adds; packed A has
// numbers as they are. The including file defines RICCI_GEMM_PART, the type of a part.
#if defined(RICCI_KERNELS_GEMM_COMPLEX_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_GEMM_COMPLEX_INL_H
#undef RICCI_KERNELS_GEMM_COMPLEX_INL_H
#else
#define RICCI_KERNELS_GEMM_COMPLEX_INL_H
#endif

#include <complex>
#include <cstdint>

#include <hwy/highway.h>

#include "src/kernels/elementwise/prefetch-ahead-inl.h"
#include "src/kernels/gemm/complex-pair-inl.h"
#include "src/kernels/gemm/gemm_complex.hpp"
#include "src/kernels/stored-vector-inl.h"
#include "src/kernels/unroll.hpp"
#include "src/kernels/gemm/vector-products-complex-inl.h"

HWY_BEFORE_NAMESPACE();
// Unnamed: the same names are compiled once for each element type.
namespace ricci::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::int64_t pitch = row_pitch<number>;

// Two accumulators for each vector of C: 32 registers hold 6 x 2 of them, 16 hold 6 x 1.
constexpr int tile_rows = 6;
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
constexpr int tile_vectors = 2;
#else
constexpr int tile_vectors = 1;
#endif

// Writes vector v of a row of C whose columns are scattered or do not fill the vector.
HWY_NOINLINE void write_part(pair product, const output_tile<number>& out, number* row, int v) {
    const part_tag d;
    const int first = v * lane_count;
    const int count = HWY_MIN(lane_count, out.column_count - first);
    HWY_ALIGN part re[lane_count];
    HWY_ALIGN part im[lane_count];
    hn::Store(product.re, d, re);
    hn::Store(product.im, d, im);
    const bool reads = out.beta != number(0);
    for (int j = 0; j < count; ++j) {
        number* c = row + out.columns[first + j];
        const number sum(re[j], im[j]);
        *c = reads ? sum + times(out.beta, *c) : sum;
    }
}

template <int rows, int vectors>
HWY_INLINE void write_tile(const stored<part_vector> (&re)[rows][vectors],
                           const stored<part_vector> (&im)[rows][vectors],
                           const output_tile<number>& out) {
    const pair alpha = broadcast(out.alpha);
    const pair beta = broadcast(out.beta);
    const bool reads = out.beta != number(0);
    RICCI_UNROLL
    for (int v = 0; v < vectors; ++v) {
        const int first = v * lane_count;
        if (first >= out.column_count) return;
        const bool whole =
            ((out.adjacent >> v) & 1u) != 0 && first + lane_count <= out.column_count;
        RICCI_UNROLL
        for (int i = 0; i < rows; ++i) {
            pair product = multiply(alpha, pair{re[i][v], im[i][v]});
            number* const row = out.origin + out.rows[i];
            if (whole) {
                number* const c = row + out.columns[first];
                if (reads) product = multiply_and_add(beta, load(c), product);
                store(product, c);
            } else {
                write_part(product, out, row, v);
            }
        }
    }
}

template <int rows, int vectors>
void gemm_tile(std::int64_t depth, const number* HWY_RESTRICT a, const number* HWY_RESTRICT b,
               std::int64_t b_step, const output_tile<number>& out) {
    const part_tag d;
    stored<part_vector> re[rows][vectors], im[rows][vectors];
    RICCI_UNROLL
    for (int i = 0; i < rows; ++i) {
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) re[i][v] = im[i][v] = hn::Zero(d);
    }
    const part* HWY_RESTRICT left = parts(a);
    const part* HWY_RESTRICT right = parts(b);
    const auto step = [&]() HWY_ATTR RICCI_INLINE_LAMBDA {
        stored<part_vector> b_re[vectors], b_im[vectors];
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) {
            b_re[v] = hn::LoadU(d, right + 2 * v * lane_count);
            b_im[v] = hn::LoadU(d, right + (2 * v + 1) * lane_count);
        }
        RICCI_UNROLL
        for (int i = 0; i < rows; ++i) {
            const part_vector a_re = hn::Set(d, left[2 * i * pitch]);
            const part_vector a_im = hn::Set(d, left[2 * i * pitch + 1]);
            RICCI_UNROLL
            for (int v = 0; v < vectors; ++v) {
                re[i][v] = hn::MulAdd(a_re, b_re[v], re[i][v]);
                im[i][v] = hn::MulAdd(a_re, b_im[v], im[i][v]);
            }
            RICCI_UNROLL
            for (int v = 0; v < vectors; ++v) {
                re[i][v] = hn::NegMulAdd(a_im, b_im[v], re[i][v]);
                im[i][v] = hn::MulAdd(a_im, b_re[v], im[i][v]);
            }
        }
        left += 2;
        right += 2 * b_step;
    };
    line_asker<number> asker(out.next);
    std::int64_t steps = steps_before_output(out, depth);
    for (int half = 0; half < 2; ++half) {
        for (std::int64_t k = 0; k < steps; ++k) {
            step();
            asker.ask();
        }
        if (half == 0 && out.prefetch) prefetch_output<rows, 2 * vectors, lane_count / 2>(out);
        steps = depth - steps;
    }
    write_tile<rows, vectors>(re, im, out);
}

// A run of a line. `ahead`: parts from there to the line that is copied next, which is asked for.
template <bool conjugate>
HWY_INLINE void copy_run(std::int64_t count, const number* from,
                         [[maybe_unused]] std::int64_t ahead, number* to) {
    std::int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
    const part_tag d;
    for (; i + lane_count <= 2 * count; i += lane_count) {
        hwy::Prefetch(parts(from) + ahead + i);
        const part_vector z = hn::LoadU(d, parts(from) + i);
        hn::StoreU(conjugate ? hn::OddEven(hn::Neg(z), z) : z, d, parts(to) + i);
    }
#endif
    for (i /= 2; i < count; ++i) to[i] = maybe_conjugated<conjugate>(from[i]);
}

template <bool conjugate>
void pack_rows(const pack_source<number>& from, number* to) {
    for (int x = 0; x < from.width; ++x, to += pitch) {
        const number* const row = from.origin + from.across[x];
        const std::int64_t next = from.across[HWY_MIN(x + 1, from.width - 1)] - from.across[x];
        for (std::int64_t k = 0; k < from.depth;) {
            const std::int64_t count = HWY_MIN(from.depth - k, std::int64_t{from.along_run[k]});
            copy_run<conjugate>(count, row + from.along[k], 2 * next, to + k);
            k += count;
        }
    }
}

template <bool conjugate>
HWY_INLINE void pack_each(const pack_source<number>& from, part* to, std::int64_t step) {
    for (std::int64_t k = 0; k < from.depth; ++k) {
        for (int x = 0; x < from.width; ++x) {
            const number z =
                maybe_conjugated<conjugate>(from.origin[from.across[x] + from.along[k]]);
            to[k * step + x] = z.real();
            to[k * step + lane_count + x] = z.imag();
        }
    }
}

template <bool conjugate>
void pack_columns(const pack_source<number>& from, number* to, std::int64_t step) {
    const part_tag d;
    if (from.across_run[0] >= lane_count) {
        const number* const line = from.origin + from.across[0];
        for (std::int64_t k = 0; k < from.depth; ++k) {
            const pair z = load(line + from.along[k]);
            part* const at = parts(to + k * step);
            hn::StoreU(z.re, d, at);
            hn::StoreU(maybe_negated<conjugate>(z.im), d, at + lane_count);
        }
        return;
    }
    if (from.width < lane_count) {
        for (std::int64_t k = 0; k < from.depth; ++k) {
            part* const at = parts(to + k * step);
            hn::StoreU(hn::Zero(d), d, at);
            hn::StoreU(hn::Zero(d), d, at + lane_count);
        }
    }
    pack_each<conjugate>(from, parts(to), 2 * step);
}

// Accumulators for 32 registers, or for 16: two for each vector of batches.
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
constexpr int lane_tile_rows = 3;
constexpr int lane_tile_columns = 4;
#else
constexpr int lane_tile_rows = 2;
constexpr int lane_tile_columns = 2;
#endif

// The product of a tile for a vector of batches: nothing is broadcast.
template <int rows, int columns>
void multiply_lanes(std::int64_t depth, const number* HWY_RESTRICT a, const number* HWY_RESTRICT b,
                    const lane_tile<number>& out) {
    const part_tag d;
    stored<part_vector> re[rows][columns], im[rows][columns];
    RICCI_UNROLL
    for (int i = 0; i < rows; ++i) {
        RICCI_UNROLL
        for (int j = 0; j < columns; ++j) re[i][j] = im[i][j] = hn::Zero(d);
    }
    const part* HWY_RESTRICT left = parts(a);
    const part* HWY_RESTRICT right = parts(b);
    for (std::int64_t k = 0; k < depth; ++k) {
        RICCI_UNROLL
        for (int j = 0; j < columns; ++j) {
            const part_vector b_re = hn::LoadU(d, right + 2 * j * lane_count);
            const part_vector b_im = hn::LoadU(d, right + (2 * j + 1) * lane_count);
            RICCI_UNROLL
            for (int i = 0; i < rows; ++i) {
                const part_vector a_re = hn::LoadU(d, left + 2 * i * lane_count);
                const part_vector a_im = hn::LoadU(d, left + (2 * i + 1) * lane_count);
                re[i][j] = hn::MulAdd(a_re, b_re, re[i][j]);
                im[i][j] = hn::MulAdd(a_re, b_im, im[i][j]);
                re[i][j] = hn::NegMulAdd(a_im, b_im, re[i][j]);
                im[i][j] = hn::MulAdd(a_im, b_re, im[i][j]);
            }
        }
        left += 2 * rows * lane_count;
        right += 2 * columns * lane_count;
    }
    const pair alpha = broadcast(out.alpha);
    const bool reads = out.beta != number(0);
    const bool whole = out.step == 1 && out.lanes == lane_count;
    RICCI_UNROLL
    for (int i = 0; i < rows; ++i) {
        RICCI_UNROLL
        for (int j = 0; j < columns; ++j) {
            pair product = multiply(alpha, pair{re[i][j], im[i][j]});
            if (j >= out.column_count) continue;
            number* c = out.origin + out.rows[i] + out.columns[j];
            if (whole) {
                if (reads) product = multiply_and_add(broadcast(out.beta), load(c), product);
                store(product, c);
                continue;
            }
            HWY_ALIGN part each_re[lane_count];
            HWY_ALIGN part each_im[lane_count];
            hn::Store(product.re, d, each_re);
            hn::Store(product.im, d, each_im);
            for (int l = 0; l < out.lanes; ++l, c += out.step) {
                const number sum(each_re[l], each_im[l]);
                *c = reads ? sum + times(out.beta, *c) : sum;
            }
        }
    }
}

template <bool conjugate>
void pack_lanes(const lane_source<number>& from, number* to, int padded) {
    const part_tag d;
    for (std::int64_t k = 0; k < from.depth; ++k) {
        const number* const at = from.origin + from.along[k];
        for (int x = 0; x < from.width; ++x) {
            const number* z = at + from.across[x];
            part* const here = parts(to + (k * padded + x) * lane_count);
            if (from.step == 1 && from.lanes == lane_count) {
                const pair each = load(z);
                hn::StoreU(each.re, d, here);
                hn::StoreU(maybe_negated<conjugate>(each.im), d, here + lane_count);
                continue;
            }
            for (int l = 0; l < lane_count; ++l) {
                const number each = l < from.lanes ? z[l * from.step] : number(0);
                here[l] = each.real();
                here[lane_count + l] = conjugate ? -each.imag() : each.imag();
            }
        }
    }
}

template <int rows>
void add_lane_tiles(kernel_table<number>& table) {
    table.multiply_lanes[rows - 1][0] = &multiply_lanes<rows, 2>;
    table.multiply_lanes[rows - 1][1] = &multiply_lanes<rows, lane_tile_columns>;
    if constexpr (rows > 1) add_lane_tiles<rows - 1>(table);
}

template <int rows, int vectors>
constexpr typename kernel_table<number>::gemm_function tile_or_none() {
    if constexpr (rows <= tile_rows && vectors <= tile_vectors) return &gemm_tile<rows, vectors>;
    else return nullptr;
}

template <int rows>
void add_tiles(kernel_table<number>& table) {
    table.gemm[rows - 1][0] = tile_or_none<rows, 1>();
    table.gemm[rows - 1][1] = tile_or_none<rows, 2>();
    table.gemm[rows - 1][2] = tile_or_none<rows, 3>();
    if constexpr (rows > 1) add_tiles<rows - 1>(table);
}

template <bool a, bool b>
kernel_table<number> make_table() {
    kernel_table<number> table;
    table.target = hwy::TargetName(HWY_TARGET);
    table.lanes = lane_count;
    table.mr = tile_rows;
    table.vectors = tile_vectors;
    table.panel_pitch = pitch;
    add_tiles<max_rows>(table);
    table.pack_rows = &pack_rows<a>;
    table.pack_columns = &pack_columns<b>;
    add_lane_tiles<lane_tile_rows>(table);
    table.lane_rows = lane_tile_rows;
    table.lane_columns = lane_tile_columns;
    table.narrow_lane_columns = 2;
    table.pack_lanes_a = &pack_lanes<a>;
    table.pack_lanes_b = &pack_lanes<b>;
    table.dot = &dot<a, b>;
    table.multiply_add = &multiply_add<a, b>;
    return table;
}

const kernel_table<number>* target_table(bool a, bool b) {
    static const kernel_table<number> tables[] = {
        make_table<false, false>(), make_table<false, true>(), make_table<true, false>(),
        make_table<true, true>()};
    return &tables[(a ? 2 : 0) + (b ? 1 : 0)];
}

}  // namespace
}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
