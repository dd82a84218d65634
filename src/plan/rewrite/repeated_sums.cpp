// Which sums of a program may occur more than once.
#include "src/plan/rewrite/repeated_sums.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include <ricci/ir/extrema.hpp>

#include "src/plan/pool/mixed.hpp"

namespace ricci::plan {

bool is_sum(const ir::node& x) {
    return x.kind == ir::op::reduce && x.detail == static_cast<std::uint8_t>(ir::reduction::sum);
}

index_list list_of(const ir::index_set& set) {
    index_list list;
    set.for_each([&](ir::ref i) { list.push_back(i); });
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return list;
}

factors factors_of(const ir::program_view& p, const ir::node& sum) {
    factors f;
    const ir::node& product = p.nodes[p.child(sum, 0)];
    if (product.kind != ir::op::multiply) return f;
    for (std::int32_t k = 0; k < product.children.count; ++k) {
        const ir::ref factor = p.child(product, k);
        auto indices = list_of(ir::free_indices(p, factor));
        if (indices.empty()) {
            f.scalars.push_back(factor);
            continue;
        }
        f.nodes.push_back(factor);
        f.indices.push_back(std::move(indices));
    }
    for (std::int32_t k = 0; k < sum.indices.count; ++k) f.over.push_back(p.reduced(sum, k));
    std::sort(f.over.begin(), f.over.end());
    return f;
}

namespace {

template <class... Values>
std::uint64_t mixed_all(std::uint64_t seed, Values... values) {
    ((seed = mixed(seed, static_cast<std::uint64_t>(values))), ...);
    return seed;
}

std::uint64_t without_children(const ir::program_view& p, const ir::node& x) {
    std::uint64_t h = mixed_all(1, x.kind, x.detail, x.children.count);
    if (x.kind == ir::op::number) h = mixed(h, std::bit_cast<std::uint64_t>(x.value));
    if (x.kind == ir::op::tensor) h = mixed_all(h, x.name);
    for (std::int32_t k = 0; k < x.positions.count; ++k) {
        const auto& q = p.at(x.positions, k);
        h = mixed_all(h, q.kind, q.offset);
        for (std::int32_t t = 0; t < q.terms.count; ++t)
            h = mixed_all(h, p.affine_terms[q.terms.first + t].coefficient);
    }
    return h;
}

/// The children of a node of this kind, taken up one after the other.
std::uint64_t with_child(ir::op kind, std::uint64_t node, std::uint64_t child) {
    const bool any_order = kind == ir::op::add || kind == ir::op::multiply;
    return any_order ? node + mixed(3, child) : mixed(node, child);
}

}  // namespace

std::uint64_t likeness::of(const ir::program_view& p, ir::ref n) {
    const auto at = static_cast<std::size_t>(n);
    if (at >= known_.size()) known_.resize(static_cast<std::size_t>(p.nodes.size()), 0);
    if (known_[at] != 0) return known_[at];
    const ir::node& x = p.nodes[n];
    std::uint64_t h = without_children(p, x);
    for (std::int32_t k = 0; k < x.children.count; ++k)
        h = with_child(x.kind, h, of(p, p.child(x, k)));
    return known_[at] = h | 1;
}

std::uint64_t likeness::of_summed_pair(std::uint64_t a, std::uint64_t b) {
    const auto first = with_child(ir::op::multiply, mixed_all(1, ir::op::multiply, 0, 2), a);
    const auto product = with_child(ir::op::multiply, first, b) | 1;
    return with_child(ir::op::reduce, mixed_all(1, ir::op::reduce, ir::reduction::sum, 1),
                      product) |
           1;
}

namespace {

/// Whether a sum is less than what it is of: \sum_{j} 1, which is a number, or the sum over p of
/// [p = i + 1] x^p, which reads x elsewhere.
bool is_place(const ir::program_view& p, const ir::node& sum) {
    if (!is_sum(sum)) return false;
    const ir::node& body = p.nodes[p.child(sum, 0)];
    if (body.kind == ir::op::number || ir::is_power_of_zero(p, body)) return true;
    if (body.kind != ir::op::multiply) return false;
    std::int32_t equalities = 0, others = 0;
    for (std::int32_t k = 0; k < body.children.count; ++k) {
        const ir::node& factor = p.nodes[p.child(body, k)];
        const bool equality = factor.kind == ir::op::compare &&
                              factor.detail == static_cast<std::uint8_t>(ir::comparison::equal);
        ++(equality ? equalities : others);
    }
    return equalities >= sum.indices.count && others <= 1;
}

}  // namespace

repeated_sums::repeated_sums(const ir::program_view& p) {
    for (const ir::equation& e : p.equations)
        if (ir::computes(p, e)) look(p, e.body);
    // One of each that is there more than once.
    std::sort(found_.begin(), found_.end());
    auto kept = found_.begin();
    for (auto at = found_.begin(); at != found_.end();) {
        const auto next = std::upper_bound(at, found_.end(), *at);
        if (next - at > 1) *kept++ = *at;
        at = next;
    }
    found_.erase(kept, found_.end());
}

void repeated_sums::look(const ir::program_view& p, ir::ref n) {
    const ir::node& x = p.nodes[n];
    // Places of extrema are whole numbers, and nothing but a result is told to hold such.
    if (x.kind == ir::op::reduce && !is_place(p, x) && !ir::gives_place(x))
        found_.push_back(likeness_.of(p, n));
    if (is_sum(x) && p.nodes[p.child(x, 0)].children.count > 2) {
        const factors f = factors_of(p, x);
        for (std::size_t a = 0; f.have_pairs() && a < f.nodes.size(); ++a)
            for (std::size_t b = a + 1; b < f.nodes.size(); ++b)
                found_.push_back(likeness::of_summed_pair(likeness_.of(p, f.nodes[a]),
                                                          likeness_.of(p, f.nodes[b])));
    }
    for (std::int32_t k = 0; k < x.children.count; ++k) look(p, p.child(x, k));
}

bool repeated_sums::contain(std::uint64_t sum) const {
    return std::binary_search(found_.begin(), found_.end(), sum);
}

bool repeated_sums::has(const ir::program_view& p, ir::ref sum) {
    return contain(likeness_.of(p, sum));
}

bool repeated_sums::has_pair(const ir::program_view& p, ir::ref a, ir::ref b) {
    return contain(likeness::of_summed_pair(likeness_.of(p, a), likeness_.of(p, b)));
}

bool repeated_sums::has_any_pair(const ir::program_view& p, const factors& f) {
    for (std::size_t a = 0; a < f.nodes.size(); ++a)
        for (std::size_t b = a + 1; b < f.nodes.size(); ++b)
            if (has_pair(p, f.nodes[a], f.nodes[b])) return true;
    return false;
}

}  // namespace ricci::plan
