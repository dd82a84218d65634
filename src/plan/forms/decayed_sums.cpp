// Sums of pairs i, j under [j <= i] as linear recurrences: where the weight of a pair is a number
// of j, times numbers of the links from j to i, times a number of i, the sum over j up to each i,
// or over i from each j on, is what was there a place before, times the link, and the place's own.
// So the gradients of products, maxima and logsumexp up to an index take one pass, and so do sums
// that decay, g^{i-j} and exp(-(i - j) r). A factor i - j is one recurrence more, of the sums
// before: as a difference, of i times a sum and of another one, it would cost digits.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "src/base/arithmetic.hpp"
#include "src/plan/forms/lower.hpp"

namespace ricci::plan {
namespace {

// Fewer are summed by all pairs.
constexpr std::int64_t fewest_carried = 8;
// Distances of pairs that are multiplied; each is a pass more.
constexpr std::size_t most_distances = 3;
// What a product of distances is at most, so that sums of such products are exact.
constexpr double largest_distance = 0x1p40;

bool is_of_distance(const pair_weight& w) {
    using enum pair_weight::weight_kind;
    return w.kind == power || w.kind == exponential || w.kind == distance || w.kind == apart;
}

// Whether i beyond the last place of j have other weights than that place.
bool goes_on(const pair_weight& w) {
    using enum pair_weight::weight_kind;
    return is_of_distance(w) || w.kind == product_between || w.kind == sum_between ||
           w.kind == ratio_between;
}

// A product of distances, of which each is step * d + ahead, as a sum of numbers times d over m:
// how many ways there are to take m of d. Nothing where there are too many.
std::optional<std::vector<std::int64_t>> binomials_of(const std::vector<pair_weight>& weights) {
    std::vector<pair_weight> distances;
    for (const auto& w : weights)
        if (w.kind == pair_weight::weight_kind::distance) distances.push_back(w);
    if (distances.size() > most_distances) return {};
    std::vector<std::int64_t> differences;
    for (std::size_t d = 0; d <= distances.size(); ++d) {
        double size = 1;
        std::int64_t product = 1;
        for (const auto& w : distances) {
            const double here = std::abs(static_cast<double>(w.step)) * static_cast<double>(d) +
                                std::abs(static_cast<double>(w.ahead));
            if ((size *= std::max(here, 1.0)) > largest_distance) return {};
            product *= w.step * static_cast<std::int64_t>(d) + w.ahead;
        }
        differences.push_back(product);
    }
    for (std::size_t m = 1; m < differences.size(); ++m)
        for (std::size_t d = differences.size(); d-- > m;) differences[d] -= differences[d - 1];
    while (differences.size() > 1 && differences.back() == 0) differences.pop_back();
    return differences;
}

}  // namespace

// Whether weights of distances alone are among these, or of a product of them; what the sum of
// them is made of. Of powers of numbers that may be 0 none is below 0.
bool lowering::take_distances(decayed_sum& d) const {
    using enum pair_weight::weight_kind;
    const bool any = std::ranges::any_of(d.weights, goes_on);
    auto counts = binomials_of(d.weights);
    if (!counts) return false;
    d.binomials = *std::move(counts);
    if (!any) return true;
    for (const auto& w : d.weights) {
        if (!is_of_distance(w) && d.binomials.size() > 1) return false;
        // It is implied where what is nearest has no weight.
        if (w.kind == apart && d.binomials[0] != 0) return false;
        if (w.kind != power || graph_[w.of].kind == kind::constant) continue;
        for (std::size_t m = 0; m < d.binomials.size(); ++m)
            if (d.binomials[m] != 0 && w.step * static_cast<std::int64_t>(m) + w.ahead < 0)
                return false;
    }
    // All states are stored.
    const loop l = d.over_i ? d.pairs.i : d.pairs.j;
    loop_list state;
    double largest = 1;
    for (const expr f : d.summed) {
        state = united(state, graph_[f].indices);
        largest = std::max(largest, graph_.size(without(graph_[f].indices, {l})));
    }
    return graph_.size(without(without(state, d.alone), {l})) <= largest;
}

// Whether each i stands for a place of j, but for those that no j goes with; elsewhere some have
// all.
bool lowering::ends_inside(const triangle& pairs) const {
    const std::int64_t last = pairs.stride * (graph_.extent(pairs.i) - 1) + pairs.offset;
    const bool inside = pairs.up ? last < graph_.extent(pairs.j) : pairs.offset >= 0;
    return pairs.stride == 1 && inside;
}

std::optional<decayed_sum> lowering::decayed_sum_under(const triangle& pairs, const loop_list& over,
                                                       expr_span factors) const {
    const std::int64_t places = graph_.extent(pairs.j);
    const bool over_i = contains(over, pairs.i);
    const bool over_j = contains(over, pairs.j);
    if (places < fewest_carried || !(over_i || over_j)) return {};
    decayed_sum found;
    found.pairs = pairs;
    found.over_i = !over_j;  // of both the sum over i comes later
    loop_list beside;
    if (over_j) beside = {pairs.i};
    for (const expr f : factors) {
        const auto& indices = graph_[f].indices;
        const bool has_i = contains(indices, pairs.i), has_j = contains(indices, pairs.j);
        if (!has_i || !has_j) {
            const bool summed = over_j ? has_j : has_i;
            (summed ? found.summed : found.others).push_back(f);
            if (!summed) beside = united(beside, indices);
            continue;
        }
        if (triangle_in(graph_, f, pairs.j) == pairs) continue;
        const bool twice = graph_[f].kind == kind::operation && graph_[f].code == opcode::square;
        const expr factor = twice ? graph_[f].arguments[0] : f;
        const auto weight = pair_weight_in(graph_, known_.defined, factor, pairs);
        // Who is how far from a place that is beyond the last one has no weight there.
        if (!weight || (goes_on(*weight) && !ends_inside(pairs))) return {};
        found.weights.insert(found.weights.end(), twice ? 2 : 1, *weight);
        if (weight->of) beside = united(beside, without(graph_[weight->of].indices, {pairs.j}));
    }
    if (found.weights.empty()) return {};
    found.later = common(over, beside);
    found.alone = without(over, found.later);
    if (!take_distances(found)) return {};
    return found;
}

std::optional<decayed_sum> lowering::decayed_sum_of(const read_fold& sum) const {
    const expr_list& factors = sum.cases.parts;
    for (const expr f : factors) {
        const expression& node = graph_[f];
        const bool softmax = is_softmax(node);
        for (const loop j : softmax ? node.over : node.indices) {
            // What a softmax gives is 0 where its condition does not hold.
            auto pairs = triangle_in(graph_, f, j);
            if (softmax)
                if (const auto folded = pairs_in(graph_, fold::softmax, node.arguments[0], j))
                    pairs = folded->pairs;
            if (!pairs) continue;
            if (auto found = decayed_sum_under(*pairs, sum.over, factors)) return found;
        }
    }
    return {};
}

// The fold of what stands at all places up to each, or from each on, but for the nearest ones.
expr lowering::up_to_each(fold folding, expr value, const triangle& pairs, std::int64_t apart) {
    auto& loops = graph_.loops();
    const loop k = loops.fresh(pairs.j);
    place ahead;  // 0 <= ahead
    ahead.add(pairs.j, pairs.up ? 1 : -1);
    ahead.add(k, pairs.up ? -1 : 1);
    ahead.offset = -apart;
    const expr is_before = graph_.not_negative(std::move(ahead));
    const expr there =
        graph_.apply(opcode::select, is_before, graph_.renamed(value, {{pairs.j, k}}),
                     graph_.constant(identity_of(folding)));
    const auto prefix = prefix_of(described(folding, {k}, there));
    return prefix ? *prefix : stored(graph_.row(folding, {k}, there));
}

// The extremum up to each place of j; where it is in memory for each i, it is there.
expr lowering::extremum_of(const pair_weight& weight, expr x, const triangle& pairs) {
    const bool same_places =
        pairs.offset == 0 && pairs.stride == 1 && graph_.extent(pairs.i) == graph_.extent(pairs.j);
    if (weight.extremum && same_places) {
        const bool is_load = graph_[weight.extremum].kind == kind::load;
        if (const expr there = is_load ? weight.extremum : in_memory(weight.extremum))
            return graph_.renamed(there, {{pairs.i, pairs.j}});
    }
    return up_to_each(weight.folding, x, pairs, 0);
}

expr lowering::at_place(expr value, loop l, place to) {
    const moved_loop there{l, std::move(to)};
    return graph_.moved(value, {&there, 1});
}

void lowering::add_parts(const pair_weight& weight, const triangle& pairs, pair_parts& parts) {
    if (is_of_distance(weight)) {
        const expr step = graph_.number(weight.step);
        if (weight.kind == pair_weight::weight_kind::power)
            parts.links.push_back(graph_.power(weight.of, step));
        if (weight.kind == pair_weight::weight_kind::exponential)
            parts.rates.push_back(graph_.multiply({step, weight.of}));
        return;
    }
    const auto at_link = [&](expr e, bool further) {
        return at_place(e, pairs.j, {further == pairs.up ? 1 : 0, {{parts.link_loop, 1}}});
    };
    if (weight.kind == pair_weight::weight_kind::product_between)
        return parts.links.push_back(at_link(weight.of, true));
    if (weight.kind == pair_weight::weight_kind::sum_between)
        return parts.rates.push_back(at_link(weight.of, true));
    const expr x = stored(weight.of);
    if (weight.kind == pair_weight::weight_kind::ratio_between)
        return parts.rates.push_back(
            graph_.apply(opcode::subtract, at_link(x, true), at_link(x, false)));
    if (weight.kind == pair_weight::weight_kind::others) {
        parts.start.push_back(up_to_each(fold::product, x, pairs, 1));
        parts.links.push_back(at_link(x, true));
        return;
    }
    const expr extremum = extremum_of(weight, x, pairs);
    if (weight.kind == pair_weight::weight_kind::extreme) {
        parts.start.push_back(graph_.apply(opcode::equal, x, extremum));
        parts.links.push_back(
            graph_.apply(opcode::equal, at_link(extremum, false), at_link(extremum, true)));
        return;
    }
    const running_weights w = weights_up_to_each(x, extremum, pairs, parts);
    parts.start.push_back(w.start);
    parts.links.push_back(w.link);
    // Where all are -infinity the sum is 0, and so are all weights.
    parts.end.push_back(
        graph_.apply(opcode::reciprocal, graph_.apply(opcode::maximum, w.sum, graph_.constant(1))));
}

// exp(x_j - m_i) with the maximum m_i of all up to i, and the sum of these: nothing is larger than
// 1, and no link is rounded but where the maximum rises.
running_weights lowering::weights_up_to_each(expr x, expr extremum, const triangle& pairs,
                                             pair_parts& parts) {
    const auto maximum = opcode::maximum, exponential = opcode::exp;
    running_weights w;
    w.most = graph_.apply(maximum, extremum, graph_.constant(lowest_number()));
    w.start = stored(graph_.apply(exponential, graph_.apply(opcode::subtract, x, w.most)));
    const auto at_link = [&](bool further) {
        return at_place(w.most, pairs.j, {further == pairs.up ? 1 : 0, {{parts.link_loop, 1}}});
    };
    w.link =
        graph_.apply(exponential, graph_.apply(opcode::subtract, at_link(false), at_link(true)));
    w.sum = recurrence(w.start, {w.link}, parts, pairs.j, pairs.up);
    return w;
}

// What stands in the place of a maximum of nothing, so that differences from it are numbers.
double lowering::lowest_number() const {
    return type_ == element::f32 ? static_cast<double>(std::numeric_limits<float>::lowest())
                                 : std::numeric_limits<double>::lowest();
}

// The place of a loop as one of another, and conditions that it is one of its places: beyond them
// there is 0.
place lowering::place_inside(loop l, std::int64_t by, loop of, expr_list& conditions) {
    place to{by, {{l, 1}}};
    const auto [first, last] = places_of(graph_.extent(of));
    if (graph_.reach(to).lies_within({first, last})) return to;
    conditions = graph_.within(to, first, last);
    to.edge = edge::zero;
    to.high = last;
    return to;
}

// The place of j that an i stands for, and the condition that some j goes with it; where all do, it
// is the last one.
place lowering::end_of_pairs(const triangle& pairs, expr_list& conditions) {
    if (ends_inside(pairs)) return place_inside(pairs.i, pairs.offset, pairs.j, conditions);
    const std::int64_t last = graph_.extent(pairs.j) - 1;
    place to{pairs.offset, {{pairs.i, pairs.stride}}};
    const auto inside = graph_.within(to, 0, last);
    conditions.push_back(inside[pairs.up ? 0 : 1]);
    to.edge = edge::clamp;
    to.high = last;
    return to;
}

// What there is of each i, at the place of j that it stands for; what has all is added up at the
// last one.
expr lowering::at_ends(expr value, const triangle& pairs) {
    const std::int64_t last = graph_.extent(pairs.j) - 1, rows = graph_.extent(pairs.i);
    const auto row_of = [&](std::int64_t at) {  // the first that stands for a place from there on
        const std::int64_t row = -floor_divide(pairs.offset - at, pairs.stride);
        return std::clamp<std::int64_t>(row, 0, rows);
    };
    const std::int64_t first = row_of(0), end = row_of(last + 1);
    const loop_range all = pairs.up ? loop_range{end, rows - end} : loop_range{0, first};
    const auto indices = united(without(graph_[value].indices, {pairs.i}), {pairs.j});
    const access target = temporary(indices);
    const auto at = [&](place there) { return moved(graph_, target, {pairs.j, std::move(there)}); };
    emit_map(target, graph_.constant(0));
    if (end > first) {
        const moved_loop row = to_part(graph_, pairs.i, {first, end - first});
        place there{pairs.offset, {}};
        there.add(row.to, pairs.stride);
        const access inside = at(there);
        emit_map(inside, graph_.moved(value, {&row, 1}));
    }
    if (all.count > 0) {
        const moved_loop row = to_part(graph_, pairs.i, all);
        const access edge = at({pairs.up ? last : 0, {}});
        const expr sum = graph_.sum(moved(loop_list{pairs.i}, row), graph_.moved(value, {&row, 1}));
        emit_map(edge, graph_.add({graph_.load(edge), sum}));
    }
    return graph_.load(target);
}

// Links that are the same from any place to the next one are read where they are; others lie in
// memory along the places. The link between places n and n + 1 is at n + 1.
expr lowering::read_links(const link_of_pairs& links, pair_parts& parts, loop along,
                          bool forwards) {
    const auto& of_links = graph_[links.factor].indices;
    if (!contains(of_links, parts.link_loop)) return stored(links.factor);
    if (parts.carried != links.factor) {
        parts.carried = links.factor;
        parts.carried_in = longer_memory(axis_order(of_links), parts.link_loop, 2);
        // None leads to the first place or from the last; yet all of a tensor has to be numbers.
        for (const std::int64_t end : {std::int64_t{0}, graph_.extent(along)})
            emit_map(parts.carried_in.at({end, {}}), graph_.constant(0));
        emit_map(parts.carried_in.at({1, {{parts.link_loop, 1}}}), links.factor);
    }
    return graph_.load(parts.carried_in.at({forwards ? 0 : 1, {{along, 1}}}));
}

// What was there a place before, times the link between, and the value.
expr lowering::recurrence(expr value, const link_of_pairs& links, pair_parts& parts, loop along,
                          bool forwards) {
    const auto of_links = without(graph_[links.factor].indices, {parts.link_loop});
    const auto indices = united(united(graph_[value].indices, of_links), {along});
    const bool decays = links.is_logarithm || !graph_.is_constant(links.factor, 1);
    const expr decay = decays ? read_links(links, parts, along, forwards) : expr::none;
    const auto target = temporary(indices, value);
    scan_into(fold::sum, target, value, along, !forwards, decay, links.is_logarithm);
    return graph_.load(target);
}

// The links of all weights: one factor, or the logarithm of one.
link_of_pairs lowering::links_of(const pair_parts& parts) {
    expr rate = parts.rates.empty() ? expr::none : graph_.add(parts.rates);
    if (rate && parts.links.empty()) return {rate, true};
    auto all = parts.links;
    if (rate) all.push_back(graph_.apply(opcode::exp, rate));
    return {all.empty() ? graph_.constant(1) : graph_.multiply(all)};
}

// The sum of what has been carried to each place, with the weights that pairs have by their
// distance: that of d over m is carried m times, each time what is a place before.
expr lowering::carried_by_distance(const decayed_sum& d, expr value, const link_of_pairs& links,
                                   pair_parts& parts, bool forwards) {
    using enum pair_weight::weight_kind;
    const loop along = d.pairs.j;
    expr_list terms;
    for (std::size_t m = 0; m < d.binomials.size(); ++m) {
        if (m > 0) {
            place before{forwards ? -1 : 1, {{along, 1}}};
            before.edge = edge::zero;
            before.high = graph_.extent(along) - 1;
            value = at_place(value, along, std::move(before));
        }
        value = recurrence(value, links, parts, along, forwards);
        if (d.binomials[m] == 0) continue;
        expr_list product{graph_.number(d.binomials[m])};
        for (const auto& w : d.weights) {
            const expr by = graph_.constant(
                static_cast<double>(w.step * static_cast<std::int64_t>(m) + w.ahead));
            if (w.kind == power) product.push_back(graph_.power(w.of, by));
            if (w.kind == exponential)
                product.push_back(graph_.apply(opcode::exp, graph_.multiply({by, w.of})));
        }
        product.push_back(value);
        terms.push_back(graph_.multiply(product));
    }
    return terms.empty() ? graph_.constant(0) : graph_.add(terms);
}

expr lowering::decayed(const decayed_sum& d) {
    const auto& [j, i, up, offset, stride] = d.pairs;
    hides_ = true;
    pair_parts parts;
    parts.link_loop = graph_.loops().fresh(j, graph_.extent(j) - 1);
    for (const auto& w : d.weights) add_parts(w, d.pairs, parts);
    const link_of_pairs links = links_of(parts);
    auto alone = without(d.alone, {d.over_i ? i : j});
    expr value = d.summed.empty() ? graph_.constant(1) : graph_.multiply(d.summed);
    value = graph_.sum(alone, value);
    value = plain(value, graph_.size(graph_[value].indices));
    auto product = d.others;
    if (d.over_i) {
        expr_list added;
        if (ends_inside(d.pairs)) {
            const place end = place_inside(j, -offset, i, added);
            added.push_back(at_place(value, i, end));
        } else {
            added.push_back(at_ends(value, d.pairs));
        }
        for (const expr e : parts.end) added.push_back(e);
        const expr carried = carried_by_distance(d, graph_.multiply(added), links, parts, !up);
        for (const expr e : parts.start) product.push_back(e);
        product.push_back(carried);
    } else {
        auto added = parts.start;
        added.push_back(value);
        auto ended = parts.end;
        ended.push_back(carried_by_distance(d, graph_.multiply(added), links, parts, up));
        expr_list conditions;
        const place end = end_of_pairs(d.pairs, conditions);
        for (const expr c : conditions) product.push_back(c);
        const expr at_each = graph_.multiply(ended);
        product.push_back(at_place(ends_inside(d.pairs) ? at_each : stored(at_each), j, end));
    }
    value = graph_.multiply(product);
    return d.later.empty() ? value : graph_.sum(d.later, value);
}

// Such a sum.
std::optional<expr> lowering::recurrence_of(const read_fold& sum) {
    if (!may_carry()) return {};
    const auto d = decayed_sum_of(sum);
    return d ? std::optional(decayed(*d)) : std::nullopt;
}

}  // namespace ricci::plan
