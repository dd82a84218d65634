// Places of tables of differences whose letters stand together nowhere else in a derived equation,
// or from which its conditions exclude what is below 0: its text would be read otherwise, and so
// they are written out, \sum_q [q = i - j + (\sum_{j'} 1 - 1)] b^q.
#pragma once

#include <cstdint>

#include <ricci/derive/places.hpp>
#include <ricci/derive/tidy.hpp>
#include <ricci/ir/subtracted_places.hpp>

namespace ricci::derive {

/// `ExtentOf(index)`: how far an index runs, as an expression; `AxisOf(name, k)`: the axis that
/// stands for an axis of a tensor.
template <class Program, class ExtentOf, class AxisOf>
class table_writer : ir::subtracted_places<table_writer<Program, ExtentOf, AxisOf>, Program> {
    using base = ir::subtracted_places<table_writer, Program>;
    friend base;
    using base::p_;

public:
    constexpr table_writer(Program& p, const ExtentOf& extent_of, const AxisOf& axis_of)
        : base(p), extent_of_(extent_of), axis_of_(axis_of) {}

    constexpr ref write(const ir::equation& e) { return base::settled(e); }

private:
    constexpr void see_place(const ir::node&, ref) {}
    constexpr ref settle_use(ref n) {
        const ir::node x = p_.nodes[n];
        detail::buffer<ir::position> list;
        detail::buffer<ref> over, factors;
        for (std::int32_t k = 0; k < x.positions.count; ++k) {
            ir::position q = p_.positions[x.positions.first + k];
            if (ir::has_subtracted(p_, q) && !is_read_as_table(n, q)) {
                if (letter_ == ir::none) letter_ = fresh_letter(p_);
                const ir::position axis =
                    ir::index_position(index_like(p_, letter_, axis_of_(x.name, k)));
                factors.push(is_at(p_, q, axis, extent_of_));
                over.push(axis.index);
                q = axis;
            }
            list.push(q);
        }
        if (over.empty()) return n;
        ir::node use = x;
        use.positions = {p_.positions.size(), list.size()};
        p_.positions.append(list.data(), list.size());
        factors.push(p_.nodes.push(use));
        return p_.reduce(ir::reduction::sum, p_.add_links(over), product_of(p_, factors));
    }
    constexpr bool is_read_as_table(ref use, const ir::position& q) const {
        return q.terms.count == 2 && q.offset == 0 && !base::is_excluded(q) &&
               base::stand_together(use, q);
    }

    const ExtentOf& extent_of_;
    const AxisOf& axis_of_;
    ref letter_ = ir::none;  // of the axes
};

}  // namespace ricci::derive
