// Random networks of tensors that lie in memory in any way, and what they are by their definition.
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <ricci/half.hpp>
#include <ricci/network.hpp>

namespace ricci::testing {

/// An element of any type.
using wide_number = std::complex<long double>;
using index_numbers = std::vector<std::int64_t>;
using product_pairs = std::vector<std::pair<std::size_t, std::size_t>>;

/// Calls visit with a null pointer to the type of the elements.
template <class Visit>
void with_element_type(element type, const Visit& visit) {
    switch (type) {
        case element::f32:
            return visit(static_cast<float*>(nullptr));
        case element::f64:
            return visit(static_cast<double*>(nullptr));
        case element::bf16:
            return visit(static_cast<bf16*>(nullptr));
        case element::f16:
            return visit(static_cast<f16*>(nullptr));
        case element::c64:
            return visit(static_cast<std::complex<float>*>(nullptr));
        case element::c128:
            return visit(static_cast<std::complex<double>*>(nullptr));
        case element::i32:
            return visit(static_cast<std::int32_t*>(nullptr));
        case element::i64:
            return visit(static_cast<std::int64_t*>(nullptr));
        case element::boolean:
            return;
    }
}

inline wide_number element_at(const array& a, std::int64_t offset) {
    wide_number found;
    with_element_type(a.type(), [&]<class T>(T*) {
        const T x = static_cast<const T*>(a.data())[offset];
        if constexpr (is_complex(element_v<T>)) found = {x.real(), x.imag()};
        else if constexpr (std::is_arithmetic_v<T>) found = static_cast<long double>(x);
        else found = static_cast<long double>(static_cast<float>(x));
    });
    return found;
}

inline void set_element(array& a, std::int64_t offset, wide_number value) {
    with_element_type(a.type(), [&]<class T>(T*) {
        T& x = static_cast<T*>(a.data())[offset];
        if constexpr (is_complex(element_v<T>)) {
            using part = typename T::value_type;
            x = {static_cast<part>(value.real()), static_cast<part>(value.imag())};
        } else if constexpr (std::is_arithmetic_v<T>) {
            x = static_cast<T>(value.real());
        } else {
            x = T(static_cast<double>(value.real()));
        }
    });
}

struct drawn_tensor {
    index_numbers axes;
    array values;
    bool conjugate = false;
};

/// What is drawn are small whole numbers: sums of their products are exact in double.
class drawn_network {
public:
    element type = element::f64;
    std::map<std::int64_t, std::size_t> extents;
    std::vector<drawn_tensor> tensors;
    index_numbers open;

    explicit drawn_network(std::uint64_t seed) : random_(seed) {
        constexpr element types[] = {element::f64, element::f32, element::c128, element::c64,
                                     element::i32, element::i64, element::bf16, element::f16};
        type = types[below(std::size(types))];
        draw_extents();
        const std::size_t count = 1 + below(12), most_axes = 1 + below(5);
        for (std::size_t t = 0; t < count; ++t) tensors.push_back(tensor(below(most_axes + 1)));
        draw_open();
    }

    std::size_t below(std::size_t n) { return random_() % n; }
    bool in(std::size_t percent) { return below(100) < percent; }

    network made() const {
        network n;
        for (const drawn_tensor& t : tensors) {
            if (t.conjugate) n.add_conjugate(t.values, t.axes);
            else n.add(t.values, t.axes);
        }
        n.keep(open);
        return n;
    }

    /// Elements of one type in memory of their own: row-major, or with axes in another order,
    /// backwards, with gaps, or of stride 0.
    array memory(const std::vector<std::size_t>& shape) {
        const std::size_t kind = below(5);
        std::vector<std::size_t> order(shape.size());
        for (std::size_t axis = 0; axis < order.size(); ++axis) order[axis] = axis;
        if (kind > 0) std::shuffle(order.begin(), order.end(), random_);
        std::vector<std::int64_t> strides(shape.size());
        std::int64_t size = 1, first = 0;
        for (auto at = order.rbegin(); at != order.rend(); ++at) {
            const auto extent = static_cast<std::int64_t>(shape[*at]);
            strides[*at] = size;
            size *= extent + (kind == 4 && in(50) ? 1 : 0);
            if (kind == 2 && in(50)) {
                first += strides[*at] * (extent - 1);
                strides[*at] = -strides[*at];
            } else if (kind == 3 && in(20)) {
                strides[*at] = 0;
            }
        }
        const auto bytes = static_cast<std::size_t>(size) * size_of(type);
        auto owner = std::make_shared<std::vector<std::byte>>(bytes);
        auto* const at = owner->data() + static_cast<std::size_t>(first) * size_of(type);
        return array::over(owner, type, at, shape, strides);
    }

    /// Other memory that lies as that of `a`, with its elements and zeros instead of some of them.
    array with_more_zeros(const array& a) {
        std::int64_t first = 0, last = 0;
        for (std::size_t axis = 0; axis < a.rank(); ++axis) {
            const auto steps = static_cast<std::int64_t>(a.extent(axis)) - 1;
            (a.strides()[axis] < 0 ? first : last) += steps * a.strides()[axis];
        }
        const std::size_t element_bytes = size_of(type);
        const auto bytes = static_cast<std::size_t>(last - first + 1) * element_bytes;
        auto owner = std::make_shared<std::vector<std::byte>>(bytes);
        auto* const at = owner->data() + static_cast<std::size_t>(-first) * element_bytes;
        array made = array::over(owner, type, at, a.extents(), a.strides());
        each_place(a, [&](const auto&, std::int64_t offset) {
            set_element(made, offset, in(30) ? 0 : element_at(a, offset));
        });
        return made;
    }

    /// Dense ones, few that are not zero, diagonals, anti-diagonals, and one or every other place
    /// of an axis.
    void fill(array& a) {
        const std::size_t kind = below(7), rank = a.rank();
        const std::size_t x = rank > 0 ? below(rank) : 0, y = rank > 0 ? below(rank) : 0;
        const std::size_t place = rank > 0 ? below(a.extent(x)) : 0;
        each_place(a, [&](const std::vector<std::size_t>& at, std::int64_t offset) {
            bool there = true;
            if (kind == 1) there = in(30);
            else if (rank > 0 && kind == 2) there = at[x] == at[y];
            else if (rank > 0 && kind == 3) there = x == y || at[x] + at[y] + 1 == a.extent(x);
            else if (rank > 0 && kind == 4) there = at[x] == place;
            else if (rank > 0 && kind == 5) there = at[x] % 2 == place % 2;
            set_element(a, offset, there ? number() : 0);
        });
    }

    product_pairs pairs() {
        std::vector<std::size_t> left;
        for (std::size_t t = 0; t < tensors.size(); ++t) left.push_back(t);
        product_pairs all;
        for (std::size_t next = left.size(); left.size() > 1; ++next) {
            std::shuffle(left.begin(), left.end(), random_);
            all.emplace_back(left[left.size() - 1], left[left.size() - 2]);
            left.resize(left.size() - 2);
            left.push_back(next);
        }
        return all;
    }
    std::vector<sliced_index> slices() {
        std::vector<sliced_index> all;
        for (const auto& [index, extent] : extents)
            if (extent > 1 && in(25))
                all.push_back({index, 2 + static_cast<std::int64_t>(below(extent - 1))});
        std::shuffle(all.begin(), all.end(), random_);
        return all;
    }

    /// Calls visit(terms, place) for all places of all indices, with an element of each tensor and
    /// the place in a row-major result over `result`.
    template <class Visit>
    void each_term(const index_numbers& result, const Visit& visit) const {
        std::vector<wide_number> terms(tensors.size());
        std::map<std::int64_t, std::int64_t> at;
        for (const auto& [index, extent] : extents) at[index] = 0;
        for (;;) {
            for (std::size_t t = 0; t < tensors.size(); ++t) terms[t] = term(tensors[t], at);
            std::size_t place = 0;
            for (const std::int64_t i : result)
                place = place * extents.at(i) + static_cast<std::size_t>(at.at(i));
            visit(terms, place);
            auto next = extents.begin();
            while (next != extents.end() &&
                   ++at[next->first] == static_cast<std::int64_t>(next->second))
                at[next++->first] = 0;
            if (next == extents.end()) return;
        }
    }
    static wide_number term(const drawn_tensor& t, const std::map<std::int64_t, std::int64_t>& at) {
        std::int64_t offset = 0;
        for (std::size_t axis = 0; axis < t.axes.size(); ++axis)
            offset += t.values.strides()[axis] * at.at(t.axes[axis]);
        const wide_number x = element_at(t.values, offset);
        return t.conjugate ? std::conj(x) : x;
    }
    std::size_t size_over(const index_numbers& indices) const {
        std::size_t size = 1;
        for (const std::int64_t i : indices) size *= extents.at(i);
        return size;
    }

    std::string words() const {
        std::string words = name_of(type);
        for (const drawn_tensor& t : tensors)
            words += fmt::format(" {}{}", t.conjugate ? "conjugate " : "", t.axes);
        return words + fmt::format(" -> {}, extents {}", open, extents);
    }

private:
    template <class Visit>
    static void each_place(const array& a, const Visit& visit) {
        std::vector<std::size_t> at(a.rank(), 0);
        for (std::size_t left = a.size(); left > 0; --left) {
            std::int64_t offset = 0;
            for (std::size_t axis = 0; axis < at.size(); ++axis)
                offset += a.strides()[axis] * static_cast<std::int64_t>(at[axis]);
            visit(at, offset);
            for (std::size_t axis = at.size(); axis > 0 && ++at[axis - 1] == a.extent(axis - 1);
                 --axis)
                at[axis - 1] = 0;
        }
    }
    wide_number number() {
        const auto one = [&] { return static_cast<long double>(below(5)) - 2; };
        const long double real = one();
        return {real, is_complex(type) ? one() : 0};
    }

    void draw_extents() {
        constexpr std::size_t most_places = 6000;
        const std::size_t count = 1 + below(9);
        std::size_t places = 1;
        for (std::size_t i = 0; i < count; ++i) {
            std::size_t extent = 1 + below(4);
            if (places * extent > most_places) extent = 1;
            places *= extent;
            extents[static_cast<std::int64_t>(i) * 1000003 - 5] = extent;
        }
    }
    drawn_tensor tensor(std::size_t rank) {
        drawn_tensor made;
        std::vector<std::size_t> shape;
        for (std::size_t axis = 0; axis < rank; ++axis) {
            const auto index = std::next(extents.begin(), static_cast<int>(below(extents.size())));
            made.axes.push_back(index->first);
            shape.push_back(index->second);
        }
        made.values = memory(shape);
        fill(made.values);
        made.conjugate = in(25);
        return made;
    }
    void draw_open() {
        std::map<std::int64_t, std::size_t> there;
        for (const drawn_tensor& t : tensors)
            for (const std::int64_t i : t.axes) there[i] = extents.at(i);
        extents = std::move(there);
        const std::size_t most = below(5);
        for (const auto& [index, extent] : extents)
            if (open.size() < most && in(60)) open.push_back(index);
        std::shuffle(open.begin(), open.end(), random_);
    }

    std::mt19937_64 random_;
};

}  // namespace ricci::testing
