// How elements are folded, as operations of MPI.
#include "src/mpi/folds.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "src/mpi/element_types.hpp"

namespace ricci::mpi {
namespace {

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
void fold_all(const T* a, T* b, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) b[k] = folded(a[k], b[k], How);
}

/// visit.operator()<How>()
template <class Visit>
void with_fold(fold how, const Visit& visit) {
    switch (how) {
        case fold::product:
            return visit.template operator()<fold::product>();
        case fold::maximum:
            return visit.template operator()<fold::maximum>();
        case fold::minimum:
            return visit.template operator()<fold::minimum>();
        case fold::logsumexp:
            return visit.template operator()<fold::logsumexp>();
        case fold::sum:
            break;
    }
    visit.template operator()<fold::sum>();
}

template <class T, fold How>
void fold_in(void* in, void* in_and_out, int* count, MPI_Datatype* type) {
    MPI_Count size = 0;  // of as many elements as lie at one place
    MPI_Type_size_x(*type, &size);
    const auto elements =
        static_cast<std::size_t>(*count) * static_cast<std::size_t>(size) / sizeof(T);
    fold_all<T, How>(static_cast<const T*>(in), static_cast<T*>(in_and_out), elements);
}

template <class T>
MPI_User_function* function_of(fold how) {
    MPI_User_function* made = nullptr;
    with_fold(how, [&]<fold How>() { made = &fold_in<T, How>; });
    return made;
}

}  // namespace

MPI_Datatype datatype_of(element type) {
    if (type == element::boolean) return MPI_UINT8_T;
    return with_type(type, [](auto, MPI_Datatype t) { return t; });
}

fold_operation::fold_operation(element type, fold how) {
    MPI_User_function* const f =
        with_type(type, [&](auto x, MPI_Datatype) { return function_of<decltype(x)>(how); });
    MPI_Op_create(f, 1, &op_);
}
fold_operation::~fold_operation() {
    int ended = 0;
    MPI_Finalized(&ended);
    if (!ended) MPI_Op_free(&op_);
}

void add_elements(element type, const void* from, void* to, std::size_t count) {
    with_type(type, [&](auto zero, MPI_Datatype) {
        using T = decltype(zero);
        const T* const a = static_cast<const T*>(from);
        T* const b = static_cast<T*>(to);
        for (std::size_t k = 0; k < count; ++k) b[k] = folded(b[k], a[k], fold::sum);
    });
}

void fold_elements(element type, fold how, const void* a, void* b, std::size_t count) {
    with_type(type, [&](auto zero, MPI_Datatype) {
        using T = decltype(zero);
        with_fold(how, [&]<fold How>() {
            fold_all<T, How>(static_cast<const T*>(a), static_cast<T*>(b), count);
        });
    });
}

void fill_with_nothing(array& a, fold how) {
    with_type(a.type(), [&](auto zero, MPI_Datatype) {
        using T = decltype(zero);
        std::fill_n(static_cast<T*>(a.data()), a.size(), nothing<T>(how));
    });
}

}  // namespace ricci::mpi
