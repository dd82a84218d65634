// What a page declares of its names beside their definitions.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "judge/judge.hpp"

namespace ricci::papers {

struct page_facts {
    /// "x = 3" in the notation, and the section that says it.
    struct number {
        int section = 0;
        std::string text;
    };
    std::map<std::string, std::vector<number>> numbers;
    /// An equation that nothing proves or defines: it binds its names to one another.
    struct condition {
        int line = 0;
        int section = 0;
        std::set<std::string> names;
    };
    std::vector<condition> conditions;
    /// Equations that say what a name is, and are not read: H = X (X^T X)^{-1} X^T.
    struct unread {
        int line = 0;
        int section = 0;
        bool explains = false;  // "where H = ...": it is said behind what uses it
    };
    std::map<std::string, std::vector<unread>> not_read;
    std::vector<judge::assumption> assumptions;
    std::set<std::string> restricted;  // names that are said to be of a set: s \in \{-1, 1\}
    /// Of each section the one that it is a part of; 0 for none.
    std::vector<int> outer_sections = {0};

    /// Whether what one section says is said for another: it is that one, or holds it.
    bool governs(int section, int other) const {
        for (; other != section && other > 0;)
            other = outer_sections[static_cast<std::size_t>(other)];
        return other == section;
    }

    void assume(const judge::assumption& a);
};

/// What the sentence around a name says that it is: "the symmetric matrix $\Sigma$". It softens a
/// refutation and proves nothing, so that a word which means something else does no harm.
std::vector<judge::assumption> facts_around(std::string_view before, std::string_view behind,
                                            const std::string& name);

/// The names of which a sentence says "for all": "For all $a$ and $b$" before an equation.
std::set<std::string> names_for_all(std::string_view text_before);

}  // namespace ricci::papers
