// The choice among the ways of carrying out a contraction.
#include "src/contract/candidates.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "src/contract/blocked.hpp"
#include "src/contract/bound_operands.hpp"
#include "src/contract/direct.hpp"
#include "src/contract/element_types.hpp"
#include "src/contract/empty_sum.hpp"
#include "src/contract/interleaved_batch.hpp"
#include "src/contract/packed_batch.hpp"
#include "src/contract/small_product.hpp"
#include "src/contract/transposed_output.hpp"
#include "src/contract/vector_product.hpp"

namespace ricci::contractions {
namespace {

template <class T, class Stored>
struct candidate {
    using maker = std::unique_ptr<const strategy> (*)(index_groups&&,
                                                      const kernels::kernel_table<T, Stored>&);
    const char* name;
    cost estimate;
    maker make;
    bool exchanges = false;  // A and B take each other's places first
};

template <class How, class T, class Stored>
std::unique_ptr<const strategy> make(index_groups&& groups,
                                     const kernels::kernel_table<T, Stored>& table) {
    return std::make_unique<How>(std::move(groups), table);
}

template <class T, class Stored>
bool is_cheaper(const candidate<T, Stored>& x, const candidate<T, Stored>& y) {
    return x.estimate.cycles() < y.estimate.cycles();
}

template <class T, class Stored>
candidate<T, Stored> take_cheapest(std::vector<candidate<T, Stored>>& all) {
    const auto best = std::min_element(all.begin(), all.end(), is_cheaper<T, Stored>);
    const candidate<T, Stored> taken = *best;
    all.erase(best);
    return taken;
}

// Small matrices with A and B exchanged: where columns lie next to each other only then, a kernel
// reads them as they are, although they fill less of a vector. A few batches are over before that
// is looked at.
template <class T>
void list_exchanged(const index_groups& groups, const kernels::kernel_table<T>& table,
                    std::vector<candidate<T, T>>& to) {
    constexpr std::int64_t least_batches = 16;
    if (iterations(groups.batch) < least_batches) return;
    const index_groups other = exchanged(groups, table.lanes);
    if (!suits_direct(other, table)) return;
    const costs estimates(other, table.lanes, static_cast<std::int64_t>(sizeof(T)));
    to.push_back({"direct product", estimates.direct(), make<direct<T>, T, T>, true});
}

// Every way that the contraction can go, in the order in which the first of equal ones is taken.
template <class T, class Stored>
std::vector<candidate<T, Stored>> list_candidates(const index_groups& groups,
                                                  const kernels::kernel_table<T, Stored>& table) {
    const costs estimates(groups, table.lanes, static_cast<std::int64_t>(sizeof(Stored)));
    std::vector<candidate<T, Stored>> all;
    if (suits_vector_product(groups))
        all.push_back({"vector product", estimates.vector_product(),
                       make<vector_product<T, Stored>, T, Stored>});
    if (suits_interleaved_batch(groups, table.lanes, widens<T, Stored>))
        all.push_back({"interleaved batch", estimates.interleaved_batch(),
                       make<interleaved_batch<T, Stored>, T, Stored>});
    if constexpr (std::is_arithmetic_v<T> && !widens<T, Stored>) {
        if (table.transpose != nullptr && suits_packed_batch(groups, table.lanes, sizeof(T)))
            all.push_back({"packed batch", estimates.packed_batch(), make<packed_batch<T>, T, T>});
        if (suits_transposed_output(groups, table))
            all.push_back({"transposed output", estimates.transposed_output(),
                           make<transposed_output<T>, T, T>});
        if (suits_direct(groups, table))
            all.push_back({"direct product", estimates.direct(), make<direct<T>, T, T>});
        else list_exchanged(groups, table, all);
    }
    all.push_back({"blocked product", estimates.blocked(), make<blocked<T, Stored>, T, Stored>});
    return all;
}

template <class T, class Stored>
bool is_small(const index_groups& groups, const kernels::kernel_table<T, Stored>& table) {
    if constexpr (widens<T, Stored>) return false;
    else return suits_small_product(groups, table);
}

// What the other ways prepare would take longer than the product itself, which costs do not say.
template <class T, class Stored>
std::vector<candidate<T, Stored>> list_small_candidates(
    const index_groups& groups, const kernels::kernel_table<T, Stored>& table) {
    const costs estimates(groups, table.lanes, static_cast<std::int64_t>(sizeof(Stored)));
    if constexpr (std::is_arithmetic_v<T> && !widens<T, Stored>)
        if (suits_direct(groups, table))
            return {{"direct product", estimates.direct(), make<direct<T>, T, T>}};
    if constexpr (!widens<T, Stored>)
        return {{"small product", estimates.direct(), make<small_product<T>, T, T>}};
    else return {};
}

}  // namespace

std::string choice::words() const {
    const std::string more = how->words();
    std::string all = fmt::format("{}{}{}, about {:.2g} cycles of one core", name,
                                  more.empty() ? "" : ", ", more, estimate.cycles());
    if (runner_up != nullptr)
        all += fmt::format(" ({}: {:.2g})", runner_up, runner_up_estimate.cycles());
    return all;
}

template <class T, class Stored>
choice choose_strategy(index_groups groups, const kernels::kernel_table<T, Stored>& table) {
    choice made;
    if (is_empty(groups)) {
        made.name = "empty sum";
        made.how = std::make_unique<empty_sum<T, Stored>>(groups);
        return made;
    }
    auto all = is_small(groups, table) ? list_small_candidates(groups, table)
                                       : list_candidates(groups, table);
    const candidate<T, Stored> best = take_cheapest(all);
    made.name = best.name;
    made.estimate = best.estimate;
    if (best.exchanges) groups = exchanged(std::move(groups), table.lanes);
    made.how = best.make(std::move(groups), table);
    if (!all.empty()) {
        const candidate<T, Stored> next = take_cheapest(all);
        made.runner_up = next.name;
        made.runner_up_estimate = next.estimate;
    }
    return made;
}

template <class T, class Stored>
choice choose_listed(index_groups groups, const index_groups& plain, const operand_lists& lists,
                     const kernels::kernel_table<T, Stored>& table) {
    const costs estimates(plain, table.lanes, static_cast<std::int64_t>(sizeof(Stored)));
    choice made;
    made.name = "blocked product";
    made.estimate = estimates.blocked();
    made.how = std::make_unique<const blocked<T, Stored>>(std::move(groups), table, false, lists);
    return made;
}

template <class T, class Stored>
cost least_cost(const index_groups& groups, const kernels::kernel_table<T, Stored>& table) {
    if (is_empty(groups)) return {};
    const auto all = list_candidates(groups, table);
    return std::min_element(all.begin(), all.end(), is_cheaper<T, Stored>)->estimate;
}

#define RICCI_INSTANTIATE(T, S)                                                            \
    template choice choose_strategy(index_groups, const kernels::kernel_table<T, S>&);     \
    template choice choose_listed(index_groups, const index_groups&, const operand_lists&, \
                                  const kernels::kernel_table<T, S>&);                     \
    template cost least_cost(const index_groups&, const kernels::kernel_table<T, S>&)
RICCI_FOR_CONTRACTED_TYPES(RICCI_INSTANTIATE);
#undef RICCI_INSTANTIATE

}  // namespace ricci::contractions
