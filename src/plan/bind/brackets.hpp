// What counts as a condition in a program, and which conditions hide a node: where one of them is
// false, the places that stand below the node need not exist.
#pragma once

#include <vector>

#include <ricci/ir/conditions.hpp>
#include <ricci/ir/program.hpp>

namespace ricci::plan {

class brackets {
public:
    explicit brackets(const ir::program_view& program);

    /// Whether a tensor is read below the node, or there, where others say, or a function of a
    /// matrix stands there: what need not exist where nobody wants it.
    bool has_lookup(ir::ref node) const { return lookups_[static_cast<std::size_t>(node)]; }
    /// Whether the tensor is defined as a condition: 1 or 0 everywhere.
    bool is_condition_name(ir::ref name) const { return conditions_.has(name); }
    /// Whether the node is 1 or 0: a comparison, cases of 1 and 0, or a tensor that is defined so.
    bool is_condition(ir::ref node) const { return conditions_.is_condition(p_, node); }
    /// The conditions that are factors of the node; where one is false the node is 0.
    std::vector<ir::ref> hiding(ir::ref node) const;
    /// Of minus infinity times conditions these: what it is added to is hidden where all are true.
    std::vector<ir::ref> masking(ir::ref node) const;

private:
    bool find_lookups(ir::ref node);

    const ir::program_view& p_;
    ir::condition_names<ir::program_view> conditions_;
    std::vector<char> lookups_;  // by node; 2: not known yet
};

}  // namespace ricci::plan
