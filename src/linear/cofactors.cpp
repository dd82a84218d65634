// Cofactors: by the factors of a matrix where these are good, and else of the matrix itself.
#include "src/linear/cofactors.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "src/contract/sharing.hpp"
#include "src/linear/batch_positions.hpp"
#include "src/linear/cofactors_of_one.hpp"
#include "src/linear/for_type.hpp"

namespace ricci::linear {

class cofactor_strategy {
public:
    cofactor_strategy() = default;
    cofactor_strategy(const cofactor_strategy&) = delete;
    cofactor_strategy& operator=(const cofactor_strategy&) = delete;
    virtual ~cofactor_strategy() = default;
    virtual void run(const std::byte* factors, const void* matrices, void* out) const = 0;
    virtual void list_loans(runtime::loan_book& to) const = 0;
};

namespace {

// The transposed inverses: a solution for each column of the unit matrix, in the result's rows.
prepared_solve inverses(const steps::cofactors& what) {
    const steps::side_loop columns{what.size, what.x_row, 0};
    steps::linear_solve solve;
    solve.type = what.type;
    solve.kind = what.kind;
    solve.size = what.size;
    solve.x_row = what.x_column;
    solve.batch = what.batch;
    solve.columns = {&columns, 1};
    solve.transposed = what.transposed;
    solve.of_identity = true;
    return prepared_solve(solve);
}

template <class T>
class cofactors_by_factors final : public cofactor_strategy {
public:
    explicit cofactors_by_factors(const steps::cofactors& what)
        : inverses_(inverses(what)),
          batch_(positions_of(what)),
          layout_(what.kind, what.size, batch_.count()),
          x_row_(what.x_row),
          x_column_(what.x_column),
          y_row_(what.y_row),
          y_column_(what.y_column) {}

    void run(const std::byte* factors, const void* matrices, void* out) const override {
        inverses_.run(factors, nullptr, out);
        auto one = [&](std::int64_t matrix, int) {
            const contractions::position at = batch_.at(matrix);
            make(factors, matrix, static_cast<const T*>(matrices) + at.b,
                 static_cast<T*>(out) + at.c);
        };
        const std::int64_t n = layout_.size();
        const std::int64_t per_task = std::max<std::int64_t>(1, 16384 / (n * n));
        contractions::distribute_units(batch_.count(), per_task, batch_.count() <= per_task, one);
    }

    void list_loans(runtime::loan_book& to) const override {
        inverses_.list_loans(to);
        to.add_step({{cofactors_of_one<T>::bytes(layout_.size()), batch_.count()}});
    }

private:
    static batch_positions positions_of(const steps::cofactors& what) {
        contractions::loop_list loops;
        for (const auto& loop : what.batch) loops.push_back({loop.extent, 0, loop.y, loop.x});
        return batch_positions(loops);
    }

    /// Whether all pivots are of one size, so that no digits were lost with one that is nearly 0.
    bool has_like_pivots(const std::byte* factors, std::int64_t matrix) const {
        double least = std::numeric_limits<double>::infinity(), most = 0;
        for (std::int64_t i = 0; i < layout_.size(); ++i) {
            const double size = magnitude(factor_number(layout_, factors, matrix, i, i));
            least = std::min(least, size);
            most = std::max(most, size);
        }
        const double smallest_ratio =
            std::sqrt(static_cast<double>(std::numeric_limits<part_type<T>>::epsilon()));
        return least >= smallest_ratio * most && most < std::numeric_limits<double>::infinity();
    }

    void make(const std::byte* factors, std::int64_t matrix, const T* from, T* to) const {
        const std::int64_t n = layout_.size();
        const T determinant = determinant_of(layout_, factors, matrix).value();
        if (has_like_pivots(factors, matrix) && std::isnormal(magnitude(determinant))) {
            for (std::int64_t i = 0; i < n; ++i)
                for (std::int64_t j = 0; j < n; ++j) {
                    T& x = to[i * x_row_ + j * x_column_];
                    x = product_of(determinant, x);
                }
            return;
        }
        const runtime::lent_memory memory(cofactors_of_one<T>::bytes(n));
        cofactors_of_one<T>(n, memory.data()).run(from, y_row_, y_column_, to, x_row_, x_column_);
    }

    prepared_solve inverses_;
    batch_positions batch_;
    factor_layout<T> layout_;
    std::int64_t x_row_, x_column_, y_row_, y_column_;
};

}  // namespace

prepared_cofactors::prepared_cofactors(const steps::cofactors& what)
    : strategy_(for_type(what.type, [&](auto number) -> std::unique_ptr<const cofactor_strategy> {
          return std::make_unique<const cofactors_by_factors<decltype(number)>>(what);
      })) {}
prepared_cofactors::prepared_cofactors(prepared_cofactors&&) noexcept = default;
prepared_cofactors& prepared_cofactors::operator=(prepared_cofactors&&) noexcept = default;
prepared_cofactors::~prepared_cofactors() = default;

void prepared_cofactors::run(const std::byte* factors, const void* matrices, void* out) const {
    strategy_->run(factors, matrices, out);
}

void prepared_cofactors::list_loans(runtime::loan_book& to) const { strategy_->list_loans(to); }

}  // namespace ricci::linear
