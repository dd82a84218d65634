// Maps and contractions whose places have edges: they are cut where the edges are, so that none is
// left. What no cut settles is read from a copy, or by contractions themselves.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "src/plan/schedule/edges.hpp"
#include "src/plan/forms/lower.hpp"
#include "src/plan/pool/unroll.hpp"

namespace ricci::plan {
namespace {

// Contractions that one is cut into, at most.
constexpr std::size_t most_contractions = 9;

/// Whether several iterations read one place, or it leaves its axis; (gc), two loops merged, does
/// neither.
bool is_overlapping(const graph& values, const place& p) {
    if (p.terms.size() < 2) return false;
    double iterations = 1;
    for (const auto& t : p.terms) iterations *= static_cast<double>(values.extent(t.over));
    const auto [least, most] = values.reach(p);
    return p.edge != edge::none || iterations > static_cast<double>(most - least + 1);
}

bool can_be_joined(fold f) {
    return f == fold::sum || f == fold::mean || f == fold::product || f == fold::maximum ||
           f == fold::minimum;
}

}  // namespace

// log(exp(a) + exp(b)) as the larger one and what the other is to it; of equal ones, which may be
// infinite, twice one.
expr lowering::log_of_sum(const expr_list& values) {
    using ir::function;
    expr all = values[0];
    for (std::size_t k = 1; k < values.size(); ++k) {
        const expr next = values[k], larger = graph_.apply(opcode::maximum, all, next);
        const expr apart =
            graph_.apply(opcode::absolute, graph_.apply(opcode::subtract, all, next));
        const expr beyond = graph_.apply(
            opcode::log,
            graph_.add({graph_.constant(1),
                        graph_.apply(opcode::exp, graph_.multiply({graph_.constant(-1), apart}))}));
        all = graph_.apply(opcode::select, graph_.apply(opcode::equal, all, next),
                           graph_.add({all, graph_.constant(std::log(2.0))}),
                           graph_.add({larger, beyond}));
    }
    return all;
}

expr lowering::combined(fold folding, const expr_list& values) {
    if (folding == fold::sum) return graph_.add(values);
    if (folding == fold::product) return graph_.multiply(values);
    if (folding == fold::logsumexp) return log_of_sum(values);
    const auto code =
        code_of(folding == fold::maximum ? ir::function::maximum : ir::function::minimum);
    expr all = values[0];
    for (std::size_t k = 1; k < values.size(); ++k) all = graph_.apply(code, all, values[k]);
    return all;
}

// A fold of a value that some of the loops only repeat.
expr lowering::folded(fold folding, const loop_list& over, expr value) {
    if (folding == fold::product) return graph_.reduce(ir::reduction::product, over, value);
    const auto used = common(over, graph_[value].indices);
    const expr row = graph_.row(folding, used, value);
    if (folding != fold::sum) return row;
    return graph_.multiply({graph_.constant(graph_.size(without(over, used))), row});
}

// Folded loops of few iterations with which places move that move with others, too: a window of a
// stencil, or the kernel of a convolution of each channel. None where another tensor is read at
// both loops apart: one by one its elements would lie far from each other.
loop_list lowering::shifts_of(expr body, const loop_list& over) const {
    if (over.empty()) return {};
    loop_list shifting, others;
    const auto for_each_place = [&](auto visit) {
        graph_.for_each_load({body}, [&](const access& a) {
            for (const place& p : a.at) visit(a, p);
        });
    };
    for_each_place([&](const access&, const place& p) {
        const bool shifts =
            is_overlapping(graph_, p) &&
            std::ranges::any_of(p.terms, [&](const term& t) { return contains(over, t.over); });
        for (const auto& t : p.terms)
            if (shifts) add_loop(contains(over, t.over) ? shifting : others, t.over);
    });
    bool apart = false;
    for_each_place([&](const access& a, const place& p) {
        apart = apart || (p.terms.size() == 1 && contains(shifting, p.terms[0].over) &&
                          !common(loops_of(a), others).empty());
    });
    return apart || graph_.size(shifting) > most_shifts ? loop_list{} : shifting;
}

// They are run one by one.
void lowering::unroll_shifts(expr& body, fold folding, loop_list& over) {
    const loop_list shifting = shifts_of(body, over);
    if (shifting.empty()) return;
    expr_list values;
    for (const iteration& i : iterations_of(graph_, shifting)) {
        std::vector<moved_loop> fixed;
        for (const auto& [l, counter] : i) {
            fixed.push_back({l, {}});
            fixed.back().to.offset = counter;
        }
        const expr value = graph_.moved(body, fixed);
        if (!value) return;
        if (folding != fold::sum || !graph_.is_constant(value, 0)) values.push_back(value);
    }
    body = values.empty() ? graph_.constant(0) : combined(folding, values);
    over = without(over, shifting);
}

void lowering::emit_edged_map(const access& target, expr body, fold folding, loop_list over) {
    if (folding == fold::mean) {
        const double count = graph_.size(over);
        body = graph_.multiply({graph_.constant(1 / count), body});
        folding = fold::sum;
    }
    if (can_be_joined(folding)) {
        unroll_shifts(body, folding, over);
        for (const loop l : over) {
            const auto parts = parts_of(graph_, l, body);
            if (is_uncut(parts) || parts.size() > static_cast<std::size_t>(most_boxes)) continue;
            expr_list values;
            for (const auto& part : parts) {
                const auto m = to_part(graph_, l, part);
                const expr there = graph_.moved(body, m);
                if (folding == fold::sum && graph_.is_constant(there, 0)) continue;
                values.push_back(folded(folding, moved(over, m), there));
            }
            // Each part is a fold of its own; one alone takes the place of all.
            const expr value = values.empty() ? graph_.constant(0) : combined(folding, values);
            return emit_value(target, value);
        }
        if (over.empty()) folding = fold::none;
    }
    const loop_list indices = loops_of(target);
    std::int64_t boxes = 1;
    for (const loop l : indices) {
        boxes *= static_cast<std::int64_t>(parts_of(graph_, l, body).size());
        if (boxes > most_boxes) break;
    }
    body = without_edges(body, boxes > most_boxes ? loop_list{} : without(indices, over));
    emit_boxes(target, body, folding, over);
}

void lowering::emit_boxes(const access& target, expr body, fold folding, const loop_list& over) {
    std::vector<moved_loop> cut;
    if (graph_[body].edged) cut = first_cut(graph_, without(loops_of(target), over), body);
    if (cut.empty()) return put(map_into(equation_, target, body, folding, over));
    for (const moved_loop& m : cut)
        emit_boxes(moved(graph_, target, m), graph_.moved(body, m), folding, over);
}

bool lowering::has_edged_operands(const contraction_of& product) const {
    return graph_[product.a].edged || graph_[product.b].edged;
}

// A contraction where a loop is fixed or stands still, so that it may be none any more.
void lowering::emit_part(contraction_of product, const access& target, double beta) {
    const auto left = loop_list(graph_[product.a].indices),
               right = loop_list(graph_[product.b].indices);
    const auto unused = without(product.over, united(left, right));
    const auto indices = loops_of(target);
    product.scale = graph_.multiply({graph_.constant(graph_.size(unused)), product.scale});
    product.over = without(product.over, unused);
    const auto kept = without(united(left, right), product.over);
    if (!product.over.empty() && kept == indices && common(product.over, left) == product.over &&
        common(product.over, right) == product.over)
        return emit(product, target, beta);
    expr value = graph_.multiply({product.scale, both_factors(product)});
    if (!product.over.empty()) value = graph_.row(fold::sum, product.over, value);
    if (beta != 0) value = graph_.add({value, before(target, beta)});
    emit_value(target, value);
}

void lowering::emit_boxes(const contraction_of& product, const access& target, double beta) {
    const expr both = graph_.as_written(opcode::multiply, {product.a, product.b});
    const auto cut = first_cut(graph_, graph_[both].indices, both);
    if (cut.empty()) throw std::logic_error("edges of a contraction that no cut settles");
    const bool summed = contains(product.over, cut[0].what);
    bool first = true;
    for (const moved_loop& m : cut) {
        auto there = product;
        there.a = graph_.moved(product.a, m);
        there.b = graph_.moved(product.b, m);
        const bool nothing = graph_.is_constant(there.a, 0) || graph_.is_constant(there.b, 0);
        if (summed) {
            if (nothing) continue;
            there.over = moved(product.over, m);
            emit_part(there, target, first ? beta : 1);
            first = false;
            continue;
        }
        const access box = moved(graph_, target, m);
        if (nothing) emit_map(box, before(box, beta));
        else emit_part(there, box, beta);
    }
    if (summed && first) emit_map(target, before(target, beta));
}

// A factor of a contraction: in memory, or read beside an axis, which contractions do themselves.
expr lowering::operand_of(expr e) {
    const auto& node = graph_[e];
    if (node.kind != kind::load || !node.edged) return stored(e);
    return is_foreign(e) ? native(e) : e;
}

// Whether its edges are all settled by cutting it into few. A number 0 is not left out by that:
// what it is multiplied with may be no number.
bool lowering::is_cut_in_few(const contraction_of& product) const {
    std::size_t boxes = 1;
    for (const expr e : {product.a, product.b}) {
        const auto& node = graph_[e];
        if (!node.edged) continue;
        if (has_edge(node.source, edge::zero) || !is_cut_by(graph_, node.source, node.indices))
            return false;
        for (const loop l : node.indices) boxes *= parts_of(graph_, l, e).size();
    }
    return boxes <= most_contractions;
}

}  // namespace ricci::plan
