// Micro-kernels and packing in Highway for every SIMD target; no threads, no blocking. The including
// file defines RICCI_GEMM_TYPE.
#if defined(RICCI_KERNELS_GEMM_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_GEMM_INL_H
#undef RICCI_KERNELS_GEMM_INL_H
#else
#define RICCI_KERNELS_GEMM_INL_H
#endif

#include <cstdint>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "src/kernels/gemm-lanes-inl.h"
#include "src/kernels/gemm.hpp"
#include "src/kernels/transpose-inl.h"
#include "src/kernels/unroll.hpp"
#include "src/kernels/vector-products-inl.h"

HWY_BEFORE_NAMESPACE();
// Unnamed: the same names are compiled once for each element type.
namespace ricci::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using element_type = RICCI_GEMM_TYPE;
constexpr std::int64_t pitch = row_pitch<element_type>;

using full_tag = hn::ScalableTag<element_type>;

#if HWY_TARGET != HWY_SCALAR
constexpr int block_lanes = lanes_of_block<element_type>;
#endif
constexpr int lane_count = static_cast<int>(HWY_LANES(element_type));

// 32 registers hold 8 x 3 accumulators, 16 hold 6 x 2.
#if HWY_TARGET <= HWY_AVX3 || HWY_TARGET == HWY_NEON
constexpr int tile_rows = 8;
constexpr int tile_vectors = 3;
#else
constexpr int tile_rows = 6;
constexpr int tile_vectors = 2;
#endif

// x * y + z; whole numbers have no fused form.
template <class V>
HWY_INLINE V multiply_and_add(V x, V y, V z) {
    if constexpr (hwy::IsFloat<element_type>()) return hn::MulAdd(x, y, z);
    else return hn::Add(hn::Mul(x, y), z);
}

// Adds `count` adjacent elements of a row of a finished tile to C.
HWY_INLINE void write_run(const element_type* product, element_type beta, element_type* c,
                          int count) {
#if !HWY_MEM_OPS_MIGHT_FAULT
    const full_tag d;
    const auto mask = hn::FirstN(d, static_cast<std::size_t>(count));
    const auto value = hn::LoadU(d, product);
    const auto old = beta == 0 ? hn::Zero(d) : hn::MaskedLoad(mask, d, c);
    hn::BlendedStore(multiply_and_add(hn::Set(d, beta), old, value), mask, d, c);
#else
    for (int j = 0; j < count; ++j) c[j] = beta == 0 ? product[j] : product[j] + beta * c[j];
#endif
}

// Writes a tile that lies in `tile`, `width` elements a row, when its columns may be scattered or may
// not fill their vectors: runs of adjacent columns, each for all rows.
HWY_NOINLINE void write_scattered(const element_type* tile, int width, int rows,
                                  const output_tile<element_type>& out) {
    for (int first = 0; first < out.column_count;) {
        int count = 1;
        while (count < lane_count && first + count < out.column_count &&
               out.columns[first + count] - out.columns[first + count - 1] == 1) {
            ++count;
        }
        element_type* column = out.origin + out.columns[first];
        const element_type* product = tile + first;
        if (count == 1) {
            for (int i = 0; i < rows; ++i) {
                element_type* c = column + out.rows[i];
                *c = out.beta == 0 ? product[i * width] : product[i * width] + out.beta * *c;
            }
        } else {
            for (int i = 0; i < rows; ++i) {
                write_run(product + i * width, out.beta, column + out.rows[i], count);
            }
        }
        first += count;
    }
}

constexpr std::int64_t prefetch_steps = 64;
template <int rows, int vectors>
HWY_INLINE void prefetch_output(const output_tile<element_type>& out) {
    for (int v = 0; v < vectors; ++v) {
        const int j = HWY_MIN(v * lane_count, out.column_count - 1);
        const element_type* column = out.origin + out.columns[j];
        RICCI_UNROLL
        for (int i = 0; i < rows; ++i) hwy::Prefetch(column + out.rows[i]);
    }
}

#if !HWY_MEM_OPS_MIGHT_FAULT
// Writes columns [first, end) of vector v, which are adjacent in memory.
template <int rows, int vectors, class V>
HWY_INLINE void write_masked(const V (&sum)[rows][vectors], int v, int first, int end,
                             const output_tile<element_type>& out) {
    const full_tag d;
    const V alpha = hn::Set(d, out.alpha);
    const V beta = hn::Set(d, out.beta);
    const auto mask = hn::AndNot(hn::FirstN(d, static_cast<std::size_t>(first)),
                                 hn::FirstN(d, static_cast<std::size_t>(end)));
    element_type* column = out.origin + (out.columns[v * lane_count + first] - first);
    RICCI_UNROLL
    for (int i = 0; i < rows; ++i) {
        element_type* c = column + out.rows[i];
        V value = hn::Mul(alpha, sum[i][v]);
        if (out.beta != 0) value = multiply_and_add(beta, hn::MaskedLoad(mask, d, c), value);
        hn::BlendedStore(value, mask, d, c);
    }
}
#endif

// Adds the tile to C, or replaces C when beta is 0.
template <int rows, int vectors, class V>
HWY_INLINE void write_tile(const V (&sum)[rows][vectors], const output_tile<element_type>& out) {
    const full_tag d;
    const V alpha = hn::Set(d, out.alpha);
    constexpr unsigned every_vector = (1u << vectors) - 1;
    if ((out.adjacent & every_vector) == every_vector && out.column_count == vectors * lane_count) {
        element_type* columns[vectors];
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) columns[v] = out.origin + out.columns[v * lane_count];
        if (out.stream && out.beta == 0) {
            RICCI_UNROLL
            for (int i = 0; i < rows; ++i) {
                const std::int64_t row = out.rows[i];
                RICCI_UNROLL
                for (int v = 0; v < vectors; ++v) {
                    hn::Stream(hn::Mul(alpha, sum[i][v]), d, columns[v] + row);
                }
            }
        } else if (out.beta == 0) {
            RICCI_UNROLL
            for (int i = 0; i < rows; ++i) {
                const std::int64_t row = out.rows[i];
                RICCI_UNROLL
                for (int v = 0; v < vectors; ++v) {
                    hn::StoreU(hn::Mul(alpha, sum[i][v]), d, columns[v] + row);
                }
            }
        } else {
            const V beta = hn::Set(d, out.beta);
            RICCI_UNROLL
            for (int i = 0; i < rows; ++i) {
                const std::int64_t row = out.rows[i];
                RICCI_UNROLL
                for (int v = 0; v < vectors; ++v) {
                    const V old = hn::Mul(beta, hn::LoadU(d, columns[v] + row));
                    hn::StoreU(multiply_and_add(alpha, sum[i][v], old), d, columns[v] + row);
                }
            }
        }
        return;
    }
#if !HWY_MEM_OPS_MIGHT_FAULT
    if (((out.adjacent | out.halves) & every_vector) == every_vector) {
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) {
            const int count = HWY_MIN(lane_count, out.column_count - v * lane_count);
            const bool whole = ((out.adjacent >> v) & 1u) != 0;
            write_masked(sum, v, 0, whole ? count : out.split[v], out);
            if (!whole) write_masked(sum, v, out.split[v], count, out);
        }
        return;
    }
#endif
    // A run may be read a whole vector wide.
    HWY_ALIGN element_type tile[(rows * vectors + 1) * lane_count];
    RICCI_UNROLL
    for (int i = 0; i < rows; ++i) {
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) {
            hn::Store(hn::Mul(alpha, sum[i][v]), d, tile + (i * vectors + v) * lane_count);
        }
    }
    hn::Store(hn::Zero(d), d, tile + rows * vectors * lane_count);
    write_scattered(tile, vectors * lane_count, rows, out);
}

// `left(i)` gives row i of A for the current k, `advance()` goes on to the next k.
template <int rows, int vectors, class Left, class Advance>
HWY_INLINE void multiply_tile(std::int64_t depth, Left left, Advance advance,
                              const element_type* HWY_RESTRICT b, std::int64_t b_step,
                              const output_tile<element_type>& out) {
    const full_tag d;
    using vector = hn::Vec<full_tag>;
    vector sum[rows][vectors];
    RICCI_UNROLL
    for (int i = 0; i < rows; ++i) {
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) sum[i][v] = hn::Zero(d);
    }
    const element_type* next = out.next;
    const std::int64_t next_step = out.next_step;
    // C is asked for some steps before it is needed: earlier, the panels would push it out again.
    std::int64_t steps = out.prefetch && depth > prefetch_steps ? depth - prefetch_steps : 0;
    for (int part = 0; part < 2; ++part) {
        for (std::int64_t k = 0; k < steps; ++k) {
            vector right[vectors];
            RICCI_UNROLL
            for (int v = 0; v < vectors; ++v) right[v] = hn::LoadU(d, b + v * lane_count);
            RICCI_UNROLL
            for (int i = 0; i < rows; ++i) {
                const vector one = hn::Set(d, left(i));
                RICCI_UNROLL
                for (int v = 0; v < vectors; ++v)
                    sum[i][v] = multiply_and_add(one, right[v], sum[i][v]);
            }
            advance();
            b += b_step;
            hwy::Prefetch(next);
            next += next_step;
        }
        if (part == 0 && out.prefetch) prefetch_output<rows, vectors>(out);
        steps = depth - steps;
    }
    write_tile<rows, vectors>(sum, out);
}

// Packed rows are a constant distance apart, which takes no register.
template <int rows, int vectors>
void gemm_tile(std::int64_t depth, const element_type* HWY_RESTRICT a,
               const element_type* HWY_RESTRICT b, std::int64_t b_step,
               const output_tile<element_type>& out) {
    const auto left = [&](int i) HWY_ATTR RICCI_INLINE_LAMBDA { return a[i * pitch]; };
    const auto advance = [&]() HWY_ATTR RICCI_INLINE_LAMBDA { ++a; };
    multiply_tile<rows, vectors>(depth, left, advance, b, b_step, out);
}

template <int rows, int vectors>
void gemm_in_place(std::int64_t depth, const row_panel<element_type>& panel,
                   const element_type* HWY_RESTRICT b, std::int64_t b_step,
                   const output_tile<element_type>& out) {
    constexpr int groups = (rows + 2) / 3;  // one address each: more would not stay in registers
    const std::int64_t row_step = panel.row_step, step = panel.step;
    const element_type* a[groups];
    RICCI_UNROLL
    for (int g = 0; g < groups; ++g) a[g] = panel.origin + 3 * g * row_step;
    const auto left = [&](int i)
                          HWY_ATTR RICCI_INLINE_LAMBDA { return a[i / 3][i % 3 * row_step]; };
    const auto advance = [&]() HWY_ATTR RICCI_INLINE_LAMBDA {
        RICCI_UNROLL
        for (int g = 0; g < groups; ++g) a[g] += step;
    };
    multiply_tile<rows, vectors>(depth, left, advance, b, b_step, out);
}

// Packs lines x0 .. x0 + width - 1, writing a whole vector of D at every k in rising order: what
// spills past `width` is written over by the next k.
template <class D>
HWY_INLINE void pack_sliver(D d, const pack_source<element_type>& from, int x0, int width,
                            element_type* to, std::int64_t step) {
    constexpr int lanes = static_cast<int>(hn::MaxLanes(D()));
    if (from.across_run[x0] >= lanes) {
        const element_type* line = from.origin + from.across[x0];
        for (std::int64_t k = 0; k < from.depth; ++k) {
            hn::StoreU(hn::LoadU(d, line + from.along[k]), d, to + k * step);
        }
        return;
    }
    if (from.across_run[x0] >= width) {
        const element_type* line = from.origin + from.across[x0];
        for (std::int64_t k = 0; k < from.depth; ++k) {
            const element_type* part = line + from.along[k];
#if !HWY_MEM_OPS_MIGHT_FAULT
            const auto mask = hn::FirstN(d, static_cast<std::size_t>(width));
            hn::StoreU(hn::MaskedLoad(mask, d, part), d, to + k * step);
#else
            for (int x = 0; x < lanes; ++x) to[k * step + x] = part[HWY_MIN(x, width - 1)];
#endif
        }
        return;
    }
    const element_type* lines[lanes];
    for (int x = 0; x < lanes; ++x) {
        lines[x] = from.origin + from.across[x0 + HWY_MIN(x, width - 1)];
    }
    [[maybe_unused]] const std::int64_t stretch = from.along_stretch;
    for (std::int64_t k = 0; k < from.depth;) {
        std::int64_t offset = from.along[k];
#if HWY_TARGET != HWY_SCALAR
        if constexpr (lanes >= block_lanes) {
            if (stretch > 1) {
                // Unit steps are `stretch` apart: as many transposed blocks, woven into each other.
                const std::int64_t end = k + block_lanes * stretch;
                bool runs = end <= from.depth;
                for (std::int64_t j = k; runs && j < k + stretch; ++j)
                    runs = from.along_run[j] >= block_lanes;
                if (runs) {
                    for (std::int64_t j = k; j < k + stretch; ++j)
                        transpose_block(d, lines, from.along[j], to + j * step, stretch * step);
                    k = end;
                    continue;
                }
                for (int x = 0; x < lanes; ++x) to[k * step + x] = lines[x][offset];
                ++k;
                continue;
            }
            std::int64_t run = HWY_MIN(from.depth - k, std::int64_t{from.along_run[k]});
            const std::int64_t before = k;
            for (; run >= block_lanes; run -= block_lanes) {
                transpose_block(d, lines, offset, to + k * step, step);
                offset += block_lanes;
                k += block_lanes;
            }
            if (k != before) continue;
        }
#endif
        for (int x = 0; x < lanes; ++x) to[k * step + x] = lines[x][offset];
        ++k;
    }
}

// A line that is contiguous along k, as it lies in memory.
void copy_line(const pack_source<element_type>& from, const element_type* line, element_type* to) {
    const full_tag d;
    for (std::int64_t k = 0; k < from.depth;) {
        const element_type* run = line + from.along[k];
        const std::int64_t count = HWY_MIN(from.depth - k, std::int64_t{from.along_run[k]});
        std::int64_t i = 0;
        for (; i + lane_count <= count; i += lane_count) {
            hn::StoreU(hn::LoadU(d, run + i), d, to + k + i);
        }
#if HWY_TARGET != HWY_SCALAR
        constexpr std::int64_t half_count = HWY_MAX(lane_count / 2, block_lanes);
        const hn::CappedTag<element_type, static_cast<std::size_t>(half_count)> half;
        for (; i + half_count <= count; i += half_count) {
            hn::StoreU(hn::LoadU(half, run + i), half, to + k + i);
        }
#endif
        for (; i < count; ++i) to[k + i] = run[i];
        k += count;
    }
}

void pack_rows(const pack_source<element_type>& from, element_type* to) {
    int x = 0;
#if HWY_TARGET != HWY_SCALAR
    // Rows that are contiguous across: blocks of a vector's k and a few rows are transposed.
    const full_tag d;
    for (; x + block_lanes <= from.width && from.across_run[x] >= block_lanes &&
           from.along_run[0] < block_lanes;
         x += block_lanes) {
        const element_type* origin = from.origin + from.across[x];
        element_type* rows = to + x * pitch;
        const element_type* lines[lane_count];
        std::int64_t k = 0;
        for (; k + lane_count <= from.depth; k += lane_count) {
            for (int i = 0; i < lane_count; ++i) lines[i] = origin + from.along[k + i];
            transpose_block(d, lines, 0, rows + k, pitch);
        }
        for (; k < from.depth; ++k) {
            for (int i = 0; i < block_lanes; ++i) rows[i * pitch + k] = origin[from.along[k] + i];
        }
    }
#endif
    for (; x < from.width; ++x) {
        copy_line(from, from.origin + from.across[x], to + x * pitch);
    }
}

// Rows that are contiguous across, at every k.
void pack_across(const pack_source<element_type>& from, element_type* to) {
    constexpr int row_lanes = HWY_MIN(lane_count, max_rows);
    const hn::CappedTag<element_type, static_cast<std::size_t>(row_lanes)> d;
    const std::int64_t step = from.width;
    int x = 0;
    for (; x + row_lanes <= from.width && from.across_run[x] >= row_lanes; x += row_lanes) {
        const element_type* line = from.origin + from.across[x];
        for (std::int64_t k = 0; k < from.depth; ++k) {
            hn::StoreU(hn::LoadU(d, line + from.along[k]), d, to + k * step + x);
        }
    }
    for (; x < from.width; ++x) {
        const element_type* line = from.origin + from.across[x];
        for (std::int64_t k = 0; k < from.depth; ++k) to[k * step + x] = line[from.along[k]];
    }
}

void pack_columns(const pack_source<element_type>& from, element_type* to, std::int64_t step) {
    pack_sliver(full_tag(), from, 0, from.width, to, step);
}

template <int rows, int vectors>
void add_tile(kernel_table<element_type>& table) {
    if constexpr (rows <= tile_rows && vectors <= tile_vectors) {
        table.gemm[rows - 1][vectors - 1] = &gemm_tile<rows, vectors>;
        table.gemm_in_place[rows - 1][vectors - 1] = &gemm_in_place<rows, vectors>;
    }
}

template <int rows>
void add_tiles(kernel_table<element_type>& table) {
    add_tile<rows, 1>(table);
    add_tile<rows, 2>(table);
    add_tile<rows, 3>(table);
    if constexpr (rows > 1) add_tiles<rows - 1>(table);
}

kernel_table<element_type> make_table() {
    kernel_table<element_type> table;
    table.target = hwy::TargetName(HWY_TARGET);
    table.lanes = lane_count;
    table.mr = tile_rows;
    table.vectors = tile_vectors;
    add_tiles<max_rows>(table);
    table.panel_pitch = pitch;
    table.pack_rows = &pack_rows;
    table.pack_across = &pack_across;
    table.pack_columns = &pack_columns;
    table.transpose = &transpose<element_type>;
    add_lane_kernels(table);
    table.end_streams = [] { hwy::FlushStream(); };
    table.dot = &dot<element_type>;
    table.multiply_add = &multiply_add<element_type>;
    table.add_multiples = &add_multiples<element_type>;
    return table;
}

const kernel_table<element_type>* target_table() {
    static const kernel_table<element_type> table = make_table();
    return &table;
}

}  // namespace
}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
