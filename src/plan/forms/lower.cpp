// From the planner's expressions to steps.
#include "src/plan/forms/lower.hpp"

#include <algorithm>
#include <cstdlib>
#include <span>

#include "src/base/small_set.hpp"
#include "src/plan/schedule/edges.hpp"
#include "src/plan/pool/loop_holders.hpp"
#include "src/plan/pool/scalar.hpp"

namespace ricci::plan {
namespace {

// An expensive operation is done apart from a loop that repeats it at least this often.
constexpr double repetitions_worth_storing = 8;

}  // namespace

// The terms of the value, with numbers in front of a bracket multiplied into it where that gives
// contractions to write directly.
expr_list lowering::spread(expr value) {
    const expr_list all = list_of(graph_.terms(value));
    expr_list scalars;
    expr bracket;
    for (expr f : graph_.factors(value)) {
        if (graph_.is_scalar(f)) {
            scalars.push_back(f);
        } else if (bracket) {
            return all;
        } else {
            bracket = f;
        }
    }
    if (!bracket) return all;
    const auto terms = graph_.terms(bracket);
    const bool sums = std::ranges::any_of(terms, [&](expr t) { return graph_[t].sums; });
    if (scalars.empty() || terms.size() < 2 || !sums) return all;
    expr_list result;
    for (expr t : terms) {
        auto product = scalars;
        product.push_back(t);
        result.push_back(graph_.multiply(product));
    }
    return result;
}

/// The terms of a value by how they are written.
struct lowering::terms_by_way {
    std::vector<contraction_of> contracted;
    std::vector<scattered_sum> scattered;
    std::vector<lookup_sum> looked_up;
    expr_list rest;  // in one element-wise pass

    bool has_sums() const {
        return !contracted.empty() || !scattered.empty() || !looked_up.empty();
    }
};

void lowering::into(const access& target, expr value, double beta) {
    if (splits_strides(target, value, beta)) return;
    terms_by_way found;
    // A number in front of a sum of terms leaves several.
    const expr_list terms = spread(value);
    if (terms.size() == 1) {
        // What is taken apart may go residue by residue, too.
        const expr term = terms[0];
        if (has_conditions() && !plan_.careful && graph_[term].kind == kind::sum)
            if (const auto apart =
                    products_.written_out(graph_[term].over, graph_[term].arguments[0]);
                apart && bound_with_stride(described(apart->over, apart->body), false).what &&
                splits_strides(target, graph_.sum(apart->over, apart->body), beta))
                return products_.take(*apart);
        if (is_written_alone(target, with_written_out(terms[0]), beta, found)) return;
    } else {
        const bool several = graph_.terms(value).size() > 1;
        for (const expr t : terms) {
            const expr term = with_written_out(t);
            // Written here directly, unless other terms need it too.
            if (!is_sum_into(target, term) || (several && is_in_another(term, terms)))
                found.rest.push_back(term);
            else if (!is_placed_apart(term, found)) add_resolved(term, found);
        }
    }
    for (const auto& product : found.contracted) {
        emit(product, target, beta);
        beta = 1;
    }
    for (const auto& s : found.scattered) {
        emit_scatter(s, target, beta);
        beta = 1;
    }
    for (const auto& s : found.looked_up) {
        emit_lookups(s, target, beta);
        beta = 1;
    }
    if (!found.rest.empty()) write_rest(target, found, beta);
}

/// Whether it is a sum with all loops of a target.
bool lowering::is_sum_into(const access& target, expr term) const {
    return graph_[term].kind == kind::sum && graph_[term].indices == loops_of(target);
}

/// Whether other terms need a sum, too.
bool lowering::is_in_another(expr sum, const expr_list& terms) const {
    small_set<expr, 8> seen;
    const auto holds = [&](const auto& self, expr e) -> bool {
        const auto& node = graph_[e];
        if (e == sum) return true;
        return node.sums && seen.insert(e) &&
               std::ranges::any_of(node.arguments, [&](expr a) { return self(self, a); });
    };
    std::size_t count = 0;
    for (const expr t : terms) count += holds(holds, t) ? 1 : 0;
    return count > 1;
}

// Whether a sum is added up at places, or made with lookups: it is among `found` then.
bool lowering::is_placed_apart(expr sum, terms_by_way& found) {
    if (scattered_sum s; is_scatter(sum, s)) {
        found.scattered.push_back(std::move(s));
        return true;
    }
    if (auto s = lookups_of(sum); s && s->beside.empty() && s->later.empty()) {
        found.looked_up.push_back(std::move(*s));
        return true;
    }
    return false;
}

void lowering::add_resolved(expr sum, terms_by_way& found) {
    auto r = resolve(sum);
    if (r.contracted) found.contracted.push_back(std::move(r.product));
    else found.rest.push_back(r.value);
}

// Writes the only term of a value where it is a product of lookups, or a sum that is made in the
// memory of the target; false: it is among `found` now.
bool lowering::is_written_alone(const access& target, expr term, double beta, terms_by_way& found) {
    if (graph_[term].code == opcode::multiply && (beta == 0 || beta == 1) &&
        graph_[term].indices == loops_of(target)) {
        if (const auto s = lookups_of(term)) {
            emit_lookups(*s, target, beta);
            return true;
        }
    }
    if (!is_sum_into(target, term)) {
        found.rest.push_back(term);
        return false;
    }
    if (is_placed_apart(term, found)) return false;
    if (const auto p = in_blocks(term)) {
        emit_in_blocks(*p, target, beta);
        return true;
    }
    if (beta == 0 && has_conditions()) {
        const auto there =
            prefix_of(described(graph_[term].over, graph_[term].arguments[0]), &target);
        // It stands there already, or is read from memory of its own.
        if (there && *there == graph_.load(target)) {
            forget(target);
            return true;
        }
        if (there && graph_[*there].kind == kind::sum) {
            into(target, *there, 0);
            return true;
        }
        if (there) {
            found.rest.push_back(*there);
            return false;
        }
    }
    add_resolved(term, found);
    return false;
}

// What is left of a value when the sums that are written by themselves are in the target: one
// element-wise pass, a fold, or a gather.
void lowering::write_rest(const access& target, const terms_by_way& found, double beta) {
    const expr_list& rest = found.rest;
    if (!found.has_sums() && beta == 0) {
        const auto holder = std::ranges::find_if(rest, [&](expr e) { return graph_[e].sums; });
        if (holder != rest.end()) use_target_memory(target, *holder);
    }
    const expression& only = graph_[rest[0]];
    const bool alone = rest.size() == 1 && beta == 0 && only.indices == loops_of(target);
    if (alone && only.kind == kind::fold) {
        write_fold(target, only);
    } else if (alone && only.kind == kind::gather &&
               plan_.holds(only.source.slot, plan_.type_of(target.slot))) {
        emit_gather(rest[0], target);
    } else {
        auto terms = rest;
        if (beta != 0) terms.push_back(before(target, beta));
        emit_map(target, graph_.add(terms));
    }
    forget(target);
}

void lowering::write_fold(const access& target, const expression& what) {
    const bool counts = what.folding == fold::sum && graph_.is_condition(what.arguments[0]);
    if (what.folding != fold::sum || counts) {
        if (has_conditions()) {
            const read_fold f = described(what.folding, what.over, what.arguments[0]);
            const auto there = prefix_of(f, &target);
            if (there && *there != graph_.load(target)) emit_map(target, *there);
            if (there) return;
            if (const expr apart = in_parts(f)) return emit_map(target, apart);
            const expr asked = counts ? extrema_in_parts(f) : expr(expr::none);
            if (asked) return into(target, asked, 0);
        }
        if (!counts && fold_landed(what.folding, what.over, what.arguments[0], target)) return;
    }
    emit_map(target, what.arguments[0], what.folding, what.over);
}

access lowering::computed(expr value) { return computed(graph_[value].indices, value); }

access lowering::computed(const loop_list& loops, expr value) {
    const access result = temporary(loops);
    into(result, value, 0);
    return result;
}

void lowering::convert(const access& value, const access& target) {
    emit_gather(graph_.load(value), target);
}

// The last pass has overwritten what stood in the target on the way.
void lowering::forget(const access& target) {
    const expr overwritten = graph_.load(target);
    stored_.erase_if([&](const auto& entry) { return entry.second == overwritten; });
}

// A contraction inside an element-wise expression, of the target's own shape, is written to the
// target, where the last pass reads it element for element: no memory of its own.
void lowering::use_target_memory(const access& target, expr body) {
    const loop_list indices = loops_of(target);
    if (graph_[body].indices != indices ||
        (graph_[body].kind == kind::fold && graph_[body].folding != fold::softmax))
        return;
    expr_list open{body};
    for (std::size_t k = 0; k < open.size(); ++k) {
        const auto& node = graph_[open[k]];
        const bool softmax = k == 0 && node.kind == kind::fold;
        if (node.kind == kind::sum && node.indices == indices && !stored_.contains(open[k])) {
            const expr sum = open[k];
            const auto r = resolve(sum);
            if (!r.contracted) {
                stored_[sum] = stored(r.value);
                return;
            }
            emit(r.product, target, 0);
            stored_[sum] = graph_.load(target);
            return;
        }
        if (node.kind != kind::operation && !softmax) continue;
        for (expr a : node.arguments)
            if (graph_[a].sums && std::ranges::find(open, a) == open.end()) open.push_back(a);
    }
}

// The expression in memory: `e` itself when it is.
expr lowering::stored(expr e) {
    if (graph_[e].kind == kind::load && graph_[e].edged)
        return padded(is_foreign(e) ? native(e) : e);
    if (graph_[e].kind == kind::load && !is_foreign(e)) return e;
    if (const auto found = stored_.find(e); found != stored_.end()) return found->second;
    if (const expr there = known_.recomputed.memory_of(e))
        return is_foreign(there) ? stored(there) : there;
    expr value = e;
    expr result;
    const bool condition = graph_.is_condition(e);  // what is stored of a bracket is one
    if (graph_[e].kind == kind::gather) {
        result = picked(e);
        if (is_foreign(result)) result = stored(result);  // converted
    } else if (is_foreign(e) && is_narrow(plan_.type_of(graph_[e].source.slot)) &&
               plan_.is_whole(graph_[e].source)) {
        result = native(e);  // as it lies, and once for all that read it
    } else if (is_foreign(e)) {
        const auto target = temporary(graph_[e].indices);
        emit_gather(e, target);
        result = graph_.load(target, condition);
    } else if (graph_[e].kind == kind::sum) {
        if (scattered_sum s; is_scatter(e, s)) {
            const auto target = temporary(graph_[e].indices);
            emit_scatter(s, target, 0);
            return stored_[e] = graph_.load(target);
        }
        if (has_strides(e)) return stored_[e] = graph_.load(computed(e));
        const auto r = resolve(e);
        if (r.contracted) result = stored(r.product);
        value = r.value;
    }
    if (!result && graph_[value].kind == kind::load) result = stored(value);
    if (!result) {
        const auto target = temporary(graph_[value].indices, value);
        into(target, value, 0);
        result = graph_.load(target, condition);
    }
    stored_[e] = result;
    return result;
}

// The expression for a pass over `loops` elements: everything that takes a pass of its own is
// stored first, and so are functions that the pass would repeat for many elements.
expr lowering::plain(expr e, double loops) {
    const expression& node = graph_[e];
    switch (node.kind) {
        case kind::load:
            return !is_foreign(e) ? e : node.edged ? native(e) : stored(e);
        case kind::constant:
        case kind::position:
            return e;
        case kind::gather:
            return with_conditions(e, stored(e));
        case kind::sum:
        case kind::fold:
            return stored(e);
        case kind::operation:
            break;
    }
    if (const auto found = stored_.find(e); found != stored_.end()) return found->second;
    if (compares_numbers(e)) return compared(e);
    const double size = graph_.size(node.indices);
    if (is_expensive(node.code) && size < loops && size * repetitions_worth_storing <= loops)
        return stored(e);
    expr_list arguments;
    for (expr a : node.arguments) arguments.push_back(plain(a, loops));
    if (node.code == opcode::add) return graph_.add(arguments);
    if (node.code == opcode::multiply) return graph_.multiply(arguments);
    arguments.resize(3);
    return graph_.apply(node.code, arguments[0], arguments[1], arguments[2]);
}

void lowering::put(assign made) { plan_.steps.push_back(make_step(graph_, std::move(made))); }

expr lowering::both_factors(const contraction_of& product) {
    const auto factor = [&](expr e, bool conjugate) {
        return conjugate ? graph_.apply(opcode::conjugate, e) : e;
    };
    return graph_.multiply(
        {factor(product.a, product.conjugate_a), factor(product.b, product.conjugate_b)});
}

void lowering::emit(const contraction_of& product, const access& target, double beta) {
    if (has_edged_operands(product)) {
        if (is_cut_in_few(product)) return emit_boxes(product, target, beta);
        for (const expr e : {product.a, product.b})
            hides_ = hides_ || has_edge(graph_[e].source, edge::nothing);
    }
    hides_ = hides_ || product.hides || graph_.has_bracket(product.scale);
    const expr factors = both_factors(product), scale = plain(product.scale, 1);
    put(contract_into(equation_, target, factors, product.over, scale, beta));
}

// Of what is the same along the loop the first place is that of the extremum.
void lowering::place_into(const place_of_extremum& p, const access& target) {
    if (graph_.size(loops_of(target)) == 0) return;
    if (!contains(graph_[p.value].indices, p.along)) return emit_map(target, graph_.constant(0));
    assign made = begun(assignment_kind::extremum, target);
    made.folding = p.largest ? fold::maximum : fold::minimum;
    made.over = {p.along};
    made.body = stored(p.value);
    put(std::move(made));
}

void lowering::emit_map(const access& target, expr body, fold folding, const loop_list& over) {
    const expr value = plain(body, graph_.size(united(loops_of(target), over)));
    if (graph_[value].edged || !shifts_of(value, over).empty())
        emit_edged_map(target, value, folding, over);
    else put(map_into(equation_, target, value, folding, over));
}

// A fold, or element-wise.
void lowering::emit_value(const access& target, expr value) {
    const auto& node = graph_[value];
    if (node.kind == kind::fold) emit_map(target, node.arguments[0], node.folding, node.over);
    else emit_map(target, value);
}

}  // namespace ricci::plan
