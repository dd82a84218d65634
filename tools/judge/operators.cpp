// A B is \sum_m A_{am} B_{mb}, and a number is a multiple of \delta_{ab}.
#include "judge/operators.hpp"

#include <ricci/ir/compact.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::judge {
namespace {

using ir::op;
using ir::ref;

/// Thrown within this file, and caught around a program.
struct no_matrix {};

bool is_operator_name(const ir::program_view& p, const ir::node& x) {
    return x.kind == op::tensor && x.positions.count <= 1 &&
           p.names[x.name].kind == ir::name_kind::plain;
}
bool has_operator(const ir::program_view& p, ref n) {
    bool found = false;
    ir::for_each_node(p, n, [&](ref m) { found = found || is_operator_name(p, p.nodes[m]); });
    return found;
}
/// The exponent of a power, where it is 2, 3 or 4; else 0.
std::int64_t small_exponent(const ir::program_view& p, const ir::node& x) {
    const ir::node& e = p.nodes[p.child(x, 1)];
    const bool small = e.kind == op::number && (e.value == 2 || e.value == 3 || e.value == 4);
    return small ? static_cast<std::int64_t>(e.value) : 0;
}

class matrices {
public:
    explicit matrices(const ir::program_view& p) : p_(p) {
        for (std::int32_t e = 0; e < p.equations.size(); ++e) {
            ir::equation q = p_.equations[e];
            if (p_.names[q.name].kind != ir::name_kind::plain) throw no_matrix{};
            if (q.positions.count > 1) {
                if (has_operator(p_, q.body)) throw no_matrix{};
                continue;
            }
            const ref a = fresh(), b = fresh();
            const ref body = element(q.body, a, b);
            q.positions = with_axes(q.positions, a, b);
            q.body = body;
            p_.equations[e] = q;
        }
    }
    /// Without the nodes that the names had as numbers.
    ir::program take() const { return ir::compact(p_.view()); }

private:
    ref fresh() {
        detail::text_builder name;
        name << "m" << static_cast<std::int64_t>(++count_) << '\'';
        return p_.intern_index(name);
    }
    ir::range with_axes(ir::range at, ref a, ref b) {
        detail::buffer<ir::position> list;
        for (std::int32_t k = 0; k < at.count; ++k) list.push(p_.positions[at.first + k]);
        list.push(ir::index_position(a));
        list.push(ir::index_position(b));
        const ir::range out{p_.positions.size(), list.size()};
        p_.positions.append(list.data(), list.size());
        return out;
    }
    ref delta(ref a, ref b) {
        ir::node x = ir::blank_node(op::delta);
        x.positions = {p_.positions.size(), 2};
        p_.positions.push(ir::index_position(a));
        p_.positions.push(ir::index_position(b));
        return p_.nodes.push(x);
    }
    ref product(const detail::buffer<ref>& numbers, const detail::buffer<ref>& factors, ref a,
                ref b) {
        detail::buffer<ref> all, between;
        all.append(numbers.data(), numbers.size());
        if (factors.empty()) all.push(delta(a, b));
        ref left = a;
        for (std::int32_t k = 0; k < factors.size(); ++k) {
            const bool last = k + 1 == factors.size();
            const ref right = last ? b : fresh();
            if (!last) between.push(right);
            all.push(element(factors[k], left, right));
            left = right;
        }
        const ref whole =
            all.size() == 1 ? all[0] : p_.make(op::multiply, 0, all.data(), all.size());
        if (between.empty()) return whole;
        const ir::range over = p_.add_links(between);
        return p_.reduce(ir::reduction::sum, over, whole);
    }
    /// The element (a, b) of what a node stands for.
    ref element(ref n, ref a, ref b) {
        const ir::node x = p_.nodes[n];
        detail::buffer<ref> numbers, factors;
        if (!has_operator(p_, n)) {
            numbers.push(n);
            return product(numbers, factors, a, b);
        }
        switch (x.kind) {
            case op::tensor: {
                if (x.children.count > 0) throw no_matrix{};
                return p_.tensor(x.name, with_axes(x.positions, a, b));
            }
            case op::add: {
                detail::buffer<ref> terms;
                for (std::int32_t k = 0; k < x.children.count; ++k)
                    terms.push(element(p_.links[x.children.first + k], a, b));
                return p_.make(op::add, 0, terms.data(), terms.size());
            }
            case op::multiply:
                for (std::int32_t k = 0; k < x.children.count; ++k) {
                    const ref child = p_.links[x.children.first + k];
                    (has_operator(p_, child) ? factors : numbers).push(child);
                }
                return product(numbers, factors, a, b);
            case op::divide: {
                const ref below = p_.links[x.children.first + 1];
                if (has_operator(p_, below)) throw no_matrix{};
                const ref above = element(p_.links[x.children.first], a, b);
                return p_.make(op::divide, above, below);
            }
            case op::power: {
                const std::int64_t times = small_exponent(p_, x);
                if (times == 0) throw no_matrix{};
                for (std::int64_t k = 0; k < times; ++k) factors.push(p_.links[x.children.first]);
                return product(numbers, factors, a, b);
            }
            case op::reduce: {
                if (x.detail != static_cast<std::uint8_t>(ir::reduction::sum)) throw no_matrix{};
                const ref body = element(p_.links[x.children.first], a, b);
                return p_.reduce(ir::reduction::sum, x.indices, body);
            }
            default:
                throw no_matrix{};
        }
    }

    ir::program p_;
    int count_ = 0;
};

}  // namespace

bool multiplies_operators(const ir::program_view& p) {
    bool found = false;
    for (const ir::equation& e : p.equations)
        ir::for_each_node(p, e.body, [&](ref n) {
            const ir::node& x = p.nodes[n];
            std::int32_t count = 0;
            if (x.kind == op::multiply || x.kind == op::divide)
                for (std::int32_t k = 0; k < x.children.count; ++k)
                    count += has_operator(p, p.child(x, k));
            found = found || count > 1 || (x.kind == op::power && has_operator(p, n));
        });
    return found;
}

std::optional<ir::program> as_matrices(const ir::program_view& p) {
    try {
        return matrices(p).take();
    } catch (const no_matrix&) {
        return std::nullopt;
    }
}

}  // namespace ricci::judge
