// Deciding what sums, products and norms run over, where their signs leave it to the left side:
// \sum_{j \le i}, \sum_{j=1}^{i}, \lVert x^{ia} - z^{ja} \rVert.
#pragma once

#include <cstdint>

#include <ricci/ir/mistake.hpp>
#include <ricci/ir/rewrite.hpp>
#include <ricci/ir/scope.hpp>
#include <ricci/notation/bounds.hpp>
#include <ricci/notation/complete.hpp>
#include <ricci/notation/open_letters.hpp>

namespace ricci::notation {

/// Works on one expression in which positions are known and implied sums are not yet written out.
class settler {
public:
    /// `bound`: the indices of the left side.
    constexpr settler(ir::program& program, detail::text_view text, const ir::index_set& bound)
        : p_(program), text_(text), bound_(bound) {}

    constexpr ir::ref run(ir::ref n, ir::mistake& mistake) {
        const ir::ref settled = settle(n);
        mistake = static_cast<ir::mistake&&>(mistake_);
        return settled;
    }

private:
    /// What `work` gives while the indices are bound.
    template <class Work>
    constexpr ir::ref within(ir::range indices, const Work& work) {
        const ir::index_set outer = bound_;
        for (std::int32_t k = 0; k < indices.count; ++k) bound_.add(p_.links[indices.first + k]);
        const ir::ref result = work();
        bound_ = outer;
        return result;
    }
    constexpr void fail(ir::source_span at, detail::text_view sentence) {
        if (!mistake_)
            mistake_ =
                ir::make_mistake(ir::mistake_kind::unexpected, text_, at.begin, at.end, sentence);
    }

    constexpr ir::ref settle(ir::ref n) {
        const ir::node x = p_.nodes[n];
        if (x.kind == ir::op::reduce && undecided::is_norm(x.value)) return norm(x, true);
        if (x.kind == ir::op::reduce && x.value < 0) return bounded(x);
        if (x.kind == ir::op::compare && x.value == undecided::truth) return truth(x);
        if (is_open_cases(x)) return closed_cases(x);
        if (is_square_of_norm(x)) return norm(p_.nodes[p_.links[x.children.first]], false);
        if (x.kind == ir::op::multiply || x.kind == ir::op::divide) return settle_factors(n);
        const ir::range bound{x.indices.first, ir::bound_count(x)};
        if (bound.count == 0) return settle_children(n);
        return within(bound, [&] { return settle_children(n); });
    }
    /// A tensor as a condition is an input: what the text computes says by itself where it is true.
    constexpr ir::ref truth(const ir::node& x) {
        const ir::ref operand = p_.links[x.children.first];
        const ir::node& tensor = p_.nodes[operand];
        if (tensor.kind != ir::op::tensor) {
            fail(x.source, undecided::not_a_condition);
        } else if (p_.definition(tensor.name) != ir::none) {
            detail::text_builder sentence;
            sentence << p_.name(tensor.name)
                     << " is no input of bool, as this text defines it; write where it is true: ["
                     << p_.name(tensor.name) << " > 0] or [" << p_.name(tensor.name) << " \\ne 0]";
            fail(x.source, sentence);
        }
        const ir::ref settled =
            compare(ir::comparison::not_equal, settle(operand), p_.number(0), x.source);
        p_.nodes[settled].value = 1;
        return settled;
    }
    /// Cases without an `otherwise`: the last one is it, where the conditions leave nothing out.
    constexpr ir::ref closed_cases(const ir::node& x) {
        detail::buffer<ir::ref> children, conditions;
        for (std::int32_t k = 0; k < x.children.count; ++k) {
            children.push(settle(p_.links[x.children.first + k]));
            if (k % 2 == 1) conditions.push(children.back());
        }
        if (!completeness(p_).leave_nothing(conditions))
            fail(x.source,
                 "these conditions may leave something out; the last case has to be & "
                 "\\text{otherwise}");
        return p_.make(ir::op::choose, 0, children.data(), children.size() - 1, x.source);
    }
    constexpr ir::ref settle_children(ir::ref n) {
        return ir::rebuild_children(p_, n, [&](ir::ref child) { return settle(child); });
    }
    /// A letter that another factor has is no letter of a condition in this one.
    constexpr ir::ref settle_factors(ir::ref n) {
        const ir::range factors = p_.nodes[n].children;
        const ir::index_set outer = beside_, outer_bound = bound_beside_, outer_pairs = paired_;
        std::int32_t k = 0;
        const ir::ref settled = ir::rebuild_children(p_, n, [&](ir::ref child) {
            beside_ = outer;
            bound_beside_ = outer_bound;
            paired_ = outer_pairs;
            ir::index_set together;
            for (std::int32_t m = 0; m < factors.count; ++m) {
                if (m == k) continue;
                const ir::ref other = p_.links[factors.first + m];
                together.merge(open_letters(p_, other));
                bound_beside_.unite(ir::free_indices(p_, other));
            }
            beside_.unite(together);
            for (ir::ref i = 0, last = together.end(); i < last; ++i)
                if (together.repeated(i)) paired_.add(i);
            ++k;
            return settle(child);
        });
        beside_ = outer;
        bound_beside_ = outer_bound;
        paired_ = outer_pairs;
        return settled;
    }

    // Conditions and bounds -----------------------------------------------------------------------

    /// The sign's child is a product of its condition, or last place, and what it covers.
    constexpr ir::ref bounded(const ir::node& x) {
        const ir::range parts = p_.nodes[p_.links[x.children.first]].children;
        const ir::ref written = p_.links[parts.first], body = p_.links[parts.first + 1];
        ir::ref condition = written;
        ir::range over = x.indices;
        double least = 0;
        const auto reduction = static_cast<ir::reduction>(x.detail);
        if (x.value == undecided::condition && reduction == ir::reduction::softmax)
            over = first_letter_of(condition, x.source);
        else if (x.value == undecided::condition) over = letters_of(condition, body, x.source);
        else if (x.value != undecided::none) condition = within_bounds(x, written, body, least);
        const bool is_sum = reduction == ir::reduction::sum;
        if (!mistake_ && condition != ir::none && (!is_sum || x.value == undecided::none))
            refuse_sums_inside(over, condition, body, is_sum, x.source);
        if (mistake_) return body;
        const ir::ref inside = within(over, [&] {
            if (condition != ir::none) condition = settle(condition);
            return settle(body);
        });
        if (reduction == ir::reduction::mean) return mean(over, condition, inside, x.source);
        const ir::ref sign =
            p_.reduce(reduction, over, covered(reduction, condition, inside), x.source);
        p_.nodes[sign].value = least;
        return sign;
    }
    /// \max_{j : j \le i} x^{ij}: a condition is no factor of what a function is of, with which i
    /// would be summed. Nor is that of a sum over what it lists, \sum_{j : j \le i} x^{ij}, but it
    /// holds in a sum over i that its factors imply.
    constexpr void refuse_sums_inside(ir::range over, ir::ref condition, ir::ref body, bool is_sum,
                                      ir::source_span at) {
        const ir::index_set letters = ir::free_indices(p_, condition);
        const ir::index_set covered = ir::free_indices(p_, body);
        const ir::index_set implied = ir::shown_indices(p_, body);
        ir::index_set mine = bound_;
        for (std::int32_t k = 0; k < over.count; ++k) mine.add(p_.links[over.first + k]);
        for (ir::ref i = 0, last = letters.end(); i < last; ++i) {
            if (!letters.has(i) || !covered.has(i) || mine.has(i) || beside_.has(i)) continue;
            if (is_sum && implied.repeated(i)) continue;
            detail::text_builder s;
            s << "the index " << p_.index(i) << " stands in a condition and ";
            if (is_sum) s << "once in what the sum is of, and nowhere else; write \\sum_{";
            else s << "in what the function is of, and nowhere else; write \\sum_{";
            s << p_.index(i) << "} in front";
            if (is_sum) s << ", where it is summed too, or " << p_.index(i) << " on the left side";
            else s << " or inside, where a sum is meant";
            return fail(at, s);
        }
    }
    /// What a condition leaves out is 0 in a sum, 1 in a product, and else no value is as far off.
    constexpr ir::ref covered(ir::reduction r, ir::ref condition, ir::ref body) {
        if (condition == ir::none) return body;
        const ir::source_span source = p_.nodes[body].source;
        if (r == ir::reduction::sum) return p_.make(ir::op::multiply, condition, body, source);
        const double infinity = __builtin_inf();
        const double rest = r == ir::reduction::product   ? 1
                            : r == ir::reduction::minimum ? infinity
                                                          : -infinity;
        const ir::ref cases[] = {body, condition, p_.number(rest)};
        return p_.make(ir::op::choose, 0, cases, 3, source);
    }
    /// The sum of what the condition leaves, by how many that are.
    constexpr ir::ref mean(ir::range over, ir::ref condition, ir::ref body, ir::source_span at) {
        ir::for_each_node(p_, condition, [&](ir::ref n) {
            if (p_.nodes[n].kind == ir::op::tensor)
                fail(at,
                     "how many places this condition leaves depends on values here, and a mean of "
                     "none is no number; write what it is then, as in \\frac{\\sum_{j} [m^j > 0] "
                     "x^j}{\\max(\\sum_{j} [m^j > 0], 1)}, which is 0 for none");
        });
        const ir::ref all =
            p_.reduce(ir::reduction::sum, over, covered(ir::reduction::sum, condition, body), at);
        const ir::ref count = p_.reduce(ir::reduction::sum, over, condition, at);
        p_.nodes[count].value = ir::some_place;
        return p_.make(ir::op::divide, all, count, at);
    }
    /// The letter of a condition that is written first.
    constexpr ir::range first_letter_of(ir::ref condition, ir::source_span at) {
        ir::ref first = ir::none;
        std::int32_t begin = 0;
        ir::for_each_node(p_, condition, [&](ir::ref n) {
            const ir::node& x = p_.nodes[n];
            ir::index_set here;
            ir::add_indices(p_, x.positions, here);
            if (here.empty() || (first != ir::none && x.source.begin >= begin)) return;
            begin = x.source.begin;
            ir::ref own = ir::none;
            ir::for_each_index(p_, x.positions,
                               [&](ir::ref i) { own = own == ir::none ? i : own; });
            first = own;
        });
        if (first == ir::none) fail(at, binds_nothing);
        return p_.add_links(&first, first != ir::none ? 1 : 0);
    }
    static constexpr const char* binds_nothing =
        "this condition binds no index: each of its letters is free here, or is no index of this "
        "equation";
    /// The letters of a condition that are bound neither outside nor by a product around.
    constexpr ir::range letters_of(ir::ref condition, ir::ref body, ir::source_span at) {
        const ir::index_set letters = ir::free_indices(p_, condition);
        const ir::index_set covered = ir::free_indices(p_, body);
        detail::buffer<ir::ref> over;
        for (ir::ref i = 0, last = letters.end(); i < last; ++i) {
            // x^i x^i \sum_{i<j} z^i z^j: a sum by itself, and one over all
            const bool own = paired_.has(i) && covered.has(i);
            if (!letters.has(i) || bound_.has(i) || (beside_.has(i) && !own)) continue;
            over.push(i);
            if (!bound_beside_.has(i) || covered.has(i)) continue;
            detail::text_builder sentence;
            sentence << "the index " << p_.index(i)
                     << " stands in conditions of two factors, and in nothing that they are of; "
                        "write \\sum_{"
                     << p_.index(i)
                     << "} in front for one sum over it, or say below each sign what "
                     << "it binds, as in \\sum_{j," << p_.index(i) << " : j \\le " << p_.index(i)
                     << '}';
            fail(at, sentence);
        }
        if (over.empty()) fail(at, binds_nothing);
        return p_.add_links(over);
    }
    /// The condition that bounds say, or none where they are the whole axis.
    constexpr ir::ref within_bounds(const ir::node& x, ir::ref last, ir::ref body, double& least) {
        const ir::ref index = p_.links[x.indices.first];
        const bool from_one = x.value == undecided::from_one;
        if (from_one && is_number_in(body, index)) {
            detail::text_builder sentence;
            sentence << "positions count from 0, and " << p_.index(index)
                     << " counts from 1 here and is used as a number; write the sum from 0, as "
                        "\\sum_{"
                     << p_.index(index) << "}, and " << p_.index(index) << " + 1 for the number";
            fail(x.source, sentence);
            return ir::none;
        }
        const last_place to(p_, last);
        const ir::ref place = p_.position_of(index, x.source);
        if (to.is_number) {
            const double final_place = to.number - (from_one ? 1 : 0);
            least = final_place + 1 > 0 ? final_place + 1 : 0;
            return compare(ir::comparison::less_equal, place, p_.number(final_place), x.source);
        }
        if (to.is_name && to.less_one != from_one) return ir::none;
        if (to.index != ir::none && to.index != index && bound_.has(to.index))
            return compare(to.less_one ? ir::comparison::less : ir::comparison::less_equal, place,
                           p_.position_of(to.index, x.source), x.source);
        detail::text_builder sentence;
        sentence
            << "a sum to a name runs over all of the axis, from 1 to d or from 0 to d - 1, and "
               "one to an index ends with it or before it; for another part write a condition, "
               "as in \\sum_{"
            << p_.index(index) << " \\ge 2} or \\sum_{" << p_.index(index) << " < n}";
        fail(x.source, sentence);
        return ir::none;
    }
    constexpr ir::ref compare(ir::comparison c, ir::ref a, ir::ref b, ir::source_span source) {
        const ir::ref both[] = {a, b};
        return p_.make(ir::op::compare, static_cast<std::uint8_t>(c), both, 2, source);
    }
    /// Whether the index stands as a number, in the arithmetic of a place or in a condition. The
    /// last place of another sum that counts from 1 counts as this one does.
    constexpr bool is_number_in(ir::ref n, ir::ref index) const {
        const ir::node& x = p_.nodes[n];
        for (std::int32_t k = 0; k < x.positions.count; ++k) {
            const ir::position& q = p_.positions[x.positions.first + k];
            if (x.kind == ir::op::position && q.index == index) return true;
            for (std::int32_t t = 0; t < q.terms.count; ++t)
                if (q.kind == ir::position_kind::affine &&
                    p_.affine_terms[q.terms.first + t].index == index)
                    return true;
        }
        ir::range inside = x.children;
        if (x.kind == ir::op::reduce && x.value == undecided::from_one) {
            inside = p_.nodes[p_.links[inside.first]].children;
            inside = {inside.first + 1, 1};
        }
        for (std::int32_t k = 0; k < inside.count; ++k)
            if (is_number_in(p_.links[inside.first + k], index)) return true;
        return false;
    }

    // Norms ---------------------------------------------------------------------------------------

    constexpr bool is_square_of_norm(const ir::node& x) const {
        if (x.kind != ir::op::power) return false;
        const ir::node& base = p_.nodes[p_.links[x.children.first]];
        const ir::node& exponent = p_.nodes[p_.links[x.children.first + 1]];
        return base.kind == ir::op::reduce && base.value == undecided::norm &&
               exponent.kind == ir::op::number && exponent.value == 2;
    }
    /// By value: making nodes moves those that are there.
    constexpr ir::ref norm(const ir::node x, bool root) {
        const bool squares = x.value == undecided::norm;
        ir::range over = x.indices;
        const ir::ref written = p_.links[x.children.first];
        const ir::ref inside = within(over, [&] { return settle(written); });
        if (over.count == 0 && !mistake_) over = indices_of_norm(inside, x.source);
        if (mistake_) return written;
        const ir::ref each = squares ? p_.make(ir::op::power, inside, p_.number(2), x.source)
                                     : p_.apply(ir::function::absolute, inside, x.source);
        if (squares) mark_in_norm(inside);
        const bool largest = x.value == undecided::norm_infinity;
        const ir::ref all =
            p_.reduce(largest ? ir::reduction::maximum : ir::reduction::sum, over, each, x.source);
        return squares && root ? p_.apply(ir::function::sqrt, all, x.source) : all;
    }
    /// The tensors whose numbers are squared: |z| is real whatever z is.
    constexpr void mark_in_norm(ir::ref n) {
        const ir::node& x = p_.nodes[n];
        if (x.kind == ir::op::tensor) p_.names[x.name].in_norm = true;
        if (x.kind == ir::op::tensor || ir::is_always_real(x)) return;
        for (std::int32_t k = 0; k < x.children.count; ++k)
            mark_in_norm(p_.links[x.children.first + k]);
    }
    /// The indices that stand in every term, the sums that a term implies done.
    constexpr ir::range indices_of_norm(ir::ref inside, ir::source_span at) {
        const ir::node& x = p_.nodes[inside];
        ir::index_set all;
        const bool terms = x.kind == ir::op::add;
        const std::int32_t count = terms ? x.children.count : 1;
        detail::buffer<ir::index_set> each;
        for (std::int32_t k = 0; k < count; ++k) {
            each.push(open_in(terms ? p_.links[x.children.first + k] : inside));
            all.merge_once(each.back());
        }
        detail::buffer<ir::ref> over;
        for (ir::ref i = 0, last = all.end(); i < last; ++i) {
            if (!all.has(i) || bound_.has(i)) continue;
            for (const ir::index_set& term : each) {
                if (term.has(i)) continue;
                detail::text_builder sentence;
                sentence << "the index " << p_.index(i)
                         << " stands in some terms of this norm only; say the indices that it runs "
                            "over: \\lVert x \\rVert_{"
                         << p_.index(i) << "}";
                fail(at, sentence);
            }
            over.push(i);
        }
        if (over.empty())
            fail(at,
                 "nothing in this norm has an index to run over; write them, as in \\lVert x^i "
                 "\\rVert, or |x| for a number");
        return p_.add_links(over);
    }
    /// What is free in an expression once the sums that it implies are done.
    constexpr ir::index_set open_in(ir::ref n) const {
        const ir::node& x = p_.nodes[n];
        ir::index_set here;
        ir::add_indices(p_, x.positions, here);
        for (std::int32_t k = 0; k < x.children.count; ++k)
            here.merge_once(open_in(p_.links[x.children.first + k]));
        ir::index_set open;
        for (ir::ref i = 0, last = here.end(); i < last; ++i) {
            bool is_open = here.has(i) && (x.kind == ir::op::add || !here.repeated(i));
            for (std::int32_t k = 0; k < ir::bound_count(x); ++k)
                is_open = is_open && p_.links[x.indices.first + k] != i;
            if (is_open) open.add(i);
        }
        return open;
    }

    ir::program& p_;
    detail::text_view text_;
    ir::index_set bound_;
    ir::index_set beside_;        // what is open in other factors of the products around
    ir::index_set paired_;        // of that, what those factors could sum without this one
    ir::index_set bound_beside_;  // and what stands there at all, bound by conditions too
    ir::mistake mistake_;
};

}  // namespace ricci::notation
