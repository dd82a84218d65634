// What operations cost, in the words of the table of functions.
#pragma once

#include <ricci/detail/function_kinds.hpp>

namespace ricci::kernels {

using detail::function_price;

constexpr function_price price_of(steps::opcode code) {
    using steps::opcode;
    switch (code) {
#define RICCI_FUNCTION(NAME, WORD, ALSO, FORM, TYPES, PRICE, ...) \
    case opcode::NAME:                                            \
        return function_price::PRICE;
#include <ricci/detail/functions.inc>

#include "src/steps/instruction.hpp"
        case opcode::divide:
        case opcode::reciprocal:
            return function_price::division;
        case opcode::power:
            return function_price::each_lane;
        default:
            return function_price::quick;
    }
}

}  // namespace ricci::kernels
