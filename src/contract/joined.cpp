// Contractions that have their rows in common.
#include "src/contract/joined.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <utility>

#include "src/contract/buffers.hpp"
#include "src/runtime/parallel.hpp"

namespace ricci::contract {

// A contraction that packs all of its columns beforehand, and its rows from the operand in common.
template <class T, class Stored>
const blocked<T, Stored>* joined<T, Stored>::suited(const joinable& one) {
    const auto* const it = dynamic_cast<const part*>(one.which);
    if (it == nullptr || it->empty() || it->groups_.swapped != one.shares_b) return nullptr;
    const block_sizes& cut = it->cut_;
    const bool at_once = !cut.in_place && !cut.serial && !cut.sums_apart && cut.n_chunks == 1 &&
                         cut.k_chunks == 1 && cut.batch_chunk == it->batch_;
    return at_once && !it->packs_across_ && it->packs_a_ ? it : nullptr;
}

template <class T, class Stored>
bool joined<T, Stored>::same_rows(const part& x, const part& y) {
    const auto same_block = [](const typename part::k_block& p, const typename part::k_block& q) {
        return p.first == q.first && p.end == q.end && p.a_step == q.a_step;
    };
    const auto same_step = [](const plan::contraction_loop& p, const plan::contraction_loop& q) {
        return p.extent == q.extent && p.a == q.a;
    };
    return x.table_ == y.table_ && x.m_ == y.m_ && x.k_ == y.k_ &&
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
    if (parts.size() < 2 || parts.size() > plan::most_joined) return nullptr;
    return std::unique_ptr<const joined_strategy>(new joined(std::move(parts)));
}

template <class T, class Stored>
joined<T, Stored>::joined(std::vector<const part*> parts) : parts_(std::move(parts)) {
    for (const part* p : parts_) {
        columns_.push_back(
            {packed_elements_, {0, p->batch_, 0, p->cut_.panels, 0, p->cut_.k_blocks}});
        packed_elements_ += p->packed_elements_ * static_cast<std::size_t>(p->batch_);
        row_tiles_ = std::max(row_tiles_, p->cut_.m_tiles);
    }
    lent_memory::reserve(packed_elements_ * sizeof(T));
}

template <class T, class Stored>
void joined<T, Stored>::run(std::span<const bound_contraction> operands) const {
    std::array<typename part::operands, plan::most_joined> from;
    const lent_memory memory(packed_elements_ * sizeof(T));
    T* const packed = reinterpret_cast<T*>(memory.data());
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        from[p] = parts_[p]->bind(operands[p]);
        parts_[p]->pack_chunk(from[p], columns_[p].whole, packed + columns_[p].packed);
    }
    auto body = [&](std::int64_t unit, int worker) {
        compute({from.data(), parts_.size()}, unit, packed,
                reinterpret_cast<T*>(worker_memory(worker)));
    };
    runtime::parallel_for(parts_[0]->batch_ * row_tiles_, body);
}

// A tile of rows of one batch: every block of k of it passes over the columns of all parts.
template <class T, class Stored>
void joined<T, Stored>::compute(std::span<const typename part::operands> from, std::int64_t unit,
                                const T* packed, T* packed_rows) const {
    const part& first = *parts_[0];
    const std::int64_t batch = unit / row_tiles_, tile = unit % row_tiles_;
    const std::int64_t mr = first.table_->mr;
    const std::int64_t m = part_start(first.m_, row_tiles_, tile, mr);
    const std::int64_t m_end = part_start(first.m_, row_tiles_, tile + 1, mr);
    for (std::size_t number = 0; number < first.blocks_.size(); ++number) {
        const typename part::k_block& block = first.blocks_[number];
        const Stored* const rows = from[0].a + locate(first.groups_.batch, batch).a;
        if (block.a_step == 0) first.pack_a(rows, m, m_end, block, packed_rows);
        for (std::size_t k = 0; k < parts_.size(); ++k) {
            const part& p = *parts_[k];
            typename part::right_operand right;
            right.packed = packed + columns_[k].packed +
                           batch * static_cast<std::int64_t>(p.packed_elements_) +
                           block.first * p.packed_column(p.cut_.panels);
            p.multiply_block(rows, m, m_end, 0, p.cut_.panels, p.blocks_[number], right,
                             packed_rows,
                             p.output(from[k], locate(p.groups_.batch, batch).c, number == 0));
        }
    }
    if (std::ranges::any_of(parts_, [](const part* p) { return p->streams_; }))
        first.table_->end_streams();
}

template <class T, class Stored>
std::unique_ptr<const joined_strategy> blocked<T, Stored>::join(
    std::span<const joinable> all) const {
    return joined<T, Stored>::make(all);
}

#define RICCI_INSTANTIATE(...)                                                  \
    template std::unique_ptr<const joined_strategy> blocked<__VA_ARGS__>::join( \
        std::span<const joinable>) const
RICCI_INSTANTIATE(float);
RICCI_INSTANTIATE(double);
RICCI_INSTANTIATE(std::uint32_t);
RICCI_INSTANTIATE(std::uint64_t);
RICCI_INSTANTIATE(float, bf16);
RICCI_INSTANTIATE(float, f16);
RICCI_INSTANTIATE(std::complex<float>);
RICCI_INSTANTIATE(std::complex<double>);

}  // namespace ricci::contract
