#include "src/plan/extrema.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <ricci/ir/functions.hpp>
#include <ricci/ir/rewrite.hpp>
#include "src/plan/brackets.hpp"
#include "src/plan/canonical.hpp"
#include "src/plan/grown_program.hpp"

namespace ricci::plan {

bool is_extremum(const ir::node& x) {
    if (x.kind != ir::op::reduce) return false;
    const auto r = static_cast<ir::reduction>(x.detail);
    return r == ir::reduction::maximum || r == ir::reduction::minimum;
}

namespace {

bool is_equality(const ir::node& x) {
    return x.kind == ir::op::compare &&
           x.detail == static_cast<std::uint8_t>(ir::comparison::equal);
}
bool has_extremum(const ir::program_view& p) {
    return std::any_of(p.nodes.begin(), p.nodes.end(), is_extremum) &&
           std::any_of(p.nodes.begin(), p.nodes.end(), is_equality);
}

class sharing_of_extrema {
public:
    sharing_of_extrema(const ir::program_view& program, const ir::shape_table& shapes,
                       const std::vector<slot>& slots, element type)
        : p_(program),
          to_(program),
          shapes_(shapes),
          slots_(slots),
          brackets_(program),
          is_narrow_(size_of(type) == 2) {
        const auto all_equations = [&](const auto& visit) {
            for (ir::ref e = 0; e < p_.equations.size(); ++e)
                if (ir::computes(p_, p_.equations[e])) visit(e, p_.equations[e].body, false);
        };
        all_equations([&](ir::ref e, ir::ref n, bool guarded) { look_for_wanted(e, n, guarded); });
        all_equations([&](ir::ref e, ir::ref n, bool guarded) { look(e, n, guarded); });
        std::erase_if(taken_, [&](const std::string& s) { return !compared_.contains(s); });
    }
    bool finds_any() const { return !taken_.empty(); }

    /// The copy; `origins` says for each of its equations which one it was or was taken from.
    ir::program rewritten(std::vector<ir::ref>& origins) {
        detail::buffer<ir::equation> equations;
        for (ir::ref e = 0; e < p_.equations.size(); ++e) {
            ir::equation q = p_.equations[e];
            if (ir::computes(p_, q)) q.body = rewrite(e, q.body, false);
            for (const auto& m : made_) {
                equations.push(m);
                origins.push_back(e);
            }
            made_.clear();
            equations.push(q);
            origins.push_back(e);
        }
        to_.equations = equations;
        return std::move(to_);
    }

private:
    canonical_form form(ir::ref e, ir::ref n) const {
        return canonical(to_, n, [&](ir::ref i) { return shapes_.index_extent(e, i); });
    }

    // Places under a bracket need not exist: what looks them up stays below it.
    bool guards(const ir::node& x, ir::ref child) const {
        if (x.kind == ir::op::choose) return true;
        if (x.kind == ir::op::compare)
            return x.detail >= static_cast<std::uint8_t>(ir::comparison::logical_and);
        const bool sum = x.kind == ir::op::add;
        if (!sum && x.kind != ir::op::multiply && x.kind != ir::op::divide) return false;
        for (std::int32_t k = 0; k < x.children.count; ++k) {
            const ir::ref other = p_.child(x, k);
            if (other == child) continue;
            if (!(sum ? brackets_.masking(other) : brackets_.hiding(other)).empty()) return true;
        }
        return false;
    }
    /// What an extremum is taken of, or what is compared, where that may be shared: places that it
    /// looks up have to exist, under a bracket where another wants them in any case.
    bool may_be_shared(ir::ref e, ir::ref n, bool guarded) const {
        if (guarded && brackets_.has_lookup(n) && !wanted_.contains(form(e, n).spelling))
            return false;
        return !is_exact(n, false) && !is_larger_sum(e, n);
    }
    /// What looks places up and is wanted whatever brackets say.
    void look_for_wanted(ir::ref e, ir::ref n, bool guarded) {
        const ir::node& x = p_.nodes[n];
        for_each_operand(x, [&](ir::ref operand, role) {
            if (!guarded && brackets_.has_lookup(operand))
                wanted_.insert(form(e, operand).spelling);
        });
        for (std::int32_t k = 0; k < x.children.count; ++k) {
            const ir::ref child = p_.child(x, k);
            if (!guarded && !guards(x, child)) look_for_wanted(e, child, false);
        }
    }
    template <class Visit>
    void for_each_operand(const ir::node& x, const Visit& visit) const {
        if (is_extremum(x)) visit(p_.child(x, 0), taken_of);
        if (!is_equality(x) || ir::is_truth(x)) return;
        visit(p_.child(x, 0), compared_with);
        visit(p_.child(x, 1), compared_with);
    }
    void look(ir::ref e, ir::ref n, bool guarded) {
        const ir::node& x = p_.nodes[n];
        for_each_operand(x, [&](ir::ref operand, role as) {
            if (may_be_shared(e, operand, guarded))
                (as == taken_of ? taken_ : compared_).insert(form(e, operand).spelling);
        });
        for (std::int32_t k = 0; k < x.children.count; ++k) {
            const ir::ref child = p_.child(x, k);
            look(e, child, guarded || guards(x, child));
        }
    }
    ir::ref rewrite(ir::ref e, ir::ref n, bool guarded) {
        const ir::node x = p_.nodes[n];
        std::vector<ir::ref> operands;
        for_each_operand(x, [&](ir::ref operand, role) {
            if (may_be_shared(e, operand, guarded)) operands.push_back(operand);
        });
        return ir::rebuild_children(to_, n, [&](ir::ref child) {
            const bool below = guarded || guards(x, child);
            if (std::find(operands.begin(), operands.end(), child) != operands.end()) {
                const auto f = form(e, child);
                if (taken_.contains(f.spelling)) return use(e, child, f, below);
            }
            return rewrite(e, child, below);
        });
    }
    /// The tensor that stands for an operand; its equation is made where it is first wanted.
    ir::ref use(ir::ref e, ir::ref operand, const canonical_form& f, bool guarded) {
        auto found = names_.find(f.spelling);
        if (found == names_.end()) {
            found = names_.emplace(f.spelling, new_name(to_)).first;
            const ir::ref body = rewrite(e, operand, guarded);
            made_.push_back({found->second, positions(f), body, false, p_.equations[e].source});
        }
        return to_.tensor(found->second, positions(f), p_.nodes[operand].source);
    }
    ir::range positions(const canonical_form& f) {
        const ir::range at{to_.positions.size(), static_cast<std::int32_t>(f.free.size())};
        for (const ir::ref i : f.free) to_.positions.push(ir::index_position(i));
        return at;
    }

    /// Whether nothing is rounded on the way from tensors; or, with `sums`, in sums alone.
    bool is_exact(ir::ref n, bool sums) const {
        const ir::node& x = p_.nodes[n];
        const auto all_children = [&] {
            for (std::int32_t k = 0; k < x.children.count; ++k)
                if (!is_exact(p_.child(x, k), sums)) return false;
            return true;
        };
        switch (x.kind) {
            case ir::op::number:  // 16 bits hold small whole ones, and no place beyond 256
                return !is_narrow_ || std::isinf(x.value) ||
                       (std::floor(x.value) == x.value && std::abs(x.value) <= 256);
            case ir::op::position:
                return !is_narrow_;
            case ir::op::tensor: {
                const slot& s = slots_[static_cast<std::size_t>(x.name)];
                return !is_narrow_ || (s.kind != storage::number && !s.is_foreign);
            }
            case ir::op::delta:
            case ir::op::compare:
                return true;
            case ir::op::choose:
                return all_children();
            case ir::op::add:
                return sums && all_children();
            case ir::op::reduce:
                return is_extremum(x) && all_children();
            case ir::op::multiply: {
                int others = 0;
                for (std::int32_t k = 0; k < x.children.count; ++k) {
                    const ir::node& f = p_.nodes[p_.child(x, k)];
                    const bool sign = f.kind == ir::op::number && (f.value == 1 || f.value == -1);
                    if (!sign && !brackets_.is_condition(p_.child(x, k))) ++others;
                }
                return others < 2 && all_children();
            }
            case ir::op::apply:
                switch (static_cast<ir::function>(x.detail)) {
                    case ir::function::absolute:
                    case ir::function::relu:
                    case ir::function::sign:
                    case ir::function::floor:
                    case ir::function::ceil:
                    case ir::function::maximum:
                    case ir::function::minimum:
                        return all_children();
                    default:
                        return false;
                }
            default:
                return false;
        }
    }
    /// A sum of tensors that has more elements than any of them; in 32 or 64 bits, where it has the
    /// same bits everywhere.
    bool is_larger_sum(ir::ref e, ir::ref n) const {
        if (is_narrow_ || !is_exact(n, true)) return false;
        const ir::index_set free = ir::free_indices(p_, n);
        double own = 1;
        for (ir::ref i = 0; i < free.end(); ++i)
            if (free.has(i)) own *= static_cast<double>(shapes_.index_extent(e, i));
        double largest = 0;
        ir::for_each_node(p_, n, [&](ir::ref m) {
            const ir::node& x = p_.nodes[m];
            if (x.kind != ir::op::tensor) return;
            double size = 1;
            for (std::int32_t axis = 0; axis < x.positions.count; ++axis)
                size *= static_cast<double>(shapes_.extent(x.name, axis));
            largest = std::max(largest, size);
        });
        return own > largest;
    }

    enum role { taken_of, compared_with };

    const ir::program_view& p_;
    ir::program to_;  // the copy; nodes keep their numbers
    const ir::shape_table& shapes_;
    const std::vector<slot>& slots_;
    brackets brackets_;
    bool is_narrow_;  // stored in 16 bits, and computed in 32
    std::unordered_set<std::string> taken_, compared_, wanted_;  // spellings
    std::unordered_map<std::string, ir::ref> names_;
    std::vector<ir::equation> made_;
};

}  // namespace

std::optional<ir::program> share_compared_extrema(const ir::program_view& program,
                                                  ir::shape_table& shapes, std::vector<slot>& slots,
                                                  element type) {
    if (is_integer(type) || !has_extremum(program)) return std::nullopt;
    sharing_of_extrema shared(program, shapes, slots, type);
    if (!shared.finds_any()) return std::nullopt;
    std::vector<ir::ref> origins;
    ir::program result = shared.rewritten(origins);
    carry_over(program, result, origins, {}, shapes, slots, type);
    return result;
}

}  // namespace ricci::plan
