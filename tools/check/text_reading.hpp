// The door from the command to the reader of equations: what a text says, as plain values.
#pragma once

#include <string>
#include <vector>

#include "judge/assumptions.hpp"

namespace ricci::papers {

/// A name that an equation speaks of.
struct used_name {
    std::string name;
    int rank = 0;
    bool defined = false;       // an equation of the text defines it
    bool derivative = false;    // dL/dQ
    std::string of;             // of a derivative: Q
    std::string numerator;      // and L; of a second derivative, too
    std::string of_inner = {};  // of a second derivative: what it is taken by first
};

/// What a text says, or why it is not read.
struct reading {
    enum class trouble {
        none,
        index_once,
        unknown_function,
        index_free,
        rank,
        defined_twice,
        cycle,
        other
    } what = trouble::none;
    std::string words;   // one sentence
    std::string marked;  // the characters it is about
    std::string left;    // the name that the first equation defines or claims something of
    int left_rank = 0;
    bool left_is_derivative = false;
    std::vector<used_name> names;

    bool ok() const { return what == trouble::none; }
    const used_name* find(const std::string& name) const;
};

/// Reads equations; nothing is derived.
reading read_text(const std::string& text);

/// Of a side that leaves an index open, this index; empty of others.
std::string open_index_of(const reading& r);
/// The indices that an expression leaves open, each once.
std::vector<std::string> open_indices(const std::string& expression);
/// A name with these indices above it.
std::string name_with(const std::string& name, const std::vector<std::string>& indices);

using judge::plain_name;

}  // namespace ricci::papers
