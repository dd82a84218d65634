// Which is nearest, of points and of centres: the places of minima over all pairs say at once what is
// read there and what is added up there, and no pair is stored. Nearest neighbours as a classifier,
// and Lloyd's k-means (1957, published 1982).
#include "examples/shapes/plain.hpp"

using namespace ricci::literals;

namespace {

// The label of the nearest known point.
constexpr auto classify = R"(
    y_i = \operatorname{argmin}_j(\sum_a (q^{ia} - x^{ja})^2)
    c^i = l^{y_i}
)"_eq;
// Each centre goes to the mean of the points that it is nearest to; one without points stays.
constexpr auto move_centres = R"(
    y_i = \operatorname{argmin}_k(\sum_a (x^{ia} - c^{ka})^2)
    n^k = \sum_i [y_i = k]
    C^{ka} = [n^k = 0] c^{ka} + \frac{1}{\max(n^k, 1)} \sum_i [y_i = k] x^{ia}
    E = \operatorname{mean}_i(\min_k(\sum_a (x^{ia} - c^{ka})^2))
)"_eq;

using points = ricci::tensor<float, 2>;

double distance(const points& x, std::size_t i, const points& z, std::size_t j) {
    double sum = 0;
    for (std::size_t a = 0; a < x.extent(1); ++a) {
        const double d = static_cast<double>(x(i, a)) - static_cast<double>(z(j, a));
        sum += d * d;
    }
    return sum;
}

/// Where the nearest z is, for each x.
std::vector<std::size_t> nearest(const points& x, const points& z) {
    std::vector<std::size_t> places(x.extent(0));
    for (std::size_t i = 0; i < x.extent(0); ++i)
        for (std::size_t j = 1; j < z.extent(0); ++j)
            if (distance(x, i, z, j) < distance(x, i, z, places[i])) places[i] = j;
    return places;
}

ricci::tensor<double, 1> in_double(const std::vector<std::size_t>& places) {
    ricci::tensor<double, 1> d({places.size()});
    for (std::size_t i = 0; i < places.size(); ++i) d(i) = static_cast<double>(places[i]);
    return d;
}

/// One step of k-means by loops: the centres in double, from those in float.
ricci::tensor<double, 2> moved(const points& x, const points& c) {
    const auto places = nearest(x, c);
    ricci::tensor<double, 2> sum(c.extents());
    std::vector<double> count(c.extent(0));
    for (std::size_t i = 0; i < x.extent(0); ++i) {
        count[places[i]] += 1;
        for (std::size_t a = 0; a < x.extent(1); ++a)
            sum(places[i], a) += static_cast<double>(x(i, a));
    }
    for (std::size_t k = 0; k < c.extent(0); ++k)
        for (std::size_t a = 0; a < x.extent(1); ++a)
            sum(k, a) = count[k] > 0 ? sum(k, a) / count[k] : static_cast<double>(c(k, a));
    return sum;
}

}  // namespace

int main() {
    plain::report report;
    const auto known = plain::random<2>({900, 3}, 1), asked = plain::random<2>({400, 3}, 2);
    ricci::tensor<float, 1> labels({900});
    for (std::size_t j = 0; j < 900; ++j) labels(j) = known(j, 0) * known(j, 1) > 0 ? 1.0f : -1.0f;
    auto found = ricci::prepare(classify.keep("y"_t), "q"_t = asked, "x"_t = known, "l"_t = labels);
    found();
    const auto places = nearest(asked, known);
    ricci::tensor<double, 1> want({400});
    for (std::size_t i = 0; i < 400; ++i) want(i) = static_cast<double>(labels(places[i]));
    report.compare("nearest neighbours", found["y"_t], in_double(places), found.explain());
    report.compare("labels of the nearest neighbours", found["c"_t], want, found.explain());

    // Points around twelve places, and as centres the first of the points.
    constexpr std::size_t count = 1500, clusters = 12, axes = 4;
    const auto around = plain::random<2>({clusters, axes}, 3);
    auto x = plain::random<2>({count, axes}, 4);
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t a = 0; a < axes; ++a) x(i, a) = around(i % clusters, a) + 0.15f * x(i, a);
    points c({clusters, axes}), before = c.clone();
    for (std::size_t k = 0; k < clusters; ++k)
        for (std::size_t a = 0; a < axes; ++a) c(k, a) = x(k / 2 * 13, a);
    // The new centres are written over the old ones.
    auto step = ricci::prepare(move_centres.keep("y"_t), "x"_t = x, "c"_t = c, "C"_t = c);
    double first = 0, last = 0;
    for (int k = 0; k < 25; ++k) {
        before = c.clone();
        step();
        last = static_cast<double>(step["E"_t]());
        if (k == 0) {
            first = last;
            report.compare("centres after a step", c, moved(x, before), step.explain(), true, 1e-5);
        }
    }
    report.compare("clusters in the end", step["y"_t], in_double(nearest(x, before)),
                   step.explain());
    fmt::print("mean squared distance {:.4f}, after 25 steps {:.4f}\n", first, last);
    return report.exit_status() == 0 && last < 0.7 * first ? 0 : 1;
}
