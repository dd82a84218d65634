// Whole numbers are compared as such: those beyond what a float, a double or 32 bits count, too.
#include <cstdint>
#include <string>
#include <vector>

#include <ricci/error.hpp>

#include "tests/unit/front/texts.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

template <class T>
array whole(element type, const std::vector<T>& values) {
    array a(type, {values.size()});
    for (std::size_t k = 0; k < values.size(); ++k) static_cast<T*>(a.data())[k] = values[k];
    return a;
}
array longs(const std::vector<std::int64_t>& v) { return whole(element::i64, v); }
array ints(const std::vector<std::int32_t>& v) { return whole(element::i32, v); }

std::vector<std::int64_t> found(const array& a) {
    std::vector<std::int64_t> all;
    const bool whole = is_integer(a.type());
    const array wide = a.converted(whole ? element::i64 : element::f64);
    for (std::size_t k = 0; k < a.size(); ++k)
        all.push_back(whole ? static_cast<const std::int64_t*>(wide.data())[k]
                            : static_cast<std::int64_t>(entry(wide, k)));
    return all;
}
using list = std::vector<std::int64_t>;

std::string refusal_of(const std::string& equations, const std::vector<named>& operands) {
    const auto read = parse(equations);
    if (!read.has_value()) return read.error().message;
    try {
        run(read.value(), operands);
    } catch (const error& e) {
        return e.what();
    }
    return "";
}

constexpr std::int64_t two53 = std::int64_t{1} << 53, two62 = std::int64_t{1} << 62;

}  // namespace

TEST_CASE("a whole number that is no double is refused in a comparison", "[numbers]") {
    const array t = longs({two53, two53 + 1, two53 + 2});
    for (const char* condition :
         {"t_i = 9007199254740993", "9007199254740993 < t_i", "t_i + 1 \\le 9007199254740993",
          "t_i \\ge 18446744073709551615"}) {
        INFO(condition);
        CHECK_THAT(refusal_of(std::string("y^i = [") + condition + "]", {{"t", t}}),
                   Contains("between two doubles"));
    }
    CHECK(refusal_of("y^i = 9007199254740993 x^i", {{"x", doubles({1}, {1})}}).empty());
    CHECK(found(run(text("y^i = [t_i = 9007199254740994]"), {{"t", t}})["y"]) == list{0, 0, 1});
    CHECK(found(run(text("y^i = [t_i > 9007199254740992]"), {{"t", t}})["y"]) == list{0, 1, 1});
    CHECK(found(run(text("y^i = [t_i = 9007199254740992 + 1]"), {{"t", t}})["y"]) == list{0, 1, 0});
    // it may be bound
    CHECK(found(run(text("y^i = [t_i = c]"), {{"t", t}, {"c", two53 + 1}})["y"]) == list{0, 1, 0});
}

TEST_CASE("among floats whole numbers are compared as such", "[numbers]") {
    const array t = longs({two53, two53 + 1, two62, two62 + 1, 16777216, 16777217});
    for (const element type : {element::f64, element::f32, element::f16, element::c64}) {
        INFO(name_of(type));
        const array x = doubles({6}, {1, 1, 1, 1, 1, 1}).converted(type);
        const auto is = [&](const std::string& condition, const list& want,
                            std::vector<named> more = {}) {
            INFO(condition);
            more.push_back({"t", t});
            more.push_back({"x", x});
            array y = run(text("y^i = [" + condition + "] x^i"), more)["y"];
            if (is_complex(type)) {
                std::vector<double> real;
                for (std::size_t k = 0; k < 6; ++k)
                    real.push_back(static_cast<float*>(y.data())[2 * k]);
                y = doubles({6}, real);
            }
            CHECK(found(y) == want);
        };
        is("t_i = 9007199254740992", {1, 0, 0, 0, 0, 0});
        is("t_i = 4611686018427387904", {0, 0, 1, 0, 0, 0});
        is("t_i = 16777216", {0, 0, 0, 0, 1, 0});
        is("t_i > 16777216", {1, 1, 1, 1, 0, 1});
        is("t_i - 16777216 = 1", {0, 0, 0, 0, 0, 1});
        if (!is_complex(type)) is("t_i = c", {0, 1, 0, 0, 0, 0}, {{"c", two53 + 1}});
        is("t_i = 3", {0, 0, 0, 0, 0, 0});
    }
}

TEST_CASE("32 bits do not wrap in a comparison", "[numbers]") {
    const array u = ints({0, 2147483647, -2147483647});
    const auto is = [&](const std::string& condition, const list& want) {
        INFO(condition);
        CHECK(found(run(text("y^i = [" + condition + "]"), {{"u", u}})["y"]) == want);
    };
    is("u_i < 3000000000", {1, 1, 1});
    is("u_i > -3000000000", {1, 1, 1});
    is("u_i = 4294967296", {0, 0, 0});
    is("u_i < 2147483648", {1, 1, 1});
    is("u_i + 1 > 2147483647", {0, 1, 0});
    is("2 u_i > 4000000000", {0, 1, 0});
    is("u_i - 1 < -2147483646 - 1", {0, 0, 1});
    is("u_i u_i > 2147483647", {0, 1, 1});
    is("u_i \\ge 2^{40}", {0, 0, 0});
    is("u_i \\le 10", {1, 0, 1});
}

TEST_CASE("a number that the type cannot be is refused", "[numbers]") {
    const array u = ints({1, 2, 3}), t = longs({1, 2, 3});
    CHECK_THAT(refusal_of("y^i = u_i + 3000000000", {{"u", u}}),
               Contains("3000000000 is none of them"));
    CHECK_THAT(refusal_of("y^i = [u_i < 100000000000000000000]", {{"u", u}}),
               Contains("is none of them"));
    CHECK_THAT(refusal_of("y^i = [t_i < 100000000000000000000]", {{"t", t}}),
               Contains("is none of them"));
    CHECK_THAT(refusal_of("y^i = 18014398509481984 t_i", {{"t", t}}), Contains("bind it"));
    CHECK(found(run(text("y^i = c t_i"), {{"t", t}, {"c", two53 + 1}})["y"])[0] == two53 + 1);
}
