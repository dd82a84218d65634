#include "src/plan/rewrite/signs.hpp"

#include <algorithm>
#include <cmath>

namespace ricci::plan {

void known_signs::remember(slot_number tensor, expr value) {
    if (is_nonnegative(value)) nonnegative_tensors_.insert(tensor);
}

bool known_signs::is_nonnegative(expr e) {
    if (const auto found = nonnegative_.find(e); found != nonnegative_.end()) return found->second;
    const bool is = has_no_sign(values_[e]);
    return nonnegative_[e] = is;
}

bool known_signs::has_no_sign(const expression& node) {
    const auto all = [&] {
        return std::ranges::all_of(node.arguments, [&](expr a) { return is_nonnegative(a); });
    };
    switch (node.kind) {
        case kind::constant:
            return node.value >= 0;
        case kind::load:
        case kind::gather:
            return node.condition || nonnegative_tensors_.contains(node.source.slot);
        case kind::position:
            return values_.reach(node.at).least >= 0;
        case kind::sum:
            return all();
        case kind::fold:
            return node.folding == fold::softmax || (node.folding != fold::logsumexp && all());
        case kind::operation:
            break;
    }
    switch (node.code) {
        case opcode::add:
        case opcode::multiply:
        case opcode::reciprocal:
            return all();
        case opcode::select:
            return is_nonnegative(node.arguments[1]) && is_nonnegative(node.arguments[2]);
        case code_of(ir::function::maximum):
            return std::ranges::any_of(node.arguments, [&](expr a) { return is_nonnegative(a); });
        case opcode::square:
        case code_of(ir::function::exp):
        case code_of(ir::function::sqrt):
        case code_of(ir::function::absolute):
        case code_of(ir::function::sigmoid):
        case code_of(ir::function::relu):
        case code_of(ir::function::softplus):
            return true;
        case opcode::power: {
            const auto& times = values_[node.arguments[1]];
            return is_nonnegative(node.arguments[0]) ||
                   (times.kind == kind::constant && std::fmod(times.value, 2) == 0);
        }
        default:
            return values_.is_bracket(node.self);
    }
}

}  // namespace ricci::plan
