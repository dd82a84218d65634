// Judging what a paper claims, once all that it says next of the names has been read.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "command/check_definitions.hpp"
#include "command/check_paper.hpp"
#include "command/paper_symbols.hpp"

namespace ricci::command {

/// One side of a statement that is said to equal another.
struct claim {
    enum class kind {
        side,        // a further side of a definition
        restated,    // a second equation for a name
        derivative,  // its left side is a derivative
        relation,    // between expressions: it may be a condition on their names
    } what = kind::side;
    std::size_t finding = 0;  // its number in the report
    int line = 0;
    int section = 0;
    std::string own;     // the equation that it is about, or empty
    std::string text;    // left = side
    std::string except;  // the name that `own` defines
    std::vector<used_name> names;
    std::vector<used_name> own_names, side_names;  // of either side alone, where that is known
    std::string numerator, by;                     // of a derivative on the left
    std::string doubt;                             // why a refutation would not be one
    std::string side;                              // as it stands, for words
};

/// What a document says of a name beside its definition. A later refutation has to know.
class limit_list {
public:
    void add(const std::string& name, int line, const std::string& text = {}, int section = 0) {
        list_[name].push_back({line, section, text});
    }
    struct limit {
        int line = 0;
        int section = 0;
        std::string text;  // "name = number" in the notation; empty where it says something else
    };
    const std::vector<limit>& of(const std::string& name) const;

private:
    std::map<std::string, std::vector<limit>> list_;
};

struct settled {
    command::verdict verdict = verdict::unproved;
    std::string words;
    std::vector<std::string> limited;  // names that the claim turns out to say something of
};

class claim_judge {
public:
    claim_judge(const definition_list& definitions, const limit_list& limits, const symbols& names)
        : definitions_(definitions), limits_(limits), names_(names) {}

    settled run(const claim& c) const;
    /// Whether a definition implies `text`.
    bool implies(const definition& d, const std::string& text,
                 const std::vector<used_name>& names) const;

private:
    struct texts {
        program_text context;
        std::string source;
        std::string claims;
    };
    texts texts_of(const claim& c) const;
    std::string whole(const definition& d, const program_text& context) const;
    std::vector<std::string> numbers_for(const claim& c, const judgement& j) const;
    std::string why_not_refuted(const claim& c, const texts& t, const judgement& j) const;
    bool defines_any(const claim& c) const;
    std::set<std::string> inputs_of(const std::vector<used_name>& names,
                                    const std::string& except) const;
    std::string why_hidden(const claim& c, const texts& t, const judgement& j) const;

    const definition_list& definitions_;
    const limit_list& limits_;
    const symbols& names_;
};

/// A name as a reader knows it.
std::string shown_name(const std::string& name);

}  // namespace ricci::command
