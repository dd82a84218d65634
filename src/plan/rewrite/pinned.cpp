#include "src/plan/rewrite/pinned.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "src/plan/bind/operands.hpp"
#include "src/plan/pool/match.hpp"
#include "src/plan/rewrite/summed_product.hpp"

namespace ricci::plan {
namespace {

bool is_extremum(const expression& e) {
    return e.kind == kind::fold && (e.folding == fold::maximum || e.folding == fold::minimum);
}
bool is_equality(const expression& e) {
    return e.kind == kind::operation && e.code == opcode::equal;
}

class pinning {
public:
    pinning(program_plan& plan, definitions& defined, std::vector<read_equation>& read)
        : plan_(plan), values_(plan.values), defined_(defined), read_(read) {}

    void run() {
        for (read_equation& e : read_) {
            e.for_each_value([&](expr value) { look(value); });
            defined_in_[e.target.slot] = at_++;
        }
        drop_all_but_pinned();
        if (all_.empty()) return;
        std::vector<read_equation> before;
        before.swap(read_);
        for (read_equation& e : before) {
            equation_ = e.number;
            e.for_each_value([&](expr& value) { value = rewritten(value); });
            add(std::move(e));
        }
    }

private:
    /// What an extremum may be taken of and is compared, with all that are the same but for names.
    struct candidate {
        expr value;
        std::size_t first = 0;  // the equation that has it first
        bool is_taken = false, is_compared = false;
        std::vector<expr> everywhere;
        std::vector<matching_lookup> lookups;
    };
    struct made_tensor {
        expr value;
        access target;
    };

    void look(expr e) {
        if (!seen_.insert(e).second) return;
        const auto& node = values_[e];
        if (is_extremum(node)) note(node.arguments[0], &candidate::is_taken);
        if (is_equality(node))
            for (const expr side : node.arguments) note(side, &candidate::is_compared);
        for (const expr a : node.arguments) look(a);
    }
    void note(expr value, bool candidate::*role) {
        if (!is_rounded(value)) return;
        for (candidate& c : all_) {
            const auto same = match(values_, c.value, value);
            if (!same || !std::ranges::all_of(same->lookups, [&](const matching_lookup& l) {
                    return is_wanted_always(l.first) || is_known_before(l.second, c.first);
                }))
                continue;
            c.*role = true;
            if (std::ranges::find(c.everywhere, value) != c.everywhere.end()) return;
            c.everywhere.push_back(value);
            c.lookups.insert(c.lookups.end(), same->lookups.begin(), same->lookups.end());
            return;
        }
        all_.push_back({value, at_, false, false, {value}, {}});
        all_.back().*role = true;
    }
    bool is_wanted_always(expr lookup) const {
        return values_[lookup].arguments.size() == values_[lookup].lookups.size();
    }
    /// Whether the conditions under which something is looked up say nothing of tensors that an
    /// equation or those after it define. What is looked up under others has a tensor of its own.
    bool is_known_before(expr lookup, std::size_t equation) const {
        const auto& node = values_[lookup];
        bool known = true;
        if (!is_wanted_always(lookup))
            values_.for_each_load({node.arguments.back()}, [&](const access& read) {
                const auto found = defined_in_.find(read.slot);
                known = known && (found == defined_in_.end() || found->second < equation);
            });
        return known;
    }
    void drop_all_but_pinned() {
        const auto has = [&](const candidate& c, bool candidate::*role) {
            return c.*role || std::ranges::any_of(all_, [&](const candidate& other) {
                       return other.*role && match(values_, c.value, other.value);
                   });
        };
        std::vector<candidate> pinned;
        for (const candidate& c : all_)
            if (has(c, &candidate::is_taken) && has(c, &candidate::is_compared))
                pinned.push_back(c);
        all_ = std::move(pinned);
    }
    const candidate* candidate_of(expr value) const {
        const auto found = std::ranges::find_if(all_, [&](const candidate& c) {
            return std::ranges::find(c.everywhere, value) != c.everywhere.end();
        });
        return found == all_.end() ? nullptr : &*found;
    }

    /// The same with tensors in the place of what is pinned in it.
    expr rewritten(expr e) {
        if (const auto found = done_.find(e); found != done_.end()) return found->second;
        const expr made = values_.substituted(e, [&](expr part) {
            const auto& node = values_[part];
            const bool asks = is_extremum(node) || is_equality(node);
            if (!asks || std::ranges::none_of(node.arguments,
                                              [&](expr a) { return candidate_of(a) != nullptr; }))
                return expr::none;
            if (is_narrow_ && is_extremum(node)) return unrounded_extremum(part);
            expr_list arguments;
            for (const expr a : expr_list(node.arguments))
                arguments.push_back(unrounded(operand(a)));
            if (is_equality(values_[part]))
                return values_.apply(opcode::equal, arguments[0], arguments[1]);
            return values_.row(values_[part].folding, values_[part].over, arguments[0]);
        });
        return done_[e] = made;
    }
    expr operand(expr value) {
        const candidate* const c = candidate_of(value);
        if (c == nullptr || is_float(value)) return rewritten(value);
        return is_larger_sum(value) ? sum_of_parts(value) : tensor_of(value);
    }

    /// Of 16 bits: a tensor that holds floats as it is.
    bool is_float(expr e) const {
        const auto& node = values_[e];
        return is_narrow_ && node.kind == kind::load &&
               plan_.holds(node.source.slot, plan_.computed_type());
    }
    /// Of 16 bits: the extremum of what is pinned in a float tensor, in one of its own.
    expr unrounded_extremum(expr e) {
        for (const made_tensor& m : extrema_)
            if (const auto same = match(values_, m.value, e))
                return values_.load(renamed(m.target, same->names));
        const auto node = values_[e];  // a copy: the graph grows below
        read_equation made =
            new_equation(plan_, equation_, axes_of(values_, e), plan_.computed_type());
        made.value = values_.row(node.folding, node.over, operand(node.arguments[0]));
        extrema_.push_back({e, made.target});
        const expr load = values_.load(made.target);
        add(std::move(made));
        return load;
    }
    /// Such an extremum in the place of the tensor that is it, rounded.
    expr unrounded(expr e) const {
        const expr value = is_narrow_ ? defined_.value_of(e) : expr::none;
        const bool is_it = value && values_[value].kind == kind::load &&
                           std::ranges::any_of(extrema_, [&](const made_tensor& m) {
                               return m.target.slot == values_[value].source.slot;
                           });
        return is_it ? value : e;
    }

    /// A sum where no term has the loops of all: of those with the same loops, or fewer, a tensor
    /// is made, and these are added. Where one part is left, it is the operand.
    expr sum_of_parts(expr sum) {
        expr_list terms;  // those of most loops first
        for (const expr t : values_.terms(sum)) {
            const auto before = std::ranges::find_if(terms, [&](expr other) {
                return values_[other].indices.size() < values_[t].indices.size();
            });
            terms.insert(before, t);
        }
        std::vector<expr_list> parts;
        for (const expr t : terms) {
            const auto at = std::ranges::find_if(parts, [&](const expr_list& part) {
                return without(values_[t].indices, values_[part[0]].indices).empty();
            });
            if (at == parts.end()) parts.push_back({t});
            else at->push_back(t);
        }
        if (parts.size() == 1) return is_exact(sum, true) ? rewritten(sum) : tensor_of(sum);
        expr_list made;
        for (const expr_list& part : parts) {
            const bool exact = part.size() == 1 && is_exact(part[0], false);
            made.push_back(exact ? rewritten(part[0]) : tensor_of(values_.add(part)));
        }
        return values_.add(made);
    }

    /// The tensor that stands for a value; its equation is made where it is first wanted.
    expr tensor_of(expr value) {
        const candidate* const c = candidate_of(value);
        if (const expr known = load_of(value)) return known;
        make(c == nullptr ? value : c->value);
        return load_of(value);
    }
    expr load_of(expr value) {
        const candidate* const c = candidate_of(value);
        for (const made_tensor& m : made_) {
            const auto same = match(values_, m.value, value);
            if (same && candidate_of(m.value) == c)
                return values_.load(renamed(m.target, same->names));
        }
        return expr::none;
    }
    void make(expr value) {
        read_equation made =
            new_equation(plan_, equation_, axes_of(values_, value), plan_.computed_type());
        made.value = rewritten(where_wanted(value));
        made_.push_back({value, made.target});
        add(std::move(made));
    }
    void add(read_equation&& e) {
        if (e.value) defined_.add(e.target, plan_.slot_of(e.target).extents, e.value);
        read_.push_back(std::move(e));
    }
    /// The value, with what it looks up where any of those that are the same wants it.
    expr where_wanted(expr value) {
        const candidate* const c = candidate_of(value);
        if (c == nullptr) return value;
        return values_.substituted(value, [&](expr part) {
            const auto& node = values_[part];
            if (node.kind != kind::gather || is_wanted_always(part)) return expr::none;
            expr_list wanted, arguments = node.arguments;
            bool always = !add_wanted(*c, part, {}, wanted);
            for (const matching_lookup& l : c->lookups)
                if (l.first == part) always = always || !add_wanted(*c, l.second, l.names, wanted);
            arguments.pop_back();
            if (!always && !wanted.empty())
                arguments.push_back(
                    wanted.size() == 1
                        ? wanted[0]
                        : values_.apply(opcode::less, values_.constant(0), values_.add(wanted)));
            return values_.regathered(part, std::move(arguments));
        });
    }
    /// False where a lookup is wanted everywhere. A condition that compares the value itself wants
    /// it in any case.
    bool add_wanted(const candidate& c, expr lookup, const loop_map& names, expr_list& to) {
        const auto& node = values_[lookup];
        if (is_wanted_always(lookup)) return false;
        if (holds(c, node.arguments.back())) return true;
        // Of another one it says what its own tensor holds: elsewhere it is no candidate any more.
        const expr condition = rewritten(node.arguments.back());
        const expr here = brought_back(values_, condition, names,
                                       united(values_[c.value].bound, values_[c.value].indices));
        if (std::ranges::find(to, here) == to.end()) to.push_back(here);
        return true;
    }
    bool holds(const candidate& c, expr e) const {
        if (std::ranges::find(c.everywhere, e) != c.everywhere.end()) return true;
        return std::ranges::any_of(values_[e].arguments, [&](expr a) { return holds(c, a); });
    }

    /// Whether what an extremum is taken of, or what is compared, is rounded, so that it is made
    /// once: as a whole, or of a larger sum its parts, whose sum has the same bits everywhere.
    bool is_rounded(expr e) const {
        if (is_exact(e, false)) return false;
        if (is_narrow_) return true;  // its extremum is, where it has a name
        return !is_larger_sum(e) || !is_exact(e, true) || values_.terms(e).size() > 2;
    }
    /// Whether nothing is rounded on the way from tensors; or, with `sums`, in sums alone.
    bool is_exact(expr e, bool sums) const {
        const auto& node = values_[e];
        const auto are_exact = [&] {
            return std::ranges::all_of(node.arguments, [&](expr a) { return is_exact(a, sums); });
        };
        switch (node.kind) {
            case kind::constant:  // 16 bits hold small whole ones, and no place beyond 256
                return !is_narrow_ || std::isinf(node.value) ||
                       (std::floor(node.value) == node.value && std::abs(node.value) <= 256);
            case kind::position:
                return !is_narrow_;
            case kind::load:
            case kind::gather:
                return !is_narrow_ || !plan_.slot_of(node.source).is_foreign;
            case kind::fold:
                return is_extremum(node) && are_exact();
            case kind::sum:
                return is_read_elsewhere(values_, e) && are_exact();
            case kind::operation:
                break;
        }
        switch (node.code) {
            case opcode::add:
                return sums && are_exact();
            case opcode::multiply: {
                const auto others = std::ranges::count_if(node.arguments, [&](expr f) {
                    return !values_.is_constant(f, 1) && !values_.is_constant(f, -1) &&
                           !values_.is_bracket(f);
                });
                return others < 2 && are_exact();
            }
            case opcode::select:
            case opcode::absolute:
            case opcode::relu:
            case opcode::sign:
            case opcode::floor:
            case opcode::ceil:
            case opcode::maximum:
            case opcode::minimum:
                return are_exact();
            default:
                return values_.is_bracket(e);
        }
    }
    /// A sum that has more elements than any tensor in it. It is computed in 32 or 64 bits, where
    /// sums of the same numbers have the same bits everywhere.
    bool is_larger_sum(expr e) const {
        const auto& node = values_[e];
        if (node.kind != kind::operation || node.code != opcode::add) return false;
        double largest = 0;
        const auto looks_up = [&](const auto& self, expr part) -> bool {
            const auto& inner = values_[part];
            if (inner.kind == kind::load)
                largest = std::max(largest, plan_.slot_of(inner.source).elements());
            return inner.kind == kind::gather ||
                   std::ranges::any_of(inner.arguments, [&](expr a) { return self(self, a); });
        };
        return !looks_up(looks_up, e) && values_.size(node.indices) > largest;
    }

    program_plan& plan_;
    graph& values_;
    definitions& defined_;
    std::vector<read_equation>& read_;
    const bool is_narrow_ = is_narrow(plan_.type);  // stored in 16 bits, and computed in 32
    std::unordered_set<expr> seen_;
    std::size_t at_ = 0;  // the equation that is looked at
    std::unordered_map<slot_number, std::size_t> defined_in_;
    std::vector<candidate> all_;
    std::unordered_map<expr, expr> done_;
    std::vector<made_tensor> made_, extrema_;
    ir::ref equation_ = ir::none;  // that is rewritten
};

}  // namespace

void pin_compared(program_plan& plan, definitions& defined, std::vector<read_equation>& read) {
    if (!is_integer(plan.type) && plan.values.compares_extrema())
        pinning(plan, defined, read).run();
}

}  // namespace ricci::plan
