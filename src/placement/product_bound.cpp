// The communication lower bound of a product.
#include "src/placement/product_bound.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <ricci/ir/rewrite.hpp>
#include <ricci/ir/roles.hpp>

namespace ricci::mpi {
namespace {

std::optional<std::set<ir::ref>> plain_letters(const ir::program_view& p, ir::range at) {
    std::set<ir::ref> all;
    for (std::int32_t k = 0; k < at.count; ++k) {
        const ir::position& q = p.at(at, k);
        if (q.kind != ir::position_kind::index || !all.insert(q.index).second) return std::nullopt;
    }
    return all;
}

/// The equation that computes something, where there is one alone.
ir::ref only_equation(const ir::program_view& p) {
    ir::ref found = ir::none;
    for (ir::ref e = 0; e < p.equations.size(); ++e) {
        if (!ir::computes(p, p.equations[e])) continue;
        if (found != ir::none) return ir::none;
        found = e;
    }
    return found;
}

}  // namespace

std::optional<product_sizes> product_of(const ir::program_view& p, const ir::shape_table& shapes) {
    const ir::ref e = only_equation(p);
    if (e == ir::none) return std::nullopt;
    const ir::node& sum = p.nodes[p.equations[e].body];
    if (sum.kind != ir::op::reduce || static_cast<ir::reduction>(sum.detail) != ir::reduction::sum)
        return std::nullopt;
    const ir::node& product = p.nodes[p.child(sum, 0)];
    if (product.kind != ir::op::multiply || product.children.count != 2) return std::nullopt;
    const ir::node &a = p.nodes[p.child(product, 0)], &b = p.nodes[p.child(product, 1)];
    if (a.kind != ir::op::tensor || b.kind != ir::op::tensor) return std::nullopt;
    const auto of_a = plain_letters(p, a.positions), of_b = plain_letters(p, b.positions),
               of_c = plain_letters(p, p.equations[e].positions);
    if (!of_a || !of_b || !of_c) return std::nullopt;
    product_sizes sizes;
    std::set<ir::ref> all = *of_a;
    all.insert(of_b->begin(), of_b->end());
    for (const ir::ref i : all) {
        const bool in_a = of_a->count(i) > 0, in_b = of_b->count(i) > 0, in_c = of_c->count(i) > 0;
        if (in_a + in_b + in_c != 2) return std::nullopt;
        (in_a ? in_b ? sizes.inner : sizes.rows : sizes.columns) *=
            static_cast<double>(shapes.index_extent(e, i));
    }
    return sizes;
}

// Theorem 3 there: what a rank has to have, without its share of what all have together.
product_bound bound_of(const product_sizes& sizes, int ranks) {
    std::array<double, 3> by_size{sizes.rows, sizes.inner, sizes.columns};
    std::sort(by_size.begin(), by_size.end());
    const auto [k, n, m] = by_size;
    const double p = ranks;
    product_bound b;
    double has = 0;
    if (p <= m / n) {
        b.dimensions = 1;
        has = (m * n + m * k) / p + n * k;
    } else if (p <= m * n / (k * k)) {
        b.dimensions = 2;
        has = 2 * std::sqrt(m * n * k * k / p) + m * n / p;
    } else {
        b.dimensions = 3;
        has = 3 * std::pow(m * n * k / p, 2.0 / 3);
    }
    b.elements = std::max(0.0, has - (m * n + m * k + n * k) / p);
    return b;
}

}  // namespace ricci::mpi
