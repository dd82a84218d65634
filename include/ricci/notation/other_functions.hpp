// Functions that other libraries have and this notation writes in other words, so that none of them
// is taken for a misspelt one that it is near: expm is not exp.
#pragma once

#include <ricci/detail/text.hpp>

namespace ricci::notation {

namespace words {

struct other_function {
    detail::text_view word;
    detail::text_view instead;  // what is written for it
};
inline constexpr other_function other_functions[] = {
    {"var", "\\operatorname{mean}_j((x^{ij} - \\operatorname{mean}_k(x^{ik}))^2)"},
    {"Var", "\\operatorname{mean}_j((x^{ij} - \\operatorname{mean}_k(x^{ik}))^2)"},
    {"std", "\\sqrt{\\operatorname{mean}_j((x^{ij} - \\operatorname{mean}_k(x^{ik}))^2)}"},
    {"cov", "\\operatorname{mean}_i((x^{ia} - m^a) (x^{ib} - m^b)), m^a being a mean"},
    {"cumsum", "\\sum_{j \\le i} x^j"},
    {"cumprod", "\\prod_{j \\le i} x^j"},
    {"cummax", "\\max_{j \\le i} x^j"},
    {"logsoftmax", "x^j - \\operatorname{logsumexp}_k(x^k)"},
    {"expm1", "\\exp(x) - 1"},
    {"log1p", "\\log(1 + x)"},
    {"log2", "\\frac{\\log(x)}{\\log(2)}"},
    {"log10", "\\frac{\\log(x)}{\\log(10)}"},
    {"lg", "\\frac{\\log(x)}{\\log(2)}, or of 10"},
    {"logit", "\\log(\\frac{x}{1 - x})"},
    {"erfc", "1 - \\operatorname{erf}(x)"},
    {"rsqrt", "\\frac{1}{\\sqrt{x}}"},
    {"square", "x^2"},
    {"pow", "(x)^{p}"},
    {"round", "\\lfloor x + \\frac{1}{2} \\rfloor"},
    {"clip", "\\max(a, \\min(b, x))"},
    {"exp2", "2^{x}"},
    {"expit", "\\operatorname{sigmoid}(x)"},
    {"erfcx", "\\exp(x^2) (1 - \\operatorname{erf}(x))"},
    {"sinc", "\\frac{\\sin(x)}{x}"},
    {"softmin", "\\operatorname{softmax}_j(-x^j)"},
    {"relu6", "\\min(\\max(x, 0), 6)"},
    {"lrelu", "\\max(x, 0) + a \\min(x, 0)"},
    {"prelu", "\\max(x, 0) + a \\min(x, 0)"},
    {"selu", "a \\max(x, 0) + b (\\exp(\\min(x, 0)) - 1)"},
    {"abs2", "|x|^2"},
    {"swish", "\\operatorname{silu}(x)"},
    {"Swish", "\\operatorname{silu}(x)"},
    {"logistic", "\\operatorname{sigmoid}(x)"},
    {"step", "[x > 0]"},
    {"arcsin", "\\arctan(\\frac{x}{\\sqrt{1 - x^2}})"},
    {"asin", "\\arctan(\\frac{x}{\\sqrt{1 - x^2}})"},
    {"arccos", "\\frac{\\pi}{2} - \\arctan(\\frac{x}{\\sqrt{1 - x^2}})"},
    {"acos", "\\frac{\\pi}{2} - \\arctan(\\frac{x}{\\sqrt{1 - x^2}})"},
    {"arsinh", "\\log(x + \\sqrt{x^2 + 1})"},
    {"asinh", "\\log(x + \\sqrt{x^2 + 1})"},
    {"arcosh", "\\log(x + \\sqrt{x^2 - 1})"},
    {"acosh", "\\log(x + \\sqrt{x^2 - 1})"},
    {"artanh", "\\frac{1}{2} \\log(\\frac{1 + x}{1 - x})"},
    {"atanh", "\\frac{1}{2} \\log(\\frac{1 + x}{1 - x})"},
    {"cot", "\\frac{1}{\\tan(x)}"},
    {"sec", "\\frac{1}{\\cos(x)}"},
    {"csc", "\\frac{1}{\\sin(x)}"},
    {"coth", "\\frac{1}{\\tanh(x)}"},
    {"sech", "\\frac{1}{\\cosh(x)}"},
    {"csch", "\\frac{1}{\\sinh(x)}"},
    {"cholesky", "\\operatorname{chol}_{ij}(K^{ij})"},
    {"slogdet", "\\operatorname{logdet}_{ij}(K^{ij})"},
    {"inv", "(K^{-1})^{ij}"},
    {"expm", ""},
    {"logm", ""},
    {"sqrtm", ""},
    {"pinv", ""},
    {"median", ""},
    {"erfi", ""},
    {"atan2", ""},
};

}  // namespace words

/// The sentence for such a function; false for other words.
constexpr bool say_other_function(detail::text_view name, detail::text_builder& s) {
    for (const auto& entry : words::other_functions) {
        if (!(entry.word == name)) continue;
        s << name << " is no function of this notation; ";
        if (entry.instead.empty())
            s << "of matrices there are solve, chol, det and logdet, over an index sum, mean, max, "
                 "min, softmax and logsumexp, and other functions are of each element";
        else s << "write " << entry.instead;
        return true;
    }
    return false;
}

}  // namespace ricci::notation
