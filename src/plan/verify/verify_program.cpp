// The invariants of a program that the first passes of the planner rewrite, checked.
#include "src/plan/verify/verify_program.hpp"

#include <cstdint>
#include <stdexcept>
#include <vector>

#include <fmt/core.h>

#include <ricci/ir/rewrite.hpp>

namespace ricci::plan {
namespace {

class program_verifier {
public:
    program_verifier(const ir::program_view& program, const char* pass)
        : p_(program),
          pass_(pass),
          defined_(static_cast<std::size_t>(program.names.size()), false),
          ranks_(static_cast<std::size_t>(program.names.size()), -1) {}

    void run() {
        std::vector<bool> has_definition(defined_.size(), false);
        for (const ir::equation& e : p_.equations) {
            require(is_within(e.name, p_.names.size()), "a name that there is not");
            if (!e.claim) has_definition[static_cast<std::size_t>(e.name)] = true;
        }
        for (e_ = 0; e_ < p_.equations.size(); ++e_) {
            const ir::equation& e = p_.equations[e_];
            if (e.claim) continue;
            check_positions(e.positions);
            see(e.name, e.positions.count);
            if (ir::computes(p_, e)) {
                check(e.body, has_definition);
                check_indices(e);
            }
            const auto name = static_cast<std::size_t>(e.name);
            require(!defined_[name], "a tensor that is defined twice");
            defined_[name] = true;
        }
    }

private:
    static bool is_within(std::int32_t number, std::int32_t count) {
        return number >= 0 && number < count;
    }
    void require(bool holds, const char* what) const {
        if (holds) return;
        throw std::logic_error(fmt::format("after {}: {}: equation {}", pass_, what, e_ + 1));
    }
    void see(ir::ref name, std::int32_t rank) {
        require(is_within(name, p_.names.size()), "a name that there is not");
        auto& known = ranks_[static_cast<std::size_t>(name)];
        if (known < 0) known = rank;
        require(known == rank, "a tensor of two ranks");
    }
    void check_positions(ir::range at) const {
        for (std::int32_t k = 0; k < at.count; ++k) {
            require(is_within(at.first + k, p_.positions.size()), "a position that there is not");
            const ir::position& x = p_.at(at, k);
            if (x.kind == ir::position_kind::index)
                require(is_within(x.index, p_.indices.size()), "an index that there is not");
            if (x.kind != ir::position_kind::merged && x.kind != ir::position_kind::affine)
                continue;
            for (std::int32_t t = 0; t < x.terms.count; ++t)
                require(is_within(x.terms.first + t, p_.affine_terms.size()) &&
                            is_within(p_.affine_terms[x.terms.first + t].index, p_.indices.size()),
                        "an index that there is not");
        }
    }
    // Below a node, whose structure may be shared: each is looked at once an equation.
    void check(ir::ref body, const std::vector<bool>& has_definition) {
        std::vector<bool> seen(static_cast<std::size_t>(p_.nodes.size()), false);
        std::vector<ir::ref> open{body};
        while (!open.empty()) {
            const ir::ref n = open.back();
            open.pop_back();
            require(is_within(n, p_.nodes.size()), "an expression that there is not");
            if (seen[static_cast<std::size_t>(n)]) continue;
            seen[static_cast<std::size_t>(n)] = true;
            const ir::node& x = p_.nodes[n];
            check_positions(x.positions);
            for (std::int32_t k = 0; k < x.indices.count; ++k)
                require(is_within(x.indices.first + k, p_.links.size()) &&
                            is_within(p_.reduced(x, k), p_.indices.size()),
                        "an index that there is not");
            for (std::int32_t k = 0; k < x.children.count; ++k) {
                require(is_within(x.children.first + k, p_.links.size()),
                        "an expression that there is not");
                open.push_back(p_.child(x, k));
            }
            if (x.kind != ir::op::tensor) continue;
            see(x.name, x.positions.count);
            const auto name = static_cast<std::size_t>(x.name);
            require(!has_definition[name] || defined_[name] || p_.names[x.name].shape_only,
                    "a tensor that is read before it is defined");
        }
    }
    void check_indices(const ir::equation& e) const {
        ir::index_set left;
        ir::add_indices(p_, e.positions, left);
        const ir::index_set free = ir::free_indices(p_, e.body);
        for (ir::ref i = 0; i < p_.indices.size(); ++i)
            require(left.has(i) || !free.has(i), "an index that is neither on the left nor summed");
    }

    const ir::program_view& p_;
    const char* pass_;
    ir::ref e_ = 0;
    std::vector<bool> defined_;
    std::vector<std::int32_t> ranks_;
};

}  // namespace

void verify_program(const ir::program_view& program, const char* pass) {
    program_verifier(program, pass).run();
}

}  // namespace ricci::plan
