// Reading statements: what an equation defines, chains of claims, functions of the user's own.
#pragma once

#include <cstdint>

#include <ricci/notation/axes.hpp>
#include <ricci/notation/calls.hpp>
#include <ricci/notation/expression.hpp>

namespace ricci::notation {

class statement_parser : public expression_parser {
public:
    using expression_parser::expression_parser;

    constexpr void run() {
        find_styled_names();
        while (!failed() && !is(token_kind::end)) {
            if (is(token_kind::separator)) {
                advance();
                continue;
            }
            if (is_axis()) {
                read_axis();
            } else {
                statement_begin_ = begin_here();
                read_statement();
            }
            statement_end_ = end_before();
        }
        if (!failed() && program_.equations.empty())
            fail(mistake_kind::unexpected, 0, text_.size, "there is no equation in this text");
    }
    /// The last list of indices that reads like a word, which may have been meant as a label.
    constexpr text_view word_like() const { return text_.slice(word_begin_, word_end_); }
    constexpr ir::program&& take() { return static_cast<ir::program&&>(program_); }
    /// The statements whose left sides have parentheses.
    constexpr detail::buffer<styled_definition>& definitions() { return definitions_; }
    /// The names with indices above and below.
    constexpr const detail::buffer<script_order>& orders() const { return orders_; }
    /// The axes that the text says of its indices.
    constexpr const detail::buffer<axis_statement>& axes() const { return axes_; }
    /// Where the equations behind \Leftrightarrow begin in the text.
    constexpr const detail::buffer<std::int32_t>& beside() const { return beside_; }

private:
    struct left_side {
        ref name = none;
        ir::range positions = {};
        detail::buffer<ref> arguments;  // names in parentheses, as written
        detail::buffer<ref> over;       // indices, of \operatorname{LN}_a(x)
        bool called = false;
        bool derivative = false;
        std::int32_t begin = 0;
        std::int32_t end = 0;
    };

    /// Whether a letter begins here, with \in \operatorname behind it.
    constexpr bool is_axis() const {
        for (const token* t = now_; t < last_ && t->kind != token_kind::separator; ++t) {
            if (t->kind == token_kind::command && text_of(*t) == "\\in")
                return t > now_ && text_of(t[1]) == "\\operatorname";
            const bool dash = t->kind == token_kind::symbol && (t->code == '\'' || t->code == '^' ||
                                                                t->code == '{' || t->code == '}');
            if (t->kind == token_kind::symbol ? !dash : t->kind == token_kind::number) return false;
        }
        return false;
    }
    /// i \in \operatorname{axis}_0(v)
    constexpr void read_axis() {
        const std::int32_t begin = begin_here();
        if (statement_end_ == 0 || !is_behind(text_.slice(statement_end_, begin)))
            statement_begin_ = none;
        const std::int32_t from = statement_begin_ == none ? 0 : statement_begin_,
                           to = statement_begin_ == none ? text_.size : begin;
        detail::text_builder spelling;
        spelling << text_of(peek());
        advance();
        if (is(token_kind::letter) && !peek().spaced)
            for (; is(token_kind::letter); advance()) spelling << text_of(peek());
        else if (is_symbol('\'') || is_symbol('^')) read_primes(spelling);
        detail::text_builder called;
        advance();  // \in
        if (!failed() && word() == "operatorname") advance(), read_wrapped(called);
        if (failed()) return;
        if (called.view() != "axis" || !accept_symbol('_'))
            return fail(mistake_kind::unexpected, begin, end_before(),
                        "an index runs over an axis of a tensor, whose number counts from 0: "
                        "i \\in \\operatorname{axis}_0(v)");
        const bool braces = accept_symbol('{');
        ir::axis along{none, 0};
        if (!is(token_kind::number) || text_of(peek()).size > 2)
            return fail_here(mistake_kind::unexpected, "an axis is a number from 0");
        for (const char c : text_of(peek())) along.number = 10 * along.number + (c - '0');
        advance();
        if (braces && !expect_symbol('}')) return;
        if (!expect_symbol('(')) return;
        along.tensor = read_bare_tensor();
        if (failed() || !expect_symbol(')')) return;
        axes_.push({program_.add_text(spelling), along, from, to, {begin, end_before()}});
        if (!is(token_kind::separator)) unexpected_here();
    }
    /// A tensor or a derivative, whose indices say nothing here.
    constexpr ref read_bare_tensor() {
        detail::buffer<ir::position> positions;
        if (is_derivative()) return read_derivative(positions);
        detail::text_builder spelling;
        read_name(spelling);
        return failed() ? none : intern_name(spelling);
    }
    /// A name may be called in a line above the one that defines it.
    constexpr void find_styled_names() {
        const token* start = now_;
        for (const token* t = now_; t < last_; ++t) {
            const bool begins = t == start || t[-1].kind == token_kind::separator ||
                                (t[-1].kind == token_kind::command &&
                                 static_cast<keyword>(t[-1].code) == keyword::equivalent);
            if (!begins || !t->starts_name || !has_parameters(t)) continue;
            now_ = t;
            detail::text_builder spelling;
            read_name(spelling);
            if (!failed() && begins_call()) styled_.push(intern_name(spelling));
        }
        now_ = start;
    }
    /// Whether a parenthesis stands on the left side that begins here.
    constexpr bool has_parameters(const token* t) const {
        for (; t < last_ && t->kind != token_kind::separator; ++t) {
            if (t->kind == token_kind::command && static_cast<keyword>(t->code) == keyword::defines)
                return false;
            if (t->kind != token_kind::symbol) continue;
            if (t->code == '=') return false;
            if (t->code == '(') return true;
        }
        return false;
    }
    /// `beside`: it stands behind \Leftrightarrow.
    constexpr void read_statement(bool beside = false) {
        parameters_.clear();
        const left_side left = read_left();
        if (failed()) return;
        if (!beside && is(token_kind::separator)) return keep(left);
        const std::int32_t first_equation = program_.equations.size();
        if (writes_twice(left.positions)) {
            fail(mistake_kind::index_repeated, left.begin, left.end,
                 "two places of these indices are one element on the left; sum on the right "
                 "instead, with an index of its own");
            return;
        }
        if (is(token_kind::command) && !refusal_of(word()).empty()) return unknown_command();
        const bool defines = !beside && accept_key(keyword::defines);
        if (!defines && is_key(keyword::defines)) return unexpected_here();
        if (!defines && !is_symbol('=')) {
            fail_here(mistake_kind::unexpected,
                      "an equation is written name = expression; expected = here");
            return;
        }
        bool claim = left.derivative && !defines;
        for (bool more = defines || accept_symbol('='); more; more = accept_symbol('=')) {
            const ref body = read_expression();
            if (failed()) return;
            program_.equations.push(
                {left.name, left.positions, body, claim, {left.begin, end_before()}});
            claim = true;
        }
        if (left.called) note_definition(left, first_equation);
        if (accept_key(keyword::equivalent)) {
            const std::int32_t first = program_.equations.size();
            beside_.push(begin_here());
            read_statement(true);
            for (std::int32_t e = first; e < program_.equations.size(); ++e)
                program_.equations[e].claim = true;
            return;
        }
        if (!failed() && !is(token_kind::separator)) unexpected_here();
    }
    /// A line of a name with its indices makes an output of it. Until all lines are read it is the
    /// claim that the tensor is itself, which has the name and the place of any other use.
    constexpr void keep(const left_side& left) {
        bool whole = !left.called && left.over.empty();
        for (std::int32_t k = 0; k < left.positions.count; ++k) {
            const ir::position& q = program_.positions[left.positions.first + k];
            whole = whole &&
                    (q.kind == ir::position_kind::index || q.kind == ir::position_kind::merged);
        }
        if (!whole)
            return fail(mistake_kind::unexpected, left.begin, left.end,
                        "a line without = keeps a tensor as an output, which is its name with a "
                        "letter for each index: A^{ij}; an equation is written name = expression");
        const ref itself = program_.tensor(left.name, left.positions, {left.begin, left.end});
        program_.equations.push({left.name, left.positions, itself, true, {left.begin, left.end}});
    }
    /// i+k on the left: one element for several pairs of i and k.
    constexpr bool writes_twice(ir::range at) const {
        for (std::int32_t k = 0; k < at.count; ++k) {
            const ir::position& q = program_.positions[at.first + k];
            if (q.kind == ir::position_kind::affine && q.terms.count > 1) return true;
        }
        return false;
    }
    constexpr void unexpected_here() {
        detail::text_builder sentence;
        if (is_comparison()) write_place(text_of(peek()), keyword::less, sentence);
        else if (is_known_word()) write_place(text_of(peek()), key(), sentence);
        else sentence << "this does not fit here; the equation should have ended";
        fail_here(mistake_kind::unexpected, sentence);
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
            const bool in_words = is_key(keyword::wrapper);
            const text_view wrapped = is_imaginary_unit() ? "i" : in_words ? word() : text_view();
            detail::text_builder spelling;
            read_name(spelling);
            detail::buffer<ir::position> positions;
            if (!failed() && begins_call() &&
                meaning_of(spelling, true).kind != word_kind::unknown) {
                fail(mistake_kind::unexpected, left.begin, end_before(),
                     "this function is known already and cannot be defined");
                return left;
            }
            if (!failed()) refuse_known_name(spelling, wrapped, left.begin);
            if (failed()) return left;
            const bool over = !failed() && in_words && is_symbol('_') && begins_call();
            if (over && accept_symbol('_')) read_index_list(left.over);
            if (!failed() && !over) read_scripts(positions, spelling);
            if (failed()) return left;
            left.name = intern_name(spelling);
            refuse_gathered(positions, left.begin);
            left.positions = store(positions);
            if (is_symbol('(')) read_parameters(left);
        }
        left.end = end_before();
        return left;
    }
    /// The name that a left side defines may not mean something else on the right.
    constexpr void refuse_known_name(text_view name, text_view wrapped, std::int32_t begin) {
        const bool bare = !is_symbol('_') && !is_symbol('^') && !is_symbol('(');
        if (meaning_of(name, false).kind == word_kind::function) function_as_tensor(name, begin);
        else if (bare && name == "\\pi")
            fail(mistake_kind::unexpected, begin, end_before(),
                 "\\pi without indices is the number; give the tensor another name");
        else if (wrapped == "operatorname" && !begins_call())
            fail(mistake_kind::unexpected, begin, end_before(),
                 "\\operatorname is for functions; write \\text{...} for the name of a tensor");
        else if (wrapped == "i")
            fail(mistake_kind::unexpected, begin, end_before(),
                 "\\mathrm{i} is the imaginary unit; write \\text{i} for a tensor of this name");
    }
    constexpr void refuse_gathered(const detail::buffer<ir::position>& positions,
                                   std::int32_t begin) {
        if (has_gathered(positions))
            fail(mistake_kind::unexpected, begin, end_before(),
                 "on the left an index stands for each axis; add up by position on the right: "
                 "Y^{va} = \\sum_i [v = x_i] Z^{ia}");
    }
    constexpr void unknown_command_or_misplaced() {
        if (is_key(keyword::function))
            fail_here(mistake_kind::unexpected,
                      "this function is known already and cannot be defined");
        else if (is_known_word())
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
            left.arguments.push(intern_name(spelling));
            parameters_.push(left.arguments.back());
        } while (accept_symbol(','));
        expect_symbol(')');
    }

    constexpr void note_definition(const left_side& left, std::int32_t first) {
        const ir::range parameters = program_.add_links(left.arguments);
        const ir::range over = program_.add_links(left.over);
        definitions_.push({definition_kind::undecided,
                           left.name,
                           parameters,
                           over,
                           first,
                           program_.equations.size() - first,
                           program_.equations[first].body,
                           {left.begin, left.end}});
    }

    detail::buffer<styled_definition> definitions_;
    detail::buffer<std::int32_t> beside_;
    detail::buffer<axis_statement> axes_;
    std::int32_t statement_begin_ = none;  // that an axis behind it is said of; none: all
    std::int32_t statement_end_ = 0;
};

}  // namespace ricci::notation
