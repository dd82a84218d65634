// A cloud of points flows to another one down the gradient of the Sinkhorn divergence: potentials
// are soft minima over all pairs, the gradient is derived, and no cost matrix is ever stored.
// The divergence is that of J. Feydy and others, "Interpolating between optimal transport and MMD
// using Sinkhorn divergences" (2019): the cost between the clouds less that of each with itself.
#include "examples/shapes/plain.hpp"

using namespace ricci::literals;

namespace {

// The best potential of the points x against the points z, whose potentials are g; all points of
// a cloud weigh the same, n is how many z there are.
constexpr auto soft_minimum = R"(
    C^{ij} = \sum_a (x^{ia} - z^{ja})^2
    f^i = -\epsilon \operatorname{logsumexp}_j(\frac{g^j - C^{ij}}{\epsilon}) + \epsilon \log(n)
)"_eq;
// What moves with x where the potentials are the best: their own change counts nothing then. y are
// the same points as x, held where they are; p their potentials against themselves.
constexpr auto of_places = R"(
    C^{ij} = \sum_a (x^{ia} - z^{ja})^2
    B^{ik} = \sum_a (x^{ia} - y^{ka})^2
    D = \operatorname{mean}_i(\epsilon \operatorname{logsumexp}_k(\frac{p^k - B^{ik}}{\epsilon})
        - \epsilon \operatorname{logsumexp}_j(\frac{g^j - C^{ij}}{\epsilon}))
)"_eq;
constexpr auto downhill = ricci::gradient(of_places, "D"_t, ricci::wrt("x"_t));

constexpr std::size_t points = 400, targets = 500;
constexpr float blur = 0.05f;
using cloud = ricci::tensor<float, 2>;
using potential = ricci::tensor<float, 1>;

double mean_of(const potential& f) {
    double sum = 0;
    for (std::size_t i = 0; i < f.size(); ++i) sum += static_cast<double>(f(i));
    return sum / static_cast<double>(f.size());
}

/// The potentials of two clouds, made better in turns.
template <class There, class Back>
void settle_between(There& there, Back& back, int rounds) {
    for (int k = 0; k < rounds; ++k) there(), back();
}

/// Those of a cloud against itself: q is read, r is written, and their mean is q again.
template <class Step>
void settle_itself(Step& step, potential& q, const potential& r, int rounds) {
    for (int k = 0; k < rounds; ++k) {
        step();
        for (std::size_t i = 0; i < q.size(); ++i) q(i) = (q(i) + r(i)) / 2;
    }
}

/// What a point of x sees of z, by plain loops in double: the logsumexp of (g - distance^2) / blur
/// over all of z, and the softmax of that.
struct seen {
    double logsumexp = 0;
    std::vector<double> weights;

    seen(const cloud& x, std::size_t i, const cloud& z, const potential& g) : weights(z.extent(0)) {
        double most = plain::nothing, sum = 0;
        for (std::size_t j = 0; j < weights.size(); ++j) {
            double score = static_cast<double>(g(j));
            for (std::size_t a = 0; a < x.extent(1); ++a) {
                const double d = static_cast<double>(x(i, a)) - static_cast<double>(z(j, a));
                score -= d * d;
            }
            most = std::max(most, weights[j] = score / static_cast<double>(blur));
        }
        for (double& w : weights) sum += w = std::exp(w - most);
        for (double& w : weights) w /= sum;
        logsumexp = most + std::log(sum);
    }
};

ricci::tensor<double, 1> soft_minimum_by_loops(const cloud& x, const cloud& z, const potential& g) {
    const double of_one = std::log(static_cast<double>(z.extent(0)));
    ricci::tensor<double, 1> f({x.extent(0)});
    for (std::size_t i = 0; i < x.extent(0); ++i)
        f(i) = static_cast<double>(blur) * (of_one - seen(x, i, z, g).logsumexp);
    return f;
}

/// Adds sign times what pulls at x: the weighted mean of 2 (x - z).
void add_pull(ricci::tensor<double, 2>& out, const cloud& x, const cloud& z, const potential& g,
              double sign) {
    for (std::size_t i = 0; i < x.extent(0); ++i) {
        const seen all(x, i, z, g);
        for (std::size_t a = 0; a < x.extent(1); ++a)
            for (std::size_t j = 0; j < z.extent(0); ++j)
                out(i, a) += sign * all.weights[j] * 2 *
                             (static_cast<double>(x(i, a)) - static_cast<double>(z(j, a))) /
                             static_cast<double>(x.extent(0));
    }
}

}  // namespace

int main() {
    plain::report report;
    auto x = plain::random<2>({points, 2}, 1);
    auto z = plain::random<2>({targets, 2}, 2);
    // The other cloud is a ring, away from the first.
    for (std::size_t j = 0; j < targets; ++j) {
        const double angle = 3.14159265 * static_cast<double>(z(j, 0));
        z(j, 0) = static_cast<float>(2 + std::cos(angle)),
             z(j, 1) = static_cast<float>(std::sin(angle));
    }

    potential f({points}), g({targets}), p({points}), q({targets}), p_next({points}),
        q_next({targets});
    auto there = ricci::prepare(soft_minimum, "x"_t = x, "z"_t = z, "g"_t = g, "n"_t = targets,
                                "\\epsilon"_t = blur, "f"_t = f);
    auto back = ricci::prepare(soft_minimum, "x"_t = z, "z"_t = x, "g"_t = f, "n"_t = points,
                               "\\epsilon"_t = blur, "f"_t = g);
    auto itself = ricci::prepare(soft_minimum, "x"_t = x, "z"_t = x, "g"_t = p, "n"_t = points,
                                 "\\epsilon"_t = blur, "f"_t = p_next);
    auto other = ricci::prepare(soft_minimum, "x"_t = z, "z"_t = z, "g"_t = q, "n"_t = targets,
                                "\\epsilon"_t = blur, "f"_t = q_next);
    auto down = ricci::prepare(downhill, "x"_t = x, "y"_t = x, "z"_t = z, "g"_t = g, "p"_t = p,
                               "\\epsilon"_t = blur, "dL/dD"_t = 1);
    settle_itself(other, q, q_next, 30);

    constexpr int steps = 30;
    double first = 0, last = 0;
    for (int k = 0; k <= steps; ++k) {
        settle_between(there, back, k == 0 ? 200 : 40);
        settle_itself(itself, p, p_next, 20);
        last = mean_of(f) + mean_of(g) - mean_of(p) - mean_of(q);
        down();
        if (k == 0) {
            first = last;
            report.compare("potentials", g, soft_minimum_by_loops(z, x, f), back.explain(), true,
                           1e-5);
            ricci::tensor<double, 2> want({points, 2});
            add_pull(want, x, z, g, 1);
            add_pull(want, x, x, p, -1);
            report.compare("gradient of the divergence", down["dL/dx"_t], want, down.explain(),
                           true, 1e-4);
        }
        // A point that one of z alone pulled at would go 0.4 of the way to it.
        const auto pull = down["dL/dx"_t];
        for (std::size_t i = 0; i < points; ++i)
            for (std::size_t a = 0; a < 2; ++a) x(i, a) -= 0.2f * points * pull(i, a);
    }
    fmt::print("divergence {:.4f}, after {} steps {:.5f}\n", first, steps, last);
    return report.exit_status() == 0 && last < 0.01 * first ? 0 : 1;
}
