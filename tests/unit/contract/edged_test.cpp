// Contractions of operands with places outside their axes, which are 0, clamped or wrapped there,
// against plain loops that look at every place; operands lie between guarded pages.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "src/contract/contraction.hpp"
#include "src/runtime/buffers.hpp"
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
using ricci::steps::edge;
using ricci::steps::edged_axis;
using counters = std::vector<std::int64_t>;

// An operand: what each loop adds inside, and its edged axes.
struct place_map {
    std::vector<std::int64_t> strides;
    std::vector<edged_axis> edges;

    // The element of an iteration; false where the operand is 0.
    bool find(const counters& at, std::int64_t& element) const {
        element = 0;
        for (std::size_t l = 0; l < at.size(); ++l) element += strides[l] * at[l];
        for (const edged_axis& axis : edges) {
            std::int64_t place = axis.offset;
            for (std::size_t l = 0; l < at.size(); ++l) place += axis.factors[l] * at[l];
            if (axis.kind == edge::zero && (place < 0 || place >= axis.extent)) return false;
            if (axis.kind == edge::clamp) {
                if (place < 0) place = 0;
                if (place > axis.extent - 1) place = axis.extent - 1;
            }
            if (axis.kind == edge::wrap) {
                place %= axis.extent;
                if (place < 0) place += axis.extent;
            }
            element += place * axis.stride;
        }
        return true;
    }
    // Whether another iteration of this loop may be of another element.
    bool moves_along(std::size_t loop) const {
        return strides[loop] != 0 || std::ranges::any_of(edges, [&](const edged_axis& axis) {
                   return axis.factors[loop] != 0;
               });
    }
};

struct edged_pattern {
    std::vector<std::int64_t> extents;  // of the loops of batch, m, n and k
    std::size_t counts[4] = {};
    place_map a, b, c;

    bool in_group(std::size_t loop, int group) const {
        std::size_t first = 0;
        for (int g = 0; g < group; ++g) first += counts[g];
        return loop >= first && loop < first + counts[group];
    }
};

// All iterations, the last loop fastest.
template <class Body>
void for_each(const std::vector<std::int64_t>& extents, Body body) {
    counters at(extents.size(), 0);
    if (std::find(extents.begin(), extents.end(), 0) != extents.end()) return;
    while (true) {
        body(at);
        std::size_t l = extents.size();
        while (l > 0 && ++at[l - 1] == extents[l - 1]) at[--l] = 0;
        if (l == 0) return;
    }
}

// An operand of random axes: each is a sum of some of its loops, inside or edged.
place_map random_places(std::mt19937& random, const edged_pattern& p, int lacks, bool may_edge) {
    const auto pick = [&](int low, int high) {
        return std::uniform_int_distribution<int>(low, high)(random);
    };
    const std::size_t count = p.extents.size();
    place_map made;
    made.strides.assign(count, 0);
    std::vector<std::size_t> members;
    for (std::size_t l = 0; l < count; ++l)
        if (!p.in_group(l, lacks)) members.push_back(l);
    std::shuffle(members.begin(), members.end(), random);
    std::int64_t stride = pick(0, 4) == 0 ? 2 : 1;
    for (std::size_t next = 0; next < members.size();) {
        std::size_t end = std::min(members.size(), next + static_cast<std::size_t>(pick(1, 3)));
        std::vector<std::int64_t> factors(count, 0);
        std::int64_t reach = 1;
        for (; next < end; ++next) {
            factors[members[next]] = pick(0, 3) == 0 ? pick(-3, 3) : 1;
            reach += std::abs(factors[members[next]]) * p.extents[members[next]];
        }
        // Now and then a loop moves along another axis as well.
        if (pick(0, 5) == 0) {
            const std::size_t again =
                members[static_cast<std::size_t>(pick(0, static_cast<int>(members.size()) - 1))];
            factors[again] = factors[again] == 0 ? 1 : factors[again];
            reach += std::abs(factors[again]) * p.extents[again];
        }
        const std::int64_t sign = pick(0, 7) == 0 ? -1 : 1;
        if (may_edge && pick(0, 1) == 0) {
            edged_axis axis;
            axis.kind = static_cast<edge>(pick(0, 2));
            axis.extent = pick(1, 3) == 1 ? pick(1, 3) : pick(1, static_cast<int>(reach));
            if (axis.kind == edge::zero && pick(0, 15) == 0) axis.extent = 0;
            axis.offset = pick(-4, 4);
            axis.factors = factors;
            axis.stride = sign * stride;
            made.edges.push_back(axis);
            stride *= std::max<std::int64_t>(1, axis.extent);
        } else {
            for (std::size_t l = 0; l < count; ++l) made.strides[l] += sign * stride * factors[l];
            stride *= reach;
        }
        if (pick(0, 5) == 0) stride += 3;
    }
    return made;
}

edged_pattern random_edged(std::mt19937& random, std::int64_t largest) {
    const auto pick = [&](int low, int high) {
        return std::uniform_int_distribution<int>(low, high)(random);
    };
    edged_pattern p;
    std::int64_t total = 1;
    for (int g = 0; g < 4; ++g) {
        p.counts[g] = static_cast<std::size_t>(pick(0, g == 0 ? 1 : 3));
        for (std::size_t i = 0; i < p.counts[g]; ++i) {
            std::int64_t extent = pick(0, 80) == 0 ? 0 : pick(0, 3) == 0 ? pick(1, 40) : pick(1, 7);
            while (extent > 1 && total * extent > largest) --extent;
            total *= std::max<std::int64_t>(1, extent);
            p.extents.push_back(extent);
        }
    }
    const int which = pick(0, 2);
    p.a = random_places(random, p, 2, which != 1);
    p.b = random_places(random, p, 1, which != 0);
    // C: a dense array of its loops in any order.
    p.c.strides.assign(p.extents.size(), 0);
    std::vector<std::size_t> free;
    for (std::size_t l = 0; l < p.extents.size(); ++l)
        if (!p.in_group(l, 3)) free.push_back(l);
    std::shuffle(free.begin(), free.end(), random);
    std::int64_t stride = 1;
    for (const std::size_t l : free) {
        p.c.strides[l] = stride;
        stride *= std::max<std::int64_t>(1, p.extents[l]);
    }
    return p;
}

template <class T>
constexpr bool complex = ricci::is_complex(ricci::element_v<T>);

// Small whole numbers: every sum of them is exact in every type.
template <class T>
T whole(std::mt19937& random) {
    const auto part = [&] { return std::uniform_int_distribution<int>(-2, 2)(random); };
    if constexpr (complex<T>)
        return T(static_cast<typename T::value_type>(part()),
                 static_cast<typename T::value_type>(part()));
    else return static_cast<T>(static_cast<float>(part()));
}

template <class T>
T fraction(std::mt19937& random) {
    return static_cast<T>(std::uniform_real_distribution<double>(-1, 1)(random));
}

// An operand with no element more than is read, or none.
template <class T>
struct memory_of {
    guarded_array<T> elements;
    std::int64_t start = 0;

    template <class Make>
    memory_of(const edged_pattern& p, const place_map& places, guarded_end end, Make make) {
        std::int64_t low = 0, high = -1;
        // C is written where a sum has no terms, too.
        std::vector<std::int64_t> extents = p.extents;
        for (std::size_t l = 0; l < extents.size() && &places == &p.c; ++l)
            if (p.in_group(l, 3)) extents[l] = 1;
        for (std::size_t l = 0; l < extents.size(); ++l)
            if (!places.moves_along(l)) extents[l] = std::min<std::int64_t>(extents[l], 1);
        for_each(extents, [&](const counters& at) {
            std::int64_t element = 0;
            if (!places.find(at, element)) return;
            if (high < low) low = high = element;
            low = std::min(low, element);
            high = std::max(high, element);
        });
        start = -low;
        elements = guarded_array<T>(static_cast<std::size_t>(high - low + 1), end);
        for (T& x : elements) x = make();
    }
    T* origin() { return elements.data() + start; }
};

struct described {
    explicit described(const edged_pattern& p, ricci::element type) {
        for (std::size_t l = 0; l < p.extents.size(); ++l)
            loops.push_back({p.extents[l], p.a.strides[l], p.b.strides[l], p.c.strides[l]});
        what.type = type;
        std::size_t first = 0;
        int g = 0;
        for (auto* const group : {&what.batch, &what.m, &what.n, &what.k}) {
            *group = std::span<const contraction_loop>(loops).subspan(first, p.counts[g]);
            first += p.counts[g++];
        }
        what.a_edges = p.a.edges;
        what.b_edges = p.b.edges;
    }
    std::vector<contraction_loop> loops;
    contraction what;
};

template <class T>
auto wide(T x) {
    if constexpr (complex<T>) return std::complex<long double>(x);
    else if constexpr (std::is_integral_v<T>) return static_cast<long double>(x);
    else return static_cast<long double>(static_cast<double>(x));
}

template <class T>
using wide_type = decltype(wide(T{}));

template <class T>
wide_type<T> conjugated(wide_type<T> x, bool is) {
    if constexpr (complex<T>) return is ? std::conj(x) : x;
    else return x;
}

// alpha * A B + beta * C for each element of C.
template <class T>
std::vector<wide_type<T>> expected(const edged_pattern& p, const contraction& what, memory_of<T>& a,
                                   memory_of<T>& b, memory_of<T>& c, double alpha, double beta) {
    std::vector<wide_type<T>> sums(c.elements.size());
    for (std::size_t i = 0; i < sums.size(); ++i)
        sums[i] =
            beta == 0 ? wide_type<T>(0) : static_cast<long double>(beta) * wide(c.elements[i]);
    for_each(p.extents, [&](const counters& at) {
        std::int64_t ia = 0, ib = 0, ic = 0;
        p.c.find(at, ic);
        if (!p.a.find(at, ia) || !p.b.find(at, ib)) return;
        sums[static_cast<std::size_t>(c.start + ic)] +=
            static_cast<long double>(alpha) *
            conjugated<T>(wide(a.origin()[ia]), what.conjugate_a) *
            conjugated<T>(wide(b.origin()[ib]), what.conjugate_b);
    });
    return sums;
}

// A run, with what it lends held before: nothing is allocated meanwhile.
template <class T>
guarded_array<T> run(const prepared_contraction& prepared, memory_of<T>& a, memory_of<T>& b,
                     const memory_of<T>& c, double alpha, double beta) {
    guarded_array<T> out = c.elements;
    ricci::runtime::loan_book book;
    book.add_step(prepared.how().loans());
    const ricci::runtime::held_memory held(book);
    prepared.run(a.origin(), b.origin(), out.data() + c.start, ricci::engine::number(alpha),
                 ricci::engine::number(beta));
    return out;
}

template <class T>
void check_whole(unsigned seed, kernel_choice kernels = kernel_choice::best) {
    INFO("seed " << seed << " of " << ricci::name_of(ricci::element_v<T>));
    std::mt19937 random(seed);
    const edged_pattern p = random_edged(random, 4000);
    described d(p, ricci::element_v<T>);
    d.what.conjugate_a = complex<T> && random() % 2 == 0;
    d.what.conjugate_b = complex<T> && random() % 2 == 0;
    const auto end = seed % 2 == 0 ? guarded_end::last : guarded_end::first;
    const auto make = [&] { return whole<T>(random); };
    memory_of<T> a(p, p.a, end, make), b(p, p.b, end, make), c(p, p.c, end, make);
    const double alpha = random() % 2 == 0 ? 1 : -2, beta = random() % 2 == 0 ? 0 : 1;
    const prepared_contraction prepared(d.what, kernels);
    const guarded_array<T> out = run(prepared, a, b, c, alpha, beta);
    const auto right = expected(p, d.what, a, b, c, alpha, beta);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
        T rounded;
        if constexpr (complex<T>) rounded = T(right[i]);
        else if constexpr (std::is_integral_v<T>) rounded = static_cast<T>(right[i]);
        else rounded = static_cast<T>(static_cast<float>(right[i]));
        if (!(wide(out[i]) == wide(rounded))) ++wrong;
    }
    INFO(prepared.words());
    CHECK(wrong == 0);
}

// Numbers that are rounded, on several numbers of threads.
template <class T>
void check_fractions(const edged_pattern& p, unsigned seed) {
    const worker_guard guard;
    std::mt19937 random(seed);
    const described d(p, ricci::element_v<T>);
    const auto make = [&] { return fraction<T>(random); };
    memory_of<T> a(p, p.a, guarded_end::last, make), b(p, p.b, guarded_end::last, make),
        c(p, p.c, guarded_end::last, make);
    const prepared_contraction prepared(d.what);
    INFO("seed " << seed << ": " << prepared.words());
    guarded_array<T> first;
    for (const int workers : {1, 2, 3, 5}) {
        ricci::runtime::set_worker_count(workers);
        const guarded_array<T> out = run(prepared, a, b, c, 1, 0.5);
        if (workers == 1) first = out;
        REQUIRE(first.size() == out.size());
        CHECK(std::memcmp(first.data(), out.data(), out.size() * sizeof(T)) == 0);
    }
    const auto right = expected(p, d.what, a, b, c, 1, 0.5);
    double depth = 4;
    for (std::size_t l = 0; l < p.extents.size(); ++l)
        if (p.in_group(l, 3)) depth *= static_cast<double>(p.extents[l]);
    double worst = 0;
    for (std::size_t i = 0; i < right.size(); ++i)
        worst = std::max(worst, static_cast<double>(std::fabs(wide(first[i]) - right[i])));
    CHECK(worst <= (depth + 4) * static_cast<double>(std::numeric_limits<T>::epsilon()));
}

// y[n, o, h, w] = the sum over c, k, l of x[n, c, step h + k - 1, step w + l - 1] u[o, c, k, l].
edged_pattern convolution(std::int64_t n, std::int64_t c, std::int64_t o, std::int64_t side,
                          edge kind, std::int64_t step = 1) {
    edged_pattern p;
    // m: n, h, w; n: o; k: c, k, l.
    p.counts[1] = 3;
    p.counts[2] = 1;
    p.counts[3] = 3;
    const std::int64_t out = side / step;
    p.extents = {n, out, out, o, c, 3, 3};
    p.a.strides = {c * side * side, 0, 0, 0, side * side, 0, 0};
    p.a.edges = {{kind, side, side, -1, {0, step, 0, 0, 0, 1, 0}},
                 {kind, side, 1, -1, {0, 0, step, 0, 0, 0, 1}}};
    p.b.strides = {0, 0, 0, c * 9, 9, 3, 1};
    p.c.strides = {o * out * out, out, 1, out * out, 0, 0, 0};
    return p;
}

}  // namespace

TEST_CASE("places outside are zeros, clamped or wrapped, in every element type",
          "[contract][edges]") {
    for (unsigned seed = 0; seed < few_or(100u, 300u); ++seed) {
        check_whole<float>(seed);
        check_whole<double>(seed + 1000);
        check_whole<std::int32_t>(seed + 2000);
        check_whole<std::complex<float>>(seed + 3000);
        if (seed % 2 == 0) {
            check_whole<std::int64_t>(seed + 4000);
            check_whole<ricci::bf16>(seed + 5000);
            check_whole<ricci::f16>(seed + 6000);
            check_whole<std::complex<double>>(seed + 7000);
        }
    }
}

TEST_CASE("places outside on every target and with the scalar kernels", "[contract][edges]") {
    on_every_target([] {
        for (unsigned seed = 10000; seed < few_or(10030u, 10080u); ++seed) check_whole<float>(seed);
    });
    for (unsigned seed = 11000; seed < few_or(11015u, 11040u); ++seed) {
        check_whole<float>(seed, kernel_choice::scalar);
        check_whole<ricci::bf16>(seed, kernel_choice::scalar);
    }
}

TEST_CASE("edges give the same on any number of threads", "[contract][edges]") {
    for (unsigned seed = 20000; seed < few_or(20012u, 20040u); ++seed) {
        std::mt19937 random(seed);
        const edged_pattern p = random_edged(random, 30000);
        check_fractions<float>(p, seed);
        check_fractions<double>(p, seed);
    }
}

TEST_CASE("convolutions with edges, in parts that are copied at once", "[contract][edges]") {
    for (const edge kind : {edge::zero, edge::clamp, edge::wrap}) {
        check_fractions<float>(convolution(2, 5, 7, 19, kind), 1);
        check_fractions<float>(convolution(3, 4, 5, 18, kind, 2), 2);
    }
    // Nine images of about half a million bytes: a part of seven, and a rest.
    check_fractions<float>(convolution(9, 36, 2, 56, edge::zero), 3);
    check_fractions<double>(convolution(1, 3, 2, 140, edge::wrap), 4);
}

TEST_CASE("few elements that are read again and again are copied no oftener than that",
          "[contract][edges]") {
    // Fifteen elements, at places i mod 3 and i mod 5 of a long sum.
    edged_pattern p;
    p.counts[1] = 1;
    p.counts[3] = 1;
    p.extents = {4, few_or<std::int64_t>(30000, 100000)};
    p.a.strides = {0, 0};
    p.a.edges = {{edge::wrap, 3, 5, 0, {1, 1}}, {edge::wrap, 5, 1, 0, {0, 1}}};
    p.b.strides = {0, 0};
    p.b.edges = {{edge::clamp, 10, 1, -7, {0, 1000003}}};
    p.c.strides = {1, 0};
    check_fractions<double>(p, 5);
}
