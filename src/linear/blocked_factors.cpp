// Factors of matrices one by one: each is copied, and factored where it then is.
#include <algorithm>
#include <complex>
#include <numeric>
#include <utility>

#include "src/contract/sharing.hpp"
#include "src/linear/blocked_program.hpp"
#include "src/linear/strategies.hpp"
#include "src/linear/matrix_copy.hpp"
#include "src/linear/numbers.hpp"

namespace ricci::linear {
namespace {

using steps::factor_kind;

template <class T>
class blocked_factors final : public factor_strategy {
public:
    blocked_factors(const steps::factorization& what, const factor_layout<T>& layout,
                    const batch_positions& batch)
        : layout_(layout),
          batch_(batch),
          row_(what.row),
          column_(what.column),
          unit_(what.unit_diagonal) {
        if (what.kind == factor_kind::lu) program_.add_lu(what.size, layout.leading());
        if (what.kind == factor_kind::cholesky) program_.add_cholesky(what.size, layout.leading());
    }

    failure run(const void* matrices, std::byte* factors) const override {
        first_failure first;
        auto factor = [&](std::int64_t matrix, int) {
            const T* const from = static_cast<const T*>(matrices) + batch_.at(matrix).a;
            factor_one(from, factors, matrix, first);
        };
        const double n = static_cast<double>(layout_.size());
        const double flops = n * n * n * (is_complex_number<T> ? flops_of_complex : 1) *
                             static_cast<double>(batch_.count());
        contractions::distribute_units(batch_.count(),
                                       contractions::units_in_task(batch_.count(), flops),
                                       flops < contractions::serial_flops, factor);
        return first.what();
    }

    void list_loans(runtime::loan_book& to) const override {
        program_.list_loans(to, batch_.count());
    }

private:
    void factor_one(const T* from, std::byte* factors, std::int64_t matrix,
                    first_failure& first) const {
        const factor_kind kind = layout_.kind();
        const std::int64_t n = layout_.size();
        T* const numbers = layout_.numbers(factors, matrix);
        copy_to_columns(n, from, row_, column_, numbers, layout_.leading(),
                        kind == factor_kind::lu      ? copied_half::both
                        : kind == factor_kind::upper ? copied_half::upper
                                                     : copied_half::lower);
        if (kind == factor_kind::lower || kind == factor_kind::upper) {
            check_triangle(numbers, matrix, first);
            return;
        }
        std::int32_t* const pivots = kind == factor_kind::lu
                                         ? layout_.template pivots<std::int32_t>(factors, matrix)
                                         : nullptr;
        const panel_result made = program_.run({numbers, numbers, pivots});
        if (made.column >= 0) {
            first.tell(matrix, made.column,
                       !made.finite              ? failure_reason::not_finite
                       : kind == factor_kind::lu ? failure_reason::singular
                                                 : failure_reason::not_positive_definite);
            if (!made.finite) return;
        }
        if (kind != factor_kind::lu) return;
        std::int32_t* const rows = pivots + n;
        std::iota(rows, rows + n, 0);
        for (std::int64_t k = 0; k < n; ++k) std::swap(rows[k], rows[pivots[k]]);
    }

    // A triangle is its own factor: its diagonal has no 0, and all its numbers are finite.
    void check_triangle(T* numbers, std::int64_t matrix, first_failure& first) const {
        const std::int64_t n = layout_.size();
        for (std::int64_t j = 0; j < n; ++j) {
            T* const x = numbers + j * layout_.leading();
            if (unit_) x[j] = T{1};
            const bool lower = layout_.kind() == factor_kind::lower;
            const auto finite = [](T value) { return std::isfinite(magnitude(value)); };
            const bool good = std::all_of(x + (lower ? j : 0), x + (lower ? n : j + 1), finite);
            if (good && x[j] != T{}) continue;
            first.tell(matrix, j, good ? failure_reason::singular : failure_reason::not_finite);
            return;
        }
    }

    factor_layout<T> layout_;
    batch_positions batch_;
    std::int64_t row_, column_;
    bool unit_;
    blocked_program<T> program_;
};

}  // namespace

template <class T>
std::unique_ptr<const factor_strategy> make_blocked_factors(const steps::factorization& what,
                                                            const factor_layout<T>& layout,
                                                            const batch_positions& batch) {
    return std::make_unique<const blocked_factors<T>>(what, layout, batch);
}

#define RICCI_INSTANTIATE(T)                                              \
    template std::unique_ptr<const factor_strategy> make_blocked_factors( \
        const steps::factorization&, const factor_layout<T>&, const batch_positions&)
RICCI_FOR_FACTORED_TYPES(RICCI_INSTANTIATE);
#undef RICCI_INSTANTIATE

}  // namespace ricci::linear
