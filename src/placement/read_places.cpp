// Which places a condition picks.
#include "src/placement/read_places.hpp"

namespace ricci::mpi {

read_place place_in(const ir::program_view& p, ir::ref n) {
    read_place read{ir::read_written_place(p, n)};
    const ir::node& x = p.nodes[n];
    if (x.kind == ir::op::apply)
        read.ends = x.detail == static_cast<std::uint8_t>(ir::function::modulo) ? beyond::ring
                                                                                : beyond::nearest;
    // of a clamped place: max(0, min(last, place))
    if (read.ends == beyond::nearest) {
        const auto is = [&](const ir::node& y, ir::function f) {
            return y.kind == ir::op::apply && y.detail == static_cast<std::uint8_t>(f) &&
                   y.children.count == 2;
        };
        const ir::node& inside = p.nodes[p.links[x.children.first + x.children.count - 1]];
        const ir::node& least = p.nodes[p.links[x.children.first]];
        if (!is(x, ir::function::maximum) || !is(inside, ir::function::minimum) ||
            least.kind != ir::op::number || least.value != 0)
            read.place.known = false;
    }
    return read;
}

std::optional<picked_place> picked_in(const ir::program_view& p, const ir::node& condition) {
    if (condition.kind != ir::op::compare ||
        condition.detail != static_cast<std::uint8_t>(ir::comparison::equal) ||
        condition.children.count != 2)
        return std::nullopt;
    for (std::int32_t k = 0; k < 2; ++k) {
        const ir::node& side = p.nodes[p.child(condition, k)];
        if (side.kind != ir::op::position) continue;
        const ir::position& at = p.at(side.positions, 0);
        if (at.kind == ir::position_kind::index)
            return picked_place{at.index, p.child(condition, 1 - k)};
    }
    return std::nullopt;
}

std::size_t count_letter(const ir::program_view& p, ir::ref root, ir::ref letter) {
    std::size_t count = 0;
    ir::for_each_node(p, root, [&](ir::ref n) {
        const ir::node& x = p.nodes[n];
        if (x.kind == ir::op::tensor || x.kind == ir::op::position || x.kind == ir::op::delta)
            for (std::int32_t k = 0; k < x.positions.count; ++k)
                count += ir::has_index(p, {x.positions.first + k, 1}, letter) ? 1 : 0;
    });
    return count;
}

}  // namespace ricci::mpi
