// Random texts whose places are more than letters: sums of letters with edges, merged letters,
// numbers of another tensor, under conditions that hide places and up to other letters.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ricci::testing {

/// A sum counts from 0 and shows a number where letters are subtracted. Without one it is a table
/// of differences, or from 0 where conditions exclude what is below.
enum class place_kind : std::uint8_t {
    letter,
    sum,
    clamp,
    wrap,
    pad,
    merged,
    numbers,
    table,
    from_zero
};

/// A sum of letters with factors and a number, also as one side of a condition.
struct letter_sum {
    std::vector<std::pair<char, int>> terms;
    int offset = 0;

    std::string text() const {
        std::string all;
        // A sum in a list begins with no minus where it can begin with its number.
        const bool falls = !terms.empty() && terms[0].second < 0 && offset > 0;
        if (falls) all = std::to_string(offset);
        for (const auto& [letter, times] : terms) {
            all += times < 0 ? "-" : (all.empty() ? "" : "+");
            if (std::abs(times) != 1) all += std::to_string(std::abs(times));
            all += letter;
        }
        if (!falls && (offset != 0 || terms.empty()))
            all += (offset >= 0 && !all.empty() ? "+" : "") + std::to_string(offset);
        return all;
    }
    bool falls() const {
        return std::any_of(terms.begin(), terms.end(), [](const auto& t) { return t.second < 0; });
    }
};
struct place {
    place_kind kind = place_kind::letter;
    letter_sum sum;       // a letter, and the letters that are merged, too
    std::string numbers;  // the tensor that says it
    std::string letters;  // where that is read

    std::string all_letters() const {
        std::string all = letters;
        for (const auto& term : sum.terms) all += term.first;
        return all;
    }
};
struct place_read {
    std::string tensor;
    std::vector<place> places;
};
struct place_term;
/// function(first - second), or of the first alone, or of a term.
struct place_factor {
    std::string function;
    std::vector<place_read> reads;
    std::vector<place_term> inner;
};
/// left comparison right; or the letter on the left beside a tensor of numbers.
struct place_condition {
    letter_sum left, right;
    std::string comparison, numbers, letters;
};
/// A sign over letters, with what it says of them below it.
struct place_sign {
    std::string name;  // sum, prod, max, min, logsumexp
    std::string over;
    std::vector<place_condition> below;
};
struct place_term {
    int times = 1;
    std::vector<place_sign> signs;  // the outermost first
    std::vector<place_condition> brackets;
    std::vector<place_factor> factors;
};
struct place_line {
    std::string left, letters, function;
    std::vector<place_term> terms;
    std::string extremum{};  // argmax, argmin: the line is one of places
    char along = 0;          // the letter that these are of
    bool kept = false;       // by a line of its own
};
struct place_tensor {
    std::vector<std::int64_t> extents;
    bool defined = false;
    bool table = false;                 // an axis of it is one of differences
    std::int64_t least = 0, below = 0;  // of whole numbers, where `below` is not `least`

    bool holds_numbers() const { return below != least; }
};

struct place_program {
    unsigned seed = 0;
    std::map<std::string, place_tensor> tensors;
    std::map<char, std::int64_t> extents;
    std::vector<place_line> lines;
    bool coarse = false;  // few numbers are drawn, which are sums of halves

    std::string text() const {
        std::string all;
        for (const auto& line : lines) {
            std::string sum;
            for (const auto& term : line.terms) sum += text_of(term, sum.empty());
            const bool places = !line.extremum.empty();
            const std::string left =
                places ? below(line.left, line.letters) : at(line.left, line.letters);
            const std::string function =
                places ? "\\operatorname{" + line.extremum + "}_" + line.along : line.function;
            all += left + " = " + (function.empty() ? sum : function + "(" + sum + ")") + "\n";
            if (line.kept) all += left + "\n";
        }
        return all;
    }
    std::string shapes() const {
        std::string all;
        for (const auto& [letter, n] : extents)
            all += std::string(1, letter) + " " + std::to_string(n) + "  ";
        for (const auto& [name, t] : tensors) {
            if (!is_read(name)) continue;
            all += name + " (";
            for (const auto n : t.extents) all += std::to_string(n) + " ";
            all += ")  ";
        }
        return all + "\n";
    }
    /// Calls f with every read of a line, and with a read for every tensor of numbers.
    template <class F>
    static void each_read(const place_line& line, const F& f) {
        const auto numbers = [&](const std::string& name, const std::string& list) {
            if (name.empty()) return;
            place_read r{name, {}};
            for (const char x : list)
                r.places.push_back({place_kind::letter, {{{x, 1}}, 0}, {}, {}});
            f(r);
        };
        const auto in = [&](const std::vector<place_condition>& all) {
            for (const auto& c : all) numbers(c.numbers, c.letters);
        };
        each_term(line.terms, [&](const place_term& term, bool) {
            for (const auto& sign : term.signs) in(sign.below);
            in(term.brackets);
            for (const auto& factor : term.factors)
                for (const auto& read : factor.reads) {
                    f(read);
                    for (const auto& p : read.places) numbers(p.numbers, p.letters);
                }
        });
    }
    /// Calls f with every term, and with those below factors, and whether a sign or a bracket
    /// stands over what they read.
    template <class F>
    static void each_term(const std::vector<place_term>& terms, const F& f, bool outer = false) {
        for (const auto& term : terms) {
            const bool hidden = outer || !term.brackets.empty() || !term.signs.empty();
            f(term, hidden);
            for (const auto& factor : term.factors) each_term(factor.inner, f, hidden);
        }
    }
    bool is_read(const std::string& name) const {
        bool found = false;
        for (const auto& line : lines)
            each_read(line, [&](const place_read& r) { found = found || r.tensor == name; });
        return found;
    }
    /// Whether the extent of a letter has to be said: some line has no plain place that says it.
    bool asks_for(char letter) const {
        return std::any_of(lines.begin(), lines.end(), [&](const place_line& line) {
            return mentions(line, letter) && !shows(line, letter);
        });
    }

    /// Whether some line has the letter.
    bool mentions(char letter) const {
        return std::any_of(lines.begin(), lines.end(),
                           [&](const place_line& line) { return mentions(line, letter); });
    }

    static std::string text_of(const place_condition& c) {
        return c.left.text() + " " + c.comparison + " " +
               (c.numbers.empty() ? c.right.text() : below(c.numbers, c.letters));
    }

private:
    static std::string at(const std::string& name, const std::string& list) {
        return list.empty() ? name : name + "^{" + list + "}";
    }
    static std::string below(const std::string& name, const std::string& list) {
        return list.empty() ? name : name + "_{" + list + "}";
    }
    static std::string text_of(const place& p) {
        switch (p.kind) {
            case place_kind::clamp:
                return "\\operatorname{clamp}(" + p.sum.text() + ")";
            case place_kind::wrap:
                return "\\operatorname{wrap}(" + p.sum.text() + ")";
            case place_kind::pad:
                return "\\operatorname{pad}(" + p.sum.text() + ")";
            case place_kind::merged: {
                std::string all;
                for (const auto& term : p.sum.terms) all += term.first;
                return "(" + all + ")";
            }
            case place_kind::numbers:
                return below(p.numbers, p.letters);
            default: {
                // In a list, 2j is the place 2 and the letter j.
                const bool bare =
                    p.kind == place_kind::sum && (p.sum.terms.size() == 1 || p.sum.falls());
                return p.sum.text() + (bare && p.sum.offset == 0 ? "+0" : "");
            }
        }
    }
    static std::string text_of(const place_read& r) {
        if (r.places.empty()) return r.tensor;
        std::string all;
        for (const auto& p : r.places) all += (all.empty() ? "" : ", ") + text_of(p);
        return r.tensor + "^{" + all + "}";
    }
    static std::string text_of(const place_term& t, bool first) {
        std::string all = t.times < 0 ? "-" : first ? "" : " + ";
        if (std::abs(t.times) != 1) all += std::to_string(std::abs(t.times)) + " \\cdot ";
        std::string end;
        for (const auto& sign : t.signs) {
            all += text_of(sign) + "(";
            const bool cases = sign.name != "sum" && !sign.below.empty();
            if (cases) all += "\\begin{cases} ";
            end = (cases ? otherwise(sign) : std::string()) + ")" + end;
        }
        bool any = false;
        for (const auto& c : t.brackets) {
            all += (any ? " [" : "[") + text_of(c) + "]";
            any = true;
        }
        for (const auto& f : t.factors) {
            std::string inside;
            for (const auto& r : f.reads) inside += (inside.empty() ? "" : " - ") + text_of(r);
            for (const auto& x : f.inner) inside += text_of(x, true);
            const bool bare = f.function.empty() && f.inner.empty() && f.reads.size() == 1;
            const char* const times = f.inner.empty() ? " " : " \\cdot ";
            all += (any ? times : "") + (bare                 ? inside
                                         : f.function == "^2" ? "(" + inside + ")^2"
                                                              : f.function + "(" + inside + ")");
            any = true;
        }
        return all + end;
    }
    /// What a sign that takes no condition says of it: nothing is the least, or the most, or 1.
    static std::string otherwise(const place_sign& s) {
        std::string all;
        for (const auto& c : s.below) all += (all.empty() ? "" : " \\land ") + text_of(c);
        const std::string nothing = s.name == "prod"  ? "1"
                                    : s.name == "min" ? "\\infty"
                                                      : "-\\infty";
        return " & \\text{if } " + all + " \\\\ " + nothing + " & \\text{otherwise} \\end{cases}";
    }
    static std::string text_of(const place_sign& s) {
        std::string list;
        for (const char x : s.over) {
            list += list.empty() ? "" : ", ";
            std::string said(1, x);
            for (const auto& c : s.below)
                if (s.name == "sum" && c.left.terms[0].first == x) said = text_of(c);
            list += said;
        }
        const bool named = s.name == "logsumexp";
        return (named ? "\\operatorname{" + s.name + "}" : "\\" + s.name) + "_{" + list + "} ";
    }
    static bool mentions(const place_line& line, char letter) {
        const auto has = [&](const std::string& all) {
            return all.find(letter) != std::string::npos;
        };
        bool found = has(line.letters) || line.along == letter;
        each_term(line.terms, [&](const place_term& term, bool) {
            for (const auto& sign : term.signs) found = found || has(sign.over);
        });
        return found;
    }
    static bool shows(const place_line& line, char letter) {
        bool found = false, summed = false;
        each_term(line.terms, [&](const place_term& term, bool hidden) {
            for (const auto& factor : term.factors)
                for (const auto& read : factor.reads)
                    for (const auto& p : read.places) {
                        const bool mine = p.all_letters().find(letter) != std::string::npos;
                        const bool plain = p.kind == place_kind::letter;
                        found = found || (mine && plain && !hidden);
                        summed = summed || (mine && !plain);
                    }
        });
        return found && !summed;
    }
};

/// The program with one thing left out, for everything that can be.
inline std::vector<place_program> simpler(const place_program& p) {
    std::vector<place_program> all;
    const auto with = [&](const auto& change) {
        place_program less = p;
        change(less);
        all.push_back(std::move(less));
    };
    const auto without = [](auto& list, std::size_t k) {
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(k));
    };
    for (std::size_t l = 0; l < p.lines.size(); ++l) {
        const auto& line = p.lines[l];
        if (p.lines.size() > 1 && (l + 1 == p.lines.size() || !p.is_read(line.left)))
            with([&](auto& x) { without(x.lines, l); });
        if (!line.function.empty()) with([&](auto& x) { x.lines[l].function.clear(); });
        for (std::size_t t = 0; t < line.terms.size(); ++t) {
            const auto& term = line.terms[t];
            if (line.terms.size() > 1) with([&](auto& x) { without(x.lines[l].terms, t); });
            if (term.times != 1) with([&](auto& x) { x.lines[l].terms[t].times = 1; });
            for (std::size_t s = 0; s < term.signs.size(); ++s) {
                if (term.signs[s].name != "sum")
                    with([&](auto& x) { x.lines[l].terms[t].signs[s].name = "sum"; });
                for (std::size_t c = 0; c < term.signs[s].below.size(); ++c)
                    with([&](auto& x) { without(x.lines[l].terms[t].signs[s].below, c); });
            }
            for (std::size_t c = 0; c < term.brackets.size(); ++c)
                with([&](auto& x) { without(x.lines[l].terms[t].brackets, c); });
            for (std::size_t f = 0; f < term.factors.size(); ++f) {
                if (term.factors.size() > 1)
                    with([&](auto& x) { without(x.lines[l].terms[t].factors, f); });
                if (!term.factors[f].function.empty())
                    with([&](auto& x) { x.lines[l].terms[t].factors[f].function.clear(); });
                for (std::size_t r = 0; r < term.factors[f].reads.size(); ++r)
                    if (term.factors[f].reads.size() > 1)
                        with([&](auto& x) { without(x.lines[l].terms[t].factors[f].reads, r); });
            }
        }
    }
    return all;
}

}  // namespace ricci::testing
