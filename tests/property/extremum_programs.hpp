// Draws programs with places of extrema, of what is computed of few numbers: many values are equal,
// and all are exact, so that rounding chooses among none.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/property/place_programs.hpp"

namespace ricci::testing {

class extremum_generator {
public:
    explicit extremum_generator(unsigned seed) : random_(seed * 2654435761u + 59) {
        p_.seed = seed;
        p_.coarse = true;
    }

    /// y, and what is read where it says, counted where it is, or both.
    place_program run() {
        for (const char letter : std::string("ijklm")) p_.extents[letter] = 1 + below(6);
        if (chance(50)) p_.extents[chance(60) ? 'j' : 'i'] = 15 + below(25);
        if (chance(20)) p_.extents['j'] = p_.extents['i'];
        place_line y{"y", chance(70) ? "i" : chance(60) ? "il" : "", "", {}};
        y.extremum = chance(50) ? "argmax" : "argmin";
        y.along = 'j';
        y.kept = chance(40);
        const unsigned terms = 1 + below(2);
        for (unsigned k = 0; k < terms; ++k) y.terms.push_back(term(y.letters, k == 0));
        add(y);
        p_.tensors["y"].below = p_.extents['j'];
        const bool used = !y.letters.empty();  // a place that is a letter is an index
        if (used && chance(60)) add(looked_up(y.letters));
        if (used && chance(50)) add(counted(y.letters));
        return std::move(p_);
    }

private:
    unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
    bool chance(unsigned percent) { return below(100) < percent; }

    void add(const place_line& line) {
        place_tensor made;
        for (const char x : line.letters) made.extents.push_back(p_.extents.at(x));
        made.defined = true;
        p_.tensors[line.left] = made;
        p_.lines.push_back(line);
    }
    place_read fresh(std::string axes) {
        if (chance(50)) axes = std::string(axes.rbegin(), axes.rend());
        place_read r{std::string(1, "ABCDEFGH"[inputs_++]), {}};
        for (const char x : axes) {
            r.places.push_back({place_kind::letter, {{{x, 1}}, 0}, {}, {}});
            p_.tensors[r.tensor].extents.push_back(p_.extents.at(x));
        }
        return r;
    }
    /// Of rows and columns, with all letters of the left where it is the first.
    place_term term(const std::string& left, bool all) {
        static const char* const signs[] = {"sum", "sum", "max", "min"};
        const std::string rows = all ? left : chance(50) ? left : "";
        place_term t;
        if (chance(30)) t.times = -1;
        const unsigned form = below(4);
        if (form == 0) {
            t.factors = {{chance(20) ? "^2" : "", {fresh(rows + "j")}, {}}};
        } else {
            t.signs.push_back({signs[below(4)], "k", {}});
            const place_read x = fresh(rows + "k"), z = fresh("jk");
            if (form == 1) t.factors = {{"", {x}, {}}, {"", {z}, {}}};
            else t.factors = {{"^2", {x, z}, {}}};
        }
        if (left.find('i') != std::string::npos && chance(25)) {
            place_condition c;
            c.left.terms = {{'j', 1}};
            c.right.terms = {{'i', 1}};
            if (chance(30)) c.right.offset = static_cast<int>(below(5)) - 2;
            c.comparison = chance(50) ? "\\le" : ">";
            t.brackets.push_back(c);
        }
        return t;
    }
    /// Rows of a tensor, mostly of one that the extremum is of.
    place_line looked_up(const std::string& axes) {
        place_read z = fresh("jm");
        for (auto& p : z.places)
            if (p.sum.terms[0].first == 'j') p = {place_kind::numbers, {}, "y", axes};
        place_term t{1, {}, {}, {{chance(30) ? "\\sin" : "", {z}, {}}}};
        if (chance(50)) t.factors.push_back({"", {fresh(axes + "m")}, {}});
        if (!chance(30)) return {"Q", axes + "m", "", {t}};
        t.signs.push_back({"sum", axes + "m", {}});
        return {"Q", "", "", {t}};
    }
    /// Sums, or counts, of what has one place.
    place_line counted(const std::string& axes) {
        place_condition c;
        c.left.terms = {{'j', 1}};
        c.comparison = chance(80) ? "=" : "\\le";
        c.numbers = "y";
        c.letters = axes;
        place_term t{1, {}, {c}, {{"", {fresh(axes + "m")}, {}}}};
        t.signs.push_back({"sum", axes, {}});
        return {"R", "jm", "", {t}};
    }

    std::mt19937 random_;
    place_program p_;
    unsigned inputs_ = 0;
};

}  // namespace ricci::testing
