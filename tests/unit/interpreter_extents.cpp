// How long the indices of an equation are, from the shapes of what it reads and writes.
#include <cmath>

#include "tests/unit/interpreter.hpp"

namespace ricci::testing {

void interpreter::infer(const ir::equation& e) {
    extents_.assign(static_cast<std::size_t>(p_.indices.size()), -1);
    for (ir::ref i = 0; i < p_.indices.size(); ++i)
        if (p_.indices[i].extent > 0) extents_[static_cast<std::size_t>(i)] = p_.indices[i].extent;
    for (const auto& [index, n] : given) extents_[static_cast<std::size_t>(index)] = n;
    infer_said();
    for (int round = 0; round < 4; ++round) {
        infer_node(e.body);
        if (const auto known = shapes.find(e.name); known != shapes.end())
            infer_axes(e.positions, known->second);
        for (ir::ref i = 0; i < p_.indices.size(); ++i) share_letter(i);
    }
    // \delta^{jj} Z^i says nothing of j, which the equations before this one do
    seen_.resize(extents_.size(), -1);
    for (std::size_t i = 0; i < seen_.size(); ++i) {
        if (extents_[i] < 0) extents_[i] = seen_[i];
        else seen_[i] = extents_[i];
    }
}

void interpreter::infer_said() {
    for (ir::ref i = 0; i < p_.indices.size(); ++i) {
        const auto& along = p_.indices[i].along;
        if (along.tensor == ir::none) continue;
        const auto axis = static_cast<std::size_t>(along.number);
        auto& n = extents_[static_cast<std::size_t>(i)];
        if (const auto t = tensors.find(along.tensor); t != tensors.end())
            n = t->second.extents[axis];
        else if (const auto s = uncomputed_.find(along.tensor); s != uncomputed_.end())
            n = s->second[axis];
    }
}

void interpreter::share_letter(ir::ref i) {
    std::string text = spelled(i);
    const bool says = !text.ends_with("''");
    while (!text.empty() && text.back() == '\'') {
        text.pop_back();
        for (ir::ref j = 0; j < p_.indices.size(); ++j) {
            if (j == i || spelled(j) != text) continue;
            auto& a = extents_[static_cast<std::size_t>(i)];
            auto& b = extents_[static_cast<std::size_t>(j)];
            if (a < 0) a = b;
            if (b < 0 && says) b = a;
        }
    }
}

std::string interpreter::spelled(ir::ref i) const {
    const auto text = p_.index(i);
    return {text.data, static_cast<std::size_t>(text.size)};
}

void interpreter::infer_node(ir::ref number) {
    const ir::node& n = p_.nodes[number];
    if (n.kind == ir::op::tensor)
        if (const auto t = tensors.find(n.name); t != tensors.end())
            infer_axes(n.positions, t->second.extents);
    for (std::int32_t k = 0; k < n.children.count; ++k) infer_node(p_.child(n, k));
}

void interpreter::infer_axes(ir::range positions, const std::vector<std::int64_t>& shape) {
    for (std::int32_t axis = 0; axis < positions.count && !shape.empty(); ++axis) {
        const auto& q = p_.at(positions, axis);
        const std::int64_t length = shape[static_cast<std::size_t>(axis)];
        if (q.kind == ir::position_kind::index)
            extents_[static_cast<std::size_t>(q.index)] = length;
        if (q.kind != ir::position_kind::merged && q.kind != ir::position_kind::affine) continue;
        const ir::affine_term* open = nullptr;
        int open_count = 0;
        std::int64_t rest = q.kind == ir::position_kind::merged ? 1 : q.offset;
        for (std::int32_t k = 0; k < q.terms.count; ++k) {
            const auto& term = p_.affine_terms[q.terms.first + k];
            const auto n = extents_[static_cast<std::size_t>(term.index)];
            if (n < 0) {
                open = &term;
                ++open_count;
            } else if (q.kind == ir::position_kind::merged) {
                rest *= n;
            } else {
                rest += std::abs(term.coefficient) * std::max<std::int64_t>(n - 1, 0);
            }
        }
        if (open_count != 1) continue;
        auto& n = extents_[static_cast<std::size_t>(open->index)];
        if (q.kind == ir::position_kind::affine && length > rest)
            n = (length - 1 - rest) / std::abs(open->coefficient) + 1;
        if (q.kind == ir::position_kind::merged && rest > 0) n = length / rest;
    }
}

}  // namespace ricci::testing
