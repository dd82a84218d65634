// Numbers that say places, of whichever type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ricci/array.hpp>

namespace ricci::mpi {

/// visit(pointer to the numbers), which are of a type of whole numbers.
template <class Visit>
void with_numbers(element type, void* data, const Visit& visit) {
    if (type == element::i32) visit(static_cast<std::int32_t*>(data));
    else if (type == element::i64) visit(static_cast<std::int64_t*>(data));
    else visit(static_cast<std::uint8_t*>(data));
}

/// The k-th one of numbers that lie row-major.
inline void write_number(array& to, std::size_t k, std::int64_t number) {
    with_numbers(to.type(), to.data(), [&](auto* numbers) {
        using T = std::remove_reference_t<decltype(*numbers)>;
        numbers[k] = static_cast<T>(number);
    });
}

}  // namespace ricci::mpi
