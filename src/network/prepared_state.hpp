// What a prepared network holds: its tensors, the result, and what computes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <ricci/array.hpp>
#include <ricci/network.hpp>

#include "src/network/network_data.hpp"
#include "src/network/network_run.hpp"
#include "src/network/order_data.hpp"
#include "src/network/reduced_network.hpp"

namespace ricci::networks {

/// Throws ricci::error for the number of a tensor that is not there.
void check_operand(std::size_t operand, std::size_t count);

/// What is asked of a run, and the tensors that it reads; 16-bit numbers as float, and whole ones
/// as double where it is scaled.
struct bound_network {
    /// Throws ricci::error for what cannot be run.
    bound_network(const network_data& n, const order_data& order, const contract_options& options);
    /// One more result, zeroed, of these indices' extents.
    array result_of(std::span<const std::int32_t> axes);

    element type, computed, given;  // of tensors, while it runs, and of the result
    std::vector<array> operands;
    run_request asked;
};

/// Runs once, and tells `progress` how far it is and how many seconds are left. Throws ricci::error
/// where that stops it.
void run_with_progress(network_run& run, const detail::progress_function& progress);
/// The same of passes [first, end) alone.
void run_with_progress(network_run& run, std::int64_t first, std::int64_t end,
                       const detail::progress_function& progress);

/// 16-bit numbers are computed as float, whole ones in a scaled run as double: tensors are
/// converted when they are bound, the result when it is asked for.
struct prepared_state {
    /// `keeps`: intermediates, where there is memory for all of them. Throws ricci::error.
    prepared_state(const network_data& n, const order_data& order, const contract_options& options,
                   bool keeps);
    void bind(std::size_t operand, const array& value);
    void run();
    std::int64_t passes() const { return run_->passes(); }
    /// What passes [first, end) add to the result.
    void run_passes(std::int64_t first, std::int64_t end);
    /// Both throw ricci::error where no run has come to its end.
    array result() const;
    double exponent10() const;

private:
    void finish_run();
    void check_has_run() const;
    void check_shape(std::size_t operand, const array& value) const;
    void check_is_apart(std::size_t operand, const array& value) const;
    const array& whole_result() const { return left_ ? whole_ : result_; }
    void take(std::size_t operand, const array& value);

    element type_ = element::f64, given_ = element::f64;
    std::optional<reduced_network> left_;  // of a network whose order rests on zeros
    std::vector<array> operands_;
    array result_;  // of what is left
    array whole_;   // with what was left out, which is zero
    std::optional<network_run> run_;
    bool has_run_ = false;  // to its end
    const char* beyond_ =
        nullptr;  // what to write for results beyond the range; none: any is given
    detail::progress_function progress_;
};

}  // namespace ricci::networks
