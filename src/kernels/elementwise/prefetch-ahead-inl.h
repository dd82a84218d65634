// What a micro-kernel asks of memory while it multiplies: its own tile of C, and lines that later
// calls read.
#if defined(RICCI_KERNELS_ASK_AHEAD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_ASK_AHEAD_INL_H
#undef RICCI_KERNELS_ASK_AHEAD_INL_H
#else
#define RICCI_KERNELS_ASK_AHEAD_INL_H
#endif

#include <cstdint>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "src/kernels/gemm/gemm.hpp"
#include "src/kernels/unroll.hpp"

HWY_BEFORE_NAMESPACE();
// Unnamed: it is compiled once for each element type.
namespace ricci::kernels::HWY_NAMESPACE {
namespace {

/// C is asked for so many steps of k before it is needed: earlier, the panels would push it out
/// again.
constexpr std::int64_t prefetch_steps = 64;

/// Steps of k before C is asked for; 0 when it is not, or is at once.
template <class T>
HWY_INLINE std::int64_t steps_before_output(const output_tile<T>& out, std::int64_t depth) {
    return out.prefetch && depth > prefetch_steps ? depth - prefetch_steps : 0;
}

/// Asks for a tile of C: of each row `pieces`, `columns` apart.
template <int rows, int pieces, int columns, class T>
HWY_INLINE void prefetch_output(const output_tile<T>& out) {
    for (int p = 0; p < pieces; ++p) {
        const int j = HWY_MIN(p * columns, out.column_count - 1);
        const T* column = out.origin + out.columns[j];
        RICCI_UNROLL
        for (int i = 0; i < rows; ++i) hwy::Prefetch(column + out.rows[i]);
    }
}

/// Asks for lines that a later call reads. With each k into the second cache, which has the more
/// places to wait for memory; what is there already comes from it in time.
template <class T>
class line_asker {
public:
    explicit HWY_INLINE line_asker(const asked_lines<T>& what)
        : what_(what), next_(what.first), step_(what.step), left_(what.row_lines) {}
    HWY_INLINE void ask() {
        __builtin_prefetch(next_, 0, 2);
        next_ += step_;
        if (--left_ == 0) go_on();
    }
    /// For so many k at once.
    HWY_INLINE void ask(std::int64_t count) {
        if (left_ <= 0) {
            constexpr auto line = static_cast<std::int64_t>(64 / sizeof(T));
            const std::int64_t k_per_line = step_ == 0 ? count : HWY_MAX(line / step_, 1);
            const T* const end = next_ + count * step_;
            for (; next_ < end; next_ += k_per_line * step_) hwy::Prefetch(next_);
            next_ = end;
        } else {
            for (std::int64_t j = 0; j < count; ++j) ask();
        }
    }

private:
    HWY_INLINE void go_on() {
        next_ += what_.jump;
        left_ = what_.row_lines;
        if (++rows_ == what_.rows) step_ = left_ = 0;
    }

    const asked_lines<T>& what_;
    const T* next_;
    std::int64_t step_, left_, rows_ = 0;
};

}  // namespace
}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
