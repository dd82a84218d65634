// A contraction whose operands are each used about once: one loop is run by a vector kernel.
#include "src/contract/vector_product.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <utility>

#include "src/base/arithmetic.hpp"
#include "src/contract/element_types.hpp"
#include "src/contract/offsets.hpp"
#include "src/contract/sharing.hpp"
#include "src/runtime/parallel.hpp"

namespace ricci::contractions {
namespace {

using steps::contraction_loop;

constexpr std::int64_t elements_per_part = 2048;   // of C: stays in the first cache over all of k
constexpr std::int64_t products_per_part = 16384;  // of a sum that is cut
constexpr std::int64_t products_per_task = 1 << 16;
constexpr std::int64_t most_parts = 64;
constexpr std::int64_t few_sums = 16;
constexpr std::int64_t serial_products = 1 << 16;
// The most rows that a kernel sums in one call. Within a call it takes rows from several places,
// which are pages apart even where rows are short.
constexpr std::int64_t most_rows_of_call = 2048;
// The shortest loops over contiguous elements that are run in vectors: where a kernel sums several
// rows at once, and elsewhere.
constexpr std::int64_t shortest_of_rows = 8, shortest_alone = 16;
constexpr std::int64_t most_iterations = std::int64_t{1} << 48;

bool still_or_unit(std::int64_t stride) { return stride == 0 || stride == 1; }

// How well a loop suits as the innermost one. Any loop over contiguous elements that is long enough
// for vectors comes before all others; among those, the longer comes first.
std::int64_t worth(const contraction_loop& loop, std::int64_t shortest_vectors) {
    const bool vectors = still_or_unit(loop.a) && still_or_unit(loop.b) && still_or_unit(loop.c);
    if (!vectors) return loop.extent;
    return loop.extent < shortest_vectors ? loop.extent * 16 : most_iterations + loop.extent;
}

// Moves the loop that suits best as the innermost one out of its list into `inner`, which stays a
// single iteration when there are no loops.
void take_best(loop_list& free, loop_list& summed, std::int64_t shortest_vectors,
               contraction_loop& inner) {
    loop_list* from = nullptr;
    std::size_t best = 0;
    for (loop_list* loops : {&free, &summed}) {
        for (std::size_t i = 0; i < loops->size(); ++i) {
            if (from == nullptr ||
                worth((*loops)[i], shortest_vectors) > worth((*from)[best], shortest_vectors)) {
                from = loops;
                best = i;
            }
        }
    }
    if (from == nullptr) return;
    inner = (*from)[best];
    from->erase(from->begin() + static_cast<std::ptrdiff_t>(best));
}

}  // namespace

bool suits_vector_product(const index_groups& groups) {
    const std::int64_t m = iterations(groups.m);
    const std::int64_t n = iterations(groups.n);
    const std::int64_t k = iterations(groups.k);
    const std::int64_t batch = iterations(groups.batch);
    if (m == 0 || n == 0 || k == 0 || batch == 0) return false;
    if (m == 1 || n == 1) return true;
    // Products are too small to fill a tile, and the batch itself can be run in vectors.
    return m * n * k <= 32 && batch >= 64 &&
           std::any_of(groups.batch.begin(), groups.batch.end(), [](const contraction_loop& loop) {
               return loop.extent >= 32 && loop.c == 1 && still_or_unit(loop.a) &&
                      still_or_unit(loop.b);
           });
}

template <class T, class Stored>
vector_product<T, Stored>::vector_product(index_groups groups,
                                          const kernels::kernel_table<T, Stored>& table)
    : table_(&table), summed_(std::move(groups.k)), origin_(groups.origin) {
    for (const loop_list* loops : {&groups.batch, &groups.m, &groups.n}) {
        free_.insert(free_.end(), loops->begin(), loops->end());
    }
    const std::size_t summed_before = summed_.size();
    const bool rows_at_once = !widens<T, Stored> && table_->dot_rows != nullptr;
    take_best(free_, summed_, rows_at_once ? shortest_of_rows : shortest_alone, inner_);
    inner_is_summed_ = summed_.size() < summed_before;
    outer_ = iterations(free_);
    sums_ = iterations(summed_);

    if (!inner_is_summed_) {
        take_rows();
        parts_ = ceil_divide(inner_.extent, elements_per_part);
    } else if (outer_ <= few_sums) {
        parts_ = std::clamp<std::int64_t>(inner_.extent / products_per_part, 1, most_parts);
    }
    const std::int64_t unit =
        std::max<std::int64_t>(1, inner_.extent / parts_ * sums_ * rows_.extent);
    units_per_task_ = std::max<std::int64_t>(1, products_per_task / unit);
    if (outer_ * parts_ * unit < serial_products) units_per_task_ = outer_ * parts_;
}

// Gives the kernel a summed loop to run around the inner one, where C and one operand are
// contiguous along that and the other operand stands still: C is read and written less often.
template <class T, class Stored>
void vector_product<T, Stored>::take_rows() {
    const bool a_still = inner_.a == 0 && inner_.b == 1, b_still = inner_.b == 0 && inner_.a == 1;
    if (widens<T, Stored> || table_->add_multiples == nullptr || summed_.empty() || inner_.c != 1 ||
        !(a_still || b_still)) {
        return;
    }
    rows_ = summed_.back();
    summed_.pop_back();
    sums_ /= rows_.extent;
    multiples_ = true;
}

template <class T, class Stored>
void vector_product<T, Stored>::run(const void* a, const void* b, void* c,
                                    const engine::number& alpha, const engine::number& beta) const {
    const operands from = bind<T, Stored>(origin_, a, b, c, alpha, beta);
    if (inner_is_summed_ && sums_rows()) {
        run_dot_rows(from);
    } else if (inner_is_summed_) {
        run_sums(from);
    } else {
        run_rows(from);
    }
}

// Adds the products of two lines for all iterations of rows_ to a piece of C, or replaces it.
template <class T, class Stored>
void vector_product<T, Stored>::add_multiples(const operands& from, std::int64_t n, line x, line y,
                                              bool first, Stored* c) const {
    if constexpr (!widens<T, Stored>) {
        const T beta = first ? from.beta : T{1};
        if (x.step == 0) {
            table_->add_multiples(n, rows_.extent, from.alpha, {x.data, rows_.a}, y.data, rows_.b,
                                  beta, c);
        } else {
            table_->add_multiples(n, rows_.extent, from.alpha, {y.data, rows_.b}, x.data, rows_.a,
                                  beta, c);
        }
    }
}

// The inner loop walks C: a piece of it is added to for every k in turn.
template <class T, class Stored>
void vector_product<T, Stored>::run_rows(const operands& from) const {
    distribute_units(outer_ * parts_, units_per_task_, false, [&](std::int64_t unit, int) {
        const position at = locate(free_, unit / parts_);
        const std::int64_t first = part_start(inner_.extent, parts_, unit % parts_, 16);
        const std::int64_t last = part_start(inner_.extent, parts_, unit % parts_ + 1, 16);
        Stored* const c = from.c + at.c + first * inner_.c;
        if constexpr (widens<T, Stored>) {
            add_and_write(from, at, first, last, c);
        } else {
            for (std::int64_t k = 0; k < sums_; ++k) {
                const position in = locate(summed_, k);
                const line x{from.a + at.a + in.a + first * inner_.a, inner_.a};
                const line y{from.b + at.b + in.b + first * inner_.b, inner_.b};
                if (multiples_) {
                    add_multiples(from, last - first, x, y, k == 0, c);
                } else {
                    table_->multiply_add(last - first, from.alpha, x, y, k == 0 ? from.beta : T{1},
                                         c, inner_.c);
                }
            }
        }
    });
}

// Sums of what is stored narrower are complete before they are rounded.
template <class T, class Stored>
void vector_product<T, Stored>::add_and_write(const operands& from, const position& at,
                                              std::int64_t first, std::int64_t last,
                                              Stored* c) const {
    constexpr std::int64_t most = 512;
    alignas(64) T sums[most];
    for (std::int64_t t = first; t < last; t += most) {
        const std::int64_t count = std::min(most, last - t);
        for (std::int64_t k = 0; k < sums_; ++k) {
            const position in = locate(summed_, k);
            table_->multiply_add(count, T{1}, {from.a + at.a + in.a + t * inner_.a, inner_.a},
                                 {from.b + at.b + in.b + t * inner_.b, inner_.b},
                                 k == 0 ? T{0} : T{1}, sums, 1);
        }
        table_->write(count, from.alpha, sums, from.beta, c + (t - first) * inner_.c, inner_.c);
    }
}

// Whether every element of C is the product of a line of a matrix and a vector. A kernel takes
// several such lines at once.
template <class T, class Stored>
bool vector_product<T, Stored>::sums_rows() const {
    if (widens<T, Stored> || table_->dot_rows == nullptr || sums_ != 1 || parts_ != 1 ||
        free_.empty())
        return false;
    const contraction_loop& rows = free_.back();
    return inner_.a == 1 && inner_.b == 1 && (rows.a == 0 || rows.b == 0);
}

template <class T, class Stored>
void vector_product<T, Stored>::run_dot_rows(const operands& from) const {
    if constexpr (!widens<T, Stored>) {
        const contraction_loop& rows = free_.back();
        auto body = [&](std::int64_t task, int) {
            T sums[most_rows_of_call];
            const std::int64_t end = std::min(outer_, (task + 1) * units_per_task_);
            for (std::int64_t unit = task * units_per_task_; unit < end;) {
                const std::int64_t left = rows.extent - unit % rows.extent;
                const std::int64_t count = std::min({most_rows_of_call, left, end - unit});
                const position at = locate(free_, unit);
                const T *a = from.a + at.a, *b = from.b + at.b;
                if (rows.b == 0) table_->dot_rows(inner_.extent, count, a, rows.a, b, sums);
                else table_->dot_rows(inner_.extent, count, b, rows.b, a, sums);
                T* const c = from.c + at.c;
                for (std::int64_t i = 0; i < count; ++i) {
                    T& to = c[i * rows.c];
                    to = from.beta == T{0} ? from.alpha * sums[i]
                                           : from.alpha * sums[i] + from.beta * to;
                }
                unit += count;
            }
        };
        runtime::parallel_for(ceil_divide(outer_, units_per_task_), body);
    }
}

template <class T, class Stored>
T vector_product<T, Stored>::sum_of(const operands& from, std::int64_t index,
                                    std::int64_t part) const {
    const position at = locate(free_, index);
    const std::int64_t first = part_start(inner_.extent, parts_, part, 16);
    const std::int64_t last = part_start(inner_.extent, parts_, part + 1, 16);
    T sum = 0;
    for (std::int64_t k = 0; k < sums_; ++k) {
        const position in = locate(summed_, k);
        sum += table_->dot(last - first, {from.a + at.a + in.a + first * inner_.a, inner_.a},
                           {from.b + at.b + in.b + first * inner_.b, inner_.b});
    }
    return sum;
}

// The inner loop is summed. When there are few sums and they are long, each is cut into parts,
// which are added in order at the end.
template <class T, class Stored>
void vector_product<T, Stored>::run_sums(const operands& from) const {
    const auto write = [&](std::int64_t index, T sum) {
        Stored& c = from.c[locate(free_, index).c];
        if constexpr (widens<T, Stored>) table_->write(1, from.alpha, &sum, from.beta, &c, 1);
        else c = from.beta == T{0} ? from.alpha * sum : from.alpha * sum + from.beta * c;
    };
    std::array<T, static_cast<std::size_t>(few_sums * most_parts)> partial;
    distribute_units(outer_ * parts_, units_per_task_, false, [&](std::int64_t unit, int) {
        const T sum = sum_of(from, unit / parts_, unit % parts_);
        if (parts_ == 1) write(unit, sum);
        else partial[static_cast<std::size_t>(unit)] = sum;
    });
    if (parts_ == 1) return;
    for (std::int64_t index = 0; index < outer_; ++index) {
        T sum = 0;
        for (std::int64_t part = 0; part < parts_; ++part) {
            sum += partial[static_cast<std::size_t>(index * parts_ + part)];
        }
        write(index, sum);
    }
}

#define RICCI_INSTANTIATE(...) template class vector_product<__VA_ARGS__>
RICCI_FOR_CONTRACTED_TYPES(RICCI_INSTANTIATE);
#undef RICCI_INSTANTIATE

}  // namespace ricci::contractions
