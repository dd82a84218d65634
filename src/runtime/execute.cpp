// Walking a plan.
#include "src/runtime/execute.hpp"

#include <cstddef>
#include <new>

#include "src/plan/scalar.hpp"
#include "src/plan/workspace.hpp"

namespace ricci::runtime {
namespace {

constexpr std::align_val_t alignment{plan::workspace_alignment};

double element_at(const void* data, element type) {
    return type == element::f32 ? static_cast<double>(*static_cast<const float*>(data))
                                : *static_cast<const double*>(data);
}

}  // namespace

void execution::aligned_delete::operator()(std::byte* memory) const {
    ::operator delete(memory, alignment);
}

execution::execution(const plan::program_plan& plan) : type_(plan.type) {
    if (plan.workspace_bytes > 0)
        workspace_.reset(static_cast<std::byte*>(::operator new(plan.workspace_bytes, alignment)));
    const auto base = [&](std::int32_t number) -> std::byte* {
        if (number < 0) return nullptr;
        const auto& slot = plan.slots[static_cast<std::size_t>(number)];
        if (slot.kind == plan::storage::workspace) return workspace_.get() + slot.workspace_offset;
        return static_cast<std::byte*>(slot.data);
    };
    const auto size = static_cast<std::int64_t>(size_of(plan.type));
    const auto element = [&](std::int32_t number, std::int64_t offset) {
        return base(number) + offset * size;
    };

    for (const auto& s : plan.steps) {
        prepared_step ready;
        if (s.is_contraction) {
            const auto& c = s.contraction;
            ready.contraction = std::make_unique<contract::prepared_contraction>(
                plan::contraction{plan.type, c.batch, c.m, c.n, c.k});
            ready.a = element(c.a.slot, c.a_offset);
            ready.b = element(c.b.slot, c.b_offset);
            ready.c = element(c.c.slot, c.c_offset);
            ready.beta = c.beta;
            ready.alpha.value = c.alpha.value;
            ready.alpha.instructions = c.alpha.instructions;
            ready.alpha.values.resize(c.alpha.instructions.size());
            for (const auto& o : c.alpha.operands)
                ready.alpha.operands.push_back(element(o.slot, o.offset));
        } else {
            const auto& m = s.map;
            std::vector<plan::map_operand> operands;
            for (const auto& o : m.operands) {
                operands.push_back({o.offset, o.strides});
                ready.bases.push_back(base(o.slot));
            }
            ready.map = std::make_unique<elementwise::prepared_map>(
                plan::map{plan.type, m.folding, m.extents, m.folded, operands, m.program});
        }
        steps_.push_back(std::move(ready));
    }
}

double execution::evaluate(scalar_program& program) const {
    if (program.instructions.empty()) return program.value;
    for (std::size_t k = 0; k < program.instructions.size(); ++k) {
        const auto& i = program.instructions[k];
        const auto argument = [&](std::int32_t n) {
            return n < 0 ? 0 : program.values[static_cast<std::size_t>(n)];
        };
        switch (i.code) {
            case plan::opcode::constant:
                program.values[k] = i.value;
                break;
            case plan::opcode::load:
                program.values[k] =
                    element_at(program.operands[static_cast<std::size_t>(i.operand)], type_);
                break;
            default:
                program.values[k] = plan::evaluate(i.code, argument(i.first), argument(i.second),
                                                   argument(i.third));
        }
    }
    return program.values.back();
}

void execution::run() {
    for (auto& s : steps_) {
        if (s.contraction) {
            s.contraction->run(s.a, s.b, s.c, evaluate(s.alpha), s.beta);
        } else {
            s.map->run(s.bases.data());
        }
    }
}

}  // namespace ricci::runtime
