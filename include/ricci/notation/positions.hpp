// Reading the index lists of a tensor: ^{hia}, _{ab}, ^<hia>, primes, fixed digits, (ha), i-j.
#pragma once

#include <cstdint>

#include <ricci/detail/spelling_table.hpp>
#include <ricci/notation/cursor.hpp>

namespace ricci::notation {

/// What an affine position says of places outside its axis. Stands in its `index`, which it has no
/// other use for, until the resolver writes the position out as a sum over the axis.
namespace outside {
inline constexpr ref clamped = -2;  // the nearest end
inline constexpr ref wrapped = -3;  // from the other end
inline constexpr ref padded = -4;   // 0
// Nothing is outside: conditions around the place exclude it, or the call is refused.
inline constexpr ref excluded = -5;
}  // namespace outside

class position_parser : public cursor {
public:
    using cursor::cursor;

protected:
    /// The number of a tensor's name.
    constexpr ref intern_name(text_view spelling) {
        const std::int32_t count = program_.names.size();
        if (count <= detail::spelling_table::few) return program_.intern_name(spelling);
        const ref found = names_.find(spelling, count, [&](ref k) { return program_.name(k); });
        return found != none
                   ? found
                   : program_.names.push({program_.add_text(spelling), ir::name_kind::plain, none,
                                          false, false, 0, none, false});
    }
    constexpr bool starts_index(std::int32_t ahead = 0) const {
        return is(token_kind::letter, ahead) || is_key(keyword::greek, ahead);
    }

    /// One index: a Latin or Greek letter with its primes.
    constexpr ref read_index() {
        if (!starts_index()) {
            if (is(token_kind::command)) unknown_command();
            else fail_here(mistake_kind::unexpected, "expected an index here");
            return none;
        }
        const text_view letter = text_of(peek());
        advance();
        if (!is_symbol('\'') && !is_symbol('^')) return program_.intern_index(letter);
        detail::text_builder spelling;
        spelling << letter;
        read_primes(spelling);
        return program_.intern_index(spelling);
    }
    /// The indices that a sum or a reduction runs over: one, or several in braces.
    constexpr void read_index_list(detail::buffer<ref>& over) {
        const bool braces = accept_symbol('{');
        do {
            over.push(braces && starts_word() ? read_word() : read_index());
            accept_symbol(',');
        } while (braces && !failed() && !is_symbol('}'));
        if (braces && !failed()) expect_symbol('}');
    }
    /// Whether several letters begin here, up to a comma or the list's end, that are one index: a
    /// list in parentheses of the same statement has them so, as in PE_{(pos, 2i)}.
    constexpr bool starts_word() const {
        if (!is(token_kind::letter) || !is(token_kind::letter, 1) || peek(1).spaced) return false;
        const token* end = behind_word(now_);
        if (!is_symbol(end, ',') && !is_symbol(end, '}')) return false;
        const text_view word = text_.slice(now_->begin, end[-1].end);
        const token* t = now_;
        while (t > tokens_.data() && t[-1].kind != token_kind::separator) --t;
        for (; t->kind != token_kind::end && t->kind != token_kind::separator; ++t) {
            if (t->kind != token_kind::letter || t == tokens_.data()) continue;
            const token* behind = behind_word(t);
            const bool listed =
                (is_symbol(t - 1, '(') && is_symbol(behind, ',')) ||
                (is_symbol(t - 1, ',') && (is_symbol(behind, ',') || is_symbol(behind, ')')));
            if (listed && text_.slice(t->begin, behind[-1].end) == word) return true;
        }
        return false;
    }
    static constexpr bool is_symbol(const token* t, char c) {
        return t->kind == token_kind::symbol && t->code == static_cast<unsigned char>(c);
    }
    using cursor::is_symbol;
    /// Behind the letters of a word and its primes.
    constexpr const token* behind_word(const token* t) const {
        do ++t;
        while (t->kind == token_kind::letter && !t->spaced);
        while (is_symbol(t, '\'')) ++t;
        return t;
    }
    constexpr ref read_word() {
        detail::text_builder letters;
        read_bare_name(letters);
        return failed() ? none : program_.intern_index(letters);
    }
    constexpr void read_primes(detail::text_builder& spelling) {
        while (true) {
            if (accept_symbol('\'')) {
                spelling << '\'';
            } else if (is_symbol('^') && is_key(keyword::prime, 1)) {
                advance();
                advance();
                spelling << '\'';
            } else if (is_symbol('^') && is_symbol('{', 1) && is_key(keyword::prime, 2)) {
                advance();
                advance();
                while (accept_key(keyword::prime)) spelling << '\'';
                if (!expect_symbol('}')) return;
            } else {
                return;
            }
        }
    }

    /// The list after `^` or `_`: one token, {...} or <...>. Appends to `out`.
    constexpr void read_positions(detail::buffer<ir::position>& out) {
        if (accept_symbol('{')) {
            read_list('}', out);
        } else if (accept_symbol('<')) {
            read_list('>', out);
        } else if (is(token_kind::number)) {
            if (peek().end - peek().begin > 1) return refuse_long_script(peek());
            read_fixed(out);
        } else if (is_symbol('*')) {
            fail_here(mistake_kind::unexpected, conjugate_words);
        } else {
            read_plain(out);
        }
    }
    constexpr void read_list(char closer, detail::buffer<ir::position>& out) {
        const std::int32_t begin = begin_here();
        const bool arithmetic = has_sign(closer);
        while (!is_symbol(closer) && !failed()) {
            if (const text_view words = words_in_list(); !words.empty())
                return fail_here(mistake_kind::unexpected, words);
            if (is(token_kind::end) || is(token_kind::separator)) {
                detail::text_builder sentence;
                sentence << "this index list is not closed; close it with " << closer;
                return fail(mistake_kind::unbalanced, begin, begin + 1, sentence);
            }
            if (starts_gather()) read_gathered(out);
            else if (is_key(keyword::wrapper)) read_bounded(out);
            else if (is_symbol('(') && has_comma()) read_tuple(out);
            else if (arithmetic && is_affine(closer)) read_affine(out);
            else if (accept_symbol('(')) read_merged(out);
            else if (is(token_kind::number) && multiplies(begin)) read_affine(out);
            else if (is(token_kind::number)) read_fixed(out);
            else read_plain(out);
            accept_symbol(',');
        }
        if (begin_here() == begin && !failed())
            fail_here(mistake_kind::unexpected,
                      "an index list cannot be empty; leave it out for a scalar");
        if (!failed()) expect_symbol(closer);
    }
    /// What is said of a sign that has no place in an index list; empty where one goes on.
    constexpr text_view words_in_list() const {
        if (is_key(keyword::left_floor) || is_key(keyword::left_ceil) || is_symbol('|') ||
            is_key(keyword::modulo))
            return "a place is a sum of indices and whole numbers; a number that is computed "
                   "stands "
                   "in brackets and picks the place by a sum: \\sum_p [p = \\lfloor \\frac{i}{2} "
                   "\\rfloor] x^p, \\sum_p [p = (i \\bmod 4)] x^p";
        if (is_symbol('['))
            return "brackets hold a condition, and no list of indices; an antisymmetric part is "
                   "written out: \\frac{1}{2} (A_{ab} - A_{ba})";
        if (is_symbol('*')) return conjugate_words;
        return {};
    }
    static constexpr text_view conjugate_words =
        "a star is no index; write \\operatorname{conj}(A_{ij}) for the conjugate";
    /// Whether the number at the cursor multiplies the index behind it, as in x^{2i}: one of 2 or
    /// more at the list's beginning, which is at `begin`, or behind a comma. Not where the name has
    /// more indices elsewhere, so that the number is a place.
    constexpr bool multiplies(std::int32_t begin) {
        const text_view digits = text_of(peek());
        const bool fresh = begin_here() == begin || is_symbol(',', -1);
        if (!fresh || !starts_index(1) || (digits.size == 1 && digits[0] < '2')) return false;
        const name_facts* facts = scripts_ == nullptr ? nullptr : survey_.find(name_in_hand_);
        if (facts == nullptr) return true;
        std::int32_t fewer = 0, more = 0;  // the name's rank if the number multiplies, and if not
        for (const token* t = scripts_; is_script(*t); t = survey_.behind_list(t + 1)) {
            const list_shape shape = survey_.shape_at(t + 1);
            fewer += shape.entries;
            more += shape.entries + shape.multiplied;
        }
        const auto seen = [&](std::int32_t rank) {
            return rank < 32 && (facts->ranks >> rank & 1) != 0;
        };
        if (seen(fewer) && seen(more)) {
            detail::text_builder s;
            s << name_in_hand_ << " has " << fewer << " and " << more
              << " indices elsewhere, so that this can be read in two ways; write " << digits << ','
              << text_of(peek(1)) << " for a place and an index, " << digits << text_of(peek(1))
              << "+0 for a multiple of the index";
            fail(mistake_kind::rank, begin_here(), peek(1).end, s);
        }
        return seen(fewer) || !seen(more);
    }
    constexpr void read_plain(detail::buffer<ir::position>& out) {
        const ref index = read_index();
        if (!failed()) out.push(ir::index_position(index));
    }
    /// Whether a tensor with indices of its own stands here, whose values are the places: x_i.
    constexpr bool starts_gather() const {
        std::int32_t k = 1;
        if (is_key(keyword::wrapper) || is_key(keyword::accent)) {
            while (!is_symbol('}', k) && !is(token_kind::end, k) && !is(token_kind::separator, k))
                ++k;
            ++k;
        } else if (!starts_index()) {
            return false;
        }
        while (is_symbol('\'', k)) ++k;
        return is_symbol('_', k) || (is_symbol('^', k) && !is_key(keyword::prime, k + 1) &&
                                     !(is_symbol('{', k + 1) && is_key(keyword::prime, k + 2)));
    }
    /// E^{x_i a}: the row of E that x says. The tensor stands in the position's `index` until there
    /// is a node to hold it.
    constexpr void read_gathered(detail::buffer<ir::position>& out) {
        const std::int32_t begin = begin_here();
        if (!enter()) return;
        detail::text_builder name;
        if (is(token_kind::letter)) {  // one letter: the next one is the next index
            name << text_of(peek());
            advance();
            for (; accept_symbol('\'');) name << '\'';
        } else {
            read_base_name(name);
        }
        bool dimension = false;  // n_b, a number's name as d_k is
        if (!failed() && is_symbol('_') && label_follows(name)) {
            dimension = !label_follows(name, false);
            read_label(name);
        }
        detail::buffer<ir::position> positions;
        const token* outer = scripts_;
        scripts_ = nullptr;
        while (!failed() && (is_symbol('_') || is_symbol('^'))) {
            const bool above = is_symbol('^');
            const std::int32_t before = positions.size();
            advance();
            read_positions(positions);
            for (std::int32_t k = before; k < positions.size(); ++k) positions[k].upper = above;
        }
        scripts_ = outer;
        --depth_;
        if (!failed() && positions.empty())
            fail(mistake_kind::unexpected, begin, end_before(),
                 dimension ? "d_k and n_b are names of numbers; for the tensor n at the index b "
                             "write n^b, as in E^{n^b a}"
                           : "a tensor whose values are positions needs indices of its own: "
                             "E^{x_i a}");
        if (failed()) return;
        ir::position at = ir::gathered_position(0);
        at.index = use_of(intern_name(name), positions, {begin, end_before()});
        out.push(at);
    }
    /// A use of a tensor, with the tensors of gathered positions as its children.
    constexpr ref use_of(ref name, detail::buffer<ir::position>& positions,
                         ir::source_span source) {
        detail::buffer<ref> numbers;
        for (ir::position& q : positions) {
            if (q.kind != ir::position_kind::gathered) continue;
            numbers.push(q.index);
            const bool above = q.upper;
            q = ir::gathered_position(numbers.size() - 1);
            q.upper = above;
        }
        return program_.gather(name, store(positions), numbers, source);
    }
    constexpr bool has_gathered(const detail::buffer<ir::position>& positions) const {
        for (const ir::position& q : positions)
            if (q.kind == ir::position_kind::gathered) return true;
        return false;
    }
    constexpr void read_fixed(detail::buffer<ir::position>& out) {
        const std::int32_t place = read_integer();
        if (!failed()) out.push(ir::fixed_position(place));
    }
    constexpr std::int32_t read_integer() {
        const text_view digits = text_of(peek());
        std::int32_t value = 0;
        for (char c : digits) {
            if (!is_digit(c) || value > 100'000'000) {
                fail_here(mistake_kind::unexpected, "a position is a whole number");
                return 0;
            }
            value = 10 * value + (c - '0');
        }
        advance();
        return value;
    }
    /// Whether there is arithmetic before the list's end, which the closer of a tensor's own list,
    /// E^{x_{bi} (a+1)}, is not.
    constexpr bool has_sign(char closer) const {
        std::int32_t depth = 0;
        for (const token* t = now_; t->kind != token_kind::end && t->kind != token_kind::separator;
             ++t) {
            if (t->kind != token_kind::symbol) continue;
            if (depth == 0 && t->code == static_cast<unsigned char>(closer)) return false;
            if (t->code == '{') ++depth;
            if (t->code == '}') --depth;
            if (t->code == '+' || t->code == '-') return true;
        }
        return false;
    }
    /// Whether the entry at the cursor, up to a comma or the list's end, is arithmetic.
    constexpr bool is_affine(char closer) const {
        for (std::int32_t k = 0;; ++k) {
            if (is_symbol('+', k) || is_symbol('-', k)) return true;
            if (is_symbol(closer, k) || is_symbol(',', k) || is_symbol('(', k) ||
                is(token_kind::end, k) || is(token_kind::separator, k))
                return is_symbol('(', k) && k == 0 && merged_is_affine();
        }
    }
    constexpr bool merged_is_affine() const {
        for (std::int32_t k = 1;; ++k) {
            if (is_symbol('+', k) || is_symbol('-', k)) return true;
            if (is_symbol(')', k) || is(token_kind::end, k) || is(token_kind::separator, k))
                return false;
        }
    }
    constexpr bool has_comma() const {
        for (const token* t = now_ + 1;
             t->kind != token_kind::end && t->kind != token_kind::separator; ++t) {
            if (t->kind != token_kind::symbol) continue;
            if (t->code == ',') return true;
            if (t->code == ')' || t->code == '(') return false;
        }
        return false;
    }
    /// (pos, 2i+1): a list in which several letters are one index.
    constexpr void read_tuple(detail::buffer<ir::position>& out) {
        advance();
        do {
            detail::text_builder letters;
            if (is_affine(')')) {
                read_affine(out);
            } else if (is(token_kind::number) && starts_index(1)) {
                read_affine(out);
            } else if (is(token_kind::number)) {
                read_fixed(out);
            } else if (accept_symbol('(')) {
                read_merged(out);
            } else if (is(token_kind::letter) && is(token_kind::letter, 1) && !peek(1).spaced) {
                read_base_name(letters);
                if (!failed()) out.push(ir::index_position(program_.intern_index(letters)));
            } else {
                read_plain(out);
            }
        } while (!failed() && accept_symbol(','));
        if (!failed()) expect_symbol(')');
    }
    /// \operatorname{clamp}(i-1): arithmetic that may leave the axis, and what happens then.
    constexpr void read_bounded(detail::buffer<ir::position>& out) {
        const std::int32_t begin = begin_here();
        detail::text_builder name;
        advance();
        read_wrapped(name);
        if (failed()) return;
        ref mark = outside::padded;
        if (name.view() == "clamp") mark = outside::clamped;
        else if (name.view() == "wrap") mark = outside::wrapped;
        else if (name.view() != "pad") {
            detail::text_builder sentence;
            nearest near(name);
            near.offer_all(bounds_words);
            sentence << "in an index list only clamp, wrap and pad are functions, not "
                     << name.view();
            if (near.found()) sentence << "; did you mean " << near.best << "?";
            return fail(mistake_kind::unknown_function, begin, end_before(), sentence);
        }
        if (!is_symbol('(')) {
            fail_here(mistake_kind::unexpected, "expected ( here");
            return;
        }
        read_affine(out);
        if (!failed()) out.back().index = mark;
    }
    /// (ha): one axis made of several indices, the last fastest. The bracket has been read.
    constexpr void read_merged(detail::buffer<ir::position>& out) {
        detail::buffer<ir::affine_term> terms;
        while (!is_symbol(')') && !failed()) {
            terms.push({read_index(), 1});
            accept_symbol(',');
        }
        if (failed() || !expect_symbol(')')) return;
        push_terms(ir::position_kind::merged, 0, terms, out);
    }
    /// i-j, 2i+1, (i-j): an offset and indices with whole coefficients.
    constexpr void read_affine(detail::buffer<ir::position>& out) {
        const bool bracketed = accept_symbol('(');
        detail::buffer<ir::affine_term> terms;
        std::int64_t offset = 0;
        std::int32_t sign = 1;
        bool subtracted = false, numbered = false;
        if (accept_symbol('-')) sign = -1;
        while (!failed()) {
            std::int32_t coefficient = 1;
            const bool counted = is(token_kind::number);
            if (counted) coefficient = read_integer();
            const bool indexed = starts_index();
            numbered = numbered || (counted && !indexed);
            subtracted = subtracted || (sign < 0 && indexed);
            if (indexed) terms.push({read_index(), sign * coefficient});
            if (indexed && !failed() && is_script(peek()))
                return fail(
                    mistake_kind::unexpected, begin_here() - 1, peek(1).end,
                    "in arithmetic a place is a sum of indices and whole numbers; add to "
                    "numbers that are looked up in a line before, n^{ik} = t^i + k, and look "
                    "up n^{ik}");
            if (!indexed && counted) offset += sign * coefficient;
            else if (!indexed)
                fail_here(mistake_kind::unexpected, "expected an index or a number here");
            if (accept_symbol('+')) sign = 1;
            else if (accept_symbol('-')) sign = -1;
            else break;
        }
        if (bracketed && !failed()) expect_symbol(')');
        if (!failed() && (offset > 1'000'000'000 || offset < -1'000'000'000))
            fail_here(mistake_kind::unexpected, "a place is below a thousand million");
        if (!failed())
            push_terms(ir::position_kind::affine, static_cast<std::int32_t>(offset), terms, out);
        if (!failed() && subtracted && numbered && offset == 0)  // x^{j-i+0} is none of a table
            out.back().index = outside::excluded;
    }
    constexpr void push_terms(ir::position_kind kind, std::int32_t offset,
                              const detail::buffer<ir::affine_term>& terms,
                              detail::buffer<ir::position>& out) {
        const ir::range stored{program_.affine_terms.size(), terms.size()};
        program_.affine_terms.append(terms.data(), terms.size());
        out.push({kind, false, none, offset, stored});
    }

    constexpr ir::range store(const detail::buffer<ir::position>& list) {
        const ir::range r{program_.positions.size(), list.size()};
        program_.positions.append(list.data(), list.size());
        return r;
    }

    ir::program program_;
    detail::spelling_table names_;
    text_view name_in_hand_;          // whose scripts are being read
    const token* scripts_ = nullptr;  // where those begin
};

}  // namespace ricci::notation
