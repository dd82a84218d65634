#include "src/plan/read/grown_program.hpp"

#include <utility>

namespace ricci::plan {

void carry_over(const ir::program_view& program, const ir::program& grown,
                const std::vector<new_index>& made, ir::shape_table& shapes) {
    ir::shape_table wider(grown);
    for (ir::ref n = 0; n < program.names.size(); ++n)
        if (shapes.rank(n) >= 0) wider.set_shape(n, shapes.rank(n), shapes.extents(n));
    for (ir::ref e = 0; e < grown.equations.size(); ++e) {
        for (ir::ref i = 0; i < program.indices.size(); ++i)
            wider.set_index_extent(e, i, shapes.index_extent(e, i));
        for (const new_index& m : made) wider.set_index_extent(e, m.index, m.extent);
    }
    shapes = std::move(wider);
}

}  // namespace ricci::plan
