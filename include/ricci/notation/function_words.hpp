// What is said of a word that is no function, or a function that is used as a tensor.
#pragma once

#include <ricci/notation/vocabulary.hpp>

namespace ricci::notation {

/// The sentence for a function that is not known: the nearest one, and those that there are.
constexpr void say_unknown_function(text_view name, detail::text_builder& sentence) {
    sentence << "unknown function " << name;
    const nearest n = nearest_function(name);
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
    const auto with = [&](text_view a, text_view b, text_view c, text_view d) {
        s << " or " << a << argument << b;
        if (c.size > 0) s << argument << c;
        if (d.size > 0) s << argument << d;
    };
    switch (f) {
        case ir::function::sin:
            with("\\arctan(\\frac{", "}{\\sqrt{1 - (", ")^2}})", {});
            break;
        case ir::function::cos:
            with("(\\frac{\\pi}{2} - \\arctan(\\frac{", "}{\\sqrt{1 - (", ")^2}}))", {});
            break;
        case ir::function::tan:
            with("\\arctan(", ")", {}, {});
            break;
        case ir::function::arctan:
            with("\\tan(", ")", {}, {});
            break;
        case ir::function::sinh:
            with("\\log(", " + \\sqrt{(", ")^2 + 1})", {});
            break;
        case ir::function::cosh:
            with("\\log(", " + \\sqrt{(", ")^2 - 1})", {});
            break;
        case ir::function::tanh:
            with("(\\frac{1}{2} \\log(\\frac{1 + ", "}{1 - (", ")}))", {});
            break;
        case ir::function::exp:
            with("\\log(", ")", {}, {});
            break;
        case ir::function::log:
            with("\\exp(", ")", {}, {});
            break;
        case ir::function::sigmoid:
            with("\\log(\\frac{", "}{1 - (", ")})", {});
            break;
        default:
            s << "; the inverse function is none of the notation";
    }
}

}  // namespace ricci::notation
