// Sets as sorted lists without repetitions.
#pragma once

#include <algorithm>
#include <cstddef>

#include "src/base/short_list.hpp"

namespace ricci::sorted {

/// Adds an element where it is not there.
template <class T, std::size_t Few>
void add(short_list<T, Few>& to, const T& x) {
    if (to.empty() || to.back() < x) return to.push_back(x);
    const auto at = std::lower_bound(to.begin(), to.end(), x);
    if (*at != x) to.insert(at, x);
}

template <class T, std::size_t Few>
short_list<T, Few> united(const short_list<T, Few>& a, const short_list<T, Few>& b) {
    short_list<T, Few> result = a;
    for (const T& x : b) add(result, x);
    return result;
}

/// The elements of the first that the second has, or has not.
template <class T, std::size_t Few>
short_list<T, Few> chosen(const short_list<T, Few>& of, const short_list<T, Few>& by, bool has) {
    short_list<T, Few> result;
    const T* other = by.begin();
    for (const T& x : of) {
        while (other != by.end() && *other < x) ++other;
        if ((other != by.end() && *other == x) == has) result.push_back(x);
    }
    return result;
}
template <class T, std::size_t Few>
short_list<T, Few> without(const short_list<T, Few>& a, const short_list<T, Few>& b) {
    return chosen(a, b, false);
}
template <class T, std::size_t Few>
short_list<T, Few> common(const short_list<T, Few>& a, const short_list<T, Few>& b) {
    return chosen(a, b, true);
}

}  // namespace ricci::sorted
