// Factors of the small matrices of a batch, a matrix in each lane.
#include <algorithm>
#include <complex>
#include <utility>

#include "src/contract/sharing.hpp"
#include "src/linear/strategies.hpp"
#include "src/linear/interleaving.hpp"
#include "src/linear/numbers.hpp"

namespace ricci::linear {
namespace {

using steps::factor_kind;

template <class T>
class interleaved_factors final : public factor_strategy {
public:
    interleaved_factors(const steps::factorization& what, const factor_layout<T>& layout,
                        const batch_positions& batch)
        : layout_(layout),
          batch_(batch),
          row_(what.row),
          column_(what.column),
          unit_(what.unit_diagonal) {}

    failure run(const void* matrices, std::byte* factors) const override {
        first_failure first;
        auto factor = [&](std::int64_t unit, int) {
            factor_group(static_cast<const T*>(matrices), factors, unit, first);
        };
        const double n = static_cast<double>(layout_.size());
        const double flops =
            n * n * (n + 16) * static_cast<double>(batch_.count() * kernels::parts<T>);
        contractions::distribute_units(layout_.units(),
                                       contractions::units_in_task(layout_.units(), flops),
                                       flops < contractions::serial_flops, factor);
        return first.what();
    }

private:
    static constexpr std::int64_t group = kernels::group_size<T>;
    static constexpr std::int64_t slot = group * kernels::parts<T>;
    using part = part_type<T>;

    void factor_group(const T* matrices, std::byte* factors, std::int64_t unit,
                      first_failure& first) const {
        const std::int64_t begin = unit * group, n = layout_.size();
        std::int64_t offset[group];
        matrices_of_group<T> from{
            matrices, offset, std::min(group, batch_.count() - begin), 0, n, n, row_, column_};
        batch_.list(begin, from.lanes, &contractions::position::a, &steps::contraction_loop::a,
                    offset);
        from.step = batch_.step().a;
        part* const numbers = reinterpret_cast<part*>(layout_.numbers(factors, unit));
        interleave(from, numbers);
        std::int64_t failed[group];
        std::fill(failed, failed + group, -1);
        const kernels::linear_table<T>& table = kernels::linear_kernels<T>();
        bool good = true;
        if (layout_.kind() == factor_kind::lu)
            good = table.factor_lu(n, numbers,
                                   layout_.template pivots<kernels::lane_integer<T>>(factors, unit),
                                   failed);
        else if (layout_.kind() == factor_kind::cholesky)
            good = table.factor_cholesky(n, numbers, failed);
        else check_triangles(numbers, from.lanes, begin, first);
        if (good) return;
        for (std::int64_t l = 0; l < from.lanes; ++l) {
            if (failed[l] < 0) continue;
            first.tell(begin + l, failed[l] / 2,
                       failed[l] % 2 != 0                  ? failure_reason::not_finite
                       : layout_.kind() == factor_kind::lu ? failure_reason::singular
                                                           : failure_reason::not_positive_definite);
        }
    }

    void check_triangles(part* numbers, std::int64_t lanes, std::int64_t begin,
                         first_failure& first) const {
        const std::int64_t n = layout_.size();
        const bool lower = layout_.kind() == factor_kind::lower;
        const auto magnitude_at = [&](std::int64_t i, std::int64_t j, std::int64_t l) {
            const part* const x = numbers + (i * n + j) * slot + l;
            if constexpr (is_complex_number<T>) return magnitude(T(x[0], x[group]));
            else return magnitude(x[0]);
        };
        if (unit_) {
            for (std::int64_t j = 0; j < n; ++j) {
                part* const x = numbers + (j * n + j) * slot;
                std::fill(x, x + group, part{1});
                std::fill(x + group, x + slot, part{0});
            }
        }
        for (std::int64_t l = 0; l < lanes; ++l) {
            for (std::int64_t j = 0; j < n; ++j) {
                bool finite = true;
                for (std::int64_t i = lower ? j : 0; i < (lower ? n : j + 1); ++i)
                    finite = finite && std::isfinite(magnitude_at(i, j, l));
                if (finite && magnitude_at(j, j, l) > 0) continue;
                first.tell(begin + l, j,
                           finite ? failure_reason::singular : failure_reason::not_finite);
                break;
            }
        }
    }

    factor_layout<T> layout_;
    batch_positions batch_;
    std::int64_t row_, column_;
    bool unit_;
};

}  // namespace

template <class T>
std::unique_ptr<const factor_strategy> make_interleaved_factors(const steps::factorization& what,
                                                                const factor_layout<T>& layout,
                                                                const batch_positions& batch) {
    return std::make_unique<const interleaved_factors<T>>(what, layout, batch);
}

#define RICCI_INSTANTIATE(T)                                                  \
    template std::unique_ptr<const factor_strategy> make_interleaved_factors( \
        const steps::factorization&, const factor_layout<T>&, const batch_positions&)
RICCI_FOR_FACTORED_TYPES(RICCI_INSTANTIATE);
#undef RICCI_INSTANTIATE

}  // namespace ricci::linear
