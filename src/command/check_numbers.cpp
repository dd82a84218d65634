// Compares what a statement says in numbers with what they come to.
#include "command/check_numbers.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "command/paper_symbols.hpp"

namespace ricci::command {
namespace {

/// Whether a side is printed numbers alone, and one unit of the last place of the coarsest.
bool is_printed(const tokens& side, double& unit, bool& decimals) {
    unit = 0;
    decimals = false;
    double ten = 1;
    for (auto t = side.begin(); t != side.end(); ++t) {
        if (t->kind == token_kind::number) {
            const std::size_t point = t->text.find('.');
            const double u = point == std::string::npos
                                 ? 1
                                 : std::pow(10.0, -static_cast<double>(t->text.size() - point - 1));
            decimals = decimals || point != std::string::npos;
            if (t != side.begin() && (std::prev(t)->is("\\times") || std::prev(t)->is("\\cdot"))) {
                if (t->text != "10") return false;
                const auto up = std::next(t);
                if (up == side.end() || up->kind != token_kind::up) return false;
                const auto power = value_of(argument_at(std::next(up), side.end()), {});
                if (!power) return false;
                ten = std::pow(10.0, power->entries[0]);
                t = std::prev(behind_argument(std::next(up), side.end()));
                continue;
            }
            if (point != std::string::npos || unit == 0)
                unit = unit == 0 ? u
                                 : std::max(point == std::string::npos ? 0 : u,
                                            unit == 1 && point != std::string::npos ? 0 : unit);
            continue;
        }
        if (t->is("\\begin") || t->is("\\end")) {
            t = std::prev(behind_argument(std::next(t), side.end()));
            continue;
        }
        const bool fine = t->is("-") || t->is("+") || t->is("[") || t->is("]") || t->is(",") ||
                          t->is("(") || t->is(")") || t->is("\\times") || t->is("\\cdot") ||
                          t->kind == token_kind::align || t->kind == token_kind::row;
        if (!fine) return false;
    }
    unit *= ten;
    return unit > 0;
}

}  // namespace

number_book::outcome number_book::take(const statement& s) {
    outcome out;
    if (s.sides.size() < 2) return out;
    for (const relation r : s.relations)
        if (r != relation::equal && r != relation::near) return out;
    std::vector<std::optional<value>> values;
    const auto bare = [](const tokens& side) {
        const written_name n = side.empty() ? written_name{} : name_at(side.begin(), side.end());
        if (n.key.empty() || n.end != side.end()) return false;
        for (auto t = n.begin; t != n.end; ++t) {  // a power is no name
            if (t->kind != token_kind::up) continue;
            const tokens script = argument_at(std::next(t), n.end);
            if (n.key == "e" || script.empty() || script.front().kind == token_kind::number ||
                script.front().is("-"))
                return false;
        }
        return true;
    };
    // a name alone is given a number here, whatever it was before
    for (const tokens& side : s.sides)
        values.push_back(bare(side) ? std::nullopt : value_of(side, known_));
    const written_name left =
        s.sides[0].empty() ? written_name{} : name_at(s.sides[0].begin(), s.sides[0].end());
    const bool called = !left.key.empty() && left.end != s.sides[0].end() && left.end->is("(") &&
                        behind_group(left.end, s.sides[0].end()) == s.sides[0].end();
    const bool named = !left.key.empty() && (bare(s.sides[0]) || (called && !values[0]));
    std::size_t first = named || !values[0] ? 1 : 0;
    for (std::size_t k = first; k < values.size(); ++k)
        if (!values[k]) return out;
    if (!named && first == 1 && values.size() < 3) return out;
    std::vector<double> units(values.size(), 0);
    bool digits = false;
    for (std::size_t k = first; k < values.size(); ++k) {
        bool decimals = false;
        const bool printed = is_printed(s.sides[k], units[k], decimals);
        if (!printed || (!decimals && s.relations[k ? k - 1 : 0] == relation::equal)) units[k] = 0;
        for (const token& t : s.sides[k]) digits = digits || t.kind == token_kind::number;
    }
    if (!digits) return out;
    out.what = values.size() - first > 1 ? outcome::kind::proved : outcome::kind::defines;
    for (std::size_t k = first + 1; k < values.size(); ++k) {
        const value &a = *values[k - 1], &b = *values[k];
        const bool zero =
            (a.is_number() && a.entries[0] == 0) || (b.is_number() && b.entries[0] == 0);
        if (zero && (!a.is_number() || !b.is_number())) return {};  // a zero of any shape
        if (a.rows * a.columns != b.rows * b.columns || (a.rows != b.rows && a.rows != b.columns)) {
            out = {outcome::kind::refuted,
                   fmt::format("the sides are of different shapes: {} and {}", shown(a), shown(b))};
            break;
        }
        double worst = 0;
        bool rough = false;
        for (std::size_t e = 0; e < a.entries.size(); ++e) {
            const double off = std::abs(a.entries[e] - b.entries[e]);
            const double size = std::max(std::abs(a.entries[e]), std::abs(b.entries[e]));
            const double allowed =
                1.01 * (units[k] + units[k - 1]) + a.errors[e] + b.errors[e] + 1e-9 * (1 + size);
            if (off <= allowed) continue;
            const bool near = s.relations[k - 1] == relation::near;
            // a sign of approximation beside whole numbers promises no digits
            if (near && (units[k] == 0 || units[k] >= 1) && off < 0.3 * size) rough = true;
            else worst = std::max(worst, off);
        }
        if (worst > 0) {
            out = {outcome::kind::refuted,
                   fmt::format("computed, it is {} and not {}", shown(a), shown(b))};
            break;
        }
        if (rough)
            out = {outcome::kind::unproved,
                   fmt::format("computed, it is {}, which is near {}", shown(a), shown(b))};
    }
    const bool right = out.what != outcome::kind::refuted;
    if (out.what == outcome::kind::proved) out.words = "computed, in the digits that are printed";
    if (out.what == outcome::kind::defines)
        out.words = (named ? left.key : std::string("a name")) + ", by numbers";
    if (named) {
        // what the page goes on with is what it prints
        value kept = right && units.back() == 0 ? *values[first] : *values.back();
        if (units.back() > 0)
            for (double& e : kept.errors) e = std::max(e, units.back() / 2);
        const std::string whole = spelled(s.sides[0]);
        known_[left.indexed ? left.key : whole] = kept;
        known_[whole] = kept;
    }
    return out;
}

}  // namespace ricci::command
