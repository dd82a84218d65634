// Looks for the words that say where an equation holds.
#include "command/paper_prose.hpp"

#include <string>

#include "command/text_words.hpp"

namespace ricci::command {

namespace {

/// The last sentence or two of a text.
std::string end_of(std::string_view text, std::size_t most) {
    return lower(text.size() > most ? text.substr(text.size() - most) : text);
}

}  // namespace

bool says_another_case(std::string_view before) {
    return has_word(end_of(before, 400), {"if",          "when",
                                          "case",        "cases",
                                          "instead",     "alternatively",
                                          "alternative", "otherwise",
                                          "similarly",   "another",
                                          "variant",     "variants",
                                          "other",       "choose",
                                          "choices",     "set",
                                          "setting",     "suppose",
                                          "assume",      "assuming",
                                          "limit",       "becomes",
                                          "become",      "reduces",
                                          "replaced",    "replace",
                                          "replacing",   "modified",
                                          "new",         "now",
                                          "update",      "step",
                                          "then",        "with temperature",
                                          "temperature", "example",
                                          "special",     "generalized",
                                          "generalised", "consider",
                                          "different",   "different",
                                          "again",       "for",
                                          "redefine",    "version",
                                          "following",   "next",
                                          "first",       "second",
                                          "third",       "higher",
                                          "lower",       "also",
                                          "approximate", "approximately"});
}

std::string case_in(std::string_view heading, std::string_view before) {
    const std::string title = lower(heading), text = end_of(before, 200);
    if (has_word(title, {"case", "limit", "special"}) || title.find("\\ne") != std::string::npos)
        return "its heading speaks of a case";
    if (has_word(text,
                 {"if",          "when",          "case",          "suppose",     "assume",
                  "assuming",    "limit",         "approximately", "approximate", "approximation",
                  "neglect",     "neglecting",    "small",         "large",       "special",
                  "provided",    "unless",        "near",          "constraint",  "leading order",
                  "first order", "where we used", "otherwise"}))
        return "the text before it may restrict it";
    return {};
}

bool supposes(std::string_view text, std::size_t at) {
    std::string before = end_of(text.substr(at > 60 ? at - 60 : 0, at > 60 ? 60 : at), 60);
    for (const char* stop : {"\n\n", "$$", "\n- ", "\n* "})
        if (const std::size_t k = before.rfind(stop); k != std::string::npos)
            before.erase(0, k + 2);
    const std::size_t stop = before.find_last_of(".;:(");
    const std::string clause = stop == std::string::npos ? before : before.substr(stop + 1);
    return has_word(clause, {"if", "when", "for", "case", "assume", "assuming", "suppose", "unless",
                             "setting", "whether", "like", "whenever", "e.g"}) ||
           has_word(before, {"if", "suppose", "assume", "assuming"});
}

}  // namespace ricci::command
