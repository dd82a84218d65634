// Reading what stands above and below a name: index lists, and where a power or a transpose begins.
#pragma once

#include <cstdint>

#include <ricci/notation/positions.hpp>

namespace ricci::notation {

class script_parser : public position_parser {
public:
    using position_parser::position_parser;

protected:
    /// Sub- and superscripts after a name, in the order written; stops before a power.
    static constexpr std::uint8_t upper_indices = 1, lower_indices = 2;
    constexpr std::uint8_t read_scripts(detail::buffer<ir::position>& positions) {
        std::uint8_t variance = 0;
        while (!failed() && (is_symbol('^') || is_symbol('_'))) {
            if (is_symbol('^') && is_power()) break;
            if (is_symbol('^') && is_transpose()) {
                index_free();
                break;
            }
            variance |= is_symbol('^') ? upper_indices : lower_indices;
            const token* list = now_;
            advance();
            read_positions(positions);
            note_word(list);
        }
        return variance;
    }
    /// Remembers a subscript that reads like a word, for the sentence of a later mistake.
    constexpr void note_word(const token* list) {
        constexpr std::int32_t least = 4;
        if (failed() || now_ - list < least + 3) return;
        for (const token* t = list + 2; t < now_ - 1; ++t)
            if (t->kind != token_kind::letter || (t != list + 2 && t->spaced)) return;
        word_begin_ = list[2].begin;
        word_end_ = now_[-2].end;
    }
    /// A superscript of numbers, signs and fractions only.
    constexpr bool is_power() const {
        if (is(token_kind::number, 1)) return true;
        if (!is_symbol('{', 1)) return false;
        for (std::int32_t k = 2; !is_symbol('}', k); ++k)
            if (!is(token_kind::number, k) && !is_symbol('-', k) && !is_symbol('/', k) &&
                !is_symbol('+', k))
                return false;
        return true;
    }
    constexpr bool is_transpose() const {
        const auto transpose = [&](std::int32_t k) {
            return is_key(keyword::transpose, k) ||
                   (is(token_kind::letter, k) && text_of(peek(k)) == "T");
        };
        return transpose(1) || (is_symbol('{', 1) && transpose(2) && is_symbol('}', 3));
    }
    constexpr void index_free() {
        fail(mistake_kind::index_free, begin_here(), peek(1).end,
             "matrix notation has no indices; write them, for example Q^{ia} K^{ja} for Q K^T");
    }

    /// \frac{\partial L}{\partial W^{ij}}: the tensor dL/dW at the positions above and below.
    constexpr ir::equation read_derivative() {
        ir::equation left{none, {}, none, true, {}};
        advance();  // \frac
        advance();  // {
        advance();  // \partial
        detail::text_builder of;
        detail::buffer<ir::position> positions;
        read_name(of);
        if (!failed()) read_scripts(positions);
        const std::int32_t numerator_rank = positions.size();
        if (failed() || !expect_symbol('}') || !expect_symbol('{')) return left;
        if (!accept_key(keyword::partial)) {
            fail_here(mistake_kind::unexpected,
                      "a derivative is by something: \\partial and a tensor");
            return left;
        }
        detail::text_builder by;
        read_name(by);
        if (!failed()) read_scripts(positions);
        if (failed() || !expect_symbol('}')) return left;
        detail::text_builder spelling;
        spelling << 'd' << of.view() << "/d" << by.view();
        left.name = program_.intern_name(spelling, ir::name_kind::cotangent,
                                         program_.intern_name(by), numerator_rank);
        left.positions = store(positions);
        return left;
    }

    std::int32_t word_begin_ = 0;  // the last subscript that reads like a word
    std::int32_t word_end_ = 0;
};

}  // namespace ricci::notation
