// A contraction of operands with places that may lie outside: they are copied first, a part at a
// time, so that no place of the copies does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "src/contract/candidates.hpp"
#include "src/contract/inside_copy.hpp"
#include "src/contract/strategy.hpp"
#include "src/steps/contraction.hpp"

namespace ricci::contractions {

/// Whether a contraction is carried out so.
inline bool has_edges(const steps::contraction& what) {
    return !what.a_edges.empty() || !what.b_edges.empty();
}

class edged final : public strategy {
public:
    /// How a contraction without edges is carried out.
    using chooser = std::function<choice(const steps::contraction&)>;

    edged(const steps::contraction& what, const chooser& choose);
    void run(const void* a, const void* b, void* c, const engine::number& alpha,
             const engine::number& beta) const override;
    runtime::loan_list loans() const override;
    std::string words() const override;

    /// Of the contraction of all that is copied at once.
    const choice& whole() const { return whole_; }

private:
    // One operand's copy, and how far the operand itself moves from one part to the next.
    struct side {
        std::optional<inside_copy> copy;
        bool in_parts = false;
        std::int64_t step = 0;
    };
    bool cut_at(std::size_t l, const std::vector<steps::contraction_loop>& all,
                const steps::contraction& what);
    std::size_t bytes_of(const side& one) const;
    const void* part_of(const side& one, const void* from, std::int64_t first, std::int64_t count,
                        std::byte* copied) const;

    std::size_t element_bytes_;
    side a_, b_;
    // The loop that is run in parts; its extent is 1 where all is copied at once.
    steps::contraction_loop outer_;
    std::int64_t at_once_ = 1;
    choice whole_, rest_;
    bool empty_ = false;  // a loop has no iterations: nothing is read
};

}  // namespace ricci::contractions
