// Worked examples: small matrices and numbers that a page prints, computed again and compared in as
// many digits as are printed.
#pragma once

#include <map>
#include <string>

#include "command/paper_statements.hpp"
#include "command/printed_values.hpp"

namespace ricci::command {

class number_book {
public:
    struct outcome {
        enum class kind { none, defines, proved, refuted, unproved } what = kind::none;
        std::string words;
    };

    /// What a statement says in numbers, if all of it but a name on its left does; the name is
    /// remembered.
    outcome take(const statement& s);
    /// Numbers are those of one example.
    void forget() { known_.clear(); }
    bool knows(const std::string& name) const { return known_.count(name) > 0; }

private:
    std::map<std::string, value> known_;
};

}  // namespace ricci::command
