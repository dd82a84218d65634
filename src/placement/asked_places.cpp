// Rows of a tensor that lies in parts, at places that numbers say: each rank asks those who have
// them for what it reads, or sends them what it has added up.
#include <algorithm>

#include "src/placement/placement.hpp"

namespace ricci::mpi {
namespace {

/// By rank, how many elements it has of a form.
std::vector<std::int64_t> elements_by_rank(workbench& bench, ir::ref form) {
    const named_form f = bench.names[static_cast<std::size_t>(form)];
    const std::vector<std::int64_t> shape = bench.text.shapes[static_cast<std::size_t>(f.tensor)];
    std::vector<std::int64_t> all(static_cast<std::size_t>(bench.sharing.ranks), 1);
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        for (std::size_t r = 0; r < all.size(); ++r)
            all[r] *= static_cast<std::int32_t>(axis) == f.part
                          ? bench.sharing.of(shape[axis]).counts[r]
                          : shape[axis];
    return all;
}

constexpr double bytes_of_a_place = 8;

}  // namespace

ir::ref placement::renumber(workbench& bench, exchange& e, const char* words, ir::ref equation,
                            double bytes) {
    const named_form f = bench.names[static_cast<std::size_t>(e.from)];
    named_form form;
    form.part = f.part;
    form.own = true;
    e.to = bench.add(f.tensor, words, form);
    add(equation, e, bytes);
    renumbered_.push_back(e);
    return e.to;
}

ir::ref placement::need_own_places(workbench& bench, ir::ref numbers, std::int64_t extent,
                                   ir::ref equation) {
    for (const exchange& e : renumbered_)
        if (e.kind == exchange_kind::own_places && e.from == numbers && e.extent == extent)
            return e.to;
    exchange e;
    e.kind = exchange_kind::own_places;
    e.from = numbers;
    e.extent = extent;
    bench.sharing.of(extent);
    return renumber(bench, e, "own places of", equation, 0);
}

exchange placement::need_asked_places(workbench& bench, ir::ref numbers, std::int64_t extent,
                                      ir::ref equation) {
    for (const exchange& e : renumbered_)
        if (e.kind == exchange_kind::asked_places && e.from == numbers && e.extent == extent)
            return e;
    exchange e;
    e.kind = exchange_kind::asked_places;
    e.from = numbers;
    e.extent = extent;
    e.most = elements_by_rank(bench, numbers);
    for (std::int64_t& places : e.most) places = std::min(places, extent);
    const auto asked = static_cast<double>(most_asked(e.most, bench.sharing.of(extent)));
    renumber(bench, e, "places of", equation, bytes_of_a_place * asked);
    return e;
}

ir::ref placement::need_rows(workbench& bench, ir::ref tensor, std::int32_t axis,
                             const exchange& asked, ir::ref equation) {
    for (const windowed& w : windowed_)
        if (w.tensor == tensor && w.made.kind == exchange_kind::rows && w.made.axis == axis &&
            w.made.places == asked.to)
            return w.made.to;
    exchange e = asked;
    e.kind = exchange_kind::rows;
    e.from = of(tensor).part(axis);
    e.axis = axis;
    e.places = asked.to;
    named_form form;
    form.window = axis;
    form.count = e.most[static_cast<std::size_t>(bench.sharing.rank)];
    e.to = bench.add(tensor, "rows of", form);
    const auto places = static_cast<double>(most_asked(e.most, bench.sharing.of(e.extent)));
    add(equation, e,
        bench.bytes_of(tensor) * places / static_cast<double>(std::max<std::int64_t>(e.extent, 1)));
    windowed_.push_back({tensor, e});
    return e.to;
}

void placement::send_sums(workbench& bench, const exchange& e, ir::ref equation) {
    const ir::ref tensor = bench.names[static_cast<std::size_t>(e.to)].tensor;
    const std::int64_t extent = bench.extent_of(tensor, e.axis);
    const distribution& parts = bench.sharing.of(extent);
    const std::int64_t most =
        e.windows != nullptr ? most_from_others(*e.windows, parts) : most_asked(e.most, parts);
    add(equation, e,
        bench.bytes_of(tensor) * static_cast<double>(most) /
            static_cast<double>(std::max<std::int64_t>(extent, 1)));
}

}  // namespace ricci::mpi
