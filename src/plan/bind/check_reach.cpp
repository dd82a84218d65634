#include "src/plan/bind/check_reach.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <ricci/error.hpp>
#include <ricci/ir/rewrite.hpp>
#include <ricci/ir/written_place.hpp>
#include "src/plan/words/words.hpp"

namespace ricci::plan {
namespace {

/// What the places of a program show of one axis of a tensor.
struct axis_places {
    bool whole = false;       // something reads or defines it as a whole, or looks up places of it
    bool beside = false;      // a letter reads it plainly and shifted, as in x_{i+1} - x_i
    bool subtracted = false;  // places with subtracted letters, without a number
    bool table = false;       // of these, a table of differences
    std::int64_t middle = 0;  // of the table
    std::int64_t reach = 0;   // how many places are reached
    ir::ref equation = ir::none;
};

class reach_checker {
public:
    reach_checker(const ir::program_view& p, const ir::shape_table& shapes)
        : p_(p), shapes_(shapes) {}

    void run() {
        bool derived = false;
        for (const ir::name_symbol& n : p_.names) derived |= n.kind != ir::name_kind::plain;
        for (e_ = 0; e_ < p_.equations.size(); ++e_) {
            const ir::equation& e = p_.equations[e_];
            if (!ir::computes(p_, e)) continue;
            see(e.name, e.positions, {});
            plain_.clear();
            visit(e.body);
            if (derived) continue;
            check_shifted(e);
            check_prefixes(e.body);
        }
        for (const auto& [at, axis] : axes_) check(at.first, at.second, axis, derived);
    }

private:
    std::int64_t extent_of(ir::ref index) const {
        for (auto l = loops_.rbegin(); l != loops_.rend(); ++l)
            if (l->first == index) return l->second;
        return shapes_.index_extent(e_, index);
    }
    void visit(ir::ref n) {
        const ir::node& x = p_.nodes[n];
        const auto outer = loops_.size();
        const auto written = written_.size();
        for (std::int32_t k = 0; ir::binds(x) && k < x.indices.count; ++k)
            loops_.emplace_back(p_.reduced(x, k), shapes_.bound_extent(e_, n, p_.reduced(x, k)));
        if (x.kind == ir::op::multiply)
            for (std::int32_t k = 0; k < x.children.count; ++k) note_written(p_.child(x, k));
        const bool unread = ir::is_power_of_zero(p_, x);
        if (x.kind == ir::op::tensor) see(x.name, x.positions, n);
        for (std::int32_t k = 0; k < x.children.count; ++k) {
            const ir::node& child = p_.nodes[p_.child(x, k)];
            if (unread && child.kind == ir::op::tensor) see_whole(child);
            else visit(p_.child(x, k));
        }
        loops_.resize(outer);
        written_.resize(written);
    }
    // [p = place] of a place that was written out.
    void note_written(ir::ref n) {
        const ir::node& x = p_.nodes[n];
        if (x.kind != ir::op::compare ||
            x.detail != static_cast<std::uint8_t>(ir::comparison::equal))
            return;
        const ir::node& axis = p_.nodes[p_.child(x, 0)];
        if (axis.kind != ir::op::position) return;
        const ir::ref index = p_.at(axis.positions, 0).index;
        if (p_.indices[index].extent == ir::kept_inside)
            written_.emplace_back(index, ir::read_written_place(p_, p_.child(x, 1)));
    }
    void see_whole(const ir::node& use) {
        for (std::int32_t k = 0; k < use.positions.count; ++k) axes_[{use.name, k}].whole = true;
    }
    void see(ir::ref name, ir::range at, std::optional<ir::ref> use) {
        for (std::int32_t k = 0; k < at.count; ++k) {
            axis_places& axis = axes_[{name, k}];
            if (axis.equation == ir::none) axis.equation = e_;
            const ir::position& q = p_.at(at, k);
            if (q.kind == ir::position_kind::affine) {
                see_affine(axis, q);
            } else if (q.kind == ir::position_kind::fixed) {
                axis.reach = std::max(axis.reach, std::int64_t{q.offset} + 1);
            } else if (q.kind != ir::position_kind::index || !see_written(axis, q.index)) {
                axis.whole = true;
                if (use && q.kind == ir::position_kind::index) plain_.push_back(q.index);
            }
        }
    }
    void see_affine(axis_places& axis, const ir::position& q) {
        std::int64_t reach = q.offset + 1, middle = 0;
        for (std::int32_t t = 0; t < q.terms.count; ++t) {
            const auto& term = p_.affine_terms[q.terms.first + t];
            const std::int64_t n = std::max<std::int64_t>(extent_of(term.index) - 1, 0);
            reach += std::abs(std::int64_t{term.coefficient}) * n;
            if (term.coefficient < 0) middle -= term.coefficient * n;
        }
        const bool table = ir::position_kind::affine == q.kind && has_minus(q);
        if (table && axis.table && axis.middle != middle) refuse_middles(axis, middle);
        axis.subtracted = axis.subtracted || table;
        axis.table = axis.table || table;
        if (table) axis.middle = middle;
        axis.beside = axis.beside || (q.offset == 0 && q.terms.count == 1 &&
                                      p_.affine_terms[q.terms.first].coefficient == 1);
        axis.reach = std::max(axis.reach, reach);
    }
    bool has_minus(const ir::position& q) const {
        bool found = false;
        for (std::int32_t t = 0; t < q.terms.count; ++t)
            found |= p_.affine_terms[q.terms.first + t].coefficient < 0;
        return found;
    }
    // Whether the letter runs over an axis for a subtracted place without a number.
    bool see_written(axis_places& axis, ir::ref index) {
        for (const auto& [letter, place] : written_) {
            if (letter != index || !place.known || place.offset != 0) continue;
            std::int64_t reach = 1;
            for (const ir::affine_term& t : place.terms)
                if (t.coefficient > 0)
                    reach += t.coefficient * std::max<std::int64_t>(extent_of(t.index) - 1, 0);
            axis.subtracted = true;
            axis.reach = std::max(axis.reach, reach);
            return true;
        }
        return false;
    }

    // What does not fit --------------------------------------------------------------------------

    void check(ir::ref name, std::int32_t k, const axis_places& axis, bool derived) const {
        if (axis.whole || shapes_.rank(name) <= k || p_.names[name].kind != ir::name_kind::plain)
            return;
        const std::int64_t extent = shapes_.extent(name, k);
        if (extent <= axis.reach || (!axis.subtracted && (!axis.beside || derived))) return;
        const std::string advice =
            !axis.subtracted ? fmt::format("bind a part of it, or a longer index")
            : axis.table ? fmt::format("bind the part of {} places around the middle", axis.reach)
                         : fmt::format("bind the part from place 0, of {} places", axis.reach);
        throw error(fmt::format(
            "ricci: in {} the places in axis {} of {} reach from 0 to {}, and the axis has the "
            "extent {}, so that the others would never be read; {}.",
            words_of_equation(p_, axis.equation), k, words_of_name(p_, name), axis.reach - 1,
            extent, advice));
    }
    [[noreturn]] void refuse_middles(const axis_places& axis, std::int64_t middle) const {
        throw error(fmt::format(
            "ricci: in {} a table of differences has its middle at place {}, and in {} "
            "at place {}; an axis has one origin, so bind two tensors.",
            words_of_equation(p_, axis.equation), axis.middle, words_of_equation(p_, e_), middle));
    }
    // r_k = x_i x_{i+k}: i could be shorter, or what is outside 0.
    void check_shifted(const ir::equation& e) const {
        ir::for_each_node(p_, e.body, [&](ir::ref n) {
            const ir::node& x = p_.nodes[n];
            for (std::int32_t k = 0; x.kind == ir::op::tensor && k < x.positions.count; ++k) {
                const ir::position& q = p_.at(x.positions, k);
                if (q.kind != ir::position_kind::affine || q.terms.count < 2 || has_minus(q))
                    continue;
                for (std::int32_t t = 0; t < q.terms.count; ++t) {
                    const ir::affine_term i = p_.affine_terms[q.terms.first + t];
                    if (i.coefficient != 1 || !stands_beside(e.body, x.name, k, i.index)) continue;
                    for (std::int32_t u = 0; u < q.terms.count; ++u) {
                        const ir::ref other = p_.affine_terms[q.terms.first + u].index;
                        if (u == t || !ir::has_index(p_, e.positions, other)) continue;
                        if (!shapes_.is_given(i.index) || !shapes_.is_given(other))
                            refuse_shifted(x.name, i.index, other);
                    }
                }
            }
        });
    }
    bool stands_beside(ir::ref body, ir::ref name, std::int32_t axis, ir::ref letter) const {
        bool found = false;
        ir::for_each_node(p_, body, [&](ir::ref n) {
            const ir::node& x = p_.nodes[n];
            if (x.kind != ir::op::tensor || x.name != name) return;
            const ir::position& q = p_.at(x.positions, axis);
            found |= q.kind == ir::position_kind::index && q.index == letter;
            found |= q.kind == ir::position_kind::affine && q.terms.count == 1 && q.offset == 0 &&
                     p_.affine_terms[q.terms.first].index == letter &&
                     p_.affine_terms[q.terms.first].coefficient == 1;
        });
        return found;
    }
    [[noreturn]] void refuse_shifted(ir::ref name, ir::ref i, ir::ref k) const {
        const std::string n = words_of_name(p_, name), a = words_of_index(p_, i),
                          b = words_of_index(p_, k);
        throw error(fmt::format(
            "ricci: in {0} {1} stands at {2} and at {2}+{3}, so that {2} would end earlier than "
            "{1}; bind both, \"{2}\"_i = ..., \"{3}\"_i = ..., or write "
            "\\operatorname{{pad}}({2}+{3}) for 0 outside.",
            words_of_equation(p_, e_), n, a, b));
    }
    // w_k under k <= t, where t is as long as arithmetic of another axis leaves it.
    void check_prefixes(ir::ref body) const {
        ir::for_each_node(p_, body, [&](ir::ref n) {
            const ir::node& x = p_.nodes[n];
            if (x.kind != ir::op::compare ||
                x.detail > static_cast<std::uint8_t>(ir::comparison::less_equal))
                return;
            const ir::node &a = p_.nodes[p_.child(x, 0)], &b = p_.nodes[p_.child(x, 1)];
            if (a.kind != ir::op::position || b.kind != ir::op::position) return;
            const ir::ref k = p_.at(a.positions, 0).index, t = p_.at(b.positions, 0).index;
            const std::int64_t longer = shapes_.index_extent(e_, k),
                               shorter = shapes_.index_extent(e_, t);
            const bool said = shapes_.is_given(t) || p_.indices[t].along != ir::no_axis;
            if (!is_plain(k) || is_plain(t) || said || longer <= shorter) return;
            throw error(fmt::format(
                "ricci: in {} the index {} has extent {}, and {}, which it does not exceed, has "
                "{}, "
                "so that places of it would never be read; bind less of it, or \"{}\"_i = ....",
                words_of_equation(p_, e_), words_of_index(p_, k), longer, words_of_index(p_, t),
                shorter, words_of_index(p_, t)));
        });
    }
    bool is_plain(ir::ref index) const { return std::ranges::find(plain_, index) != plain_.end(); }

    const ir::program_view& p_;
    const ir::shape_table& shapes_;
    ir::ref e_ = 0;
    std::map<std::pair<ir::ref, std::int32_t>, axis_places> axes_;
    std::vector<std::pair<ir::ref, std::int64_t>> loops_;         // that signs around bind
    std::vector<std::pair<ir::ref, ir::written_place>> written_;  // places around
    std::vector<ir::ref> plain_;  // letters of the equation that stand plainly
};

}  // namespace

void check_reach(const ir::program_view& program, const ir::shape_table& shapes) {
    const bool arithmetic = program.affine_terms.size() > 0 ||
                            std::ranges::any_of(program.indices, [](const ir::index_symbol& i) {
                                return i.extent < 0;
                            });
    if (arithmetic) reach_checker(program, shapes).run();
}

}  // namespace ricci::plan
