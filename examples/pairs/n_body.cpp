// Bodies that attract one another, moved by leap-frog steps: the force of all on all is one sum
// over pairs that are never stored, and the same as what the energy's gradient derives.
#include "examples/shapes/plain.hpp"

using namespace ricci::literals;

namespace {

// Half a kick with the accelerations that are there, a drift, the new accelerations, half a kick.
constexpr auto leap_frog = R"(
    w^{ic} = v^{ic} + \frac{h}{2} a^{ic}
    y^{ic} = x^{ic} + h w^{ic}
    b^{ic} = \sum_j m^j \frac{y^{jc} - y^{ic}}{(\sum_d (y^{jd} - y^{id})^2 + \epsilon^2)^{3/2}}
    u^{ic} = w^{ic} + \frac{h}{2} b^{ic}
    y^{ic}
    b^{ic}
)"_eq;
constexpr auto energy = R"(
    P = -\frac{1}{2} \sum_{i,j} [i \ne j] \frac{m^i m^j}{(\sum_d (x^{jd} - x^{id})^2 + \epsilon^2)^{1/2}}
    T = \frac{1}{2} \sum_{i,c} m^i v^{ic} v^{ic}
    P
    T
)"_eq;
// What pulls at body i is dL/dx^i with dL/dP = -1.
constexpr auto forces = ricci::gradient(energy, "P"_t, ricci::wrt("x"_t));

constexpr std::size_t bodies = 600;
constexpr float softening = 0.1f;

/// The same steps by plain loops in double.
struct plain_bodies {
    ricci::tensor<double, 2> x{{bodies, 3}}, v{{bodies, 3}}, a{{bodies, 3}};
    std::vector<double> m = std::vector<double>(bodies);

    void accelerate() {
        for (std::size_t i = 0; i < bodies; ++i) {
            std::array<double, 3> sum{};
            for (std::size_t j = 0; j < bodies; ++j) {
                double r = static_cast<double>(softening) * static_cast<double>(softening);
                for (std::size_t c = 0; c < 3; ++c) r += (x(j, c) - x(i, c)) * (x(j, c) - x(i, c));
                for (std::size_t c = 0; c < 3; ++c)
                    sum[c] += m[j] * (x(j, c) - x(i, c)) / (r * std::sqrt(r));
            }
            for (std::size_t c = 0; c < 3; ++c) a(i, c) = sum[c];
        }
    }
    void step(double h) {
        for (std::size_t k = 0; k < v.size(); ++k) {
            v.data()[k] += h / 2 * a.data()[k];
            x.data()[k] += h * v.data()[k];
        }
        accelerate();
        for (std::size_t k = 0; k < v.size(); ++k) v.data()[k] += h / 2 * a.data()[k];
    }
};

ricci::tensor<double, 2> in_double(const ricci::tensor<float, 2>& t) {
    ricci::tensor<double, 2> d(t.extents());
    for (std::size_t k = 0; k < t.size(); ++k) d.data()[k] = static_cast<double>(t.data()[k]);
    return d;
}

}  // namespace

int main() {
    plain::report report;
    auto x = plain::random<2>({bodies, 3}, 1), v = plain::random<2>({bodies, 3}, 2);
    ricci::tensor<float, 2> a({bodies, 3});
    ricci::tensor<float, 1> m({bodies});
    for (std::size_t i = 0; i < bodies; ++i) {
        m(i) = 1.0f / bodies;
        for (std::size_t c = 0; c < 3; ++c) v(i, c) *= 0.3f;
    }

    plain_bodies by_loops;
    by_loops.x = in_double(x), by_loops.v = in_double(v);
    for (std::size_t i = 0; i < bodies; ++i) by_loops.m[i] = static_cast<double>(m(i));
    by_loops.accelerate();

    // The accelerations to begin with are the energy's gradient by places, divided by the masses.
    auto pull =
        ricci::prepare(forces, "x"_t = x, "m"_t = m, "\\epsilon"_t = softening, "dL/dP"_t = -1);
    pull();
    for (std::size_t i = 0; i < bodies; ++i)
        for (std::size_t c = 0; c < 3; ++c) a(i, c) = pull["dL/dx"_t](i, c) / m(i);
    report.compare("forces, derived from the energy", a, by_loops.a, pull.explain(), true, 1e-5);

    auto total = ricci::prepare(energy, "x"_t = x, "v"_t = v, "m"_t = m, "\\epsilon"_t = softening);
    const auto measured = [&] {
        total();
        return static_cast<double>(total["P"_t]()) + static_cast<double>(total["T"_t]());
    };
    const double before = measured();

    // What a step makes is written over what it was made of.
    constexpr int steps = 100;
    constexpr float h = 0.01f;
    auto step = ricci::prepare(leap_frog, "x"_t = x, "v"_t = v, "a"_t = a, "m"_t = m, "h"_t = h,
                               "\\epsilon"_t = softening, "y"_t = x, "u"_t = v, "b"_t = a);
    for (int k = 0; k < steps; ++k) {
        step();
        by_loops.step(static_cast<double>(h));
    }
    report.compare("places after 100 steps", x, by_loops.x, step.explain(), true, 1e-4);
    const double after = measured(), error = std::abs(after / before - 1);
    fmt::print("energy {:.6f}, then {:.6f}: an error of {:.1e}\n", before, after, error);
    return report.exit_status() == 0 && error < 1e-4 ? 0 : 1;
}
