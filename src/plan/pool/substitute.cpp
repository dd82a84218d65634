#include "src/plan/pool/substitute.hpp"

#include <algorithm>
#include <utility>

#include <ricci/ir/rewrite.hpp>

namespace ricci::plan {
namespace {

bool is_softmax(const ir::node& x) { return x.kind == ir::op::reduce && !ir::binds(x); }

class substituter {
public:
    substituter(ir::program& p, const std::vector<index_value>& values,
                const std::function<ir::ref(ir::ref)>& fresh)
        : p_(p), values_(values), fresh_(fresh) {}

    ir::ref run(ir::ref n) {
        ir::node x = p_.nodes[n];
        const auto outer = values_.size();
        for (std::int32_t k = 0; ir::binds(x) && k < x.indices.count; ++k) {
            const ir::ref from = p_.links[x.indices.first + k];
            values_.push_back({from, ir::index_position(fresh_(from)), ir::none, true});
        }
        detail::buffer<ir::ref> children;
        for (std::int32_t k = 0; k < x.children.count; ++k)
            children.push(run(p_.links[x.children.first + k]));
        if (x.positions.count > 0) x.positions = positions(x, children);
        if (x.indices.count > 0) x.indices = indices(x);
        values_.resize(outer);
        if (x.children.count > 0 || !children.empty()) x.children = p_.add_links(children);
        return p_.nodes.push(x);
    }
    bool failed() const { return failed_; }

private:
    const index_value* value_of(ir::ref index) const {
        for (auto it = values_.rbegin(); it != values_.rend(); ++it)
            if (it->from == index) return &*it;
        return nullptr;
    }
    // Where only an index can stand that runs over the same places.
    ir::ref renamed(ir::ref index) {
        const index_value* v = value_of(index);
        if (!v) return index;
        failed_ = failed_ || !v->whole;
        return v->at.index;
    }
    ir::range positions(const ir::node& x, detail::buffer<ir::ref>& children) {
        detail::buffer<ir::position> list;
        for (std::int32_t k = 0; k < x.positions.count; ++k) {
            ir::position q = p_.positions[x.positions.first + k];
            if (q.kind == ir::position_kind::index && x.kind != ir::op::tensor) {
                q.index = renamed(q.index);
            } else if (q.kind == ir::position_kind::index) {
                if (const index_value* v = value_of(q.index)) {
                    q = v->at;
                    if (q.kind == ir::position_kind::gathered) q.offset = children.push(v->number);
                }
            } else if (q.terms.count > 0) {
                const ir::range terms{p_.affine_terms.size(), q.terms.count};
                for (std::int32_t t = 0; t < q.terms.count; ++t) {
                    ir::affine_term term = p_.affine_terms[q.terms.first + t];
                    term.index = renamed(term.index);
                    p_.affine_terms.push(term);
                }
                q.terms = terms;
            }
            list.push(q);
        }
        const ir::range out{p_.positions.size(), list.size()};
        p_.positions.append(list.data(), list.size());
        return out;
    }
    ir::range indices(const ir::node& x) {
        detail::buffer<ir::ref> over;
        for (std::int32_t k = 0; k < x.indices.count; ++k)
            over.push(renamed(p_.links[x.indices.first + k]));
        // The index of a softmax runs over a row inside: no other index may become the same letter.
        const auto stands_for = [&](ir::ref i) {
            return std::count_if(values_.begin(), values_.end(), [&](const index_value& v) {
                return v.at.kind == ir::position_kind::index && v.at.index == i;
            });
        };
        if (is_softmax(x))
            for (const ir::ref i : over) failed_ = failed_ || stands_for(i) > 1;
        return p_.add_links(over);
    }

    ir::program& p_;
    std::vector<index_value> values_;
    const std::function<ir::ref(ir::ref)>& fresh_;
    bool failed_ = false;
};

class matcher {
public:
    matcher(const ir::program& of_pattern, const ir::program& p, const std::vector<ir::ref>& open)
        : q_(of_pattern), p_(p) {
        for (const ir::ref i : open) now_.found.push_back({i, {}, ir::none, false});
        now_.is_found.resize(open.size());
    }

    bool run(ir::ref pattern, ir::ref n) {
        const ir::node &x = q_.nodes[pattern], &y = p_.nodes[n];
        if (!alike(x, y)) return false;
        const auto outer = bound_.size();
        for (std::int32_t k = 0; ir::binds(x) && k < x.indices.count; ++k)
            bound_.push_back({q_.links[x.indices.first + k], p_.links[y.indices.first + k]});
        bool same = children(x, y);
        for (std::int32_t k = 0; same && k < x.positions.count; ++k)
            same = place(x, q_.positions[x.positions.first + k], y,
                         p_.positions[y.positions.first + k]);
        for (std::int32_t k = 0; same && !ir::binds(x) && k < x.indices.count; ++k)
            same = index(q_.links[x.indices.first + k],
                         ir::index_position(p_.links[y.indices.first + k]), ir::none);
        bound_.resize(outer);
        return same;
    }
    bool is_complete() const {
        return std::find(now_.is_found.begin(), now_.is_found.end(), false) == now_.is_found.end();
    }
    std::vector<index_value> found() && { return std::move(now_.found); }

private:
    struct state {
        std::vector<index_value> found;
        std::vector<bool> is_found;
    };

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
            same = run(q_.links[x.children.first + k], p_.links[y.children.first + k]);
        return same;
    }
    // Those of one from number k on, and those of the other that are left, in any order.
    bool children_from(std::int32_t k, const ir::node& x, const ir::node& y,
                       std::vector<bool>& taken) {
        if (k == x.children.count) return true;
        const ir::ref mine = q_.links[x.children.first + k];
        for (std::int32_t other = 0; other < y.children.count; ++other) {
            const ir::ref there = p_.links[y.children.first + other];
            if (taken[static_cast<std::size_t>(other)] || !alike(q_.nodes[mine], p_.nodes[there]))
                continue;
            const state before = now_;
            taken[static_cast<std::size_t>(other)] = true;
            if (run(mine, there) && children_from(k + 1, x, y, taken)) return true;
            taken[static_cast<std::size_t>(other)] = false;
            now_ = before;
        }
        return false;
    }
    bool place(const ir::node& x, const ir::position& a, const ir::node& y, const ir::position& b) {
        const ir::ref number = b.kind == ir::position_kind::gathered
                                   ? p_.links[y.children.first + b.offset]
                                   : ir::none;
        if (a.kind == ir::position_kind::index) return index(a.index, b, number);
        if (a.kind != b.kind || a.terms.count != b.terms.count) return false;
        if (a.kind == ir::position_kind::gathered)
            return run(q_.links[x.children.first + a.offset], number);
        for (std::int32_t t = 0; t < a.terms.count; ++t) {
            const auto &u = q_.affine_terms[a.terms.first + t],
                       &v = p_.affine_terms[b.terms.first + t];
            if (u.coefficient != v.coefficient ||
                !index(u.index, ir::index_position(v.index), ir::none))
                return false;
        }
        return a.offset == b.offset;
    }
    bool index(ir::ref a, const ir::position& b, ir::ref number) {
        const bool plain = b.kind == ir::position_kind::index;
        for (auto it = bound_.rbegin(); it != bound_.rend(); ++it)
            if (it->first == a || (plain && it->second == b.index))
                return it->first == a && plain && it->second == b.index;
        for (std::size_t k = 0; k < now_.found.size(); ++k) {
            index_value& known = now_.found[k];
            if (known.from != a) continue;
            if (!now_.is_found[k]) {
                if (!plain && b.kind != ir::position_kind::fixed &&
                    b.kind != ir::position_kind::gathered)
                    return false;
                now_.is_found[k] = true;
                known.at = b;
                known.number = number;
                return true;
            }
            if (known.at.kind != b.kind) return false;
            if (plain) return known.at.index == b.index;
            if (number == ir::none) return known.at.offset == b.offset;
            return ir::same_expression(p_, known.number, number);
        }
        return plain && a == b.index;
    }

    const ir::program &q_, &p_;  // of the pattern, and of the other
    state now_;
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

std::optional<ir::ref> substituted(ir::program& p, ir::ref n,
                                   const std::vector<index_value>& values,
                                   const std::function<ir::ref(ir::ref)>& fresh) {
    substituter s(p, values, fresh);
    const ir::ref result = s.run(n);
    if (s.failed()) return std::nullopt;
    return result;
}

std::optional<std::vector<index_value>> matched(const ir::program& of_pattern, ir::ref pattern,
                                                const ir::program& p, ir::ref n,
                                                const std::vector<ir::ref>& open) {
    matcher m(of_pattern, p, open);
    if (!m.run(pattern, n) || !m.is_complete()) return std::nullopt;
    return std::move(m).found();
}

}  // namespace ricci::plan
