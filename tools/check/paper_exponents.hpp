// Letters above names that are exponents: the \alpha of K^{\alpha} L^{1-\alpha}.
#pragma once

#include <set>
#include <string>

#include "papers/paper_statements.hpp"

namespace ricci::papers {

/// Collects what a document shows of the letters in its scripts. A letter is an exponent where it
/// is seen as a number - 1 - \alpha, -\alpha or 1/\alpha above a name, or x^{\alpha} and \alpha as
/// a factor in one equation - and nowhere as an index: below a name or a sign, or beside another
/// letter above.
class exponent_survey {
public:
    void look_at(const statement& s);
    std::set<std::string> exponents() const;

private:
    void look(token_at first, token_at last);
    void look_above(const tokens& script, const token& base);
    void note_quotient(const tokens& script);

    std::set<std::string> numbers_, indices_;
    std::set<std::string> alone_, factors_;  // of the statement now: x^{\alpha}; \alpha x
};

}  // namespace ricci::papers
