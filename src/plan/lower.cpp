// From the planner's expressions to steps.
#include "src/plan/lower.hpp"

#include <algorithm>
#include <cstdlib>

#include "src/plan/edges.hpp"
#include "src/plan/loop_holders.hpp"
#include "src/plan/path_through.hpp"
#include "src/plan/solve_places.hpp"
#include "src/plan/scalar.hpp"

namespace ricci::plan {
namespace {

// An expensive operation is done apart from a loop that repeats it at least this often.
constexpr double repetitions_worth_storing = 8;

}  // namespace

// The terms of the value, with numbers in front of a bracket multiplied into it where that gives
// contractions to write directly.
expr_list lowering::spread(expr value) {
    const auto whole = graph_.terms(value);
    expr_list all(whole.begin(), whole.end());
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
    const bool sums =
        std::any_of(terms.begin(), terms.end(), [&](expr t) { return graph_[t].sums; });
    if (scalars.empty() || terms.size() < 2 || !sums) return all;
    expr_list result;
    for (expr t : terms) {
        auto product = scalars;
        product.push_back(t);
        result.push_back(graph_.multiply(product));
    }
    return result;
}

void lowering::into(const access& target, const loop_list& indices, expr value, double beta) {
    if (splits_strides(target, indices, value, beta)) return;
    std::vector<contraction_of> direct;
    std::vector<scattered_sum> scattered;
    std::vector<lookup_sum> looked_up_here;
    expr_list rest;
    // A number in front of a sum of terms leaves several.
    const expr_list terms = spread(value);
    const bool single = terms.size() == 1;
    for (expr term : terms) {
        term = with_written_out(term);
        // Written here directly, unless other terms need it too or it lacks indices of the target.
        const bool alone = single && graph_[term].indices == indices;
        if (alone && (beta == 0 || beta == 1) && graph_[term].code == opcode::multiply) {
            if (const auto s = lookups_of(term)) return emit_lookups(*s, target, indices, beta);
        }
        const bool whole = graph_[term].kind == kind::sum && graph_[term].indices == indices;
        if (!whole || (graph_[term].uses > 1 && graph_.terms(value).size() > 1)) {
            rest.push_back(term);
            continue;
        }
        if (scattered_sum s; is_scatter(term, s)) {
            scattered.push_back(s);
            continue;
        }
        if (auto s = lookups_of(term); s && s->beside.empty() && s->later.empty()) {
            looked_up_here.push_back(std::move(*s));
            continue;
        }
        if (single) {
            if (const auto p = in_blocks(term)) return emit_in_blocks(*p, target, beta);
        }
        if (beta == 0 && single) {
            const loop_list over = graph_[term].over;
            const auto there = prefix_of(fold::sum, over, graph_[term].arguments[0], &target);
            // It stands there already, or is read from memory of its own.
            if (there && *there == graph_.load(target)) return forget(target);
            if (there && graph_[*there].kind == kind::sum) return into(target, indices, *there, 0);
            if (there) {
                rest.push_back(*there);
                continue;
            }
        }
        auto r = resolve(term);
        if (r.contracted) {
            direct.push_back(std::move(r.product));
        } else {
            rest.push_back(r.value);
        }
    }
    for (const auto& product : direct) {
        emit(product, target, beta);
        beta = 1;
    }
    for (const auto& s : scattered) {
        emit_scatter(s, target, indices, beta);
        beta = 1;
    }
    for (const auto& s : looked_up_here) {
        emit_lookups(s, target, indices, beta);
        beta = 1;
    }
    if (rest.empty()) return;

    if (direct.empty() && scattered.empty() && looked_up_here.empty() && beta == 0) {
        const auto holder =
            std::find_if(rest.begin(), rest.end(), [&](expr e) { return graph_[e].sums; });
        if (holder != rest.end()) use_target_memory(target, indices, *holder);
    }
    const expression& only = graph_[rest[0]];
    if (rest.size() == 1 && beta == 0 && only.kind == kind::fold && only.indices == indices) {
        if (only.folding != fold::sum) {
            const auto there = prefix_of(only.folding, only.over, only.arguments[0], &target);
            if (there && *there != graph_.load(target))
                emit_map(target, indices, *there, fold::none, {});
            if (there) return forget(target);
        }
        emit_map(target, indices, only.arguments[0], only.folding, only.over);
        forget(target);
        return;
    }
    if (rest.size() == 1 && beta == 0 && only.kind == kind::gather && only.indices == indices &&
        plan_.holds(only.source.slot, plan_.type_of(target.slot))) {
        emit_gather(rest[0], target, indices);
        forget(target);
        return;
    }
    if (beta != 0) rest.push_back(graph_.multiply({graph_.constant(beta), graph_.load(target)}));
    emit_map(target, indices, graph_.add(rest), fold::none, {});
    forget(target);
}

access lowering::computed(const loop_list& indices, expr value) {
    const access result = temporary(indices, expr::none, type_);
    into(result, indices, value, 0);
    return result;
}

void lowering::convert(const access& value, const access& target, const loop_list& indices) {
    emit_gather(graph_.load(value), target, indices);
}

// The last pass has overwritten what stood in the target on the way.
void lowering::forget(const access& target) {
    const expr overwritten = graph_.load(target);
    stored_.erase_if([&](const auto& entry) { return entry.second == overwritten; });
}

// A contraction inside an element-wise expression, of the target's own shape, is written to the
// target, where the last pass reads it element for element: no memory of its own.
void lowering::use_target_memory(const access& target, const loop_list& indices, expr body) {
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
            if (graph_[a].sums && std::find(open.begin(), open.end(), a) == open.end())
                open.push_back(a);
    }
}

// Splits a sum into numbers in front and factors, and sums away what only one factor has.
lowering::resolved lowering::resolve(expr written) {
    const expr sum = with_written_out(written);
    const loop_list over = graph_[sum].over;
    const expr solved = solved_sum(graph_, over, graph_[sum].arguments[0], strided::solved);
    if (solved) {
        if (graph_[solved].kind == kind::sum) return resolve(solved);
        resolved result;
        result.value = solved;
        return result;
    }
    if (const auto prefix = prefix_of(fold::sum, over, graph_[sum].arguments[0])) {
        if (graph_[*prefix].kind == kind::sum) return resolve(*prefix);
        resolved result;
        result.value = *prefix;
        return result;
    }
    if (const auto decaying = recurrence_of(over, graph_[sum].arguments[0])) {
        if (graph_[*decaying].kind == kind::sum) return resolve(*decaying);
        resolved result;
        result.value = *decaying;
        return result;
    }
    if (in_blocks(sum)) {
        resolved result;
        result.value = graph_.load(computed(loop_list(graph_[sum].indices), sum));
        return result;
    }
    if (const auto s = lookups_of(sum)) {
        resolved result;
        result.value = looked_up(*s);
        if (graph_[result.value].kind == kind::sum) return resolve(result.value);
        return result;
    }
    const auto body = bracketed_.without_implied(graph_[sum].arguments[0]);
    expr_list scalars, varying;
    for (expr f : graph_.factors(body)) (graph_.is_scalar(f) ? scalars : varying).push_back(f);
    resolved result;
    if (varying.size() == 1 ||
        (plan_.careful && (graph_.has_bracket(body) || graph_[body].edged))) {
        result.value = graph_.row(fold::sum, over, body);
        return result;
    }
    // Of 16 bits a sum that is stored is rounded once more than a contraction that has it inside.
    const bool stores_sums = type_ != element::bf16 && type_ != element::f16;
    const loop_holders holders(graph_, varying);
    loop_list alone;
    for (const loop l : common(holders.loops(), over))
        if (stores_sums && holders[l] == 1) alone.push_back(l);
    for (expr& f : varying) {
        if (alone.empty()) break;
        const auto lone = common(graph_[f].indices, alone);
        if (lone.empty()) continue;
        hides_ = hides_ || graph_.has_bracket(f);
        f = graph_.row(fold::sum, lone, f);
    }
    if (!alone.empty()) {
        auto product = scalars;
        product.insert(product.end(), varying.begin(), varying.end());
        const expr less = graph_.sum(without(over, alone), graph_.multiply(product));
        if (graph_[less].kind == kind::sum) return resolve(less);
        result.value = less;
        return result;
    }
    return contracted(std::move(varying), over, graph_.multiply(scalars));
}

// Which factors are multiplied one after the other: the best path's products.
std::vector<path::contraction_path::product> lowering::products_of(const expr_list& factors,
                                                                   const loop_list& over) const {
    if (factors.size() == 2) return {{0, 1}};
    return path_through(graph_, factors, over).products;
}

// The factors in the order of the best path. Products without a sum stay expressions, which whoever
// uses them computes; so do sums that give one number for each element of a batch.
lowering::resolved lowering::contracted(expr_list factors, const loop_list& over, expr scale) {
    const auto products = products_of(factors, over);
    loop_holders holders(graph_, factors);
    resolved result;
    for (std::size_t step = 0; step < products.size(); ++step) {
        const auto left = static_cast<std::size_t>(products[step].left);
        const auto right = static_cast<std::size_t>(products[step].right);
        const auto& l = graph_[factors[left]].indices;
        const auto& r = graph_[factors[right]].indices;
        holders.remove(l);
        holders.remove(r);
        loop_list summed;
        for (const loop i : united(l, r))
            if (holders[i] == 0 && std::binary_search(over.begin(), over.end(), i))
                summed.push_back(i);
        const bool last = step + 1 == products.size();
        const bool shifted =
            !summed.empty() && (without(l, r).empty() || without(r, l).empty()) &&
            shifts_of(graph_.multiply({factors[left], factors[right]}), summed) == summed;
        // A bracket masks what has all of its loops: on its own it would be a matrix of 1 and 0.
        const bool masks = (graph_.is_bracket(factors[left]) && without(l, r).empty()) ||
                           (graph_.is_bracket(factors[right]) && without(r, l).empty());
        const bool matrices =
            !shifted && !masks && (!without(l, r).empty() || !without(r, l).empty());
        expr value;
        if (summed.empty()) {
            value = graph_.multiply({factors[left], factors[right]});
            if (last) value = graph_.multiply({scale, value});
        } else if (const expr read = sum_of_rows(factors[left], factors[right], summed)) {
            value = last ? graph_.multiply({scale, read}) : read;
        } else if (!matrices) {
            value = graph_.multiply({factors[left], factors[right]});
            if (last) value = graph_.multiply({scale, value});
            else hides_ = hides_ || graph_.has_bracket(value);
            value = graph_.row(fold::sum, summed, value);
        } else if (const expr found = product_of_rows(factors[left], factors[right], summed)) {
            value = found;
            if (last) value = graph_.multiply({scale, value});
        } else {
            contraction_of product;
            // What is conjugated needs no memory of its own: the contraction does it on the way.
            const auto operand = [&](expr factor, bool& conjugate) {
                conjugate = graph_[factor].code == opcode::conjugate;
                return operand_of(conjugate ? graph_[factor].arguments[0]
                                            : bracketed_.without_implied(factor));
            };
            product.hides = graph_.has_bracket(factors[left]) || graph_.has_bracket(factors[right]);
            product.a = operand(factors[left], product.conjugate_a);
            product.b = operand(factors[right], product.conjugate_b);
            product.over = summed;
            product.scale = last ? scale : graph_.constant(1);
            if (last) {
                result.contracted = true;
                result.product = std::move(product);
                return result;
            }
            value = stored(product);
        }
        holders.add(graph_[value].indices);
        factors.push_back(value);
    }
    result.value = factors.back();
    return result;
}

expr lowering::stored(const contraction_of& product) {
    const auto indices =
        without(united(graph_[product.a].indices, graph_[product.b].indices), product.over);
    const auto target = temporary(indices, expr::none, type_);
    emit(product, target, 0);
    return graph_.load(target);
}

// The expression in memory: `e` itself when it is.
expr lowering::stored(expr e) {
    if (graph_[e].kind == kind::load && graph_[e].edged)
        return padded(is_foreign(e) ? native(e) : e);
    if (graph_[e].kind == kind::load && !is_foreign(e)) return e;
    if (const auto found = stored_.find(e); found != stored_.end()) return found->second;
    if (const expr there = graph_.memory_of(e)) return there;
    expr value = e;
    expr result;
    const bool condition = graph_.is_condition(e);  // what is stored of a bracket is one
    if (graph_[e].kind == kind::gather || is_foreign(e)) {
        const auto indices = graph_[e].indices;
        // What is picked is copied as it is; a copy of another type is converted after that.
        const bool picked = graph_[e].kind == kind::gather;
        const expr from = picked && has_edge(graph_[e].source) ? padded(e) : e;
        const slot_number source = graph_[from].source.slot;
        const auto target = picked ? memory_over(graph_[from].kind == kind::gather
                                                     ? rows_order(from)
                                                     : axis_order(indices, expr::none),
                                                 plan_.type_of(source), plan_.is_truth(source))
                                   : temporary(indices, expr::none, type_);
        emit_gather(from, target, indices);
        result = graph_.load(target, condition);
        if (is_foreign(result)) result = stored(result);
    } else if (graph_[e].kind == kind::sum) {
        if (scattered_sum s; is_scatter(e, s)) {
            const auto indices = graph_[e].indices;
            const auto target = temporary(indices, expr::none, type_);
            emit_scatter(s, target, indices, 0);
            return stored_[e] = graph_.load(target);
        }
        if (has_strides(e)) {
            const access target = computed(loop_list(graph_[e].indices), e);
            return stored_[e] = graph_.load(target);
        }
        const auto r = resolve(e);
        if (r.contracted) result = stored(r.product);
        value = r.value;
    }
    if (!result && graph_[value].kind == kind::load) result = stored(value);
    if (!result) {
        const auto indices = graph_[value].indices;
        const auto target = temporary(indices, value, type_);
        into(target, indices, value, 0);
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

void lowering::emit(const contraction_of& product, const access& target, double beta) {
    if (has_edged_operands(product)) {
        if (is_cut_in_few(product)) return emit_boxes(product, target, beta);
        for (const expr e : {product.a, product.b})
            hides_ = hides_ || has_edge(graph_[e].source, edge::nothing);
    }
    hides_ = hides_ || product.hides || graph_.has_bracket(product.scale);
    const auto factor = [&](expr e, bool conjugate) {
        return conjugate ? graph_.apply(opcode::conjugate, e) : e;
    };
    assign made;
    made.equation = equation_;
    made.as = form::contract;
    made.target = target;
    made.folding = fold::sum;
    made.over = product.over;
    made.loops =
        without(united(graph_[product.a].indices, graph_[product.b].indices), product.over);
    made.body = graph_.multiply(
        {factor(product.a, product.conjugate_a), factor(product.b, product.conjugate_b)});
    made.scale = plain(product.scale, 1);
    made.beta = beta;
    plan_.steps.push_back(make_step(graph_, std::move(made)));
}

void lowering::emit_map(const access& target, const loop_list& indices, expr body, fold folding,
                        const loop_list& over) {
    const expr value = plain(body, graph_.size(united(indices, over)));
    if (graph_[value].edged || !shifts_of(value, over).empty())
        emit_edged_map(target, indices, value, folding, over);
    else put_map(target, indices, value, folding, over);
}

void lowering::put_map(const access& target, const loop_list& indices, expr body, fold folding,
                       const loop_list& over) {
    assign made;
    made.equation = equation_;
    made.target = target;
    made.folding = folding;
    made.over = over;
    made.loops = indices;
    made.body = body;
    plan_.steps.push_back(make_step(graph_, std::move(made)));
}

}  // namespace ricci::plan
