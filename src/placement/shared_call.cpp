// A call of which indices are shared out.
#include "src/placement/shared_call.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include <ricci/error.hpp>
#include <ricci/ir/extrema.hpp>
#include <ricci/ir/roles.hpp>
#include <ricci/ir/shapes.hpp>

#include "src/base/texts.hpp"
#include "src/placement/shared_matrices.hpp"

namespace ricci::mpi {
namespace {

using detail::operand_kind;

std::vector<ir::ref> letters_of(const ir::program_view& p, const std::string& letter) {
    std::vector<ir::ref> list;
    for (ir::ref i = 0; i < p.indices.size(); ++i)
        if (detail::string_of(p.index(i)) == letter) list.push_back(i);
    return list;
}

void set_index(const ir::program_view& p, const named& o, ir::shape_table& table) {
    for (ir::ref i = 0; i < p.indices.size(); ++i)
        if (detail::string_of(p.index(i)) == o.name)
            return table.set_index(i, o.value.extent_of_index());
}

void infer(const ir::program_view& p, ir::shape_table& table) {
    if (const auto mistake = ir::infer_shapes(p, table))
        throw error(fmt::format("ricci: {}.", detail::string_of(mistake.words)));
}

ir::shape_table shapes_of(const ir::program_view& p, const std::vector<named>& whole) {
    ir::shape_table table(p);
    for (const named& o : whole) {
        if (o.value.kind() == operand_kind::index) {
            set_index(p, o, table);
            continue;
        }
        std::vector<std::int64_t> extents;
        if (o.value.kind() == operand_kind::tensor)
            for (const std::size_t e : o.value.value().extents())
                extents.push_back(static_cast<std::int64_t>(e));
        table.set_shape(p.find(detail::view_of(o.name)), static_cast<std::int32_t>(extents.size()),
                        extents.data());
    }
    infer(p, table);
    return table;
}

// In which a program computes: places that it finds are whole numbers all the same, and inputs may
// be numbers of places or conditions.
element type_of(const std::vector<sized_tensor>& tensors, const ir::program_view& p) {
    std::vector<element> of_inputs;
    for (const sized_tensor& t : tensors) {
        const element type = t.extents.type();
        if (t.role == sized_tensor::part::input) of_inputs.push_back(type);
        else if (!ir::is_of_places(p, p.find(detail::view_of(t.tensor.name)))) return type;
    }
    const auto order = [](element e) { return e == element::boolean ? 2 : is_whole(e) ? 1 : 0; };
    const auto best = std::min_element(of_inputs.begin(), of_inputs.end(),
                                       [&](element a, element b) { return order(a) < order(b); });
    return best == of_inputs.end() ? element::f64 : *best;
}

}  // namespace

void shared_call::share_out(const std::vector<std::string>& shared_out, const grid_place& grid) {
    const ir::program_view view = program.view();
    for (std::size_t k = 0; k < shared_out.size(); ++k) {
        shared_letter one{shared_out[k], {}};
        one.sharing.rank = grid.places[k];
        one.sharing.ranks = grid.extents[k];
        one.sharing.blocks = blocks;
        shared.push_back(one);
        dimensions.push_back(k);
        axes.push_back(axes_with(view, one.letter));
        if (one.sharing.ranks > 1) refuse_shared_matrices(view, axes.back(), one.letter);
        for (std::size_t other = 0; other < k; ++other)
            for (ir::ref n = 0; n < view.names.size(); ++n) {
                const auto at = static_cast<std::size_t>(n);
                if (axes[k][at] < 0 || axes[k][at] != axes[other][at]) continue;
                if (view.definition(n) != ir::none && !ir::is_output(view, n)) {
                    axes[k][at] = -1;  // it is nobody's business but ours
                    continue;
                }
                throw error(fmt::format(
                    "ricci: axis {} of {} has both shared-out indices, {} and {}; give one of them "
                    "another letter.",
                    axes[k][at], detail::string_of(view.name(n)), shared_out[other],
                    shared_out[k]));
            }
        letters.push_back(letters_of(view, one.letter));
    }
}

// A letter of one rank is as any other.
void shared_call::leave_out_single_ranks() {
    for (std::size_t k = shared.size(); k-- > 0;) {
        if (shared[k].sharing.ranks > 1 || blocks > 0) continue;
        std::fill(axes[k].begin(), axes[k].end(), -1);
        if (shared.size() == 1) break;
        const auto at = static_cast<std::ptrdiff_t>(k);
        shared.erase(shared.begin() + at);
        dimensions.erase(dimensions.begin() + at);
        axes.erase(axes.begin() + at);
        letters.erase(letters.begin() + at);
    }
}

void shared_call::complete(const std::vector<named>& whole, const prepare_options& options) {
    const ir::program_view view = program.view();
    type = type_of(tensors_of(program, whole, options), view);
    shapes = shapes_of(view, whole);
    for (const named& o : operands) {
        const ir::ref n = view.find(detail::view_of(o.name));
        if (o.value.kind() != operand_kind::index && view.definition(n) == ir::none)
            inputs.push_back(n);
    }
    leave_out_single_ranks();
    find_outputs();
}

void shared_call::find_outputs() {
    const ir::program_view view = program.view();
    for (const ir::equation& e : view.equations)
        if (!e.claim && ir::is_output(view, e.name)) outputs.push_back(e.name);
    for (const ir::ref n : outputs)
        for (std::size_t k = 0; k < shared.size(); ++k)
            if (const std::int32_t axis = axes[k][static_cast<std::size_t>(n)]; axis >= 0)
                shared[k].sharing.of(shapes.extent(n, axis));
}

shared_call shared_call::part_of(ricci::program part) const {
    shared_call made(std::move(part));
    made.operands = operands;
    made.shared = shared;
    made.dimensions = dimensions;
    made.type = type;
    made.blocks = blocks;
    const ir::program_view all = program.view(), view = made.program.view();
    made.axes.resize(shared.size());
    for (ir::ref n = 0; n < view.names.size(); ++n) {
        const ir::ref mine = all.find(view.name(n));
        for (std::size_t k = 0; k < shared.size(); ++k)
            made.axes[k].push_back(mine == ir::none ? -1 : axes[k][static_cast<std::size_t>(mine)]);
        if (mine == ir::none || view.definition(n) != ir::none || shapes.rank(mine) < 0) continue;
        made.inputs.push_back(n);
        made.shapes.set_shape(n, shapes.rank(mine), shapes.extents(mine));
    }
    for (const shared_letter& s : shared) made.letters.push_back(letters_of(view, s.letter));
    for (const named& o : operands)
        if (o.value.kind() == operand_kind::index) set_index(view, o, made.shapes);
    infer(view, made.shapes);
    made.find_outputs();
    return made;
}

sharing_request shared_call::request(const rank_memory& memory) {
    sharing_request r;
    r.text = with_own_letters(program.view(), shapes);
    r.shared = &shared;
    r.axes = axes;
    r.letters = letters;
    r.inputs = inputs;
    r.outputs = outputs;
    r.may_wait = may_wait;
    for (const auto& [name, a] : memory.arrays) r.types[name] = a.type();
    r.type = type;
    r.program = program.view();
    for (ir::ref n = 0; n < r.program.names.size(); ++n) r.defined.push_back(n);
    return r;
}

}  // namespace ricci::mpi
