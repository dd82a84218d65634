// Arrays: memory, copies, and elements turned into others.
#include <algorithm>
#include <complex>
#include <cstring>

#include <fmt/core.h>

#include <ricci/array.hpp>
#include <ricci/engine/number.hpp>

namespace ricci {
namespace {

using detail::extent_value;

std::vector<std::size_t> list_of(std::initializer_list<extent_value> extents) {
    std::vector<std::size_t> list;
    for (const extent_value& e : extents) list.push_back(e.value);
    return list;
}

std::vector<std::int64_t> row_major(std::span<const std::size_t> extents) {
    std::vector<std::int64_t> strides(extents.size());
    // Unsigned: the product of what is too large wraps, and is refused where memory is asked for.
    std::size_t step = 1;
    for (std::size_t axis = extents.size(); axis-- > 0;) {
        strides[axis] = static_cast<std::int64_t>(step);
        step *= std::max<std::size_t>(extents[axis], 1);
    }
    return strides;
}

std::string words_of(element type, std::size_t rank) {
    return fmt::format("{} of rank {}", name_of(type), rank);
}

// Calls f with a null pointer to the C++ type of an element type.
template <class F>
auto with_type(element type, F f) {
    switch (type) {
        case element::f32:
            return f(static_cast<float*>(nullptr));
        case element::bf16:
            return f(static_cast<bf16*>(nullptr));
        case element::f16:
            return f(static_cast<f16*>(nullptr));
        case element::c64:
            return f(static_cast<std::complex<float>*>(nullptr));
        case element::c128:
            return f(static_cast<std::complex<double>*>(nullptr));
        case element::i32:
            return f(static_cast<std::int32_t*>(nullptr));
        case element::i64:
            return f(static_cast<std::int64_t*>(nullptr));
        case element::boolean:
            return f(static_cast<bool*>(nullptr));
        case element::f64:
            break;
    }
    return f(static_cast<double*>(nullptr));
}

// What an element of type `From` becomes as one of type `To`, where nothing of it is lost but
// digits.
template <class To, class From>
To converted_to(const From& x) {
    if constexpr (std::is_same_v<To, bool>) return x;
    else if constexpr (std::is_integral_v<To>) return static_cast<To>(static_cast<std::int64_t>(x));
    else if constexpr (is_complex(element_v<To>)) {
        using part = typename To::value_type;
        if constexpr (is_complex(element_v<From>))
            return {static_cast<part>(x.real()), static_cast<part>(x.imag())};
        else return {converted_to<part>(x), part{}};
    } else if constexpr (std::is_same_v<From, bf16> || std::is_same_v<From, f16>) {
        return static_cast<To>(static_cast<float>(x));
    } else if constexpr (std::is_same_v<To, bf16> || std::is_same_v<To, f16>) {
        return To(static_cast<double>(x));
    } else {
        return static_cast<To>(x);
    }
}

constexpr bool keeps_all_parts(element from, element to) {
    if (to == element::boolean) return from == to;
    if (is_integer(to)) return is_whole(from);
    return is_complex(to) || !is_complex(from);
}

// Calls visit(offset) for every element, the last axis fastest.
template <class F>
void for_each_offset(std::span<const std::size_t> extents, std::span<const std::int64_t> strides,
                     const F& visit) {
    if (std::find(extents.begin(), extents.end(), 0U) != extents.end()) return;
    std::vector<std::size_t> at(extents.size(), 0);
    std::int64_t offset = 0;
    for (;;) {
        visit(offset);
        std::size_t axis = extents.size();
        while (axis > 0) {
            --axis;
            offset += strides[axis];
            if (++at[axis] < extents[axis]) break;
            offset -= strides[axis] * static_cast<std::int64_t>(extents[axis]);
            at[axis] = 0;
            if (axis == 0) return;
        }
        if (extents.empty()) return;
    }
}

}  // namespace

array::array(element type, std::initializer_list<extent_value> extents)
    : array(type, std::span<const std::size_t>(list_of(extents))) {}

array::array(element type, std::span<const std::size_t> extents)
    : type_(type), extents_(extents.begin(), extents.end()), strides_(row_major(extents)) {
    data_ = detail::allocate_elements(extents_.data(), extents_.size(), size_of(type));
    owner_ = std::shared_ptr<void>(data_, &detail::release_elements);
}

array array::over(std::shared_ptr<void> owner, element type, void* data,
                  std::span<const std::size_t> extents, std::span<const std::int64_t> strides,
                  bool writable) {
    array made(type, data, extents, strides, std::move(owner));
    made.writable_ = writable;
    return made;
}

array shape(element type, std::span<const std::size_t> extents) {
    array made(type, nullptr, extents, row_major(extents), nullptr);
    made.shape_only_ = true;
    return made;
}

std::size_t array::size() const {
    std::size_t n = 1;
    for (const std::size_t e : extents_) n *= e;
    return n;
}

bool array::is_contiguous() const {
    const std::vector<std::int64_t> dense = row_major(extents_);
    if (size() == 0) return true;
    for (std::size_t axis = 0; axis < rank(); ++axis)
        if (extents_[axis] > 1 && strides_[axis] != dense[axis]) return false;
    return true;
}

void* array::data() {
    if (!writable_) throw error("ricci: the memory that this array looks at may only be read.");
    return data_;
}

void array::check_is(element type, int rank, bool written) const {
    if (type != type_ || static_cast<std::size_t>(rank) != this->rank())
        throw error(fmt::format("ricci: an array of {} is no {}.", words_of(type_, this->rank()),
                                words_of(type, static_cast<std::size_t>(rank))));
    if (shape_only_) throw error("ricci: this array is a shape, and has no elements.");
    if (written && !writable_)
        throw error(fmt::format(
            "ricci: the memory that this array looks at may only be read; as<const T, {}>() does.",
            rank));
}

array array::clone() const { return converted(type_); }

array array::converted(element type) const {
    if (shape_only_) return shape(type, extents_);
    if (!keeps_all_parts(type_, type))
        throw error(fmt::format(
            "ricci: an array of {} does not become {}, which would lose a part of its numbers.",
            name_of(type_), name_of(type)));
    array made(type, std::span<const std::size_t>(extents_));
    if (type == type_ && is_contiguous()) {
        if (size() > 0) std::memcpy(made.data_, data_, size() * size_of(type));
        return made;
    }
    with_type(type_, [&]<class From>(From*) {
        with_type(type, [&]<class To>(To*) {
            if constexpr (keeps_all_parts(element_v<From>, element_v<To>)) {
                To* out = static_cast<To*>(made.data_);
                for_each_offset(extents_, strides_, [&](std::int64_t offset) {
                    *out++ = converted_to<To>(static_cast<const From*>(data_)[offset]);
                });
            }
        });
    });
    return made;
}

arrays::arrays(std::initializer_list<value_type> list) {
    for (const auto& [name, value] : list) set(name, value);
}

std::size_t arrays::find(std::string_view name) const {
    std::size_t k = 0;
    while (k < list_.size() && list_[k].first != name) ++k;
    return k;
}

array& arrays::operator[](std::string_view name) {
    return const_cast<array&>(std::as_const(*this)[name]);
}
const array& arrays::operator[](std::string_view name) const {
    const std::size_t k = find(name);
    if (k < list_.size()) return list_[k].second;
    std::string others;
    for (const auto& [other, value] : list_)
        others += fmt::format("{}{}", others.empty() ? "; there are " : ", ", other);
    throw error(fmt::format("ricci: there is no array {}{}.", name, others));
}

void arrays::set(std::string name, array value) {
    const std::size_t k = find(name);
    if (k < list_.size()) list_[k].second = std::move(value);
    else list_.emplace_back(std::move(name), std::move(value));
}

}  // namespace ricci
