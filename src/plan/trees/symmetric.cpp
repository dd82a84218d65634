#include "src/plan/trees/symmetric.hpp"

#include <ricci/ir/normal.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::plan {

bool is_symmetric(const ir::program_view& program, ir::ref tensor, ir::ref row, ir::ref column) {
    const ir::node& x = program.nodes[tensor];
    const ir::ref e = x.kind == ir::op::tensor ? program.definition(x.name) : ir::none;
    if (e == ir::none) return false;
    const ir::equation& definition = program.equations[e];
    ir::ref first = ir::none, second = ir::none;  // the letters that it has there
    for (std::int32_t axis = 0; axis < x.positions.count; ++axis) {
        const ir::position& read = program.at(x.positions, axis);
        const ir::position& written = program.at(definition.positions, axis);
        if (read.kind != ir::position_kind::index || written.kind != ir::position_kind::index)
            return false;
        if (read.index == row) first = written.index;
        if (read.index == column) second = written.index;
    }
    if (first == ir::none || second == ir::none || ir::is_of_matrix(program.nodes[definition.body]))
        return false;
    ir::program copy(program);
    ir::index_map exchanged;
    exchanged.set(first, second);
    exchanged.set(second, first);
    const ir::ref turned = ir::rename_indices(copy, definition.body, exchanged);
    return ir::normaliser(copy).equal(definition.body, turned);
}

}  // namespace ricci::plan
