// Matrices of many batches put in order, and their products.
#include "src/contract/packed_batch.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "src/base/arithmetic.hpp"
#include "src/contract/bound_operands.hpp"
#include "src/contract/element_types.hpp"
#include "src/contract/offsets.hpp"
#include "src/contract/sharing.hpp"
#include "src/runtime/buffers.hpp"
#include "src/runtime/caches.hpp"

namespace ricci::contractions {
namespace {

// Bytes of the matrices that are put in order at once: they are read soon after they are written.
constexpr std::int64_t most_batch_bytes = std::int64_t{2} << 20;
constexpr std::int64_t lines_per_task = 16;
// Fewer elements than this are put in order on the calling thread.
constexpr std::int64_t serial_batch_elements = std::int64_t{1} << 14;

// The batch loop along which A or B is contiguous, at least as long as a vector; the end where
// there is none.
loop_list::const_iterator contiguous_loop(const loop_list& batch, int lanes) {
    return std::find_if(batch.begin(), batch.end(), [&](const steps::contraction_loop& loop) {
        return (loop.a == 1 || loop.b == 1) && loop.extent >= lanes;
    });
}

}  // namespace

bool suits_packed_batch(const index_groups& groups, int lanes, std::size_t element_bytes) {
    const auto loop = contiguous_loop(groups.batch, lanes);
    if (loop == groups.batch.end()) return false;
    const std::int64_t m = iterations(groups.m), n = iterations(groups.n), k = iterations(groups.k);
    if (m <= 1 || n <= 1 || k <= 1 || iterations(groups.batch) == 0) return false;
    // Each element of a large matrix is used many times: reading whole lines for it when it is
    // packed costs less than a copy.
    const std::int64_t elements = (loop->a == 1 ? m * k : 0) + (loop->b == 1 ? k * n : 0);
    return elements * lanes * static_cast<std::int64_t>(element_bytes) <= most_batch_bytes;
}

/// Notes where the elements of one batch are, walking the loops of `inner` within those of `outer`;
/// then gives both the strides of the dense copy.
template <class T>
typename packed_batch<T>::order packed_batch<T>::put_in_order(
    loop_list& outer, loop_list& inner, std::int64_t steps::contraction_loop::*stride) {
    loop_list all = outer;
    all.insert(all.end(), inner.begin(), inner.end());
    order how;
    how.length = all.back().extent;
    how.step = all.back().*stride;
    all.pop_back();
    how.lines = flatten(all, stride).offset;
    std::int64_t elements = 1;
    for (loop_list* const list : {&inner, &outer})
        for (std::size_t l = list->size(); l-- > 0;) {
            (*list)[l].*stride = elements;
            elements *= (*list)[l].extent;
        }
    // An odd number of cache lines: matrices a power of two apart compete for the same places.
    constexpr auto line = runtime::line_bytes / static_cast<std::int64_t>(sizeof(T));
    how.pitch = (ceil_divide(elements, line) | 1) * line;
    return how;
}

template <class T>
packed_batch<T>::packed_batch(index_groups groups, const kernels::kernel_table<T>& table)
    : groups_(std::move(groups)), table_(&table) {
    const auto loop = contiguous_loop(groups_.batch, table.lanes);
    batches_ = *loop;
    groups_.batch.erase(loop);
    index_groups dense{{batches_}, groups_.m, groups_.n, groups_.k, {}};
    // Rows of A are dense along k, rows of B along n: so packing reads them fastest.
    if (batches_.a == 1) {
        a_ = put_in_order(dense.m, dense.k, &steps::contraction_loop::a);
        dense.batch[0].a = a_.pitch;
    }
    if (batches_.b == 1) {
        b_ = put_in_order(dense.k, dense.n, &steps::contraction_loop::b);
        dense.batch[0].b = b_.pitch;
    }
    const std::int64_t bytes = (a_.pitch + b_.pitch) * static_cast<std::int64_t>(sizeof(T));
    const std::int64_t lanes = table.lanes;
    at_once_ = std::max(lanes, most_batch_bytes / bytes / lanes * lanes);
    at_once_ = std::min(at_once_, batches_.extent);
    dense.batch[0].extent = at_once_;
    whole_.emplace(dense, table);
    const std::int64_t left = batches_.extent % at_once_;
    if (left != 0) {
        dense.batch[0].extent = left;
        rest_.emplace(dense, table);
    }
}

template <class T>
void packed_batch<T>::run(const void* a, const void* b, void* c, const engine::number& alpha,
                          const engine::number& beta) const {
    const bound_operands<T, T> from = bind<T>(groups_.origin, a, b, c, alpha, beta);
    const runtime::lent_memory memory(gathered_bytes());
    T* const gathered_a = reinterpret_cast<T*>(memory.data());
    T* const gathered_b = gathered_a + a_.pitch * at_once_;
    for (std::int64_t other = 0; other < iterations(groups_.batch); ++other) {
        const position at = locate(groups_.batch, other);
        for (std::int64_t first = 0; first < batches_.extent; first += at_once_) {
            const std::int64_t count = std::min(at_once_, batches_.extent - first);
            const T* const here_a = from.a + at.a + first * batches_.a;
            const T* const here_b = from.b + at.b + first * batches_.b;
            if (a_.needed()) gather(a_, here_a, count, gathered_a);
            if (b_.needed()) gather(b_, here_b, count, gathered_b);
            (count == at_once_ ? *whole_ : *rest_)
                .run(a_.needed() ? gathered_a : here_a, b_.needed() ? gathered_b : here_b,
                     from.c + at.c + first * batches_.c, alpha, beta);
        }
    }
}

template <class T>
std::size_t packed_batch<T>::gathered_bytes() const {
    return sizeof(T) * static_cast<std::size_t>((a_.pitch + b_.pitch) * at_once_);
}

// One of the two contractions runs at a time.
template <class T>
runtime::loan_list packed_batch<T>::loans() const {
    runtime::loan_list all{{gathered_bytes()}};
    for (const auto* part : {&whole_, &rest_}) {
        if (!part->has_value()) continue;
        const auto more = (*part)->loans();
        all.insert(all.end(), more.begin(), more.end());
    }
    return all;
}

// The matrices of `count` neighbouring batches, one behind the other.
template <class T>
void packed_batch<T>::gather(const order& how, const T* from, std::int64_t count, T* to) const {
    const auto lines = static_cast<std::int64_t>(how.lines.size());
    auto gather_line = [&](std::int64_t line, int) {
        table_->transpose(from + how.lines[static_cast<std::size_t>(line)], how.step,
                          to + line * how.length, how.pitch, how.length, count);
    };
    distribute_units(lines, lines_per_task, how.pitch * count < serial_batch_elements, gather_line);
}

template <class T>
std::string packed_batch<T>::words() const {
    return fmt::format("matrices of {} batches put in order at once", at_once_);
}

#define RICCI_INSTANTIATE(T) template class packed_batch<T>
RICCI_FOR_LANE_TYPES(RICCI_INSTANTIATE);
#undef RICCI_INSTANTIATE

}  // namespace ricci::contractions
