// Functions of matrices, ready to run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "src/linear/cofactors.hpp"
#include "src/linear/factorization.hpp"
#include "src/plan/schedule/plan.hpp"
#include "src/runtime/loans.hpp"

namespace ricci::engine {

class plan_memory;

/// Factors of matrices, or what is made of them.
class ready_matrix {
public:
    using planned = plan::matrix_step;
    ready_matrix(const plan::program_plan& plan, const planned& s);
    void bind(const plan_memory& memory, const planned& s);
    /// Throws ricci::error where a matrix has no factors, or none that the plan can use.
    void run();
    void list_loans(runtime::loan_book& to) const;
    static std::string words(std::size_t = 0) { return {}; }

private:
    using prepared_task = std::variant<linear::prepared_factorization, linear::prepared_solve,
                                       linear::prepared_reading, linear::prepared_cofactors>;
    static prepared_task prepare(element type, const planned& s, steps::factor_kind kind);
    void factor(const linear::prepared_factorization& by_lu);

    prepared_task task_;
    std::optional<prepared_task> cholesky_;  // where it is tried first
    std::vector<std::int64_t> batch_;
    std::string words_;
    bool solves_;
    const std::byte* from_ = nullptr;
    std::byte* factors_ = nullptr;
    std::byte* to_ = nullptr;
};

}  // namespace ricci::engine
