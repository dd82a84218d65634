// Loops around the steps of a plan: addresses, and what depends on what.
#include "src/plan/schedule/step_loop.hpp"

#include <algorithm>

#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {
namespace {

// What changes the memory of each slot, before any step has run: loops of more than one pass.
std::vector<loop_set> loops_of_memory(const program_plan& plan) {
    const auto& counts = plan.around.counts;
    loop_set all;
    for (std::size_t l = 0; l < counts.size(); ++l)
        if (counts[l] > 1) add_loop(all, l);
    std::vector<loop_set> of_slot(plan.slots.size());
    for (std::size_t s = 0; s < plan.slots.size(); ++s)
        if (plan.slots[s].kind == storage::output) of_slot[s] = all;
    for (const moving_slot& m : plan.around.moving) {
        loop_set& loops = of_slot[m.slot.index()];
        if (m.at_first != nullptr || m.at_last != nullptr) loops = all;
        for (std::size_t l = 0; l < m.advance.size(); ++l)
            if (m.advance[l] != 0 && counts[l] > 1) add_loop(loops, l);
    }
    return of_slot;
}

// A step depends on what it reads, and so does what it writes. What several steps write, one after
// another, each of them makes anew whenever one does.
std::vector<loop_set> settled(const program_plan& plan, std::vector<loop_set> of_slot) {
    std::vector<loop_set> of_step(plan.compiled.size());
    for (bool changes = true; changes;) {
        changes = false;
        for (std::size_t k = 0; k < plan.compiled.size(); ++k) {
            loop_set all = of_step[k];
            for_each_slot(plan.compiled[k],
                          [&](slot_number slot, bool) { all |= of_slot[slot.index()]; });
            if (k < plan.around.also.size() && plan.around.also[k])
                all |= of_slot[plan.around.also[k].index()];
            changes = changes || all != of_step[k];
            of_step[k] = all;
            for_each_slot(plan.compiled[k], [&](slot_number slot, bool writes) {
                if (writes) of_slot[slot.index()] |= all;
            });
        }
    }
    return of_step;
}

}  // namespace

void* moving_slot::at(const std::vector<std::int64_t>& pass,
                      const std::vector<std::int64_t>& counts) const {
    if (at_first != nullptr && std::ranges::all_of(pass, [](std::int64_t k) { return k == 0; }))
        return at_first;
    if (at_last != nullptr && std::equal(pass.begin(), pass.end(), counts.begin(),
                                         [](std::int64_t k, std::int64_t n) { return k == n - 1; }))
        return at_last;
    if (base == nullptr) return nullptr;
    std::int64_t offset = first;
    for (std::size_t l = 0; l < pass.size(); ++l)
        offset += (turns > 0 ? pass[l] % turns : pass[l]) * advance[l];
    return base + offset;
}

const moving_slot* step_loop::find(slot_number slot) const {
    const auto found =
        std::ranges::find_if(moving, [&](const moving_slot& m) { return m.slot == slot; });
    return found == moving.end() ? nullptr : &*found;
}

bool step_loop::runs_once(std::size_t step) const {
    const bool repeats = std::ranges::any_of(counts, [](std::int64_t n) { return n > 1; });
    return repeats && depends[step].none();
}

void find_dependences(program_plan& plan, bool alike) {
    step_loop& around = plan.around;
    std::vector<char> is_moving(plan.slots.size());
    for (const moving_slot& m : around.moving) is_moving[m.slot.index()] = true;
    around.moves.assign(plan.compiled.size(), false);
    for (std::size_t k = 0; k < plan.compiled.size(); ++k)
        for_each_slot(plan.compiled[k], [&](slot_number slot, bool) {
            if (is_moving[slot.index()]) around.moves[k] = true;
        });
    if (alike) {
        around.depends.assign(plan.compiled.size(), loop_set().set());
        return;
    }
    around.depends = settled(plan, loops_of_memory(plan));
    std::vector<loop_set> written(plan.slots.size(), loop_set().set());  // inputs never last
    for (std::size_t k = 0; k < plan.compiled.size(); ++k)
        for_each_slot(plan.compiled[k], [&](slot_number slot, bool writes) {
            if (writes) written[slot.index()] = around.depends[k];
        });
    for (std::size_t k = 0; k < plan.compiled.size(); ++k)
        for_each_slot(plan.compiled[k], [&](slot_number number, bool writes) {
            slot& s = plan.slots[number.index()];
            const bool less_often = (around.depends[k] & ~written[number.index()]).any();
            if (!writes && less_often && s.kind == storage::workspace) s.lasts = true;
        });
}

pass_counter::pass_counter(const step_loop& around)
    : loop_(around), counters_(around.counts.size()) {
    restart();
}

void pass_counter::restart() {
    for (std::size_t l = 0; l < counters_.size(); ++l)
        counters_[l] = loop_.backwards ? loop_.counts[l] - 1 : 0;
    changed_.set();
    first_ = true;
}

bool pass_counter::advance() {
    changed_.reset();
    first_ = false;
    for (std::size_t l = counters_.size(); l-- > 0;) {
        add_loop(changed_, l);
        if (loop_.backwards) {
            if (--counters_[l] >= 0) return true;
            counters_[l] = loop_.counts[l] - 1;
        } else {
            if (++counters_[l] < loop_.counts[l]) return true;
            counters_[l] = 0;
        }
    }
    return false;
}

void pass_counter::place(std::vector<slot>& slots) const {
    for (const moving_slot& m : loop_.moving)
        slots[m.slot.index()].data = m.at(counters_, loop_.counts);
}

}  // namespace ricci::plan
