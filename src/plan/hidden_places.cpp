#include "src/plan/hidden_places.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <ricci/ir/rewrite.hpp>
#include "src/plan/affine_bounds.hpp"
#include "src/plan/grown_program.hpp"
#include "src/plan/position_conditions.hpp"

namespace ricci::plan {
namespace {

/// Works on one equation of a copy; its nodes keep their numbers.
class place_writer {
public:
    place_writer(const ir::program_view& before, ir::program& p, const ir::shape_table& shapes,
                 ir::ref equation, element type, std::vector<new_index>& made,
                 std::vector<ir::equation>& defined)
        : before_(before),
          p_(p),
          shapes_(shapes),
          equation_(equation),
          type_(type),
          made_(made),
          defined_(defined) {}

    ir::ref run(ir::ref n) {
        const ir::node x = p_.nodes[n];
        if (ir::is_power_of_zero(p_, x)) return n;  // not read
        const ir::ref inside = ir::rebuild_children(p_, n, [&](ir::ref c) { return run(c); });
        if (x.kind != ir::op::tensor) return inside;
        detail::buffer<ir::position> list;
        detail::buffer<ir::ref> over, factors, numbers;
        numbers.append(p_.links.data() + p_.nodes[inside].children.first, x.children.count);
        bool leaves_any = false;
        for (std::int32_t axis = 0; axis < x.positions.count; ++axis) {
            const ir::position q = p_.positions[x.positions.first + axis];
            const std::int64_t extent = shapes_.extent(x.name, axis);
            list.push(q);
            const auto place = beyond(x.positions, axis, extent);
            if (!place) continue;
            leaves_any = true;
            if (place->counted) {
                list.back() = ir::gathered_position(numbers.size());
                numbers.push(stored_number(place->form));
                continue;
            }
            const ir::ref p = fresh_index(extent);
            list.back() = ir::index_position(p);
            over.push(p);
            const ir::ref both[] = {p_.position_of(p), number_of(place->form)};
            factors.push(p_.make(ir::op::compare, static_cast<std::uint8_t>(ir::comparison::equal),
                                 both, 2));
        }
        if (!leaves_any) return inside;
        ir::node use = p_.nodes[inside];
        use.positions = {p_.positions.size(), list.size()};
        p_.positions.append(list.data(), list.size());
        use.children = p_.add_links(numbers);
        const ir::ref read = p_.nodes.push(use);
        if (over.empty()) return read;
        factors.push(read);
        const ir::ref product =
            p_.make(ir::op::multiply, 0, factors.data(), factors.size(), x.source);
        return p_.reduce(ir::reduction::sum, p_.add_links(over), product, x.source);
    }

private:
    /// A place that leaves its axis, and whether numbers of the type count so far, so that a gather
    /// may be told it.
    struct beyond_axis {
        affine_form form;
        bool counted;
    };
    std::optional<beyond_axis> beyond(ir::range positions, std::int32_t axis,
                                      std::int64_t extent) const {
        const ir::position& q = before_.at(positions, axis);
        if (q.kind != ir::position_kind::affine) return std::nullopt;
        const auto extent_of = [&](ir::ref i) { return shapes_.index_extent(equation_, i); };
        const auto form = position_reader(before_, extent_of).form_of(q);
        std::vector<index_range> box;
        for (const auto& t : form->terms) box.push_back({t.first, extent_of(t.first)});
        const auto reach = bounds_of(*form, box, {});
        if (!reach || (reach->least >= 0 && reach->most < extent)) return std::nullopt;
        const std::int64_t furthest = std::max(-reach->least, reach->most);
        const bool counted = type_ == element::f32 ? furthest <= (std::int64_t{1} << 24)
                                                   : type_ == element::f64 || is_integer(type_);
        return beyond_axis{*form, counted};
    }
    /// A tensor of the places, with an equation of its own, at the indices of the form.
    ir::ref stored_number(const affine_form& form) {
        const ir::ref name = new_name(p_);
        const ir::range at{p_.positions.size(), static_cast<std::int32_t>(form.terms.size())};
        for (const auto& term : form.terms) p_.positions.push(ir::index_position(term.first));
        defined_.push_back({name, at, number_of(form), false, p_.equations[equation_].source});
        return p_.tensor(name, at);
    }
    ir::ref number_of(const affine_form& form) {
        detail::buffer<ir::ref> terms;
        for (const auto& [index, factor] : form.terms) {
            const ir::ref here = p_.position_of(index);
            terms.push(factor == 1 ? here
                                   : p_.make(ir::op::multiply,
                                             p_.number(static_cast<double>(factor)), here));
        }
        if (form.offset != 0 || terms.empty())
            terms.push(p_.number(static_cast<double>(form.offset)));
        return terms.size() == 1 ? terms[0] : p_.make(ir::op::add, 0, terms.data(), terms.size());
    }
    ir::ref fresh_index(std::int64_t extent) {
        detail::text_builder spelling;
        spelling << 'p';
        do spelling << '\'';
        while (p_.find_index(spelling) != ir::none);
        made_.push_back({p_.intern_index(spelling), extent});
        return made_.back().index;
    }

    const ir::program_view& before_;
    ir::program& p_;
    const ir::shape_table& shapes_;
    ir::ref equation_;
    element type_;
    std::vector<new_index>& made_;
    std::vector<ir::equation>& defined_;  // that the equation in hand reads
};

}  // namespace

std::optional<ir::program> write_out_hidden_places(const ir::program_view& program,
                                                   ir::shape_table& shapes,
                                                   std::vector<slot>& slots, element type) {
    if (program.affine_terms.size() == 0) return std::nullopt;
    ir::program p(program);
    std::vector<new_index> made;
    std::vector<ir::ref> origins;
    detail::buffer<ir::equation> equations;
    for (ir::ref e = 0; e < program.equations.size(); ++e) {
        ir::equation q = program.equations[e];
        std::vector<ir::equation> defined;
        if (ir::computes(program, q))
            q.body = place_writer(program, p, shapes, e, type, made, defined).run(q.body);
        defined.push_back(q);
        for (const ir::equation& d : defined) {
            equations.push(d);
            origins.push_back(e);
        }
    }
    if (p.nodes.size() == program.nodes.size()) return std::nullopt;
    p.equations = equations;
    carry_over(program, p, origins, made, shapes, slots, type);
    return p;
}

}  // namespace ricci::plan
