// Worked examples: small matrices and numbers that a page prints, computed again and compared in as
// many digits as are printed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "command/paper_statements.hpp"

namespace ricci::command {

/// A number, a vector or a matrix, with how far each entry may be off by what the page rounded.
struct value {
    int rows = 1;
    int columns = 1;
    std::vector<double> entries;
    std::vector<double> errors;

    bool is_number() const { return rows == 1 && columns == 1; }
};

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
