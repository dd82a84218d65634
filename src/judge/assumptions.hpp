// Drawn inputs made to hold what is assumed of them, exactly, and the words for it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <ricci/derive/counterexample.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/shape_table.hpp>

#include "src/judge/judge.hpp"

namespace ricci::judge {

/// An assumption about a name of a program.
struct bound_assumption {
    ir::ref name;
    judge::property property;
    std::int32_t first;  // axes
    std::int32_t second;
    ir::ref index;  // of `counts`
};

/// The rank of the permutation symbol, and the extent of its axes.
inline constexpr std::int32_t permuted = 3;

/// Changes what a counterexample_search draws. Tensors of which nothing is assumed stay as drawn,
/// but that numbers without indices, which are drawn positive, are negative in every other attempt.
class transformation {
public:
    static constexpr bool changes = true;
    transformation(const ir::program_view& p, std::vector<bound_assumption> all)
        : p_(p), all_(std::move(all)) {}
    void operator()(ir::ref name, std::int32_t attempt, const ir::shape_table& shapes,
                    detail::buffer<derive::number>& values) const;

private:
    ir::program_view p_;
    std::vector<bound_assumption> all_;
};

/// What is tried of every input of a program, one at a time, and of all at once that they are
/// positive: that is what physical quantities are.
std::vector<std::vector<bound_assumption>> standard_assumptions(const ir::program_view& p,
                                                                bool counts);

/// Those that were declared of names that the program has.
std::vector<bound_assumption> bound_to(const ir::program_view& p,
                                       const std::vector<assumption>& declared);
assumption as_value(const ir::program_view& p, const bound_assumption& a);

/// "A_{ij} = A_{ji}"
std::string words_of(const ir::program_view& p, const std::vector<bound_assumption>& all);

/// The name without what tells upper indices from lower ones.
std::string plain_name(const std::string& name);

}  // namespace ricci::judge
