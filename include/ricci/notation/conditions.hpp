// Reading conditions on positions and values: relations, \land, \lor, \lnot, cases.
#pragma once

#include <cstdint>

#include <ricci/notation/bounds.hpp>
#include <ricci/notation/two_readings.hpp>

namespace ricci::notation {

using ir::op;

/// `Expression` is the parser that derives from this one and reads what stands in a condition.
template <class Expression>
class condition_parser : public reading_parser {
public:
    using reading_parser::reading_parser;

protected:
    constexpr ref expression() { return static_cast<Expression*>(this)->read_expression(); }

    constexpr bool is_relation() const { return is_comparison() || is_symbol('='); }
    constexpr ref compare(ir::comparison c, ref a, ref b, std::int32_t begin) {
        const ref both[] = {a, b};
        return program_.make(op::compare, static_cast<std::uint8_t>(c), both, 2,
                             {begin, end_before()});
    }
    constexpr ref read_condition() {
        const std::int32_t begin = begin_here();
        detail::buffer<ref> all;
        do all.push(read_conjunction());
        while (!failed() && accept_key(keyword::logical_or));
        return failed() ? none : joined(ir::comparison::logical_or, all, begin);
    }
    /// Conditions from left to right; of many a tree that is not deep.
    constexpr ref joined(ir::comparison c, const detail::buffer<ref>& all, std::int32_t begin) {
        constexpr std::int32_t many = 16;
        return all.size() > many ? joined_evenly(c, all, 0, all.size(), begin)
                                 : joined_from(c, all, begin);
    }
    constexpr ref joined_from(ir::comparison c, const detail::buffer<ref>& all,
                              std::int32_t begin) {
        ref out = all[0];
        for (std::int32_t k = 1; k < all.size(); ++k) out = compare(c, out, all[k], begin);
        return out;
    }
    constexpr ref joined_evenly(ir::comparison c, const detail::buffer<ref>& all,
                                std::int32_t first, std::int32_t last, std::int32_t begin) {
        if (last - first == 1) return all[first];
        const std::int32_t middle = first + (last - first + 1) / 2;
        const ref left = joined_evenly(c, all, first, middle, begin);
        return compare(c, left, joined_evenly(c, all, middle, last, begin), begin);
    }
    constexpr ref read_conjunction() {
        const std::int32_t begin = begin_here();
        detail::buffer<ref> all;
        do all.push(read_negation());
        while (!failed() && accept_key(keyword::logical_and));
        return failed() ? none : joined(ir::comparison::logical_and, all, begin);
    }
    constexpr ref read_negation() {
        const std::int32_t begin = begin_here();
        if (accept_key(keyword::logical_not)) {
            if (!enter()) return none;
            const ref inside = read_negation();
            --depth_;
            return failed()
                       ? none
                       : program_.apply(ir::function::logical_not, inside, {begin, end_before()});
        }
        if (!holds_condition()) return read_relation();
        if (!enter()) return none;
        advance();
        const ref inside = read_condition();
        --depth_;
        if (!failed()) expect_symbol(')');
        return inside;
    }
    /// Whether parentheses begin here that hold a condition, and not a value as in (i + 1) \le 2.
    constexpr bool holds_condition() const {
        if (!is_symbol('(')) return false;
        for (std::int32_t ahead = 1, level = 1, listed = 0; !is(token_kind::end, ahead); ++ahead) {
            level += is_key(keyword::begin_cases, ahead) - is_key(keyword::end_cases, ahead);
            if (is_symbol('(', ahead) || is_symbol('[', ahead) || is_symbol('{', ahead)) ++level;
            if (is_symbol(')', ahead) || is_symbol(']', ahead) || is_symbol('}', ahead)) --level;
            if (level == 0) return false;
            // < behind ^ or _ begins a list of indices
            const bool script = is_symbol('^', ahead - 1) || is_symbol('_', ahead - 1);
            if (is_symbol('<', ahead) && script) ++listed;
            else if (is_symbol('>', ahead) && listed > 0) --listed;
            else if (level == 1 && is_relation(ahead)) return true;
        }
        return false;
    }
    constexpr bool is_relation(std::int32_t ahead) const {
        const keyword k = key(ahead);
        return is_symbol('<', ahead) || is_symbol('>', ahead) || is_symbol('=', ahead) ||
               (k >= keyword::less && k <= keyword::logical_not);
    }
    /// a < b, or a chain a \le b < c, which means both.
    constexpr ref read_relation() {
        const std::int32_t begin = begin_here();
        ref left = expression();
        detail::buffer<ref> all;
        while (!failed() && is_relation()) {
            const keyword k = key();
            const bool less = is_symbol('<') || k == keyword::less,
                       greater = is_symbol('>') || k == keyword::greater;
            const bool at_most = k == keyword::less_equal, at_least = k == keyword::greater_equal;
            const bool different = k == keyword::not_equal;
            advance();
            const ref right = expression();
            if (failed()) return none;
            const ref one = less        ? compare(ir::comparison::less, left, right, begin)
                            : greater   ? compare(ir::comparison::less, right, left, begin)
                            : at_most   ? compare(ir::comparison::less_equal, left, right, begin)
                            : at_least  ? compare(ir::comparison::less_equal, right, left, begin)
                            : different ? compare(ir::comparison::not_equal, left, right, begin)
                                        : compare(ir::comparison::equal, left, right, begin);
            all.push(one);
            left = right;
            if (rounded_.begin >= begin) return refuse_rounded();
        }
        if (failed()) return none;
        if (!all.empty()) return joined(ir::comparison::logical_and, all, begin);
        return is_condition(left) ? left : truth_of(left, begin);
    }
    /// What is compared are whole numbers as such, and a text's numbers are doubles.
    constexpr ref refuse_rounded() {
        fail(mistake_kind::unexpected, rounded_.begin, rounded_.end,
             "this whole number is between two doubles, so that it cannot stand in a comparison; "
             "compare with a tensor of rank 0 that holds it");
        return none;
    }
    constexpr bool is_condition(ref n) const {
        const ir::node& x = program_.nodes[n];
        return x.kind == op::compare ||
               (x.kind == op::apply &&
                x.detail == static_cast<std::uint8_t>(ir::function::logical_not));
    }
    /// [m^{ij}]: a tensor of bool, or of 0 and 1, is a condition without a comparison.
    constexpr ref truth_of(ref n, std::int32_t begin) {
        if (program_.nodes[n].kind != op::tensor)
            return refuse(mistake_kind::unexpected, begin, end_before(),
                          undecided::not_a_condition);
        const ref truth = compare(ir::comparison::not_equal, n, program_.number(0), begin);
        program_.nodes[truth].value = undecided::truth;
        return truth;
    }
    constexpr ref read_cases(std::int32_t begin) {
        advance();
        detail::buffer<ref> parts;
        bool finished = false;
        while (!failed() && !is_key(keyword::end_cases)) {
            if (finished)
                return refuse_here(mistake_kind::unexpected,
                                   "nothing can follow the case that holds otherwise");
            parts.push(expression());
            accept_symbol(',');
            if (!failed() && !expect_symbol('&')) return none;
            const token* condition = now_;
            detail::text_builder spoken;
            if (!failed() && is_key(keyword::wrapper)) {
                advance();
                read_wrapped(spoken);
            }
            const text_view said = spoken;
            if (said == "otherwise" || said == "else") {
                finished = true;
            } else if (!failed()) {
                const bool opens =
                    said == "if" || said == "for" || said == "when" || said == "where";
                if (!opens) now_ = condition;  // \text{abs}(i) begins the condition itself
                parts.push(read_condition());
            }
            if (is(token_kind::row)) advance();
            else if (!failed() && !is_key(keyword::end_cases)) expect_symbol('\\');
        }
        if (failed()) return none;
        advance();
        return program_.make(op::choose, 0, parts.data(), parts.size(), {begin, end_before()});
    }

    ir::source_span rounded_{-1, -1};  // the last whole number that is no double
};

}  // namespace ricci::notation
