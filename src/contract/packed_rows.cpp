// Rows that are packed once for several contractions.
#include "src/contract/packed_rows.hpp"

#include <algorithm>
#include <complex>

#include "src/base/arithmetic.hpp"
#include "src/contract/element_types.hpp"
#include "src/contract/offsets.hpp"
#include "src/contract/sharing.hpp"
#include "src/runtime/parallel.hpp"

namespace ricci::contractions {
namespace {

// Rows that one task packs.
constexpr std::int64_t rows_per_task = 96;

}  // namespace

template <class T, class Stored>
packed_rows<T, Stored>::packed_rows(const left_panels<T, Stored>& left,
                                    const std::vector<k_block>& blocks, const index_groups& groups)
    : left_(left), blocks_(blocks), groups_(groups), batches_(iterations(groups.batch)) {
    const std::int64_t rows = round_up(left.count(), left.tile_rows());
    for (const k_block& block : blocks) {
        begin_.push_back(batch_elements_);
        batch_elements_ += rows * left.pitch(block);
    }
}

template <class T, class Stored>
std::int64_t packed_rows<T, Stored>::at(std::int64_t batch, std::int64_t block,
                                        std::int64_t m) const {
    const auto number = static_cast<std::size_t>(block);
    return batch * batch_elements_ + begin_[number] + m * left_.pitch(blocks_[number]);
}

template <class T, class Stored>
void packed_rows<T, Stored>::pack(const Stored* a, T* to) const {
    const auto blocks = static_cast<std::int64_t>(blocks_.size());
    const std::int64_t tiles = ceil_divide(left_.count(), rows_per_task);
    auto body = [&](std::int64_t task, int) {
        const std::int64_t number = task / tiles % blocks;
        const std::int64_t batch = task / tiles / blocks;
        const std::int64_t mr = left_.tile_rows();
        const std::int64_t m = part_start(left_.count(), tiles, task % tiles, mr);
        const std::int64_t m_end = part_start(left_.count(), tiles, task % tiles + 1, mr);
        const k_block& block = blocks_[static_cast<std::size_t>(number)];
        if (block.a_step != 0 || m == m_end) return;
        left_.pack({a, locate(groups_.batch, batch).a}, m, m_end, block, to + at(batch, number, m));
    };
    runtime::parallel_for(tiles * blocks * batches_, body);
}

template <class T, class Stored>
bool packed_rows<T, Stored>::same(const packed_rows& other) const {
    const auto same_block = [](const k_block& p, const k_block& q) {
        return p.first == q.first && p.end == q.end && p.a_step == q.a_step;
    };
    const auto same_step = [](const steps::contraction_loop& p, const steps::contraction_loop& q) {
        return p.extent == q.extent && p.a == q.a;
    };
    return groups_.origin.a == other.groups_.origin.a && left_.packs_like(other.left_) &&
           std::ranges::equal(groups_.batch, other.groups_.batch, same_step) &&
           std::ranges::equal(blocks_, other.blocks_, same_block);
}

#define RICCI_INSTANTIATE(...) template class packed_rows<__VA_ARGS__>
RICCI_FOR_CONTRACTED_TYPES(RICCI_INSTANTIATE);
#undef RICCI_INSTANTIATE

}  // namespace ricci::contractions
