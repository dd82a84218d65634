// Contractions of operands that are read through lists of offsets, against plain loops; operands
// lie between guarded pages.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "src/contract/contraction.hpp"
#include "src/runtime/loans.hpp"
#include "src/runtime/parallel.hpp"
#include "tests/catch.hpp"
#include "tests/few.hpp"
#include "tests/unit/contract/settings.hpp"
#include "tests/unit/guarded.hpp"
#include "src/steps/contraction.hpp"

namespace {

using namespace ricci::testing;
using ricci::contractions::kernel_choice;
using ricci::contractions::prepared_contraction;
using ricci::steps::contraction;
using ricci::steps::contraction_loop;
using ricci::steps::listed_operand;
using counters = std::vector<std::int64_t>;

/// An operand: what each loop adds, on top of what a list says.
struct listed_map {
    counters strides;
    listed_operand list;
    counters offsets;  // of the list; none where there is none

    std::int64_t find(const counters& at) const {
        std::int64_t element = 0, place = 0;
        for (std::size_t l = 0; l < at.size(); ++l) element += strides[l] * at[l];
        if (offsets.empty()) return element;
        for (std::size_t l = 0; l < at.size(); ++l) place += list.factors[l] * at[l];
        return element + offsets.at(static_cast<std::size_t>(place));
    }
};

struct listed_pattern {
    counters extents;  // of the loops of batch, m, n and k
    std::vector<int> group;
    listed_map a, b, c;
    std::size_t count(int which) const {
        return static_cast<std::size_t>(std::count(group.begin(), group.end(), which));
    }
};

class pattern_maker {
public:
    pattern_maker(unsigned seed, std::int64_t largest) : random_(seed), largest_(largest) {}

    listed_pattern run() {
        std::int64_t total = 1;
        for (int g = 0; g < 4; ++g)
            for (int i = pick(0, g == 0 ? 2 : 3); i > 0; --i) {
                std::int64_t extent = pick(0, 60) == 0  ? 0
                                      : pick(0, 3) == 0 ? pick(1, 60)
                                                        : pick(1, 7);
                while (extent > 1 && total * extent > largest_) --extent;
                total *= std::max<std::int64_t>(1, extent);
                p_.extents.push_back(extent);
                p_.group.push_back(g);
            }
        const int which = pick(0, 2);
        p_.a = operand(1, 2, which != 1);
        p_.b = operand(2, 1, which != 0);
        p_.c = operand(0, 3, false);
        return p_;
    }

private:
    int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

    // `own`: the group that moves along the list, or that of k does, or both, and batches may.
    listed_map operand(int own, int lacks, bool has_list) {
        const std::size_t count = p_.extents.size();
        listed_map made;
        made.strides.assign(count, 0);
        made.list.factors.assign(count, 0);
        const int side = pick(0, 2);  // 0: own, 1: k, 2: both
        std::vector<std::size_t> loops;
        std::int64_t places = 1, stride = 1;
        for (std::size_t l = 0; l < count; ++l) {
            const int g = p_.group[l];
            if (g == lacks) continue;
            const bool moves = g == 0 || (g == own ? side != 1 : side != 0);
            const bool listed = has_list && moves && pick(0, 3) != 0;
            // Elements of C are apart; those of others may be the same.
            if (!listed || pick(0, 7) == 0) loops.push_back(l);
            if (!listed) continue;
            made.list.factors[l] = places;
            places *= std::max<std::int64_t>(1, p_.extents[l]);
        }
        std::shuffle(loops.begin(), loops.end(), random_);
        for (const std::size_t l : loops) {
            made.strides[l] = pick(0, 7) == 0 ? -stride : stride;
            stride *= std::max<std::int64_t>(1, p_.extents[l]);
            if (pick(0, 5) == 0) stride += 3;
        }
        if (!has_list) return made;
        made.list.length = places;
        for (std::int64_t i = 0; i < places; ++i)
            made.offsets.push_back(pick(-5, 40) * (pick(0, 1) == 0 ? 1 : stride));
        return made;
    }

    std::mt19937 random_;
    std::int64_t largest_;
    listed_pattern p_;
};

template <class Body>
void for_each(const counters& extents, Body body) {
    counters at(extents.size(), 0);
    if (std::find(extents.begin(), extents.end(), 0) != extents.end()) return;
    while (true) {
        body(at);
        std::size_t l = extents.size();
        while (l > 0 && ++at[l - 1] == extents[l - 1]) at[--l] = 0;
        if (l == 0) return;
    }
}

template <class T>
constexpr bool complex = ricci::is_complex(ricci::element_v<T>);

/// An operand with no element more than is read; small whole numbers, whose sums are exact.
template <class T>
struct memory_of {
    guarded_array<T> elements;
    std::int64_t start = 0;

    memory_of(const listed_pattern& p, const listed_map& places, unsigned seed) {
        std::mt19937 random(seed);
        std::int64_t low = 0, high = -1;
        counters extents = p.extents;
        for (std::size_t l = 0; l < extents.size() && &places == &p.c; ++l)
            if (p.group[l] == 3) extents[l] = 1;
        for_each(extents, [&](const counters& at) {
            const std::int64_t element = places.find(at);
            if (high < low) low = high = element;
            low = std::min(low, element);
            high = std::max(high, element);
        });
        start = -low;
        elements = guarded_array<T>(static_cast<std::size_t>(high - low + 1),
                                    seed % 2 == 0 ? guarded_end::last : guarded_end::first);
        const auto part = [&] {
            return static_cast<float>(std::uniform_int_distribution<int>(-2, 2)(random));
        };
        for (T& x : elements) {
            if constexpr (complex<T>) {
                using real = typename T::value_type;
                x = T(static_cast<real>(part()), static_cast<real>(part()));
            } else {
                x = static_cast<T>(part());
            }
        }
    }
    T* origin() { return elements.data() + start; }
};

template <class T>
auto wide(T x) {
    if constexpr (complex<T>) return std::complex<double>(x);
    else if constexpr (std::is_integral_v<T>) return static_cast<double>(x);
    else return static_cast<double>(static_cast<float>(x));
}

struct described {
    described(const listed_pattern& p, ricci::element type) {
        for (std::size_t l = 0; l < p.extents.size(); ++l)
            loops.push_back({p.extents[l], p.a.strides[l], p.b.strides[l], p.c.strides[l]});
        what.type = type;
        std::size_t first = 0;
        int g = 0;
        for (auto* const group : {&what.batch, &what.m, &what.n, &what.k}) {
            *group = std::span<const contraction_loop>(loops).subspan(first, p.count(g));
            first += p.count(g++);
        }
        if (!p.a.offsets.empty()) what.a_list = &p.a.list;
        if (!p.b.offsets.empty()) what.b_list = &p.b.list;
    }
    std::vector<contraction_loop> loops;
    contraction what;
};

template <class T>
void check(const listed_pattern& p, unsigned seed, kernel_choice kernels = kernel_choice::best,
           int workers = 1) {
    INFO("seed " << seed << " of " << ricci::name_of(ricci::element_v<T>));
    const worker_guard guard;
    ricci::runtime::set_worker_count(workers);
    described d(p, ricci::element_v<T>);
    d.what.conjugate_a = complex<T> && seed % 2 == 0;
    d.what.conjugate_b = complex<T> && seed % 3 == 0;
    memory_of<T> a(p, p.a, seed), b(p, p.b, seed + 1), c(p, p.c, seed + 2);
    const double alpha = seed % 5 == 0 ? -2 : 1, beta = seed % 4 == 0 ? 1 : 0;
    const prepared_contraction prepared(d.what, kernels);
    guarded_array<T> out = c.elements;
    {
        ricci::runtime::loan_book book;
        book.add_step(prepared.how().loans());
        const ricci::runtime::held_memory held(book);
        prepared.run({a.origin(), b.origin(), out.data() + c.start, ricci::engine::number(alpha),
                      ricci::engine::number(beta), p.a.offsets.data(), p.b.offsets.data()});
    }
    std::vector<decltype(wide(T{}))> sums(c.elements.size());
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = wide(c.elements[i]);
    counters free = p.extents;
    for (std::size_t l = 0; l < free.size(); ++l)
        if (p.group[l] == 3) free[l] = 1;
    for_each(free, [&](const counters& at) {
        sums[static_cast<std::size_t>(c.start + p.c.find(at))] *= beta;
    });
    for_each(p.extents, [&](const counters& at) {
        auto x = wide(a.origin()[p.a.find(at)]), y = wide(b.origin()[p.b.find(at)]);
        if constexpr (complex<T>) {
            if (d.what.conjugate_a) x = std::conj(x);
            if (d.what.conjugate_b) y = std::conj(y);
        }
        sums[static_cast<std::size_t>(c.start + p.c.find(at))] += alpha * x * y;
    });
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
        T rounded{};
        if constexpr (complex<T>) rounded = T(sums[i]);
        else if constexpr (std::is_integral_v<T>) rounded = static_cast<T>(sums[i]);
        else rounded = static_cast<T>(static_cast<float>(sums[i]));
        if (wide(out[i]) != wide(rounded)) ++wrong;
    }
    INFO(prepared.words());
    CHECK(wrong == 0);
}

template <class T>
void check_seed(unsigned seed, kernel_choice kernels = kernel_choice::best, int workers = 1) {
    check<T>(pattern_maker(seed, 4000).run(), seed, kernels, workers);
}

/// C[h, i, j] = the sum over k of A[row of (h, i), k] B[h, k, j].
listed_pattern products_of_rows(std::int64_t heads, std::int64_t rows, std::int64_t columns,
                                std::int64_t depth) {
    listed_pattern p;
    p.extents = {heads, rows, columns, depth};
    p.group = {0, 1, 2, 3};
    p.a = {{0, 0, 0, 1}, {heads * rows, {rows, 1, 0, 0}}, {}};
    p.b = {{columns * depth, 0, 1, columns}, {}, {}};
    p.c = {{rows * columns, columns, 1, 0}, {}, {}};
    for (std::int64_t i = 0; i < heads * rows; ++i)
        p.a.offsets.push_back(i * 7919 % 1009 * (depth + 2));
    return p;
}

/// C[i, j] = the sum over k and l of A[row of (i, k), l] B[k, l, j]: bags of rows.
listed_pattern products_of_bags(std::int64_t rows, std::int64_t columns, std::int64_t bag,
                                std::int64_t depth) {
    listed_pattern p;
    p.extents = {rows, columns, bag, depth};
    p.group = {1, 2, 3, 3};
    p.a = {{0, 0, 0, 1}, {rows * bag, {bag, 0, 1, 0}}, {}};
    p.b = {{0, 1, columns * depth, columns}, {}, {}};
    p.c = {{columns, 1, 0, 0}, {}, {}};
    for (std::int64_t i = 0; i < rows * bag; ++i)
        p.a.offsets.push_back(i * 7919 % 1009 * (depth + 2));
    return p;
}

/// C[k, l, j] = the sum over i of A[row of (i, k), l] B[i, j].
listed_pattern slopes_of_bags(std::int64_t rows, std::int64_t columns, std::int64_t bag,
                              std::int64_t depth) {
    listed_pattern p = products_of_bags(rows, columns, bag, depth);
    p.extents = {bag, depth, columns, rows};
    p.group = {1, 1, 2, 3};
    p.a.strides = {0, 1, 0, 0};
    p.a.list.factors = {1, 0, 0, bag};
    p.b.strides = {0, 0, 1, columns};
    p.c.strides = {depth * columns, columns, 1, 0};
    return p;
}

}  // namespace

TEST_CASE("operands are read through lists, in every element type", "[contract][lists]") {
    for (unsigned seed = 0; seed < few_or(100u, 300u); ++seed) {
        check_seed<float>(seed);
        check_seed<double>(seed + 1000);
        check_seed<std::int32_t>(seed + 2000);
        check_seed<std::complex<float>>(seed + 3000);
        if (seed % 2 == 0) {
            check_seed<std::int64_t>(seed + 4000);
            check_seed<ricci::bf16>(seed + 5000);
            check_seed<ricci::f16>(seed + 6000);
            check_seed<std::complex<double>>(seed + 7000);
        }
    }
}

TEST_CASE("lists on every target and with the scalar kernels", "[contract][lists]") {
    on_every_target([] {
        for (unsigned seed = 10000; seed < few_or(10030u, 10080u); ++seed) check_seed<float>(seed);
    });
    for (unsigned seed = 11000; seed < few_or(11015u, 11040u); ++seed) {
        check_seed<float>(seed, kernel_choice::scalar);
        check_seed<ricci::bf16>(seed, kernel_choice::scalar);
    }
}

TEST_CASE("products of listed rows that are cut into blocks", "[contract][lists]") {
    for (const int workers : few_or<std::vector<int>>({3}, {1, 3})) {
        check<float>(products_of_rows(1, 700, 130, 1100), 1, kernel_choice::best, workers);
        check<double>(products_of_rows(5, 96, 50, 64), 2, kernel_choice::best, workers);
        check<float>(products_of_rows(40, 8, 16, 16), 3, kernel_choice::best, workers);
        check<ricci::bf16>(products_of_rows(2, 300, 64, 600), 4, kernel_choice::best, workers);
    }
    // The same with the operands exchanged: columns of B that a list says.
    listed_pattern p = products_of_rows(2, 333, 300, 500);
    for (counters* const all :
         {&p.extents, &p.a.strides, &p.b.strides, &p.c.strides, &p.a.list.factors})
        std::swap((*all)[1], (*all)[2]);
    std::swap(p.a, p.b);
    check<float>(p, 5);
}

TEST_CASE("a list along which rows and what is summed over move", "[contract][lists]") {
    for (const std::int64_t depth : {1, 3, 16, 37}) {
        check<float>(products_of_bags(70, 50, 9, depth), 1);
        check<float>(slopes_of_bags(70, 50, 9, depth), 3);
        check<double>(products_of_bags(20, 90, 5, depth), 3);
        check<double>(slopes_of_bags(90, 20, 5, depth), 5);
        check<std::complex<float>>(products_of_bags(33, 21, 5, depth), 6);
        check<ricci::bf16>(slopes_of_bags(40, 33, 3, depth), 7);
    }
    for (const int workers : {1, 3}) {
        check<float>(products_of_bags(200, 40, 20, 32), 1, kernel_choice::best, workers);
        check<float>(slopes_of_bags(600, 30, 6, 40), 3, kernel_choice::best, workers);
        check<float>(slopes_of_bags(300, 100, 2, 40), 5, kernel_choice::scalar, workers);
    }
}

TEST_CASE("lists that are too long for their operands are refused", "[contract][lists]") {
    listed_pattern p = products_of_rows(2, 3, 4, 5);
    p.a.list.length = std::int64_t{1} << 61;
    const described d(p, ricci::element::f32);
    CHECK_THROWS_AS(prepared_contraction(d.what), std::invalid_argument);
}
