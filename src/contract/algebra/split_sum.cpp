// Few elements of many terms, in parts of k.
#include "src/contract/algebra/split_sum.hpp"

#include <algorithm>
#include <span>

namespace ricci::contractions {
namespace {

using steps::contraction_loop;

constexpr std::int64_t most_elements = 64;
constexpr std::int64_t least_terms = std::int64_t{1} << 17;
constexpr std::int64_t terms_in_part = std::int64_t{1} << 15;

std::int64_t count_of(std::span<const contraction_loop> loops) {
    std::int64_t count = 1;
    for (const contraction_loop& loop : loops) count *= loop.extent;
    return count;
}

std::int64_t elements_of(const steps::algebra_product& what) {
    return count_of(what.batch) * count_of(what.m) * count_of(what.n);
}

}  // namespace

bool suits_split_sum(const steps::algebra_product& what) {
    return !what.places && elements_of(what) < most_elements && count_of(what.k) >= least_terms;
}

split_loops::split_loops(const steps::algebra_product& what)
    : parts(what), fold(what), rest(what), elements(elements_of(what)) {
    const auto by_extent = [](const contraction_loop& x, const contraction_loop& y) {
        return x.extent < y.extent;
    };
    const auto cut = std::max_element(parts.k.begin(), parts.k.end(), by_extent);
    const std::int64_t others = count_of(what.k) / cut->extent;
    const std::int64_t size =
        std::clamp<std::int64_t>(terms_in_part / others, 1, (cut->extent + 1) / 2);
    count = cut->extent / size;

    // The rest of that loop, behind the whole parts.
    contraction_loop& left = rest.k[static_cast<std::size_t>(cut - parts.k.begin())];
    left.extent -= count * size;
    has_rest = left.extent > 0;
    rest_a = count * size * cut->a;
    rest_b = count * size * cut->b;

    // Parts lie one behind the other, elements densely in each.
    fold.batch.clear();
    fold.m.clear();
    fold.n.clear();
    std::int64_t dense = 1;
    for (loop_list* loops : {&parts.batch, &parts.m, &parts.n}) {
        for (contraction_loop& loop : *loops) {
            fold.m.push_back({loop.extent, dense, 0, loop.c});
            loop.c = dense;
            dense *= loop.extent;
        }
    }
    parts.batch.push_back({count, size * cut->a, size * cut->b, elements});
    cut->extent = size;
    fold.k = {{count, elements, 0, 0}};
}

}  // namespace ricci::contractions
