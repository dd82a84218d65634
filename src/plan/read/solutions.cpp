#include "src/plan/read/solutions.hpp"

#include <ricci/ir/solutions.hpp>
#include "src/plan/read/grown_program.hpp"
#include "src/plan/trees/cofactors.hpp"

namespace ricci::plan {

std::optional<ir::program> write_solutions(const ir::program_view& program, ir::shape_table& shapes,
                                           std::vector<slot>& slots, element type) {
    if (!ir::has_inverse(program)) return std::nullopt;
    ir::program made(program);
    write_cofactors(made);
    std::vector<ir::ref> origins;
    for (ir::ref e = 0; e < made.equations.size(); ++e) {
        ir::equation& q = made.equations[e];
        if (ir::computes(program, q)) q.body = ir::solution_writer(made, false).write(q.body);
        origins.push_back(e);
    }
    carry_over(program, made, origins, {}, shapes, slots, type);
    return made;
}

}  // namespace ricci::plan
