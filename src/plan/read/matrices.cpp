#include "src/plan/read/matrices.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "src/plan/pool/match.hpp"
#include "src/plan/read/symmetric.hpp"

namespace ricci::plan {
namespace {

/// Where brackets do not hide a function, a hidden one that needs the same of its matrix, or less,
/// fails no call that would not fail anyway.
bool is_met_by(ir::reduction needed, ir::reduction known) {
    const auto inverts = [](ir::reduction r) {
        return r == ir::reduction::inverse || r == ir::reduction::solve;
    };
    if (needed == ir::reduction::cholesky) return known == needed;
    if (inverts(needed)) return inverts(known);
    return known != ir::reduction::cholesky;
}
bool meet(const std::vector<ir::reduction>& known, ir::reduction needed) {
    return std::ranges::any_of(known, [&](ir::reduction k) { return is_met_by(needed, k); });
}

/// Whether both read the same wherever it is wanted.
bool want_the_same(const graph& values, const matching_loops& m) {
    return std::ranges::all_of(m.lookups, [&](const matching_lookup& l) {
        const auto &a = values[l.first], &b = values[l.second];
        if (a.arguments.size() != b.arguments.size()) return false;
        return a.arguments.size() == a.lookups.size() ||
               match(values, a.arguments.back(), b.arguments.back()).has_value();
    });
}

bool is_of_places(const graph& values, expr e) {
    const auto& node = values[e];
    return node.kind != kind::load && node.kind != kind::gather &&
           std::ranges::all_of(node.arguments, [&](expr a) { return is_of_places(values, a); });
}

/// The loops on which a function depends, in the order in which it reads them: of an operand that
/// gets a tensor, rows and columns last.
loop_list axes_of(const graph& values, const matrix_function& f) {
    loop_list axes;
    const auto add = [&](loop l) {
        if (!contains(axes, l)) axes.push_back(l);
    };
    const auto is_last = [&](loop l) { return l == f.row || l == f.column; };
    for (const expr operand : {f.matrix, f.right}) {
        if (!operand) continue;
        const bool is_tensor = values[operand].kind == kind::load;
        for (const loop l : axes_of(values, operand))
            if (is_tensor || !is_last(l)) add(l);
    }
    const bool keeps_both = ir::keeps_indices(f.what);
    const bool has_column = keeps_both || f.what == ir::reduction::solve;
    erase_if(axes,
             [&](loop l) { return (l == f.row && !keeps_both) || (l == f.column && !has_column); });
    if (keeps_both && values.extent(f.row) != 1) add(f.row);
    if (has_column && values.extent(f.column) != 1) add(f.column);
    return axes;
}

/// Gives operands tensors, equation by equation.
class matrix_storage {
public:
    matrix_storage(program_plan& plan, definitions& defined, std::vector<read_equation>& read)
        : plan_(plan), values_(plan.values), defined_(defined), read_(read) {}

    void run() {
        std::vector<read_equation> before;
        before.swap(read_);
        for (read_equation& e : before) {
            if (e.matrix) store_operands(*e.matrix, e.guards, e.number);
            read_.push_back(std::move(e));
        }
        hide();
    }

private:
    /// A matrix that has a tensor.
    struct matrix_tensor {
        expr value;
        loop row, column;
        std::vector<ir::reduction> needs;  // what is made of it, wherever that is wanted
        access target;                     // its own, or that which it is read from as it is
        std::size_t equation = SIZE_MAX;   // in `read`, where it has one
        bool always = false;               // wanted whatever conditions say
        expr_list wanted;                  // else where
    };

    // A load of all of a tensor, or of a part of it, by loops as they are.
    bool is_plain(expr e) const {
        const auto& node = values_[e];
        loop_list seen;
        return node.kind == kind::load && std::ranges::all_of(node.source.at, [&](const place& p) {
                   if (!is_whole_axis(p)) return false;
                   if (p.terms.empty()) return true;
                   const bool again = contains(seen, p.terms[0].over);
                   add_loop(seen, p.terms[0].over);
                   return !again;
               });
    }
    // Appends an equation of a value, whose axes are these in the end.
    void define(expr value, const loop_list& last, ir::ref equation) {
        loop_list axes = axes_of(values_, value);
        erase_if(axes, [&](loop l) { return contains(last, l); });
        for (const loop l : last)
            if (contains(values_[value].indices, l)) axes.push_back(l);
        read_.push_back(new_equation(plan_, equation, axes, values_.type()));
        read_equation& made = read_.back();
        made.value = value;
        defined_.add(made.target, plan_.slot_of(made.target).extents, value);
    }

    // The names with which a value is another one; none: it is not the same, or where others want
    // it.
    std::optional<loop_map> same_names(expr value, expr other) const {
        auto same = match(values_, value, other);
        if (!same || !want_the_same(values_, *same)) return {};
        return std::move(same->names);
    }

    // Whether a condition says nothing of tensors that an equation or those after it define.
    bool is_known_before(expr condition, std::size_t equation) const {
        bool known = true;
        values_.for_each_load({condition}, [&](const access& from) {
            for (std::size_t k = equation; k < read_.size(); ++k)
                known = known && read_[k].target.slot != from.slot;
        });
        return known;
    }

    // The tensor of a matrix that may serve a function, which is wanted everywhere if it says
    // nothing else.
    matrix_tensor* find(const matrix_function& f, expr wanted) {
        const auto serves = [&](const matrix_tensor& m) {
            if (m.always) return !wanted || meet(m.needs, f.what);
            return is_met_by(m.needs[0], f.what) &&
                   (!wanted ||
                    (is_met_by(f.what, m.needs[0]) && is_known_before(wanted, m.equation)));
        };
        const auto found = std::ranges::find_if(matrices_, [&](const matrix_tensor& m) {
            return serves(m) && same_names(m.value, f.matrix);
        });
        return found == matrices_.end() ? nullptr : &*found;
    }

    void store_operands(matrix_function& f, expr_span guards, ir::ref equation) {
        const loop_list last{f.row, f.column};
        const expr wanted = wanted_of(values_, f, guards);
        f.symmetric = is_symmetric(values_, defined_, f.matrix, f.row, f.column);
        matrix_tensor* known = find(f, wanted);
        if (known == nullptr) {
            matrices_.push_back({f.matrix, f.row, f.column, {}, {}, SIZE_MAX, false, {}});
            known = &matrices_.back();
            if (!wanted && is_plain(f.matrix)) {
                known->target = values_[f.matrix].source;
            } else {
                known->equation = read_.size();
                define(f.matrix, last, equation);
                known->target = read_.back().target;
            }
        }
        known->always = known->always || !wanted;
        known->needs.push_back(f.what);
        const loop_map names = *same_names(known->value, f.matrix);
        if (wanted) {
            const expr here = brought_back(values_, wanted, names);
            if (std::ranges::find(known->wanted, here) == known->wanted.end())
                known->wanted.push_back(here);
        }
        f.matrix = values_.load(renamed(known->target, names));
        if (!f.right || is_plain(f.right)) return;
        define(f.right, last, equation);
        f.right = values_.load(read_.back().target);
    }

    // Once all functions are known.
    void hide() {
        for (const matrix_tensor& m : matrices_) {
            const bool anyway =
                m.always || std::ranges::any_of(matrices_, [&](const matrix_tensor& o) {
                    return o.always && meet(o.needs, m.needs[0]) &&
                           match(values_, m.value, o.value);
                });
            if (anyway) continue;
            const auto at = [&](loop l) {
                place p;
                if (values_.extent(l) > 1) p.add(l, 1);
                return values_.position(p);
            };
            const expr unit = values_.apply(opcode::equal, at(m.row), at(m.column));
            read_equation& made = read_[m.equation];
            made.value = values_.apply(opcode::select, values_.add(m.wanted), m.value, unit);
            defined_.add(made.target, plan_.slot_of(made.target).extents, made.value);
        }
    }

    program_plan& plan_;
    graph& values_;
    definitions& defined_;
    std::vector<read_equation>& read_;
    std::vector<matrix_tensor> matrices_;
};

}  // namespace

expr add_function(program_plan& plan, std::vector<read_equation>& read, const matrix_function& f,
                  expr_list guards, ir::ref around) {
    read.push_back(new_equation(plan, around, axes_of(plan.values, f), plan.values.type()));
    read.back().matrix = f;
    read.back().guards = std::move(guards);
    return plan.values.load(read.back().target);
}

// Where some of the guards' places want the matrix, as a number; none: everywhere. A condition of
// places alone, as [j <= i] of rows and columns, is taken to hold for some of them, and so is an
// equality of a place of the batch and another.
expr wanted_of(graph& values, const matrix_function& f, expr_span guards) {
    const loop_list both{std::min(f.row, f.column), std::max(f.row, f.column)};
    const loop_list batch = without(values[f.matrix].indices, both);
    expr_list conditions;
    for (const expr g : guards) {
        const auto& indices = values[g].indices;
        const bool beside = !without(indices, batch).empty();
        const bool apart = common(indices, batch).empty() || values[g].code == opcode::equal;
        if (!(beside && apart && is_of_places(values, g))) conditions.push_back(g);
    }
    if (conditions.empty()) return expr::none;
    expr wanted = values.multiply(conditions);
    const loop_list over = without(values[wanted].indices, batch);
    if (!over.empty()) wanted = values.row(fold::sum, over, wanted);
    const auto& node = values[wanted];
    return node.kind == kind::constant && node.value != 0 ? expr::none : wanted;
}

void store_matrices(program_plan& plan, definitions& defined, std::vector<read_equation>& read) {
    if (std::ranges::any_of(read, [](const read_equation& e) { return e.matrix.has_value(); }))
        matrix_storage(plan, defined, read).run();
}

}  // namespace ricci::plan
