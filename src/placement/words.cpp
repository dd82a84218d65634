// A placement in words.
#include "src/placement/words.hpp"

#include <fmt/format.h>

#include <ricci/parse.hpp>

#include "src/base/texts.hpp"

namespace ricci::mpi {
namespace {

const char* words_of(fold how) {
    switch (how) {
        case fold::product:
            return "product";
        case fold::maximum:
            return "maximum";
        case fold::minimum:
            return "minimum";
        case fold::logsumexp:
            return "log-sum-exp";
        case fold::sum:
            break;
    }
    return "sum";
}

std::string words_of(const exchange& e) {
    switch (e.kind) {
        case exchange_kind::all_reduce:
            return fmt::format("all-reduce ({}{})", words_of(e.how),
                               e.places == ir::none ? "" : " and its first place");
        case exchange_kind::reduce_scatter:
            return fmt::format("reduce-scatter ({})", words_of(e.how));
        case exchange_kind::neighbours:
            return "neighbours' places";
        case exchange_kind::neighbour_sums:
            return "sums at neighbours' places";
        case exchange_kind::own_places:
            return "own places";
        case exchange_kind::asked_places:
            return "places asked for";
        case exchange_kind::rows:
            return "rows asked for";
        case exchange_kind::row_sums:
            return "sums at places asked for";
        case exchange_kind::all_gather:
            break;
    }
    return "all-gather";
}

}  // namespace

std::string words_of_equation(const ir::program_view& p, ir::ref name) {
    const ir::ref e = name == ir::none ? ir::none : p.definition(name);
    if (e == ir::none) return "the outputs";
    ir::program_view one = p;
    one.equations = {p.equations.data + e, 1};
    std::string text = to_text(one);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
}

std::string words_of(const workbench& bench, const exchange& e, const std::string& letter,
                     const std::string& equation) {
    return fmt::format("{} over {} of {}, for {}", words_of(e), letter,
                       detail::string_of(bench.text.program.name(e.from)), equation);
}

std::string words_of(const sharing& s, const std::string& letter) {
    std::string out = fmt::format("{} ranks; {} is shared out", s.ranks, letter);
    for (const auto& [extent, parts] : s.by_extent)
        out += fmt::format("; {} places as {}", extent, fmt::join(parts.counts, " + "));
    return out + "\n";
}

}  // namespace ricci::mpi
