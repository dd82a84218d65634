// Where the matrices of a batch are: loops, simplified, and the place of each matrix in them.
#pragma once

#include <cstdint>

#include "src/contract/offsets.hpp"

namespace ricci::linear {

/// Of each iteration of loops, the slowest first, where it is in up to three operands.
class batch_positions {
public:
    batch_positions() = default;
    explicit batch_positions(const contractions::loop_list& loops) {
        for (const auto& loop : loops) {
            count_ *= loop.extent;
            if (loop.extent != 1) add(loop);
        }
    }

    std::int64_t count() const { return count_; }
    contractions::position at(std::int64_t number) const {
        return contractions::locate(loops_, number);
    }
    /// How far apart neighbours are, where that is the same for all; else all 0.
    steps::contraction_loop step() const {
        return loops_.size() == 1 ? loops_[0] : steps::contraction_loop{1, 0, 0, 0};
    }
    /// Where `count` iterations from `first` on are in an operand, one of
    /// &contractions::position::a, b and c.
    void list(std::int64_t first, std::int64_t count, std::int64_t contractions::position::*operand,
              std::int64_t steps::contraction_loop::*stride, std::int64_t* offsets) const {
        if (loops_.size() <= 1) {
            const std::int64_t apart = step().*stride;
            for (std::int64_t i = 0; i < count; ++i) offsets[i] = (first + i) * apart;
            return;
        }
        for (std::int64_t i = 0; i < count; ++i) offsets[i] = at(first + i).*operand;
    }

private:
    // A loop that goes on where the one before it repeats is one with it.
    void add(const steps::contraction_loop& loop) {
        if (!loops_.empty()) {
            auto& outer = loops_.back();
            if (outer.a == loop.a * loop.extent && outer.b == loop.b * loop.extent &&
                outer.c == loop.c * loop.extent) {
                outer = {outer.extent * loop.extent, loop.a, loop.b, loop.c};
                return;
            }
        }
        loops_.push_back(loop);
    }

    contractions::loop_list loops_;
    std::int64_t count_ = 1;
};

}  // namespace ricci::linear
