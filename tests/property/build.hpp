// Random programs as programs of the IR, made without the parser: what their text has to mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/property/tables.hpp"

namespace ricci::testing {

/// The program that the text has to mean.
class ir_builder {
public:
    explicit ir_builder(const random_program& p) : p_(p), tables_(p) {}
    ir::program build() {
        for (const auto& e : p_.equations) {
            const ir::ref body = node(e.body);
            out_.equations.push({name(e.tensor), positions(e.left), body, false, {}});
        }
        return std::move(out_);
    }

private:
    static detail::text_view view(const std::string& s) {
        return {s.data(), static_cast<std::int32_t>(s.size())};
    }
    ir::ref name(std::size_t tensor) { return out_.intern_name(view(p_.tensors[tensor].name)); }
    /// A subtracted place that is what it says is a sum over the places of its axis.
    bool is_sum(const tree& t, std::size_t k) const {
        return t.kind == ir::op::tensor && falls(t.axes[k]) && !tables_.has(t.tensor, k);
    }
    /// `sums`: gets the indices of those sums. Places of edges come after those that tensors say.
    ir::range positions(const tree& t, detail::buffer<ir::ref>& sums) {
        std::vector<ir::position> list;
        auto places = static_cast<std::int32_t>(t.children.size());
        for (std::size_t k = 0; k < t.axes.size(); ++k) {
            const axis& a = t.axes[k];
            ir::position q{a.kind, false, ir::none, a.offset, {}};
            if (is_sum(t, k)) {
                sums.push(place_index(a.terms[0].first));
                list.push_back(ir::index_position(sums.back()));
                continue;
            }
            if (a.beyond != edge::none) {
                q.kind = ir::position_kind::gathered;
                q.offset = places++;
                list.push_back(q);
                continue;
            }
            if (a.kind == ir::position_kind::index)
                q.index = out_.intern_index(view(a.terms[0].first));
            else q.terms = {out_.affine_terms.size(), static_cast<std::int32_t>(a.terms.size())};
            if (a.kind != ir::position_kind::index)
                for (const auto& [index, coefficient] : a.terms)
                    out_.affine_terms.push({out_.intern_index(view(index)), coefficient});
            list.push_back(q);
        }
        const ir::range r{out_.positions.size(), static_cast<std::int32_t>(list.size())};
        out_.positions.append(list.data(), r.count);
        return r;
    }
    ir::range positions(const std::vector<axis>& axes) {
        tree plain;
        plain.axes = axes;
        detail::buffer<ir::ref> none;
        return positions(plain, none);
    }
    ir::ref place_index(std::string spelling) {
        do spelling += "''";
        while (out_.find_index(view(spelling)) != ir::none);
        const ir::ref i = out_.intern_index(view(spelling));
        out_.indices[i].extent = ir::kept_inside;
        return i;
    }
    ir::ref node(const tree& t) {
        std::vector<ir::ref> children;
        for (const auto& child : t.children) children.push_back(node(child));
        switch (t.kind) {
            case ir::op::number:
                return out_.number(t.value);
            case ir::op::tensor:
                return read(t, children);
            case ir::op::delta: {
                ir::node n = ir::blank_node(ir::op::delta);
                n.positions = positions(t.axes);
                return out_.nodes.push(n);
            }
            case ir::op::position:
                return out_.position_of(out_.intern_index(view(t.indices[0])));
            case ir::op::reduce: {
                std::vector<ir::ref> over;
                for (const auto& i : t.indices) over.push_back(out_.intern_index(view(i)));
                const ir::range r =
                    out_.add_links(over.data(), static_cast<std::int32_t>(over.size()));
                const ir::ref sign =
                    out_.reduce(static_cast<ir::reduction>(t.detail), r, children[0]);
                out_.nodes[sign].value = t.value;
                return sign;
            }
            default:
                break;
        }
        const auto own = [&](ir::op kind, ir::ref a, ir::ref b) { return out_.make(kind, a, b); };
        if (t.own == own_function::square_plus)
            return own(ir::op::add, own(ir::op::multiply, children[0], children[0]), children[0]);
        if (t.own == own_function::mixed)
            return own(ir::op::add, own(ir::op::multiply, children[0], children[1]),
                       own(ir::op::divide, children[0], out_.number(-2)));
        return out_.make(t.kind, t.detail, children.data(),
                         static_cast<std::int32_t>(children.size()));
    }

    ir::ref read(const tree& t, const std::vector<ir::ref>& children) {
        detail::buffer<ir::ref> places, conditions, sums, factors;
        const ir::range at = positions(t, sums);
        for (const ir::ref child : children) places.push(child);
        std::int32_t next = 0;
        for (std::size_t k = 0; k < t.axes.size(); ++k) {
            if (t.axes[k].beyond != edge::none) {
                places.push(place(t.axes[k], p_.tensors[t.tensor].extents[k], conditions));
            } else if (is_sum(t, k)) {
                const ir::ref both[] = {out_.position_of(sums[next++]), arithmetic(t.axes[k])};
                factors.push(compare(ir::comparison::equal, both));
            }
        }
        ir::ref use = out_.gather(name(t.tensor), at, places);
        // What is outside is the number 0, which hides nothing that stands beside it.
        for (const ir::ref c : conditions) {
            const ir::ref parts[] = {use, c, out_.number(0)};
            use = out_.make(ir::op::choose, 0, parts, 3);
        }
        if (sums.empty()) return use;
        factors.push(use);
        const ir::ref product = out_.make(ir::op::multiply, 0, factors.data(), factors.size());
        return out_.reduce(ir::reduction::sum, out_.add_links(sums), product);
    }
    ir::ref compare(ir::comparison c, const ir::ref (&both)[2]) {
        return out_.make(ir::op::compare, static_cast<std::uint8_t>(c), both, 2);
    }
    ir::ref arithmetic(const axis& a) {
        detail::buffer<ir::ref> sum;
        for (const auto& [index, coefficient] : a.terms) {
            const ir::ref letter = out_.position_of(out_.intern_index(view(index)));
            sum.push(coefficient == 1
                         ? letter
                         : out_.make(ir::op::multiply, out_.number(coefficient), letter));
        }
        const std::int64_t first = first_place(p_, a);
        if (first != 0) sum.push(out_.number(static_cast<double>(first)));
        return sum.size() == 1 ? sum[0] : out_.make(ir::op::add, 0, sum.data(), sum.size());
    }
    /// Where an axis of that length is read; the conditions under which it is.
    ir::ref place(const axis& a, std::int64_t length, detail::buffer<ir::ref>& conditions) {
        const ir::ref sum = arithmetic(a);
        const ir::ref all = out_.number(static_cast<double>(length)), zero = out_.number(0),
                      last = out_.number(static_cast<double>(length - 1));
        const auto apply = [&](ir::function f, ir::ref x, ir::ref y) {
            const ir::ref both[] = {x, y};
            return out_.make(ir::op::apply, static_cast<std::uint8_t>(f), both, 2);
        };
        const auto is_less = [&](ir::ref x, ir::ref y) {
            const ir::ref both[] = {x, y};
            return compare(ir::comparison::less, both);
        };
        if (a.beyond == edge::wrap) return apply(ir::function::modulo, sum, all);
        if (a.beyond == edge::clamp)
            return apply(ir::function::maximum, zero, apply(ir::function::minimum, last, sum));
        conditions.push(is_less(sum, all));
        conditions.push(is_less(out_.number(-1), sum));
        return sum;
    }

    const random_program& p_;
    const tables tables_;
    ir::program out_;
};

}  // namespace ricci::testing
