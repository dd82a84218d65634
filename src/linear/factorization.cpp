// Matrices of a batch, factored and solved: the strategy of each element type and layout.
#include "src/linear/factorization.hpp"

#include <complex>
#include <stdexcept>

#include "src/linear/strategies.hpp"
#include "src/linear/for_type.hpp"
#include "src/linear/numbers.hpp"

namespace ricci::linear {
namespace {

template <class T>
std::unique_ptr<const factor_strategy> make_factors(const steps::factorization& what) {
    contractions::loop_list loops;
    for (const auto& loop : what.batch) loops.push_back({loop.extent, loop.stride, 0, 0});
    const batch_positions batch(loops);
    const factor_layout<T> layout(what.kind, what.size, batch.count());
    return layout.is_interleaved() ? make_interleaved_factors(what, layout, batch)
                                   : make_blocked_factors(what, layout, batch);
}

template <class T>
std::unique_ptr<const solve_strategy> make_solve(const steps::linear_solve& what) {
    contractions::loop_list loops;
    for (const auto& loop : what.batch) loops.push_back({loop.extent, 0, loop.y, loop.x});
    const batch_positions batch(loops);
    const factor_layout<T> layout(what.kind, what.size, batch.count());
    return layout.is_interleaved() ? make_interleaved_solve(what, layout, batch)
                                   : make_blocked_solve(what, layout, batch);
}

}  // namespace

std::size_t factor_bytes(element type, steps::factor_kind kind, std::int64_t size,
                         std::int64_t matrices) {
    return for_type(type, [&](auto number) {
        return factor_layout<decltype(number)>(kind, size, matrices).bytes();
    });
}

prepared_factorization::prepared_factorization(const steps::factorization& what)
    : strategy_(
          for_type(what.type, [&](auto number) { return make_factors<decltype(number)>(what); })) {}
prepared_factorization::prepared_factorization(prepared_factorization&&) noexcept = default;
prepared_factorization& prepared_factorization::operator=(prepared_factorization&&) noexcept =
    default;
prepared_factorization::~prepared_factorization() = default;

failure prepared_factorization::run(const void* matrices, std::byte* factors) const {
    return strategy_->run(matrices, factors);
}

void prepared_factorization::list_loans(runtime::loan_book& to) const { strategy_->list_loans(to); }

prepared_solve::prepared_solve(const steps::linear_solve& what)
    : strategy_(
          for_type(what.type, [&](auto number) { return make_solve<decltype(number)>(what); })) {}
prepared_solve::prepared_solve(prepared_solve&&) noexcept = default;
prepared_solve& prepared_solve::operator=(prepared_solve&&) noexcept = default;
prepared_solve::~prepared_solve() = default;

void prepared_solve::run(const std::byte* factors, const void* y, void* x) const {
    strategy_->run(factors, y, x);
}

void prepared_solve::list_loans(runtime::loan_book& to) const { strategy_->list_loans(to); }

}  // namespace ricci::linear
