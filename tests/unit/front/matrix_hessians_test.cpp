// Second derivatives of functions of matrices beside differences of the first.
#include <cmath>
#include <complex>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/front/texts.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

struct hessian_case {
    const char* text;
    const char* of;
    std::vector<std::pair<const char*, std::vector<std::size_t>>> inputs;
};

const std::vector<hessian_case> hessian_cases{
    {"l = \\operatorname{logdet}_{ij}(K^{ij} + 3 \\delta^{ij})", "l", {{"K", {3, 3}}}},
    {"d^b = \\det_{ij}(K^{ibj})", "d", {{"K", {3, 2, 3}}}},
    {"x^{bj} = \\operatorname{solve}_{ij}(K^{bij} + 4 \\delta^{ij}, y^{bi})",
     "x",
     {{"K", {2, 3, 3}}, {"y", {2, 3}}}},
    {"P^{ij} = K^{ij} + 4 \\delta^{ij}\nV^{ij} = (P^{-1})^{ij}", "V", {{"K", {3, 3}}}},
    {"P^{ij} = K^{ij} + 4 \\delta^{ij}\nz = y^i (P^{-1})^{ij} y^j",
     "z",
     {{"K", {3, 3}}, {"y", {3}}}},
    {"L^{ij} = \\operatorname{chol}_{ij}(A^{ia} A^{ja} + 2 \\delta^{ij})", "L", {{"A", {3, 2}}}},
    {"L^{bij} = \\operatorname{chol}_{ij}(A^{bia} A^{bja} + 2 \\delta^{ij})\n"
     "x^{bj} = \\operatorname{solve}_{ij}(L^{bij}, y^{bi})",
     "x",
     {{"A", {2, 3, 2}}, {"y", {2, 3}}}},
    {"K^{ij} = \\exp(-(x^i - x^j)^2 s) + 0.5 \\delta^{ij}\n"
     "a^j = \\operatorname{solve}_{ij}(K^{ij}, y^i)\n"
     "L = y^i a^i + \\operatorname{logdet}_{ij}(K^{ij})",
     "L",
     {{"x", {4}}, {"s", {}}, {"y", {4}}}},
    {"z = \\log \\det_{ij}(A^{ia} A^{ja} + \\delta^{ij})", "z", {{"A", {3, 2}}}},
    // constant along its diagonals, of entries that a difference of places picks
    {"M^{ij} = 4 \\delta^{ij}\nx^{j} = \\operatorname{solve}_{ij}(a^{i-j} + M^{ij}, y^{i})",
     "x",
     {{"a", {5}}, {"y", {3}}}},
    {"x^{j} = \\operatorname{solve}_{ij}(e^{a^{i-j}}, y^{i})", "x", {{"a", {5}}, {"y", {3}}}},
};

using values = std::map<std::string, array>;

/// Those that a program takes.
std::vector<named> operands_of(const program& p, const values& all) {
    std::vector<named> operands;
    for (const tensor_info& t : p.inputs())
        if (const auto found = all.find(std::string(t.name)); found != all.end())
            operands.push_back({found->first, found->second});
    return operands;
}

double dot(const array& a, const array& b) {
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) sum += entry(a, k) * entry(b, k);
    return sum;
}

/// The gradient by one input along a direction of another: by the tangent of the gradient, and what
/// differences of the gradient say.
void check_curvature(const program& p, const std::string& of, const values& given,
                     const std::string& by, const std::string& along) {
    const std::string slope = "dL/d" + by;
    INFO(by << " and " << along);
    const program first = gradient(p, of, {by});
    std::optional<program> second;  // none where the first does not depend on it
    try {
        second = tangent(first, {along});
    } catch (const error& e) {
        CHECK(std::string(e.what()).find("no output depends on") != std::string::npos);
    }
    const array at = given.at(along);
    const array direction = drawn({at.extents().begin(), at.extents().end()}, 77);
    values turned = given;
    turned.emplace("d/dt " + along, direction);
    const auto size = given.at(by).extents();
    const array got = second
                          ? run(*second, operands_of(*second, turned))["d/dt " + slope]
                          : array(element::f64, std::vector<std::size_t>(size.begin(), size.end()));
    const auto moved = [&](double by_much) {
        array x = at.clone();
        for (std::size_t k = 0; k < x.size(); ++k) entry(x, k) += by_much * entry(direction, k);
        values there = given;
        there.at(along) = x;
        return run(first, operands_of(first, there))[slope];
    };
    const double h = 1e-3;
    const array a = moved(h), b = moved(-h), c = moved(2 * h), d = moved(-2 * h);
    for (std::size_t k = 0; k < got.size(); ++k) {
        const double wanted =
            (8 * (entry(a, k) - entry(b, k)) - (entry(c, k) - entry(d, k))) / (12 * h);
        CHECK(entry(got, k) == Approx(wanted).epsilon(1e-6).margin(1e-7));
    }
    if (!second) return;
    // backwards and forwards are the same numbers
    const array weights = drawn({got.extents().begin(), got.extents().end()}, 99);
    values back = given;
    back.emplace("dL'/d(" + slope + ")", weights);
    const program third = gradient(first, slope, {along});
    const array pulled = run(third, operands_of(third, back))["dL'/d" + along];
    CHECK(dot(pulled, direction) == Approx(dot(got, weights)).epsilon(1e-9).margin(1e-10));
}

}  // namespace

TEST_CASE("second derivatives of functions of matrices are what differences say", "[matrices]") {
    for (const hessian_case& c : hessian_cases) {
        INFO(c.text);
        const program p = text(c.text);
        values operands;
        unsigned seed = 1;
        for (const auto& [name, extents] : c.inputs)
            operands.emplace(name, extents.empty() ? doubles({}, {0.7}) : drawn(extents, seed++));
        const array value = run(p, operands_of(p, operands))[c.of];
        operands.emplace(
            std::string("dL/d") + c.of,
            value.rank() == 0 ? one() : drawn({value.extents().begin(), value.extents().end()}, 5));
        for (const auto& by : c.inputs)
            for (const auto& along : c.inputs)
                check_curvature(p, c.of, operands, by.first, along.first);
    }
}

TEST_CASE("complex solutions and determinants change as differences say", "[matrices]") {
    const program p = text(
        "x^j = \\operatorname{solve}_{ij}(K^{ij}, y^i)\nd = \\det_{ij}(K^{ij})\n"
        "V^{ij} = \\operatorname{solve}_{pj}(K^{pj}, \\delta^{pi})");
    const auto complex_of = [](std::vector<std::size_t> extents, unsigned seed) {
        array a(element::c128, std::move(extents));
        auto* const z = static_cast<std::complex<double>*>(a.data());
        for (std::size_t k = 0; k < a.size(); ++k)
            z[k] = {std::sin(1.0 + 3.0 * static_cast<double>(k) + seed),
                    std::cos(2.0 * static_cast<double>(k * k) + seed)};
        return a;
    };
    const array k = complex_of({3, 3}, 1), y = complex_of({3}, 2),
                direction = complex_of({3, 3}, 3);
    const auto* const v = static_cast<const std::complex<double>*>(direction.data());
    const arrays got = run(tangent(p, {"K"}), {{"K", k}, {"y", y}, {"d/dt K", direction}});
    const double h = 1e-4;
    const auto moved = [&](double by) {
        array x = k.clone();
        for (std::size_t n = 0; n < x.size(); ++n)
            static_cast<std::complex<double>*>(x.data())[n] += by * v[n];
        return run(p, {{"K", x}, {"y", y}});
    };
    const arrays a = moved(h), b = moved(-h);
    for (const char* const name : {"x", "d", "V"}) {
        const auto values = [&](const array& of) {
            return static_cast<const std::complex<double>*>(of.data());
        };
        const array change = got[std::string("d/dt ") + name];
        for (std::size_t n = 0; n < change.size(); ++n) {
            const auto wanted = (values(a[name])[n] - values(b[name])[n]) / (2 * h);
            CHECK(std::abs(values(change)[n] - wanted) < 1e-5 * (1 + std::abs(wanted)));
        }
    }
}
