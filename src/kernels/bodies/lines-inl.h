// The register machine for lines in Highway. The including file defines RICCI_BODY_TYPE.
//
// One interpreter is compiled for eight vectors abreast, and others for what is left of a line:
// four, two, and one that may be cut off. The accumulator is a pack of parameters, which have names
// of their own: so they stay in registers.
#if defined(RICCI_KERNELS_LINES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_LINES_INL_H
#undef RICCI_KERNELS_LINES_INL_H
#else
#define RICCI_KERNELS_LINES_INL_H
#endif

#include <cstddef>
#include <cstdint>
#include <utility>

#include <hwy/highway.h>

#include "src/kernels/bodies/body-operations-inl.h"
#include "src/kernels/bodies/lines.hpp"
#include "src/kernels/gemm/tail-inl.h"
#include "src/kernels/stored-vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ricci::kernels::HWY_NAMESPACE {
namespace {

using operand = line_operand<number>;

/// One number for all elements.
struct broadcast_number {
    stored<vector> value;
    template <int u>
    HWY_INLINE vector get() const {
        return value;
    }
};

/// Vectors of a line. `cut`: one, of which some lanes may be behind the end.
template <bool cut>
struct line_vectors {
    number* from;
    std::size_t left;
    template <int u>
    HWY_INLINE vector get() const {
        const tag d;
        if constexpr (cut) {
            if (left < static_cast<std::size_t>(lane_count)) return load_first(d, from, left);
        }
        return hn::LoadU(d, from + u * lane_count);
    }
    template <int u>
    HWY_INLINE void put(vector a) const {
        const tag d;
        if constexpr (cut) {
            if (left < static_cast<std::size_t>(lane_count)) return store_first(a, d, from, left);
        }
        hn::StoreU(a, d, from + u * lane_count);
    }
};

/// Where a program is: at element i of a line, of which so many are left.
struct line_place {
    const operand* operands;
    std::int64_t i;
    std::size_t left;
};

template <bool cut>
HWY_INLINE line_vectors<cut> vectors_of(const line_place& at, std::uint32_t k) {
    const operand& o = at.operands[k];
    return {o.at + (at.i & o.moves), at.left};
}

template <body_place place, bool cut>
HWY_INLINE auto argument_of(const line_place& at, std::uint32_t k) {
    if constexpr (place == body_place::rows)
        return broadcast_number{hn::Set(tag(), *at.operands[k].at)};
    else return vectors_of<cut>(at, k);
}

template <body_start what>
HWY_INLINE vector start_of(vector x, vector y) {
    if constexpr (what == body_start::sum) return hn::Add(x, y);
    else if constexpr (what == body_start::difference) return hn::Sub(x, y);
    else if constexpr (what == body_start::other_difference) return hn::Sub(y, x);
    else return hn::Mul(x, y);
}

/// What instruction `id` does to the accumulator.
template <int id, bool cut, int... u, class... V>
HWY_INLINE void line_step(std::integer_sequence<int, u...>, const body_instruction& i,
                          const line_place& at, V&... a) {
    namespace ids = body_id;
    [[maybe_unused]] const tag d;
    if constexpr (id < ids::store) {
        const auto x = argument_of<place_of(id - ids::load), cut>(at, i.x);
        ((a = x.template get<u>()), ...);
    } else if constexpr (id < ids::binary) {
        const auto to = vectors_of<cut>(at, i.x);
        (to.template put<u>(a), ...);
    } else if constexpr (id < ids::comparison) {
        constexpr auto what = static_cast<body_binary>((id - ids::binary) / body_places);
        const auto x = argument_of<place_of(id - ids::binary), cut>(at, i.x);
        ((a = binary_of<what>(a, x.template get<u>())), ...);
    } else if constexpr (id < ids::fused) {
        constexpr auto what = static_cast<body_comparison>((id - ids::comparison) / body_places);
        const auto x = argument_of<place_of(id - ids::comparison), cut>(at, i.x);
        ((a = comparison_of<what>(a, x.template get<u>())), ...);
    } else if constexpr (id < ids::square_add) {
        constexpr int places = id - ids::fused;
        constexpr auto what = static_cast<body_fused>(places / (body_places * body_places));
        const auto x = argument_of<place_of(places / body_places), cut>(at, i.x);
        const auto y = argument_of<place_of(places), cut>(at, i.y);
        ((a = fused_of<what>(a, x.template get<u>(), y.template get<u>())), ...);
    } else if constexpr (id < ids::add_square) {
        const auto x = argument_of<place_of(id - ids::square_add), cut>(at, i.x);
        ((a = hn::MulAdd(a, a, x.template get<u>())), ...);
    } else if constexpr (id < ids::select) {
        const auto x = argument_of<place_of(id - ids::add_square), cut>(at, i.x);
        ((a = fused_of<body_fused::add_product>(a, x.template get<u>(), x.template get<u>())), ...);
    } else if constexpr (id < ids::pair) {
        constexpr int places = id - ids::select;
        const auto x = argument_of<place_of(places / body_places), cut>(at, i.x);
        const auto y = argument_of<place_of(places), cut>(at, i.y);
        ((a = hn::IfThenElse(is_true(d, a), x.template get<u>(), y.template get<u>())), ...);
    } else if constexpr (id < ids::power) {
        constexpr int code = id - ids::one;
        if constexpr (is_long(code)) {
            HWY_ALIGN number block[sizeof...(V) * static_cast<std::size_t>(lane_count)];
            (hn::Store(a, d, block + u * lane_count), ...);
            each_vector<code>(block, sizeof...(V));
            ((a = hn::Load(d, block + u * lane_count)), ...);
        } else {
            ((a = one_of<code>(a)), ...);
        }
    } else if constexpr (id < ids::fold_columns) {
        constexpr auto what = static_cast<body_function>((id - ids::function) / body_places);
        const auto x = argument_of<place_of(id - ids::function), cut>(at, i.x);
        constexpr std::size_t elements = sizeof...(V) * static_cast<std::size_t>(lane_count);
        HWY_ALIGN number block[elements];
        HWY_ALIGN number others[elements];
        (hn::Store(a, d, block + u * lane_count), ...);
        (hn::Store(x.template get<u>(), d, others + u * lane_count), ...);
        each_two<what>(block, others, sizeof...(V));
        ((a = hn::Load(d, block + u * lane_count)), ...);
    } else if constexpr (id >= ids::start && id < ids::finish) {
        constexpr auto what = static_cast<body_start>((id - ids::start) / body_places);
        const auto x = argument_of<place_of(id - ids::start), cut>(at, i.x);
        const auto y = vectors_of<cut>(at, i.y);
        ((a = start_of<what>(x.template get<u>(), y.template get<u>())), ...);
    }
}

/// No code for what no program of lines has.
constexpr bool is_of_lines(int id) {
    namespace ids = body_id;
    const auto is_place = [](int k) { return place_of(k) != body_place::columns; };
    const auto are_places = [&](int k) { return is_place(k) && is_place(k / body_places); };
    if (id < ids::store) return is_place(id - ids::load);
    if (id < ids::binary) return true;
    if (id < ids::comparison) return is_place(id - ids::binary);
    if (id < ids::fused) return is_place(id - ids::comparison);
    if (id < ids::square_add) {
        const int places = id - ids::fused;
        const auto what = static_cast<body_fused>(places / (body_places * body_places));
        return are_places(places) && (!ids::is_symmetric(what) ||
                                      places / body_places % body_places <= places % body_places);
    }
    if (id < ids::add_square) return is_place(id - ids::square_add);
    if (id < ids::select) return is_place(id - ids::add_square);
    if (id < ids::pair) return are_places(id - ids::select);
    if (id < ids::one) return false;
    if (id < ids::power) return true;
    if (id < ids::function) return false;
    if (id < ids::fold_columns) return is_place(id - ids::function);
    return id >= ids::start && id < ids::finish && is_place(id - ids::start);
}

/// From element i of a line on, as many whole blocks of sizeof...(V) vectors as there are; `cut`:
/// vectors to the end, of which the last may be cut off. Returns where it stopped.
template <bool cut, class... V>
HWY_NOINLINE std::int64_t run_blocks(const body_instruction* program, const operand* operands,
                                     std::int64_t i, std::int64_t n, V... a) {
    constexpr auto block = static_cast<std::int64_t>(sizeof...(V)) * lane_count;
    constexpr auto numbers = std::make_integer_sequence<int, static_cast<int>(sizeof...(V))>();
    const body_instruction* next = program;
    line_place at{operands, i, static_cast<std::size_t>(n - i)};
#define RICCI_LINES_CASE(id)                                              \
    case (id):                                                            \
        if constexpr ((id) == body_id::end || (id) == body_id::finish) {  \
            if constexpr ((id) == body_id::finish)                        \
                line_step<body_id::store, cut>(numbers, *next, at, a...); \
            at.i += block;                                                \
            at.left -= static_cast<std::size_t>(block);                   \
            if (at.i + (cut ? 1 : block) > n) return at.i;                \
            next = program;                                               \
        } else if constexpr (is_of_lines(id)) {                           \
            line_step<(id), cut>(numbers, *next, at, a...);               \
            ++next;                                                       \
        } else {                                                          \
            __builtin_unreachable();                                      \
        }                                                                 \
        break;
#define RICCI_LINES_FOUR(id) \
    RICCI_LINES_CASE(id)     \
    RICCI_LINES_CASE(id + 1) RICCI_LINES_CASE(id + 2) RICCI_LINES_CASE(id + 3)
#define RICCI_LINES_SIXTEEN(id) \
    RICCI_LINES_FOUR(id)        \
    RICCI_LINES_FOUR(id + 4) RICCI_LINES_FOUR(id + 8) RICCI_LINES_FOUR(id + 12)
#define RICCI_LINES_SIXTY_FOUR(id) \
    RICCI_LINES_SIXTEEN(id)        \
    RICCI_LINES_SIXTEEN(id + 16) RICCI_LINES_SIXTEEN(id + 32) RICCI_LINES_SIXTEEN(id + 48)
    static_assert(body_id::count <= 240);
    for (;;) switch (next->id) {
            RICCI_LINES_SIXTY_FOUR(0)
            RICCI_LINES_SIXTY_FOUR(64)
            RICCI_LINES_SIXTY_FOUR(128)
            RICCI_LINES_SIXTEEN(192)
            RICCI_LINES_SIXTEEN(208)
            RICCI_LINES_SIXTEEN(224)
            default:
                __builtin_unreachable();
        }
#undef RICCI_LINES_SIXTY_FOUR
#undef RICCI_LINES_SIXTEEN
#undef RICCI_LINES_FOUR
#undef RICCI_LINES_CASE
}

void run_lines(const body_instruction* program, operand* operands, std::size_t moving,
               std::int64_t rows, std::int64_t n) {
    const vector z = hn::Zero(tag());
    for (std::int64_t row = 0; row < rows; ++row) {
        std::int64_t i = 0;
        if (i + 8 * lane_count <= n)
            i = run_blocks<false>(program, operands, i, n, z, z, z, z, z, z, z, z);
        if (i + 4 * lane_count <= n) i = run_blocks<false>(program, operands, i, n, z, z, z, z);
        if (i + 2 * lane_count <= n) i = run_blocks<false>(program, operands, i, n, z, z);
        if (i < n) run_blocks<true>(program, operands, i, n, z);
        for (std::size_t k = 0; k < moving; ++k) operands[k].at += operands[k].row_step;
    }
}

const line_table<number>* target_lines() {
    static const line_table<number> table{8 * lane_count, lane_count, &run_lines};
    return &table;
}

}  // namespace
}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
