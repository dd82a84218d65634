// How deep expressions are nested. Most passes call themselves on what is below, so that a program
// may not be deeper than the smallest stack allows.
#pragma once

#include <cstdint>

#include <ricci/ir/mistake.hpp>
#include <ricci/ir/program.hpp>

namespace ricci::ir {

/// The levels of nodes that a program's expressions may have. Compilers evaluate calls within calls
/// to a depth of 512.
constexpr std::int32_t deepest_expression() {
    return __builtin_is_constant_evaluated() ? 120 : 200;
}

/// Measures without calling itself: what a node refers to stands before it.
class nesting {
public:
    constexpr explicit nesting(const program& p) : p_(p) {}

    /// The levels at and below `n`.
    constexpr std::int32_t of(ref n) {
        for (ref k = levels_.size(); k <= n; ++k) {
            const node& x = p_.nodes[k];
            std::int32_t below = 0;
            for (std::int32_t c = 0; c < x.children.count; ++c) {
                const ref child = p_.links[x.children.first + c];
                if (child < k && levels_[child] > below) below = levels_[child];
            }
            levels_.push(below + 1);
        }
        return levels_[n];
    }

private:
    const program& p_;
    detail::buffer<std::int32_t> levels_;
};

inline constexpr text_view nested_too_deeply =
    "nested too deeply, in brackets or as a chain of quotients, powers or functions; define "
    "tensors "
    "on the way";

/// Refuses the first expression that is too deep.
constexpr mistake check_nesting(const program& p, text_view text) {
    if (p.nodes.size() <= deepest_expression()) return {};
    nesting levels(p);
    for (ref n = 0; n < p.nodes.size(); ++n)
        if (levels.of(n) > deepest_expression())
            return make_mistake(mistake_kind::unexpected, text, p.nodes[n].source.begin,
                                p.nodes[n].source.end, nested_too_deeply);
    return {};
}

}  // namespace ricci::ir
