#include "src/plan/schedule/ties.hpp"

#include <algorithm>
#include <utility>

namespace ricci::plan {
namespace {

class tie_finder {
public:
    tie_finder(const program_plan& plan, const assign& a)
        : plan_(plan), values_(plan.values), what_(a), type_(plan.type_of(a.target.slot)) {}

    std::optional<tie_form> find() {
        if (what_.kind != assignment_kind::map || what_.folding != fold::sum || !is_real(type_) ||
            !take_factors() || !take_terms())
            return {};
        // The weight moves with the rows, which may be either of the two that are summed over.
        for (int turn = 0; turn < 2; ++turn, std::swap(form_.row, form_.column))
            if (is_form()) return form_;
        return {};
    }

private:
    const loop_list& loops(expr e) const { return values_[e].indices; }
    bool is_operand(expr e) const {
        const auto& node = values_[e];
        return node.kind == kind::load && !node.edged && plan_.holds(node.source.slot, type_);
    }

    /// A number, a weight at most, and the bracket.
    bool take_factors() {
        for (const expr factor : values_.factors(what_.body)) {
            const auto& node = values_[factor];
            const bool is_bracket = node.code == opcode::equal;
            if (node.kind == kind::constant) form_.number *= node.value;
            else if (is_bracket && !bracket_) bracket_ = factor;
            else if (is_operand(factor) && !form_.weight) form_.weight = factor;
            else return false;
        }
        return bool(bracket_);
    }

    /// The three operands of the bracket: one is kept, the others move along what is summed.
    bool take_terms() {
        const auto& sides = values_[bracket_].arguments;
        const auto is_sum = [&](expr e) {
            return values_[e].code == opcode::add && values_[e].arguments.size() == 2;
        };
        const std::size_t side = is_sum(sides[0]) ? 0 : 1;
        if (!is_sum(sides[side])) return false;
        sum_ = sides[1 - side];
        const auto& terms = values_[sides[side]].arguments;
        const expr operands[] = {sum_, terms[0], terms[1]};
        for (const expr e : operands) {
            if (!is_operand(e)) return false;
            if (common(loops(e), what_.over).empty()) {
                if (form_.kept) return false;
                form_.kept = e;
            } else {
                (form_.row ? form_.column : form_.row) = e;
            }
        }
        return form_.kept && form_.row && form_.column && form_.row != form_.column;
    }

    bool is_form() {
        if (sum_ == form_.column) return false;
        form_.test = sum_ == form_.kept ? tie_test::kept_is_sum : tie_test::row_is_sum;
        const auto& of_row = loops(form_.row);
        const auto& of_column = loops(form_.column);
        form_.k = what_.over;
        form_.batch = without(common(of_row, of_column), form_.k);
        form_.m = without(without(what_.loops, form_.k), of_column);
        form_.n = without(common(without(what_.loops, form_.k), of_column), of_row);
        if (without(form_.k, united(of_row, of_column)).size() > 0) return false;
        if (form_.weight && !common(loops(form_.weight), form_.n).empty()) return false;
        return values_.size(form_.m) >= fewest_rows && values_.size(form_.n) >= fewest_columns &&
               values_.size(form_.k) >= fewest_terms;
    }

    // Tiles of fewer are mostly empty, and panels are not worth their packing.
    static constexpr double fewest_rows = 4, fewest_columns = 8, fewest_terms = 4;

    const program_plan& plan_;
    const graph& values_;
    const assign& what_;
    element type_;
    tie_form form_;
    expr bracket_, sum_;
};

}  // namespace

std::optional<tie_form> ties_of(const program_plan& plan, const assign& a) {
    return tie_finder(plan, a).find();
}

}  // namespace ricci::plan
