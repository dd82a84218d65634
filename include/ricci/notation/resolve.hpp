// Making implied sums explicit, and refusing indices that nothing binds.
#pragma once

#include <cstdint>

#include <ricci/ir/conditions.hpp>
#include <ricci/ir/mistake.hpp>
#include <ricci/ir/print_name.hpp>
#include <ricci/ir/rewrite.hpp>
#include <ricci/notation/places.hpp>
#include <ricci/notation/scope.hpp>
#include <ricci/notation/settle.hpp>

namespace ricci::notation {

using ir::none;
using ir::op;
using ir::ref;

/// How many implied sums pair an upper with a lower index, and how many do not.
struct implied_sums {
    std::int32_t pairs = 0;
    std::int32_t others = 0;
};

/// A sum sign that a + or - ended.
struct ended_sign {
    ir::range indices;
    bool alone;  // it is the whole term: a sum over the next one too is the same number,
    std::int32_t nonlinear;  // unless more functions than these are around what that one sums
};

/// Works on one equation of a freshly parsed program; replaces its body.
class resolver {
public:
    /// `sums` counts the implied sums of all equations.
    constexpr resolver(ir::program& program, detail::text_view text, implied_sums& sums)
        : p_(program), text_(text), sums_(&sums) {}

    constexpr ir::mistake run(ir::equation& e) {
        e.body = settle_places(e, {});
        ir::index_set left;
        ir::add_indices(p_, e.positions, left);
        if (undecided_ && !mistake_) e.body = settler(p_, text_, left).run(e.body, mistake_);
        const ir::index_set right = ir::free_indices(p_, e.body);
        for (ref i = 0, last = left.end(); i < last; ++i) {
            if (!left.has(i)) continue;
            bound_.add(i);
            if (!right.has(i)) missing_ = i;
            if (left.repeated(i))
                fail(ir::mistake_kind::index_repeated, i, e.source,
                     " stands twice on the left; the value would have no place off the diagonal");
        }
        if (!mistake_) e.body = resolve(e.body);
        if (missing_ != none && !ir::is_mask(p_, e.body))
            fail(ir::mistake_kind::index_missing, missing_, e.source,
                 " stands on the left and nowhere on the right");
        return static_cast<ir::mistake&&>(mistake_);
    }

    /// The same for the body of a function, of which `parameters` are no indices and `over` are the
    /// indices that it runs over.
    constexpr ir::mistake run(ref& body, ir::range parameters, ir::range over,
                              ir::source_span source) {
        body = settle_places({none, {}, body, false, source}, parameters);
        for (std::int32_t k = 0; k < over.count; ++k) {
            bound_.add(p_.links[over.first + k]);
            over_.add(p_.links[over.first + k]);
        }
        if (undecided_ && !mistake_) body = settler(p_, text_, bound_).run(body, mistake_);
        if (!mistake_) body = resolve(body);
        return static_cast<ir::mistake&&>(mistake_);
    }

private:
    constexpr ref settle_places(const ir::equation& e, ir::range parameters) {
        place_settler places(p_, text_, e, parameters);
        const ref body = places.run();
        if (!mistake_) mistake_ = places.mistake();
        undecided_ = places.undecided();
        return body;
    }
    constexpr void fail(ir::mistake_kind kind, ref index, ir::source_span at,
                        detail::text_view words) {
        if (mistake_) return;
        detail::text_builder sentence;
        sentence << "the index " << p_.index(index) << words;
        mistake_ = ir::make_mistake(kind, text_, at.begin, at.end, sentence);
    }

    constexpr detail::text_builder primed(ref index) const {
        detail::text_builder spelling;
        spelling << p_.index(index) << "'";
        return spelling;
    }
    constexpr ref resolve(ref n) {
        if (mistake_) return n;
        const ir::node x = p_.nodes[n];
        if (x.kind == op::add) return resolve_terms(n);
        if (ir::is_of_matrix(x) && !check_matrix(x)) return n;
        if (ir::is_solve(x)) return resolve_solve(n);
        if (ir::binds(x)) return resolve_binder(n);
        if (x.kind == op::reduce || x.kind == op::call) check_softmax(x);
        const detail::buffer<ref> here = summed_here(n);
        if (mistake_) return n;
        for (ref i : here) bound_.add(i), implied_.add(i);
        // what a softmax runs over is its own inside, whatever sum it stands in outside
        ir::index_set outside;
        for (std::int32_t k = 0; k < x.indices.count; ++k)
            if (const ref i = p_.links[x.indices.first + k]; implied_.has(i)) outside.add(i);
        for (ref i = 0, last = outside.end(); i < last; ++i)
            if (outside.has(i)) implied_.remove(i);
        const ref inside = resolve_children(n);
        for (ref i = 0, last = outside.end(); i < last; ++i)
            if (outside.has(i)) implied_.add(i);
        for (ref i : here) bound_.remove(i), implied_.remove(i);
        if (here.empty() || mistake_) return inside;
        const ir::range over = p_.add_links(here);
        return p_.reduce(ir::reduction::sum, over, inside, x.source);
    }
    /// Behind -\frac{1}{n} \sum_i a^i + ..., which ends at the sign, a term that sums over i by
    /// itself would be half in what an author means: other numbers than with the sum over both.
    constexpr ref resolve_terms(ref n) {
        const std::int32_t outer = ended_.size();
        const ref out = ir::rebuild_children(p_, n, [&](ref child) {
            const ref resolved = resolve(child);
            collect_signs(child);
            return resolved;
        });
        ended_.shrink(outer);
        return out;
    }
    /// Notes the sum signs with which a term ends, unless parentheses end them.
    constexpr void collect_signs(ref term) {
        bool alone = true;
        for (;;) {
            const ir::node& x = p_.nodes[term];
            if (x.kind == op::multiply) {
                term = p_.links[x.children.first + x.children.count - 1];
                alone = false;
                continue;
            }
            if (x.kind != op::reduce || x.detail != static_cast<std::uint8_t>(ir::reduction::sum) ||
                !ends_openly(x))
                return;
            term = p_.links[x.children.first];
            const ir::node& body = p_.nodes[term];
            alone = alone && !(body.kind == op::multiply &&
                               p_.nodes[p_.links[body.children.first]].kind == op::compare);
            if (!is_noted({x.indices, alone, nonlinear_}))
                ended_.push({x.indices, alone, nonlinear_});
        }
    }
    /// Whether the sign before was the same: of many terms that are alike one is enough.
    constexpr bool is_noted(const ended_sign& sign) const {
        if (ended_.size() == 0) return false;
        const ended_sign& last = ended_[ended_.size() - 1];
        bool same = last.alone == sign.alone && last.nonlinear == sign.nonlinear &&
                    last.indices.count == sign.indices.count;
        for (std::int32_t k = 0; same && k < sign.indices.count; ++k)
            same = p_.links[last.indices.first + k] == p_.links[sign.indices.first + k];
        return same;
    }
    constexpr bool ends_openly(const ir::node& sum) const {
        std::int32_t at = sum.source.end;
        while (at < text_.size && (text_.data[at] == ' ' || text_.data[at] == '\n')) ++at;
        if (at >= text_.size) return true;
        const char c = text_.data[at];
        if (c == '\\') return text_.slice(at, at + 6) != text_view("\\right");
        return c != ')' && c != ']' && c != '}';
    }

    constexpr ref resolve_children(ref n) {
        const ir::node x = p_.nodes[n];
        const bool values = takes_values(x) && !implied_.empty();
        const bool is_sum =
            x.kind == op::reduce && x.detail == static_cast<std::uint8_t>(ir::reduction::sum);
        const std::int32_t outer = nonlinear_;
        nonlinear_ += x.kind != op::multiply && x.kind != op::divide && !is_sum;
        const ref out = ir::rebuild_children(p_, n, [&](ref child) {
            const ref resolved = resolve(values ? with_own_letters(x, child) : child);
            nonlinear_ += x.kind == op::divide;  // the numerator comes first
            return resolved;
        });
        nonlinear_ = outer;
        return out;
    }
    /// What an argument of `x` sums by itself is another index than that of a sum around it.
    constexpr ref with_own_letters(const ir::node& x, ref argument) {
        const ir::index_set all = shown_indices(p_, argument);
        ir::index_set seen = all;
        close_argument(p_, x, argument, seen);
        ir::index_map renamed;
        for (ref i = 0, last = all.end(); i < last; ++i) {
            if (!all.repeated(i) || seen.has(i) || !implied_.has(i)) continue;
            detail::text_builder spelling = primed(i);
            while (p_.find_index(spelling) != none) spelling << "'";
            renamed.set(i, p_.intern_index(spelling));
        }
        return renamed.empty() ? argument : ir::rename_indices(p_, argument, renamed);
    }
    /// Whether what a function of a matrix is of has rows and columns.
    constexpr bool check_matrix(const ir::node& x) {
        const ir::index_set inside = ir::free_indices(p_, p_.links[x.children.first]);
        for (std::int32_t k = 0; k < x.indices.count; ++k)
            if (const ref i = p_.links[x.indices.first + k]; !inside.has(i))
                fail(ir::mistake_kind::index_missing, i, x.source,
                     k == 0 ? " of the rows is nowhere in the matrix"
                            : " of the columns is nowhere in the matrix");
        if (!ir::is_solve(x) || mistake_) return !mistake_;
        const ir::index_set right = ir::free_indices(p_, p_.links[x.children.first + 1]);
        const ref row = p_.links[x.indices.first], column = p_.links[x.indices.first + 1];
        if (!right.has(row))
            fail(ir::mistake_kind::index_missing, row, x.source,
                 " of the rows is nowhere on the right-hand side");
        if (right.has(column))
            fail(ir::mistake_kind::index_repeated, column, x.source,
                 " of the columns is one of the solution, and stands on the right-hand side too; "
                 "give one of the two another letter");
        return !mistake_;
    }
    /// The solution of K^{ij} x^j = y^i, written out: the sum over i of the inverse and y^i.
    constexpr ref resolve_solve(ref n) {
        const ir::node x = p_.nodes[n];
        const ref row = p_.links[x.indices.first], column = p_.links[x.indices.first + 1];
        check_kept(x, column);
        if (!bind(row, x.source)) return n;
        const detail::buffer<ref> here = summed_here(n);
        if (mistake_) return n;
        for (ref i : here) bound_.add(i), implied_.add(i);
        const bool outside = implied_.has(column);  // the matrix has a column of its own inside
        if (outside) implied_.remove(column);
        const ref inside = resolve_children(n);
        if (outside) implied_.add(column);
        for (ref i : here) bound_.remove(i), implied_.remove(i);
        unbind(row);
        if (mistake_) return n;
        const ir::range parts = p_.nodes[inside].children;
        const ref matrix = p_.links[parts.first], right = p_.links[parts.first + 1];
        ref solved = column_of_inverse(x, matrix, right);
        if (solved == none) {
            const ref inverse = ir::inverse_of(p_, matrix, row, column, x.source);
            const ref product = p_.make(op::multiply, inverse, right, x.source);
            solved = p_.reduce(ir::reduction::sum, p_.add_links(&row, 1), product, x.source);
        }
        if (here.empty()) return solved;
        return p_.reduce(ir::reduction::sum, p_.add_links(here), solved, x.source);
    }
    /// Where the right-hand side is \delta^{ik}: the inverse at (k, j); none elsewhere.
    constexpr ref column_of_inverse(const ir::node& x, ref matrix, ref right) {
        const ir::node& delta = p_.nodes[right];
        if (delta.kind != op::delta) return none;
        const ref row = p_.links[x.indices.first], column = p_.links[x.indices.first + 1];
        const ir::position a = p_.positions[delta.positions.first],
                           b = p_.positions[delta.positions.first + 1];
        if (a.kind != ir::position_kind::index || b.kind != ir::position_kind::index) return none;
        const ref other = a.index == row ? b.index : a.index;
        if (other == row || other == column || ir::free_indices(p_, matrix).has(other)) return none;
        ir::index_map renamed;
        renamed.set(row, other);
        return ir::inverse_of(p_, ir::rename_indices(p_, matrix, renamed), other, column, x.source);
    }
    /// softmax, and a function of the text that keeps the index it runs over.
    constexpr void check_softmax(const ir::node& x) {
        for (std::int32_t k = 0; k < x.indices.count; ++k)
            check_kept(x, p_.links[x.indices.first + k]);
    }
    constexpr void check_kept(const ir::node& x, ref i) {
        if (bound_.has(i)) return;
        detail::text_builder words;
        words << " of the ";
        if (x.kind == op::reduce) words << ir::reduction_word(static_cast<ir::reduction>(x.detail));
        else words << p_.name(x.name);
        words << " stands nowhere else in this term and not on the left";
        fail(ir::mistake_kind::index_once, i, x.source, words);
    }
    /// Notes that an index is bound, where it is not yet.
    constexpr bool bind(ref i, ir::source_span source) {
        if (bound_.has(i) && !over_.has(i)) {
            detail::text_builder words;
            words << " is bound here and free in the same term; write " << p_.index(i) << "'";
            fail(ir::mistake_kind::index_shadowed, i, source, words);
            return false;
        }
        bound_.add(i);
        return true;
    }
    constexpr void unbind(ref i) {
        if (over_.has(i)) return;
        bound_.remove(i);
        closed_.add(i);
    }
    constexpr ref resolve_binder(ref n) {
        const ir::node x = p_.nodes[n];
        for (std::int32_t k = 0; k < x.indices.count; ++k)
            if (!bind(p_.links[x.indices.first + k], x.source)) return n;
        const ref inside = resolve_children(n);
        for (std::int32_t k = 0; k < x.indices.count; ++k) unbind(p_.links[x.indices.first + k]);
        return inside;
    }

    /// The unbound indices for which `n` is the smallest product, or tensor, that holds all
    /// occurrences. One that stands in a single child belongs further down.
    constexpr detail::buffer<ref> summed_here(ref n) {
        const ir::node x = p_.nodes[n];
        detail::buffer<ref> here;
        ir::index_set holding;
        if (x.children.count == 0 || x.kind == op::tensor) {
            ir::add_indices(p_, x.positions, holding);
            const ir::index_set own = holding;
            for (std::int32_t k = 0; k < x.children.count; ++k)
                add_uses(p_, p_.links[x.children.first + k], holding);
            for (ref i = 0, last = holding.end(); i < last; ++i) {
                if (bound_.has(i) || !holding.has(i)) continue;
                if (holding.repeated(i)) sum_over(i, n, here);
                else if (own.has(i)) fail(ir::mistake_kind::index_once, i, x.source, once_words(i));
            }
            return here;
        }
        if (ir::is_conditional_mean(p_, x)) return here;
        const bool values = takes_values(x);
        for (std::int32_t k = 0; k < x.children.count; ++k) {
            const ref argument = p_.links[x.children.first + k];
            ir::index_set child = shown_indices(p_, argument);
            if (values) close_argument(p_, x, argument, child);
            holding.merge_once(child);
        }
        for (ref i = 0, last = holding.end(); i < last; ++i)
            if (!bound_.has(i) && holding.repeated(i)) sum_over(i, n, here);
        check_signs_before(n, here);
        return here;
    }
    /// What a term sums by itself is not all that a sign before binds.
    constexpr void check_signs_before(ref n, const detail::buffer<ref>& here) {
        if (here.empty()) return;
        for (const ended_sign& sign : ended_) {
            if (sign.alone && sign.nonlinear == nonlinear_) continue;
            std::int32_t shared = 0;
            for (std::int32_t k = 0; k < sign.indices.count; ++k)
                for (const ref i : here) shared += p_.links[sign.indices.first + k] == i;
            if (shared < sign.indices.count) continue;
            const ref i = p_.links[sign.indices.first];
            detail::text_builder words;
            words << " is summed here by itself, behind a \\sum_{" << p_.index(i)
                  << "} that ends at the sign before; put parentheses around all that it is to "
                     "cover, \\sum_{"
                  << p_.index(i) << "} (...), or write \\sum_{" << p_.index(i)
                  << "} in this term too";
            fail(ir::mistake_kind::index_repeated, i, p_.nodes[n].source, words);
            return;
        }
    }
    constexpr void sum_over(ref i, ref n, detail::buffer<ref>& here) {
        const ir::node& x = p_.nodes[n];
        here.push(i);
        if (x.kind == op::multiply || x.kind == op::divide) {
            holders all;
            count_holders(p_, x, i, all);
            if (all.ambiguous()) {
                detail::text_builder words;
                words << " can be summed within a factor and over the whole product; write (...)^2 "
                         "for a square, another letter in one of the factors for a product of "
                         "sums, or \\sum_{"
                      << p_.index(i) << "} in front for one sum";
                fail(ir::mistake_kind::index_repeated, i, x.source, words);
                return;
            }
        }
        occurrences found;
        count_occurrences(p_, n, i, found);
        // z^j \operatorname{solve}_{ij}(K^{ij}, y^i) is a pair where heights count, but no sign
        // that they do
        if (!found.is_pair()) ++sums_->others;
        else if (!found.solved) ++sums_->pairs;
    }
    constexpr detail::text_view once_words(ref i) {
        once_ = {};
        if (closed_.has(i)) {
            once_
                << " stands outside of what binds it, which takes the next factor; put parentheses "
                   "around all that it is to cover";
            return once_;
        }
        once_ << " stands once on the right and not on the left";
        if (missing_ != none)
            once_ << ", and " << p_.index(missing_)
                  << " of the left is missing on the right; is one meant for the other?";
        else once_ << "; write \\sum_{" << p_.index(i) << "} if a sum is meant";
        return once_;
    }

    ir::program& p_;
    detail::text_view text_;
    implied_sums* sums_;
    ir::index_set bound_;
    detail::buffer<ended_sign> ended_;  // in the terms before
    std::int32_t nonlinear_ = 0;        // functions, quotients and powers around the place in hand
    ir::index_set implied_;   // of those, the ones of implied sums around the place in hand
    ir::index_set over_;      // the indices over which a function of the text is defined
    ir::index_set closed_;    // bound by a sum, mean, maximum or minimum on the left of here
    bool undecided_ = false;  // what some signs run over
    ref missing_ = none;      // an index of the left that the right lacks
    ir::mistake mistake_;
    detail::text_builder once_;
};

}  // namespace ricci::notation
