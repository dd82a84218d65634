// The groups of a chain with the operands of all its parts in one list.
#include "src/fused/chain_operands.hpp"

#include <cstdint>

namespace ricci::fused {

chain_operands::chain_operands(const steps::fused_chain& what)
    : sums_(what.sums.begin(), what.sums.end()), first_(what.first), second_(what.second) {
    const auto before_sums = static_cast<std::int32_t>(what.first.operands.size());
    const auto before_second = before_sums + static_cast<std::int32_t>(what.operands.size());
    // Those below 0 are tiles, or none.
    const auto moved = [](std::int32_t operand, std::int32_t by) {
        return operand < 0 ? operand : operand + by;
    };
    for (auto& s : sums_)
        for (auto* operand : {&s.a, &s.b, &s.output}) *operand = moved(*operand, before_sums);
    for (auto& p : second_.products)
        for (auto* operand : {&p.a, &p.b, &p.weights}) *operand = moved(*operand, before_second);
    for (auto& s : second_.operations) {
        for (auto& i : s.program) i.operand = moved(i.operand, before_second);
        for (auto* operand : {&s.log_sum_exp, &s.maximum, &s.excess, &s.largest})
            *operand = moved(*operand, before_second);
    }
    for (auto& l : second_.lookups)
        for (auto* operand : {&l.operand, &l.numbers}) *operand = moved(*operand, before_second);
    for (auto& s : second_.consumers)
        for (auto* operand : {&s.b, &s.output, &s.count, &s.place, &s.landing})
            *operand = moved(*operand, before_second);
    first_.operands.insert(first_.operands.end(), what.operands.begin(), what.operands.end());
    first_.operands.insert(first_.operands.end(), what.second.operands.begin(),
                           what.second.operands.end());
    second_.operands = first_.operands;
}

}  // namespace ricci::fused
