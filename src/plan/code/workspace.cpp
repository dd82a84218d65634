// Intermediates share memory by liveness: first fit, in the order of their first use.
#include "src/plan/code/workspace.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <ricci/error.hpp>

namespace ricci::plan {
namespace {

// The slots that an element-wise pass reads exactly where it writes: its output may take their
// place.
std::vector<slot_number> read_in_place(const program_plan& plan, const map_step& s) {
    std::vector<slot_number> result;
    if (s.folding != fold::none && s.folding != fold::softmax) return result;
    const auto& out = s.operands[0];
    const slot_number written = s.uses[0].slot;
    const auto is_safe = [&](slot_number slot) {
        for (std::size_t k = 1; k < s.operands.size(); ++k) {
            const auto& o = s.operands[k];
            if (s.uses[k].slot == slot && (o.offset != out.offset || o.strides != out.strides))
                return false;
        }
        return true;
    };
    for (std::size_t k = 1; k < s.operands.size(); ++k) {
        const slot_number slot = s.uses[k].slot;
        if (!slot || slot == written || !is_safe(slot)) continue;
        if (plan.slots[slot.index()].bytes == plan.slots[written.index()].bytes)
            result.push_back(slot);
    }
    return result;
}

/// Which steps run at the same time.
class step_times {
public:
    explicit step_times(std::span<const std::size_t> part_ends) : ends_(part_ends) {}

    /// Whether a step is through whenever another one begins.
    bool ends_before(std::size_t step, std::size_t later) const {
        if (step >= later) return false;
        return is_after_parts(later) || end_of(step) == end_of(later);
    }
    /// Whether this step and those after it run one after the other.
    bool is_after_parts(std::size_t step) const { return ends_.empty() || step >= ends_.back(); }

private:
    // Of the part that the step is in.
    std::size_t end_of(std::size_t step) const { return *std::ranges::upper_bound(ends_, step); }
    std::span<const std::size_t> ends_;
};

// What a C++ object may measure; a larger sum of extents could not be addressed.
constexpr auto most_bytes =
    static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max() / 2);

/// Gives each intermediate a place that no other one has while it is in use.
class workspace_layout {
public:
    workspace_layout(program_plan& plan, std::span<const std::size_t> part_ends)
        : plan_(plan), times_(part_ends), life_of_(plan.slots.size(), none) {
        for (std::size_t s = 0; s < plan.compiled.size(); ++s)
            for_each_slot(plan.compiled[s],
                          [&](slot_number number, bool) { use(plan.whole(number), s); });
        stay_for_all_passes();
        for (auto& life : lives_) {
            if (!slot_of(life).lasts) continue;
            life.first = 0, life.last = plan.compiled.size();
            some_lasts_ = true;
        }
    }

    void run() {
        plan_.workspace_bytes = 0;
        for (auto& life : lives_) {
            if (slot_of(life).bytes > most_bytes)
                throw error(
                    "ricci: an intermediate tensor has more elements than memory has addresses.");
            forget_dead(life.first);
            if (lifetime* const replaced = overwritten_by(life)) take_over(life, *replaced);
            else find_room(life);
            place(life);
        }
    }

private:
    struct lifetime {
        slot_number slot;
        std::size_t first = 0, last = 0;  // steps
        std::size_t begin = 0, end = 0;   // bytes
    };
    static constexpr auto none = std::numeric_limits<std::size_t>::max();

    slot& slot_of(const lifetime& life) const { return plan_.slots[life.slot.index()]; }

    void use(slot_number number, std::size_t step) {
        if (plan_.slots[number.index()].kind != storage::workspace) return;
        std::size_t& life = life_of_[number.index()];
        if (life == none) {
            life = lives_.size();
            lives_.push_back({number, step, step, 0, 0});
        }
        lives_[life].last = step;
    }

    // What is handed on from pass to pass, or to or from steps that run once, is in use during all
    // passes; what each pass makes for itself is not.
    void stay_for_all_passes() {
        if (plan_.compiled_passes.empty()) return;
        for (const step_passes& p : plan_.compiled_passes)
            for (auto& life : lives_) {
                const bool outside = life.last < p.first || life.first >= p.end;
                const bool within = p.first <= life.first && life.last < p.end;
                if (outside || within) continue;
                life.first = std::min(life.first, p.first);
                life.last = std::max(life.last, p.end - 1);
            }
        std::ranges::sort(lives_, {}, [](const lifetime& life) {
            return std::pair(life.first, life.slot.number());
        });
        for (std::size_t k = 0; k < lives_.size(); ++k) life_of_[lives_[k].slot.index()] = k;
    }

    // The first step that touches it may write over an operand that is not needed afterwards.
    lifetime* overwritten_by(const lifetime& life) {
        const auto* map = std::get_if<map_step>(&plan_.compiled[life.first]);
        if (map == nullptr || map->uses[0].slot != life.slot || slot_of(life).lasts) return nullptr;
        lifetime* found = nullptr;
        for (const slot_number slot : read_in_place(plan_, *map)) {
            const std::size_t k = life_of_[slot.index()];
            if (k == none) continue;
            lifetime& other = lives_[k];
            if (other.last == life.first && !slot_of(other).lasts) found = &other;
        }
        return found;
    }
    void take_over(lifetime& life, lifetime& replaced) {
        life.begin = replaced.begin, life.end = replaced.end;
        placed_.erase(std::ranges::find(placed_, &replaced));
    }
    // What is through before this step, as it is for all that begin later: a chain of very many
    // contractions has two intermediates at a time. What lasts is beside all of them.
    void forget_dead(std::size_t step) {
        if (some_lasts_ || !times_.is_after_parts(step)) return;
        std::erase_if(placed_,
                      [&](const lifetime* life) { return times_.ends_before(life->last, step); });
    }
    // The first gap between what is in use then.
    void find_room(lifetime& life) const {
        const std::size_t size = (slot_of(life).bytes + workspace_alignment - 1) /
                                 workspace_alignment * workspace_alignment;
        for (const auto* other : placed_) {
            // Dead by then; all of them began before.
            if (times_.ends_before(other->last, life.first)) continue;
            if (life.begin + size <= other->begin) break;
            life.begin = std::max(life.begin, other->end);
        }
        life.end = life.begin + size;
        if (life.end > most_bytes)
            throw error(
                "ricci: the intermediate tensors together need more memory than can be addressed.");
    }
    void place(lifetime& life) {
        placed_.insert(std::ranges::upper_bound(placed_, &life,
                                                [](const lifetime* a, const lifetime* b) {
                                                    return a->begin < b->begin;
                                                }),
                       &life);
        slot_of(life).workspace_offset = life.begin;
        plan_.workspace_bytes = std::max(plan_.workspace_bytes, life.end);
    }

    program_plan& plan_;
    step_times times_;
    std::vector<std::size_t> life_of_;  // by slot
    std::vector<lifetime> lives_;       // by first use
    std::vector<lifetime*> placed_;     // by begin
    bool some_lasts_ = false;
};

}  // namespace

void lay_out_workspace(program_plan& plan, std::span<const std::size_t> part_ends) {
    workspace_layout(plan, part_ends).run();
}

}  // namespace ricci::plan
