// What a prepared network holds: its tensors, the result, and what computes it.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <ricci/array.hpp>
#include <ricci/network.hpp>

#include "src/network/network_data.hpp"
#include "src/network/network_run.hpp"
#include "src/network/order_data.hpp"

namespace ricci::networks {

/// 16-bit numbers are computed as float: tensors are converted when they are bound, the result when
/// it is asked for.
struct prepared_state {
    /// `keeps`: intermediates, where there is memory for all of them. Throws ricci::error.
    prepared_state(const network_data& n, const order_data& order, const contract_options& options,
                   bool keeps);
    void bind(std::size_t operand, const array& value);
    void run();
    array result() const;

private:
    element type_;
    std::vector<array> operands_;
    array result_;
    std::optional<network_run> run_;
    detail::progress_function progress_;
};

}  // namespace ricci::networks
