#include "src/network/grouped_passes.hpp"

#include <algorithm>

#include "src/network/parallel_parts.hpp"
#include "src/network/result_sums.hpp"
#include "src/runtime/parallel.hpp"

namespace ricci::networks {

std::size_t lanes_for(std::int64_t groups, std::size_t most) {
    const auto lanes = static_cast<std::int64_t>(most);
    const std::int64_t rounds = (groups + lanes - 1) / lanes;
    return 4 * groups >= 3 * rounds * lanes ? most : 1;
}

bool grouped_passes::run(const std::function<bool(double)>& progress) {
    if (progress) progress_ = &progress;
    for (const auto& l : lanes_.lanes) l->begin();
    const auto most = std::min<std::size_t>(lanes_.lanes.size(),
                                            static_cast<std::size_t>(runtime::worker_count()));
    const std::size_t lanes = lanes_for(lanes_.plan.passes.groups(), most);
    if (lanes == 1) {
        const runtime::held_memory held(lanes_.lanes[0]->loans());
        return run_constants(progress) && run_alone();
    }
    {
        const runtime::held_memory held(lanes_.lanes[0]->loans());
        if (!run_constants(progress)) return false;
    }
    const runtime::held_memory held(lanes_.together);
    return run_together(lanes);
}

bool grouped_passes::run_some(std::int64_t first, std::int64_t end, bool begins,
                              const std::function<bool(double)>& progress) {
    if (progress) progress_ = &progress;
    lane& by = *lanes_.lanes[0];
    const runtime::held_memory held(by.loans());
    return (!begins || run_constants(progress)) && run_passes(by, first, end, nullptr);
}

// They are a part of the first pass.
bool grouped_passes::run_constants(const std::function<bool(double)>& progress) {
    const auto& depends = lanes_.plan.around().depends;
    lanes_.lanes[0]->begin_with_constants(
        [&](std::size_t output, std::size_t row) { return place_of(output, row, nullptr); });
    const auto is_constant = [&](std::size_t k) { return depends[k].none(); };
    const auto run = [&](std::size_t first, std::size_t end) {
        lanes_.lanes[0]->run_steps(first, end, is_constant);
    };
    for (std::size_t k = 0; k < depends.size(); ++k) steps_run_ += is_constant(k) ? 1 : 0;
    return run_due_in_parts(lanes_.plan.part_ends, depends.size(), is_constant, run, depends.size(),
                            progress);
}

bool grouped_passes::run_alone() {
    std::byte* const sums = lanes_.sums_apart ? results_.sums : nullptr;
    for (std::int64_t g = 0; g < lanes_.plan.passes.groups(); ++g) {
        if (!run_group(*lanes_.lanes[0], g, sums)) return false;
        if (sums != nullptr) add(sums);
    }
    return true;
}

// As many groups at a time as have sums of their own, which are added up in their order.
bool grouped_passes::run_together(std::size_t lanes) {
    const std::int64_t groups = lanes_.plan.passes.groups();
    const std::int64_t at_once =
        lanes_.sums_apart ? static_cast<std::int64_t>(results_.sums_at_once) : groups;
    const auto sums_of = [&](std::int64_t place) {
        return lanes_.sums_apart
                   ? results_.sums + static_cast<std::size_t>(place) * results_.sum_bytes
                   : nullptr;
    };
    for (std::int64_t first = 0; first < groups; first += at_once) {
        const std::int64_t end = std::min(groups, first + at_once);
        std::atomic<std::int64_t> next{first};
        auto work = [&](std::int64_t number, int) {
            const runtime::on_this_thread alone;
            lane& mine = *lanes_.lanes[static_cast<std::size_t>(number)];
            for (std::int64_t g = next++; g < end; g = next++)
                if (!run_group(mine, g, sums_of(g - first))) return;
        };
        runtime::parallel_for(static_cast<std::int64_t>(lanes), work);
        if (stopped_) return false;
        for (std::int64_t g = first; g < end && lanes_.sums_apart; ++g) add(sums_of(g - first));
    }
    return progress_ == nullptr || (*progress_)(static_cast<double>(passes_done_));
}

bool grouped_passes::run_group(lane& by, std::int64_t group, std::byte* sums) {
    const pass_sequence& passes = lanes_.plan.passes;
    const std::int64_t first = group * passes.group();
    if (sums != nullptr) clear(sums);
    return run_passes(by, first, std::min(passes.count(), first + passes.group()), sums);
}

bool grouped_passes::run_passes(lane& by, std::int64_t first, std::int64_t end, std::byte* sums) {
    const bool tells = progress_ != nullptr && std::this_thread::get_id() == caller_;
    std::size_t steps = 0;
    for (std::int64_t pass = first; pass < end; ++pass) {
        by.go_to(pass,
                 [&](std::size_t output, std::size_t row) { return place_of(output, row, sums); });
        steps += by.run_pass();
        for (std::size_t k = 0; results_.scaled && k < results_.outputs.size(); ++k)
            by.add_result(k, results_.scaled->outputs[k].layout, scaled_place(k, sums));
        const std::int64_t done = ++passes_done_;
        if (tells && !(*progress_)(static_cast<double>(done))) stopped_ = true;
        if (stopped_) break;
    }
    steps_run_ += steps;
    return !stopped_;
}

void* grouped_passes::place_of(std::size_t output, std::size_t row, std::byte* sums) const {
    const run_output& o = results_.outputs[output];
    return sums == nullptr || !o.adds ? o.data[row] : sums + o.sum_offset + row * o.bytes;
}

scaled_sums& grouped_passes::scaled_place(std::size_t output, const std::byte* sums) const {
    scaled_output& o = results_.scaled->outputs[output];
    if (sums == nullptr || !results_.outputs[output].adds) return o.result;
    return o.of_groups[static_cast<std::size_t>(sums - results_.sums) / results_.sum_bytes];
}

void grouped_passes::clear(std::byte* sums) const {
    for (std::size_t k = 0; k < results_.outputs.size(); ++k) {
        const run_output& o = results_.outputs[k];
        if (!o.adds) continue;
        if (results_.scaled) results_.scaled->outputs[k].layout.clear(scaled_place(k, sums));
        else
            clear_sum(results_.type, results_.algebra, sums + o.sum_offset,
                      o.data.size() * o.bytes);
    }
}

void grouped_passes::add(std::byte* sums) const {
    for (std::size_t k = 0; k < results_.outputs.size(); ++k) {
        const run_output& o = results_.outputs[k];
        if (!o.adds) continue;
        if (results_.scaled) {
            scaled_output& to = results_.scaled->outputs[k];
            to.layout.add(scaled_place(k, sums), to.result, to.room);
            continue;
        }
        for (std::size_t row = 0; row < o.data.size(); ++row)
            add_sum(results_.type, results_.algebra, o.data[row],
                    sums + o.sum_offset + row * o.bytes, o.bytes);
    }
}

}  // namespace ricci::networks
