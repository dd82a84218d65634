// What must hold between equations: one rank a tensor, one definition a name, no cycle.
#pragma once

#include <cstdint>

#include <ricci/ir/mistake.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::notation {

/// Every use of a tensor has as many positions as the others.
class rank_check {
public:
    constexpr rank_check(const ir::program_view& program, detail::text_view text)
        : p_(program), text_(text) {
        for (ir::ref n = 0; n < p_.names.size(); ++n) ranks_.push(-1);
    }
    constexpr ir::mistake run() {
        for (const ir::equation& e : p_.equations) {
            see(e.name, e.positions.count, {e.source.begin, e.source.end});
            ir::for_each_node(p_, e.body, [&](ir::ref n) {
                const ir::node& x = p_.nodes[n];
                if (x.kind == ir::op::tensor) see(x.name, x.positions.count, x.source);
            });
        }
        return static_cast<ir::mistake&&>(mistake_);
    }

private:
    constexpr void see(ir::ref name, std::int32_t rank, ir::source_span at) {
        if (ranks_[name] == -1) ranks_[name] = rank;
        if (ranks_[name] == rank || mistake_) return;
        detail::text_builder sentence;
        sentence << p_.name(name) << " has " << rank << (rank == 1 ? " index" : " indices")
                 << " here and " << ranks_[name] << " before; a tensor has one rank";
        mistake_ = ir::make_mistake(ir::mistake_kind::rank, text_, at.begin, at.end, sentence);
    }

    ir::program_view p_;
    detail::text_view text_;
    detail::buffer<std::int32_t> ranks_;
    ir::mistake mistake_;
};

constexpr ir::mistake check_ranks(const ir::program_view& p, detail::text_view text) {
    return rank_check(p, text).run();
}

/// A name is defined at most once.
constexpr ir::mistake check_definitions(const ir::program_view& p, detail::text_view text) {
    for (ir::ref e = 0; e < p.equations.size(); ++e) {
        const ir::equation& later = p.equations[e];
        if (later.claim || p.definition(later.name) == e) continue;
        detail::text_builder sentence;
        sentence << p.name(later.name) << " is defined twice; give one of the two another name";
        return ir::make_mistake(ir::mistake_kind::defined_twice, text, later.source.begin,
                                later.source.end, sentence);
    }
    return {};
}

/// Puts definitions before their uses, keeping the written order where it allows; claims go last.
constexpr ir::mistake order_equations(ir::program& p, detail::text_view text) {
    const std::int32_t count = p.equations.size();
    detail::buffer<ir::equation> ordered;
    detail::buffer<bool> done, defined;  // of an equation, and of a name that one defines
    done.resize(count, false);
    defined.resize(p.names.size(), true);
    for (const ir::equation& e : p.equations)
        if (!e.claim) defined[e.name] = false;
    // What each equation reads of what others define.
    detail::buffer<ir::ref> reads;
    detail::buffer<std::int32_t> first_read;
    for (const ir::equation& e : p.equations) {
        first_read.push(reads.size());
        ir::for_each_node(p, e.body, [&](ir::ref n) {
            const ir::node& x = p.nodes[n];
            if (x.kind == ir::op::tensor && !defined[x.name]) reads.push(x.name);
        });
    }
    first_read.push(reads.size());
    const auto ready = [&](std::int32_t e) {
        for (std::int32_t k = first_read[e]; k < first_read[e + 1]; ++k)
            if (!defined[reads[k]]) return false;
        return true;
    };
    for (bool progress = true; progress;) {
        progress = false;
        for (std::int32_t e = 0; e < count; ++e) {
            if (done[e] || p.equations[e].claim || !ready(e)) continue;
            ordered.push(p.equations[e]);
            done[e] = progress = true;
            defined[p.equations[e].name] = true;
        }
    }
    for (std::int32_t e = 0; e < p.equations.size(); ++e) {
        const ir::equation& left = p.equations[e];
        if (left.claim) {
            ordered.push(left);
        } else if (!done[e]) {
            detail::text_builder sentence;
            sentence << p.name(left.name)
                     << " is defined by itself, directly or through other equations";
            return ir::make_mistake(ir::mistake_kind::cycle, text, left.source.begin,
                                    left.source.end, sentence);
        }
    }
    p.equations = static_cast<detail::buffer<ir::equation>&&>(ordered);
    return {};
}

}  // namespace ricci::notation
