// Copying equations from one program to another, and dropping what earlier passes left over.
#pragma once

#include <cstdint>

#include <ricci/ir/literal.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::ir {

/// The number in `out` of a name of `from`, as a name of the same kind.
constexpr ref intern_name_of(program& out, const program& from, ref name) {
    if (name == none) return none;
    const name_symbol s = from.names[name];
    const ref of = intern_name_of(out, from, s.of);
    const ref numerator = intern_name_of(out, from, s.numerator);
    return out.intern_name(from.name(name), s.kind, of, s.numerator_rank, numerator);
}

/// Copies equations of `from` into `out`; names and indices are the same where their spelling is.
class importer {
public:
    constexpr importer(program& out, const program_view& from)
        : out_(out), from_(from), into_nothing_(out.names.empty() && out.indices.empty()) {
        nodes_.resize(from_.nodes.size(), none);
        names_.resize(from_.names.size(), none);
        indices_.resize(from_.indices.size(), none);
    }
    constexpr equation import(const equation& e) {
        equation copied{name(e.name), positions(e.positions), none, e.claim, e.source};
        copied.body = copy(e.body);
        return copied;
    }

private:
    constexpr ref name(ref n) {
        if (n == none) return none;
        if (names_[n] == none) {
            const name_symbol& s = from_.names[n];
            const ref of = name(s.of), numerator = name(s.numerator);
            // Names differ within a program, so that none is found where all came from this one.
            if (into_nothing_) {
                names_[n] = out_.names.push({out_.add_text(from_.name(n)), s.kind, of, s.kept,
                                             s.shape_only, s.numerator_rank, numerator, s.in_norm});
                return names_[n];
            }
            names_[n] = out_.intern_name(from_.name(n), s.kind, of, s.numerator_rank, numerator);
            out_.names[names_[n]].kept = s.kept;
            out_.names[names_[n]].shape_only = s.shape_only;
            out_.names[names_[n]].in_norm = s.in_norm;
        }
        return names_[n];
    }
    constexpr ref index(ref i) {
        if (i == none) return none;
        if (indices_[i] != none) return indices_[i];
        const index_symbol* symbols = from_.indices.data;
        if (const axis& along = symbols[i].along; along.tensor != none)
            return indices_[i] =
                       out_.index_along(from_.index(i), {name(along.tensor), along.number});
        // Of symbols that are spelt alike, which share their text, only the first is the letter;
        // the others are bound ones, and may be copied only after it.
        ref letter = 0;
        while (symbols[letter].text.first != symbols[i].text.first ||
               symbols[letter].along.tensor != none)
            ++letter;
        if (letter != i) {
            index_symbol bound = out_.indices[index(letter)];
            if (bound.extent < 0 || symbols[i].extent < 0) bound.extent = symbols[i].extent;
            return indices_[i] = out_.indices.push(bound);
        }
        const text_view spelling = from_.index(i);
        indices_[i] = into_nothing_ ? out_.indices.push({out_.add_text(spelling), 0, no_axis})
                                    : out_.intern_index(spelling);
        if (symbols[i].extent != 0) out_.indices[indices_[i]].extent = symbols[i].extent;
        return indices_[i];
    }
    constexpr range positions(range at) {
        const range out{out_.positions.size(), at.count};
        for (std::int32_t k = 0; k < at.count; ++k) {
            position q = from_.positions[at.first + k];
            const ref known = q.index == none ? none : indices_[q.index];
            q.index = known != none ? known : index(q.index);
            if (q.kind == position_kind::index) {
                out_.positions.push(q);
                continue;
            }
            const range terms{out_.affine_terms.size(), q.terms.count};
            for (std::int32_t t = 0; t < q.terms.count; ++t) {
                affine_term term = from_.affine_terms[q.terms.first + t];
                term.index = index(term.index);
                out_.affine_terms.push(term);
            }
            q.terms = terms;
            out_.positions.push(q);
        }
        return out;
    }
    constexpr ref copy(ref n) {
        if (nodes_[n] != none) return nodes_[n];
        node x = from_.nodes[n];
        const range children = x.children, indices = x.indices;
        const ref* links = from_.links.data;
        for (std::int32_t k = 0; k < children.count; ++k) copy(links[children.first + k]);
        x.children.first = out_.links.size();
        for (std::int32_t k = 0; k < children.count; ++k)
            out_.links.push(nodes_[links[children.first + k]]);
        x.indices.first = out_.links.size();
        for (std::int32_t k = 0; k < indices.count; ++k)
            out_.links.push(index(links[indices.first + k]));
        if (x.positions.count > 0) x.positions = positions(x.positions);
        if (x.name != none) x.name = name(x.name);
        if (x.kind == op::number)
            if (const range digits = digits_of(from_.nodes[n]); digits.count > 0)
                set_digits(x, out_.add_text(from_.text(digits)));
        return nodes_[n] = out_.nodes.push(x);
    }

    program& out_;
    program_view from_;
    bool into_nothing_;  // `out` holds nothing else
    detail::buffer<ref> nodes_;
    detail::buffer<ref> names_;
    detail::buffer<ref> indices_;
};

/// A copy that holds what the equations use, and nothing else.
constexpr program compact(const program_view& p) {
    program out;
    importer copy(out, p);
    for (const equation& e : p.equations) out.equations.push(copy.import(e));
    return out;
}

}  // namespace ricci::ir
