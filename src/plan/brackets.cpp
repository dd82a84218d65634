// What counts as a condition in a program, and which conditions hide a node.
#include "src/plan/brackets.hpp"

#include <algorithm>
#include <cmath>

namespace ricci::plan {

brackets::brackets(const ir::program_view& program)
    : p_(program),
      lookups_(static_cast<std::size_t>(program.nodes.size()), 2),
      conditions_(static_cast<std::size_t>(program.names.size()), 0) {
    for (ir::ref n = 0; n < p_.nodes.size(); ++n) find_lookups(n);
    // A tensor is defined above its uses; one of several parts is a condition if all of them are.
    std::vector<char> refuted(conditions_.size(), 0);
    for (const auto& e : p_.equations) {
        if (!ir::computes(p_, e)) continue;
        const auto name = static_cast<std::size_t>(e.name);
        if (!is_condition(e.body)) refuted[name] = 1;
        conditions_[name] = refuted[name] == 0;
    }
}

bool brackets::find_lookups(ir::ref node) {
    auto& known = lookups_[static_cast<std::size_t>(node)];
    if (known != 2) return known != 0;
    const auto& n = p_.nodes[node];
    bool found = n.kind == ir::op::tensor && n.children.count > 0;
    for (std::int32_t k = 0; k < n.children.count; ++k)
        found = find_lookups(p_.child(n, k)) || found;
    known = found ? 1 : 0;
    return found;
}

bool brackets::is_number(ir::ref node, double value) const {
    return p_.nodes[node].kind == ir::op::number && p_.nodes[node].value == value;
}

bool brackets::is_condition(ir::ref node) const {
    const auto& n = p_.nodes[node];
    switch (n.kind) {
        case ir::op::compare:
        case ir::op::delta:
            return true;
        case ir::op::apply:
            return static_cast<ir::function>(n.detail) == ir::function::logical_not;
        case ir::op::tensor:
            return is_condition_name(n.name);
        case ir::op::multiply:
            for (std::int32_t k = 0; k < n.children.count; ++k)
                if (!is_condition(p_.child(n, k))) return false;
            return n.children.count > 0;
        case ir::op::choose:
            for (std::int32_t k = 0; k < n.children.count; k += 2)
                if (!is_number(p_.child(n, k), 0) && !is_number(p_.child(n, k), 1)) return false;
            return true;
        default:
            return false;
    }
}

void brackets::add_hiding(ir::ref node, std::vector<ir::ref>& found) const {
    const auto& n = p_.nodes[node];
    if (n.kind == ir::op::multiply) {
        for (std::int32_t k = 0; k < n.children.count; ++k) add_hiding(p_.child(n, k), found);
    } else if (n.kind == ir::op::divide) {
        add_hiding(p_.child(n, 0), found);
    } else if (is_condition(node) && std::find(found.begin(), found.end(), node) == found.end()) {
        found.push_back(node);
    }
}

std::vector<ir::ref> brackets::hiding(ir::ref node) const {
    std::vector<ir::ref> found;
    add_hiding(node, found);
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
