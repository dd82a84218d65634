// A product in another algebra whose operands are read where they lie: many elements of C side by
// side, or one after the other along its terms. For small products, and for operands that are used
// about once.
#pragma once

#include <cstdint>
#include <vector>

#include "src/contract/algebra/algebra_strategy.hpp"
#include "src/contract/index_groups.hpp"

namespace ricci::contractions {

/// The two kernels it is made of, and the elements in a vector of theirs.
template <class T>
struct fold_kernels {
    using function = void (*)(const kernels::fold_terms<T>& terms, const kernels::fold_line<T>& to);
    function line = nullptr;
    function along = nullptr;
    int lanes = 1;
};

template <class T>
class line_folds final : public algebra_strategy<T> {
public:
    /// `keeps_order`: places are counted, in the order of the loops of k.
    line_folds(const index_groups& groups, const fold_kernels<T>& kernels, bool keeps_order);
    void run(const algebra_operands<T>& given) const override;
    const char* name() const override { return along_ ? "folds along k" : "lines of folds"; }

private:
    void choose_line(bool keeps_order);
    void take_rows();
    void place_lines();
    void run_part(const algebra_operands<T>& from, std::int64_t line, std::int64_t row_part,
                  std::int64_t line_part) const;

    fold_kernels<T> kernels_;
    walk_origin origin_;
    // Without the loops of the line and of its rows, and without the innermost loop of terms.
    loop_list free_, summed_;
    steps::contraction_loop line_, rows_, inner_;
    bool along_ = false;
    // Offsets of the terms' outer iterations, and of lines: `near_lines_` listed ones for each
    // iteration of the loops in far_.
    std::vector<std::int64_t> a_outer_, b_outer_, a_lines_, b_lines_, c_lines_;
    loop_list far_;
    std::int64_t near_lines_ = 1, lines_ = 1;
    // Each line, and the rows that go with it, in so many parts.
    std::int64_t line_parts_ = 1, line_part_ = 1, row_parts_ = 1, row_part_ = 1;
    std::int64_t parts_per_task_ = 1;
    bool serial_ = true;
};

}  // namespace ricci::contractions
