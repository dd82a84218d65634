// Places that arithmetic says, written out: \sum_p [p = place] x^p.
#pragma once

#include <cstdint>

#include <ricci/ir/program.hpp>
#include <ricci/notation/positions.hpp>

namespace ricci::notation {

using ir::none;
using ir::op;
using ir::ref;

inline constexpr const char* looked_up_inside =
    "numbers that are looked up lie inside their axis; define them by an equation of their own, as "
    "n^{ik} = m^{\\operatorname{clamp}(i+k)}, and look up n^{ik}";

class place_writer {
public:
    constexpr explicit place_writer(ir::program& p) : p_(p) {}

    /// The use `n` of a tensor at the places `list`, of which those that say what is outside are
    /// written out.
    constexpr ref write(ref n, detail::buffer<ir::position>& list) {
        const ir::node x = p_.nodes[n];
        detail::buffer<ref> over, factors;
        for (std::int32_t k = 0; k < list.size(); ++k) {
            const ir::position q = list[k];
            if (q.kind != ir::position_kind::affine || q.index == none) continue;
            const ref axis = fresh_index(q, k);
            p_.indices[axis].extent =
                q.index == outside::excluded ? ir::kept_inside : ir::written_out;
            over.push(axis);
            list[k] = ir::index_position(axis);
            list[k].upper = q.upper;
            const ref both[] = {p_.position_of(axis), bounded_place(q, axis, x.source)};
            factors.push(p_.make(op::compare, static_cast<std::uint8_t>(ir::comparison::equal),
                                 both, 2, x.source));
        }
        const ir::range at{p_.positions.size(), list.size()};
        p_.positions.append(list.data(), list.size());
        if (!over.empty()) return sum_over_places(x, at, over, factors);
        ir::node use = x;
        use.positions = at;
        return p_.nodes.push(use);
    }

private:
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
    // A letter that is free, and whose primed one is, too: that counts how long the axis is.
    constexpr ref fresh_index(const ir::position& q, std::int32_t axis) {
        detail::text_builder spelling;
        spelling << (q.terms.count > 0 ? p_.index(p_.affine_terms[q.terms.first].index)
                                       : detail::text_view("p"));
        do spelling << "''";
        while (axis-- > 0 || p_.find_index(spelling) != none ||
               p_.find_index(primed(spelling)) != none);
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
        if (q.index == outside::padded || q.index == outside::excluded) return place;
        const ref counted = p_.intern_index(primed(p_.index(axis)));
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
    static constexpr detail::text_builder primed(detail::text_view letter) {
        detail::text_builder spelling;
        spelling << letter << "'";
        return spelling;
    }

    ir::program& p_;
};

}  // namespace ricci::notation
