// Cutting long expressions into equations of their own before they are differentiated: what several
// terms of a derivative need is then computed, and its cotangent added up, once.
#pragma once

#include <cstdint>

#include <ricci/derive/tidy.hpp>
#include <ricci/ir/conditions.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::derive {

template <class Program = ir::program>
class part_cutter {
public:
    constexpr part_cutter(Program& p, const detail::buffer<bool>& active)
        : p_(p), active_(active) {}

    /// Puts the equations of parts before those that they are parts of.
    constexpr void run() {
        const detail::buffer<ir::equation> source = p_.equations;
        bool any = false;
        for (const ir::equation& q : source)
            any = any || (!q.claim && active_[q.name] && is_long(estimate(q.body)));
        if (!any) return;
        p_.equations.clear();
        for (ir::equation q : source) {
            if (!q.claim && active_[q.name]) {
                parts_.clear();
                source_ = q.source;
                q.body = cut(q.body, false);
            }
            p_.equations.push(q);
        }
    }

private:
    /// How much is written where an expression is differentiated: `each` for every factor that stands
    /// before it already, and `own` of itself. A softmax of a softmax doubles at each step, a quotient
    /// of quotients repeats all that is inside.
    struct derived_size {
        double size;  // of the expression
        double each;
        double own;
        constexpr double total() const { return each + own; }
    };

    // A derivative up to so long, or not so much longer than what it is of, reads better whole.
    static constexpr double longest = 250, times = 8;
    static constexpr bool is_long(const derived_size& s) {
        return s.total() > longest && s.total() > times * s.size;
    }
    static constexpr std::int32_t most_axes = 6;

    // Estimates -----------------------------------------------------------------------------------

    constexpr derived_size child_of(const ir::node& x, std::int32_t k) {
        return estimate(p_.links[x.children.first + k]);
    }
    constexpr derived_size estimate(ref n) {
        while (known_.size() <= n) known_.push({-1, 0, 0});
        if (known_[n].size < 0) {
            const derived_size s = new_estimate(n);
            known_[n] = {limited(s.size), limited(s.each), limited(s.own)};
        }
        return known_[n];
    }
    static constexpr double limited(double x) { return x < 1e100 ? x : 1e100; }
    constexpr derived_size new_estimate(ref n) {
        const ir::node x = p_.nodes[n];
        derived_size s{1, 0, 0};
        if (x.kind == op::tensor) {
            s.each = x.name >= active_.size() || active_[x.name] ? 1 : 0;  // parts come last
            return s;
        }
        if (ir::is_power_of_zero(p_, x)) return s;
        for (std::int32_t k = 0; k < x.children.count; ++k) s.size += child_of(x, k).size;
        for (std::int32_t k = 0; k < x.children.count; ++k) {
            const derived_size below = child_of(x, k);
            // the factors that the cotangent of this child gets
            double more = 0, times_each = 1;
            if (x.kind == op::multiply) more = s.size - below.size;
            else if (x.kind == op::divide) more = k == 0 ? child_of(x, 1).size : 2 * s.size;
            else if (x.kind == op::power) more = 2 * s.size;
            else if (x.kind == op::apply) more = 2 * s.size;
            else if (x.kind == op::choose) more = x.children.count;
            else if (x.kind == op::reduce) reduced(x, s.size, more, times_each);
            s.each += times_each * below.each;
            s.own += below.own + below.each * more;
        }
        return s;
    }
    static constexpr void reduced(const ir::node& x, double size, double& more,
                                  double& times_each) {
        switch (static_cast<ir::reduction>(x.detail)) {
            case ir::reduction::sum:
            case ir::reduction::mean:
                more = 2;
                return;
            case ir::reduction::softmax:
                more = 2 * size;
                times_each = 2;
                return;
            case ir::reduction::maximum:
            case ir::reduction::minimum:
                more = 4 * size;
                return;
            default:
                more = size;
        }
    }

    // Cutting -------------------------------------------------------------------------------------

    struct intermediate {
        ref body;
        ref name;
        ir::range axes;
    };

    /// A copy of an expression whose derivative is short. `guarded`: under a bracket or in cases,
    /// where nothing is cut, since what stands there need not exist.
    constexpr ref cut(ref n, bool guarded) {
        const ir::node x = p_.nodes[n];
        if (x.children.count == 0 || x.kind == op::tensor || x.kind == op::compare ||
            ir::is_power_of_zero(p_, x))
            return n;
        bool brackets = guarded || x.kind == op::choose;
        for (std::int32_t k = 0; x.kind == op::multiply && k < x.children.count; ++k)
            brackets = brackets || ir::is_bracket(p_.nodes[p_.links[x.children.first + k]]);
        ref now = ir::rebuild_children(p_, n, [&](ref child) { return cut(child, brackets); });
        if (x.kind == op::add || brackets) return now;
        while (is_long(estimate(now))) {
            std::int32_t best = ir::none;
            double most = 0;
            const ir::node y = p_.nodes[now];
            for (std::int32_t k = 0; k < y.children.count; ++k) {
                const ref child = p_.links[y.children.first + k];
                const derived_size s = estimate(child);
                if (s.size + s.total() <= most || !can_be_part(child)) continue;
                most = s.size + s.total();
                best = k;
            }
            if (best == ir::none) break;
            const ref inside = p_.links[y.children.first + best];
            now = ir::rebuild_children(
                p_, now, [&](ref child) { return child == inside ? part_for(child) : child; });
        }
        return now;
    }
    constexpr bool can_be_part(ref n) const {
        const ir::node& x = p_.nodes[n];
        if (x.children.count == 0 || x.kind == op::tensor || x.kind == op::compare) return false;
        const ir::index_set free = ir::free_indices(p_, n);
        std::int32_t count = 0;
        ir::for_each_node(p_, n, [&](ref m) {  // a count has its extent from where it stands
            const bool signs = ir::binds(p_.nodes[m]);
            if (signs && p_.nodes[p_.links[p_.nodes[m].children.first]].kind == op::number)
                count = most_axes + 1;
        });
        for (ref i = 0; i < free.end(); ++i) {
            if (!free.has(i)) continue;
            ++count;
            if (!shows_extent(p_, n, i)) return false;
        }
        return count <= most_axes;
    }
    /// A use of the part that an expression has become.
    constexpr ref part_for(ref n) {
        for (const intermediate& known : parts_) {
            letters_.clear();
            if (same_but_for_letters(known.body, n)) return use_of(known);
        }
        intermediate made{n, p_.intern_name(next_name()), axes_of(n)};
        parts_.push(made);
        p_.equations.push({made.name, made.axes, n, false, source_});
        return p_.tensor(made.name, made.axes);
    }
    constexpr detail::text_builder next_name() {
        for (;;) {
            detail::text_builder spelling;
            spelling << "part_" << ++count_;
            if (p_.find(spelling) == ir::none) return spelling;
        }
    }
    constexpr ir::range axes_of(ref n) {
        const ir::index_set free = ir::free_indices(p_, n);
        detail::buffer<ir::position> list;
        for (ref i = 0; i < free.end(); ++i)
            if (free.has(i)) list.push(ir::index_position(i));
        const ir::range axes{p_.positions.size(), list.size()};
        p_.positions.append(list.data(), list.size());
        return axes;
    }
    /// The known part at the indices that stand in the place of its own.
    constexpr ref use_of(const intermediate& known) {
        ir::index_map renamed;
        for (const pair& l : letters_) renamed.set(l.known, l.here);
        return p_.tensor(known.name, ir::rename_positions(p_, known.axes, renamed));
    }

    // Equal parts ---------------------------------------------------------------------------------

    struct pair {
        ref known;
        ref here;
    };
    constexpr bool pairs(ref known, ref here) {
        for (const pair& l : letters_)
            if (l.known == known || l.here == here) return l.known == known && l.here == here;
        letters_.push({known, here});
        return true;
    }
    constexpr bool same_but_for_letters(ref a, ref b) {
        const ir::node &x = p_.nodes[a], &y = p_.nodes[b];
        if (x.kind != y.kind || x.detail != y.detail || x.name != y.name || x.value != y.value ||
            x.children.count != y.children.count || x.positions.count != y.positions.count ||
            x.indices.count != y.indices.count)
            return false;
        for (std::int32_t k = 0; k < x.indices.count; ++k)
            if (!pairs(p_.links[x.indices.first + k], p_.links[y.indices.first + k])) return false;
        for (std::int32_t k = 0; k < x.positions.count; ++k) {
            const ir::position &u = p_.positions[x.positions.first + k],
                               &v = p_.positions[y.positions.first + k];
            if (u.kind != v.kind || u.offset != v.offset || u.terms.count != v.terms.count)
                return false;
            if (u.kind == ir::position_kind::index && !pairs(u.index, v.index)) return false;
            for (std::int32_t t = 0; t < u.terms.count; ++t) {
                const ir::affine_term &s = p_.affine_terms[u.terms.first + t],
                                      &r = p_.affine_terms[v.terms.first + t];
                if (s.coefficient != r.coefficient || !pairs(s.index, r.index)) return false;
            }
        }
        for (std::int32_t k = 0; k < x.children.count; ++k)
            if (!same_but_for_letters(p_.links[x.children.first + k],
                                      p_.links[y.children.first + k]))
                return false;
        return true;
    }

    Program& p_;
    const detail::buffer<bool>& active_;
    detail::buffer<derived_size> known_;  // of each node, once asked for
    detail::buffer<intermediate> parts_;  // of the equation in hand
    detail::buffer<pair> letters_;        // of the comparison in hand
    ir::source_span source_{};
    std::int32_t count_ = 0;
};

}  // namespace ricci::derive
