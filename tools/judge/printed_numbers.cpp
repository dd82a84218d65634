// When two printed sides may be the same number, and names that have one.
#include "judge/printed_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "judge/printed_calculator.hpp"
#include "judge/printed_names.hpp"

namespace ricci::judge {
namespace {

/// Ten to the zeros at the end of a whole number: what \approx 1200 may be good to.
rational round_unit(const rational& value) {
    integer unit(1), left = value.above(), rest;
    for (int k = 0; k < 30 && !left.is_zero(); ++k) {
        const integer shorter = integer::divide(left, integer(10), rest);
        if (!rest.is_zero()) break;
        left = shorter;
        unit = unit * integer(10);
    }
    return {unit, integer(1)};
}

/// A number without decimals, as it is printed.
bool is_lone_whole(const printed_entry& e) { return !e.unit.is_zero() && e.number.is_exact(); }

/// A whole number, or what is known to be as near to one as sixteen digits say, as \log_2 8 is.
bool comes_to_whole(const measured& x) {
    if (x.is_whole()) return true;
    if (x.is_exact() || rational(integer(1), integer(1'000'000)) < x.half) return false;
    integer rest;
    const rational half(integer(1), integer(2));
    const rational up = x.value.abs() + half;
    const integer nearest = integer::divide(up.above(), up.below(), rest);
    return (x.value.abs() - rational(nearest, integer(1))).abs() <= x.half;
}

/// What two entries come to: whether one is the other rounded, or cut, to the digits that it has.
struct compared_entries {
    judge::agreement agreement = agreement::agree;
    bool cut = true;
};

/// What the digits of printed numbers leave open, and what those that these were made of do.
struct slack {
    rational digits;  // to half a unit
    rational unit;    // to one
    rational cut;     // to one of a whole number
    rational inputs;  // what was computed may be off as far
};
slack slack_of(const printed_entry& a, const printed_entry& b, bool approximate) {
    slack out;
    const printed_entry* const both[] = {&a, &b};
    for (int k = 0; k < 2; ++k) {
        const printed_entry &mine = *both[k], &other = *both[1 - k];
        if (mine.unit.is_zero()) {
            // functions are good to sixteen digits
            const rational last_digits =
                mine.number.value.abs() * rational(integer(1), integer::power_of_ten(11));
            const bool fine = mine.number.half < last_digits;
            if (fine) out.digits = out.digits + mine.number.half;
            else out.inputs = out.inputs + mine.number.half;
        } else if (!is_lone_whole(mine)) {
            out.digits = out.digits + mine.number.half;
            out.cut = out.cut + mine.number.half;
            out.unit = out.unit + mine.unit;
        } else if (!comes_to_whole(other.number)) {
            out.digits =
                out.digits + mine.unit * rational(integer(1), integer(approximate ? 1 : 2));
            out.cut = out.cut + mine.unit;
            out.unit = out.unit + mine.unit;
        }
    }
    if (a.unit.is_zero() && b.unit.is_zero()) {  // neither is printed as it is
        const rational &x = a.number.half, &y = b.number.half;
        const rational half = x.is_zero() ? y : y.is_zero() ? x : x < y ? x : y;
        out.digits = out.digits + half;
        out.unit = out.unit + half + half;
    }
    return out;
}

compared_entries compare_entries(const printed_entry& a, const printed_entry& b, bool in_table,
                                 bool approximate) {
    const rational off = (a.number.value - b.number.value).abs();
    const slack s = slack_of(a, b, approximate);
    const printed_entry& printed = b.unit.is_zero() ? a : b;
    const printed_entry& full = b.unit.is_zero() ? b : a;
    compared_entries out;
    out.cut = off < s.unit && printed.number.value.abs() <= full.number.value.abs();
    if (off.is_zero() || off < s.digits) return out;
    const bool promises =
        (!a.number.is_exact() && !a.unit.is_zero()) || (!b.number.is_exact() && !b.unit.is_zero());
    const bool reached = off < s.digits + s.inputs;
    // the last digits of a table are chosen so that they add up
    out.agreement = (off < s.unit && (reached || in_table)) || off < s.cut ? agreement::near
                    : reached                                              ? agreement::rounded
                                                                           : agreement::differ;
    if (!approximate || out.agreement != agreement::differ || promises) return out;
    const bool lone = is_lone_whole(a) || is_lone_whole(b);
    for (const printed_entry* e : {&a, &b})
        if (is_lone_whole(*e) && rational(1) < round_unit(e->number.value) &&
            off < round_unit(e->number.value))
            out.agreement = agreement::near;
    // powers and fractions promise no digits
    if (!lone && off * rational(10) <= a.number.value.abs()) out.agreement = agreement::near;
    return out;
}

std::string shown(double x) {
    char text[40];
    std::snprintf(text, sizeof text, "%.6g", x);
    return text;
}

/// The one that is further from agreement.
agreement worse(agreement a, agreement b) {
    const auto order = [](agreement x) {
        return x == agreement::agree     ? 0
               : x == agreement::near    ? 1
               : x == agreement::rounded ? 2
                                         : 3;
    };
    return order(a) < order(b) ? b : a;
}

compared compare_one(const printed_value& left, const printed_value& right, bool approximate) {
    const auto is_zero = [](const printed_value& v) {
        return v.is_number() && v.entries[0].number.is_exact() &&
               v.entries[0].number.value.is_zero();
    };
    const bool zero = is_zero(left) || is_zero(right);  // of any shape
    const std::size_t count = std::max(left.entries.size(), right.entries.size());
    const bool same = left.rows * left.columns == right.rows * right.columns &&
                      (left.rows == right.rows || left.rows == right.columns);
    if (!same && !zero)
        return {agreement::shapes,
                "the sides are of different shapes: " + shown(left) + " and " + shown(right)};
    compared out;
    bool all_cut = count > 1;  // digits are cut in a whole table, or in none of it
    for (std::size_t k = 0; k < count; ++k) {
        const compared_entries here =
            compare_entries(left.entries[left.is_number() ? 0 : k],
                            right.entries[right.is_number() ? 0 : k], count > 1, approximate);
        all_cut = all_cut && here.cut;
        out.agreement = worse(out.agreement, here.agreement);
    }
    if (all_cut) return {};
    // more digits where six do not show the difference
    if (out.agreement == agreement::differ) {
        std::string a = shown(left), b = shown(right);
        if (a == b && left.is_number() && right.is_number()) {
            char text[2][40];
            std::snprintf(text[0], sizeof text[0], "%.17g",
                          left.entries[0].number.value.to_double());
            std::snprintf(text[1], sizeof text[1], "%.17g",
                          right.entries[0].number.value.to_double());
            a = text[0], b = text[1];
        }
        out.words = a == b
                        ? "the sides differ by " +
                              shown((left.entries[0].number.value - right.entries[0].number.value)
                                        .to_double())
                        : "computed, it is " + a + " and not " + b;
    }
    if (out.agreement == agreement::near)
        out.words = "computed, it is " + shown(left) + ", which is near " + shown(right);
    if (out.agreement == agreement::rounded)
        out.words = "computed, it is " + shown(left) + " and not " + shown(right) +
                    ", unless the numbers that it is made of were rounded so";
    return out;
}

}  // namespace

bool printed_value::is_literal() const {
    return std::all_of(entries.begin(), entries.end(),
                       [](const printed_entry& e) { return !e.unit.is_zero(); });
}

compared compare(const printed_value& left, const printed_value& right, bool approximate) {
    const compared first = compare_one(left, right, approximate);
    if (first.agreement == agreement::agree) return first;
    for (std::size_t i = 0; i <= left.others.size(); ++i)
        for (std::size_t j = 0; j <= right.others.size(); ++j) {
            const compared other = compare_one(i == 0 ? left : left.others[i - 1],
                                               j == 0 ? right : right.others[j - 1], approximate);
            if (other.agreement == agreement::agree) return other;
        }
    const auto agree = [&](const printed_value& a, const printed_value& b) {
        return compare_one(a, b, approximate).agreement == agreement::agree;
    };
    for (const printed_value& v : left.loose)
        if (agree(v, right)) return {agreement::near, "it holds with % for a unit"};
    for (const printed_value& v : right.loose)
        if (agree(left, v)) return {agreement::near, "it holds with % for a unit"};
    return first;
}

std::string shown(const printed_value& v) {
    const auto entry = [&](int i, int j) {
        const auto at = static_cast<std::size_t>(i) * static_cast<std::size_t>(v.columns) +
                        static_cast<std::size_t>(j);
        return shown(v.entries[at].number.value.to_double());
    };
    if (v.is_number()) return entry(0, 0);
    std::string out = "[";
    for (int i = 0; i < v.rows; ++i) {
        if (i > 0) out += ", ";
        if (v.columns > 1) out += "[";
        for (int j = 0; j < v.columns; ++j) out += (j > 0 ? ", " : "") + entry(i, j);
        if (v.columns > 1) out += "]";
    }
    return out + "]";
}

bool says_digits(std::string_view side) {
    return std::any_of(side.begin(), side.end(), [](char c) { return c >= '0' && c <= '9'; });
}

number_book::number_book(number_style style)
    : style_(style), known_(std::make_shared<known_names>()) {}

std::optional<printed_value> number_book::value_of(std::string_view side) const {
    std::vector<printed_token> tokens;
    if (!split_printed(side, style_.decimal_comma, tokens)) return std::nullopt;
    while (!tokens.empty() &&
           (tokens.back().is(".") || tokens.back().is(",") || tokens.back().is(";")))
        tokens.pop_back();
    std::optional<printed_value> value = calculate(tokens, *known_, true);
    if (!value) return value;
    bool mixed = false;
    for (std::size_t k = 0; k + 1 < tokens.size(); ++k)
        mixed =
            mixed ||
            (tokens[k].kind == printed_kind::number &&
             (tokens[k + 1].is("frac") || tokens[k + 1].is("tfrac") || tokens[k + 1].is("dfrac")));
    if (mixed)
        if (std::optional<printed_value> product = calculate(tokens, *known_, false))
            value->others.push_back(*std::move(product));
    if (tokens.size() > 1 && tokens.back().is("%")) {
        tokens.pop_back();
        if (std::optional<printed_value> loose = calculate(tokens, *known_, true))
            value->loose.push_back(*std::move(loose));
    }
    return value;
}

void number_book::set(std::string_view name, printed_value value) {
    known_->numbers[printed_key(name)] = std::move(value);
}
bool number_book::has(std::string_view name) const {
    return known_->numbers.count(printed_key(name)) > 0;
}
void number_book::set_function(std::string_view name, const std::vector<std::string>& parameters,
                               std::string_view body) {
    printed_function f;
    for (const std::string& p : parameters) f.parameters.push_back(printed_key(p));
    if (!split_printed(body, style_.decimal_comma, f.body)) return;
    const auto [at, is_new] = known_->functions.try_emplace(printed_key(name), f);
    const auto same = [](const printed_token& a, const printed_token& b) {
        return a.text == b.text;
    };
    if (!is_new && !std::equal(f.body.begin(), f.body.end(), at->second.body.begin(),
                               at->second.body.end(), same))
        at->second.body.clear();  // it is said in two ways, and has no value
}

}  // namespace ricci::judge
