#include "src/network/reduced_network.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include <fmt/core.h>

#include <ricci/error.hpp>

#include "src/network/zero_search.hpp"

namespace ricci::networks {
namespace {

bool is_axis(const std::vector<place_of_root>& axes, std::int32_t root) {
    return std::any_of(axes.begin(), axes.end(),
                       [&](const place_of_root& at) { return at.root == root; });
}

// Places that there are, or two axes of one extent, one of which runs as the other does or back.
bool is_possible(const zero_fact& fact, const std::vector<place_of_root>& axes,
                 const index_places& places) {
    if (fact.index < 0 || !is_axis(axes, fact.index)) return false;
    const std::int64_t extent = places.of(fact.index).extent;
    if (fact.other >= 0) {
        const bool forwards = fact.first == 0 && fact.step == 1;
        const bool backwards = fact.first == extent - 1 && fact.step == -1;
        return fact.count == extent && fact.other != fact.index && is_axis(axes, fact.other) &&
               places.of(fact.other).extent == extent && (forwards || backwards);
    }
    const bool is_one = fact.count == 1 && fact.step == 1;
    return fact.first >= 0 && fact.step > 0 && (is_one || fact.count > 1) && fact.first < extent &&
           fact.count - 1 <= (extent - 1 - fact.first) / fact.step;
}

}  // namespace

reduced_network::reduced_network(const network_data& n, std::span<const zero_fact> facts)
    : facts_(n.operands.size()) {
    index_places places(n);
    for (const zero_fact& fact : facts) take_up(n, fact, places);
    for (std::size_t k = 0; k < n.operands.size(); ++k) {
        const array& whole = n.operands[k];
        axes_.push_back(places.of(n.axes(k)));
        extents_.emplace_back(whole.extents().begin(), whole.extents().end());
        std::vector<std::int64_t> numbers;
        for (const reduced_axis& a : reduced(whole, axes_[k]).axes)
            numbers.push_back(n.numbers[static_cast<std::size_t>(a.root)]);
        data_.add(left_of(k, whole), numbers, n.conjugate[k]);
    }
    kept_ = places.of(n.kept);
    std::vector<std::int64_t> numbers;
    for (std::size_t axis = 0; axis < n.kept.size(); ++axis) {
        kept_extents_.push_back(n.extents[static_cast<std::size_t>(n.kept[axis])]);
        if (kept_[axis].root < 0) continue;
        const std::int64_t number = n.numbers[static_cast<std::size_t>(kept_[axis].root)];
        if (std::find(numbers.begin(), numbers.end(), number) == numbers.end())
            numbers.push_back(number);
    }
    data_.keep(numbers);
}

void reduced_network::take_up(const network_data& n, const zero_fact& fact, index_places& places) {
    const auto operand = static_cast<std::size_t>(fact.operand);
    if (fact.operand < 0 || operand >= n.operands.size())
        throw error("ricci: the order rests on zeros of a tensor that the network has not.");
    auto axes = places.of(n.axes(operand));
    if (!is_possible(fact, axes, places))
        throw error(
            fmt::format("ricci: the order rests on zeros that tensor {} of the network "
                        "cannot have.",
                        operand));
    facts_[operand].push_back({fact, std::move(axes)});
    places.apply(fact);
}

void reduced_network::check(std::size_t operand, const array& value) const {
    const bool holding =
        is_finite(value) &&
        std::all_of(facts_[operand].begin(), facts_[operand].end(), [&](const placed_fact& f) {
            return holds(f.fact, value, reduced(value, f.axes));
        });
    if (!holding)
        throw error(
            fmt::format("ricci: tensor {} of the network has other values than those whose "
                        "zeros the order rests on.",
                        operand));
}

array reduced_network::left_of(std::size_t operand, const array& value) const {
    check(operand, value);
    return reduced_array(value, reduced(value, axes_[operand]));
}

bool reduced_network::has_shape_of(std::size_t operand, const array& value) const {
    return std::equal(value.extents().begin(), value.extents().end(), extents_[operand].begin(),
                      extents_[operand].end());
}

array reduced_network::whole_result(element type) const { return array(type, kept_extents_); }

void reduced_network::put(const array& result, array& whole) const {
    const reduced_operand there = reduced(whole, kept_);
    const std::size_t bytes = size_of(whole.type());
    const auto* from = static_cast<const std::byte*>(result.data());
    auto* const to = static_cast<std::byte*>(whole.data());
    std::vector<std::int64_t> at(there.axes.size(), 0);
    std::int64_t offset = there.offset;
    for (std::size_t left = result.size(); left > 0; --left, from += bytes) {
        std::memcpy(to + offset * static_cast<std::int64_t>(bytes), from, bytes);
        for (std::size_t axis = at.size(); axis > 0; --axis) {
            const reduced_axis& a = there.axes[axis - 1];
            offset += a.stride;
            if (++at[axis - 1] < a.extent) break;
            offset -= a.extent * a.stride;
            at[axis - 1] = 0;
        }
    }
}

}  // namespace ricci::networks
