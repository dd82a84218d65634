// Cofactors of the matrices of a batch: a step that is prepared once and runs many times, as those
// of factorization.hpp.
#pragma once

#include <cstddef>
#include <memory>

#include "src/linear/factorization.hpp"

namespace ricci::linear {

class cofactor_strategy;

/// Of matrices whose factors are there, of singular ones too.
class prepared_cofactors {
public:
    explicit prepared_cofactors(const steps::cofactors& what);
    prepared_cofactors(prepared_cofactors&&) noexcept;
    prepared_cofactors& operator=(prepared_cofactors&&) noexcept;
    ~prepared_cofactors();

    void run(const std::byte* factors, const void* matrices, void* out) const;
    void list_loans(runtime::loan_book& to) const;

private:
    std::unique_ptr<const cofactor_strategy> strategy_;
};

}  // namespace ricci::linear
