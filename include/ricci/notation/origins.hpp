// Where an axis begins that is read at subtracted letters: at place 0 where conditions exclude what
// is below, as in the causal convolution x_{t-k} under k <= t; else b_{i-j} is a table of
// differences with both signs, whose letters stand together elsewhere as well.
#pragma once

#include <cstdint>

#include <ricci/ir/mistake.hpp>
#include <ricci/ir/rewrite.hpp>
#include <ricci/ir/subtracted_places.hpp>
#include <ricci/notation/place_writer.hpp>

namespace ricci::notation {

/// Runs when all sums and their conditions are written out.
class origin_settler : ir::subtracted_places<origin_settler, ir::program> {
    using base = ir::subtracted_places<origin_settler, ir::program>;
    friend base;

public:
    constexpr origin_settler(ir::program& p, detail::text_view text) : base(p), text_(text) {}

    constexpr ir::mistake run() {
        bool any = false;
        for (const ir::affine_term& t : p_.affine_terms) any = any || t.coefficient < 0;
        for (ir::equation& e : p_.equations) {
            if (!any || mistake_) break;
            e.body = settled(e);
        }
        if (tables_.size() > 0 && !mistake_) check_origins();
        return static_cast<ir::mistake&&>(mistake_);
    }

private:
    /// An axis of a tensor that a table of differences has, and where it shows that.
    struct table {
        ref name;
        std::int32_t axis;
        ir::source_span source;
    };

    constexpr void fail(ir::source_span at, detail::text_view words) {
        if (!mistake_)
            mistake_ =
                ir::make_mistake(ir::mistake_kind::unexpected, text_, at.begin, at.end, words);
    }
    constexpr void see_place(const ir::node& x, ref place) {
        if (p_.nodes[place].kind == op::reduce) fail(x.source, looked_up_inside);
    }
    constexpr ref settle_use(ref n) {
        if (mistake_) return n;
        const ir::node x = p_.nodes[n];
        detail::buffer<ir::position> list;
        bool changed = false;
        for (std::int32_t axis = 0; axis < x.positions.count; ++axis) {
            ir::position q = p_.positions[x.positions.first + axis];
            if (ir::has_subtracted(p_, q)) {
                if (is_excluded(q)) {
                    q.index = outside::excluded;
                    changed = true;
                } else if (is_table(n, q)) {
                    tables_.push({x.name, axis, x.source});
                }
            }
            list.push(q);
        }
        return changed && !mistake_ ? place_writer(p_).write(n, list) : n;
    }
    constexpr bool is_table(ref n, const ir::position& q) {
        const ir::node x = p_.nodes[n];
        std::int32_t added = 0;
        for (std::int32_t t = 0; t < q.terms.count; ++t)
            added += p_.affine_terms[q.terms.first + t].coefficient > 0;
        if (added == 0)
            fail(x.source,
                 "a letter that is subtracted alone needs a number, as in x^{3-i}; backwards along "
                 "an axis is \\operatorname{wrap}(-i-1)");
        else if (q.terms.count != 2 || added != 1)
            fail(x.source,
                 "a place with three letters or more, of which some are subtracted, needs a "
                 "condition that excludes what is below 0, as in [i + j \\ge k] x^{i+j-k}, or a "
                 "number that keeps it inside, as in x^{i+j-k+7}");
        else if (!stand_together(n, q)) refuse_both(x, q);
        return !mistake_;
    }

    constexpr void refuse_both(const ir::node& x, const ir::position& q) {
        detail::text_builder place, letters, taken, s;
        for (std::int32_t t = 0; t < q.terms.count; ++t) {
            const ir::affine_term term = p_.affine_terms[q.terms.first + t];
            const std::int32_t size = term.coefficient < 0 ? -term.coefficient : term.coefficient;
            if (term.coefficient < 0) place << '-';
            else if (t > 0) place << '+';
            if (size != 1) place << size;
            place << p_.index(term.index);
        }
        for (const char c : detail::text_view("TUVWYZABCDEF")) {
            const detail::text_view name(&c, 1);
            if (taken.view().size == 0 && p_.find(name) == none) taken << c;
        }
        const detail::text_view use = text_.slice(x.source.begin, x.source.end);
        write_letters(use, letters);
        s << "this can be read in two ways, as 0 where " << place.view()
          << " is below 0, and as a table of all differences; write ";
        std::int32_t at = 0;
        while (at < use.size && !(use.slice(at, at + place.view().size) == place.view())) ++at;
        std::int32_t end = at + place.view().size;
        if (end <= use.size) {
            const bool bracketed =
                at > 0 && end < use.size && use.data[at - 1] == '(' && use.data[end] == ')';
            s << use.slice(0, at - bracketed) << "\\operatorname{pad}(" << place.view() << ')'
              << use.slice(end + bracketed, use.size);
        } else {
            s << "\\operatorname{pad}(" << place.view() << ") as the place";
        }
        s << ", or " << taken.view() << "^{" << letters.view() << "} = " << use
          << " in a line of its own and " << taken.view() << "^{" << letters.view() << "} here";
        fail(x.source, s);
    }

    /// The letters of a use's scripts, each once.
    constexpr void write_letters(detail::text_view use, detail::text_builder& out) const {
        std::int32_t at = 0;
        while (at < use.size && use[at] != '^' && use[at] != '_') ++at;
        ir::index_set seen;
        while (at < use.size) {
            std::int32_t end = at + 1;
            const auto is_letter = [&](std::int32_t k) {
                return k < use.size && is_ascii_letter(use[k]);
            };
            while (use[at] == '\\' && is_letter(end)) ++end;
            if (use.slice(at, end) == detail::text_view("\\operatorname"))
                while (end < use.size && use[end - 1] != '}') ++end;
            while (end < use.size && use[end] == '\'') ++end;
            const ref index = p_.find_index(use.slice(at, end));
            if (index != none && !seen.has(index)) {
                out << use.slice(at, end) << (use[at] == '\\' ? " " : "");
                seen.add(index);
            }
            at = end;
        }
    }

    // One origin an axis ----------------------------------------------------------------------------

    constexpr void check_origins() {
        for (const ir::equation& e : p_.equations) {
            ir::index_set numbers;
            add_numbers(e.body, numbers);
            check_places(e.name, e.positions, e.source, numbers);
            check_uses(e.body, numbers);
        }
    }
    constexpr void check_uses(ref n, const ir::index_set& numbers) {
        const ir::node x = p_.nodes[n];
        if (x.kind == op::tensor) check_places(x.name, x.positions, x.source, numbers);
        for (std::int32_t k = 0; k < x.children.count; ++k)
            check_uses(p_.links[x.children.first + k], numbers);
    }
    /// Letters that stand as numbers: their axes count from 0. The offset that the gradient by a
    /// table spells out, [k = i - j + \sum_{j'} 1 - 1], says nothing of that.
    constexpr void add_numbers(ref n, ir::index_set& to) const {
        const ir::node& x = p_.nodes[n];
        if (x.kind == op::compare && spells_offset(n)) return;
        if (x.kind == op::position) to.add(p_.positions[x.positions.first].index);
        for (std::int32_t k = 0; k < x.children.count; ++k)
            add_numbers(p_.links[x.children.first + k], to);
    }
    constexpr bool spells_offset(ref n) const {
        bool counts = false, bounded = false;
        ir::for_each_node(p_, n, [&](ref m) {
            counts = counts || p_.nodes[m].kind == op::reduce;
            bounded = bounded || p_.nodes[m].kind == op::apply;
        });
        return counts && !bounded;
    }
    constexpr void check_places(ref name, ir::range at, ir::source_span source,
                                const ir::index_set& numbers) {
        for (const table& shown : tables_) {
            if (shown.name != name || shown.axis >= at.count) continue;
            const ir::position& q = p_.positions[at.first + shown.axis];
            if (q.kind == ir::position_kind::merged || ir::has_subtracted(p_, q)) continue;
            const bool plain =
                q.kind == ir::position_kind::index ||
                (q.kind == ir::position_kind::affine && q.offset == 0 && q.terms.count == 1 &&
                 p_.affine_terms[q.terms.first].coefficient == 1);
            const ref letter = q.kind == ir::position_kind::index ? q.index
                               : plain ? p_.affine_terms[q.terms.first].index
                                       : none;
            if (plain && !numbers.has(letter)) continue;
            detail::text_builder s;
            s << "an axis has one origin in a text, and axis " << shown.axis << " of "
              << p_.name(name) << " counts from 0 here, but is a table of differences in "
              << text_.slice(shown.source.begin, shown.source.end)
              << "; give one of the two a tensor of its own, or write the place with a number, as "
                 "in b_{i-j+7}";
            return fail(source, s);
        }
    }

    detail::text_view text_;
    detail::buffer<table> tables_;
    ir::mistake mistake_;
};

}  // namespace ricci::notation
