// A softmax over a letter of which each rank has its places, and sums of what it weighs.
#include <algorithm>

#include <ricci/ir/rewrite.hpp>

#include "src/placement/local_equation.hpp"

namespace ricci::mpi {
namespace {

ir::ref minus(ir::program& p, ir::ref n) { return p.make(ir::op::multiply, p.number(-1), n); }

/// `otherwise`, but 0 where a maximum is that of a row of nothing but -infinity.
ir::ref unless_nothing(ir::program& p, ir::ref maximum, ir::ref otherwise) {
    const ir::ref sides[] = {maximum, p.number(-ir::largest_number)};
    const ir::ref nothing =
        p.make(ir::op::compare, static_cast<std::uint8_t>(ir::comparison::less_equal), sides, 2);
    const ir::ref cases[] = {p.number(0), nothing, otherwise};
    return p.make(ir::op::choose, 0, cases, 3);
}

}  // namespace

// exp(x - m) / s, of which ranks have to agree on the pair of maximum and sum alone. These are two
// numbers: where x is large, x - log-sum-exp has no digits left. What a rank tells of its own sum
// is its logarithm beside its own maximum, which the engine finds in one pass.
local_equation::agreed_softmax local_equation::agree_on(const ir::node& x, ir::ref child) {
    const auto over_own = [&](ir::reduction r) {
        ir::node own = x;
        own.value = 0;
        own.detail = static_cast<std::uint8_t>(r);
        return copy(own, {child});
    };
    const extracted most =
        own_tensor(over_own(ir::reduction::maximum), named_form::of_fold(fold::maximum), &x);
    const ir::ref own_maximum = p_.tensor(most.name, most.at);
    const ir::ref maximum = read_whole(most);
    const extracted excess = own_tensor(
        p_.make(ir::op::add, over_own(ir::reduction::logsumexp), minus(p_, own_maximum)), {}, &x);
    const ir::ref terms[] = {p_.tensor(excess.name, excess.at), own_maximum, minus(p_, maximum)};
    const ir::ref own_sum = p_.apply(ir::function::exp, p_.make(ir::op::add, 0, terms, 3));
    const ir::ref sum = extract(unless_nothing(p_, own_maximum, own_sum), fold::sum, nullptr);
    return {maximum, sum, over_own(ir::reduction::softmax),
            unless_nothing(p_, own_maximum, p_.make(ir::op::divide, own_sum, sum))};
}

local_equation::value local_equation::softmax(const ir::node& x, value child) {
    const agreed_softmax all = agree_on(x, child.node);
    const ir::ref weight =
        p_.apply(ir::function::exp, p_.make(ir::op::add, child.node, minus(p_, all.maximum)));
    if (p_.nodes[p_.equations[number_].body].children.first == x.children.first) {
        weights_.emplace();
        weights_->weights = all.own_weights;
        weights_->factor = all.factor;
    }
    return {unless_nothing(p_, all.maximum, p_.make(ir::op::divide, weight, all.sum)), child.at};
}

void local_equation::keep_weights(const ir::equation& e, std::int32_t axis) {
    if (!weights_ || axis < 0) return;
    for (std::int32_t k = 0; k < e.positions.count; ++k)
        if (p_.positions[e.positions.first + k].kind != ir::position_kind::index) return;
    weights_->positions = e.positions;
    weights_->axis = axis;
    weights_->split = split_;
    weights_->equation = number_;
    where_.weights[e.name] = *weights_;
}

// \sum_j A^{ij} V^{jc} of a softmax A over j: what a rank adds up with the weights among its own
// places waits for no other rank, and is made its part of the sum of all by a factor for each row.
std::optional<local_equation::value> local_equation::sum_of_weights(const ir::node& x) {
    if (!binds_split(x) || static_cast<ir::reduction>(x.detail) != ir::reduction::sum)
        return std::nullopt;
    const ir::ref body = p_.links[x.children.first];
    if (!may_leave_condition(body)) return std::nullopt;
    if (const std::optional<value> sum = sum_of_weights(x, body, body)) return sum;
    const ir::node product = p_.nodes[body];
    for (std::int32_t k = 0; product.kind == ir::op::multiply && k < product.children.count; ++k)
        if (const auto sum = sum_of_weights(x, body, p_.links[product.children.first + k]))
            return sum;
    return std::nullopt;
}

// `read`: the factor that may be a softmax, of an equation of its own or where it stands.
std::optional<local_equation::value> local_equation::sum_of_weights(const ir::node& x, ir::ref body,
                                                                    ir::ref read) {
    const ir::node weights = p_.nodes[read];
    if (split_.size() == 1 && is_weights(x, read)) {
        own_weights& w = where_.weights[weights.name];
        ir::node own = weights;
        own.name = name_of_weights(w, weights.name);
        const ir::ref mine = sum_with(x, body, read, p_.nodes.push(own));
        ir::index_map rows;
        for (std::int32_t k = 0; k < w.positions.count; ++k)
            rows.set(p_.positions[w.positions.first + k].index,
                     p_.positions[weights.positions.first + k].index);
        const ir::ref factor = ir::rename_indices(p_, where_.weights[weights.name].factor, rows);
        return value{p_.make(ir::op::multiply, factor, mine), place::partial};
    }
    if (!is_softmax(x, read)) return std::nullopt;
    const value child = whole(walk(p_.links[weights.children.first]));
    work_ += places(child.node);
    if (!cuts_one_letter(weights, child.node) || clamps_nothing(weights)) possible_ = false;
    if (!possible_) return value{read, place::whole};
    const agreed_softmax all = agree_on(weights, with_sums_apart(child.node));
    const ir::ref mine = sum_with(x, body, read, all.own_weights);
    return value{p_.make(ir::op::multiply, all.factor, mine), place::partial};
}

// The same of a softmax that stands in the sum.
bool local_equation::is_softmax(const ir::node& x, ir::ref n) const {
    const ir::node soft = p_.nodes[n];
    if (soft.kind != ir::op::reduce ||
        static_cast<ir::reduction>(soft.detail) != ir::reduction::softmax)
        return false;
    const std::vector<ir::ref> letters = free_letters(n);
    return std::all_of(letters.begin(), letters.end(), [&](ir::ref i) {
        return binds(soft, i) == is_split(i) && binds(soft, i) == binds(x, i);
    });
}

// Whether a factor is a softmax over the letter, whose rows the sum keeps.
bool local_equation::is_weights(const ir::node& x, ir::ref n) const {
    const ir::node read = p_.nodes[n];
    const auto found = where_.weights.find(read.name);
    if (read.kind != ir::op::tensor || read.children.count > 0 || found == where_.weights.end())
        return false;
    for (std::int32_t k = 0; k < read.positions.count; ++k) {
        const ir::position q = p_.positions[read.positions.first + k];
        const bool summed = k == found->second.axis;
        if (q.kind != ir::position_kind::index || summed != is_split(q.index) ||
            summed != binds(x, q.index))
            return false;
    }
    return true;
}

// What a rank adds up over its own places with other weights than `read`, as a tensor.
ir::ref local_equation::sum_with(const ir::node& x, ir::ref body, ir::ref read,
                                 ir::ref own_weights) {
    const ir::node product = p_.nodes[body];
    std::vector<ir::ref> factors;
    for (std::int32_t k = 0; body != read && k < product.children.count; ++k) {
        const ir::ref child = p_.links[product.children.first + k];
        factors.push_back(child == read ? own_weights : whole(walk(child)).node);
    }
    const ir::ref inside = body == read ? own_weights : copy(product, factors);
    work_ += places(inside);
    ir::node sum = x;
    sum.value = 0;
    const extracted mine = own_tensor(copy(sum, {inside}), {}, nullptr);
    return p_.tensor(mine.name, mine.at);
}

// The weights among a rank's own places, as a tensor, once something reads them.
ir::ref local_equation::name_of_weights(own_weights& w, ir::ref tensor) {
    if (w.name != ir::none) return w.name;
    named_form form;
    form.part = w.axis;
    w.name = bench_.add(tensor, "own weights of", form);
    operation o;
    o.equation = w.equation;
    o.compute = {{w.name, w.positions, w.weights, false, p_.equations[w.equation].source},
                 w.split,
                 false,
                 w.weights};
    where_.operations.push_back(o);
    return w.name;
}

}  // namespace ricci::mpi
