// Groups that can run together, a block of rows at a time.
#include "src/plan/groups/chain.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include "src/plan/schedule/grown_group.hpp"
#include "src/plan/schedule/independent_steps.hpp"
#include "src/plan/bind/operands.hpp"
#include "src/plan/pool/match.hpp"

namespace ricci::plan {
namespace {

bool is_consumer(const member& m) {
    return m.kind == member_kind::rows || m.kind == member_kind::columns ||
           m.kind == member_kind::pairs || m.kind == member_kind::added;
}

bool same_loops(const program_plan& plan, const fused& x, const fused& y) {
    return std::ranges::equal(x.loops, y.loops, [&](const group_loop& a, const group_loop& b) {
        return plan.values.extent(a.what) == plan.values.extent(b.what) && a.role == b.role;
    });
}

bool suits_as_first(const fused& f) {
    return std::ranges::all_of(f.members, [](const member& m) {
        return !is_consumer(m) || m.kind == member_kind::rows;  // and what is found with it
    });
}

bool suits_as_second(const fused& f) {
    const auto is = [&](member_kind p) {
        return std::ranges::any_of(f.members, [&](const member& m) { return m.kind == p; });
    };
    return is(member_kind::columns) && !is(member_kind::pairs) && !is(member_kind::added);
}

/// A group with other names for its loops.
fused with_names(graph& values, fused f, const loop_map& names) {
    for (auto& l : f.loops) l.what = renamed(l.what, names);
    for (auto& m : f.members) {
        assign& a = m.what;
        a.target = renamed(a.target, names);
        a.body = values.renamed(a.body, names);
        if (a.numbers) a.numbers = values.renamed(a.numbers, names);
        if (a.scattered) a.scattered = renamed(a.scattered, names);
        for (auto* list : {&a.loops, &a.over}) *list = renamed(*list, names);
    }
    return f;
}

/// Distances of no more terms are as quickly made again, in registers.
constexpr double few_summed = 8;

/// What a product reads, or a distance that takes longer to make than to keep: both sides, and the
/// weight of a distance. Nothing of other members.
expr_list read_by_product(const graph& values, const member& m) {
    if (m.kind == member_kind::product) {
        const auto f = factors_of(values, m.what);
        return {f.a->self, f.b->self};
    }
    if (m.kind != member_kind::distance || values.size(m.what.over) <= few_summed) return {};
    const auto parts = *distance_of(values, m.what);
    expr_list all{parts.a, parts.b};
    if (parts.weight) all.push_back(parts.weight);
    return all;
}

/// Whether two members make the same product, but for the names of what they sum over.
bool make_the_same(const graph& values, const member& x, const member& y) {
    const auto of_x = read_by_product(values, x), of_y = read_by_product(values, y);
    if (x.kind != y.kind || of_x.empty() || of_x.size() != of_y.size() ||
        x.what.scale != y.what.scale || x.what.over.size() != y.what.over.size())
        return false;
    const auto names = own_names(values, x.what.over, of_x[0], of_y[0]);
    if (names.size() != x.what.over.size()) return false;
    for (std::size_t k = 0; k < of_x.size(); ++k) {
        const access &a = values[of_x[k]].source, &b = values[of_y[k]].source;
        if (a.slot != b.slot || plan::renamed(a, names).at != b.at) return false;
    }
    return true;
}

std::vector<kept_tile> common_products(const graph& values, const fused& first,
                                       const fused& second) {
    std::vector<kept_tile> result;
    for (const auto& mine : second.members)
        for (const auto& other : first.members) {
            const bool taken = std::ranges::any_of(
                result, [&](const auto& k) { return k.first == other.what.target.slot; });
            if (taken || !make_the_same(values, mine, other)) continue;
            result.push_back({other.what.target.slot, mine.what.target.slot});
            break;
        }
    return result;
}

/// Finds a chain that begins with a group and ends with another one behind it.
class finder {
public:
    finder(program_plan& plan, std::size_t first, std::size_t last)
        : plan_(plan), first_at_(first), last_at_(last), first_(*plan.steps[first].as_fused()) {}

    bool find() {
        const fused& last = *plan_.steps[last_at_].as_fused();
        if (!suits_as_first(first_) || !suits_as_second(last) || !same_loops(plan_, first_, last))
            return false;
        loop_map names;
        for (std::size_t l = 0; l < first_.loops.size(); ++l)
            if (last.loops[l].what != first_.loops[l].what)
                names.emplace_back(last.loops[l].what, first_.loops[l].what);
        second_ = names.empty() ? last : with_names(plan_.values, last, names);
        kept_ = common_products(plan_.values, first_, second_);
        if (kept_.empty() || !add_results()) return false;
        for (std::size_t s = first_at_ + 1; s < last_at_; ++s) settle(s);
        return reads_rows_only();
    }

    /// All steps in their new order.
    std::vector<step> reordered() {
        std::vector<step> steps(plan_.steps.begin(),
                                plan_.steps.begin() + static_cast<std::ptrdiff_t>(first_at_));
        for (const auto s : before_) steps.push_back(plan_.steps[s]);
        steps.push_back(make_step(plan_.values, chained{first_, between_, second_, kept_}));
        for (const auto s : behind_) steps.push_back(plan_.steps[s]);
        steps.insert(steps.end(), plan_.steps.begin() + static_cast<std::ptrdiff_t>(last_at_) + 1,
                     plan_.steps.end());
        return steps;
    }

private:
    bool is_group_loop(loop l) const { return has_loop(first_.loops, l); }
    const access* result(slot_number slot) const {
        const auto found = results_.find(slot);
        return found == results_.end() ? nullptr : &found->second;
    }

    // What the first group writes. False where it reads any of that, too.
    bool add_results() {
        for (const auto& m : first_.members)
            if (m.kind == member_kind::rows || is_beside_extremum(m.kind) ||
                is_found_with_weights(m.kind))
                if (!results_.emplace(m.what.target.slot, m.what.target).second) return false;
        const auto& effects = plan_.steps[first_at_].effects;
        return std::ranges::none_of(
            effects, [&](const effect& t) { return !t.writes && results_.contains(t.slot); });
    }

    // A step in between: before the chain, in it, or behind it.
    void settle(std::size_t number) {
        const step& s = plan_.steps[number];
        const auto free_of = [&](const std::vector<std::size_t>& others) {
            return std::ranges::all_of(others, [&](std::size_t other) {
                return are_independent(plan_, s, plan_.steps[other]);
            });
        };
        if (are_independent(plan_, s, plan_.steps[first_at_]) && free_of(sums_) &&
            free_of(behind_)) {
            before_.push_back(number);
            return;
        }
        auto sum = free_of(behind_) ? as_row_sum(s) : std::nullopt;
        if (sum && add_result(*sum)) {
            sums_.push_back(number);
            between_.push_back(std::move(*sum));
        } else {
            behind_.push_back(number);
        }
    }

    /// A map as a sum for each row of the first group, over its loops, if it is one.
    std::optional<assign> as_row_sum(const step& s) {
        const assign* map = s.as(assignment_kind::map);
        auto& values = plan_.values;
        if (map == nullptr || map->folding != fold::sum) return {};
        const auto product = product_of_loads(values, map->body);
        if (!product) return {};
        const access reads[] = {product->a->source, product->b->source};
        // Its loops are those of the first group at the same places of what that gives.
        loop_map names;
        for (const access& read : reads) {
            const access* given = result(read.slot);
            if (given == nullptr) continue;
            for (std::size_t axis = 0; axis < read.at.size(); ++axis)
                for (const auto& t : read.at[axis].terms)
                    for (const auto& g : given->at[axis].terms)
                        if (g.factor == t.factor && values.extent(g.over) == values.extent(t.over))
                            names.emplace_back(t.over, g.over);
        }
        std::ranges::sort(names);
        names.erase(std::unique(names.begin(), names.end()), names.end());
        assign sum = *map;
        sum.target = renamed(map->target, names);
        sum.body = values.renamed(map->body, names);
        sum.loops = loops_of(sum.target);
        sum.over = renamed(map->over, names);
        const loop_list rows = sorted(loops_beside(first_.loops, loop_role::column));
        const bool own = std::ranges::none_of(sum.over, [&](loop l) { return is_group_loop(l); });
        if (sum.loops != rows || sum.loops.size() != map->loops.size() || !own) return {};
        for (const access& read : reads) {
            const access now = renamed(read, names);
            const access* given = result(read.slot);
            if (given != nullptr && given->at != now.at) return {};
        }
        return sum;
    }

    // False where others touch what it writes.
    bool add_result(const assign& sum) {
        return !touches(sum.target.slot) && results_.emplace(sum.target.slot, sum.target).second;
    }

    // Whether the second group reads results of its own rows alone, and nobody before it in the
    // chain touches what it writes.
    bool reads_rows_only() const {
        const step& last = plan_.steps[last_at_];
        for (const auto number : behind_)
            if (!are_independent(plan_, plan_.steps[number], last)) return false;
        for (const effect& t : last.effects)
            if (t.writes && touches(t.slot)) return false;
        const auto is_result = [&](const access& a) { return result(a.slot) != nullptr; };
        const auto reads_elsewhere = [&](const access& a) {
            const access* given = result(a.slot);
            return given != nullptr &&
                   places_in(first_.loops, *given) != places_in(first_.loops, a);
        };
        return std::ranges::none_of(second_.members, [&](const member& m) {
            const expr body = m.what.body;
            return plan_.values.any_load({m.what.scale}, is_result) ||
                   (is_product(m.kind) || is_consumer(m)
                        ? plan_.values.any_load({body}, is_result)
                        : plan_.values.any_load({body}, reads_elsewhere));
        });
    }

    // Whether the first group or a sum behind it reads or writes a tensor.
    bool touches(slot_number slot) const {
        return plan_.steps[first_at_].touches(slot) ||
               std::ranges::any_of(sums_,
                                   [&](std::size_t s) { return plan_.steps[s].touches(slot); });
    }

    program_plan& plan_;
    std::size_t first_at_ = 0, last_at_ = 0;
    fused first_, second_;
    std::vector<kept_tile> kept_;
    std::map<slot_number, access> results_;  // of the first group and the sums
    std::vector<std::size_t> before_, sums_, behind_;
    std::vector<assign> between_;
};

}  // namespace

void chain_groups(program_plan& plan) {
    // The order of steps on shared memory is theirs alone.
    if (!outputs_in_place(plan.slots, plan.type).empty()) return;
    for (std::size_t first = 0; first < plan.steps.size(); ++first)
        for (std::size_t last = first + 1;
             last < plan.steps.size() && plan.steps[first].as_fused() != nullptr; ++last) {
            if (plan.steps[last].as_fused() == nullptr) continue;
            finder chain(plan, first, last);
            if (chain.find()) plan.steps = chain.reordered();
        }
}

}  // namespace ricci::plan
