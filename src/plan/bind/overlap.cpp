// Shared elements of strided tensors: a search for index values that give the same address.
#include "src/plan/bind/overlap.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace ricci::plan {
namespace {

/// One unknown 0 <= x < extent, which adds x * stride.
struct unknown {
    std::int64_t stride = 0;  // positive
    std::int64_t extent = 1;
};

constexpr int search_bound = 100000;

/// Is `goal` a sum of x * stride over the unknowns? Largest
/// strides first; of each only those values are tried that the rest can still make up for.
class search {
public:
    explicit search(std::vector<unknown> unknowns) : unknowns_(std::move(unknowns)) {
        std::erase_if(unknowns_, [](const unknown& u) { return u.extent <= 1; });
        std::ranges::sort(unknowns_,
                          [](const unknown& a, const unknown& b) { return a.stride > b.stride; });
        const std::size_t n = unknowns_.size();
        reach_.assign(n + 1, 0);
        divisor_.assign(n + 1, 0);
        for (std::size_t k = n; k-- > 0;) {
            reach_[k] = reach_[k + 1] + unknowns_[k].stride * (unknowns_[k].extent - 1);
            divisor_[k] = std::gcd(divisor_[k + 1], unknowns_[k].stride);
        }
    }
    bool reaches(std::int64_t goal) { return reaches(goal, 0); }

private:
    bool reaches(std::int64_t goal, std::size_t k) {
        if (goal < 0 || goal > reach_[k]) return false;
        if (goal == 0) return true;
        if (goal % divisor_[k] != 0) return false;  // k < n here: the reach of nothing is 0
        if (++tried_ > search_bound) return true;
        const auto& u = unknowns_[k];
        const std::int64_t most = std::min(u.extent - 1, goal / u.stride);
        for (std::int64_t x = most; x >= 0; --x) {
            const std::int64_t left = goal - x * u.stride;
            if (left > reach_[k + 1]) return false;
            if (reaches(left, k + 1)) return true;
        }
        return false;
    }

    std::vector<unknown> unknowns_;
    std::vector<std::int64_t> reach_;
    std::vector<std::int64_t> divisor_;
    int tried_ = 0;
};

bool empty(const footprint& a) {
    return std::ranges::any_of(a.extents, [](std::int64_t n) { return n == 0; });
}

// Moves the origin to the lowest address, so that all strides are positive or zero.
std::int64_t lowest(const footprint& a) {
    std::int64_t offset = 0;
    for (std::size_t k = 0; k < a.extents.size(); ++k)
        if (a.strides[k] < 0) offset += a.strides[k] * (a.extents[k] - 1);
    return offset;
}

}  // namespace

bool overlap(const footprint& a, const footprint& b) {
    if (empty(a) || empty(b)) return false;
    const auto a_size = static_cast<std::int64_t>(a.element_size);
    const auto b_size = static_cast<std::int64_t>(b.element_size);
    const std::int64_t bytes =
        reinterpret_cast<std::intptr_t>(b.data) - reinterpret_cast<std::intptr_t>(a.data);
    // Distance from the lowest byte of A to the lowest of B, in bytes.
    const std::int64_t distance = bytes + lowest(b) * b_size - lowest(a) * a_size;
    const bool aligned = a_size == b_size && distance % a_size == 0;
    // Where elements lie on one grid it is they that are counted, otherwise bytes: an element of A
    // then has one more axis, of its bytes, and one of B likewise.
    const std::int64_t unit = aligned ? a_size : 1;
    std::int64_t a_reach = 0, b_reach = 0;
    std::vector<unknown> unknowns;
    for (const auto* f : {&a, &b}) {
        const std::int64_t size = (f == &a ? a_size : b_size) / unit;
        std::int64_t& reach = f == &a ? a_reach : b_reach;
        const auto add = [&](std::int64_t stride, std::int64_t extent) {
            reach += stride * (extent - 1);
            if (stride != 0) unknowns.push_back({stride, extent});
        };
        for (std::size_t k = 0; k < f->extents.size(); ++k)
            add(std::abs(f->strides[k]) * size, f->extents[k]);
        add(1, size);
    }
    const std::int64_t apart = distance / unit;
    if (apart > a_reach || -apart > b_reach) return false;
    // x over A and y over B with sum s x - sum t y = apart; y counted from its upper end gives
    // sum s x + sum t y' = apart + reach of B.
    return search(std::move(unknowns)).reaches(apart + b_reach);
}

bool identical(const footprint& a, const footprint& b) {
    if (a.data != b.data || a.extents != b.extents || a.element_size != b.element_size)
        return false;
    for (std::size_t k = 0; k < a.extents.size(); ++k)
        if (a.extents[k] > 1 && a.strides[k] != b.strides[k]) return false;
    return true;
}

bool overlaps_itself(const footprint& a) {
    if (empty(a)) return false;
    std::vector<unknown> axes;
    for (std::size_t k = 0; k < a.extents.size(); ++k)
        if (a.extents[k] > 1) axes.push_back({std::abs(a.strides[k]), a.extents[k]});
    std::ranges::sort(axes, [](const unknown& x, const unknown& y) { return x.stride < y.stride; });
    std::int64_t reach = 0;
    bool nested = true;  // every stride steps over all that the smaller ones reach
    for (const auto& axis : axes) {
        nested = nested && axis.stride > reach;
        reach += axis.stride * (axis.extent - 1);
    }
    if (nested) return false;
    // Two elements differ by d_k in axis k. Let the axis k be the first with d_k not 0, and d_k >
    // 0: is d_k * stride_k + sum over later axes of d * stride = 0, for d from -(extent - 1) on?
    for (std::size_t k = 0; k < axes.size(); ++k) {
        if (axes[k].stride == 0) return true;
        std::vector<unknown> unknowns{{axes[k].stride, axes[k].extent - 1}};
        std::int64_t later = 0;
        for (std::size_t other = k + 1; other < axes.size(); ++other) {
            unknowns.push_back({axes[other].stride, 2 * axes[other].extent - 1});
            later += axes[other].stride * (axes[other].extent - 1);
        }
        if (search(std::move(unknowns)).reaches(later - axes[k].stride)) return true;
    }
    return false;
}

}  // namespace ricci::plan
