// Statements of axes: i \in \operatorname{axis}_0(v) behind an equation, of its indices, or in a line
// of its own, of the indices of the whole text.
#pragma once

#include <cstdint>

#include <ricci/detail/buffer.hpp>
#include <ricci/ir/axes.hpp>
#include <ricci/ir/mistake.hpp>
#include <ricci/ir/program.hpp>

namespace ricci::notation {

using detail::text_view;

/// What one says: the index that is spelt so, in the equations that begin in [from, to) of the text.
struct axis_statement {
    ir::range spelling;  // in the characters of the program
    ir::axis along;
    std::int32_t from;
    std::int32_t to;
    ir::source_span source;
};

/// Whether nothing but a comma and space stands in a text: then an axis is said of the equation
/// before it, and of the whole text behind a line's end.
constexpr bool is_behind(text_view between) {
    for (std::int32_t k = 0; k < between.size; ++k) {
        const char c = between[k];
        if (c == '\n' || c == ';' || c == '$') return false;
        if (c == '\\' && k + 1 < between.size && between[k + 1] == '\\') return false;
    }
    return true;
}

/// Gives the indices of the equations the axes that the text says. Everything else is read by then:
/// an index with an axis is a symbol of its own.
constexpr ir::mistake say_axes(ir::program& p, text_view text,
                               const detail::buffer<axis_statement>& statements) {
    for (const axis_statement& s : statements) {
        detail::text_builder spelling;
        spelling << p.text(s.spelling);
        bool found = false;
        for (ir::ref e = 0; e < p.equations.size(); ++e) {
            ir::equation q = p.equations[e];
            if (q.source.begin < s.from || q.source.begin >= s.to) continue;
            const ir::index_set all = ir::indices_of(p, q);
            ir::index_map renamed;
            for (ir::ref i = 0, last = all.end(); i < last; ++i) {
                if (!all.has(i) || !(p.index(i) == spelling.view())) continue;
                found = true;
                if (p.indices[i].along == s.along) continue;
                if (p.indices[i].along.tensor != ir::none) {
                    detail::text_builder words;
                    words << "two axes are said of the index " << spelling.view()
                          << " in one equation; it runs over one";
                    return ir::make_mistake(ir::mistake_kind::unexpected, text, s.source.begin,
                                            s.source.end, words);
                }
                renamed.set(i, p.index_along(spelling, s.along));
            }
            q.body = ir::rename_indices(p, q.body, renamed);
            q.positions = ir::rename_positions(p, q.positions, renamed);
            p.equations[e] = q;
        }
        if (found) continue;
        detail::text_builder words;
        words << "no equation that this is said of has an index " << spelling.view();
        return ir::make_mistake(ir::mistake_kind::unexpected, text, s.source.begin, s.source.end,
                                words);
    }
    return {};
}

}  // namespace ricci::notation
