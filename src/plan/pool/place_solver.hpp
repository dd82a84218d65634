// How a fold goes without a condition between places that it is under.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "src/base/arithmetic.hpp"
#include "src/plan/pool/solve_places.hpp"

namespace ricci::plan {

// A window of a fold is shorter than its loop by so much.
inline constexpr std::int64_t window_part = 4;

// A ring is gone round so often at most, each time a sum of its own.
inline constexpr std::int64_t most_rounds = 8;

/// Of one product or value; the first condition that says how is solved.
class place_solver {
public:
    place_solver(graph& values, fold folding, const loop_list& over, expr body, strided how)
        : values_(values), folding_(folding), over_(over), body_(body), how_(how) {
        guarded read = guarded_in(values, folding, body, beside_cases::hidden);
        factors_ = std::move(read.parts);
        value_ = read.value;
    }

    expr run() {
        if (const expr made = window()) return made;
        for (std::size_t k = 0; k < factors_.size(); ++k) {
            rest_ = factors_;
            rest_.erase(rest_.begin() + static_cast<std::ptrdiff_t>(k));
            if (const expr made = without_condition(factors_[k])) return made;
        }
        if (const expr made = either()) return made;
        return in_cases();
    }

    /// Whether the fold is one over a window, once what is folded in its factors is in memory.
    bool waits_for_folds() { return !window() && waits_; }

private:
    bool is_sum() const { return folding_ == fold::sum; }
    /// The same fold of what else there is; `parts`: of a sum factors, and else conditions.
    expr fold_of(const loop_list& over, const expr_list& parts, expr value) const {
        return values_.folded(folding_, over, body_of(values_, folding_, {parts, value}));
    }
    expr sum_of_rest(expr_list conditions) const {
        for (const expr c : conditions)
            if (values_.is_constant(c, 0)) return c;
        conditions.insert(conditions.end(), rest_.begin(), rest_.end());
        return values_.sum(over_, values_.multiply(conditions));
    }
    // The sum of the rest, where the condition says how; none: it does not.
    expr without_condition(expr condition) const {
        const auto compared = compared_in(values_, condition);
        if (!compared) return pick(condition);
        if (compared->has_edge() && !is_sum()) return expr::none;
        if (compared->code == opcode::equal) return solve(compared->left, compared->right);
        if (compared->has_edge()) return expr::none;
        if (compared->code == opcode::not_equal) return leave_out(compared->difference());
        return narrow(compared->margin());
    }
    bool is_summed(loop l) const { return contains(over_, l); }
    // [a or b] as [a] and, where that does not hold, [b]: two sums, where each is solved.
    expr either() {
        for (std::size_t k = 0; is_sum() && k < factors_.size(); ++k) {
            const auto& node = values_[factors_[k]];
            if (node.code != opcode::logical_or) continue;
            const expr a = node.arguments[0], b = node.arguments[1];
            const auto equality = values_[a];
            if (equality.code != opcode::equal) continue;
            expr_list first = factors_, second = factors_;
            first[k] = a;
            second[k] = b;
            second.push_back(
                values_.apply(opcode::not_equal, equality.arguments[0], equality.arguments[1]));
            const expr here = solved_sum(values_, over_, values_.multiply(first), how_);
            if (!here) continue;
            const expr there = solved_sum(values_, over_, values_.multiply(second), how_);
            if (there) return values_.add({here, there});
        }
        return expr::none;
    }

    // [cases = m], of cases under conditions that leave a window, as [value = m] there, and beyond
    // as [otherwise = m].
    expr in_cases() {
        for (std::size_t k = 0; is_sum() && k < factors_.size(); ++k) {
            const auto& test = values_[factors_[k]];
            if (test.code != opcode::equal) continue;
            for (const std::size_t side : {std::size_t{0}, std::size_t{1}})
                for (const fold folding : {fold::maximum, fold::minimum})
                    if (const expr made = in_cases(k, side, folding)) return made;
        }
        return expr::none;
    }
    expr in_cases(std::size_t k, std::size_t side, fold folding) {
        const expr_list arguments = values_[factors_[k]].arguments;
        const guarded cases = guarded_in(values_, folding, arguments[side]);
        if (cases.parts.empty()) return expr::none;
        const expr number = arguments[1 - side];
        expr_list inside = factors_;
        inside[k] = values_.apply(opcode::equal, cases.value, number);
        inside.insert(inside.end(), cases.parts.begin(), cases.parts.end());
        expr nowhere;  // a condition that holds where one of those does not
        for (const expr c : cases.parts) {
            const expr other = values_.opposite(c);
            if (values_[other].code == opcode::logical_not) return expr::none;
            nowhere = nowhere ? values_.apply(opcode::logical_or, nowhere, other) : other;
        }
        const expr body = values_.multiply(inside);
        place_solver within(values_, fold::sum, over_, body, how_);
        const expr here = within.window();
        if (!here) return expr::none;
        // Beside the same conditions there is nothing beyond them.
        const auto stands = [&](expr c) { return std::ranges::count(factors_, c) > 0; };
        if (std::ranges::all_of(cases.parts, stands)) return here;
        expr_list outside = factors_;
        outside[k] = values_.apply(opcode::equal, values_.constant(identity_of(folding)), number);
        outside.push_back(nowhere);
        return values_.add({here, values_.sum(over_, values_.multiply(outside))});
    }

    // The fold over j with i - w < j <= i, of what does not have both, is one over the few places
    // of a window.
    expr window() {
        // What is only read is sooner read elsewhere.
        const auto moves = [&](loop l) {
            return std::ranges::count_if(factors_, [&](expr f) {
                return contains(values_[f].indices, l) && values_[f].kind != kind::load;
            });
        };
        loop_list loops = over_;
        std::ranges::sort(loops, {}, [&](loop l) { return std::pair(moves(l), l); });
        for (const loop j : loops)
            for (std::size_t low = 0; low < factors_.size(); ++low) {
                const auto from = bound_in(values_, factors_[low], {j});
                if (!from || from->sign < 0 || from->rest.terms.empty()) continue;  // -rest <= j
                for (std::size_t high = 0; high < factors_.size(); ++high)
                    if (const expr made = window(*from, low, high)) return made;
            }
        return expr::none;
    }
    expr window(const bound_of_fold& from, std::size_t low, std::size_t high) {
        const auto to = bound_in(values_, factors_[high], {from.j});
        if (!to || to->sign > 0) return expr::none;  // j <= rest
        const place width = to->rest.plus(from.rest);
        if (!width.terms.empty()) return expr::none;
        const std::int64_t count = width.offset + 1;
        if (count <= 0) return values_.constant(identity_of(folding_));
        if (count > values_.extent(from.j) / window_part) return expr::none;
        loop_list others;
        for (const auto& t : from.rest.terms) add_loop(others, t.over);
        // A tensor of pairs is read as it lies, and so is a fold that would be one.
        const auto has_both = [&](const loop_list& loops) {
            return contains(loops, from.j) && !common(loops, others).empty();
        };
        const auto is_mixed = [&](expr e) {
            const auto& node = values_[e];
            const auto reads_both = [&](const access& read) { return has_both(loops_of(read)); };
            return has_both(node.indices) &&
                   (!node.bound.empty() || values_.any_load({e}, reads_both));
        };
        rest_.clear();
        for (std::size_t k = 0; k < factors_.size(); ++k)
            if (k != low && k != high) rest_.push_back(factors_[k]);
        if (std::ranges::any_of(rest_, is_mixed) || (value_ && is_mixed(value_))) return expr::none;
        // What is folded for each j is made once, not again for each place of a window.
        const auto waits = [&](expr f) {
            return !values_[f].bound.empty() && contains(values_[f].indices, from.j);
        };
        if (is_sum() && how_ == strided::kept && std::ranges::any_of(rest_, waits)) {
            waits_ = true;
            return expr::none;
        }
        place at = place{}.plus(from.rest, -1);
        auto over = without(over_, {from.j});
        if (count > 1) {
            const loop fresh = values_.loops().fresh(from.j, count);
            at.add(fresh, 1);
            add_loop(over, fresh);
        }
        return substitute(from.j, std::move(at), over);
    }

    // Whether another number is compared with a loop that a tensor says, [v = x_i] [v = y_j]: read
    // there it would be compared for all pairs, where there are fewer places to add up at.
    bool meets_number(loop l, expr number) const {
        const auto& mine = values_[number].indices;
        return std::ranges::any_of(rest_, [&](expr f) {
            const auto other =
                loop_equality_in(values_, f, [&](loop what, expr) { return what == l; });
            if (!other) return false;
            const auto& its = values_[other->number].indices;
            return values_.size(united(mine, its)) >
                   values_.size(mine) + values_.size(its) + values_.size({l});
        });
    }

    // A loop that is what a tensor says: the rest is read there, if that is one of its places.
    expr pick(expr condition) const {
        const auto picked =
            loop_equality_in(values_, condition, [&](loop l, expr) { return is_summed(l); });
        if (!picked || is_complex(values_.type())) return expr::none;
        const auto [l, number] = *picked;
        if (is_sum() && how_ == strided::kept && meets_number(l, number)) return expr::none;
        const moved_loop there{l, {}, number};
        expr_list product{values_.is_place(number, values_.extent(l))};
        for (const expr f : rest_) {
            product.push_back(values_.moved(f, there));
            if (!product.back()) return expr::none;
        }
        const expr value = value_ ? values_.moved(value_, there) : expr(expr::none);
        if (value_ && !value) return expr::none;
        return fold_of(without(over_, {l}), product, value);
    }

    expr solve(const place& left, const place& right) const {
        if (left.edge == edge::none && right.edge == edge::none) {
            return solve_for_any(left.plus(right, -1));
        }
        if (left.edge == edge::none) return solve_bounded(left, right);
        if (right.edge == edge::none) return solve_bounded(right, left);
        return expr::none;
    }

    // difference = 0, for the loop that leaves the least to do.
    expr solve_for_any(place difference) const {
        std::int64_t common_factor = 0;
        for (const auto& t : difference.terms) common_factor = std::gcd(common_factor, t.factor);
        if (common_factor == 0) return expr::none;
        if (difference.offset % common_factor != 0) return values_.constant(identity_of(folding_));
        for (auto& t : difference.terms) t.factor /= common_factor;
        difference.offset /= common_factor;
        if (is_sum() && adds_rows(values_, difference, over_, rest_)) return expr::none;
        const term* best = nullptr;
        std::int64_t removed = 1;
        for (const auto& t : difference.terms) {
            if (!is_summed(t.over) || std::abs(t.factor) != 1) continue;
            const std::int64_t extent = values_.extent(t.over);
            if (extent > removed) {
                best = &t;
                removed = extent;
            }
        }
        if (best == nullptr) return expr::none;
        if (const expr made = is_sum() ? solve_in_steps(difference, removed) : expr::none)
            return made;
        if (how_ == strided::kept && leaves_stride(difference, best->over)) return expr::none;
        return solve_for(difference, *best);
    }

    bool leaves_stride(const place& difference, loop solved) const {
        std::int64_t furthest = 0, stride = 0;
        for (const auto& t : difference.terms) {
            if (!is_summed(t.over) && std::abs(t.factor) == 1)
                furthest = std::max(furthest, values_.extent(t.over));
            if (is_summed(t.over) && t.over != solved)
                stride = std::max(stride, std::abs(t.factor));
        }
        return stride > 1 && furthest > stride;
    }

    // a s q + b k + s P + R = 0, with a and b 1 or -1: with u = a q + P in the place of q this is
    // k = -b (s u + R), which only few u solve where R moves little. So q and k are summed as one
    // loop: where 2q + k is read, every second k of those that are as odd as the place.
    expr solve_in_steps(const place& difference, std::int64_t removed) const {
        const auto leaves = [&](const term& q, const term& k) {
            const auto extents = values_.extent(q.over) * values_.extent(k.over);
            return extents / removed;  // what a loop alone would leave of these two
        };
        for (const auto& q : difference.terms) {
            const std::int64_t step = std::abs(q.factor);
            if (!is_summed(q.over) || step < 2) continue;
            for (const auto& k : difference.terms) {
                if (!is_summed(k.over) || std::abs(k.factor) != 1) continue;
                place multiples, others;  // P and R
                others.offset = difference.offset;
                for (const auto& t : difference.terms) {
                    if (t.over == q.over || t.over == k.over) continue;
                    const bool divisible = t.factor % step == 0;
                    if (divisible) multiples.add(t.over, t.factor / step);
                    else others.add(t.over, t.factor);
                }
                const std::int64_t last = values_.extent(k.over) - 1;
                const std::int64_t low = k.factor > 0 ? -last : 0, high = k.factor > 0 ? 0 : last;
                const auto [least, most] = values_.reach(others);
                const std::int64_t first = -floor_divide(most - low, step),
                                   end = floor_divide(high - least, step);
                const std::int64_t count = end - first + 1;
                if (count <= 0) return values_.constant(0);
                if (count >= leaves(q, k)) continue;
                place u;
                u.offset = first;
                auto over = without(over_, {q.over});
                if (count > 1) {
                    const loop fresh = values_.loops().fresh(q.over, count);
                    u.terms = {{fresh, 1}};
                    add_loop(over, fresh);
                }
                place to, left;
                to.add(u, q.factor / step);
                to.add(multiples, -q.factor / step);
                left.add(k.over, k.factor);
                left.add(u, step);
                left.add(others, 1);
                const expr test = values_.apply(opcode::equal, values_.position(std::move(left)),
                                                values_.constant(0));
                return substitute(q.over, std::move(to), over, test);
            }
        }
        return expr::none;
    }

    // The sum where one of its loops is first + step * a new one.
    expr over_part(loop l, std::int64_t first, std::int64_t step, std::int64_t count,
                   expr body) const {
        moved_loop part{l, {first, {}}};
        auto over = without(over_, {l});
        if (count > 1) {
            const auto& inside = values_[body];
            const loop fresh = values_.loops().part(
                l, first, step, count, united(united(inside.indices, inside.bound), over));
            part.to.terms = {{fresh, step}};
            add_loop(over, fresh);
        }
        const expr there = values_.moved(body, part);
        if (!there) return expr::none;
        return values_.folded(folding_, over, there);
    }

    expr solve_for(const place& difference, const term& t) const {
        return substitute(t.over, place{}.plus(difference.without(t.over), -t.factor),
                          without(over_, {t.over}));
    }

    /// Whether brackets alone stand beside one factor: elsewhere it is 0, and there is no product
    /// that would be hidden.
    bool is_alone() const {
        return std::ranges::count_if(rest_, [&](expr f) {
                   return values_[f].kind != kind::constant && !values_.is_bracket(f);
               }) <= 1;
    }

    // The fold over other loops of the rest where the loop is at a place, and of a condition more.
    expr substitute(loop l, place to, const loop_list& over, expr condition = expr::none) const {
        const std::int64_t last = values_.extent(l) - 1;
        const auto [least, most] = values_.reach(to);
        const bool inside =
            to.edge == edge::none ? least >= 0 && most <= last : to.low >= 0 && to.high <= last;
        expr_list product;
        if (condition) product.push_back(condition);
        if (!inside) {
            if (to.edge != edge::none) return expr::none;
            if (most < 0 || least > last) return values_.constant(identity_of(folding_));
            to.edge = !is_sum() || is_alone() ? edge::zero : edge::nothing;
            to.low = 0;
            to.high = last;
        }
        const moved_loop there{l, to};
        bool covered = inside, alone = true;
        expr_list moved_rest;
        for (const expr f : rest_) {
            bool here = false;
            const expr made = values_.moved(f, {&there, 1}, &here);
            if (!made) return expr::none;
            if (values_.vanishes(f, made)) return values_.constant(identity_of(folding_));
            covered = covered || here;
            // What is computed of what is 0 beyond the edge need not be 0.
            alone = alone && (inside || here || made == f || values_.is_bracket(f));
            moved_rest.push_back(made);
        }
        const expr value = value_ ? values_.moved(value_, there) : expr(expr::none);
        if (value_ && !value) return expr::none;
        // Of what is 0 beyond the edge nothing else is folded than a sum.
        if (!covered || !alone || !is_sum()) {
            const auto inside_axis = values_.within(to, 0, last);
            product.insert(product.end(), inside_axis.begin(), inside_axis.end());
        }
        product.insert(product.end(), moved_rest.begin(), moved_rest.end());
        return fold_of(over, product, value);
    }

    // plain = a place within bounds.
    expr solve_bounded(const place& plain, const place& bounded) const {
        // For a loop of the plain side.
        for (const auto& t : plain.terms) {
            if (!is_summed(t.over) || std::abs(t.factor) != 1 || bounded.factor(t.over) != 0 ||
                plain.terms.size() > 1)
                continue;
            place to;
            to.offset = -t.factor * plain.offset;
            to.add(bounded, t.factor);
            to.edge = bounded.edge;
            const auto low = t.factor * (bounded.low - plain.offset),
                       high = t.factor * (bounded.high - plain.offset);
            to.low = std::min(low, high);
            to.high = std::max(low, high);
            const auto over = without(over_, {t.over});
            if (const expr made = substitute(t.over, std::move(to), over)) return made;
        }
        const place unbounded = without_edge(bounded);
        const bool solvable =
            std::ranges::any_of(unbounded.terms, [&](const term& t) { return is_summed(t.over); });
        if (!solvable) return expr::none;
        const expr at = values_.position(unbounded), here = values_.position(plain);
        const auto compare = [&](opcode code, expr a, expr b) { return values_.apply(code, a, b); };
        const expr low = values_.number(bounded.low), high = values_.number(bounded.high);
        const expr_list within = values_.within(plain, bounded.low, bounded.high);
        expr_list terms;
        const auto also = [&](expr condition) {
            auto all = within;
            all.push_back(condition);
            terms.push_back(sum_of_rest(std::move(all)));
        };
        if (bounded.edge == edge::clamp) {
            // What leaves the bounds is at the nearer one.
            also(compare(opcode::equal, here, at));
            terms.push_back(
                sum_of_rest({compare(opcode::equal, here, low), compare(opcode::less, at, low)}));
            terms.push_back(
                sum_of_rest({compare(opcode::equal, here, high), compare(opcode::less, high, at)}));
            return values_.add(terms);
        }
        const std::int64_t round = bounded.high - bounded.low + 1;
        const auto [least, most] = values_.reach(unbounded);
        if ((most - least) / round + 2 > most_rounds) return expr::none;
        std::int64_t turn = (least - bounded.low) / round - 1;
        for (; bounded.low + turn * round <= most; ++turn) {
            place there = unbounded;
            there.offset -= turn * round;
            if (bounded.low + (turn + 1) * round <= least) continue;
            also(compare(opcode::equal, here, values_.position(std::move(there))));
        }
        return values_.add(terms);
    }

    // All places of a loop but the first, or but the last.
    expr leave_out(const place& difference) const {
        if (difference.terms.size() != 1) return expr::none;
        const auto& t = difference.terms[0];
        const std::int64_t extent = values_.extent(t.over),
                           without_it = -difference.offset * t.factor;
        if (!is_summed(t.over) || std::abs(t.factor) != 1 || extent < 2) return expr::none;
        if (without_it != 0 && without_it != extent - 1) return expr::none;
        return over_part(t.over, without_it == 0 ? 1 : 0, 1, extent - 1, body_);
    }

    // Where the inequality stays, as it does between two loops, a part of a loop pays if it leaves
    // out much, or the only places that there are: a tensor of all pairs is read as it stands then,
    // and others may read it so, too.
    bool pays_in_part(const place& margin, loop l, std::int64_t count) const {
        const std::int64_t extent = values_.extent(l);
        if (margin.terms.size() == 1 || count < extent - extent / window_part) return true;
        return values_.any_load({body_}, [&](const access& from) {
            return std::ranges::any_of(
                from.at, [&](const place& p) { return p.factor(l) != 0 && !is_whole_axis(p); });
        });
    }

    // An inequality between loops of the sum says that some run over a part only.
    expr narrow(const place& margin) const {
        for (const auto& t : margin.terms)
            if (!is_summed(t.over)) return expr::none;
        const std::int64_t most = values_.reach(margin).most;
        if (most < 0) return values_.constant(identity_of(folding_));
        for (const auto& t : margin.terms) {
            const std::int64_t extent = values_.extent(t.over), size = std::abs(t.factor);
            // The others give at most so much beyond what the loop gives at its best.
            const std::int64_t count = std::min(extent, most / size + 1);
            if (count == extent || !pays_in_part(margin, t.over, count)) continue;
            return over_part(t.over, t.factor > 0 ? extent - count : 0, 1, count, body_);
        }
        return expr::none;
    }

    graph& values_;
    const fold folding_;
    const loop_list& over_;
    expr body_;
    strided how_;
    expr_list factors_, rest_;  // of other folds than sums conditions
    expr value_;                // of those
    bool waits_ = false;
};

}  // namespace ricci::plan
