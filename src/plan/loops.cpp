// The loops that a plan's assignments run over.
#include "src/plan/loops.hpp"

#include <algorithm>
#include <iterator>

namespace ricci::plan {

loop loop_table::of(ir::ref letter, std::int64_t extent) {
    const auto place = static_cast<std::size_t>(letter);
    if (by_letter_.size() <= place) by_letter_.resize(place + 1);
    for (const loop l : by_letter_[place])
        if (this->extent(l) == extent) return l;
    by_letter_[place].push_back(fresh(letter, extent));
    return by_letter_[place].back();
}

loop loop_table::fresh(ir::ref letter, std::int64_t extent) {
    loops_.push_back({letter, extent});
    return static_cast<loop>(loops_.size()) - 1;
}

double loop_table::size(const loop_list& loops) const {
    double product = 1;
    for (const loop l : loops) product *= static_cast<double>(extent(l));
    return product;
}

loop_list united(const loop_list& a, const loop_list& b) {
    loop_list result;
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
    return result;
}

loop_list without(const loop_list& a, const loop_list& b) {
    loop_list result;
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
    return result;
}

loop_list common(const loop_list& a, const loop_list& b) {
    loop_list result;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
    return result;
}

void add_loop(loop_list& to, loop l) {
    const auto at = std::lower_bound(to.begin(), to.end(), l);
    if (at == to.end() || *at != l) to.insert(at, l);
}

bool contains(const loop_list& a, loop l) { return std::binary_search(a.begin(), a.end(), l); }

}  // namespace ricci::plan
