// What the conditions of a term leave of a place, tried at all small places of its letters.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/property/place_programs.hpp"

namespace ricci::testing {

struct left_places {
    bool any = false;    // the conditions hold somewhere
    bool below = false;  // and the place is below 0 somewhere there
};

/// Conditions on the values of tensors say nothing.
inline left_places excluded_places(const place_term& t, const letter_sum& place,
                                   const std::string& scope_letters) {
    static constexpr std::int64_t tried = 10;
    std::vector<place_condition> all;
    const auto take = [&](const std::vector<place_condition>& some) {
        for (const auto& c : some)
            if (c.numbers.empty()) all.push_back(c);
    };
    take(t.brackets);
    for (const auto& sign : t.signs) take(sign.below);
    std::map<char, std::int64_t> at;
    const auto value = [&](const letter_sum& s) {
        std::int64_t total = s.offset;
        for (const auto& [x, times] : s.terms) total += times * at[x];
        return total;
    };
    const auto holds = [&](const place_condition& c) {
        const auto a = value(c.left), b = value(c.right);
        return c.comparison == "<"      ? a < b
               : c.comparison == "\\le" ? a <= b
               : c.comparison == ">"    ? a > b
               : c.comparison == "\\ge" ? a >= b
               : c.comparison == "\\ne" ? a != b
                                        : a == b;
    };
    left_places out;
    const std::function<void(std::size_t)> walk = [&](std::size_t k) {
        if (k < scope_letters.size()) {
            for (at[scope_letters[k]] = 0; at[scope_letters[k]] < tried; ++at[scope_letters[k]])
                walk(k + 1);
            return;
        }
        if (!std::all_of(all.begin(), all.end(), holds)) return;
        out.any = true;
        out.below = out.below || value(place) < 0;
    };
    walk(0);
    return out;
}

/// A condition, of four kinds, that excludes places below 0 of a sum of two scope_letters; with `more`
/// others as well.
inline place_condition not_below_zero(const letter_sum& sum, unsigned kind, bool more) {
    letter_sum up{{sum.terms[0]}, 0}, down{{sum.terms[1]}, 0};
    down.terms[0].second *= -1;
    if (kind == 0) return {sum, {{}, more ? 0 : -1}, more ? "\\ge" : ">", {}, {}};
    if (kind == 1) {
        down.offset = more ? 1 : 0;
        return {up, down, "\\ge", {}, {}};
    }
    if (kind == 2) {
        up.offset = more ? 1 : 0;
        return {down, up, "<", {}, {}};
    }
    return {down, up, more ? "=" : "\\le", {}, {}};
}

}  // namespace ricci::testing
