// A fused group carried out row tile by row tile: the columns of a tile of rows go by once, and all
// sums over them stay in the cache.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/fused/column_parts.hpp"
#include "src/fused/consumers.hpp"
#include "src/fused/loop_order.hpp"
#include "src/fused/tiles.hpp"

namespace ricci::fused {

template <class T>
class rows_outside final : public loop_order {
public:
    rows_outside(const steps::fused_group& what, const kernels::fused_table<T>& table,
                 const kernels::kernel_table<T>& packing);
    void run(void* const* bases, const double* numbers) const override;
    runtime::loan_list loans() const override;
    std::string describe() const override;

private:
    std::int64_t units() const;
    std::int64_t tasks() const;
    std::size_t kept_bytes() const;
    void run_parts(void* const* bases, const double* numbers, const T* trees) const;
    void choose_unit(tile_task<T>& t, std::int64_t unit) const;
    bool sum_at_once(tile_task<T>& t) const;
    void forget_sums(const tile_task<T>& t) const;
    void add_columns(tile_task<T>& t, const column_part& part) const;
    void finish_rows(tile_task<T>& t) const;

    tiles<T> tiles_;
    std::vector<row_consumer<T>> consumers_;
    column_parts<T> parts_;
    std::size_t scratch_ = 0;
    std::int64_t others_ = 1;  // column loops around the tiles
    std::int64_t units_per_task_ = 1;
};

extern template class rows_outside<float>;
extern template class rows_outside<double>;

}  // namespace ricci::fused
