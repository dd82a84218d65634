// From an equation of a program to the planner's expressions.
#include "src/plan/read/translate.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/core.h>

#include <ricci/error.hpp>
#include <ricci/ir/rewrite.hpp>
#include "src/plan/bind/position_conditions.hpp"
#include "src/plan/pool/scalar.hpp"
#include "src/plan/read/matrices.hpp"
#include "src/plan/words/words.hpp"

namespace ricci::plan {
namespace {

opcode comparing(ir::comparison c) {
    switch (c) {
        case ir::comparison::less:
            return opcode::less;
        case ir::comparison::less_equal:
            return opcode::less_equal;
        case ir::comparison::equal:
            return opcode::equal;
        case ir::comparison::not_equal:
            return opcode::not_equal;
        case ir::comparison::logical_and:
            return opcode::logical_and;
        case ir::comparison::logical_or:
            return opcode::logical_or;
    }
    return opcode::equal;
}

}  // namespace

// The position as a number; it may still hold loops of extent 1.
place translation::place_of(const ir::position& p) const {
    return place_at(
        program_, p, [this](ir::ref i) { return loop_of(i); },
        [this](ir::ref i) { return graph_.extent(loop_of(i)); });
}

namespace {

void tidy(place& p, const graph& g) {
    erase_if(p.terms, [&](const term& s) { return g.extent(s.over) == 1; });
}

}  // namespace

access translation::reach(slot_number slot, ir::range positions, bool written) const {
    const auto& memory = slots_[slot.index()];
    access result;
    result.slot = slot;
    result.positions = positions;
    result.at.reserve(static_cast<std::size_t>(positions.count));
    for (std::int32_t axis = 0; axis < positions.count; ++axis) {
        result.at.emplace_back();
        if (program_.at(positions, axis).kind == ir::position_kind::gathered) continue;
        auto at = place_of(program_.at(positions, axis));
        const std::int64_t stride = memory.strides[static_cast<std::size_t>(axis)];
        const std::int64_t extent = memory.extents[static_cast<std::size_t>(axis)];
        const bool empty = std::any_of(at.terms.begin(), at.terms.end(),
                                       [&](const term& s) { return graph_.extent(s.over) == 0; });
        const whole_interval reached = graph_.reach(at);
        const bool leaves = !empty && !reached.lies_within(places_of(extent));
        if (leaves && written)
            throw error(fmt::format(
                "ricci: in {} axis {} of {} is written at positions {} to {}, and its "
                "extent is {}.",
                words_of_equation(program_, equation_), axis, words_of_name(program_, memory.name),
                reached.least, reached.most, extent));
        tidy(at, graph_);
        if (leaves) {
            // Nobody wants what is read there: it is under a condition that is false.
            at.edge = edge::zero;
            at.high = extent - 1;
        }
        if (stride != 0 || leaves) result.at.back() = std::move(at);
    }
    return result;
}

access translation::left_side() const {
    const auto& e = program_.equations[equation_];
    return reach(slot_of_name(e.name), e.positions, true);
}

bool translation::covers_all() const {
    const auto& e = program_.equations[equation_];
    const auto& memory = slots_[static_cast<std::size_t>(e.name)];
    loop_list met;
    for (std::int32_t axis = 0; axis < e.positions.count; ++axis) {
        const auto at = place_of(program_.at(e.positions, axis));
        std::int64_t reached = 1;
        for (const auto& s : at.terms) {
            if (std::find(met.begin(), met.end(), s.over) != met.end() &&
                graph_.extent(s.over) != 1)
                return false;
            met.push_back(s.over);
            reached *= graph_.extent(s.over);
        }
        if (reached != memory.extents[static_cast<std::size_t>(axis)]) return false;
    }
    return true;
}

expr translation::node(ir::ref number) {
    if (!guards_.empty() && brackets_.has_lookup(number)) {
        std::pair<ir::ref, std::vector<expr>> key{number, {}};
        for (const auto& g : guards_) {
            // A condition is not under itself.
            if (g.node == number) return g.value;
            key.second.push_back(g.value);
        }
        if (const auto known = guarded_.find(key); known != guarded_.end()) return known->second;
        const expr e = read(number);
        return guarded_[std::move(key)] = e;
    }
    if (const expr known = seen_.of(equation_, number)) return known;
    const expr e = read(number);
    seen_.set(equation_, number, e);
    return e;
}

expr translation::opposite(expr condition) { return graph_.apply(opcode::logical_not, condition); }

expr_list translation::guards() const {
    expr_list wanted;
    for (const guard& g : guards_) wanted.push_back(g.value);
    return wanted;
}

// Adds conditions, each under those before it: first those that are known without a lookup.
void translation::guard_by(const std::vector<ir::ref>& conditions) {
    for (const bool lookup : {false, true})
        for (ir::ref c : conditions)
            if (brackets_.has_lookup(c) == lookup) guards_.push_back({c, node(c)});
}

// Whether a condition that is false everywhere hides the node, whose children are translated. As a
// number like others it would leave a product with what is infinite undefined.
bool translation::is_hidden(ir::ref number) const {
    const auto hiding = brackets_.hiding(number);
    return std::any_of(hiding.begin(), hiding.end(), [&](ir::ref condition) {
        const expr value = seen_.of(equation_, condition);
        return value && graph_.is_constant(value, 0);
    });
}

// A softmax has all places of its loop in each value, and an inverse all rows and columns: what it
// is of is wanted everywhere along the loops, where its value is wanted anywhere.
void translation::widen_guards(const ir::node& n) {
    for (std::int32_t k = 0; k < n.indices.count; ++k) {
        const loop l = loop_of(program_.reduced(n, k));
        const auto has = [&](loop other) {
            return [this, other](const guard& g) {
                return g.value && contains(graph_[g.value].indices, other);
            };
        };
        if (std::ranges::none_of(guards_, has(l))) continue;
        // All places that another softmax around wants are not these.
        const auto is_free = [&](const loop_map::value_type& all) {
            return all.first == l && std::ranges::none_of(guards_, has(all.second));
        };
        auto known = std::ranges::find_if(elsewhere_, is_free);
        if (known == elsewhere_.end()) {
            auto& loops = graph_.loops();
            elsewhere_.emplace_back(l, loops.fresh(loops.letter(l), loops.extent(l)));
            known = elsewhere_.end() - 1;
        }
        for (guard& g : guards_)
            if (has(l)(g))
                g = {ir::none, graph_.renamed(graph_.apart({known->second}, g.value), {*known})};
    }
}

// The children of a node, what some of them hide of others under guards.
expr_list translation::children_of(const ir::node& n) {
    bool lookup = false;
    for (std::int32_t k = 0; k < n.children.count; ++k)
        lookup = lookup || brackets_.has_lookup(program_.child(n, k));
    const auto before = guards_.size();
    expr_list children;
    if (lookup && (n.kind == ir::op::multiply || n.kind == ir::op::divide)) {
        children = factors_of(n);
    } else if (lookup && n.kind == ir::op::add) {
        children = terms_of(n);
    } else if (lookup && n.kind == ir::op::choose) {
        children = cases_of(n);
    } else if (lookup && n.kind == ir::op::compare) {
        children = parts_of_condition(n);
    } else if (lookup && n.kind == ir::op::reduce && !guards_.empty() && !ir::binds(n)) {
        const auto outside = guards_;
        widen_guards(n);
        for (std::int32_t k = 0; k < n.children.count; ++k)
            children.push_back(node(program_.child(n, k)));
        guards_ = outside;
    } else {
        for (std::int32_t k = 0; k < n.children.count; ++k)
            children.push_back(node(program_.child(n, k)));
    }
    guards_.resize(before);
    return children;
}

expr_list translation::factors_of(const ir::node& n) {
    std::vector<ir::ref> conditions;
    for (std::int32_t k = 0; k < n.children.count; ++k) {
        if (n.kind == ir::op::divide && k > 0) break;
        for (ir::ref c : brackets_.hiding(program_.child(n, k)))
            if (std::find(conditions.begin(), conditions.end(), c) == conditions.end())
                conditions.push_back(c);
    }
    guard_by(conditions);
    expr_list children;
    for (std::int32_t k = 0; k < n.children.count; ++k)
        children.push_back(node(program_.child(n, k)));
    return children;
}

// What minus infinity is added to under a bracket counts where the bracket is false.
expr_list translation::terms_of(const ir::node& n) {
    expr_list children(static_cast<std::size_t>(n.children.count));
    std::vector<guard> unmasked;
    for (std::int32_t k = 0; k < n.children.count; ++k) {
        const auto mask = brackets_.masking(program_.child(n, k));
        if (mask.empty()) continue;
        expr_list all;
        for (ir::ref c : mask) all.push_back(node(c));
        unmasked.push_back({ir::none, opposite(graph_.multiply(all))});
        children[static_cast<std::size_t>(k)] = node(program_.child(n, k));
    }
    guards_.insert(guards_.end(), unmasked.begin(), unmasked.end());
    for (std::int32_t k = 0; k < n.children.count; ++k)
        if (!children[static_cast<std::size_t>(k)])
            children[static_cast<std::size_t>(k)] = node(program_.child(n, k));
    return children;
}

expr_list translation::cases_of(const ir::node& n) {
    expr_list children;
    for (std::int32_t k = 0; k + 1 < n.children.count; k += 2) {
        const ir::ref condition = program_.child(n, k + 1);
        const expr holds = node(condition);
        guards_.push_back({condition, holds});
        children.push_back(node(program_.child(n, k)));
        children.push_back(holds);
        guards_.back() = {ir::none, opposite(holds)};
    }
    children.push_back(node(program_.child(n, n.children.count - 1)));
    return children;
}

// a and b: b does not count where a is false. a or b: where a is true.
expr_list translation::parts_of_condition(const ir::node& n) {
    const auto kind = static_cast<ir::comparison>(n.detail);
    const bool both = kind == ir::comparison::logical_and;
    const bool either = kind == ir::comparison::logical_or;
    const ir::ref sides[] = {program_.child(n, 0), program_.child(n, 1)};
    const std::size_t first = brackets_.has_lookup(sides[0]) && !brackets_.has_lookup(sides[1]);
    expr_list children(2);
    children[first] = node(sides[first]);
    if (both) guards_.push_back({sides[first], children[first]});
    if (either) guards_.push_back({ir::none, opposite(children[first])});
    children[1 - first] = node(sides[1 - first]);
    return children;
}

// A tensor that is read where others say: their values are children, one for each such axis.
expr translation::gathered(const ir::node& n, const expr_list& numbers) {
    const auto& memory = slots_[static_cast<std::size_t>(n.name)];
    std::vector<lookup_axis> lookups(numbers.size());
    for (std::int32_t axis = 0; axis < n.positions.count; ++axis) {
        const auto& at = program_.at(n.positions, axis);
        if (at.kind != ir::position_kind::gathered) continue;
        const ir::node& number = program_.nodes[program_.child(n, at.offset)];
        lookups[static_cast<std::size_t>(at.offset)] = {
            axis, number_of<lookup_words>(place_words_.size())};
        place_words_.push_back(fmt::format(
            "in {} axis {} of {} has the places 0 to {}, and a number {} is",
            words_of_equation(program_, equation_), axis, words_of_name(program_, n.name),
            memory.extents[static_cast<std::size_t>(axis)] - 1,
            number.kind == ir::op::tensor ? "of " + words_of_name(program_, number.name)
                                          : "there"));
    }
    return graph_.gather(reach(slot_of_name(n.name), n.positions), std::move(lookups), numbers,
                         guards(), brackets_.is_condition_name(n.name));
}

expr translation::tensor(const ir::node& n, const expr_list& numbers) {
    const auto& memory = slots_[static_cast<std::size_t>(n.name)];
    if (memory.kind == storage::number) return graph_.constant(memory.value);
    if (n.children.count > 0) return gathered(n, numbers);
    const access at = reach(slot_of_name(n.name), n.positions);
    if (const expr value = recomputed_.value_of(at)) return value;
    return graph_.load(at, brackets_.is_condition_name(n.name));
}

expr translation::position(const ir::node& n, std::int32_t which) {
    place at = place_of(program_.at(n.positions, which));
    tidy(at, graph_);
    return graph_.position(std::move(at));
}

// What stands below a sign that binds indices, which may have another extent there than elsewhere
// in the equation: then they are other loops, and what is known of nodes is of those.
template <class F>
auto translation::below(ir::ref sign, F read) {
    const ir::node& n = program_.nodes[sign];
    if (!splits_ || !ir::binds(n)) return read();
    std::vector<loop> loops = loops_;
    for (std::int32_t k = 0; k < n.indices.count; ++k) {
        const ir::ref index = program_.reduced(n, k);
        loops[static_cast<std::size_t>(index)] =
            graph_.loops().of(index, shapes_.bound_extent(equation_, sign, index));
    }
    if (loops == loops_) return read();
    node_values seen(program_);
    decltype(guarded_) guarded;
    const auto exchange = [&] {
        std::swap(loops_, loops);
        std::swap(seen_, seen);
        std::swap(guarded_, guarded);
    };
    exchange();
    auto result = read();
    exchange();
    return result;
}

expr translation::read(ir::ref number) {
    return below(number, [&] { return read_here(number); });
}

expr translation::read_here(ir::ref number) {
    const ir::node& n = program_.nodes[number];
    // x^0 is 1 whatever x is, which stands there for its shape and is not read.
    if (ir::is_power_of_zero(program_, n)) return graph_.constant(1);
    if (ir::is_of_matrix(n)) return add_function(plan_, read_, matrix(number), guards(), equation_);
    const expr_list children = children_of(n);
    switch (n.kind) {
        case ir::op::number:
            return graph_.constant(n.value);
        case ir::op::imaginary_unit:
            return graph_.apply(opcode::sqrt, graph_.constant(-1));
        case ir::op::tensor:
            return tensor(n, children);
        case ir::op::add:
            return graph_.add(children);
        case ir::op::multiply:
            if (is_hidden(number)) return graph_.constant(0);
            return graph_.multiply(children);
        case ir::op::divide:
            if (is_hidden(number)) return graph_.constant(0);
            if (is_integer(graph_.type())) check_quotient(children[0], children[1]);
            return graph_.apply(opcode::divide, children[0], children[1]);
        case ir::op::power:
            if (is_integer(graph_.type())) check_exponent(children[1]);
            return graph_.power(children[0], children[1]);
        case ir::op::apply:
            if (graph_.is_identity(static_cast<ir::function>(n.detail))) return children[0];
            return graph_.apply(code_of(static_cast<ir::function>(n.detail)), children[0],
                                children.size() > 1 ? children[1] : expr::none);
        case ir::op::reduce: {
            loop_list over;
            for (std::int32_t k = 0; k < n.indices.count; ++k)
                over.push_back(loop_of(program_.reduced(n, k)));
            return graph_.reduce(static_cast<ir::reduction>(n.detail), std::move(over),
                                 children[0]);
        }
        case ir::op::delta:
            return graph_.apply(opcode::equal, position(n, 0), position(n, 1));
        case ir::op::position:
            return position(n, 0);
        case ir::op::compare:
            return graph_.apply(comparing(static_cast<ir::comparison>(n.detail)), children[0],
                                children[1]);
        case ir::op::choose: {
            expr result = children.back();
            for (std::size_t k = children.size() - 1; k >= 2; k -= 2)
                result = graph_.apply(opcode::select, children[k - 1], children[k - 2], result);
            return result;
        }
        case ir::op::call:  // written out while the text was read
            break;
    }
    return graph_.constant(0);
}

place_of_extremum translation::extremum() {
    const ir::ref whole = program_.equations[equation_].body;
    const ir::node& n = program_.nodes[whole];
    return below(whole, [&] {
        return place_of_extremum{n.detail == static_cast<std::uint8_t>(ir::reduction::argmax),
                                 loop_of(program_.reduced(n, 0)), node(program_.child(n, 0))};
    });
}

matrix_function translation::matrix(ir::ref number) {
    return below(number, [&] { return matrix_here(number); });
}

matrix_function translation::matrix_here(ir::ref number) {
    const ir::node& n = program_.nodes[number];
    const expr_list operands = children_of(n);
    return {static_cast<ir::reduction>(n.detail),
            operands[0],
            operands.size() > 1 ? operands[1] : expr::none,
            loop_of(program_.reduced(n, 0)),
            loop_of(program_.reduced(n, 1)),
            fmt::format("in {} the matrix", words_of_equation(program_, equation_))};
}

// Whole numbers: a quotient of two numbers has to be one.
void translation::check_quotient(expr numerator, expr denominator) const {
    const auto &a = graph_[numerator], &b = graph_[denominator];
    if (a.kind != kind::constant || b.kind != kind::constant) return;
    if (b.value != 0 && std::floor(a.value / b.value) == a.value / b.value) return;
    throw error(fmt::format("ricci: the tensors hold {}, and {} / {} is no whole number, in {}.",
                            name_of(graph_.type()), words_of_number(a.value),
                            words_of_number(b.value), words_of_equation(program_, equation_)));
}

void translation::check_exponent(expr exponent) const {
    const auto& e = graph_[exponent];
    if (e.kind != kind::constant || e.value >= 0) return;
    throw error(fmt::format(
        "ricci: the tensors hold {}, and a negative power of whole numbers is none, in {}.",
        name_of(graph_.type()), words_of_equation(program_, equation_)));
}

}  // namespace ricci::plan
