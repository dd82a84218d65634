// The one list of words that `check` has.
#include "papers/conjunctions.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>

#include "papers/paper_words.hpp"
#include "papers/text_words.hpp"

namespace ricci::papers {

namespace {

constexpr std::string_view joining[] = {"and",      "or",
                                        "where",    "with",
                                        "so",       "thus",
                                        "hence",    "then",
                                        "i.e.",     "i.e",
                                        "that is",  "which gives",
                                        "so that",  "therefore",
                                        "while",    "but",
                                        "giving",   "or equivalently",
                                        "we have",  "equivalently",
                                        "and then", "as well as",
                                        "and thus", "and hence",
                                        "yields",   "it follows that",
                                        "also",     "together with",
                                        "given"};
constexpr std::string_view everywhere[] = {"for all", "for each", "for every", "for any", "forall"};
/// However the words go on.
constexpr std::string_view restricting[] = {
    "if",   "when",     "for",   "whenever", "provided", "unless",  "as",  "at",
    "on",   "in",       "to",    "by",       "from",     "subject", "s.t", "otherwise",
    "such", "assuming", "since", "because",  "near",     "else"};

}  // namespace

std::string last_sentence(std::string_view text) {
    constexpr std::size_t most = 300;
    std::string sentence(text.size() > most ? text.substr(text.size() - most) : text);
    // a blank line right before the display belongs to it
    while (!sentence.empty() && (sentence.back() == '\n' || sentence.back() == ' '))
        sentence.pop_back();
    for (const char* stop : {". ", ".\n", "? ", "\n\n", "$$", "\n- ", "\n* ", "\n#"})
        if (const std::size_t k = sentence.rfind(stop); k != std::string::npos)
            sentence.erase(0, k + 1);
    return sentence;
}

conjunction conjunction_of(std::string_view words) {
    if (is_among(words, joining)) return conjunction::joins;
    if (is_among(words, everywhere)) return conjunction::everywhere;
    if (is_among(words.substr(0, words.find(' ')), restricting)) return conjunction::restricts;
    return conjunction::none;
}

bool supposes(std::string_view text_before) {
    return has_word(lower(last_sentence(text_before)),
                    {"if", "then", "requires", "require", "unless", "suppose", "assume", "assuming",
                     "whenever", "provided"});
}

bool explains(std::string_view text_before) {
    return has_word(lower(last_sentence(text_before)), {"where", "with", "here", "and"});
}

std::string places_in(std::string_view heading, std::string_view text_before) {
    for (const std::string& text : {std::string(heading), last_sentence(text_before)}) {
        std::size_t open = text.find('$');
        while (open != std::string::npos) {
            const std::size_t close = text.find('$', open + 1);
            if (close == std::string::npos) break;
            const std::string inside = text.substr(open + 1, close - open - 1);
            for (const char* sign : {"\\ne", "\\neq", "≠"})
                if (inside.find(sign) != std::string::npos) return inside;
            open = text.find('$', close + 1);
        }
    }
    return {};
}

}  // namespace ricci::papers
