#include "src/plan/rewrite/solutions.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "src/plan/pool/match.hpp"
#include "src/plan/read/matrices.hpp"

namespace ricci::plan {
namespace {

class solving {
public:
    solving(program_plan& plan, definitions& defined, std::vector<read_equation>& read)
        : plan_(plan), values_(plan.values), defined_(defined), read_(read), forms_(plan.values) {}

    void run() {
        std::vector<read_equation> before;
        before.swap(read_);
        for (read_equation& e : before) {
            around_ = e.number;
            const expr as_read = e.value;
            e.for_each_value([&](expr& value) { value = with_solutions(with_cofactors(value)); });
            if (e.value != as_read) {
                if (e.value) compute_at_once(e);
                defined_.add(e.target, plan_.slot_of(e.target).extents, e.value);
            }
            if (e.matrix) functions_[e.target.slot] = e;
            read_.push_back(std::move(e));
        }
        drop_unread();
    }

private:
    using memo = std::unordered_map<expr, expr>;

    // What is asked of expressions ----------------------------------------------------------------

    /// The function of matrices that a load reads; none: it is something else.
    const read_equation* function_at(expr e) const {
        const auto& node = values_[e];
        const auto found = functions_.find(node.source.slot);
        return node.kind == kind::load && found != functions_.end() ? &found->second : nullptr;
    }
    bool is_determinant(expr e) const {
        const read_equation* const found = function_at(e);
        return found != nullptr && found->matrix->what == ir::reduction::determinant;
    }
    /// An inverse that stands in an expression: what an equation calls by a name is made anyway.
    const read_equation* inverse_at(expr e) const {
        const read_equation* const found = function_at(e);
        return found != nullptr && found->matrix->what == ir::reduction::inverse && is_own(*found)
                   ? found
                   : nullptr;
    }
    bool is_own(const read_equation& e) const { return plan_.slot_of(e.target).name == ir::none; }
    bool holds_inverse(expr e) {
        if (const auto known = holds_.find(e); known != holds_.end()) return known->second;
        const bool found =
            inverse_at(e) != nullptr ||
            std::ranges::any_of(values_[e].arguments, [&](expr a) { return holds_inverse(a); });
        return holds_[e] = found;
    }
    bool is_sum(expr e) const {
        const auto& node = values_[e];
        return node.kind == kind::sum || (node.kind == kind::fold && node.folding == fold::sum);
    }
    /// The names of a function's loops where it is read; nothing where two are one there, or it is
    /// read at other places than loops as they are.
    static std::optional<loop_map> names_of(const read_equation& of, const access& read) {
        auto names = names_at(of.target, read);
        loop_list there;
        for (std::size_t k = 0; names && k < names->size(); ++k)
            add_loop(there, (*names)[k].second);
        return names && there.size() == names->size() ? names : std::nullopt;
    }
    expr elsewhere(expr e, const loop_map& names) {
        loop_list there;
        for (const auto& [from, to] : names) add_loop(there, to);
        return e ? values_.renamed(values_.apart(there, e), names) : e;
    }
    matrix_function elsewhere(matrix_function f, const loop_map& names) {
        f.matrix = elsewhere(f.matrix, names);
        f.right = elsewhere(f.right, names);
        f.row = renamed(f.row, names);
        f.column = renamed(f.column, names);
        return f;
    }
    /// A load of a function more.
    expr added(const matrix_function& f, const expr_list& guards) {
        const expr load = add_function(plan_, read_, f, guards, around_);
        functions_[read_.back().target.slot] = read_.back();
        return load;
    }
    // What is a function and nothing else needs no tensor beside its own.
    void compute_at_once(read_equation& e) {
        const read_equation* const f = function_at(e.value);
        if (f == nullptr || !is_own(*f) || !plan_.is_whole(e.target) ||
            loops_of(e.target) != values_[e.value].indices)
            return;
        const auto names = names_of(*f, values_[e.value].source);
        if (!names) return;
        e.matrix = elsewhere(*f->matrix, *names);
        e.value = {};
    }

    /// `made(part)` in the place of each part for which it gives something, and again there, from
    /// the outside to the inside.
    template <class F>
    expr rewritten(expr e, memo& known, F made) {
        if (!holds_inverse(e)) return e;
        if (const auto found = known.find(e); found != known.end()) return found->second;
        expr result = made(e);
        if (result) {
            result = rewritten(result, known, made);
        } else {
            expr_list arguments;
            for (const expr a : values_[e].arguments)
                arguments.push_back(rewritten(a, known, made));
            result = arguments == values_[e].arguments ? e : values_.remade(e, arguments);
        }
        return known[e] = result;
    }

    // Cofactors -----------------------------------------------------------------------------------

    expr with_cofactors(expr value) {
        return rewritten(value, multiplied_, [&](expr e) { return cofactors_in(e); });
    }
    // Each determinant goes into the first factor that has an inverse for it.
    expr cofactors_in(expr product) {
        const auto all = values_.factors(product);
        for (std::size_t k = 0; k < all.size(); ++k) {
            if (!is_determinant(all[k])) continue;
            for (std::size_t other = 0; other < all.size(); ++other) {
                const expr made = other == k ? expr::none : times(all[other], all[k]);
                if (!made) continue;
                expr_list factors(all.begin(), all.end());
                factors[other] = made;
                factors.erase(factors.begin() + static_cast<std::ptrdiff_t>(k));
                return values_.multiply(factors);
            }
        }
        return expr::none;
    }
    /// The factor with an inverse in it multiplied by the determinant; none: it has none of the
    /// same matrix, or a sum on the way binds what the determinant depends on.
    expr times(expr e, expr determinant) {
        const auto& node = values_[e];
        if (inverse_at(e) != nullptr)
            return are_of_one(determinant, e) ? cofactors_at(node) : expr(expr::none);
        const bool sums = is_sum(e) && common(node.over, values_[determinant].indices).empty();
        if (!sums && node.code != opcode::multiply) return expr::none;
        for (std::size_t k = 0; k < node.arguments.size(); ++k) {
            const expr made = times(node.arguments[k], determinant);
            if (!made) continue;
            expr_list arguments = node.arguments;
            arguments[k] = made;
            return values_.remade(e, arguments);
        }
        return expr::none;
    }
    // A matrix and its transpose have one determinant.
    bool are_of_one(expr determinant, expr inverse) {
        const read_equation &d = *function_at(determinant), &i = *inverse_at(inverse);
        const auto& here = values_[determinant].source.at;
        const auto& there = values_[inverse].source.at;
        loop_map names;  // of a batch, by where both are read
        for (std::size_t axis = 0; axis < here.size(); ++axis) {
            if (d.target.at[axis].terms.empty()) continue;
            for (std::size_t other = 0; other < there.size(); ++other) {
                const loop l = loop_at(i.target.at[other]);
                const bool is_taken =
                    !l || l == i.matrix->row || l == i.matrix->column ||
                    std::ranges::any_of(names, [&](auto& pair) { return pair.second == l; });
                if (is_taken || here[axis] != there[other]) continue;
                names.emplace_back(loop_at(d.target.at[axis]), l);
                break;
            }
        }
        if (names.size() != loops_of(d.target).size()) return false;
        const auto same =
            match_in_any_order(values_, forms_, d.matrix->matrix, i.matrix->matrix, names);
        if (!same) return false;
        const loop row = renamed(d.matrix->row, *same), column = renamed(d.matrix->column, *same);
        return values_.extent(row) == 1 || (row == i.matrix->row && column == i.matrix->column) ||
               (row == i.matrix->column && column == i.matrix->row);
    }
    expr cofactors_at(const expression& inverse) {
        auto [known, is_new] = cofactors_.emplace(inverse.source.slot, slot_number());
        if (is_new) {
            const read_equation of = functions_.at(inverse.source.slot);
            auto f = *of.matrix;
            f.what = ir::reduction::cofactors;
            known->second = values_[added(f, of.guards)].source.slot;
        }
        access at = inverse.source;
        at.slot = known->second;
        return values_.load(at);
    }

    // Solutions -----------------------------------------------------------------------------------

    /// Which right-hand sides: those first that need no other inverse, as (K^{-1})^{ij}
    /// (K^{-1})^{jk} z^k is two solutions; ones, where nothing else has the rows, last.
    enum class right_side { plain, any, ones };

    expr with_solutions(expr value) {
        return rewritten(value, solved_, [&](expr e) { return solution_in(e); });
    }
    expr solution_in(expr e) {
        if (!is_sum(e)) return expr::none;
        const std::size_t count = values_.factors(values_[e].arguments[0]).size();
        for (const auto right : {right_side::plain, right_side::any, right_side::ones})
            for (std::size_t k = 0; k < count; ++k)
                for (const bool turned : {false, true})
                    if (const expr made = solution(e, k, turned, right)) return made;
        return expr::none;
    }
    /// The sum with one of its factors, an inverse, as a solution; `turned`: of the transposed
    /// matrix. Factors with its rows are the right-hand side, which may not have its columns.
    expr solution(expr sum, std::size_t which, bool turned, right_side wanted) {
        const auto factors = values_.factors(values_[sum].arguments[0]);
        if (inverse_at(factors[which]) == nullptr) return expr::none;
        const read_equation inverse = *inverse_at(factors[which]);
        const auto names = names_of(inverse, values_[factors[which]].source);
        if (!names) return expr::none;
        auto f = *inverse.matrix;
        if (turned) std::swap(f.row, f.column);
        const loop row = renamed(f.row, *names), column = renamed(f.column, *names);
        if (!contains(values_[sum].over, row)) return expr::none;

        expr_list right, others;
        loop_list inside, outside = values_[factors[which]].indices;
        for (std::size_t k = 0; k < factors.size(); ++k) {
            if (k == which) continue;
            const auto& mine = values_[factors[k]].indices;
            const bool is_right = contains(mine, row);
            if (is_right && (contains(mine, column) ||
                             (wanted == right_side::plain && holds_inverse(factors[k]))))
                return expr::none;
            (is_right ? right : others).push_back(factors[k]);
            (is_right ? inside : outside) = united(is_right ? inside : outside, mine);
        }
        if (right.empty() != (wanted == right_side::ones)) return expr::none;
        if (right.empty()) right.push_back(values_.constant(1));

        loop_list summed_inside, summed_outside;
        for (const loop l : values_[sum].over)
            if (l != row)
                (contains(inside, l) && !contains(outside, l) ? summed_inside : summed_outside)
                    .push_back(l);
        // What hides rows hides parts of the right-hand side, and not the matrix.
        expr_list guards = inverse.guards;
        erase_if(guards, [&](expr g) { return contains(values_[g].indices, f.row); });
        const expr where = elsewhere(wanted_of(values_, f, guards), *names);
        f = elsewhere(f, *names);
        f.what = ir::reduction::solve;
        f.right = with_solutions(values_.sum(summed_inside, values_.multiply(right)));
        others.push_back(added(f, where ? expr_list{where} : expr_list{}));
        return values_.sum(summed_outside, values_.multiply(others));
    }

    void drop_unread() {
        std::unordered_set<slot_number> wanted;
        for (auto e = read_.end(); e != read_.begin();) {
            --e;
            if (e->matrix && is_own(*e) && !wanted.contains(e->target.slot)) {
                plan_.slots[e->target.slot.index()].kind = storage::unused;
                e = read_.erase(e);
                continue;
            }
            for (const expr_list& values : {e->values(), e->guards})
                values_.for_each_load(values,
                                      [&](const access& from) { wanted.insert(from.slot); });
        }
    }

    program_plan& plan_;
    graph& values_;
    definitions& defined_;
    std::vector<read_equation>& read_;
    forms forms_;
    ir::ref around_ = ir::none;  // the equation that is rewritten
    std::unordered_map<slot_number, read_equation> functions_;
    std::unordered_map<slot_number, slot_number> cofactors_;  // by the slot of the inverse
    std::unordered_map<expr, bool> holds_;
    memo multiplied_, solved_;
};

}  // namespace

void write_solutions(program_plan& plan, definitions& defined, std::vector<read_equation>& read) {
    if (std::ranges::any_of(read, [](const read_equation& e) {
            return e.matrix && e.matrix->what == ir::reduction::inverse;
        }))
        solving(plan, defined, read).run();
}

}  // namespace ricci::plan
