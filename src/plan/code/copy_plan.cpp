// Plans of one assignment.
#include "src/plan/code/copy_plan.hpp"

#include <utility>

#include "src/plan/code/emit.hpp"

namespace ricci::plan {
namespace {

// to = from; to = 0 where `from` is null.
program_plan whole_tensor(element type, const std::vector<std::int64_t>& extents,
                          const tensor_memory* from, const tensor_memory& to) {
    program_plan made;
    made.type = type;
    made.values.set_type(type);
    const auto slot_in = [&](const tensor_memory& memory, storage kind) {
        slot s;
        s.kind = kind;
        s.extents = extents;
        s.strides = memory.strides;
        s.data = memory.data;
        return made.add(std::move(s));
    };
    assign a = begun(0, assignment_kind::map, all_of(made, slot_in(to, storage::output)));
    if (made.values.size(a.loops) == 0) return made;
    if (from != nullptr) {
        access source = a.target;
        source.slot = slot_in(*from, storage::input);
        a.body = made.values.load(source);
    } else {
        a.body = made.values.constant(0);
    }
    made.steps.push_back(make_step(made.values, std::move(a)));
    emit(made);
    return made;
}

}  // namespace

program_plan copy_plan(element type, const std::vector<std::int64_t>& extents,
                       const tensor_memory& from, const tensor_memory& to) {
    return whole_tensor(type, extents, &from, to);
}

program_plan zeros_plan(element type, const std::vector<std::int64_t>& extents,
                        const tensor_memory& to) {
    return whole_tensor(type, extents, nullptr, to);
}

}  // namespace ricci::plan
