// Losses that compare each embedding of a batch with all others, without their matrix of scores:
// InfoNCE (A. van den Oord and others, 2018), the same both ways as in CLIP (A. Radford and others,
// 2021), and the sigmoid loss of SigLIP (X. Zhai and others, 2023), each with its gradients.
#include "examples/shapes/plain.hpp"

using namespace ricci::literals;

namespace {

constexpr auto info_nce = R"(
    S^{ij} = \tau X^{ia} Y^{ja}
    L = \operatorname{mean}_i(\operatorname{logsumexp}_j(S^{ij}) - S^{ii})
)"_eq;
// Each finds its own among the others, from both sides.
constexpr auto clip = R"(
    S^{ij} = \tau X^{ia} Y^{ja}
    L = \frac{1}{2} \operatorname{mean}_i(\operatorname{logsumexp}_j(S^{ij}) +
        \operatorname{logsumexp}_j(S^{ji}) - 2 S^{ii})
)"_eq;
// Each pair is a question of its own: do the two belong together?
constexpr auto sigmoid_loss = R"(
    S^{ij} = \tau X^{ia} Y^{ja} + b
    L = \operatorname{mean}_i(\sum_j \operatorname{softplus}(S^{ij}) - S^{ii})
)"_eq;
constexpr auto each_query =
    ricci::value_and_gradient(info_nce, "L"_t, ricci::wrt("X"_t, "Y"_t, "\\tau"_t));
constexpr auto both_ways =
    ricci::value_and_gradient(clip, "L"_t, ricci::wrt("X"_t, "Y"_t, "\\tau"_t));
constexpr auto pair_by_pair =
    ricci::value_and_gradient(sigmoid_loss, "L"_t, ricci::wrt("X"_t, "Y"_t));

constexpr std::size_t batch = 300, width = 48;
constexpr float sharpness = 5, bias = -4;

/// A loss and its gradients by plain loops in double, from what it says of the scores: `weigh`
/// gets the scores and writes dL/dS over them.
struct by_loops {
    ricci::tensor<double, 2> x{{batch, width}}, y{{batch, width}};
    ricci::tensor<double, 0> loss, tau;

    template <class Weigh>
    by_loops(const ricci::tensor<float, 2>& X, const ricci::tensor<float, 2>& Y, double offset,
             Weigh weigh) {
        std::vector<double> dots(batch * batch), scores(batch * batch);
        const double t = static_cast<double>(sharpness);
        for (std::size_t i = 0; i < batch; ++i)
            for (std::size_t j = 0; j < batch; ++j) {
                const double s = plain::dot(
                    width, [&](std::size_t a) { return X(i, a); },
                    [&](std::size_t a) { return Y(j, a); });
                dots[i * batch + j] = s;
                scores[i * batch + j] = t * s + offset;
            }
        loss() = weigh(scores);
        for (std::size_t i = 0; i < batch; ++i)
            for (std::size_t j = 0; j < batch; ++j) {
                const double w = scores[i * batch + j];
                tau() += w * dots[i * batch + j];
                for (std::size_t a = 0; a < width; ++a) {
                    x(i, a) += t * w * static_cast<double>(Y(j, a));
                    y(j, a) += t * w * static_cast<double>(X(i, a));
                }
            }
    }
};

double weigh_info_nce(std::vector<double>& s) {
    double loss = 0;
    for (std::size_t i = 0; i < batch; ++i) {
        double* const row = &s[i * batch];
        const double most = *std::max_element(row, row + batch), own = row[i];
        double sum = 0;
        for (std::size_t j = 0; j < batch; ++j) sum += row[j] = std::exp(row[j] - most);
        loss += (most + std::log(sum) - own) / batch;
        for (std::size_t j = 0; j < batch; ++j) row[j] *= 1 / (sum * batch);
        row[i] -= 1.0 / batch;
    }
    return loss;
}

double weigh_clip(std::vector<double>& s) {
    auto columns = s, rows = s;
    for (std::size_t i = 0; i < batch; ++i)
        for (std::size_t j = 0; j < batch; ++j) columns[j * batch + i] = s[i * batch + j];
    const double loss = (weigh_info_nce(rows) + weigh_info_nce(columns)) / 2;
    for (std::size_t i = 0; i < batch; ++i)
        for (std::size_t j = 0; j < batch; ++j)
            s[i * batch + j] = (rows[i * batch + j] + columns[j * batch + i]) / 2;
    return loss;
}

double weigh_sigmoid(std::vector<double>& s) {
    double loss = 0;
    for (std::size_t k = 0; k < s.size(); ++k) {
        const bool own = k % (batch + 1) == 0;
        loss += (std::max(s[k], 0.0) + std::log1p(std::exp(-std::abs(s[k])))) / batch;
        if (own) loss -= s[k] / batch;
        s[k] = (1 / (1 + std::exp(-s[k])) - (own ? 1 : 0)) / batch;
    }
    return loss;
}

}  // namespace

int main() {
    plain::report report;
    auto x = plain::random<2>({batch, width}, 1), y = plain::random<2>({batch, width}, 2);
    for (std::size_t i = 0; i < batch; ++i)
        for (std::size_t a = 0; a < width; ++a) {
            x(i, a) *= 0.25f;
            y(i, a) = 0.5f * x(i, a) + 0.2f * y(i, a);
        }

    const auto compare = [&](const std::string& name, auto& got, const by_loops& expected) {
        report.compare(name, got["L"_t], expected.loss, got.explain());
        report.compare(name + ", gradient by X", got["dL/dX"_t], expected.x, got.explain(), true,
                       1e-5);
        report.compare(name + ", gradient by Y", got["dL/dY"_t], expected.y, got.explain(), true,
                       1e-5);
    };
    const auto compare_tau = [&](const std::string& name, auto& got, const by_loops& expected) {
        compare(name, got, expected);
        report.compare(name + ", gradient by the temperature", got["dL/d\\tau"_t], expected.tau,
                       got.explain(), true, 1e-4);
    };

    auto first =
        ricci::prepare(each_query, "X"_t = x, "Y"_t = y, "\\tau"_t = sharpness, "dL/dL"_t = 1);
    first();
    compare_tau("InfoNCE", first, by_loops(x, y, 0, weigh_info_nce));
    auto second =
        ricci::prepare(both_ways, "X"_t = x, "Y"_t = y, "\\tau"_t = sharpness, "dL/dL"_t = 1);
    second();
    compare_tau("CLIP", second, by_loops(x, y, 0, weigh_clip));
    auto third = ricci::prepare(pair_by_pair, "X"_t = x, "Y"_t = y, "\\tau"_t = sharpness,
                                "b"_t = bias, "dL/dL"_t = 1);
    third();
    compare("sigmoid loss", third, by_loops(x, y, static_cast<double>(bias), weigh_sigmoid));
    return report.exit_status();
}
