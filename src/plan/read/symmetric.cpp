#include "src/plan/read/symmetric.hpp"

#include <ricci/ir/normal.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::plan {

namespace {

bool is_same_exchanged(const ir::program_view& program, ir::ref value, ir::ref a, ir::ref b) {
    ir::program copy(program);
    ir::index_map exchanged;
    exchanged.set(a, b);
    exchanged.set(b, a);
    const ir::ref turned = ir::rename_indices(copy, value, exchanged);
    return ir::normaliser(copy).equal(value, turned);
}

}  // namespace

bool is_symmetric(const ir::program_view& program, ir::ref matrix, ir::ref row, ir::ref column) {
    const ir::node& x = program.nodes[matrix];
    if (x.kind != ir::op::tensor)
        return !ir::is_of_matrix(x) && is_same_exchanged(program, matrix, row, column);
    const ir::ref e = program.definition(x.name);
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
    return first != ir::none && second != ir::none &&
           !ir::is_of_matrix(program.nodes[definition.body]) &&
           is_same_exchanged(program, definition.body, first, second);
}

}  // namespace ricci::plan
