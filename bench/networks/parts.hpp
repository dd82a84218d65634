// What the generators of networks are made of: tensors from lists of numbers, random ones, numbers
// of indices one after another.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include <ricci/network.hpp>

namespace ricci::bench {

/// Numbers from a seed, the same on every machine.
class random_numbers {
public:
    explicit random_numbers(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        std::uint64_t x = state_ += 0x9e3779b97f4a7c15U;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
        return x ^ (x >> 31);
    }
    /// From 0 to count - 1.
    std::size_t below(std::size_t count) { return static_cast<std::size_t>(next() % count); }
    /// In [0, 1).
    double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

private:
    std::uint64_t state_;
};

using index_numbers = std::vector<std::int64_t>;

/// A tensor with the elements of a list, row-major.
template <class T>
array tensor_of(const std::vector<std::size_t>& extents, const std::vector<T>& values) {
    array a(element_v<T>, extents);
    T* out = static_cast<T*>(a.data());
    for (const T& x : values) *out++ = x;
    return a;
}

/// A tensor of numbers in [0, 1): sums of products of them do not cancel.
inline array random_tensor(const std::vector<std::size_t>& extents, random_numbers& random) {
    array a(element::f64, extents);
    auto* values = static_cast<double*>(a.data());
    for (std::size_t k = 0; k < a.size(); ++k) values[k] = random.unit();
    return a;
}

/// The same network of shapes alone.
inline network shapes_of(const network& n) {
    network made;
    for (std::size_t k = 0; k < n.size(); ++k)
        made.add(shape(n.operand(k).type(), n.operand(k).extents()), n.indices(k));
    made.keep(n.kept());
    return made;
}

}  // namespace ricci::bench
