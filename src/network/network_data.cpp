// Tensors are added, and what is wrong with them said.
#include "src/network/network_data.hpp"

#include <algorithm>
#include <limits>

#include <fmt/core.h>

#include <ricci/error.hpp>

#include "src/base/mixed_hash.hpp"

namespace ricci::networks {
namespace {

std::uint64_t hash_of_number(std::int64_t number) {
    return mixed(0, static_cast<std::uint64_t>(number));
}

std::string plural(std::size_t count, const char* one, const char* many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

void check_rank_and_type(const network_data& n, const array& operand, std::size_t numbers) {
    const std::size_t k = n.operands.size();
    if (operand.rank() != numbers)
        throw error(fmt::format("ricci: tensor {} of the network has {}, and {} given.", k,
                                plural(operand.rank(), "axis", "axes"),
                                plural(numbers, "index is", "indices are")));
    if (operand.type() == element::boolean)
        throw error(
            fmt::format("ricci: tensor {} of the network is of bool, which nothing is "
                        "computed with.",
                        k));
    if (k > 0 && operand.type() != n.operands[0].type())
        throw error(fmt::format(
            "ricci: tensor {} of the network is of {}, and tensor 0 of {}: all have one type.", k,
            name_of(operand.type()), name_of(n.operands[0].type())));
}

// An index that was there before has its extent; one that is there twice, the same both times.
void check_extents(const network_data& n, const array& operand,
                   std::span<const std::int64_t> numbers) {
    const std::size_t k = n.operands.size();
    for (std::size_t axis = 0; axis < numbers.size(); ++axis) {
        const std::size_t extent = operand.extent(axis);
        if (const std::int32_t known = n.find(numbers[axis]); known >= 0) {
            const auto i = static_cast<std::size_t>(known);
            if (n.extents[i] == extent) continue;
            throw error(fmt::format(
                "ricci: index {} of the network has extent {} in tensor {} and {} in tensor {}.",
                numbers[axis], n.extents[i], n.named_by[i], extent, k));
        }
        for (std::size_t before = 0; before < axis; ++before)
            if (numbers[before] == numbers[axis] && operand.extent(before) != extent)
                throw error(fmt::format(
                    "ricci: index {} has extent {} in axis {} and {} in axis {} of tensor {} of "
                    "the network.",
                    numbers[axis], operand.extent(before), before, extent, axis, k));
    }
}

}  // namespace

std::int32_t network_data::find(std::int64_t number) const {
    return by_number.find(hash_of_number(number), [&](std::int32_t i) {
        return numbers[static_cast<std::size_t>(i)] == number;
    });
}

void network_data::add(array operand, std::span<const std::int64_t> numbers_of_axes,
                       bool conjugated) {
    check_rank_and_type(*this, operand, numbers_of_axes.size());
    check_extents(*this, operand, numbers_of_axes);
    constexpr std::size_t most = std::numeric_limits<std::int32_t>::max();
    if (members.size() + numbers_of_axes.size() > most / 2 || operands.size() >= most / 2)
        throw error("ricci: a network has no more than 2^30 tensors, and as many axes.");

    shapes_hash = mixed(shapes_hash, numbers_of_axes.size());
    for (std::size_t axis = 0; axis < numbers_of_axes.size(); ++axis) {
        const std::int64_t number = numbers_of_axes[axis];
        std::int32_t i = find(number);
        if (i < 0) {
            i = static_cast<std::int32_t>(numbers.size());
            numbers.push_back(number);
            extents.push_back(operand.extent(axis));
            named_by.push_back(static_cast<std::int32_t>(operands.size()));
            by_number.insert(hash_of_number(number), i);
        }
        members.push_back(i);
        shapes_hash =
            mixed(mixed(shapes_hash, static_cast<std::uint64_t>(number)), operand.extent(axis));
    }
    first.push_back(members.size());
    conjugate.push_back(conjugated);
    without_memory += operand.is_shape();
    operands.push_back(std::move(operand));
}

void network_data::keep(std::span<const std::int64_t> numbers_kept) {
    std::vector<std::int32_t> found;
    std::vector<bool> seen(numbers.size(), false);
    for (const std::int64_t number : numbers_kept) {
        const std::int32_t i = find(number);
        if (i < 0)
            throw error(fmt::format("ricci: index {} is kept, and no tensor of the network has it.",
                                    number));
        if (seen[static_cast<std::size_t>(i)])
            throw error(fmt::format("ricci: index {} of the network is kept twice.", number));
        seen[static_cast<std::size_t>(i)] = true;
        found.push_back(i);
    }
    kept = std::move(found);
}

std::uint64_t hash_of(const network_data& n) {
    std::uint64_t of_kept = 0;  // a sum: their order does not matter to an order
    for (const std::int32_t i : n.kept)
        of_kept += hash_of_number(n.numbers[static_cast<std::size_t>(i)]);
    return mixed(mixed(n.shapes_hash, n.operands.size()), of_kept);
}

path::hypergraph hypergraph_of(const network_data& n) {
    path::hypergraph h;
    h.first.reserve(n.first.size());
    h.members.reserve(n.members.size());
    std::vector<std::size_t> last_seen(n.numbers.size(), 0);  // the operand after it
    for (std::size_t k = 0; k < n.operands.size(); ++k) {
        for (const std::int32_t i : n.axes(k)) {
            std::size_t& seen = last_seen[static_cast<std::size_t>(i)];
            if (seen != k + 1) h.members.push_back(i);
            seen = k + 1;
        }
        h.first.push_back(static_cast<std::int32_t>(h.members.size()));
    }
    h.open = n.kept;
    h.extents.reserve(n.extents.size());
    // Where an index has no places every order costs nothing; one for extents of 1 will do.
    for (const std::size_t extent : n.extents)
        h.extents.push_back(static_cast<double>(std::max<std::size_t>(extent, 1)));
    return h;
}

double bytes_of_operands(const network_data& n) {
    double bytes = 0;
    for (const array& a : n.operands)
        bytes += static_cast<double>(a.size()) * static_cast<double>(size_of(a.type()));
    return bytes;
}

}  // namespace ricci::networks
