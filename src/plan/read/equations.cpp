#include "src/plan/read/equations.hpp"

#include <vector>

#include <fmt/core.h>

#include <ricci/ir/extrema.hpp>
#include <ricci/ir/rewrite.hpp>
#include "src/plan/read/translate.hpp"
#include "src/plan/trees/symmetric.hpp"
#include "src/plan/words/words.hpp"

namespace ricci::plan {

read_equation equation_reader::read(ir::ref e) {
    const auto& equation = p_.equations[e];
    std::vector<loop> loops;
    for (ir::ref i = 0; i < p_.indices.size(); ++i)
        loops.push_back(plan_.values.loops().of(i, shapes_.index_extent(e, i)));
    const auto loop_of = [&](ir::ref i) { return loops[static_cast<std::size_t>(i)]; };
    translation from(p_, conditions_, e, loops, plan_, known_.recomputed);
    read_equation made;
    made.number = e;
    made.target = from.left_side();
    made.indices = loops_of(made.target);
    made.covers_all = from.covers_all();
    for (std::int32_t axis = 0; axis < equation.positions.count; ++axis) {
        const auto& p = p_.at(equation.positions, axis);
        if (p.kind == ir::position_kind::index) made.order.push_back(loop_of(p.index));
        for (std::int32_t k = 0; k < p.terms.count; ++k)
            made.order.push_back(loop_of(p_.affine_terms[p.terms.first + k].index));
    }
    const ir::node& whole = p_.nodes[equation.body];
    if (ir::gives_place(whole)) {
        made.place = {whole.detail == static_cast<std::uint8_t>(ir::reduction::argmax),
                      loop_of(p_.reduced(whole, 0)), from.part(p_.child(whole, 0))};
    } else if (ir::is_of_matrix(whole)) {
        made.matrix = {
            static_cast<ir::reduction>(whole.detail),
            from.part(p_.child(whole, 0)),
            whole.children.count > 1 ? from.part(p_.child(whole, 1)) : expr::none,
            loop_of(p_.reduced(whole, 0)),
            loop_of(p_.reduced(whole, 1)),
            fmt::format("in {} the matrix", words_of_equation(p_, e)),
            is_symmetric(p_, p_.child(whole, 0), p_.reduced(whole, 0), p_.reduced(whole, 1))};
    } else {
        made.value = from.body();
        known_.defined.add(made.target, plan_.slot_of(made.target).extents, made.value);
    }
    return made;
}

}  // namespace ricci::plan
