// Rows read at places that a tensor of numbers says.
#include "src/index/gather.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <fmt/core.h>

#include <ricci/half.hpp>

#include "src/base/arithmetic.hpp"
#include "src/kernels/elementwise/convert.hpp"
#include "src/runtime/parallel.hpp"

namespace ricci::elementwise {
namespace {

constexpr std::int64_t elements_of_a_task = 1 << 14;

/// The number 1. It stands for what nobody wants: its logarithm and its reciprocal are numbers too,
/// so that a product by zeros gives zeros.
struct stored_one {
    std::byte bytes[16] = {};
};
stored_one one_of(element type) {
    stored_one result;
    const auto store = [&](auto value) { std::memcpy(result.bytes, &value, sizeof value); };
    switch (type) {
        case element::f32:
        case element::c64:
            store(1.0f);
            break;
        case element::f64:
        case element::c128:
            store(1.0);
            break;
        case element::i32:
            store(std::int32_t{1});  // whose first byte is a true one
            break;
        case element::i64:
            store(std::int64_t{1});
            break;
        case element::bf16:
            store(bf16(1.0f));
            break;
        case element::f16:
            store(f16(1.0f));
            break;
        case element::boolean:
            store(true);
            break;
    }
    return result;
}

/// A bool as it lies in memory; whoever wrote it, a byte that is not 0 is true.
struct truth {
    std::uint8_t byte;
};

template <class T, class Source>
T converted_to(const Source& x) {
    if constexpr (std::is_same_v<Source, truth>) {
        return converted_to<T>(std::int32_t{x.byte != 0});
    } else if constexpr (is_complex(element_v<T>)) {
        return T(static_cast<typename T::value_type>(x));
    } else if constexpr (std::is_integral_v<Source> && !std::is_arithmetic_v<T>) {
        return static_cast<T>(static_cast<float>(x));
    } else {
        return static_cast<T>(x);
    }
}

template <class S>
constexpr bool is_narrow = std::is_same_v<S, bf16> || std::is_same_v<S, f16>;

/// out[k] = in[k], of neighbours.
template <class T, class Source>
void convert_run(T* out, const Source* in, std::int64_t count) {
    if constexpr (std::is_same_v<T, float> && is_narrow<Source>)
        kernels::conversions<Source>().widen(out, in, static_cast<std::size_t>(count));
    else if constexpr (is_narrow<T> && std::is_same_v<Source, float>)
        kernels::conversions<T>().narrow(out, in, static_cast<std::size_t>(count));
    else
        for (std::int64_t k = 0; k < count; ++k) out[k] = converted_to<T>(in[k]);
}

bool is_16_bits(element type) { return type == element::bf16 || type == element::f16; }

}  // namespace

/// How far the numbers move the axes that they are places of.
struct prepared_gather::place {
    std::int64_t moved = 0;
    std::int64_t first = 0;  // the place on the first axis; negative: a number is none
    stray_number stray;
};

prepared_gather::prepared_gather(const steps::gather& g, const condition* wanted, bool of_truths)
    : type_(g.type),
      source_(g.source),
      scatter_(g.scatter),
      of_truths_(of_truths),
      extents_(g.extents.begin(), g.extents.end()),
      out_{g.out.offset, {g.out.strides.begin(), g.out.strides.end()}},
      in_{g.in.offset, {g.in.strides.begin(), g.in.strides.end()}} {
    for (const auto& l : g.lookups) {
        if (!can_be_place(l.type))
            throw std::invalid_argument(
                fmt::format("positions cannot be of type {}", name_of(l.type)));
        lookups_.push_back(
            {l.type,
             {l.numbers.offset, {l.numbers.strides.begin(), l.numbers.strides.end()}},
             l.stride,
             l.extent});
        for (std::size_t k = 0; k < extents_.size(); ++k) {
            if (l.numbers.strides[k] == 0) continue;
            outer_ = std::max(outer_, k + 1);
            lookups_.back().moving_extents.push_back(extents_[k]);
            lookups_.back().moving_strides.push_back(l.numbers.strides[k]);
        }
    }
    if (wanted != nullptr) {
        wanted_type_ = wanted->type;
        wanted_ = {wanted->values.offset,
                   {wanted->values.strides.begin(), wanted->values.strides.end()}};
        for (std::size_t k = 0; k < extents_.size(); ++k)
            if (wanted_.strides[k] != 0) outer_ = std::max(outer_, k + 1);
    }
    if (static_cast<std::int64_t>(extents_.size()) > most_loops_of_lookups)
        throw std::invalid_argument("a gather of more loops than there is room for");
    const bool narrows = is_16_bits(type_) && source_ == element::f32;
    const bool widens = is_16_bits(source_) && type_ == element::f32;
    if (source_ != type_ &&
        (!lookups_.empty() || (!narrows && !widens && !is_integer(source_) &&
                               !(can_be_place(type_) && can_be_place(source_)))))
        throw std::invalid_argument("there is no conversion between elements of these types");
    if (scatter_ && ((type_ != element::f32 && type_ != element::f64) || !lookups_.empty()))
        throw std::invalid_argument(
            fmt::format("rows of type {} cannot be added up by position", name_of(type_)));
    // Of a plain copy the last loop is the inner one.
    if (lookups_.empty() && !extents_.empty()) outer_ = extents_.size() - 1;
}

prepared_gather::place prepared_gather::place_at(const loop_counters& at,
                                                 const void* const* numbers) const {
    place result;
    for (std::size_t k = 0; k < lookups_.size(); ++k) {
        const auto& l = lookups_[k];
        const std::int64_t where = l.numbers.offset + at.along(l.numbers.strides);
        const std::int64_t number = elementwise::place_at(numbers[k], l.type, where, l.extent);
        if (number < 0) {
            result.first = -1;
            result.stray = {static_cast<std::int32_t>(k), number_at(numbers[k], l.type, where)};
            return result;
        }
        if (k == 0) result.first = number;
        result.moved += number * l.stride;
    }
    return result;
}

// Only a number that is no place raises the question.
bool prepared_gather::is_wanted(const loop_counters& at, const void* const* numbers) const {
    return !wanted_type_ || is_true_at(numbers[lookups_.size()], *wanted_type_,
                                       at.along(wanted_.strides) + wanted_.offset);
}

template <class Counts>
stray_number prepared_gather::first_stray(const void* const* numbers, Counts counts) const {
    std::int64_t count = 1;
    for (const auto n : extents_) count *= n;
    if (count == 0 || lookups_.empty()) return {};
    bool all = true;
    for (std::size_t k = 0; k < lookups_.size(); ++k)
        all = all && are_places(lookups_[k], numbers[k]);
    if (all) return {};
    std::int64_t outer = 1;
    for (std::size_t k = 0; k < outer_; ++k) outer *= extents_[k];
    loop_counters at(extents_, outer_, 0);
    for (std::int64_t n = 0; n < outer; ++n, at.next(extents_))
        if (const auto here = place_at(at, numbers); here.first < 0 && counts(at))
            return here.stray;
    return {};
}

// Whether all numbers of a lookup are places, seen run by run of the last loop that moves them.
bool prepared_gather::are_places(const lookup& l, const void* numbers) const {
    const auto &extents = l.moving_extents, &strides = l.moving_strides;
    const bool moves = !extents.empty();
    const std::int64_t run = moves ? extents.back() : 1, step = moves ? strides.back() : 0;
    std::int64_t runs = 1;
    for (std::size_t k = 0; k + 1 < extents.size(); ++k) runs *= extents[k];
    return with_numbers(l.type, numbers, [&](auto n) {
        loop_counters at(extents, moves ? extents.size() - 1 : 0, 0);
        for (std::int64_t r = 0; r < runs; ++r, at.next(extents)) {
            const auto* const here = n + l.numbers.offset + at.along(strides);
            bool all = true;
            for (std::int64_t k = 0; k < run; ++k)
                all = all && place_of(here[k * step], l.extent) >= 0;
            if (!all) return false;
        }
        return true;
    });
}

stray_number prepared_gather::find_stray(const void* const* numbers) const {
    return first_stray(numbers, [&](const loop_counters& at) { return is_wanted(at, numbers); });
}

bool prepared_gather::has_stray(const void* const* numbers) const {
    return first_stray(numbers, [](const loop_counters&) { return true; }).found();
}

namespace {

/// Calls f(out offset, in offset, count, out stride, in stride) for each run of the loops from
/// `first` on.
template <class F>
void inner_runs(const std::vector<std::int64_t>& extents, std::size_t first,
                const std::vector<std::int64_t>& out, const std::vector<std::int64_t>& in,
                std::int64_t out_at, std::int64_t in_at, F f) {
    if (first == extents.size())
        return f(out_at, in_at, std::int64_t{1}, std::int64_t{1}, std::int64_t{1});
    if (first + 1 == extents.size()) return f(out_at, in_at, extents[first], out[first], in[first]);
    for (std::int64_t k = 0; k < extents[first]; ++k)
        inner_runs(extents, first + 1, out, in, out_at + k * out[first], in_at + k * in[first], f);
}

}  // namespace

prepared_gather::loop_counts prepared_gather::counts() const {
    loop_counts all;
    for (std::size_t k = 0; k < extents_.size(); ++k)
        (k < outer_ ? all.outer : all.inner) *= extents_[k];
    return all;
}

template <class Row>
void prepared_gather::for_rows(const Row& row) const {
    const loop_counts all = counts();
    const std::int64_t outer = all.outer, inner = all.inner;
    if (outer == 0 || inner == 0) return;
    const std::int64_t rows = std::max<std::int64_t>(elements_of_a_task / inner, 1);
    auto task = [&](std::int64_t number, int) {
        const std::int64_t last = std::min(outer, (number + 1) * rows);
        loop_counters at(extents_, outer_, number * rows);
        for (std::int64_t n = number * rows; n < last; ++n, at.next(extents_)) row(at);
    };
    runtime::parallel_for(ceil_divide(outer, rows), task);
}

// Where the last loop moves the only number, each element is where its own one says.
template <class T>
void prepared_gather::copy_elements(T* out, const T* in, const void* numbers, T one) const {
    const auto& l = lookups_[0];
    const std::size_t loops = extents_.size() - 1;
    const std::int64_t run = extents_[loops];
    const std::int64_t elements = counts().outer;
    if (elements == 0) return;
    const std::int64_t out_step = out_.strides[loops], in_step = in_.strides[loops],
                       step = l.numbers.strides[loops];
    auto task = [&](std::int64_t number, int) {
        const std::int64_t end = std::min(elements, (number + 1) * elements_of_a_task);
        for (std::int64_t first = number * elements_of_a_task; first < end;) {
            const std::int64_t from = first % run, count = std::min(run - from, end - first);
            const loop_counters at(extents_, loops, first / run);
            T* const to = out + out_.offset + at.along(out_.strides) + from * out_step;
            const T* const source = in + in_.offset + at.along(in_.strides) + from * in_step;
            with_numbers(l.type, numbers, [&](auto n) {
                const auto* const here =
                    n + l.numbers.offset + at.along(l.numbers.strides) + from * step;
                for (std::int64_t k = 0; k < count; ++k) {
                    const std::int64_t there = place_of(here[k * step], l.extent);
                    to[k * out_step] = there < 0 ? one : source[k * in_step + there * l.stride];
                }
            });
            first += count;
        }
    };
    runtime::parallel_for(ceil_divide(elements, elements_of_a_task), task);
}

template <class T>
void prepared_gather::copy(T* out, const T* in, const void* const* numbers, T one) const {
    if (lookups_.size() == 1 && !extents_.empty() && outer_ == extents_.size())
        return copy_elements(out, in, numbers[0], one);
    for_rows([&](const loop_counters& at) {
        const auto from = place_at(at, numbers);
        if (from.first < 0) {
            inner_runs(extents_, outer_, out_.strides, out_.strides,
                       out_.offset + at.along(out_.strides), 0,
                       [&](std::int64_t to, std::int64_t, std::int64_t count,
                           std::int64_t out_stride, std::int64_t) {
                           for (std::int64_t k = 0; k < count; ++k) out[to + k * out_stride] = one;
                       });
            return;
        }
        const auto run = [&](std::int64_t to, std::int64_t source, std::int64_t count,
                             std::int64_t out_stride, std::int64_t in_stride) {
            if (out_stride == 1 && in_stride == 1) {
                std::memcpy(out + to, in + source, static_cast<std::size_t>(count) * sizeof(T));
                return;
            }
            for (std::int64_t k = 0; k < count; ++k)
                out[to + k * out_stride] = in[source + k * in_stride];
        };
        inner_runs(extents_, outer_, out_.strides, in_.strides,
                   out_.offset + at.along(out_.strides),
                   in_.offset + at.along(in_.strides) + from.moved, run);
    });
}

// An element may be reached any number of times: one after the other.
template <class T>
void prepared_gather::add(T* out, const T* in) const {
    const loop_counts all = counts();
    if (all.outer == 0 || all.inner == 0) return;
    inner_runs(extents_, 0, out_.strides, in_.strides, out_.offset, in_.offset,
               [&](std::int64_t to, std::int64_t from, std::int64_t count, std::int64_t out_stride,
                   std::int64_t in_stride) {
                   for (std::int64_t k = 0; k < count; ++k)
                       out[to + k * out_stride] += in[from + k * in_stride];
               });
}

template <class T, class Source>
void prepared_gather::convert(T* out, const Source* in) const {
    for_rows([&](const loop_counters& at) {
        inner_runs(extents_, outer_, out_.strides, in_.strides,
                   out_.offset + at.along(out_.strides), in_.offset + at.along(in_.strides),
                   [&](std::int64_t to, std::int64_t source, std::int64_t count,
                       std::int64_t out_stride, std::int64_t in_stride) {
                       if (out_stride == 1 && in_stride == 1)
                           return convert_run(out + to, in + source, count);
                       for (std::int64_t k = 0; k < count; ++k)
                           out[to + k * out_stride] = converted_to<T>(in[source + k * in_stride]);
                   });
    });
}

template <class T>
void prepared_gather::convert_to(T* out, const void* in) const {
    if (of_truths_) return convert(out, static_cast<const truth*>(in));
    switch (source_) {
        case element::i32:
            return convert(out, static_cast<const std::int32_t*>(in));
        case element::i64:
            return convert(out, static_cast<const std::int64_t*>(in));
        case element::f32:
            return convert(out, static_cast<const float*>(in));
        case element::f64:
            return convert(out, static_cast<const double*>(in));
        case element::bf16:
            return convert(out, static_cast<const bf16*>(in));
        case element::f16:
            return convert(out, static_cast<const f16*>(in));
        case element::c64:
        case element::c128:     // are no source
        case element::boolean:  // is of_truths_
            return;
    }
}

void prepared_gather::run(void* out, const void* in, const void* const* numbers) const {
    if (lookups_.empty() && !scatter_ && (of_truths_ || source_ != type_)) {
        switch (type_) {
            case element::f32:
                return convert_to(static_cast<float*>(out), in);
            case element::f64:
                return convert_to(static_cast<double*>(out), in);
            case element::i32:
                return convert_to(static_cast<std::int32_t*>(out), in);
            case element::i64:
                return convert_to(static_cast<std::int64_t*>(out), in);
            case element::bf16:
                return convert_to(static_cast<bf16*>(out), in);
            case element::f16:
                return convert_to(static_cast<f16*>(out), in);
            case element::c64:
                return convert_to(static_cast<std::complex<float>*>(out), in);
            case element::c128:
                return convert_to(static_cast<std::complex<double>*>(out), in);
            case element::boolean:
                return;
        }
    }
    if (scatter_) {
        if (type_ == element::f32)
            return add(static_cast<float*>(out), static_cast<const float*>(in));
        return add(static_cast<double*>(out), static_cast<const double*>(in));
    }
    // A copy is the same for all types of one size.
    struct sixteen_bytes {
        std::uint64_t parts[2];
    };
    const auto copied = [&]<class T>(T*) {
        T one{};
        std::memcpy(&one, one_of(type_).bytes, sizeof one);
        copy(static_cast<T*>(out), static_cast<const T*>(in), numbers, one);
    };
    switch (of_truths_ ? 1 : size_of(type_)) {
        case 1:
            return copied(static_cast<std::uint8_t*>(nullptr));
        case 2:
            return copied(static_cast<std::uint16_t*>(nullptr));
        case 4:
            return copied(static_cast<std::uint32_t*>(nullptr));
        case 8:
            return copied(static_cast<std::uint64_t*>(nullptr));
        default:
            return copied(static_cast<sixteen_bytes*>(nullptr));
    }
}

}  // namespace ricci::elementwise
