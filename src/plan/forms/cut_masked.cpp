// Steps over pairs of places run over panels, each with what a condition leaves there.
#include "src/plan/forms/cut_masked.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "src/plan/schedule/edges.hpp"
#include "src/plan/schedule/small_planes.hpp"
#include "src/plan/forms/triangle_parts.hpp"
#include "src/plan/pool/conditions.hpp"
#include "src/plan/pool/outside.hpp"

namespace ricci::plan {
namespace {

struct limits {
    // Shorter loops are not cut, and a panel is no narrower; of longer ones there are so many.
    std::int64_t fewest_places = 256, least_panel = 64;
    static constexpr std::int64_t most_panels = 8;
};

limits limits_now() {
    return cuts_small_planes() ? limits{.fewest_places = 24, .least_panel = 6} : limits{};
}

// Of all pairs so many are left, at most, for the panels to be worth their steps.
constexpr double most_left = 0.75;

/// How a step is cut: along i, which is free in it, and by panels of i in j. Who reads what it
/// makes reads it in the same panels.
struct panel_cut {
    triangle pairs;
    bool fills = false;  // `beyond` is written where the condition does not hold
    double beyond = 0;
    bool hides = false;  // what was multiplied by 0 there may have been no number
};

/// Part of one loop, and of the other what the condition leaves there, and what it does not.
struct panel {
    loop_range free, left, beyond;
};

/// A condition between two loops, and what a value is beyond it. Of two ways to say one condition
/// that by the loop with the smaller number as j.
struct masked_value {
    triangle pairs;
    double beyond = 0;
    bool by_numbers = false;
};

triangle exchanged(const triangle& t) { return {t.i, t.j, !t.up, -t.offset}; }

/// What tensors in memory are beyond conditions, step by step.
class masked_tensors {
public:
    explicit masked_tensors(program_plan& plan) : plan_(plan), values_(plan.values) {}

    /// What stands in a tensor after a step. Steps are looked at in their order.
    void look(const step& s) {
        const assign* const a = s.as_assign();
        tensor made{{}, {}, a != nullptr && a->kind == assignment_kind::contract};
        if (a != nullptr && a->kind == assignment_kind::map && plan_.is_whole(a->target))
            made = {a->target, outside_of(*a), false};
        std::erase_if(made.beyond, [&](outside_value& v) {
            v.by_numbers = true;
            return !without(values_[v.condition].indices, a->loops).empty();
        });
        for (const effect& t : s.effects)
            if (t.writes) known_.erase(t.slot);
        if (made.is_product || !made.beyond.empty()) known_[a->target.slot] = std::move(made);
    }

    /// What is known of an expression without sums; of what a map gives, before it is stored.
    std::optional<masked_value> value_of(expr e) const { return masked(outside_of(e)); }
    std::optional<masked_value> made_by(const assign& map) const { return masked(outside_of(map)); }

    /// Whether what a body reads at each pair is known, or is a product of what lacks one of the
    /// loops each: numbers there that are none show at pairs for which the condition holds, too.
    bool shows_elsewhere(expr body, const triangle& pairs) const {
        return values_.all_loads({body}, [&](const access& read) {
            const auto loops = loops_of(read);
            return !contains(loops, pairs.i) || !contains(loops, pairs.j) ||
                   known_.contains(read.slot);
        });
    }

private:
    struct tensor {
        access target;
        outside_values beyond;
        bool is_product = false;
    };

    // The first of conditions between two loops; those that hide whatever else there is are before
    // others.
    std::optional<masked_value> masked(const outside_values& all) const {
        std::optional<masked_value> found;
        for (const auto& v : all) {
            if (found && (v.by_numbers || !found->by_numbers)) continue;
            const auto& loops = values_[v.condition].indices;
            const auto pairs =
                loops.empty() ? std::nullopt : triangle_in(values_, v.condition, loops[0]);
            if (pairs && pairs->steps_by_one())
                found = {pairs->j < pairs->i ? *pairs : exchanged(*pairs), v.number, v.by_numbers};
        }
        return found;
    }
    outside_values outside_of(expr e) const {
        return outside(values_, e, [&](expr load) { return of_load(load); });
    }
    outside_values outside_of(const assign& map) const {
        return outside_of_fold(values_, map.folding, map.over, outside_of(map.body));
    }
    outside_values of_load(expr load) const {
        const access read = values_[load].source;
        const auto found = known_.find(read.slot);
        if (found == known_.end() || found->second.beyond.empty() || values_[load].edged) return {};
        const auto names = names_at(found->second.target, read);
        if (!names) return {};
        outside_values here = found->second.beyond;
        for (auto& v : here) v.condition = values_.renamed(v.condition, *names);
        return here;
    }

    program_plan& plan_;
    graph& values_;
    std::map<slot_number, tensor> known_;
};

class mask_cutter {
public:
    explicit mask_cutter(program_plan& plan)
        : plan_(plan), values_(plan.values), cuts_(plan.steps.size()) {}

    void run() {
        if (std::ranges::none_of(plan_.steps, [&](const step& s) { return is_long(s); })) return;
        masked_tensors known(plan_);
        for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
            if (const assign* a = plan_.steps[s].as_assign()) cuts_[s] = own_cut(known, *a);
            known.look(plan_.steps[s]);
        }
        for (std::size_t s = plan_.steps.size(); s-- > 0;)
            if (const assign* a = plan_.steps[s].as_assign(); a != nullptr && !cuts_[s])
                cuts_[s] = cut_of_readers(s, *a);
        if (std::ranges::none_of(cuts_, [](const auto& c) { return bool(c); })) return;
        std::vector<step> steps;
        for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
            if (cuts_[s]) cut(*plan_.steps[s].as_assign(), *cuts_[s], steps);
            else steps.push_back(std::move(plan_.steps[s]));
        }
        plan_.steps = std::move(steps);
    }

private:
    // Which steps are cut -------------------------------------------------------------------------

    bool is_long(const step& s) const {
        const assign* a = s.as_assign();
        if (a == nullptr) return false;
        const auto all = united(a->loops, a->over);
        return std::ranges::count_if(
                   all, [&](loop l) { return values_.extent(l) >= limits_.fewest_places; }) >= 2;
    }

    bool is_cuttable(const assign& a) const {
        if (values_[a.body].edged || !plan_.holds(a.target.slot, plan_.type)) return false;
        if (a.kind == assignment_kind::map) return true;
        if (a.kind != assignment_kind::contract) return false;
        const auto& factors = values_[a.body].arguments;
        return std::ranges::all_of(factors, [&](expr f) { return values_[f].kind == kind::load; });
    }

    // By what is known of what it computes.
    std::optional<panel_cut> own_cut(const masked_tensors& known, const assign& a) const {
        if (!is_cuttable(a)) return {};
        const auto is_hidden = [&](const masked_value& m) {
            return m.by_numbers && !known.shows_elsewhere(a.body, m.pairs);
        };
        if (a.kind == assignment_kind::contract) {
            for (const expr f : values_[a.body].arguments)
                if (const auto m = known.value_of(f); m && m->beyond == 0 && !is_hidden(*m))
                    if (auto cut = folded_cut(a, *m)) return cut;
            return {};
        }
        const bool pointwise = a.folding == fold::none || a.folding == fold::softmax;
        const auto m = pointwise ? known.made_by(a) : known.value_of(a.body);
        if (!m || is_hidden(*m)) return {};
        if (pointwise) return pointwise_cut(a, *m);
        const bool leaves_out =
            a.folding == fold::sum || a.folding == fold::maximum || a.folding == fold::logsumexp;
        return leaves_out && m->beyond == identity_of(a.folding) ? folded_cut(a, *m) : std::nullopt;
    }

    // What changes nothing where it is folded is left out.
    std::optional<panel_cut> folded_cut(const assign& a, const masked_value& m) const {
        const bool over_i = contains(a.over, m.pairs.i), over_j = contains(a.over, m.pairs.j);
        if (over_i == over_j) return {};
        const triangle pairs = over_j ? m.pairs : exchanged(m.pairs);
        if (!contains(a.loops, pairs.i) || !is_worth(pairs)) return {};
        return panel_cut{pairs, false, 0, m.by_numbers};
    }

    // What a map gives at each pair. A softmax needs all that is left of what it is over.
    std::optional<panel_cut> pointwise_cut(const assign& a, const masked_value& m) const {
        if (!contains(a.loops, m.pairs.i) || !contains(a.loops, m.pairs.j)) return {};
        const bool over_i = contains(a.over, m.pairs.i), over_j = contains(a.over, m.pairs.j);
        if (over_i && over_j) return {};
        triangle pairs = m.pairs;
        if (over_i || (!over_j && axis_of(a.target, pairs.j) < axis_of(a.target, pairs.i)))
            pairs = exchanged(pairs);
        if (!is_worth(pairs)) return {};
        return panel_cut{pairs, true, m.beyond,
                         m.by_numbers && plan_.slot_of(a.target).kind == storage::output};
    }

    std::size_t axis_of(const access& a, loop l) const {
        std::size_t axis = 0;
        while (axis < a.at.size() && a.at[axis].factor(l) == 0) ++axis;
        return axis;
    }

    bool is_worth(const triangle& pairs) const {
        const auto parts = parts_of(values_, pairs);
        return parts && parts->rows >= limits_.fewest_places &&
               parts->columns >= limits_.fewest_places &&
               parts->pairs() <= most_left * static_cast<double>(parts->rows) *
                                     static_cast<double>(parts->columns);
    }

    // By all that read what it makes being cut alike, so that they read it in these panels alone.
    std::optional<panel_cut> cut_of_readers(std::size_t maker, const assign& a) const {
        if (!is_cuttable(a) || a.beta != 0 || a.hides ||
            (a.kind == assignment_kind::map && a.folding != fold::none) ||
            !plan_.is_whole(a.target))
            return {};
        std::optional<triangle> all;
        bool rewritten = false;
        for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
            const bool reads = plan_.steps[s].reads(a.target.slot),
                       writes = plan_.steps[s].writes(a.target.slot);
            if (s == maker || (!reads && !writes)) continue;
            if (s < maker || !reads || !cuts_[s]) return {};
            const assign& reader = *plan_.steps[s].as_assign();
            const auto pairs = pairs_as_made(a, reader, cuts_[s]->pairs);
            if (!pairs || (all && *all != *pairs)) return {};
            all = pairs;
            if (!writes) continue;
            // Once all of it is written again, what is read there is that.
            if (!cuts_[s]->fills || !plan_.is_whole(reader.target)) return {};
            rewritten = true;
            break;
        }
        const bool unseen = rewritten || plan_.slot_of(a.target).kind == storage::workspace;
        if (!all || !unseen || !is_worth(*all)) return {};
        return panel_cut{*all, false, 0, false};
    }

    // The pairs that a reader reads, by the loops of what makes them; nothing where it reads
    // others.
    std::optional<triangle> pairs_as_made(const assign& made, const assign& reader,
                                          triangle pairs) const {
        std::optional<loop_map> names;
        bool same = true;
        for_each_load(values_, reader, [&](const access& read) {
            if (read.slot != made.target.slot) return;
            auto here = names_at(made.target, read);
            same = same && here && (!names || *names == *here);
            names = std::move(here);
        });
        if (!same || !names) return {};
        for (loop* l : {&pairs.i, &pairs.j}) {
            const loop before = *l;
            const auto found = std::find_if(names->begin(), names->end(),
                                            [&](const auto& n) { return n.second == before; });
            if (found == names->end() || values_.extent(found->first) != values_.extent(before))
                return {};
            *l = found->first;
        }
        return pairs;
    }

    // Panels --------------------------------------------------------------------------------------

    // A few places more are left where there would be none.
    std::vector<panel> panels_of(const triangle& t) const {
        const std::int64_t extent = values_.extent(t.i), other = values_.extent(t.j);
        const std::int64_t count = std::min(limits::most_panels, extent / limits_.least_panel);
        std::vector<panel> all;
        for (std::int64_t k = 0; k < count; ++k) {
            const std::int64_t first = extent * k / count, end = extent * (k + 1) / count;
            panel p{{first, end - first}, {}, {}};
            if (t.up) {  // j <= i + offset
                const auto last =
                    std::clamp<std::int64_t>(end + t.offset, limits_.least_panel, other);
                p.left = {0, last};
                p.beyond = {last, other - last};
            } else {  // i + offset <= j
                const auto from =
                    std::clamp<std::int64_t>(first + t.offset, 0, other - limits_.least_panel);
                p.left = {from, other - from};
                p.beyond = {0, from};
            }
            all.push_back(p);
        }
        return all;
    }

    // A step where loops are at parts of them.
    assign at_parts(const assign& a, moved_loops there) {
        assign made = a;
        made.hides = false;
        for (const auto& m : there) {
            made.target = moved(values_, made.target, m);
            if (contains(made.over, m.what)) made.over = moved(made.over, m);
            if (contains(made.loops, m.what)) made.loops = moved(made.loops, m);
        }
        if (a.kind == assignment_kind::contract) {
            expr_list factors;
            for (const expr f : values_[a.body].arguments)
                factors.push_back(values_.moved(f, there));
            made.body = values_.as_written(opcode::multiply, std::move(factors));
        } else {
            made.body = values_.moved(a.body, there);
        }
        return made;
    }

    void cut(const assign& a, const panel_cut& c, std::vector<step>& to) {
        for (const panel& p : panels_of(c.pairs)) {
            const moved_loop row = to_part(values_, c.pairs.i, p.free);
            const moved_loop there[] = {row, to_part(values_, c.pairs.j, p.left)};
            to.push_back(make_step(values_, at_parts(a, there)));
            if (!c.fills || p.beyond.count == 0) continue;
            assign filled = a;
            filled.hides = false;
            filled.folding = fold::none;
            filled.over = {};
            filled.body = values_.constant(c.beyond);
            for (const auto& m : {row, to_part(values_, c.pairs.j, p.beyond)}) {
                filled.target = moved(values_, filled.target, m);
                filled.loops = moved(filled.loops, m);
            }
            to.push_back(make_step(values_, std::move(filled)));
        }
        // Looked at once all of it is written.
        std::get<assign>(to.back().what).hides = a.hides || c.hides;
    }

    program_plan& plan_;
    graph& values_;
    const limits limits_ = limits_now();
    std::vector<std::optional<panel_cut>> cuts_;  // by step
};

}  // namespace

void cut_masked(program_plan& plan) {
    const bool real = is_real(plan.type);
    if (real && !plan.careful && plan.values.solves_places()) mask_cutter(plan).run();
}

}  // namespace ricci::plan
