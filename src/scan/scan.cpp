// Folds of all elements up to each.
#include "src/scan/scan.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "src/base/arithmetic.hpp"
#include "src/runtime/parallel.hpp"

namespace ricci::elementwise {
namespace {

using steps::fold;

// Rows that are gone through side by side: an element waits for the one before it.
constexpr std::int64_t rows_abreast = 8;
// Numbers that are added up before their total is added to the others'.
constexpr std::int64_t block = 256;
constexpr std::int64_t elements_of_a_task = 1 << 15;

/// What has been folded of a row.
template <class T>
struct added {
    using bits = std::make_unsigned_t<T>;  // whole numbers, which may go round
    bits total = 0;
    T take(T x) { return static_cast<T>(total += static_cast<bits>(x)); }
};
template <>
struct added<float> {
    double total = 0;
    float take(float x) { return static_cast<float>(total += static_cast<double>(x)); }
};
template <>
struct added<double> {
    double before = 0, rest = 0;  // the blocks that are done, and what their sum has rounded off
    double here = 0;
    std::int64_t left = block;
    double take(double x) {
        here += x;
        const double sum = before + (rest + here);
        if (--left == 0) {
            const double more = before + here, part = more - before;
            if (std::isfinite(more)) rest += (before - (more - part)) + (here - part);
            before = more;
            here = 0;
            left = block;
        }
        return sum;
    }
};
template <class T>
struct multiplied {
    T total = 1;
    T take(T x) {
        if constexpr (std::is_integral_v<T>) {
            using bits = std::make_unsigned_t<T>;
            return total = static_cast<T>(static_cast<bits>(total) * static_cast<bits>(x));
        } else {
            return total *= x;
        }
    }
};
/// NaN stays once it is there.
template <class T, bool Largest>
struct extreme {
    T total{};
    bool any = false;
    T take(T x) {
        const bool wins = !any || x != x || (Largest ? total < x : x < total);
        any = true;
        if (wins && total == total) total = x;
        return total;
    }
};

/// log of the sum of exponentials: the largest, and the sum of what the others are to it.
template <class T>
struct log_added {
    double largest = -std::numeric_limits<double>::infinity();
    double sum = 0;
    T take(T value) {
        const auto x = static_cast<double>(value);
        if (x > largest) {
            sum = sum * std::exp(largest - x) + 1;
            largest = x;
        } else if (x == largest) {
            sum += x == -std::numeric_limits<double>::infinity() ? 0 : 1;
        } else {
            sum += std::exp(x - largest);  // NaN stays once it is there
        }
        return static_cast<T>(sum == 0 ? largest : largest + std::log(sum));
    }
};

}  // namespace

prepared_scan::prepared_scan(const steps::scan& s) : type_(s.type), folding_(s.folding) {
    const bool folds = folding_ == fold::sum || folding_ == fold::product ||
                       folding_ == fold::maximum || folding_ == fold::minimum ||
                       (folding_ == fold::logsumexp && !is_integer(type_));
    if (!folds || (type_ != element::f32 && type_ != element::f64 && !is_integer(type_)))
        throw std::invalid_argument("a scan of a type or a fold that there is none of");
    out_offset_ = s.out.offset;
    in_offset_ = s.in.offset;
    for (std::size_t l = 0; l < s.extents.size(); ++l) {
        loop here{s.extents[l], s.out.strides[l], s.in.strides[l]};
        if (l != s.along) {
            rows_ *= here.extent;
            if (here.extent > 1) others_.push_back(here);
            continue;
        }
        if (s.backwards && here.extent > 0) {
            out_offset_ += (here.extent - 1) * here.out;
            in_offset_ += (here.extent - 1) * here.in;
            here.out = -here.out;
            here.in = -here.in;
        }
        along_ = here;
    }
    std::sort(others_.begin(), others_.end(),
              [](const loop& x, const loop& y) { return std::abs(x.out) > std::abs(y.out); });
}

prepared_scan::row prepared_scan::row_at(std::int64_t number) const {
    row at{out_offset_, in_offset_};
    for (auto l = others_.rbegin(); l != others_.rend(); ++l) {
        at.out += number % l->extent * l->out;
        at.in += number % l->extent * l->in;
        number /= l->extent;
    }
    return at;
}

template <class T, class Fold>
void prepared_scan::run_rows(T* out, const T* in) const {
    const std::int64_t per_task = round_up(
        std::max<std::int64_t>(elements_of_a_task / std::max<std::int64_t>(along_.extent, 1), 1),
        rows_abreast);
    auto task = [&](std::int64_t number, int) {
        const std::int64_t last = std::min(rows_, (number + 1) * per_task);
        for (std::int64_t first = number * per_task; first < last; first += rows_abreast) {
            const std::int64_t count = std::min(rows_abreast, last - first);
            Fold folded[rows_abreast];
            T* to[rows_abreast];
            const T* from[rows_abreast];
            for (std::int64_t r = 0; r < count; ++r) {
                const row at = row_at(first + r);
                to[r] = out + at.out;
                from[r] = in + at.in;
            }
            for (std::int64_t i = 0; i < along_.extent; ++i)
                for (std::int64_t r = 0; r < count; ++r)
                    to[r][i * along_.out] = folded[r].take(from[r][i * along_.in]);
        }
    };
    runtime::parallel_for(ceil_divide(rows_, per_task), task);
}

template <class T>
void prepared_scan::run_as(void* out, const void* in) const {
    auto* const to = static_cast<T*>(out);
    const auto* const from = static_cast<const T*>(in);
    switch (folding_) {
        case fold::sum:
            return run_rows<T, added<T>>(to, from);
        case fold::product:
            return run_rows<T, multiplied<T>>(to, from);
        case fold::logsumexp:
            if constexpr (!std::is_integral_v<T>) return run_rows<T, log_added<T>>(to, from);
            return;
        case fold::maximum:
            return run_rows<T, extreme<T, true>>(to, from);
        default:
            return run_rows<T, extreme<T, false>>(to, from);
    }
}

void prepared_scan::run(void* out, const void* in) const {
    if (rows_ == 0 || along_.extent == 0) return;
    switch (type_) {
        case element::f32:
            return run_as<float>(out, in);
        case element::f64:
            return run_as<double>(out, in);
        case element::i32:
            return run_as<std::int32_t>(out, in);
        default:
            return run_as<std::int64_t>(out, in);
    }
}

}  // namespace ricci::elementwise
