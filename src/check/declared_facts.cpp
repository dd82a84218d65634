// Looks for the properties that the judge knows, by their names.
#include "check/declared_facts.hpp"

#include <algorithm>
#include <cstddef>
#include <initializer_list>

#include "papers/text_words.hpp"

namespace ricci::papers {

namespace {

constexpr std::size_t farthest = 60;  // characters between a name and a word that is about it

struct property_words {
    judge::property property;
    std::initializer_list<std::string_view> words;
};

/// The end of a sentence, and its beginning.
std::string last_of(std::string_view text) {
    std::string out = lower(text.size() > farthest ? text.substr(text.size() - farthest) : text);
    for (const char* stop : {". ", ".\n", "\n\n", "$$", ";"})
        if (const std::size_t k = out.rfind(stop); k != std::string::npos) out.erase(0, k + 1);
    return out;
}
std::string first_of(std::string_view text) {
    std::string out = lower(text.substr(0, farthest));
    for (const char* stop : {". ", ".\n", "\n\n", "$$", ";"})
        if (const std::size_t k = out.find(stop); k != std::string::npos) out.erase(k);
    return out;
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
        {property::symmetric, {"symmetric", "hermitian"}},
        {property::antisymmetric, {"antisymmetric", "skew"}},
        {property::orthogonal, {"orthogonal", "orthonormal", "unitary", "rotation matrix"}},
        {property::unit_length,
         {"unit vector", "unit length", "unit norm", "normalized", "normalised"}},
        {property::diagonal, {"diagonal"}},
        {property::one_hot, {"one-hot", "one hot"}},
        {property::distribution,
         {"sums to", "sum to", "stochastic", "probabilities", "distribution"}},
        {property::whole, {"integer", "whole number"}},
        {property::positive, {"positive"}},
    };
    const std::string sentence = last_of(before) + " " + first_of(behind);
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

}  // namespace ricci::papers
