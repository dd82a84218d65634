#include "src/network/network_run.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include <fmt/core.h>

#include <ricci/error.hpp>

#include "src/network/index_ranges.hpp"
#include "src/network/sliced_plan.hpp"
#include "src/runtime/parallel.hpp"

namespace ricci::networks {
network_run::network_run(const run_request& asked)
    : type_(asked.type), algebra_(asked.algebra), changed_(asked.operands.size(), true) {
    for (const auto& o : asked.operands) operands_.push_back(o.data);
    for (std::size_t k = 0; k < asked.results.size(); ++k)
        outputs_.push_back(output_of(
            asked, asked.derivatives.empty() ? asked.open : asked.axes[asked.derivatives[k]],
            asked.results[k]));
    make_plans(asked);
}

run_output network_run::output_of(const run_request& asked, std::span<const std::int32_t> axes,
                                  void* data) {
    run_output made{{axes.begin(), axes.end()}, data, size_of(asked.type), {}, false};
    made.strides.resize(axes.size());
    for (std::size_t axis = axes.size(); axis-- > 0;) {
        made.strides[axis] = static_cast<std::int64_t>(made.bytes / size_of(asked.type));
        made.bytes *= asked.extents[at(axes[axis])];
    }
    for (const path::slice& s : asked.slices) made.adds = made.adds || !has_index(axes, s.index);
    return made;
}

// All plans before any memory: what they need is known by then, but for what kernels lend. They run
// one after the other, and share it.
void network_run::make_plans(const run_request& asked) {
    run_request wanted = asked;
    double needed = 0;
    std::size_t workspace = 0;
    const auto ranges = ranges_of(asked.slices, asked.extents);
    const auto plan_all = [&] {
        plans_.clear();
        passes_ = 0;
        workspace = 0;
        for (const auto& loops : ranges) {
            plans_.push_back(std::make_unique<sliced_plan>(wanted, loops, outputs_));
            passes_ += plans_.back()->passes();
            workspace = std::max(workspace, plans_.back()->planned.plan.workspace_bytes);
        }
        needed = static_cast<double>(workspace);
    };
    const auto refuse = [&] {
        throw error(
            fmt::format("ricci: beside the network's tensors and its result, intermediates in this "
                        "order take {:.3g} bytes, and there is memory for {:.3g}: an order that is "
                        "found for that memory slices indices.",
                        needed, asked.memory));
    };
    wanted.keeps = asked.keeps && ranges.size() == 1 && ranges[0].empty();
    plan_all();
    if (needed > asked.memory && wanted.keeps) {
        wanted.keeps = false;
        plan_all();
    }
    if (needed > asked.memory) refuse();
    keeps_ = wanted.keeps;
    workspace_ = engine::allocate_workspace(workspace);
    double most_lent = 0;
    for (auto& p : plans_) {
        p->prepare(asked, workspace_.get());
        double lent = 0;
        for (const auto& piece : p->loans().pieces(runtime::worker_count()))
            lent += static_cast<double>(piece.bytes) * static_cast<double>(piece.count);
        most_lent = std::max(most_lent, lent);
    }
    needed += most_lent;
    if (needed > asked.memory) refuse();
}

network_run::network_run(network_run&&) noexcept = default;
network_run& network_run::operator=(network_run&&) noexcept = default;
network_run::~network_run() = default;

void network_run::bind(std::size_t operand, const void* data) {
    changed_[operand] = true;
    if (operands_[operand] == data) return;
    operands_[operand] = data;
    for (auto& p : plans_) {
        const std::int32_t slot = p->planned.slots[operand];
        p->planned.plan.slots[at(slot)].data = const_cast<void*>(data);
        if (!p->execution) continue;  // another algebra reads addresses when it runs
        for (const std::size_t k : p->readers[operand]) p->execution->bind_step(p->planned.plan, k);
    }
}

// What is added up begins with the sum of nothing.
void network_run::clear_results() {
    for (const run_output& o : outputs_) {
        if (!o.adds) continue;
        if (!algebra_) {
            std::memset(o.data, 0, o.bytes);
            continue;
        }
        const double nothing = *algebra_ == steps::sum_algebra::minimum ? HUGE_VAL : -HUGE_VAL;
        if (type_ == element::f32)
            std::fill_n(static_cast<float*>(o.data), o.bytes / sizeof(float),
                        static_cast<float>(nothing));
        else std::fill_n(static_cast<double*>(o.data), o.bytes / sizeof(double), nothing);
    }
}

std::vector<std::int64_t> network_run::best() {
    const run_output& result = outputs_[0];
    const auto value = [&] {
        return type_ == element::f32 ? static_cast<double>(*static_cast<const float*>(result.data))
                                     : *static_cast<const double*>(result.data);
    };
    sliced_plan* best_plan = nullptr;
    std::vector<std::int64_t> best_counters;
    double best_value = 0;
    const auto run_pass = [&](sliced_plan& p) {
        p.place(operands_, outputs_);
        for (std::size_t k = 0; k < p.writes.size(); ++k) p.algebra->run_step(p.planned, k, false);
    };
    for (auto& p : plans_) {
        const runtime::held_memory held(p->loans());
        std::fill(p->counters.begin(), p->counters.end(), 0);
        do {
            run_pass(*p);
            const double now = value();
            const bool better =
                *algebra_ == steps::sum_algebra::minimum ? now < best_value : now > best_value;
            // Nothing is better than what is no number.
            if (best_plan != nullptr && (std::isnan(best_value) || !(better || std::isnan(now))))
                continue;
            best_plan = p.get(), best_counters = p->counters, best_value = now;
        } while (p->advance() != 0);
    }
    const runtime::held_memory held(best_plan->loans());
    best_plan->counters = best_counters;
    run_pass(*best_plan);
    auto places = best_plan->algebra->trace();
    for (std::size_t l = 0; l < best_plan->loops.size(); ++l) {
        const range_loop& r = best_plan->loops[l];
        std::int64_t& place = places[at(r.index)];
        place = r.first + best_counters[l] * r.width + std::max<std::int64_t>(place, 0);
    }
    return places;
}

bool network_run::run(const std::function<bool(double)>& progress) {
    clear_results();
    passes_done_ = 0;
    steps_run_ = 0;
    for (auto& p : plans_)
        if (!run(*p, progress)) return false;
    std::fill(changed_.begin(), changed_.end(), false);
    has_run_ = true;
    return true;
}

bool network_run::run(sliced_plan& p, const std::function<bool(double)>& progress) {
    const runtime::held_memory held(p.loans());
    const bool all = !keeps_ || !has_run_;
    std::fill(p.stale.begin(), p.stale.end(), false);
    for (std::size_t k = 0; k < changed_.size(); ++k)
        if (changed_[k]) p.stale[at(p.planned.slots[k])] = true;
    std::fill(p.counters.begin(), p.counters.end(), 0);
    const std::size_t steps = p.writes.size();
    bool first = true;
    for (std::uint64_t changed = ~std::uint64_t{0}; changed != 0; changed = p.advance()) {
        p.place(operands_, outputs_);
        for (std::size_t k = 0; k < steps; ++k) {
            if (!first && (p.depends[k] & changed) == 0) continue;
            if (!all) {
                const bool stale = std::any_of(p.reads[k].begin(), p.reads[k].end(),
                                               [&](std::int32_t s) { return p.stale[at(s)]; });
                if (!stale) continue;
                p.stale[at(p.writes[k])] = true;
            }
            p.run_step(k, outputs_);
            ++steps_run_;
            if (progress && first &&
                !progress((passes_done_ + static_cast<double>(k + 1) / static_cast<double>(steps)) /
                          passes_))
                return false;
        }
        first = false;
        passes_done_ += 1;
        if (progress && !progress(passes_done_ / passes_)) return false;
    }
    return true;
}

}  // namespace ricci::networks
