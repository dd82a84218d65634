// Places: an index used as a number, arithmetic that may leave an axis, and tensors that are read
// at an index and beside it.
#pragma once

#include <cstdint>

#include <ricci/ir/conditions.hpp>
#include <ricci/ir/mistake.hpp>
#include <ricci/ir/rewrite.hpp>
#include <ricci/notation/bounds.hpp>
#include <ricci/notation/open_letters.hpp>
#include <ricci/notation/positions.hpp>

namespace ricci::notation {

using ir::none;
using ir::op;
using ir::ref;

/// Works on the body of one equation, or of a function with parameters, freshly parsed.
class place_settler {
public:
    constexpr place_settler(ir::program& p, detail::text_view text, const ir::equation& e,
                            ir::range parameters)
        : p_(p), text_(text), equation_(e), parameters_(parameters) {}

    constexpr ref run() {
        if (p_.affine_terms.size() > 0) find_neighbours(equation_.body, false);
        bool conditions = false;
        ir::for_each_node(p_, equation_.body, [&](ref n) {
            conditions = conditions || binds_by_condition(p_.nodes[n]);
        });
        if (conditions) {
            survey();
            ir::index_set left;
            ir::add_indices(p_, equation_.positions, left);
            condition_letters letters(p_, indices_, parameters_);
            letters.find(equation_.body, left);
            if (letters.doubtful != none) refuse_doubtful(p_.nodes[letters.doubtful]);
        }
        return settle(equation_.body, false);
    }
    /// Whether what some sign runs over is yet to be decided.
    constexpr bool undecided() const { return undecided_; }
    constexpr ir::mistake&& mistake() { return static_cast<ir::mistake&&>(mistake_); }

private:
    /// A tensor that is read at arithmetic of an index.
    struct neighbour {
        ref name;
        ref index;
    };

    constexpr void fail(ir::source_span at, detail::text_view words) {
        if (!mistake_)
            mistake_ =
                ir::make_mistake(ir::mistake_kind::unexpected, text_, at.begin, at.end, words);
    }
    static constexpr bool is_plain_arithmetic(const ir::position& q) {
        return q.kind == ir::position_kind::affine && q.index == none;
    }
    constexpr void find_neighbours(ref n, bool guarded) {
        const ir::node x = p_.nodes[n];
        for (std::int32_t k = 0; x.kind == op::tensor && !guarded && k < x.positions.count; ++k) {
            if (!is_plain_arithmetic(p_.positions[x.positions.first + k])) continue;
            ir::for_each_index(p_, {x.positions.first + k, 1}, [&](ref i) {
                neighbours_.push({x.name, i});
            });
        }
        const ir::guarded_children under_bracket(p_, x);
        for (std::int32_t k = 0; k < x.children.count; ++k) {
            const ref child = p_.links[x.children.first + k];
            find_neighbours(child, guarded || under_bracket(k));
        }
    }
    constexpr bool is_neighbour(ref name, ref index) const {
        for (const neighbour& m : neighbours_)
            if (m.name == name && m.index == index) return true;
        return false;
    }

    /// A bare `i` is the position i where the equation has an index of this name.
    constexpr ref settle(ref n, bool guarded) {
        const ir::node x = p_.nodes[n];
        undecided_ = undecided_ || is_undecided(x);
        if (x.kind == op::tensor && x.positions.count == 0) {
            const ref index = p_.find_index(p_.name(x.name));
            if (index == none || is_parameter(x.name) || !index_of_equation(index)) return n;
            return p_.position_of(index, x.source);
        }
        const ir::guarded_children under_bracket(p_, x);
        std::int32_t k = 0;
        const ref inside = ir::rebuild_children(p_, n, [&](ref child) {
            const ref settled = settle(child, guarded || under_bracket(k++));
            if (x.kind == op::tensor && p_.nodes[settled].kind == op::reduce)
                fail(
                    x.source,
                    "numbers that are looked up lie inside their axis; define them by an equation "
                    "of their own, as n^{ik} = m^{\\operatorname{clamp}(i+k)}, and look up n^{ik}");
            return settled;
        });
        return x.kind == op::tensor ? settle_use(inside, guarded) : inside;
    }
    /// The places of one use of a tensor.
    constexpr ref settle_use(ref n, bool guarded) {
        const ir::node x = p_.nodes[n];
        detail::buffer<ir::position> list;
        detail::buffer<ref> over, factors;
        bool changed = false;
        for (std::int32_t k = 0; k < x.positions.count; ++k) {
            ir::position q = p_.positions[x.positions.first + k];
            if (q.kind == ir::position_kind::index && is_neighbour(x.name, q.index)) {
                q = beside_itself(q);
                changed = true;
            }
            const bool kept_inside = is_plain_arithmetic(q) && q.offset < 0;
            if (kept_inside) {
                if (!guarded) refuse_below_zero(x, q);
                q.index = outside::padded;
            }
            if (q.kind != ir::position_kind::affine || q.index == none) {
                list.push(q);
                continue;
            }
            changed = true;
            const ref axis = fresh_index(q, k);
            if (kept_inside) p_.indices[axis].extent = ir::kept_inside;
            over.push(axis);
            list.push(ir::index_position(axis));
            list.back().upper = q.upper;
            const ref both[] = {p_.position_of(axis), bounded_place(q, axis, x.source)};
            factors.push(p_.make(op::compare, static_cast<std::uint8_t>(ir::comparison::equal),
                                 both, 2, x.source));
        }
        if (!changed) return n;
        const ir::range at{p_.positions.size(), list.size()};
        p_.positions.append(list.data(), list.size());
        if (over.empty()) {
            ir::node use = x;
            use.positions = at;
            return p_.nodes.push(use);
        }
        return sum_over_places(x, at, over, factors);
    }
    constexpr void refuse_doubtful(const ir::node& x) {
        detail::text_builder s;
        s << p_.name(x.name)
          << " can be an index that this condition binds, and a number of the caller; write all "
             "that is bound before a colon, \\sum_{k,"
          << p_.name(x.name) << " : k \\le " << p_.name(x.name)
          << "}, or the number's condition in a bracket, [" << p_.name(x.name) << " \\le i]";
        fail(x.source, s);
    }
    /// x^i beside x^{i+1} is x^{i+0}: how far i runs is what fits all places of x.
    constexpr ir::position beside_itself(const ir::position& q) {
        const ir::range terms{p_.affine_terms.size(), 1};
        p_.affine_terms.push({q.index, 1});
        return {ir::position_kind::affine, q.upper, none, 0, terms};
    }
    constexpr void refuse_below_zero(const ir::node& x, const ir::position& q) {
        detail::text_builder s;
        if (x.name == equation_.name) {
            s << p_.name(x.name)
              << " is made of its own places before; of a recurrence write one step, as in H = a "
                 "h, "
                 "which ricci::repeat repeats, each H being the next h";
            return fail(x.source, s);
        }
        s << "this place is " << q.offset
          << " where its indices are 0, and no axis begins there; shift the letters, as in x_{i+1} "
             "- "
             "x_i for x_i - x_{i-1}, or say what stands outside: \\operatorname{clamp}(i-1), wrap, "
             "pad, or a bracket [i \\ge 1] in front";
        fail(x.source, s);
    }
    /// x^{\operatorname{clamp}(i-1)} is the sum over p of [p = clamped i - 1] x^p; others too.
    constexpr ref sum_over_places(const ir::node& x, ir::range at, const detail::buffer<ref>& over,
                                  detail::buffer<ref>& factors) {
        detail::buffer<ref> numbers;
        for (std::int32_t k = 0; k < x.children.count; ++k)
            numbers.push(p_.links[x.children.first + k]);
        factors.push(p_.gather(x.name, at, numbers, x.source));
        const ref product = p_.make(op::multiply, 0, factors.data(), factors.size(), x.source);
        const ir::range sum = p_.add_links(over);
        return p_.reduce(ir::reduction::sum, sum, product, x.source);
    }
    constexpr ref fresh_index(const ir::position& q, std::int32_t axis) {
        detail::text_builder spelling;
        spelling << (q.terms.count > 0 ? p_.index(p_.affine_terms[q.terms.first].index)
                                       : detail::text_view("p"));
        do spelling << "''";
        while (axis-- > 0 || p_.find_index(spelling) != none);
        return p_.intern_index(spelling);
    }
    constexpr ref bounded_place(const ir::position& q, ref axis, ir::source_span source) {
        detail::buffer<ref> sum;
        for (std::int32_t t = 0; t < q.terms.count; ++t) {
            const ir::affine_term term = p_.affine_terms[q.terms.first + t];
            const ref here = p_.position_of(term.index, source);
            sum.push(term.coefficient == 1
                         ? here
                         : p_.make(op::multiply, p_.number(term.coefficient), here));
        }
        if (q.offset != 0 || sum.empty()) sum.push(p_.number(q.offset));
        const ref place = sum.size() == 1 ? sum[0] : p_.make(op::add, 0, sum.data(), sum.size());
        if (q.index == outside::padded) return place;
        const ref counted = p_.intern_index(primed(axis));
        const ir::range over = p_.add_links(&counted, 1);
        const ref extent = p_.reduce(ir::reduction::sum, over, p_.number(1));
        const auto apply = [&](ir::function f, ref a, ref b) {
            const ref both[] = {a, b};
            return p_.make(op::apply, static_cast<std::uint8_t>(f), both, 2);
        };
        if (q.index == outside::wrapped) return apply(ir::function::modulo, place, extent);
        const ref last = p_.make(op::add, extent, p_.number(-1));
        return apply(ir::function::maximum, p_.number(0),
                     apply(ir::function::minimum, last, place));
    }
    constexpr detail::text_builder primed(ref index) const {
        detail::text_builder spelling;
        spelling << p_.index(index) << "'";
        return spelling;
    }
    constexpr bool is_parameter(ref name) const {
        for (std::int32_t k = 0; k < parameters_.count; ++k)
            if (p_.links[parameters_.first + k] == name) return true;
        return false;
    }
    constexpr bool index_of_equation(ref index) {
        if (!surveyed_) survey();
        return indices_.has(index);
    }
    constexpr void survey() {
        surveyed_ = true;
        const auto look = [&](ref i) { indices_.add(i); };
        ir::for_each_index(p_, equation_.positions, look);
        ir::for_each_node(p_, equation_.body, [&](ref n) {
            const ir::node& x = p_.nodes[n];
            ir::for_each_index(p_, x.positions, look);
            for (std::int32_t k = 0; k < x.indices.count; ++k) look(p_.links[x.indices.first + k]);
        });
    }

    ir::program& p_;
    detail::text_view text_;
    ir::equation equation_;
    ir::range parameters_;  // of the function in hand, in the links
    detail::buffer<neighbour> neighbours_;
    ir::index_set indices_;  // of the equation, once one is asked for
    bool surveyed_ = false;
    bool undecided_ = false;
    ir::mistake mistake_;
};

}  // namespace ricci::notation
