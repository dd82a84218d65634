// Making a failing program small: whatever can be left out without losing the failure is left out.
#pragma once

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/property/given.hpp"
#include "tests/property/write.hpp"

namespace ricci::testing {

class shrinker {
public:
    using check = std::function<std::string(const random_program&)>;

    explicit shrinker(check c) : check_(std::move(c)) {}

    random_program run(random_program p) {
        kind_ = kind_of(check_(p));
        for (bool progress = true; progress && tries_ < most_tries;)
            progress = drop_equations(p) || simplify(p) || shorten(p);
        return p;
    }

private:
    static constexpr int most_tries = 4000;

    static std::string kind_of(const std::string& words) {
        return words.substr(0, words.find(':'));
    }

    bool still_fails(const random_program& p) {
        ++tries_;
        try {
            return tries_ < most_tries && valid(p) && kind_of(check_(p)) == kind_;
        } catch (const std::out_of_range&) {
            return false;  // what hid a place has been left out
        }
    }
    bool keep(random_program& p, random_program&& smaller) {
        if (!still_fails(smaller)) return false;
        p = std::move(smaller);
        return true;
    }
    /// Every index of the left is on the right, in the text too.
    static bool valid(const random_program& p) {
        for (const auto& e : p.equations) {
            letters left;
            add_letters(e.left, left);
            const letters right = free_letters(e.body);
            if (!std::includes(right.begin(), right.end(), left.begin(), left.end())) return false;
        }
        return !p.equations.empty() && !asks_for_twins(p);
    }

    bool drop_equations(random_program& p) {
        for (std::size_t e = p.equations.size(); e-- > 0;) {
            random_program smaller = p;
            smaller.tensors[p.equations[e].tensor].defined = false;  // now an input
            smaller.equations.erase(smaller.equations.begin() + static_cast<std::ptrdiff_t>(e));
            if (keep(p, std::move(smaller))) return true;
        }
        if (p.keep_all) {
            random_program smaller = p;
            smaller.keep_all = false;
            if (keep(p, std::move(smaller))) return true;
        }
        return false;
    }

    /// `hidden`: below what hides something, where only other expressions are made simpler.
    static void collect(tree& t, std::vector<tree*>& out, bool hidden = false) {
        const bool part = t.whole || t.kind == ir::op::compare || t.kind == ir::op::position;
        if (!hidden || !part) out.push_back(&t);
        if (t.kind == ir::op::tensor) return;  // its places have to stay tensors
        for (auto& child : t.children) collect(child, out, hidden ? part : t.whole);
    }
    /// Puts a simpler expression in the place of one.
    bool simplify(random_program& p) {
        for (std::size_t e = 0; e < p.equations.size(); ++e) {
            std::vector<tree*> nodes;
            collect(p.equations[e].body, nodes);
            for (std::size_t k = 0; k < nodes.size(); ++k)
                for (const tree& simpler : simpler_than(*nodes[k])) {
                    random_program smaller = p;
                    std::vector<tree*> copies;
                    collect(smaller.equations[e].body, copies);
                    *copies[k] = simpler;
                    if (keep(p, std::move(smaller))) return true;
                }
        }
        return drop_left_index(p);
    }
    static std::vector<tree> simpler_than(const tree& t) {
        std::vector<tree> out;
        const letters mine = free_letters(t);
        const auto offer = [&](tree candidate) {
            const letters free = free_letters(candidate);
            if (t.positive && !candidate.positive) return;
            if (!std::includes(mine.begin(), mine.end(), free.begin(), free.end())) return;
            out.push_back(std::move(candidate));
        };
        if (t.kind != ir::op::number) offer(number_tree(1));
        if (t.whole) return out;
        const bool boolean = t.kind == ir::op::compare || t.kind == ir::op::choose;
        for (const auto& child : t.children)
            if (t.kind != ir::op::tensor && (!boolean || child.kind != ir::op::compare))
                offer(child);
        const bool list = t.kind == ir::op::add || t.kind == ir::op::multiply;
        for (std::size_t k = 0; list && t.children.size() > 2 && k < t.children.size(); ++k) {
            tree fewer = t;
            fewer.children.erase(fewer.children.begin() + static_cast<std::ptrdiff_t>(k));
            offer(std::move(fewer));
        }
        for (std::size_t k = 0;
             t.kind == ir::op::reduce && t.indices.size() > 1 && k < t.indices.size(); ++k) {
            tree fewer = t;
            fewer.indices.erase(fewer.indices.begin() + static_cast<std::ptrdiff_t>(k));
            offer(std::move(fewer));
        }
        return out;
    }
    /// An index of the left side goes, and its axes are read at 0.
    bool drop_left_index(random_program& p) {
        for (std::size_t e = 0; e < p.equations.size(); ++e)
            for (std::size_t k = 0; k < p.equations[e].left.size(); ++k) {
                if (p.equations[e].left[k].kind != ir::position_kind::index) continue;
                const std::size_t tensor = p.equations[e].tensor;
                bool used = false;
                for (const auto& other : p.equations) used = used || uses(other.body, tensor);
                if (used) continue;
                const std::string i = p.equations[e].left[k].terms[0].first;
                random_program smaller = p;
                smaller.equations[e].left.erase(smaller.equations[e].left.begin() +
                                                static_cast<std::ptrdiff_t>(k));
                auto& extents = smaller.tensors[tensor].extents;
                extents.erase(extents.begin() + static_cast<std::ptrdiff_t>(k));
                bool possible = true;
                fix_index(smaller.equations[e].body, i, possible);
                if (possible && keep(p, std::move(smaller))) return true;
            }
        return false;
    }
    static void fix_index(tree& t, const std::string& i, bool& possible) {
        if (std::count(t.indices.begin(), t.indices.end(), i) > 0) {
            if (binds(t)) return;
            if (t.kind == ir::op::position) t = number_tree(0);
            else possible = false;
            return;
        }
        if (t.kind == ir::op::tensor && !t.children.empty() && mentions(t, i) > 0) possible = false;
        for (auto& a : t.axes) {
            if (std::none_of(a.terms.begin(), a.terms.end(),
                             [&](const auto& term) { return term.first == i; }))
                continue;
            if (a.kind != ir::position_kind::index || t.kind != ir::op::tensor) possible = false;
            a = {ir::position_kind::fixed, 0, {}};
        }
        for (auto& child : t.children) fix_index(child, i, possible);
    }

    /// All indices of one extent become shorter by one.
    bool shorten(random_program& p) {
        for (std::int64_t n = 4; n > 1; --n) {
            random_program smaller = p;
            for (auto& [letter, extent] : smaller.extents)
                if (extent == n) extent = n - 1;
            if (measure(smaller) && smaller.extents != p.extents && keep(p, std::move(smaller)))
                return true;
        }
        return false;
    }
    /// Gives every tensor the shape that its uses ask for; false where they contradict one another.
    static bool measure(random_program& p) {
        std::vector<std::vector<std::int64_t>> exact(p.tensors.size()), least(p.tensors.size());
        bool agreed = true;
        const auto see = [&](std::size_t tensor, const std::vector<axis>& axes, bool left) {
            exact[tensor].resize(axes.size(), -1);
            least[tensor].resize(axes.size(), 0);
            for (std::size_t k = 0; k < axes.size(); ++k) {
                // as long as the places are many, or as it likes
                if (axes[k].kind == ir::position_kind::gathered || axes[k].beyond != edge::none) {
                    least[tensor][k] = std::max(least[tensor][k], p.tensors[tensor].extents[k]);
                    continue;
                }
                const std::int64_t n = reach(p, axes[k]);
                least[tensor][k] = std::max(least[tensor][k], n);
                if (!left && axes[k].kind != ir::position_kind::index &&
                    axes[k].kind != ir::position_kind::merged)
                    continue;
                if (exact[tensor][k] >= 0 && exact[tensor][k] != n) agreed = false;
                exact[tensor][k] = n;
            }
        };
        const auto walk = [&](const tree& t, const auto& self) -> void {
            if (t.kind == ir::op::tensor) see(t.tensor, t.axes, false);
            if (t.kind == ir::op::delta &&
                p.extent(t.axes[0].terms[0].first) != p.extent(t.axes[1].terms[0].first))
                agreed = false;
            for (const auto& child : t.children) self(child, self);
        };
        for (const auto& e : p.equations) {
            see(e.tensor, e.left, true);
            walk(e.body, walk);
        }
        for (std::size_t t = 0; t < p.tensors.size() && agreed; ++t)
            for (std::size_t k = 0; k < exact[t].size(); ++k) {
                if (exact[t][k] >= 0 && exact[t][k] < least[t][k]) agreed = false;
                p.tensors[t].extents[k] = std::max(exact[t][k], least[t][k]);
            }
        return agreed;
    }

    check check_;
    std::string kind_;
    int tries_ = 0;
};

/// What a failing program looks like: its text, its shapes and the words of the failure.
inline std::string describe(const random_program& p, const std::string& failure) {
    std::string out = "seed " + std::to_string(p.seed) + "\n" + text_of(p);
    for (const auto& d : p.tensors) {
        bool used = false;
        for (const auto& e : p.equations)
            used = used || uses(e.body, static_cast<std::size_t>(&d - p.tensors.data()));
        if (!used) continue;
        out += "  " + d.name + " has shape (";
        for (const auto n : d.extents) out += std::to_string(n) + " ";
        out += ")\n";
    }
    out += "  extents:";
    for (const auto& [letter, n] : p.extents) out += " " + letter + "=" + std::to_string(n);
    return out + "\n" + failure + "\n";
}

}  // namespace ricci::testing
