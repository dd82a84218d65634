#include "src/plan/rewrite/extrema.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <ricci/ir/functions.hpp>
#include <ricci/ir/rewrite.hpp>
#include "src/plan/trees/brackets.hpp"
#include "src/plan/trees/canonical.hpp"
#include "src/plan/read/grown_program.hpp"

namespace ricci::plan {

namespace {

bool is_extremum(const ir::node& x) {
    if (x.kind != ir::op::reduce) return false;
    const auto r = static_cast<ir::reduction>(x.detail);
    return r == ir::reduction::maximum || r == ir::reduction::minimum;
}
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
                if (ir::computes(p_, p_.equations[e])) visit(e, p_.equations[e].body);
        };
        all_equations([&](ir::ref e, ir::ref n) { look_for_wanted(e, n); });
        all_equations([&](ir::ref e, ir::ref n) { look(e, n, {}); });
        std::erase_if(taken_, [&](const std::string& s) {
            return !compared_.contains(s) || refused_.contains(s);
        });
    }
    bool finds_any() const { return !taken_.empty(); }

    /// The copy; `origins` says for each of its equations which one it was or was taken from.
    ir::program rewritten(std::vector<ir::ref>& origins) {
        detail::buffer<ir::equation> equations;
        for (ir::ref e = 0; e < p_.equations.size(); ++e) {
            ir::equation q = p_.equations[e];
            if (ir::computes(p_, q)) q.body = rewrite(e, q.body);
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
    canonical_form canonical_of(ir::ref e, ir::ref n) const {
        return canonical(to_, n, [&](ir::ref i) { return shapes_.index_extent(e, i); });
    }

    /// The conditions under which a node is wanted: the brackets above it. Where one of them is
    /// false, the places that the node looks up need not exist.
    struct guard_list {
        std::vector<ir::ref> conditions;
        bool others = false;  // and some that are neither factors nor cases: masks, rebound indices
        bool any() const { return others || !conditions.empty(); }
    };
    guard_list below(const guard_list& above, const ir::node& x, ir::ref child) {
        guard_list found = above;
        if (x.kind == ir::op::choose) add_cases(found, x, child);
        if (x.kind == ir::op::compare &&
            x.detail >= static_cast<std::uint8_t>(ir::comparison::logical_and))
            found.others = true;
        for (std::int32_t k = 0; k < x.indices.count; ++k)
            for (const ir::ref c : above.conditions)
                if (ir::free_indices(to_, c).has(p_.reduced(x, k))) found.others = true;
        const bool sum = x.kind == ir::op::add;
        if (!sum && x.kind != ir::op::multiply && x.kind != ir::op::divide) return found;
        for (std::int32_t k = 0; k < x.children.count; ++k) {
            const ir::ref other = p_.child(x, k);
            if (other == child) continue;
            if (sum) {
                found.others = found.others || !brackets_.masking(other).empty();
                continue;
            }
            for (const ir::ref c : brackets_.hiding(other)) found.conditions.push_back(c);
        }
        return found;
    }
    /// A case is wanted where its own condition holds and none before it does.
    void add_cases(guard_list& found, const ir::node& x, ir::ref child) {
        std::int32_t at = 0;
        for (std::int32_t k = 0; k < x.children.count; ++k) {
            if (p_.child(x, k) != child) continue;
            if (at != 0) found.others = true;  // stands twice, under two conditions
            at = k + 1;
        }
        for (std::int32_t k = 1; k < at - 1; k += 2)
            found.conditions.push_back(opposite(p_.child(x, k)));
        if (at % 2 == 1 && at < x.children.count) found.conditions.push_back(p_.child(x, at));
    }
    ir::ref opposite(ir::ref condition) {
        auto& known = opposites_[condition];
        if (known == 0) known = to_.apply(ir::function::logical_not, condition) + 1;
        return known - 1;
    }
    /// Whether what an extremum is taken of, or what is compared, is rounded, so that it is made
    /// once: as a whole, or of a larger sum its parts, whose sum has the same bits everywhere.
    bool is_rounded(ir::ref e, ir::ref n) const {
        if (is_exact(n, false)) return false;
        return !is_larger_sum(e, n) || !is_exact(n, true) || p_.nodes[n].children.count > 2;
    }

    /// What looks places up and is wanted whatever brackets say.
    void look_for_wanted(ir::ref e, ir::ref n) {
        const ir::node& x = p_.nodes[n];
        for_each_operand(x, [&](ir::ref operand, role) {
            if (brackets_.has_lookup(operand)) wanted_.insert(canonical_of(e, operand).spelling);
        });
        for (std::int32_t k = 0; k < x.children.count; ++k) {
            const ir::ref child = p_.child(x, k);
            if (!below({}, x, child).any()) look_for_wanted(e, child);
        }
    }
    template <class Visit>
    void for_each_operand(const ir::node& x, const Visit& visit) const {
        if (is_extremum(x)) visit(to_.links[x.children.first], taken_of);
        if (!is_equality(x) || ir::is_truth(x)) return;
        visit(to_.links[x.children.first], compared_with);
        visit(to_.links[x.children.first + 1], compared_with);
    }
    void look(ir::ref e, ir::ref n, const guard_list& guards) {
        const ir::node& x = p_.nodes[n];
        for_each_operand(x, [&](ir::ref operand, role as) {
            if (!is_rounded(e, operand)) return;
            const canonical_form f = canonical_of(e, operand);
            (as == taken_of ? taken_ : compared_).insert(f.spelling);
            if (!brackets_.has_lookup(operand) || wanted_.contains(f.spelling)) return;
            if (below(guards, x, operand).others) refused_.insert(f.spelling);
            guarded_[in_equation(e, f)].push_back({operand, guards.conditions});
        });
        for (std::int32_t k = 0; k < x.children.count; ++k) {
            const ir::ref child = p_.child(x, k);
            look(e, child, below(guards, x, child));
        }
    }
    ir::ref rewrite(ir::ref e, ir::ref n) {
        const ir::node x = p_.nodes[n];
        std::vector<ir::ref> operands;
        for_each_operand(x, [&](ir::ref operand, role) {
            if (is_rounded(e, operand)) operands.push_back(operand);
        });
        return ir::rebuild_children(to_, n, [&](ir::ref child) {
            if (std::find(operands.begin(), operands.end(), child) != operands.end()) {
                const auto f = canonical_of(e, child);
                if (taken_.contains(f.spelling))
                    return is_larger_sum(e, child) ? sum_of_parts(e, child, f) : use(e, child, f);
            }
            return rewrite(e, child);
        });
    }
    /// A sum where no term has the indices of all: of those with the same indices, or fewer, a
    /// tensor is made, and these are added. Where one part is left, it is the operand.
    ir::ref sum_of_parts(ir::ref e, ir::ref n, const canonical_form& f) {
        const ir::node x = p_.nodes[n];
        std::vector<ir::ref> terms;
        for (std::int32_t k = 0; k < x.children.count; ++k) terms.push_back(p_.child(x, k));
        const auto indices = [&](ir::ref t) { return canonical_of(e, t).free; };
        std::ranges::sort(terms, [&](ir::ref a, ir::ref b) {
            const auto of_a = indices(a).size(), of_b = indices(b).size();
            return of_a != of_b ? of_a > of_b : a < b;
        });
        std::vector<std::vector<ir::ref>> parts;
        for (const ir::ref t : terms) {
            const auto own = indices(t);
            const auto at = std::ranges::find_if(parts, [&](const std::vector<ir::ref>& part) {
                const auto known = indices(part[0]);
                return std::ranges::all_of(own, [&](ir::ref i) {
                    return std::find(known.begin(), known.end(), i) != known.end();
                });
            });
            if (at == parts.end()) parts.push_back({t});
            else at->push_back(t);
        }
        if (parts.size() == 1) return is_exact(n, true) ? rewrite(e, n) : use(e, n, f);
        std::vector<ir::ref> sum;
        for (const auto& part : parts) sum.push_back(tensor_of(e, part));
        return add(sum);
    }
    ir::ref add(const std::vector<ir::ref>& terms) {
        if (terms.size() == 1) return terms[0];
        return to_.make(ir::op::add, 0, terms.data(), static_cast<std::int32_t>(terms.size()));
    }
    ir::ref tensor_of(ir::ref e, const std::vector<ir::ref>& part) {
        if (part.size() == 1 && is_exact(part[0], false)) return rewrite(e, part[0]);
        const canonical_form f = canonical_of(e, add(part));
        auto found = names_.find(f.spelling);
        if (found == names_.end()) {
            found = names_.emplace(f.spelling, new_name(to_)).first;
            std::vector<ir::ref> terms;
            for (const ir::ref t : part) terms.push_back(rewrite(e, t));
            made_.push_back(
                {found->second, positions(f), add(terms), false, p_.equations[e].source});
        }
        return to_.tensor(found->second, positions(f), p_.nodes[part[0]].source);
    }
    /// The tensor that stands for an operand; its equation is made where it is first wanted. One
    /// whose places need not all exist is each equation's own, under what that one wants of it.
    ir::ref use(ir::ref e, ir::ref operand, const canonical_form& f) {
        const auto guarded = guarded_.find(in_equation(e, f));
        const std::string& key = guarded == guarded_.end() ? f.spelling : guarded->first;
        auto found = names_.find(key);
        if (found == names_.end()) {
            found = names_.emplace(key, new_name(to_)).first;
            ir::ref body = rewrite(e, operand);
            if (guarded != guarded_.end()) body = where_wanted(e, f, guarded->second, body);
            made_.push_back({found->second, positions(f), body, false, p_.equations[e].source});
        }
        return to_.tensor(found->second, positions(f), p_.nodes[operand].source);
    }
    static std::string in_equation(ir::ref e, const canonical_form& f) {
        return f.spelling + '@' + std::to_string(e);
    }

    /// One place where an operand stands, and the brackets above it.
    struct occurrence {
        ir::ref operand;
        std::vector<ir::ref> conditions;
    };
    /// `body`, a function of f's indices, under the condition that some occurrence wants it there:
    /// [0 < \sum (its conditions)], summed over the indices that the operand has not.
    ir::ref where_wanted(ir::ref e, const canonical_form& f, const std::vector<occurrence>& all,
                         ir::ref body) {
        std::unordered_set<std::string> seen;
        std::vector<ir::ref> counts;
        for (const occurrence& o : all) {
            const ir::ref product = product_of_conditions(e, f, o);
            if (product == ir::none) return body;  // wanted everywhere
            if (!seen.insert(
                         canonical_of(e, to_.make(ir::op::multiply, product, o.operand)).spelling)
                     .second)
                continue;
            counts.push_back(count_of(e, f, o, product));
        }
        const ir::ref count =
            counts.size() == 1
                ? counts[0]
                : to_.make(ir::op::add, 0, counts.data(), static_cast<std::int32_t>(counts.size()));
        const ir::ref ordered[] = {to_.number(0), count};
        const ir::ref condition =
            to_.make(ir::op::compare, static_cast<std::uint8_t>(ir::comparison::less), ordered, 2);
        return to_.make(ir::op::multiply, condition, body);
    }
    /// None: nothing hides it. A condition that compares the operand itself wants it in any case.
    ir::ref product_of_conditions(ir::ref e, const canonical_form& f, const occurrence& o) {
        ir::ref product = ir::none;
        for (const ir::ref c : o.conditions) {
            bool has_operand = false;
            ir::for_each_node(to_, c, [&](ir::ref n) {
                for_each_operand(to_.nodes[n], [&](ir::ref operand, role) {
                    has_operand = has_operand || canonical_of(e, operand).spelling == f.spelling;
                });
            });
            if (has_operand) continue;
            product = product == ir::none ? c : to_.make(ir::op::multiply, product, c);
        }
        return product;
    }
    /// How often an occurrence wants the operand, as a tensor of the operand's free indices.
    ir::ref count_of(ir::ref e, const canonical_form& f, const occurrence& o, ir::ref product) {
        const canonical_form own = canonical_of(e, o.operand);
        detail::buffer<ir::ref> others;
        const ir::index_set free = ir::free_indices(to_, product);
        for (ir::ref i = 0; i < free.end(); ++i)
            if (free.has(i) && std::find(own.free.begin(), own.free.end(), i) == own.free.end())
                others.push(i);
        const ir::ref name = new_name(to_);
        const ir::ref body = others.size() == 0
                                 ? product
                                 : to_.reduce(ir::reduction::sum, to_.add_links(others), product);
        made_.push_back({name, positions(own), body, false, p_.equations[e].source});
        return to_.tensor(name, positions(f), p_.nodes[o.operand].source);
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
    /// A sum that has more elements than any tensor in it; in 32 or 64 bits, where sums of the same
    /// numbers have the same bits everywhere.
    bool is_larger_sum(ir::ref e, ir::ref n) const {
        if (is_narrow_ || p_.nodes[n].kind != ir::op::add || brackets_.has_lookup(n)) return false;
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
    std::unordered_set<std::string> taken_, compared_, wanted_, refused_;  // spellings
    std::unordered_map<std::string, std::vector<occurrence>> guarded_;     // that look places up
    std::unordered_map<std::string, ir::ref> names_;
    std::unordered_map<ir::ref, ir::ref> opposites_;  // of conditions, plus 1
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
    // In 16 bits what is compared is rounded as an extremum that the text names is.
    carry_over(program, result, origins, {}, shapes, slots, type, false);
    return result;
}

}  // namespace ricci::plan
