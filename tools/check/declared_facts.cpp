// Looks for the properties that the judge knows, by their names.
#include "check/declared_facts.hpp"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <set>

#include <ricci/detail/letters.hpp>

#include "check/paper_symbols.hpp"
#include "papers/conjunctions.hpp"
#include "papers/paper_signs.hpp"
#include "papers/text_words.hpp"

namespace ricci::papers {

namespace {

constexpr std::size_t farthest = 60;  // characters between a name and a word that is about it

struct property_words {
    judge::property property;
    std::initializer_list<std::string_view> words;
};

/// What a sentence ends at, or begins behind.
constexpr std::string_view stops[] = {". ", ".\n", "\n\n", "$$", ";", "\n#"};

/// The end of a sentence, and its beginning.
std::string last_of(std::string_view text) {
    std::string out = lower(text.size() > farthest ? text.substr(text.size() - farthest) : text);
    for (const std::string_view stop : stops)
        if (const std::size_t k = out.rfind(stop); k != std::string::npos)
            out.erase(0, k + stop.size());
    // a heading is no sentence
    if (const std::size_t k = out.rfind('#'); k != std::string::npos)
        out.erase(0, out.find('\n', k) == std::string::npos ? k : out.find('\n', k) + 1);
    return out;
}
std::string first_of(std::string_view text) {
    std::string out = lower(text.substr(0, farthest));
    for (const std::string_view stop : stops)
        if (const std::size_t k = out.find(stop); k != std::string::npos) out.erase(k);
    return out;
}

/// Without spaces and commas around it: whether words join a name to one before it in a list.
bool joins_a_list(std::string_view words) {
    while (!words.empty() && (words.front() == ' ' || words.front() == ',')) words.remove_prefix(1);
    while (!words.empty() && (words.back() == ' ' || words.back() == ',')) words.remove_suffix(1);
    return words.empty() || words == "and" || words == "or";
}

/// Of the words in front of a name those that are about it: where another name stands among them,
/// that one has what is said before "and".
std::string own_words(std::string before) {
    std::size_t close = before.rfind('$');
    while (close != std::string::npos && joins_a_list(before.substr(close + 1))) {
        const std::size_t open = close == 0 ? std::string::npos : before.rfind('$', close - 1);
        before.erase(open == std::string::npos ? 0 : open);
        close = before.rfind('$');
    }
    if (close == std::string::npos) return before;
    std::string own = before.substr(close + 1);
    std::size_t begin = std::string::npos;
    for (const std::string_view word : {" and ", " or ", ", ", " with ", " where ", " while "})
        if (const std::size_t k = own.rfind(word); k != std::string::npos)
            begin = std::max(begin == std::string::npos ? 0 : begin, k + word.size());
    return begin == std::string::npos ? std::string() : own.substr(begin);
}

}  // namespace

void page_facts::assume(const judge::assumption& a) {
    const bool known = std::any_of(assumptions.begin(), assumptions.end(), [&](const auto& b) {
        return a.name == b.name && a.property == b.property && a.first == b.first &&
               a.second == b.second;
    });
    if (!known) assumptions.push_back(a);
}

std::vector<judge::assumption> facts_around(std::string_view before, std::string_view behind,
                                            const std::string& name) {
    using judge::property;
    static const property_words list[] = {
        {property::symmetric,
         {"symmetric", "hermitian", "covariance", "hessian", "metric", "gram matrix",
          "kernel matrix", "inertia"}},
        {property::antisymmetric, {"antisymmetric", "skew"}},
        {property::orthogonal, {"orthogonal", "orthonormal", "unitary", "rotation matrix"}},
        {property::unit_length,
         {"unit vector", "unit length", "unit norm", "normalized", "normalised"}},
        {property::permutation,
         {"levi-civita", "permutation symbol", "permutation tensor", "alternating symbol",
          "alternating tensor", "totally antisymmetric", "completely antisymmetric"}},
        {property::diagonal, {"diagonal"}},
        {property::one_hot, {"one-hot", "one hot"}},
        {property::distribution,
         {"sums to", "sum to", "stochastic", "probabilities", "distribution"}},
        {property::whole, {"integer", "whole number"}},
        {property::positive, {"positive"}},
    };
    const std::string sentence = own_words(last_of(before)) + " " + first_of(behind);
    std::vector<judge::assumption> out;
    for (const property_words& p : list)
        if (has_word_beginning(sentence, p.words)) {
            judge::assumption a;
            a.name = name;
            a.property = p.property;
            out.push_back(a);
        }
    return out;
}

namespace {

/// Words beside the names that restrict nothing.
bool is_harmless(const std::string& word) {
    static const std::set<std::string> list = {
        "and",      "all",      "any",    "every",   "arbitrary", "each",     "real",
        "complex",  "numbers",  "number", "scalars", "the",       "vectors",  "vector",
        "we",       "matrices", "matrix", "tensors", "tensor",    "values",   "of",
        "choices",  "have",     "it",     "holds",   "that",      "one",      "has",
        "identity", "is",       "true",   "find",    "get",       "equation", "for"};
    return list.count(word) > 0;
}

bool are_harmless(const std::string& words) {
    std::string word;
    for (const char c : words + " ") {
        if (detail::is_ascii_letter(c)) {
            word += c;
        } else {
            if (!word.empty() && !is_harmless(word)) return false;
            word.clear();
        }
    }
    return true;
}

/// The names in front of \in, which says no more than that they are numbers; false where it does.
bool add_names(const tokens& list, std::set<std::string>& out) {
    for (auto t = list.begin(); t != list.end(); ++t) {
        if (t->is("\\in")) return std::next(t) != list.end() && std::next(t)->is("\\mathbb");
        if (relation_of(*t)) return false;
        const written_name n = name_at(t, list.end());
        if (n.key.empty()) continue;
        out.insert(n.key);
        t = std::prev(n.end);
    }
    return true;
}

}  // namespace

std::set<std::string> names_for_all(std::string_view text_before) {
    const std::string sentence = last_sentence(text_before), words = lower(sentence);
    std::size_t now = std::string::npos;
    for (const char* every : {"for all ", "for any ", "for every ", "for arbitrary ", "for each "})
        now = std::min(now, words.find(every));
    std::set<std::string> out;
    while (now < sentence.size()) {
        const std::size_t open = std::min(sentence.find('$', now), sentence.size());
        if (!are_harmless(words.substr(now, open - now))) return {};
        const std::size_t close = sentence.find('$', open + 1);
        if (close == std::string::npos) break;
        if (!add_names(tokenise(sentence.substr(open + 1, close - open - 1), 0), out)) return {};
        now = close + 1;
    }
    return out;
}

}  // namespace ricci::papers
