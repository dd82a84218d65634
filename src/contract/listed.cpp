// Strides with places in lists.
#include "src/contract/listed.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <utility>
#include <vector>

namespace ricci::contractions {
namespace {

using steps::contraction_loop;
using stride_member = std::int64_t contraction_loop::*;

constexpr int most_bits = 62;

bool moves(const steps::listed_operand& list, const contraction_loop& loop, std::size_t l) {
    return l < list.factors.size() && list.factors[l] != 0 && loop.extent > 1;
}

// `first_own`: of the loops of m for A, of n for B, of which there are `own`; those of k come last.
listing side_of(const steps::listed_operand& list, const std::vector<contraction_loop>& all,
                std::size_t first_own, std::size_t own, std::size_t first_k) {
    bool across = false, along = false;
    for (std::size_t l = 0; l < all.size(); ++l) {
        across = across || (l >= first_own && l < first_own + own && moves(list, all[l], l));
        along = along || (l >= first_k && moves(list, all[l], l));
    }
    if (along) return across ? listing::both : listing::along;
    return listing::across;
}

// Makes room for places below what the strides reach, on either side.
int shift_for(const steps::listed_operand& list, const std::vector<contraction_loop>& all,
              stride_member stride) {
    std::uint64_t reach = 1;
    for (const auto& loop : all)
        if (loop.extent > 1)
            reach += static_cast<std::uint64_t>(std::abs(loop.*stride)) *
                     static_cast<std::uint64_t>(loop.extent - 1);
    const int shift = static_cast<int>(std::bit_width(2 * reach));
    if (shift + static_cast<int>(std::bit_width(static_cast<std::uint64_t>(list.length))) >
        most_bits)
        throw std::invalid_argument("a list that is too long for its operand");
    return shift;
}

std::vector<contraction_loop> moved_loops(const steps::contraction& what, operand_lists& lists) {
    if (!what.a_edges.empty() || !what.b_edges.empty())
        throw std::invalid_argument("a contraction with lists and edges");
    auto all = all_loops(what);
    const auto plain = all;
    const std::size_t first_m = what.batch.size(), first_n = first_m + what.m.size(),
                      first_k = first_n + what.n.size();
    const auto add = [&](const steps::listed_operand* list, stride_member stride,
                         std::size_t first_own, std::size_t own, list_layout& layout) {
        if (list == nullptr) return;
        layout.how = side_of(*list, plain, first_own, own, first_k);
        layout.shift = shift_for(*list, plain, stride);
        for (std::size_t l = 0; l < all.size() && l < list->factors.size(); ++l)
            all[l].*stride += list->factors[l] * (std::int64_t{1} << layout.shift);
    };
    add(what.a_list, &contraction_loop::a, first_m, what.m.size(), lists.a);
    add(what.b_list, &contraction_loop::b, first_n, what.n.size(), lists.b);
    return all;
}

}  // namespace

listed::listed(const steps::contraction& what) : loops(what, moved_loops(what, lists)) {}

}  // namespace ricci::contractions
