// The axes of indices that equations say, and what that makes of their letters.
#pragma once

#include <cstdint>

#include <ricci/derive/dead_equations.hpp>
#include <ricci/derive/tidy.hpp>
#include <ricci/ir/axes.hpp>
#include <ricci/ir/primes.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::derive {

using detail::buffer;

/// Of a program whose indices have their dimensions as `along`: which equations say them.
template <class Program>
class axis_statements {
public:
    /// `symbols`: how many indices the source has.
    constexpr axis_statements(Program& p, ref symbols) : p_(p), symbols_(symbols) {}

    constexpr bool empty() const { return said_.empty(); }
    constexpr void add(ref e, ref i) { said_.push({e, i}); }
    constexpr bool has(ref e, ref i) const {
        for (const statement& s : said_)
            if (s.equation == e && s.index == i) return true;
        return false;
    }
    /// Whether a bound index whose axis is said gets more primes, so that it is no other one.
    constexpr bool is_respelt(const ir::equation& q, const ir::index_set& all, ref index) const {
        return !ir::has_index(p_, q.positions, index) && meets(all, index);
    }
    /// Leaves `along` to the indices whose equations say it: elsewhere they are plain letters.
    constexpr void write(const needed_tensors<Program>& needed) {
        buffer<bool> somewhere;
        somewhere.resize(p_.indices.size(), false);
        for (const statement& s : said_) somewhere[s.index] = true;
        for (ref i = 0; i < somewhere.size(); ++i)
            if (!somewhere[i]) p_.indices[i].along = ir::no_axis;
        // Symbols of one spelling are one again, but within an equation.
        bool any = !said_.empty();
        for (ref i = 0; i < somewhere.size(); ++i) {
            letters_.push(i);
            for (ref j = 0; i >= symbols_ && !somewhere[i] && letters_[i] == i && j < i; ++j)
                if (!somewhere[j] && p_.indices[j].text.first == p_.indices[i].text.first &&
                    p_.indices[j].extent == p_.indices[i].extent)
                    letters_[i] = j, any = true;
        }
        for (ref e = 0; any && e < p_.equations.size(); ++e)
            if (!p_.equations[e].claim && needed.has(p_.equations[e].name)) write(e, somewhere);
    }

private:
    struct statement {
        ref equation;
        ref index;
    };

    constexpr void write(ref e, const buffer<bool>& somewhere) {
        ir::equation q = p_.equations[e];
        const ir::index_set all = ir::indices_of(p_, q);
        ir::index_set taken = all;
        ir::index_map renamed;
        const auto rename = [&](ref from, ref to) {
            renamed.set(from, to);
            taken.add(to);
        };
        for (ref i = 0, last = all.end(); i < last; ++i) {
            if (!all.has(i) || i >= somewhere.size()) continue;
            if (!somewhere[i]) {
                if (!taken.has(letters_[i])) rename(i, letters_[i]);
            } else if (!has(e, i)) {
                rename(i, index_like(p_, i, ir::no_axis));
            } else if (is_respelt(q, all, i)) {
                rename(i, with_more_primes(p_, i, taken));
            }
        }
        q.body = ir::rename_indices(p_, q.body, renamed);
        q.positions = ir::rename_positions(p_, q.positions, renamed);
        p_.equations[e] = q;
    }
    /// Whether another index of an equation is spelt like one, over another axis, or over one that
    /// no equation says: it is left to its letter in the end.
    constexpr bool meets(const ir::index_set& all, ref index) const {
        for (ref i = 0, last = all.end(); i < last; ++i)
            if (all.has(i) && i != index && p_.index(i) == p_.index(index) &&
                (p_.indices[i].along != p_.indices[index].along || !is_said(i)))
                return true;
        return false;
    }
    constexpr bool is_said(ref i) const {
        for (const statement& s : said_)
            if (s.index == i) return true;
        return false;
    }

    Program& p_;
    ref symbols_;
    buffer<ref> letters_;  // of each index, the first that is spelt so
    buffer<statement> said_;
};

}  // namespace ricci::derive
