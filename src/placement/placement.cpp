// How a tensor comes from one place to another.
#include "src/placement/placement.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "src/base/texts.hpp"

namespace ricci::mpi {

bool workbench::is_inner(ir::ref name, std::int32_t axis) const {
    const auto n = static_cast<std::size_t>(name);
    return n < inner.size() && std::find(inner[n].begin(), inner[n].end(), axis) != inner[n].end();
}

ir::ref workbench::add(ir::ref tensor, const char* words, named_form form) {
    const std::string spelling = detail::string_of(text.program.name(tensor));
    const ir::ref made = text.add_name(fmt::format("{} {}", words, spelling),
                                       text.shapes[static_cast<std::size_t>(tensor)]);
    form.tensor = tensor;
    names.resize(static_cast<std::size_t>(made) + 1);
    names.back() = form;
    return made;
}

double workbench::bytes_of(ir::ref tensor) const {
    double bytes = element_size;
    for (const std::int64_t extent : text.shapes[static_cast<std::size_t>(tensor)])
        bytes *= static_cast<double>(extent);
    return bytes;
}

void placement::add(const workbench& bench, ir::ref tensor, ir::ref equation, const exchange& e) {
    const double others = static_cast<double>(bench.sharing.ranks - 1) / bench.sharing.ranks;
    const double passes = e.kind == exchange_kind::all_reduce ? 2 : 1;
    add(equation, e, passes * others * bench.bytes_of(tensor));
}

void placement::add(ir::ref equation, const exchange& e, double bytes) {
    operation o;
    o.kind = operation_kind::exchange;
    o.equation = equation;
    o.exchange = e;
    operations.push_back(o);
    price += price_of_exchange + bytes;
}

ir::ref placement::need_neighbours(workbench& bench, ir::ref tensor, std::int32_t axis,
                                   const std::vector<window>& windows, ir::ref equation) {
    const ir::ref mine = of(tensor).part(axis);
    if (mine == ir::none || of(tensor).whole != ir::none) return ir::none;
    for (const windowed& w : windowed_)
        if (w.tensor == tensor && w.made.axis == axis && w.made.windows != nullptr &&
            *w.made.windows == windows)
            return w.made.to;
    const std::int64_t extent =
        bench.text.shapes[static_cast<std::size_t>(tensor)][static_cast<std::size_t>(axis)];
    // the rank that is sent most is what all wait for, so that all decide alike
    const std::int64_t most = most_from_others(windows, bench.sharing.of(extent));
    const double bytes = bench.bytes_of(tensor) * static_cast<double>(most) /
                         static_cast<double>(std::max<std::int64_t>(extent, 1));
    const double others = static_cast<double>(bench.sharing.ranks - 1) / bench.sharing.ranks;
    if (bytes >= others * bench.bytes_of(tensor)) return ir::none;
    named_form form;
    form.window = axis;
    form.count = windows[static_cast<std::size_t>(bench.sharing.rank)].count;
    exchange e;
    e.kind = exchange_kind::neighbours;
    e.from = mine;
    e.axis = axis;
    e.windows = std::make_shared<const std::vector<window>>(windows);
    e.to = bench.add(tensor, "neighbours' places of", form);
    add(equation, e, bytes);
    windowed_.push_back({tensor, e});
    return e.to;
}

ir::ref placement::need_whole(workbench& bench, ir::ref tensor, ir::ref equation) {
    if (of(tensor).whole != ir::none) return of(tensor).whole;
    const ir::ref made = bench.add(tensor, "all of", {});
    exchange e;
    e.from = of(tensor).partial;
    e.to = made;
    e.how = of(tensor).how;
    if (e.from == ir::none) {
        e.kind = exchange_kind::all_gather;
        while (of(tensor).part(e.axis) == ir::none) ++e.axis;
        e.from = of(tensor).part(e.axis);
    }
    add(bench, tensor, equation, e);
    return of(tensor).whole = made;
}

ir::ref placement::need_first_place(workbench& bench, ir::ref tensor, exchange pairs,
                                    ir::ref equation) {
    pairs.kind = exchange_kind::all_reduce;
    pairs.to = bench.add(tensor, "all of", {});
    const double others = static_cast<double>(bench.sharing.ranks - 1) / bench.sharing.ranks;
    const double bytes = bench.bytes_of(tensor);
    add(equation, pairs, 2 * others * (bytes + bytes / bench.element_size * bytes_of_found_place));
    return of(tensor).whole = pairs.to;
}

ir::ref placement::need_part(workbench& bench, ir::ref tensor, std::int32_t axis,
                             ir::ref equation) {
    if (const ir::ref there = of(tensor).part(axis); there != ir::none) return there;
    named_form form;
    form.part = axis;
    const ir::ref made = bench.add(tensor, "part of", form);
    if (of(tensor).whole == ir::none && of(tensor).partial != ir::none) {
        exchange e;
        e.kind = exchange_kind::reduce_scatter;
        e.from = of(tensor).partial;
        e.to = made;
        e.axis = axis;
        e.how = of(tensor).how;
        add(bench, tensor, equation, e);
    } else {
        operation o;
        o.kind = operation_kind::excerpt;
        o.equation = equation;
        const std::int64_t extent =
            bench.text.shapes[static_cast<std::size_t>(tensor)][static_cast<std::size_t>(axis)];
        o.excerpt = {need_whole(bench, tensor, equation), made, axis,
                     bench.sharing.of(extent).before(bench.sharing.rank)};
        operations.push_back(o);
    }
    of(tensor).set_part(axis, made);
    return made;
}

ir::ref placement::need_window(workbench& bench, ir::ref tensor, excerpt places, std::int64_t count,
                               ir::ref equation) {
    operation o;
    o.kind = operation_kind::excerpt;
    o.equation = equation;
    o.excerpt = places;
    o.excerpt.from = need_whole(bench, tensor, equation);
    named_form form;
    form.window = places.axis;
    form.count = count;
    o.excerpt.to = bench.add(tensor, "places of", form);
    operations.push_back(o);
    return o.excerpt.to;
}

}  // namespace ricci::mpi
