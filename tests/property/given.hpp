// Which extents the caller of a random program has to bind.
#pragma once

#include <algorithm>
#include <string>

#include "tests/property/syntax.hpp"

namespace ricci::testing {

/// Whether a text reads an axis at an edge.
inline bool has_edge(const tree& t) {
    return std::any_of(t.axes.begin(), t.axes.end(),
                       [](const axis& a) { return a.beyond != edge::none; }) ||
           std::any_of(t.children.begin(), t.children.end(), has_edge);
}
/// Whether a position is arithmetic, which leaves open how long its axis is.
inline bool is_open(const axis& a) {
    return a.kind == ir::position_kind::affine && a.beyond == edge::none;
}
/// Whether a tensor has an axis at an index, and none at arithmetic of it, which may be longer.
inline bool says_extent(const tree& t, const std::string& i) {
    bool plain = false;
    for (const auto& a : t.axes)
        for (const auto& term : a.terms) {
            if (term.first == i && is_open(a)) return false;
            plain = plain || (term.first == i && a.kind == ir::position_kind::index);
        }
    return plain;
}
/// Whether an expression reads a tensor at arithmetic of an index that is free there.
inline bool reads_at_arithmetic(const tree& t, std::size_t tensor, const std::string& i) {
    if (binds(t) && std::count(t.indices.begin(), t.indices.end(), i) > 0) return false;
    const auto has = [&](const axis& a) {
        return is_open(a) && std::any_of(a.terms.begin(), a.terms.end(),
                                         [&](const auto& term) { return term.first == i; });
    };
    if (t.kind == ir::op::tensor && t.tensor == tensor &&
        std::any_of(t.axes.begin(), t.axes.end(), has))
        return true;
    return std::any_of(t.children.begin(), t.children.end(),
                       [&](const tree& child) { return reads_at_arithmetic(child, tensor, i); });
}
/// Whether a tensor of an expression, here a part of `all`, says the extent of an index that is
/// free there. A tensor that is read at arithmetic of the index elsewhere may be longer.
inline bool shows(const tree& t, const std::string& i, const tree& all) {
    if (binds(t) && std::count(t.indices.begin(), t.indices.end(), i) > 0) return false;
    if (t.kind == ir::op::tensor && says_extent(t, i) && !reads_at_arithmetic(all, t.tensor, i))
        return true;
    return std::any_of(t.children.begin(), t.children.end(),
                       [&](const tree& child) { return shows(child, i, all); });
}
/// Whether an expression reads an axis of a tensor plainly at an index.
inline bool reads_plainly(const tree& t, std::size_t tensor, std::size_t axis,
                          const std::string& i) {
    if (t.kind == ir::op::tensor && t.tensor == tensor &&
        t.axes[axis].kind == ir::position_kind::index && t.axes[axis].terms[0].first == i)
        return true;
    return std::any_of(t.children.begin(), t.children.end(),
                       [&](const tree& child) { return reads_plainly(child, tensor, axis, i); });
}
/// Adds the letters of sums by which one tensor is read beside one of them, as dA^{b+m} beside dA^m:
/// m would end early by itself.
inline void add_shifted(const tree& t, const tree& body, letters& needed) {
    for (std::size_t k = 0; k < t.axes.size() && t.kind == ir::op::tensor; ++k) {
        const axis& a = t.axes[k];
        if (!is_open(a) || a.terms.size() < 2) continue;
        for (const auto& term : a.terms)
            if (reads_plainly(body, t.tensor, k, term.first))
                for (const auto& each : a.terms) needed.insert(each.first);
    }
    for (const auto& child : t.children) add_shifted(child, body, needed);
}
/// The indices whose extents the caller has to bind: where they are free, or below the sign that
/// binds them, no tensor says them.
inline letters indices_to_give(const random_program& p) {
    letters needed;
    const auto ask = [&](const tree& scope, const std::string& i) {
        if (p.give_extents || !shows(scope, i, scope)) needed.insert(i);
    };
    const auto look = [&](const tree& t, const auto& self) -> void {
        for (const auto& i : t.indices)
            if (binds(t)) ask(t.children[0], i);
        for (const auto& child : t.children) self(child, self);
    };
    for (const auto& e : p.equations) {
        letters free = free_letters(e.body);
        add_letters(e.left, free);
        for (const auto& i : free) ask(e.body, i);
        look(e.body, look);
        add_shifted(e.body, e.body, needed);
    }
    return needed;
}

/// Whether a letter is written for two indices of a program, or for the second of them alone.
inline bool has_twins(const random_program& p, const std::string& letter) {
    return std::any_of(p.equations.begin(), p.equations.end(), [&](const definition& e) {
        letters left;
        add_letters(e.left, left);
        const std::string twin = letter + twin_mark;
        return mentions(e.body, twin) > 0 || left.count(twin) > 0;
    });
}
/// Whether some index of the program is called by the letter, with primes or without.
inline bool has_letter(const random_program& p, const std::string& letter) {
    const auto is_written = [&](const std::string& i) {
        return random_program::letter_of(plain_letter(i)) == letter;
    };
    const auto has = [&](const tree& t, const auto& self) -> bool {
        letters here(t.indices.begin(), t.indices.end());
        add_letters(t.axes, here);
        return std::any_of(here.begin(), here.end(), is_written) ||
               std::any_of(t.children.begin(), t.children.end(),
                           [&](const tree& child) { return self(child, self); });
    };
    return std::any_of(p.equations.begin(), p.equations.end(), [&](const definition& e) {
        letters left;
        add_letters(e.left, left);
        return std::any_of(left.begin(), left.end(), is_written) || has(e.body, has);
    });
}
/// Whether the caller would have to bind a letter that is written for two indices.
inline bool asks_for_twins(const random_program& p) {
    const letters needed = indices_to_give(p);
    return std::any_of(needed.begin(), needed.end(),
                       [&](const std::string& i) { return has_twins(p, plain_letter(i)); });
}

}  // namespace ricci::testing
