// Upper and lower indices: where every implied sum pairs one of each, g^{ab} and g_{ab} are two
// tensors; everywhere else they are one.
#pragma once

#include <cstdint>

#include <ricci/ir/mistake.hpp>
#include <ricci/ir/rewrite.hpp>
#include <ricci/ir/solutions.hpp>
#include <ricci/notation/calls.hpp>
#include <ricci/notation/resolve.hpp>
#include <ricci/notation/scripts.hpp>

namespace ricci::notation {

class height_reader {
public:
    /// `beside`: where the equations behind \Leftrightarrow begin, in which heights do not count.
    /// `inverses`: where (K^{-1})^{ij} begins.
    constexpr height_reader(ir::program& p, detail::text_view text, const implied_sums& sums,
                            const detail::buffer<styled_definition>& functions,
                            const detail::buffer<std::int32_t>& beside,
                            const detail::buffer<std::int32_t>& inverses,
                            const detail::buffer<script_order>& orders)
        : p_(p),
          text_(text),
          sums_(sums),
          functions_(functions),
          beside_(beside),
          inverses_(inverses),
          orders_(orders) {}

    constexpr ir::mistake run() {
        turn_inverses();
        const bool declared = drop_metric();
        if (is_one_height()) return static_cast<ir::mistake&&>(mistake_);
        collect();
        refuse_two_orders();
        if (mistake_ || declared || sums_.pairs == 0 || !has_two_patterns())
            return static_cast<ir::mistake&&>(mistake_);
        if (sums_.others > 0) refuse_two_kinds();
        else rename_all();
        return static_cast<ir::mistake&&>(mistake_);
    }

private:
    /// How the indices of a name stand in one of its uses: bit k for an upper one at axis k.
    struct pattern {
        ref name;
        std::int32_t rank;
        std::uint64_t above;
        ir::source_span source;
    };

    constexpr void fail(ir::mistake_kind kind, ir::source_span at, detail::text_view words) {
        if (!mistake_) mistake_ = ir::make_mistake(kind, text_, at.begin, at.end, words);
    }
    static constexpr bool lists(const detail::buffer<std::int32_t>& places, std::int32_t begin) {
        for (const std::int32_t place : places)
            if (place == begin) return true;
        return false;
    }
    constexpr bool is_beside(const ir::equation& e) const { return lists(beside_, e.source.begin); }
    /// g_{ab} = \delta_{ab} says that upper and lower mean the same. A tensor for the lines that
    /// use it, and no output where none does.
    constexpr bool drop_metric() {
        for (std::int32_t e = 0; e < p_.equations.size(); ++e) {
            const ir::equation q = p_.equations[e];
            const detail::text_view name = p_.name(q.name);
            if (q.claim || !(name == "g" || name == "\\eta") || q.positions.count != 2 ||
                p_.nodes[q.body].kind != op::delta)
                continue;
            bool used = false;
            for (const ir::equation& other : p_.equations)
                used = used || ir::uses_name(p_, other.body, q.name);
            for (std::int32_t k = e; !used && k + 1 < p_.equations.size(); ++k)
                p_.equations[k] = p_.equations[k + 1];
            if (!used) p_.equations.shrink(p_.equations.size() - 1);
            return true;
        }
        return false;
    }

    /// Whether nothing stands at another height than the rest, as in most texts: there are no
    /// patterns to compare then. Derivatives turn heights over.
    constexpr bool is_one_height() const {
        for (const ir::name_symbol& n : p_.names)
            if (n.kind != ir::name_kind::plain) return false;
        const ir::position* q = p_.positions.data();
        for (std::int32_t k = 1, count = p_.positions.size(); k < count; ++k)
            if (q[k].upper != q[0].upper) return false;
        return true;
    }

    /// (K^{-1})^{ij} is the inverse of K_{ij} where heights carry meaning.
    constexpr void turn_inverses() {
        if (inverses_.empty() || sums_.pairs == 0 || sums_.others > 0) return;
        for (std::int32_t n = 0, count = p_.nodes.size(); n < count; ++n) {
            const ir::node x = p_.nodes[n];
            if (!ir::is_inverse(x) || !lists(inverses_, x.source.begin)) continue;
            ir::node matrix = p_.nodes[p_.links[x.children.first]];
            if (matrix.kind != op::tensor) continue;
            const ir::range written = matrix.positions;
            matrix.positions = {p_.positions.size(), written.count};
            for (std::int32_t k = 0; k < written.count; ++k) {
                ir::position q = p_.positions[written.first + k];
                q.upper = !q.upper;
                p_.positions.push(q);
            }
            const ref turned = p_.nodes.push(matrix);
            p_.nodes[n].children = p_.add_links(&turned, 1);
        }
    }

    // Patterns ------------------------------------------------------------------------------------

    constexpr std::uint64_t heights(ir::range at, bool turned = false) const {
        std::uint64_t above = 0;
        for (std::int32_t k = 0; k < at.count && k < 64; ++k)
            if (p_.positions[at.first + k].upper != turned) above |= std::uint64_t{1} << k;
        return above;
    }
    constexpr void see(ref name, ir::range at, bool turned, ir::source_span source) {
        if (at.count == 0) return;
        const std::uint64_t above = heights(at, turned);
        for (const pattern& q : patterns_)
            if (q.name == name && q.rank == at.count && q.above == above) return;
        patterns_.push({name, at.count, above, source});
    }
    /// A derivative's indices are those of its parts, the lower ones turned over while they were
    /// read.
    template <class Visit>
    constexpr void for_each_part(ref name, ir::range at, Visit&& visit) {
        const ir::name_symbol s = p_.names[name];
        if (s.kind == ir::name_kind::plain) return visit(name, at, false);
        if (s.kind == ir::name_kind::tangent) return for_each_part(s.of, at, visit);
        if (s.numerator != none) return;  // of second order
        const std::int32_t split = s.numerator_rank < at.count ? s.numerator_rank : at.count;
        const ref above = p_.find(ir::parts_of_derivative(p_.name(name)).numerator);
        if (above != none && split > 0) visit(above, {at.first, split}, false);
        if (p_.names[s.of].kind == ir::name_kind::plain)
            visit(s.of, {at.first + split, at.count - split}, true);
    }
    constexpr void collect() {
        const auto add = [&](ref body) {
            ir::for_each_node(p_, body, [&](ref n) {
                const ir::node x = p_.nodes[n];
                if (x.kind != op::tensor) return;
                for_each_part(x.name, x.positions, [&](ref name, ir::range at, bool turned) {
                    see(name, at, turned, x.source);
                });
            });
        };
        for (const ir::equation& e : p_.equations) {
            if (is_beside(e)) continue;
            for_each_part(e.name, e.positions, [&](ref name, ir::range at, bool turned) {
                see(name, at, turned, e.source);
            });
            add(e.body);
        }
        for (const styled_definition& d : functions_)
            if (d.kind == definition_kind::function) add(d.body);
    }
    static constexpr std::int32_t bits(std::uint64_t x) { return __builtin_popcountll(x); }

    constexpr bool is_staggered(ref name) const {
        for (const script_order& o : orders_)
            if (o.staggered && o.name == hash_of(p_.name(name))) return true;
        return false;
    }
    /// Indices above and below a name print alike in either order.
    constexpr void refuse_two_orders() {
        for (std::int32_t k = 0; k < patterns_.size(); ++k)
            for (std::int32_t j = 0; j < k; ++j) {
                const pattern &a = patterns_[j], &b = patterns_[k];
                if (a.name != b.name || a.rank != b.rank || a.above == b.above ||
                    bits(a.above) != bits(b.above) || is_staggered(b.name))
                    continue;
                detail::text_builder s;
                s << p_.name(b.name)
                  << " has its upper and lower indices in another order elsewhere, which prints "
                     "alike; write them in one order, or staggered, as in T^a{}_b and T_b{}^a";
                return fail(ir::mistake_kind::rank, b.source, s);
            }
    }
    constexpr bool has_two_patterns() const {
        for (std::int32_t k = 0; k < patterns_.size(); ++k)
            if (second_pattern(k)) return true;
        return false;
    }
    constexpr bool second_pattern(std::int32_t k) const {
        for (std::int32_t j = 0; j < k; ++j)
            if (patterns_[j].name == patterns_[k].name && !alike(patterns_[j], patterns_[k]))
                return true;
        return false;
    }
    /// All above, all below, or the same mixture: one tensor, whatever else is said of its rank.
    static constexpr bool alike(const pattern& a, const pattern& b) {
        const std::int32_t above = bits(a.above), other = bits(b.above);
        if (above == 0 || other == 0) return above == other;
        if (above == a.rank || other == b.rank) return above == a.rank && other == b.rank;
        return a.rank == b.rank && a.above == b.above;
    }
    constexpr void refuse_two_kinds() {
        for (std::int32_t k = 0; k < patterns_.size(); ++k) {
            if (!second_pattern(k)) continue;
            detail::text_builder s;
            s << "some sums of this text pair an upper with a lower index and some do not, so that "
              << p_.name(patterns_[k].name)
              << " can be one tensor here and elsewhere, or two; write all its indices at one "
                 "height, or pair one upper with one lower index in every sum";
            return fail(ir::mistake_kind::rank, patterns_[k].source, s);
        }
    }

    // Names ---------------------------------------------------------------------------------------

    constexpr ref renamed(ref name, ir::range at, bool turned) {
        bool several = false;
        for (std::int32_t k = 0; k < patterns_.size(); ++k)
            several = several || (patterns_[k].name == name && second_pattern(k));
        if (!several || at.count == 0) return name;
        const std::uint64_t above = heights(at, turned);
        detail::text_builder spelling;
        spelling << p_.name(name) << '_';
        if (bits(above) == 0) spelling << "lower";
        else if (bits(above) == at.count) spelling << "upper";
        else
            for (std::int32_t k = 0; k < at.count; ++k)
                spelling << ((above >> (k & 63) & 1) != 0 ? 'u' : 'l');
        return p_.intern_name(spelling);
    }
    constexpr ref renamed(ref name, ir::range at) {
        const ir::name_symbol s = p_.names[name];
        if (s.kind == ir::name_kind::plain) return renamed(name, at, false);
        if (s.kind == ir::name_kind::tangent) {
            const ref of = renamed(s.of, at);
            detail::text_builder along;
            along << ir::parts_of_tangent(p_.name(name)).along;
            return of == s.of ? name : p_.intern_tangent(along, of);
        }
        if (s.numerator != none || p_.names[s.of].kind != ir::name_kind::plain) return name;
        const std::int32_t split = s.numerator_rank < at.count ? s.numerator_rank : at.count;
        detail::text_builder numerator;
        numerator << ir::parts_of_derivative(p_.name(name)).numerator;
        const ref above = p_.find(numerator);
        const ref above_now =
            above == none || split == 0 ? above : renamed(above, {at.first, split}, false);
        const ref of = renamed(s.of, {at.first + split, at.count - split}, true);
        if (of == s.of && above_now == above) return name;
        detail::text_builder of_now;
        of_now << p_.name(of);
        detail::text_builder spelling = ir::cotangent_spelling(
            above_now == none ? numerator.view() : p_.name(above_now), of_now);
        return p_.intern_name(spelling, ir::name_kind::cotangent, of, s.numerator_rank);
    }
    constexpr void rename_all() {
        // What stands beside an equation has the names of that, whatever its heights.
        detail::buffer<bool> done;
        done.resize(p_.nodes.size(), false);
        const auto rename = [&](ref body) {
            ir::for_each_node(p_, body, [&](ref n) {
                const ir::node x = p_.nodes[n];
                if (x.kind != op::tensor || n >= done.size() || done[n]) return;
                done[n] = true;
                p_.nodes[n].name = renamed(x.name, x.positions);
            });
        };
        for (std::int32_t e = 0; e < p_.equations.size(); ++e) {
            const ir::equation q = p_.equations[e];
            p_.equations[e].name = renamed(q.name, q.positions);
            rename(q.body);
        }
        for (const styled_definition& d : functions_)
            if (d.kind == definition_kind::function) rename(d.body);
    }

    ir::program& p_;
    detail::text_view text_;
    const implied_sums& sums_;
    const detail::buffer<styled_definition>& functions_;
    const detail::buffer<std::int32_t>& beside_;
    const detail::buffer<std::int32_t>& inverses_;
    const detail::buffer<script_order>& orders_;
    detail::buffer<pattern> patterns_;
    ir::mistake mistake_;
};

}  // namespace ricci::notation
