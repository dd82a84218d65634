// From an expression without sums and folds to instructions.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/plan/pool/expression.hpp"
#include "src/steps/instruction.hpp"

namespace ricci::plan {

/// Turns an expression without sums and folds into instructions. `place_load` and `place_position`
/// give the operand number of a load or position. What is looked up is none, but where `place_load`
/// takes such an expression as well.
template <class Load, class Position>
class assembler {
public:
    assembler(const graph& g, Load place_load, Position place_position)
        : graph_(g), load_(place_load), position_(place_position) {}

    std::int32_t value(expr e) {
        if (const auto found = known_.find(e); found != known_.end()) return found->second;
        const std::int32_t number = assemble(e);
        known_.emplace(e, number);
        return number;
    }
    std::vector<instruction> take() { return std::move(program_); }

private:
    std::int32_t push(opcode code, std::int32_t first, std::int32_t second = -1,
                      std::int32_t third = -1) {
        instruction i;
        i.code = code;
        i.first = first;
        i.second = second;
        i.third = third;
        program_.push_back(i);
        return static_cast<std::int32_t>(program_.size()) - 1;
    }

    std::int32_t assemble(expr e) {
        const auto& node = graph_[e];
        instruction leaf;
        switch (node.kind) {
            case kind::constant:
                return constant(node.value);
            case kind::load:
                leaf.code = opcode::load;
                leaf.operand = load_(node.source);
                break;
            case kind::position:
                leaf.code = opcode::position;
                leaf.operand = position_(node.at);
                break;
            case kind::gather:
                if constexpr (std::is_invocable_v<Load, const expression&>)
                    leaf.operand = load_(node);
                leaf.code = opcode::load;
                break;
            case kind::sum:
            case kind::fold:
            case kind::operation:
                return operation(e);
        }
        program_.push_back(leaf);
        return static_cast<std::int32_t>(program_.size()) - 1;
    }

    std::int32_t operation(expr e) {
        const auto& node = graph_[e];
        if (node.code == opcode::add) return sum(node);
        if (node.code == opcode::multiply) return product(e, negated(e));
        std::int32_t arguments[3] = {-1, -1, -1};
        for (std::size_t k = 0; k < node.arguments.size(); ++k)
            arguments[k] = value(node.arguments[k]);
        return push(node.code, arguments[0], arguments[1], arguments[2]);
    }

    bool negated(expr e) const {
        const auto& node = graph_[e];
        return node.code == opcode::multiply && graph_.is_constant(node.arguments[0], -1);
    }

    std::int32_t constant(double number) {
        const auto bits = std::bit_cast<std::uint64_t>(number);
        const auto found = constants_.find(bits);
        if (found != constants_.end()) return found->second;
        instruction leaf;
        leaf.value = number;
        program_.push_back(leaf);
        return constants_[bits] = static_cast<std::int32_t>(program_.size()) - 1;
    }

    // Minus infinity times brackets: it masks what it is added to, which may be no number there.
    bool masks(expr e) const {
        const auto all = graph_.factors(e);
        return all.size() > 1 && graph_.is_constant(all[0], -HUGE_VAL) &&
               std::all_of(all.begin() + 1, all.end(),
                           [&](expr f) { return graph_.is_bracket(f); });
    }
    // Subtracts what is negated instead of adding its negative.
    std::int32_t sum(const expression& node) {
        expr_list terms, subtracted, masked;
        for (expr t : node.arguments)
            (masks(t) ? masked : negated(t) ? subtracted : terms).push_back(t);
        terms.insert(terms.end(), subtracted.begin(), subtracted.end());
        std::int32_t total = terms.empty() ? constant(0) : sum(terms);
        for (expr t : masked) {
            const auto& brackets = graph_[t].arguments;
            total = push(opcode::select, all_of({brackets.begin() + 1, brackets.end()}),
                         constant(-HUGE_VAL), total);
        }
        return total;
    }
    std::int32_t sum(const expr_list& terms) {
        std::int32_t total = value(terms[0]);
        for (std::size_t k = 1; k < terms.size(); ++k)
            total = negated(terms[k]) ? push(opcode::subtract, total, product(terms[k], false, 1))
                                      : push(opcode::add, total, value(terms[k]));
        return total;
    }

    // 1 where all brackets are true, otherwise 0.
    std::int32_t all_of(const expr_list& brackets) {
        std::int32_t all = value(brackets[0]);
        for (std::size_t k = 1; k < brackets.size(); ++k)
            all = push(opcode::logical_and, all, value(brackets[k]));
        return all;
    }
    // Divides by what stands as a reciprocal, after all the multiplications. What a bracket
    // multiplies is chosen by it: nothing comes through where it is false.
    std::int32_t product(expr e, bool minus, std::size_t skipped = 0) {
        const auto& node = graph_[e];
        std::int32_t total = -1;
        std::vector<std::int32_t> divisors;
        expr_list brackets;
        for (std::size_t k = minus ? 1 : skipped; k < node.arguments.size(); ++k) {
            if (graph_.is_bracket(node.arguments[k])) {
                brackets.push_back(node.arguments[k]);
                continue;
            }
            const auto& factor = graph_[node.arguments[k]];
            if (factor.code == opcode::reciprocal) {
                divisors.push_back(value(factor.arguments[0]));
            } else {
                const auto next = value(node.arguments[k]);
                total = total < 0 ? next : push(opcode::multiply, total, next);
            }
        }
        for (const auto divisor : divisors)
            total = total < 0 ? push(opcode::reciprocal, divisor)
                              : push(opcode::divide, total, divisor);
        if (!brackets.empty()) {
            const auto chosen = all_of(brackets);
            total = total < 0 ? chosen : push(opcode::select, chosen, total, constant(0));
        }
        return minus ? push(opcode::negate, total) : total;
    }

    const graph& graph_;
    Load load_;
    Position position_;
    std::unordered_map<expr, std::int32_t> known_;
    std::map<std::uint64_t, std::int32_t> constants_;
    std::vector<instruction> program_;
};

}  // namespace ricci::plan
