// Contractions of bf16 and f16: operands are widened in small blocks, which stay in the first
// cache, and handed to the float kernels.
#include "src/kernels/gemm/gemm_narrow.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>

#include "src/kernels/elementwise/convert.hpp"

namespace ricci::kernels {
namespace {

// One number at a time: what the vector conversions are compared with.
template <class S>
void widen_each(float* to, const S* from, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) to[i] = from[i];
}

template <class S>
void write_each(S* c, float alpha, const float* sums, float beta, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        c[i] = beta == 0 ? alpha * sums[i] : alpha * sums[i] + beta * c[i];
    }
}

struct best {
    static const kernel_table<float>& wide() { return gemm_kernels<float>(); }
    template <class S>
    static void widen(float* to, const S* from, std::size_t n) {
        conversions<S>().widen(to, from, n);
    }
    template <class S>
    static void write(S* c, float alpha, const float* sums, float beta, std::size_t n) {
        conversions<S>().write(c, alpha, sums, beta, n);
    }
};

struct scalar {
    static const kernel_table<float>& wide() { return scalar_gemm_kernels<float>(); }
    template <class S>
    static void widen(float* to, const S* from, std::size_t n) {
        widen_each(to, from, n);
    }
    template <class S>
    static void write(S* c, float alpha, const float* sums, float beta, std::size_t n) {
        write_each(c, alpha, sums, beta, n);
    }
};

// A block of lines that is widened before the float kernels pack it.
constexpr int block_depth = 32;
constexpr int widest_block = 64;

struct block_offsets {
    std::int64_t across[widest_block];
    std::int64_t along[block_depth];
    std::int32_t across_run[widest_block];
    std::int32_t along_run[2 * block_depth];  // from `count` before the middle on
};

constexpr block_offsets offsets = [] {
    block_offsets o{};
    for (int x = 0; x < widest_block; ++x) o.across[x] = x * block_depth, o.across_run[x] = 1;
    for (int k = 0; k < block_depth; ++k) o.along[k] = k;
    for (int k = 0; k < 2 * block_depth; ++k) o.along_run[k] = std::max(1, block_depth - k);
    return o;
}();

// Calls pack(block, k) for blocks of the source's depth, widened.
template <class Kernels, class S, class Pack>
void for_blocks(const pack_source<S>& from, Pack pack) {
    alignas(64) float block[widest_block * block_depth];
    for (std::int64_t k = 0; k < from.depth; k += block_depth) {
        const auto depth = static_cast<int>(std::min<std::int64_t>(block_depth, from.depth - k));
        for (int x = 0; x < from.width; ++x) {
            const S* const line = from.origin + from.across[x];
            float* const to = block + x * block_depth;
            for (int t = 0; t < depth;) {
                const int run = std::min(depth - t, static_cast<int>(from.along_run[k + t]));
                const S* const first = line + from.along[k + t];
                if (run == 1) to[t] = *first;
                else Kernels::widen(to + t, first, static_cast<std::size_t>(run));
                t += run;
            }
        }
        pack_source<float> wide;
        wide.origin = block;
        wide.across = offsets.across;
        wide.across_run = offsets.across_run;
        wide.along = offsets.along;
        wide.along_run = offsets.along_run + (block_depth - depth);
        wide.width = from.width;
        wide.depth = depth;
        pack(wide, k);
    }
}

// Whether a whole vector may be read at every k, at the first line.
template <class S>
bool wide_rows(const pack_source<S>& from) {
    return from.across_run[0] >= best::wide().lanes;
}

// The same where the lines are contiguous across: a vector of them is widened at every k.
template <class S>
void pack_widened_rows(const pack_source<S>& from, float* to) {
    alignas(64) float block[widest_block * block_depth];
    std::int64_t across[max_rows], along[block_depth];
    std::int32_t across_run[max_rows], along_run[block_depth];
    const std::int64_t step = best::wide().lanes;
    for (int x = 0; x < from.width; ++x) across[x] = x, across_run[x] = from.width - x;
    for (int k = 0; k < block_depth; ++k) along[k] = k * step, along_run[k] = 1;
    for (std::int64_t k = 0; k < from.depth; k += block_depth) {
        const std::int64_t depth = std::min<std::int64_t>(block_depth, from.depth - k);
        conversions<S>().widen_rows(block, step, from.origin + from.across[0], from.along + k,
                                    depth);
        best::wide().pack_rows({block, across, along, across_run, along_run, from.width, depth},
                               to + k);
    }
}

template <class Kernels, class S>
void pack_rows(const pack_source<S>& from, float* to) {
    if constexpr (std::is_same_v<Kernels, best>) {
        if (wide_rows(from) && from.width <= best::wide().lanes) {
            pack_widened_rows(from, to);
            return;
        }
    }
    for_blocks<Kernels>(from, [&](const pack_source<float>& wide, std::int64_t k) {
        Kernels::wide().pack_rows(wide, to + k);
    });
}

template <class Kernels, class S>
void pack_columns(const pack_source<S>& from, float* to, std::int64_t step) {
    if constexpr (std::is_same_v<Kernels, best>) {
        if (wide_rows(from)) {
            conversions<S>().widen_rows(to, step, from.origin + from.across[0], from.along,
                                        from.depth);
            return;
        }
    }
    for_blocks<Kernels>(from, [&](const pack_source<float>& wide, std::int64_t k) {
        Kernels::wide().pack_columns(wide, to + k * step, step);
    });
}

template <class Kernels, class S>
void pack_lanes(const lane_source<S>& from, float* to, int padded) {
    const std::int64_t lanes = Kernels::wide().lanes;
    for (std::int64_t k = 0; k < from.depth; ++k) {
        for (int x = 0; x < from.width; ++x) {
            const S* const at = from.origin + from.across[x] + from.along[k];
            float* const here = to + (k * padded + x) * lanes;
            if (from.step == 1) {
                Kernels::widen(here, at, static_cast<std::size_t>(from.lanes));
            } else {
                for (int l = 0; l < from.lanes; ++l) here[l] = at[l * from.step];
            }
            std::fill(here + from.lanes, here + lanes, 0.0f);
        }
    }
}

// Elements of a line that are widened at a time.
constexpr std::int64_t piece = 256;

// `n` <= piece elements of a line from element t on, as floats: in `buffer`, or where they are
// still.
template <class Kernels, class S>
strided<float> widened_piece(float* buffer, strided<S> x, std::int64_t t, std::int64_t n) {
    if (x.step == 0) {
        buffer[0] = *x.data;
        return {buffer, 0};
    }
    if (x.step == 1) {
        Kernels::widen(buffer, x.data + t, static_cast<std::size_t>(n));
    } else {
        for (std::int64_t i = 0; i < n; ++i) buffer[i] = x.data[(t + i) * x.step];
    }
    return {buffer, 1};
}

template <class Kernels, class S>
float dot(std::int64_t n, strided<S> x, strided<S> y) {
    if constexpr (std::is_same_v<Kernels, best>) {
        if (x.step == 1 && y.step == 1)
            return conversions<S>().dot(x.data, y.data, static_cast<std::size_t>(n));
    }
    alignas(64) float left[piece], right[piece];
    float sum = 0;
    for (std::int64_t t = 0; t < n; t += piece) {
        const std::int64_t count = std::min(piece, n - t);
        sum += Kernels::wide().dot(count, widened_piece<Kernels>(left, x, t, count),
                                   widened_piece<Kernels>(right, y, t, count));
    }
    return sum;
}

template <class Kernels, class S>
void multiply_add(std::int64_t n, float alpha, strided<S> x, strided<S> y, float beta, float* c,
                  std::int64_t c_step) {
    alignas(64) float left[piece], right[piece];
    for (std::int64_t t = 0; t < n; t += piece) {
        const std::int64_t count = std::min(piece, n - t);
        Kernels::wide().multiply_add(count, alpha, widened_piece<Kernels>(left, x, t, count),
                                     widened_piece<Kernels>(right, y, t, count), beta,
                                     c + t * c_step, c_step);
    }
}

template <class Kernels, class S>
void write(std::int64_t n, float alpha, const float* sums, float beta, S* c, std::int64_t c_step) {
    if (c_step == 1 && n > 1) {
        Kernels::write(c, alpha, sums, beta, static_cast<std::size_t>(n));
        return;
    }
    for (std::int64_t i = 0; i < n; ++i) write_each(c + i * c_step, alpha, sums + i, beta, 1);
}

template <class Kernels, class S>
kernel_table<float, S> narrow_table(const kernel_table<float>& wide) {
    kernel_table<float, S> table;
    table.target = wide.target;
    table.lanes = wide.lanes;
    table.mr = wide.mr;
    table.vectors = wide.vectors;
    table.wide_rows = wide.wide_rows;
    for (int r = 0; r < max_rows; ++r) std::copy_n(wide.gemm[r], max_vectors, table.gemm[r]);
    table.panel_pitch = wide.panel_pitch;
    table.pack_rows = &pack_rows<Kernels, S>;
    table.pack_columns = &pack_columns<Kernels, S>;
    table.lane_rows = wide.lane_rows;
    table.lane_columns = wide.lane_columns;
    table.narrow_lane_columns = wide.narrow_lane_columns;
    for (int r = 0; r < max_lane_rows; ++r)
        std::copy_n(wide.multiply_lanes[r], 2, table.multiply_lanes[r]);
    table.pack_lanes_a = table.pack_lanes_b = &pack_lanes<Kernels, S>;
    table.dot = &dot<Kernels, S>;
    table.multiply_add = &multiply_add<Kernels, S>;
    table.write = &write<Kernels, S>;
    return table;
}

// One table for each table of float kernels, that is, for each SIMD target that is asked for. They
// are kept in a list that only grows, without a lock: a child of fork() could find one taken by a
// thread that it has not. Never destroyed: destructors of globals may still multiply.
template <class Kernels, class S>
const kernel_table<float, S>& table_for(const kernel_table<float>& wide) {
    struct entry {
        const kernel_table<float>* wide;
        kernel_table<float, S> table;
        const entry* next;
    };
    static constinit std::atomic<const entry*> newest{nullptr};
    const auto find = [&](const entry* from) {
        while (from != nullptr && from->wide != &wide) from = from->next;
        return from;
    };
    const entry* first = newest.load(std::memory_order_acquire);
    if (const entry* known = find(first)) return known->table;
    auto made = std::make_unique<entry>(entry{&wide, narrow_table<Kernels, S>(wide), first});
    while (!newest.compare_exchange_weak(made->next, made.get(), std::memory_order_acq_rel)) {
        if (const entry* known = find(made->next)) return known->table;
    }
    return made.release()->table;
}

}  // namespace

template <>
const kernel_table<float, bf16>& narrow_gemm_kernels<bf16>() {
    return table_for<best, bf16>(best::wide());
}
template <>
const kernel_table<float, f16>& narrow_gemm_kernels<f16>() {
    return table_for<best, f16>(best::wide());
}
template <>
const kernel_table<float, bf16>& scalar_narrow_gemm_kernels<bf16>() {
    return table_for<scalar, bf16>(scalar::wide());
}
template <>
const kernel_table<float, f16>& scalar_narrow_gemm_kernels<f16>() {
    return table_for<scalar, f16>(scalar::wide());
}

}  // namespace ricci::kernels
