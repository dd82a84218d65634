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

constexpr std::string_view joining[] = {
    "and", "or", "where", "with", "so", "thus", "hence", "then", "i.e.", "i.e", "that is",
    "which gives", "so that", "therefore", "while", "but", "giving", "or equivalently", "we have",
    "equivalently", "and then", "as well as", "and thus", "and hence", "yields", "it follows that",
    "also", "together with", "given",
    // and of other languages: a page need not be in English
    "et", "und", "y", "e", "ed", "og", "och", "en", "i", "oraz", "и", "та", "ve", "és", "和", "且",
    "及", "与", "そして", "および", "및", "où", "wobei", "donde", "dove", "onde", "где", "其中",
    "avec", "mit", "con", "com", "donc", "alors", "daher", "entonces", "quindi", "portanto", "所以",
    "故", "ou", "oder", "puis", "sowie"};
constexpr std::string_view everywhere[] = {"for all",   "for each", "for every", "for any",
                                           "forall",    "für alle", "pour tout", "pour tous",
                                           "para todo", "per ogni", "для всех"};
/// However the words go on.
constexpr std::string_view restricting[] = {
    "if",    "when",    "for",  "whenever", "provided", "unless", "as",        "at",   "on",
    "in",    "to",      "by",   "from",     "subject",  "s.t",    "otherwise", "such", "assuming",
    "since", "because", "near", "else",     "si",       "wenn",   "falls",     "für",  "pour",
    "para",  "per",     "se",   "als",      "sonst",    "sinon",  "quand",     "если", "для",
    "при",   "如果",    "若",   "当",       "对"};

}  // namespace

std::string last_sentence(std::string_view text) {
    constexpr std::size_t most = 300;
    std::string sentence(text.size() > most ? text.substr(text.size() - most) : text);
    // a blank line right before the display belongs to it
    while (!sentence.empty() && (sentence.back() == '\n' || sentence.back() == ' '))
        sentence.pop_back();
    for (const std::string_view stop : {". ", ".\n", "? ", "\n\n", "$$", "\n- ", "\n* ", "\n#"})
        if (const std::size_t k = sentence.rfind(stop); k != std::string::npos)
            sentence.erase(0, k + stop.size() - (stop == "\n#"));
    // what stands below a heading begins behind its line
    if (!sentence.empty() && sentence[0] == '#')
        if (const std::size_t k = sentence.find('\n'); k != std::string::npos)
            sentence.erase(0, k + 1);
    return sentence;
}

namespace {

/// Without what stands in parentheses, open ones too: an aside supposes nothing for the equation.
std::string without_asides(const std::string& sentence) {
    std::string out;
    int depth = 0;
    bool mathematics = false;
    for (const char c : sentence) {
        if (c == '$') mathematics = !mathematics;
        if (c == ')' && !mathematics) {
            if (depth == 0) out.clear();  // it was opened in a sentence before
            else --depth;
        } else {
            depth += c == '(' && !mathematics;
            if (depth == 0) out += c;
        }
    }
    return out;
}

}  // namespace

conjunction conjunction_of(std::string_view words) {
    if (is_among(words, joining)) return conjunction::joins;
    if (is_among(words, everywhere)) return conjunction::everywhere;
    if (is_among(words.substr(0, words.find(' ')), restricting)) return conjunction::restricts;
    return conjunction::none;
}

bool supposes(std::string_view text_before) {
    return has_word(lower(without_asides(last_sentence(text_before))),
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
