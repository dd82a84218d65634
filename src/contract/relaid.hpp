// A contraction with one of its operands in another order in memory: A or B copied first, or C
// after it. Where elements that are multiplied together lie scattered, each cache line would
// otherwise be fetched for a few of them, again and again.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/contract/candidates.hpp"
#include "src/contract/regrouped.hpp"
#include "src/contract/strategy.hpp"
#include "src/map/map.hpp"
#include "src/steps/contraction.hpp"

namespace ricci::contractions {

/// Another layout of one operand of a contraction.
struct layout {
    enum class operand : std::uint8_t { a, b, c };
    operand of = operand::a;
    /// Distances of its elements in the copy, of the loops of batch, then of m, n and k.
    std::vector<std::int64_t> strides;
    std::int64_t elements = 1;
};

/// The batch outermost, then the rows and the columns of the operand, or these before those; loops
/// among them as the operands have them that share these.
std::vector<layout> layouts_of(const steps::contraction& what);

/// The same contraction, which has no edges, with the operand there.
regrouped laid_out(const steps::contraction& what, const layout& how);

/// Whether it is large enough for copies to be worth the search, and of elements that are copied
/// as they are.
bool can_be_relaid(const steps::contraction& what);

/// The layout with which the contraction and the copy together are cheapest, if that is cheaper
/// than as it is. `price`: of a contraction that runs as it is.
struct better_layout {
    layout how;
    cost copy;
};
std::optional<better_layout> find_better_layout(
    const steps::contraction& what, const cost& as_it_is,
    const std::function<cost(const steps::contraction&)>& price);

class relaid final : public strategy {
public:
    /// `inner`: of the contraction with the operand laid out so.
    relaid(const steps::contraction& what, const layout& how, choice inner);
    void run(const void* a, const void* b, void* c, const engine::number& alpha,
             const engine::number& beta) const override;
    runtime::loan_list loans() const override;
    std::string words() const override;

private:
    layout::operand of_;
    std::size_t bytes_ = 0;
    // Into the copy, and of C back.
    std::optional<elementwise::prepared_map> in_, out_;
    choice inner_;
};

}  // namespace ricci::contractions
