// Products in the order of B, transposed into C block by block.
#include "src/contract/transposed_output.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/core.h>

#include "src/contract/bound_operands.hpp"
#include "src/contract/element_types.hpp"
#include "src/contract/sharing.hpp"
#include "src/runtime/buffers.hpp"
#include "src/runtime/cache_sizes.hpp"
#include "src/runtime/caches.hpp"

namespace ricci::contractions {
namespace {

using steps::contraction_loop;

// The shortest sides that are worth a transposition, and the most rows of A.
constexpr std::int64_t least_across = 8, least_along = 16;
constexpr std::int64_t most_transposed_rows = 128;
// Columns of a block that are transposed at once, and the elements of these.
constexpr std::int64_t strip = 16;
constexpr std::int64_t strip_elements = 8192;
// At least so many blocks are shared out among the threads. Fewer run one after the other, each of
// them shared out.
constexpr std::int64_t blocks_to_share = 8;
// Fewer elements than this are transposed on the calling thread.
constexpr std::int64_t serial_output_elements = std::int64_t{1} << 14;

template <class T>
constexpr auto line = runtime::line_bytes / static_cast<std::int64_t>(sizeof(T));

// Elements of a block of C. It stays in the second or third cache while B passes through; the
// larger it is, the longer are the pieces of C that are written.
template <class T>
constexpr std::int64_t block_elements = (std::int64_t{1} << 20) /
                                        static_cast<std::int64_t>(sizeof(T));

loop_list::const_iterator along_unit(const loop_list& loops,
                                     std::int64_t contraction_loop::*stride) {
    return std::find_if(loops.begin(), loops.end(),
                        [&](const contraction_loop& loop) { return loop.*stride == 1; });
}

contraction_loop take(loop_list& loops, loop_list::const_iterator which) {
    const contraction_loop taken = *which;
    loops.erase(which);
    return taken;
}

}  // namespace

template <class T>
bool suits_transposed_output(const index_groups& groups, const kernels::kernel_table<T>& table) {
    if (table.transpose == nullptr || table.panel_pitch == 0) return false;
    const auto across = along_unit(groups.n, &contraction_loop::c);
    const auto along = along_unit(groups.n, &contraction_loop::b);
    if (across == groups.n.end() || along == groups.n.end() || across == along) return false;
    const std::int64_t m = iterations(groups.m), n = iterations(groups.n), k = iterations(groups.k);
    const std::int64_t batch = iterations(groups.batch);
    if (m == 0 || n == 0 || batch == 0 || m >= k || m > most_transposed_rows) return false;
    return across->extent >= least_across && along->extent >= least_along &&
           m * across->extent * along->extent <= block_elements<T> &&
           batch * n * k * static_cast<std::int64_t>(sizeof(T)) > 4 * runtime::caches().second;
}

template <class T>
transposed_output<T>::transposed_output(index_groups groups, const kernels::kernel_table<T>& table)
    : table_(&table), origin_(groups.origin), c_rows_(flatten(groups.m, &contraction_loop::c)) {
    const std::int64_t m = iterations(groups.m);
    const std::int64_t total = m * iterations(groups.n) * iterations(groups.batch);
    row_.across = take(groups.n, along_unit(groups.n, &contraction_loop::c));
    row_.along = take(groups.n, along_unit(groups.n, &contraction_loop::b));
    // `row_.next` is a part of the loop that goes on in C where `row_.across` ends.
    const std::int64_t room =
        std::min(block_elements<T> / (m * row_.across.extent * row_.along.extent),
                 strip_elements / strip / row_.across.extent);
    for (contraction_loop& loop : groups.n) {
        if (loop.c != row_.across.extent) continue;
        std::int64_t part = std::clamp<std::int64_t>(room, 1, loop.extent);
        while (loop.extent % part != 0) --part;
        row_.next = {part, loop.a, loop.b, loop.c};
        loop = {loop.extent / part, loop.a * part, loop.b * part, loop.c * part};
        break;
    }
    outer_ = groups.batch;
    outer_.insert(outer_.end(), groups.n.begin(), groups.n.end());

    // The block lies as B does, the rows of C one behind the other.
    index_groups block;
    block.m = groups.m;
    block.k = groups.k;
    const bool next_outside = row_.next.b > row_.across.b;
    row_.across_step = row_.along.extent * (next_outside ? 1 : row_.next.extent);
    row_.next_step = row_.along.extent * (next_outside ? row_.across.extent : 1);
    const contraction_loop next{row_.next.extent, 0, row_.next.b, row_.next_step};
    const contraction_loop across{row_.across.extent, 0, row_.across.b, row_.across_step};
    block.n = {next_outside ? next : across, next_outside ? across : next,
               contraction_loop{row_.along.extent, 0, 1, 1}};
    std::int64_t row = row_.elements();
    for (std::size_t l = block.m.size(); l-- > 0;) {
        block.m[l].c = row;
        row *= block.m[l].extent;
    }
    alone_ = iterations(outer_) >= blocks_to_share;
    product_.emplace(std::move(block), table, alone_);
    lines_ = table.stream_lines != nullptr &&
             total * static_cast<std::int64_t>(sizeof(T)) >= runtime::stream_bytes &&
             consists_of_lines();
}

template <class T>
bool transposed_output<T>::consists_of_lines() const {
    const auto begins = [](std::int64_t offset) { return offset % line<T> == 0; };
    const std::int64_t length = row_.next.extent * row_.across.extent;
    return begins(length) && length * strip <= strip_elements && begins(row_.along.c) &&
           std::all_of(c_rows_.offset.begin(), c_rows_.offset.end(), begins) &&
           std::all_of(outer_.begin(), outer_.end(),
                       [&](const contraction_loop& loop) { return begins(loop.c); });
}

template <class T>
void transposed_output<T>::run(const void* a, const void* b, void* c, const engine::number& alpha,
                               const engine::number& beta) const {
    const bound_operands<T, T> from = bind<T>(origin_, a, b, c, alpha, beta);
    const bool stream = lines_ && from.beta == T{0} &&
                        reinterpret_cast<std::uintptr_t>(from.c) % runtime::line_bytes == 0;
    auto body = [&](std::int64_t number, int) {
        const runtime::lent_memory memory(block_bytes());
        const position at = locate(outer_, number);
        run_block(from.a + at.a, from.b + at.b, from.c + at.c, reinterpret_cast<T*>(memory.data()),
                  alpha, beta, stream);
    };
    const std::int64_t blocks = iterations(outer_);
    if (alone_) {
        runtime::parallel_for(blocks, body);
    } else {
        for (std::int64_t number = 0; number < blocks; ++number) body(number, 0);
    }
}

template <class T>
std::size_t transposed_output<T>::block_bytes() const {
    return sizeof(T) * c_rows_.offset.size() * static_cast<std::size_t>(row_.elements());
}

template <class T>
runtime::loan_list transposed_output<T>::loans() const {
    const std::int64_t blocks = alone_ ? iterations(outer_) : 1;
    runtime::loan_list all{{block_bytes(), blocks}};
    for (runtime::loan inner : product_->loans()) {
        inner.tasks *= blocks;
        all.push_back(inner);
    }
    return all;
}

template <class T>
void transposed_output<T>::run_block(const T* rows, const T* columns, T* c, T* block,
                                     const engine::number& alpha, const engine::number& beta,
                                     bool stream) const {
    if (beta.as<T>() != T{0}) read(c, block);
    product_->run(rows, columns, block, alpha, beta);
    write(block, c, stream);
}

// Transposes a row of the block into C.
template <class T>
void transposed_output<T>::write_row(const T* row, T* c) const {
    for (std::int64_t x = 0; x < row_.next.extent; ++x)
        table_->transpose(row + x * row_.next_step, row_.across_step, c + x * row_.next.c,
                          row_.along.c, row_.across.extent, row_.along.extent);
}

// The same, past the caches, a strip of whole cache lines at a time.
template <class T>
void transposed_output<T>::stream_row(const T* row, T* c) const {
    alignas(64) T lines[strip_elements];
    const std::int64_t length = row_.next.extent * row_.across.extent;
    for (std::int64_t first = 0; first < row_.along.extent; first += strip) {
        const std::int64_t count = std::min(strip, row_.along.extent - first);
        for (std::int64_t x = 0; x < row_.next.extent; ++x)
            table_->transpose(row + x * row_.next_step + first, row_.across_step,
                              lines + x * row_.next.c, length, row_.across.extent, count);
        for (std::int64_t j = 0; j < count; ++j)
            table_->stream_lines(length, lines + j * length, c + (first + j) * row_.along.c);
    }
}

template <class T>
void transposed_output<T>::write(const T* block, T* c, bool stream) const {
    const auto rows = static_cast<std::int64_t>(c_rows_.offset.size());
    auto body = [&](std::int64_t i, int) {
        T* const to = c + c_rows_.offset[static_cast<std::size_t>(i)];
        if (stream) {
            stream_row(block + i * row_.elements(), to);
            table_->end_streams();
        } else {
            write_row(block + i * row_.elements(), to);
        }
    };
    distribute(rows, alone_ || rows * row_.elements() < serial_output_elements, body);
}

// Transposes C as it was into the block.
template <class T>
void transposed_output<T>::read(const T* c, T* block) const {
    const auto rows = static_cast<std::int64_t>(c_rows_.offset.size());
    auto body = [&](std::int64_t i, int) {
        const T* const from = c + c_rows_.offset[static_cast<std::size_t>(i)];
        for (std::int64_t x = 0; x < row_.next.extent; ++x)
            table_->transpose(from + x * row_.next.c, row_.along.c,
                              block + i * row_.elements() + x * row_.next_step, row_.across_step,
                              row_.along.extent, row_.across.extent);
    };
    distribute(rows, alone_ || rows * row_.elements() < serial_output_elements, body);
}

template <class T>
std::string transposed_output<T>::words() const {
    return fmt::format("transposed into the result, {} elements at a time",
                       c_rows_.offset.size() * static_cast<std::size_t>(row_.elements()));
}

#define RICCI_INSTANTIATE(T)                                                   \
    template bool suits_transposed_output<T>(const index_groups&,              \
                                             const kernels::kernel_table<T>&); \
    template class transposed_output<T>
RICCI_FOR_LANE_TYPES(RICCI_INSTANTIATE);
#undef RICCI_INSTANTIATE

}  // namespace ricci::contractions
