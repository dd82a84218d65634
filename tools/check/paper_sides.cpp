// Looks at sides, spelt and as they are written.
#include "check/paper_sides.hpp"

#include <set>
#include <string_view>

#include "check/check_claims.hpp"
#include "papers/paper_indices.hpp"
#include "papers/paper_words.hpp"

namespace ricci::papers {

std::string why_no_equation(const statement& s) {
    for (const token& t : s.sides.front())
        if (const std::string_view why = why_prose(t.text); !why.empty() && !t.is("\\partial"))
            return "no equation: " + std::string(why);
    return "no equation: nothing is said to be equal";
}

std::string why_other(const std::string& sign) {
    if (sign == "\\to" || sign == "\\rightarrow" || sign == "\\mapsto" ||
        sign == "\\longrightarrow")
        return "says what becomes what";
    if (sign == "\\leftarrow" || sign == "\\gets") return "an update of a value, and no equation";
    if (sign == "\\in" || sign == "\\subset" || sign == "\\subseteq")
        return "says where something lives";
    if (sign == "\\propto") return "a proportion, whose factor is not said";
    if (sign == "\\sim") return "says how something is distributed, or how it grows";
    return "a comparison, which computes nothing";
}

std::string source_of(const statement& s) {
    std::string out = spelled(s.sides[0]);
    for (std::size_t k = 0; k < s.signs.size(); ++k)
        out += " " + s.signs[k] + " " + spelled(s.sides[k + 1]);
    return out;
}

std::string letter_to_read_anew(const reading& r, const spelling_context& context) {
    if (r.ok()) return {};
    static const std::set<std::string> indices = {"i", "j", "k", "l",    "m",
                                                  "a", "b", "c", "\\mu", "\\nu"};
    static const std::set<std::string> always = {"i", "j", "k", "\\mu", "\\nu"};
    if (r.what == reading::trouble::rank) {  // v_{x} beside v, r^{n} beside r
        const std::size_t open = r.marked.find('{');
        const bool script = open != std::string::npos && open > 0 &&
                            (r.marked[open - 1] == '_' || r.marked[open - 1] == '^') &&
                            r.marked.find('}', open) + 1 == r.marked.size();
        const std::string inside =
            script ? r.marked.substr(open + 1, r.marked.size() - open - 2) : std::string();
        const bool one = inside.size() == 1 || (inside.size() > 1 && inside[0] == '\\' &&
                                                inside.find_first_of(" _^{") == std::string::npos);
        if (one && !indices.count(inside)) return inside;
        const std::string name = r.words.substr(0, r.words.find(' '));
        const bool bare = r.words.find(" 0 ind") != std::string::npos &&
                          r.words.find(" has ") != std::string::npos;
        return bare && name.size() == 1 && name[0] >= 'A' && name[0] <= 'Z' ? "bare:" + name
                                                                            : std::string();
    }
    const std::string key = "the index ";
    if (r.words.rfind(key, 0) != 0) return {};
    const std::string letter =
        r.words.substr(key.size(), r.words.find(' ', key.size()) - key.size());
    if (r.words.find(" stands on the left and nowhere on the right") == key.size() + letter.size())
        return always.count(letter) ? std::string() : letter;
    if (r.what != reading::trouble::index_once) return {};
    const std::string missing = " is missing on the right";  // and o of the left is missing
    if (const std::size_t at = r.words.find(missing); at != std::string::npos) {
        const std::size_t and_at = r.words.rfind("and ", at);
        const std::string other =
            and_at == std::string::npos
                ? std::string()
                : r.words.substr(and_at + 4, r.words.find(' ', and_at + 4) - and_at - 4);
        if (!other.empty() && !indices.count(other) && other.find(' ') == std::string::npos)
            return other;
    }
    // beside other labels it is one too
    if (!context.labels.empty() && context.indices.size() <= 1) return letter;
    return indices.count(letter) ? std::string() : letter;
}

bool is_derivative(const std::string& text) {
    if (text.rfind("\\frac{\\partial", 0) != 0) return false;
    int depth = 0, groups = 0;
    for (std::size_t k = 0; k < text.size(); ++k) {
        if (text[k] == '{') ++depth;
        if (text[k] == '}' && --depth == 0 && ++groups == 2) return k + 1 == text.size();
    }
    return false;
}

std::string made_from(const std::vector<used_name>& uses) {
    std::string out;
    for (std::size_t k = 0; k < uses.size() && k < 8; ++k)
        out += (k == 0 ? ", from " : k + 1 == uses.size() ? " and " : ", ") + uses[k].name;
    return out;
}

spelling_context context_of(const statement& s, const symbols& names) {
    spelling_context context;
    context.names = &names;
    for (const tokens& side : s.sides)
        for (std::string& i : index_letters(side))
            if (!names.exponents.count(i)) context.indices.insert(std::move(i));
    return context;
}

bool stands_again(const statement& s) {
    const std::string left = name_at(s.sides[0].begin(), s.sides[0].end()).key;
    for (std::size_t k = 1; k < s.sides.size() && !left.empty(); ++k)
        for (auto t = s.sides[k].begin(); t != s.sides[k].end();
             t = behind_words(t, s.sides[k].end()))
            if (name_at(t, s.sides[k].end()).key == left) return true;
    return false;
}

bool is_power(const tokens& side) {
    const written_name n = name_at(side.begin(), side.end());
    return !n.key.empty() && !n.indexed && n.end == side.end();
}

bool is_plain_number(const std::string& text) {
    return text.find_first_not_of("0123456789.-+ ") == std::string::npos;
}

bool is_of_cycles(const statement& s) {
    bool several = false, any = false;
    for (const tokens& side : s.sides) {
        int groups = 0;
        for (auto t = side.begin(); t != side.end(); ++groups) {
            if (!t->is("(")) return false;
            std::string digits;
            for (++t; t != side.end() && t->kind == token_kind::number; ++t) digits += t->text;
            if (t == side.end() || !t->is(")") || digits.empty()) return false;
            if (std::set<char>(digits.begin(), digits.end()).size() != digits.size()) return false;
            any = any || digits.size() > 1;
            ++t;
        }
        several = several || groups > 1;
    }
    return any && several;
}

bool has_steps(const statement& s) {
    for (const tokens& side : s.sides)
        for (auto t = side.begin(); t != side.end(); ++t)
            if (t->kind == token_kind::down || t->kind == token_kind::up)
                for (const token& u : argument_at(std::next(t), side.end()))
                    if (u.is("+") || u.is("-")) return true;
    return false;
}

bool beyond_notation(const std::string& words) {
    for (const char* part : {"a sum to a name runs over", "positions count from", "a sum runs from",
                             "of its places only", "no axis begins there", "a sum from"})
        if (words.find(part) != std::string::npos) return true;
    return false;
}

std::string arguments_of(const tokens& left) {
    const written_name n = left.empty() ? written_name{} : name_at(left.begin(), left.end());
    if (n.key.empty() || n.end == left.end() || !n.end->is("(")) return {};
    std::string out;
    for (auto t = n.end; t != left.end(); ++t) out += t->text;
    return out;
}

}  // namespace ricci::papers
