// What ranks do together, in MPI's words.
#include "src/mpi/collectives.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

#include <ricci/error.hpp>
#include <ricci/half.hpp>

namespace ricci::mpi {
namespace {

// Messages have counts of 31 bits: longer ones go in pieces.
constexpr std::size_t longest = std::size_t{1} << 28;

template <class T>
constexpr bool is_complex_type = !std::is_arithmetic_v<T> && !std::is_same_v<T, bf16> &&
                                 !std::is_same_v<T, f16>;
/// What elements are folded in: those of 16 bits in float.
template <class T>
using computed = std::conditional_t<std::is_same_v<T, bf16> || std::is_same_v<T, f16>, float, T>;

// A maximum of nothing is the least number that there is, and so on.
template <class T>
T nothing(fold how) {
    using C = computed<T>;
    if constexpr (is_complex_type<T>) {
        return how == fold::product ? T(1) : T(0);
    } else if constexpr (std::is_integral_v<T>) {
        return how == fold::product   ? T{1}
               : how == fold::maximum ? std::numeric_limits<T>::min()
               : how == fold::minimum ? std::numeric_limits<T>::max()
                                      : T{0};
    } else {
        constexpr C infinity = std::numeric_limits<C>::infinity();
        const C x = how == fold::product ? C{1}
                    : how == fold::sum   ? C{0}
                                         : (how == fold::minimum ? infinity : -infinity);
        return static_cast<T>(x);
    }
}

template <class T>
T folded(T a, T b, fold how) {
    using C = computed<T>;
    if constexpr (is_complex_type<T>) {
        return how == fold::product ? a * b : a + b;
    } else if constexpr (std::is_integral_v<T>) {
        using U = std::make_unsigned_t<T>;  // whole numbers wrap
        if (how == fold::maximum) return std::max(a, b);
        if (how == fold::minimum) return std::min(a, b);
        const U x = static_cast<U>(a), y = static_cast<U>(b);
        return static_cast<T>(static_cast<U>(how == fold::product ? x * y : x + y));
    } else {
        const auto x = static_cast<C>(a), y = static_cast<C>(b);
        if (how == fold::sum) return static_cast<T>(x + y);
        if (how == fold::product) return static_cast<T>(x * y);
        if (std::isnan(x)) return a;  // which goes on, as in every other maximum
        if (std::isnan(y)) return b;
        if (how == fold::minimum) return x < y ? a : b;
        const C most = std::max(x, y), least = std::min(x, y);
        if (how == fold::maximum) return x < y ? b : a;
        if (std::isinf(most)) return static_cast<T>(most);  // both may be -infinity
        return static_cast<T>(most + std::log1p(std::exp(least - most)));
    }
}

template <class T, fold How>
void fold_in(void* in, void* in_and_out, int* count, MPI_Datatype*) {
    const T* const a = static_cast<const T*>(in);
    T* const b = static_cast<T*>(in_and_out);
    for (int k = 0; k < *count; ++k) b[k] = folded(a[k], b[k], How);
}

template <class T>
MPI_User_function* function_of(fold how) {
    switch (how) {
        case fold::product:
            return &fold_in<T, fold::product>;
        case fold::maximum:
            return &fold_in<T, fold::maximum>;
        case fold::minimum:
            return &fold_in<T, fold::minimum>;
        case fold::logsumexp:
            return &fold_in<T, fold::logsumexp>;
        case fold::sum:
            break;
    }
    return &fold_in<T, fold::sum>;
}

template <class Visit>
auto with_type(element type, const Visit& visit) {
    switch (type) {
        case element::f32:
            return visit(float{}, MPI_FLOAT);
        case element::f64:
            return visit(double{}, MPI_DOUBLE);
        case element::bf16:
            return visit(bf16{}, MPI_UINT16_T);
        case element::f16:
            return visit(f16{}, MPI_UINT16_T);
        case element::c64:
            return visit(std::complex<float>{}, MPI_C_FLOAT_COMPLEX);
        case element::c128:
            return visit(std::complex<double>{}, MPI_C_DOUBLE_COMPLEX);
        case element::i32:
            return visit(std::int32_t{}, MPI_INT32_T);
        case element::i64:
            return visit(std::int64_t{}, MPI_INT64_T);
        case element::boolean:
            break;
    }
    throw error("ricci: nothing is folded in bool.");
}
MPI_Datatype datatype_of(element type) {
    if (type == element::boolean) return MPI_UINT8_T;
    return with_type(type, [](auto, MPI_Datatype t) { return t; });
}

class operation_of_mpi {
public:
    operation_of_mpi(element type, fold how) {
        MPI_User_function* const f =
            with_type(type, [&](auto x, MPI_Datatype) { return function_of<decltype(x)>(how); });
        MPI_Op_create(f, 1, &op_);
    }
    ~operation_of_mpi() { MPI_Op_free(&op_); }
    operation_of_mpi(const operation_of_mpi&) = delete;
    operation_of_mpi& operator=(const operation_of_mpi&) = delete;
    MPI_Op get() const { return op_; }

private:
    MPI_Op op_ = MPI_OP_NULL;
};

const char* bytes(const array& a) { return static_cast<const char*>(a.data()); }

void copy_axes(const char* from, char* to, const array& a, const array& b, std::size_t axis) {
    const std::size_t size = size_of(a.type());
    if (axis == a.rank()) {
        std::memcpy(to, from, size);
        return;
    }
    const auto step = a.strides()[axis] * static_cast<std::int64_t>(size);
    const auto step_to = b.strides()[axis] * static_cast<std::int64_t>(size);
    const std::size_t count = a.extent(axis);
    if (axis + 1 == a.rank() && a.strides()[axis] == 1 && b.strides()[axis] == 1 && count > 0) {
        std::memcpy(to, from, count * size);
        return;
    }
    for (std::size_t k = 0; k < count; ++k, from += step, to += step_to)
        copy_axes(from, to, a, b, axis + 1);
}

}  // namespace

void copy_elements(const array& from, array& to) {
    if (from.size() > 0) copy_axes(bytes(from), static_cast<char*>(to.data()), from, to, 0);
}

array part_of(const array& whole, std::size_t axis, std::int64_t before, std::int64_t count) {
    std::vector<std::size_t> extents(whole.extents().begin(), whole.extents().end());
    extents[axis] = static_cast<std::size_t>(count);
    const char* const first =
        bytes(whole) +
        before * whole.strides()[axis] * static_cast<std::int64_t>(size_of(whole.type()));
    // the copy keeps the memory
    return array::over(std::make_shared<array>(whole), whole.type(), const_cast<char*>(first),
                       extents, whole.strides(), whole.is_writable());
}

void fill_with_nothing(array& a, fold how) {
    with_type(a.type(), [&](auto zero, MPI_Datatype) {
        using T = decltype(zero);
        std::fill_n(static_cast<T*>(a.data()), a.size(), nothing<T>(how));
    });
}

void all_reduce(MPI_Comm comm, const array& from, array& to, fold how) {
    const operation_of_mpi op(from.type(), how);
    const std::size_t size = size_of(from.type());
    for (std::size_t k = 0; k < from.size(); k += longest)
        MPI_Allreduce(bytes(from) + k * size, static_cast<char*>(to.data()) + k * size,
                      static_cast<int>(std::min(longest, from.size() - k)),
                      datatype_of(from.type()), op.get(), comm);
}

namespace {

/// Rank by rank, how many elements it has of what lies along an axis.
struct blocks {
    std::vector<int> counts, first;
    std::size_t inside = 1;

    blocks(const array& whole, std::size_t axis, const distribution& parts) {
        for (std::size_t k = 0; k < whole.rank(); ++k)
            if (k != axis) inside *= whole.extent(k);
        if (whole.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
            throw error("ricci: a part of more than 2^31 - 1 elements is gathered or scattered.");
        int before = 0;
        for (const std::int64_t count : parts.counts) {
            counts.push_back(static_cast<int>(static_cast<std::size_t>(count) * inside));
            first.push_back(before);
            before += counts.back();
        }
    }
};

/// An array whose memory begins at an element of another one, row-major.
array row_major_at(array& memory, std::size_t offset, std::span<const std::size_t> extents) {
    std::vector<std::int64_t> strides(extents.size());
    std::int64_t step = 1;
    for (std::size_t k = extents.size(); k-- > 0;) {
        strides[k] = step;
        step *= static_cast<std::int64_t>(extents[k]);
    }
    char* const first = static_cast<char*>(memory.data()) + offset * size_of(memory.type());
    return array::over(nullptr, memory.type(), first, extents, strides);
}

}  // namespace

void all_gather(MPI_Comm comm, const array& from, array& to, std::size_t axis,
                const distribution& parts) {
    const blocks each(to, axis, parts);
    const MPI_Datatype type = datatype_of(from.type());
    const array mine = from.is_contiguous() ? from : from.clone();
    if (axis == 0) {
        MPI_Allgatherv(mine.data(), static_cast<int>(mine.size()), type, to.data(),
                       each.counts.data(), each.first.data(), type, comm);
        return;
    }
    array packed(to.type(), to.extents());
    MPI_Allgatherv(mine.data(), static_cast<int>(mine.size()), type, packed.data(),
                   each.counts.data(), each.first.data(), type, comm);
    for (std::size_t r = 0; r < parts.counts.size(); ++r) {
        const int rank = static_cast<int>(r);
        array there = part_of(to, axis, parts.before(rank), parts.of(rank));
        copy_elements(row_major_at(packed, static_cast<std::size_t>(each.first[r]), there.extents()),
                      there);
    }
}

void reduce_scatter(MPI_Comm comm, const array& from, array& to, std::size_t axis, fold how,
                    const distribution& parts) {
    const blocks each(from, axis, parts);
    const operation_of_mpi op(from.type(), how);
    const MPI_Datatype type = datatype_of(from.type());
    if (axis == 0) {
        MPI_Reduce_scatter(from.data(), to.data(), each.counts.data(), type, op.get(), comm);
        return;
    }
    array packed(from.type(), from.extents());
    for (std::size_t r = 0; r < parts.counts.size(); ++r) {
        const int rank = static_cast<int>(r);
        const array there = part_of(from, axis, parts.before(rank), parts.of(rank));
        array block = row_major_at(packed, static_cast<std::size_t>(each.first[r]),
                                   there.extents());
        copy_elements(there, block);
    }
    MPI_Reduce_scatter(packed.data(), to.data(), each.counts.data(), type, op.get(), comm);
}

}  // namespace ricci::mpi
