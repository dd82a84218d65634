// Reading sums: the indices that they run over, their bounds, and the product that they take in.
#pragma once

#include <cstdint>

#include <ricci/notation/bounds.hpp>
#include <ricci/notation/conditions.hpp>

namespace ricci::notation {

/// `Expression` is the parser that derives from this one: it reads what is summed.
template <class Expression>
class sum_parser : public condition_parser<Expression> {
    using conditions = condition_parser<Expression>;

public:
    using condition_parser<Expression>::condition_parser;
    using conditions::failed;

protected:
    using conditions::accept_symbol;
    using conditions::advance;
    using conditions::begin_here;
    using conditions::compare;
    using conditions::end_before;
    using conditions::expect_symbol;
    using conditions::fail;
    using conditions::fail_here;
    using conditions::is;
    using conditions::is_symbol;
    using conditions::now_;
    using conditions::peek;
    using conditions::program_;
    using conditions::read_index;
    using conditions::read_index_list;
    using conditions::text_of;

    constexpr Expression& parser() { return static_cast<Expression&>(*this); }

    /// \sum_{j}: over the product to the right.
    constexpr ref read_sum(std::int32_t begin) {
        advance();
        if (!accept_symbol('_')) {
            fail_here(mistake_kind::unexpected, "a sum needs its indices: \\sum_{j}");
            return none;
        }
        detail::buffer<ref> over;
        ref bounds = none;
        if (is_symbol('{') && has_lower_bound()) bounds = read_bounds(over);
        else read_index_list(over);
        if (failed()) return none;
        if (parser().ends_term()) {
            fail_here(mistake_kind::unexpected, "a sum needs something to sum");
            return none;
        }
        ref body = parser().read_term();
        if (failed()) return none;
        if (bounds != none)
            body = program_.make(op::multiply, bounds, body, program_.nodes[body].source);
        return program_.reduce(ir::reduction::sum, program_.add_links(over), body,
                               {begin, end_before()});
    }
    constexpr bool has_lower_bound() const {
        for (const token* t = now_ + 1;
             t->kind != token_kind::end && t->kind != token_kind::separator; ++t) {
            if (t->kind != token_kind::symbol) continue;
            if (t->code == '=') return true;
            if (t->code == '}') return false;
        }
        return false;
    }
    /// {a=1}^{d}: all of the index where the upper bound is a name, the extent that papers give it.
    /// Numbers bound it: from 1, as papers count, or from 0. Gives the condition, or none.
    constexpr ref read_bounds(detail::buffer<ref>& over) {
        const std::int32_t begin = begin_here();
        advance();
        const ref index = read_index();
        if (failed()) return none;
        over.push(index);
        if (!expect_symbol('=')) return none;
        const bool from_zero = is(token_kind::number) && text_of(peek()) == "0";
        const bool from_one = is(token_kind::number) && text_of(peek()) == "1";
        if (!from_zero && !from_one) {
            fail_here(mistake_kind::unexpected,
                      "a sum runs from 0 or from 1; for another part of an axis multiply by a "
                      "bracket such as [j \\ge 2]");
            return none;
        }
        advance();
        if (!expect_symbol('}') || !accept_symbol('^')) {
            fail_here(mistake_kind::unexpected,
                      "a sum with a lower bound needs an upper one: \\sum_{a=1}^{d}");
            return none;
        }
        const ref last_place = parser().read_argument();
        if (failed()) return none;
        if (!is_constant(program_, last_place)) {
            // d from 1, or d - 1 from 0: all of the axis. Any other would silently be another sum.
            if (!is_whole_axis(program_, last_place, from_zero))
                fail(mistake_kind::unexpected, begin, end_before(),
                     "a sum to a name runs over all of the axis, from 1 to d or from 0 to d - 1; "
                     "for a part of it multiply by a bracket such as [j \\ge 2]");
            return none;
        }
        const ref place = program_.position_of(index, {begin, end_before()});
        const ref last =
            from_zero ? last_place : program_.make(op::add, last_place, program_.number(-1));
        return compare(ir::comparison::less_equal, place, last, begin);
    }
};

}  // namespace ricci::notation
