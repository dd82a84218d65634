// What each rank computes of an equation.
#include "src/placement/local_equation.hpp"

#include <algorithm>
#include <cstdlib>

#include <ricci/ir/extrema.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::mpi {

// Small questions ---------------------------------------------------------------------------------

local_equation::local_equation(workbench& bench, placement& where, ir::ref equation,
                               std::vector<ir::ref> split, attempt how)
    : bench_(bench),
      p_(bench.text.program),
      where_(where),
      number_(equation),
      split_(std::move(split)),
      wait_(how.wait),
      elsewhere_(how.elsewhere) {
    if (split_.empty()) return;
    all_ = bench_.text.extents[static_cast<std::size_t>(split_[0])];
    const distribution& parts = bench_.sharing.of(all_);
    before_ = parts.before(bench_.sharing.rank);
    own_ = parts.of(bench_.sharing.rank);
    most_ = parts.most();
}

bool local_equation::is_split(ir::ref letter) const {
    return std::find(split_.begin(), split_.end(), letter) != split_.end();
}
// Whether positions have a letter that is split. None have two: a rank would have to have the
// places of one for all places of the other.
bool local_equation::has_split(ir::range at) {
    std::size_t count = 0;
    for (const ir::ref i : split_) count += ir::has_index(p_, at, i) ? 1 : 0;
    if (count > 1) possible_ = false;
    return count > 0;
}
bool local_equation::binds_split(const ir::node& x) const {
    for (std::int32_t k = 0; k < x.indices.count; ++k)
        if (is_split(p_.links[x.indices.first + k])) return true;
    return false;
}
std::vector<ir::ref> local_equation::free_letters(ir::ref n) const {
    std::vector<ir::ref> all;
    ir::free_indices(p_, n).for_each([&](ir::ref i) {
        if (std::find(all.begin(), all.end(), i) == all.end()) all.push_back(i);
    });
    std::sort(all.begin(), all.end());
    return all;
}
// How many times an expression is computed on the rank that has most to do.
double local_equation::places(ir::ref n) const {
    double count = 1;
    for (const ir::ref i : free_letters(n)) {
        const std::int64_t all = bench_.text.extents[static_cast<std::size_t>(i)];
        count *= static_cast<double>(is_split(i) ? most_ : all);
    }
    return count;
}
ir::ref local_equation::copy(ir::node x, const std::vector<ir::ref>& children) {
    x.children = p_.add_links(children.data(), static_cast<std::int32_t>(children.size()));
    return p_.nodes.push(x);
}

// Whether an expression means the same outside of the conditions that are around it: arithmetic
// places, and those that tensors say, need not exist where a condition does not hold.
bool local_equation::may_leave_condition(ir::ref body) const {
    bool conditions = false, places = false;
    ir::for_each_node(p_, p_.equations[number_].body, [&](ir::ref n) {
        const ir::op kind = p_.nodes[n].kind;
        conditions = conditions || kind == ir::op::compare || kind == ir::op::choose ||
                     kind == ir::op::delta;
    });
    ir::for_each_node(p_, body, [&](ir::ref n) {
        const ir::node& x = p_.nodes[n];
        places = places || ir::is_of_matrix(x);
        for (std::int32_t k = 0; x.kind == ir::op::tensor && k < x.positions.count; ++k) {
            const ir::position_kind at = p_.positions[x.positions.first + k].kind;
            places = places || at == ir::position_kind::affine || at == ir::position_kind::gathered;
        }
    });
    return !conditions || !places;
}

// Positions: the places of the letter that is split count from this rank's first ------------------

ir::range local_equation::shifted(ir::range at) {
    if (!has_split(at)) return at;
    std::vector<ir::position> list(p_.positions.begin() + at.first,
                                   p_.positions.begin() + at.first + at.count);
    for (ir::position& q : list) {
        if (q.kind == ir::position_kind::index && is_split(q.index)) {
            const ir::range terms{p_.affine_terms.size(), 1};
            p_.affine_terms.push({q.index, 1});
            q = {ir::position_kind::affine, q.upper, ir::none, static_cast<std::int32_t>(before_),
                 terms};
            continue;
        }
        for (std::int32_t t = 0; t < q.terms.count; ++t) {
            const ir::affine_term term = p_.affine_terms[q.terms.first + t];
            if (!is_split(term.index)) continue;
            if (q.kind == ir::position_kind::merged) possible_ = false;
            // of a subtracted letter the last place of all is where the least value is
            const std::int64_t off = term.coefficient >= 0 ? before_ : own_ + before_ - all_;
            q.offset += static_cast<std::int32_t>(term.coefficient * off);
        }
    }
    const ir::range out{p_.positions.size(), at.count};
    p_.positions.append(list.data(), at.count);
    return out;
}

// Expressions -------------------------------------------------------------------------------------

// A value that is needed as it is: partial ones are folded by all ranks, as a tensor of their own.
local_equation::value local_equation::whole(value v) {
    if (v.at != place::partial) return v;
    const ir::node x = p_.nodes[v.node];
    if (x.kind == ir::op::tensor) {
        const ir::ref tensor = bench_.names[static_cast<std::size_t>(x.name)].tensor;
        ir::node read = x;
        read.name = where_.need_whole(bench_, tensor, number_);
        return {p_.nodes.push(read), place::whole};
    }
    return {extract(v.node, fold::sum, nullptr), place::whole};
}

// A tensor of `body`, or of its fold over the letters of `over`, that all ranks have; the node that
// reads it.
ir::ref local_equation::extract(ir::ref body, fold how, const ir::node* over) {
    return read_whole(own_tensor(body, named_form::of_fold(how), over));
}
ir::ref local_equation::read_whole(const extracted& made) {
    return p_.tensor(where_.need_whole(bench_, made.tensor, number_), made.at);
}

// The same of which each rank has what is its own.
local_equation::extracted local_equation::own_tensor(ir::ref body, const named_form& form,
                                                     const ir::node* over) {
    const spelling s = spelt(body, form);
    if (const std::optional<extracted> made = known(s)) return *made;
    if (!may_leave_condition(body)) possible_ = false;
    std::vector<ir::ref> letters = free_letters(body);
    if (over != nullptr) std::erase_if(letters, [&](ir::ref i) { return binds(*over, i); });
    std::erase_if(letters, [&](ir::ref i) { return is_split(i); });
    std::vector<std::int64_t> shape;
    for (const ir::ref i : letters) shape.push_back(extent_of(i));
    const ir::ref defined = p_.equations[number_].name;
    const ir::ref made = bench_.add(defined, "a sum for", form);
    bench_.text.shapes[static_cast<std::size_t>(made)] = shape;
    bench_.names[static_cast<std::size_t>(made)].tensor = made;
    bench_.names[static_cast<std::size_t>(made)].own = !form.partial;
    bench_.extracts[made] = {letters, defined};
    if (form.partial) {
        where_.of(made).partial = made;
        where_.of(made).how = form.how;
    }
    const extracted one{made, made, positions_of(letters)};
    add(made, one.at, body, split_);
    keep_known(s, one);
    return one;
}

local_equation::value local_equation::walk(ir::ref n) {
    const ir::node x = p_.nodes[n];
    if (!possible_) return {n, place::whole};
    switch (x.kind) {
        case ir::op::tensor:
            return walk_tensor(x);
        case ir::op::reduce:
            return walk_reduction(x);
        case ir::op::add:
            return walk_sum(x);
        case ir::op::multiply:
        case ir::op::divide:
            return walk_product(x);
        case ir::op::position:
            if (!has_split(x.positions)) return {n, place::whole};
            if (before_ == 0) return {n, place::own};
            return {p_.make(ir::op::add, n, p_.number(static_cast<double>(before_))), place::own};
        case ir::op::delta: {
            if (!has_split(x.positions)) return {n, place::whole};
            ir::node moved = x;
            moved.positions = shifted(x.positions);
            return {p_.nodes.push(moved), place::own};
        }
        case ir::op::compare:
            if (const std::optional<value> counted = own_place(x)) return *counted;
            return walk_other(x);
        default:
            return walk_other(x);
    }
}

local_equation::value local_equation::walk_tensor(const ir::node& x) {
    if (const std::optional<value> row = look_up(x)) return *row;
    std::vector<ir::ref> children;
    bool own = false;
    for (std::int32_t k = 0; k < x.children.count; ++k) {
        const value v = whole(walk(p_.links[x.children.first + k]));
        own = own || v.at == place::own;
        children.push_back(v.node);
    }
    ir::node read = x;
    if (has_split(x.positions)) {
        std::int32_t plain = -1, count = 0;
        for (std::int32_t k = 0; k < x.positions.count; ++k) {
            const ir::range one{x.positions.first + k, 1};
            if (!has_split(one)) continue;
            ++count;
            if (p_.positions[one.first].kind == ir::position_kind::index) plain = k;
        }
        if (plain >= 0 && bench_.is_inner(x.name, plain)) {
            possible_ = false;
        } else if (plain >= 0 && count == 1) {
            read.name = where_.need_part(bench_, x.name, plain, number_);
        } else if (plain >= 0 || count > 1) {
            possible_ = false;
        } else {
            read_arithmetic(read);
        }
        return {copy(read, children), place::own};
    }
    const forms& there = where_.of(x.name);
    if (wait_ && !own && there.whole == ir::none && there.partial != ir::none &&
        there.how == fold::sum) {
        read.name = there.partial;
        return {copy(read, children), place::partial};
    }
    read.name = where_.need_whole(bench_, x.name, number_);
    return {copy(read, children), own ? place::own : place::whole};
}

// A place that is arithmetic in the letter begins where this rank's places do. Of a table of
// differences, b^{i-j}, which has no more places than are read, this rank's ones are a window.
void local_equation::read_arithmetic(ir::node& read) {
    std::int32_t axis = 0;
    while (!has_split({read.positions.first + axis, 1})) ++axis;
    if (read_neighbours(read, axis)) return;
    const ir::position q = p_.positions[read.positions.first + axis];
    std::int64_t reach = q.offset + 1;
    bool subtracted = false;
    for (std::int32_t t = 0; t < q.terms.count; ++t) {
        const ir::affine_term term = p_.affine_terms[q.terms.first + t];
        reach += std::abs(term.coefficient) * (extent_of(term.index) - 1);
        subtracted = subtracted || term.coefficient < 0;
    }
    const std::int64_t extent =
        bench_.text.shapes[static_cast<std::size_t>(read.name)][static_cast<std::size_t>(axis)];
    if (q.kind != ir::position_kind::affine || bench_.is_inner(read.name, axis) ||
        (subtracted && extent != reach)) {
        possible_ = false;
    } else if (subtracted) {
        read.name = need_differences(read.name, axis, q, extent);
    } else {
        read.name = where_.need_whole(bench_, read.name, number_);
        read.positions = shifted(read.positions);
    }
}

// Of a sum with partial terms, the others are added by the first rank alone. Until then the sum is
// one of all terms everywhere: ranks decide alike by what it reads.
local_equation::value local_equation::walk_sum(const ir::node& x) {
    std::vector<value> terms;
    bool partial = false, own = false;
    for (std::int32_t k = 0; k < x.children.count; ++k) {
        terms.push_back(walk(p_.links[x.children.first + k]));
        partial = partial || terms.back().at == place::partial;
        own = own || terms.back().at == place::own;
    }
    std::vector<ir::ref> children, waiting;
    for (value& v : terms) {
        if (own) v = whole(v);
        children.push_back(v.node);
        if (v.at == place::partial) waiting.push_back(v.node);
    }
    const ir::ref sum = copy(x, children);
    if (own || !partial) return {sum, own ? place::own : place::whole};
    if (waiting.size() < children.size())
        of_others_[sum] = waiting.size() == 1 ? waiting[0] : copy(x, waiting);
    return {sum, place::partial};
}

// What a rank behind the first computes of an expression.
ir::ref local_equation::of_others(ir::ref n) {
    if (const auto other = of_others_.find(n); other != of_others_.end())
        return of_others(other->second);
    const ir::node x = p_.nodes[n];
    std::vector<ir::ref> children;
    bool changed = false;
    for (std::int32_t k = 0; k < x.children.count; ++k) {
        const ir::ref child = p_.links[x.children.first + k];
        children.push_back(of_others(child));
        changed = changed || children.back() != child;
    }
    return changed ? copy(x, children) : n;
}

// A product may have one partial factor beside whole ones, a quotient a partial numerator.
local_equation::value local_equation::walk_product(const ir::node& x) {
    std::vector<value> factors;
    bool own = false;
    std::int32_t kept = -1;
    for (std::int32_t k = 0; k < x.children.count; ++k) {
        factors.push_back(walk(p_.links[x.children.first + k]));
        own = own || factors.back().at == place::own;
        const bool may_wait = x.kind == ir::op::multiply || k == 0;
        if (factors.back().at == place::partial && may_wait && kept < 0) kept = k;
    }
    std::vector<ir::ref> children;
    for (std::int32_t k = 0; k < x.children.count; ++k) {
        value& v = factors[static_cast<std::size_t>(k)];
        if (own || k != kept) v = whole(v);
        children.push_back(v.node);
    }
    return {copy(x, children), own ? place::own : kept >= 0 ? place::partial : place::whole};
}

local_equation::value local_equation::walk_other(const ir::node& x) {
    std::vector<ir::ref> children;
    bool own = has_split(x.positions);
    for (std::int32_t k = 0; k < x.children.count; ++k) {
        const value v = whole(walk(p_.links[x.children.first + k]));
        own = own || v.at == place::own;
        children.push_back(v.node);
    }
    if (children.empty()) return {p_.nodes.push(x), place::whole};
    return {copy(x, children), own ? place::own : place::whole};
}

// The equation ------------------------------------------------------------------------------------

// Whether an expression has a value where a rank has no places of what it sums over, too: other
// sums, yet to be added up, may be among its terms.
bool local_equation::reads_partial(ir::ref body) const {
    bool found = false;
    ir::for_each_node(p_, body, [&](ir::ref n) {
        const ir::node& x = p_.nodes[n];
        found = found || (x.kind == ir::op::tensor &&
                          bench_.names[static_cast<std::size_t>(x.name)].partial);
    });
    return found;
}

void local_equation::add(ir::ref name, ir::range positions, ir::ref body,
                         const std::vector<ir::ref>& split) {
    operation o;
    o.equation = number_;
    const ir::ref others = of_others_.empty() ? body : of_others(body);
    const bool first = bench_.sharing.rank == 0;
    o.compute = {{name, positions, first ? body : others, false, p_.equations[number_].source},
                 split,
                 (first && others != body) || reads_partial(body),
                 body};
    where_.operations.push_back(o);
}

// The axis of what an equation defines that has the letter, or -1; nothing where it cannot be cut.
std::optional<std::int32_t> local_equation::cut_axis(const ir::equation& e) {
    std::int32_t axis = -1;
    for (std::int32_t k = 0; k < e.positions.count; ++k) {
        if (!has_split({e.positions.first + k, 1})) continue;
        if (axis >= 0 || p_.positions[e.positions.first + k].kind != ir::position_kind::index ||
            bench_.is_inner(e.name, k))
            return std::nullopt;
        axis = k;
    }
    return axis;
}

bool local_equation::run() {
    const ir::equation e = p_.equations[number_];
    const ir::node root = p_.nodes[e.body];
    const std::optional<std::int32_t> found = cut_axis(e);
    if (!found) return false;
    const std::int32_t axis = *found;
    if (ir::gives_place(root) && binds_split(root)) return axis < 0 && find_first_place(e);
    named_form form;
    // a maximum over the letter, with nothing around it, is what ranks fold
    const bool folds = root.kind == ir::op::reduce && binds_split(root) &&
                       fold_of(static_cast<ir::reduction>(root.detail)).has_value();
    value v{};
    if (folds) {
        const value child = whole(walk(p_.links[root.children.first]));
        if (axis >= 0 || !cuts_one_letter(root, child.node)) return false;
        ir::node own = root;
        own.value = 0;
        v = {copy(own, {with_sums_apart(child.node)}), place::partial};
        work_ += places(child.node);
        form.how = *fold_of(static_cast<ir::reduction>(root.detail));
    } else {
        v = walk(e.body);
        if (axis >= 0) v = whole(v);
    }
    if (!possible_) return false;
    spelling spelt_alike;
    if (v.at == place::partial) {
        spelt_alike = spelt(v.node, named_form::of_fold(form.how));
        if (const std::optional<value> there = known_whole(spelt_alike)) v = *there;
    }
    if (axis >= 0) v.at = place::own;
    work_ += places(v.node);
    if (v.at == place::own && axis < 0) return false;
    ir::ref name = e.name;
    forms& made = where_.of(e.name);
    if (v.at == place::partial) {
        form = named_form::of_fold(form.how);
        name = bench_.add(e.name, "terms of", form);
        where_.of(e.name).partial = name;
        where_.of(e.name).how = form.how;
    } else if (v.at == place::own) {
        form.part = axis;
        name = bench_.add(e.name, "part of", form);
        where_.of(e.name).set_part(axis, name);
    } else {
        made.whole = name;
    }
    if (v.at == place::own) keep_weights(e, axis);
    if (v.at == place::partial) keep_known(spelt_alike, {name, e.name, e.positions});
    // what ranks have folded already is computed by those without places, too
    const bool cut = v.at != place::whole;
    add(name, e.positions, v.node, cut ? split_ : std::vector<ir::ref>{});
    where_.price += price_of_multiplication * work_;
    where_.work += work_;
    return true;
}

}  // namespace ricci::mpi
