// Matrices of a batch, factored and solved: steps that are prepared once and run many times. What
// each gives is bitwise the same for any number of threads, and no run allocates while its loans
// are held.
#pragma once

#include <cstddef>
#include <memory>

#include "src/linear/failure.hpp"
#include "src/runtime/loans.hpp"
#include "src/steps/linear.hpp"

namespace ricci::linear {

class factor_strategy;
class solve_strategy;
class read_strategy;

/// Bytes that the factors of so many matrices take, the same on every machine. Their memory is
/// aligned to 64 bytes.
std::size_t factor_bytes(element type, steps::factor_kind kind, std::int64_t size,
                         std::int64_t matrices);

/// Makes factors in the caller's memory, before anything that rests on them is written.
class prepared_factorization {
public:
    /// Throws std::invalid_argument for an element type that it has no code for.
    explicit prepared_factorization(const steps::factorization& what);
    prepared_factorization(prepared_factorization&&) noexcept;
    prepared_factorization& operator=(prepared_factorization&&) noexcept;
    ~prepared_factorization();

    /// Says which matrix failed first. A singular one is factored nevertheless, for its
    /// determinant, and there are no solutions with it; the factors of others that fail have no
    /// meaning. Those of matrices that have not failed are whole.
    [[nodiscard]] failure run(const void* matrices, std::byte* factors) const;
    void list_loans(runtime::loan_book& to) const;

private:
    std::unique_ptr<const factor_strategy> strategy_;
};

/// Solutions with factors that have not failed.
class prepared_solve {
public:
    explicit prepared_solve(const steps::linear_solve& what);
    prepared_solve(prepared_solve&&) noexcept;
    prepared_solve& operator=(prepared_solve&&) noexcept;
    ~prepared_solve();

    /// `y` is not read where the right-hand sides are the unit matrix.
    void run(const std::byte* factors, const void* y, void* x) const;
    void list_loans(runtime::loan_book& to) const;

private:
    std::unique_ptr<const solve_strategy> strategy_;
};

/// Determinants of matrices with such factors, or their lower triangles.
class prepared_reading {
public:
    explicit prepared_reading(const steps::determinant& what);
    explicit prepared_reading(const steps::lower_triangle& what);
    prepared_reading(prepared_reading&&) noexcept;
    prepared_reading& operator=(prepared_reading&&) noexcept;
    ~prepared_reading();

    void run(const std::byte* factors, void* out) const;

private:
    std::unique_ptr<const read_strategy> strategy_;
};

}  // namespace ricci::linear
