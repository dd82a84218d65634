// Networks are run beyond the range of their elements.
#include <ricci/network.hpp>

#include "src/network/network_data.hpp"
#include "src/network/order_data.hpp"
#include "src/network/prepared_state.hpp"

namespace ricci {

scaled contract_scaled(const network& n, const contraction_order& order,
                       const contract_options& options) {
    contract_options wanted = options;
    wanted.scaled = true;
    networks::prepared_state state(n.data(), order.data(), wanted, false);
    state.run();
    return {state.result(), state.exponent10()};
}

scaled contract_scaled(const network& n, const contract_options& options) {
    return contract_scaled(n, find_order(n, {.memory = options.memory}), options);
}

}  // namespace ricci
