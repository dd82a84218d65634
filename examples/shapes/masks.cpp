// What a query may see: everything, the past, a window, blocks, strides, what is not padding, what
// a mask says; and what distance costs it. Each is a line between the scores and the softmax.
#include "examples/shapes/plain.hpp"

using namespace ricci::literals;

namespace {

constexpr std::size_t heads = 3, n = 75, width = 16;

// Only the third line differs from one to the next.
constexpr auto everything = R"(
    S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja}
    A^{hij} = \operatorname{softmax}_j(S^{hij})
    O^{hic} = A^{hij} V^{hjc}
)"_eq;
constexpr auto causal = R"(
    S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja}
    M^{hij} = \begin{cases} S^{hij} & \text{if } j \le i \\ -\infty & \text{otherwise} \end{cases}
    A^{hij} = \operatorname{softmax}_j(M^{hij})
    O^{hic} = A^{hij} V^{hjc}
)"_eq;
constexpr auto window = R"(
    S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja}
    M^{hij} = \begin{cases} S^{hij} & \text{if } j \le i \land i - j < w \\
                            -\infty & \text{otherwise} \end{cases}
    A^{hij} = \operatorname{softmax}_j(M^{hij})
    O^{hic} = A^{hij} V^{hjc}
)"_eq;
constexpr auto blocks = R"(
    S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja}
    M^{hij} = \begin{cases} S^{hij} & \text{if } i - i \bmod 16 = j - j \bmod 16 \\
                            -\infty & \text{otherwise} \end{cases}
    A^{hij} = \operatorname{softmax}_j(M^{hij})
    O^{hic} = A^{hij} V^{hjc}
)"_eq;
constexpr auto strided = R"(
    S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja}
    M^{hij} = \begin{cases} S^{hij} & \text{if } j \le i \land i \bmod 4 = j \bmod 4 \\
                            -\infty & \text{otherwise} \end{cases}
    A^{hij} = \operatorname{softmax}_j(M^{hij})
    O^{hic} = A^{hij} V^{hjc}
)"_eq;
constexpr auto boolean = R"(
    S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja}
    M^{hij} = \begin{cases} S^{hij} & \text{if } B^{ij} \ne 0 \\
                            -\infty & \text{otherwise} \end{cases}
    A^{hij} = \operatorname{softmax}_j(M^{hij})
    O^{hic} = A^{hij} V^{hjc}
)"_eq;
constexpr auto additive = R"(
    S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja}
    M^{hij} = S^{hij} + B^{ij}
    A^{hij} = \operatorname{softmax}_j(M^{hij})
    O^{hic} = A^{hij} V^{hjc}
)"_eq;
constexpr auto slopes = R"(
    S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja}
    M^{hij} = S^{hij} - m^h |i - j|
    A^{hij} = \operatorname{softmax}_j(M^{hij})
    O^{hic} = A^{hij} V^{hjc}
)"_eq;
constexpr auto relative = R"(
    S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja}
    M^{hij} = S^{hij} + b^h_{i-j}
    A^{hij} = \operatorname{softmax}_j(M^{hij})
    O^{hic} = A^{hij} V^{hjc}
)"_eq;
// A batch of sequences, of which the first n^b places count.
constexpr auto padded = R"(
    S^{bhij} = \frac{1}{\sqrt{d_k}} Q^{bhia} K^{bhja}
    M^{bhij} = \begin{cases} S^{bhij} & \text{if } j < n^b \\ -\infty & \text{otherwise} \end{cases}
    A^{bhij} = \operatorname{softmax}_j(M^{bhij})
    O^{bhic} = A^{bhij} V^{bhjc}
)"_eq;

const auto q = plain::random<3>({heads, n, width}, 1), k = plain::random<3>({heads, n, width}, 2),
           v = plain::random<3>({heads, n, width}, 3);

/// The plain result where score(h, i, j, Q K / sqrt(d)) is what the softmax gets.
template <class Score>
ricci::tensor<double, 3> by_loops(Score score) {
    ricci::tensor<double, 3> o({heads, n, width});
    for (std::size_t h = 0; h < heads; ++h)
        plain::attend(
            n, n, width,
            [&](std::size_t i, std::size_t j) {
                const double s = plain::dot(
                    width, [&](std::size_t a) { return q(h, i, a); },
                    [&](std::size_t a) { return k(h, j, a); });
                return score(h, i, j, s / std::sqrt(double{width}));
            },
            [&](std::size_t j, std::size_t c) { return v(h, j, c); },
            [&](std::size_t i, std::size_t c) -> double& { return o(h, i, c); });
    return o;
}

/// The same where only keys that are seen count.
template <class Seen>
ricci::tensor<double, 3> by_loops_where(Seen seen) {
    return by_loops([&](std::size_t, std::size_t i, std::size_t j, double s) {
        return seen(i, j) ? s : plain::nothing;
    });
}

void conditions(plain::report& report) {
    auto all = ricci::prepare(everything, "Q"_t = q, "K"_t = k, "V"_t = v, "d_k"_t = width);
    all();
    report.compare("encoder: everything is seen", all["O"_t],
                   by_loops_where([](auto, auto) { return true; }), all.explain());

    auto past = ricci::prepare(causal, "Q"_t = q, "K"_t = k, "V"_t = v, "d_k"_t = width);
    past();
    report.compare("causal", past["O"_t], by_loops_where([](auto i, auto j) { return j <= i; }),
                   past.explain());

    auto near = ricci::prepare(window, "Q"_t = q, "K"_t = k, "V"_t = v, "d_k"_t = width, "w"_t = 9);
    near();
    report.compare("sliding window", near["O"_t],
                   by_loops_where([](auto i, auto j) { return j <= i && i - j < 9; }),
                   near.explain());

    auto block = ricci::prepare(blocks, "Q"_t = q, "K"_t = k, "V"_t = v, "d_k"_t = width);
    block();
    report.compare("blocks", block["O"_t],
                   by_loops_where([](auto i, auto j) { return i / 16 == j / 16; }),
                   block.explain());

    auto stride = ricci::prepare(strided, "Q"_t = q, "K"_t = k, "V"_t = v, "d_k"_t = width);
    stride();
    report.compare("strided", stride["O"_t],
                   by_loops_where([](auto i, auto j) { return j <= i && i % 4 == j % 4; }),
                   stride.explain());
}

void mask_tensors(plain::report& report) {
    ricci::tensor<float, 2> is_seen({n, n}), added({n, n});
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            is_seen(i, j) = i != 4 && (i * 7 + j * 3) % 5 < 2 ? 1.0f : 0.0f;  // row 4 sees nothing
            added(i, j) = is_seen(i, j) != 0 ? static_cast<float>(i % 3) / 2 - 1 : -INFINITY;
        }
    auto chosen =
        ricci::prepare(boolean, "Q"_t = q, "K"_t = k, "V"_t = v, "d_k"_t = width, "B"_t = is_seen);
    chosen();
    report.compare("boolean mask", chosen["O"_t],
                   by_loops_where([&](auto i, auto j) { return is_seen(i, j) != 0; }),
                   chosen.explain());

    auto sum =
        ricci::prepare(additive, "Q"_t = q, "K"_t = k, "V"_t = v, "d_k"_t = width, "B"_t = added);
    sum();
    report.compare("additive mask", sum["O"_t], by_loops([&](auto, auto i, auto j, double s) {
                       return s + static_cast<double>(added(i, j));
                   }),
                   sum.explain());
}

void distances(plain::report& report) {
    ricci::tensor<float, 1> m({heads});
    for (std::size_t h = 0; h < heads; ++h) m(h) = std::ldexp(1.0f, -static_cast<int>(2 * h + 1));
    auto linear =
        ricci::prepare(slopes, "Q"_t = q, "K"_t = k, "V"_t = v, "d_k"_t = width, "m"_t = m);
    linear();
    report.compare("slopes by distance (ALiBi)", linear["O"_t],
                   by_loops([&](auto h, auto i, auto j, double s) {
                       const double distance = static_cast<double>(i < j ? j - i : i - j);
                       return s - static_cast<double>(m(h)) * distance;
                   }),
                   linear.explain());

    const auto b = plain::random<2>({heads, 2 * n - 1}, 4);
    auto bias =
        ricci::prepare(relative, "Q"_t = q, "K"_t = k, "V"_t = v, "d_k"_t = width, "b"_t = b);
    bias();
    report.compare("relative bias", bias["O"_t], by_loops([&](auto h, auto i, auto j, double s) {
                       return s + static_cast<double>(b(h, i + n - 1 - j));
                   }),
                   bias.explain());
}

void padding(plain::report& report) {
    constexpr std::size_t batch = 4;
    const auto bq = plain::random<4>({batch, heads, n, width}, 5),
               bk = plain::random<4>({batch, heads, n, width}, 6),
               bv = plain::random<4>({batch, heads, n, width}, 7);
    ricci::tensor<float, 1> lengths({batch});
    lengths(0) = n, lengths(1) = 30, lengths(2) = 1, lengths(3) = 0;
    ricci::tensor<double, 4> want({batch, heads, n, width});
    for (std::size_t b = 0; b < batch; ++b)
        for (std::size_t h = 0; h < heads; ++h)
            plain::attend(
                n, n, width,
                [&](std::size_t i, std::size_t j) {
                    if (static_cast<double>(j) >= static_cast<double>(lengths(b)))
                        return plain::nothing;
                    const double s = plain::dot(
                        width, [&](std::size_t a) { return bq(b, h, i, a); },
                        [&](std::size_t a) { return bk(b, h, j, a); });
                    return s / std::sqrt(double{width});
                },
                [&](std::size_t j, std::size_t c) { return bv(b, h, j, c); },
                [&](std::size_t i, std::size_t c) -> double& { return want(b, h, i, c); });
    auto step = ricci::prepare(padded, "Q"_t = bq, "K"_t = bk, "V"_t = bv, "d_k"_t = width,
                               "n"_t = lengths);
    step();
    report.compare("padding: a length for each sequence", step["O"_t], want, step.explain());
}

}  // namespace

int main() {
    plain::report report;
    conditions(report);
    mask_tensors(report);
    distances(report);
    padding(report);
    return report.exit_status();
}
