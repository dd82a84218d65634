#include "src/plan/pool/form.hpp"

#include <bit>

#include "src/plan/pool/mixed.hpp"

namespace ricci::plan {
namespace {

template <class... Values>
std::uint64_t mixed_all(std::uint64_t seed, Values... values) {
    ((seed = mixed(seed, static_cast<std::uint64_t>(values))), ...);
    return seed;
}

std::uint64_t form_of(const graph& values, const place& p) {
    std::uint64_t h = mixed_all(2, p.offset, p.edge, p.low, p.high);
    for (const term& t : p.terms) h += mixed_all(3, t.factor, values.extent(t.over));
    return h;
}

}  // namespace

bool is_commutative(const expression& e) {
    return e.code == opcode::add || e.code == opcode::multiply || e.code == opcode::equal ||
           e.code == opcode::not_equal;
}

std::uint64_t forms::of(expr e) {
    if (e.index() >= known_.size()) known_.resize(e.index() + 1, 0);
    if (known_[e.index()] != 0) return known_[e.index()];
    const std::uint64_t h = made(values_[e]);  // may grow the table
    return known_[e.index()] = h;
}

std::uint64_t forms::made(const expression& e) {
    if (e.kind == kind::sum) return of_sum(e.over, values_.factors(e.arguments[0]));
    std::uint64_t h = mixed_all(1, e.kind, e.code, e.folding, e.source.slot.number(), e.condition);
    if (e.kind == kind::constant) h = mixed(h, std::bit_cast<std::uint64_t>(e.value));
    if (e.kind == kind::position) h = mixed(h, form_of(values_, e.at));
    for (const place& p : e.source.at) h = mixed(h, form_of(values_, p));
    for (const loop l : e.over) h += mixed_all(4, values_.extent(l));
    const bool any_order = is_commutative(e);
    // For whom something is looked up is no part of what it is.
    const std::size_t count = e.kind == kind::gather ? e.lookups.size() : e.arguments.size();
    for (std::size_t k = 0; k < count; ++k)
        h = any_order ? h + mixed(5, of(e.arguments[k])) : mixed(h, of(e.arguments[k]));
    return h | 1;
}

std::uint64_t forms::of_sum(const loop_list& over, expr_span factors) {
    std::uint64_t h = 6;
    for (const loop l : over) h += mixed_all(4, values_.extent(l));
    for (const expr f : factors)
        if (!values_.is_scalar(f)) h += mixed(5, of(f));
    return h | 1;
}

}  // namespace ricci::plan
