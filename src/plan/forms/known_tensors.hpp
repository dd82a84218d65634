// What is known of the tensors of a plan, by whoever reads or writes its equations.
#pragma once

#include <set>
#include <vector>

#include "src/plan/forms/matrix_factors.hpp"
#include "src/plan/forms/recomputed.hpp"
#include "src/plan/forms/written_products.hpp"
#include "src/plan/pool/definitions.hpp"

namespace ricci::plan {

/// An input or an intermediate of another type, all of it converted.
struct converted_input {
    slot_number from, to;
    element type = element::f32;
    bool condition = false;
};

struct known_tensors {
    known_tensors(program_plan& plan, const std::set<slot_number>& stored)
        : defined(plan.values), recomputed(plan, defined), products(plan, stored) {}

    definitions defined;
    recomputed_differences recomputed;
    written_products products;
    factor_table factors;
    std::vector<converted_input> converted;
};

}  // namespace ricci::plan
