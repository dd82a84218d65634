// Sorting a short list, what is equal staying in its order.
#pragma once

#include <algorithm>

namespace ricci {

/// By insertion, in place: std::stable_sort of libstdc++ takes its memory from a function that is
/// deprecated, of which clang warns where it is called.
template <class List, class Before>
void sort_stably(List& list, const Before& before) {
    for (auto k = list.begin(); k != list.end(); ++k)
        std::rotate(std::upper_bound(list.begin(), k, *k, before), k, k + 1);
}

}  // namespace ricci
