// Reads both texts, and says what the claims come to.
#include "judge/judge.hpp"

#include <algorithm>

#include "src/base/texts.hpp"
#include "judge/assumptions.hpp"
#include "judge/elementary.hpp"
#include "judge/operators.hpp"
#include "judge/trials.hpp"
#include "judge/written_out.hpp"
#include "src/text/reading.hpp"

namespace ricci::judge {
namespace {

constexpr std::size_t longest_text = 30000;  // characters that are read at once

/// The sentence of a mistake, without the equation that its place is marked in.
std::string sentence_of(const ir::mistake& m) {
    std::string words = detail::string_of(m.words.view());
    if (m.line == 0) return words;
    const std::size_t mark = words.find("<<<");
    const std::size_t colon = mark == std::string::npos ? mark : words.find(" : ", mark);
    return colon == std::string::npos ? words : words.substr(colon + 3);
}

/// What is read and not defined, derivatives apart.
struct used {
    std::string name;
    bool defined = false;
    bool scalar = false;
};
std::vector<used> names_of(const ir::program_view& p) {
    std::vector<used> out;
    for (ir::ref n = 0; n < p.names.size(); ++n) {
        if (p.names[n].kind == ir::name_kind::cotangent) continue;
        std::int32_t rank = -1;
        for (const ir::node& x : p.nodes)
            if (x.kind == ir::op::tensor && x.name == n) rank = x.positions.count;
        for (const ir::equation& e : p.equations)
            if (e.name == n) rank = e.positions.count;
        if (rank < 0) continue;
        out.push_back({detail::string_of(p.name(n)), p.definition(n) != ir::none, rank == 0});
    }
    return out;
}
void list_names(const ir::program_view& source, const ir::program_view& claims, finding& out) {
    const std::vector<used> of_source = names_of(source), of_claims = names_of(claims);
    for (const used& u : of_source)
        if (!u.defined) out.source_inputs.push_back(u.name);
    for (const used& u : of_claims) {
        const bool defined = std::any_of(of_source.begin(), of_source.end(), [&](const used& s) {
            return s.name == u.name && s.defined;
        });
        if (!defined) out.claim_inputs.push_back(u.name);
    }
    for (const auto* list : {&of_source, &of_claims})
        for (const used& u : *list)
            if (!u.defined && u.scalar &&
                std::find(out.numbers.begin(), out.numbers.end(), u.name) == out.numbers.end())
                out.numbers.push_back(u.name);
}

/// As it is said of a page: without the verdict in front, and without what to do about it.
std::string plain_words(const detail::text_builder& words) {
    std::string out = detail::string_of(words.view());
    if (const std::size_t k = out.find("; claim it layer by layer"); k != std::string::npos)
        out.erase(k);
    for (const std::string_view prefix : {"refuted: ", "not proved: ", "not proved, "})
        if (out.rfind(prefix, 0) == 0) out.erase(0, prefix.size());
    return out;
}

/// What may not commute: numbers do, so that they show nothing.
void judge_operators(const ir::program_view& source, const ir::program_view& claims, finding& out) {
    const auto known = as_matrices(source), claimed = as_matrices(claims);
    if (known && claimed && detail::proves_claims(known->view(), *claimed))
        out.verdict = verdict::proved;
    else
        out.words =
            "what stands in it may not commute, and in the order written no proof was found";
}

/// Where it is declared that all indices have three places, sums over them are counted.
void prove_in_three_places(const derive::judgement& j, finding& out) {
    const auto says_places = [](const assumption& a) { return a.property == property::places; };
    if (!out.by_declared || std::none_of(out.under.begin(), out.under.end(), says_places) ||
        !proves_alike(j.tried.view(), j.claimed, j.derived, permuted))
        return;
    out.verdict = verdict::proved;
    out.words = "in three dimensions";
}

}  // namespace

finding judge(const request& asked) {
    finding out;
    if (asked.source.size() > longest_text || asked.claims.size() > longest_text) {
        out.readable = false;
        out.words = "too long to be judged";
        return out;
    }
    const auto source = detail::define_equations(detail::view_of(asked.source));
    const auto claims = detail::read_equations(detail::view_of(asked.claims));
    if (source.mistake || claims.mistake) {
        out.readable = false;
        out.words = sentence_of(source.mistake ? source.mistake : claims.mistake);
        return out;
    }
    list_names(source.program.view(), claims.program.view(), out);
    if (asked.noncommuting && (multiplies_operators(source.program.view()) ||
                               multiplies_operators(claims.program.view()))) {
        judge_operators(source.program.view(), claims.program.view(), out);
        return out;
    }
    derive::judgement j = detail::judge_claims(source.program.view(), claims.program);
    const bool unproved = j.verdict == derive::verdict::unproved;
    bool proved = j.verdict == derive::verdict::proved;
    if (unproved && j.numbers.alike)
        proved = proves_written_out(source.program.view(), claims.program.view());
    // a derivative is no name of the source, and a claim may have inputs of its own: both sides are
    // where numbers are tried
    if (unproved && !proved && claims.program.view().equations.size() == 1) {
        const auto proves = [](const derive::judgement& both) {
            return both.claimed != ir::none && both.numbers.alike &&
                   proves_alike(both.tried.view(), both.claimed, both.derived);
        };
        proved = j.claimed != ir::none
                     ? proves(j)
                     : proves(detail::try_claims(source.program.view(), claims.program, j.claim));
    }
    if (proved) {
        out.verdict = verdict::proved;
        return out;
    }
    out.alike = j.numbers.alike;
    out.words = plain_words(j.words);
    if (j.verdict == derive::verdict::refuted) out.verdict = verdict::refuted;
    if (!asked.try_assumptions) return out;
    if (j.claimed == ir::none)
        j = detail::try_claims(source.program.view(), claims.program, j.claim);
    if (j.claimed == ir::none || j.numbers.gave_up) return out;
    const bool complex = derive::speaks_of_complex_numbers(source.program.view()) ||
                         derive::speaks_of_complex_numbers(claims.program.view());
    if (!complex) drop_guards(j.tried);
    try_assumptions(j, complex, asked.declared, out);
    prove_in_three_places(j, out);
    return out;
}

}  // namespace ricci::judge
