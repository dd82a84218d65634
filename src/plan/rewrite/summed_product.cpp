#include "src/plan/rewrite/summed_product.hpp"

#include <algorithm>
#include <cstdint>

#include "src/plan/forms/path_through.hpp"
#include "src/plan/pool/conditions.hpp"

namespace ricci::plan {
namespace {

// A sum of what a condition leaves of two loops is not by all pairs where there are so many places,
// and so many for each value that a product of two of its factors sums.
constexpr std::int64_t least_places_with_state = 256;
constexpr double state_over_summed = 6;

}  // namespace

summed_product::summed_product(const graph& values, expr sum) {
    const auto& node = values[sum];
    if (node.kind != kind::sum) return;
    for (const expr f : values.factors(node.arguments[0]))
        (values.is_scalar(f) ? scalars : factors).push_back(f);
    over = node.over;
}

loop_list summed_product::closed_by(const graph& values, std::size_t a, std::size_t b) const {
    auto closed = common(over, united(values[factors[a]].indices, values[factors[b]].indices));
    for (std::size_t k = 0; k < factors.size(); ++k)
        if (k != a && k != b) closed = without(closed, values[factors[k]].indices);
    return closed;
}

expr summed_product::sum_of_pair(graph& values, std::size_t a, std::size_t b) const {
    return values.sum(closed_by(values, a, b), values.multiply({factors[a], factors[b]}));
}

bool summed_product::pairs_places(graph& values, std::size_t a, std::size_t b) const {
    const auto &first = values[factors[a]].indices, &second = values[factors[b]].indices;
    const double summed = values.size(closed_by(values, a, b));
    for (std::size_t k = 0; k < factors.size(); ++k) {
        if (k == a || k == b || !related_by(values, factors[k])) continue;
        const auto& compared = values[factors[k]].indices;
        const bool apart = without(compared, united(first, second)).empty() &&
                           common(compared, first).size() == 1 &&
                           common(compared, second).size() == 1;
        bool mixed = false;  // another factor has both: there is no state
        for (const expr other : factors)
            mixed = mixed || (without(compared, values[other].indices).empty() &&
                              !related_by(values, other));
        if (!apart || mixed || common(compared, over).empty()) continue;
        const auto places = std::min(values.extent(compared[0]), values.extent(compared[1]));
        if (places >= least_places_with_state &&
            static_cast<double>(places) >= state_over_summed * summed)
            return true;
    }
    return false;
}

bool summed_product::is_contracted(const graph& values) const {
    loop_list all = over;
    for (const expr f : factors) all = united(all, values[f].indices);
    return std::ranges::none_of(factors,
                                [&](expr f) { return values[f].indices.size() == all.size(); });
}

double summed_product::multiplications(const graph& values) const {
    return path_through(values, factors, over).multiplications;
}

bool is_read_elsewhere(const graph& values, expr sum) {
    const auto& node = values[sum];
    if (node.kind != kind::sum) return false;
    loop_list told;
    int read = 0;
    for (const expr f : values.factors(node.arguments[0])) {
        if (!values.is_bracket(f)) {
            const auto what = values[f].kind;
            if (what != kind::load && what != kind::gather) return false;
            ++read;
        } else if (const auto found = loop_equality_in(values, f, [&](loop l, expr number) {
                       return contains(node.over, l) &&
                              common(node.over, values[number].indices).empty();
                   })) {
            add_loop(told, found->what);
        }
    }
    return read == 1 && without(node.over, told).empty();
}

}  // namespace ricci::plan
