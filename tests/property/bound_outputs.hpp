// Outputs in memory of the caller's, in that of inputs too, scaled and added to.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "src/plan/make_plan.hpp"
#include "tests/unit/bound_program.hpp"

namespace ricci::testing {

/// Binds all outputs of a request, and gives it factors; has to outlive it.
class bound_outputs {
public:
    bound_outputs(engine::request& request, unsigned seed) : random_(seed * 2654435761u + 5) {
        const auto made = plan::make_plan(request);
        std::vector<bool> taken(static_cast<std::size_t>(request.input_count), false);
        for (ir::ref n = 0; n < request.program.names.size(); ++n) {
            const auto& slot = made.slots[static_cast<std::size_t>(n)];
            if (is_output(made, n) && !share(request, n, slot.extents, taken))
                allocate(request, n, slot.extents);
        }
        request.outputs = outputs_.data();
        request.output_count = static_cast<std::int32_t>(outputs_.size());
        if (random_() % 2 == 0) request.alpha = 2;
        if (random_() % 2 == 0) request.beta = random_() % 2 == 0 ? 1 : -3;
    }

private:
    // An output that is made elsewhere and copied has two slots of its name.
    static bool is_output(const plan::program_plan& made, ir::ref n) {
        return std::any_of(made.slots.begin(), made.slots.end(), [&](const plan::slot& s) {
            return s.kind == plan::storage::output && s.name == n;
        });
    }
    /// The memory of an input of the same shape, where there is one and it is drawn.
    bool share(const engine::request& request, ir::ref output, const shape& extents,
               std::vector<bool>& taken) {
        if (random_() % 3 != 0) return false;
        for (std::int32_t k = 0; k < request.input_count; ++k) {
            engine::operand o = request.inputs[k];
            if (o.data == nullptr || o.is_positions || taken[static_cast<std::size_t>(k)] ||
                !std::equal(extents.begin(), extents.end(), o.extents, o.extents + o.rank))
                continue;
            taken[static_cast<std::size_t>(k)] = true;
            o.name = output;
            outputs_.push_back(o);
            return true;
        }
        return false;
    }
    void allocate(const engine::request& request, ir::ref output, const shape& extents) {
        auto& m = owned_.emplace_back(request.type, extents, layout::shuffled, random_);
        m.each([&](std::int64_t at) { m.set(at, static_cast<double>(random_() % 9) - 4); });
        outputs_.push_back({output, static_cast<std::int32_t>(extents.size()), m.data(),
                            m.extents.data(), m.strides.data(), 0});
    }

    std::mt19937 random_;
    std::deque<memory> owned_;
    std::vector<engine::operand> outputs_;
};

}  // namespace ricci::testing
