// Reverse-mode differentiation of a program, by rules for each kind of node, to a program.
#pragma once

#include <cstdint>

#include <ricci/derive/places.hpp>
#include <ricci/derive/rules.hpp>
#include <ricci/derive/tidy.hpp>
#include <ricci/ir/compact.hpp>
#include <ricci/ir/mistake.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::derive {

using detail::buffer;
using detail::text_view;
using ir::equation;
using ir::none;
using ir::reduction;

/// What a derivation is asked for: names in canonical spelling.
struct gradient_request {
    text_view of;
    const text_view* wrt = nullptr;
    std::int32_t wrt_count = 0;
    bool with_value = false;  // `of` is an output too
    text_view loss = "L";
    /// Instead of `of` and `wrt`: the cotangent of every tensor by those of the tensors that its own
    /// uses define, one step of the chain rule for each.
    bool one_step = false;
};

struct derived {
    ir::program program;
    ir::mistake mistake;
};

/// Walks the equations from last to first. The cotangent of an expression is kept as a list of
/// factors with the place of the expression's own factor, so that a derived product reads in the
/// order of the original: Q = X W gives dL/dW = X dL/dQ.
class reverse_mode {
public:
    constexpr reverse_mode(const ir::program_view& source, const gradient_request& request)
        : p_(source), request_(request), source_equations_(source.equations.size()) {}

    constexpr derived run() {
        derived out;
        if (request_.one_step) return one_step();
        out.mistake = find_names();
        if (out.mistake) return out;
        mark_active();
        for (ir::name_symbol& n : p_.names) n.kept = false;
        for (ref e = source_equations_; e-- > 0;) {
            const equation q = p_.equations[e];
            if (q.claim || !active_[q.name]) continue;
            if (q.name != of_) define_cotangent(q.name);
            if (!cotangent_exists(q.name)) continue;
            start(q);
        }
        for (ref name : wrt_) {
            if (p_.definition(cotangent_name(name)) == none) define_cotangent(name);
            if (p_.definition(cotangent_name(name)) == none && !out.mistake)
                out.mistake = no_dependence(name);
            p_.names[cotangent_name(name)].kept = true;
        }
        if (request_.with_value) p_.names[of_].kept = true;
        if (!out.mistake) out.program = drop_dead_equations(p_, shape_needed_);
        // What the source takes may be bound although these equations do not read it: for its shape.
        for (ref e = 0; e < source_equations_; ++e)
            intern_inputs(out.program, p_.equations[e].body);
        return out;
    }

private:
    using factors = buffer<ref>;

    constexpr void start(const equation& q) {
        whole_ = q.body;
        whole_value_ = p_.tensor(q.name, q.positions);
        taken_ = {};
        ir::for_each_index(p_, q.positions, [&](ref i) { taken_.add(i); });
        ir::for_each_node(p_, q.body, [&](ref n) {
            const ir::node& x = p_.nodes[n];
            ir::for_each_index(p_, x.positions, [&](ref i) { taken_.add(i); });
            for (std::int32_t k = 0; k < x.indices.count; ++k)
                taken_.add(p_.links[x.indices.first + k]);
        });
        factors cotangent;
        cotangent.push(p_.tensor(cotangent_name(q.name), q.positions));
        propagate(q.body, cotangent);
    }
    constexpr void intern_inputs(ir::program& out, ref body) const {
        ir::for_each_node(p_, body, [&](ref n) {
            const ir::node& x = p_.nodes[n];
            if (x.kind == op::tensor && p_.definition(x.name) == none)
                out.intern_name(p_.name(x.name));
        });
    }
    /// An equation about derivatives is no part of what is differentiated.
    constexpr bool uses_cotangent(ref body) const {
        bool found = false;
        ir::for_each_node(p_, body, [&](ref n) {
            const ir::node& x = p_.nodes[n];
            found = found ||
                    (x.kind == op::tensor && p_.names[x.name].kind == ir::name_kind::cotangent);
        });
        return found;
    }
    constexpr derived one_step() {
        derived out;
        for (std::int32_t n = 0; n < p_.names.size(); ++n) active_.push(true);
        for (ref e = source_equations_; e-- > 0;)
            if (!p_.equations[e].claim && !uses_cotangent(p_.equations[e].body))
                start(equation(p_.equations[e]));
        const std::int32_t names = active_.size();
        for (ref n = 0; n < names; ++n) define_cotangent(n);
        out.program = ir::compact(p_);
        return out;
    }

    struct contribution {
        ref name;
        ir::range positions;
        ref body;
    };

    // Names ---------------------------------------------------------------------------------------

    constexpr ir::mistake find_names() {
        of_ = p_.find(request_.of);
        if (of_ == none || p_.definition(of_) == none)
            return unknown(request_.of, " defines no tensor ");
        for (std::int32_t k = 0; k < request_.wrt_count; ++k) {
            const ref name = p_.find(request_.wrt[k]);
            if (name == none) return unknown(request_.wrt[k], " has no tensor ");
            wrt_.push(name);
        }
        return {};
    }
    constexpr ir::mistake unknown(text_view name, text_view words) {
        detail::text_builder sentence;
        sentence << "the program" << words << name;
        return ir::make_mistake(ir::mistake_kind::unknown_name, sentence);
    }
    constexpr ir::mistake no_dependence(ref name) {
        detail::text_builder sentence;
        sentence << request_.of << " does not depend on " << p_.name(name)
                 << ", so there is no gradient";
        return ir::make_mistake(ir::mistake_kind::unknown_name, sentence);
    }
    constexpr ref cotangent_name(ref name) {
        detail::text_builder spelling;
        spelling << 'd' << request_.loss << "/d" << p_.name(name);
        return p_.intern_name(spelling, ir::name_kind::cotangent, name);
    }
    constexpr bool cotangent_exists(ref name) {
        return name == of_ || p_.definition(cotangent_name(name)) != none;
    }
    /// A name is active when it depends on one of the names asked for.
    constexpr void mark_active() {
        for (ref n = 0; n < p_.names.size(); ++n) active_.push(false);
        for (ref n : wrt_) active_[n] = true;
        for (ref e = 0; e < source_equations_; ++e)
            if (!p_.equations[e].claim && is_active(p_.equations[e].body))
                active_[p_.equations[e].name] = true;
    }
    constexpr bool is_active(ref n) const {
        const ir::node& x = p_.nodes[n];
        if (x.kind == op::tensor && x.name < active_.size() && active_[x.name]) return true;
        for (std::int32_t k = 0; k < x.children.count; ++k)
            if (is_active(p_.links[x.children.first + k])) return true;
        return false;
    }

    // Propagation ---------------------------------------------------------------------------------

    constexpr ref child(ref n, std::int32_t k) const {
        return p_.links[p_.nodes[n].children.first + k];
    }

    /// The value of `n`: the tensor that the equation defines, where `n` is its whole right side.
    constexpr ref value_of(ref n) const { return n == whole_ ? whole_value_ : n; }

    constexpr void propagate(ref n, const factors& cotangent) {
        if (!is_active(n)) return;
        const ir::node x = p_.nodes[n];
        switch (x.kind) {
            case op::tensor:
                return contribute(x, cotangent);
            case op::add:
                for (std::int32_t k = 0; k < x.children.count; ++k)
                    propagate(child(n, k), cotangent);
                return;
            case op::multiply:
                return through_product(n, cotangent);
            case op::divide:
                return through_quotient(n, cotangent);
            case op::power:
                return through_power(n, cotangent);
            case op::apply:
                return through_function(n, cotangent);
            case op::reduce:
                return through_reduction(n, cotangent);
            case op::choose:
                return through_cases(n, cotangent);
            default:
                return;  // piecewise constant
        }
    }
    constexpr factors with(const factors& cotangent, ref factor) {
        factors out = cotangent;
        out.push(factor);
        return out;
    }
    constexpr void through_product(ref n, const factors& cotangent) {
        const std::int32_t count = p_.nodes[n].children.count;
        for (std::int32_t k = 0; k < count; ++k) {
            if (!is_active(child(n, k))) continue;
            factors all;
            for (std::int32_t j = 0; j < k; ++j) all.push(child(n, j));
            all.append(cotangent.data(), cotangent.size());
            for (std::int32_t j = k + 1; j < count; ++j) all.push(child(n, j));
            propagate(child(n, k), all);
        }
    }
    constexpr void through_quotient(ref n, const factors& cotangent) {
        expression_builder b(p_);
        const ref a = child(n, 0), c = child(n, 1);
        propagate(a, with(cotangent, b.over(b.number(1), c)));
        if (!is_active(c)) return;
        factors all;
        all.push(b.number(-1));
        all.append(cotangent.data(), cotangent.size());
        propagate(c, with(all, b.over(value_of(n), c)));
    }
    constexpr void through_power(ref n, const factors& cotangent) {
        expression_builder b(p_);
        const ref base = child(n, 0), exponent = child(n, 1);
        const ir::node e = p_.nodes[exponent];
        if (e.kind == op::number) {
            factors all;
            if (e.value == 0) return;
            if (e.value != 1) all.push(b.number(e.value));
            all.append(cotangent.data(), cotangent.size());
            if (e.value != 1) all.push(e.value == 2 ? base : b.power(base, e.value - 1));
            return propagate(base, all);
        }
        const ref lower = p_.make(op::power, base, b.minus(exponent, b.number(1)));
        propagate(base, with(with(cotangent, exponent), lower));
        propagate(exponent, with(with(cotangent, value_of(n)), b.apply(function::log, base)));
    }
    constexpr void through_function(ref n, const factors& cotangent) {
        expression_builder b(p_);
        const ir::node x = p_.nodes[n];
        const auto f = static_cast<function>(x.detail);
        if (f == function::maximum || f == function::minimum) {
            for (std::int32_t k = 0; k < 2; ++k) {  // of equal values each gets half
                const ref mine = child(n, k), other = child(n, 1 - k);
                const ref wins = f == function::maximum
                                     ? b.compare(ir::comparison::less, other, mine)
                                     : b.compare(ir::comparison::less, mine, other);
                const ref tie = b.compare(ir::comparison::equal, mine, other);
                propagate(mine, with(cotangent, b.plus(wins, b.times(b.number(0.5), tie))));
            }
            return;
        }
        if (f == function::modulo) {  // a mod m = a - m floor(a / m)
            propagate(child(n, 0), cotangent);
            const ref quotient = b.apply(function::floor, b.over(child(n, 0), child(n, 1)));
            return propagate(child(n, 1), with(with(cotangent, b.number(-1)), quotient));
        }
        const ref slope = derivative(p_, f, child(n, 0), value_of(n));
        if (slope != none) propagate(child(n, 0), with(cotangent, slope));
    }
    constexpr void through_cases(ref n, const factors& cotangent) {
        expression_builder b(p_);
        const ir::node x = p_.nodes[n];
        for (std::int32_t k = 0; k < x.children.count; k += 2) {
            if (!is_active(child(n, k))) continue;
            factors parts;  // the same cases with 1 here and 0 elsewhere
            for (std::int32_t j = 0; j < x.children.count; ++j)
                parts.push(j % 2 == 1 && j + 1 != x.children.count ? child(n, j)
                                                                   : b.number(j == k ? 1 : 0));
            propagate(child(n, k),
                      with(cotangent, p_.make(op::choose, 0, parts.data(), parts.size())));
        }
    }

    // Reductions ----------------------------------------------------------------------------------

    constexpr ref primed(ref index) {
        const ref fresh = with_more_primes(p_, index, taken_);
        taken_.add(fresh);
        return fresh;
    }
    /// Goes on below a sum or a mean, whose indices are summed over whatever a use has of them.
    constexpr void propagate_below(const ir::node& x, ref body, const factors& cotangent) {
        const std::int32_t mark = path_.size();
        for (std::int32_t k = 0; k < x.indices.count; ++k)
            path_.push(p_.links[x.indices.first + k]);
        propagate(body, cotangent);
        path_.shrink(mark);
    }
    constexpr auto counted() {
        return [this](ref index) { return primed(index); };
    }
    /// Every index of a reduction with a prime more, to use the body once more beside itself.
    constexpr ir::index_map prime_all(const ir::node& x) {
        ir::index_map renamed;
        for (std::int32_t k = 0; k < x.indices.count; ++k) {
            const ref i = p_.links[x.indices.first + k];
            renamed.set(i, primed(i));
        }
        return renamed;
    }
    constexpr ref sum_primed(const ir::node& x, const ir::index_map& renamed, ref body) {
        factors over;
        for (std::int32_t k = 0; k < x.indices.count; ++k)
            over.push(renamed(p_.links[x.indices.first + k]));
        const ir::range list = p_.add_links(over);
        return p_.reduce(reduction::sum, list, body);
    }
    constexpr void through_reduction(ref n, const factors& cotangent) {
        expression_builder b(p_);
        const ir::node x = p_.nodes[n];
        const ref body = child(n, 0);
        const ir::index_map renamed = prime_all(x);
        switch (static_cast<reduction>(x.detail)) {
            case reduction::sum:
                return propagate_below(x, body, cotangent);
            case reduction::mean: {
                const ref count = sum_primed(x, renamed, b.number(1));
                return propagate_below(x, body, with(cotangent, b.over(b.number(1), count)));
            }
            case reduction::softmax: {  // y (g - sum y g)
                const ref y = value_of(n);
                const ref g = product_of(p_, cotangent);
                const ref rows =
                    sum_primed(x, renamed, ir::rename_indices(p_, b.times(y, g), renamed));
                factors all;
                all.push(y);
                all.push(b.minus(g, rows));
                return propagate(body, all);
            }
            case reduction::logsumexp: {
                const ref weights = p_.reduce(reduction::softmax, x.indices, body);
                return propagate(body, with(cotangent, weights));
            }
            case reduction::maximum:
            case reduction::minimum: {  // the places of the extremum share equally
                const ref inside =
                    p_.reduce(static_cast<reduction>(x.detail), renamed_list(x, renamed),
                              ir::rename_indices(p_, body, renamed));
                const ref extremum = n == whole_ ? whole_value_ : inside;
                const ref here = b.compare(ir::comparison::equal, body, extremum);
                const ref ties = sum_primed(x, renamed, ir::rename_indices(p_, here, renamed));
                return propagate(body, with(cotangent, b.over(here, ties)));
            }
        }
    }
    constexpr ir::range renamed_list(const ir::node& x, const ir::index_map& renamed) {
        factors over;
        for (std::int32_t k = 0; k < x.indices.count; ++k)
            over.push(renamed(p_.links[x.indices.first + k]));
        return p_.add_links(over);
    }

    // Contributions -------------------------------------------------------------------------------

    /// What one use of a tensor adds to its cotangent: the product of the factors, summed over the
    /// indices that the tensor does not have there.
    constexpr void contribute(const ir::node& use, const factors& cotangent) {
        factors all = cotangent;
        const ir::range left = left_side(use.name, use.positions, all);
        const ref product = product_of(p_, all);
        if (p_.nodes[product].kind == op::number && p_.nodes[product].value == 0) return;
        contributions_.push({use.name, left, sum_but(p_, product, left, path_)});
    }
    /// The positions of the cotangent's left side. An axis that is not simply an index of its own
    /// (a diagonal, a fixed place, arithmetic) gets a new index and a condition among the factors.
    constexpr ir::range left_side(ref name, ir::range use, factors& all) {
        std::int32_t fresh_count = 0;
        buffer<ir::position> list;
        ir::index_set seen;
        for (std::int32_t k = 0; k < use.count; ++k) {
            const ir::position q = p_.positions[use.first + k];
            bool simple = q.kind == ir::position_kind::index || q.kind == ir::position_kind::merged;
            ir::for_each_index(p_, {use.first + k, 1}, [&](ref i) {
                simple = simple && !seen.has(i);
                seen.add(i);
            });
            if (simple) {
                list.push(q);
                continue;
            }
            const ir::position fresh = ir::index_position(fresh_axis(fresh_count++));
            list.push(fresh);
            need_shape(name);
            all.push(is_at(p_, q, fresh, counted()));
        }
        const ir::range left{p_.positions.size(), list.size()};
        p_.positions.append(list.data(), list.size());
        return left;
    }
    constexpr void need_shape(ref name) {
        shape_needed_.resize(p_.names.size(), false);
        shape_needed_[name] = true;
    }
    /// The `number`-th index for axes that a use gives none of their own: a letter that the program
    /// does not have, because one with primes would share the extent of its letter.
    constexpr ref fresh_axis(std::int32_t number) {
        const text_view letters = "pqrstuvwzyxmnklefgbcdo";
        for (std::int32_t k = 0; k < letters.size && fresh_.size() <= number; ++k)
            if (p_.find_index(letters.slice(k, k + 1)) == none)
                fresh_.push(p_.intern_index(letters.slice(k, k + 1)));
        detail::text_builder spelling;
        spelling << "\\ell";
        for (; fresh_.size() <= number; spelling << '\'')
            if (p_.find_index(spelling) == none) fresh_.push(p_.intern_index(spelling));
        return fresh_[number];
    }
    constexpr bool same_form(ir::range a, ir::range b) const {
        for (std::int32_t k = 0; k < a.count; ++k) {
            const ir::position &x = p_.positions[a.first + k], &y = p_.positions[b.first + k];
            if (x.kind != y.kind || x.terms.count != y.terms.count) return false;
        }
        return true;
    }
    /// The contributions to a tensor that one use splits into axes and another does not: all with an
    /// index of its own for each axis, and a condition where the axis was merged.
    constexpr factors in_plain_form(ref name, ir::range& left) {
        factors terms;
        need_shape(name);
        buffer<ir::position> list;
        for (std::int32_t k = 0; k < left.count; ++k) list.push(ir::index_position(fresh_axis(k)));
        left = {p_.positions.size(), list.size()};
        p_.positions.append(list.data(), list.size());
        for (std::int32_t k = contributions_.size(); k-- > 0;) {
            const contribution c = contributions_[k];
            if (c.name != name) continue;
            factors all;
            ir::index_map renamed;
            for (std::int32_t axis = 0; axis < left.count; ++axis) {
                const ir::position q = p_.positions[c.positions.first + axis];
                if (q.kind == ir::position_kind::index) renamed.set(q.index, list[axis].index);
                else all.push(is_at(p_, q, list[axis], counted()));
            }
            all.push(c.body);
            terms.push(sum_but(p_, ir::rename_indices(p_, product_of(p_, all), renamed), left, {}));
        }
        return terms;
    }
    /// dL/dname = the sum of its contributions, in the order of the uses.
    constexpr void define_cotangent(ref name) {
        factors terms;
        ir::range left{};
        bool mixed = false;
        for (std::int32_t k = contributions_.size(); k-- > 0;) {
            const contribution c = contributions_[k];
            if (c.name != name) continue;
            if (terms.empty()) left = c.positions;
            const bool alike = same_form(c.positions, left);
            terms.push(alike && !terms.empty() ? rename_left_side(p_, c.body, c.positions, left)
                                               : c.body);
            mixed = mixed || !alike;
        }
        if (mixed) terms = in_plain_form(name, left);
        for (std::int32_t k = 1; k < terms.size(); ++k) terms[k] = ir::freshen_bound(p_, terms[k]);
        if (terms.empty()) return;
        const ref body =
            terms.size() == 1 ? terms[0] : p_.make(op::add, 0, terms.data(), terms.size());
        p_.equations.push({cotangent_name(name), left, prime_shadowed(p_, body, left), false, {}});
    }

    ir::program p_;
    gradient_request request_;
    std::int32_t source_equations_;
    ref of_ = none;
    factors wrt_;
    buffer<bool> active_;
    buffer<contribution> contributions_;
    ir::index_set taken_;        // the indices of the equation in hand, and those made for it
    factors path_;               // the indices of the sums around the place in hand
    factors fresh_;              // letters for axes that no index of a use stands for
    buffer<bool> shape_needed_;  // names whose shape no index of their cotangent gives
    ref whole_ = none;           // the right side of the equation in hand
    ref whole_value_ = none;     // the tensor it defines
};

/// The equations that give dL/dx for every x asked for, from the inputs and dL/d(of), with the
/// equations of the source that they need.
constexpr derived gradient(const ir::program_view& source, const gradient_request& request) {
    return reverse_mode(source, request).run();
}

}  // namespace ricci::derive
