// From an equation of a program to the planner's expressions: indices become loops.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <ricci/ir/program.hpp>
#include <ricci/ir/shapes.hpp>
#include "src/plan/bind/brackets.hpp"
#include "src/plan/pool/expression.hpp"
#include "src/plan/forms/recomputed.hpp"
#include "src/plan/read/equations.hpp"
#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// What the nodes of a program are in the equation that was read last.
class node_values {
public:
    explicit node_values(const ir::program_view& p)
        : known_(static_cast<std::size_t>(p.nodes.size())) {}
    /// None: not read yet.
    expr of(ir::ref equation, ir::ref node) const {
        const auto& k = known_[static_cast<std::size_t>(node)];
        return k.equation == equation ? k.value : expr::none;
    }
    void set(ir::ref equation, ir::ref node, expr value) {
        known_[static_cast<std::size_t>(node)] = {equation, value};
    }

private:
    struct known_node {
        ir::ref equation = ir::none;
        expr value;
    };
    // One table for all equations, not one of all nodes for each.
    std::vector<known_node> known_;
};

/// Reads one equation into the expressions of a plan, whose first slots are those of names;
/// `conditions` are the program's. Functions of matrices that stand in it get equations of `read`.
class translation {
public:
    /// `splits`: some letter has several extents in one equation.
    translation(const ir::program_view& program, const ir::shape_table& shapes, bool splits,
                const brackets& conditions, ir::ref equation, program_plan& into,
                recomputed_differences& recomputed, std::vector<read_equation>& read,
                node_values& seen)
        : program_(program),
          shapes_(shapes),
          splits_(splits),
          brackets_(conditions),
          plan_(into),
          slots_(into.slots),
          equation_(equation),
          graph_(into.values),
          place_words_(into.place_words),
          recomputed_(recomputed),
          read_(read),
          seen_(seen) {
        for (ir::ref i = 0; i < program.indices.size(); ++i)
            loops_.push_back(graph_.loops().of(i, shapes.index_extent(equation, i)));
    }

    /// The right side.
    expr body() { return node(program_.equations[equation_].body); }
    /// Where an extremum is that the right side gives the place of.
    place_of_extremum extremum();
    /// A function of matrices.
    matrix_function matrix(ir::ref n);
    /// Where the left side writes.
    access left_side() const;
    /// True when the left side reaches every element of its tensor.
    bool covers_all() const;

    /// What an index is, outside of signs that bind it.
    loop loop_of(ir::ref index) const { return loops_[static_cast<std::size_t>(index)]; }

private:
    /// What hides the node in hand where it is false: a condition of the program, or the opposite
    /// of one.
    struct guard {
        ir::ref node = ir::none;
        expr value;
    };
    expr node(ir::ref number);
    template <class F>
    auto below(ir::ref sign, F read);
    expr read(ir::ref number);
    expr read_here(ir::ref number);
    matrix_function matrix_here(ir::ref number);
    expr_list children_of(const ir::node& n);
    expr_list factors_of(const ir::node& n);
    expr_list terms_of(const ir::node& n);
    expr_list cases_of(const ir::node& n);
    expr_list parts_of_condition(const ir::node& n);
    expr_list guards() const;
    void guard_by(const std::vector<ir::ref>& conditions);
    void widen_guards(const ir::node& n);
    bool is_hidden(ir::ref number) const;
    expr opposite(expr condition);
    void check_quotient(expr numerator, expr denominator) const;
    void check_exponent(expr exponent) const;
    expr tensor(const ir::node& n, const expr_list& numbers);
    expr gathered(const ir::node& n, const expr_list& numbers);
    expr position(const ir::node& n, std::int32_t which);
    access reach(slot_number slot, ir::range positions, bool written = false) const;
    place place_of(const ir::position& p) const;

    const ir::program_view& program_;
    const ir::shape_table& shapes_;
    const bool splits_;
    const brackets& brackets_;
    program_plan& plan_;
    const std::vector<slot>& slots_;
    ir::ref equation_;
    std::vector<loop> loops_;  // by index of the program, below the signs in hand
    graph& graph_;
    std::vector<std::string>& place_words_;
    recomputed_differences& recomputed_;
    std::vector<read_equation>& read_;
    node_values& seen_;
    std::vector<guard> guards_;
    loop_map elsewhere_;  // loops of softmaxes, and all of their places
    // Of nodes that may be hidden, which means another thing under other guards.
    std::map<std::pair<ir::ref, std::vector<expr>>, expr> guarded_;
};

}  // namespace ricci::plan
