// Where the largest or the smallest values stand.
#include "src/index/extremum_place.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <stdexcept>
#include <type_traits>

#include "src/base/arithmetic.hpp"
#include "src/runtime/parallel.hpp"

namespace ricci::elementwise {
namespace {

// Elements that are compared at the same time: of one row, or of so many rows side by side.
constexpr std::int64_t searched_abreast = 16;
constexpr std::int64_t elements_of_a_search = 1 << 15;

/// Whether x comes to stand for what has been met before it: NaN is beyond all numbers.
template <bool Largest, class T>
bool wins(T x, T best) {
    const bool beyond = Largest ? x > best : x < best;
    return beyond | ((x != x) & (best == best));
}

/// The extremum of what has been met, and its place, of each of several rows. A place has as many
/// bytes as an element, so that both are chosen by the same comparison.
template <class T>
struct met_extrema {
    using number = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    T best[searched_abreast];
    number at[searched_abreast];

    template <bool Largest>
    void take(const T* x, std::int64_t stride, number place, number step) {
        for (std::int64_t k = 0; k < searched_abreast; ++k) {
            const T value = x[k * stride];
            const bool better = wins<Largest>(value, best[k]);
            best[k] = better ? value : best[k];
            at[k] = better ? static_cast<number>(place + step * static_cast<number>(k)) : at[k];
        }
    }
    void begin(const T* x, std::int64_t stride, number step) {
        for (std::int64_t k = 0; k < searched_abreast; ++k) {
            best[k] = x[k * stride];
            at[k] = step * static_cast<number>(k);
        }
    }
};

/// The place in one row whose elements lie side by side, `searched_abreast` of them at a time.
template <bool Largest, class T>
std::int64_t place_in_line(const T* x, std::int64_t count) {
    met_extrema<T> lanes;
    lanes.begin(x, 1, 1);
    std::int64_t done = searched_abreast;
    for (; done + searched_abreast <= count; done += searched_abreast)
        lanes.template take<Largest>(x + done, 1,
                                     static_cast<typename met_extrema<T>::number>(done), 1);
    T best = lanes.best[0];
    std::int64_t at = lanes.at[0];
    const auto join = [&](T value, std::int64_t place) {
        // two that stand for each other: of equal numbers, and of two that are none, the first
        const bool equal = value == best || (value != value && best != best);
        if (!wins<Largest>(value, best) && !(equal && place < at)) return;
        best = value;
        at = place;
    };
    for (std::int64_t k = 1; k < searched_abreast; ++k) join(lanes.best[k], lanes.at[k]);
    for (; done < count; ++done) join(x[done], done);
    return at;
}

template <bool Largest, class T>
std::int64_t place_in_row(const T* x, std::int64_t count, std::int64_t stride) {
    if (stride == 1 && count >= searched_abreast) return place_in_line<Largest>(x, count);
    T best = x[0];
    std::int64_t at = 0;
    for (std::int64_t k = 1; k < count; ++k) {
        if (!wins<Largest>(x[k * stride], best)) continue;
        best = x[k * stride];
        at = k;
    }
    return at;
}

/// The places in `searched_abreast` rows whose elements lie side by side.
template <bool Largest, class T>
void places_side_by_side(const T* x, std::int64_t count, std::int64_t stride, std::int32_t* out,
                         std::int64_t out_stride) {
    met_extrema<T> rows;
    rows.begin(x, 1, 0);
    for (std::int64_t k = 1; k < count; ++k)
        rows.template take<Largest>(x + k * stride, 1,
                                    static_cast<typename met_extrema<T>::number>(k), 0);
    for (std::int64_t r = 0; r < searched_abreast; ++r)
        out[r * out_stride] = static_cast<std::int32_t>(rows.at[r]);
}

}  // namespace

prepared_extremum_place::prepared_extremum_place(const steps::extremum_place& s)
    : type_(s.type), largest_(s.largest), first_{s.out.offset, s.in.offset} {
    if (type_ != element::f32 && type_ != element::f64 && !is_integer(type_))
        throw std::invalid_argument("places of extrema of a type that they are not found of");
    const std::size_t last = s.extents.size() - 1;
    along_ = {s.extents[last], 0, s.in.strides[last]};
    if (along_.extent < 1) throw std::invalid_argument("the place of an extremum of nothing");
    for (std::size_t l = 0; l < last; ++l) {
        rows_ *= s.extents[l];
        if (s.extents[l] > 1) others_.push_back({s.extents[l], s.out.strides[l], s.in.strides[l]});
    }
    std::sort(others_.begin(), others_.end(),
              [](const loop& x, const loop& y) { return std::abs(x.in) > std::abs(y.in); });
}

prepared_extremum_place::row prepared_extremum_place::row_at(std::int64_t number) const {
    row at = first_;
    for (auto l = others_.rbegin(); l != others_.rend(); ++l) {
        at.out += number % l->extent * l->out;
        at.in += number % l->extent * l->in;
        number /= l->extent;
    }
    return at;
}

template <class T>
void prepared_extremum_place::run_rows(std::int32_t* out, const T* in) const {
    const loop fastest = others_.empty() ? loop{1, 0, 0} : others_.back();
    const bool side_by_side = fastest.in == 1 && along_.in != 1;
    const std::int64_t per_task =
        round_up(std::max<std::int64_t>(elements_of_a_search / along_.extent, 1), searched_abreast);
    auto task = [&](std::int64_t number, int) {
        const std::int64_t last = std::min(rows_, (number + 1) * per_task);
        for (std::int64_t r = number * per_task; r < last;) {
            const row at = row_at(r);
            const T* const x = in + at.in;
            const bool whole = r % fastest.extent + searched_abreast <= fastest.extent &&
                               r + searched_abreast <= last;
            if (side_by_side && whole) {
                const auto find =
                    largest_ ? places_side_by_side<true, T> : places_side_by_side<false, T>;
                find(x, along_.extent, along_.in, out + at.out, fastest.out);
                r += searched_abreast;
                continue;
            }
            const auto find = largest_ ? place_in_row<true, T> : place_in_row<false, T>;
            out[at.out] = static_cast<std::int32_t>(find(x, along_.extent, along_.in));
            ++r;
        }
    };
    runtime::parallel_for(ceil_divide(rows_, per_task), task);
}

void prepared_extremum_place::run(std::int32_t* out, const void* in) const {
    if (rows_ == 0) return;
    switch (type_) {
        case element::f32:
            return run_rows(out, static_cast<const float*>(in));
        case element::f64:
            return run_rows(out, static_cast<const double*>(in));
        case element::i32:
            return run_rows(out, static_cast<const std::int32_t*>(in));
        default:
            return run_rows(out, static_cast<const std::int64_t*>(in));
    }
}

}  // namespace ricci::elementwise
