// Tensors of places, \operatorname{argmax} and argmin, against plain loops: of what there is and of
// what is computed, as results, as places at once and in conditions; types, gradients, mistakes.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <ricci/error.hpp>

#include "tests/unit/front/texts.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

using places = std::vector<std::int32_t>;

places places_in(const array& a) {
    REQUIRE(a.type() == element::i32);
    const auto* const first = static_cast<const std::int32_t*>(a.data());
    return {first, first + a.size()};
}

/// The first column of the extremum in each row of values.
template <class T>
places extrema_of(const std::vector<T>& values, std::size_t columns, bool largest) {
    places all;
    for (std::size_t at = 0; at < values.size(); at += columns) {
        std::size_t best = 0;
        for (std::size_t j = 1; j < columns; ++j) {
            const T x = values[at + j], y = values[at + best];
            if (largest ? x > y : x < y) best = j;
        }
        all.push_back(static_cast<std::int32_t>(best));
    }
    return all;
}

std::vector<double> distances(const array& x, const array& z) {
    const std::size_t width = x.extent(1);
    std::vector<double> all;
    for (std::size_t i = 0; i < x.extent(0); ++i)
        for (std::size_t j = 0; j < z.extent(0); ++j) {
            double sum = 0;
            for (std::size_t a = 0; a < width; ++a) {
                const double difference = entry(x, i * width + a) - entry(z, j * width + a);
                sum += difference * difference;
            }
            all.push_back(sum);
        }
    return all;
}

constexpr const char* nearest =
    "y_i = \\operatorname{argmin}_j \\sum_a (x^{ia} - z^{ja})^2\n q^{ia} = z^{y_i a}";

template <class T>
array filled(std::vector<std::size_t> extents, int modulus) {
    array a(element_v<T>, extents);
    for (std::size_t k = 0; k < a.size(); ++k)
        static_cast<T*>(a.data())[k] =
            static_cast<T>(static_cast<float>(static_cast<int>(k * 37 % 101) % modulus));
    return a;
}

template <class T>
std::vector<double> in_double(const array& a) {
    std::vector<double> all;
    for (std::size_t k = 0; k < a.size(); ++k)
        all.push_back(static_cast<double>(static_cast<float>(static_cast<const T*>(a.data())[k])));
    return all;
}

template <class T>
void check_type() {
    const std::size_t rows = 9, columns = 23;
    const array x = filled<T>({rows, columns}, 11);
    const auto values = in_double<T>(x);
    const places m = extrema_of(values, columns, true);
    std::vector<double> largest, counts(columns);
    for (std::size_t i = 0; i < rows; ++i) {
        const auto at = static_cast<std::size_t>(m[i]);
        largest.push_back(values[i * columns + at]);
        counts[at] += 1;
    }
    const arrays got = run(text("m_i = \\operatorname{argmax}_j x^{ij}\n m_i\n"
                                "l_i = \\operatorname{argmin}_j x^{ij}\n"
                                "v^i = x^{i m_i}\n n^j = \\sum_i [m_i = j]"),
                           {{"x", x}, {"j", extent(columns)}});
    CHECK(places_in(got["m"]) == m);
    CHECK(places_in(got["l"]) == extrema_of(values, columns, false));
    REQUIRE(got["v"].type() == element_v<T>);
    CHECK(in_double<T>(got["v"]) == largest);
    CHECK(in_double<T>(got["n"]) == counts);
}

}  // namespace

TEST_CASE("places of extrema are results of 32 bits among all types", "[extrema]") {
    check_type<float>();
    check_type<double>();
    check_type<bf16>();
    check_type<f16>();
    check_type<std::int32_t>();
    check_type<std::int64_t>();
}

TEST_CASE("nearest neighbours are looked up where a minimum stands", "[extrema]") {
    for (const auto& [n, m] :
         {std::pair{40, 30}, std::pair{1, 7}, std::pair{7, 1}, std::pair{300, 200}}) {
        const std::size_t width = 3;
        const array x = drawn({static_cast<std::size_t>(n), width}, 1),
                    z = drawn({static_cast<std::size_t>(m), width}, 2);
        const arrays got = run(text(nearest).keep({"y"}), {{"x", x}, {"z", z}});
        const auto expected = extrema_of(distances(x, z), static_cast<std::size_t>(m), false);
        CHECK(places_in(got["y"]) == expected);
        bool same = true;
        for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)
            for (std::size_t a = 0; a < width; ++a)
                same = same && entry(got["q"], i * width + a) ==
                                   entry(z, static_cast<std::size_t>(expected[i]) * width + a);
        CHECK(same);
    }
}

TEST_CASE("places along any axis, of masked and of computed values", "[extrema]") {
    const std::size_t n = 8, m = 5;
    const array x = drawn({n, m}, 3), b = drawn({m}, 4);
    std::vector<double> columns, masked, sums;
    for (std::size_t j = 0; j < m; ++j)
        for (std::size_t i = 0; i < n; ++i) columns.push_back(entry(x, i * m + j));
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < m; ++j) {
            masked.push_back(j <= i ? entry(x, i * m + j)
                                    : -std::numeric_limits<double>::infinity());
            sums.push_back(std::exp(entry(x, i * m + j)) + entry(b, j));
        }
    const arrays got =
        run(text("p_j = \\operatorname{argmax}_i x^{ij}\n"
                 "u_i = \\operatorname{argmax}_j(\\begin{cases} x^{ij} & j \\le i \\\\ -\\infty & "
                 "\\text{otherwise} \\end{cases})\n"
                 "v_i = \\operatorname{argmin}_j(\\exp(x^{ij}) + b^j)\n"
                 "w = \\operatorname{argmax}_j b^j"),
            {{"x", x}, {"b", b}});
    CHECK(places_in(got["p"]) == extrema_of(columns, n, true));
    CHECK(places_in(got["u"]) == extrema_of(masked, m, true));
    CHECK(places_in(got["v"]) == extrema_of(sums, m, false));
    CHECK(places_in(got["w"]) == extrema_of(values_of(b), m, true));
}

TEST_CASE("of what is the same along an axis the first place is that of an extremum", "[extrema]") {
    const arrays got =
        run(text("y_i = \\operatorname{argmax}_j(x^i + \\sum_k (z^{jk})^0)\n"
                 "w_i = \\operatorname{argmin}_j s^{ij}"),
            {{"x", drawn({4}, 1)}, {"z", drawn({3, 2}, 2)}, {"s", drawn({6, 1}, 3)}});
    CHECK(places_in(got["y"]) == places(4, 0));
    CHECK(places_in(got["w"]) == places(6, 0));
}

TEST_CASE("the first NaN is the extremum, as numpy has it", "[extrema]") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const array x = doubles({2, 4}, {1, nan, 9, nan, -1, -2, nan, 0});
    const arrays got = run(text("m_i = \\operatorname{argmax}_j x^{ij}\n"
                                "l_i = \\operatorname{argmin}_j x^{ij}"),
                           {{"x", x}});
    CHECK(places_in(got["m"]) == places{1, 2});
    CHECK(places_in(got["l"]) == places{1, 2});
}

TEST_CASE("places are compared, and counted where they are", "[extrema]") {
    const std::size_t n = 200, m = 6;
    const array x = drawn({n, m}, 5);
    const auto expected = extrema_of(values_of(x), m, true);
    const arrays got = run(text("y_i = \\operatorname{argmax}_j x^{ij}\n"
                                "n^k = \\sum_i [y_i = k]\n"
                                "e = \\sum_i [y_i = t_i]\n c^{ka} = \\sum_i [k = y_i] x^{ia}"),
                           {{"x", x}, {"t", filled<std::int32_t>({n}, 6)}, {"k", extent(m)}});
    double equal = 0;
    std::vector<double> counts(m), sums(m * m);
    const array t = filled<std::int32_t>({n}, 6);
    for (std::size_t i = 0; i < n; ++i) {
        const auto k = static_cast<std::size_t>(expected[i]);
        counts[k] += 1;
        equal += static_cast<const std::int32_t*>(t.data())[i] == expected[i] ? 1 : 0;
        for (std::size_t a = 0; a < m; ++a) sums[k * m + a] += entry(x, i * m + a);
    }
    CHECK(values_of(got["n"]) == counts);
    CHECK(entry(got["e"], 0) == equal);
    for (std::size_t k = 0; k < m * m; ++k) CHECK(std::abs(entry(got["c"], k) - sums[k]) < 1e-12);
}

TEST_CASE("a letter that places are compared with runs over their axis", "[extrema]") {
    const std::size_t n = 40, m = 7;
    const array x = drawn({n, m}, 5);
    const program p = text(
        "y_i = \\operatorname{argmax}_j x^{ij}\n n^k = \\sum_i [y_i = k]\n"
        "e = \\sum_{i,k} [k = y_i] k\n y_i");
    const auto expected = extrema_of(values_of(x), m, true);
    std::vector<double> counts(m + 2);
    double sum = 0;
    for (const std::int32_t at : expected) {
        counts[static_cast<std::size_t>(at)] += 1;
        sum += at;
    }
    const arrays longer = run(p, {{"x", x}, {"k", extent(m + 2)}});
    CHECK(values_of(longer["n"]) == counts);
    CHECK(entry(longer["e"], 0) == sum);
    counts.resize(m);
    const arrays got = run(p, {{"x", x}});
    CHECK(places_in(got["y"]) == expected);
    CHECK(values_of(got["n"]) == counts);
    CHECK(entry(got["e"], 0) == sum);
}

TEST_CASE("a line of its name keeps a tensor of places, and is printed again", "[extrema]") {
    const array x = drawn({15, 3}, 12), z = drawn({11, 3}, 13);
    const program p = text(std::string(nearest) + "\n y_i\n L = \\sum_{i,a} q^{ia} q^{ia}");
    const places expected = extrema_of(distances(x, z), 11, false);
    CHECK(places_in(run(p, {{"x", x}, {"z", z}})["y"]) == expected);
    CHECK(places_in(run(text(to_latex(p)), {{"x", x}, {"z", z}})["y"]) == expected);
    const auto wrong = parse("y_i = \\operatorname{argmax}_j x^{ij}\n y_i\n z_i = 2 y_i");
    REQUIRE_FALSE(wrong.has_value());
    CHECK_THAT(wrong.error().message, Contains("no numbers to compute with"));
}

TEST_CASE("gradients take places as they are", "[extrema]") {
    const array x = drawn({12, 3}, 6), z = drawn({5, 3}, 7);
    const program p = text(std::string(nearest) + "\n L = \\sum_{i,a} (x^{ia} - q^{ia})^2 q^{ia}");
    const std::vector<named> both{{"x", x}, {"z", z}};
    for (const char* by : {"x", "z"}) {
        auto operands = both;
        operands.push_back({"dL/dL", one()});
        const array slope = run(gradient(p, "L", {by}), operands)[std::string("dL/d") + by];
        std::vector<named> others;
        for (const auto& o : both)
            if (o.name != by) others.push_back(o);
        CHECK(near(slope, differences(p, others, "L", by, by[0] == 'x' ? x : z), 1e-6));
    }
    CHECK_THROWS_WITH(gradient(text("y_i = \\operatorname{argmax}_j x^{ij}"), "y", {"x"}),
                      Contains("or in steps only"));
}

TEST_CASE("places go to memory that is bound for them", "[extrema]") {
    const array x = drawn({30, 4}, 8), z = drawn({9, 4}, 9);
    const auto expected = extrema_of(distances(x, z), 9, false);
    array y(element::i32, {30, 2});
    const std::size_t extents[] = {30};
    const std::int64_t strides[] = {2};
    array column = array::over(nullptr, element::i32, y.data(), extents, strides);
    runner step = prepare(text(nearest), {{"x", x}, {"z", z}, {"y", column}});
    step();
    for (std::size_t i = 0; i < 30; ++i)
        CHECK(static_cast<const std::int32_t*>(y.data())[2 * i] == expected[i]);
    array wrong(element::f64, {30});
    CHECK_THROWS_WITH(prepare(text(nearest), {{"x", x}, {"z", z}, {"y", wrong}}),
                      Contains("bind std::int32_t"));
    array longer(element::i64, {30});
    CHECK_THROWS_WITH(prepare(text(nearest), {{"x", x}, {"z", z}, {"y", longer}}),
                      Contains("bind std::int32_t"));
}

TEST_CASE("the place of nothing is refused before anything is written", "[extrema]") {
    CHECK_THROWS_WITH(
        run(text("y_i = \\operatorname{argmax}_j x^{ij}"), {{"x", array(element::f64, {3, 0})}}),
        Contains("has 0 places, so that none of them is that of an extremum"));
    const arrays none =
        run(text("y_i = \\operatorname{argmax}_j x^{ij}"), {{"x", array(element::f64, {0, 3})}});
    CHECK(none["y"].size() == 0);
    using complex = std::complex<double>;
    CHECK_THROWS_WITH(run(text("y_i = \\operatorname{argmax}_j x^{ij}"),
                          {{"x", array(element_v<complex>, {2, 2})}}),
                      Contains("argmax is for real numbers"));
}

TEST_CASE("layers look up nearest rows on their way forward", "[extrema]") {
    const std::size_t n = 20, m = 5, width = 2, steps = 3;
    const program step = text(
        "y_i = \\operatorname{argmin}_k \\sum_a (x^{ia} - c^{ka})^2\n"
        "n^k = \\max(1, \\sum_i [y_i = k])\n d^{ka} = \\frac{1}{n^k} \\sum_i [y_i = k] x^{ia}");
    const repeat_options how{.from = "d", .to = "c", .index = "l", .shared = {"x"}};
    const array x = drawn({n, width}, 10), first = drawn({m, width}, 11);
    array centres = first.clone();
    for (std::size_t l = 0; l < steps; ++l) {
        const auto nearest_of = extrema_of(distances(x, centres), m, false);
        std::vector<double> sums(m * width), counts(m);
        for (std::size_t i = 0; i < n; ++i) {
            const auto k = static_cast<std::size_t>(nearest_of[i]);
            counts[k] += 1;
            for (std::size_t a = 0; a < width; ++a) sums[k * width + a] += entry(x, i * width + a);
        }
        for (std::size_t k = 0; k < m * width; ++k)
            entry(centres, k) = sums[k] / std::max(1.0, counts[k / width]);
    }
    const program layers = repeat(step, steps, how);
    CHECK(near(run(layers, {{"x", x}, {"c", first}, {"k", extent(m)}})["d"], centres, 1e-12));
    const program with_places = repeat(step.keep({"y"}), steps, how);
    CHECK_THROWS_WITH(run(with_places, {{"x", x}, {"c", first}, {"k", extent(m)}}),
                      Contains("y holds places, which layers use on their way forward"));
}

TEST_CASE("places that are asked for twice are whole numbers in 16 bits, too", "[places]") {
    const program p = text(
        "J^{i} = \\operatorname{argmax}_j(S^{ij})\n"
        "I^{i} = \\operatorname{argmax}_j(S^{ij})");
    for (const element type : {element::bf16, element::f32}) {
        array s(type, {2, 600});
        const auto set = [&](std::size_t k, float value) {
            if (type == element::bf16) static_cast<bf16*>(s.data())[k] = bf16(value);
            else static_cast<float*>(s.data())[k] = value;
        };
        for (std::size_t k = 0; k < s.size(); ++k) set(k, k == 257 || k == 600 + 513 ? 2 : 1);
        const arrays found = run(p, {{"S", s}});
        for (const char* name : {"I", "J"}) {
            const auto* places = static_cast<const std::int32_t*>(found[name].data());
            CHECK(places[0] == 257);
            CHECK(places[1] == 513);
        }
    }
}
