// Contractions that have their rows in common.
#include "src/contract/joined.hpp"

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "src/contract/element_types.hpp"
#include "src/runtime/buffers.hpp"
#include "src/runtime/parallel.hpp"

namespace ricci::contract {
namespace {

// Packed rows of more bytes than this would come from memory again for every contraction.
constexpr std::int64_t most_bytes = std::int64_t{4} << 20;
// Rows that one task packs.
constexpr std::int64_t rows_per_task = 96;

}  // namespace

// A contraction that packs its rows, from the operand in common.
template <class T, class Stored>
const blocked<T, Stored>* joined<T, Stored>::suited(const joinable& one) {
    const auto* const it = dynamic_cast<const part*>(one.which);
    if (it == nullptr || it->empty() || it->groups_.swapped != one.shares_b) return nullptr;
    const bool packs = !it->cut_.in_place && !it->packs_across_ && it->packs_a_;
    const std::int64_t bytes =
        it->batch_ * it->packed_rows() * static_cast<std::int64_t>(sizeof(T));
    return packs && bytes <= most_bytes ? it : nullptr;
}

template <class T, class Stored>
bool joined<T, Stored>::same_rows(const part& x, const part& y) {
    const auto same_block = [](const typename part::k_block& p, const typename part::k_block& q) {
        return p.first == q.first && p.end == q.end && p.a_step == q.a_step;
    };
    const auto same_step = [](const steps::contraction_loop& p, const steps::contraction_loop& q) {
        return p.extent == q.extent && p.a == q.a;
    };
    return x.table_ == y.table_ && x.mr_ == y.mr_ && x.m_ == y.m_ && x.k_ == y.k_ &&
           x.groups_.a_start == y.groups_.a_start && x.a_rows_.offset == y.a_rows_.offset &&
           x.a_depth_.offset == y.a_depth_.offset &&
           std::ranges::equal(x.groups_.batch, y.groups_.batch, same_step) &&
           std::ranges::equal(x.blocks_, y.blocks_, same_block);
}

template <class T, class Stored>
std::unique_ptr<const joined_strategy> joined<T, Stored>::make(std::span<const joinable> all) {
    std::vector<const part*> parts;
    for (const joinable& one : all) {
        const part* const suits = suited(one);
        if (suits == nullptr || (!parts.empty() && !same_rows(*parts[0], *suits))) return nullptr;
        parts.push_back(suits);
    }
    if (parts.size() < 2) return nullptr;
    return std::unique_ptr<const joined_strategy>(new joined(std::move(parts)));
}

template <class T, class Stored>
joined<T, Stored>::joined(std::vector<const part*> parts)
    : parts_(std::move(parts)),
      packed_(static_cast<std::size_t>(parts_[0]->batch_ * parts_[0]->packed_rows())) {
    for (const part* p : parts_) borrowed_ = std::max(borrowed_, packed_ + p->borrowed());
    runtime::lent_memory::reserve(borrowed_ * sizeof(T));
}

template <class T, class Stored>
void joined<T, Stored>::run(std::span<const bound_contraction> operands) const {
    const runtime::lent_memory memory(borrowed_ * sizeof(T));
    T* const rows = reinterpret_cast<T*>(memory.data());
    pack(parts_[0]->bind(operands[0]), rows);
    for (std::size_t p = 0; p < parts_.size(); ++p)
        parts_[p]->run_packing(parts_[p]->bind(operands[p]), rows, rows + packed_);
}

template <class T, class Stored>
void joined<T, Stored>::pack(const typename part::operands& from, T* rows) const {
    const part& p = *parts_[0];
    const std::int64_t tiles = (p.m_ + rows_per_task - 1) / rows_per_task;
    auto body = [&](std::int64_t task, int) {
        const std::int64_t number = task / tiles % p.cut_.k_blocks;
        const std::int64_t batch = task / tiles / p.cut_.k_blocks;
        const std::int64_t m = part_start(p.m_, tiles, task % tiles, p.mr_);
        const std::int64_t m_end = part_start(p.m_, tiles, task % tiles + 1, p.mr_);
        const typename part::k_block& block = p.blocks_[static_cast<std::size_t>(number)];
        if (block.a_step != 0 || m == m_end) return;
        p.pack_a(from.a + locate(p.groups_.batch, batch).a, m, m_end, block,
                 rows + batch * p.packed_rows() + p.packed_row(number, m));
    };
    runtime::parallel_for(tiles * p.cut_.k_blocks * p.batch_, body);
}

template <class T, class Stored>
std::unique_ptr<const joined_strategy> blocked<T, Stored>::join(
    std::span<const joinable> all) const {
    return joined<T, Stored>::make(all);
}

#define RICCI_INSTANTIATE(...)                                                  \
    template std::unique_ptr<const joined_strategy> blocked<__VA_ARGS__>::join( \
        std::span<const joinable>) const
RICCI_FOR_CONTRACTED_TYPES(RICCI_INSTANTIATE);

}  // namespace ricci::contract
