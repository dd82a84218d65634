// Random programs as trees: what the generator makes, the printer writes and the shrinker cuts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <ricci/ir/program.hpp>

namespace ricci::testing {

/// What an axis is read at where arithmetic leaves it.
enum class edge { none, wrap, clamp, pad };

/// One axis of a use of a tensor; the terms are indices with coefficients. A gathered one has none:
/// the child number `offset` of the use says the place. One with an edge is as long as it likes.
struct axis {
    ir::position_kind kind = ir::position_kind::index;
    std::int32_t offset = 0;
    std::vector<std::pair<std::string, std::int32_t>> terms;
    edge beyond = edge::none;
};

/// Functions of the program's own, beyond those of the language.
enum class own_function { none, square_plus, mixed };

/// The tree of an expression, with every sum in it; children as those of ir::node.
struct tree {
    ir::op kind = ir::op::number;
    std::uint8_t detail = 0;
    own_function own = own_function::none;  // of an apply
    double value = 0;
    std::size_t tensor = 0;            // in random_program::tensors
    std::vector<axis> axes;            // tensor, delta
    std::vector<std::string> indices;  // reduce; of a position, its index
    std::vector<tree> children;
    unsigned style = 0;     // which of the ways to write it
    bool positive = false;  // has to stay well above 0: a divisor, or under a root or a logarithm
    bool whole = false;     // hides something: is written so, or not at all
};

/// Ends the name of an index that is written as the letter before it, and has an extent of its own.
inline constexpr char twin_mark = '~';
inline bool is_twin(const std::string& index) {
    return !index.empty() && index.back() == twin_mark;
}
inline std::string plain_letter(std::string index) {
    if (is_twin(index)) index.pop_back();
    return index;
}

struct declaration {
    std::string name;   // canonical
    std::string latex;  // as written
    std::vector<std::int64_t> extents;
    bool positive = false;  // its values are in [0.5, 1.5]
    bool defined = false;
    bool scripts_above_only = false;  // a label stands below already
    std::int64_t places = 0;          // above 0: its values are whole numbers below this
};

struct definition {
    std::size_t tensor = 0;
    std::vector<axis> left;
    tree body;
    unsigned style = 0;
};

struct random_program {
    std::map<std::string, std::int64_t> extents;  // of index letters; primed ones have the same
    std::vector<declaration> tensors;
    std::vector<definition> equations;
    bool keep_all = false;      // everything defined is an output
    bool give_extents = false;  // every extent is bound, though the shapes would give most
    unsigned seed = 0;

    static std::string letter_of(std::string index) {
        while (!index.empty() && index.back() == '\'') index.pop_back();
        return index;
    }
    bool has_extent(const std::string& index) const { return extents.count(letter_of(index)) > 0; }
    std::int64_t extent(const std::string& index) const { return extents.at(letter_of(index)); }
};

using letters = std::set<std::string>;

inline bool binds(const tree& t) {
    return t.kind == ir::op::reduce &&
           t.detail != static_cast<std::uint8_t>(ir::reduction::softmax);
}

inline void add_letters(const std::vector<axis>& axes, letters& out) {
    for (const auto& a : axes)
        for (const auto& term : a.terms) out.insert(term.first);
}

inline letters free_letters(const tree& t) {
    letters out;
    add_letters(t.axes, out);
    if (t.kind == ir::op::position) out.insert(t.indices[0]);
    for (const auto& child : t.children) out.merge(free_letters(child));
    if (binds(t))
        for (const auto& i : t.indices) out.erase(i);
    return out;
}

/// How often an index is written in an expression, under its sum signs too.
inline int mentions(const tree& t, const std::string& index) {
    int count = 0;
    for (const auto& a : t.axes)
        for (const auto& term : a.terms) count += term.first == index;
    for (const auto& i : t.indices) count += i == index;
    for (const auto& child : t.children) count += mentions(child, index);
    return count;
}

inline bool uses(const tree& t, std::size_t tensor) {
    if (t.kind == ir::op::tensor && t.tensor == tensor) return true;
    return std::any_of(t.children.begin(), t.children.end(),
                       [&](const tree& child) { return uses(child, tensor); });
}

inline void rename(tree& t, const std::string& from, const std::string& to) {
    for (auto& a : t.axes)
        for (auto& term : a.terms)
            if (term.first == from) term.first = to;
    for (auto& i : t.indices)
        if (i == from) i = to;
    for (auto& child : t.children) rename(child, from, to);
}

/// The least length of the axis that a position without an edge reads.
inline std::int64_t reach(const random_program& p, const axis& a) {
    if (a.kind == ir::position_kind::index) return p.extent(a.terms[0].first);
    if (a.kind == ir::position_kind::fixed) return a.offset + 1;
    if (a.kind == ir::position_kind::gathered) return 0;
    std::int64_t length = a.kind == ir::position_kind::merged ? 1 : a.offset + 1;
    for (const auto& [index, coefficient] : a.terms) {
        const std::int64_t n = p.extent(index);
        if (a.kind == ir::position_kind::merged) length *= n;
        else length += (coefficient < 0 ? -coefficient : coefficient) * (n > 0 ? n - 1 : 0);
    }
    return length;
}

// Making trees ------------------------------------------------------------------------------------

inline tree number_tree(double value) {
    tree t;
    t.value = value;
    t.positive = value >= 0.5;
    return t;
}
inline tree make_tree(ir::op kind, std::vector<tree> children, unsigned detail = 0) {
    tree t;
    t.kind = kind;
    t.detail = static_cast<std::uint8_t>(detail);
    t.children = std::move(children);
    return t;
}
inline tree apply_tree(ir::function f, std::vector<tree> children) {
    return make_tree(ir::op::apply, std::move(children), static_cast<unsigned>(f));
}
inline tree reduce_tree(ir::reduction r, std::vector<std::string> over, tree body) {
    std::vector<tree> children;
    children.push_back(std::move(body));
    tree t = make_tree(ir::op::reduce, std::move(children), static_cast<unsigned>(r));
    t.indices = std::move(over);
    return t;
}
inline tree position_tree(const std::string& index) {
    tree t;
    t.kind = ir::op::position;
    t.indices = {index};
    return t;
}
inline axis index_axis(const std::string& index) {
    return {ir::position_kind::index, 0, {{index, 1}}};
}

/// A number as a text has it.
inline std::string number_text(double value) {
    if (value > 1e300) return "\\infty";
    if (value < -1e300) return "-\\infty";
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.6f", value);
    std::string out = digits;
    while (out.back() == '0') out.pop_back();
    if (out.back() == '.') out.pop_back();
    return out;
}
/// Whether a name without indices before a parenthesis, or any before one of letters, would be
/// taken for the name of a function.
inline bool is_call(const tree& before, const std::string& next) {
    if (next[0] != '(' && next.compare(0, 6, "\\left(") != 0) return false;
    if (before.kind == ir::op::apply && is_call(before.children[0], next)) return true;
    if (before.kind != ir::op::tensor) return before.kind == ir::op::position;
    return before.axes.empty() || next.find_first_of("^_[|{+0123456789") == std::string::npos;
}

}  // namespace ricci::testing
