// Numbers, vectors and matrices that a page prints: computed from their text, and printed again.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "command/paper_tokens.hpp"

namespace ricci::command {

/// A number, a vector or a matrix, with how far each entry may be off by what the page rounded.
struct value {
    int rows = 1;
    int columns = 1;
    std::vector<double> entries;
    std::vector<double> errors;

    bool is_number() const { return rows == 1 && columns == 1; }
};

/// What one side of an equation comes to; none where it is more than numbers and the names known.
std::optional<value> value_of(const tokens& side, const std::map<std::string, value>& known);

/// With four digits: 1.234, [1, 2], [[1, 2], [3, 4]].
std::string shown(const value& v);

}  // namespace ricci::command
