// Extents and strides of slices, reshapes and broadcasts, and what is said of those that cannot be.
#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <ricci/detail/shape_changes.hpp>
#include <ricci/detail/values.hpp>
#include <ricci/error.hpp>

namespace ricci::detail {
namespace {

template <class Number>
std::string listed(const Number* numbers, std::size_t count) {
    const std::vector<std::ptrdiff_t> list(numbers,
                                           numbers + count);  // signed: -1 is shown as such
    return fmt::format("({})", fmt::join(list, ", "));
}

std::size_t checked_axis(std::size_t rank, int axis) {
    if (axis < 0 || static_cast<std::size_t>(axis) >= rank)
        throw error(fmt::format("axis {} is asked for, and there {}, counted from 0", axis,
                                rank == 1 ? "is 1 axis" : fmt::format("are {} axes", rank)));
    return static_cast<std::size_t>(axis);
}

bool has_elements(const std::size_t* extents, std::size_t rank) {
    for (std::size_t axis = 0; axis < rank; ++axis)
        if (extents[axis] == 0) return false;
    return true;
}

/// False when the number is not representable.
bool multiply_all(const std::size_t* extents, std::size_t rank, std::size_t& product) {
    product = 1;
    if (!has_elements(extents, rank)) return product = 0, true;
    for (std::size_t axis = 0; axis < rank; ++axis)
        if (__builtin_mul_overflow(product, extents[axis], &product)) return false;
    return true;
}

constexpr auto to_be_found = static_cast<std::size_t>(-1);

[[noreturn]] void throw_other_size(const axes& from, const std::string& asked) {
    std::size_t size = 0;
    multiply_all(from.extents, from.rank, size);
    throw error(fmt::format("extents {} are asked for, and extents {} have {} elements", asked,
                            listed(from.extents, from.rank), size));
}

/// Puts in the extent that is given as -1, and checks that the number of elements stays.
void settle_extents(const axes& from, const new_axes& to) {
    const std::string asked = listed(to.extents, to.rank);
    std::size_t wanted = 0, size = 0;
    std::size_t* open = nullptr;
    multiply_all(from.extents, from.rank, wanted);
    for (std::size_t axis = 0; axis < to.rank; ++axis) {
        if (to.extents[axis] != to_be_found) continue;
        if (open != nullptr) throw_other_size(from, asked);
        open = &to.extents[axis];
        *open = 1;
    }
    if (!multiply_all(to.extents, to.rank, size)) throw_other_size(from, asked);
    if (open != nullptr && size > 0) {
        *open = wanted / size;
        size *= *open;
    } else if (open != nullptr) {
        throw_other_size(from, asked);  // any extent would do beside one of 0
    }
    if (size != wanted) throw_other_size(from, asked);
}

}  // namespace

void throw_ragged(int axis, std::size_t first, std::size_t other) {
    throw error(
        fmt::format("a list of values is ragged: in axis {} the first list has length {} "
                    "and another has length {}",
                    axis, first, other));
}

void throw_values_or_extents(int rank) {
    throw error(
        rank == 1 ? "{n} could be one value or the extent of a tensor of rank 1: write "
                    "tensor<T, 1> x({n}) for the extent, and for the value x({1}) and then x = {n}"
                  : "{{n, m}} could be a row of values or the extents of a tensor of rank 2: write "
                    "tensor<T, 2> x({n, m}) for extents, and for values x({1, 2}) and then "
                    "x = {{n, m}}");
}

void throw_extents_of_rank_1(std::size_t count) {
    throw error(
        fmt::format("a tensor of rank 1 has one extent, and {} are given in parentheses; "
                    "values are written tensor<T, 1> v = {{...}}",
                    count));
}

std::ptrdiff_t slice_axis(new_axes a, int axis, std::ptrdiff_t first, std::ptrdiff_t last,
                          std::ptrdiff_t step) {
    const std::size_t at = checked_axis(a.rank, axis);
    const auto extent = static_cast<std::ptrdiff_t>(a.extents[at]);
    if (first < 0 || last < first || last > extent || step < 1)
        throw error(
            fmt::format("a slice of axis {} from {} to {} with step {} is asked for, and "
                        "the axis has extent {}",
                        axis, first, last, step, extent));
    a.extents[at] = static_cast<std::size_t>((last - first) / step + ((last - first) % step != 0));
    const std::ptrdiff_t offset = first * a.strides[at];
    // the product with a step that leads beyond the axis might not be representable
    if (a.extents[at] > 1) a.strides[at] *= step;
    return has_elements(a.extents, a.rank) ? offset : 0;
}

std::ptrdiff_t reverse_axis(new_axes a, int axis) {
    const std::size_t at = checked_axis(a.rank, axis);
    const std::ptrdiff_t stride = a.strides[at];
    a.strides[at] = -stride;
    return has_elements(a.extents, a.rank)
               ? (static_cast<std::ptrdiff_t>(a.extents[at]) - 1) * stride
               : 0;
}

std::ptrdiff_t fix_axis(axes from, int axis, std::ptrdiff_t position, new_axes to) {
    const std::size_t at = checked_axis(from.rank, axis);
    const auto extent = static_cast<std::ptrdiff_t>(from.extents[at]);
    if (position < 0 || position >= extent)
        throw error(fmt::format("position {} of axis {} is asked for, and the axis has extent {}",
                                position, axis, extent));
    for (std::size_t k = 0; k < to.rank; ++k) {
        to.extents[k] = from.extents[k + (k >= at)];
        to.strides[k] = from.strides[k + (k >= at)];
    }
    return has_elements(to.extents, to.rank) ? position * from.strides[at] : 0;
}

void permute_axes(axes from, const int* order, new_axes to) {
    for (std::size_t k = 0; k < to.rank; ++k) {
        bool fits = order[k] >= 0 && static_cast<std::size_t>(order[k]) < from.rank;
        for (std::size_t before = 0; before < k; ++before) fits = fits && order[before] != order[k];
        if (!fits)
            throw error(
                fmt::format("the axes are asked for in the order {}, and an order has each "
                            "of the {} axes once, counted from 0",
                            listed(order, to.rank), from.rank));
        to.extents[k] = from.extents[order[k]];
        to.strides[k] = from.strides[order[k]];
    }
}

// Old and new axes are gone over together, in groups of equal size. What an old group holds can be
// cut anew only if its axes follow each other without gaps.
void reshape_axes(axes from, new_axes to) {
    settle_extents(from, to);
    if (!has_elements(to.extents, to.rank)) {
        for (std::size_t axis = 0; axis < to.rank; ++axis) to.strides[axis] = 0;
        return;
    }
    const auto skip_ones = [&](std::size_t axis) {
        while (axis < from.rank && from.extents[axis] == 1) ++axis;
        return axis;
    };
    std::size_t old_axis = skip_ones(0), new_axis = 0;
    while (new_axis < to.rank) {
        const std::size_t begin = new_axis;
        std::size_t new_size = to.extents[new_axis++];
        if (new_size == 1) {
            to.strides[begin] = 1;
            continue;
        }
        // the sizes of both are equal, so neither runs out before the other
        std::size_t old_size = from.extents[old_axis], last = old_axis;
        while (old_size != new_size) {
            if (new_size < old_size) {
                new_size *= to.extents[new_axis++];
                continue;
            }
            const std::size_t next = skip_ones(last + 1);
            if (from.strides[last] !=
                from.strides[next] * static_cast<std::ptrdiff_t>(from.extents[next]))
                throw error(fmt::format(
                    "no view of a tensor of extents {} and strides {} has extents {}: its elements "
                    "have gaps between them or another order; clone() it first",
                    listed(from.extents, from.rank), listed(from.strides, from.rank),
                    listed(to.extents, to.rank)));
            old_size *= from.extents[next];
            last = next;
        }
        std::ptrdiff_t stride = from.strides[last];
        for (std::size_t axis = new_axis; axis-- > begin;) {
            to.strides[axis] = stride;
            stride *= static_cast<std::ptrdiff_t>(to.extents[axis]);
        }
        old_axis = skip_ones(last + 1);
    }
}

void broadcast_axes(axes from, new_axes to) {
    for (std::size_t k = 0; k < to.rank; ++k) to.strides[k] = 0;
    bool fits = to.rank >= from.rank;
    for (std::size_t k = 0; fits && k < from.rank; ++k) {
        const std::size_t at = to.rank - from.rank + k;
        if (from.extents[k] == to.extents[at]) to.strides[at] = from.strides[k];
        else fits = from.extents[k] == 1;
    }
    for (std::size_t k = 0; k < to.rank; ++k)
        fits = fits && static_cast<std::ptrdiff_t>(to.extents[k]) >= 0;
    if (!fits)
        throw error(
            fmt::format("extents {} are not broadcast to {}: from the last axis backwards "
                        "each has to be the same or 1",
                        listed(from.extents, from.rank), listed(to.extents, to.rank)));
}

void expand_axes(axes from, int axis, std::ptrdiff_t extent, new_axes to) {
    const std::size_t at = checked_axis(to.rank, axis);
    if (extent < 0)
        throw error(
            fmt::format("a new axis {} of extent {} is asked for, and an extent is not "
                        "negative",
                        axis, extent));
    for (std::size_t k = 0; k < to.rank; ++k) {
        to.extents[k] = k == at ? static_cast<std::size_t>(extent) : from.extents[k - (k > at)];
        to.strides[k] = k == at ? 0 : from.strides[k - (k > at)];
    }
}

}  // namespace ricci::detail
