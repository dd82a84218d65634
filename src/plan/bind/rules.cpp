// What the numbers of operands have to be, which only a run can tell.
#include "src/plan/bind/rules.hpp"

#include <string>

#include <fmt/core.h>

#include <ricci/error.hpp>

#include "src/plan/words/words.hpp"

namespace ricci::plan {
namespace {

// Which tensors are compared with others as numbers, and which stand as conditions. One alone is
// compared with positions and constants, which is right also where it is rounded.
struct whole_uses {
    std::vector<bool> compared, conditions;

    explicit whole_uses(const ir::program_view& p)
        : compared(static_cast<std::size_t>(p.names.size())), conditions(compared) {
        for (const auto& e : p.equations)
            if (ir::computes(p, e)) look(p, e.body, nullptr);
    }

private:
    using names = std::vector<ir::ref>;

    // `compared_here`: of the comparison above.
    void look(const ir::program_view& p, ir::ref n, names* compared_here) {
        const auto& x = p.nodes[n];
        if (ir::is_truth(x)) {
            const auto& tensor = p.nodes[p.child(x, 0)];
            conditions[static_cast<std::size_t>(tensor.name)] = true;
            for (std::int32_t k = 0; k < tensor.children.count; ++k)
                look(p, p.child(tensor, k), nullptr);
            return;
        }
        if (x.kind == ir::op::tensor && compared_here) compared_here->push_back(x.name);
        const bool logical = x.kind == ir::op::compare &&
                             x.detail >= static_cast<std::uint8_t>(ir::comparison::logical_and);
        names mine;
        names* below = x.kind == ir::op::tensor || logical ? nullptr
                       : x.kind == ir::op::compare         ? &mine
                                                           : compared_here;
        for (std::int32_t k = 0; k < x.children.count; ++k) look(p, p.child(x, k), below);
        for (std::size_t k = 0; mine.size() > 1 && k < mine.size(); ++k)
            compared[static_cast<std::size_t>(mine[k])] = true;
    }
};

void refuse_condition(const ir::program_view& p, ir::ref name, const std::string& what) {
    throw error(fmt::format(
        "ricci: {} {}, and is a condition; bind a tensor of bool, or of whole numbers 0 and 1.",
        words_of_name(p, name), what));
}

}  // namespace

void add_rules(program_plan& plan, const ir::program_view& p, const std::vector<slot>& slots) {
    const whole_uses uses(p);
    for (std::size_t n = 0; n < uses.compared.size(); ++n) {
        const auto& s = slots[n];
        if (s.kind == storage::number && uses.conditions[n] && s.value != 0 && s.value != 1)
            refuse_condition(p, s.name, fmt::format("is {}", words_of_number(s.value)));
        if (s.kind != storage::input || s.own) continue;
        const element type = s.is_foreign ? s.own_type : plan.type;
        if (uses.conditions[n] && !is_integer(type))
            refuse_condition(p, s.name, fmt::format("holds {}", name_of(type)));
        if (s.is_truth) continue;
        operand_rule rule;
        rule.slot = slot_number(n);
        if (uses.conditions[n]) {
            rule.is_condition = true;
            rule.words = fmt::format("{} is a condition, and holds 0 and 1, and a number of it is",
                                     words_of_name(p, s.name));
            plan.rules.push_back(rule);
        }
        const bool counts =
            plan.type == element::f32 || (plan.type == element::f64 && type == element::i64);
        if (plan.careful || !uses.compared[n] || !s.is_foreign || !is_integer(type) || !counts)
            continue;
        rule.is_condition = false;
        rule.words.clear();
        rule.most = counted_by(plan.type);
        plan.rules.push_back(rule);
    }
}

}  // namespace ricci::plan
