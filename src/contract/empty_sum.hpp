// A contraction of which a loop has no iterations: its sums have no terms, or there are none.
#pragma once

#include <cstdint>

#include "src/contract/index_groups.hpp"
#include "src/contract/offsets.hpp"
#include "src/contract/strategy.hpp"

namespace ricci::contractions {

/// Whether a loop has no iterations.
inline bool is_empty(const index_groups& groups) {
    return iterations(groups.batch) == 0 || iterations(groups.m) == 0 ||
           iterations(groups.n) == 0 || iterations(groups.k) == 0;
}

/// C = beta * C, which is not read when beta is 0.
template <class T, class Stored>
class empty_sum final : public strategy {
public:
    explicit empty_sum(const index_groups& groups) {
        for (const loop_list* loops : {&groups.batch, &groups.m, &groups.n})
            for (const steps::contraction_loop& loop : *loops) loops_.push_back(loop);
    }
    void run(const void*, const void*, void* c, const engine::number&,
             const engine::number& beta) const override {
        const T factor = beta.as<T>();
        for (std::int64_t i = 0, count = iterations(loops_); i < count; ++i) {
            Stored& element = static_cast<Stored*>(c)[locate(loops_, i).c];
            element = factor == T{0} ? Stored(T{0})
                                     : static_cast<Stored>(factor * static_cast<T>(element));
        }
    }

private:
    loop_list loops_;
};

}  // namespace ricci::contractions
