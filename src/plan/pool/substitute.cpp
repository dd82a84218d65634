#include "src/plan/pool/substitute.hpp"

#include <algorithm>
#include <utility>

#include <ricci/ir/rewrite.hpp>

namespace ricci::plan {
namespace {

class matcher {
public:
    matcher(const ir::program& p, const std::vector<ir::ref>& open)
        : p_(p), open_(open), found_(open.size(), ir::none) {}

    bool run(ir::ref pattern, ir::ref n) {
        const ir::node &x = p_.nodes[pattern], &y = p_.nodes[n];
        if (!alike(x, y)) return false;
        const auto outer = bound_.size();
        for (std::int32_t k = 0; ir::binds(x) && k < x.indices.count; ++k)
            bound_.push_back({p_.links[x.indices.first + k], p_.links[y.indices.first + k]});
        bool same = children(x, y);
        for (std::int32_t k = 0; same && k < x.positions.count; ++k)
            same = place(x, p_.positions[x.positions.first + k], y,
                         p_.positions[y.positions.first + k]);
        for (std::int32_t k = 0; same && !ir::binds(x) && k < x.indices.count; ++k)
            same = index(p_.links[x.indices.first + k], p_.links[y.indices.first + k]);
        bound_.resize(outer);
        return same;
    }
    const std::vector<ir::ref>& found() const { return found_; }

private:
    static bool alike(const ir::node& x, const ir::node& y) {
        // What looks up a place is a child of a tensor, and is compared there.
        return x.kind == y.kind && x.detail == y.detail && x.name == y.name && x.value == y.value &&
               x.positions.count == y.positions.count && x.indices.count == y.indices.count &&
               (x.kind == ir::op::tensor || x.children.count == y.children.count);
    }
    bool children(const ir::node& x, const ir::node& y) {
        if (x.kind == ir::op::tensor) return true;
        if (x.kind == ir::op::add || x.kind == ir::op::multiply) {
            std::vector<bool> taken(static_cast<std::size_t>(y.children.count));
            return children_from(0, x, y, taken);
        }
        bool same = true;
        for (std::int32_t k = 0; same && k < x.children.count; ++k)
            same = run(p_.links[x.children.first + k], p_.links[y.children.first + k]);
        return same;
    }
    // Those of one from number k on, and those of the other that are left, in any order.
    bool children_from(std::int32_t k, const ir::node& x, const ir::node& y,
                       std::vector<bool>& taken) {
        if (k == x.children.count) return true;
        const ir::ref mine = p_.links[x.children.first + k];
        for (std::int32_t other = 0; other < y.children.count; ++other) {
            const ir::ref there = p_.links[y.children.first + other];
            if (taken[static_cast<std::size_t>(other)] || !alike(p_.nodes[mine], p_.nodes[there]))
                continue;
            const std::vector<ir::ref> before = found_;
            taken[static_cast<std::size_t>(other)] = true;
            if (run(mine, there) && children_from(k + 1, x, y, taken)) return true;
            taken[static_cast<std::size_t>(other)] = false;
            found_ = before;
        }
        return false;
    }
    bool place(const ir::node& x, const ir::position& a, const ir::node& y, const ir::position& b) {
        if (a.kind != b.kind || a.terms.count != b.terms.count) return false;
        if (a.kind == ir::position_kind::index) return index(a.index, b.index);
        if (a.kind == ir::position_kind::gathered)
            return run(p_.links[x.children.first + a.offset],
                       p_.links[y.children.first + b.offset]);
        for (std::int32_t t = 0; t < a.terms.count; ++t) {
            const auto &u = p_.affine_terms[a.terms.first + t],
                       &v = p_.affine_terms[b.terms.first + t];
            if (u.coefficient != v.coefficient || !index(u.index, v.index)) return false;
        }
        return a.offset == b.offset;
    }
    bool index(ir::ref a, ir::ref b) {
        for (auto it = bound_.rbegin(); it != bound_.rend(); ++it)
            if (it->first == a || it->second == b) return it->first == a && it->second == b;
        const auto open = std::find(open_.begin(), open_.end(), a);
        if (open == open_.end()) return a == b;
        ir::ref& known = found_[static_cast<std::size_t>(open - open_.begin())];
        if (known == ir::none) known = b;
        return known == b;
    }

    const ir::program& p_;
    const std::vector<ir::ref>& open_;
    std::vector<ir::ref> found_;  // in the place of the open ones
    std::vector<std::pair<ir::ref, ir::ref>> bound_;
};

}  // namespace

std::vector<ir::ref> free_indices_of(const ir::program& p, ir::ref n) {
    std::vector<ir::ref> all;
    ir::free_indices(p, n).for_each([&](ir::ref i) { all.push_back(i); });
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

std::optional<std::vector<ir::ref>> matched(const ir::program& p, ir::ref pattern, ir::ref n,
                                            const std::vector<ir::ref>& open) {
    matcher m(p, open);
    if (!m.run(pattern, n) || std::count(m.found().begin(), m.found().end(), ir::none) > 0)
        return std::nullopt;
    return m.found();
}

}  // namespace ricci::plan
