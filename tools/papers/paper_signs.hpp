// The signs that relate one side of a statement to the next.
#pragma once

#include <optional>

#include "papers/paper_tokens.hpp"

namespace ricci::papers {

enum class relation {
    equal,       // =, :=, \equiv and the like
    equivalent,  // \Leftrightarrow
    near,        // \approx
    other,       // \le, \to, \in and all others
};

/// None for what is no such sign.
std::optional<relation> relation_of(const token& t);

}  // namespace ricci::papers
