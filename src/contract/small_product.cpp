// Products of a few elements.
#include "src/contract/small_product.hpp"

#include <algorithm>
#include <complex>
#include <cstdlib>
#include <type_traits>
#include <utility>

#include "src/contract/bound_operands.hpp"
#include "src/contract/element_types.hpp"
#include "src/contract/offsets.hpp"

namespace ricci::contractions {
namespace {

using steps::contraction_loop;
using stride_member = std::int64_t contraction_loop::*;

// Of each matrix. What is copied an element at a time is cheaper packed in vectors from there on.
template <class T>
constexpr std::int64_t most_small_elements = std::is_arithmetic_v<T> ? 128 : 64;
constexpr std::int64_t most_batches = 4;
// One sum alone is added up in vectors if it is as long.
constexpr std::int64_t shortest_long_sum = 16;
// Plain loops are for so many products.
constexpr std::int64_t most_plain_products = 128;

// Whether kernels read it where it lies.
bool is_even(const loop_list& rows, const loop_list& columns, stride_member stride,
             bool side_by_side) {
    const std::int64_t step = uniform_step(columns, stride);
    return uniform_step(rows, stride) != 0 && (side_by_side ? step == 1 : step != 0);
}

std::vector<std::int32_t> places_of(const loop_list& rows, const loop_list& columns,
                                    stride_member stride) {
    const offset_vector down = flatten(rows, stride), across = flatten(columns, stride);
    std::vector<std::int32_t> all;
    for (const std::int64_t i : down.offset)
        for (const std::int64_t j : across.offset) all.push_back(static_cast<std::int32_t>(i + j));
    return all;
}

bool has_far_places(const index_groups& groups) {
    std::int64_t spread = 0;
    for (const auto* const loops : {&groups.m, &groups.n, &groups.k})
        for (const auto& loop : *loops)
            spread += (loop.extent - 1) *
                      std::max({std::abs(loop.a), std::abs(loop.b), std::abs(loop.c)});
    return spread > INT32_MAX;
}

// Whether kernels multiply what is in order, with so many columns.
template <class T>
bool has_kernels(const kernels::kernel_table<T>& table, std::int64_t columns) {
    // Those of complex numbers, where there are any, conjugate nothing.
    return std::is_arithmetic_v<T> && table.direct_rows[0] != 0 &&
           (table.direct_masks || columns % table.lanes == 0);
}

// One loop, of an operand that is copied; or as it is.
loop_list in_order(const loop_list& loops, std::int64_t a, std::int64_t b, std::int64_t c) {
    const auto step = [&](std::int64_t copied, stride_member stride) {
        return copied != 0 ? copied : uniform_step(loops, stride);
    };
    const std::int64_t extent = iterations(loops);
    if (extent == 1) return {};
    return {{extent, step(a, &contraction_loop::a), step(b, &contraction_loop::b),
             step(c, &contraction_loop::c)}};
}

template <class T>
T product_of(T x, T y) {
    if constexpr (std::is_arithmetic_v<T>) return x * y;
    else  // as it is written: the library's looks for what is no number
        return T(x.real() * y.real() - x.imag() * y.imag(),
                 x.real() * y.imag() + x.imag() * y.real());
}

template <class T>
const T* copied(const std::vector<std::int32_t>& places, const T* from, bool conjugate, T* to) {
    if (places.empty()) return from;
    for (std::size_t t = 0; t < places.size(); ++t) {
        to[t] = from[places[t]];
        if constexpr (!std::is_arithmetic_v<T>)
            if (conjugate) to[t] = std::conj(to[t]);
    }
    return to;
}

}  // namespace

template <class T>
bool suits_small_product(const index_groups& groups, const kernels::kernel_table<T>& table) {
    const std::int64_t m = iterations(groups.m), n = iterations(groups.n), k = iterations(groups.k);
    if (m == 0 || n == 0 || k == 0 || iterations(groups.batch) > most_batches) return false;
    if (m * n == 1 && k > shortest_long_sum) return false;
    if (m * k > most_small_elements<T> || k * n > most_small_elements<T> ||
        m * n > most_small_elements<T>)
        return false;
    return (has_kernels(table, n) || m * n * k <= most_plain_products) && !has_far_places(groups);
}

template <class T>
copied_product<T>::copied_product(const index_groups& groups, const kernels::kernel_table<T>& table)
    : conjugate_a_(groups.conjugate_a),
      conjugate_b_(groups.conjugate_b),
      m_(iterations(groups.m)),
      n_(iterations(groups.n)),
      k_(iterations(groups.k)) {
    for (std::int64_t l = 0; l < iterations(groups.batch); ++l)
        batches_.push_back(locate(groups.batch, l));
    const bool by_kernels = has_kernels(table, n_);
    if (!by_kernels || !is_even(groups.m, groups.k, &contraction_loop::a, false))
        a_ = places_of(groups.m, groups.k, &contraction_loop::a);
    if (!by_kernels || !is_even(groups.k, groups.n, &contraction_loop::b, true))
        b_ = places_of(groups.k, groups.n, &contraction_loop::b);
    if (!by_kernels || !is_even(groups.m, groups.n, &contraction_loop::c, true))
        c_ = places_of(groups.m, groups.n, &contraction_loop::c);
    if constexpr (std::is_arithmetic_v<T>)
        if (by_kernels) make_kernels(groups, table);
}

template <class T>
void copied_product<T>::make_kernels(const index_groups& groups,
                                     const kernels::kernel_table<T>& table) {
    const auto if_copied = [](const places& list, std::int64_t step) {
        return list.empty() ? 0 : step;
    };
    index_groups dense;
    dense.m = in_order(groups.m, if_copied(a_, k_), 0, if_copied(c_, n_));
    dense.n = in_order(groups.n, 0, if_copied(b_, 1), if_copied(c_, 1));
    dense.k = in_order(groups.k, if_copied(a_, 1), if_copied(b_, n_), 0);
    if constexpr (std::is_arithmetic_v<T>) kernels_.emplace(dense, table);
}

template <class T>
void copied_product<T>::run(const T* a, const T* b, T* c, T alpha, T beta) const {
    for (const position& at : batches_) multiply_batch(a + at.a, b + at.b, c + at.c, alpha, beta);
}

template <class T>
void copied_product<T>::multiply_batch(const T* a, const T* b, T* c, T alpha, T beta) const {
    // Bytes: elements that are written before they are read are not to be made first.
    alignas(64) std::byte room[3][most_small_elements<T> * sizeof(T)];
    const auto in = [&](int operand) { return reinterpret_cast<T*>(room[operand]); };
    a = copied(a_, a, conjugate_a_, in(0));
    b = copied(b_, b, conjugate_b_, in(1));
    T* const to = c_.empty() ? c : in(2);
    const T kept = c_.empty() ? beta : T{0};
    if constexpr (std::is_arithmetic_v<T>) {
        if (kernels_) kernels_->multiply(a, b, to, alpha, kept);
        else multiply_loops(a, b, to, alpha, kept);
    } else {
        multiply_loops(a, b, to, alpha, kept);
    }
    for (std::size_t t = 0; t < c_.size(); ++t)
        c[c_[t]] = beta == T{0} ? to[t] : to[t] + product_of(beta, c[c_[t]]);
}

template <class T>
void copied_product<T>::multiply_loops(const T* a, const T* b, T* c, T alpha, T beta) const {
    for (std::int64_t i = 0; i < m_; ++i)
        for (std::int64_t j = 0; j < n_; ++j) {
            T sum = product_of(a[i * k_], b[j]);
            for (std::int64_t k = 1; k < k_; ++k) sum += product_of(a[i * k_ + k], b[k * n_ + j]);
            T& to = c[i * n_ + j];
            to = beta == T{0} ? product_of(alpha, sum)
                              : product_of(alpha, sum) + product_of(beta, to);
        }
}

template <class T>
std::vector<std::int64_t> copied_product<T>::key() const {
    std::vector<std::int64_t> all{conjugate_a_, conjugate_b_, m_, n_, k_};
    const auto add = [&](const auto& list) {
        all.push_back(static_cast<std::int64_t>(list.size()));
        all.insert(all.end(), list.begin(), list.end());
    };
    for (const places* const list : {&a_, &b_, &c_}) add(*list);
    add(kernels_ ? kernels_->key() : std::vector<std::int64_t>());
    for (const position& batch : batches_) all.insert(all.end(), {batch.a, batch.b, batch.c});
    return all;
}

template <class T>
void small_product<T>::run(const void* a, const void* b, void* c, const engine::number& alpha,
                           const engine::number& beta) const {
    const bound_operands<T, T> from = bind<T>(origin_, a, b, c, alpha, beta);
    how_->run(from.a, from.b, from.c, from.alpha, from.beta);
}

template <class T>
class small_product<T>::shape final : public product_shape {
public:
    shape(std::shared_ptr<const copied_product<T>> how, T alpha, T beta)
        : how_(std::move(how)), alpha_(alpha), beta_(beta) {}
    void run(const kernels::product_places* at, std::int64_t count) const override {
        for (std::int64_t t = 0; t < count; ++t)
            how_->run(static_cast<const T*>(at[t].a), static_cast<const T*>(at[t].b),
                      static_cast<T*>(at[t].c), alpha_, beta_);
    }
    std::vector<std::int64_t> key() const override {
        std::vector<std::int64_t> all = how_->key();
        for (const T factor : {alpha_, beta_}) {
            if constexpr (std::is_arithmetic_v<T>) all.push_back(bits_of(factor));
            else all.insert(all.end(), {bits_of(factor.real()), bits_of(factor.imag())});
        }
        return all;
    }

private:
    std::shared_ptr<const copied_product<T>> how_;
    T alpha_, beta_;
};

template <class T>
std::vector<product_call> small_product<T>::calls(const engine::number& alpha,
                                                  const engine::number& beta) const {
    constexpr auto bytes = static_cast<std::int64_t>(sizeof(T));
    std::vector<product_call> all;
    all.push_back({std::make_unique<const shape>(how_, alpha.as<T>(), beta.as<T>()),
                   bytes * origin_.a, bytes * origin_.b, bytes * origin_.c, origin_.swapped});
    return all;
}

#define RICCI_INSTANTIATE(T)          \
    template class copied_product<T>; \
    template class small_product<T>;  \
    template bool suits_small_product(const index_groups&, const kernels::kernel_table<T>&)
RICCI_FOR_UNWIDENED_TYPES(RICCI_INSTANTIATE);
#undef RICCI_INSTANTIATE

}  // namespace ricci::contractions
