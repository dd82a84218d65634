// A libFuzzer target: any bytes as equations and as an einsum string, printed and differentiated.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <ricci/derive/gradient.hpp>
#include <ricci/detail/bind/parse_and_prove.hpp>
#include <ricci/ir/print.hpp>
#include <ricci/ir/print_plain.hpp>
#include <ricci/notation/einsum.hpp>

namespace {

using ricci::detail::text_builder;
using ricci::detail::text_view;

// Results are used, so that no pass is optimised away.
std::int64_t checksum = 0;

void print(const ricci::ir::program_view& p) {
    text_builder latex, plain;
    ricci::ir::to_latex(p, latex);
    ricci::ir::to_text(p, plain);
    checksum += latex.size() + plain.size();
}

void differentiate(const ricci::ir::program_view& p) {
    ricci::detail::buffer<text_view> inputs;
    for (ricci::ir::ref n = 0; n < p.names.size() && inputs.size() < 3; ++n)
        if (p.definition(n) == ricci::ir::none) inputs.push(p.name(n));
    // The first and the last equation: a short way back and the longest one.
    const ricci::ir::ref ends[] = {0, p.equations.size() - 1};
    for (const ricci::ir::ref e : ends) {
        if (e >= p.equations.size() || e < 0 || p.equations[e].claim) continue;
        for (const text_view& input : inputs) {
            const auto derived =
                ricci::derive::gradient(p, {p.name(p.equations[e].name), &input, 1, false});
            if (derived.mistake) checksum += derived.mistake.words.size();
            else print(derived.program);
        }
    }
}

void check_mistake(const ricci::ir::mistake& m, text_view text) {
    if (m.begin < 0 || m.end < m.begin || m.end > text.size || m.words.size() == 0) std::abort();
}

void read_equations(text_view text) {
    const auto parsed = ricci::detail::parse_and_prove(text);
    if (parsed.mistake) return check_mistake(parsed.mistake, text);
    print(parsed.program);
    differentiate(parsed.program);
}

void read_einsum(text_view text) {
    const auto free = ricci::notation::parse_einsum(text, nullptr, 0);
    if (free.mistake) check_mistake(free.mistake, text);
    else print(free.program);
    // Ranks as the operands' lengths give them, with an axis more for an ellipsis.
    std::int32_t ranks[8] = {};
    std::int32_t operands = 1;
    for (const char c : text) {
        if (c == '-') break;
        if (c == ',' && operands < 8) ++operands;
        else if (c != ' ') ++ranks[operands - 1];
    }
    const auto bound = ricci::notation::parse_einsum(text, ranks, operands);
    if (bound.mistake) check_mistake(bound.mistake, text);
    else print(bound.program);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // A copy of the exact size: reading one character past the end is then seen.
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    const char* copy = bytes.data();
    const text_view text(copy, static_cast<std::int32_t>(size));
    read_equations(text);
    read_einsum(text);
    return 0;
}
