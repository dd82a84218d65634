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

std::ptrdiff_t layer_memory::bytes_of(const operand& row) const {
    std::int64_t elements = 1;
    for (std::int32_t axis = 0; axis < row.rank; ++axis) elements *= row.extents[axis];
    return elements * static_cast<std::ptrdiff_t>(size_of(type_));
}

}  // namespace ricci::engine
