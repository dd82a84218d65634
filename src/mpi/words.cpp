// A placement in words.
#include "src/mpi/words.hpp"

#include <fmt/format.h>

#include <ricci/parse.hpp>

#include "src/base/texts.hpp"
#include "src/mpi/stages.hpp"

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

}  // namespace

std::int64_t bytes_sent(const workbench& bench, const exchange& e, std::size_t element_size) {
    auto bytes = static_cast<std::int64_t>(element_size);
    for (const std::int64_t extent : own_shape(bench, e.from)) bytes *= extent;
    return bytes;
}

std::string words_of_equation(const ir::program_view& p, ir::ref name) {
    ir::program_view one = p;
    const ir::ref e = p.definition(name);
    one.equations = {p.equations.data + e, 1};
    std::string text = to_text(one);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
}

std::string words_of(const workbench& bench, const ir::program_view& p, const operation& o,
                     std::size_t element_size) {
    const exchange& e = o.exchange;
    const ir::ref defined = bench.text.program.equations[o.equation].name;
    std::string what = "all-gather";
    if (e.kind == exchange_kind::all_reduce) what = fmt::format("all-reduce ({})", words_of(e.how));
    if (e.kind == exchange_kind::reduce_scatter)
        what = fmt::format("reduce-scatter ({})", words_of(e.how));
    return fmt::format("{} of {}, for {}: this rank sends {} bytes", what,
                       detail::string_of(bench.text.program.name(e.from)),
                       words_of_equation(p, defined), bytes_sent(bench, e, element_size));
}

std::string words_of(const sharing& s, const std::string& letter) {
    std::string out = fmt::format("{} ranks; {} is shared out", s.ranks, letter);
    for (const auto& [extent, parts] : s.by_extent)
        out += fmt::format("; {} places as {}", extent, fmt::join(parts.counts, " + "));
    return out + "\n";
}

}  // namespace ricci::mpi
