#include "src/network/network_run.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <ricci/error.hpp>

#include "src/network/bytes_beside.hpp"
#include "src/network/grouped_passes.hpp"
#include "src/network/index_ranges.hpp"
#include "src/network/more_slices.hpp"
#include "src/network/parallel_parts.hpp"
#include "src/network/result_sums.hpp"
#include "src/network/scaled/scaled_run.hpp"
#include "src/runtime/parallel.hpp"

namespace ricci::networks {
namespace {

run_output output_of(const run_request& asked, std::span<const std::int32_t> axes) {
    const auto is_chosen = [&](std::int32_t i) {
        return asked.choices != nullptr && has_index(asked.choices->indices, i);
    };
    run_output made;
    made.axes.assign(axes.begin(), axes.end());
    made.bytes = size_of(asked.type);
    made.strides.resize(axes.size());
    for (std::size_t axis = axes.size(); axis-- > 0;) {
        if (is_chosen(axes[axis])) continue;
        made.strides[axis] = static_cast<std::int64_t>(made.bytes / size_of(asked.type));
        made.bytes *= asked.extents[at(axes[axis])];
    }
    for (const path::slice& s : asked.slices) made.adds = made.adds || !has_index(axes, s.index);
    return made;
}

double lent_by(runtime::loan_book& book, int workers) {
    double lent = 0;
    for (const auto& piece : book.pieces(workers))
        lent += static_cast<double>(piece.bytes) * static_cast<double>(piece.count);
    return lent;
}

}  // namespace

network_run::network_run(const run_request& asked)
    : type_(asked.type),
      algebra_(asked.algebra),
      has_places_(asked.places),
      least_gain_(asked.sub_trees.least_gain),
      changed_(asked.operands.size(), true) {
    run_request wanted = asked;
    std::vector<path::slice> slices;
    while (!has_made_all(wanted)) {
        // A little is added by what kernels lend, and lost between intermediates.
        constexpr double surely = 0.9;
        if (asked.may_cut)
            slices = more_slices(wanted, plans_[0]->plan,
                                 surely * std::min(1.0, wanted.memory / needed_));
        if (!asked.may_cut || slices.empty())
            throw error(fmt::format(
                "ricci: beside the network's tensors and its result, intermediates in this order "
                "take {:.3g} bytes, and there is memory for {:.3g}: an order that is found for "
                "that memory slices indices.",
                needed_, asked.memory));
        wanted.slices = slices;
    }
}

bool network_run::has_made_all(const run_request& asked) {
    operands_.clear();
    for (const auto& o : asked.operands) operands_.push_back(o.data);
    run_request wanted = asked;
    if (asked.scaled) make_scaled(wanted);
    make_outputs(asked);
    if (!has_made_some_way(wanted)) {
        if (scaled_) needed_ += scaled_->bytes();
        return false;
    }
    if (!scaled_) return true;
    for (std::size_t g = 0; g < sums_at_once_; ++g)
        for (std::size_t k = 0; k < outputs_.size(); ++k) {
            const run_output& o = outputs_[k];
            std::vector<void*> rows;
            for (std::size_t row = 0; o.adds && row < o.data.size(); ++row)
                rows.push_back(sums_.get() + g * sum_bytes_ + o.sum_offset + row * o.bytes);
            scaled_output& of = scaled_->outputs[k];
            of.of_groups.push_back(of.layout.sums_in(std::move(rows)));
        }
    return true;
}

void network_run::make_scaled(run_request& asked) {
    given_ = operands_;
    scaled_ = std::make_unique<scaled_run>(asked);
    asked.exponents = scaled_.get();
    for (std::size_t k = 0; k < given_.size(); ++k) scaled_->operands.reserve(k, given_[k]);
    asked.memory = std::max(asked.memory - scaled_->bytes(), 0.0);
}

void network_run::make_outputs(const run_request& asked) {
    outputs_.clear();
    sum_bytes_ = 0;
    if (asked.choices != nullptr) {
        outputs_.push_back(output_of(asked, asked.open));
        outputs_.back().data = asked.results;
    } else {
        for (std::size_t k = 0; k < asked.results.size(); ++k) {
            outputs_.push_back(output_of(
                asked, asked.derivatives.empty() ? asked.open : asked.axes[asked.derivatives[k]]));
            outputs_.back().data = {asked.results[k]};
        }
    }
    constexpr std::size_t alignment = plan::workspace_alignment;
    for (run_output& o : outputs_) {
        if (!o.adds) continue;
        o.sum_offset = sum_bytes_;
        sum_bytes_ += (o.bytes * o.data.size() + alignment - 1) / alignment * alignment;
    }
}

// The way first that saves most, and takes most memory: with many parts at the same time, and all
// intermediates kept. Parts gain nothing on one thread.
bool network_run::has_made_some_way(const run_request& asked) {
    const auto ranges = ranges_of(asked.slices, asked.extents);
    const bool has_passes = asked.choices != nullptr || !ranges[0].empty();
    run_request wanted = asked;
    for (const bool keeps : {true, false}) {
        if (keeps && (!asked.keeps || has_passes)) continue;
        wanted.keeps = keeps;
        wanted.sub_trees = asked.sub_trees;
        if (runtime::worker_count() == 1) wanted.sub_trees.parts = 1;
        for (;; wanted.sub_trees.parts /= 4) {
            if (has_made_plans(wanted, ranges, false)) return true;
            if (parts() == 0) break;
        }
    }
    return has_passes && has_made_plans(wanted, ranges, true);
}

// All plans before any memory: what they need is known by then, but for what kernels lend. They run
// one after the other, and share it.
bool network_run::has_made_plans(const run_request& asked,
                                 std::span<const std::vector<range_loop>> ranges, bool repeats) {
    const std::vector<run_output> none;
    plans_.clear();
    double workspace = 0;
    passes_ = tables_ = needed_ = 0;
    for (const auto& loops : ranges) {
        plans_.push_back(std::make_unique<planned_lanes>(planned_lanes{
            sliced_plan(asked, loops, scaled_ ? none : outputs_, repeats), {}, {}, false}));
        const sliced_plan& made = plans_.back()->plan;
        passes_ += static_cast<double>(made.passes.count());
        workspace = std::max(workspace, static_cast<double>(made.planned.plan.workspace_bytes));
        // All plans are ready at the same time.
        tables_ += bytes_of_tables(made);
        if (scaled_)
            tables_ +=
                bytes_of_exponents(made, scaled_->block_indices) + scaled_->bytes_of_scratch();
        if (has_places_) needed_ += bytes_of_places(made);
    }
    needed_ += workspace + tables_;
    if (needed_ > asked.memory) return false;
    keeps_ = asked.keeps;
    workspaces_.clear();
    workspaces_.push_back(engine::allocate_workspace(static_cast<std::size_t>(workspace)));
    double lent_to_one = 0, lent_to_all = 0;
    for (auto& p : plans_) {
        p->lanes.push_back(std::make_unique<lane>(p->plan, asked, workspaces_[0].get(), nullptr));
        lent_to_one = std::max(lent_to_one, lent_by(p->lanes[0]->loans(), 1));
        lent_to_all = std::max(lent_to_all, lent_by(p->lanes[0]->loans(), runtime::worker_count()));
    }
    is_alone_ = needed_ + lent_to_all > asked.memory;
    needed_ += is_alone_ ? lent_to_one : lent_to_all;
    if (needed_ > asked.memory) return false;
    memory_left_ = asked.memory - needed_;
    const bool has_passes = asked.choices != nullptr || !ranges[0].empty();
    if (has_passes && !has_places_) make_lanes(asked, workspace);
    if (keeps_) changed_steps_ = changed_steps(plans_[0]->plan);
    return true;
}

// Whether sums are made apart must not depend on the number of threads, or results would.
void network_run::make_lanes(const run_request& asked, double workspace) {
    // Adding up is to be little work beside the products, and lanes are for more work than threads
    // take to begin.
    constexpr double products_a_sum = 8, worth_a_lane = 1e6;
    std::size_t wanted = 1;
    double lent = 0;
    std::int64_t most_groups = 0;
    // Of a group, with the exponents of a scaled run's sums.
    double sum_bytes = static_cast<double>(sum_bytes_);
    for (std::size_t k = 0; scaled_ && k < outputs_.size(); ++k)
        if (outputs_[k].adds)
            sum_bytes += scaled_->outputs[k].layout.bytes_of_exponents(outputs_[k].data.size());
    const auto threads = static_cast<std::size_t>(runtime::worker_count());
    for (auto& p : plans_) {
        const pass_sequence& passes = p->plan.passes;
        const double sums = static_cast<double>(sum_bytes_) / static_cast<double>(size_of(type_));
        const double work = p->plan.multiplications * static_cast<double>(passes.group());
        const double lent_alone = lent_by(p->lanes[0]->loans(), 1);
        p->sums_apart = sum_bytes_ > 0 && passes.groups() > 1 && sums * products_a_sum <= work &&
                        workspace + lent_alone + sum_bytes <= asked.memory;
        const bool in_lanes = p->sums_apart || sum_bytes_ == 0;
        if (!in_lanes) continue;
        if (p->sums_apart) most_groups = std::max(most_groups, passes.groups());
        lent = std::max(lent, lent_alone + tables_);
        if (work * static_cast<double>(passes.groups()) >= worth_a_lane)
            wanted = std::max(wanted, lanes_for(passes.groups(), threads));
    }
    const double bytes = sum_bytes_ > 0 && most_groups == 0 ? 0 : sum_bytes;
    std::size_t lanes = 1;
    while (lanes < wanted &&
           static_cast<double>(lanes + 1) * (workspace + lent + bytes) <= asked.memory)
        ++lanes;
    const double left = asked.memory - static_cast<double>(lanes) * (workspace + lent);
    sums_at_once_ = most_groups == 0 ? 0
                                     : static_cast<std::size_t>(std::clamp(
                                           left / bytes, 1.0, static_cast<double>(most_groups)));
    sums_ = engine::allocate_workspace(sums_at_once_ * sum_bytes_);
    for (std::size_t l = 1; l < lanes; ++l)
        workspaces_.push_back(engine::allocate_workspace(static_cast<std::size_t>(workspace)));
    for (auto& p : plans_) {
        if (!p->sums_apart && sum_bytes_ > 0) continue;
        for (std::size_t l = 1; l < lanes; ++l)
            p->lanes.push_back(
                std::make_unique<lane>(p->plan, asked, workspaces_[l].get(), p->lanes[0].get()));
        p->together = lent_together(p->lanes[0]->loans(), lanes);
    }
}

std::size_t network_run::parts() const {
    std::size_t most = 0;
    for (const auto& p : plans_) most = std::max(most, p->plan.part_ends.size());
    return most;
}

network_run::network_run(network_run&&) noexcept = default;
network_run& network_run::operator=(network_run&&) noexcept = default;
network_run::~network_run() = default;

// What throws comes first: an operand that is refused leaves everything as it was.
void network_run::bind(std::size_t operand, const void* data) {
    if (scaled_) reserve_copy(operand, data);
    changed_[operand] = true;
    if (scaled_) given_[operand] = data;
    else set_address(operand, data);
}

void network_run::reserve_copy(std::size_t operand, const void* data) {
    const double bytes = scaled_->operands.bytes_for(operand, data);
    if (bytes > memory_left_)
        throw error(fmt::format(
            "ricci: what tensor {} of the network holds now is read from a scaled copy, "
            "for which there is no memory.",
            operand));
    if (bytes == 0) return;
    scaled_->operands.reserve(operand, data);
    memory_left_ -= bytes;
}

void network_run::set_address(std::size_t operand, const void* data) {
    if (operands_[operand] == data) return;
    operands_[operand] = data;
    for (auto& p : plans_)
        for (auto& l : p->lanes) l->bind(operand, data);
}

std::vector<std::int64_t> network_run::best() {
    std::optional<runtime::on_this_thread> alone;
    if (is_alone_) alone.emplace();
    const run_output& result = outputs_[0];
    const auto value = [&] {
        return type_ == element::f32
                   ? static_cast<double>(*static_cast<const float*>(result.data[0]))
                   : *static_cast<const double*>(result.data[0]);
    };
    planned_lanes* best_plan = nullptr;
    std::int64_t best_pass = 0;
    double best_value = 0;
    // Everything anew: the places of all steps have to be those of the pass.
    const auto run_pass = [&](planned_lanes& p, std::int64_t pass) {
        lane& by = *p.lanes[0];
        by.begin();
        by.go_to(pass, [&](std::size_t, std::size_t) { return result.data[0]; });
        run_in_parts(p.plan.part_ends, p.plan.writes.size(), [&](auto first, auto end) {
            for (std::size_t k = first; k < end; ++k) by.write_step(k);
            return true;
        });
    };
    for (auto& p : plans_) {
        const runtime::held_memory held(p->lanes[0]->loans());
        for (std::int64_t pass = 0; pass < p->plan.passes.count(); ++pass) {
            run_pass(*p, pass);
            const double now = value();
            const bool better =
                *algebra_ == steps::sum_algebra::minimum ? now < best_value : now > best_value;
            // Nothing is better than what is no number.
            if (best_plan != nullptr && (std::isnan(best_value) || !(better || std::isnan(now))))
                continue;
            best_plan = p.get(), best_pass = pass, best_value = now;
        }
    }
    const runtime::held_memory held(best_plan->lanes[0]->loans());
    run_pass(*best_plan, best_pass);
    const lane& by = *best_plan->lanes[0];
    auto places = by.algebra().trace();
    for (std::size_t l = 0; l < best_plan->plan.loops.size(); ++l) {
        const range_loop& r = best_plan->plan.loops[l];
        std::int64_t& place = places[at(r.index)];
        place = r.first + by.counters()[l] * r.width + std::max<std::int64_t>(place, 0);
    }
    return places;
}

// Numbers are looked at when they are read: memory that is bound may have got others since, which
// are read from a copy where those before were not.
void network_run::take_scaled() {
    for (std::size_t k = 0; k < given_.size(); ++k) {
        if (!changed_[k] && keeps_) continue;
        reserve_copy(k, given_[k]);
        set_address(k, scaled_->operands.take(k, given_[k]));
    }
    for (scaled_output& o : scaled_->outputs) o.layout.clear(o.result);
}

void network_run::finish_scaled() {
    auto exponent = scaled_->exponents10.begin();
    for (scaled_output& o : scaled_->outputs)
        for (std::size_t row = 0; row < o.result.rows.size(); ++row)
            *exponent++ = o.layout.finish(o.result, row, o.room);
}

std::int64_t network_run::exponent10(std::size_t row) const {
    return scaled_ ? scaled_->exponents10[row] : 0;
}

bool network_run::run(const std::function<bool(double)>& progress) {
    std::optional<runtime::on_this_thread> alone;
    if (is_alone_) alone.emplace();
    passes_done_ = 0;
    steps_run_ = 0;
    if (scaled_) take_scaled();
    for (const run_output& o : outputs_)
        for (void* const data : o.data)
            if (o.adds) clear_sum(type_, algebra_, data, o.bytes);
    const run_results results = this->results();
    begun_ = nullptr;
    std::function<bool(double)> tell;
    if (progress) tell = [&](double passes) { return progress((passes_done_ + passes) / passes_); };
    for (auto& p : plans_) {
        if (keeps_ && has_run_) {
            if (!run_changed(*p, tell)) return false;
            continue;
        }
        grouped_passes run(*p, results);
        const bool done = run.run(tell);
        steps_run_ += run.steps_run();
        if (!done) return false;
        passes_done_ += static_cast<double>(p->plan.passes.count());
    }
    if (scaled_) finish_scaled();
    std::fill(changed_.begin(), changed_.end(), false);
    has_run_ = true;
    return true;
}

run_results network_run::results() {
    return {type_, algebra_, outputs_, sums_.get(), sum_bytes_, sums_at_once_, scaled_.get()};
}

std::int64_t network_run::passes() const {
    std::int64_t count = 0;
    for (const auto& p : plans_) count += p->plan.passes.count();
    return count;
}

// Intermediates stay where they are from one call to the next, if it is of the same plan and of the
// same operands.
bool network_run::run_passes(std::int64_t first, std::int64_t end,
                             const std::function<bool(double)>& progress) {
    std::optional<runtime::on_this_thread> alone;
    if (is_alone_) alone.emplace();
    for (const run_output& o : outputs_)
        for (void* const data : o.data) clear_sum(type_, algebra_, data, o.bytes);
    const run_results results = this->results();
    if (std::find(changed_.begin(), changed_.end(), true) != changed_.end()) begun_ = nullptr;
    std::fill(changed_.begin(), changed_.end(), false);
    const auto all = static_cast<double>(std::max<std::int64_t>(end - first, 1));
    std::int64_t before = 0, done = 0;
    steps_run_ = 0;
    std::function<bool(double)> tell;
    if (progress)
        tell = [&](double passes) { return progress((static_cast<double>(done) + passes) / all); };
    for (auto& p : plans_) {
        const std::int64_t count = p->plan.passes.count();
        const std::int64_t from = std::clamp<std::int64_t>(first - before, 0, count);
        const std::int64_t to = std::clamp<std::int64_t>(end - before, 0, count);
        before += count;
        if (from >= to) continue;
        grouped_passes run(*p, results);
        const bool begins = std::exchange(begun_, nullptr) != p.get();
        const bool ended = run.run_some(from, to, begins, tell);
        steps_run_ += run.steps_run();
        if (!ended) return false;
        begun_ = p.get();
        done += to - from;
    }
    has_run_ = false;
    return true;
}

// All intermediates are there: what the operands changed since do not change is left as it is.
bool network_run::run_changed(planned_lanes& p, const std::function<bool(double)>& progress) {
    lane& by = *p.lanes[0];
    const runtime::held_memory held(by.loans());
    changed_steps_.find(p.plan, changed_);
    const bool together = changed_steps_.gain_of_parts(p.plan) >= least_gain_;
    const auto ends = std::span(p.plan.part_ends).first(together ? p.plan.part_ends.size() : 0);
    const auto is_due = [&](std::size_t k) { return changed_steps_.is_due(k); };
    const auto run = [&](std::size_t first, std::size_t end) { by.run_steps(first, end, is_due); };
    if (!run_due_in_parts(ends, p.plan.writes.size(), is_due, run, changed_steps_.count(),
                          progress))
        return false;
    steps_run_ += changed_steps_.count();
    for (std::size_t k = 0; scaled_ && k < scaled_->outputs.size(); ++k)
        by.add_result(k, scaled_->outputs[k].layout, scaled_->outputs[k].result);
    return true;
}

}  // namespace ricci::networks
