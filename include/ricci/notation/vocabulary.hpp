// The words of the notation: commands, functions, Greek letters, and what a misspelt one is near.
#pragma once

#include <cstdint>

#include <ricci/detail/nearest.hpp>
#include <ricci/detail/text.hpp>
#include <ricci/ir/program.hpp>

namespace ricci::notation {

using detail::nearest;
using detail::text_view;

enum class word_kind : std::uint8_t { unknown, function, reduction };

/// A function of one or two arguments, or a reduction over the indices in its subscript.
struct word_meaning {
    word_kind kind = word_kind::unknown;
    std::uint8_t value = 0;
};

namespace words {

struct function_word {
    text_view word;  // empty: none
    ir::function meaning;
    ir::function_form form;
};
inline constexpr function_word functions[] = {
#define RICCI_FUNCTION(NAME, WORD, ALSO, FORM, ...)      \
    {WORD, ir::function::NAME, ir::function_form::FORM}, \
        {ALSO, ir::function::NAME, ir::function_form::FORM},
#include <ricci/detail/functions.inc>
};

struct reduction_word {
    text_view word;
    ir::reduction meaning;
};
inline constexpr reduction_word reductions[] = {
    {"sum", ir::reduction::sum},         {"mean", ir::reduction::mean},
    {"max", ir::reduction::maximum},     {"min", ir::reduction::minimum},
    {"softmax", ir::reduction::softmax}, {"logsumexp", ir::reduction::logsumexp},
    {"solve", ir::reduction::solve},     {"chol", ir::reduction::cholesky},
    {"det", ir::reduction::determinant}, {"logdet", ir::reduction::log_determinant},
    {"argmax", ir::reduction::argmax},   {"argmin", ir::reduction::argmin},
};

inline constexpr text_view greek[] = {
    "alpha", "beta",     "gamma",   "delta", "epsilon", "varepsilon", "zeta",   "eta",
    "theta", "vartheta", "iota",    "kappa", "lambda",  "mu",         "nu",     "xi",
    "pi",    "rho",      "varrho",  "sigma", "tau",     "upsilon",    "phi",    "varphi",
    "chi",   "psi",      "omega",   "Gamma", "Delta",   "Theta",      "Lambda", "Xi",
    "Pi",    "Sigma",    "Upsilon", "Phi",   "Psi",     "Omega",      "ell",
};
inline constexpr text_view accents[] = {"tilde",     "hat",     "bar",     "dot",
                                        "widetilde", "widehat", "overline"};
inline constexpr text_view wrappers[] = {"text",   "mathrm",  "operatorname", "mathbf",
                                         "mathit", "textrm",  "boldsymbol",   "bm",
                                         "mathsf", "mathcal", "mathscr"};
/// What a name may be dressed in. It is no part of the name: a text dresses it always or never.
enum class dress : std::uint8_t { plain, bold, script };
constexpr dress dress_of(text_view wrapper) {
    if (wrapper == "mathbf" || wrapper == "boldsymbol" || wrapper == "bm") return dress::bold;
    return wrapper == "mathcal" || wrapper == "mathscr" ? dress::script : dress::plain;
}
/// The indicator of a condition, which the bracket after it is already: \mathbb{1}[i < j].
inline constexpr text_view indicators[] = {"mathbb", "mathbbm",    "mathds",
                                           "mathbf", "boldsymbol", "bm"};
inline constexpr text_view layout[] = {
    "left", "right", "quad",   "qquad",    "displaystyle", "big",       "Big",      "bigl",
    "bigr", "bigg",  "Bigg",   "biggl",    "biggr",        "Biggl",     "Biggr",    "middle",
    "Bigl", "Bigr",  "limits", "nolimits", "thinspace",    "textstyle", "nonumber", "notag",
};
/// What \\begin takes: cases, and what stands around equations.
inline constexpr text_view environments[] = {
    "{cases}",     "{align}", "{align*}", "{aligned}", "{equation}",
    "{equation*}", "{split}", "{gather}", "{gather*}", "{gathered}",
};

}  // namespace words

/// What a command is to the parser. Found once for each token, so that looking ahead is cheap.
enum class keyword : std::uint8_t {
    none_of_them,
    greek,
    accent,
    wrapper,
    layout,
    bar,         // \lvert and \rvert
    double_bar,  // \lVert and \rVert
    left_floor,
    right_floor,
    left_ceil,
    right_ceil,
    label,  // \tag{1} and \label{eq:x}: numbers of equations
    function,
    frac,
    sqrt,
    sum,
    product,
    partial,
    times,
    infinity,
    less,
    less_equal,
    greater,
    greater_equal,
    not_equal,
    logical_and,
    logical_or,
    logical_not,
    modulo,
    equivalent,
    defines,  // := and \coloneqq
    underbrace,
    begin,
    end,
    begin_cases,
    end_cases,
    prime,
    transpose,
};

namespace words {

struct command_word {
    text_view word;
    keyword meaning;
};
inline constexpr command_word commands[] = {
    {"frac", keyword::frac},         {"dfrac", keyword::frac},
    {"tfrac", keyword::frac},        {"sqrt", keyword::sqrt},
    {"sum", keyword::sum},           {"prod", keyword::product},
    {"partial", keyword::partial},   {"cdot", keyword::times},
    {"times", keyword::times},       {"odot", keyword::times},
    {"infty", keyword::infinity},    {"lt", keyword::less},
    {"le", keyword::less_equal},     {"leq", keyword::less_equal},
    {"gt", keyword::greater},        {"ge", keyword::greater_equal},
    {"geq", keyword::greater_equal}, {"ne", keyword::not_equal},
    {"neq", keyword::not_equal},     {"land", keyword::logical_and},
    {"lor", keyword::logical_or},    {"lnot", keyword::logical_not},
    {"neg", keyword::logical_not},   {"bmod", keyword::modulo},
    {"mod", keyword::modulo},        {"Leftrightarrow", keyword::equivalent},
    {"iff", keyword::equivalent},    {"underbrace", keyword::underbrace},
    {"begin", keyword::begin},       {"end", keyword::end},
    {"prime", keyword::prime},       {"top", keyword::transpose},
    {"lfloor", keyword::left_floor}, {"rfloor", keyword::right_floor},
    {"lceil", keyword::left_ceil},   {"rceil", keyword::right_ceil},
    {"coloneqq", keyword::defines},
};

}  // namespace words

template <class List>
constexpr bool is_among(text_view word, const List& list) {
    for (const text_view& entry : list)
        if (entry.size == word.size && entry.data[0] == word.data[0] && entry == word) return true;
    return false;
}

namespace words {

/// Commands of mathematics that is not index notation, and what to write instead.
struct refused_word {
    text_view word;
    text_view sentence;
};
inline constexpr text_view argument_of_extreme =
    "the place of the largest value is \\operatorname{argmax}_j(x^{ij}), that of the smallest "
    "\\operatorname{argmin}_j(x^{ij}): a tensor of positions, with the index below that they are "
    "of";
inline constexpr text_view expectation =
    "an expectation is written as what it is a mean over: \\operatorname{mean}_i(x_i), or with "
    "weights \\sum_i p_i x_i";
inline constexpr refused_word refused[] = {
    {"substack",
     "conditions below one sign are joined, as in \\sum_{i \\ne j \\land j < n}, and indices stand "
     "in a list: \\sum_{i,j}"},
    {"langle",
     "an inner product in angle brackets has no indices; name it and write them: B(u, v) = u^a "
     "v^a"},
    {"rangle",
     "an inner product in angle brackets has no indices; name it and write them: B(u, v) = u^a "
     "v^a"},
    {"leftarrow", "an update is no equation; give the new value a name of its own and write ="},
    {"gets", "an update is no equation; give the new value a name of its own and write ="},
    {"in", "leave out where a tensor lives; its extents come from the call"},
    {"mathbb", "leave out where a tensor lives; its extents come from the call"},
    {"ldots", "an enumeration with dots has no indices; write an index that runs over it"},
    {"dots", "an enumeration with dots has no indices; write an index that runs over it"},
    {"otimes", "matrix notation has no indices; write them: the outer product is u^i v^j"},
    {"arg", argument_of_extreme},
    {"argmax", argument_of_extreme},
    {"argmin", argument_of_extreme},
    {"nabla", "write the derivative by a tensor: \\frac{\\partial L}{\\partial W^{ij}}"},
    {"int", "an integral is written as the sum that it stands for: \\sum_i f^i"},
    {"lim", "a limit is none of the notation; write the value that it has"},
    {"circ",
     "matrix notation has no indices; write them: the element-wise product is A^{ij} B^{ij}"},
    {"dagger",
     "matrix notation has no indices; write them: the conjugate transpose is "
     "\\operatorname{conj}(A^{ji})"},
    {"to", "leave out what a function maps to what; an equation is written with ="},
    {"mapsto", "leave out what a function maps to what; an equation is written with ="},
    {"rightarrow", "leave out what a function maps to what; an equation is written with ="},
    {"approx", "an equation is written with ="},
    {"equiv", "an equation is written with ="},
    {"propto", "an equation is written with ="},
    {"sim", "leave out how a tensor is distributed; an equation is written with ="},
    {"pm", "two equations are meant; write each in a line of its own"},
    {"forall", "leave it out: an equation holds for all values of the indices on its left"},
};

}  // namespace words

namespace words {

/// Functions over an index that others have: `cumsum_i x^i` is no product.
inline constexpr text_view operations[] = {
    "argmax",  "argmin",    "argsort",    "cumsum",    "cumprod", "sort",      "topk",
    "prod",    "median",    "LayerNorm",  "layernorm", "RMSNorm", "BatchNorm", "dropout",
    "Dropout", "normalize", "logsoftmax", "var",       "std"};

/// Functions of matrices, which have indices in this notation and no name.
inline constexpr refused_word refused_functions[] = {
    {"argmax", argument_of_extreme},  // without an index
    {"argmin", argument_of_extreme},
    {"diag",
     "matrix notation has no indices; write them: the matrix of a diagonal is a^i \\delta_{ij}, "
     "the diagonal of a matrix A^{ii}"},
    {"tr", "matrix notation has no indices; write them: a trace is A^{ii}"},
    {"Tr", "matrix notation has no indices; write them: a trace is A^{ii}"},
    {"trace", "matrix notation has no indices; write them: a trace is A^{ii}"},
    {"transpose", "matrix notation has no indices; write them: B^{ji} = A^{ij}"},
    {"norm", "matrix notation has no indices; write them: a norm is \\sqrt{\\sum_i x^i x^i}"},
    {"concat", "matrix notation has no indices; write them: heads side by side are Y^{i(hc)}"},
    {"Concat", "matrix notation has no indices; write them: heads side by side are Y^{i(hc)}"},
};

/// What joins conditions in prose, and would be read as a factor.
inline constexpr refused_word prose[] = {
    {"and", "is a word between conditions, which \\land joins; give a tensor another name"},
    {"or", "is a word between conditions, which \\lor joins; give a tensor another name"},
    {"not", "is a word before a condition, written \\lnot; give a tensor another name"},
    {"mod", "is a word between positions, written \\bmod; give a tensor another name"},
    {"if", "is a word before a condition, which stands in a bracket or in cases: [i < 2] x^i"},
    {"forall", "is no factor; leave it out: an equation holds for all places of its indices"},
};

}  // namespace words

/// The sentence for a function of matrix notation; empty for others.
constexpr text_view refusal_of_function(text_view word) {
    for (const auto& entry : words::refused_functions)
        if (word == entry.word) return entry.sentence;
    return {};
}

/// The sentence for a command that belongs to another notation; empty for others.
constexpr text_view refusal_of(text_view word) {
    for (const auto& entry : words::refused)
        if (word == entry.word) return entry.sentence;
    return {};
}

/// Which letters of ASCII functions begin with: names of tensors are seldom among them.
constexpr std::uint64_t first_letters_of_functions() {
    std::uint64_t letters = 0;
    for (const auto& entry : words::functions)
        if (!entry.word.empty()) letters |= std::uint64_t{1} << (entry.word.data[0] & 63);
    return letters;
}
inline constexpr std::uint64_t function_letters = first_letters_of_functions();

/// The function that a word names, or nullptr.
constexpr const words::function_word* find_function(text_view word) {
    if (word.size < 2 || (function_letters >> (word.data[0] & 63) & 1) == 0) return nullptr;
    for (const auto& entry : words::functions)
        if (entry.word.size == word.size && word.size > 0 && entry.word.data[0] == word.data[0] &&
            entry.word == word)
            return &entry;
    return nullptr;
}
/// Whether a function is also a command: \exp.
constexpr bool is_command(const words::function_word& entry) {
    return !entry.word.empty() &&
           (entry.form == ir::function_form::command || entry.form == ir::function_form::either);
}
/// Whether a function is read by its name: \operatorname{exp}.
constexpr bool is_named(const words::function_word& entry) {
    return !entry.word.empty() && entry.form != ir::function_form::infix;
}

constexpr keyword keyword_of(text_view word) {
    for (const auto& entry : words::commands)
        if (entry.word.size == word.size && entry.word.data[0] == word.data[0] &&
            entry.word == word)
            return entry.meaning;
    if (is_among(word, words::greek)) return keyword::greek;
    if (is_among(word, words::wrappers)) return keyword::wrapper;
    if (is_among(word, words::layout)) return keyword::layout;
    if (word == "lvert" || word == "rvert") return keyword::bar;
    if (word == "lVert" || word == "rVert" || word == "Vert") return keyword::double_bar;
    if (word == "tag" || word == "label") return keyword::label;
    if (word == "det") return keyword::function;  // of a matrix, whose indices follow
    if (is_among(word, words::accents)) return keyword::accent;
    const words::function_word* function = find_function(word);
    if (function != nullptr && is_command(*function)) return keyword::function;
    return keyword::none_of_them;
}

/// What `\operatorname{word}` computes; `indexed` when a subscript of indices follows.
constexpr word_meaning meaning_of(text_view word, bool indexed) {
    if (indexed)
        for (const auto& entry : words::reductions)
            if (word == entry.word)
                return {word_kind::reduction, static_cast<std::uint8_t>(entry.meaning)};
    const words::function_word* found = find_function(word);
    if (found == nullptr || !is_named(*found)) return {};
    return {word_kind::function, static_cast<std::uint8_t>(found->meaning)};
}
constexpr bool is_reduction(text_view word) {
    return meaning_of(word, true).kind == word_kind::reduction;
}

/// Whether a word is a function of matrices, with the indices of one below it.
constexpr bool is_of_matrix(text_view word) {
    const word_meaning found = meaning_of(word, true);
    return found.kind == word_kind::reduction &&
           ir::is_of_matrix(static_cast<ir::reduction>(found.value));
}

constexpr nearest nearest_command(text_view word) {
    nearest n(word);
    for (const auto& entry : words::commands) n.offer(entry.word);
    for (const auto& entry : words::functions)
        if (is_command(entry)) n.offer(entry.word);
    n.offer_all(words::greek);
    n.offer_all(words::accents);
    n.offer_all(words::wrappers);
    n.offer_all(words::layout);
    return n;
}

/// What may stand before ( in an index list.
inline constexpr text_view bounds_words[] = {"clamp", "wrap", "pad"};

/// Of those that run over indices where it is `indexed`, and of the others elsewhere.
constexpr nearest nearest_function(text_view word, bool indexed) {
    nearest n(word);
    for (const auto& entry : words::functions)
        if (is_named(entry) && !indexed) n.offer(entry.word);
    for (const auto& entry : words::reductions) n.offer(entry.word);
    return n;
}

}  // namespace ricci::notation
