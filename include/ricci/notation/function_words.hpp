// What is said of a word that is no function, or a function that is used as a tensor.
#pragma once

#include <ricci/notation/other_functions.hpp>
#include <ricci/notation/vocabulary.hpp>

namespace ricci::notation {

/// The sentence for a function that is not known: the nearest one, and those that there are.
/// `indexed`: it has indices below.
constexpr void say_unknown_function(text_view name, bool indexed, detail::text_builder& sentence) {
    if (say_other_function(name, sentence)) return;
    sentence << "unknown function " << name;
    const nearest n = nearest_function(name, indexed);
    if (n.found()) {
        sentence << "; did you mean " << n.best << "?";
        return;
    }
    sentence
        << "; define it in a line of its own, as in \\phi(x) = \\exp(x) + 1, or use one of these: ";
    for (const auto& entry : words::functions)
        if (is_named(entry)) sentence << entry.word << ", ";
    std::int32_t left = sizeof words::reductions / sizeof *words::reductions;
    for (const auto& entry : words::reductions) {
        sentence << entry.word << "_j";
        if (--left > 0) sentence << ", ";
    }
}

/// The sentence for the name of a function where a tensor would stand.
constexpr void say_function_as_tensor(text_view name, detail::text_builder& sentence) {
    sentence << name << " is a function; write \\operatorname{" << name
             << "}(...) for its value, and give a tensor another name";
}

/// The sentence for \sin^{-1} x, `name` being \sin: the value's reciprocal, or the inverse
/// function?
constexpr void say_inverse_function(ir::function f, text_view name, text_view argument,
                                    detail::text_builder& s) {
    s << "this can be a reciprocal and the inverse function; write \\frac{1}{" << name << '('
      << argument << ")}";
    struct inverse {
        ir::function of;
        text_view pieces[4];  // between them the argument; none where it is empty
    };
    using fn = ir::function;
    const inverse known[] = {
        {fn::sin, {"\\arctan(\\frac{", "}{\\sqrt{1 - (", ")^2}})"}},
        {fn::cos, {"(\\frac{\\pi}{2} - \\arctan(\\frac{", "}{\\sqrt{1 - (", ")^2}}))"}},
        {fn::tan, {"\\arctan(", ")"}},
        {fn::arctan, {"\\tan(", ")"}},
        {fn::sinh, {"\\log(", " + \\sqrt{(", ")^2 + 1})"}},
        {fn::cosh, {"\\log(", " + \\sqrt{(", ")^2 - 1})"}},
        {fn::tanh, {"(\\frac{1}{2} \\log(\\frac{1 + ", "}{1 - (", ")}))"}},
        {fn::exp, {"\\log(", ")"}},
        {fn::log, {"\\exp(", ")"}},
        {fn::sigmoid, {"\\log(\\frac{", "}{1 - (", ")})"}},
    };
    for (const inverse& x : known) {
        if (x.of != f) continue;
        s << " or " << x.pieces[0];
        for (std::int32_t k = 1; k < 4 && x.pieces[k].size > 0; ++k) s << argument << x.pieces[k];
        return;
    }
    s << "; the inverse function is none of the notation";
}

}  // namespace ricci::notation
