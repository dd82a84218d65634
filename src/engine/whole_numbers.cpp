// Whether the whole numbers of an operand are what a plan takes them for.
#include "src/engine/whole_numbers.hpp"

#include "src/engine/strided_lines.hpp"

namespace ricci::engine {
namespace {

template <class T>
std::optional<std::int64_t> search(const strided_elements& tensor, std::int64_t least,
                                   std::int64_t most) {
    const auto* const data = static_cast<const T*>(tensor.data);
    std::optional<std::int64_t> found;
    any_line(tensor.extents, tensor.strides,
             [&](std::int64_t offset, std::int64_t count, std::int64_t stride) {
                 const T* const from = data + offset;
                 // No way out of the loop, so that it is one of vectors.
                 int outside = 0;
                 const auto look = [&](T x) { outside |= x < least || x > most ? 1 : 0; };
                 if (stride == 1)
                     for (std::int64_t k = 0; k < count; ++k) look(from[k]);
                 else
                     for (std::int64_t k = 0; k < count; ++k) look(from[k * stride]);
                 for (std::int64_t k = 0; outside != 0 && !found; ++k)
                     if (const T x = from[k * stride]; x < least || x > most) found = x;
                 return outside != 0;
             });
    return found;
}

}  // namespace

std::optional<std::int64_t> number_outside(const strided_elements& tensor, std::int64_t least,
                                           std::int64_t most) {
    return tensor.type == element::i32 ? search<std::int32_t>(tensor, least, most)
                                       : search<std::int64_t>(tensor, least, most);
}

}  // namespace ricci::engine
