// Draws programs of places. All of them are ones that the notation takes: places stay inside of
// their axes, or conditions hide them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/property/extremum_programs.hpp"
#include "tests/property/place_origins.hpp"
#include "tests/property/place_programs.hpp"

namespace ricci::testing {

class place_generator {
public:
    explicit place_generator(unsigned seed) : random_(seed * 2654435761u + 41) { p_.seed = seed; }

    place_program run() {
        static constexpr std::int64_t few[] = {1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 7, 9};
        // They are long, so that there are few: a function of the seed leaves the others as they are.
        if (p_.seed % every_pairs == 7) return pairs();
        if (p_.seed % every_extrema == 3) return extremum_generator(p_.seed).run();
        if (chance(12)) return prefixes();
        for (const char letter : std::string("ijklm")) p_.extents[letter] = few[below(12)];
        if (chance(15)) p_.extents['i'] = 10 + below(30);
        if (chance(6)) p_.extents['j'] = 0;
        if (chance(40)) p_.extents['j'] = p_.extents['i'];
        const unsigned lines = chance(60) ? 1 : 2 + below(2);
        for (unsigned k = 0; k < lines; ++k) add_line();
        return std::move(p_);
    }

private:
    unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
    bool chance(unsigned percent) { return below(100) < percent; }
    char any(const std::string& list) { return list[below(static_cast<unsigned>(list.size()))]; }
    std::int64_t extent(char letter) const { return p_.extents.at(letter); }

    /// A sum over pairs of i and j under an inequality, in one equation or in two, with so many
    /// places that a state is worth it.
    place_program pairs() {
        static constexpr std::int64_t lengths[] = {256, 257, 270, 288};
        for (const char letter : std::string("klm")) p_.extents[letter] = 1 + below(2);
        p_.extents['i'] = lengths[below(4)];
        p_.extents['j'] = chance(40) ? lengths[below(4)] : p_.extents['i'];
        place_condition c;
        c.left.terms = {{'j', 1}};
        c.right.terms = {{'i', 1}};
        if (chance(60)) c.right.offset = static_cast<int>(below(9)) - 4;
        if (chance(20)) c.right.offset *= 30;
        c.comparison = comparison(4);
        const auto some = [&](const std::string& list) {
            place_factor f =
                plain_factor(chance(50) ? list : std::string(list.rbegin(), list.rend()));
            if (chance(20)) f.function = "\\sin";
            return f;
        };
        const place_sign over_k{"sum", "k", {}}, over_j{"sum", "j", {}}, up_to{"sum", "j", {c}};
        const place_factor rows = some("ik"), columns = some("jk"), values = some("jl");
        const place_term all{1, {up_to, over_k}, {}, {rows, columns, values}};
        if (chance(30)) return with_lines({{"P", "il", "", {all}}});
        const bool masked = chance(50);
        const bool turned = chance(30);
        place_term scores{1, {over_k}, {}, {rows, columns}};
        if (masked) scores.brackets = {c};
        place_read r{"P", {}};
        const std::string places = turned ? "ji" : "ij";
        for (const char x : places) r.places.push_back({place_kind::letter, {{{x, 1}}, 0}, {}, {}});
        const place_term sum{1, {masked ? over_j : up_to}, {}, {{"", {r}, {}}, values}};
        return with_lines({{"P", places, "", {scores}}, {"Q", "il", "", {sum}}});
    }
    place_program with_lines(std::vector<place_line> lines) {
        for (const auto& line : lines) {
            place_tensor made;
            for (const char x : line.letters) made.extents.push_back(extent(x));
            made.defined = true;
            p_.tensors[line.left] = made;
        }
        p_.lines = std::move(lines);
        return std::move(p_);
    }

    /// One fold up to an index, or from it on, of numbers of which some are the same.
    place_program prefixes() {
        static const char* const names[] = {"prod", "max", "min", "logsumexp", "logsumexp"};
        static constexpr std::int64_t lengths[] = {1, 7, 8, 9, 9, 10, 12, 20, 33};
        for (const char letter : std::string("klm")) p_.extents[letter] = 1 + below(3);
        p_.extents['j'] = lengths[below(9)];
        p_.extents['i'] = p_.extents['j'] + (chance(25) ? static_cast<int>(below(5)) - 2 : 0);
        p_.extents['i'] = std::max<std::int64_t>(1, p_.extents['i']);
        const std::string rows = chance(50) ? "k" : "";
        place_sign sign{names[below(5)], "j", {}};
        place_condition c;
        c.left.terms = {{'j', 1}};
        c.right.terms = {{'i', 1}};
        if (chance(25)) c.right.offset = static_cast<int>(below(5)) - 2;
        c.comparison = comparison(4);
        sign.below.push_back(c);
        place_term t;
        t.signs.push_back(sign);
        t.factors.push_back(plain_factor(chance(50) ? rows + "j" : "j" + rows));
        if (chance(20)) t.factors[0].function = "\\sin";
        if (chance(20)) t.factors.push_back(plain_factor(chance(50) ? "j" : rows + "j"));
        place_line line{"P", chance(50) ? rows + "i" : "i" + rows, "", {t}};
        place_tensor made;
        for (const char x : line.letters) made.extents.push_back(extent(x));
        made.defined = true;
        p_.tensors["P"] = made;
        p_.lines.push_back(line);
        if (chance(40)) {  // its sum, of which the gradient is one equation
            place_term all{1, {{"sum", "i" + rows, {}}}, {}, {}};
            place_read r{"P", {}};
            for (const char x : line.letters)
                r.places.push_back({place_kind::letter, {{{x, 1}}, 0}, {}, {}});
            all.factors = {plain_factor("i"), {chance(50) ? "\\sin" : "", {r}, {}}};
            p_.lines.push_back({"Q", "", "", {all}});
            p_.tensors["Q"] = {{}, true, 0, 0};
        }
        return std::move(p_);
    }

    void add_line() {
        place_line line;
        std::string list = "ijkl";
        std::shuffle(list.begin(), list.end(), random_);
        static constexpr unsigned ranks[] = {0, 1, 1, 1, 2, 2, 2, 3};
        line.letters = list.substr(0, ranks[below(8)]);
        const unsigned terms = chance(60) ? 1 : 2 + below(3);
        for (unsigned k = 0; k < terms; ++k) line.terms.push_back(term(line.letters, k == 0));
        if (chance(10)) line.function = "\\tanh";
        line.left = std::string(1, "PQR"[p_.lines.size()]);
        place_tensor t;
        for (const char x : line.letters) t.extents.push_back(extent(x));
        t.defined = true;
        p_.tensors[line.left] = t;
        p_.lines.push_back(std::move(line));
    }

    /// With `all`, every letter of the left has a place.
    place_term term(const std::string& left, bool all) {
        place_term t;
        if (chance(20)) t.times = static_cast<int>(below(5)) - 2;
        if (t.times == 0) t.times = -1;
        std::string rest, scope = left;
        for (const char x : std::string("ijklm"))
            if (left.find(x) == std::string::npos) rest += x;
        const unsigned bound = left.empty() || chance(60) ? 1 + below(2) : 0;
        std::string over;
        for (unsigned k = 0; k < bound; ++k) {
            over += any(rest);
            rest.erase(rest.find(over.back()), 1);
        }
        while (!over.empty()) {
            add_sign(t, chance(60) ? over : over.substr(0, 1), scope);
            scope += t.signs.back().over;
            over.erase(0, t.signs.back().over.size());
        }
        scope_ = scope;
        open_ = scope;
        brackets_.clear(), pairs_.clear();
        const unsigned factors = 1 + below(3);
        for (unsigned k = 0; k < factors || (!open_.empty() && k < 4); ++k)
            t.factors.push_back(factor());
        // What a condition binds is an index only where something is read at it.
        std::string missing, needed = all ? left : "";
        for (const auto& sign : t.signs)
            if (!sign.below.empty()) needed += sign.over;
        for (const char x : open_)
            if (needed.find(x) != std::string::npos) missing += x;
        if (!missing.empty()) t.factors.push_back(plain_factor(missing));
        if (p_.seed % 5 == 2 && plain_ < 4 && !rest.empty() && !scope.empty() && chance(50))
            add_sums_of_one_letter(t, any(rest));
        if (!scope.empty() && chance(20)) brackets_.push_back(condition());
        t.brackets = brackets_;
        for (std::size_t k = 0; k < pairs_.size(); ++k)  // a table's letters stand together
            t.factors.push_back(plain_factor(pairs_[k]));
        for (auto& f : t.factors)
            for (auto& r : f.reads)
                for (std::size_t k = 0; k < r.places.size(); ++k)
                    if (r.places[k].kind == place_kind::table) decide(t, r, k);
        return t;
    }
    /// What the conditions of the term leave of a table: all of it, its places from 0 on, or nothing,
    /// where a number keeps it one.
    void decide(const place_term& t, const place_read& r, std::size_t axis) {
        place& p = const_cast<place&>(r.places[axis]);
        const auto [any, below] = excluded_places(t, p.sum, scope_);
        if (any && below) return;
        std::int64_t middle = 0, reach = 1;
        for (const auto& [x, times] : p.sum.terms)
            (times < 0 ? middle : reach) +=
                std::abs(times) * std::max<std::int64_t>(extent(x) - 1, 0);
        p.kind = any ? place_kind::from_zero : place_kind::sum;
        if (any) p_.tensors.at(r.tensor).extents[axis] = reach;
        else p.sum.offset = static_cast<int>(middle);
    }
    /// Factors that sum over the same letter, each by itself, mostly up to the same one.
    void add_sums_of_one_letter(place_term& t, char letter) {
        static const char* const functions[] = {"", "", "", "\\sin", "^2"};
        place_condition c;
        c.left.terms = {{letter, 1}};
        c.right.terms = {{any(scope_), 1}};
        if (chance(30)) c.right.offset = static_cast<int>(below(3)) - 1;
        c.comparison = comparison(4);
        const unsigned count = chance(80) ? 2 : 1;
        for (unsigned k = 0; k < count; ++k) {
            place_term sum{1, {{"sum", std::string(1, letter), {}}}, {}, {}};
            (chance(60) ? sum.signs[0].below : sum.brackets).push_back(c);
            if (chance(20)) (chance(50) ? sum.signs[0].below : sum.brackets).clear();
            std::string list(1, letter);
            if (chance(30)) list += any(scope_);
            sum.factors = {plain_factor(list)};
            if (chance(20)) sum.factors.push_back(plain_factor(std::string(1, letter)));
            t.factors.push_back({functions[below(5)], {}, {sum}});
        }
    }
    void add_sign(place_term& t, const std::string& over, const std::string& outside) {
        static const char* const names[] = {"max", "min", "logsumexp"};
        place_sign s{chance(80) ? "sum" : names[below(3)], over, {}};
        if (!outside.empty() && (over.size() == 1 || s.name != "sum") && chance(50)) {
            place_condition c;
            c.left.terms = {{over[0], 1}};
            c.right.terms = {{any(outside), 1}};
            if (chance(25)) c.right.offset = static_cast<int>(below(5)) - 2;
            c.comparison = comparison(6);
            s.below.push_back(c);
        }
        t.signs.push_back(std::move(s));
    }
    std::string comparison(unsigned count) {
        static const char* const all[] = {"\\le", "<", "\\ge", ">", "\\le", "<", "=", "\\ne"};
        return all[below(count)];
    }
    place_condition condition() {
        place_condition c;
        c.comparison = comparison(8);
        c.left.terms = {{any(scope_), 1}};
        const std::string list = some_letters();
        if (!list.empty() && chance(25)) {
            // [v = x_i], of which some say no place
            place_tensor t;
            c.comparison = chance(80) ? "=" : comparison(8);
            c.letters = list;
            for (const char x : c.letters) t.extents.push_back(extent(x));
            t.least = chance(30) ? -1 : 0;
            t.below =
                std::max<std::int64_t>(1, extent(c.left.terms[0].first)) + (chance(30) ? 1 : 0);
            c.numbers = numbers(t);
            return c;
        }
        if (chance(30)) c.left.offset = static_cast<int>(below(5)) - 2;
        if (chance(20)) c.left.terms[0].second = 2;
        const char other = any(scope_);
        if (other != c.left.terms[0].first && chance(80)) {
            if (chance(50)) c.left.terms.push_back({other, chance(70) ? -1 : 1});
            else c.right.terms = {{other, 1}};
        }
        if (c.right.terms.empty() || chance(30)) c.right.offset = static_cast<int>(below(4));
        return c;
    }
    std::string some_letters() {
        std::string all;
        for (const char x : scope_)
            if (chance(45) && all.size() < 2) all += x;
        return all;
    }
    std::string numbers(const place_tensor& t) {
        const std::string name(1, "stuvwxyzbcfghopqr"[numbers_++ % 17]);
        p_.tensors[name] = t;
        return name;
    }

    place_factor factor() {
        static const char* const functions[] = {"\\tanh", "\\sin", "^2", "\\exp"};
        place_factor f;
        f.reads.push_back(read());
        // Mostly the same tensor a place further.
        const std::string& same = f.reads[0].tensor;
        if (chance(15))
            f.reads.push_back(read(chance(70) && !p_.tensors.at(same).table ? same : ""));
        if (chance(20)) f.function = functions[below(4)];
        return f;
    }
    place_factor plain_factor(const std::string& list) {
        place_tensor t;
        place_read r{std::string(1, "YZSTKMNO"[plain_++ % 8]), {}};
        for (const char x : list) {
            r.places.push_back({place_kind::letter, {{{x, 1}}, 0}, {}, {}});
            t.extents.push_back(extent(x));
        }
        p_.tensors[r.tensor] = t;
        return {{}, {r}, {}};
    }
    place_read read(std::string tensor = {}) {
        std::vector<std::string> known;
        for (const auto& [name, t] : p_.tensors)
            if (!t.holds_numbers() && !t.table && (t.defined || chance(50))) known.push_back(name);
        if (tensor.empty() && !known.empty() && chance(50))
            tensor = known[below(static_cast<unsigned>(known.size()))];
        if (tensor.empty() && inputs_ == 12) tensor = "A";
        place_read r{tensor, {}};
        if (tensor.empty()) {
            r.tensor = std::string(1, "ABCDEFGHUVWX"[inputs_++]);
            place_tensor t;
            static constexpr unsigned ranks[] = {1, 1, 1, 2, 2, 2, 3, 4};
            const unsigned rank = scope_.empty() ? below(2) : ranks[below(8)];
            for (unsigned k = 0; k < rank; ++k) {
                r.places.push_back(drawn_place(-1));
                t.extents.push_back(fresh_);
                t.table = t.table || r.places.back().kind == place_kind::table;
            }
            p_.tensors[r.tensor] = t;
        } else {
            for (const auto n : p_.tensors.at(tensor).extents) r.places.push_back(drawn_place(n));
        }
        return r;
    }
    /// A place of an axis of that length; of a new axis, whose length is then `fresh_`, where it is
    /// negative.
    place drawn_place(std::int64_t length) {
        for (int tries = 0; tries < 30; ++tries) {
            place p = some_place(length);
            if (length >= 0 && fresh_ != length) continue;
            for (const char x : p.all_letters()) std::erase(open_, x);
            if (!pending_.empty())
                brackets_.insert(brackets_.end(), pending_.begin(), pending_.end());
            if (!p.numbers.empty()) p.numbers = numbers(numbers_made_);
            for (auto& c : pending_numbers_) c.numbers = p.numbers;
            if (p.kind == place_kind::table) pairs_.push_back(p.all_letters());
            brackets_.insert(brackets_.end(), pending_numbers_.begin(), pending_numbers_.end());
            return p;
        }
        return {place_kind::pad, {{}, static_cast<int>(below(3))}, {}, {}};  // fits all axes
    }
    char letter() {
        if (!open_.empty() && chance(70)) return any(open_);
        return any(scope_);
    }
    place some_place(std::int64_t length) {
        pending_.clear(), pending_numbers_.clear();
        place p;
        if (scope_.empty()) return edged(length);
        const unsigned which = below(100);
        if (which < 40) {
            p.sum.terms = {{letter(), 1}};
            fresh_ = extent(p.sum.terms[0].first);
        } else if (which < 58) {
            return summed(length);
        } else if (which < 82) {
            return edged(length);
        } else if (which < 88) {
            const char a = letter(), b = any(scope_);
            if (a == b) return edged(length);
            p.kind = place_kind::merged;
            p.sum.terms = {{a, 1}, {b, 1}};
            fresh_ = extent(a) * extent(b);
        } else {
            return said(length);
        }
        return p;
    }
    place summed(std::int64_t length) {
        place p;
        p.kind = place_kind::sum;
        static constexpr int times[] = {1, 1, 1, 2, 2, 3, -1, -2};
        const char a = letter(), b = any(scope_);
        p.sum.terms = {{a, times[below(8)]}};
        if (a != b && chance(45)) p.sum.terms.push_back({b, times[below(8)]});
        if (p.sum.terms[0].second < 0) {
            if (p.sum.terms.size() > 1) std::swap(p.sum.terms[0], p.sum.terms[1]);
        }
        const bool falls = p.sum.falls();
        if (falls && p.sum.terms.size() == 2 && p.sum.terms[0].second > 0 && length < 0 &&
            chance(60))
            return difference(p);
        if (chance(60) || (p.sum.terms.size() == 1 && p.sum.terms[0].second == 1))
            p.sum.offset = 1 + static_cast<int>(below(3));
        if (falls && chance(60)) p.sum.offset = static_cast<int>(below(2));
        if (chance(35)) return hidden(p, length);
        std::int64_t reach = 1, most = 0;
        for (const auto& [x, n] : p.sum.terms)
            (n < 0 ? most : reach) += std::abs(n) * std::max<std::int64_t>(extent(x) - 1, 0);
        p.sum.offset += static_cast<int>(most);
        reach += p.sum.offset;
        fresh_ = length < 0 ? reach + (chance(20) ? 1 : 0) : length >= reach ? length : -1;
        return p;
    }
    /// Letters that are subtracted without a number: a table, or from 0 on under a condition.
    place difference(place p) {
        const auto [a, up] = p.sum.terms[0];
        const auto [b, down] = p.sum.terms[1];
        fresh_ = 1 + up * std::max<std::int64_t>(extent(a) - 1, 0);
        if (chance(50)) {
            p.kind = place_kind::table;
            fresh_ -= down * std::max<std::int64_t>(extent(b) - 1, 0);
            return p;
        }
        p.kind = place_kind::from_zero;
        pending_.push_back(not_below_zero(p.sum, below(4), chance(40)));
        return p;
    }
    /// The same with conditions that leave out what lies outside, at either end or at both.
    place hidden(place p, std::int64_t length) {
        if (chance(70)) p.sum.offset = -1 - static_cast<int>(below(3));
        fresh_ = length < 0 ? 1 + below(7) : length;
        letter_sum own = p.sum;
        const int offset = own.offset;
        const bool moved = chance(60);
        if (moved) own.offset = 0;
        const int by = moved ? offset : 0;
        if (p.sum.offset < 0 || p.sum.falls()) pending_.push_back({own, {{}, -by}, "\\ge", {}, {}});
        const auto end = static_cast<int>(fresh_) - by;
        pending_.push_back({own, {{}, chance(50) ? end : end - 1}, "<", {}, {}});
        if (pending_.back().right.offset == end - 1 && chance(50))
            pending_.back().comparison = "\\le";
        return p;
    }
    place edged(std::int64_t length) {
        static constexpr place_kind kinds[] = {place_kind::clamp, place_kind::wrap,
                                               place_kind::pad};
        static constexpr int times[] = {1, 1, 1, 1, 2, -1, -2, 3};
        place p;
        p.kind = kinds[below(3)];
        p.sum.offset = static_cast<int>(below(7)) - 3;
        fresh_ = length < 0 ? 1 + below(6) : length;
        if (!scope_.empty()) {
            const char a = letter(), b = any(scope_);
            p.sum.terms = {{a, times[below(8)]}};
            if (length < 0 && chance(60)) fresh_ = extent(a);
            if (a != b && chance(35)) p.sum.terms.push_back({b, times[below(8)]});
        }
        if (fresh_ == 0) p.kind = place_kind::pad;
        return p;
    }
    place said(std::int64_t length) {
        place p;
        p.kind = place_kind::numbers;
        p.letters = some_letters();
        p.numbers = "?";
        fresh_ = length < 0 ? 1 + below(6) : length;
        if (fresh_ == 0 || p.letters.empty()) return edged(length);
        numbers_made_ = {};
        for (const char x : p.letters) numbers_made_.extents.push_back(extent(x));
        numbers_made_.below = fresh_;
        if (chance(15)) {
            numbers_made_.least = -1;
            pending_numbers_.push_back({{{}, 0}, {}, "\\le", "?", p.letters});
        }
        return p;
    }

    static constexpr unsigned every_pairs = 100, every_extrema = 10;

    std::mt19937 random_;
    place_program p_;
    std::string scope_, open_;  // the letters of a term, and those that no place has yet
    std::vector<place_condition> brackets_, pending_, pending_numbers_;
    std::vector<std::string> pairs_;  // the letters of the term's tables
    std::int64_t fresh_ = 0;
    place_tensor numbers_made_;
    unsigned inputs_ = 0, numbers_ = 0, plain_ = 0;
};

}  // namespace ricci::testing
