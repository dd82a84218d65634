// Sums between two groups: one number for each row of a tile, of what lies in memory.
#pragma once

#include <cstddef>

#include "src/fused/tiles.hpp"
#include "src/steps/fused.hpp"

namespace ricci::fused {

template <class T>
class row_sum {
public:
    row_sum(const steps::row_dot& sum, const geometry& shape);
    /// Of the rows of a task.
    void run(const tile_task<T>& t) const;

private:
    const geometry* shape_;
    std::size_t a_ = 0, b_ = 0, output_ = 0;
    inner_loops summed_;
    T number_ = 1;
};

extern template class row_sum<float>;
extern template class row_sum<double>;

}  // namespace ricci::fused
