// What a document as a whole says of its symbols: which are matrices, which letters make one name.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "check/name_codes.hpp"
#include "papers/document.hpp"
#include "papers/document_parts.hpp"

namespace ricci::papers {

/// One name as it is written: its letter or word, and a label below it if there is one.
struct written_name {
    std::string key;       // "W_Q", "\theta", "x"
    bool indexed = false;  // it has a script that reads as indices
    bool lowered = false;  // below it
    int indices = 0;       // how many letters these are
    bool bold = false;     // \mathbf, \bm, \vec
    token_at begin;
    token_at end;  // behind its scripts
};

/// The name at `t`, or one whose key is empty.
written_name name_at(token_at t, token_at last);

/// The names that stand in a side.
std::set<std::string> names_in(const tokens& side);

/// Behind the letters of what a command sets in words, as \operatorname{pad}, or behind `t`.
token_at behind_words(token_at t, token_at last);

/// \sigma_i of \sigma_i^2; nothing of a name that is not squared.
tokens without_square(const tokens& name);

struct symbols {
    std::set<std::string> matrices;  // and vectors: they stand without indices somewhere
    std::set<std::string> words;     // runs of letters that are one name
    std::map<std::string, std::set<std::string>> arguments;  // f to what stands in its parentheses
    std::map<std::string, int> indexed;    // how often a name has two indices or more
    std::set<std::string> lowered;         // names that have indices below
    std::set<std::string> numbers;         // names that stand alone on a left side
    std::set<std::string> plain, dressed;  // letters that are written upright, bold, in script
    std::set<std::string> called;          // left sides with parentheses: f(x) =
    std::set<std::string> applied;         // to one name somewhere: f(x), and so a function
    std::set<std::string> layers;          // letters that count above a name: l of a^{(l-1)}
    std::set<std::string> exponents;       // letters that are numbers where they stand above
    std::set<std::string> named;           // what the prose speaks of
    std::set<std::string> squares;         // names whose square an equation defines: \sigma^2 =
    std::set<std::string> counts;          // d and n that have an index: d_i = ... of what has i
    std::map<std::string, std::vector<std::string>> averages;  // \langle E \rangle to its indices
    bool any_matrix = false;
    bool plain_e = false;    // e stands for something: an eccentricity, a charge
    bool basis_e = false;    // e^1 is one of a basis: the page has no other power of e
    bool raised_e = false;   // e^i beside e_i: an index above e is one
    bool operators = false;  // what may not commute: a page with a dagger, a ket or a commutator
    std::shared_ptr<name_codes> codes = std::make_shared<name_codes>();

    bool is_matrix(const std::string& key) const { return matrices.count(key) > 0; }
};

symbols symbols_of(const document& text, const std::vector<part>& parts);

}  // namespace ricci::papers
