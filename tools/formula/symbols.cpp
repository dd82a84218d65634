// Tables of letters, signs, functions and accents.
#include "formula/symbols.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>
#include <vector>

#include <ricci/detail/letters.hpp>

namespace ricci::formula {
namespace {

using entry = std::pair<std::string_view, std::string_view>;

constexpr entry letters[] = {
    {"alpha", "α"},      {"beta", "β"},    {"gamma", "γ"},   {"delta", "δ"},  {"epsilon", "ϵ"},
    {"varepsilon", "ε"}, {"zeta", "ζ"},    {"eta", "η"},     {"theta", "θ"},  {"vartheta", "ϑ"},
    {"iota", "ι"},       {"kappa", "κ"},   {"lambda", "λ"},  {"mu", "μ"},     {"nu", "ν"},
    {"xi", "ξ"},         {"pi", "π"},      {"rho", "ρ"},     {"varrho", "ϱ"}, {"sigma", "σ"},
    {"varsigma", "ς"},   {"tau", "τ"},     {"upsilon", "υ"}, {"phi", "ϕ"},    {"varphi", "φ"},
    {"chi", "χ"},        {"psi", "ψ"},     {"omega", "ω"},   {"Gamma", "Γ"},  {"Delta", "Δ"},
    {"Theta", "Θ"},      {"Lambda", "Λ"},  {"Xi", "Ξ"},      {"Pi", "Π"},     {"Sigma", "Σ"},
    {"Upsilon", "Υ"},    {"Phi", "Φ"},     {"Psi", "Ψ"},     {"Omega", "Ω"},  {"ell", "ℓ"},
    {"hbar", "ℏ"},       {"partial", "∂"}, {"nabla", "∇"},   {"infty", "∞"},  {"circ", "∘"},
    {"star", "⋆"},       {"dagger", "†"},  {"top", "⊤"},     {"imath", "ı"},  {"odot", "⊙"},
};

constexpr entry signs[] = {
    {"sum", "∑"},    {"prod", "∏"}, {"le", "≤"},
    {"ne", "≠"},     {"cdot", "·"}, {"land", "∧"},
    {"lor", "∨"},    {"lnot", "¬"}, {"Leftrightarrow", "⇔"},
    {"bmod", "mod"}, {"dots", "…"}, {"times", "×"},
    {"approx", "≈"},
};

constexpr std::string_view functions[] = {"exp",  "log",  "sin",    "cos",    "tan",
                                          "sinh", "cosh", "tanh",   "max",    "min",
                                          "arg",  "det",  "arcsin", "arccos", "arctan"};

constexpr accent accents[] = {
    {"hat", "\u0302", "^"},       {"widehat", "\u0302", "^"},   {"tilde", "\u0303", "~"},
    {"widetilde", "\u0303", "~"}, {"bar", "\u0304", "\u00af"},  {"overline", "\u0304", "\u00af"},
    {"dot", "\u0307", "\u02d9"},  {"ddot", "\u0308", "\u00a8"}, {"vec", "\u20d7", "\u2192"},
};

template <std::size_t N>
std::string_view found(const entry (&table)[N], std::string_view command) {
    for (const auto& [name, text] : table)
        if (name == command) return text;
    return {};
}

}  // namespace

std::string_view letter_of(std::string_view command) { return found(letters, command); }
std::string_view sign_of(std::string_view command) { return found(signs, command); }
bool is_function(std::string_view command) {
    return std::find(std::begin(functions), std::end(functions), command) != std::end(functions);
}
const accent* accent_of(std::string_view command) {
    for (const accent& a : accents)
        if (a.command == command) return &a;
    return nullptr;
}

std::string with_greek(std::string_view text) {
    std::string all;
    std::vector<std::string_view> pending;  // accents whose braces are open
    for (std::size_t k = 0; k < text.size();) {
        if (text[k] == '}' && !pending.empty()) {
            all += pending.back();
            pending.pop_back();
            ++k;
            continue;
        }
        if (text[k] != '\\') {
            all += text[k++];
            continue;
        }
        std::size_t end = k + 1;
        while (end < text.size() && detail::is_ascii_letter(text[end])) ++end;
        const std::string_view word = text.substr(k + 1, end - k - 1);
        if (end < text.size() && text[end] == '{') {
            const accent* over = accent_of(word);
            pending.push_back(over == nullptr ? std::string_view{} : over->mark);
            ++end;
        } else if (word == "cdot") {
            all += "·";
        } else {
            const std::string_view letter = letter_of(word);
            all += letter.empty() ? word : letter;
        }
        k = end;
    }
    return all;
}

}  // namespace ricci::formula
