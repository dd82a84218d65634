#include "src/network/more_slices.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "src/base/arithmetic.hpp"

namespace ricci::networks {
namespace {

class tree_cutter {
public:
    tree_cutter(const run_request& asked, const sliced_plan& plan)
        : tree_(plan.tree),
          extents_(asked.extents),
          widths_(plan.extents),
          may_be_cut_(plan.extents.size(), true) {
        if (asked.choices == nullptr) return;
        for (const std::int32_t i : asked.choices->indices) may_be_cut_[at(i)] = false;
    }

    std::span<const std::int64_t> widths() const { return widths_; }

    double elements() const {
        double sum = 0;
        for (const tree_step& s : tree_.steps) sum += size_of_tensor(s.result);
        return sum;
    }

    /// Halves the ranges of one index; false where all have one place.
    bool cut() {
        std::vector<double> fewer(widths_.size(), 0), with(widths_.size(), 0);
        double work = 0;
        for (const tree_step& s : tree_.steps) add(s, fewer, with, work);
        std::size_t best = widths_.size();
        double best_gain = 0;
        for (std::size_t i = 0; i < widths_.size(); ++i) {
            if (!may_be_cut_[i] || widths_[i] <= 1) continue;
            // Products without the index are made once more; a part of all of them in any case, so
            // that what costs nothing is compared, too.
            constexpr double in_any_case = 0.02;
            const double gain = fewer[i] / (work - with[i] + in_any_case * work);
            if (gain > best_gain) best = i, best_gain = gain;
        }
        if (best == widths_.size()) return false;
        widths_[best] = narrower(extents_[best], widths_[best]);
        return true;
    }

private:
    // About half the width, so that all ranges are of one length, if that is possible.
    static std::int64_t narrower(std::size_t extent, std::int64_t width) {
        const std::int64_t half = ceil_divide(width, std::int64_t{2});
        for (std::int64_t w = half; 2 * w > half; --w)
            if (static_cast<std::int64_t>(extent) % w == 0) return w;
        return half;
    }
    double size_of_tensor(std::int32_t tensor) const {
        double size = 1;
        for (const std::int32_t i : tree_.axes[at(tensor)])
            size *= static_cast<double>(widths_[at(i)]);
        return size;
    }

    // What a step has of each index: elements of its result, and of its multiplications.
    void add(const tree_step& s, std::vector<double>& fewer, std::vector<double>& with,
             double& work) {
        loops_.clear();
        for (const std::int32_t tensor : {s.left, s.right}) {
            if (tensor < 0) continue;
            for (const std::int32_t i : tree_.axes[at(tensor)])
                if (!has_index(loops_, i)) loops_.push_back(i);
        }
        double cost = 1;
        for (const std::int32_t i : loops_) cost *= static_cast<double>(widths_[at(i)]);
        work += cost;
        for (const std::int32_t i : loops_) with[at(i)] += cost;
        const double size = size_of_tensor(s.result);
        for (const std::int32_t i : tree_.axes[at(s.result)]) fewer[at(i)] += size;
    }

    const step_tree& tree_;
    std::span<const std::size_t> extents_;
    std::vector<std::int64_t> widths_;
    std::vector<bool> may_be_cut_;
    std::vector<std::int32_t> loops_;
};

}  // namespace

std::vector<path::slice> more_slices(const run_request& asked, const sliced_plan& plan,
                                     double part) {
    tree_cutter cutter(asked, plan);
    const double most = part * cutter.elements();
    bool is_cut = false;
    while (cutter.elements() > most && cutter.cut()) is_cut = true;
    if (!is_cut) return {};
    std::vector<path::slice> slices;
    for (std::size_t i = 0; i < asked.extents.size(); ++i) {
        const auto index = static_cast<std::int32_t>(i);
        const bool is_chosen = asked.choices != nullptr && has_index(asked.choices->indices, index);
        const auto extent = static_cast<std::int64_t>(asked.extents[i]);
        const std::int64_t parts = is_chosen ? 1 : ceil_divide(extent, cutter.widths()[i]);
        if (parts > 1) slices.push_back({index, parts});
    }
    return slices;
}

}  // namespace ricci::networks
