// The statements of a paper, one after another: each is a definition, a claim, or neither.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check/check_claims.hpp"
#include "check/check_definitions.hpp"
#include "check/check_numbers.hpp"
#include "check/check_paper.hpp"
#include "check/declared_facts.hpp"
#include "check/paper_spelling.hpp"
#include "check/paper_symbols.hpp"
#include "papers/document.hpp"
#include "papers/document_parts.hpp"
#include "papers/paper_statements.hpp"

namespace ricci::papers {

class paper_reader {
public:
    /// `prose`: the document's text without comments and code.
    paper_reader(const document& d, const std::string& prose, const symbols& names)
        : document_(d), prose_(prose), names_(names), numbers_(style_of(d.text())) {}

    /// What the text says of a name that is no definition: \beta = 1, "the symmetric $A$". Before
    /// all else.
    void note_passing(const part& p, int section);

    /// What the text says of all indices: "in three dimensions". Before all else.
    void note_dimensions(std::string_view words);
    void assume_three_places();

    /// A statement of a display, before all else: whether it says what a name is and is not read.
    /// `explains`: it stands behind "where".
    void note_unread(const statement& s, int section, bool explains);

    void begin_section(std::string_view heading);
    void begin_display(std::string_view text_before);
    /// A statement of a display.
    void take(const statement& s);
    /// A formula in the text, which may define a name.
    void take_passing(const part& p);
    std::size_t add(std::size_t at, std::string equation, verdict v, std::string words);
    std::size_t count() const { return out_.findings.size(); }
    paper_report finish();

private:
    /// The sides of a statement that are read.
    struct reading_of {
        statement kept;
        std::vector<spelling> sides;
        std::vector<std::string> imaginary;  // of sides where i may be the imaginary unit: so
        std::string unread;                  // what was not read, in words
        std::string doubt;
        std::set<std::string> totals;  // what total derivatives are taken by
        std::string value;             // an equation for what a derivative on the left is of
        std::vector<used_name> uses;   // of the first equation
        reading first;
        std::string left() const { return sides[0].text; }
        std::string text(std::size_t side) const {
            return sides[0].text + " = " + sides[side].text;
        }
    };

    void take_numbers(const statement& s, const worked_numbers::outcome& n);
    void take_chain(const statement& s, bool second_way);
    bool read(const statement& s, const spelling_context& context, bool second_way,
              std::string& label);
    bool read_left(const statement& s, reading_of& r, const spelling_context& context,
                   bool second_way, std::string& label);
    void read_further_sides(const statement& s, reading_of& r, std::size_t number, bool derivative);
    bool read_relation(const statement& s, reading_of& r, const spelling_context& context,
                       std::string& label);
    struct named_sides {
        std::string name;
        reading left, right;
    };
    named_sides name_sides(const reading_of& r) const;
    void add_relation(const statement& s, const reading_of& r, const named_sides& read);
    std::string derivative_of_function(const statement& s, const std::string& left,
                                       std::string& value) const;
    std::string derivative_behind_sign(const std::string& left, std::string& value) const;
    bool of_basis(const statement& s) const;
    bool is_made_of_defined(const tokens& side) const;
    template <class Read>
    void complete_cases(reading_of& r, const Read& read_first) const;
    bool made_of_itself(const reading& r) const;
    bool complete_parts(const statement& s, const reading_of& r);
    bool define_or_claim(const statement& s, reading_of& r, std::size_t number, bool second_way);
    void define(const reading& r, const std::string& text, int line, std::string arguments);
    void define_root(const statement& s, const std::string& square);
    void abbreviate(const reading_of& r, std::size_t side, const reading& next, std::size_t number);
    void say_trouble(const statement& s, const statement& kept, const reading& r);
    claim& add_claim(claim_kind kind, const reading_of& r, std::size_t number, std::string own,
                     std::string text, std::string except, std::vector<used_name> names);
    void judge_claims();
    void settle(const claim& c, const settled& done);
    void note(std::size_t number, const std::string& words);
    /// Whether a statement stands under a condition, and says nothing for the lines after it.
    bool supposed(const statement& s) const { return s.remark || supposed_; }
    void note_uses(std::size_t at, const reading& r);
    void list_symbols();
    reading read_one(const std::string& text) const {
        return read_text(definitions_.functions_in(text) + text);
    }
    int line_of(std::size_t at) const { return document_.at(at).line; }

    const document& document_;
    const std::string& prose_;
    const symbols& names_;
    definition_list definitions_;
    worked_numbers numbers_;
    page_facts facts_;
    std::map<std::string, std::size_t> used_;  // names, and where they stand first
    std::vector<claim> claims_;
    // parts of one tensor that are still to be completed: their texts and findings
    std::map<std::string, std::pair<std::string, std::vector<std::size_t>>> parts_;
    tokens last_left_;
    std::set<std::string> seen_, now_;  // names in the statements before, and in the one now
    std::set<std::size_t> partly_;      // findings of which a side is not read
    std::string heading_;
    std::string places_;             // where the display now holds: i \ne j
    std::set<std::string> for_all_;  // names of which it says "for all"
    bool supposed_ = false;          // the text before the display now supposes what it says
    int section_ = 0;
    std::vector<std::pair<int, int>> levels_;  // of the headings around, with their sections
    paper_report out_;
};

}  // namespace ricci::papers
