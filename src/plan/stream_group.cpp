// Gathering the steps that can be streamed together.
#include "src/plan/stream_group.hpp"

#include <algorithm>
#include <set>

#include "src/plan/contraction_lists.hpp"
#include "src/plan/scalar.hpp"

namespace ricci::plan {
namespace {

// Of all products and sinks together: what a worker's memory has room for, and where packing pays.
constexpr std::int64_t most_contracted = 256;
constexpr std::int64_t most_values = 512;

}  // namespace

stream_group::outcome stream_group::fail(std::int32_t slot, std::string why) {
    if (reason_.empty()) reason_ = std::move(why), refused_ = slot;
    return outcome::failed;
}

// Gives each loop of a step the group's loop along which the plane moves by the same stride.
bool stream_group::match(const std::vector<std::int64_t>& extents,
                         const std::vector<std::int64_t>& strides, const layout& plane,
                         matching& found) const {
    found.resize(extents.size(), -1);
    for (std::size_t l = 0; l < extents.size(); ++l) {
        if (extents[l] == 1 || strides[l] == 0) continue;
        std::int32_t same = -1;
        for (std::size_t g = 0; g < loops_.size(); ++g)
            if (plane[g] == strides[l] && loops_[g].extent == extents[l])
                same = static_cast<std::int32_t>(g);
        if (same < 0 || (found[l] >= 0 && found[l] != same)) return false;
        // in another operand's loops too: z^l z^k reads one plane along two loops
        for (std::size_t other = 0; other < found.size(); ++other)
            if (other != l && found[other] == same) return false;
        found[l] = same;
    }
    return true;
}

/// Whether the loops [first, last) are all of the group's column loops, or all of the others.
bool stream_group::covers(const matching& m, std::size_t first, std::size_t last,
                          bool columns) const {
    for (std::size_t g = 0; g < loops_.size(); ++g) {
        if ((loops_[g].axis == loop_role::column) != columns) continue;
        const auto end = m.begin() + static_cast<std::ptrdiff_t>(last);
        if (std::find(m.begin() + static_cast<std::ptrdiff_t>(first), end,
                      static_cast<std::int32_t>(g)) == end)
            return false;
    }
    return true;
}

/// Whether a consumer whose loops are summed from `first` on has all of the group's loops, and sums
/// all of the columns or none of them.
bool stream_group::sums_suit(const matching& m, std::size_t first) const {
    const bool all = covers(m, 0, m.size(), true) && covers(m, 0, m.size(), false);
    return all && (covers(m, first, m.size(), true) || covers(m, 0, first, true));
}

// Whether every step that writes the slot is one that can make tiles.
bool stream_group::can_be_made(std::int32_t slot) const {
    const auto& s = plan_.slots[static_cast<std::size_t>(slot)];
    const auto& uses = uses_[static_cast<std::size_t>(slot)];
    if (s.kind != storage::workspace || uses.writers.empty()) return false;
    return std::all_of(uses.writers.begin(), uses.writers.end(), [&](std::size_t w) {
        const auto& step = plan_.compiled[w];
        if (step.is_stream || step.is_gather) return false;
        if (step.is_contraction) return step.contraction.c_offset == 0;
        return step.map.operands[0].offset == 0 &&
               (step.map.folding == fold::none || step.map.folding == fold::softmax);
    });
}

bool stream_group::add_plane(std::int32_t slot, layout strides) {
    if (const auto known = layouts_.find(slot); known != layouts_.end())
        return known->second == strides;
    layouts_.emplace(slot, std::move(strides));
    const auto& uses = uses_[static_cast<std::size_t>(slot)];
    for (const auto* list : {&uses.writers, &uses.readers})
        for (const std::size_t s : *list)
            if (std::find(pending_.begin(), pending_.end(), s) == pending_.end() &&
                std::find(members_.begin(), members_.end(), s) == members_.end())
                pending_.push_back(s);
    return true;
}

stream_group::layout stream_group::strides_of(const matching& m,
                                              const std::vector<std::int64_t>& strides) const {
    layout result(loops_.size(), 0);
    for (std::size_t l = 0; l < m.size(); ++l)
        if (m[l] >= 0) result[static_cast<std::size_t>(m[l])] = strides[l];
    return result;
}

/// Whether an operand with these strides varies along rows, if there are any, and along columns.
bool stream_group::spans_tile(const layout& strides) const {
    bool rows = std::none_of(loops_.begin(), loops_.end(),
                             [](const loop& l) { return l.axis == loop_role::row; });
    bool columns = false;
    for (std::size_t g = 0; g < loops_.size(); ++g) {
        if (strides[g] == 0) continue;
        rows = rows || loops_[g].axis == loop_role::row;
        columns = columns || loops_[g].axis == loop_role::column;
    }
    return rows && columns;
}

/// Whether an operand with these strides varies along an axis.
bool stream_group::follows(const layout& strides, loop_role axis) const {
    for (std::size_t g = 0; g < loops_.size(); ++g)
        if (loops_[g].axis == axis && strides[g] != 0) return true;
    return false;
}

stream_group::outcome stream_group::place(std::size_t number) {
    const auto& s = plan_.compiled[number];
    if (s.is_stream) return fail(-1, "it is used by another streamed group");
    if (s.is_gather) return place_scatter(number);
    return s.is_contraction ? place_contraction(number) : place_map(number);
}

stream_group::outcome stream_group::place_map(std::size_t number) {
    const auto& m = plan_.compiled[number].map;
    matching found(m.extents.size(), -1);
    std::int32_t through = -1;
    for (const auto& o : m.operands)
        if (o.slot >= 0 && is_plane(o.slot)) {
            if (o.offset != 0 || !match(m.extents, o.strides, layouts_.at(o.slot), found))
                return fail(o.slot, "it is read in another order or only in part");
            through = o.slot;
        }
    for (std::size_t l = 0; l < found.size(); ++l)
        if (found[l] < 0 && m.extents[l] != 1) return outcome::later;

    const auto& out = m.operands[0];
    const std::size_t free = m.extents.size() - static_cast<std::size_t>(m.folded);
    if (m.folding == fold::none || m.folding == fold::softmax) {
        if (m.folding == fold::softmax &&
            !(covers(found, free, m.extents.size(), true) &&
              std::all_of(found.begin() + static_cast<std::ptrdiff_t>(free), found.end(),
                          [&](std::int32_t g) {
                              return g < 0 ||
                                     loops_[static_cast<std::size_t>(g)].axis == loop_role::column;
                          })))
            return fail(through, "a softmax runs along other indices");
        if (plan_.slots[static_cast<std::size_t>(out.slot)].kind != storage::workspace) {
            // A result that nobody else needs is written tile by tile.
            const auto& uses = uses_[static_cast<std::size_t>(out.slot)];
            if (m.folding == fold::softmax || !uses.readers.empty() || uses.writers.size() != 1 ||
                !covers(found, 0, found.size(), true) || !covers(found, 0, found.size(), false))
                return fail(out.slot, "it is an output and has to be stored");
            if (std::find(sinks_.begin(), sinks_.end(), number) == sinks_.end())
                sinks_.push_back(number);
            matched_[number] = std::move(found);
            return outcome::done;
        }
        if (!can_be_made(out.slot)) return fail(out.slot, "it cannot be made tile by tile");
        if (!add_plane(out.slot, strides_of(found, out.strides)))
            return fail(out.slot, "two steps write it in different orders");
    } else if (m.folding == fold::sum || m.folding == fold::mean) {
        if (!sums_suit(found, free))
            return fail(through, "it is summed over some of its indices only");
        if (std::find(sinks_.begin(), sinks_.end(), number) == sinks_.end())
            sinks_.push_back(number);
    } else {
        return fail(through, "a product, maximum, minimum or log-sum-exp of it is taken");
    }
    for (std::size_t k = 1; k < m.operands.size(); ++k) {
        const auto& o = m.operands[k];
        if (o.slot < 0 || is_plane(o.slot) || o.offset != 0 || !can_be_made(o.slot)) continue;
        auto strides = strides_of(found, o.strides);
        if (spans_tile(strides)) add_plane(o.slot, std::move(strides));
    }
    matched_[number] = std::move(found);
    return outcome::done;
}

// Tiles that are added up along lines of rows and columns, as where i - j is a place.
stream_group::outcome stream_group::place_scatter(std::size_t number) {
    const auto& g = plan_.compiled[number].gather;
    matching found;
    if (!g.scatter || !g.lookups.empty() || !is_plane(g.in.slot))
        return fail(-1, "it is read or written at places that a tensor says");
    if (g.in.offset != 0 || !match(g.extents, g.in.strides, layouts_.at(g.in.slot), found) ||
        !sums_suit(found, found.size()))
        return fail(g.in.slot, "it is added up in another order or only in part");
    for (std::size_t l = 0; l < found.size(); ++l)
        if (found[l] < 0 && g.extents[l] != 1)
            return fail(g.in.slot, "it is added up more than once");
    if (std::find(sinks_.begin(), sinks_.end(), number) == sinks_.end()) sinks_.push_back(number);
    matched_[number] = std::move(found);
    return outcome::done;
}

stream_group::outcome stream_group::place_contraction(std::size_t number) {
    const auto& c = plan_.compiled[number].contraction;
    const auto all = lists_of(c);
    matching found;
    for (const auto& o : c.alpha.operands)
        if (is_plane(o.slot)) return fail(o.slot, "it is a factor in front of a whole product");
    if (is_plane(c.c.slot)) {
        if (!match(all.extents, all.c, layouts_.at(c.c.slot), found))
            return fail(c.c.slot, "two steps write it in different orders");
        for (std::size_t l = 0; l < all.contracted; ++l)
            if (found[l] < 0 && all.extents[l] != 1)
                return fail(c.c.slot, "two steps write it in different orders");
        if (is_plane(c.a.slot) || is_plane(c.b.slot))
            return fail(c.c.slot, "it is a product of tensors of its own size");
        if (c.beta != 0 && c.beta != 1) return fail(c.c.slot, "it is added to with a factor");
        // One operand has the columns, the other one none of them.
        bool column_a = false, column_b = false;
        std::int64_t contracted = 1;
        for (std::size_t l = 0; l < all.extents.size(); ++l) {
            if (l >= all.contracted) contracted *= all.extents[l];
            if (found[l] < 0 ||
                loops_[static_cast<std::size_t>(found[l])].axis != loop_role::column)
                continue;
            column_a = column_a || all.a[l] != 0;
            column_b = column_b || all.b[l] != 0;
        }
        if (column_a == column_b)
            return fail(c.c.slot, "one of its factors depends on rows and columns");
        if (contracted > most_contracted)
            return fail(c.c.slot, "more than " + std::to_string(most_contracted) +
                                      " products are summed for each element");
        matched_[number] = std::move(found);
        return outcome::done;
    }
    const bool a = is_plane(c.a.slot), b = is_plane(c.b.slot);
    const std::int32_t plane = a ? c.a.slot : c.b.slot;
    if ((a && (c.a_offset != 0 || !match(all.extents, all.a, layouts_.at(c.a.slot), found))) ||
        (b && (c.b_offset != 0 || !match(all.extents, all.b, layouts_.at(c.b.slot), found))))
        return fail(plane, "it is read in another order or only in part");
    if (!a || !b) {
        const auto& other = a ? c.b : c.a;
        const auto strides = strides_of(found, a ? all.b : all.a);
        bool own_loops = false;
        for (std::size_t l = 0; l < all.extents.size(); ++l)
            own_loops = own_loops || (found[l] < 0 && all.extents[l] != 1);
        if (!own_loops && spans_tile(strides) && (a ? c.b_offset : c.a_offset) == 0 &&
            can_be_made(other.slot))
            add_plane(other.slot, strides);
    }
    std::int64_t values = 1;
    for (std::size_t l = 0; l < all.extents.size(); ++l) {
        if (all.extents[l] == 1 || found[l] >= 0) continue;
        if (l >= all.contracted) return fail(plane, "it is summed over indices of its own");
        values *= all.extents[l];
    }
    if (!sums_suit(found, all.contracted))
        return fail(plane, "it is summed over some of its indices only");
    if (values > most_values)
        return fail(plane,
                    "its product has more than " + std::to_string(most_values) + " values a row");
    sinks_.push_back(number);
    matched_[number] = std::move(found);
    return outcome::done;
}

std::vector<std::int32_t> stream_group::planes() const {
    std::vector<std::int32_t> all;
    for (const auto& [number, strides] : layouts_) all.push_back(number);
    return all;
}

bool stream_group::gather(std::size_t seed, bool plane_is_a) {
    const auto& c = plan_.compiled[seed].contraction;
    const std::int32_t plane = plane_is_a ? c.a.slot : c.b.slot;
    if (plan_.slots[static_cast<std::size_t>(plane)].kind == storage::output &&
        !uses_[static_cast<std::size_t>(plane)].writers.empty() &&
        plan_.compiled[uses_[static_cast<std::size_t>(plane)].writers.back()].is_map()) {
        fail(plane, "it is an output");
        return false;
    }
    if (!can_be_made(plane) || (plane_is_a ? c.a_offset : c.b_offset) != 0) return false;
    const auto all = lists_of(c);
    const auto& strides = plane_is_a ? all.a : all.b;
    const auto& other = plane_is_a ? all.b : all.a;
    layout own;
    for (std::size_t l = 0; l < all.extents.size(); ++l) {
        if (all.extents[l] == 0) return false;
        if (strides[l] == 0 || all.extents[l] == 1) continue;
        const auto axis = l >= all.contracted ? loop_role::column
                          : other[l] == 0     ? loop_role::row
                                              : loop_role::batch;
        loops_.push_back({all.extents[l], axis, all.names[l]});
        own.push_back(strides[l]);
    }
    const auto has = [&](loop_role axis) {
        return std::any_of(loops_.begin(), loops_.end(),
                           [&](const loop& l) { return l.axis == axis; });
    };
    if (!has(loop_role::column)) return false;
    refused_ = plane;
    add_plane(plane, std::move(own));
    while (!pending_.empty()) {
        bool progress = false;
        for (std::size_t k = 0; k < pending_.size();) {
            const std::size_t number = pending_[k];
            const auto result = place(number);
            if (result == outcome::failed) return false;
            if (result == outcome::later) {
                ++k;
                continue;
            }
            progress = true;
            members_.push_back(number);
            pending_.erase(std::find(pending_.begin(), pending_.end(), number));
        }
        if (!progress) {
            fail(plane, "a step that uses it runs over other indices");
            return false;
        }
    }
    // A tensor may have been found to be a plane after a step that uses it was placed: what was true of
    // each member has to be true of all planes together.
    const std::size_t planes = layouts_.size();
    for (const std::size_t number : members_)
        if (place(number) != outcome::done) return false;
    if (layouts_.size() != planes || !pending_.empty()) {
        fail(plane, "the steps that use it run over different indices");
        return false;
    }
    std::sort(members_.begin(), members_.end());
    std::sort(sinks_.begin(), sinks_.end());
    sinks_.erase(std::unique(sinks_.begin(), sinks_.end()), sinks_.end());
    // What is streamed is larger than what it is made of: a product, or, under a softmax, any other
    // function of tensors that lack rows or columns.
    const auto makes_softmax = [&](std::size_t number) {
        const auto& s = plan_.compiled[number];
        return s.is_map() && s.map.folding == fold::softmax;
    };
    const bool softmax = std::any_of(members_.begin(), members_.end(), makes_softmax);
    const bool product = std::any_of(members_.begin(), members_.end(), [&](std::size_t number) {
        const auto& s = plan_.compiled[number];
        if (s.is_contraction) return is_plane(s.contraction.c.slot);
        if (!softmax || !s.is_map() || !is_plane(s.map.operands[0].slot)) return false;
        const auto& found = matched_.at(number);
        return std::none_of(s.map.operands.begin() + 1, s.map.operands.end(), [&](const auto& o) {
            return is_plane(o.slot) || (o.slot >= 0 && spans_tile(strides_of(found, o.strides)));
        });
    });
    if (!product || !settle_axes()) return false;
    if (!factors_suit()) {
        fail(plane, "a sum over it is of a kind that no sweep has");
        return false;
    }
    return build();
}

}  // namespace ricci::plan
