// Judging what a paper claims, once all that it says next of the names has been read.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "check/check_definitions.hpp"
#include "check/check_paper.hpp"
#include "check/declared_facts.hpp"
#include "check/paper_symbols.hpp"
#include "judge/judge.hpp"

namespace ricci::papers {

enum class claim_kind {
    side,        // a further side of a definition
    restated,    // a second equation for a name
    derivative,  // its left side is a derivative
    relation,    // between expressions: it may be a condition on their names
};

/// One side of a statement that is said to equal another.
struct claim {
    claim_kind kind = claim_kind::side;
    std::size_t finding = 0;  // its number in the report
    int line = 0;
    int section = 0;
    std::string own;                      // the equation that it is about, or empty
    std::string text;                     // left = side
    std::string second_own, second_text;  // in the other reading that the page allows, or empty
    std::string except;                   // the name that `own` defines
    std::vector<used_name> names;
    std::vector<used_name> own_names, side_names;  // of either side alone, where that is known
    std::string numerator, by;                     // of a derivative on the left
    std::set<std::string> totals;                  // what total derivatives in it are taken by
    std::string doubt;  // why a refutation would not be one: where it holds, how it was read
    std::string side;   // as it stands, for words
    std::set<std::string> for_all;  // names of which the text says "for all"
};

struct settled {
    papers::verdict verdict = verdict::unproved;
    std::string words;
    std::vector<judge::assumption> stated;  // what the claim itself says of its names
};

class claim_judge {
public:
    claim_judge(const definition_list& definitions, const page_facts& facts, const symbols& names)
        : definitions_(definitions), facts_(facts), names_(names) {}

    settled run(const claim& c) const;
    /// What the names of a claim rest on in the end, where nothing defines it.
    std::set<std::string> inputs_of(const claim& c) const {
        return inputs_of(c.names, c.except, every_section);
    }
    /// Whether a definition implies `text`.
    bool implies(const definition& d, const std::string& text,
                 const std::vector<used_name>& names) const;

private:
    struct texts {
        program_text context;
        std::string source;
        std::string claims;
        bool functions = false;  // of the page are applied in it
        bool defined() const { return functions || !context.used.empty(); }
    };
    texts texts_of(const claim& c) const;
    texts without(const claim& c, const texts& t,
                  const std::function<bool(const definition&)>& left_out) const;
    settled judged(const claim& c) const;
    settled by_this_section(const claim& c, const texts& t) const;
    std::string held_fixed(const claim& c, const texts& t) const;
    std::string moving(const claim& c, const texts& t) const;
    bool may_move(const std::string& name, int rank, const std::string& by, bool of_name) const;
    bool holds_still(const claim& c, const texts& t) const;
    bool rest_on_the_same(const claim& c) const;
    std::set<std::string> numerators_of(const claim& c) const;
    std::string whole(const definition& d, const program_text& context) const;
    judge::finding asked(const std::string& source, const std::string& claims) const;
    std::vector<std::string> numbers_for(const claim& c, const judge::finding& j) const;
    std::string why_not_asked(const claim& c, const texts& t) const;
    std::string proved_with_adjoints(const claim& c, const texts& t,
                                     const std::vector<std::string>& news) const;
    std::string proved_with_numbers(const claim& c, const texts& t, const judge::finding& j) const;
    settled not_proved(const claim& c, const texts& t, const judge::finding& j,
                       const std::vector<std::string>& news) const;
    /// Why numbers for which two sides differ do not show that the page is wrong, nothing where
    /// they do; and whether they leave the claim suspect.
    struct doubt {
        std::string why = {};
        bool suspect = false;
    };
    doubt why_not_refuted(const claim& c, const texts& t, const judge::finding& j) const;
    std::string left_open(const claim& c, const texts& t, const judge::finding& j,
                          bool never) const;
    settled of_undefined(const claim& c, const texts& t, const judge::finding& j) const;
    bool holds_for_all(const claim& c) const;
    bool is_symbol(const std::string& name) const;
    bool has_only_symbols(const judge::finding& j) const;
    bool has_the_same_names(const claim& c) const;
    int unread_definition(const judge::finding& j, const claim& c) const;
    static constexpr int every_section = -1;
    std::set<std::string> beyond(const std::vector<used_name>& names,
                                 const std::vector<used_name>& other, const claim& c) const;
    int condition_on(const claim& c, const judge::finding& j) const;
    bool never_equal(const claim& c, const texts& t, const judge::finding& j) const;
    std::string elsewhere(const claim& c, const texts& t) const;
    bool cancels(const claim& c, const texts& t) const;
    std::string holds_if_one(const claim& c, const texts& t) const;
    bool defines_any(const claim& c) const;
    std::set<std::string> inputs_of(const std::vector<used_name>& names, const std::string& except,
                                    int section) const;
    bool differs_by_a_sign(const claim& c, const texts& t) const;

    const definition_list& definitions_;
    const page_facts& facts_;
    const symbols& names_;
};

/// What stands for the left side of an equation that has no name there.
inline constexpr const char* left_side = "leftside";

}  // namespace ricci::papers
