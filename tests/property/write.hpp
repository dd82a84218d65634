// Random programs as text, in any of the ways that the notation allows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "tests/property/tables.hpp"

namespace ricci::testing {

struct with_all_sums {};

class writer {
public:
    /// A condition that starts with \text{abs}(...) may stand without \text{if} before it.
    static constexpr bool words_open_conditions = true;

    explicit writer(const random_program& p) : p_(p), tables_(p), heights_(heights_of(p.seed)) {}
    /// Writes all sums out, so that heights mean nothing.
    writer(const random_program& p, with_all_sums) : p_(p), tables_(p), heights_(heights::free) {}

    std::string text() {
        std::string out;
        for (const auto& e : p_.equations) mark_own(e.body);
        if (square_plus_) out += "\\phi(u) = u^2 + u\n";
        if (mixed_) out += "\\psi(u, w) = u w - \\frac{u}{2}\n";
        for (const auto& e : p_.equations) {
            std::string right;
            term_ = &e.body;
            if (e.body.kind != ir::op::add) right = product(e.body);
            else
                for (std::size_t k = 0; k < e.body.children.size(); ++k) {
                    term_ = &e.body.children[k];
                    append_term(right, term(e.body, k));
                }
            out += name_with_scripts(p_.tensors[e.tensor], e.left, e.style) + " = " + right;
            out += e.style % 5 == 4 ? ";\n" : "\n";
        }
        out.erase(std::remove(out.begin(), out.end(), twin_mark), out.end());
        return out;
    }

private:
    /// How a text avoids that heights tell tensors apart, or mean two things: its sums are all
    /// written out; or each name has one pattern of heights; or implied sums have one height each.
    enum class heights { free, by_name, by_sum };
    static heights heights_of(unsigned seed) {
        return static_cast<heights>(seed * 2654435761u >> 7 & 3u ? (seed * 2654435761u >> 9) % 2 + 1
                                                                 : 0);
    }
    void mark_own(const tree& t) {
        square_plus_ = square_plus_ || t.own == own_function::square_plus;
        mixed_ = mixed_ || t.own == own_function::mixed;
        for (const auto& child : t.children) mark_own(child);
    }
    std::string sum(const tree& t) {
        if (t.kind != ir::op::add) return product(t);
        std::string out;
        for (std::size_t k = 0; k < t.children.size(); ++k) append_term(out, term(t, k));
        return out;
    }
    /// A sum at a term's end is closed: a term behind it may sum over the same letters by itself.
    std::string term(const tree& terms, std::size_t k) {
        const std::string bare = product(terms.children[k]);
        const tree* last = &terms.children[k];
        while (last->kind == ir::op::multiply) last = &last->children.back();
        const bool open = is_sum(*last) && k + 1 < terms.children.size();
        return open && bare.find("\\sum") != std::string::npos ? "(" + bare + ")" : bare;
    }
    static void append_term(std::string& out, const std::string& term) {
        if (out.empty()) out = term;
        else out += term[0] == '-' ? " - " + term.substr(1) : " + " + term;
    }
    static bool is_sum(const tree& t) {
        return binds(t) && t.detail == static_cast<std::uint8_t>(ir::reduction::sum);
    }
    /// The reader has to find this sum by itself: each index in two factors, and nowhere else, and
    /// in no factor twice, which could then have a sum of its own.
    bool implied(const tree& t) const {
        if (heights_ == heights::free) return false;
        const tree& body = t.children[0];
        for (const auto& i : t.indices) {
            int holders = 0;
            if (body.kind == ir::op::tensor && body.children.empty()) holders = mentions(body, i);
            if (body.kind == ir::op::multiply || body.kind == ir::op::divide)
                for (const auto& child : body.children) {
                    holders += free_letters(child).count(i) > 0;
                    if (repeats(child, i)) return false;
                }
            unsigned seen = 0;
            see_heights(body, i, seen);
            if (heights_ == heights::by_sum && seen == 3) return false;
            // An index that stands only as a number would be taken for the name of a scalar.
            if (has_twin(*term_, i)) return false;
            if (holders < 2 || !at_axis(body, i) || at_axis(body, i, true) ||
                mentions(*term_, i) != mentions(body, i) + 1 || bound_in(body, i))
                return false;
        }
        return true;
    }
    /// Whether a product, or the arguments of a function, hold the index twice.
    static bool repeats(const tree& t, const std::string& i) {
        if (t.kind == ir::op::add)
            return std::any_of(t.children.begin(), t.children.end(),
                               [&](const tree& child) { return repeats(child, i); });
        int holders = mentions_here(t, i);
        for (const auto& child : t.children) {
            if (repeats(child, i)) return true;
            holders += mentions(child, i) > 0;
        }
        return holders > 1;
    }
    static int mentions_here(const tree& t, const std::string& i) {
        int count = 0;
        for (const auto& a : t.axes)
            for (const auto& term : a.terms) count += term.first == i;
        return count;
    }
    /// Adds 1 for a place of the index above, and 2 for one below.
    void see_heights(const tree& t, const std::string& i, unsigned& seen) const {
        for (std::size_t k = 0; k < t.axes.size(); ++k)
            for (const auto& term : t.axes[k].terms)
                if (term.first == i) seen |= is_above(t, k) ? 1u : 2u;
        for (const auto& child : t.children) see_heights(child, i, seen);
    }
    bool is_above(const tree& t, std::size_t k) const {
        if (t.kind == ir::op::delta) return t.style % 2 != 0;
        const declaration& d = p_.tensors[t.tensor];
        const placing at = placing_of(d, t.axes, t.style);
        return at == placing::above || (at == placing::both && k + 1 == t.axes.size());
    }
    /// Whether another index is written like this one.
    static bool has_twin(const tree& t, const std::string& i) {
        const std::string letter = plain_letter(i);
        return is_twin(i) ? mentions(t, letter) > 0 : mentions(t, letter + twin_mark) > 0;
    }
    /// `edges`: at one with an edge.
    static bool at_axis(const tree& t, const std::string& i, bool edges = false) {
        for (const auto& a : t.axes)
            for (const auto& term : a.terms)
                if (term.first == i && (!edges || a.beyond != edge::none)) return true;
        return std::any_of(t.children.begin(), t.children.end(),
                           [&](const tree& child) { return at_axis(child, i, edges); });
    }
    static bool bound_in(const tree& t, const std::string& i) {
        if (binds(t) && std::count(t.indices.begin(), t.indices.end(), i) > 0) return true;
        return std::any_of(t.children.begin(), t.children.end(),
                           [&](const tree& child) { return bound_in(child, i); });
    }
    std::string list(const std::vector<std::string>& indices) const {
        std::string out;
        for (const auto& i : indices) out += (out.empty() ? "" : ",") + i;
        return "{" + out + "}";
    }
    std::string sum_sign(const tree& t) {
        if (t.style % 3 != 0 && implied(t)) return "";
        if (t.indices.size() == 1 && t.indices[0].size() == 1 && t.style % 4 == 1)
            return "\\sum_" + t.indices[0] + " ";
        return "\\sum_" + list(t.indices) + " ";
    }
    std::string product(const tree& t) {
        if (is_sum(t)) {
            const std::string sign = sum_sign(t), body = product(t.children[0]);
            return sign.empty() || body[0] != '-' ? sign + body : sign + "(" + body + ")";
        }
        if (t.kind == ir::op::add) return "(" + sum(t) + ")";
        if (t.kind == ir::op::number) return number_text(t.value);
        if (t.kind != ir::op::multiply) return factor(t, true);
        std::string out;
        static const char* const times[] = {" ",   " ",         " \\cdot ", " \\odot ",
                                            " * ", " \\times ", " \\, "};
        for (std::size_t k = 0; k < t.children.size(); ++k) {
            const bool last = k + 1 == t.children.size();
            if (k == 0 && t.children[k].kind == ir::op::number && t.children[k].value == -1 &&
                !last) {
                out = "-";
                continue;
            }
            const std::string next = factor(t.children[k], last);
            if (k > 0 && out != "-")
                out += t.children[k].kind == ir::op::number ||
                               next.find_first_of("0123456789") == 0 ||
                               (t.children[k - 1].kind == ir::op::number &&
                                next.compare(0, 6, "\\frac{") == 0) ||  // a mixed number
                               is_call(t.children[k - 1], next)
                           ? " \\cdot "
                           : times[t.style % 7];
            out += next;
        }
        return out;
    }
    /// `last`: nothing follows in the product, so a sum sign may stand bare.
    std::string factor(const tree& t, bool last) {
        switch (t.kind) {
            case ir::op::imaginary_unit:
                return "\\mathrm{i}";
            case ir::op::call:
                break;
            case ir::op::number:
                return t.value < 0 ? "(" + number_text(t.value) + ")" : number_text(t.value);
            case ir::op::tensor:
                return name_with_scripts(p_.tensors[t.tensor], t.axes, t.style, t.children);
            case ir::op::delta: {
                const std::string i = t.axes[0].terms[0].first, j = t.axes[1].terms[0].first;
                return t.style % 2 ? "\\delta^{" + i + " " + j + "}"
                                   : "\\delta_{" + i + " " + j + "}";
            }
            case ir::op::position:
                return t.indices[0];
            case ir::op::add:
                return t.style % 3 == 1 ? "\\left(" + sum(t) + "\\right)" : "(" + sum(t) + ")";
            case ir::op::multiply:
                return "(" + product(t) + ")";
            case ir::op::divide:
                if (t.children[1].value == ir::some_place)
                    return below_condition("\\operatorname{mean}", t.children[1],
                                           t.children[1].children[0],
                                           t.children[0].children[0].children[1]);
                if (t.style % 4 == 1)
                    return "(" + factor(t.children[0], false) + " / " +
                           factor(t.children[1], false) + ")";
                return "\\frac{" + sum(t.children[0]) + "}{" + sum(t.children[1]) + "}";
            case ir::op::power:
                return power(t);
            case ir::op::apply:
                return apply(t, last);
            case ir::op::reduce:
                if (is_sum(t)) {
                    const std::string bare = product(t);
                    return last && t.style % 2 && bare[0] != '-' ? bare : "(" + bare + ")";
                }
                return reduction(t);
            case ir::op::compare:
                return "[" + condition(t) + "]";
            case ir::op::choose:
                return cases(t);
        }
        return "";
    }
    std::string power(const tree& t) {
        const tree& base = t.children[0];
        const tree& exponent = t.children[1];
        const bool bare = base.kind == ir::op::number && base.value >= 0;
        const std::string below = bare ? number_text(base.value) : "(" + sum(base) + ")";
        const bool digit = exponent.kind == ir::op::number && exponent.value >= 0 &&
                           exponent.value < 10 && exponent.value == std::floor(exponent.value);
        if (digit && t.style % 2) return below + "^" + number_text(exponent.value);
        return below + "^{" + sum(exponent) + "}";
    }
    /// `last`: nothing follows in the product, so the argument may stand bare.
    std::string apply(const tree& t, bool last) {
        const std::string inside = sum(t.children[0]);
        if (t.own == own_function::square_plus) return "\\phi(" + inside + ")";
        if (t.own == own_function::mixed)
            return "\\psi(" + inside + ", " + sum(t.children[1]) + ")";
        const bool plain = last && t.children[0].kind == ir::op::tensor && t.style % 5 == 1;
        const std::string argument = plain ? " " + inside : "(" + inside + ")";
        const auto word = [&](const std::string& w) {
            const std::string open = t.style % 3 == 0   ? "\\operatorname{"
                                     : t.style % 3 == 1 ? "\\text{"
                                                        : "";
            return open.empty() ? w + "(" + inside + ")" : open + w + "}(" + inside + ")";
        };
        const auto f = static_cast<ir::function>(t.detail);
        const ir::function_entry& entry = ir::entry_of(f);
        const std::string name(entry.word.data, static_cast<std::size_t>(entry.word.size));
        switch (f) {
            case ir::function::exp:
                return t.style % 3 == 0 ? "e^{" + inside + "}" : "\\exp" + argument;
            case ir::function::log:
                return (t.style % 3 == 0 ? "\\ln" : "\\log") + argument;
            case ir::function::sqrt:
                return "\\sqrt{" + inside + "}";
            case ir::function::absolute:
                return t.style % 2 && inside.find('|') == std::string::npos ? "|" + inside + "|"
                                                                            : word("abs");
            case ir::function::sigmoid:
                return t.style % 2 ? "\\sigma(" + inside + ")" : word("sigmoid");
            case ir::function::modulo:
                return "(" + factor(t.children[0], false) + " \\bmod " +
                       factor(t.children[1], false) + ")";
            case ir::function::logical_not:
                return "[" + condition(t) + "]";
            default:
                break;
        }
        if (entry.arguments == 2)
            return "\\" + name + "(" + inside + ", " + sum(t.children[1]) + ")";
        return entry.form == ir::function_form::command ? "\\" + name + argument : word(name);
    }
    std::string reduction(const tree& t) {
        static const char* const words[] = {"", "mean", "max", "min", "softmax", "logsumexp"};
        if (t.detail == static_cast<std::uint8_t>(ir::reduction::product))
            return "(\\prod_" + list(t.indices) + " (" + sum(t.children[0]) + "))";
        const std::string w = words[t.detail];
        const bool command = w == "max" || w == "min";
        std::string out = command && t.style % 2 ? "\\" + w
                          : t.style % 3 == 1     ? "\\text{" + w + "}"
                                                 : "\\operatorname{" + w + "}";
        const tree& body = t.children[0];
        const double rest = w == "min" ? HUGE_VAL : -HUGE_VAL;
        if (t.style % 5 < 3 && w != "mean" && body.kind == ir::op::choose &&
            body.children.size() == 3 && body.children[2].kind == ir::op::number &&
            body.children[2].value == rest)
            return below_condition(out, t, body.children[1], body.children[0]);
        return out + "_" + list(t.indices) + "(" + sum(body) + ")";
    }
    /// \max_{j : j \le i}(x^j)
    std::string below_condition(const std::string& word, const tree& sign, const tree& holds,
                                const tree& body) {
        std::string out = word + "_{";
        for (const auto& i : sign.indices) out += i + ' ';
        return out + ": " + condition(holds) + "}(" + sum(body) + ")";
    }
    std::string condition(const tree& t) {
        if (t.kind == ir::op::apply &&
            t.detail == static_cast<std::uint8_t>(ir::function::logical_not))
            return "\\lnot [" + condition(t.children[0]) + "]";
        if (t.kind != ir::op::compare) return sum(t) + " \\ne 0";
        const tree &a = t.children[0], &b = t.children[1];
        switch (static_cast<ir::comparison>(t.detail)) {
            case ir::comparison::less:
                return t.style % 3 == 0 ? sum(b) + " > " + sum(a)
                                        : sum(a) + (t.style % 3 == 1 ? " < " : " \\lt ") + sum(b);
            case ir::comparison::less_equal:
                return t.style % 2 ? sum(b) + " \\geq " + sum(a) : sum(a) + " \\le " + sum(b);
            case ir::comparison::equal:
                return sum(a) + " = " + sum(b);
            case ir::comparison::not_equal:
                return sum(a) + " \\ne " + sum(b);
            case ir::comparison::logical_and:
                return operand(a) + " \\land " + operand(b);
            case ir::comparison::logical_or:
                return operand(a) + " \\lor " + operand(b);
        }
        return "";
    }
    std::string operand(const tree& t) {
        const bool relation = t.kind == ir::op::compare &&
                              t.detail < static_cast<std::uint8_t>(ir::comparison::logical_and);
        return relation && t.style % 2 ? condition(t) : "[" + condition(t) + "]";
    }
    std::string cases(const tree& t) {
        std::string out = "\\begin{cases} ";
        for (std::size_t k = 0; k + 1 < t.children.size(); k += 2) {
            const std::string when = condition(t.children[k + 1]);
            const bool wrapped = when.compare(0, 5, "\\text") == 0 ||
                                 when.compare(0, 9, "\\operator") == 0 ||
                                 when.compare(0, 5, "\\math") == 0;
            const bool word = wrapped && !words_open_conditions;
            out += sum(t.children[k]) + (word || t.style % 2 ? " & \\text{if } " : " & ") + when;
            out += " \\\\ ";
        }
        return out + sum(t.children.back()) + " & \\text{otherwise} \\end{cases}";
    }

    std::string axis_text(const axis& a, const std::vector<tree>& places, bool is_table) const {
        std::string out;
        if (a.kind == ir::position_kind::gathered) {
            const tree& place = places[static_cast<std::size_t>(a.offset)];
            for (const auto& inner : place.axes) out += axis_text(inner, {}, false) + " ";
            out.pop_back();
            const std::string name = p_.tensors[place.tensor].latex;
            return out.size() == 1 && place.axes.size() == 1 ? name + "_" + out
                                                             : name + "_{" + out + "}";
        }
        if (a.kind == ir::position_kind::index) return a.terms[0].first;
        if (a.kind == ir::position_kind::fixed) return std::to_string(a.offset);
        for (const auto& [index, coefficient] : a.terms) {
            const bool greek = index[0] == '\\';
            if (a.kind == ir::position_kind::merged) {
                out += index + (greek ? " " : "");
                continue;
            }
            if (!out.empty() || coefficient < 0) out += coefficient < 0 ? "-" : "+";
            if (coefficient != 1 && coefficient != -1)
                out += std::to_string(coefficient < 0 ? -coefficient : coefficient);
            out += index;
        }
        if (a.kind == ir::position_kind::merged) return "(" + out + ")";
        // With a number a place is as written; edges say what is outside.
        const std::int64_t first = is_table ? 0 : first_place(p_, a);
        const bool numbered =
            !is_table && a.beyond == edge::none && (a.terms.size() == 1 || falls(a));
        if (first != 0 || numbered)
            out += (first < 0 ? "-" : "+") + std::to_string(first < 0 ? -first : first);
        static const char* const words[] = {"", "wrap", "clamp", "pad"};
        const std::string word = words[static_cast<int>(a.beyond)];
        return word.empty() ? out : "\\operatorname{" + word + "}(" + out + ")";
    }
    /// Digits alone would be a label, or a power; a comma makes a list of places of them.
    static const char* digits_end(const std::vector<axis>& axes, std::size_t from, std::size_t to) {
        for (std::size_t k = from; k < to; ++k)
            if (axes[k].kind != ir::position_kind::fixed) return "";
        return ",";
    }
    enum class placing { above, below, both };  // both: the last axis above
    placing placing_of(const declaration& d, const std::vector<axis>& axes, unsigned style) const {
        if (d.scripts_above_only) return placing::above;
        if (heights_ == heights::by_name)
            style = static_cast<unsigned>(&d - p_.tensors.data()) * 7u + p_.seed;
        if (axes.size() > 1 && style % 5 == 2 &&
            (heights_ == heights::by_name || axes.back().kind == ir::position_kind::index))
            return placing::both;
        return style % 3 != 0 ? placing::above : placing::below;
    }
    std::string name_with_scripts(const declaration& d, const std::vector<axis>& axes,
                                  unsigned style, const std::vector<tree>& places = {}) const {
        const auto is_x = [](const declaration& other) { return other.latex == "x"; };
        if (d.latex == "n_x" && std::any_of(p_.tensors.begin(), p_.tensors.end(), is_x))
            return "n_{\\text{x}}";  // with an x in a condition n could be a tensor at x
        if (axes.empty()) return d.latex;
        const bool commas =
            style % 4 == 3 || std::any_of(axes.begin(), axes.end(), [](const axis& a) {
                return a.kind == ir::position_kind::fixed || a.beyond != edge::none;
            });
        const auto group = [&](std::size_t from, std::size_t to) {
            std::string out;
            for (std::size_t k = from; k < to; ++k) {
                const bool bracket =
                    axes[k].kind == ir::position_kind::affine && to - from > 1 && !commas;
                const bool gathered = axes[k].kind == ir::position_kind::gathered;
                if (k > from)
                    out += commas ? ", "
                           : gathered || axes[k - 1].terms.empty() ||
                                   axes[k - 1].terms.back().first[0] == '\\'
                               ? " "
                               : "";
                const std::string text =
                    axis_text(axes[k], places,
                              tables_.has(static_cast<std::size_t>(&d - p_.tensors.data()), k));
                out += bracket ? "(" + text + ")" : text;
            }
            return out;
        };
        const placing at = placing_of(d, axes, style);
        if (at == placing::both)
            return d.latex + "_{" + group(0, axes.size() - 1) +
                   digits_end(axes, 0, axes.size() - 1) + "}^{" +
                   group(axes.size() - 1, axes.size()) +
                   digits_end(axes, axes.size() - 1, axes.size()) + "}";
        const std::string all = group(0, axes.size()) + digits_end(axes, 0, axes.size());
        const std::string sign = at == placing::above ? "^" : "_";
        if (style % 7 == 5 && std::min(all.find('<'), all.find("\\op")) == std::string::npos)
            return d.latex + sign + "<" + all + ">";
        if (axes.size() == 1 && all.size() == 1 && style % 2) return d.latex + sign + all;
        return d.latex + sign + "{" + all + "}";
    }

    const random_program& p_;
    const tables tables_;
    const heights heights_;
    const tree* term_ = nullptr;  // the term of the equation that is being written
    bool square_plus_ = false, mixed_ = false;
};

inline std::string text_of(const random_program& p) { return writer(p).text(); }

}  // namespace ricci::testing
