#include "src/network/scaled/block_walk.hpp"

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <utility>

#include "src/runtime/parallel.hpp"

namespace ricci::networks {
namespace {

// Real numbers that one task takes at most, and that are worth several.
constexpr std::int64_t numbers_per_task = 1 << 15;
constexpr std::int64_t numbers_to_share = 1 << 17;

}  // namespace

block_walk::block_walk(std::vector<walk_loop> blocks, std::vector<walk_loop> within, bool complex)
    : blocks_(std::move(blocks)) {
    const std::int64_t reals = complex ? 2 : 1;
    std::erase_if(within, [](const walk_loop& l) {
        return l.extent == 1 || (l.first == 0 && l.second == 0);
    });
    for (auto* loops : {&blocks_, &within})
        for (walk_loop& l : *loops) l.first *= reals, l.second *= reals;
    if (complex) within.push_back({2, 1, 1});
    std::sort(within.begin(), within.end(), [](const walk_loop& a, const walk_loop& b) {
        return std::tuple(std::abs(a.first), std::abs(a.second), a.first, a.second, a.extent) >
               std::tuple(std::abs(b.first), std::abs(b.second), b.first, b.second, b.extent);
    });
    within_.clear();
    for (const walk_loop& l : within) {
        if (within_.empty() || within_.back().first != l.first * l.extent ||
            within_.back().second != l.second * l.extent)
            within_.push_back(l);
        else within_.back() = {within_.back().extent * l.extent, l.first, l.second};
    }
    if (within_.empty()) within_.push_back({1, 1, 1});
    for (const walk_loop& l : blocks_) block_count_ *= l.extent;
    for (const walk_loop& l : within_) block_size_ *= l.extent;
    const bool is_line = block_count_ == 1 && within_.size() == 1 && within_[0].first == 1;
    short_line_ = is_line && block_size_ < numbers_to_share ? block_size_ : 0;
}

void block_walk::run(line_visitor visit) const {
    // What has no elements may have no memory to walk through.
    if (block_size_ == 0) return;
    for (std::int64_t b = 0; b < block_count_; ++b) run_part(b, 0, within_[0].extent, visit);
}

bool block_walk::is_shared() const { return block_count_ * block_size_ >= numbers_to_share; }

void block_walk::run_shared(line_visitor visit) const {
    if (!is_shared()) return run(visit);
    // Pieces of the outermost loop within blocks, and several of them a task where they are small.
    const std::int64_t extent = within_[0].extent, inner = block_size_ / extent;
    const std::int64_t length = std::clamp<std::int64_t>(numbers_per_task / inner, 1, extent);
    const std::int64_t pieces = (extent + length - 1) / length;
    const std::int64_t per_task = std::max<std::int64_t>(numbers_per_task / (inner * length), 1);
    const std::int64_t all = block_count_ * pieces;
    auto task = [&](std::int64_t number, int) {
        const std::int64_t end = std::min((number + 1) * per_task, all);
        for (std::int64_t p = number * per_task; p < end; ++p) {
            const std::int64_t from = p % pieces * length;
            run_part(p / pieces, from, std::min(from + length, extent), visit);
        }
    };
    runtime::parallel_for((all + per_task - 1) / per_task, task);
}

void block_walk::run_part(std::int64_t block, std::int64_t from, std::int64_t to,
                          const line_visitor& visit) const {
    walk_line line;
    line.block = block;
    std::int64_t rest = block;
    for (std::size_t l = blocks_.size(); l-- > 0;) {
        const std::int64_t place = rest % blocks_[l].extent;
        rest /= blocks_[l].extent;
        line.first += place * blocks_[l].first;
        line.second += place * blocks_[l].second;
    }
    const walk_loop& outer = within_[0];
    line.first += from * outer.first;
    line.second += from * outer.second;
    if (within_.size() == 1) {
        line.count = to - from;
        line.first_step = outer.first;
        line.second_step = outer.second;
        return visit(line);
    }
    for (; from < to; ++from) {
        run_loops(1, line, visit);
        line.first += outer.first;
        line.second += outer.second;
    }
}

void block_walk::run_loops(std::size_t level, walk_line line, const line_visitor& visit) const {
    const walk_loop& l = within_[level];
    if (level + 1 == within_.size()) {
        line.count = l.extent;
        line.first_step = l.first;
        line.second_step = l.second;
        return visit(line);
    }
    for (std::int64_t k = 0; k < l.extent; ++k) {
        run_loops(level + 1, line, visit);
        line.first += l.first;
        line.second += l.second;
    }
}

}  // namespace ricci::networks
