#include "src/plan/forms/matrix_factors.hpp"

#include <algorithm>
#include <utility>

namespace ricci::plan {
namespace {

using loop_pairs = std::vector<std::pair<loop, loop>>;

// Which loop of the one stands where which of the other does, axis by axis; nothing where they read
// otherwise.
std::optional<loop_pairs> corresponding(const graph& values, const access& a, const access& b) {
    if (a.slot != b.slot || a.at.size() != b.at.size()) return std::nullopt;
    loop_pairs pairs;
    for (std::size_t axis = 0; axis < a.at.size(); ++axis) {
        const place &p = a.at[axis], &q = b.at[axis];
        if (p == q) {
            for (const auto& t : p.terms) pairs.emplace_back(t.over, t.over);
            continue;
        }
        const bool alike = p.edge == edge::none && q.edge == edge::none && p.offset == q.offset &&
                           p.terms.size() == 1 && q.terms.size() == 1 &&
                           p.terms[0].factor == q.terms[0].factor &&
                           values.extent(p.terms[0].over) == values.extent(q.terms[0].over);
        if (!alike) return std::nullopt;
        pairs.emplace_back(p.terms[0].over, q.terms[0].over);
    }
    for (const auto& x : pairs)
        for (const auto& y : pairs)
            if ((x.first == y.first) != (x.second == y.second)) return std::nullopt;
    return pairs;
}

}  // namespace

std::optional<matrix_factors> factor_table::find(const graph& values,
                                                 const matrices_at& wanted) const {
    for (const matrix_factors& known : known_) {
        if (known.is_of_half()) continue;
        const auto pairs = corresponding(values, known.of.where, wanted.where);
        if (!pairs) continue;
        const auto here = [&](loop l) {
            const auto found = std::find_if(pairs->begin(), pairs->end(),
                                            [&](const auto& p) { return p.first == l; });
            return found == pairs->end() ? loop::none : found->second;
        };
        const bool one = known.size == 1;  // such loops stand nowhere
        const bool same =
            one || (here(known.of.row) == wanted.row && here(known.of.column) == wanted.column);
        const bool turned =
            here(known.of.row) == wanted.column && here(known.of.column) == wanted.row;
        if (!same && !turned) continue;
        matrix_factors found = known;
        found.of = wanted;
        for (loop& l : found.batch) l = here(l);
        if (!same) found.transposed = !found.transposed;
        return found;
    }
    return std::nullopt;
}

}  // namespace ricci::plan
