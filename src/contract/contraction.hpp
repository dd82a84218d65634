// A contraction, prepared once and run many times.
#pragma once

#include <string>

#include "src/contract/candidates.hpp"
#include "src/contract/strategy.hpp"
#include "src/steps/contraction.hpp"

namespace ricci::contractions {

/// Which kernels a contraction is run with: this CPU's, or the plain loops they are compared with.
enum class kernel_choice { best, scalar };

/// Whether operands may be copied into other orders first, where that is cheaper.
enum class layout_choice { cheapest, as_given };

class prepared_contraction {
public:
    /// Copies what it needs of the descriptor, orders the loops and chooses blocks. Throws
    /// std::bad_alloc.
    explicit prepared_contraction(const steps::contraction& what,
                                  kernel_choice kernels = kernel_choice::best,
                                  layout_choice layouts = layout_choice::cheapest);

    /// C = alpha * A B + beta * C, with the operands in the descriptor's element type. C is not
    /// read when beta is 0. Does not allocate while `how().loans()` are held. The result does not
    /// depend on the number of threads.
    void run(const void* a, const void* b, void* c, const engine::number& alpha,
             const engine::number& beta) const {
        choice_.how->run(a, b, c, alpha, beta);
    }

    /// The same; where the descriptor has lists, they are given here.
    void run(const bound_contraction& of) const { choice_.how->run_bound(of); }

    /// How it is carried out, at what cost, and what would have been the next best way.
    std::string words() const { return choice_.words(); }

    /// How it is carried out.
    const strategy& how() const { return *choice_.how; }

private:
    choice choice_;
};

}  // namespace ricci::contractions
