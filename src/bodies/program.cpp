// Programs of the machine: where the operands and the values of a body are in memory.
#include "src/bodies/program.hpp"

#include <algorithm>
#include <bit>

#include "src/bodies/generator.hpp"
#include "src/bodies/numbers.hpp"

namespace ricci::bodies {

using kernels::body_instruction;

namespace {

bool is_extremum(kernels::body_fold f) {
    return f == kernels::body_fold::larger || f == kernels::body_fold::smaller ||
           kernels::finds_first(f) || kernels::counts_ties(f);
}

/// Where everything is in the frame.
class layout {
public:
    layout(const body& what, const operand_counts& operands, int blocks,
           const machine_shape& machine, program& to)
        : body_(what), machine_(machine), made_(to) {
        take(machine.rows());
        made_.rows = take(operands.rows * machine.rows());
        blocks_ = take(blocks * machine.block());
        for (const auto& f : what.folds()) {
            made_.states.push_back(take((kernels::carries_two(f.what) ? 2 : 1) * machine.state(f)));
            made_.folds_rows = made_.folds_rows || f.over_rows;
        }
        made_.columns = take(operands.columns * machine.tile_columns);
        made_.planes = take(operands.planes * machine.plane());
    }

    std::uint32_t address(const place& p) {
        if (p.block >= 0) return blocks_ + static_cast<std::uint32_t>(p.block * machine_.block());
        if (p.leaf < 0) return 0;
        if (body_.is(p.leaf, steps::opcode::constant)) return constant(body_[p.leaf].value);
        const leaf l = body_.leaf_of(p.leaf);
        if (l.kind == leaf_kind::pair)
            return kernels::body_plane |
                   (made_.planes + static_cast<std::uint32_t>(l.number * machine_.plane()));
        return l.kind == leaf_kind::column
                   ? made_.columns + static_cast<std::uint32_t>(l.number * machine_.tile_columns)
                   : made_.rows + static_cast<std::uint32_t>(l.number * machine_.rows());
    }

    body_instruction instruction(const step& s) {
        body_instruction i;
        i.id = static_cast<std::uint32_t>(s.id);
        i.x = s.fold >= 0 ? made_.states[static_cast<std::size_t>(s.fold)] : address(s.x);
        i.y = address(s.y);
        i.z = s.apart != 0 ? static_cast<std::uint32_t>(machine_.tile_columns) : address(s.z);
        if (s.fold >= 0) {
            const body_fold& f = body_.folds()[static_cast<std::size_t>(s.fold)];
            if (kernels::carries_two(f.what)) i.z = static_cast<std::uint32_t>(machine_.state(f));
        }
        return i;
    }

private:
    // Whole lines of memory.
    std::uint32_t take(int elements) {
        const std::uint32_t at = made_.frame;
        made_.frame += (static_cast<std::uint32_t>(elements) + 15) / 16 * 16;
        return at;
    }

    std::uint32_t constant(double value) {
        for (const auto& c : made_.constants)
            if (std::bit_cast<std::uint64_t>(c.value) == std::bit_cast<std::uint64_t>(value))
                return c.at;
        made_.constants.push_back({take(machine_.rows()), value});
        return made_.constants.back().at;
    }

    const body& body_;
    const machine_shape& machine_;
    program& made_;
    std::uint32_t blocks_ = 0;
};

/// Operands of lines, each once.
class operand_list {
public:
    operand_list(const body& what, line_program& to) : body_(what), made_(to) {}

    body_instruction instruction(const step& s) {
        body_instruction i;
        i.id = static_cast<std::uint32_t>(s.id);
        i.x = number_of(s.x);
        i.y = number_of(s.y);
        return i;
    }

private:
    std::uint32_t number_of(const place& p) {
        if (p.block >= 0) return number_of({line_operand_kind::block, p.block});
        if (p.result >= 0) return number_of({line_operand_kind::result, p.result});
        if (p.leaf < 0) return 0;
        if (body_.is(p.leaf, steps::opcode::constant))
            return number_of({line_operand_kind::constant, 0, body_[p.leaf].value});
        return number_of(
            {body_.is_element(p.leaf) ? line_operand_kind::elements : line_operand_kind::number,
             body_.leaf_of(p.leaf).number});
    }

    std::uint32_t number_of(const line_operand& o) {
        auto& all = made_.operands;
        const auto same = [&](const line_operand& other) {
            return other.kind == o.kind && other.number == o.number &&
                   std::bit_cast<std::uint64_t>(other.value) ==
                       std::bit_cast<std::uint64_t>(o.value);
        };
        const auto found = std::ranges::find_if(all, same);
        const auto number = static_cast<std::uint32_t>(found - all.begin());
        if (found == all.end()) all.push_back(o);
        return number;
    }

    const body& body_;
    line_program& made_;
};

}  // namespace

program compile(const body& what, const operand_counts& operands, const machine_shape& machine) {
    program made;
    const auto [steps, blocks] = generate(what);
    layout frame(what, operands, blocks, machine, made);
    for (const step& s : steps) {
        made.code.push_back(frame.instruction(s));
        made.edge_code.push_back(made.code.back());
        if (s.fold >= 0) made.edge_code.back().id += 2 * kernels::body_folds;
    }
    made.code.emplace_back();
    made.edge_code.emplace_back();
    const auto numbers = never_nan(what);
    made.finite_code = made.code;
    bool quicker = false;
    for (std::size_t k = 0; k < steps.size(); ++k) {
        if (steps[k].fold < 0) continue;
        const body_fold& f = what.folds()[static_cast<std::size_t>(steps[k].fold)];
        if (!is_extremum(f.what) || numbers[static_cast<std::size_t>(f.value)] == 0) continue;
        made.finite_code[k].x |= kernels::body_numbers;
        quicker = true;
    }
    if (!quicker) made.finite_code.clear();
    return made;
}

line_program compile_lines(const body& what) {
    line_program made;
    const auto [steps, blocks] = generate(what);
    made.blocks = blocks;
    operand_list operands(what, made);
    for (const step& s : steps) made.code.push_back(operands.instruction(s));
    // The last result is written as a program ends.
    if (!steps.empty()) made.code.back().id = kernels::body_id::finish;
    return made;
}

}  // namespace ricci::bodies
