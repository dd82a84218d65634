// A sliced network some passes at a time, for those who share them out: several machines.
#pragma once

#include <cstdint>
#include <memory>

#include <ricci/array.hpp>
#include <ricci/detail/export.hpp>
#include <ricci/network.hpp>

namespace ricci {

/// Prepared once, then run for some passes after others: a pass is one combination of the ranges
/// that the order cuts indices into, and the result is the sum over all of them. Passes are
/// numbered so that each makes again but little of what the one before it has made.
class RICCI_EXPORT network_passes {
public:
    /// Throws ricci::error as prepare() does. `options.progress` is asked in every run; where it is
    /// false that run throws ricci::error.
    network_passes(const network& n, const contraction_order& order,
                   const contract_options& options = {});
    network_passes(network_passes&&) noexcept;
    network_passes& operator=(network_passes&&) noexcept;
    ~network_passes();

    /// How many passes there are: at least one.
    std::int64_t count() const;
    /// Another tensor of the same shape, type and strides.
    void bind(std::size_t operand, const array& value);
    /// What passes [first, end) add to the result. The same bits whatever has been run before.
    array run(std::int64_t first, std::int64_t end);

private:
    std::unique_ptr<networks::prepared_state> state_;
};

}  // namespace ricci
