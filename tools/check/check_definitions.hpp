// The definitions of a paper so far, and the program that one of its equations stands in.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "check/text_reading.hpp"

namespace ricci::papers {

struct definition {
    std::string name;
    std::string text;  // in the notation
    int rank = 0;
    int section = 0;
    int line = 0;
    std::vector<used_name> uses;
    std::string arguments;  // of a left side with parentheses, as written
    bool function = false;  // \phi(x) = ..., which other lines apply
    bool root = false;      // \sigma of \sigma^2 = ...
};

/// The equations that some names rest on, in order.
struct program_text {
    std::string text;
    std::vector<const definition*> used;
    bool doubtful = false;  // a name of another rank has been left out
};

class definition_list {
public:
    void add(definition d);
    const definition* find(const std::string& name) const;
    /// Whether the document gives the name more than one meaning.
    bool has_several(const std::string& name) const { return several_.count(name) > 0; }
    /// What the names rest on, without the definitions of `except` and what rests on it.
    /// `section`: of the claim; a name of another rank in another section is another name.
    program_text below(const std::vector<used_name>& names, const std::string& except,
                       int section) const;
    /// The name is what the root of its square is.
    void mark_root(const std::string& name) { list_[name].root = true; }
    /// A section says again what a name is: the definition is its own, too.
    void repeat(const std::string& name, int section);
    /// Whether what a name is made of contains another, however far down.
    bool rests_on(const std::string& name, const std::string& other) const;
    /// The functions among the definitions that a text calls.
    std::string functions_in(const std::string& text, const std::string& except = {}) const;

private:
    bool collect(const used_name& u, const std::string& except, int section,
                 std::set<std::string>& seen, program_text& out) const;
    void collect_derivative(const used_name& u, const std::string& except, int section,
                            std::set<std::string>& seen, program_text& out) const;

    std::map<std::string, definition> list_;
    std::set<std::string> several_;
};

}  // namespace ricci::papers
