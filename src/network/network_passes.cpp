// A sliced network some passes at a time.
#include <ricci/network_passes.hpp>

#include <utility>

#include "src/network/prepared_state.hpp"

namespace ricci {

network_passes::network_passes(const network& n, const contraction_order& order,
                               const contract_options& options)
    : state_(std::make_unique<networks::prepared_state>(n.data(), order.data(), options, false)) {}
network_passes::network_passes(network_passes&&) noexcept = default;
network_passes& network_passes::operator=(network_passes&&) noexcept = default;
network_passes::~network_passes() = default;

std::int64_t network_passes::count() const { return state_->passes(); }
void network_passes::bind(std::size_t operand, const array& value) { state_->bind(operand, value); }
array network_passes::run(std::int64_t first, std::int64_t end) {
    state_->run_passes(first, end);
    return state_->result();
}

}  // namespace ricci
