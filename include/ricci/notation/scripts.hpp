// Reading what stands above and below a name: index lists, and where a power or a transpose begins.
#pragma once

#include <cstdint>

#include <ricci/notation/inverses.hpp>

namespace ricci::notation {

/// Whether a name's indices above and below stand one behind the other: T^a{}_b.
struct script_order {
    std::uint64_t name;
    bool staggered;
};

class script_parser : public inverse_parser {
public:
    using inverse_parser::inverse_parser;

protected:
    /// Sub- and superscripts after a name, in the order written; stops before a power. A label may
    /// follow the indices, as in `S^{ij}_{\text{masked}}`; it is appended to the name.
    constexpr void read_scripts(detail::buffer<ir::position>& positions,
                                detail::text_builder& name) {
        const token* outer = scripts_;
        const text_view outer_name = name_in_hand_;
        scripts_ = now_;
        bool staggered = false;
        const std::int32_t first = positions.size();
        while (!failed() && (is_symbol('^') || is_symbol('_'))) {
            name_in_hand_ = name;
            if (refuse_inverse_script(scripts_, positions.data() + first, positions.size() - first))
                break;
            if (is_symbol('^') && is_power()) {
                refuse_unclear_power(positions.size());
                break;
            }
            if (is_symbol('^') && (is_transpose() || is_inverse_transpose())) {
                index_free();
                break;
            }
            if (is_symbol('_') && label_follows(name, positions.empty())) {
                if (!failed()) read_label(name);
                continue;
            }
            const bool above = is_symbol('^');
            staggered = staggered || peek().staggered;
            const std::int32_t before = positions.size();
            const token* list = now_;
            advance();
            read_positions(positions);
            for (std::int32_t k = before; k < positions.size(); ++k) positions[k].upper = above;
            note_word(list);
        }
        if (!failed()) note_order(name, positions, first, staggered);
        scripts_ = outer;
        name_in_hand_ = outer_name;
    }
    /// Scripts above and below one another print alike in either order, staggered ones do not.
    constexpr void note_order(text_view name, const detail::buffer<ir::position>& positions,
                              std::int32_t first, bool staggered) {
        bool above = false, below = false;
        for (std::int32_t k = first; k < positions.size(); ++k)
            (positions[k].upper ? above : below) = true;
        if (!above || !below) return;
        for (const script_order& known : orders_) {
            if (known.name != hash_of(name)) continue;
            if (known.staggered == staggered) return;
            detail::text_builder s;
            s << name
              << " has staggered indices in one place and not in another, which may be two "
                 "orders of its axes; stagger them everywhere, as in T^a{}_b";
            return fail(mistake_kind::rank, scripts_->begin, end_before(), s);
        }
        orders_.push({hash_of(name), staggered});
    }
    /// x^2 is a power; of a name that has indices above elsewhere it could be a place.
    constexpr void refuse_unclear_power(std::int32_t rank) {
        if (rank == 0 && is_inverse_of_name(scripts_)) return;
        const bool braces = is_symbol('{', 1);
        const token& number = peek(braces ? 2 : 1);
        const text_view digits = text_of(number);
        if (!braces && digits.size > 1) return refuse_long_script(number);
        const bool whole = number.kind == token_kind::number && (!braces || is_symbol('}', 3));
        const name_facts* facts = survey_.find(name_in_hand_);
        const bool indexed = facts != nullptr && facts->above && !is_parameter(name_in_hand_) &&
                             (rank == 0 || (rank < 31 && (facts->ranks >> (rank + 1) & 1) != 0));
        const bool zeros = whole && digits.size > 1 && digits[0] == '0';
        if (!indexed && !zeros) return;
        detail::text_builder s;
        s << "this can be a power and " << (digits.size > 1 ? "places" : "a place") << " of "
          << name_in_hand_ << "; write (" << name_in_hand_ << "^{...})^{...} for a power";
        if (whole) {
            const bool apart = zeros || (digits.size > 1 && digits.size < 32 && facts != nullptr &&
                                         (facts->ranks >> digits.size & 1) != 0);
            s << ", " << name_in_hand_ << "^{";
            for (std::int32_t k = 0; k < digits.size; ++k)
                s << (apart && k ? "," : "") << digits[k];
            s << (apart ? "} for places" : ",} for a place");
        } else {
            s << ", or (" << name_in_hand_ << "^{-1})^{ij} for an inverse matrix";
        }
        fail(mistake_kind::unexpected, begin_here(), number.end, s);
    }
    /// Whether a name is a parameter of the function that the statement in hand defines.
    constexpr bool is_parameter(text_view name) const {
        for (ref parameter : parameters_)
            if (program_.name(parameter) == name) return true;
        return false;
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
        if (!is_symbol('{', 1) || is_symbol('}', 2)) return false;
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
    /// ^{-T}
    constexpr bool is_inverse_transpose() const {
        return is_symbol('{', 1) && is_symbol('-', 2) && is_symbol('}', 4) &&
               (is_key(keyword::transpose, 3) || is_letter("T", 3));
    }
    constexpr void index_free() {
        if (is_inverse_transpose())
            return fail(mistake_kind::index_free, begin_here(), peek(4).end,
                        "matrix notation has no indices; write (A^{-1})^{ji} for the transposed "
                        "inverse");
        fail(mistake_kind::index_free, begin_here(), peek(1).end,
             "matrix notation has no indices; write them, for example Q^{ia} K^{ja} for Q K^T, and "
             "A^{ji} for the transposed matrix");
    }

    /// Whether \frac at the cursor is a derivative: \frac{\partial ...}{...}, or \frac{d ...}{d t}.
    constexpr bool is_derivative() const {
        if (!is_key(keyword::frac) || !is_symbol('{', 1)) return false;
        return is_key(keyword::partial, 2) || (is_letter("d", 2) && is_by_time());
    }
    constexpr bool is_letter(text_view letter, std::int32_t ahead) const {
        return is(token_kind::letter, ahead) && text_of(peek(ahead)) == letter;
    }
    /// The \frac at the cursor is over {d t}.
    constexpr bool is_by_time() const {
        std::int32_t k = 2;
        for (std::int32_t level = 1; level > 0; ++k) {
            if (is(token_kind::end, k) || is(token_kind::separator, k)) return false;
            level += is_symbol('{', k) ? 1 : is_symbol('}', k) ? -1 : 0;
        }
        if (!is_symbol('{', k) || !is_letter("d", k + 1) || !is_letter("t", k + 2)) return false;
        for (k += 3; is_symbol('\'', k);) ++k;
        return is_symbol('}', k);
    }
    /// A derivative at the cursor: its name; its positions, of the numerator first, go to the list.
    ///   \frac{\partial L}{\partial W^{ij}}                       dL/dW
    ///   \frac{\partial^2 L}{\partial X^{ij} \partial W^{kl}}     d(dL/dX)/dW
    ///   \frac{d Y^{i}}{d t},  \frac{d}{d t} and a derivative     d/dt Y
    constexpr ref read_derivative(detail::buffer<ir::position>& positions) {
        if (!enter()) return none;
        advance();  // \frac
        advance();  // {
        const ref name =
            is_key(keyword::partial) ? read_partial(positions) : read_tangent(positions);
        --depth_;
        return failed() ? none : name;
    }

private:
    /// A tensor or a derivative that is differentiated.
    struct derivand {
        detail::text_builder spelling;
        ref derivative = none;
        std::int32_t rank = 0;
    };
    constexpr derivand read_derivand(detail::buffer<ir::position>& positions) {
        derivand out;
        const std::int32_t before = positions.size();
        if (is_derivative()) {
            out.derivative = read_derivative(positions);
            if (!failed()) out.spelling << program_.name(out.derivative);
        } else {
            read_name(out.spelling);
            if (!failed()) read_scripts(positions, out.spelling);
        }
        out.rank = positions.size() - before;
        return out;
    }
    constexpr ref named(const derivand& d) {
        return d.derivative != none ? d.derivative : intern_name(d.spelling);
    }
    constexpr ref derivative_of(const derivand& above, ref by, std::int32_t rank) {
        return program_.intern_name(ir::cotangent_spelling(above.spelling, program_.name(by)),
                                    ir::name_kind::cotangent, by, rank, above.derivative);
    }
    constexpr bool expect_partial() {
        if (accept_key(keyword::partial)) return true;
        fail_here(mistake_kind::unexpected, "a derivative is by something: \\partial and a tensor");
        return false;
    }
    constexpr ref read_partial(detail::buffer<ir::position>& positions) {
        advance();  // \partial
        const bool second = accept_symbol('^');
        if (second && !read_two()) return none;
        derivand above = read_derivand(positions);
        if (failed() || !expect_symbol('}') || !expect_symbol('{') || !expect_partial())
            return none;
        const derivand by = read_derivand(positions);
        if (failed()) return none;
        turn_over(positions, by.rank);
        ref name = derivative_of(above, named(by), above.rank);
        if (second) {
            if (!expect_partial()) return none;
            derivand once;
            once.spelling << program_.name(name);
            once.derivative = name;
            once.rank = above.rank + by.rank;
            const derivand again = read_derivand(positions);
            if (failed()) return none;
            turn_over(positions, again.rank);
            name = derivative_of(once, named(again), once.rank);
        }
        return expect_symbol('}') ? name : none;
    }
    /// Below the stroke an upper index stands as a lower one.
    constexpr void turn_over(detail::buffer<ir::position>& positions, std::int32_t rank) const {
        for (std::int32_t k = positions.size() - rank; k < positions.size(); ++k)
            positions[k].upper = !positions[k].upper;
    }
    /// The 2 of \partial^2, with or without braces.
    constexpr bool read_two() {
        const bool braces = accept_symbol('{');
        const bool two = is(token_kind::number) && text_of(peek()) == "2";
        if (two) advance();
        else
            fail_here(mistake_kind::unexpected,
                      "derivatives are of first or second order; nest \\frac for higher ones");
        return two && (!braces || expect_symbol('}'));
    }
    constexpr ref read_tangent(detail::buffer<ir::position>& positions) {
        advance();  // d
        const bool outside = accept_symbol('}');
        derivand of;
        if (!outside) {
            of = read_derivand(positions);
            if (!failed()) expect_symbol('}');
        }
        if (failed()) return none;
        advance();  // {
        advance();  // d
        detail::text_builder along;
        for (; !is_symbol('}'); advance()) along << text_of(peek());
        advance();
        if (outside) {
            if (is_derivative()) of = read_derivand(positions);
            else
                fail_here(mistake_kind::unexpected,
                          "\\frac{d}{d t} stands before a derivative; write \\frac{d X}{d t} for "
                          "that of a tensor");
        }
        return failed() ? none : program_.intern_tangent(along, named(of));
    }

protected:
    detail::buffer<ref> parameters_;       // of the left side of the statement in hand
    detail::buffer<script_order> orders_;  // by the names with indices above and below so far
    std::int32_t word_begin_ = 0;          // the last subscript that reads like a word
    std::int32_t word_end_ = 0;
};

}  // namespace ricci::notation
