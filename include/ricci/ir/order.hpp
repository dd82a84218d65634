// The order of a program's equations: what one reads is defined before it.
#pragma once

#include <cstdint>

#include <ricci/ir/axes.hpp>
#include <ricci/ir/mistake.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::ir {

namespace detail_order {

/// The least of a set of numbers.
class heap {
public:
    constexpr bool empty() const { return all_.empty(); }
    constexpr void push(std::int32_t e) {
        std::int32_t k = all_.push(e);
        for (; k > 0 && all_[(k - 1) / 2] > e; k = (k - 1) / 2) all_[k] = all_[(k - 1) / 2];
        all_[k] = e;
    }
    constexpr std::int32_t pop() {
        const std::int32_t least = all_[0], last = all_.back(), size = all_.size() - 1;
        all_.shrink(size);
        std::int32_t k = 0;
        for (std::int32_t next = 1; next < size; next = 2 * k + 1) {
            if (next + 1 < size && all_[next + 1] < all_[next]) ++next;
            if (all_[next] >= last) break;
            all_[k] = all_[next];
            k = next;
        }
        if (size > 0) all_[k] = last;
        return least;
    }

private:
    detail::buffer<std::int32_t> all_;
};

/// Takes equations as passes over all of them would that take what is ready, one pass after the
/// other, and looks at each equation once only. `reads`: by equation, the names that it waits for.
template <class Take>
constexpr void take_many(const program& p, const detail::buffer<ref>& reads,
                         const detail::buffer<std::int32_t>& first_read, Take&& take) {
    const std::int32_t count = p.equations.size();
    detail::buffer<std::int32_t> first_reader, readers, waits;  // by name; equations; by equation
    first_reader.resize(p.names.size() + 1, 0);
    for (const ref name : reads) ++first_reader[name + 1];
    for (ref n = 0; n < p.names.size(); ++n) first_reader[n + 1] += first_reader[n];
    detail::buffer<std::int32_t> next = first_reader;
    readers.resize(reads.size(), 0);
    for (std::int32_t e = 0; e < count; ++e) {
        waits.push(first_read[e + 1] - first_read[e]);
        for (std::int32_t k = first_read[e]; k < first_read[e + 1]; ++k)
            readers[next[reads[k]]++] = e;
    }
    heap now, later;
    for (std::int32_t e = 0; e < count; ++e)
        if (!p.equations[e].claim && waits[e] == 0) now.push(e);
    while (!now.empty()) {
        const std::int32_t e = now.pop();
        take(e);
        const ref name = p.equations[e].name;
        for (std::int32_t k = first_reader[name]; k < first_reader[name + 1]; ++k) {
            const std::int32_t reader = readers[k];
            if (--waits[reader] > 0 || p.equations[reader].claim) continue;
            (reader > e ? now : later).push(reader);
        }
        if (now.empty()) {
            heap empty = now;
            now = later;
            later = empty;
        }
    }
}

}  // namespace detail_order

/// Puts definitions before their uses, keeping the written order where it allows; claims go last.
constexpr mistake order_equations(program& p, detail::text_view text) {
    const std::int32_t count = p.equations.size();
    detail::buffer<equation> ordered;
    detail::buffer<bool> done, defined;  // of an equation, and of a name that one defines
    done.resize(count, false);
    defined.resize(p.names.size(), true);
    for (const equation& e : p.equations)
        if (!e.claim) defined[e.name] = false;
    // What each equation reads of what others define.
    detail::buffer<ref> reads;
    detail::buffer<std::int32_t> first_read;
    for (const equation& e : p.equations) {
        first_read.push(reads.size());
        for_each_node(p, e.body, [&](ref n) {
            const node& x = p.nodes[n];
            if (x.kind == op::tensor && !defined[x.name]) reads.push(x.name);
        });
        for_each_said(p, e, [&](ref i) {
            const ref name = p.indices[i].along.tensor;
            if (!defined[name]) reads.push(name);
        });
    }
    first_read.push(reads.size());
    const auto ready = [&](std::int32_t e) {
        for (std::int32_t k = first_read[e]; k < first_read[e + 1]; ++k)
            if (!defined[reads[k]]) return false;
        return true;
    };
    const auto take = [&](std::int32_t e) {
        ordered.push(p.equations[e]);
        done[e] = true;
        defined[p.equations[e].name] = true;
    };
    constexpr std::int32_t few = 100;
    for (bool progress = count <= few; progress;) {
        progress = false;
        for (std::int32_t e = 0; e < count; ++e) {
            if (done[e] || p.equations[e].claim || !ready(e)) continue;
            take(e);
            progress = true;
        }
    }
    if (count > few) detail_order::take_many(p, reads, first_read, take);
    for (std::int32_t e = 0; e < p.equations.size(); ++e) {
        const equation& left = p.equations[e];
        if (left.claim) {
            ordered.push(left);
        } else if (!done[e]) {
            detail::text_builder sentence;
            sentence
                << p.name(left.name)
                << " is defined by itself, directly or through other equations; of a recurrence "
                   "write one step, which ricci::repeat repeats";
            return make_mistake(mistake_kind::cycle, text, left.source.begin, left.source.end,
                                sentence);
        }
    }
    p.equations = static_cast<detail::buffer<equation>&&>(ordered);
    return {};
}

}  // namespace ricci::ir
