// Row-major tensors, and the memory that they lie in.
#include "src/engine/layer_memory.hpp"

namespace ricci::engine {

operand layer_memory::in_row(const std::vector<std::int64_t>& extents) {
    auto& numbers = numbers_.emplace_back(extents);
    const std::size_t rank = extents.size();
    numbers.resize(2 * rank);
    std::int64_t stride = 1;
    for (std::size_t axis = rank; axis-- > 0;) {
        numbers[rank + axis] = stride;
        stride *= extents[axis];
    }
    operand o;
    o.rank = static_cast<std::int32_t>(rank);
    o.extents = numbers.data();
    o.strides = numbers.data() + rank;
    o.shape_only = true;  // until it is bound
    return o;
}

std::byte* layer_memory::allocate(const operand& one, std::int64_t count) {
    std::vector<std::size_t> extents{static_cast<std::size_t>(count)};
    std::size_t bytes = size_of(type_);
    for (std::int32_t axis = 0; axis < one.rank; ++axis)
        extents.push_back(static_cast<std::size_t>(one.extents[axis]));
    for (const std::size_t e : extents) bytes *= e;
    bytes_ += bytes;
    if (!real_) return nullptr;
    return static_cast<std::byte*>(blocks_.emplace_back(type_, extents).data());
}

std::int64_t layer_memory::bytes_of(const operand& row) const {
    auto bytes = static_cast<std::int64_t>(size_of(type_));
    for (std::int32_t axis = 0; axis < row.rank; ++axis) bytes *= row.extents[axis];
    return bytes;
}

plan::moving_slot layer_memory::by_turns(const operand& one, std::byte* places,
                                         std::int64_t other) const {
    const std::int64_t bytes = bytes_of(one);
    plan::moving_slot made;
    made.base = places;
    made.turns = 2;
    made.first = other * bytes;
    made.advance = {(1 - 2 * other) * bytes};
    made.carried = other != 0;
    return made;
}

plan::moving_slot layer_memory::in_line(const operand& one, std::byte* tensors,
                                        std::int64_t before) const {
    plan::moving_slot made;
    made.base = tensors;
    made.first = -before * bytes_of(one);
    made.advance = {bytes_of(one)};
    made.carried = true;
    return made;
}

}  // namespace ricci::engine
