// The signs of each kind.
#include "papers/paper_signs.hpp"

#include <string_view>

#include "papers/paper_words.hpp"

namespace ricci::papers {
namespace {

constexpr std::string_view equal_signs[] = {"=",       "\\equiv", "\\coloneqq", "\\triangleq",
                                            "\\doteq", "\\eqdef", "\\eqqcolon", "\\coloneq"};

constexpr std::string_view equivalent_signs[] = {"\\Leftrightarrow", "\\iff",
                                                 "\\Longleftrightarrow"};

constexpr std::string_view near_signs[] = {"\\approx", "\\simeq", "\\cong", "\\approxeq"};

constexpr std::string_view other_signs[] = {"<",
                                            ">",
                                            "\\le",
                                            "\\leq",
                                            "\\ge",
                                            "\\geq",
                                            "\\lt",
                                            "\\gt",
                                            "\\ne",
                                            "\\neq",
                                            "\\ll",
                                            "\\gg",
                                            "\\to",
                                            "\\rightarrow",
                                            "\\longrightarrow",
                                            "\\mapsto",
                                            "\\longmapsto",
                                            "\\in",
                                            "\\notin",
                                            "\\subset",
                                            "\\subseteq",
                                            "\\propto",
                                            "\\sim",
                                            "\\leftarrow",
                                            "\\gets",
                                            "\\leqslant",
                                            "\\geqslant",
                                            "\\lesssim",
                                            "\\gtrsim",
                                            "\\xrightarrow",
                                            "\\supset",
                                            "\\hookrightarrow",
                                            "\\leftrightarrow",
                                            "\\preceq",
                                            "\\succeq",
                                            "\\rightharpoonup",
                                            "\\prec",
                                            "\\succ",
                                            "\\asymp",
                                            "\\perp",
                                            "\\models"};

}  // namespace

std::optional<relation> relation_of(const token& t) {
    if (is_among(t.text, equal_signs)) return relation::equal;
    if (is_among(t.text, equivalent_signs)) return relation::equivalent;
    if (is_among(t.text, near_signs)) return relation::near;
    if (is_among(t.text, other_signs)) return relation::other;
    return std::nullopt;
}

}  // namespace ricci::papers
