// What factors matrices and what solves with their factors, for one element type and one layout.
#pragma once

#include <cstddef>
#include <memory>

#include "src/linear/batch_positions.hpp"
#include "src/linear/factor_layout.hpp"
#include "src/linear/failure.hpp"
#include "src/runtime/loans.hpp"
#include "src/steps/linear.hpp"

namespace ricci::linear {

class factor_strategy {
public:
    factor_strategy() = default;
    factor_strategy(const factor_strategy&) = delete;
    factor_strategy& operator=(const factor_strategy&) = delete;
    virtual ~factor_strategy() = default;
    virtual failure run(const void* matrices, std::byte* factors) const = 0;
    virtual void list_loans(runtime::loan_book&) const {}
};

class solve_strategy {
public:
    solve_strategy() = default;
    solve_strategy(const solve_strategy&) = delete;
    solve_strategy& operator=(const solve_strategy&) = delete;
    virtual ~solve_strategy() = default;
    virtual void run(const std::byte* factors, const void* y, void* x) const = 0;
    virtual void list_loans(runtime::loan_book&) const {}
};

/// `batch`: of the matrices (a).
template <class T>
std::unique_ptr<const factor_strategy> make_blocked_factors(const steps::factorization& what,
                                                            const factor_layout<T>& layout,
                                                            const batch_positions& batch);
template <class T>
std::unique_ptr<const factor_strategy> make_interleaved_factors(const steps::factorization& what,
                                                                const factor_layout<T>& layout,
                                                                const batch_positions& batch);

/// `batch`: of the right-hand sides (b) and the solutions (c).
template <class T>
std::unique_ptr<const solve_strategy> make_blocked_solve(const steps::linear_solve& what,
                                                         const factor_layout<T>& layout,
                                                         const batch_positions& batch);
template <class T>
std::unique_ptr<const solve_strategy> make_interleaved_solve(const steps::linear_solve& what,
                                                             const factor_layout<T>& layout,
                                                             const batch_positions& batch);

/// The work of a matrix of n rows is about n^3, of a solution n^2: tasks take so many.
inline constexpr double flops_of_complex = 4;

}  // namespace ricci::linear
