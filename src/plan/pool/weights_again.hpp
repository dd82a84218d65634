// Weights of a softmax that a later group makes again of its scores.
#pragma once

#include <optional>

#include "src/plan/pool/expression.hpp"

namespace ricci::plan {

/// exp(score - maximum) * largest: the last two were found with the weights, one for each row.
struct weights_parts {
    expr score, maximum, largest;
};

inline expr weights_again(graph& values, const weights_parts& of) {
    const expr difference = values.as_written(opcode::subtract, {of.score, of.maximum});
    return values.as_written(opcode::multiply,
                             {values.as_written(opcode::exp, {difference}), of.largest});
}

/// The parts of what weights_again() made; nothing where a value has another form.
inline std::optional<weights_parts> weights_made_again(const graph& values, expr e) {
    const auto is = [&](expr x, opcode code, std::size_t arguments) {
        return values[x].code == code && values[x].arguments.size() == arguments;
    };
    if (!is(e, opcode::multiply, 2)) return {};
    const expr power = values[e].arguments[0], largest = values[e].arguments[1];
    if (!is(power, opcode::exp, 1)) return {};
    const expr difference = values[power].arguments[0];
    if (!is(difference, opcode::subtract, 2)) return {};
    const auto& sides = values[difference].arguments;
    return weights_parts{sides[0], sides[1], largest};
}

}  // namespace ricci::plan
