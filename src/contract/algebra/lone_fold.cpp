// An operand folded, before the product, over the indices of k that it alone has.
#include "src/contract/algebra/lone_fold.hpp"

#include <algorithm>
#include <cstdlib>

namespace ricci::contractions {
namespace {

using steps::contraction_loop;
using stride_member = std::int64_t contraction_loop::*;

}  // namespace

steps::algebra_product algebra_loops::product(const steps::algebra_product& like) const {
    steps::algebra_product made = like;
    made.batch = batch;
    made.m = m;
    made.n = n;
    made.k = k;
    return made;
}

steps::algebra_product lone_fold::product(const steps::algebra_product& like) const {
    steps::algebra_product made;
    made.type = like.type;
    made.algebra = like.algebra;
    made.m = kept;
    made.k = folded;
    return made;
}

lone_fold take_lone_loops(algebra_loops& loops, operand_side side) {
    const bool is_a = side == operand_side::a;
    const stride_member own = is_a ? &contraction_loop::a : &contraction_loop::b;
    const stride_member other = is_a ? &contraction_loop::b : &contraction_loop::a;
    const auto is_lone = [&](const contraction_loop& loop) {
        return loop.*other == 0 && loop.*own != 0 && loop.extent > 1;
    };
    lone_fold fold;
    const loop_list& uses = is_a ? loops.n : loops.m;
    if (iterations(uses) < 2 || std::none_of(loops.k.begin(), loops.k.end(), is_lone)) return fold;
    for (const contraction_loop& loop : loops.k)
        if (is_lone(loop)) fold.folded.push_back({loop.extent, loop.*own, 0, 0});
    std::erase_if(loops.k, is_lone);

    // The folds lie in the order in which the operand's loops are slower and faster.
    std::vector<contraction_loop*> kept;
    for (loop_list* list : {&loops.batch, is_a ? &loops.m : &loops.n, &loops.k})
        for (contraction_loop& loop : *list)
            if (loop.*own != 0 && loop.extent != 1) kept.push_back(&loop);
    std::sort(kept.begin(), kept.end(), [&](const contraction_loop* x, const contraction_loop* y) {
        const std::int64_t step_x = std::abs(x->*own), step_y = std::abs(y->*own);
        return step_x != step_y ? step_x < step_y : x < y;
    });
    for (contraction_loop* loop : kept) {
        fold.kept.push_back({loop->extent, loop->*own, 0, fold.elements});
        loop->*own = fold.elements;
        fold.elements *= loop->extent;
    }
    return fold;
}

}  // namespace ricci::contractions
