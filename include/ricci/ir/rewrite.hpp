// Rebuilding expressions: copies with some nodes or indices replaced, and what an expression uses.
#pragma once

#include <cstdint>

#include <ricci/ir/literal.hpp>
#include <ricci/ir/program.hpp>

namespace ricci::ir {

/// Indices replaced by others; an index that is not in the list stays.
class index_map {
public:
    constexpr void set(ref from, ref to) { pairs_.push({from, to}); }
    constexpr ref operator()(ref index) const {
        for (const pair& p : pairs_)
            if (p.from == index) return p.to;
        return index;
    }
    constexpr bool empty() const { return pairs_.empty(); }

    struct pair {
        ref from;
        ref to;
    };
    constexpr const pair* begin() const { return pairs_.begin(); }
    constexpr const pair* end() const { return pairs_.end(); }

private:
    detail::buffer<pair> pairs_;
};

constexpr range rename_positions(program& p, range at, const index_map& renamed) {
    if (renamed.empty()) return at;
    detail::buffer<position> list;
    for (std::int32_t k = 0; k < at.count; ++k) {
        position q = p.positions[at.first + k];
        if (q.kind == position_kind::index) q.index = renamed(q.index);
        if (q.terms.count > 0) {
            const range terms{p.affine_terms.size(), q.terms.count};
            for (std::int32_t t = 0; t < q.terms.count; ++t) {
                affine_term term = p.affine_terms[q.terms.first + t];
                term.index = renamed(term.index);
                p.affine_terms.push(term);
            }
            q.terms = terms;
        }
        list.push(q);
    }
    const range out{p.positions.size(), list.size()};
    p.positions.append(list.data(), list.size());
    return out;
}

/// A copy of `n` whose children are `rebuild(child)`. Returns `n` itself where nothing changed.
template <class Rebuild>
constexpr ref rebuild_children(program& p, ref n, Rebuild&& rebuild) {
    const range before = p.nodes[n].children;
    if (before.count == 0) return n;
    detail::buffer<ref> children;  // stays empty until one is another: that is most nodes
    bool changed = false;
    for (std::int32_t k = 0; k < before.count; ++k) {
        const ref child = p.links[before.first + k];
        const ref now = rebuild(child);
        if (!changed && now != child) {
            changed = true;
            children.append(p.links.data() + before.first, k);
        }
        if (changed) children.push(now);
    }
    if (!changed) return n;
    node copy = p.nodes[n];
    copy.children = p.add_links(children);
    return p.nodes.push(copy);
}

/// A copy with every index renamed, bound ones too.
constexpr ref rename_indices(program& p, ref n, const index_map& renamed) {
    if (renamed.empty()) return n;
    const ref inside =
        rebuild_children(p, n, [&](ref child) { return rename_indices(p, child, renamed); });
    node copy = p.nodes[inside];
    if (copy.positions.count == 0 && copy.indices.count == 0) return inside;
    if (copy.positions.count > 0) copy.positions = rename_positions(p, copy.positions, renamed);
    if (copy.indices.count > 0) {
        detail::buffer<ref> over;
        for (std::int32_t k = 0; k < copy.indices.count; ++k)
            over.push(renamed(p.links[copy.indices.first + k]));
        copy.indices = p.add_links(over);
    }
    if (inside == n) return p.nodes.push(copy);
    p.nodes[inside] = copy;  // just made: nothing else refers to it
    return inside;
}

/// Calls `visit(index)` for every index in a list of positions, repeated ones repeatedly.
/// `Program`, here and below, is a program or a view of one: making a view costs the compiler time.
template <class Program, class Visit>
constexpr void for_each_index(const Program& p, range at, Visit&& visit) {
    if (at.count == 0) return;
    const position* q = p.positions.begin() + at.first;
    for (const position* end = q + at.count; q != end; ++q) {
        if (q->kind == position_kind::index) visit(q->index);
        for (std::int32_t t = 0; t < q->terms.count; ++t)
            visit(p.affine_terms[q->terms.first + t].index);
    }
}

/// Whether an index stands in positions.
template <class Program>
constexpr bool has_index(const Program& p, range at, ref index) {
    if (at.count == 0) return false;
    const position* q = p.positions.begin() + at.first;
    for (const position* end = q + at.count; q != end; ++q) {
        if (q->kind == position_kind::index && q->index == index) return true;
        for (std::int32_t t = 0; t < q->terms.count; ++t)
            if (p.affine_terms[q->terms.first + t].index == index) return true;
    }
    return false;
}

/// Indices of one program, each absent, there once, or there more often. Indices below 64, which is
/// nearly always all, are bits; the others a list.
class index_set {
public:
    constexpr void add(ref index) {
        if (index >= 64) return add_high(index, 1);
        const std::uint64_t bit = std::uint64_t{1} << index;
        more_ |= once_ & bit;
        once_ |= bit;
    }
    constexpr void remove(ref index) {
        if (index >= 64) {
            for (ref& i : high_)
                if (i == index) i = none;
            return;
        }
        const std::uint64_t bit = std::uint64_t{1} << index;
        once_ &= ~bit;
        more_ &= ~bit;
    }
    /// Adds every member of another set, as often as it is there.
    constexpr void merge(const index_set& other) {
        more_ |= other.more_ | (once_ & other.once_);
        once_ |= other.once_;
        for (ref i : other.high_)
            if (i != none) add_high(i, 1);
    }
    /// Adds every member of another set; one that either has repeated is repeated.
    constexpr void unite(const index_set& other) {
        more_ |= other.more_;
        once_ |= other.once_;
        for (std::int32_t k = 0; k < other.high_.size(); ++k) {
            const ref i = other.high_[k];
            if (i == none) continue;
            const std::int32_t lacking = other.high_count(i) - high_count(i);
            if (lacking > 0) add_high(i, lacking);
        }
    }
    /// Leaves those that are there once.
    constexpr void drop_repeated() {
        once_ &= ~more_;
        more_ = 0;
        for (std::int32_t k = 0; k < high_.size(); ++k)
            if (const ref i = high_[k]; i != none && high_count(i) > 1) remove(i);
    }
    /// Adds every member of another set once.
    constexpr void merge_once(const index_set& other) {
        more_ |= once_ & other.once_;
        once_ |= other.once_;
        for (std::int32_t k = 0; k < other.high_.size(); ++k) {
            bool first = other.high_[k] != none;
            for (std::int32_t j = 0; j < k; ++j) first = first && other.high_[j] != other.high_[k];
            if (first) add_high(other.high_[k], 1);
        }
    }
    constexpr bool has(ref index) const {
        return index < 64 ? (once_ >> index & 1) != 0 : high_count(index) > 0;
    }
    constexpr bool repeated(ref index) const {
        return index < 64 ? (more_ >> index & 1) != 0 : high_count(index) > 1;
    }
    constexpr bool empty() const { return once_ == 0 && end() <= 64; }
    /// Calls visit(index) for every member; of those that are there more than once perhaps more
    /// than once, and in no order.
    template <class Visit>
    constexpr void for_each(const Visit& visit) const {
        for (std::uint64_t rest = once_; rest != 0; rest &= rest - 1)
            visit(static_cast<ref>(__builtin_ctzll(rest)));
        for (const ref i : high_)
            if (i != none) visit(i);
    }
    /// One past the greatest member.
    constexpr ref end() const {
        ref last = 64 - (once_ ? __builtin_clzll(once_) : 64);
        for (ref i : high_)
            if (i >= last) last = i + 1;
        return last;
    }

private:
    constexpr void add_high(ref index, std::int32_t times) {
        for (std::int32_t k = 0; k < times; ++k) high_.push(index);
    }
    constexpr std::int32_t high_count(ref index) const {
        std::int32_t count = 0;
        for (ref i : high_) count += i == index;
        return count;
    }

    std::uint64_t once_ = 0;
    std::uint64_t more_ = 0;
    detail::buffer<ref> high_;
};

/// Adds the indices that stand in positions to a set.
template <class Program>
constexpr void add_indices(const Program& p, range at, index_set& out) {
    if (at.count == 0) return;
    const position* q = p.positions.begin() + at.first;
    for (const position* end = q + at.count; q != end; ++q) {
        if (q->kind == position_kind::index) out.add(q->index);
        for (std::int32_t t = 0; t < q->terms.count; ++t)
            out.add(p.affine_terms[q->terms.first + t].index);
    }
}

/// Whether a reduction, or a call of a function that is one, binds its indices.
constexpr bool binds(const node& n) {
    if (n.kind == op::call) return n.detail != 0;
    if (n.kind != op::reduce) return false;
    const auto r = static_cast<reduction>(n.detail);
    return !keeps_indices(r) && r != reduction::solve;
}
/// Whether a node is a solution as it is read, which binds the first of its indices alone.
constexpr bool is_solve(const node& n) {
    return n.kind == op::reduce && n.detail == static_cast<std::uint8_t>(reduction::solve);
}
/// How many of its indices, the first ones, a node binds.
constexpr std::int32_t bound_count(const node& n) {
    return binds(n) ? n.indices.count : is_solve(n) ? 1 : 0;
}

/// A copy in which every bound index is a symbol of its own, spelt as before: free ones can be
/// renamed, and the same letter may have another extent in another term.
constexpr ref freshen_bound(program& p, ref n) {
    const node x = p.nodes[n];
    index_map fresh;
    if (binds(x))
        for (std::int32_t k = 0; k < x.indices.count; ++k) {
            const ref i = p.links[x.indices.first + k];
            fresh.set(i, p.indices.push(p.indices[i]));
        }
    const ref inside = rebuild_children(p, n, [&](ref child) { return freshen_bound(p, child); });
    return fresh.empty() ? inside : rename_indices(p, inside, fresh);
}

/// Adds the free indices of an expression, each as often as it occurs.
template <class Program>
constexpr void collect_free(const Program& p, ref n, index_set& out) {
    const node& x = p.nodes[n];
    add_indices(p, x.positions, out);
    if (x.indices.count == 0) {
        for (std::int32_t k = 0; k < x.children.count; ++k)
            collect_free(p, p.links[x.children.first + k], out);
        return;
    }
    index_set inner;
    for (std::int32_t k = 0; k < x.children.count; ++k)
        collect_free(p, p.links[x.children.first + k], inner);
    for (std::int32_t k = 0; k < x.indices.count; ++k) {
        const ref i = p.links[x.indices.first + k];
        if (k < bound_count(x)) inner.remove(i);
        else if (!inner.has(i)) inner.add(i);  // softmax_a(x^i) has the index a all the same
    }
    out.merge(inner);
}
template <class Program>
constexpr index_set free_indices(const Program& p, ref n) {
    index_set out;
    collect_free(p, n, out);
    return out;
}

/// Whether a softmax over `index` is in an expression. Its index is free outside and yet runs over
/// a row inside, so it may not be renamed to one that the row has already.
template <class Program>
constexpr bool has_softmax_over(const Program& p, ref n, ref index) {
    const node& x = p.nodes[n];
    if (x.kind == op::reduce && !binds(x))
        for (std::int32_t k = 0; k < x.indices.count; ++k)
            if (p.links[x.indices.first + k] == index) return true;
    for (std::int32_t k = 0; k < x.children.count; ++k)
        if (has_softmax_over(p, p.links[x.children.first + k], index)) return true;
    return false;
}

/// Whether an expression reads the tensor `name`.
template <class Program>
constexpr bool uses_name(const Program& p, ref n, ref name) {
    const node& x = p.nodes[n];
    if (x.kind == op::tensor && x.name == name) return true;
    for (std::int32_t k = 0; k < x.children.count; ++k)
        if (uses_name(p, p.links[x.children.first + k], name)) return true;
    return false;
}

template <class Program>
constexpr bool same_positions(const Program& p, range a, range b) {
    if (a.count != b.count) return false;
    for (std::int32_t k = 0; k < a.count; ++k) {
        const position &x = p.positions[a.first + k], &y = p.positions[b.first + k];
        if (x.kind != y.kind || x.index != y.index || x.offset != y.offset ||
            x.terms.count != y.terms.count)
            return false;
        for (std::int32_t t = 0; t < x.terms.count; ++t) {
            const affine_term &u = p.affine_terms[x.terms.first + t],
                              &v = p.affine_terms[y.terms.first + t];
            if (u.index != v.index || u.coefficient != v.coefficient) return false;
        }
    }
    return true;
}

/// Whether two expressions are the same as written, up to the order of factors.
template <class Program>
constexpr bool same_expression(const Program& p, ref a, ref b) {
    if (a == b) return true;
    const node &x = p.nodes[a], &y = p.nodes[b];
    if (x.kind != y.kind || x.detail != y.detail || x.name != y.name || x.value != y.value ||
        x.children.count != y.children.count || x.indices.count != y.indices.count ||
        !same_positions(p, x.positions, y.positions) ||
        (x.kind == op::number && !same_number(p, x, y)))
        return false;
    for (std::int32_t k = 0; k < x.indices.count; ++k)
        if (p.links[x.indices.first + k] != p.links[y.indices.first + k]) return false;
    const std::int32_t count = x.children.count;
    std::uint64_t used = 0;
    for (std::int32_t k = 0; k < count; ++k) {
        bool found = false;
        const bool any_order = x.kind == op::multiply && count <= 64;
        for (std::int32_t j = any_order ? 0 : k; j < (any_order ? count : k + 1) && !found; ++j) {
            if ((used >> (j % 64) & 1) != 0 && any_order) continue;
            found =
                same_expression(p, p.links[x.children.first + k], p.links[y.children.first + j]);
            if (found) used |= std::uint64_t{1} << (j % 64);
        }
        if (!found) return false;
    }
    return true;
}

/// How many nodes an expression has when written out in full, up to a bound.
template <class Program>
constexpr std::int32_t written_size(const Program& p, ref n, std::int32_t most) {
    const node& x = p.nodes[n];
    std::int32_t size = 1;
    for (std::int32_t k = 0; k < x.children.count && size < most; ++k)
        size += written_size(p, p.links[x.children.first + k], most - size);
    return size;
}

/// Calls `visit(node number)` for every node of an expression, children first. By reference to
/// const: a forwarding reference would be instantiated twice, as the calls of itself pass a name.
template <class Program, class Visit>
constexpr void for_each_node(const Program& p, ref n, const Visit& visit) {
    const range children = p.nodes[n].children;
    for (std::int32_t k = 0; k < children.count; ++k)
        for_each_node(p, p.links[children.first + k], visit);
    visit(n);
}

/// Which of two indices an expression has first, as it is written; none where it has neither.
constexpr ref first_of(const program& p, ref n, ref a, ref b) {
    const node& x = p.nodes[n];
    ref first = none;
    for (std::int32_t k = 0; k < x.children.count && first == none; ++k)
        first = first_of(p, p.links[x.children.first + k], a, b);
    for (std::int32_t k = 0; k < x.positions.count && first == none; ++k) {
        const range at{x.positions.first + k, 1};
        first = has_index(p, at, a) ? a : has_index(p, at, b) ? b : none;
    }
    return first;
}
/// The inverse of the matrix whose rows and columns are two indices, in whichever order: the node
/// has them as they come in the matrix, so that equal inverses are written alike.
constexpr ref inverse_of(program& p, ref matrix, ref a, ref b, source_span source) {
    const ref first = first_of(p, matrix, a, b);
    const ref both[] = {first == b ? b : a, first == b ? a : b};
    return p.reduce(reduction::inverse, p.add_links(both, 2), matrix, source);
}
/// The solution of K^{ij} x^j = y^i, as it is read and printed.
constexpr ref solution_of(program& p, ref matrix, ref right, ref row, ref column,
                          source_span source = {}) {
    const ref parts[] = {matrix, right}, both[] = {row, column};
    const ref n = p.make(op::reduce, static_cast<std::uint8_t>(reduction::solve), parts, 2, source);
    p.nodes[n].indices = p.add_links(both, 2);
    return n;
}

}  // namespace ricci::ir
