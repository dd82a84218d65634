// Tables of commands and words.
#include "papers/paper_words.hpp"

#include <array>

#include "papers/text_words.hpp"

namespace ricci::papers {

namespace {

struct entry {
    std::string_view word;
    std::string_view meaning;
};
template <std::size_t N>
std::string_view meaning_in(std::string_view word, const entry (&list)[N]) {
    for (const entry& e : list)
        if (e.word == word) return e.meaning;
    return {};
}

constexpr entry functions[] = {
    {"exp", "exp"},
    {"log", "log"},
    {"ln", "log"},
    {"sqrt", "sqrt"},
    {"tanh", "tanh"},
    {"sin", "sin"},
    {"cos", "cos"},
    {"tan", "tan"},
    {"arctan", "arctan"},
    {"atan", "arctan"},
    {"sinh", "sinh"},
    {"cosh", "cosh"},
    {"max", "max"},
    {"min", "min"},
    {"sigmoid", "sigmoid"},
    {"relu", "relu"},
    {"ReLU", "relu"},
    {"RELU", "relu"},
    {"gelu", "gelu"},
    {"GELU", "gelu"},
    {"GeLU", "gelu"},
    {"silu", "silu"},
    {"SiLU", "silu"},
    {"swish", "silu"},
    {"elu", "elu"},
    {"ELU", "elu"},
    {"softplus", "softplus"},
    {"sign", "sign"},
    {"sgn", "sign"},
    {"erf", "erf"},
    {"mean", "mean"},
    {"softmax", "softmax"},
    {"Softmax", "softmax"},
    {"SoftMax", "softmax"},
    {"logsumexp", "logsumexp"},
    {"LogSumExp", "logsumexp"},
    {"LSE", "logsumexp"},
    {"lse", "logsumexp"},
    {"Re", "Re"},
    {"Im", "Im"},
    {"conj", "conj"},
    {"floor", "floor"},
    {"abs", "abs"},
    {"arg", ""},
    {"det", "det"},
    {"logdet", "logdet"},
    {"chol", "chol"},
    {"solve", "solve"},
};

constexpr std::string_view integral = "an integral, which the notation does not compute";
constexpr std::string_view limit = "a limit, which the notation does not compute";
constexpr std::string_view extreme =
    "an optimum over all values, which the notation does not compute";
constexpr std::string_view place =
    "where an optimum is: over an index the notation computes it, and nothing is judged about it";
constexpr std::string_view dots = "dots stand for what is not written";
constexpr std::string_view matrix = "matrix notation: the indices are not written";
constexpr std::string_view trace = "matrix notation: a trace; with indices it is A_{ii}";
constexpr std::string_view set = "speaks of sets";
constexpr std::string_view operation = "a differential operator in front of what it is applied to";
constexpr std::string_view logic = "a statement of logic";
constexpr std::string_view expectation =
    "an expectation or a probability, which no equation here computes";

constexpr entry prose[] = {
    {"\\int", integral},
    {"\\iint", integral},
    {"\\iiint", integral},
    {"\\oint", integral},
    {"\\smallint", integral},
    {"\\lim", limit},
    {"\\limsup", limit},
    {"\\liminf", limit},
    {"\\to", limit},
    {"\\sup", extreme},
    {"\\inf", extreme},
    {"\\arg", extreme},
    {"\\argmax", place},
    {"\\argmin", place},
    {"\\ldots", dots},
    {"\\dots", dots},
    {"\\cdots", dots},
    {"\\vdots", dots},
    {"\\ddots", dots},
    {"\\dotsc", dots},
    {"\\dotsb", dots},
    {"\\otimes", matrix},
    {"\\oplus", matrix},
    {"\\bigoplus", matrix},
    {"\\bigotimes", matrix},
    {"\\wedge", "an exterior product"},
    {"\\circ", "a composition"},
    {"\\ast", "a convolution or a product of its own"},
    {"\\star", "a product of its own"},
    {"\\nabla", operation},
    {"\\Box", operation},
    {"\\partial", operation},
    {"\\cup", set},
    {"\\cap", set},
    {"\\bigcup", set},
    {"\\bigcap", set},
    {"\\emptyset", set},
    {"\\varnothing", set},
    {"\\setminus", set},
    {"\\mid", "conditional on something"},
    {"\\Pr", expectation},
    {"\\mathbb", expectation},
    {"\\mathbbm", expectation},
    {"\\mathds", expectation},
    {"\\forall", logic},
    {"\\exists", logic},
    {"\\vee", logic},
    {"\\pm", "stands for two equations"},
    {"\\mp", "stands for two equations"},
    {"\\binom", "a binomial coefficient"},
    {"\\choose", "a binomial coefficient"},
    {"\\dim", "a dimension of a space"},
    {"\\ker", "a kernel of a map"},
    {"\\tr", trace},
    {"\\Tr", trace},
    {"\\diag", matrix},
    {"\\rank", matrix},
    {"\\dagger", matrix},
    {"\\top", matrix},
    {"\\parallel", "conditional on something"},
    {"\\bullet", "a place that is left open"},
    {"\\square", "a place that is left open"},
    {"\\in", set},
    {"\\colon", "says what a function maps to what"},
    {"\\gcd", "a function of whole numbers"},
    {"\\hom", "a set of maps"},
    {"\\deg", "a degree"},
    {"\\coprod", "a coproduct"},
    {"\\uparrow", "a picture of states"},
    {"\\downarrow", "a picture of states"},
    {"\\rm", "a font that is switched"},
    {"\\sharp", "an operator of geometry"},
    {"\\flat", "an operator of geometry"},
    {"\\triangle", operation},
    {"\\bowtie", set},
    {"\\ominus", "an operation of its own"},
    {"\\boxplus", "an operation of its own"},
    {"\\includegraphics", "a picture"},
    {"\\xymatrix", "a picture"},
    {"\\%", "a percentage"},
    {"\\#", "counts something"},
    {"\\ddagger", matrix},
    {"\\rightarrow", "says what becomes what"},
    {"\\%", "a percentage"},
    {"\\degree", "degrees of an angle"},
    {"\\ltimes", set},
    {"\\rtimes", set},
    {"\\Vec", matrix},
    {"\\pmod", "a congruence"},
    {"\\angle", "an angle by its points"},
    {"\\SI", "a number with its unit"},
    {"\\si", "a number with its unit"},
    {"\\qty", "a number with its unit"},
    {"\\unit", "a number with its unit"},
    {"\\over", "a fraction in the old form"},
    {"\\atop", "two lines over each other"},
    {"\\substack", "two lines over each other"},
    {"\\prescript", "a script in front of a name"},
    {"\\ce", "a chemical formula"},
    {"\\complement", set},
    {"\\smile", "an operation of its own"},
    {"\\diamond", "an operation of its own"},
    {"\\mathop", "an operator of its own"},
    {"\\Cov", expectation},
    {"\\Var", expectation},
    {"\\E", expectation},
    {"\\varprojlim", limit},
    {"\\injlim", limit},
    {"\\checkmark", "a sign of approval"},
    {"\\top", matrix},
    {"\\bot", logic},
    {"\\vdash", logic},
    {"\\lor", logic},
    {"\\land", logic},
    {"\\lnot", logic},
    {"\\neg", logic},
    {"\\slashed", "contracted with matrices that are not written"},
    {"\\langle", "an inner product or an average that nothing defines"},
};

constexpr entry prose_words[] = {
    {"Var", expectation},
    {"Cov", expectation},
    {"var", expectation},
    {"cov", expectation},
    {"KL", expectation},
    {"Pr", expectation},
    {"E", ""},
    {"argmax", place},
    {"argmin", place},
    {"arg max", extreme},
    {"arg min", extreme},
    {"arg", extreme},
    {"diag", matrix},
    {"Diag", matrix},
    {"rank", matrix},
    {"vec", matrix},
    {"Tr", trace},
    {"trace", trace},
    {"concat", matrix},
    {"Concat", matrix},
    {"rowsum", matrix},
    {"rotate_half", matrix},
    {"const", "a constant that is not said"},
    {"const.", "a constant that is not said"},
    {"constant", "a constant that is not said"},
    {"topk", "a choice of the largest values"},
    {"TopK", "a choice of the largest values"},
    {"median", "a median, which the notation does not compute"},
    {"sup", extreme},
    {"Attention", ""},
    {"dim", "a dimension of a space"},
};

constexpr std::string_view label_words[] = {
    "in",     "out",    "max",    "min",   "new",   "old",    "tot",     "total", "eff",
    "ref",    "avg",    "std",    "ext",   "int",   "kin",    "pot",     "obs",   "exp",
    "rel",    "abs",    "cm",     "eq",    "th",    "tr",     "te",      "val",   "test",
    "train",  "data",   "model",  "loss",  "reg",   "opt",    "init",    "sum",   "local",
    "global", "random", "masked", "mask",  "mean",  "norm",   "lab",     "rad",   "sat",
    "crit",   "ion",    "el",     "em",    "vac",   "gas",    "sys",     "env",   "net",
    "src",    "dst",    "pos",    "neg",   "prior", "post",   "head",    "heads", "input",
    "output", "token",  "key",    "query", "value", "base",   "rest",    "free",  "pred",
    "true",   "target", "hidden", "embed", "batch", "step",   "steps",   "layer", "epoch",
    "light",  "dark",   "view",   "half",  "diff",  "spec",   "amb",     "emit",  "light",
    "surf",   "wall",   "grav",   "drag",  "lift",  "spring", "elastic", "final", "initial",
    "cos",    "sin",    "last",   "first", "next",  "prev",   "cur",     "left",  "right",
    "up",     "down",   "low",    "high",  "top",   "bot",    "err",     "sig",   "bg",
    "fg",     "dec",    "enc",    "gen",   "disc",  "adv",    "rec",     "cls",   "box",
    "bias",   "scale",  "text",   "image", "img",
};

constexpr std::string_view greek[] = {
    "\\alpha",   "\\beta",  "\\gamma",    "\\delta", "\\epsilon", "\\varepsilon", "\\zeta",
    "\\eta",     "\\theta", "\\vartheta", "\\iota",  "\\kappa",   "\\lambda",     "\\mu",
    "\\nu",      "\\xi",    "\\pi",       "\\rho",   "\\varrho",  "\\sigma",      "\\tau",
    "\\upsilon", "\\phi",   "\\varphi",   "\\chi",   "\\psi",     "\\omega",      "\\Gamma",
    "\\Delta",   "\\Theta", "\\Lambda",   "\\Xi",    "\\Pi",      "\\Sigma",      "\\Upsilon",
    "\\Phi",     "\\Psi",   "\\Omega",    "\\ell"};
constexpr std::string_view wrappers[] = {
    "\\mathbf",   "\\boldsymbol", "\\bm",     "\\vec",    "\\mathcal",       "\\mathscr",
    "\\mathfrak", "\\mathsf",     "\\mathit", "\\mathtt", "\\overrightarrow"};
constexpr std::string_view words_wrappers[] = {
    "\\text",   "\\mathrm", "\\operatorname", "\\operatorname*", "\\textrm", "\\mbox",
    "\\textit", "\\textsf", "\\texttt",       "\\textbf",        "\\textsc", "\\textnormal"};
constexpr std::string_view bold_wrappers[] = {"\\mathbf", "\\boldsymbol", "\\bm", "\\vec",
                                              "\\overrightarrow"};
constexpr std::string_view accents[] = {"\\tilde", "\\hat",      "\\bar",       "\\dot",
                                        "\\ddot",  "\\overline", "\\widetilde", "\\widehat",
                                        "\\check", "\\breve",    "\\mathring",  "\\acute",
                                        "\\grave", "\\dddot",    "\\underline"};

}  // namespace

std::string function_of(std::string_view word) { return std::string(meaning_in(word, functions)); }
bool folds(std::string_view f) {
    static constexpr std::string_view list[] = {"softmax", "mean", "max", "min", "logsumexp"};
    return is_among(f, list);
}
bool is_of_matrix(std::string_view f) {
    return f == "det" || f == "logdet" || f == "chol" || f == "solve";
}
bool is_edge_word(std::string_view word) {
    return word == "clamp" || word == "wrap" || word == "pad";
}
std::string_view why_prose(std::string_view command) { return meaning_in(command, prose); }
std::string_view why_word_is_prose(std::string_view word) { return meaning_in(word, prose_words); }
bool is_greek_letter(const token& t) { return t.is_command() && is_among(t.text, greek); }
bool is_wrapper(std::string_view c) { return is_among(c, wrappers); }
bool is_bold_wrapper(std::string_view c) { return is_among(c, bold_wrappers); }
bool is_words_wrapper(std::string_view c) { return is_among(c, words_wrappers); }
bool is_accent(std::string_view c) { return is_among(c, accents); }
bool is_label_word(std::string_view letters) { return is_among(letters, label_words); }

}  // namespace ricci::papers
