// What must hold between equations: one rank a tensor, one definition a name.
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
    detail::buffer<bool> defined;
    defined.resize(p.names.size(), false);
    for (const ir::equation& later : p.equations) {
        if (later.claim) continue;
        if (!defined[later.name]) {
            defined[later.name] = true;
            continue;
        }
        detail::text_builder sentence;
        sentence << p.name(later.name) << " is defined twice; give one of the two another name";
        return ir::make_mistake(ir::mistake_kind::defined_twice, text, later.source.begin,
                                later.source.end, sentence);
    }
    return {};
}

}  // namespace ricci::notation
