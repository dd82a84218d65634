// Batching: some inputs of a program, and all that depends on them, get a first axis with an index
// of its own. What was written for one sequence is then the text for many.
#pragma once

#include <cstdint>

#include <ricci/derive/differentiation.hpp>
#include <ricci/detail/nearest.hpp>
#include <ricci/ir/compact.hpp>
#include <ricci/ir/letters_beside_names.hpp>
#include <ricci/ir/mistake.hpp>
#include <ricci/ir/primes.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::derive {

/// The index is free in every equation that gets it, and new: no sum binds it, so that none of its
/// uses is captured. Claims are left out: they were proved of the program without the index.
template <class Program = ir::program>
class batching {
public:
    constexpr explicit batching(const ir::program_view& source) : p_(source) {
        const std::int32_t count = p_.names.size();
        batched_.resize(count, false);
        defined_.resize(count, false);
        read_.resize(count, false);
        done_.resize(p_.nodes.size(), none);
        for (const equation& q : p_.equations) {
            if (q.claim) continue;
            defined_[q.name] = true;
            mark_read(q.body);
        }
    }

    constexpr derived run(const text_view* of, std::int32_t count, text_view index) {
        derived out;
        out.mistake = find_names(of, count);
        if (!out.mistake) out.mistake = find_index(index);
        if (!out.mistake) spread();
        if (!out.mistake) out.mistake = place_in_derivatives();
        if (!out.mistake) rewrite(out.program);
        return out;
    }

    /// The index at all that `marked(program, name)` is true of, whatever depends on it. `again`:
    /// the equations have it already, at other tensors.
    template <class Marked>
    constexpr derived mark(Marked marked, text_view index, bool again = false) {
        derived out;
        if (again) index_ = p_.find_index(index);
        else out.mistake = find_index(index);
        if (out.mistake) return out;
        for (ref n = 0; n < batched_.size(); ++n) batched_[n] = marked(p_, n);
        rewrite(out.program);
        return out;
    }

private:
    using builder = detail::text_builder;

    constexpr void rewrite(ir::program& out) {
        const buffer<equation> source = p_.equations;
        p_.equations.clear();
        for (equation q : source) {
            if (q.claim) continue;
            q.body = with_index(q.body);
            if (batched_[q.name]) q.positions = in_front_of(q.positions);
            p_.equations.push(q);
        }
        for (ir::index_symbol& i : p_.indices)  // axes behind the new one
            if (i.along.tensor != none && batched_[i.along.tensor]) ++i.along.number;
        ir::part_letters_from_names(p_);
        out = ir::compact(p_);
        // What is bound for its shape alone stays a name of the program.
        for (ref n = 0; n < defined_.size(); ++n)
            if (!defined_[n]) ir::intern_name_of(out, p_, n);
    }

    // The names that are asked for ----------------------------------------------------------------

    constexpr void mark_read(ref n) {
        const ir::node& x = p_.nodes[n];
        if (x.kind == op::tensor) read_[x.name] = true;
        for (std::int32_t k = 0; k < x.children.count; ++k) mark_read(child(x, k));
    }
    constexpr ref child(const ir::node& x, std::int32_t k) const {
        return p_.links[x.children.first + k];
    }
    constexpr ir::mistake find_names(const text_view* of, std::int32_t count) {
        if (count == 0)
            return ir::make_mistake(ir::mistake_kind::missing_name,
                                    text_view("no input is named that gets the index"));
        for (std::int32_t k = 0; k < count; ++k) {
            const ref n = p_.find(of[k]);
            if (n == none || defined_[n]) return no_input(of[k], n != none);
            batched_[n] = true;
        }
        for (std::int32_t k = 0; k < count; ++k) {
            const ir::mistake wrong = with_its_tensor(p_.find(of[k]));
            if (wrong) return wrong;
        }
        return {};
    }
    constexpr ir::mistake no_input(text_view name, bool defined) const {
        builder s;
        s << "the equations take no tensor " << name;
        if (defined) {
            s << ": they compute it, and it gets the index if it depends on an input that does";
            return ir::make_mistake(ir::mistake_kind::unknown_name, s);
        }
        detail::nearest near(name);
        for (ref n = 0; n < read_.size(); ++n)
            if (is_input(n)) near.offer(p_.name(n));
        if (near.found()) {
            s << "; did you mean " << near.best << "?";
            return ir::make_mistake(ir::mistake_kind::unknown_name, s);
        }
        bool first = true;
        for (ref n = 0; n < read_.size(); ++n) {
            if (!is_input(n)) continue;
            s << (first ? "; they take " : ", ") << p_.name(n);
            first = false;
        }
        return ir::make_mistake(ir::mistake_kind::unknown_name, s);
    }
    constexpr bool is_input(ref n) const { return read_[n] && !defined_[n]; }

    /// d/dt X and dL/dX have the axes of X. Where the equations do not have X itself, as in those
    /// of a gradient, it gets the index with them.
    constexpr ir::mistake with_its_tensor(ref n) {
        const ir::name_symbol& s = p_.names[n];
        if (s.kind == ir::name_kind::plain || s.numerator_rank > 0 || batched_[s.of]) return {};
        if (!read_[s.of] && !defined_[s.of]) {
            batched_[s.of] = true;
            return with_its_tensor(s.of);
        }
        if (s.kind != ir::name_kind::tangent || defined_[s.of]) return {};
        builder words;
        words << p_.name(n) << " has the axes of " << p_.name(s.of) << "; name " << p_.name(s.of)
              << " too";
        return ir::make_mistake(ir::mistake_kind::missing_name, words);
    }

    // The index -----------------------------------------------------------------------------------

    constexpr ir::mistake find_index(text_view index) {
        text_view letter = index;
        while (letter.size > 0 && letter[letter.size - 1] == '\'') --letter.size;
        builder s;
        // b' has the extent of b where nothing else gives it one: to be new, the letter has to be
        if (is_taken(letter)) {
            s << "the equations have an index " << letter << " already";
            say_another(s);
            return ir::make_mistake(ir::mistake_kind::index_shadowed, s);
        }
        if (stands_as_number(index)) {
            s << "the equations have a number " << index << ", which an index would hide";
            say_another(s);
            return ir::make_mistake(ir::mistake_kind::index_shadowed, s);
        }
        index_ = p_.intern_index(index);
        return {};
    }
    constexpr bool is_taken(text_view letter) const {
        for (ref i = 0; i < p_.indices.size(); ++i)
            if (ir::letter_of(p_, i) == letter) return true;
        return false;
    }
    constexpr bool stands_as_number(text_view letter) const {
        const ref name = p_.find(letter);
        if (name == none) return false;
        bool found = false;
        for (const ir::node& x : p_.nodes)
            found = found || (x.kind == op::tensor && x.name == name && x.positions.count == 0);
        for (const equation& q : p_.equations)
            found = found || (q.name == name && q.positions.count == 0);
        return found;
    }
    constexpr void say_another(builder& s) const {
        const text_view letters = "bnmsrquvwzpkl";
        for (std::int32_t k = 0; k < letters.size; ++k) {
            const text_view letter = letters.slice(k, k + 1);
            if (is_taken(letter) || p_.find(letter) != none) continue;
            s << "; write another, as " << letter;
            return;
        }
        s << "; write another";
    }

    // What depends on them ------------------------------------------------------------------------

    constexpr void spread() {
        for (bool changed = true; changed;) {
            changed = false;
            const auto mark = [&](ref n) { changed = batched_[n] = true; };
            for (const equation& q : p_.equations)
                if (!q.claim && !batched_[q.name] && reads_batched(q.body)) mark(q.name);
            for (ref n = 0; n < batched_.size(); ++n) {
                const ir::name_symbol& s = p_.names[n];
                if (s.kind == ir::name_kind::plain || batched_[n]) continue;
                const ref above = s.numerator_rank > 0 ? numerator_of(n) : none;
                if (batched_[s.of] || (above != none && batched_[above])) mark(n);
            }
        }
    }
    constexpr bool reads_batched(ref n) const {
        const ir::node& x = p_.nodes[n];
        if (x.kind == op::tensor && batched_[x.name]) return true;
        for (std::int32_t k = 0; k < x.children.count; ++k)
            if (reads_batched(child(x, k))) return true;
        return false;
    }
    constexpr ref numerator_of(ref n) const {
        const ir::name_symbol& s = p_.names[n];
        if (s.numerator != none) return s.numerator;
        return p_.find(ir::parts_of_derivative(p_.name(n)).numerator);
    }
    /// The index of a derivative is that of the tensor below the stroke, or else of the one above:
    /// each of many losses by weights that they share.
    constexpr ir::mistake place_in_derivatives() {
        // Others are left over from a derivation.
        const auto counts = [&](ref n) { return batched_[n] && (read_[n] || defined_[n]); };
        // A tangent has the axes of what it is the tangent of, which no equation may have itself.
        for (ref n = batched_.size() - 1; n >= 0; --n)
            if (p_.names[n].kind == ir::name_kind::tangent && counts(n))
                batched_[p_.names[n].of] = read_[p_.names[n].of] = true;
        for (ref n = 0; n < batched_.size(); ++n) {
            ir::name_symbol& s = p_.names[n];
            if (s.kind != ir::name_kind::cotangent || !counts(n)) continue;
            if (!batched_[s.of]) {
                ++s.numerator_rank;
            } else if (s.numerator_rank > 0) {
                builder words;
                words << p_.name(n) << " is a derivative by " << p_.name(s.of)
                      << ", and would have the index " << p_.index(index_)
                      << " of both tensors; batch the equations before they are differentiated";
                return ir::make_mistake(ir::mistake_kind::index_repeated, words);
            }
        }
        return {};
    }

    // Equations -----------------------------------------------------------------------------------

    constexpr ir::range in_front_of(ir::range at) {
        const ir::range out{p_.positions.size(), at.count + 1};
        ir::position first = ir::index_position(index_);
        first.upper = at.count == 0 || p_.positions[at.first].upper;
        p_.positions.push(first);
        for (std::int32_t k = 0; k < at.count; ++k)
            p_.positions.push(ir::position(p_.positions[at.first + k]));
        return out;
    }
    constexpr ref with_index(ref n) {
        if (done_[n] != none) return done_[n];
        const ir::node before = p_.nodes[n];
        ref now = ir::rebuild_children(p_, n, [&](ref below) { return with_index(below); });
        if (before.kind == op::tensor && batched_[before.name]) {
            ir::node use = p_.nodes[now];
            use.positions = in_front_of(before.positions);
            now = p_.nodes.push(use);
        }
        return done_[n] = now;
    }

    Program p_;
    buffer<bool> batched_, defined_, read_;  // of each name
    buffer<ref> done_;                       // of each node, the one that stands for it
    ref index_ = none;
};

/// The program in which the inputs `of`, and all that depends on them, have a first axis with
/// `index`.
template <class Source>
constexpr derived batch(const Source& source, const text_view* of, std::int32_t count,
                        text_view index) {
    return batching(source).run(of, count, index);
}

}  // namespace ricci::derive
