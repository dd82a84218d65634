// Writing down steps: loops, strides and instructions of contractions and element-wise passes.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "src/plan/lower.hpp"
#include "src/plan/scalar.hpp"

namespace ricci::plan {
namespace {

/// Turns an expression without sums and folds into instructions. `place_load` and `place_position`
/// give the operand number of a load or position.
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
                leaf.value = node.value;
                break;
            case kind::load:
                leaf.code = opcode::load;
                leaf.operand = load_(node.source);
                break;
            case kind::position:
                leaf.code = opcode::position;
                leaf.operand = position_(node.source.at);
                break;
            case kind::sum:
            case kind::fold:
            case kind::gather:
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
        return node.kind == kind::operation && node.code == opcode::multiply &&
               graph_.is_constant(node.arguments[0], -1);
    }

    std::int32_t constant(double number) {
        const auto found = constants_.find(number);
        if (found != constants_.end()) return found->second;
        instruction leaf;
        leaf.value = number;
        program_.push_back(leaf);
        return constants_[number] = static_cast<std::int32_t>(program_.size()) - 1;
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
        std::vector<expr> terms, subtracted, masked;
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
    std::int32_t sum(const std::vector<expr>& terms) {
        std::int32_t total = value(terms[0]);
        for (std::size_t k = 1; k < terms.size(); ++k)
            total = negated(terms[k]) ? push(opcode::subtract, total, product(terms[k], false, 1))
                                      : push(opcode::add, total, value(terms[k]));
        return total;
    }

    // 1 where all brackets are true, otherwise 0.
    std::int32_t all_of(const std::vector<expr>& brackets) {
        std::int32_t all = value(brackets[0]);
        for (std::size_t k = 1; k < brackets.size(); ++k)
            all = push(opcode::logical_and, all, value(brackets[k]));
        return all;
    }
    // Divides by what stands as a reciprocal, after all the multiplications. What a bracket multiplies is
    // chosen by it: nothing comes through where it is false.
    std::int32_t product(expr e, bool minus, std::size_t skipped = 0) {
        const auto& node = graph_[e];
        std::int32_t total = -1;
        std::vector<std::int32_t> divisors;
        std::vector<expr> brackets;
        for (std::size_t k = minus ? 1 : skipped; k < node.arguments.size(); ++k) {
            if (graph_.is_bracket(node.arguments[k])) {
                brackets.push_back(node.arguments[k]);
                continue;
            }
            const auto& factor = graph_[node.arguments[k]];
            if (factor.kind == kind::operation && factor.code == opcode::reciprocal) {
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
    std::map<double, std::int32_t> constants_;
    std::vector<instruction> program_;
};

double count_flops(const std::vector<instruction>& program) {
    double flops = 0;
    for (const auto& i : program) flops += arity(i.code) > 0 ? 1 : 0;
    return flops;
}

}  // namespace

void lowering::emit(const contraction_of& product, const access& target, double beta) {
    hides_ = hides_ || product.hides || graph_.has_bracket(product.scale);
    const access a = graph_[product.a].source, b = graph_[product.b].source;
    const auto a_indices = graph_[product.a].indices, b_indices = graph_[product.b].indices;
    step s;
    s.equation = equation_;
    s.is_contraction = true;
    auto& c = s.contraction;
    c.a = {a.slot, a.positions}, c.a_offset = a.at.offset;
    c.b = {b.slot, b.positions}, c.b_offset = b.at.offset;
    c.c = {target.slot, target.positions}, c.c_offset = target.at.offset;
    c.beta = beta;
    c.conjugate_a = product.conjugate_a;
    c.conjugate_b = product.conjugate_b;
    double work = 2;
    const auto all = united(a_indices, b_indices);
    for (ir::ref i : all) {
        const contraction_loop loop{graph_.extent(i), a.at.stride(i), b.at.stride(i),
                                    target.at.stride(i)};
        const bool in_a = contains(a_indices, i), in_b = contains(b_indices, i);
        auto& group = contains(product.over, i) ? c.k : in_a && in_b ? c.batch : in_a ? c.m : c.n;
        auto& names = contains(product.over, i) ? c.k_names
                      : in_a && in_b            ? c.batch_names
                      : in_a                    ? c.m_names
                                                : c.n_names;
        group.push_back(loop);
        names.push_back({i, loop.extent});
        work *= static_cast<double>(loop.extent);
    }
    const expr scale = plain(product.scale, 1);
    if (graph_[scale].kind == kind::constant) {
        c.alpha.value = graph_[scale].value;
    } else {
        const auto load = [&](const access& from) {
            c.alpha.operands.push_back({from.slot, from.at.offset});
            return static_cast<std::int32_t>(c.alpha.operands.size()) - 1;
        };
        const auto position = [](const linear_form&) { return -1; };  // a number has no positions
        assembler program(graph_, load, position);
        program.value(scale);
        c.alpha.instructions = program.take();
    }
    const auto elements = graph_.size(a_indices) + graph_.size(b_indices) +
                          graph_.size(without(all, product.over)) * (beta != 0 ? 2 : 1);
    s.flops = work;
    s.bytes = elements * static_cast<double>(size_of(plan_.type));
    plan_.steps.push_back(std::move(s));
}

void lowering::emit_map(const access& target, const std::vector<ir::ref>& indices, expr body,
                        fold folding, const std::vector<ir::ref>& over) {
    const double loops = graph_.size(united(indices, over));
    const expr value = plain(body, loops);

    step s;
    s.equation = equation_;
    auto& m = s.map;
    m.folding = folding;
    const auto by_stride = [&](std::vector<ir::ref> list, const linear_form& at) {
        std::sort(list.begin(), list.end(), [&](ir::ref x, ir::ref y) {
            const auto a = std::abs(at.stride(x)), b = std::abs(at.stride(y));
            return a != b ? a > b : x < y;
        });
        return list;
    };
    m.indices = by_stride(without(indices, over), target.at);
    m.folded = static_cast<std::int32_t>(over.size());
    const auto* model = widest_load(value, graph_[value].indices.size());
    for (ir::ref i : by_stride(over, model ? model->source.at : target.at)) m.indices.push_back(i);
    for (ir::ref i : m.indices) m.extents.push_back(graph_.extent(i));

    const double size = static_cast<double>(size_of(plan_.type));
    const auto place = [&](std::int32_t slot, const linear_form& at, ir::range positions) {
        map_step::operand o;
        o.slot = slot;
        o.offset = at.offset;
        for (ir::ref i : m.indices) o.strides.push_back(at.stride(i));
        o.use = {slot, positions};
        for (std::size_t k = 1; k < m.operands.size(); ++k) {
            const auto& known = m.operands[k];
            if (known.slot == slot && known.offset == o.offset && known.strides == o.strides)
                return static_cast<std::int32_t>(k);
        }
        if (slot >= 0) {
            double elements = 1;
            for (std::size_t k = 0; k < o.strides.size(); ++k)
                if (o.strides[k] != 0) elements *= static_cast<double>(m.extents[k]);
            s.bytes += elements * size;
        }
        m.operands.push_back(std::move(o));
        return static_cast<std::int32_t>(m.operands.size()) - 1;
    };
    place(target.slot, target.at, target.positions);
    const auto load = [&](const access& from) { return place(from.slot, from.at, from.positions); };
    const auto position = [&](const linear_form& at) { return place(-1, at, {}); };
    assembler program(graph_, load, position);
    program.value(value);
    m.program = program.take();
    s.flops = loops * (count_flops(m.program) + (folding == fold::none ? 0 : 1));
    plan_.steps.push_back(std::move(s));
}

}  // namespace ricci::plan
