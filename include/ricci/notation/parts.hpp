// Parts of one tensor, PE^{p,2i} = ... beside PE^{p,2i+1} = ..., are one equation: where the parts
// differ the left side has an index that counts them, and the right side has cases of it.
#pragma once

#include <cstdint>

#include <ricci/ir/mistake.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::notation {

/// Replaces the equations of a tensor's parts, once parsed, by one in the place of the first.
class part_joiner {
public:
    constexpr part_joiner(ir::program& p, detail::text_view text) : p_(p), text_(text) {}

    constexpr ir::mistake run() {
        for (ir::ref e = 0; e < p_.equations.size() && !mistake_; ++e)
            if (!p_.equations[e].claim && part_axis(p_.equations[e]) != ir::none) join(e);
        return static_cast<ir::mistake&&>(mistake_);
    }

private:
    constexpr void fail(const ir::equation& e, detail::text_view words) {
        detail::text_builder sentence;
        sentence << p_.name(e.name) << words;
        if (!mistake_)
            mistake_ = ir::make_mistake(ir::mistake_kind::unexpected, text_, e.source.begin,
                                        e.source.end, sentence);
    }
    constexpr const ir::position& place(const ir::equation& e, std::int32_t axis) const {
        return p_.positions[e.positions.first + axis];
    }
    static constexpr bool is_part(const ir::position& q) {
        return q.kind == ir::position_kind::fixed || q.kind == ir::position_kind::affine;
    }
    /// The first axis at which a left side has a number or arithmetic.
    constexpr ir::ref part_axis(const ir::equation& e) const {
        for (std::int32_t k = 0; k < e.positions.count; ++k)
            if (is_part(place(e, k))) return k;
        return ir::none;
    }
    constexpr const ir::affine_term& term(const ir::position& q) const {
        return p_.affine_terms[q.terms.first];
    }
    /// Whether `other` is a part beside `first`: alike but for the number at this axis.
    constexpr bool belongs(const ir::equation& first, const ir::equation& other, std::int32_t axis,
                           std::int32_t count) const {
        if (other.positions.count != first.positions.count) return false;
        for (std::int32_t k = 0; k < first.positions.count; ++k) {
            const ir::position &a = place(first, k), &b = place(other, k);
            if (a.kind != b.kind || (k == axis) != is_part(a)) return false;
            if (a.kind == ir::position_kind::fixed) continue;
            if (a.kind != ir::position_kind::affine) {
                if (!ir::same_positions(p_, {first.positions.first + k, 1},
                                        {other.positions.first + k, 1}))
                    return false;
                continue;
            }
            if (a.terms.count != 1 || b.terms.count != 1 || a.index != ir::none ||
                b.index != ir::none || term(a).index != term(b).index ||
                term(a).coefficient != count || term(b).coefficient != count)
                return false;
        }
        return true;
    }
    constexpr void join(ir::ref at) {
        const ir::equation first = p_.equations[at];
        const std::int32_t axis = part_axis(first);
        detail::buffer<ir::ref> parts;
        for (ir::ref e = at; e < p_.equations.size(); ++e)
            if (!p_.equations[e].claim && p_.equations[e].name == first.name) parts.push(e);
        const std::int32_t count = parts.size();
        if (count == 1 && ir::uses_name(p_, first.body, first.name))
            return fail(first,
                        " is made of its own places before; of a recurrence write one step, which "
                        "ricci::repeat repeats");
        if (count == 1)
            return fail(
                first,
                " is defined at some of its places only, and its rest would be zeros that "
                "nobody wrote; define the other part, as in PE^{p,2i+1} = ..., or all of it "
                "with a bracket or \\begin{cases}, which say where it is 0");
        detail::buffer<ir::ref> bodies;
        bodies.resize(count, ir::none);
        for (const ir::ref e : parts) {
            const ir::equation& part = p_.equations[e];
            const std::int32_t number =
                part_axis(part) == axis ? place(part, axis).offset : std::int32_t{-1};
            if (!belongs(first, part, axis, count) || number < 0 || number >= count ||
                bodies[number] != ir::none)
                return fail(part,
                            " has parts that do not fit together; they have the same letters, and "
                            "say every place of one axis once: 0, 1, ... or 2i, 2i+1");
            bodies[number] = part.body;
        }
        replace(first, axis, parts, bodies);
    }
    constexpr void replace(const ir::equation& first, std::int32_t axis,
                           const detail::buffer<ir::ref>& parts,
                           const detail::buffer<ir::ref>& bodies) {
        const std::int32_t count = bodies.size();
        const ir::ref counter = new_letter();
        p_.indices[counter].extent = count;
        detail::buffer<ir::ref> cases;
        for (std::int32_t k = 0; k < count; ++k) {
            cases.push(bodies[k]);
            if (k + 1 == count) break;
            const ir::ref both[] = {p_.position_of(counter), p_.number(k)};
            cases.push(p_.make(ir::op::compare, static_cast<std::uint8_t>(ir::comparison::equal),
                               both, 2, first.source));
        }
        ir::equation joined = first;
        joined.positions.first = p_.positions.size();
        for (std::int32_t k = 0; k < first.positions.count; ++k) {
            ir::position q = place(first, k);
            if (k == axis && q.kind == ir::position_kind::fixed) {
                const bool upper = q.upper;
                q = ir::index_position(counter);
                q.upper = upper;
            } else if (k == axis) {
                const ir::affine_term both[] = {{term(q).index, 1}, {counter, 1}};
                q.kind = ir::position_kind::merged;
                q.offset = 0;
                q.terms = {p_.affine_terms.size(), 2};
                p_.affine_terms.append(both, 2);
            }
            p_.positions.push(q);
        }
        joined.body = p_.make(ir::op::choose, 0, cases.data(), cases.size(), first.source);
        detail::buffer<ir::equation> kept;
        for (ir::ref e = 0; e < p_.equations.size(); ++e) {
            bool part = false;
            for (const ir::ref k : parts) part = part || k == e;
            if (e == parts[0]) kept.push(joined);
            else if (!part) kept.push(p_.equations[e]);
        }
        p_.equations = static_cast<detail::buffer<ir::equation>&&>(kept);
    }
    /// An index that the text does not have.
    constexpr ir::ref new_letter() {
        detail::text_builder spelling;
        for (const char c : detail::text_view("zyxwvutsrqponmlkjihgfedcba")) {
            spelling = {};
            spelling << c;
            if (p_.find_index(spelling) == ir::none && p_.find(spelling) == ir::none)
                return p_.intern_index(spelling);
        }
        spelling << "''";
        while (p_.find_index(spelling) != ir::none) spelling << '\'';
        return p_.intern_index(spelling);
    }

    ir::program& p_;
    detail::text_view text_;
    ir::mistake mistake_;
};

}  // namespace ricci::notation
