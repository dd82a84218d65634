// Walking a plan: kernels prepared for its steps, and every tensor's address.
#pragma once

#include <memory>
#include <vector>

#include "src/contract/contraction.hpp"
#include "src/elementwise/map.hpp"
#include "src/plan/plan.hpp"

namespace ricci::runtime {

/// A plan ready to run: owns the workspace; operands and outputs are the caller's.
class execution {
public:
    /// Every slot of the plan has its memory, but for those in the workspace.
    explicit execution(const plan::program_plan& plan);

    /// Carries out the steps in order. Does not allocate.
    void run();

private:
    struct scalar_program {
        double value = 1;
        std::vector<plan::instruction> instructions;
        std::vector<const void*> operands;
        std::vector<double> values;  // one for each instruction
    };
    struct prepared_step {
        std::unique_ptr<contract::prepared_contraction> contraction;
        const void* a = nullptr;
        const void* b = nullptr;
        void* c = nullptr;
        scalar_program alpha;
        double beta = 0;
        std::unique_ptr<elementwise::prepared_map> map;
        std::vector<void*> bases;
    };
    struct aligned_delete {
        void operator()(std::byte* memory) const;
    };

    double evaluate(scalar_program& program) const;

    element type_;
    std::unique_ptr<std::byte, aligned_delete> workspace_;
    std::vector<prepared_step> steps_;
};

}  // namespace ricci::runtime
