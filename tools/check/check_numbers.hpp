// Worked examples: numbers and small matrices that a page prints, computed again and compared in
// the digits that are printed.
#pragma once

#include <string>
#include <vector>

#include "papers/paper_statements.hpp"
#include "judge/printed_numbers.hpp"

namespace ricci::papers {

class worked_numbers {
public:
    explicit worked_numbers(judge::number_style style)
        : style_(style), known_(style), unrounded_(style) {}

    enum class outcome_kind { none, defines, proved, refuted, suspect, unproved };
    struct outcome {
        outcome_kind kind = outcome_kind::none;
        std::string words;
    };

    /// What a statement says in numbers, if all of it but a name on its left does; the name is
    /// remembered.
    outcome take(const statement& s);
    /// Numbers are those of one example; functions stay, and may mean something else.
    void forget();
    bool knows(const std::string& name) const { return known_.has(name); }

private:
    /// f(x) = x^2 + 1, for f(3) behind it.
    void note_function(const statement& s);

    struct function {
        std::string name;
        std::vector<std::string> parameters;
        std::string body;
        bool elsewhere = false;  // another section says what it is
    };
    bool uses_other_section(const statement& s) const;

    judge::number_style style_;
    std::vector<function> functions_;
    judge::number_book known_;      // names with what the page prints for them
    judge::number_book unrounded_;  // and with what that was computed from: a page may keep digits
};

/// Whether the page writes 3,5 for three and a half.
judge::number_style style_of(std::string_view text);

}  // namespace ricci::papers
