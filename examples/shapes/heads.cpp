// How heads share keys and values, where queries come from, what a score is: cross-attention,
// grouped and single keys, a value width of its own, rotated places, a learned metric, decoding
// step by step against a cache, many tiny sequences, and weights that need no softmax.
#include "examples/shapes/plain.hpp"

using namespace ricci::literals;

namespace {

constexpr auto cross = R"(
    S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja}
    A^{hij} = \operatorname{softmax}_j(S^{hij})
    O^{hic} = A^{hij} V^{hjc}
)"_eq;
// A head of queries is two indices: k says whose keys it reads, g which of their readers it is.
constexpr auto grouped = R"(
    S^{kgij} = \frac{1}{\sqrt{d_k}} Q^{kgia} K^{kja}
    M^{kgij} = \begin{cases} S^{kgij} & \text{if } j \le i \\ -\infty & \text{otherwise} \end{cases}
    A^{kgij} = \operatorname{softmax}_j(M^{kgij})
    O^{kgic} = A^{kgij} V^{kjc}
)"_eq;
constexpr auto single = R"(
    S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{ja}
    A^{hij} = \operatorname{softmax}_j(S^{hij})
    O^{hic} = A^{hij} V^{jc}
)"_eq;
// Pairs of columns p turn by the angle i w^p; k and l are the two of a pair.
constexpr auto rotated = R"(
    T^{ipkl} = \delta^{kl} \cos(i w^p) + (k - l) \sin(i w^p)
    q^{hipk} = T^{ipkl} Q^{hipl}
    r^{hjpk} = T^{jpkl} K^{hjpl}
    S^{hij} = \frac{1}{\sqrt{d_k}} q^{hipk} r^{hjpk}
    A^{hij} = \operatorname{softmax}_j(S^{hij})
    O^{hic} = A^{hij} V^{hjc}
)"_eq;
constexpr auto metric = R"(
    S^{ij} = Q^{ia} g_{ab} K^{jb}
    A^{ij} = \operatorname{softmax}_j(S^{ij})
    O^{ic} = A^{ij} V^{jc}
)"_eq;
constexpr auto decode = R"(
    S^{hj} = \frac{1}{\sqrt{d_k}} Q^{ha} K^{hja}
    A^{hj} = \operatorname{softmax}_j(S^{hj})
    O^{hc} = A^{hj} V^{hjc}
)"_eq;
constexpr auto tiny = R"(
    S^{bhij} = \frac{1}{\sqrt{d_k}} Q^{bhia} K^{bhja}
    A^{bhij} = \operatorname{softmax}_j(S^{bhij})
    O^{bhic} = A^{bhij} V^{bhjc}
)"_eq;
constexpr auto linear = R"(
    \phi(x) = \operatorname{elu}(x) + 1
    G^{hia} = \phi(Q^{hia})
    F^{hja} = \phi(K^{hja})
    M^{hac} = F^{hja} V^{hjc}
    z^{ha} = \sum_j F^{hja}
    O^{hic} = \frac{G^{hia} M^{hac}}{G^{hia'} z^{ha'}}
)"_eq;

/// One head after the other, without a mask: scores q k * factor.
template <class Q, class K, class V>
ricci::tensor<double, 3> by_loops(const Q& q, const K& k, const V& v, double factor) {
    ricci::tensor<double, 3> o({q.extent(0), q.extent(1), v.extent(2)});
    for (std::size_t h = 0; h < q.extent(0); ++h)
        plain::attend(
            q.extent(1), k.extent(1), v.extent(2),
            [&](std::size_t i, std::size_t j) {
                return factor * plain::dot(
                                    q.extent(2), [&](std::size_t a) { return q(h, i, a); },
                                    [&](std::size_t a) { return k(h, j, a); });
            },
            [&](std::size_t j, std::size_t c) { return v(h, j, c); },
            [&](std::size_t i, std::size_t c) -> double& { return o(h, i, c); });
    return o;
}

void sources(plain::report& report) {
    constexpr std::size_t heads = 3, queries = 37, keys = 90, width = 16, values = 40;
    const auto q = plain::random<3>({heads, queries, width}, 1),
               k = plain::random<3>({heads, keys, width}, 2);
    const auto v = plain::random<3>({heads, keys, values}, 3);
    auto step = ricci::prepare(cross, "Q"_t = q, "K"_t = k, "V"_t = v, "d_k"_t = width);
    step();
    report.compare("cross-attention, values of another width", step["O"_t],
                   by_loops(q, k, v, 1 / std::sqrt(double{width})), step.explain());

    // Keys and values without a head: every head reads the same, which strides of 0 say to the
    // loops.
    const auto shared_k = plain::random<2>({keys, width}, 4),
               shared_v = plain::random<2>({keys, values}, 5);
    auto one =
        ricci::prepare(single, "Q"_t = q, "K"_t = shared_k, "V"_t = shared_v, "d_k"_t = width);
    one();
    report.compare("one head of keys and values (MQA)", one["O"_t],
                   by_loops(q,
                            ricci::tensor_view<const float, 3>(shared_k.data(),
                                                               {heads, keys, width}, {0, width, 1}),
                            ricci::tensor_view<const float, 3>(
                                shared_v.data(), {heads, keys, values}, {0, values, 1}),
                            1 / std::sqrt(double{width})),
                   one.explain());
}

void groups(plain::report& report) {
    constexpr std::size_t heads = 2, readers = 4, n = 61, width = 16;
    const auto q = plain::random<4>({heads, readers, n, width}, 6);
    const auto k = plain::random<3>({heads, n, width}, 7),
               v = plain::random<3>({heads, n, width}, 8);
    ricci::tensor<double, 4> want({heads, readers, n, width});
    for (std::size_t h = 0; h < heads; ++h)
        for (std::size_t g = 0; g < readers; ++g)
            plain::attend(
                n, n, width,
                [&](std::size_t i, std::size_t j) {
                    if (j > i) return plain::nothing;
                    const double s = plain::dot(
                        width, [&](std::size_t a) { return q(h, g, i, a); },
                        [&](std::size_t a) { return k(h, j, a); });
                    return s / std::sqrt(double{width});
                },
                [&](std::size_t j, std::size_t c) { return v(h, j, c); },
                [&](std::size_t i, std::size_t c) -> double& { return want(h, g, i, c); });
    auto step = ricci::prepare(grouped, "Q"_t = q, "K"_t = k, "V"_t = v, "d_k"_t = width);
    step();
    report.compare("groups of heads share keys (GQA), causal", step["O"_t], want, step.explain());
}

void scores(plain::report& report) {
    constexpr std::size_t heads = 2, n = 50, pairs = 8, width = 2 * pairs;
    const auto q = plain::random<4>({heads, n, pairs, 2}, 9),
               k = plain::random<4>({heads, n, pairs, 2}, 10);
    const auto v = plain::random<3>({heads, n, width}, 11);
    ricci::tensor<float, 1> w({pairs});
    for (std::size_t p = 0; p < pairs; ++p)
        w(p) = static_cast<float>(std::pow(10000.0, -static_cast<double>(p) / pairs));
    const auto turned = [&](const ricci::tensor<float, 4>& x) {
        ricci::tensor<double, 3> y({heads, n, width});
        for (std::size_t h = 0; h < heads; ++h)
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t p = 0; p < pairs; ++p) {
                    const double angle = static_cast<double>(i) * static_cast<double>(w(p));
                    const double a = static_cast<double>(x(h, i, p, 0)),
                                 b = static_cast<double>(x(h, i, p, 1));
                    y(h, i, 2 * p) = a * std::cos(angle) - b * std::sin(angle);
                    y(h, i, 2 * p + 1) = a * std::sin(angle) + b * std::cos(angle);
                }
        return y;
    };
    auto step = ricci::prepare(rotated, "Q"_t = q, "K"_t = k, "V"_t = v, "w"_t = w, "d_k"_t = width,
                               "i"_i = n, "k"_i = 2, "l"_i = 2);
    step();
    report.compare("places as rotations (RoPE)", step["O"_t],
                   by_loops(turned(q), turned(k), v, 1 / std::sqrt(double{width})), step.explain(),
                   true, 1e-5);

    const auto x = plain::random<2>({n, 12}, 12), y = plain::random<2>({n, 10}, 13),
               z = plain::random<2>({n, 7}, 14), g = plain::random<2>({12, 10}, 15);
    ricci::tensor<double, 2> want({n, 7});
    plain::attend(
        n, n, 7,
        [&](std::size_t i, std::size_t j) {
            return plain::dot(
                12, [&](std::size_t a) { return x(i, a); },
                [&](std::size_t a) {
                    return plain::dot(
                        10, [&](std::size_t b) { return g(a, b); },
                        [&](std::size_t b) { return y(j, b); });
                });
        },
        [&](std::size_t j, std::size_t c) { return z(j, c); },
        [&](std::size_t i, std::size_t c) -> double& { return want(i, c); });
    auto learned = ricci::prepare(metric, "Q"_t = x, "K"_t = y, "V"_t = z, "g"_t = g);
    learned();
    report.compare("learned metric", learned["O"_t], want, learned.explain());
}

void decoding(plain::report& report) {
    constexpr std::size_t heads = 4, room = 64, width = 16;
    ricci::tensor<float, 3> keys({heads, room, width}), values({heads, room, width});
    const auto all_k = plain::random<3>({heads, room, width}, 16),
               all_v = plain::random<3>({heads, room, width}, 17),
               all_q = plain::random<3>({room, heads, width}, 18);
    ricci::tensor<double, 3> got({room, heads, width}), want({room, heads, width});
    std::string plan;
    for (std::size_t t = 0; t < room; ++t) {
        for (std::size_t h = 0; h < heads; ++h)
            for (std::size_t a = 0; a < width; ++a)
                keys(h, t, a) = all_k(h, t, a), values(h, t, a) = all_v(h, t, a);
        // The part of the cache that is filled, and the query of this step.
        using cube = ricci::tensor_view<const float, 3>;
        const cube k(keys.data(), {heads, t + 1, width}, keys.strides());
        const cube v(values.data(), {heads, t + 1, width}, values.strides());
        const ricci::tensor_view<const float, 2> q(&all_q(t, 0, 0), {heads, width});
        const auto result = decode("Q"_t = q, "K"_t = k, "V"_t = v, "d_k"_t = width);
        const cube one_query(q.data(), {heads, 1, width});
        const auto expected = by_loops(one_query, k, v, 1 / std::sqrt(double{width}));
        for (std::size_t h = 0; h < heads; ++h)
            for (std::size_t c = 0; c < width; ++c) {
                got(t, h, c) = static_cast<double>(result["O"_t](h, c));
                want(t, h, c) = expected(h, 0, c);
            }
        if (t + 1 == room)
            plan = ricci::explain(decode, "Q"_t = q, "K"_t = k, "V"_t = v, "d_k"_t = width);
    }
    // One query has a number for each key, which is less than the cache.
    report.compare("decoding against a growing cache", got.view(), want, plan, false);
}

void many_tiny(plain::report& report) {
    constexpr std::size_t batch = 30, heads = 8, n = 5, width = 64;
    const auto q = plain::random<4>({batch, heads, n, width}, 19),
               k = plain::random<4>({batch, heads, n, width}, 20),
               v = plain::random<4>({batch, heads, n, width}, 21);
    // Batch and head are alike to the loops: one axis of both.
    const auto flat = [](const ricci::tensor<float, 4>& x) {
        return ricci::tensor_view<const float, 3>(x.data(), {batch * heads, n, width});
    };
    const auto want = by_loops(flat(q), flat(k), flat(v), 1 / std::sqrt(double{width}));
    auto step = ricci::prepare(tiny, "Q"_t = q, "K"_t = k, "V"_t = v, "d_k"_t = width);
    step();
    const auto o = step["O"_t];
    report.compare("many tiny sequences",
                   ricci::tensor_view<const float, 3>(o.data(), {batch * heads, n, width}), want,
                   step.explain());
}

void without_softmax(plain::report& report) {
    constexpr std::size_t heads = 3, n = 200, width = 16;
    const auto q = plain::random<3>({heads, n, width}, 22),
               k = plain::random<3>({heads, n, width}, 23),
               v = plain::random<3>({heads, n, width}, 24);
    const auto phi = [](float x) {
        return x > 0 ? static_cast<double>(x) + 1 : std::exp(static_cast<double>(x));
    };
    // The weights one by one: what the equations never make.
    ricci::tensor<double, 3> want({heads, n, width});
    for (std::size_t h = 0; h < heads; ++h)
        for (std::size_t i = 0; i < n; ++i) {
            double total = 0;
            for (std::size_t j = 0; j < n; ++j) {
                const double w = plain::dot(
                    width, [&](std::size_t a) { return phi(q(h, i, a)); },
                    [&](std::size_t a) { return phi(k(h, j, a)); });
                total += w;
                for (std::size_t c = 0; c < width; ++c)
                    want(h, i, c) += w * static_cast<double>(v(h, j, c));
            }
            for (std::size_t c = 0; c < width; ++c) want(h, i, c) /= total;
        }
    auto step = ricci::prepare(linear, "Q"_t = q, "K"_t = k, "V"_t = v);
    step();
    report.compare("linear attention", step["O"_t], want, step.explain(), false);
}

}  // namespace

int main() {
    plain::report report;
    sources(report);
    groups(report);
    scores(report);
    decoding(report);
    many_tiny(report);
    without_softmax(report);
    return report.exit_status();
}
