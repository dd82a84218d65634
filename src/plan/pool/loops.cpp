// The loops that a plan's assignments run over.
#include "src/plan/pool/loops.hpp"

#include <algorithm>
#include <utility>

#include "src/base/sorted_list.hpp"

namespace ricci::plan {

loop loop_table::of(ir::ref letter, std::int64_t extent) {
    const auto place = static_cast<std::size_t>(letter);
    if (by_letter_.size() <= place) by_letter_.resize(place + 1);
    for (loop l = by_letter_[place]; l; l = loops_[l.index()].next)
        if (this->extent(l) == extent) return l;
    const loop made = fresh(letter, extent);
    loops_.back().next = std::exchange(by_letter_[place], made);
    return made;
}

loop loop_table::fresh(ir::ref letter, std::int64_t extent) {
    loops_.push_back({letter, extent, loop::none});
    return loop(loops_.size() - 1);
}

loop loop_table::part(loop of, std::int64_t first, std::int64_t step, std::int64_t count,
                      const loop_list& others) {
    for (const auto& p : parts_)
        if (p.of == of && p.first == first && p.step == step && p.count == count &&
            !contains(others, p.made))
            return p.made;
    parts_.push_back({of, first, step, count, fresh(of, count)});
    return parts_.back().made;
}

double loop_table::size(const loop_list& loops) const {
    double product = 1;
    for (const loop l : loops) product *= static_cast<double>(extent(l));
    return product;
}

loop_list united(const loop_list& a, const loop_list& b) { return sorted::united(a, b); }
loop_list without(const loop_list& a, const loop_list& b) { return sorted::without(a, b); }
loop_list common(const loop_list& a, const loop_list& b) { return sorted::common(a, b); }
loop_list sorted(loop_list loops) {
    std::ranges::sort(loops);
    return loops;
}
void add_loop(loop_list& to, loop l) { sorted::add(to, l); }

bool contains(const loop_list& a, loop l) { return std::ranges::find(a, l) != a.end(); }

}  // namespace ricci::plan
