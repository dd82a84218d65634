// Assignments whose places have edges: they are cut where the edges are, so that none is left; what
// no cut settles is read from memory that has what lies beyond the edges, too.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "src/plan/edges.hpp"
#include "src/plan/lower.hpp"
#include "src/plan/solve_places.hpp"
#include "src/plan/unroll.hpp"

namespace ricci::plan {
namespace {

// Contractions that one is cut into, at most.
constexpr std::size_t most_contractions = 9;

/// Whether nothing is cut.
bool is_uncut(const std::vector<loop_range>& parts) {
    return parts.size() == 1 && parts[0].round == 0;
}

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

// A copy of what a load or a gather reads, from the first place of each axis to the last, all of an
// axis that is looked up, without edges: the same read from there.
expr lowering::padded(expr load) {
    if (const auto found = stored_.find(load); found != stored_.end()) return found->second;
    const expression node = graph_[load];  // a copy: the graph grows below
    access from = converted(node.source, node.condition), read, target;
    std::vector<std::int64_t> extents;
    std::vector<ir::ref> letters;
    loop_list axes;
    for (std::size_t axis = 0; axis < from.at.size(); ++axis) {
        place& p = from.at[axis];
        place at = p;
        const bool looked_up = std::any_of(
            node.lookups.begin(), node.lookups.end(),
            [&](const lookup_axis& l) { return l.axis == static_cast<std::int32_t>(axis); });
        const auto reached = graph_.reach(p);
        const std::int64_t first = looked_up ? 0 : reached.first;
        const std::int64_t extent =
            looked_up ? plan_.slot_of(from).extents[axis] : reached.second - reached.first + 1;
        at.edge = edge::none;
        at.low = at.high = 0;
        at.offset -= first;
        read.at.push_back(std::move(at));
        p.offset = first;
        p.terms.clear();
        place& there = target.at.emplace_back();
        extents.push_back(extent);
        letters.push_back(ir::none);
        if (extent == 1) continue;
        const loop whole = graph_.loops().fresh(ir::none, extent);
        p.terms = {{whole, 1}};
        there.terms = p.terms;
        add_loop(axes, whole);
    }
    const expr copied = graph_.load(from, node.condition);
    target.slot = read.slot = new_memory(std::move(extents), std::move(letters), type_);
    target.positions = read.positions = {0, -1};
    emit_boxes(target, axes, copied, fold::none, {});
    expr result = node.kind == kind::load
                      ? graph_.load(std::move(read), node.condition)
                      : graph_.regathered(load, node.arguments, std::move(read), node.lookups);
    hides_ = hides_ || has_edge(node.source, edge::nothing);
    return stored_[load] = result;
}

// Where every bracket chooses, what is read at such an edge does, too.
expr lowering::with_conditions(expr load, expr value) {
    if (!plan_.careful || !has_edge(graph_[load].source, edge::nothing)) return value;
    const access source = graph_[load].source;
    expr_list all;
    for (place p : source.at) {
        if (p.edge != edge::nothing) continue;
        const auto number = [&](std::int64_t n) { return graph_.constant(static_cast<double>(n)); };
        const expr low = number(p.low), high = number(p.high);
        p.edge = edge::none;
        p.low = p.high = 0;
        const expr at = graph_.position(std::move(p));
        all.push_back(graph_.apply(opcode::less_equal, low, at));
        all.push_back(graph_.apply(opcode::less_equal, at, high));
    }
    all.push_back(value);
    return graph_.multiply(all);
}

// The expression with the loads from such copies whose edges cuts of these loops do not settle.
expr lowering::without_edges(expr e, const loop_list& cut) {
    std::vector<std::pair<expr, expr>> copies;
    for (const expr load : edged_loads(graph_, e))
        if (!is_cut_by(graph_, graph_[load].source, cut))
            copies.emplace_back(load, with_conditions(load, padded(load)));
    if (copies.empty()) return e;
    return graph_.substituted(e, [&](expr part) {
        for (const auto& [load, copy] : copies)
            if (load == part) return copy;
        return -1;
    });
}

expr lowering::joined(fold folding, const expr_list& values) {
    if (folding == fold::sum) return graph_.add(values);
    if (folding == fold::product) return graph_.multiply(values);
    const auto f = folding == fold::maximum ? ir::function::maximum : ir::function::minimum;
    const auto code = static_cast<opcode>(first_function + static_cast<int>(f));
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
// stencil, or the kernel of a convolution of each channel. None where another tensor is read at both
// loops apart: one by one its elements would lie far from each other.
loop_list lowering::shifts_of(expr body, const loop_list& over) const {
    loop_list shifting, others;
    const auto for_each_place = [&](auto visit) {
        graph_.for_each_load({body}, [&](const access& a) {
            for (const place& p : a.at) visit(a, p);
        });
    };
    for_each_place([&](const access&, const place& p) {
        const bool shifts = is_overlapping(graph_, p) &&
                            std::any_of(p.terms.begin(), p.terms.end(),
                                        [&](const term& t) { return contains(over, t.over); });
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
bool lowering::unroll_shifts(expr& body, fold folding, loop_list& over) {
    const loop_list shifting = shifts_of(body, over);
    if (shifting.empty()) return false;
    expr_list values;
    for (const iteration& i : iterations_of(graph_, shifting)) {
        std::vector<moved_loop> fixed;
        for (const auto& [l, counter] : i) {
            fixed.push_back({l, {}});
            fixed.back().to.offset = counter;
        }
        const expr value = graph_.moved(body, fixed);
        if (value < 0) return false;
        if (folding != fold::sum || !graph_.is_constant(value, 0)) values.push_back(value);
    }
    body = values.empty() ? graph_.constant(0) : joined(folding, values);
    over = without(over, shifting);
    return true;
}

void lowering::emit_edged_map(const access& target, const loop_list& indices, expr body,
                              fold folding, loop_list over) {
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
                const expr there = graph_.moved(body, {&m, 1});
                if (folding == fold::sum && graph_.is_constant(there, 0)) continue;
                values.push_back(folded(folding, moved(over, m), there));
            }
            // Each part is a fold of its own; one alone takes the place of all.
            const expr value = values.empty() ? graph_.constant(0) : joined(folding, values);
            const auto& all = graph_[value];
            if (all.kind == kind::fold)
                return emit_map(target, indices, all.arguments[0], all.folding, all.over);
            return emit_map(target, indices, value, fold::none, {});
        }
        if (over.empty()) folding = fold::none;
    }
    std::int64_t boxes = 1;
    for (const loop l : indices) {
        boxes *= static_cast<std::int64_t>(parts_of(graph_, l, body).size());
        if (boxes > most_boxes) break;
    }
    body = without_edges(body, boxes > most_boxes ? loop_list{} : without(indices, over));
    emit_boxes(target, indices, body, folding, over);
}

void lowering::emit_boxes(const access& target, const loop_list& indices, expr body, fold folding,
                          const loop_list& over) {
    if (graph_[body].edged)
        for (const loop l : without(indices, over)) {
            const auto parts = parts_of(graph_, l, body);
            if (is_uncut(parts)) continue;
            for (const auto& part : parts) {
                const auto m = to_part(graph_, l, part);
                emit_boxes(moved(graph_, target, m), moved(indices, m), graph_.moved(body, {&m, 1}),
                           folding, over);
            }
            return;
        }
    put_map(target, indices, body, folding, over);
}

namespace {

/// A loop of the result that a sum reads with a stride, as p in [p = 2q + k].
struct strided_loop {
    loop what = -1;
    std::int64_t stride = 0;
    bool whole = false;  // what is added to the strided loop takes whole strides
};

void find_strides(const graph& values, expr e, const loop_list& indices, strided_loop& found) {
    const auto& node = values[e];
    if (!node.sums) return;
    if (node.kind == kind::operation)
        for (const expr a : node.arguments) find_strides(values, a, indices, found);
    if (node.kind != kind::sum) return;
    for (const expr f : values.factors(node.arguments[0])) {
        const auto& test = values[f];
        if (test.kind != kind::operation || test.code != opcode::equal) continue;
        const auto left = place_of(values, test.arguments[0]),
                   right = place_of(values, test.arguments[1]);
        if (!left || !right || left->edge != edge::none || right->edge != edge::none) continue;
        place difference = *left;
        difference.add(*right, -1);
        const term *free = nullptr, *strided = nullptr, *rest = nullptr;
        for (const auto& t : difference.terms) {
            const bool summed = contains(node.over, t.over);
            if (!summed && std::abs(t.factor) == 1 && contains(indices, t.over)) free = &t;
            if (summed && std::abs(t.factor) > 1) strided = &t;
            if (summed && std::abs(t.factor) == 1) rest = &t;
        }
        if (free == nullptr || strided == nullptr || rest == nullptr) continue;
        const std::int64_t stride = std::abs(strided->factor);
        if (values.extent(free->over) <= stride) continue;
        found = {free->over, stride, values.extent(rest->over) % stride == 0};
        return;
    }
}

}  // namespace

bool lowering::has_strides(expr sum) const {
    strided_loop found;
    find_strides(graph_, sum, graph_[sum].indices, found);
    return found.what >= 0;
}

// What reads every second element, say, of a sum adds to every second one of what it is the
// derivative by: the even ones and the odd ones are computed apart, or as a loop of their own.
bool lowering::splits_strides(const access& target, const loop_list& indices, expr value,
                              double beta) {
    if (!graph_[value].sums) return false;
    strided_loop found;
    find_strides(graph_, value, indices, found);
    if (found.what < 0) return false;
    auto& loops = graph_.loops();
    const std::int64_t extent = graph_.extent(found.what), stride = found.stride;
    std::vector<std::pair<moved_loop, expr>> parts;
    const auto part = [&](const moved_loop& m) {
        parts.emplace_back(m, graph_.moved(value, {&m, 1}));
    };
    if (found.whole) {
        const std::int64_t rounds = extent / stride;
        moved_loop m{found.what, {}};
        if (rounds > 1) m.to.add(loops.part(found.what, 0, stride, rounds), stride);
        m.to.add(loops.part(found.what, 0, 1, stride), 1);
        part(m);
        const std::int64_t left = extent - rounds * stride;
        if (left > 0) part(to_part(graph_, found.what, {rounds * stride, left}));
    }
    for (std::int64_t residue = 0; residue < stride && !found.whole; ++residue) {
        const std::int64_t count = (extent - residue + stride - 1) / stride;
        moved_loop m{found.what, {residue, {}}};
        if (count > 1) m.to.add(loops.part(found.what, residue, stride, count), stride);
        part(m);
    }
    for (const auto& [m, there] : parts)
        if (there < 0) return false;
    for (const auto& [m, there] : parts)
        into(moved(graph_, target, m), moved(indices, m), there, beta);
    return true;
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
    const auto factor = [&](expr e, bool conjugate) {
        return conjugate ? graph_.apply(opcode::conjugate, e) : e;
    };
    expr_list all{product.scale, factor(product.a, product.conjugate_a),
                  factor(product.b, product.conjugate_b)};
    expr value = graph_.multiply(all);
    if (!product.over.empty()) value = graph_.row(fold::sum, product.over, value);
    if (beta != 0)
        value = graph_.add({value, graph_.multiply({graph_.constant(beta), graph_.load(target)})});
    if (const auto& node = graph_[value]; node.kind == kind::fold)
        return emit_map(target, indices, node.arguments[0], node.folding, loop_list(node.over));
    emit_map(target, indices, value, fold::none, {});
}

void lowering::emit_boxes(const contraction_of& product, const access& target, double beta) {
    const auto old = [&](const access& there) {
        return beta == 0 ? graph_.constant(0)
                         : graph_.multiply({graph_.constant(beta), graph_.load(there)});
    };
    const expr both = graph_.as_written(opcode::multiply, {product.a, product.b});
    for (const loop l : graph_[both].indices) {
        const auto parts = parts_of(graph_, l, both);
        if (is_uncut(parts)) continue;
        const bool summed = contains(product.over, l);
        bool first = true;
        for (const auto& part : parts) {
            const auto m = to_part(graph_, l, part);
            auto there = product;
            there.a = graph_.moved(product.a, {&m, 1});
            there.b = graph_.moved(product.b, {&m, 1});
            const bool nothing = graph_.is_constant(there.a, 0) || graph_.is_constant(there.b, 0);
            if (summed) {
                if (nothing) continue;
                there.over = moved(product.over, m);
                emit_part(there, target, first ? beta : 1);
                first = false;
                continue;
            }
            const access box = moved(graph_, target, m);
            if (nothing) emit_map(box, loops_of(box), old(box), fold::none, {});
            else emit_part(there, box, beta);
        }
        if (summed && first) emit_map(target, loops_of(target), old(target), fold::none, {});
        return;
    }
}

// A factor of a contraction: in memory, or read beside an axis, which contractions do themselves.
expr lowering::operand(expr e) {
    const auto& node = graph_[e];
    if (node.kind != kind::load || !node.edged) return stored(e);
    return is_foreign(e) ? native(e) : e;
}

// Whether its edges are all settled by cutting it into few. A number 0 is not left out by that: what
// it is multiplied with may be no number.
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

// A tensor of another type, converted, at the same places.
expr lowering::native(expr load) {
    const expression node = graph_[load];  // a copy: the graph grows below
    return graph_.load(converted(node.source, node.condition), node.condition);
}

access lowering::converted(const access& from, bool condition) {
    if (plan_.holds(from.slot, type_)) return from;
    access whole = from, target;
    loop_list axes;
    const auto extents = plan_.slot_of(from).extents;
    for (std::size_t axis = 0; axis < whole.at.size(); ++axis) {
        whole.at[axis] = {};
        if (extents[axis] != 1) {
            const loop all = graph_.loops().fresh(ir::none, extents[axis]);
            whole.at[axis].terms = {{all, 1}};
            add_loop(axes, all);
        }
        target.at.push_back(whole.at[axis]);
    }
    const expr read = graph_.load(whole, condition);
    access result = from;
    result.slot = target.slot =
        new_memory(extents, std::vector<ir::ref>(extents.size(), ir::none), type_);
    result.positions = target.positions = {0, -1};
    emit_gather(read, target, axes);
    return result;
}

// Rows that are looked up where a number says that is read beyond an edge: there it is 0.
void lowering::emit_gather_boxes(expr e, const access& target, const loop_list& indices) {
    for (const loop l : indices) {
        const auto parts = parts_of(graph_, l, e);
        if (is_uncut(parts)) continue;
        for (const auto& part : parts) {
            const auto m = to_part(graph_, l, part);
            emit_gather(graph_.moved(e, {&m, 1}), moved(graph_, target, m), moved(indices, m));
        }
        return;
    }
    // What no cut settles is stored, and fixed numbers are places.
    expression node = graph_[e];
    expr_list arguments;
    std::vector<lookup_axis> lookups;
    for (std::size_t k = 0; k < node.arguments.size(); ++k) {
        const expr a = node.arguments[k];
        const bool is_number = k < node.lookups.size();
        if (is_number && graph_[a].kind == kind::constant) {
            const auto axis = static_cast<std::size_t>(node.lookups[k].axis);
            const double number = graph_[a].value;
            const auto extent = static_cast<double>(plan_.slot_of(node.source).extents[axis]);
            if (number >= 0 && number < extent && std::floor(number) == number) {
                node.source.at[axis].offset = static_cast<std::int64_t>(number);
                continue;
            }
        }
        if (is_number) lookups.push_back(node.lookups[k]);
        const bool plain = !graph_[a].edged && graph_[a].kind != kind::constant;
        arguments.push_back(plain ? a : stored(a));
    }
    if (lookups.empty())
        return emit_gather(graph_.load(node.source, node.condition), target, indices);
    emit_gather(graph_.regathered(e, std::move(arguments), node.source, std::move(lookups)), target,
                indices);
}

}  // namespace ricci::plan
