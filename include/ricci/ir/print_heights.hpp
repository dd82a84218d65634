// How a printed tensor has its indices, so that it reads back: above, but for lists that would read
// otherwise there, and no label like an index.
#pragma once

#include <cstdint>

#include <ricci/detail/letters.hpp>
#include <ricci/ir/derivative_name.hpp>
#include <ricci/ir/print_name.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>
#include <ricci/ir/solutions.hpp>

namespace ricci::ir {

constexpr bool is_in_words(text_view name) {
    return name.size > 1 && detail::is_ascii_letter(name[0]) && detail::is_ascii_letter(name[1]);
}
/// An index of several letters stands in a list with commas: _{(pos,2i+1)}.
constexpr bool has_long_index(const auto& p, range at) {
    bool found = false;
    for_each_index(p, at, [&](ref i) {
        const text_view text = p.index(i);
        found = found || (at.count > 1 && is_in_words(text));
    });
    return found;
}

constexpr bool is_number_name(const auto& p, text_view name) {
    if (name.size != 3 || (name[0] != 'd' && name[0] != 'n') || name[1] != '_') return false;
    for (const index_symbol& i : p.indices)
        if (p.text(i.text) == name.slice(2, 3)) return true;
    const ref alone = p.find(name.slice(2, 3));  // [t_i = k] beside n_k
    for (const node& x : p.nodes)
        for (std::int32_t k = 0; alone != none && x.kind == op::compare && k < 2; ++k)
            if (p.nodes[p.child(x, k)].name == alone) return true;
    return false;
}
/// Whether a number d_k would be read as a tensor at k: where the text defines it, or has another
/// such number beside it, and k is an index. Its label is then a word, d_{\text{k}}.
constexpr bool reads_as_place(const auto& p, text_view name) {
    if (!is_number_name(p, name)) return false;
    bool found = p.definition(p.find(name)) != none;
    for (ref n = 0; n < p.names.size(); ++n)
        found = found || (!(p.name(n) == name) && p.name(n).slice(0, 1) == name.slice(0, 1) &&
                          is_number_name(p, p.name(n)));
    return found;
}

/// Whether a name is printed with its indices above in one place and below in another. Beside
/// implied sums the reader may take it for two tensors, or refuse it: then every sum is written.
template <class Program = program_view>
class height_finder {
public:
    constexpr explicit height_finder(const program_view& p) : p_(p) {
        above_.resize(p.names.size(), false);
        below_.resize(p.names.size(), false);
    }
    constexpr bool run() {
        for (const equation& e : p_.equations) {
            see(e.name, e.positions, false);
            look(e.body, false);
        }
        for (ref n = 0; n < p_.names.size(); ++n)
            if (above_[n] && below_[n]) return true;
        return false;
    }

private:
    constexpr void look(ref n, bool gathered) {
        const node& x = p_.nodes[n];
        if (x.kind == op::tensor) see(x.name, x.positions, gathered);
        // what is printed as (K^{-1})^{ij} may be read as the inverse of K_{ij}
        if (is_inverse(x) && is_power_of_name(p_, x)) return look(p_.child(x, 0), true);
        for (std::int32_t k = 0; k < x.children.count; ++k)
            look(p_.child(x, k), x.kind == op::tensor);
    }
    constexpr void see(ref name, range at, bool below) {
        if (name == none || at.count == 0) return;
        const name_symbol& s = p_.names[name];
        if (s.kind != name_kind::plain) {
            const std::int32_t split = s.numerator_rank < at.count ? s.numerator_rank : at.count;
            const ref over = s.numerator != none
                                 ? s.numerator
                                 : p_.find(parts_of_derivative(p_.text(s.text)).numerator);
            see(over, {at.first, split}, below);
            return see(s.of, {at.first + split, at.count - split}, below);
        }
        bool fixed = true;
        for (std::int32_t k = 0; k < at.count; ++k)
            fixed = fixed && p_.at(at, k).kind == position_kind::fixed;
        const bool low = (below || fixed || has_long_index(p_, at)) && !has_label(p_.name(name));
        (low ? below_ : above_)[name] = true;
    }

    Program p_;
    detail::buffer<bool> above_, below_;  // of each name
};
constexpr bool prints_at_two_heights(const auto& p) { return height_finder(p).run(); }

}  // namespace ricci::ir
