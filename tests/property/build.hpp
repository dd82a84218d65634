// Random programs as programs of the IR, made without the parser: what their text has to mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/property/syntax.hpp"

namespace ricci::testing {

/// The program that the text has to mean.
class ir_builder {
public:
    explicit ir_builder(const random_program& p) : p_(p) {}
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
    ir::range positions(const std::vector<axis>& axes) {
        std::vector<ir::position> list;
        for (const auto& a : axes) {
            ir::position q{a.kind, false, ir::none, a.offset, {}};
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
    ir::ref node(const tree& t) {
        std::vector<ir::ref> children;
        for (const auto& child : t.children) children.push_back(node(child));
        switch (t.kind) {
            case ir::op::number:
                return out_.number(t.value);
            case ir::op::tensor: {
                const ir::range at = positions(t.axes);
                detail::buffer<ir::ref> places;
                for (const ir::ref child : children) places.push(child);
                return out_.gather(name(t.tensor), at, places);
            }
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

    const random_program& p_;
    ir::program out_;
};

}  // namespace ricci::testing
