// Some elements of a network's result: places chosen for some kept indices, a row of them at a
// time.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <ricci/error.hpp>
#include <ricci/network.hpp>

#include "src/network/choice_rows.hpp"
#include "src/network/prepared_state.hpp"
#include "src/network/range_check.hpp"

namespace ricci {
namespace networks {
namespace {

std::vector<std::int32_t> chosen_indices(const network_data& n, const detail::index_list& numbers) {
    std::vector<std::int32_t> chosen;
    for (const std::int64_t number : numbers) {
        const std::int32_t i = n.find(number);
        if (i < 0 || !has_index(n.kept, i))
            throw error(fmt::format(
                "ricci: places are chosen of index {}, which the network does not keep.", number));
        if (has_index(chosen, i))
            throw error(fmt::format("ricci: places of index {} are chosen twice.", number));
        chosen.push_back(i);
    }
    return chosen;
}

choice_rows rows_of(const network_data& n, const detail::index_list& numbers, const array& table) {
    if (table.type() != element::i64 || table.rank() != 2 || table.is_shape())
        throw error(
            fmt::format("ricci: choices are a table of i64, a row for each, and not {} of {}{}.",
                        table.rank() == 2 ? "a table" : fmt::format("{} axes", table.rank()),
                        name_of(table.type()), table.is_shape() ? ", without elements" : ""));
    if (table.extent(1) != numbers.size())
        throw error(
            fmt::format("ricci: places of {} indices are chosen, and the table of choices has {} "
                        "columns.",
                        numbers.size(), table.extent(1)));
    choice_rows rows;
    rows.indices = chosen_indices(n, numbers);
    rows.count = table.extent(0);
    rows.places.reserve(rows.count * numbers.size());
    const auto* const places = static_cast<const std::int64_t*>(table.data());
    for (std::size_t r = 0; r < rows.count; ++r)
        for (std::size_t c = 0; c < numbers.size(); ++c) {
            const std::int64_t place = places[static_cast<std::int64_t>(r) * table.strides()[0] +
                                              static_cast<std::int64_t>(c) * table.strides()[1]];
            const std::size_t extent = n.extents[at(rows.indices[c])];
            if (place < 0 || static_cast<std::uint64_t>(place) >= extent)
                throw error(
                    fmt::format("ricci: choice {} has place {} of index {}, whose extent is {}.", r,
                                place, numbers[c], extent));
            rows.places.push_back(place);
        }
    return rows;
}

// Of a run that is not scaled, all exponents are 0.
std::vector<scaled> amplitudes_of(const network_data& n, const order_data& order,
                                  const choice_rows& all, const contract_options& options) {
    bound_network bound(n, order, options);
    const distinct_rows distinct = distinct_of(all);
    if (all.count == 0) return {};
    // An index that is chosen has one place at a time, sliced or not.
    std::vector<path::slice> slices;
    for (const path::slice& s : order.slices)
        if (!has_index(all.indices, s.index)) slices.push_back(s);
    std::vector<std::int32_t> left;
    for (const std::int32_t i : n.kept)
        if (!has_index(all.indices, i)) left.push_back(i);
    std::vector<array> results;
    for (std::size_t r = 0; r < distinct.rows.count; ++r) results.push_back(bound.result_of(left));
    bound.asked.slices = slices;
    bound.asked.choices = &distinct.rows;
    network_run run(bound.asked);
    run_with_progress(run, options.progress);
    for (const array& found : results)
        if (!options.scaled && options.algebra == algebra::sum_product)
            refuse_beyond_range(found, bound.operands, "amplitudes_scaled()");
    std::vector<scaled> given;
    std::vector<bool> is_given(results.size(), false);
    for (const std::size_t r : distinct.number) {
        const array& found = results[r];
        given.push_back({bound.given != bound.computed ? found.converted(bound.given)
                         : is_given[r]                 ? found.clone()
                                                       : found,
                         static_cast<double>(run.exponent10(r))});
        is_given[r] = true;
    }
    return given;
}

}  // namespace
}  // namespace networks

std::vector<array> amplitudes(const network& n, const contraction_order& order,
                              detail::index_list indices, detail::network_operand choices,
                              const contract_options& options) {
    const networks::choice_rows rows = networks::rows_of(n.data(), indices, choices.value());
    if (options.scaled)
        throw error(
            "ricci: amplitudes() has no exponents to give beside its results: amplitudes_scaled() "
            "has.");
    std::vector<array> found;
    for (scaled& s : networks::amplitudes_of(n.data(), order.data(), rows, options))
        found.push_back(std::move(s.mantissa));
    return found;
}

std::vector<scaled> amplitudes_scaled(const network& n, const contraction_order& order,
                                      detail::index_list indices, detail::network_operand choices,
                                      const contract_options& options) {
    contract_options wanted = options;
    wanted.scaled = true;
    const networks::choice_rows rows = networks::rows_of(n.data(), indices, choices.value());
    return networks::amplitudes_of(n.data(), order.data(), rows, wanted);
}

}  // namespace ricci
