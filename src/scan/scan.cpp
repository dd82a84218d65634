// Folds of all elements up to each, and linear recurrences.
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
constexpr std::int64_t rows_abreast = 8, few_abreast = 3;
// Numbers that are added up before their total is added to the others'.
constexpr std::int64_t block = 256;
constexpr std::int64_t elements_of_a_scan = 1 << 15;

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

/// x + decay * what was there before.
template <class T>
struct decayed;
template <>
struct decayed<float> {
    double total = 0;
    float first(float x) { return static_cast<float>(total = static_cast<double>(x)); }
    float take(float x, double decay) {
        total = static_cast<double>(x) + decay * total;
        return static_cast<float>(total);
    }
};
template <>
struct decayed<double> {
    double total = 0, rest = 0;  // what the sums have rounded off decays as well
    double first(double x) { return total = x; }
    double take(double x, double decay) {
        const double before = decay * total, sum = x + before, part = sum - x;
        const double off = (x - (sum - part)) + (before - part);
        rest = decay * rest + off;
        total = sum;
        // Infinite totals leave no rest that is a number.
        return std::isfinite(total) ? total + rest : total;
    }
};

/// What a decay multiplies by. Its exponential is made once where it stays the same.
template <class T, bool Logarithms>
struct decay_factor {
    double of(T decay) { return static_cast<double>(decay); }
};
template <class T>
struct decay_factor<T, true> {
    T last = 0;
    double factor = 1;
    double of(T decay) {
        if (decay != last) factor = std::exp(static_cast<double>(last = decay));
        return factor;
    }
};

}  // namespace

prepared_scan::prepared_scan(const steps::scan& s)
    : type_(s.type), folding_(s.folding), decays_(s.decays), logarithms_(s.logarithms) {
    const bool real = type_ == element::f32 || type_ == element::f64;
    const bool folds = folding_ == fold::sum || folding_ == fold::product ||
                       folding_ == fold::maximum || folding_ == fold::minimum ||
                       (folding_ == fold::logsumexp && real);
    if (!folds || (!real && !is_integer(type_)))
        throw std::invalid_argument("a scan of a type or a fold that there is none of");
    if (decays_ && (folding_ != fold::sum || !real))
        throw std::invalid_argument("a scan that decays and is no sum of real numbers");
    const auto stride = [](const steps::operand& o, std::size_t l) {
        return o.strides.empty() ? 0 : o.strides[l];
    };
    first_ = {s.out.offset, s.in.offset, s.decay.offset};
    for (std::size_t l = 0; l < s.extents.size(); ++l) {
        loop here{s.extents[l], s.out.strides[l], s.in.strides[l], stride(s.decay, l)};
        if (l != s.along) {
            rows_ *= here.extent;
            if (here.extent > 1) others_.push_back(here);
            continue;
        }
        if (s.backwards && here.extent > 0) {
            first_.out += (here.extent - 1) * here.out;
            first_.in += (here.extent - 1) * here.in;
            first_.decay += (here.extent - 1) * here.decay;
            here.out = -here.out;
            here.in = -here.in;
            here.decay = -here.decay;
        }
        along_ = here;
    }
    std::sort(others_.begin(), others_.end(),
              [](const loop& x, const loop& y) { return std::abs(x.out) > std::abs(y.out); });
}

prepared_scan::row prepared_scan::row_at(std::int64_t number) const {
    row at = first_;
    for (auto l = others_.rbegin(); l != others_.rend(); ++l) {
        at.out += number % l->extent * l->out;
        at.in += number % l->extent * l->in;
        at.decay += number % l->extent * l->decay;
        number /= l->extent;
    }
    return at;
}

// Calls run(rows, how many) for rows that go side by side.
template <class Block>
void prepared_scan::each_block_of_rows(const Block& run) const {
    const std::int64_t per_task = round_up(
        std::max<std::int64_t>(elements_of_a_scan / std::max<std::int64_t>(along_.extent, 1), 1),
        rows_abreast);
    auto task = [&](std::int64_t number, int) {
        const std::int64_t last = std::min(rows_, (number + 1) * per_task);
        for (std::int64_t first = number * per_task; first < last; first += rows_abreast) {
            const std::int64_t count = std::min(rows_abreast, last - first);
            row rows[rows_abreast];
            for (std::int64_t r = 0; r < count; ++r) rows[r] = row_at(first + r);
            // As their number is known to the compiler, all of them stay in registers.
            if (count == rows_abreast) {
                run(rows, std::integral_constant<std::int64_t, rows_abreast>{});
                continue;
            }
            std::int64_t r = 0;
            for (; r + few_abreast <= count; r += few_abreast)
                run(rows + r, std::integral_constant<std::int64_t, few_abreast>{});
            for (; r < count; ++r) run(rows + r, std::integral_constant<std::int64_t, 1>{});
        }
    };
    runtime::parallel_for(ceil_divide(rows_, per_task), task);
}

// Whether the rows lie side by side in both, one element from each other.
template <std::int64_t count>
bool prepared_scan::are_adjacent(const row* rows, std::integral_constant<std::int64_t, count>) {
    for (std::int64_t r = 1; r < count; ++r)
        if (rows[r].out - rows[0].out != r || rows[r].in - rows[0].in != r) return false;
    return count > 1;
}

template <class T, class Fold>
void prepared_scan::run_rows(T* out, const T* in) const {
    each_block_of_rows([&](const row* rows, auto count) {
        Fold folded[count];
        if (are_adjacent(rows, count)) {  // whole vectors of them are read
            for (std::int64_t i = 0; i < along_.extent; ++i) {
                const T* const from = in + rows[0].in + i * along_.in;
                T* const to = out + rows[0].out + i * along_.out;
                T here[count];
                for (std::int64_t r = 0; r < count; ++r) here[r] = folded[r].take(from[r]);
                for (std::int64_t r = 0; r < count; ++r) to[r] = here[r];
            }
            return;
        }
        for (std::int64_t i = 0; i < along_.extent; ++i)
            for (std::int64_t r = 0; r < count; ++r)
                out[rows[r].out + i * along_.out] = folded[r].take(in[rows[r].in + i * along_.in]);
    });
}

// A row of floats with the same decay everywhere. Four elements at a time rest on the last one of
// those before them, by powers of the decay, so that one does not wait for the next. False: a
// double does not hold such a power.
template <class T, bool Logarithms>
bool prepared_scan::decay_evenly(T* out, const T* in, T decay) const {
    static_assert(std::is_same_v<T, float>);
    constexpr std::int64_t together = 4;
    const double g = decay_factor<T, Logarithms>().of(decay), g2 = g * g, g3 = g2 * g, g4 = g2 * g2;
    if (!std::isnormal(g4) && g != 0) return false;
    const std::int64_t extent = along_.extent, from = along_.in, to = along_.out;
    double y = static_cast<double>(in[0]);
    out[0] = in[0];
    std::int64_t i = 1;
    for (; i + together <= extent; i += together) {
        const auto at = [&](std::int64_t k) { return static_cast<double>(in[(i + k) * from]); };
        const double a = at(0), b = g * a + at(1), c = g * b + at(2), d = g * c + at(3);
        const double last = g4 * y + d;
        out[i * to] = static_cast<float>(g * y + a);
        out[(i + 1) * to] = static_cast<float>(g2 * y + b);
        out[(i + 2) * to] = static_cast<float>(g3 * y + c);
        out[(i + 3) * to] = static_cast<float>(y = last);
    }
    for (; i < extent; ++i)
        out[i * to] = static_cast<float>(y = g * y + static_cast<double>(in[i * from]));
    return true;
}

template <class T, bool Logarithms>
void prepared_scan::run_decaying(T* out, const T* in, const T* decay) const {
    each_block_of_rows([&](const row* rows, auto count) {
        if constexpr (count == 1 && std::is_same_v<T, float>)
            if (along_.decay == 0 && along_.extent > 1 &&
                decay_evenly<T, Logarithms>(out + rows[0].out, in + rows[0].in,
                                            decay[rows[0].decay]))
                return;
        decayed<T> folded[count];
        decay_factor<T, Logarithms> factors[count];
        for (std::int64_t r = 0; r < count; ++r) out[rows[r].out] = folded[r].first(in[rows[r].in]);
        for (std::int64_t i = 1; i < along_.extent; ++i)
            for (std::int64_t r = 0; r < count; ++r)
                out[rows[r].out + i * along_.out] =
                    folded[r].take(in[rows[r].in + i * along_.in],
                                   factors[r].of(decay[rows[r].decay + i * along_.decay]));
    });
}

template <class T>
void prepared_scan::run_as(void* out, const void* in, const void* decay) const {
    auto* const to = static_cast<T*>(out);
    const auto* const from = static_cast<const T*>(in);
    if constexpr (!std::is_integral_v<T>)
        if (decays_) {
            const auto* const by = static_cast<const T*>(decay);
            return logarithms_ ? run_decaying<T, true>(to, from, by)
                               : run_decaying<T, false>(to, from, by);
        }
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

void prepared_scan::run(void* out, const void* in, const void* decay) const {
    if (rows_ == 0 || along_.extent == 0) return;
    switch (type_) {
        case element::f32:
            return run_as<float>(out, in, decay);
        case element::f64:
            return run_as<double>(out, in, decay);
        case element::i32:
            return run_as<std::int32_t>(out, in, decay);
        default:
            return run_as<std::int64_t>(out, in, decay);
    }
}

}  // namespace ricci::elementwise
