// What must hold between equations: one rank a tensor, one definition a name.
#pragma once

#include <cstdint>

#include <ricci/ir/extrema.hpp>
#include <ricci/ir/keep_lines.hpp>
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

/// The place of an extremum makes a tensor of places, which says where another one is read, or is
/// compared: it is no number among others.
class place_check {
public:
    constexpr place_check(const ir::program_view& program, detail::text_view text)
        : p_(program), text_(text) {}
    constexpr ir::mistake run() {
        for (const ir::equation& e : p_.equations) {
            if (ir::is_keep_line(p_, e)) continue;
            const bool alone = ir::gives_place(p_.nodes[e.body]);
            for (std::int32_t k = 0; alone && k < p_.nodes[e.body].children.count; ++k)
                visit(p_.child(p_.nodes[e.body], k), false);
            if (!alone) visit(e.body, false);
        }
        return static_cast<ir::mistake&&>(mistake_);
    }

private:
    /// `placed`: what stands there says a place, or is compared.
    constexpr void visit(ir::ref n, bool placed) {
        const ir::node& x = p_.nodes[n];
        if (ir::gives_place(x))
            return fail(x.source,
                        "the place of an extremum is the value of a tensor of places; define it in "
                        "an equation of its own, y^i = \\operatorname{argmax}_j(x^{ij}), and write "
                        "y^i here");
        if (x.kind == ir::op::tensor && !placed && ir::is_of_places(p_, x.name)) {
            detail::text_builder s;
            s << p_.name(x.name)
              << " holds places, which say where a tensor is read, as in x^{y^i}, or are compared, "
                 "as in [y^i = k]; they are no numbers to compute with";
            return fail(x.source, s);
        }
        const bool places =
            x.kind == ir::op::tensor || x.kind == ir::op::compare || ir::is_power_of_zero(p_, x);
        for (std::int32_t k = 0; k < x.children.count; ++k) visit(p_.child(x, k), places);
    }
    constexpr void fail(ir::source_span at, detail::text_view sentence) {
        if (!mistake_)
            mistake_ =
                ir::make_mistake(ir::mistake_kind::unexpected, text_, at.begin, at.end, sentence);
    }

    ir::program_view p_;
    detail::text_view text_;
    ir::mistake mistake_;
};

constexpr ir::mistake check_places_of_extrema(const ir::program_view& p, detail::text_view text) {
    for (const ir::node& x : p.nodes)
        if (ir::gives_place(x)) return place_check(p, text).run();
    return {};
}

}  // namespace ricci::notation
