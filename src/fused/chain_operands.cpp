// The groups of a chain with the operands of all its parts in one list.
#include "src/fused/chain_operands.hpp"

namespace ricci::fused {

chain_operands::chain_operands(const steps::fused_chain& what)
    : sums_(what.sums.begin(), what.sums.end()),
      products_(what.second.products.begin(), what.second.products.end()),
      operations_(what.second.operations.begin(), what.second.operations.end()),
      consumers_(what.second.consumers.begin(), what.second.consumers.end()),
      first_(what.first),
      second_(what.second) {
    for (const auto& list : {what.first.operands, what.operands, what.second.operands})
        operands_.insert(operands_.end(), list.begin(), list.end());
    const auto before_sums = static_cast<std::int32_t>(what.first.operands.size());
    const auto before_second = before_sums + static_cast<std::int32_t>(what.operands.size());
    // Those below 0 are tiles, or none.
    const auto moved = [](std::int32_t operand, std::int32_t by) {
        return operand < 0 ? operand : operand + by;
    };
    for (auto& s : sums_)
        for (auto* operand : {&s.a, &s.b, &s.output}) *operand = moved(*operand, before_sums);
    for (auto& p : products_)
        for (auto* operand : {&p.a, &p.b}) *operand = moved(*operand, before_second);
    programs_.reserve(operations_.size());
    for (auto& s : operations_) {
        programs_.emplace_back(s.program.begin(), s.program.end());
        for (auto& i : programs_.back()) i.operand = moved(i.operand, before_second);
        s.program = programs_.back();
        s.log_sum_exp = moved(s.log_sum_exp, before_second);
    }
    for (auto& s : consumers_)
        for (auto* operand : {&s.b, &s.output}) *operand = moved(*operand, before_second);
    first_.operands = second_.operands = operands_;
    second_.products = products_;
    second_.operations = operations_;
    second_.consumers = consumers_;
}

}  // namespace ricci::fused
