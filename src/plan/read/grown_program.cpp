#include "src/plan/read/grown_program.hpp"

#include <string>
#include <utility>

#include <fmt/core.h>

#include "src/plan/bind/operands.hpp"

namespace ricci::plan {

void carry_over(const ir::program_view& program, const ir::program& grown,
                const std::vector<ir::ref>& origins, const std::vector<new_index>& made,
                ir::shape_table& shapes, std::vector<slot>& slots, element type) {
    const bool floats = is_narrow(type);
    ir::shape_table wider(grown);
    for (ir::ref n = 0; n < program.names.size(); ++n)
        if (shapes.rank(n) >= 0) wider.set_shape(n, shapes.rank(n), shapes.extents(n));
    // A slot for each name, in whatever order they are defined.
    slots.resize(static_cast<std::size_t>(grown.names.size()));
    for (ir::ref e = 0; e < grown.equations.size(); ++e) {
        const ir::ref origin = origins[static_cast<std::size_t>(e)];
        for (ir::ref i = 0; i < program.indices.size(); ++i)
            wider.set_index_extent(e, i, shapes.index_extent(origin, i));
        for (const new_index& m : made) wider.set_index_extent(e, m.index, m.extent);
        const auto& q = grown.equations[e];
        if (q.name < program.names.size()) continue;
        slot& s = slots[static_cast<std::size_t>(q.name)];
        s.kind = storage::workspace;
        s.name = q.name;
        for (std::int32_t axis = 0; axis < q.positions.count; ++axis)
            s.extents.push_back(
                wider.index_extent(e, grown.positions[q.positions.first + axis].index));
        wider.set_shape(q.name, q.positions.count, s.extents.data());
        s.is_foreign = floats;
        s.own_type = element::f32;
        set_row_major(s, grown, floats ? element::f32 : type);
    }
    shapes = std::move(wider);
}

ir::ref new_name(ir::program& program) {
    for (int k = 1;; ++k) {
        const std::string spelling = fmt::format("T_{}", k);
        const detail::text_view text{spelling.data(), static_cast<std::int32_t>(spelling.size())};
        if (program.find(text) == ir::none) return program.intern_name(text);
    }
}

}  // namespace ricci::plan
