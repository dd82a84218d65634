// What a plan consists of, in words that tests count.
#pragma once

#include <set>
#include <string>
#include <variant>

#include "src/plan/schedule/plan.hpp"

namespace ricci::testing {

inline const char* word_of(plan::assignment_kind kind) {
    static constexpr const char* words[] = {"contract", "map",    "gather",   "lookups",
                                            "scatter",  "matrix", "extremum", "scan"};
    static_assert(sizeof words / sizeof *words ==
                  static_cast<std::size_t>(plan::assignment_kind::scan) + 1);
    return words[static_cast<std::size_t>(kind)];
}
inline const char* word_of(plan::fold how) {
    static constexpr const char* words[] = {"no fold", "sum",       "mean",    "maximum", "minimum",
                                            "product", "logsumexp", "softmax", "excess"};
    return words[static_cast<std::size_t>(how)];
}
inline const char* word_of(plan::member_kind kind) {
    static constexpr const char* words[] = {
        "makes tile",     "makes distances", "weights",
        "log_sum",        "largest score",   "excess of weights",
        "largest weight", "again",           "tile",
        "rows",           "columns",         "ties",
        "place",          "pairs",           "added"};
    static_assert(sizeof words / sizeof *words ==
                  static_cast<std::size_t>(plan::member_kind::added) + 1);
    return words[static_cast<std::size_t>(kind)];
}

inline void add_contents(const plan::assign& a, std::set<std::string>& to) {
    to.insert(word_of(a.kind));
    if (a.kind == plan::assignment_kind::map) to.insert(word_of(a.folding));
    if (a.scattered) to.insert("scattered");
    if (a.beta != 0) to.insert("beta");
}
inline void add_contents(const plan::fused& f, std::set<std::string>& to) {
    to.insert("fused");
    for (const auto& m : f.members) {
        to.insert(word_of(m.kind));
        if (m.weights) to.insert("rescaled");
    }
}
inline void add_contents(const plan::chained& c, std::set<std::string>& to) {
    to.insert("chained");
    if (!c.between.empty()) to.insert("between");
    if (!c.kept.empty()) to.insert("kept");
    add_contents(c.first, to);
    add_contents(c.second, to);
}
inline void add_contents(const plan::program_plan& plan, std::set<std::string>& to) {
    for (const auto& s : plan.steps)
        std::visit([&](const auto& what) { add_contents(what, to); }, s.what);
    if (plan.careful) to.insert("careful");
    if (!plan.passes.empty()) to.insert("passes");
    for (const auto& s : plan.slots) {
        if (s.kind == plan::storage::unused) continue;
        if (s.kind == plan::storage::number) to.insert("number");
        if (s.kind == plan::storage::window) to.insert("windows");
        if (s.is_foreign) to.insert(std::string("tensors of ") + name_of(s.own_type));
        if (s.is_truth) to.insert("truths");
        for (const auto& other : plan.slots)
            if (s.kind == plan::storage::input && other.kind == plan::storage::output &&
                s.data != nullptr && s.data == other.data)
                to.insert("shared");
    }
}

}  // namespace ricci::testing
