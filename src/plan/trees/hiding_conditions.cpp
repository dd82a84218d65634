#include "src/plan/trees/hiding_conditions.hpp"

namespace ricci::plan {

hiding_conditions::hiding_conditions(const ir::program_view& program)
    : p_(program),
      brackets_(p_),
      holds_matrix_(static_cast<std::size_t>(program.nodes.size()), false) {
    const auto find = [&](const auto& self, ir::ref n) -> bool {
        const ir::node& x = p_.nodes[n];
        bool found = ir::is_of_matrix(x);
        for (std::int32_t k = 0; k < x.children.count; ++k)
            found = self(self, p_.child(x, k)) || found;
        holds_matrix_[static_cast<std::size_t>(n)] = found;
        return found;
    };
    for (const ir::equation& e : p_.equations) find(find, e.body);
}

std::vector<hiding_condition> hiding_conditions::above(const ir::node& x,
                                                       std::int32_t which) const {
    switch (x.kind) {
        case ir::op::multiply:
        case ir::op::divide:
            return beside(x, which);
        case ir::op::choose:
            return of_cases(x, which);
        case ir::op::add:
            return of_masks(x, which);
        default:
            return {};
    }
}

// What stands below a stroke hides nothing above it.
hiding_conditions::list hiding_conditions::beside(const ir::node& x, std::int32_t which) const {
    list found;
    const std::int32_t count = x.kind == ir::op::divide ? 1 : x.children.count;
    for (std::int32_t k = 0; k < count; ++k)
        if (k != which)
            for (const ir::ref c : brackets_.hiding(p_.child(x, k))) found.push_back({{c}, true});
    return found;
}

// Values and conditions by turns: a value counts where its condition is the first that is true, and
// a condition where none before it is.
hiding_conditions::list hiding_conditions::of_cases(const ir::node& x, std::int32_t which) const {
    list found;
    const bool otherwise = which + 1 == x.children.count;
    if (!otherwise && which % 2 == 0) found.push_back({{p_.child(x, which + 1)}, true});
    for (std::int32_t k = 1; k < which; k += 2) found.push_back({{p_.child(x, k)}, false});
    return found;
}

hiding_conditions::list hiding_conditions::of_masks(const ir::node& x, std::int32_t which) const {
    list found;
    for (std::int32_t k = 0; k < x.children.count; ++k)
        if (k != which)
            if (auto masks = brackets_.masking(p_.child(x, k)); !masks.empty())
                found.push_back({std::move(masks), false});
    return found;
}

}  // namespace ricci::plan
