#include "src/plan/forms/matrix_factors.hpp"

#include <algorithm>

#include "src/plan/pool/match.hpp"

namespace ricci::plan {

std::optional<matrix_factors> factor_table::find(const graph& values,
                                                 const matrices_at& wanted) const {
    for (const matrix_factors& known : known_) {
        if (known.is_of_half()) continue;
        const auto same_elements = match(values, known.of.where, wanted.where);
        if (!same_elements) continue;
        const auto here = [&](loop l) {
            const auto found =
                std::ranges::find(same_elements->names, l, &loop_map::value_type::first);
            return found == same_elements->names.end() ? loop::none : found->second;
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
