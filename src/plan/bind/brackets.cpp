// What counts as a condition in a program, and which conditions hide a node.
#include "src/plan/bind/brackets.hpp"

#include <algorithm>
#include <cmath>

namespace ricci::plan {

brackets::brackets(const ir::program_view& program)
    : p_(program),
      conditions_(program),
      lookups_(static_cast<std::size_t>(program.nodes.size()), 2) {
    for (ir::ref n = 0; n < p_.nodes.size(); ++n) find_lookups(n);
}

bool brackets::find_lookups(ir::ref node) {
    auto& known = lookups_[static_cast<std::size_t>(node)];
    if (known != 2) return known != 0;
    const auto& n = p_.nodes[node];
    bool found = (n.kind == ir::op::tensor && n.children.count > 0) || ir::is_of_matrix(n);
    for (std::int32_t k = 0; k < n.children.count; ++k)
        found = find_lookups(p_.child(n, k)) || found;
    known = found ? 1 : 0;
    return found;
}

std::vector<ir::ref> brackets::hiding(ir::ref node) const {
    std::vector<ir::ref> found;
    conditions_.for_each_hiding(p_, node, [&](ir::ref condition) {
        if (std::ranges::find(found, condition) == found.end()) found.push_back(condition);
    });
    return found;
}

std::vector<ir::ref> brackets::masking(ir::ref node) const {
    std::vector<ir::ref> found;
    double number = 1;
    const auto look = [&](const auto& self, ir::ref at) -> bool {
        const auto& n = p_.nodes[at];
        if (n.kind == ir::op::number) {
            number *= n.value;
        } else if (n.kind == ir::op::multiply) {
            for (std::int32_t k = 0; k < n.children.count; ++k)
                if (!self(self, p_.child(n, k))) return false;
        } else if (is_condition(at)) {
            found.push_back(at);
        } else {
            return false;
        }
        return true;
    };
    if (!look(look, node) || number != -HUGE_VAL) found.clear();
    return found;
}

}  // namespace ricci::plan
