// Where loops are cut so that places with edges have none in each of the parts.
#include "src/plan/schedule/edges.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "src/base/arithmetic.hpp"
#include "src/base/small_set.hpp"
#include "src/plan/pool/conditions.hpp"

namespace ricci::plan {
namespace {

// Parts that a ring is cut into, each time round; of more, rounds are a loop.
constexpr std::int64_t most_turns = 8;

/// The least counter at which factor * counter + offset is at least `value`, and behind which it is
/// lower again where the factor is negative.
std::int64_t first_at_least(const term& t, std::int64_t offset, std::int64_t value) {
    if (t.factor > 0) return -floor_divide(offset - value, t.factor);
    // -f l + offset < value from here on
    return floor_divide(offset - value, -t.factor) + 1;
}

class cut_finder {
public:
    cut_finder(const graph& values, loop l) : values_(values), loop_(l) {}

    void look(expr e) {
        const auto& node = values_[e];
        if (!contains(node.indices, loop_) || !seen_.insert(e)) return;
        if (node.kind == kind::load)
            for (const place& p : node.source.at) look(p);
        look_at_comparison(e);
        for (const expr a : node.arguments) look(a);
    }

    std::vector<loop_range> parts() {
        const std::int64_t extent = values_.extent(loop_);
        if (!edged_) cuts_.clear();
        if (round_ > 0 && extent / round_ > 1) {
            // Whole rounds are all the same, and what is left over is one of them.
            const std::int64_t whole = extent / round_ * round_;
            std::vector<loop_range> parts{{0, whole, round_}};
            if (whole < extent) parts.push_back({whole, extent - whole});
            return parts;
        }
        std::ranges::sort(cuts_);
        std::vector<loop_range> parts;
        std::int64_t first = 0;
        for (const std::int64_t cut : cuts_) {
            if (cut <= first) continue;
            if (cut >= extent) break;
            parts.push_back({first, cut - first});
            first = cut;
        }
        parts.push_back({first, extent - first});
        return parts;
    }

private:
    const term* only_term(const place& p) const {
        return p.terms.size() == 1 && p.terms[0].over == loop_ ? &p.terms[0] : nullptr;
    }
    void cut(const term& t, std::int64_t offset, std::int64_t value) {
        cuts_.push_back(first_at_least(t, offset, value));
    }
    void look(const place& p) {
        const term* t = only_term(p);
        if (p.edge == edge::none || t == nullptr) return;
        edged_ = true;
        if (p.edge != edge::wrap) {
            cut(*t, p.offset, p.low);
            cut(*t, p.offset, p.high + 1);
            return;
        }
        const std::int64_t round = p.high - p.low + 1;
        const auto [least, most] = values_.reach(p);
        if ((most - least) / round > most_turns) {
            round_ = std::lcm(std::max<std::int64_t>(round_, 1),
                              round / std::gcd(std::abs(t->factor), round));
            return;
        }
        for (std::int64_t at = p.low - round * ((p.low - least) / round + 1); at <= most;
             at += round)
            cut(*t, p.offset, at);
    }
    void look_at_comparison(expr condition) {
        const auto compared = compared_in(values_, condition);
        if (!compared || compared->has_edge()) return;
        const place difference = compared->difference();
        const term* t = only_term(difference);
        if (t == nullptr) return;
        if (compared->code != opcode::less_equal) cut(*t, difference.offset, 0);
        if (compared->code != opcode::less) cut(*t, difference.offset, 1);
    }

    const graph& values_;
    const loop loop_;
    small_set<expr, 16> seen_;  // a part of several others is looked at once
    bool edged_ = false;
    std::int64_t round_ = 0;  // of a ring that is gone round many times, in iterations
    std::vector<std::int64_t> cuts_;
};

void find_edged(const graph& values, expr e, small_set<expr, 16>& seen, expr_list& found) {
    const auto& node = values[e];
    if (!node.edged || !seen.insert(e)) return;
    if (has_edge(node.source)) found.push_back(e);
    for (const expr a : node.arguments) find_edged(values, a, seen, found);
}

}  // namespace

expr_list edged_loads(const graph& values, expr e) {
    small_set<expr, 16> seen;
    expr_list found;
    find_edged(values, e, seen, found);
    return found;
}

std::vector<loop_range> parts_of(const graph& values, loop l, expr e) {
    cut_finder cuts(values, l);
    cuts.look(e);
    return cuts.parts();
}

bool is_uncut(const std::vector<loop_range>& parts) {
    return parts.size() == 1 && parts[0].round == 0;
}

moved_loop to_part(graph& values, loop l, const loop_range& part) {
    moved_loop m{l, {}};
    m.to.offset = part.first;
    if (part.round > 0) {
        m.to.add(values.loops().part(l, part.first, part.round, part.count / part.round),
                 part.round);
        if (part.round > 1) m.to.add(values.loops().part(l, part.first, 1, part.round), 1);
        return m;
    }
    if (part.count > 1) m.to.terms = {{values.loops().part(l, part.first, 1, part.count), 1}};
    return m;
}

std::vector<moved_loop> first_cut(graph& values, const loop_list& loops, expr e) {
    std::vector<moved_loop> all;
    for (const loop l : loops) {
        const auto parts = parts_of(values, l, e);
        if (is_uncut(parts)) continue;
        for (const loop_range& part : parts) all.push_back(to_part(values, l, part));
        break;
    }
    return all;
}

bool is_cut_by(const graph& values, const access& load, const loop_list& loops) {
    return std::ranges::all_of(load.at, [&](const place& p) {
        if (p.edge == edge::none) return true;
        if (p.terms.size() != 1 || !contains(loops, p.terms[0].over)) return false;
        const auto [least, most] = values.reach(p);
        return p.edge != edge::wrap || (most - least) / (p.high - p.low + 1) <= most_turns;
    });
}

access moved(const graph& values, access a, const moved_loop& m) {
    for (place& p : a.at) p = *moved(values, p, m);
    return a;
}

loop_list moved(const loop_list& loops, const moved_loop& m) {
    auto result = without(loops, {m.what});
    for (const auto& t : m.to.terms) add_loop(result, t.over);
    return result;
}

}  // namespace ricci::plan
