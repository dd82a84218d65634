// The multi-head layer as textbooks vary it: with biases and an input width of its own, with Q, K
// and V in one matrix, with its weights returned, with 1, 2 and 4 heads of a worked example, with
// two heads on the same columns, and without one of its heads.
#include "examples/shapes/plain.hpp"

#include <fmt/core.h>

using namespace ricci::literals;

namespace {

// Sequences n of different lengths; the input is b wide, the model (ha), the output d.
constexpr auto biased = R"(
    Q^{nhia} = X^{nib} W_Q^{hba} + b_Q^{ha}
    K^{nhja} = X^{njb} W_K^{hba} + b_K^{ha}
    V^{nhjc} = X^{njb} W_V^{hbc} + b_V^{hc}
    S^{nhij} = \frac{1}{\sqrt{d_k}} Q^{nhia} K^{nhja}
    M^{nhij} = \begin{cases} S^{nhij} & \text{if } m^{nj} \ne 0 \\
                             -\infty & \text{otherwise} \end{cases}
    A^{nhij} = \operatorname{softmax}_j(M^{nhij})
    O^{nhic} = A^{nhij} V^{nhjc}
    Y^{nid}  = O^{nhic} W_O^{hcd} + b_O^d
)"_eq;
// One product for Q, K and V: all of Q, then all of K, then all of V ...
constexpr auto by_thirds = R"(
    P^{i(sha)} = X^{ib} W^{b(sha)}
    R^{isha} = P^{i(sha)}
    S^{hij}  = \frac{1}{\sqrt{d_k}} R^{i0ha} R^{j1ha}
    A^{hij}  = \operatorname{softmax}_j(S^{hij})
    O^{i(hc)} = A^{hij} R^{j2hc}
)"_eq;
// ... or the three of one head after the other.
constexpr auto interleaved = R"(
    P^{i(hsa)} = X^{ib} W^{b(hsa)}
    R^{ihsa} = P^{i(hsa)}
    S^{hij}  = \frac{1}{\sqrt{d_k}} R^{ih0a} R^{jh1a}
    A^{hij}  = \operatorname{softmax}_j(S^{hij})
    O^{i(hc)} = A^{hij} R^{jh2c}
)"_eq;
// Heads are columns of Q, K and V; "h"_i says how many.
constexpr auto columns = R"(
    S^{hij}   = \frac{1}{\sqrt{d_k}} Q^{i(ha)} K^{j(ha)}
    A^{hij}   = \operatorname{softmax}_j(S^{hij})
    Y^{i(hc)} = A^{hij} V^{j(hc)}
)"_eq;
constexpr auto with_weights = columns.keep("A"_t);
// The weights of all heads need not be stored for their mean.
constexpr auto averaged = R"(
    S^{hij}   = \frac{1}{\sqrt{d_k}} Q^{i(ha)} K^{j(ha)}
    A^{hij}   = \operatorname{softmax}_j(S^{hij})
    Y^{i(hc)} = A^{hij} V^{j(hc)}
    W^{ij}    = \operatorname{mean}_h A^{hij}
)"_eq;
// Heads that are views: which columns a head reads is the caller's affair.
constexpr auto heads_apart = R"(
    S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja}
    A^{hij} = \operatorname{softmax}_j(S^{hij})
    O^{hic} = A^{hij} V^{hjc}
)"_eq;
// With g^h = 0 a head is pruned; D is how much that changes.
constexpr auto pruned = R"(
    S^{hij}   = \frac{1}{\sqrt{d_k}} Q^{i(ha)} K^{j(ha)}
    A^{hij}   = \operatorname{softmax}_j(S^{hij})
    Y^{i(hc)} = A^{hij} V^{j(hc)}
    Z^{i(hc)} = g^h A^{hij} V^{j(hc)}
    D = \sqrt{\sum_{i,h,c} (Y^{i(hc)} - Z^{i(hc)})^2}
)"_eq.keep("Y"_t, "Z"_t);

using matrix = ricci::tensor_view<const double, 2>;

/// Attention of `heads` heads, which are columns of q, k and v; the weights of each in `weights`.
ricci::tensor<double, 2> by_columns(matrix q, matrix k, matrix v, std::size_t heads,
                                    ricci::tensor<double, 3>* weights = nullptr) {
    const std::size_t n = q.extent(0), width = q.extent(1) / heads;
    ricci::tensor<double, 2> y({n, q.extent(1)});
    for (std::size_t h = 0; h < heads; ++h) {
        const auto a = plain::attend(
            n, n, width,
            [&](std::size_t i, std::size_t j) {
                const double s = plain::dot(
                    width, [&](std::size_t c) { return q(i, h * width + c); },
                    [&](std::size_t c) { return k(j, h * width + c); });
                return s / std::sqrt(static_cast<double>(width));
            },
            [&](std::size_t j, std::size_t c) { return v(j, h * width + c); },
            [&](std::size_t i, std::size_t c) -> double& { return y(i, h * width + c); });
        if (weights == nullptr) continue;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) (*weights)(h, i, j) = a[i][j];
    }
    return y;
}

void biased_layer(plain::report& report) {
    constexpr std::size_t batch = 2, n = 33, input = 20, heads = 4, width = 8, output = 12;
    const auto x = plain::random<3>({batch, n, input}, 1);
    const auto wq = plain::random<3>({heads, input, width}, 2),
               wk = plain::random<3>({heads, input, width}, 3),
               wv = plain::random<3>({heads, input, width}, 4),
               wo = plain::random<3>({heads, width, output}, 5);
    const auto bq = plain::random<2>({heads, width}, 6), bk = plain::random<2>({heads, width}, 7),
               bv = plain::random<2>({heads, width}, 8);
    const auto bo = plain::random<1>({output}, 9);
    ricci::tensor<float, 2> counts({batch, n});  // 1 where a key is more than padding
    for (std::size_t j = 0; j < n; ++j) counts(0, j) = 1, counts(1, j) = j < 21 ? 1.0f : 0.0f;

    ricci::tensor<double, 3> want({batch, n, output});
    for (std::size_t s = 0; s < batch; ++s) {
        ricci::tensor<double, 2> q({n, heads * width}), k({n, heads * width}),
            v({n, heads * width});
        const auto project = [&](ricci::tensor<double, 2>& to, const auto& w, const auto& b) {
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t h = 0; h < heads; ++h)
                    for (std::size_t a = 0; a < width; ++a)
                        to(i, h * width + a) = static_cast<double>(b(h, a)) +
                                               plain::dot(
                                                   input, [&](std::size_t e) { return x(s, i, e); },
                                                   [&](std::size_t e) { return w(h, e, a); });
        };
        project(q, wq, bq), project(k, wk, bk), project(v, wv, bv);
        const std::size_t seen = s == 0 ? n : 21;
        ricci::tensor<double, 2> o({n, heads * width});
        for (std::size_t h = 0; h < heads; ++h)
            plain::attend(
                n, seen, width,
                [&](std::size_t i, std::size_t j) {
                    const double p = plain::dot(
                        width, [&](std::size_t a) { return q(i, h * width + a); },
                        [&](std::size_t a) { return k(j, h * width + a); });
                    return p / std::sqrt(double{width});
                },
                [&](std::size_t j, std::size_t c) { return v(j, h * width + c); },
                [&](std::size_t i, std::size_t c) -> double& { return o(i, h * width + c); });
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t d = 0; d < output; ++d)
                want(s, i, d) = static_cast<double>(bo(d)) +
                                plain::dot(
                                    heads * width, [&](std::size_t c) { return o(i, c); },
                                    [&](std::size_t c) { return wo(c / width, c % width, d); });
    }
    auto step = ricci::prepare(biased, "X"_t = x, "W_Q"_t = wq, "W_K"_t = wk, "W_V"_t = wv,
                               "W_O"_t = wo, "b_Q"_t = bq, "b_K"_t = bk, "b_V"_t = bv, "b_O"_t = bo,
                               "m"_t = counts, "d_k"_t = width);
    step();
    report.compare("biased projections, batch, boolean mask", step["Y"_t], want, step.explain(),
                   true, 1e-5);
}

void one_matrix(plain::report& report) {
    constexpr std::size_t n = 29, input = 24, heads = 4, width = 8, model = heads * width;
    const auto x = plain::random<2>({n, input}, 10);
    const auto w = plain::random<2>({input, 3 * model}, 11);
    // Column `of(s, h, a)` of the matrix is column a of head h of Q, K or V.
    const auto by_loops = [&](auto of) {
        ricci::tensor<double, 2> parts[3] = {ricci::tensor<double, 2>({n, model}),
                                             ricci::tensor<double, 2>({n, model}),
                                             ricci::tensor<double, 2>({n, model})};
        for (std::size_t s = 0; s < 3; ++s)
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t c = 0; c < model; ++c)
                    parts[s](i, c) = plain::dot(
                        input, [&](std::size_t e) { return x(i, e); },
                        [&](std::size_t e) { return w(e, of(s, c / width, c % width)); });
        return by_columns(parts[0].view(), parts[1].view(), parts[2].view(), heads);
    };
    auto thirds =
        ricci::prepare(by_thirds, "X"_t = x, "W"_t = w, "d_k"_t = width, "s"_i = 3, "h"_i = heads);
    thirds();
    report.compare("Q, K, V in one matrix, by thirds", thirds["O"_t],
                   by_loops([](std::size_t s, std::size_t h, std::size_t a) {
                       return s * model + h * width + a;
                   }),
                   thirds.explain(), true, 1e-5);
    auto mixed = ricci::prepare(interleaved, "X"_t = x, "W"_t = w, "d_k"_t = width, "s"_i = 3,
                                "h"_i = heads);
    mixed();
    report.compare("Q, K, V in one matrix, head by head", mixed["O"_t],
                   by_loops([](std::size_t s, std::size_t h, std::size_t a) {
                       return (h * 3 + s) * width + a;
                   }),
                   mixed.explain(), true, 1e-5);
}

// Five tokens, d_model 4.
constexpr std::size_t tokens = 5, model = 4;
ricci::tensor<double, 2> rows_of(const double (&values)[tokens * model]) {
    ricci::tensor<double, 2> t({tokens, model});
    std::copy(std::begin(values), std::end(values), t.data());
    return t;
}
const auto q = rows_of({1, 0, 1, 0, 0, 2, 0, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 1});
const auto k = rows_of({0, 1, 0, 1, 1, 0, 1, 0, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0, .5, .5});
const auto v = rows_of({1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, .5, .5, .5, .5});

void worked_example(plain::report& report) {
    for (const std::size_t heads : {std::size_t{1}, std::size_t{2}, std::size_t{4}}) {
        const std::size_t width = model / heads;
        const auto count = static_cast<std::int64_t>(heads);
        ricci::tensor<double, 3> weights({heads, tokens, tokens});
        ricci::tensor<double, 2> mean({tokens, tokens});
        const auto want = by_columns(q.view(), k.view(), v.view(), heads, &weights);
        for (std::size_t h = 0; h < heads; ++h)
            for (std::size_t i = 0; i < tokens; ++i)
                for (std::size_t j = 0; j < tokens; ++j)
                    mean(i, j) += weights(h, i, j) / static_cast<double>(heads);
        const std::string name = fmt::format("the worked example, heads: {}", heads);

        auto step = ricci::prepare(columns, "Q"_t = q, "K"_t = k, "V"_t = v, "d_k"_t = width,
                                   "h"_i = count);
        step();
        report.compare(name.c_str(), step["Y"_t], want, step.explain(), true, 1e-14);
        auto kept = ricci::prepare(with_weights, "Q"_t = q, "K"_t = k, "V"_t = v, "d_k"_t = width,
                                   "h"_i = count);
        kept();
        report.compare("  its weights", kept["A"_t], weights, kept.explain(), false, 1e-14);
        auto averages = ricci::prepare(averaged, "Q"_t = q, "K"_t = k, "V"_t = v, "d_k"_t = width,
                                       "h"_i = count);
        averages();
        report.compare("  their mean over the heads", averages["W"_t], mean, averages.explain(),
                       true, 1e-14);
    }
}

void same_columns(plain::report& report) {
    // Both heads read the first two columns: along h, nothing moves.
    const auto both = [](const ricci::tensor<double, 2>& x) {
        return ricci::tensor_view<const double, 3>(x.data(), {2, tokens, 2}, {0, model, 1});
    };
    const auto first = [](const ricci::tensor<double, 2>& x) {
        return matrix(x.data(), {tokens, 2}, {model, 1});
    };
    const auto one = by_columns(first(q), first(k), first(v), 1);
    ricci::tensor<double, 3> want({2, tokens, 2});
    for (std::size_t h = 0; h < 2; ++h)
        std::copy_n(one.data(), one.size(), want.data() + h * one.size());
    auto step =
        ricci::prepare(heads_apart, "Q"_t = both(q), "K"_t = both(k), "V"_t = both(v), "d_k"_t = 2);
    step();
    report.compare("two heads on the same columns", step["O"_t], want, step.explain(), true, 1e-14);
}

void without_a_head(plain::report& report) {
    const auto all = by_columns(q.view(), k.view(), v.view(), 2);
    ricci::tensor<double, 0> want;
    double sum = 0;
    for (std::size_t i = 0; i < tokens; ++i)
        for (std::size_t c = 2; c < model; ++c) sum += all(i, c) * all(i, c);
    want() = std::sqrt(sum);
    ricci::tensor<double, 1> g({2});
    g(0) = 1, g(1) = 0;
    auto step =
        ricci::prepare(pruned, "Q"_t = q, "K"_t = k, "V"_t = v, "d_k"_t = 2, "h"_i = 2, "g"_t = g);
    step();
    report.compare("one head pruned: norm of the difference", step["D"_t], want, step.explain(),
                   true, 1e-14);
}

}  // namespace

int main() {
    plain::report report;
    biased_layer(report);
    one_matrix(report);
    worked_example(report);
    same_columns(report);
    without_a_head(report);
    return report.exit_status();
}
