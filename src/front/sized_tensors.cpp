// The extents of every tensor of a program, from those of its operands.
#include <ricci/detail/bind/check.hpp>
#include <ricci/ir/shapes.hpp>
#include <ricci/program.hpp>

#include "src/front/call_operands.hpp"
#include "src/text/program_body.hpp"

namespace ricci {
namespace {

ir::shape_table shapes_from(const engine::request& r) {
    ir::shape_table table(r.program);
    const auto set = [&](const engine::operand* list, std::int32_t count) {
        for (std::int32_t k = 0; k < count; ++k)
            table.set_shape(list[k].name, list[k].rank, list[k].extents);
    };
    set(r.inputs, r.input_count);
    set(r.outputs, r.output_count);
    for (std::int32_t k = 0; k < r.index_extent_count; ++k)
        table.set_index(r.index_extents[k].index, r.index_extents[k].extent);
    for (ir::ref i = 0; r.layers != nullptr && i < r.program.indices.size(); ++i)
        if (r.program.index(i) == r.layers->index) table.set_index(i, r.layers->count);
    if (const auto mistake = ir::infer_shapes(r.program, table)) detail::refuse(mistake.words);
    return table;
}

}  // namespace

std::vector<sized_tensor> tensors_of(const program& p, detail::operand_list operands,
                                     const prepare_options& options) {
    const detail::call_operands call(p, operands, detail::call_kind::explain, options);
    const engine::request request = call.request();
    const ir::program_view view = request.program;
    const ir::shape_table table = shapes_from(request);
    std::vector<sized_tensor> all;
    const auto add = [&](const tensor_info& tensor, sized_tensor::part role) {
        const ir::ref n =
            view.find({tensor.name.data(), static_cast<std::int32_t>(tensor.name.size())});
        std::vector<std::size_t> extents;
        for (std::int32_t axis = 0; axis < table.rank(n); ++axis)
            extents.push_back(static_cast<std::size_t>(table.extent(n, axis)));
        element type = ir::is_of_places(view, n) ? element::i32 : request.type;
        for (std::int32_t k = 0; k < request.input_count; ++k)
            if (request.inputs[k].name == n && request.inputs[k].is_positions)
                type = request.inputs[k].positions;
        all.push_back({tensor, role, shape(type, std::span<const std::size_t>(extents))});
    };
    for (const tensor_info& tensor : p.inputs()) add(tensor, sized_tensor::part::input);
    for (const tensor_info& tensor : p.definitions()) {
        const ir::ref n =
            view.find({tensor.name.data(), static_cast<std::int32_t>(tensor.name.size())});
        if (view.names[n].shape_only) continue;
        add(tensor,
            is_output(view, n) ? sized_tensor::part::output : sized_tensor::part::intermediate);
    }
    return all;
}

}  // namespace ricci
