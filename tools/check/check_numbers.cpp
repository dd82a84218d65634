// Compares what a statement says in numbers with what they come to.
#include "check/check_numbers.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include <ricci/detail/letters.hpp>

#include "check/paper_symbols.hpp"

namespace ricci::papers {
namespace {

/// A name and no more; a power of one is none.
bool is_bare(const tokens& side) {
    const written_name n = side.empty() ? written_name{} : name_at(side.begin(), side.end());
    if (n.key.empty() || n.end != side.end()) return false;
    for (auto t = n.begin; t != n.end; ++t) {
        if (t->kind != token_kind::up) continue;
        const tokens script = argument_at(std::next(t), n.end);
        if (n.key == "e" || script.empty() || script.front().kind == token_kind::number ||
            script.front().is("-"))
            return false;
    }
    return true;
}

/// A^T: of an A that has numbers it is computed.
bool is_transposed(const tokens& side) {
    const written_name n = side.empty() ? written_name{} : name_at(side.begin(), side.end());
    for (auto t = n.begin; t != n.end; ++t)
        if (t->kind == token_kind::up) {
            const std::string above = spelled(argument_at(std::next(t), n.end));
            return above == "T" || above == "\\top" || above == "\\intercal";
        }
    return false;
}

/// f(x) with names in its parentheses, which become those of a function.
std::vector<std::string> parameters_of(const written_name& f, const tokens& side) {
    std::vector<std::string> out;
    const auto behind = std::prev(side.end());
    if (behind == f.end || !closes(*behind)) return {};
    for (auto t = std::next(f.end); t != behind;) {
        const written_name one = name_at(t, behind);
        if (one.key.empty()) return {};
        out.push_back(spelled(tokens(t, one.end)));
        t = one.end;
        if (t != behind && !t->is(",")) return {};
        if (t != behind) ++t;
    }
    return out;
}

}  // namespace

void worked_numbers::note_function(const statement& s) {
    const tokens& front = s.sides.front();
    const written_name f = front.empty() ? written_name{} : name_at(front.begin(), front.end());
    if (f.key.empty() || f.end == front.end() || !f.end->is("(") || !s.condition.empty() ||
        behind_group(f.end, front.end()) != front.end() || s.relations[0] != relation::equal)
        return;
    const std::vector<std::string> parameters = parameters_of(f, front);
    // f(x) = x is solved
    const std::string right = spelled(s.sides[1]);
    if (parameters.empty() || parameters.front() == right) return;
    const std::string name = spelled(tokens(f.begin, f.end));
    for (judge::number_book* book : {&known_, &unrounded_})
        book->set_function(name, parameters, right);
    std::erase_if(functions_, [&](const function& other) { return other.name == name; });
    functions_.push_back({name, parameters, right});
}

void worked_numbers::forget() {
    known_ = judge::number_book(style_);
    unrounded_ = judge::number_book(style_);  // books share what they are copied from
    for (function& f : functions_) {
        f.elsewhere = true;
        for (judge::number_book* book : {&known_, &unrounded_})
            book->set_function(f.name, f.parameters, f.body);
    }
}

/// Whether a side has a value of a function that another section defines. g_f(x) is none of f.
bool worked_numbers::uses_other_section(const statement& s) const {
    const auto is_elsewhere = [&](const written_name& n, token_at last) {
        return n.end != last && n.end->is("(") &&
               std::any_of(functions_.begin(), functions_.end(), [&](const function& f) {
                   return f.elsewhere && f.name == spelled(tokens(n.begin, n.end));
               });
    };
    for (const tokens& side : s.sides)
        for (auto t = side.begin(); t != side.end();) {
            const written_name n = name_at(t, side.end());
            if (!n.key.empty() && is_elsewhere(n, side.end())) return true;
            t = n.key.empty() ? std::next(t) : n.end;
        }
    return false;
}

worked_numbers::outcome worked_numbers::take(const statement& s) {
    if (s.sides.size() < 2) return {};
    for (const relation r : s.relations)
        if (r != relation::equal && r != relation::near) return {};
    std::vector<std::optional<judge::printed_value>> values, unrounded;
    bool digits = false;
    // a name alone is given a number here, whatever it was before
    for (const tokens& side : s.sides) {
        const std::string text = spelled(side);
        std::optional<judge::printed_value> value;
        if (!is_bare(side) || is_transposed(side)) value = known_.value_of(text);
        unrounded.push_back(value ? unrounded_.value_of(text) : std::nullopt);
        values.push_back(std::move(value));
        digits = digits || (values.back() && judge::says_digits(text));
    }
    const tokens& front = s.sides.front();
    const written_name left = front.empty() ? written_name{} : name_at(front.begin(), front.end());
    const bool called = !left.key.empty() && left.end != front.end() && left.end->is("(") &&
                        behind_group(left.end, front.end()) == front.end();
    const bool named = !left.key.empty() && !values[0] && (is_bare(front) || called);
    const std::size_t first = named || !values[0] ? 1 : 0;
    for (std::size_t k = first; k < values.size(); ++k)
        if (!values[k]) {
            note_function(s);
            return {};
        }
    if (!digits || (!named && first == 1 && values.size() < 3)) return {};
    outcome out{values.size() - first > 1 ? outcome_kind::proved : outcome_kind::defines, {}};
    for (std::size_t k = first + 1; k < values.size(); ++k) {
        const bool approximate = s.relations[k - 1] == relation::near;
        const judge::compared c = judge::compare(*values[k - 1], *values[k], approximate);
        if (c.agreement == judge::agreement::agree) continue;
        if (unrounded[k - 1] &&
            judge::compare(*unrounded[k - 1], *values[k], approximate).agreement ==
                judge::agreement::agree)
            continue;
        if (c.agreement == judge::agreement::near) {
            if (out.kind != outcome_kind::suspect) out = {outcome_kind::unproved, c.words};
            continue;
        }
        const bool rounded = c.agreement == judge::agreement::rounded;
        out = {rounded ? outcome_kind::suspect : outcome_kind::refuted, c.words};
        if (!rounded) break;
    }
    if (out.kind == outcome_kind::refuted && uses_other_section(s))
        out = {outcome_kind::suspect, out.words + ", by what another section says of it"};
    if (out.kind == outcome_kind::proved) out.words = "computed, in the digits that are printed";
    if (out.kind == outcome_kind::defines)
        out.words = (named ? left.key : std::string("a name")) + ", by numbers";
    // what the page goes on with is what it prints
    if (named) {
        const bool keeps = out.kind == outcome_kind::proved && unrounded[first];
        const judge::printed_value full = keeps ? *unrounded[first] : *values.back();
        for (const std::string& name : {left.indexed ? left.key : spelled(front), spelled(front)}) {
            known_.set(name, *values.back());
            unrounded_.set(name, full);
        }
    }
    return out;
}

judge::number_style style_of(std::string_view text) {
    std::size_t commas = 0, points = 0;
    const auto digit = [&](std::size_t k) {
        return k < text.size() && text[k] >= '0' && text[k] <= '9';
    };
    for (std::size_t k = 1; k + 1 < text.size(); ++k) {
        if (!digit(k - 1)) continue;
        // {,} is a decimal comma in all styles; 65,536 has three digits behind it
        std::size_t behind = text.compare(k, 3, "{,}") == 0 ? k + 3 : k + 1, count = 0;
        while (digit(behind + count)) ++count;
        if (text[k] == '.') points += count > 0;
        else if (text[k] == ',' || behind == k + 3) commas += count > 0 && count != 3;
    }
    return {commas > 0 && points == 0};
}

}  // namespace ricci::papers
