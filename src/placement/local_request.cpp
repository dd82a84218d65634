// What the engine is asked for.
#include "src/placement/local_request.hpp"

namespace ricci::mpi {

local_request::local_request(const sharing_request& from, const rank_memory& memory, const stage& s)
    : stage_(s), type_(from.type), exact_distances_(from.exact_distances) {
    for (const ir::ref n : from.inputs) in_.push_back(operand_of(memory, n));
    // a shape lies nowhere, and two outputs may not lie at one place
    for (const ir::ref n : from.outputs)
        if (!memory.arrays.at(n).is_shape()) out_.push_back(operand_of(memory, n));
}

local_request::local_request(element type, const rank_memory& moved, const stage& s)
    : stage_(s), type_(type) {
    for (const auto& [n, a] : moved.arrays) in_.push_back(operand_of(moved, n));
}

engine::request local_request::view() const {
    engine::request r;
    r.program = stage_.program.view();
    r.type = type_;
    r.exact_distances = exact_distances_;
    r.inputs = in_.data();
    r.input_count = static_cast<std::int32_t>(in_.size());
    r.outputs = out_.data();
    r.output_count = static_cast<std::int32_t>(out_.size());
    r.index_extents = stage_.extents.data();
    r.index_extent_count = static_cast<std::int32_t>(stage_.extents.size());
    return r;
}

engine::operand local_request::operand_of(const rank_memory& from, ir::ref name) {
    engine::operand o;
    o.name = name;
    if (const auto x = from.numbers.find(name); x != from.numbers.end()) {
        o.value = x->second;
        return o;
    }
    const array& a = from.arrays.at(name);
    // a list that is moved keeps its elements where they are
    extents_.emplace_back(a.extents().begin(), a.extents().end());
    strides_.emplace_back(a.strides().begin(), a.strides().end());
    o.rank = static_cast<std::int32_t>(a.rank());
    o.shape_only = a.is_shape();
    if (!o.shape_only) o.data = const_cast<void*>(a.data());
    o.extents = extents_.back().data();
    o.strides = strides_.back().data();
    o.is_positions = is_whole(a.type()) || a.type() == element::boolean;
    o.positions = a.type();
    if (const auto w = from.watches.find(name); w != from.watches.end()) o.watch = w->second;
    return o;
}

}  // namespace ricci::mpi
