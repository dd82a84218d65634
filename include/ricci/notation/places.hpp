// Places: an index used as a number, arithmetic that may leave an axis, and tensors that are read
// at an index and beside it.
#pragma once

#include <cstdint>

#include <ricci/ir/conditions.hpp>
#include <ricci/ir/mistake.hpp>
#include <ricci/ir/rewrite.hpp>
#include <ricci/ir/subtracted_places.hpp>
#include <ricci/notation/bounds.hpp>
#include <ricci/notation/open_letters.hpp>
#include <ricci/notation/place_writer.hpp>

namespace ricci::notation {

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
            const ir::position& q = p_.positions[x.positions.first + k];
            if (!is_plain_arithmetic(q) || ir::has_subtracted(p_, q)) continue;
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
                fail(x.source, looked_up_inside);
            return settled;
        });
        return x.kind == op::tensor ? settle_use(inside, guarded) : inside;
    }
    /// The places of one use of a tensor.
    constexpr ref settle_use(ref n, bool guarded) {
        const ir::node x = p_.nodes[n];
        detail::buffer<ir::position> list;
        bool changed = false;
        for (std::int32_t k = 0; k < x.positions.count; ++k) {
            ir::position q = p_.positions[x.positions.first + k];
            if (q.kind == ir::position_kind::index && is_neighbour(x.name, q.index)) {
                q = beside_itself(q);
                changed = true;
            }
            if (is_plain_arithmetic(q) && q.offset < 0) {
                if (!guarded) refuse_below_zero(x, q);
                q.index = outside::excluded;
            } else if (is_plain_arithmetic(q) && q.offset > 0 && ir::has_subtracted(p_, q)) {
                q.index = outside::excluded;  // x^{3-i}, as written
            }
            changed = changed || (q.kind == ir::position_kind::affine && q.index != none);
            list.push(q);
        }
        return changed ? place_writer(p_).write(n, list) : n;
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
