// Copies of operands in better orders, and the contractions of them.
#include "src/contract/relaid.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <utility>

#include <fmt/core.h>

#include "src/runtime/buffers.hpp"

namespace ricci::contractions {
namespace {

using steps::contraction_loop;
using stride_member = std::int64_t contraction_loop::*;

// Bytes of a copy, at most.
constexpr std::int64_t most_copied = std::int64_t{64} << 20;
// Costs are estimates: copies have to save a part of them.
constexpr double part_worth_copying = 0.97;
// Products of elements that take about as long as the search.
constexpr double least_products = 1 << 16;

stride_member stride_of(layout::operand of) {
    switch (of) {
        case layout::operand::a:
            return &contraction_loop::a;
        case layout::operand::b:
            return &contraction_loop::b;
        case layout::operand::c:
            break;
    }
    return &contraction_loop::c;
}

/// The loops of a group, by their numbers among all, the one in which an operand moves furthest
/// first.
std::vector<std::size_t> sorted(const std::vector<contraction_loop>& all, std::size_t first,
                                std::size_t count, stride_member stride) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), first);
    std::sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
        const auto a = std::abs(all[x].*stride), b = std::abs(all[y].*stride);
        return a != b ? a > b : x < y;
    });
    return order;
}

// Row-major in this order of the loops in which the operand moves.
layout row_major(const std::vector<contraction_loop>& all, layout::operand of,
                 const std::vector<std::size_t>& order) {
    layout made;
    made.of = of;
    made.strides.assign(all.size(), 0);
    for (std::size_t k = order.size(); k-- > 0;) {
        if (all[order[k]].*stride_of(of) == 0) continue;
        made.strides[order[k]] = made.elements;
        made.elements *= all[order[k]].extent;
    }
    return made;
}

// Read in one order and written in another: more often where few elements lie next to each other in
// one of them, and much more where few do in both; and where they do not stay near. The numbers are
// fitted to measured times.
cost cost_of_copy(const std::vector<contraction_loop>& all, const layout& how,
                  std::size_t element_bytes) {
    constexpr std::int64_t few = 16, very_few = 8;
    double moves = 1;
    int short_sides = 0;
    for (std::size_t l = 0; l < all.size(); ++l)
        for (const std::int64_t stride : {how.strides[l], all[l].*stride_of(how.of)}) {
            if (stride != 1 || all[l].extent >= few) continue;
            moves *= all[l].extent < very_few ? 1.65 : 1.25;
            ++short_sides;
        }
    const double bytes = static_cast<double>(how.elements) * static_cast<double>(element_bytes);
    moves *= (short_sides > 1 ? 2 : 1) * (bytes < 1 << 19 ? 1.5 : bytes < 1 << 22 ? 2 : 4);
    return {0, moves * bytes, 0};
}

// From the operand to the copy, or back.
elementwise::prepared_map copy_between(const steps::contraction& what, const layout& how,
                                       bool back) {
    const auto all = all_loops(what);
    std::vector<std::int64_t> extents;
    steps::operand laid, given;
    for (std::size_t l = 0; l < all.size(); ++l) {
        const std::int64_t stride = all[l].*stride_of(how.of);
        if (stride == 0) continue;
        extents.push_back(all[l].extent);
        laid.strides.push_back(how.strides[l]);
        given.strides.push_back(stride);
    }
    const std::array<steps::operand, 2> operands{back ? given : laid, back ? laid : given};
    const std::array<steps::instruction, 1> program{
        steps::instruction{steps::opcode::load, -1, -1, -1, 1, 0}};
    steps::map copy;
    // What moves is not looked at.
    copy.type = size_of(what.type) == sizeof(float) ? element::f32 : element::f64;
    copy.extents = extents;
    copy.operands = operands;
    copy.program = program;
    return elementwise::prepared_map(copy);
}

}  // namespace

regrouped laid_out(const steps::contraction& what, const layout& how) {
    auto all = all_loops(what);
    for (std::size_t l = 0; l < all.size(); ++l) all[l].*stride_of(how.of) = how.strides[l];
    return {what, std::move(all)};
}

std::vector<layout> layouts_of(const steps::contraction& what) {
    const auto all = all_loops(what);
    constexpr stride_member a = &contraction_loop::a, b = &contraction_loop::b,
                            c = &contraction_loop::c;
    const std::size_t m = what.batch.size(), n = m + what.m.size(), k = n + what.n.size();
    const auto group = [&](std::size_t first, std::size_t count, stride_member stride) {
        return sorted(all, first, count, stride);
    };
    std::vector<layout> made;
    const auto add = [&](layout::operand of, const std::vector<std::size_t>& batch,
                         const std::vector<std::size_t>& first,
                         const std::vector<std::size_t>& second) {
        for (const auto& [outer, inner] :
             {std::pair(&first, &second), std::pair(&second, &first)}) {
            auto order = batch;
            order.insert(order.end(), outer->begin(), outer->end());
            order.insert(order.end(), inner->begin(), inner->end());
            made.push_back(row_major(all, of, order));
        }
    };
    const auto by_c = group(0, what.batch.size(), c), by_a = group(0, what.batch.size(), a);
    add(layout::operand::a, by_c, group(m, what.m.size(), c), group(k, what.k.size(), b));
    add(layout::operand::b, by_c, group(n, what.n.size(), c), group(k, what.k.size(), a));
    add(layout::operand::c, by_a, group(m, what.m.size(), a), group(n, what.n.size(), b));
    return made;
}

bool can_be_relaid(const steps::contraction& what) {
    if (size_of(what.type) != sizeof(float) && size_of(what.type) != sizeof(double)) return false;
    double products = 1;
    for (const auto& loop : all_loops(what)) products *= static_cast<double>(loop.extent);
    return products >= least_products;
}

std::optional<better_layout> find_better_layout(
    const steps::contraction& what, const cost& as_it_is,
    const std::function<cost(const steps::contraction&)>& price) {
    const std::size_t bytes = size_of(what.type);
    const auto all = all_loops(what);
    std::optional<better_layout> best;
    double least = as_it_is.cycles() * part_worth_copying;
    for (auto& how : layouts_of(what)) {
        if (how.elements * static_cast<std::int64_t>(bytes) > most_copied) continue;
        const cost copy = cost_of_copy(all, how, bytes);
        if (copy.cycles() >= least) continue;
        const cost total = copy + price(laid_out(what, how).made);
        if (total.cycles() >= least) continue;
        least = total.cycles();
        best = better_layout{std::move(how), copy};
    }
    return best;
}

relaid::relaid(const steps::contraction& what, const layout& how, choice inner)
    : of_(how.of),
      bytes_(static_cast<std::size_t>(how.elements) * size_of(what.type)),
      inner_(std::move(inner)) {
    in_.emplace(copy_between(what, how, false));
    if (of_ == layout::operand::c) out_.emplace(copy_between(what, how, true));
}

void relaid::run(const void* a, const void* b, void* c, const engine::number& alpha,
                 const engine::number& beta) const {
    const runtime::lent_memory memory(bytes_);
    void* const laid = memory.data();
    const void* const given = of_ == layout::operand::a ? a : of_ == layout::operand::b ? b : c;
    if (of_ != layout::operand::c || beta != engine::number()) {
        void* const bases[] = {laid, const_cast<void*>(given)};
        in_->run(bases);
    }
    inner_.how->run(of_ == layout::operand::a ? laid : a, of_ == layout::operand::b ? laid : b,
                    of_ == layout::operand::c ? laid : c, alpha, beta);
    if (of_ != layout::operand::c) return;
    void* const bases[] = {c, laid};
    out_->run(bases);
}

runtime::loan_list relaid::loans() const {
    runtime::loan_list all = inner_.how->loans();
    all.push_back({bytes_});
    for (const auto* const copy : {&in_, &out_}) {
        if (!*copy) continue;
        const auto more = (*copy)->loans();
        all.insert(all.end(), more.begin(), more.end());
    }
    return all;
}

std::string relaid::words() const {
    const std::string more = inner_.how->words();
    const char* const which = of_ == layout::operand::a ? "its first factor copied in another order"
                              : of_ == layout::operand::b
                                  ? "its second factor copied in another order"
                                  : "its result written in another order and copied";
    return fmt::format("{}{}{}", which, more.empty() ? "" : ", ", more);
}

}  // namespace ricci::contractions
