// Random valid programs: what they are made of is drawn from everything that the notation has.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "tests/property/syntax.hpp"

namespace ricci::testing {

/// What the generator may use. A construct is switched off here when it is not under test.
struct constructs {
    bool smooth_only = false;  // what has a derivative everywhere
    bool arithmetic = true;    // x^{i+k}, b_{i-j}
    bool merged = true;
    bool fixed = true;
    bool diagonals = true;
    bool deltas = true;
    bool positions = true;
    bool conditions = true;
    bool masks = true;  // -\infty under a softmax
    bool written_out = true;
    bool primes = true;
    bool own_functions = true;
    // An axis under x^{i+k} that is longer than the positions reach.
    bool longer_axes = false;
    // A delta in an equation with a softmax, over one of whose indices it may be.
    bool delta_with_softmax = true;
    // x^0 in what is normalised: the written-out softmax of something constant.
    bool power_zero = true;
    // A written-out softmax of anything, of what lacks or cancels the index in its normal form too.
    bool any_written_out = true;
};

class generator {
public:
    generator(unsigned seed, constructs allowed) : random_(seed), allowed_(allowed) {
        p_.seed = seed;
    }

    random_program run() {
        static const char* const all[] = {"i", "j", "k", "l", "a", "b", "\\mu", "\\nu"};
        for (const char* letter : all) p_.extents[letter] = below(8) == 0 ? 1 : 1 + below(4);
        p_.keep_all = chance(50);
        p_.give_extents = chance(40);
        const unsigned equations = 1 + below(4);
        for (unsigned k = 0; k < equations; ++k) add_equation();
        return std::move(p_);
    }

private:
    using indices = std::vector<std::string>;

    unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
    bool chance(unsigned percent) { return below(100) < percent; }
    template <class T>
    const T& pick(const std::vector<T>& from) {
        return from[below(static_cast<unsigned>(from.size()))];
    }
    double constant() {
        static const double all[] = {1, 2, 0.5, 3, 0.25, -1, -2, 1.5, -0.75, 0.125};
        return all[below(10)];
    }

    // Indices -------------------------------------------------------------------------------------

    indices fresh(const indices& scope, unsigned count) {
        indices out;
        for (int tries = 0; tries < 20 && out.size() < count; ++tries) {
            auto letter =
                std::next(p_.extents.begin(), below(static_cast<unsigned>(p_.extents.size())))
                    ->first;
            if (allowed_.primes && chance(15)) letter += "'";
            if (has(scope, letter) || has(out, letter)) continue;
            out.push_back(letter);
        }
        return out;
    }
    static bool has(const indices& list, const std::string& i) {
        return std::find(list.begin(), list.end(), i) != list.end();
    }
    static indices joined(indices a, const indices& b) {
        for (const auto& i : b)
            if (!has(a, i)) a.push_back(i);
        return a;
    }
    indices some_of(const indices& from, unsigned percent) {
        indices out;
        for (const auto& i : from)
            if (chance(percent)) out.push_back(i);
        return out;
    }

    // Equations -----------------------------------------------------------------------------------

    void add_equation() {
        const std::size_t tensors = p_.tensors.size();
        for (definition e = equation();; e = equation()) {
            if (!allowed_.delta_with_softmax && has_delta(e.body) && has_softmax(e.body)) {
                p_.tensors.resize(tensors);
                continue;
            }
            std::vector<std::int64_t> extents;
            for (const auto& a : e.left) extents.push_back(reach(p_, a));
            e.tensor = declare(extents, false);
            p_.tensors[e.tensor].defined = true;
            p_.equations.push_back(std::move(e));
            return;
        }
    }
    static bool has_delta(const tree& t) {
        return t.kind == ir::op::delta ||
               std::any_of(t.children.begin(), t.children.end(), has_delta);
    }
    static bool has_softmax(const tree& t) {
        return t.kind == ir::op::divide || (t.kind == ir::op::reduce && !binds(t)) ||
               std::any_of(t.children.begin(), t.children.end(), has_softmax);
    }
    definition equation() {
        definition e;
        e.style = below(1000);
        const indices left = fresh({}, below(4));
        e.body = expression(left, left, 3);
        const unsigned terms = below(3);
        if (terms > 0) {  // the other terms may lack indices of the left: they are broadcast
            std::vector<tree> all;
            all.push_back(std::move(e.body));
            for (unsigned k = 0; k < terms; ++k)
                all.push_back(expression(left, some_of(left, 60), 2));
            std::shuffle(all.begin(), all.end(), random_);
            e.body = make_tree(ir::op::add, std::move(all));
        }
        for (const auto& i : left) e.left.push_back(index_axis(i));
        if (allowed_.merged && left.size() > 1 && chance(20)) {
            e.left.back().kind = ir::position_kind::merged;
            e.left.back().terms.insert(e.left.back().terms.begin(),
                                       e.left[e.left.size() - 2].terms[0]);
            e.left.erase(e.left.end() - 2);
        }
        return e;
    }

    std::size_t declare(const std::vector<std::int64_t>& extents, bool positive) {
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
            {"W_QKV", "W_{QKV}", true},
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
            if (std::any_of(p_.tensors.begin(), p_.tensors.end(),
                            [&](const declaration& d) { return d.name == name; }))
                continue;
            p_.tensors.push_back({name, latex, extents, positive, false, above});
            return p_.tensors.size() - 1;
        }
    }

    // Expressions: every free index is in `scope`, and all of `wanted` are free ----------------------

    tree expression(const indices& scope, const indices& wanted, unsigned depth) {
        tree t = depth == 0 ? leaf(scope, wanted) : inner(scope, wanted, depth);
        t.style = below(10000);
        return t;
    }
    tree inner(const indices& scope, const indices& wanted, unsigned depth) {
        switch (below(20)) {
            case 0:
            case 1:
            case 2:
            case 3:
                return product(scope, wanted, depth);
            case 4:
            case 5:
            case 6:
                return contraction(scope, wanted, depth);
            case 7:
            case 8:
                return sum(scope, wanted, depth);
            case 9:
                return make_tree(ir::op::divide,
                                 two(expression(scope, wanted, depth - 1),
                                     positive(scope, some_of(scope, 40), depth - 1)));
            case 10:
            case 11:
                return function(scope, wanted, depth);
            case 12:
                return reduction(scope, wanted, depth);
            case 13:
                return normalised(scope, wanted, depth);
            case 14:
                return power(scope, wanted, depth);
            case 15:
                return piecewise(scope, wanted, depth);
            case 16:
                return masked_product(scope, wanted, depth);
            case 17:
                return with_delta(scope, wanted, depth);
            case 18:
                return with_position(scope, wanted, depth);
            default:
                return leaf(scope, wanted);
        }
    }
    static std::vector<tree> two(tree a, tree b) {
        std::vector<tree> both;
        both.push_back(std::move(a));
        both.push_back(std::move(b));
        return both;
    }
    static std::vector<tree> one(tree a) {
        std::vector<tree> list;
        list.push_back(std::move(a));
        return list;
    }

    tree product(const indices& scope, const indices& wanted, unsigned depth) {
        std::vector<tree> factors;
        if (chance(25)) factors.push_back(number_tree(constant()));
        const unsigned count = 2 + below(2);
        for (unsigned k = 0; k < count; ++k)
            factors.push_back(expression(scope, some_of(wanted, 50), depth - 1));
        cover(factors, scope, wanted);
        return make_tree(ir::op::multiply, std::move(factors));
    }
    /// Adds a tensor with the wanted indices that no factor has.
    void cover(std::vector<tree>& factors, const indices& scope, const indices& wanted) {
        indices missing;
        for (const auto& i : wanted)
            if (std::none_of(factors.begin(), factors.end(),
                             [&](const tree& f) { return free_letters(f).count(i) > 0; }))
                missing.push_back(i);
        if (!missing.empty()) factors.push_back(leaf(scope, missing));
    }
    tree contraction(const indices& scope, const indices& wanted, unsigned depth) {
        const indices bound = fresh(scope, 1 + below(2));
        if (bound.empty()) return product(scope, wanted, depth);
        const indices inside = joined(scope, bound);
        std::vector<tree> factors;
        const unsigned count = 1 + below(3);
        for (unsigned k = 0; k < count; ++k)
            factors.push_back(
                expression(inside, joined(some_of(wanted, 50), k < 2 ? bound : some_of(bound, 40)),
                           depth - 1));
        cover(factors, inside, joined(wanted, bound));
        tree body = factors.size() == 1 ? std::move(factors[0])
                                        : make_tree(ir::op::multiply, std::move(factors));
        body.style = below(10000);
        return reduce_tree(ir::reduction::sum, bound, std::move(body));
    }
    tree sum(const indices& scope, const indices& wanted, unsigned depth) {
        std::vector<tree> terms;
        terms.push_back(expression(scope, wanted, depth - 1));
        terms.push_back(expression(scope, some_of(wanted, 60), depth - 1));
        if (chance(40))
            terms[1] = make_tree(ir::op::multiply, two(number_tree(-1), std::move(terms[1])));
        if (chance(20)) terms.push_back(number_tree(std::abs(constant())));
        return make_tree(ir::op::add, std::move(terms));
    }
    /// Something that stays in about [0.5, 40].
    tree positive(const indices& scope, const indices& wanted, unsigned depth) {
        tree t;
        switch (below(depth == 0 ? 2 : 5)) {
            case 0:
                t = tensor_leaf(scope, wanted, true);
                break;
            case 1:
                t = wanted.empty() ? number_tree(0.5 + std::abs(constant()))
                                   : tensor_leaf(scope, wanted, true);
                break;
            case 2:
                t = make_tree(ir::op::add,
                              two(number_tree(1),
                                  make_tree(ir::op::power, two(bounded(scope, wanted, depth - 1),
                                                               number_tree(2)))));
                break;
            case 3:
                t = make_tree(ir::op::add, two(number_tree(0.5),
                                               apply_tree(ir::function::exp,
                                                          one(bounded(scope, wanted, depth - 1)))));
                break;
            default:
                t = make_tree(
                    ir::op::add,
                    two(number_tree(1.5),
                        apply_tree(ir::function::sin, one(expression(scope, wanted, depth - 1)))));
                break;
        }
        t.positive = true;
        t.style = below(10000);
        return t;
    }
    /// Something in about [-1, 1].
    tree bounded(const indices& scope, const indices& wanted, unsigned depth) {
        if (depth == 0 || chance(40)) return tensor_leaf(scope, wanted, false);
        const auto f = chance(60) ? ir::function::tanh : ir::function::cos;
        tree t = apply_tree(f, one(expression(scope, wanted, depth - 1)));
        t.style = below(10000);
        return t;
    }
    tree function(const indices& scope, const indices& wanted, unsigned depth) {
        const unsigned which = below(allowed_.smooth_only ? 11 : 18);
        const auto any = [&](ir::function f) {
            return apply_tree(f, one(expression(scope, wanted, depth - 1)));
        };
        switch (which) {
            case 0:
                return apply_tree(ir::function::exp, one(bounded(scope, wanted, depth)));
            case 1:
                return apply_tree(ir::function::log, one(positive(scope, wanted, depth)));
            case 2:
                return apply_tree(ir::function::sqrt, one(positive(scope, wanted, depth)));
            case 3:
                return any(ir::function::sin);
            case 4:
                return any(ir::function::cos);
            case 5:
                return any(ir::function::tanh);
            case 6:
                return any(ir::function::sigmoid);
            case 7:
                return any(ir::function::gelu);
            case 8:
                return any(ir::function::silu);
            case 9:
                return any(ir::function::erf);
            case 10: {
                if (!allowed_.own_functions) return any(ir::function::sigmoid);
                tree t = apply_tree(ir::function::exp, one(bounded(scope, wanted, depth - 1)));
                t.own = chance(50) ? own_function::square_plus : own_function::mixed;
                if (t.own == own_function::mixed)
                    t.children.push_back(expression(scope, some_of(wanted, 50), depth - 1));
                return t;
            }
            case 11:
                return any(ir::function::absolute);
            case 12:
                return any(ir::function::relu);
            case 13:
                return any(ir::function::elu);
            case 14:
                return apply_tree(ir::function::sign, one(input_leaf(scope, wanted)));
            case 15:
                return apply_tree(chance(50) ? ir::function::maximum : ir::function::minimum,
                                  two(expression(scope, wanted, depth - 1),
                                      expression(scope, some_of(wanted, 60), depth - 1)));
            case 16:
                return apply_tree(ir::function::floor, one(input_leaf(scope, wanted)));
            default:
                return any(ir::function::absolute);
        }
    }
    tree reduction(const indices& scope, const indices& wanted, unsigned depth) {
        static const ir::reduction smooth[] = {ir::reduction::mean, ir::reduction::logsumexp};
        static const ir::reduction all[] = {ir::reduction::mean, ir::reduction::logsumexp,
                                            ir::reduction::maximum, ir::reduction::minimum};
        const indices bound = fresh(scope, chance(80) ? 1 : 2);
        if (bound.empty()) return product(scope, wanted, depth);
        tree body = expression(joined(scope, bound), joined(wanted, bound), depth - 1);
        const bool log_sum = allowed_.written_out && chance(20);
        if (log_sum)
            return apply_tree(
                ir::function::log,
                one(reduce_tree(ir::reduction::sum, bound,
                                apply_tree(ir::function::exp, one(std::move(body))))));
        return reduce_tree(allowed_.smooth_only ? smooth[below(2)] : all[below(4)], bound,
                           std::move(body));
    }
    tree normalised(const indices& scope, const indices& wanted, unsigned depth) {
        if (scope.empty()) return leaf(scope, wanted);
        const std::string over = pick(scope);
        tree body = expression(scope, joined(wanted, {over}), depth - 1);
        if (allowed_.written_out && chance(25) && !has(scope, over + "'") &&
            mentions(body, over + "'") == 0 && over.back() != '\'') {
            if (!allowed_.any_written_out) body = tensor_leaf(scope, joined(wanted, {over}), false);
            tree other = body;
            rename(other, over, over + "'");
            tree numerator = apply_tree(ir::function::exp, one(std::move(body)));
            numerator.style = below(100);
            tree denominator = reduce_tree(ir::reduction::sum, {over + "'"},
                                           apply_tree(ir::function::exp, one(std::move(other))));
            denominator.positive = denominator.children[0].positive = true;
            return make_tree(ir::op::divide, two(std::move(numerator), std::move(denominator)));
        }
        if (allowed_.masks && chance(35)) {
            std::vector<tree> parts = two(std::move(body), condition(scope));
            parts.push_back(number_tree(-HUGE_VAL));
            body = make_tree(ir::op::choose, std::move(parts));
            body.style = below(100);
        }
        indices list{over};
        if (scope.size() > 1 && chance(15)) list = joined(list, {pick(scope)});
        for (const auto& i : list)
            if (free_letters(body).count(i) == 0) list = {over};
        return reduce_tree(ir::reduction::softmax, list, std::move(body));
    }
    tree power(const indices& scope, const indices& wanted, unsigned depth) {
        static const double any[] = {2, 3, 2, 1, 0}, safe[] = {-1, 0.5, -0.5, -2, 1.5};
        if (chance(50))
            return make_tree(ir::op::power,
                             two(bounded(scope, wanted, depth),
                                 number_tree(any[below(allowed_.power_zero ? 5 : 4)])));
        if (chance(60))
            return make_tree(ir::op::power,
                             two(positive(scope, wanted, depth), number_tree(safe[below(5)])));
        return make_tree(ir::op::power, two(positive(scope, wanted, depth - 1),
                                            bounded(scope, some_of(wanted, 50), depth - 1)));
    }
    tree piecewise(const indices& scope, const indices& wanted, unsigned depth) {
        std::vector<tree> parts;
        parts.push_back(expression(scope, wanted, depth - 1));
        parts.push_back(condition(scope));
        if (chance(30)) {
            parts.push_back(expression(scope, some_of(wanted, 50), depth - 1));
            parts.push_back(condition(scope));
        }
        parts.push_back(chance(30) ? number_tree(std::abs(constant()))
                                   : expression(scope, some_of(wanted, 50), depth - 1));
        return make_tree(ir::op::choose, std::move(parts));
    }
    tree masked_product(const indices& scope, const indices& wanted, unsigned depth) {
        std::vector<tree> factors = two(expression(scope, wanted, depth - 1), condition(scope));
        if (chance(50)) std::swap(factors[0], factors[1]);
        return make_tree(ir::op::multiply, std::move(factors));
    }

    // Deltas, positions, conditions -----------------------------------------------------------------

    tree with_delta(const indices& scope, const indices& wanted, unsigned depth) {
        if (!allowed_.deltas) return product(scope, wanted, depth);
        const bool summed = chance(60);
        const indices bound = summed ? fresh(scope, 1) : indices{};
        const indices inside = joined(scope, bound);
        if (inside.empty()) return leaf(scope, wanted);
        const std::string i = summed ? bound[0] : pick(inside);
        indices partners;
        for (const auto& j : inside)
            if (j != i && p_.extent(j) == p_.extent(i)) partners.push_back(j);
        if (partners.empty()) return product(scope, wanted, depth);
        tree d;
        d.kind = ir::op::delta;
        d.axes = {index_axis(i), index_axis(pick(partners))};
        if (chance(50)) std::swap(d.axes[0], d.axes[1]);
        d.style = below(100);
        std::vector<tree> factors =
            two(std::move(d), expression(inside, joined(some_of(wanted, 60), bound), depth - 1));
        cover(factors, inside, wanted);
        tree body = make_tree(ir::op::multiply, std::move(factors));
        return summed ? reduce_tree(ir::reduction::sum, bound, std::move(body)) : body;
    }
    tree with_position(const indices& scope, const indices& wanted, unsigned depth) {
        if (!allowed_.positions || scope.empty()) return product(scope, wanted, depth);
        tree place = position_tree(pick(scope));
        if (chance(30)) place = make_tree(ir::op::divide, two(std::move(place), number_tree(4)));
        else if (chance(30)) place = apply_tree(ir::function::sin, one(std::move(place)));
        else if (chance(30))
            place = make_tree(ir::op::power, two(number_tree(0.5), std::move(place)));
        place.style = below(100);
        std::vector<tree> factors = two(std::move(place), expression(scope, wanted, depth - 1));
        if (chance(40)) std::swap(factors[0], factors[1]);
        return make_tree(ir::op::multiply, std::move(factors));
    }
    tree place(const indices& scope) {
        if (scope.empty() || chance(10)) return number_tree(below(3));
        tree t = position_tree(pick(scope));
        switch (below(5)) {
            case 0:
                return make_tree(ir::op::add, two(std::move(t), position_tree(pick(scope))));
            case 1:
                return apply_tree(ir::function::modulo, two(std::move(t), number_tree(2)));
            case 2: {
                tree difference = make_tree(
                    ir::op::add,
                    two(std::move(t), make_tree(ir::op::multiply,
                                                two(number_tree(-1), position_tree(pick(scope))))));
                tree size = apply_tree(ir::function::absolute, one(std::move(difference)));
                size.style = below(10);
                return size;
            }
            default:
                return t;
        }
    }
    tree condition(const indices& scope, unsigned depth = 2) {
        tree t;
        if (!allowed_.conditions) {
            t = make_tree(ir::op::compare, two(number_tree(0), number_tree(1)));
        } else if (depth > 0 && chance(25)) {
            const auto c = chance(50) ? ir::comparison::logical_and : ir::comparison::logical_or;
            t = make_tree(ir::op::compare,
                          two(condition(scope, depth - 1), condition(scope, depth - 1)),
                          static_cast<unsigned>(c));
        } else if (depth > 0 && chance(12)) {
            t = apply_tree(ir::function::logical_not, one(condition(scope, depth - 1)));
        } else {
            static const ir::comparison all[] = {ir::comparison::less, ir::comparison::less_equal,
                                                 ir::comparison::less_equal, ir::comparison::equal,
                                                 ir::comparison::not_equal};
            const bool data = !allowed_.smooth_only && chance(15);
            tree a = data ? input_leaf(scope, {}) : place(scope);
            tree b = data ? number_tree(0.25) : place(scope);
            t = make_tree(ir::op::compare, two(std::move(a), std::move(b)),
                          static_cast<unsigned>(all[data ? 0 : below(5)]));
        }
        t.style = below(1000);
        return t;
    }

    // Tensors ---------------------------------------------------------------------------------------

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
            for (const auto& i : missing)
                if (a.terms.empty() && p_.extent(i) == n) a = index_axis(i);
            for (const auto& i : scope)
                if (a.terms.empty() && p_.extent(i) == n && chance(70)) a = index_axis(i);
            if (a.terms.empty()) {
                if (!allowed_.fixed) return {};
                a.kind = ir::position_kind::fixed;
                a.offset = static_cast<std::int32_t>(below(static_cast<unsigned>(n)));
            } else {
                missing.erase(std::remove(missing.begin(), missing.end(), a.terms[0].first),
                              missing.end());
            }
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
            const bool longer =
                a.kind == ir::position_kind::affine || a.kind == ir::position_kind::fixed;
            const bool open = a.kind == ir::position_kind::affine && !allowed_.longer_axes;
            extents.push_back(reach(p_, a) + (longer && !open ? below(2) : 0));
        }
        if (chance(50))
            for (std::size_t k = 0; k < p_.tensors.size(); ++k)
                if (p_.tensors[k].extents == extents && p_.tensors[k].positive == positive &&
                    !p_.tensors[k].defined && chance(50)) {
                    t.tensor = k;
                    return t;
                }
        t.tensor = declare(extents, positive);
        return t;
    }

    std::mt19937 random_;
    constructs allowed_;
    random_program p_;
};

}  // namespace ricci::testing
