// The steps of a network in another algebra than sum and product: maximum, minimum or log-sum-exp
// of sums. The tree, the slots and their memory are those of a plan; only what runs is another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "src/contract/algebra/algebra_product.hpp"
#include "src/contract/algebra/traced_places.hpp"
#include "src/network/network_plan.hpp"
#include "src/network/tree.hpp"
#include "src/runtime/loans.hpp"
#include "src/steps/algebra.hpp"

namespace ricci::networks {

class algebra_steps {
public:
    /// `workspace`: where the plan's intermediates are. `places`: whether they are kept, for
    /// trace(). Of each index, `extents` says how many places
    /// are computed at once. Throws ricci::error for elements that are neither float nor double.
    algebra_steps(const step_tree& tree, const network_plan& planned,
                  std::span<const std::int64_t> extents, steps::sum_algebra algebra, bool places,
                  std::byte* workspace);

    void run_step(const network_plan& planned, std::size_t step, bool joins);
    runtime::loan_book& loans() { return loans_; }
    void list_loans(std::size_t step, runtime::loan_book& to) const {
        to.add_step(steps_[step].product->loans());
    }

    /// The places of all indices where the result, a number, is what it is; -1 of an index that is
    /// in no tensor. After all steps have run, with places.
    std::vector<std::int64_t> trace() const;

private:
    struct made_step {
        std::unique_ptr<const contractions::prepared_algebra_product> product;
        plan::slot_number a, b, c;  // b of a step with one factor: none
        contractions::traced_step traced;
        std::vector<contractions::place> places;
    };
    void* base(const network_plan& planned, plan::slot_number slot) const;

    std::vector<made_step> steps_;
    runtime::loan_book loans_;
    std::byte* workspace_;
    std::size_t indices_ = 0;
};

}  // namespace ricci::networks
