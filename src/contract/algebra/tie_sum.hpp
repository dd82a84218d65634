// A sum over ties, prepared once and run many times.
#pragma once

#include <memory>

#include "src/steps/ties.hpp"

namespace ricci::contractions {

/// What a sum over ties runs on: where the walk of each operand begins, but for its offset.
struct tie_operands {
    const void *row = nullptr, *column = nullptr, *kept = nullptr, *weight = nullptr;
    void* out = nullptr;
};

/// What carries one out on elements of one type.
class tie_runner {
public:
    tie_runner() = default;
    tie_runner(const tie_runner&) = delete;
    tie_runner& operator=(const tie_runner&) = delete;
    virtual ~tie_runner() = default;
    virtual void run(const tie_operands& given) const = 0;
};

class prepared_tie_sum {
public:
    /// Copies what it needs of the descriptor, of f32 or f64.
    explicit prepared_tie_sum(const steps::tie_sum& what);

    /// Does not allocate. No result depends on the number of threads: each is the sum of those of
    /// blocks of k, in order, each of which is added up in order.
    void run(const tie_operands& given) const { how_->run(given); }

private:
    std::unique_ptr<const tie_runner> how_;
};

}  // namespace ricci::contractions
