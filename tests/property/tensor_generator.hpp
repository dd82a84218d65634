// Random tensors: names that papers use, and uses of them at every kind of position.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/property/drawing.hpp"
#include "tests/property/tables.hpp"

namespace ricci::testing {

class tensor_generator : protected drawing {
protected:
    using drawing::drawing;

    /// `body`: of the equation that defines the tensor.
    std::size_t declare(const std::vector<std::int64_t>& extents, bool positive,
                        const tree* body = nullptr) {
        struct spelling {
            const char *name, *latex;
            bool above = false;
        };
        // In words, a subscript before a bracket reads as that of a function.
        static const spelling names[] = {
            {"A", "A"},
            {"B", "B"},
            {"C", "C"},
            {"D", "D"},
            {"X", "X"},
            {"Y", "Y"},
            {"Z", "Z"},
            {"x", "x"},
            {"v", "v"},
            {"KV", "KV"},
            {"dA", "dA"},
            {"PE", "\\text{PE}", true},
            {"Out", "\\text{Out}", true},
            {"Output", "\\mathrm{Output}", true},
            {"\\theta", "\\theta"},
            {"\\Lambda", "\\Lambda"},
            {"\\tilde{Q}", "\\tilde{Q}"},
            {"\\hat{x}", "\\hat x"},
            {"\\bar{\\beta}", "\\bar{\\beta}"},
            {"Q'", "Q'"},
            {"W''", "W''"},
            {"W_Q", "W_Q", true},
            {"W_QKV", "W_{\\text{QKV}}", true},
            {"S_masked", "S_{\\text{masked}}", true},
            {"\\xi_new", "\\xi_{\\text{new}}", true},
            {"R", "R"},
            {"P", "P"},
            {"E", "E"},
            {"F", "F"},
            {"G", "G"},
            {"H", "H"},
            {"y", "y"},
            {"z", "z"},
            {"M_1", "M_{\\text{1}}", true},
            {"\\omega", "\\omega"},
            {"s", "s"},
            {"t", "t"},
            {"Tr", "\\text{Tr}", true},
        };
        static const spelling scalars[] = {{"d_k", "d_k"},
                                           {"n_x", "n_x"},
                                           {"\\lambda", "\\lambda"},
                                           {"d_head", "d_{\\text{head}}"}};
        const bool dimension = extents.empty() && chance(50);
        for (unsigned tries = 0;; ++tries) {
            const spelling& s = dimension && tries < 8 ? scalars[below(4)]
                                                       : names[below(sizeof names / sizeof *names)];
            std::string name = s.name, latex = s.latex;
            bool above = s.above;
            if (tries > 60) {
                name = "U_u" + std::to_string(tries);
                latex = "U_{\\text{u" + std::to_string(tries) + "}}";
                above = true;
            }
            if (is_taken(name)) continue;
            // d_k on the left may be a tensor at k, and k then may not be bound on the right.
            if (name == "d_k" && body != nullptr && writes_letter(*body, "k")) continue;
            p_.tensors.push_back({name, latex, extents, positive, false, above, 0});
            return p_.tensors.size() - 1;
        }
    }

    // Uses: every index is in `scope`, and all of `wanted` are there ------------------------------

    tree leaf(const indices& scope, const indices& wanted) {
        if (wanted.empty() && chance(20)) return number_tree(constant());
        if (chance(45)) {
            tree t = defined_leaf(scope, wanted);
            if (t.kind == ir::op::tensor) return t;
        }
        return tensor_leaf(scope, wanted, false);
    }
    tree input_leaf(const indices& scope, const indices& wanted) {
        return tensor_leaf(scope, wanted, false);
    }

    /// A tensor that an equation defines, where one has axes for all that is wanted.
    tree defined_leaf(const indices& scope, const indices& wanted) {
        if (p_.equations.empty()) return {};
        tree t;
        t.tensor = pick(p_.equations).tensor;
        indices missing = wanted;
        for (const std::int64_t n : p_.tensors[t.tensor].extents) {
            axis a;
            if (n > 0 && !scope.empty() && draws_edge(scope[t.axes.size() % scope.size()]))
                a = edged_axis({scope[t.axes.size() % scope.size()]}, false);
            for (const auto& i : missing)
                if (a.terms.empty() && p_.extent(i) == n) a = index_axis(i);
            for (const auto& i : scope)
                if (a.terms.empty() && p_.extent(i) == n && chance(70)) a = index_axis(i);
            if (a.terms.empty()) {
                if (!allowed_.fixed || n == 0) return {};
                a.kind = ir::position_kind::fixed;
                a.offset = static_cast<std::int32_t>(below(static_cast<unsigned>(n)));
            }
            for (const auto& term : a.terms) std::erase(missing, term.first);
            t.axes.push_back(a);
        }
        if (!missing.empty()) return {};
        t.kind = ir::op::tensor;
        t.style = below(10000);
        return t;
    }
    tree tensor_leaf(const indices& scope, const indices& wanted, bool positive) {
        tree t;
        t.kind = ir::op::tensor;
        t.positive = positive;
        t.style = below(10000);
        indices rest = wanted;
        if (!scope.empty() && chance(15)) rest = joined(rest, {pick(scope)});
        std::shuffle(rest.begin(), rest.end(), random_);
        for (std::size_t k = 0; k < rest.size(); ++k) {
            axis a = index_axis(rest[k]);
            if (allowed_.gathered && chance(6)) {
                t.axes.push_back(gathered_axis(t, rest, k));
                continue;
            }
            if (draws_edge(rest[k])) {
                indices list{rest[k]};
                if (k + 1 < rest.size() && draws_edge(rest[k + 1], 30)) list.push_back(rest[++k]);
                t.axes.push_back(edged_axis(list, positive));
                continue;
            }
            if (k + 1 < rest.size() && allowed_.merged && chance(8)) {
                a.kind = ir::position_kind::merged;
                a.terms.emplace_back(rest[++k], 1);
            } else if (k + 1 < rest.size() && allowed_.arithmetic && chance(10)) {
                a.kind = ir::position_kind::affine;
                a.terms.emplace_back(rest[++k], chance(50) ? 1 : -1);
            } else if (allowed_.arithmetic && chance(5)) {
                a.kind = ir::position_kind::affine;
                a.terms[0].second = 1 + static_cast<std::int32_t>(below(2));
                a.offset = static_cast<std::int32_t>(below(3));
            }
            if (a.kind == ir::position_kind::affine && a.offset == 0 && a.terms.size() == 1)
                a.offset = 1;
            t.axes.push_back(a);
        }
        if (allowed_.diagonals && !rest.empty() && chance(6))
            t.axes.push_back(index_axis(pick(rest)));
        if (allowed_.fixed && chance(8)) {
            axis a;
            a.kind = ir::position_kind::fixed;
            a.offset = static_cast<std::int32_t>(below(2));
            t.axes.insert(t.axes.begin() + below(static_cast<unsigned>(t.axes.size()) + 1), a);
        }
        std::vector<std::int64_t> extents;
        for (const auto& a : t.axes) {
            if (a.kind == ir::position_kind::gathered) {
                const tree& place = t.children[static_cast<std::size_t>(a.offset)];
                extents.push_back(p_.tensors[place.tensor].places);
                continue;
            }
            if (a.beyond != edge::none) {
                extents.push_back(chance(50) ? p_.extent(a.terms[0].first) : 1 + below(4));
                extents.back() = std::max<std::int64_t>(extents.back(), 1);
                continue;
            }
            const bool longer =
                a.kind == ir::position_kind::affine || a.kind == ir::position_kind::fixed;
            // What subtracts without a number, or with + 0, reads all of its axis.
            const bool open = a.kind == ir::position_kind::affine &&
                              (!allowed_.longer_axes || (falls(a) && first_place(p_, a) == 0));
            extents.push_back(reach(p_, a) + (longer && !open ? below(2) : 0));
        }
        if (chance(50))
            for (std::size_t k = 0; k < p_.tensors.size(); ++k)
                if (p_.tensors[k].extents == extents && p_.tensors[k].positive == positive &&
                    !p_.tensors[k].defined && p_.tensors[k].places == 0 && chance(50)) {
                    t.tensor = k;
                    return t;
                }
        t.tensor = declare(extents, positive);
        return t;
    }
    /// Of some programs alone: the others are what they were without edges. At letters without
    /// primes: nothing may say how far they run, and what the caller gives l is not that of l'.
    bool draws_edge(const std::string& i, unsigned percent = 15) {
        return allowed_.edges && p_.seed % 4 == 1 && i.back() != '\'' && chance(percent);
    }
    /// One that is read around, at its ends, or as 0 beyond them, which is not above 0.
    axis edged_axis(const indices& list, bool positive) {
        static const edge all[] = {edge::wrap, edge::clamp, edge::pad};
        axis a;
        a.kind = ir::position_kind::affine;
        a.beyond = all[below(positive ? 2 : 3)];
        a.offset = static_cast<std::int32_t>(below(5)) - 2;
        a.terms.emplace_back(list[0], 1 + static_cast<std::int32_t>(below(6) / 5));
        if (list.size() > 1) a.terms.emplace_back(list[1], chance(50) ? 1 : -1);
        return a;
    }
    /// An axis of `t` at the places that another tensor says, which stands at the index number `k`
    /// of `wanted` and perhaps at the next; the tensor becomes a child of `t`.
    axis gathered_axis(tree& t, const indices& wanted, std::size_t& k) {
        tree place;
        place.kind = ir::op::tensor;
        place.axes.push_back(index_axis(wanted[k]));
        if (k + 1 < wanted.size() && chance(30)) place.axes.push_back(index_axis(wanted[++k]));
        std::vector<std::int64_t> extents;
        for (const auto& a : place.axes) extents.push_back(reach(p_, a));
        place.tensor = places_tensor(extents);
        axis a;
        a.kind = ir::position_kind::gathered;
        a.offset = static_cast<std::int32_t>(t.children.size());
        t.children.push_back(std::move(place));
        return a;
    }
    std::size_t places_tensor(const std::vector<std::int64_t>& extents) {
        for (std::size_t k = 0; k < p_.tensors.size(); ++k)
            if (p_.tensors[k].places > 0 && p_.tensors[k].extents == extents && chance(50))
                return k;
        static const char* const names[] = {"t", "s", "x", "y", "z", "v", "\\theta", "\\omega"};
        std::string name, latex;
        for (unsigned tries = 0; name.empty() || is_taken(name); ++tries) {
            latex = name = names[below(8)];
            if (tries < 20) continue;  // all are taken
            name = "p" + std::to_string(tries);
            latex = "\\text{" + name + "}";
        }
        p_.tensors.push_back({name, latex, extents, false, false, false, 1 + below(4)});
        return p_.tensors.size() - 1;
    }
    static bool writes_letter(const tree& t, const std::string& letter) {
        return mentions(t, letter) + mentions(t, letter + twin_mark) > 0;
    }
    bool is_taken(const std::string& name) const {
        return std::any_of(p_.tensors.begin(), p_.tensors.end(),
                           [&](const declaration& d) { return d.name == name; });
    }
};

}  // namespace ricci::testing
