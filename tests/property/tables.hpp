// Which axes of random programs are tables of differences, b_{i-j}: those that a text shows to be
// so. Other subtracted places are written with a number, which makes them what they say.
#pragma once

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "tests/property/syntax.hpp"

namespace ricci::testing {

inline bool has_condition(const tree& t) {
    return t.kind == ir::op::compare || t.kind == ir::op::choose ||
           std::any_of(t.children.begin(), t.children.end(), has_condition);
}
inline bool falls(const axis& a) {
    return a.beyond == edge::none &&
           std::any_of(a.terms.begin(), a.terms.end(), [](const auto& t) { return t.second < 0; });
}
/// The place that is meant by terms alone: an axis begins where they are least.
inline std::int64_t first_place(const random_program& p, const axis& a) {
    std::int64_t first = a.offset;
    for (const auto& [index, coefficient] : a.terms)
        if (a.beyond == edge::none && coefficient < 0)
            first -= coefficient * std::max<std::int64_t>(p.extent(index) - 1, 0);
    return first;
}

/// Tensors with the numbers of their axes: both letters are on the left, no condition decides, the
/// tensor is read nowhere else, and it is as long as the letters reach.
class tables {
public:
    explicit tables(const random_program& p) : p_(p) {
        for (const definition& e : p.equations) {
            left_.clear();
            add_letters(e.left, left_);
            look(e.body, !has_condition(e.body));
        }
        for (const std::size_t tensor : seen_twice_)
            std::erase_if(found_, [&](const auto& f) { return f.first == tensor; });
    }
    bool has(std::size_t tensor, std::size_t axis) const {
        return found_.count({tensor, axis}) > 0;
    }

private:
    void look(const tree& t, bool unconditional) {
        if (t.kind == ir::op::tensor) {
            if (!seen_.insert(t.tensor).second) seen_twice_.insert(t.tensor);
            for (std::size_t k = 0; unconditional && k < t.axes.size(); ++k)
                if (is_shown(t.axes[k]) && p_.tensors[t.tensor].extents[k] == reach(p_, t.axes[k]))
                    found_.insert({t.tensor, k});
        }
        for (const tree& child : t.children) look(child, unconditional);
    }
    bool is_shown(const axis& a) const {
        return falls(a) && a.terms.size() == 2 && a.offset == 0 &&
               std::all_of(a.terms.begin(), a.terms.end(), [&](const auto& term) {
                   return left_.count(term.first) > 0 && !is_twin(term.first);
               });
    }

    const random_program& p_;
    letters left_;  // of the equation in hand
    std::set<std::size_t> seen_, seen_twice_;
    std::set<std::pair<std::size_t, std::size_t>> found_;
};

}  // namespace ricci::testing
