// Which derived equations have to say the axes of their indices: those from whose text an index
// would have no extent, or might have another one than in what was differentiated.
#pragma once

#include <cstdint>

#include <ricci/derive/axis_statements.hpp>
#include <ricci/derive/dead_equations.hpp>
#include <ricci/derive/dimensions.hpp>
#include <ricci/derive/extent_equations.hpp>
#include <ricci/derive/extent_places.hpp>
#include <ricci/derive/open_places.hpp>
#include <ricci/derive/tidy.hpp>
#include <ricci/ir/order.hpp>

namespace ricci::derive {

/// An index whose axis the equation of a tensor says in the source.
template <class Program>
struct stated_axis {
    ref name;
    ref index;
};

/// Works on a program whose indices have their dimensions as `along`, and leaves that to those
/// alone whose equations have to say it.
template <class Program>
class axis_sayer {
public:
    /// `sources`: how many names there were before something was derived; `derived`: those whose
    /// equations were derived all the same.
    constexpr axis_sayer(Program& p, const dimensions<Program>& dims, std::int32_t sources,
                         const buffer<ref>& derived, const buffer<stated_axis<Program>>& stated)
        : p_(p), givers_(dims.givers()), stated_(stated), said_(p, dims.symbols()) {
        add_givers();
        is_source_.resize(p.names.size(), false);
        for (ref n = 0; n < sources; ++n) is_source_[n] = true;
        for (ref n : derived) is_source_[n] = false;
        mixed_.resize(p.indices.size(), unknown);
        is_input_.resize(p.names.size(), false);
        for (const ir::equation& q : p.equations)
            ir::for_each_node(p, q.body, [&](ref n) {
                const ir::node& x = p.nodes[n];
                if (x.kind == op::tensor && is_source_[q.name] && !q.claim)
                    is_input_[x.name] = true;
            });
    }

    /// `all`: every equation is needed, and not what the kept names need alone.
    constexpr ir::program run(bool all = false) {
        needed_tensors<Program> needed(p_);
        needed_ = &needed;
        for (const ir::equation& q : p_.equations)
            if (all && !q.claim && !gives_extent(q.name)) needed.add_value(q.name);
        do {
            more_ = false;
            needed.spread();
            for (ref e = 0; e < p_.equations.size(); ++e)
                if (!p_.equations[e].claim && needed.has(p_.equations[e].name)) look_at(e);
        } while (more_);
        said_.write(*needed_);
        if (!said_.empty()) (void)ir::order_equations(p_, {});
        return only_needed(p_, needed);
    }

private:
    /// An index and the expression that a sign or a left side binds it for.
    struct binding {
        ref index;
        ref body;
        bool counts;
        std::int32_t guards;  // brackets and cases around
    };
    static constexpr std::uint8_t unknown = 2;

    /// The equations of tensors that would give extents, where what they would be needed for is.
    constexpr void add_givers() {
        if (givers_.empty()) return;
        buffer<ir::equation> all;
        for (const ir::equation& q : p_.equations) {
            for (const extent_giver<Program>& g : givers_)
                if (g.before == q.name && !q.claim && g.body != none &&
                    p_.definition(q.name) == &q - p_.equations.data())
                    all.push(extent_equation(p_, g));
            all.push(q);
        }
        p_.equations = static_cast<buffer<ir::equation>&&>(all);
    }

    // What an equation shows ----------------------------------------------------------------------

    constexpr void look_at(ref e) {
        const ir::equation q = p_.equations[e];
        left_ = around_ = {};
        all_ = {};
        ir::for_each_index(p_, q.positions, [&](ref i) { left_.push({i, q.body, false, 0}); });
        around_ = left_;
        for (const binding& b : left_)
            if (is_open(e, b.index) && !shows_left(e, q, b)) say(e, b.index);
        look_below(e, q.body, 0);
    }
    constexpr void add_signs(ref n) {
        const ir::node& x = p_.nodes[n];
        for (std::int32_t k = 0; ir::binds(x) && k < x.indices.count; ++k)
            all_.push({p_.links[x.indices.first + k], p_.links[x.children.first], false, 0});
        for (std::int32_t k = 0; k < x.children.count; ++k)
            add_signs(p_.links[x.children.first + k]);
    }
    constexpr void look_below(ref e, ref n, std::int32_t guards) {
        const ir::node& x = p_.nodes[n];
        const std::int32_t mark = around_.size();
        for (std::int32_t k = 0; ir::binds(x) && k < x.indices.count; ++k) {
            const ref body = p_.links[x.children.first];
            const binding b{p_.links[x.indices.first + k], body, p_.nodes[body].kind == op::number,
                            guards};
            if (is_open(e, b.index) && !shows_bound(e, b)) say(e, b.index);
            around_.push(b);
        }
        const ir::guarded_children below(p_, x);
        for (std::int32_t k = 0; k < x.children.count; ++k)
            look_below(e, p_.links[x.children.first + k], guards + (below(k) ? 1 : 0));
        around_.shrink(mark);
    }
    constexpr bool is_open(ref e, ref i) const {
        return p_.indices[i].along.tensor != none && ir::parts_counted(p_, i) == 0 &&
               !said_.has(e, i);
    }
    constexpr void say(ref e, ref i) {
        said_.add(e, i);
        needed_->add_shape(p_.indices[i].along.tensor);
        more_ = true;
    }
    constexpr bool is_stated(ref e, ref i) const {
        for (const stated_axis<Program>& s : stated_)
            if (s.name == p_.equations[e].name && s.index == i) return is_source_[s.name];
        return false;
    }

    constexpr bool shows_left(ref e, const ir::equation& q, const binding& b) {
        if (is_stated(e, b.index)) return false;
        for (std::int32_t k = 0; k < q.positions.count; ++k) {
            const ir::position& at = p_.positions[q.positions.first + k];
            if (at.kind == ir::position_kind::index && at.index == b.index &&
                (is_known(q.name, k) || p_.indices[b.index].along == ir::axis{q.name, k}))
                return true;
            if (at.kind == ir::position_kind::merged && is_known(q.name, k) &&
                divides(e, at, b.index, q.body))
                return true;
        }
        const bool given = !is_source_[q.name] && is_given_otherwise(b.index);
        if (given ? shows_extent(p_, q.body, b.index) : shows_by_tensor(e, b)) return true;
        // A derivative may have had its shape from a tensor that nobody needs any more.
        if (is_source_[q.name])
            return !gives_extent(p_.indices[b.index].along.tensor) &&
                   shows_in_use(q.name, q.positions, b.index) &&
                   (p_.names[q.name].kind == ir::name_kind::plain || is_quiet(b));
        for (std::int32_t k = 0; k < q.positions.count; ++k)
            if (ir::has_index(p_, {q.positions.first + k, 1}, b.index) &&
                is_of_input(q.name, k, p_.indices[b.index].along.tensor))
                return is_quiet(b);
        return false;
    }
    /// Whether an axis of a derivative is that of a tensor which a call of the source binds, or
    /// that a statement would name.
    constexpr bool is_of_input(ref name, std::int32_t axis, ref said) const {
        const ir::name_symbol& s = p_.names[name];
        if (s.kind == ir::name_kind::plain) return false;
        const bool above = axis < s.numerator_rank;
        const ref of = above ? p_.find(ir::parts_of_derivative(p_.name(name)).numerator) : s.of;
        if (of == none || p_.definition(of) != none) return false;
        return of == said || is_input_[of] ||
               is_of_input(of, above ? axis : axis - s.numerator_rank, said);
    }
    constexpr bool shows_bound(ref e, const binding& b) {
        if (is_stated(e, b.index)) return false;
        // an equation that gives an extent lacks the letters that others may have theirs from
        const ref name = p_.equations[e].name;
        const bool reach = reaches(b.body, b.index);
        if (is_source_[name] &&
            (!gives_extent(name) || stems_from(name, p_.indices[b.index].along) || reach ||
             is_compared(p_, b.body, b.index)))
            return true;
        if (shows_extent(p_, b.body, b.index)) return true;
        if (is_given_otherwise(b.index)) return false;
        return shows_by_tensor(e, b) || (!reach && shows_by_letter(e, b));
    }
    /// By a place of a tensor: plainly, as what divides an axis, or by all the arithmetic that says
    /// it in the source.
    constexpr bool shows_by_tensor(ref e, const binding& b) {
        if (shows_extent(p_, b.body, b.index)) return true;
        bool part = false, split = false, reach = false;
        for_each_use(p_, b.body, b.index, [&](ref n, ir::position_kind kind) {
            reach = true;
            split = split || kind == ir::position_kind::merged;
            const ir::range at = p_.nodes[n].positions;
            for (std::int32_t k = 0; kind == ir::position_kind::merged && k < at.count; ++k)
                part = part || divides(e, p_.positions[at.first + k], b.index, b.body);
        });
        // of an axis of which another part is open as well a letter may say both
        split = split && !ir::has_index(p_, p_.equations[e].positions, b.index);
        return (part && arithmetic_of(p_, b.body, b.index) == arithmetic::absent) ||
               reaches_as_source(e, b, reach && (part || !split));
    }
    /// Whether it is known how far the other indices of a divided axis run.
    constexpr bool divides(ref e, const ir::position& at, ref index, ref body) const {
        if (at.kind != ir::position_kind::merged) return false;
        bool mine = false, others = true;
        for (std::int32_t t = 0; t < at.terms.count; ++t) {
            const ref j = p_.affine_terms[at.terms.first + t].index;
            mine = mine || j == index;
            others = others && (j == index || shows_extent(p_, body, j) || said_.has(e, j));
        }
        return mine && others;
    }
    /// Whether the shape of a derivative says how long an axis is.
    constexpr bool is_known(ref name, std::int32_t axis) const {
        const ir::name_symbol& s = p_.names[name];
        if (s.kind == ir::name_kind::plain) return false;
        const bool above = axis < s.numerator_rank;
        const ref of = above ? p_.find(ir::parts_of_derivative(p_.name(name)).numerator) : s.of;
        if (of == none) return false;
        return needed_->has(of) || is_known(of, above ? axis : axis - s.numerator_rank);
    }
    /// An index that nothing but its letter, or the tensor that a derivative is by, can give an
    /// extent: without one of those a call is a mistake. Conditions that compare indices could.
    constexpr bool is_quiet(const binding& b) {
        bool quiet = !is_mixed(b.index) && !is_given_otherwise(b.index);
        // nor of a letter of the text with fewer primes that has no axis, which the call may give
        for (ref i = 0; i < p_.known_letters && quiet; ++i)
            quiet = p_.indices[i].along == p_.indices[b.index].along || !same_letter(i, b.index) ||
                    p_.index(i).size >= p_.index(b.index).size;
        for_each_use(p_, b.body, b.index, [&](ref, ir::position_kind kind) {
            quiet = quiet && kind == ir::position_kind::merged;
        });
        return quiet && !is_compared(p_, b.body, b.index) &&
               arithmetic_of(p_, b.body, b.index) == arithmetic::absent;
    }
    /// Whether an equation that is needed reads a tensor where another one shows the extent.
    constexpr bool shows_in_use(ref name, ir::range at, ref index) const {
        const ir::axis along = p_.indices[index].along;
        std::int32_t axis = none;
        for (std::int32_t k = 0; k < at.count; ++k)
            if (ir::has_index(p_, {at.first + k, 1}, index)) axis = k;
        bool found = along.tensor == name;
        for (const ir::equation& q : p_.equations) {
            if (q.claim || found || !needed_->has(q.name)) continue;
            ir::for_each_node(p_, q.body, [&](ref n) {
                const ir::node& x = p_.nodes[n];
                if (x.kind != op::tensor || x.name != name) return;
                const ir::position& here = p_.positions[x.positions.first + axis];
                if (here.kind != ir::position_kind::index) return;
                ir::for_each_node(p_, q.body, [&](ref m) {
                    const ir::node& y = p_.nodes[m];
                    if (y.kind != op::tensor || y.name == name) return;
                    for (std::int32_t k = 0; k < y.positions.count; ++k) {
                        const ir::position& there = p_.positions[y.positions.first + k];
                        found = found || (there.kind == ir::position_kind::index &&
                                          there.index == here.index);
                    }
                });
            });
        }
        return found;
    }

    // Letters -------------------------------------------------------------------------------------

    constexpr bool same_letter(ref i, ref j) const {
        return ir::letter_of(p_, i) == ir::letter_of(p_, j);
    }
    /// Whether the letter of an index stands for several dimensions: the caller's extent for one
    /// would be that of another.
    constexpr bool is_mixed(ref index) {
        if (index >= mixed_.size()) mixed_.resize(p_.indices.size(), unknown);
        if (mixed_[index] == unknown) {
            bool mixed = false;
            for (ref i = 0; i < p_.indices.size(); ++i)
                mixed = mixed || (p_.indices[i].along != p_.indices[index].along &&
                                  p_.indices[i].along.tensor != none && same_letter(i, index));
            mixed_[index] = mixed ? 1 : 0;
        }
        return mixed_[index] == 1;
    }
    /// Whether an index would have an extent that the caller gives a letter of the source over
    /// another axis: it has that of the letter itself, or of the next one with fewer primes.
    constexpr bool is_given_otherwise(ref index) const {
        ref nearest = none;
        bool mine = false;
        for (ref i = 0; i < p_.known_letters; ++i) {
            if (!same_letter(i, index) || p_.index(i).size > p_.index(index).size) continue;
            const std::int32_t closer =
                nearest == none ? 1 : p_.index(i).size - p_.index(nearest).size;
            if (closer < 0) continue;
            if (closer > 0) nearest = i, mine = false;
            mine =
                mine || (p_.indices[i].along == p_.indices[index].along && !is_stated_somewhere(i));
        }
        return nearest != none && !mine;
    }
    constexpr bool is_stated_somewhere(ref i) const {
        for (const stated_axis<Program>& s : stated_)
            if (s.index == i) return true;
        return false;
    }
    constexpr bool shows_by_letter(ref e, const binding& b) {
        if (all_.empty()) {
            all_ = left_;
            add_signs(p_.equations[e].body);
        }
        const ir::axis along = p_.indices[b.index].along;
        const auto size = [&](ref i) { return p_.index(i).size; };
        ref best = none;
        for (const binding& other : around_) {
            const ref j = other.index;
            if (j == b.index || !same_letter(j, b.index)) continue;
            const auto fits = [&](ref k) { return size(k) < size(b.index); };
            if (best == none || (fits(j) && (!fits(best) || size(j) > size(best)))) best = j;
        }
        const bool primed = size(b.index) > ir::letter_of(p_, b.index).size;
        if (best != none && b.counts && primed)
            return p_.indices[best].along == along && !is_respelt_around(e, b.index);
        // what the caller gives comes first, and else any index of the letter
        for (const extent_giver<Program>& g : givers_) {
            if (g.name != along.tensor) continue;
            bool alike = true, there = g.partner.tensor == none;
            for (const binding& other : all_) {
                if (!same_letter(other.index, b.index)) continue;
                const ir::axis its = p_.indices[other.index].along;
                alike = alike && (its == along || its == g.partner);
                there = there || its == g.partner;
            }
            return alike && there && (g.by_letter || !reaches(g.body, g.index)) &&
                   !is_compared(p_, b.body, b.index);
        }
        if (is_mixed(b.index)) return false;
        bool shown = best != none;
        // what another sign binds by this letter comes after what conditions compare
        if (!shown && is_compared(p_, b.body, b.index)) return false;
        for (const binding& other : all_)
            shown =
                shown || (other.index != b.index && same_letter(other.index, b.index) &&
                          (said_.has(e, other.index) || shows_extent(p_, other.body, other.index)));
        return shown;
    }
    /// Whether a tensor gives the extent of an axis, or of the letter that it has its extent from.
    constexpr bool stems_from(ref name, const ir::axis& along) const {
        if (along.tensor == name) return true;
        for (const extent_giver<Program>& g : givers_)
            if (g.name == along.tensor && g.partner.tensor != none)
                return stems_from(name, g.partner);
        return false;
    }
    constexpr bool gives_extent(ref name) const {
        for (const extent_giver<Program>& g : givers_)
            if (g.name == name) return true;
        return false;
    }
    /// Whether an index stands where its reach may come before what its letter says.
    constexpr bool reaches(ref body, ref index) const {
        bool any = arithmetic_of(p_, body, index) != arithmetic::absent;
        for_each_use(p_, body, index, [&](ref, ir::position_kind) { any = true; });
        return any;
    }
    /// Whether what says the extent of an index is what says it where its dimension comes from: the
    /// same places, if there is a `reach`; in an equation that is read, or that gives an extent,
    /// also the same expression.
    constexpr bool reaches_as_source(ref e, const binding& b, bool reach) const {
        const ir::axis along = p_.indices[b.index].along;
        ref body = none, index = none, mine = b.body;
        bool whole = is_source_[p_.equations[e].name];  // its expression is compared as a whole
        for (const extent_giver<Program>& g : givers_) {
            if (g.name == along.tensor && !g.by_letter) body = g.body, index = g.index;
            if (g.name != p_.equations[e].name) continue;
            whole = true;
            if (b.body == p_.equations[e].body) mine = g.body;  // without the count of its partner
        }
        const ref defined = p_.definition(along.tensor);
        if (defined == e) return reach;
        if (body == none && defined != none) {
            const ir::equation& q = p_.equations[defined];
            const ir::position& at = p_.positions[q.positions.first + along.number];
            if (at.kind == ir::position_kind::index) body = q.body, index = at.index;
        }
        if (body == none) return false;
        if (whole && b.index == index && ir::same_expression(p_, mine, body)) return true;
        ir::index_set outer;
        bool below_letter = false;
        for (const binding& o : around_) {
            if (o.guards < b.guards) outer.add(o.index);
            below_letter = below_letter || (o.index != b.index && same_letter(o.index, b.index));
        }
        // what places leave open the letter around says, and that may be another one here
        return reach && (!below_letter || is_solved(p_, p_.equations[e].body, b.index)) &&
               extent_places<Program>(p_).alike(b.body, b.index, body, index, outer);
    }

    /// Whether an index around a count, of its letter, gets more primes in the end: the count would
    /// be of another index then.
    constexpr bool is_respelt_around(ref e, ref count) const {
        const ir::equation& q = p_.equations[e];
        const ir::index_set all = ir::indices_of(p_, q);
        for (const binding& other : around_)
            if (same_letter(other.index, count) && said_.has(e, other.index) &&
                said_.is_respelt(q, all, other.index))
                return true;
        return false;
    }

    Program& p_;
    const buffer<extent_giver<Program>>& givers_;
    const buffer<stated_axis<Program>>& stated_;
    needed_tensors<Program>* needed_ = nullptr;
    buffer<bool> is_source_;      // by name: its equation is one of the source
    buffer<bool> is_input_;       // by name: the source reads it
    buffer<std::uint8_t> mixed_;  // by index, once asked for
    axis_statements<Program> said_;
    buffer<binding> left_, around_, all_;  // of the equation in hand
    bool more_ = false;
};

}  // namespace ricci::derive
