#include "src/network/algebra_steps.hpp"

#include <utility>

namespace ricci::networks {
namespace {

// What a step with one factor adds: nothing, in the type of the elements.
constexpr double no_doubles = 0;
constexpr float no_floats = 0;

/// The loops of a step, in the groups of a product.
struct step_loops {
    std::vector<steps::contraction_loop> batch, m, n, k;
    contractions::traced_step traced;
};

class loop_finder {
public:
    loop_finder(const step_tree& tree, const network_plan& planned,
                std::span<const std::int64_t> extents)
        : tree_(tree), planned_(planned), extents_(extents) {}

    step_loops of(const tree_step& s) const {
        step_loops made;
        std::vector<std::int32_t> seen;
        for (const std::int32_t tensor : {s.left, s.right}) {
            if (tensor < 0) continue;
            for (const std::int32_t i : tree_.axes[static_cast<std::size_t>(tensor)]) {
                const std::int64_t extent = extents_[static_cast<std::size_t>(i)];
                if (has_index(seen, i)) continue;
                seen.push_back(i);
                const steps::contraction_loop loop{extent, stride(s.left, i), stride(s.right, i),
                                                   stride(s.result, i)};
                const bool kept = has_index(tree_.axes[static_cast<std::size_t>(s.result)], i);
                if (kept) made.traced.axes.push_back({i, loop.c});
                else made.traced.sums.push_back({i, extent});
                const bool in_a = is_in(s.left, i), in_b = is_in(s.right, i);
                (!kept          ? made.k
                 : in_a && in_b ? made.batch
                 : in_a         ? made.m
                                : made.n)
                    .push_back(loop);
            }
        }
        // What has been summed is the same at all places, on the way back.
        for (const std::int32_t i : tree_.axes[static_cast<std::size_t>(s.result)]) {
            if (has_index(seen, i)) continue;
            seen.push_back(i);
            const std::int64_t extent = extents_[static_cast<std::size_t>(i)];
            made.m.push_back({extent, 0, 0, stride(s.result, i)});
            made.traced.axes.push_back({i, made.m.back().c});
        }
        return made;
    }

private:
    bool is_in(std::int32_t tensor, std::int32_t index) const {
        return tensor >= 0 && has_index(tree_.axes[static_cast<std::size_t>(tensor)], index);
    }
    // Of a diagonal the strides of both axes.
    std::int64_t stride(std::int32_t tensor, std::int32_t index) const {
        if (tensor < 0) return 0;
        const auto k = static_cast<std::size_t>(tensor);
        const auto& slot = planned_.plan.slots[planned_.slots[k].index()];
        std::int64_t sum = 0;
        for (std::size_t axis = 0; axis < tree_.axes[k].size(); ++axis)
            if (tree_.axes[k][axis] == index) sum += slot.strides[axis];
        return sum;
    }

    const step_tree& tree_;
    const network_plan& planned_;
    std::span<const std::int64_t> extents_;
};

}  // namespace

algebra_steps::algebra_steps(const step_tree& tree, const network_plan& planned,
                             std::span<const std::int64_t> extents, steps::sum_algebra algebra,
                             bool places, std::byte* workspace)
    : workspace_(workspace), indices_(extents.size()) {
    const loop_finder loops(tree, planned, extents);
    const auto slot_of = [&](std::int32_t tensor) {
        return tensor < 0 ? plan::slot_number::none
                          : planned.slots[static_cast<std::size_t>(tensor)];
    };
    for (const tree_step& s : tree.steps) {
        step_loops found = loops.of(s);
        made_step made;
        made.a = slot_of(s.left), made.b = slot_of(s.right), made.c = slot_of(s.result);
        made.product =
            std::make_unique<const contractions::prepared_algebra_product>(steps::algebra_product{
                planned.plan.type, algebra, found.batch, found.m, found.n, found.k, places});
        loans_.add_step(made.product->loans());
        if (places) {
            std::size_t elements = 1;
            for (const std::int32_t i : tree.axes[static_cast<std::size_t>(s.result)])
                elements *= static_cast<std::size_t>(extents[static_cast<std::size_t>(i)]);
            made.places.resize(elements);
            made.traced = std::move(found.traced);
        }
        steps_.push_back(std::move(made));
    }
}

void* algebra_steps::base(const network_plan& planned, plan::slot_number slot) const {
    if (!slot)
        return const_cast<void*>(planned.plan.type == element::f32
                                     ? static_cast<const void*>(&no_floats)
                                     : static_cast<const void*>(&no_doubles));
    const auto& s = planned.plan.slots[slot.index()];
    return s.kind == plan::storage::workspace ? workspace_ + s.workspace_offset : s.data;
}

void algebra_steps::run_step(const network_plan& planned, std::size_t step, bool joins) {
    made_step& s = steps_[step];
    auto* const places = s.places.empty() ? nullptr : s.places.data();
    void* const c = base(planned, s.c);
    if (joins) s.product->join(base(planned, s.a), base(planned, s.b), c, places);
    else s.product->run(base(planned, s.a), base(planned, s.b), c, places);
}

std::vector<std::int64_t> algebra_steps::trace() const {
    std::vector<contractions::traced_step> all;
    for (const made_step& s : steps_) {
        all.push_back(s.traced);
        all.back().places = s.places.data();
    }
    std::vector<std::int64_t> found(indices_, -1);
    contractions::trace_places(all, found);
    return found;
}

}  // namespace ricci::networks
