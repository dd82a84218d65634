#include "src/network/network_run.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include <ricci/error.hpp>

#include "src/network/algebra_steps.hpp"
#include "src/network/index_ranges.hpp"
#include "src/runtime/parallel.hpp"

namespace ricci::networks {
namespace {

// Of a loop in a set of loops. More than 64 of them share bits: some steps run without need then.
std::uint64_t bit_of(std::size_t l) { return std::uint64_t{1} << (l % 64); }

}  // namespace

/// A plan for all ranges of equal length, and where each pass over it reads and writes.
struct network_run::sliced_plan {
    /// A tensor whose memory moves from range to range.
    struct moving {
        std::int32_t slot = -1;
        std::size_t number = 0;             // operands, then outputs
        std::int64_t first = 0;             // bytes
        std::vector<std::int64_t> advance;  // bytes, for each loop
    };

    sliced_plan(const run_request& asked, const std::vector<range_loop>& ranges,
                const std::vector<output>& outputs)
        : loops(ranges), planned(plan_of(asked, outputs)) {
        for (std::size_t k = 0; k < asked.operands.size(); ++k)
            find_moving(asked, k, k, asked.axes[k], asked.operands[k].strides);
        for (std::size_t k = 0; k < outputs.size(); ++k)
            find_moving(asked, asked.operands.size() + k, at(results[k]), outputs[k].axes,
                        outputs[k].strides);
        find_dependences();
        stale.resize(planned.plan.slots.size());
        counters.resize(loops.size());
    }

    /// Kernels, on intermediates in memory that lasts as long.
    void prepare(const run_request& asked, std::byte* workspace) {
        if (!asked.algebra) {
            execution.emplace(planned.plan, workspace);
            return;
        }
        std::vector<std::int64_t> extents(asked.extents.begin(), asked.extents.end());
        for (const range_loop& l : loops) extents[at(l.index)] = l.width;
        algebra.emplace(tree, planned, extents, *asked.algebra, asked.places, workspace);
    }
    runtime::loan_book& loans() { return execution ? execution->loans() : algebra->loans(); }
    void run_step(std::size_t k, const std::vector<output>& outputs) {
        if (execution) {
            if (moved[k]) execution->bind_step(planned.plan, k);
            execution->run_step(k);
            return;
        }
        bool joins = false;
        for (std::size_t o = 0; o < outputs.size(); ++o)
            joins = joins || (outputs[o].adds && writes[k] == planned.slots[at(results[o])]);
        algebra->run_step(planned, k, joins);
    }

    network_plan plan_of(const run_request& asked, const std::vector<output>& outputs) {
        std::vector<std::int64_t> extents(asked.extents.begin(), asked.extents.end());
        const std::unique_ptr<bool[]> sliced(new bool[extents.size()]());
        for (const range_loop& l : loops) {
            extents[at(l.index)] = l.width;
            sliced[at(l.index)] = true;
        }
        tree = make_tree({asked.axes, asked.open, extents, asked.products});
        if (asked.derivatives.empty()) results = {tree.root};
        else results = add_derivatives(tree, asked.derivatives);
        std::vector<output_memory> written;
        for (std::size_t k = 0; k < outputs.size(); ++k)
            written.push_back({results[k], outputs[k].data, outputs[k].strides,
                               outputs[k].adds && !asked.algebra});
        plan_request wanted;
        wanted.type = asked.type;
        wanted.tree = &tree;
        wanted.extents = extents;
        wanted.operands = asked.operands;
        wanted.sliced = {sliced.get(), extents.size()};
        wanted.outputs = written;
        wanted.keeps = asked.keeps;
        return plan_network(wanted);
    }

    // `number`: operands, then outputs.
    void find_moving(const run_request& asked, std::size_t number, std::size_t tensor,
                     std::span<const std::int32_t> axes, std::span<const std::int64_t> strides) {
        const auto bytes = static_cast<std::int64_t>(size_of(asked.type));
        moving m;
        m.number = number;
        m.slot = planned.slots[tensor];
        bool moves = false;
        for (const range_loop& l : loops) {
            std::int64_t stride = 0;
            for (std::size_t axis = 0; axis < axes.size(); ++axis)
                if (axes[axis] == l.index) stride += strides[axis] * bytes;
            moves = moves || stride != 0;
            m.first += stride * l.first;
            m.advance.push_back(stride * l.width);
        }
        if (moves) all_moving.push_back(std::move(m));
    }

    // What each compiled step reads, as far as it may change between runs: tensors and loops.
    void find_dependences() {
        const auto& compiled = planned.plan.compiled;
        loops_of_slot.resize(planned.plan.slots.size());
        for (const moving& m : all_moving)
            for (std::size_t l = 0; l < loops.size(); ++l)
                if (m.advance[l] != 0) loops_of_slot[at(m.slot)] |= bit_of(l);
        readers.resize(tree.operands);  // whose slots are the first ones
        reads.resize(compiled.size());
        writes.resize(compiled.size());
        moved.resize(compiled.size());
        for (std::size_t k = 0; k < compiled.size(); ++k) {
            std::uint64_t all = 0;
            for_each_slot(compiled[k], [&](std::int32_t slot, bool writing) {
                if (writing) writes[k] = slot;
                else reads[k].push_back(slot);
                if (at(slot) < readers.size()) readers[at(slot)].push_back(k);
                all |= loops_of_slot[at(slot)];
                moved[k] = moved[k] || std::any_of(all_moving.begin(), all_moving.end(),
                                                   [&](const moving& m) { return m.slot == slot; });
            });
            // What is added to the result is added for every range.
            if (planned.plan.slots[at(writes[k])].kind == plan::storage::output)
                all = ~std::uint64_t{0};
            depends.push_back(all);
            loops_of_slot[at(writes[k])] = all;
        }
    }

    double passes() const {
        double count = 1;
        for (const range_loop& l : loops) count *= static_cast<double>(l.count);
        return count;
    }

    /// Addresses of all tensors for the ranges that the counters say.
    void place(const std::vector<const void*>& operands, const std::vector<output>& outputs) {
        for (const moving& m : all_moving) {
            std::int64_t offset = m.first;
            for (std::size_t l = 0; l < loops.size(); ++l) offset += counters[l] * m.advance[l];
            const void* base = m.number < operands.size()
                                   ? operands[m.number]
                                   : outputs[m.number - operands.size()].data;
            planned.plan.slots[at(m.slot)].data =
                static_cast<std::byte*>(const_cast<void*>(base)) + offset;
        }
    }
    /// The next combination. Returns the loops whose counters changed; 0: there is none.
    std::uint64_t advance() {
        std::uint64_t changed = 0;
        for (std::size_t l = loops.size(); l-- > 0;) {
            changed |= bit_of(l);
            if (++counters[l] < loops[l].count) return changed;
            counters[l] = 0;
        }
        return 0;
    }

    std::vector<range_loop> loops;
    step_tree tree;
    std::vector<std::int32_t> results;  // tensors of the tree, one for each output
    network_plan planned;
    std::optional<engine::execution> execution;  // of sums of products
    std::optional<algebra_steps> algebra;        // or of another algebra
    std::vector<moving> all_moving;
    std::vector<std::int64_t> counters;
    std::vector<std::uint64_t> loops_of_slot;       // bits: which loops change what is in it
    std::vector<std::vector<std::size_t>> readers;  // of each operand: the steps
    // Of each compiled step:
    std::vector<std::vector<std::int32_t>> reads;
    std::vector<std::int32_t> writes;
    std::vector<std::uint64_t> depends;  // bits: loops
    std::vector<char> moved;             // whether it touches what moves
    std::vector<char> stale;             // slots, in a run that does not make all again
};

network_run::network_run(const run_request& asked)
    : type_(asked.type), algebra_(asked.algebra), changed_(asked.operands.size(), true) {
    for (const auto& o : asked.operands) operands_.push_back(o.data);
    for (std::size_t k = 0; k < asked.results.size(); ++k)
        outputs_.push_back(output_of(
            asked, asked.derivatives.empty() ? asked.open : asked.axes[asked.derivatives[k]],
            asked.results[k]));
    make_plans(asked);
}

network_run::output network_run::output_of(const run_request& asked,
                                           std::span<const std::int32_t> axes, void* data) {
    output made{{axes.begin(), axes.end()}, data, size_of(asked.type), {}, false};
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
    for (const output& o : outputs_) {
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
    const output& result = outputs_[0];
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
