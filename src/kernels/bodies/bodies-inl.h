// The register machine for bodies in Highway. The including file defines RICCI_BODY_TYPE.
//
// The interpreter is one switch in a loop, and the accumulator vectors in variables that have
// names: so they stay in registers from one instruction to the next, which those of an array do
// not.
#if defined(RICCI_KERNELS_BODIES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_BODIES_INL_H
#undef RICCI_KERNELS_BODIES_INL_H
#else
#define RICCI_KERNELS_BODIES_INL_H
#endif

#include <cstddef>
#include <cstdint>

#include <hwy/highway.h>

#include "src/kernels/bodies/bodies.hpp"
#include "src/kernels/bodies/body-block-inl.h"
#include "src/kernels/bodies/body-folds-inl.h"
#include "src/kernels/bodies/body-operations-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ricci::kernels::HWY_NAMESPACE {
namespace {

constexpr bool adds(body_pair what) {
    return what == body_pair::add_square || what == body_pair::add_two_squares ||
           what == body_pair::add_three_squares;
}

template <body_pair what>
HWY_INLINE vector pair_of(vector a, vector r, vector c) {
    [[maybe_unused]] const tag d;
    if constexpr (what == body_pair::sum) return hn::Add(r, c);
    else if constexpr (what == body_pair::difference) return hn::Sub(c, r);
    else if constexpr (what == body_pair::other_difference) return hn::Sub(r, c);
    else if constexpr (what == body_pair::product) return hn::Mul(r, c);
    else if constexpr (what == body_pair::add_product) return hn::MulAdd(r, c, a);
    else if constexpr (what == body_pair::times) return hn::Mul(a, hn::Sub(c, r));
    else if constexpr (what == body_pair::times_other) return hn::Mul(a, hn::Sub(r, c));
    else if constexpr (what == body_pair::keep_where_different)
        return hn::IfThenZeroElse(hn::Eq(r, c), a);
    else {
        // The broadcast is an argument of the subtraction this way round.
        const vector x = hn::Sub(r, c);
        return adds(what) ? hn::MulAdd(x, x, a) : hn::Mul(x, x);
    }
}

/// What instruction `id` does to the accumulator.
template <int id>
HWY_INLINE void step(RICCI_BODY_PARAMETERS(a), const body_instruction& i, number* frame,
                     std::int64_t j, std::int64_t count) {
    namespace ids = body_id;
    [[maybe_unused]] const tag d;
    if constexpr (id < ids::store) {
        const argument<place_of(id - ids::load)> x(frame, i.x, j);
#define RICCI_BODY_DO(u) a##u = x.template get<u>();
        RICCI_BODY_EACH(RICCI_BODY_DO)
#undef RICCI_BODY_DO
    } else if constexpr (id < ids::binary) {
        number* const to = frame + i.x;
#define RICCI_BODY_DO(u) hn::Store(a##u, d, to + u * lane_count);
        RICCI_BODY_EACH(RICCI_BODY_DO)
#undef RICCI_BODY_DO
    } else if constexpr (id < ids::comparison) {
        constexpr auto what = static_cast<body_binary>((id - ids::binary) / body_places);
        const argument<place_of(id - ids::binary)> x(frame, i.x, j);
        constexpr bool of_a = what == body_binary::quotient;
        if constexpr (has_rough_inverse && (of_a || what == body_binary::quotient_into)) {
            // One look at all of them; who has to be divided is still there.
            HWY_ALIGN number before[block_elements];
            vector even = hn::Zero(d), odd = even;
#define RICCI_BODY_DO(u)                                                        \
    {                                                                           \
        const vector y = x.template get<u>();                                   \
        hn::Store(a##u, d, before + u * lane_count);                            \
        a##u = quick_quotient(of_a ? vector(a##u) : y, of_a ? y : vector(a##u), \
                              u % 2 == 0 ? even : odd);                         \
    }
            RICCI_BODY_EACH(RICCI_BODY_DO)
#undef RICCI_BODY_DO
            if (are_inverses(hn::Add(even, odd))) return;
#define RICCI_BODY_DO(u) \
    a##u = binary_of<what>(hn::Load(d, before + u * lane_count), x.template get<u>());
            RICCI_BODY_EACH(RICCI_BODY_DO)
#undef RICCI_BODY_DO
        } else {
#define RICCI_BODY_DO(u) a##u = binary_of<what>(a##u, x.template get<u>());
            RICCI_BODY_EACH(RICCI_BODY_DO)
#undef RICCI_BODY_DO
        }
    } else if constexpr (id < ids::fused) {
        constexpr auto what = static_cast<body_comparison>((id - ids::comparison) / body_places);
        const argument<place_of(id - ids::comparison)> x(frame, i.x, j);
#define RICCI_BODY_DO(u) a##u = comparison_of<what>(a##u, x.template get<u>());
        RICCI_BODY_EACH(RICCI_BODY_DO)
#undef RICCI_BODY_DO
    } else if constexpr (id < ids::square_add) {
        constexpr int places = id - ids::fused;
        constexpr auto what = static_cast<body_fused>(places / (body_places * body_places));
        const argument<place_of(places / body_places)> x(frame, i.x, j);
        const argument<place_of(places)> y(frame, i.y, j);
#define RICCI_BODY_DO(u) a##u = fused_of<what>(a##u, x.template get<u>(), y.template get<u>());
        RICCI_BODY_EACH(RICCI_BODY_DO)
#undef RICCI_BODY_DO
    } else if constexpr (id < ids::add_square) {
        const argument<place_of(id - ids::square_add)> x(frame, i.x, j);
#define RICCI_BODY_DO(u) a##u = hn::MulAdd(a##u, a##u, x.template get<u>());
        RICCI_BODY_EACH(RICCI_BODY_DO)
#undef RICCI_BODY_DO
    } else if constexpr (id < ids::select) {
        const argument<place_of(id - ids::add_square)> x(frame, i.x, j);
#define RICCI_BODY_DO(u)                      \
    {                                         \
        const vector t = x.template get<u>(); \
        a##u = hn::MulAdd(t, t, a##u);        \
    }
        RICCI_BODY_EACH(RICCI_BODY_DO)
#undef RICCI_BODY_DO
    } else if constexpr (id < ids::pair) {
        constexpr int places = id - ids::select;
        const argument<place_of(places / body_places)> x(frame, i.x, j);
        const argument<place_of(places)> y(frame, i.y, j);
#define RICCI_BODY_DO(u) \
    a##u = hn::IfThenElse(is_true(d, a##u), x.template get<u>(), y.template get<u>());
        RICCI_BODY_EACH(RICCI_BODY_DO)
#undef RICCI_BODY_DO
    } else if constexpr (id < ids::one) {
        constexpr auto what = static_cast<body_pair>(id - ids::pair);
        constexpr int more = squares_of(what) - 1;
        const argument<body_place::rows> r(frame, i.x, j);
        const argument<body_place::columns> c(frame, i.y, j);
#define RICCI_BODY_DO(u) a##u = pair_of<what>(a##u, r.template get<u>(), c.template get<u>());
        RICCI_BODY_EACH(RICCI_BODY_DO)
#undef RICCI_BODY_DO
#define RICCI_BODY_DO(u) \
    a##u = pair_of<body_pair::add_square>(a##u, q.template get<u>(), b.template get<u>());
        if constexpr (more >= 1) {
            const argument<body_place::rows> q(frame, i.x + row_elements, j);
            const argument<body_place::columns> b(frame, i.y + i.z, j);
            RICCI_BODY_EACH(RICCI_BODY_DO)
        }
        if constexpr (more >= 2) {
            const argument<body_place::rows> q(frame, i.x + 2 * row_elements, j);
            const argument<body_place::columns> b(frame, i.y + 2 * i.z, j);
            RICCI_BODY_EACH(RICCI_BODY_DO)
        }
#undef RICCI_BODY_DO
    } else if constexpr (id < ids::power) {
        constexpr int code = id - ids::one;
        if constexpr (is_long(code)) {
            HWY_ALIGN number block[block_elements];
#define RICCI_BODY_DO(u) hn::Store(a##u, d, block + u * lane_count);
            RICCI_BODY_EACH(RICCI_BODY_DO)
#undef RICCI_BODY_DO
            each_vector<code>(block, block_vectors);
#define RICCI_BODY_DO(u) a##u = hn::Load(d, block + u * lane_count);
            RICCI_BODY_EACH(RICCI_BODY_DO)
#undef RICCI_BODY_DO
        } else {
#define RICCI_BODY_DO(u) a##u = one_of<code>(a##u);
            RICCI_BODY_EACH(RICCI_BODY_DO)
#undef RICCI_BODY_DO
        }
    } else if constexpr (id < ids::function) {
        constexpr auto what = static_cast<body_power>(id - ids::power);
        if constexpr (has_rough_inverse_root) {
            // One look at all of them; whoever has to be computed again is still there.
            HWY_ALIGN number before[block_elements];
            vector even = hn::Zero(d), odd = even;
#define RICCI_BODY_DO(u)                         \
    hn::Store(a##u, d, before + u * lane_count); \
    a##u = quick_power<what>(a##u, u % 2 == 0 ? even : odd);
            RICCI_BODY_EACH(RICCI_BODY_DO)
#undef RICCI_BODY_DO
            if (are_corrected(hn::Add(even, odd))) return;
#define RICCI_BODY_DO(u) a##u = careful_power<what>(hn::Load(d, before + u * lane_count));
            RICCI_BODY_EACH(RICCI_BODY_DO)
#undef RICCI_BODY_DO
        } else {
#define RICCI_BODY_DO(u) a##u = exact_power<what>(a##u);
            RICCI_BODY_EACH(RICCI_BODY_DO)
#undef RICCI_BODY_DO
        }
    } else if constexpr (id < ids::fold_columns) {
        constexpr auto what = static_cast<body_function>((id - ids::function) / body_places);
        const argument<place_of(id - ids::function)> x(frame, i.x, j);
        HWY_ALIGN number block[block_elements];
        HWY_ALIGN number others[block_elements];
#define RICCI_BODY_DO(u)                        \
    hn::Store(a##u, d, block + u * lane_count); \
    hn::Store(x.template get<u>(), d, others + u * lane_count);
        RICCI_BODY_EACH(RICCI_BODY_DO)
#undef RICCI_BODY_DO
        each_two<what>(block, others, block_vectors);
#define RICCI_BODY_DO(u) a##u = hn::Load(d, block + u * lane_count);
        RICCI_BODY_EACH(RICCI_BODY_DO)
#undef RICCI_BODY_DO
    } else if constexpr (id < ids::end) {
        constexpr int family = (id - ids::fold_columns) / body_folds;
        constexpr auto what = static_cast<body_fold>((id - ids::fold_columns) % body_folds);
        const stored<vector> a[block_vectors] = {RICCI_BODY_NAMES(a)};
        fold_block<what, family % 2 == 1, family >= 2>(a, i, frame, j, count);
    }
}

/// No code for what no program has.
constexpr bool exists(int id) {
    namespace ids = body_id;
    if (id > ids::end) return false;
    if (id >= ids::fused && id < ids::square_add) {
        const int places = id - ids::fused;
        const auto what = static_cast<body_fused>(places / (body_places * body_places));
        return !ids::is_symmetric(what) ||
               places / body_places % body_places <= places % body_places;
    }
    if (id < ids::fold_columns || id == ids::end) return true;
    const int family = (id - ids::fold_columns) / body_folds;
    const auto what = static_cast<body_fold>((id - ids::fold_columns) % body_folds);
    return family % 2 == 0 || (what < body_fold::add_times && what != body_fold::exponentials);
}

void run(const body_instruction* program, number* frame, std::int64_t first, std::int64_t end,
         std::int64_t count) {
    if (first >= end) return;
    const vector zero = hn::Zero(tag());
    vector RICCI_BODY_ZEROS(a);
    const body_instruction* i = program;
    std::int64_t j = first;
#define RICCI_BODY_CASE(n)                                       \
    case (n):                                                    \
        if constexpr ((n) == body_id::end) {                     \
            j += block_columns;                                  \
            if (j >= end) return;                                \
            i = program;                                         \
        } else if constexpr (exists(n)) {                        \
            step<(n)>(RICCI_BODY_NAMES(a), *i, frame, j, count); \
            ++i;                                                 \
        } else {                                                 \
            HWY_ASSERT(false);                                   \
        }                                                        \
        break;
#define RICCI_BODY_FOUR(n) \
    RICCI_BODY_CASE(n) RICCI_BODY_CASE(n + 1) RICCI_BODY_CASE(n + 2) RICCI_BODY_CASE(n + 3)
#define RICCI_BODY_SIXTEEN(n) \
    RICCI_BODY_FOUR(n) RICCI_BODY_FOUR(n + 4) RICCI_BODY_FOUR(n + 8) RICCI_BODY_FOUR(n + 12)
#define RICCI_BODY_SIXTY_FOUR(n) \
    RICCI_BODY_SIXTEEN(n)        \
    RICCI_BODY_SIXTEEN(n + 16) RICCI_BODY_SIXTEEN(n + 32) RICCI_BODY_SIXTEEN(n + 48)
    static_assert(body_id::end < 224);
    for (;;) switch (i->id) {
            RICCI_BODY_SIXTY_FOUR(0)
            RICCI_BODY_SIXTY_FOUR(64)
            RICCI_BODY_SIXTY_FOUR(128)
            RICCI_BODY_SIXTEEN(192)
            RICCI_BODY_SIXTEEN(208)
            default:
                return;
        }
#undef RICCI_BODY_SIXTY_FOUR
#undef RICCI_BODY_SIXTEEN
#undef RICCI_BODY_FOUR
#undef RICCI_BODY_CASE
}

const body_table<number>* target_machine() {
    static const body_table<number> table{hwy::TargetName(HWY_TARGET), lane_count, block_columns,
                                          &run};
    return &table;
}

}  // namespace
}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
