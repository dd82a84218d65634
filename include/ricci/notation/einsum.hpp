// einsum strings, "ib,hba->hia", as a program of one equation.
#pragma once

#include <cstdint>

#include <ricci/notation/characters.hpp>
#include <ricci/notation/parse.hpp>

namespace ricci::notation {

/// The names of an einsum string's tensors: "operand 1", "operand 2", ... and "result".
constexpr detail::text_builder operand_name(std::int32_t number) {
    detail::text_builder s;
    s << "operand " << number + 1;
    return s;
}

/// Reads numpy's rules: implicit output (alphabetical, capitals first, then letters beyond ASCII),
/// `...` for the axes that the letters leave, repeated letters for diagonals, any Unicode letter as
/// a label, spaces of any kind between them. `...` stands once on each side or not at all.
/// A template: files without such strings build nothing of it.
template <class Program = ir::program>
class einsum_parser {
public:
    /// `ranks`: the rank of each operand, -1 where it is not known; nullptr where none is.
    constexpr einsum_parser(detail::text_view text, const std::int32_t* ranks,
                            std::int32_t operands)
        : text_(text), ranks_(ranks), operands_(operands) {}

    constexpr parse_result run() {
        split();
        check_counts();
        for (std::int32_t k = 0; k < inputs_.size() && !failed(); ++k) check_rank(k);
        if (!failed()) check_ellipses();
        parse_result out;
        if (!failed()) build();
        out.mistake = static_cast<ir::mistake&&>(mistake_);
        out.program = static_cast<ir::program&&>(p_);
        return out;
    }

private:
    static constexpr std::int32_t dots = -2;  // in a list of labels

    struct label {
        ref index;  // or dots
        std::int32_t begin;
    };
    struct operand_text {
        std::int32_t first, count;  // in labels_
        std::int32_t begin, end;
    };

    constexpr bool failed() const { return static_cast<bool>(mistake_); }
    constexpr void fail(ir::mistake_kind kind, std::int32_t begin, std::int32_t end,
                        detail::text_view sentence) {
        if (!failed()) mistake_ = ir::make_mistake(kind, text_, begin, end, sentence);
    }

    constexpr void split() {
        operand_text now{0, 0, 0, 0};
        bool after_arrow = false;
        const auto finish = [&](std::int32_t end, std::int32_t next) {
            now.end = end;
            now.count = labels_.size() - now.first;
            if (after_arrow) output_ = now;
            else inputs_.push(now);
            now = {labels_.size(), 0, next, next};
        };
        std::int32_t at = 0;
        while (at < text_.size && !failed()) {
            const code_point c = decode(text_, at);
            const std::int32_t arrow = run_of(at, "->"), ellipsis = run_of(at, "...");
            if (c.length == 0) {
                fail(ir::mistake_kind::unexpected, at, at + 1, "this is not UTF-8 text");
            } else if (is_space(c.value) || is_line_end(c.value)) {
                at += c.length;
            } else if (c.value == ',' && !after_arrow) {
                finish(at, at + 1);
                ++at;
            } else if (arrow > 0 && !after_arrow) {
                finish(at, at + arrow);
                at += arrow;
                after_arrow = explicit_output_ = true;
            } else if (ellipsis > 0) {
                labels_.push({dots, at});
                at += ellipsis;
            } else if (is_letter(c.value)) {
                labels_.push({index_of(c.value, text_.slice(at, at + c.length)), at});
                at += c.length;
            } else {
                refuse(at, c);
            }
        }
        finish(text_.size, text_.size);
    }
    /// The index of a letter. Of many letters those alone are looked at that a hash of it leads to.
    constexpr ref index_of(char32_t letter, detail::text_view spelling) {
        constexpr std::int32_t few = 64;
        if (p_.indices.size() < few) return p_.intern_index(spelling);
        if (4 * p_.indices.size() > by_letter_.size()) {
            by_letter_.clear();
            by_letter_.resize(16 * p_.indices.size(), ir::none);
            for (ref i = 0; i < p_.indices.size(); ++i)
                by_letter_[slot_of(decode(p_.index(i), 0).value, p_.index(i))] = i;
        }
        ref& found = by_letter_[slot_of(letter, spelling)];
        if (found == ir::none) found = p_.indices.push({p_.add_text(spelling), 0, ir::no_axis});
        return found;
    }
    /// Where the letter is in the table, or the free place where it would be.
    constexpr std::int32_t slot_of(char32_t letter, detail::text_view spelling) const {
        const auto size = static_cast<std::uint32_t>(by_letter_.size());
        std::uint32_t k = static_cast<std::uint32_t>(letter) % size;
        const auto at = [&] { return by_letter_[static_cast<std::int32_t>(k)]; };
        while (at() != ir::none && !(p_.index(at()) == spelling)) k = k + 1 == size ? 0 : k + 1;
        return static_cast<std::int32_t>(k);
    }
    /// How many bytes `word` takes at `at`, spaces within it included; 0 if it is not there.
    constexpr std::int32_t run_of(std::int32_t at, detail::text_view word) const {
        std::int32_t end = at;
        for (std::int32_t k = 0; k < word.size; ++k, ++end) {
            while (k > 0 && end < text_.size && text_[end] == ' ') ++end;
            if (end >= text_.size || text_[end] != word[k]) return 0;
        }
        return end - at;
    }
    /// A character that does not stand in an einsum string, or not there.
    constexpr void refuse(std::int32_t at, code_point c) {
        detail::text_builder s;
        if (c.value == ',' || run_of(at, "->") > 0) {
            // of a comma and a second arrow behind the first the arrow is the mistake
            for (std::int32_t k = at; k < text_.size; ++k)
                if (run_of(k, "->") > 0)
                    return fail(ir::mistake_kind::unexpected, k, k + run_of(k, "->"),
                                "this is the second -> of the string; one stands between the "
                                "operands and the result");
            s << "a comma separates operands, and the result behind -> is one list of letters";
        } else {
            if (c.value >= 0x80) {
                s << "this is ";
                describe(c.value, s);
                s << "; ";
            }
            s << "an einsum string holds letters, commas, ... and one ->";
        }
        fail(ir::mistake_kind::unexpected, at, at + c.length, s);
    }
    constexpr void check_counts() {
        if (failed() || ranks_ == nullptr || inputs_.size() == operands_) return;
        detail::text_builder s;
        s << "this string has " << inputs_.size()
          << (inputs_.size() == 1 ? " operand" : " operands") << ", and " << operands_
          << (operands_ == 1 ? " is" : " are") << " given";
        fail(ir::mistake_kind::rank, 0, text_.size, s);
    }
    constexpr void check_rank(std::int32_t k) {
        const operand_text& o = inputs_[k];
        std::int32_t letters = 0, ellipses = 0;
        for (std::int32_t j = 0; j < o.count; ++j)
            labels_[o.first + j].index == dots ? ++ellipses : ++letters;
        if (ellipses > 1)
            return fail(ir::mistake_kind::unexpected, o.begin, o.end,
                        "an operand has at most one ...");
        const std::int32_t rank = ranks_ == nullptr || ranks_[k] < 0 ? letters : ranks_[k];
        if (ellipses == 0 ? rank != letters : rank < letters) {
            detail::text_builder s;
            s << "operand " << k + 1 << " has " << letters << (letters == 1 ? " index" : " indices")
              << " here, and its rank is " << rank;
            return fail(ir::mistake_kind::rank, o.begin, o.end, s);
        }
        if (ellipses > 0 && rank - letters > ellipsis_) ellipsis_ = rank - letters;
        ellipsis_rank_.push(rank - letters);
    }

    /// `...` stands on both sides or on none; on each side of what it would be otherwise there are
    /// two readings, and the sentence has both.
    constexpr void check_ellipses() {
        std::int32_t left = 0, right = 0;
        for (std::int32_t k = 0; k < inputs_.size(); ++k) left += ellipses_in(inputs_[k]);
        if (!explicit_output_) return;
        right = ellipses_in(output_);
        detail::text_builder s;
        if (right > 1) {
            s << "... stands twice in the result; write ";
            write_text(s, written::as_it_is, written::first_ellipsis);
            s << " or ";
            write_text(s, written::as_it_is, written::last_ellipsis);
        } else if (right > left) {
            s << "... stands for axes of the operands, and none of them has it; write ";
            write_text(s, written::as_it_is, written::no_ellipsis);
            s << ", or ";
            write_text(s, written::ellipsis_in_front, written::as_it_is);
        } else if (left > 0 && right == 0) {
            s << "... stands for axes that the result has too; write ";
            write_text(s, written::as_it_is, written::ellipsis_in_front);
            s << " to keep them, or ";
            write_text(s, written::letters_for_it, written::as_it_is);
            s << " to sum over them";
        } else {
            return;
        }
        fail(ir::mistake_kind::unexpected, output_.begin, output_.end, s);
    }
    constexpr std::int32_t ellipses_in(const operand_text& o) const {
        std::int32_t count = 0;
        for (std::int32_t j = 0; j < o.count; ++j) count += labels_[o.first + j].index == dots;
        return count;
    }
    enum class written : std::uint8_t {
        as_it_is,
        no_ellipsis,
        first_ellipsis,
        last_ellipsis,
        ellipsis_in_front,
        letters_for_it,
    };
    /// The letters of an operand; `axes` is how many its ... stands for.
    constexpr void write_operand(detail::text_builder& s, const operand_text& o, written how,
                                 std::int32_t axes) const {
        if (how == written::ellipsis_in_front) s << "...";
        std::int32_t seen = 0;
        const std::int32_t all = ellipses_in(o);
        for (std::int32_t j = 0; j < o.count; ++j) {
            const label& l = labels_[o.first + j];
            if (l.index != dots) {
                s << p_.index(l.index);
            } else if (how == written::letters_for_it) {
                for (std::int32_t axis = axes; axis-- > 0;) s << unused_letter(axis);
            } else {
                ++seen;
                if (how == written::as_it_is || (how == written::first_ellipsis && seen == 1) ||
                    (how == written::last_ellipsis && seen == all))
                    s << "...";
            }
        }
    }
    constexpr void write_text(detail::text_builder& s, written inputs, written output) const {
        for (std::int32_t k = 0; k < inputs_.size(); ++k) {
            if (k > 0) s << ',';
            write_operand(s, inputs_[k], inputs, ranks_ == nullptr ? 1 : ellipsis_rank_[k]);
        }
        s << "->";
        write_operand(s, output_, output, 0);
    }
    /// The letter number `k` of those that the string does not use.
    constexpr char unused_letter(std::int32_t k) const {
        for (char c : detail::text_view("zyxwvutsrqponmlkjihgfedcbaZYXWVUTSRQPONMLKJIHGFEDCBA")) {
            bool used = false;
            for (const label& l : labels_)
                used |= l.index != dots && p_.index(l.index) == detail::text_view(&c, 1);
            if (!used && k-- == 0) return c;
        }
        return '?';
    }

    /// The index of axis `k` from the right of what ... stands for.
    constexpr ref ellipsis_index(std::int32_t from_right) {
        detail::text_builder s;
        s << "..." << from_right;
        return p_.intern_index(s);
    }
    constexpr ir::range positions(const operand_text& o, std::int32_t ellipsis_rank) {
        detail::buffer<ir::position> list;
        for (std::int32_t j = 0; j < o.count; ++j) {
            if (labels_[o.first + j].index != dots) {
                list.push(ir::index_position(labels_[o.first + j].index));
                continue;
            }
            for (std::int32_t axis = ellipsis_rank; axis-- > 0;)
                list.push(ir::index_position(ellipsis_index(axis)));
        }
        const ir::range r{p_.positions.size(), list.size()};
        p_.positions.append(list.data(), list.size());
        return r;
    }
    constexpr void build() {
        detail::buffer<ref> factors;
        for (std::int32_t k = 0; k < inputs_.size(); ++k) {
            const ir::range at = positions(inputs_[k], ellipsis_rank_[k]);
            for (std::int32_t axis = 0; axis < at.count; ++axis)
                ++uses_of(p_.positions[at.first + axis].index);
            factors.push(
                p_.tensor(p_.add_name(operand_name(k)), at, {inputs_[k].begin, inputs_[k].end}));
        }
        const ir::range left = explicit_output_ ? written_output() : implied_output();
        if (failed()) return;
        ref body = factors.size() == 1
                       ? factors[0]
                       : p_.make(ir::op::multiply, 0, factors.data(), factors.size());
        detail::buffer<ref> over;
        for (std::int32_t axis = 0; axis < left.count; ++axis)
            uses_of(p_.positions[left.first + axis].index) = 0;
        for (ref i = 0; i < uses_.size(); ++i)
            if (uses_[i] > 0) over.push(i);
        if (!over.empty()) {
            const ir::range list = p_.add_links(over);
            body = p_.reduce(ir::reduction::sum, list, body);
        }
        p_.equations.push({p_.intern_name("result"), left, body, false, {0, text_.size}});
    }
    /// How often an index stands in the operands.
    constexpr std::int32_t& uses_of(ref index) {
        if (index >= uses_.size()) uses_.resize(index + 1, 0);
        return uses_[index];
    }
    constexpr ir::range written_output() {
        detail::buffer<bool> seen;
        seen.resize(p_.indices.size(), false);
        for (std::int32_t j = 0; j < output_.count && !failed(); ++j) {
            const label l = labels_[output_.first + j];
            if (l.index == dots) continue;
            if (uses_of(l.index) == 0)
                fail(ir::mistake_kind::index_missing, l.begin, l.begin + p_.index(l.index).size,
                     "this index of the result is in no operand");
            else if (seen[l.index])
                fail(ir::mistake_kind::index_repeated, l.begin, l.begin + p_.index(l.index).size,
                     "this index stands twice in the result; the value would have no place off the "
                     "diagonal");
            seen[l.index] = true;
        }
        return positions(output_, ellipsis_);
    }
    /// Every index that stands once, in the order of its character, after what ... stands for.
    constexpr ir::range implied_output() {
        detail::buffer<ir::position> list;
        for (std::int32_t axis = ellipsis_; axis-- > 0;)
            list.push(ir::index_position(ellipsis_index(axis)));
        const std::int32_t first = list.size();
        for (const label& l : labels_) {
            if (l.index == dots || uses_of(l.index) > 1) continue;
            list.push(ir::index_position(l.index));
            for (std::int32_t k = list.size() - 1;
                 k > first && comes_before(list[k].index, list[k - 1].index); --k) {
                const ir::position swapped = list[k];
                list[k] = list[k - 1];
                list[k - 1] = swapped;
            }
        }
        const ir::range r{p_.positions.size(), list.size()};
        p_.positions.append(list.data(), list.size());
        return r;
    }
    constexpr bool comes_before(ref a, ref b) const {
        const detail::text_view x = p_.index(a), y = p_.index(b);
        for (std::int32_t k = 0; k < x.size && k < y.size; ++k)
            if (x[k] != y[k])
                return static_cast<unsigned char>(x[k]) < static_cast<unsigned char>(y[k]);
        return x.size < y.size;
    }

    detail::text_view text_;
    const std::int32_t* ranks_;
    std::int32_t operands_;
    Program p_;
    ir::mistake mistake_;
    detail::buffer<ref> by_letter_;      // a hash table of indices, where there are many
    detail::buffer<std::int32_t> uses_;  // of each index, in the operands
    detail::buffer<label> labels_;
    detail::buffer<operand_text> inputs_;
    operand_text output_{0, 0, 0, 0};
    bool explicit_output_ = false;
    std::int32_t ellipsis_ = 0;
    detail::buffer<std::int32_t> ellipsis_rank_;
};

template <class Parser = einsum_parser<>>
constexpr parse_result parse_einsum(detail::text_view text, const std::int32_t* ranks,
                                    std::int32_t operands) {
    return Parser(text, ranks, operands).run();
}

}  // namespace ricci::notation
