// Drawn inputs made to hold what is assumed of them, exactly, and the words for it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <ricci/derive/counterexample.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/shape_table.hpp>

#include "judge/judge.hpp"

namespace ricci::judge {

/// An assumption about a name of a program.
struct bound_assumption {
    ir::ref name;
    judge::property property;
    std::int32_t first;  // axes
    std::int32_t second;
    ir::ref index;  // of `counts`
};
/// Whether two assumptions leave nothing but 0.
bool contradict(const bound_assumption& a, const bound_assumption& b);

/// The rank of the permutation symbol, and the extent of its axes.
inline constexpr std::int32_t permuted = 3;

/// What kind of numbers an attempt has, where a program compares or rounds some.
enum class draw_kind : std::uint8_t {
    usual,
    apart,  // no two are equal, and none is whole
    tied,   // -1, 0, 1 and 2 alone
};
constexpr draw_kind kind_of_draw(std::int32_t attempt) {
    return static_cast<draw_kind>(attempt % 3);
}

/// Changes what a counterexample_search draws. Tensors of which nothing is assumed stay as drawn,
/// but that numbers without indices, which are drawn positive, are negative in half of the
/// attempts.
class transformation {
public:
    static constexpr bool changes = true;
    /// `jumps`: attempts are of each kind by turns. `moved`: if any, the one name whose values are
    /// others in each attempt. `scaled`: one whose values are so many times what is assumed.
    transformation(const ir::program_view& p, std::vector<bound_assumption> all, bool jumps,
                   ir::ref moved = ir::none, ir::ref scaled = ir::none,
                   const derive::number& scale = derive::number::whole(1))
        : p_(p),
          all_(std::move(all)),
          jumps_(jumps),
          moved_(moved),
          scaled_(scaled),
          scale_(scale) {}
    void operator()(ir::ref name, std::int32_t attempt, const ir::shape_table& shapes,
                    detail::buffer<derive::number>& values) const;

private:
    ir::program_view p_;
    std::vector<bound_assumption> all_;
    bool jumps_;
    ir::ref moved_;
    ir::ref scaled_;
    derive::number scale_;
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
