// Reading statements: what an equation defines, chains of claims, functions of the user's own.
#pragma once

#include <cstdint>

#include <ricci/notation/expression.hpp>

namespace ricci::notation {

class statement_parser : public expression_parser {
public:
    using expression_parser::expression_parser;

    constexpr void run() {
        while (!failed() && !is(token_kind::end)) {
            if (is(token_kind::separator)) advance();
            else read_statement();
        }
        if (!failed() && program_.equations.empty() && definitions_.empty())
            fail(mistake_kind::unexpected, 0, text_.size, "there is no equation in this text");
    }
    /// The last list of indices that reads like a word, which may have been meant as a label.
    constexpr text_view word_like() const { return text_.slice(word_begin_, word_end_); }
    constexpr ir::program&& take() { return static_cast<ir::program&&>(program_); }

private:
    struct left_side {
        ref name = none;
        ir::range positions = {};
        detail::buffer<ref> arguments;  // names in parentheses, as written
        bool called = false;
        bool derivative = false;
        std::uint8_t variance = 0;
        std::int32_t begin = 0;
        std::int32_t end = 0;
    };

    constexpr void read_statement() {
        const left_side left = read_left();
        if (failed()) return;
        if (writes_twice(left.positions)) {
            fail(mistake_kind::index_repeated, left.begin, left.end,
                 "two places of these indices are one element on the left; sum on the right "
                 "instead, with an index of its own");
            return;
        }
        if (is(token_kind::command) && !refusal_of(word()).empty()) return unknown_command();
        if (!is_symbol('=')) {
            fail_here(mistake_kind::unexpected,
                      "an equation is written name = expression; expected = here");
            return;
        }
        bool claim = left.derivative;
        while (!failed() && accept_symbol('=')) {
            const ref body = read_expression();
            if (failed()) return;
            define(left, body, claim);
            claim = true;
        }
        if (accept_key(keyword::equivalent)) {
            const std::int32_t first = program_.equations.size();
            read_statement();
            for (std::int32_t e = first; e < program_.equations.size(); ++e)
                program_.equations[e].claim = true;
            return;
        }
        if (!failed() && !is(token_kind::separator))
            fail_here(mistake_kind::unexpected, unexpected_words());
    }
    /// i+k on the left: one element for several pairs of i and k.
    constexpr bool writes_twice(ir::range at) const {
        for (std::int32_t k = 0; k < at.count; ++k) {
            const ir::position& q = program_.positions[at.first + k];
            if (q.kind == ir::position_kind::affine && q.terms.count > 1) return true;
        }
        return false;
    }
    constexpr text_view unexpected_words() const {
        if (is(token_kind::command) && !is_relation()) return "this word does not fit here";
        return "this does not fit here; the equation should have ended";
    }

    constexpr left_side read_left() {
        left_side left;
        left.begin = begin_here();
        if (is_derivative()) {
            detail::buffer<ir::position> positions;
            left.name = read_derivative(positions);
            refuse_gathered(positions, left.begin);
            left.positions = store(positions);
            left.derivative = true;
        } else {
            if (!starts_name()) {
                if (is(token_kind::command)) unknown_command_or_misplaced();
                else
                    fail_here(mistake_kind::unexpected,
                              "an equation starts with the tensor it defines");
                return left;
            }
            detail::text_builder spelling;
            read_name(spelling);
            detail::buffer<ir::position> positions;
            if (!failed()) left.variance = read_scripts(positions, spelling);
            if (failed()) return left;
            if (is_symbol('(') && meaning_of(spelling, true).what != word_meaning::kind::unknown) {
                fail(mistake_kind::unexpected, left.begin, end_before(),
                     "this function is known already and cannot be defined");
                return left;
            }
            left.name = program_.intern_name(spelling);
            refuse_gathered(positions, left.begin);
            left.positions = store(positions);
            if (is_symbol('(') && positions.empty()) read_parameters(left);
        }
        left.end = end_before();
        return left;
    }
    constexpr void refuse_gathered(const detail::buffer<ir::position>& positions,
                                   std::int32_t begin) {
        if (has_gathered(positions))
            fail(mistake_kind::unexpected, begin, end_before(),
                 "on the left an index stands for each axis; add up by position on the right: "
                 "Y^{va} = \\sum_i [v = x_i] Z^{ia}");
    }
    constexpr void unknown_command_or_misplaced() {
        const nearest n = nearest_command(word());
        if (is_key(keyword::function))
            fail_here(mistake_kind::unexpected,
                      "this function is known already and cannot be defined");
        else if (n.distance == 0)
            fail_here(mistake_kind::unexpected, "an equation starts with the tensor it defines");
        else unknown_command();
    }
    constexpr void read_parameters(left_side& left) {
        advance();
        left.called = true;
        do {
            detail::text_builder spelling;
            read_name(spelling);
            if (failed()) return;
            left.arguments.push(program_.intern_name(spelling));
        } while (accept_symbol(','));
        expect_symbol(')');
    }

    /// The names in parentheses on the left are indices, where the right uses them so; the
    /// parameters of a scalar function, where they stand bare; otherwise tensors, for the reader.
    constexpr void define(const left_side& left, ref body, bool claim) {
        ir::range positions = left.positions;
        if (left.called) {
            detail::buffer<ir::position> indices;
            for (ref argument : left.arguments) {
                const ref index = program_.find_index(program_.name(argument));
                if (index == none || !occurs(body, index)) continue;
                indices.push(ir::index_position(index));
            }
            if (indices.size() == left.arguments.size()) {
                positions = store(indices);
                if (!claim) definitions_.push({left.name, {}, none});
            } else if (!claim && all_bare(left.arguments, body)) {
                definitions_.push({left.name, left.arguments, body});
                return;
            }
        }
        const ref name = raised_name(left, body);
        program_.equations.push({name, positions, body, claim, {left.begin, end_before()}});
    }
    /// `v^a = g^{ab} v_b`: the form with its indices on the other side is another tensor, v_upper
    /// here. Variance is dropped from the nodes on the way, since it means nothing more.
    constexpr ref raised_name(const left_side& left, ref body) {
        bool used = false,
             opposite = left.variance == upper_indices || left.variance == lower_indices;
        ir::for_each_node(program_, body, [&](ref n) {
            ir::node& x = program_.nodes[n];
            if (x.kind != op::tensor) return;
            if (x.name == left.name) {
                used = true;
                opposite = opposite && x.detail == (upper_indices | lower_indices) - left.variance;
            }
            x.detail = 0;
        });
        if (!used || !opposite) return left.name;
        detail::text_builder spelling;
        spelling << program_.name(left.name)
                 << (left.variance == upper_indices ? "_upper" : "_lower");
        return program_.intern_name(spelling);
    }
    constexpr bool occurs(ref body, ref index) const {
        bool found = false;
        ir::for_each_node(program_, body, [&](ref n) {
            ir::for_each_index(program_, program_.nodes[n].positions,
                               [&](ref i) { found = found || i == index; });
        });
        return found;
    }
    constexpr bool all_bare(const detail::buffer<ref>& arguments, ref body) const {
        for (ref argument : arguments) {
            bool bare = false;
            ir::for_each_node(program_, body, [&](ref n) {
                const ir::node& x = program_.nodes[n];
                bare =
                    bare || (x.kind == op::tensor && x.name == argument && x.positions.count == 0);
            });
            if (!bare) return false;
        }
        return true;
    }
};

}  // namespace ricci::notation
