#include "src/network/index_places.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace ricci::networks {
namespace {

std::size_t place(std::int32_t number) { return static_cast<std::size_t>(number); }

}  // namespace

index_places::index_places(const network_data& n)
    : places_(n.extents.size()), of_root_(n.extents.size()) {
    for (std::size_t i = 0; i < n.extents.size(); ++i) {
        places_[i].root = static_cast<std::int32_t>(i);
        of_root_[i] = {static_cast<std::int32_t>(i)};
        extents_.push_back(static_cast<std::int64_t>(n.extents[i]));
    }
}

place_of_root index_places::of(std::int32_t index) const {
    place_of_root at = places_[place(index)];
    if (at.root >= 0) at.extent = extents_[place(at.root)];
    return at;
}

std::vector<place_of_root> index_places::of(std::span<const std::int32_t> axes) const {
    std::vector<place_of_root> all;
    for (const std::int32_t i : axes) all.push_back(of(i));
    return all;
}

void index_places::apply(const zero_fact& fact) {
    const std::int32_t changed = fact.other >= 0 ? fact.other : fact.index;
    auto& indices = of_root_[place(changed)];
    for (const std::int32_t i : indices) {
        place_of_root& at = places_[place(i)];
        at.first += at.step * fact.first;
        at.step *= fact.step;
        at.root = fact.index;
        if (fact.other < 0 && fact.count == 1) at = {-1, at.first, 0, 1};
    }
    if (fact.other < 0) {
        extents_[place(fact.index)] = fact.count;
        if (fact.count == 1) indices.clear();
        return;
    }
    auto& joined = of_root_[place(fact.index)];
    joined.insert(joined.end(), indices.begin(), indices.end());
    indices.clear();
}

reduced_operand reduced(const array& operand, std::span<const place_of_root> axes) {
    reduced_operand left;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        const place_of_root& at = axes[axis];
        const std::int64_t stride = operand.strides()[axis];
        left.offset += at.first * stride;
        if (at.root < 0) continue;
        const auto same = std::find_if(left.axes.begin(), left.axes.end(),
                                       [&](const reduced_axis& a) { return a.root == at.root; });
        if (same != left.axes.end()) same->stride += at.step * stride;
        else left.axes.push_back({at.root, at.extent, at.step * stride});
    }
    return left;
}

array reduced_array(const array& operand, const reduced_operand& left) {
    std::vector<std::size_t> extents;
    std::vector<std::int64_t> strides;
    for (const reduced_axis& a : left.axes) {
        extents.push_back(static_cast<std::size_t>(a.extent));
        strides.push_back(a.stride);
    }
    auto owner = std::make_shared<array>(operand);
    const std::int64_t bytes = left.offset * static_cast<std::int64_t>(size_of(operand.type()));
    auto* const data = static_cast<std::byte*>(const_cast<void*>(operand.data())) + bytes;
    return array::over(std::move(owner), operand.type(), data, extents, strides, false);
}

}  // namespace ricci::networks
