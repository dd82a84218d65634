// Packing of panels in Highway for every SIMD target. The including file defines RICCI_GEMM_TYPE.
#if defined(RICCI_KERNELS_GEMM_PACK_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_GEMM_PACK_INL_H
#undef RICCI_KERNELS_GEMM_PACK_INL_H
#else
#define RICCI_KERNELS_GEMM_PACK_INL_H
#endif

#include <cstdint>

#include <hwy/highway.h>

#include "src/kernels/gemm/gemm-element-inl.h"
#include "src/kernels/gemm/gemm.hpp"
#include "src/kernels/gemm/pack-pieces-inl.h"
#include "src/kernels/gemm/transpose-inl.h"
#include "src/kernels/unroll.hpp"

HWY_BEFORE_NAMESPACE();
// Unnamed: the same names are compiled once for each element type.
namespace ricci::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

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
#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE
    if constexpr (packs_pieces<element_type>) {
        const column_pieces<element_type> pieces = find_pieces(from, width);
        // Where lines are contiguous along k, blocks that are transposed need fewer loads than many
        // pieces do.
        const bool transposes = from.along_stretch > 1 || from.along_run[0] >= block_lanes;
        if (pieces.count > 0 && pieces.count <= (transposes ? 2 : most_pieces)) {
            if (pieces.step == 1) pack_all_pieces<1>(d, pieces, from, to, step);
            else pack_all_pieces<2>(d, pieces, from, to, step);
            return;
        }
    }
#endif
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

// A line that is contiguous along k, as it lies in memory. `ahead`: elements from there to the line
// that is copied next, which is asked for: nothing else tells the processor where that begins.
void copy_line(const pack_source<element_type>& from, const element_type* line, std::int64_t ahead,
               element_type* to) {
    const full_tag d;
    for (std::int64_t k = 0; k < from.depth;) {
        const element_type* run = line + from.along[k];
        const std::int64_t count = HWY_MIN(from.depth - k, std::int64_t{from.along_run[k]});
        std::int64_t i = 0;
        if (count > 0) hwy::Prefetch(run + ahead + count - 1);
        for (; i + lane_count <= count; i += lane_count) {
            hwy::Prefetch(run + ahead + i);
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

// A line whose unit steps are `along_stretch` apart: a vector of k that are next to each other, and
// a few of those that are contiguous in memory, are transposed.
void copy_stretched(const pack_source<element_type>& from, const element_type* line,
                    element_type* to) {
    std::int64_t k = 0;
#if HWY_TARGET != HWY_SCALAR
    const full_tag d;
    const std::int64_t stretch = from.along_stretch;
    const auto all_run = [&](std::int64_t first) {
        for (std::int64_t j = first; j < first + stretch; ++j)
            if (from.along_run[j] < block_lanes) return false;
        return true;
    };
    const std::int64_t step = block_lanes * stretch;
    for (; k + step <= from.depth && all_run(k); k += step) {
        std::int64_t j = k;
        const element_type* lines[lane_count];
        for (; j + lane_count <= k + stretch; j += lane_count) {
            for (int i = 0; i < lane_count; ++i) lines[i] = line + from.along[j + i];
            transpose_block(d, lines, 0, to + j, stretch);
        }
        for (; j < k + stretch; ++j) {
            for (int i = 0; i < block_lanes; ++i) to[j + i * stretch] = line[from.along[j] + i];
        }
    }
#endif
    for (; k < from.depth; ++k) to[k] = line[from.along[k]];
}

void pack_rows(const pack_source<element_type>& from, element_type* to) {
    int x = 0;
    if (from.along_stretch > 1) {
        for (; x < from.width; ++x)
            copy_stretched(from, from.origin + from.across[x], to + x * pitch);
        return;
    }
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
        const std::int64_t next = from.across[HWY_MIN(x + 1, from.width - 1)];
        copy_line(from, from.origin + from.across[x], next - from.across[x], to + x * pitch);
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
    if (x == 0 && from.across_run[0] >= row_lanes && from.depth > 0) {
        // Too few for a vector: what it has too much is written over by the next k.
        const element_type* line = from.origin + from.across[0];
        const std::int64_t last = from.depth - 1;
        for (std::int64_t k = 0; k < last; ++k)
            hn::StoreU(hn::LoadU(d, line + from.along[k]), d, to + k * step);
        for (; x < from.width; ++x) to[last * step + x] = line[from.along[last] + x];
    }
    for (; x < from.width; ++x) {
        const element_type* line = from.origin + from.across[x];
        for (std::int64_t k = 0; k < from.depth; ++k) to[k * step + x] = line[from.along[k]];
    }
}

void pack_columns(const pack_source<element_type>& from, element_type* to, std::int64_t step) {
    pack_sliver(full_tag(), from, 0, from.width, to, step);
}

}  // namespace
}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
