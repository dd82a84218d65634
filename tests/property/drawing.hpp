// What every part of the generator draws from: numbers, indices, and the program that is being
// made.
#pragma once

#include <algorithm>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/property/syntax.hpp"

namespace ricci::testing {

/// What the generator may use. A construct is switched off here when it is not under test.
struct constructs {
    bool smooth_only = false;  // what has a derivative everywhere
    bool extrema = true;       // \max_j and \min_j, also where that is so
    bool arithmetic = true;    // x^{i+k}, b_{i-j}
    bool merged = true;
    bool fixed = true;
    bool gathered = true;  // E^{x_i a}
    bool edges = true;     // x^{\operatorname{wrap}(i-1)}
    bool diagonals = true;
    bool deltas = true;
    bool positions = true;
    bool conditions = true;
    bool masks = true;   // -\infty under a softmax
    bool hidden = true;  // \log(i) ([i > 0] a b)
    bool written_out = true;
    bool primes = true;
    bool own_functions = true;
    bool twins = true;  // a letter with another extent in another term
    // An axis under x^{i+k} that is longer than the positions reach.
    bool longer_axes = true;
};

class drawing {
protected:
    using indices = std::vector<std::string>;

    drawing(unsigned seed, constructs allowed) : random_(seed), allowed_(allowed) {
        p_.seed = seed;
    }

    unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
    bool chance(unsigned percent) { return below(100) < percent; }
    template <class T>
    const T& pick(const std::vector<T>& from) {
        return from[below(static_cast<unsigned>(from.size()))];
    }
    double constant() {
        static const double all[] = {1, 2, 0.5, 3, 0.25, -1, -2, 1.5, -0.75, 0.125};
        return all[below(10)];
    }

    // Indices -------------------------------------------------------------------------------------

    indices fresh(const indices& scope, unsigned count) {
        indices out;
        for (int tries = 0; tries < 20 && out.size() < count; ++tries) {
            auto letter =
                std::next(p_.extents.begin(), below(static_cast<unsigned>(p_.extents.size())))
                    ->first;
            if (is_twin(letter) && chance(70)) continue;
            if (!is_twin(letter) && allowed_.primes && chance(15)) letter += "'";
            if (clashes(scope, letter) || clashes(out, letter)) continue;
            out.push_back(letter);
        }
        return out;
    }
    /// The same index, or one that is spelt alike where only one can be meant.
    static bool clashes(const indices& list, const std::string& i) {
        return std::any_of(list.begin(), list.end(), [&](const std::string& other) {
            const bool twins = is_twin(i) || is_twin(other);
            return other == i || (twins && random_program::letter_of(plain_letter(other)) ==
                                               random_program::letter_of(plain_letter(i)));
        });
    }
    static bool has(const indices& list, const std::string& i) {
        return std::find(list.begin(), list.end(), i) != list.end();
    }
    static indices joined(indices a, const indices& b) {
        for (const auto& i : b)
            if (!has(a, i)) a.push_back(i);
        return a;
    }
    indices some_of(const indices& from, unsigned percent) {
        indices out;
        for (const auto& i : from)
            if (chance(percent)) out.push_back(i);
        return out;
    }

    static std::vector<tree> two(tree a, tree b) {
        std::vector<tree> both;
        both.push_back(std::move(a));
        both.push_back(std::move(b));
        return both;
    }
    static std::vector<tree> one(tree a) {
        std::vector<tree> list;
        list.push_back(std::move(a));
        return list;
    }

    std::mt19937 random_;
    constructs allowed_;
    random_program p_;
};

}  // namespace ricci::testing
