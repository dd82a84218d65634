// The words of a program as LaTeX: names, numbers, reductions, comparisons.
#pragma once

#include <cstdint>

#include <ricci/ir/literal.hpp>
#include <ricci/ir/program.hpp>

namespace ricci::ir {

/// The operands of an einsum string have names of two words, which no equation can spell.
constexpr bool has_space(text_view name) {
    for (char c : name)
        if (c == ' ') return true;
    return false;
}

/// Where the _ of a canonical name's label stands, or the name's end.
constexpr std::int32_t label_of(text_view name) {
    std::int32_t split = 0;
    std::int32_t braces = 0;
    while (split < name.size && !(name[split] == '_' && braces == 0 && split > 0)) {
        braces += name[split] == '{' ? 1 : name[split] == '}' ? -1 : 0;
        ++split;
    }
    return split;
}
/// LaTeX has no second subscript: the indices of a name with a label all stand above.
constexpr bool has_label(text_view name) { return label_of(name) < name.size; }

/// The LaTeX of a canonical name: "W_QKV" is W_{QKV}, "Output" \text{Output}, "S_masked"
/// S_{\text{masked}}.
constexpr void print_name(text_view name, detail::text_builder& out) {
    const std::int32_t split = label_of(name);
    text_view base = name.slice(0, split);
    std::int32_t primes = base.size;
    while (primes > 0 && base[primes - 1] == '\'') --primes;
    const text_view letters = base.slice(0, primes);
    const bool ascii = !letters.empty() && static_cast<unsigned char>(letters[0]) < 0x80;
    if (!letters.empty() && letters[0] == '\\') {
        std::int32_t brace = 0;
        while (brace < letters.size && letters[brace] != '{') ++brace;
        if (brace < letters.size) {  // an accent over a name
            out << letters.slice(0, brace + 1);
            print_name(letters.slice(brace + 1, letters.size - 1), out);
            out << '}';
        } else {
            out << letters;
        }
    } else if (ascii && letters.size > 1 && !has_space(letters)) {
        out << "\\text{" << letters << '}';
    } else {
        out << letters;
    }
    out << base.slice(primes, base.size);
    if (split == name.size) return;
    const text_view label = name.slice(split + 1, name.size);
    const bool capital = !label.empty() && label[0] >= 'A' && label[0] <= 'Z';
    const bool small = !label.empty() && label[0] >= 'a' && label[0] <= 'z';
    const bool dimension = letters == "d" || letters == "n";
    // Several letters, and digits, can be read as indices or places in some text.
    if (label.size == 1 && (capital || (small && dimension))) out << '_' << label;
    else if (!label.empty() && label[0] == '\\') out << "_{" << label << '}';
    else out << "_{\\text{" << label << "}}";
}

/// A number so that reading it gives the same number, up to the last digit.
constexpr void print_number(double value, detail::text_builder& out) {
    if (value != value) {
        out << "\\text{nan}";
        return;
    }
    if (value < 0) {
        out << '-';
        value = -value;
    }
    if (value == __builtin_inf()) {
        out << "\\infty";
        return;
    }
    if (value == circle_number) {
        out << "\\pi";
        return;
    }
    std::int32_t exponent = 0;
    while (value >= 1e15) value /= 10, ++exponent;
    while (value != 0 && value < 1e-5) value *= 10, --exponent;
    auto whole = static_cast<std::int64_t>(value);
    double rest = value - static_cast<double>(whole);
    char digits[20] = {};
    std::int32_t count = 0;
    std::int32_t used = 0;
    for (std::int64_t w = whole; w > 0; w /= 10) ++used;
    double scale = 1;
    while (rest != 0 && count + used < 17 && count < 19) {
        scale *= 10;
        // The shortest fraction that is the number again.
        ++count;
        const double scaled = rest * scale;
        const double rounded = static_cast<double>(static_cast<std::int64_t>(scaled + 0.5));
        if (static_cast<double>(whole) + rounded / scale == value || count + used == 17) {
            auto all = static_cast<std::int64_t>(rounded);
            if (rounded >= scale) ++whole, all -= static_cast<std::int64_t>(scale);
            for (std::int32_t k = count; k-- > 0; all /= 10)
                digits[k] = static_cast<char>('0' + all % 10);
            rest = 0;
        }
    }
    while (count > 0 && digits[count - 1] == '0') --count;
    out << whole;
    if (count > 0) out << '.' << text_view(digits, count);
    if (exponent != 0) out << " \\cdot 10^{" << exponent << '}';
}

/// The number of a node, in the digits that it was written in; `negated`: without its sign.
template <class Program>
constexpr void print_number(const Program& p, const node& x, bool negated,
                            detail::text_builder& out) {
    const range digits = digits_of(x);
    if (digits.count == 0) return print_number(negated ? -x.value : x.value, out);
    if ((x.value < 0) != negated) out << '-';
    out << p.text(digits);
}

struct reduction_name {
    text_view word;
    text_view latex;
};
inline constexpr reduction_name reduction_names[] = {
    {"sum", "\\sum"},
    {"mean", "\\operatorname{mean}"},
    {"max", "\\max"},
    {"min", "\\min"},
    {"softmax", "\\operatorname{softmax}"},
    {"logsumexp", "\\operatorname{logsumexp}"},
    {"prod", "\\prod"},
    {"argmax", "\\operatorname{argmax}"},
    {"argmin", "\\operatorname{argmin}"},
    {"inverse", ""},
    {"chol", "\\operatorname{chol}"},
    {"det", "\\det"},
    {"logdet", "\\operatorname{logdet}"},
    {"log det", "\\log(\\det"},
    {"cofactors", "\\operatorname{cofactors}"},
    {"solve", "\\operatorname{solve}"},
};
static_assert(sizeof reduction_names / sizeof *reduction_names ==
              static_cast<std::size_t>(reduction::solve) + 1);
constexpr text_view reduction_word(reduction r) {
    return reduction_names[static_cast<std::size_t>(r)].word;
}
/// Empty for an inverse, which no word begins; that of a logarithm leaves a parenthesis open.
constexpr text_view reduction_latex(reduction r) {
    return reduction_names[static_cast<std::size_t>(r)].latex;
}
constexpr text_view comparison_latex(comparison c) {
    switch (c) {
        case comparison::less:
            return "<";
        case comparison::less_equal:
            return "\\le";
        case comparison::equal:
            return "=";
        case comparison::not_equal:
            return "\\ne";
        case comparison::logical_and:
            return "\\land";
        case comparison::logical_or:
            return "\\lor";
    }
    return "";
}

/// What a reduction runs over, below its sign.
constexpr void print_index_list(const program_view& p, const node& x, detail::text_builder& out) {
    out << "_{";
    for (std::int32_t k = 0; k < x.indices.count; ++k)
        out << (k ? "," : "") << p.index(p.reduced(x, k));
    out << '}';
}

}  // namespace ricci::ir
