// Building the planner's expressions: every constructor returns the simplest equal expression.
#include "src/plan/pool/expression.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "src/plan/pool/mixed.hpp"
#include "src/plan/pool/scalar.hpp"

namespace ricci::plan {
namespace {

// Of a kind and the number that belongs to it: of a constant all that there is.
std::uint64_t hash_of(kind k, double value) {
    return mixed(static_cast<std::uint64_t>(k), std::bit_cast<std::uint64_t>(value));
}

std::uint64_t hash_of(const expression& e) {
    std::uint64_t h = hash_of(e.kind, e.value);
    if (e.kind == kind::constant) return h;
    h = mixed(h, static_cast<std::uint64_t>(e.code));
    h = mixed(h, static_cast<std::uint64_t>(e.folding));
    h = mixed(h, static_cast<std::uint64_t>(e.source.slot.number()));
    const auto mix = [&](const place& p) {
        h = mixed(h, static_cast<std::uint64_t>(p.offset));
        for (const auto& s : p.terms)
            h = mixed(mixed(h, s.over.index()), static_cast<std::uint64_t>(s.factor));
        if (p.edge != edge::none)
            h = mixed(mixed(h, static_cast<std::uint64_t>(p.edge)),
                      static_cast<std::uint64_t>(p.low));
    };
    for (const auto& p : e.source.at) mix(p);
    mix(e.at);
    for (const auto& l : e.lookups) h = mixed(h, static_cast<std::uint64_t>(l.axis));
    for (expr a : e.arguments) h = mixed(h, a.index());
    for (loop i : e.over) h = mixed(h, i.index());
    return h;
}

bool same(const expression& a, const expression& b) {
    return a.kind == b.kind && a.code == b.code && a.folding == b.folding &&
           std::bit_cast<std::uint64_t>(a.value) == std::bit_cast<std::uint64_t>(b.value) &&
           a.source.slot == b.source.slot && a.source.at == b.source.at && a.at == b.at &&
           a.condition == b.condition && a.lookups == b.lookups && a.arguments == b.arguments &&
           a.over == b.over;
}

/// Two conditions together, of which one always holds or never does; none: neither.
expr decided(graph& values, opcode code, expr a, expr b) {
    for (const auto& [known, other] : {std::pair{a, b}, {b, a}}) {
        const auto& number = values[known];
        if (number.kind != kind::constant || !values.is_bracket(other)) continue;
        const bool holds = number.value != 0;
        return holds == (code == opcode::logical_and) ? other : values.constant(holds ? 1 : 0);
    }
    return expr::none;
}

}  // namespace

bool graph::is_constant(expr e, double value) const {
    return (*this)[e].kind == kind::constant && (*this)[e].value == value;
}

// The node that is the same, or none.
expr graph::find(std::uint64_t hash, const expression& node) {
    return expr(known_.find(
        hash, [&](std::int32_t number) { return same(nodes_[expr(number).index()], node); }));
}

expr graph::keep(std::uint64_t hash, expression&& node) {
    const expr number(nodes_.size());
    node.self = number;
    if (node.kind == kind::load) node.widest = number;
    nodes_.push_back(std::move(node));
    known_.insert(hash, number.number());
    return number;
}

expr graph::intern(expression&& node) {
    const auto hash = hash_of(node);
    if (const expr known = find(hash, node)) return known;
    has_extremum_ = has_extremum_ || node.folding == fold::maximum || node.folding == fold::minimum;
    has_equality_ = has_equality_ || node.code == opcode::equal;
    has_comparison_ = has_comparison_ || is_comparison(node);
    node.sums = node.kind == kind::sum;
    node.edged = has_edge(node.source);
    node.indices.clear();
    node.bound.clear();
    node.widest = expr::none;
    for (expr a : node.arguments) {
        const auto& argument = (*this)[a];
        if (node.indices.empty()) node.indices = argument.indices;
        else
            for (const loop l : argument.indices) add_loop(node.indices, l);
        node.bound = united(node.bound, argument.bound);
        node.sums = node.sums || argument.sums;
        node.edged = node.edged || argument.edged;
        if (!node.widest || (argument.widest && (*this)[argument.widest].indices.size() >
                                                    (*this)[node.widest].indices.size()))
            node.widest = argument.widest;
    }
    if (node.folding == fold::softmax) {
        for (loop i : node.over)
            if (extent(i) != 1) add_loop(node.indices, i);
    } else if (!node.over.empty()) {
        node.indices = without(node.indices, node.over);
        node.bound = united(node.bound, node.over);
    }
    for (const auto& p : node.source.at)
        for (const auto& s : p.terms) add_loop(node.indices, s.over);
    for (const auto& s : node.at.terms) add_loop(node.indices, s.over);
    // What has a value for each of no places has none: any number stands for it, and no operand is
    // read.
    if (std::ranges::any_of(node.indices, [&](loop i) { return extent(i) == 0; }))
        return constant(0);
    return keep(hash, std::move(node));
}

expr graph::constant(double value) {
    const auto hash = hash_of(kind::constant, value);
    const expr known(known_.find(hash, [&](std::int32_t number) {
        const auto& node = (*this)[expr(number)];
        return node.kind == kind::constant &&
               std::bit_cast<std::uint64_t>(node.value) == std::bit_cast<std::uint64_t>(value);
    }));
    if (known) return known;
    expression node;
    node.value = value;
    return keep(hash, std::move(node));
}

expr graph::load(access source, bool condition) {
    for (place& p : source.at) {
        if (p.edge == edge::none) continue;
        auto here = settled(*this, p);
        if (!here) return constant(0);
        p = std::move(*here);
    }
    expression node;
    node.kind = kind::load;
    node.source = std::move(source);
    node.condition = condition;
    return intern(std::move(node));
}

expr graph::gather(access source, std::vector<lookup_axis> lookups, expr_list numbers,
                   expr_span wanted, bool condition) {
    expression node;
    node.kind = kind::gather;
    node.source = std::move(source);
    node.lookups = std::move(lookups);
    node.arguments = std::move(numbers);
    node.condition = condition;
    if (!wanted.empty()) {
        loop_list indices;
        for (expr e : node.arguments) indices = united(indices, (*this)[e].indices);
        const expr somewhere = holds_somewhere(wanted, indices);
        const auto& holds = (*this)[somewhere];
        if (holds.kind == kind::constant && holds.value == 0) return constant(1);
        if (holds.kind != kind::constant) node.arguments.push_back(somewhere);
    }
    return intern(std::move(node));
}

expr graph::regathered(expr gather, expr_list arguments) {
    return regathered(gather, std::move(arguments), (*this)[gather].source,
                      (*this)[gather].lookups);
}

expr graph::regathered(expr gather, expr_list arguments, access source,
                       std::vector<lookup_axis> lookups) {
    expression node;
    node.kind = kind::gather;
    node.source = std::move(source);
    node.lookups = std::move(lookups);
    node.condition = (*this)[gather].condition;
    node.arguments = std::move(arguments);
    return intern(std::move(node));
}

expr graph::position(place at) {
    if (at.terms.empty()) return number(at.offset);
    expression node;
    node.kind = kind::position;
    node.at = std::move(at);
    return intern(std::move(node));
}

expr graph::apply(opcode code, expr first, expr second, expr third) {
    if (code == opcode::add) return add({first, second});
    if (code == opcode::multiply) return multiply({first, second});
    if (code == opcode::divide && is_integer(type_)) return quotient(first, second);
    if (code == opcode::divide) return multiply({first, apply(opcode::reciprocal, second)});
    if (code == opcode::subtract) return add({first, multiply({constant(-1), second})});
    if (code == opcode::negate) return multiply({constant(-1), first});
    if (code == opcode::power) return power(first, second);
    if (code == opcode::reciprocal && (*this)[first].code == opcode::reciprocal)
        return (*this)[first].arguments[0];
    if (is_comparison(code))
        if (const expr known = compared_positions(code, first, second)) return known;
    if (code == opcode::logical_and || code == opcode::logical_or)
        if (const expr known = decided(*this, code, first, second)) return known;
    if (code == opcode::select)
        if (const expr known = chosen(first, second, third)) return known;
    if (code == opcode::logical_not)
        if (const expr known = negated(first)) return known;
    expr_list arguments{first, second, third};
    erase_if(arguments, [](expr a) { return !a; });
    const auto is_number = [&](expr a) { return (*this)[a].kind == kind::constant; };
    if (std::ranges::all_of(arguments, is_number) && folds(code, (*this)[first].value)) {
        const auto value = [&](std::size_t k) {
            return k < arguments.size() ? (*this)[arguments[k]].value : 0.0;
        };
        return constant(evaluate(code, value(0), value(1), value(2)));
    }
    return as_written(code, std::move(arguments));
}

// Whole numbers have no reciprocals: a quotient stays one.
expr graph::quotient(expr numerator, expr denominator) {
    const auto &a = (*this)[numerator], &b = (*this)[denominator];
    if (is_constant(denominator, 1)) return numerator;
    if (has_bracket(numerator)) {  // which hides the whole quotient
        expr_list brackets, rest{constant(1)};
        for (expr f : factors(numerator)) (is_bracket(f) ? brackets : rest).push_back(f);
        brackets.push_back(quotient(multiply(rest), denominator));
        return multiply(brackets);
    }
    if (a.kind == kind::constant && b.kind == kind::constant && b.value != 0)
        return constant(std::floor(a.value / b.value));
    return as_written(opcode::divide, {numerator, denominator});
}

// Complex values of real functions beyond their range are left to the kernels.
bool graph::folds(opcode code, double argument) const {
    return !is_complex(type_) || argument >= 0 ||
           (code != opcode::sqrt && code != opcode::log && code != opcode::power);
}

expr graph::power(expr base, expr exponent) {
    const auto& e = (*this)[exponent];
    if (e.kind == kind::constant) {
        if (e.value == 0) return constant(1);
        if (e.value == 1) return base;
        if (e.value == 2) return apply(opcode::square, base);
        if (e.value == 0.5) return apply(opcode::sqrt, base);
        if (e.value == 3) return multiply({base, apply(opcode::square, base)});
        if (e.value == -1 || e.value == -2 || e.value == -0.5)
            return apply(opcode::reciprocal, power(base, constant(-e.value)));
    }
    if (e.kind == kind::constant && (*this)[base].kind == kind::constant &&
        folds(opcode::power, (*this)[base].value))
        return constant(evaluate(opcode::power, (*this)[base].value, e.value));
    return as_written(opcode::power, {base, exponent});
}

expr graph::add(expr_span terms) {
    expr_list all;
    double constants = 0;
    // Whole numbers that a double does not count are added where they are numbers of 64 bits.
    const auto is_counted = [](double a, double b) {
        return std::abs(a + b) < 0x1p53 || std::isinf(a + b) || std::floor(a) != a ||
               std::floor(b) != b;
    };
    for (expr e : terms)
        for (expr t : this->terms(e)) {
            const auto& node = (*this)[t];
            if (node.kind == kind::constant && is_counted(constants, node.value))
                constants += node.value;
            else all.push_back(t);
        }
    if (const expr whole = sum_of_positions(all, constants)) return whole;
    if (all.empty() || constants != 0) all.push_back(constant(constants));
    return all.size() == 1 ? all[0] : as_written(opcode::add, std::move(all));
}

// Sums and differences of positions are positions; none: something else is among the terms.
expr graph::sum_of_positions(expr_span terms, double constants) {
    if (terms.empty() || std::abs(constants) > 1e9 || std::floor(constants) != constants)
        return expr::none;
    place total;
    total.offset = static_cast<std::int64_t>(constants);
    for (const expr t : terms) {
        const auto& whole = (*this)[t];
        const bool minus = whole.code == opcode::multiply && whole.arguments.size() == 2 &&
                           is_constant(whole.arguments[0], -1);
        const auto& node = minus ? (*this)[whole.arguments[1]] : whole;
        if (node.kind != kind::position) return expr::none;
        total.add(node.at, minus ? -1 : 1);
    }
    return position(std::move(total));
}

expr graph::multiply(expr_span factors) {
    expr_list all;
    double constants = 1;
    for (expr e : factors)
        for (expr f : this->factors(e)) {
            if ((*this)[f].kind == kind::constant) constants *= (*this)[f].value;
            else all.push_back(f);
        }
    if (all.empty()) return constant(constants);
    // A multiple of a position is one.
    if (const auto& only = (*this)[all[0]]; all.size() == 1 && only.kind == kind::position &&
                                            constants != 1 && std::floor(constants) == constants &&
                                            std::abs(constants) < 1e9) {
        place multiple;
        multiple.add(only.at, static_cast<std::int64_t>(constants));
        return position(std::move(multiple));
    }
    // Numbers in front of a sum belong to the sum, where they become the factor of a contraction.
    const auto varies = [&](expr e) { return !is_scalar(e); };
    const auto is_sum = [&](expr e) { return (*this)[e].kind == kind::sum; };
    const auto sum = std::ranges::find_if(all, is_sum);
    // Of several each may bind loops of the others.
    if (std::ranges::count_if(all, is_sum) == 1 && std::isfinite(constants) &&
        std::ranges::count_if(all, varies) == (varies(*sum) ? 1 : 0) &&
        (all.size() > 1 || constants != 1)) {
        const auto& over = (*this)[*sum].over;
        expr_list inside{constant(constants), (*this)[*sum].arguments[0]};
        for (const expr f : all)
            if (!is_sum(f)) inside.push_back(f);
        expression moved;
        moved.kind = kind::sum;
        moved.over = over;
        moved.arguments = {apart(over, multiply(inside))};
        return intern(std::move(moved));
    }
    if (constants != 1) all.insert(all.begin(), constant(constants));
    return all.size() == 1 ? all[0] : as_written(opcode::multiply, std::move(all));
}

expr graph::renamed(expr e, const loop_map& map) {
    memo known;
    return renamed(e, map, known);
}

expr graph::renamed(expr e, const loop_map& map, memo& known) {
    const auto& node = (*this)[e];
    if (node.kind == kind::constant) return e;
    if (const auto found = known.find(e); found != known.end()) return found->second;
    expression made;
    made.kind = node.kind;
    made.code = node.code;
    made.folding = node.folding;
    made.value = node.value;
    made.condition = node.condition;
    made.lookups = node.lookups;
    made.source = plan::renamed(node.source, map);
    made.at = plan::renamed(node.at, map);
    made.over = plan::renamed(node.over, map);
    for (const expr a : node.arguments) made.arguments.push_back(renamed(a, map, known));
    return known[e] = intern(std::move(made));
}

// A body that is to be summed or folded over some loops, of which what is bound inside is none: two
// sums over one letter are two loops where one comes to stand in the other.
expr graph::apart(const loop_list& over, expr body) {
    const auto& node = (*this)[body];
    const auto taken = common(node.bound, over);
    if (taken.empty()) return body;
    memo known;
    return bound_elsewhere(body, taken, united(united(node.bound, node.indices), over), known);
}

bool graph::binds_once() const {
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
        const auto& node = nodes_[k];
        const bool binds = node.kind == kind::sum || node.kind == kind::fold;
        if (binds && !common(node.over, (*this)[node.arguments[0]].bound).empty()) return false;
    }
    return true;
}

expr graph::bound_elsewhere(expr e, const loop_list& taken, const loop_list& others, memo& known) {
    const auto& node = (*this)[e];
    if (common(node.bound, taken).empty()) return e;
    if (const auto found = known.find(e); found != known.end()) return found->second;
    expression made = node;
    for (expr& a : made.arguments) a = bound_elsewhere(a, taken, others, known);
    const expr here = intern(std::move(made));
    const bool binds = node.kind == kind::sum || node.kind == kind::fold;
    loop_map names;
    for (const loop l : node.over)
        if (binds && node.folding != fold::softmax && contains(taken, l))
            names.emplace_back(l, loops_.another(l, others));
    return known[e] = names.empty() ? here : renamed(here, names);
}

expr graph::substituted(expr e, const std::function<expr(expr)>& replaced) {
    memo known;
    return substituted(e, replaced, known);
}

expr graph::substituted(expr e, const std::function<expr(expr)>& replaced, memo& known) {
    if (const auto found = known.find(e); found != known.end()) return found->second;
    if (const expr other = replaced(e)) return known[e] = other;
    const auto& node = (*this)[e];
    expr_list arguments;
    for (const expr a : node.arguments) arguments.push_back(substituted(a, replaced, known));
    if (arguments == node.arguments) return known[e] = e;
    expression made = node;
    made.arguments = std::move(arguments);
    return known[e] = intern(std::move(made));
}

expr graph::as_written(opcode code, expr_list arguments) {
    expression node;
    node.kind = kind::operation;
    node.code = code;
    node.arguments = std::move(arguments);
    return intern(std::move(node));
}

}  // namespace ricci::plan
