// Copies of edged operands, and the contractions of them.
#include "src/contract/edged.hpp"

#include <algorithm>
#include <vector>

#include <fmt/core.h>

#include "src/base/arithmetic.hpp"
#include "src/contract/regrouped.hpp"
#include "src/runtime/buffers.hpp"
#include "src/runtime/caches.hpp"

namespace ricci::contractions {
namespace {

// Bytes that are copied at once: they are read soon after they are written. A copy of not much more
// is not cut.
constexpr std::int64_t most_edged_bytes = std::int64_t{2} << 20;
// Operations of a part at least: enough to share out.
constexpr double least_flops = 3e7;

using edged_loops = std::vector<steps::contraction_loop>;

double iterations_of(const edged_loops& all) {
    double count = 1;
    for (const auto& loop : all) count *= static_cast<double>(loop.extent);
    return count;
}

// Whether an operand of this stride, and with these edges, moves in a loop.
bool moves_in(std::size_t l, std::int64_t stride, std::span<const steps::edged_axis> edges) {
    return stride != 0 || std::any_of(edges.begin(), edges.end(), [&](const auto& e) {
               return l < e.factors.size() && e.factors[l] != 0;
           });
}

}  // namespace

edged::edged(const steps::contraction& what, const chooser& choose)
    : element_bytes_(size_of(what.type)) {
    edged_loops all = all_loops(what);
    empty_ = std::any_of(all.begin(), all.end(), [](const auto& l) { return l.extent == 0; });
    if (empty_) {
        whole_ = choose(regrouped(what, all).made);
        return;
    }
    std::vector<std::int64_t> extents, in_a, in_b;
    for (const auto& loop : all) {
        extents.push_back(loop.extent);
        in_a.push_back(loop.a);
        in_b.push_back(loop.b);
    }
    if (!what.a_edges.empty()) a_.copy.emplace(extents, in_a, what.a_edges, element_bytes_);
    if (!what.b_edges.empty()) b_.copy.emplace(extents, in_b, what.b_edges, element_bytes_);
    // A part of a sum would be rounded: loops of k are not cut.
    const std::size_t free = all.size() - what.k.size();
    std::size_t cut = 0;
    while (cut < free && !cut_at(cut, all, what)) ++cut;
    const bool whole = cut == free;
    if (!whole && !a_.in_parts) a_.step = a_.copy ? 0 : outer_.a;
    if (!whole && !b_.in_parts) b_.step = b_.copy ? 0 : outer_.b;

    for (side* const one : {&a_, &b_})
        if (one->copy) one->copy->lay_out();
    for (std::size_t l = 0; l < all.size(); ++l) {
        if (a_.copy) all[l].a = a_.copy->strides()[l];
        if (b_.copy) all[l].b = b_.copy->strides()[l];
    }
    if (!whole) all[cut].extent = at_once_;
    whole_ = choose(regrouped(what, all).made);
    if (whole) return;
    all[cut].extent = outer_.extent % at_once_;
    if (all[cut].extent != 0) rest_ = choose(regrouped(what, all).made);
}

// Makes loop `l` the outer one, if one operand alone moves in it, whose copy is large.
bool edged::cut_at(std::size_t l, const std::vector<steps::contraction_loop>& all,
                   const steps::contraction& what) {
    const std::int64_t extent = all[l].extent;
    if (extent < 2) return false;
    const bool a = a_.copy && moves_in(l, all[l].a, what.a_edges);
    const bool b = b_.copy && moves_in(l, all[l].b, what.b_edges);
    if (a == b) return false;
    side& one = a ? a_ : b_;
    inside_copy tried = *one.copy;
    if (!tried.put_outermost(l)) return false;
    tried.lay_out();
    const std::int64_t bytes = tried.inner() * static_cast<std::int64_t>(element_bytes_);
    if (tried.outer() * bytes <= 2 * most_edged_bytes) return false;
    const double flops = 2 * iterations_of(all) / static_cast<double>(extent);
    const std::int64_t at_once =
        std::clamp<std::int64_t>(std::max(most_edged_bytes / std::max<std::int64_t>(1, bytes),
                                          static_cast<std::int64_t>(least_flops / flops)),
                                 1, extent);
    if (at_once == extent) return false;
    at_once_ = at_once;
    one.copy->put_outermost(l);
    one.in_parts = true;
    outer_ = all[l];
    return true;
}

// Bytes of what is copied at once, whole cache lines.
std::size_t edged::bytes_of(const side& one) const {
    if (!one.copy) return 0;
    const std::int64_t elements = (one.in_parts ? at_once_ : one.copy->outer()) * one.copy->inner();
    return round_up(static_cast<std::size_t>(elements) * element_bytes_,
                    static_cast<std::size_t>(runtime::line_bytes));
}

// The operand of iterations [first, first + count) of the outer loop.
const void* edged::part_of(const side& one, const void* from, std::int64_t first,
                           std::int64_t count, std::byte* copied) const {
    const auto bytes = static_cast<std::int64_t>(element_bytes_);
    if (!one.copy) return static_cast<const std::byte*>(from) + first * one.step * bytes;
    if (one.in_parts) one.copy->run(from, first, count, copied);
    else if (first == 0) one.copy->run(from, 0, one.copy->outer(), copied);
    return copied + one.copy->origin() * bytes;
}

void edged::run(const void* a, const void* b, void* c, const engine::number& alpha,
                const engine::number& beta) const {
    if (empty_) {
        whole_.how->run(a, b, c, alpha, beta);
        return;
    }
    const runtime::lent_memory memory(bytes_of(a_) + bytes_of(b_));
    auto* const copied_a = reinterpret_cast<std::byte*>(memory.data());
    std::byte* const copied_b = copied_a + bytes_of(a_);
    for (std::int64_t first = 0; first < outer_.extent; first += at_once_) {
        const std::int64_t count = std::min(at_once_, outer_.extent - first);
        const void* const part_a = part_of(a_, a, first, count, copied_a);
        const void* const part_b = part_of(b_, b, first, count, copied_b);
        std::byte* const part_c = static_cast<std::byte*>(c) +
                                  first * outer_.c * static_cast<std::int64_t>(element_bytes_);
        (count == at_once_ ? whole_ : rest_).how->run(part_a, part_b, part_c, alpha, beta);
    }
}

runtime::loan_list edged::loans() const {
    if (empty_) return whole_.how->loans();
    runtime::loan_list all{{bytes_of(a_) + bytes_of(b_)}};
    for (const choice* const part : {&whole_, &rest_}) {
        if (part->how == nullptr) continue;
        const runtime::loan_list more = part->how->loans();
        all.insert(all.end(), more.begin(), more.end());
    }
    return all;
}

std::string edged::words() const {
    const std::string more = whole_.how->words();
    const char* const which = a_.copy && b_.copy ? "both operands" : "an operand";
    return fmt::format("{} copied first with what its edges read{}{}", which,
                       more.empty() ? "" : ", ", more);
}

}  // namespace ricci::contractions
