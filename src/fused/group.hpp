// A fused group, prepared once and run many times: steps::fused_group.
#pragma once

#include <memory>
#include <string>

#include "src/runtime/loans.hpp"
#include "src/steps/fused.hpp"

namespace ricci::fused {

class loop_order;

/// Which kernels a group is run with: this CPU's, or the plain loops they are compared with.
enum class kernel_choice { best, scalar };

class prepared_group {
public:
    /// Copies what it needs; the spans of `what` need not outlive the call.
    explicit prepared_group(const steps::fused_group& what,
                            kernel_choice kernels = kernel_choice::best);
    prepared_group(prepared_group&&) noexcept;
    prepared_group& operator=(prepared_group&&) noexcept;
    ~prepared_group();

    /// bases[k] is the base pointer of operand k; numbers: one for each product, then one for each
    /// consumer. Does not allocate while its loans are held. The result does not depend on the
    /// number of threads.
    void run(void* const* bases, const double* numbers) const;

    /// What it lends while it runs.
    runtime::loan_list loans() const;

    /// "tiles of 48 x 128, ..."
    std::string describe() const;

private:
    std::unique_ptr<const loop_order> order_;
};

/// Two groups and the sums between them, carried out together.
class prepared_chain {
public:
    /// Copies what it needs.
    explicit prepared_chain(const steps::fused_chain& what,
                            kernel_choice kernels = kernel_choice::best);
    prepared_chain(prepared_chain&&) noexcept;
    prepared_chain& operator=(prepared_chain&&) noexcept;
    ~prepared_chain();

    /// False: its parts are to be run one after another.
    bool is_suitable() const { return order_ != nullptr; }

    /// As of a group: bases of the operands of the first group, of the sums, and of the second
    /// group; numbers of the first group and of the second.
    void run(void* const* bases, const double* numbers) const;
    runtime::loan_list loans() const;
    std::string describe() const;

private:
    std::unique_ptr<const loop_order> order_;
};

}  // namespace ricci::fused
