// Folds of values that land where numbers say: what is under [v = x_i], with v free, is added up,
// or folded otherwise, at v, and each value is read once. Over all v and i it would be a matrix of
// conditions.
#include <algorithm>
#include <cmath>
#include <utility>

#include "src/plan/forms/lower.hpp"
#include "src/plan/forms/term_groups.hpp"

namespace ricci::plan {
namespace {

// Places of several axes together are counted in 64 bits, where all of their numbers are whole.
constexpr double most_places = 0x1p31;

}  // namespace

// The equality of a free loop and of what is computed from folded ones.
std::optional<landing> lowering::landing_in(expr test, const loop_list& over) const {
    const auto found = loop_equality_in(graph_, test, [&](loop axis, expr numbers) {
        return !contains(over, axis) && !common(over, graph_[numbers].indices).empty();
    });
    return found ? std::optional(landing{found->what, found->number, test}) : std::nullopt;
}

// Moves the equality of number `k` from the rest to what says where values land, if the rest has a
// form there: what has both the axis and a loop of the numbers is read at the place that they say.
bool lowering::lands(std::size_t k, const landing& there, const loop_list& over,
                     landed_fold& found) {
    const auto at = place_on(there.axis, there.numbers);
    const auto by = common(over, graph_[there.numbers].indices);
    const auto read_there = [&](expr e) {
        const auto& indices = graph_[e].indices;
        if (!contains(indices, there.axis)) return e;
        if (common(indices, by).empty()) return expr(expr::none);
        const moved_loop m{there.axis, at.value_or(place{}), at ? expr(expr::none) : there.numbers};
        return graph_.moved(e, m);
    };
    for (const landing& other : found.at)
        if (contains(graph_[other.numbers].indices, there.axis)) return false;
    guarded rest;
    for (std::size_t other = 0; other < found.rest.parts.size(); ++other) {
        if (other == k) continue;
        rest.parts.push_back(read_there(found.rest.parts[other]));
        if (!rest.parts.back()) return false;
    }
    rest.value = found.rest.value ? read_there(found.rest.value) : expr::none;
    if (found.rest.value && !rest.value) return false;
    found.rest = std::move(rest);
    found.at.push_back(there);
    return true;
}

std::optional<landed_fold> lowering::landed(fold folding, const loop_list& over, expr body) {
    if (!graph_.compares()) return {};
    landed_fold found{{}, guarded_in(graph_, folding, body, beside_cases::hidden)};
    for (std::size_t k = 0; k < found.rest.parts.size();) {
        const auto there = landing_in(found.rest.parts[k], over);
        if (!there || !lands(k, *there, over, found)) ++k;
    }
    return found.at.empty() ? std::nullopt : std::optional(std::move(found));
}

std::optional<landed_fold> lowering::landed(expr sum) {
    return landed(fold::sum, graph_[sum].over, graph_[sum].arguments[0]);
}

// Under [v = x_i] [v = y_j], with v and j folded, what is added up at all v first, and read at x_i:
// no pairs are compared. None: it is nothing of the kind.
expr lowering::landed_before_read(const loop_list& over, expr body) {
    if (plan_.careful || !graph_.solves_places() || !is_real(type_)) return expr::none;
    const expr_list all = list_of(graph_.factors(body));
    const auto equality = [&](expr f) {
        return loop_equality_in(graph_, f, [&](loop l, expr) { return contains(over, l); });
    };
    for (const expr read : all) {
        const auto at = equality(read);
        if (!at) continue;
        for (const expr test : all) {
            const auto from = test == read ? std::nullopt : equality(test);
            if (!from || from->what != at->what) continue;
            loop_list own = common(over, graph_[from->number].indices);
            if (own.empty()) continue;
            expr_list added{test}, beside;
            const auto join = [&] {  // what has loops that are added up over joins
                beside.clear();
                for (const expr f : all) {
                    if (std::ranges::count(added, f) > 0) continue;
                    const auto loops = common(without(graph_[f].indices, {at->what}), over);
                    if (common(loops, own).empty()) {
                        beside.push_back(f);
                        continue;
                    }
                    added.push_back(f);
                    own = united(own, loops);
                    return true;
                }
                return false;
            };
            while (join()) {
            }
            const expr rows = graph_.sum(own, graph_.multiply(added));
            const bool compares = !common(graph_[rows].indices, graph_[at->number].indices).empty();
            if (std::ranges::count(added, read) > 0 || compares) continue;
            hides_ = true;  // where nothing is added, what stands beside it is hidden
            beside.push_back(stored(rows));
            return graph_.sum(without(over, own), graph_.multiply(beside));
        }
    }
    return expr::none;
}

// The axes in the order in which the result has them.
std::vector<landing> lowering::by_axis(const landed_fold& f) const {
    loop_list axes;
    for (const landing& l : f.at) add_loop(axes, l.axis);
    std::vector<landing> all;
    for (const loop axis : axis_order(axes))
        for (const landing& l : f.at)
            if (l.axis == axis) all.push_back(l);
    return all;
}

// Where a value lands along several axes, as one number: their places row by row, and -1 where one
// of the numbers is no place. None: there is one axis, or more places than are counted.
expr lowering::flat_number(const landed_fold& f) const {
    if (f.at.size() < 2) return expr::none;
    whole_facts facts;
    bool whole = true;
    double places = 1;
    for (const landing& l : f.at) {
        whole = whole && is_whole(l.numbers, facts);
        places *= static_cast<double>(graph_.extent(l.axis));
    }
    const bool counted = whole && facts.numbers > 0;
    if (places > (counted ? most_places : static_cast<double>(counted_by(type_))))
        return expr::none;
    expr number = graph_.constant(0);
    expr_list product;
    for (const landing& l : by_axis(f)) {
        const std::int64_t extent = graph_.extent(l.axis);
        number = graph_.add({graph_.multiply({graph_.number(extent), number}), l.numbers});
        product.push_back(graph_.is_place(l.numbers, extent));
        if (whole) continue;
        const expr floor = graph_.apply(opcode::floor, l.numbers);
        product.push_back(graph_.apply(opcode::equal, floor, l.numbers));
    }
    product.push_back(graph_.add({number, graph_.constant(1)}));
    return graph_.add({graph_.multiply(product), graph_.constant(-1)});
}

bool lowering::is_in_memory_as(expr e, element type) const {
    const auto& node = graph_[e];
    return node.kind == kind::load && !node.edged && !node.condition &&
           plan_.holds(node.source.slot, type);
}

// Whether a sum has several numbers that say where its values land.
bool lowering::lands_together(expr sum) {
    if (!graph_.solves_places() || !is_real(type_)) return false;
    const auto there = landed(sum);
    return there && flat_number(*there);
}

// A fold of values that land along several axes, folded along one that has all of their places;
// none: it is nothing of the kind.
expr lowering::landed_together(fold folding, const loop_list& over, const landed_fold& f) {
    expr number = flat_number(f);
    if (!number) return expr::none;
    const auto axes = by_axis(f);
    std::int64_t places = 1;
    for (const landing& l : axes) places *= graph_.extent(l.axis);
    if (places <= INT32_MAX && std::ranges::all_of(axes, [&](const landing& l) {
            return is_in_memory_as(l.numbers, element::i32);
        })) {
        // What is no place may be too large for them, but is -1 whatever comes of it.
        lowering narrow(plan_, known_, equation_, order_, element::i32);
        number = graph_.load(narrow.computed(number));
    }
    const loop all = graph_.loops().fresh(ir::none, places);
    place here;
    here.add(all, 1);
    landed_fold flat = f;
    flat.at = {
        {all, number, graph_.apply(opcode::equal, graph_.position(std::move(here)), number)}};
    const expr folded = fold_of(folding, over, flat);
    access read = computed(folded);
    for (place& p : read.at) {
        std::int64_t stride = p.factor(all);
        if (stride == 0) continue;
        p.add(all, -stride);
        for (auto l = axes.rbegin(); l != axes.rend(); ++l) {
            p.add(l->axis, stride);
            stride *= graph_.extent(l->axis);
        }
    }
    return graph_.load(std::move(read));
}

// A sum of values that land along two axes, each by numbers of its own loops, as what pairs have
// does where a table is looked up by both: first along one axis, for all that the other's numbers
// say, and then along that. None: what is in between is not smaller than the values.
expr lowering::landed_in_turn(const loop_list& over, const landed_fold& f) {
    constexpr double least_part = 0.5;
    if (f.at.size() != 2) return expr::none;
    const auto by = [&](std::size_t k) { return common(over, graph_[f.at[k].numbers].indices); };
    if (!common(by(0), by(1)).empty()) return expr::none;
    loop_list values;
    for (const expr e : f.rest.parts) values = united(values, graph_[e].indices);
    if (!without(united(by(0), by(1)), values).empty()) return expr::none;
    // Columns come last as a rule: along them first.
    const std::size_t first = by(0).back() < by(1).back() ? 1 : 0;
    const landing &inner = f.at[first], &outer = f.at[1 - first];
    const loop_list summed = without(over, by(1 - first));
    auto between = without(united(values, graph_[inner.numbers].indices), summed);
    between = united(between, {inner.axis});
    if (graph_.size(between) > least_part * graph_.size(values)) return expr::none;
    expr_list body = f.rest.parts;
    body.push_back(inner.test);
    const expr part = graph_.sum(summed, graph_.multiply(body));
    const access memory = computed(between, part);
    return graph_.sum(without(over, summed), graph_.multiply({outer.test, graph_.load(memory)}));
}

// The fold as one of a body again.
expr lowering::fold_of(fold folding, const loop_list& over, const landed_fold& f) {
    guarded body;
    for (const landing& l : f.at) body.parts.push_back(l.test);
    for (const expr r : f.rest.parts) body.parts.push_back(r);
    body.value = f.rest.value;
    return folding == fold::sum ? graph_.sum(over, body_of(graph_, folding, body))
                                : graph_.row(folding, over, body_of(graph_, folding, body));
}

// log(sum of exp(x)) = m + log(sum of exp(x - m)) of what lands at each place, with the largest of
// it as m, or 0 where that is not finite.
expr lowering::landed_logarithm(const loop_list& over, landed_fold f) {
    f.rest.value = stored(f.rest.value);
    const auto in_memory_now = [&](expr e) { return graph_.load(computed(e)); };
    const expr most = in_memory_now(fold_of(fold::maximum, over, f));
    const expr shift = in_memory_now(finite_or_zero(graph_, most, type_));
    landed_fold shifted = f;
    const expr x = graph_.apply(opcode::subtract, f.rest.value, shift);
    shifted.rest.parts.push_back(graph_.apply(opcode::exp, x));
    const expr sum = in_memory_now(fold_of(fold::sum, over, shifted));
    return graph_.add({shift, graph_.apply(opcode::log, sum)});
}

// target = the fold, of values that land where numbers say; false: they do not.
bool lowering::fold_landed(fold folding, const loop_list& over, expr body, const access& target) {
    const bool joins = folding == fold::maximum || folding == fold::minimum ||
                       folding == fold::product || folding == fold::logsumexp;
    if (!joins || !graph_.solves_places()) return false;
    if (!is_real(type_)) return false;
    const auto found = landed(folding, over, body);
    if (!found || !found->rest.value) return false;
    if (const expr together = landed_together(folding, over, *found)) {
        emit_map(target, together);
        return true;
    }
    const landing& there = found->at[0];
    if (found->at.size() > 1 || graph_.extent(there.axis) > counted_by(type_)) return false;
    if (folding == fold::logsumexp) {
        emit_map(target, landed_logarithm(over, *found));
        return true;
    }
    const guarded& rest = found->rest;
    const expr value = rest.parts.empty() ? rest.value : body_of(graph_, folding, rest);
    assign made = begun(assignment_kind::lookups, target);
    made.folding = folding;
    made.over = over;
    made.scale = graph_.constant(1);
    made.body = stored(value);
    made.scattered = there.axis;
    made.numbers = numbers_of(there.numbers);
    put(std::move(made));
    return true;
}

}  // namespace ricci::plan
