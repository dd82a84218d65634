// ^{-1} and indices: (K^{-1})^{ij} is the inverse of a matrix; what can be the reciprocal of an
// element, the inverse or a place is refused; and the indices of functions of matrices.
#pragma once

#include <cstdint>

#include <ricci/ir/rewrite.hpp>
#include <ricci/notation/positions.hpp>

namespace ricci::notation {

class inverse_parser : public position_parser {
public:
    using position_parser::position_parser;

    /// Where each (K^{-1})^{ij} begins. Its indices have the heights that were written, those of
    /// the inverse.
    constexpr const detail::buffer<std::int32_t>& inverses() const { return inverses_; }

protected:
    /// Whether these are the indices of a matrix: two, of different letters.
    constexpr bool are_of_matrix(const detail::buffer<ref>& over, text_view name,
                                 std::int32_t begin) {
        if (over.size() == 2 && over[0] != over[1]) return true;
        detail::text_builder sentence;
        sentence << name
                 << " takes two different indices, those of its matrix's rows and columns: " << name
                 << "_{ij}";
        fail(mistake_kind::unexpected, begin, end_before(), sentence);
        return false;
    }
    /// (A^2)^{ij}, where i and j are indices of the statement.
    constexpr bool is_power_of_matrix(ref base, ref exponent) const {
        const ir::node &x = program_.nodes[base], &y = program_.nodes[exponent];
        if (x.kind != ir::op::power || y.kind != ir::op::tensor || y.positions.count > 0)
            return false;
        const ir::node& of = program_.nodes[program_.links[x.children.first]];
        const text_view letters = program_.name(y.name);
        bool indices = letters.size == 2 && of.kind == ir::op::tensor && of.positions.count == 0;
        for (std::int32_t k = 0; indices && k < 2; ++k)
            indices = survey_.is_index_in(now_, letters.slice(k, k + 1));
        return indices;
    }
    constexpr ref refuse_power_of_matrix(ref base, std::int32_t begin) {
        const ir::node& x = program_.nodes[base];
        const text_view a = program_.name(program_.nodes[program_.links[x.children.first]].name);
        detail::text_builder s;
        s << "a power of a matrix is written as products, " << a << "^{ik} " << a
          << "^{kj}; for a power of numbers put a sign between the letters, as in (" << a
          << "^2)^{i \\cdot j}";
        return refuse(mistake_kind::index_free, begin, end_before(), s);
    }
    constexpr bool is_reciprocal(const ir::node& exponent) const {
        return exponent.kind == ir::op::number && exponent.value == -1;
    }
    /// Whether `{-1` stands `ahead` of here.
    constexpr bool is_minus_one(std::int32_t ahead) const {
        return is_symbol('-', ahead) && is(token_kind::number, ahead + 1) &&
               text_of(peek(ahead + 1)) == "1";
    }
    /// Indices of which an element's -1 is in doubt: two, or one above.
    static constexpr bool is_element(const ir::position* at, std::int32_t count) {
        bool above = count > 1;
        for (std::int32_t k = 0; k < count; ++k) above = above || at[k].upper;
        return above;
    }
    constexpr bool is_element(ref n) const {
        const ir::node& x = program_.nodes[n];
        return x.kind == ir::op::tensor &&
               is_element(program_.positions.data() + x.positions.first, x.positions.count);
    }
    /// The first token of the name whose scripts begin at `t`.
    constexpr const token* begin_of_name(const token* t) const {
        const auto symbol = [&](const token* k, char c) {
            return k->kind == token_kind::symbol && k->code == static_cast<unsigned char>(c);
        };
        const token* first = tokens_.data();
        while (t > first && symbol(t - 1, '\'')) --t;
        if (t > first && symbol(t - 1, '}')) {  // of \text{Out}, \hat{K} or a label
            for (std::int32_t level = 0; t > first;) {
                --t;
                if (symbol(t, '}')) ++level;
                if (symbol(t, '{') && --level == 0) break;
            }
        } else {
            for (--t; t > first && !t->spaced && t->kind == token_kind::letter &&
                      t[-1].kind == token_kind::letter;)
                --t;
        }
        if (t > first && symbol(t - 1, '_')) return begin_of_name(t - 1);
        if (symbol(t, '{') && t > first) --t;
        return t;
    }

    /// K_{ij}^{-1}, K^{-1ij} or K^{ij\,-1}: a script with -1 at the cursor. `before`: the indices
    /// in front of it; `scripts`: where those begin. False where it means one thing.
    constexpr bool refuse_inverse_script(const token* scripts, const ir::position* before,
                                         std::int32_t count) {
        if (!is_symbol('^') || !(is_symbol('{', 1) || is_symbol('<', 1))) return false;
        const token* name = begin_of_name(scripts);
        const text_view spelled = text_.slice(name->begin, scripts[-1].end);
        const token* end = survey_.behind_list(now_ + 1);
        detail::text_builder scripted;
        bool place = false;
        if (is_minus_one(2) && now_ + 5 == end) {
            if (!is_element(before, count)) return false;
            scripted << text_.slice(scripts->begin, end_before());
        } else if (is_minus_one(2) && starts_index(4)) {
            scripted << "^{" << text_.slice(peek(4).begin, end[-1].begin) << '}';
        } else {
            std::int32_t k = 2, letters = 0;
            for (; starts_index(k) || is_symbol('\'', k); ++k) letters += !is_symbol('\'', k);
            if (letters == 0 || !is_minus_one(k) || now_ + k + 3 != end) return false;
            const std::int32_t last = peek(k - 1).end;
            bool apart = false;  // by \,
            for (const char c : text_.slice(last, peek(k).begin)) apart = apart || c == '\\';
            if (letters == 1 && !apart) return false;
            scripted << "^{" << text_.slice(peek(2).begin, last) << '}';
            place = true;
        }
        detail::text_builder s;
        s << "this -1 can be the reciprocal of each element and the inverse matrix";
        if (place) s << ", and part of a place";
        s << "; write \\frac{1}{" << spelled << scripted << "} for the first";
        if (place) {
            s << ", " << spelled << "^{";
            std::int32_t k = 2;
            for (; !is_minus_one(k); ++k)
                s << (k > 2 && starts_index(k) ? "," : "") << text_of(peek(k));
            s << "-1} for the last";
        }
        say_inverse(spelled, scripted, s);
        fail(mistake_kind::unexpected, name->begin, end[-1].end, s);
        return true;
    }
    static constexpr void say_inverse(text_view name, text_view scripts, detail::text_builder& s) {
        s << ", or (" << name << "^{-1})" << scripts << " for the inverse matrix";
    }
    /// {K_{ij}}^{-1}, which prints as K_{ij}^{-1}; the element stands in [begin, end).
    constexpr void refuse_braced_reciprocal(std::int32_t outside, std::int32_t begin,
                                            std::int32_t end) {
        detail::text_builder s;
        s << "this -1 can be the reciprocal of each element and the inverse matrix; write "
             "\\frac{1}{"
          << text_.slice(begin, end)
          << "} for the first, or (K^{-1})_{ij} for the second, with K for the matrix and ij for "
             "its indices";
        fail(mistake_kind::unexpected, outside, end_before(), s);
    }
    /// Whether K^{-1} in parentheses, and scripts behind them, begin at a name's scripts.
    constexpr bool is_inverse_of_name(const token* scripts) const {
        const token* name = begin_of_name(scripts);
        return name > tokens_.data() && name[-1].kind == token_kind::symbol &&
               name[-1].code == '(' && is_symbol('^') && is_symbol('{', 1) && is_minus_one(2) &&
               is_symbol('}', 4) && is_symbol(')', 5) && (is_symbol('^', 6) || is_symbol('_', 6));
    }
    /// Whether (K^{-1}) has just been read, from `first` on, and scripts follow that make an
    /// element of it: several places, where K stands nowhere without any.
    constexpr bool begins_inverse(const token* first, ref base) {
        if (!is_symbol('^') && !is_symbol('_')) return false;
        if (first->kind != token_kind::symbol || (first->code != '(' && first->code != '{'))
            return false;
        const ir::node& x = program_.nodes[base];
        if (x.kind != ir::op::power || !is_reciprocal(program_.nodes[child(x, 1)])) return false;
        const ir::node& matrix = program_.nodes[child(x, 0)];
        if (matrix.kind != ir::op::tensor || matrix.positions.count != 0) return false;
        if (is_symbol('_')) return true;
        const token* end = survey_.behind_list(now_ + 1);
        const list_shape shape = survey_.shape_at(now_ + 1);
        const bool below = end->kind == token_kind::symbol && end->code == '_';
        return shape.known && shape.letters && (shape.entries > 1 || below) &&
               !survey_.stands_bare(program_.name(matrix.name));
    }
    /// K^{-1}_{ij}: `base` is K^{-1}, and scripts follow.
    constexpr void refuse_inverse_or_reciprocal(const token* first, ref base) {
        const token* scripts = now_;
        const token* end = survey_.behind_list(now_ + 1);
        while (end->kind == token_kind::symbol && (end->code == '_' || end->code == '^'))
            end = survey_.behind_list(end + 1);
        const ir::node& matrix = program_.nodes[child(program_.nodes[base], 0)];
        const text_view name = text_.slice(matrix.source.begin, matrix.source.end);
        const text_view indices = text_.slice(scripts->begin, end[-1].end);
        detail::text_builder s;
        s << "this -1 can be the reciprocal of each element and the inverse matrix; write "
             "\\frac{1}{"
          << name << indices << "} for the first";
        say_inverse(name, indices, s);
        fail(mistake_kind::unexpected, first->begin, end[-1].end, s);
    }
    /// The inverse of a matrix at two indices, as K^{-1} writes it.
    constexpr ref inverse_at(ref name, ir::position row, ir::position column,
                             ir::source_span source) {
        const ir::position written = column;
        if (row.index == column.index) {  // an index of its own, and equal
            detail::text_builder spelling;
            spelling << program_.index(row.index) << "'";
            while (program_.find_index(spelling) != none) spelling << "'";
            column.index = program_.intern_index(spelling);
        }
        const ir::range at{program_.positions.size(), 2};
        program_.positions.push(column);
        program_.positions.push(row);
        const ref inverse = ir::inverse_of(program_, program_.tensor(name, at, source),
                                           column.index, row.index, source);
        inverses_.push(source.begin);
        if (column.index == written.index) return inverse;
        // the sum over the new index is written, so that what is implied is what the author wrote
        ir::node delta = ir::blank_node(ir::op::delta, source);
        delta.positions = {program_.positions.size(), 2};
        program_.positions.push(written);
        program_.positions.push(column);
        const ref element =
            program_.make(ir::op::multiply, inverse, program_.nodes.push(delta), source);
        return program_.reduce(ir::reduction::sum, program_.add_links(&column.index, 1), element,
                               source);
    }

private:
    detail::buffer<std::int32_t> inverses_;

    constexpr ref child(const ir::node& x, std::int32_t k) const {
        return program_.links[x.children.first + k];
    }
};

}  // namespace ricci::notation
