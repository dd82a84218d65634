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

}  // namespace ricci::notation
