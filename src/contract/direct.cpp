// Small matrices: runs of batches, and the blocks of each.
#include "src/contract/direct.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "src/base/arithmetic.hpp"
#include "src/contract/bound_operands.hpp"
#include "src/contract/element_types.hpp"
#include "src/contract/offsets.hpp"
#include "src/contract/sharing.hpp"
#include "src/runtime/cache_sizes.hpp"

namespace ricci::contractions {
namespace {

// A matrix of at most `scattered_bytes` may lie anywhere. A larger one, of at most `most_bytes` and
// one of `parts_of_cache` of the second cache, has to be dense: rows that are a power of two apart
// compete for the same places.
constexpr std::int64_t scattered_bytes = std::int64_t{16} << 10;
constexpr std::int64_t parts_of_cache = 8;
constexpr std::int64_t most_bytes = std::int64_t{256} << 10;
// Matrices that the second cache does not hold all together have to be smaller, one of so many
// parts of it: packing prefetches larger ones better.
constexpr std::int64_t parts_when_far = 32;
// Longer sums are cut, as those of packed blocks are: they would round more, and keep one thread
// busy.
constexpr std::int64_t most_depth = kernels::most_depth<float>;
// Batches of more bytes than this come from memory and are prefetched. A third cache may hold more,
// but others use it, too. The processor fetches what lies there in time by itself, and prefetching
// it costs up to a tenth of the speed.
constexpr std::int64_t far_bytes = std::int64_t{8} << 20;
// The matrices of a batch are prefetched if they have more bytes than this together. Smaller ones
// follow each other so fast that the processor fetches them itself.
constexpr std::int64_t least_prefetched_bytes = 1600;
// Bytes of the matrices of a run of batches: they stay in the first cache while all tiles of rows
// and columns are computed.
constexpr std::int64_t run_bytes = std::int64_t{48} << 10;

// Elements from the first to the last one of a matrix, with those between that are not its own.
std::int64_t spread(const loop_list& rows, const loop_list& columns,
                    std::int64_t steps::contraction_loop::*stride) {
    std::int64_t elements = 1;
    for (const loop_list* const loops : {&rows, &columns})
        for (const auto& loop : *loops) elements += (loop.extent - 1) * std::abs(loop.*stride);
    return elements;
}

}  // namespace

template <class T>
bool suits_direct(const index_groups& groups, const kernels::kernel_table<T>& table) {
    using loop = steps::contraction_loop;
    constexpr auto bytes = static_cast<std::int64_t>(sizeof(T));
    if (table.direct_rows[0] == 0) return false;
    const std::int64_t m = iterations(groups.m), n = iterations(groups.n), k = iterations(groups.k);
    const std::int64_t cache = runtime::caches().second / bytes;
    std::int64_t most = std::min(most_bytes / bytes, cache / parts_of_cache);
    if (n % table.lanes != 0 && !table.direct_masks) return false;
    const auto fits = [&](std::int64_t x, std::int64_t y) { return x <= most && y <= most / x; };
    if (m == 0 || n == 0 || k == 0 || k > most_depth || !fits(m, k) || !fits(k, n) || !fits(m, n))
        return false;
    if (iterations(groups.batch) > cache / (m * k + k * n + m * n)) most = cache / parts_when_far;
    if (std::max({m * k, k * n, m * n}) > most) return false;
    const auto lies_well = [&](std::int64_t elements, std::int64_t between) {
        return elements * bytes <= scattered_bytes || between <= 2 * elements;
    };
    return lies_well(m * k, spread(groups.m, groups.k, &loop::a)) &&
           lies_well(k * n, spread(groups.k, groups.n, &loop::b)) &&
           uniform_step(groups.n, &loop::b) == 1 && uniform_step(groups.n, &loop::c) == 1 &&
           uniform_step(groups.m, &loop::a) != 0 && uniform_step(groups.m, &loop::c) != 0 &&
           uniform_step(groups.k, &loop::a) != 0 && uniform_step(groups.k, &loop::b) != 0;
}

template <class T>
direct<T>::direct(const index_groups& groups, const kernels::kernel_table<T>& table)
    : table_(&table), outer_(groups.batch), origin_(groups.origin), m_(iterations(groups.m)) {
    using loop = steps::contraction_loop;
    const std::int64_t n = iterations(groups.n), k = iterations(groups.k);
    batches_.extent = 1;
    if (!outer_.empty()) {
        batches_ = outer_.back();
        outer_.pop_back();
    }
    steps_.depth = k;
    steps_.a_batch = batches_.a;
    steps_.a_row = uniform_step(groups.m, &loop::a);
    steps_.a_step = uniform_step(groups.k, &loop::a);
    steps_.b_batch = batches_.b;
    steps_.b_step = uniform_step(groups.k, &loop::b);
    steps_.c_batch = batches_.c;
    steps_.c_row = uniform_step(groups.m, &loop::c);

    const std::int64_t lanes = table.lanes, vectors = ceil_divide(n, lanes);
    const auto most_vectors =
        std::count_if(std::begin(table.direct_rows), std::end(table.direct_rows),
                      [](int rows) { return rows > 0; });
    const std::int64_t panels = ceil_divide(vectors, most_vectors);
    for (std::int64_t p = 0; p < panels; ++p) {
        const std::int64_t first = part_start(vectors, panels, p, 1);
        const std::int64_t last = part_start(vectors, panels, p + 1, 1);
        panels_.push_back({first * lanes,
                           static_cast<int>(std::min(n, last * lanes) - first * lanes),
                           static_cast<int>(last - first)});
    }

    row_unit_ = table.direct_rows[panels_[0].vectors - 1];
    const std::int64_t bytes = (m_ * k + k * n + m_ * n) * static_cast<std::int64_t>(sizeof(T));
    units_.runs = ceil_divide(batches_.extent, std::max<std::int64_t>(1, run_bytes / bytes));
    const double flops = 2.0 * static_cast<double>(m_ * n * k) *
                         static_cast<double>(iterations(outer_)) *
                         static_cast<double>(batches_.extent);
    units_.serial = flops < serial_flops;
    far_ =
        bytes > least_prefetched_bytes && bytes * batches_.extent * iterations(outer_) > far_bytes;
    const std::int64_t runs = units_.runs * iterations(outer_);
    units_.m_tiles = std::clamp<std::int64_t>(
        static_cast<std::int64_t>(flops / task_flops) / std::max<std::int64_t>(1, runs), 1,
        ceil_divide(m_, row_unit_));
    units_.count = runs * units_.m_tiles;
    units_.per_task = units_in_task(units_.count, flops);
    list_tiles();
}

template <class T>
typename direct<T>::matrices direct<T>::part_of(const tile& t, T alpha, T beta) const {
    matrices some = steps_;
    some.columns = t.columns;
    some.batches = t.batches;
    some.alpha = alpha;
    some.beta = beta;
    some.ahead = t.ahead;
    some.ask_a = t.ask_a;
    some.ask_b = t.ask_b;
    some.ask_c = t.ask_c;
    return some;
}

template <class T>
void direct<T>::run(const void* a, const void* b, void* c, const engine::number& alpha,
                    const engine::number& beta) const {
    const bound_operands<T, T> from = bind<T>(origin_, a, b, c, alpha, beta);
    multiply(from.a, from.b, from.c, from.alpha, from.beta);
}

template <class T>
void direct<T>::multiply(const T* a, const T* b, T* c, T alpha, T beta) const {
    const auto multiply_tile = [&](const tile& t) {
        const places at{a + t.a, b + t.b, c + t.c};
        t.kernel(part_of(t, alpha, beta), &at, 1);
    };
    if (!tiles_.empty()) {
        for (const tile& t : tiles_) multiply_tile(t);
    } else if (units_.serial) {
        for (std::int64_t unit = 0; unit < units_.count; ++unit) visit_tiles(unit, multiply_tile);
    } else {
        distribute_units(units_.count, units_.per_task, false,
                         [&](std::int64_t unit, int) { visit_tiles(unit, multiply_tile); });
    }
}

/// A tile without its addresses.
template <class T>
class direct<T>::shape final : public product_shape {
public:
    shape(function kernel, const matrices& what) : kernel_(kernel), what_(what) {}
    void run(const places* at, std::int64_t count) const override { kernel_(what_, at, count); }
    std::vector<std::int64_t> key() const override {
        // Addresses of functions differ where functions do.
        return {reinterpret_cast<std::intptr_t>(kernel_),
                what_.batches,
                what_.depth,
                what_.a_batch,
                what_.a_row,
                what_.a_step,
                what_.b_batch,
                what_.b_step,
                what_.c_batch,
                what_.c_row,
                what_.columns,
                bits_of(what_.alpha),
                bits_of(what_.beta),
                what_.ahead,
                what_.ask_a,
                what_.ask_b,
                what_.ask_c};
    }

private:
    function kernel_;
    matrices what_;
};

template <class T>
std::vector<product_call> direct<T>::calls(const engine::number& alpha,
                                           const engine::number& beta) const {
    constexpr auto bytes = static_cast<std::int64_t>(sizeof(T));
    std::vector<product_call> all;
    for (const tile& t : tiles_)
        all.push_back(
            {std::make_unique<const shape>(t.kernel, part_of(t, alpha.as<T>(), beta.as<T>())),
             bytes * (origin_.a + t.a), bytes * (origin_.b + t.b), bytes * (origin_.c + t.c),
             origin_.swapped});
    return all;
}

template <class T>
std::vector<std::int64_t> direct<T>::key() const {
    std::vector<std::int64_t> all{reinterpret_cast<std::intptr_t>(table_),
                                  m_,
                                  steps_.depth,
                                  steps_.a_row,
                                  steps_.a_step,
                                  steps_.b_step,
                                  steps_.c_row,
                                  panels_.back().first + panels_.back().columns,
                                  batches_.extent,
                                  batches_.a,
                                  batches_.b,
                                  batches_.c};
    for (const auto& loop : outer_) all.insert(all.end(), {loop.extent, loop.a, loop.b, loop.c});
    return all;
}

template <class T>
void direct<T>::list_tiles() {
    if (!units_.serial || units_.count > static_cast<std::int64_t>(most_calls)) return;
    for (std::int64_t unit = 0; unit < units_.count; ++unit)
        visit_tiles(unit, [&](const tile& t) { tiles_.push_back(t); });
    if (tiles_.size() > most_calls) tiles_.clear();
}

template <class T>
template <class Go>
void direct<T>::visit_tiles(std::int64_t unit, const Go& go) const {
    const std::int64_t of_rows = unit % units_.m_tiles, run = unit / units_.m_tiles % units_.runs;
    const position at =
        outer_.empty() ? position{} : locate(outer_, unit / units_.m_tiles / units_.runs);
    const std::int64_t first = part_start(batches_.extent, units_.runs, run, 1);
    const std::int64_t m = part_start(m_, units_.m_tiles, of_rows, row_unit_);
    const std::int64_t m_end = part_start(m_, units_.m_tiles, of_rows + 1, row_unit_);
    tile t;
    t.batches = part_start(batches_.extent, units_.runs, run + 1, 1) - first;
    // The next run is prefetched while this one is computed. It may have one batch less than this
    // one, or one more, which is not prefetched then.
    const bool prefetches = far_ && run + 1 < units_.runs;
    t.ahead = part_start(batches_.extent, units_.runs, run + 2, 1) - first - t.batches;
    t.ahead = std::min(t.ahead, t.batches);
    const std::int64_t a = at.a + first * steps_.a_batch, b = at.b + first * steps_.b_batch;
    const std::int64_t c = at.c + first * steps_.c_batch;
    for (const column_panel& panel : panels_) {
        const std::int64_t row_panels =
            ceil_divide(m_end - m, table_->direct_rows[panel.vectors - 1]);
        t.columns = panel.columns;
        t.b = b + panel.first;
        for (std::int64_t p = 0; p < row_panels; ++p) {
            const std::int64_t i = m + part_start(m_end - m, row_panels, p, 1);
            const std::int64_t rows = m + part_start(m_end - m, row_panels, p + 1, 1) - i;
            t.a = a + i * steps_.a_row;
            t.c = c + i * steps_.c_row + panel.first;
            t.ask_a = prefetches && &panel == &panels_.front();
            t.ask_b = prefetches && p == 0;
            t.ask_c = prefetches;
            t.kernel = table_->multiply_direct[rows - 1][panel.vectors - 1];
            go(t);
        }
    }
}

#define RICCI_INSTANTIATE(T)  \
    template class direct<T>; \
    template bool suits_direct(const index_groups&, const kernels::kernel_table<T>&)
RICCI_FOR_LANE_TYPES(RICCI_INSTANTIATE);
#undef RICCI_INSTANTIATE

}  // namespace ricci::contractions
