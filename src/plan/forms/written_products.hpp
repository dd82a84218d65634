// Tensors over pairs of places that are products by their definition, as S^{ij} = Q^{ia} K^{ja}:
// what is summed of them up to an index may have their factors instead, so that it carries a state.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "src/plan/pool/definitions.hpp"
#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

class written_products {
public:
    /// `kept`: slots that are read from memory, whatever they are.
    written_products(program_plan& plan, std::set<slot_number> kept)
        : plan_(plan), kept_(std::move(kept)) {}

    /// Remembers what an equation computes, where that is a product, or a sum of products, over two
    /// loops or more, in the workspace; or weights of a softmax up to an index.
    void add(const access& target, expr value);
    /// Once that is lowered: where sums in its factors are in memory now; none: they are not.
    void settle(const access& target, const std::function<expr(expr)>& in_memory);

    struct written_sum {
        loop_list over;
        expr body;
        std::vector<slot_number> slots;  // of the tensors that are no longer in it
    };
    /// The sum with the factors of tensors that have two loops of which one is summed and which a
    /// condition compares; nothing where there are none. Loops that the tensors were summed over
    /// are new ones.
    std::optional<written_sum> written_out(const loop_list& over, expr body) const;
    /// That sum is what the plan computes.
    void take(const written_sum&);
    /// Tensors that were taken apart for some sum; they are not needed, unless another reads them.
    const std::set<slot_number>& taken() const { return taken_; }

private:
    using pair = std::pair<loop, loop>;
    struct definition {
        access target;
        expr_list factors;
        loop_list over;
        std::vector<pair> compared;  // loops of a condition in it
    };
    const definition* definition_of(expr factor) const;
    bool flatten(expr value, definition& to) const;
    std::vector<pair> compared_in(expr_span factors) const;
    bool write_out(expr_span factors, const pair& compared, written_sum& to,
                   expr_list& product) const;

    program_plan& plan_;
    std::set<slot_number> kept_, taken_;
    std::map<slot_number, std::optional<definition>> known_;  // by slot; nothing: it is none
};

}  // namespace ricci::plan
