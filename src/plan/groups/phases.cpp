// The phases of a fused group: which consumers wait for the first one to be over.
#include "src/plan/groups/phases.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "src/plan/groups/plane_elements.hpp"
#include "src/plan/groups/tile_lookups.hpp"
#include "src/plan/pool/scalar.hpp"
#include "src/plan/groups/sums_of_outputs.hpp"

namespace ricci::plan {
namespace {

// Each phase makes the tiles again. A product of more than so many terms is better stored than made
// three times, if it takes no more than so many bytes.
constexpr std::int32_t most_phases = 4;
constexpr double most_repeated = 128;
constexpr double storable_bytes = 64 << 20;

}  // namespace

bool phases::reads(expr value, slot_number slot) const {
    return plan_.values.any_load({value}, [&](const access& a) { return a.slot == slot; });
}

/// The slots that a value reads: of its own, or through the products that make its tiles.
phases::slot_set phases::read_by(expr value, bool through_products) const {
    slot_set own, below;
    plan_.values.for_each_load({value}, [&](const access& a) { own.insert(a.slot); });
    if (!through_products) return own;
    for (const slot_number slot : own)
        if (const auto* product = tiles_.product_of(slot))
            for_each_load(plan_.values, group_.at(product->step),
                          [&](const access& a) { below.insert(a.slot); });
    return below;
}

/// The slots that a consumer reads beside what makes its tile: its factor and its number.
phases::slot_set phases::read_by(const consumer& c) const {
    auto slots = read_by(c.value, false);
    slots.merge(read_by(c.what.scale, false));
    if (c.factor) slots.insert(plan_.values[c.factor].source.slot);
    if (c.lands()) slots.insert(plan_.values[c.what.numbers].source.slot);
    return slots;
}

// How many values equal their maximum is counted while that is found.
void phases::find_ties() {
    const auto& values = plan_.values;
    for (std::size_t k = 0; k < consumers_.size(); ++k) {
        auto& c = consumers_[k];
        const auto& body = values[c.value];
        if (c.by != steps::monoid::sum || c.factor || c.lands() || c.partial || c.what.beta != 0 ||
            !values.is_constant(c.what.scale, 1) || body.code != opcode::equal)
            continue;
        for (auto& e : consumers_) {
            if (!steps::is_extremum(e.by) || e.places || e.ties_by >= 0 || e.log_sum || e.partial ||
                e.summed != c.summed || e.step > c.step ||
                uses_[e.what.target.slot.index()].writers.size() != 1)
                continue;
            const std::size_t side = body.arguments[0] == e.value ? 1 : 0;
            const auto& read = values[body.arguments[side]];
            if (body.arguments[1 - side] != e.value || read.kind != kind::load ||
                read.source.slot != e.what.target.slot || read.source.at != e.what.target.at ||
                !unchanged(c, e))
                continue;
            c.ties = true;
            e.ties_by = static_cast<std::int32_t>(k);
            break;
        }
    }
}

// Where a maximum or minimum stands is found with it: with a result, or with one that nobody else
// reads.
void phases::find_places() {
    const std::size_t count = consumers_.size();
    for (std::size_t k = 0; k < count; ++k) {
        if (!consumers_[k].places) continue;
        const auto gives = [&](const consumer& e) {
            return e.by == consumers_[k].by && !e.places && e.place_by < 0 && !e.log_sum &&
                   !e.partial && !e.apart && e.summed == consumers_[k].summed &&
                   e.value == consumers_[k].value &&
                   uses_[e.what.target.slot.index()].writers.size() == 1 &&
                   unchanged(e, consumers_[k]);
        };
        auto found = std::ranges::find_if(consumers_, gives);
        if (found == consumers_.end()) {
            consumers_.push_back(extremum_of(plan_, group_, consumers_[k]));
            found = consumers_.end() - 1;
        }
        found->place_by = static_cast<std::int32_t>(k);
    }
}

std::map<slot_number, phases::derived_slot> phases::find_derived() const {
    std::map<slot_number, std::size_t> results;
    std::map<slot_number, derived_slot> derived;
    for (const auto& c : consumers_) results.emplace(group_.at(c.step).target.slot, c.step);
    std::size_t s = consumers_.empty() ? plan_.steps.size() : group_.consumers.front() + 1;
    for (; s < plan_.steps.size(); ++s) {
        if (std::ranges::binary_search(group_.members, s)) continue;
        const auto& effects = plan_.steps[s].effects;
        slot_set from;
        for (const effect& t : effects) {
            if (t.writes) continue;
            if (const auto r = results.find(t.slot); r != results.end() && r->second < s)
                from.insert(t.slot);
            if (const auto d = derived.find(t.slot); d != derived.end() && d->second.since < s)
                from.merge(d->second.from);
        }
        if (from.empty()) continue;
        for (const effect& t : effects) {
            if (!t.writes) continue;
            auto& made = derived.try_emplace(t.slot, derived_slot{s, {}}).first->second;
            made.from.merge(from);
        }
    }
    return derived;
}

// Which consumers have to wait: a phase reads nothing of what it writes itself.
bool phases::assign_phases() {
    slot_set given;
    for (const auto& c : consumers_) given.insert(group_.at(c.step).target.slot);
    const auto waits = [&](const slot_set& slots) {
        return std::ranges::any_of(slots, [&](slot_number slot) { return given.contains(slot); });
    };
    for (const auto& s : tiles_.softmaxes()) {
        const auto inside = tiles_.linear_in(s.score);
        if (!inside || *inside >= 0 || waits(read_by(s.score, false)) ||
            waits(read_by(s.score, true))) {
            reason_ = "a softmax of it depends on another sum over it";
            return false;
        }
    }
    const auto derived = find_derived();
    const auto waits_at = [&](const consumer& c, const slot_set& slots) {
        return waits(slots) || std::ranges::any_of(slots, [&](slot_number slot) {
                   const auto found = derived.find(slot);
                   return found != derived.end() && found->second.since < c.step;
               });
    };
    // What is not summed over columns runs without any softmax to find.
    for (auto& c : consumers_) {
        if (c.is_beside()) continue;
        const auto softmax = tiles_.linear_in(c.value);
        c.phase = !softmax || (c.by != steps::monoid::sum && !c.log_sum && *softmax >= 0) ||
                  waits_at(c, read_by(c)) ||
                  (c.summed != loop_role::column && !tiles_.softmaxes().empty());
        c.late_by_product = !c.is_late() && waits_at(c, read_by(c.value, true));
        if (c.late_by_product) c.phase = 1;
        c.weights = c.is_late() ? -1 : *softmax;
    }
    return true;
}

/// Puts what waits behind what it depends on; false where it depends on itself, or on too many that
/// wait in turn.
bool phases::deepen_phases() {
    const auto derived = find_derived();
    // What a consumer depends on, through other steps, too.
    const auto needed_by = [&](const consumer& c) {
        auto slots = read_by(c);
        slots.merge(read_by(c.value, true));
        slot_set all = slots;
        for (const slot_number slot : slots)
            if (const auto d = derived.find(slot); d != derived.end() && d->second.since < c.step)
                all.merge(d->second.from);
        return all;
    };
    for (bool deeper = true; deeper;) {
        deeper = false;
        std::map<slot_number, std::int32_t> given;  // by which phase
        for (const auto& c : consumers_) {
            if (!c.is_late() || c.replaced) continue;
            auto& phase = given[group_.at(c.step).target.slot];
            phase = std::max(phase, c.phase);
        }
        for (auto& c : consumers_) {
            if (!c.is_late() || c.replaced || c.is_beside()) continue;
            for (const slot_number slot : needed_by(c)) {
                const auto found = given.find(slot);
                if (found == given.end() || c.phase > found->second) continue;
                c.phase = found->second + 1;
                deeper = true;
            }
            if (c.phase < most_phases) continue;
            reason_ = "sums over it depend on one another";
            return false;
        }
        for (const auto& c : consumers_)
            for (const std::int32_t beside : {c.ties_by, c.place_by})
                if (beside >= 0) consumers_[static_cast<std::size_t>(beside)].phase = c.phase;
    }
    return true;
}

/// Whether nobody writes what makes two values between the steps that read it: where it is the same
/// tensor, it is the same value.
bool phases::unchanged(const consumer& a, const consumer& b) const {
    auto steps = a.needs;
    steps.merge(b.needs);
    steps.insert(a.step);
    steps.insert(b.step);
    small_map<slot_number, std::size_t, 8> first_read;  // by slot
    for (const std::size_t s : steps)
        for (const effect& t : plan_.steps[s].effects) {
            if (t.writes || group_.is_plane(t.slot)) continue;
            if (!first_read.contains(t.slot)) first_read[t.slot] = s;
            const std::size_t first = first_read.at(t.slot);
            const auto& writers = uses_[t.slot.index()].writers;
            const auto next = std::ranges::lower_bound(writers, first);
            if (next != writers.end() && *next < s) return false;
        }
    return true;
}

void phases::replace_by_sums_of_outputs() {
    for (auto& sum : consumers_) {
        if (sum.ties || sum.lands() || sum.by != steps::monoid::sum || sum.factor ||
            sum.summed != loop_role::column || sum.what.beta != 0 ||
            (sum.is_late() && !sum.late_by_product) || sum.partial ||
            plan_.values[sum.what.scale].kind != kind::constant)
            continue;
        for (auto& bracket : consumers_) {
            if (&bracket == &sum || bracket.by != steps::monoid::sum || bracket.step > sum.step ||
                !unchanged(sum, bracket))
                continue;
            // Its other terms, or a function of it, are written over it.
            const slot_number target = group_.at(bracket.step).target.slot;
            const bool changes = uses_[target.index()].writers.size() > 1;
            auto map = sum_of_output(plan_, group_, tiles_, sum, bracket, changes, made_);
            if (!map) continue;
            made_.push_back(std::move(*map));
            sum.replaced = true;
            sum.phase = 0;
            break;
        }
    }
}

/// Whether two consumers of one target may write it themselves, the second after the first: those
/// of one phase reach each element at the same time, each in its turn.
bool phases::may_share(const consumer& first, const consumer& second) const {
    if (!first.writes_target()) return false;
    if (first.phase != second.phase) return second.phase > first.phase;
    if (are_apart(plan_.values, first.what.target, second.what.target)) return true;
    return first.summed == second.summed && first.what.kind == second.what.kind &&
           first.what.target.at == second.what.target.at &&
           (second.what.beta == 1 || second.what.kind == assignment_kind::scatter);
}

// Sums over rows come when all rows are done, sums over columns with each row: what one of them
// writes, the other one would overwrite, or add to what is not there yet. Each but the first is
// added by a map.
void phases::separate_writers() {
    for (auto& c : consumers_) {
        if (!c.writes_target()) continue;
        const auto cannot_share = [&](const consumer& before) {
            return before.step < c.step &&
                   group_.at(before.step).target.slot == group_.at(c.step).target.slot &&
                   !may_share(before, c);
        };
        if (std::ranges::any_of(consumers_, cannot_share)) write_apart(plan_, group_, c, made_);
    }
}

// Where the logarithms of the sums of weights go, which results ask for, and in memory what late
// consumers need to make weights again.
void phases::find_sums() {
    sums_.resize(tiles_.softmaxes().size());
    const loop_list axes = loops_beside(group_.loops, loop_role::column);
    for (const auto& c : consumers_) {
        if (!c.log_sum) continue;
        access& sum = sums_[static_cast<std::size_t>(c.weights)].of(c.what.folding);
        // A result that others write later is no place to read it from.
        if (!sum.slot && uses_[c.what.target.slot.index()].writers.size() == 1) {
            sum = c.what.target;
            continue;
        }
        if (!sum.slot) sum = add_memory(plan_, axes);
        made_.push_back({make_step(plan_.values, map_into(c.what.equation, c.what.target,
                                                          plan_.values.load(sum))),
                         {{sum.slot, c.step + 1, false}, {c.what.target.slot, c.step, true}}});
    }
    for (std::size_t k = 0; k < sums_.size(); ++k) {
        const auto makes_again = [&](const consumer& c) {
            return c.is_late() && reads(c.value, tiles_.softmaxes()[k].tile.slot);
        };
        if (std::ranges::none_of(consumers_, makes_again)) continue;
        if (!sums_[k].maximum.slot) sums_[k].maximum = add_memory(plan_, axes);
        sums_[k].largest = add_memory(plan_, axes);
    }
}

// Tests look at groups of a few rows and columns: for them RICCI_FUSE_ALL=1 asks for no price.
bool phases::is_dear() const {
    if (!price_.is_dearer_than_storing()) return false;
    const char* const all = std::getenv("RICCI_FUSE_ALL");
    return all == nullptr || std::string_view(all) != "1";
}

// What is read for the planes is not to be read once more for a second phase, nor are wide products
// made again and again.
bool phases::pays() {
    std::int32_t last = 0;
    for (const auto& c : consumers_)
        if (!c.replaced) last = std::max(last, c.phase);
    double terms = 0, bytes = static_cast<double>(size_of(plan_.computed_type()));
    for (const auto& p : tiles_.products()) terms += plan_.values.size(group_.at(p.step).over);
    for (const auto& l : group_.loops) bytes *= static_cast<double>(plan_.values.extent(l.what));
    if (last > 1 && terms > most_repeated && bytes <= storable_bytes) {
        reason_ = "sums over it that depend on one another would make its products again";
        return false;
    }
    if (!group_.reads_large || !tiles_.softmaxes().empty() || !tiles_.products().empty())
        return true;
    return std::ranges::none_of(consumers_,
                                [](const consumer& c) { return c.is_late() && !c.replaced; });
}

bool phases::run() {
    for (const std::size_t step : group_.consumers)
        for (auto& c : make_consumers(plan_, group_, tiles_, step)) {
            split_sum(plan_, group_, c, made_);
            consumers_.push_back(std::move(c));
        }
    const auto is_plane = [&](slot_number slot) { return group_.is_plane(slot); };
    for (const std::size_t step : group_.element_readers)
        read_elements(plan_, uses_, step, is_plane, made_);
    for (const std::size_t step : group_.members)
        if (group_.at(step).kind == assignment_kind::gather &&
            group_.is_plane(group_.at(step).target.slot))
            check_lookups(plan_, group_, step, made_);
    find_ties();
    find_places();
    if (!assign_phases()) return false;
    replace_by_sums_of_outputs();
    if (!deepen_phases()) return false;
    separate_writers();
    find_sums();
    if (!pays()) return false;
    for (std::int32_t phase = 0; phase < most_phases; ++phase)
        if (!write(phase)) return false;
    return true;
}

}  // namespace ricci::plan
