// Multi-head attention as its equations: a worked example by hand, then a text, forward and
// backward.
//   attention [TEXT FILE] [--token NUMBER]
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <utility>

#include <fmt/core.h>

#include <ricci/ricci.hpp>

using namespace ricci::literals;

namespace {

// The heads are columns of Q, K and V: (ha) is one axis made of head and column.
constexpr auto worked = R"(
    P^{hij}   = Q^{i(ha)} K^{j(ha)}
    S^{hij}   = \frac{1}{\sqrt{d_k}} P^{hij}
    A^{hij}   = \frac{\exp(S^{hij})}{\sum_{j'} \exp(S^{hij'})}
    Y^{i(hc)} = A^{hij} V^{j(hc)}
)"_eq.keep("P"_t, "S"_t, "A"_t);

constexpr auto attention = R"(
    Q^{hia} = X^{ib} W_Q^{hba}
    K^{hja} = X^{jb} W_K^{hba}
    V^{hjc} = X^{jb} W_V^{hbc}
    S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja}
    A^{hij} = \frac{\exp(S^{hij})}{\sum_{j'} \exp(S^{hij'})}
    O^{hic} = A^{hij} V^{hjc}
    Y^{id}  = O^{hic} W_O^{hcd}
)"_eq;

constexpr auto backward =
    ricci::gradient(attention, "Y"_t, ricci::wrt("X"_t, "W_Q"_t, "W_K"_t, "W_V"_t, "W_O"_t));

static_assert(backward.states(
    R"(\frac{\partial L}{\partial W_Q^{hba}} = X^{ib} \frac{\partial L}{\partial Q^{hia}})"));
static_assert(backward.states(
    R"(\frac{\partial L}{\partial W_O^{hcd}} = O^{hic} \frac{\partial L}{\partial Y^{id}})"));

// The embedding of a text: a vector for each byte and the sinusoidal code of its position.
constexpr auto embedding = R"(
    C^{pe} = p / 10000^{(e - e \bmod 2) / d_{\text{model}}}
    X^{pe} = T^{pe} + [e \bmod 2 = 0] \sin(C^{pe}) + [e \bmod 2 = 1] \cos(C^{pe})
)"_eq;

constexpr auto entropy =
    R"(E^h = -\operatorname{mean}_i(\sum_j A^{hij} \log(\max(A^{hij}, 10^{-30}))))"_eq;

void heading(const char* text) { fmt::print("\n== {}\n\n", text); }

// The worked example ------------------------------------------------------------------------------

constexpr const char* tokens[] = {"The", "cat", "sat", "on", "mat"};

ricci::tensor<double, 2> rows_of(const double (&values)[20]) {
    ricci::tensor<double, 2> t({5, 4});
    for (std::size_t k = 0; k < t.size(); ++k) t.data()[k] = values[k];
    return t;
}

using cube = ricci::tensor_view<const double, 3>;
using matrix = ricci::tensor_view<const double, 2>;

void trace(std::size_t token, matrix q, cube p, cube s, cube a, matrix y) {
    fmt::print("\nToken {}, \"{}\":\n", token, tokens[token]);
    for (std::size_t h = 0; h < 2; ++h) {
        fmt::print("  head {}   q = [{:g} {:g}]\n", h + 1, q(token, 2 * h), q(token, 2 * h + 1));
        fmt::print("    {:<6} {:>8} {:>10} {:>8}\n", "key", "q.k", "/sqrt(2)", "weight");
        for (std::size_t j = 0; j < 5; ++j)
            fmt::print("    {:<6} {:8.4f} {:10.4f} {:8.4f}\n", tokens[j], p(h, token, j),
                       s(h, token, j), a(h, token, j));
        fmt::print("    output = [{:.4f} {:.4f}]\n", y(token, 2 * h), y(token, 2 * h + 1));
    }
}

void worked_example(std::size_t token) {
    heading("A worked example: five tokens, d_model 4, two heads of width 2");
    const auto q = rows_of({1, 0, 1, 0, 0, 2, 0, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 1});
    const auto k = rows_of({0, 1, 0, 1, 1, 0, 1, 0, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0, .5, .5});
    const auto v = rows_of({1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, .5, .5, .5, .5});
    fmt::print("{}", ricci::to_latex(worked));
    auto step = ricci::prepare(worked, "Q"_t = q, "K"_t = k, "V"_t = v, "d_k"_t = 2, "h"_i = 2);
    step();
    const cube a = step["A"_t];
    const matrix y = step["Y"_t];
    for (std::size_t h = 0; h < 2; ++h) {
        fmt::print("\nWeights of head {}\n        ", h + 1);
        for (const char* t : tokens) fmt::print("{:>8}", t);
        for (std::size_t i = 0; i < 5; ++i) {
            fmt::print("\n  {:<6}", tokens[i]);
            for (std::size_t j = 0; j < 5; ++j) fmt::print("{:8.4f}", a(h, i, j));
        }
        fmt::print("\n");
    }
    fmt::print("\nOutputs\n");
    for (std::size_t i = 0; i < 5; ++i)
        fmt::print("  {:<6}{:8.4f}{:8.4f}{:8.4f}{:8.4f}\n", tokens[i], y(i, 0), y(i, 1), y(i, 2),
                   y(i, 3));
    trace(token, q.view(), step["P"_t], step["S"_t], a, y);
    fmt::print(
        "\nA layer of this width with its four projections has 4 d_model^2 = {} parameters.\n",
        4 * 4 * 4);
    fmt::print("\nThe plan:\n{}", step.explain());
}

// A text ------------------------------------------------------------------------------------------

constexpr std::size_t length = 1024, model = 512, heads = 8, width = model / heads;

template <class T>
struct layer {
    ricci::tensor<T, 2> x{{length, model}};
    ricci::tensor<T, 3> wq{{heads, model, width}}, wk{{heads, model, width}},
        wv{{heads, model, width}}, wo{{heads, width, model}};
    ricci::tensor<T, 2> dy{{length, model}};  // dL/dY for L = sum of dY Y
};

/// Normal numbers, the same on every machine: splitmix64 and the Box-Muller transform.
template <int Rank>
void randomise(ricci::tensor<double, Rank>& t, double deviation, std::uint64_t seed) {
    const auto uniform = [&] {
        std::uint64_t z = seed += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return (static_cast<double>((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
    };
    for (std::size_t k = 0; k < t.size(); ++k) {
        const double radius = deviation * std::sqrt(-2 * std::log(uniform()));
        t.data()[k] = radius * std::cos(2 * 3.14159265358979324 * uniform());
    }
}

std::string read_text(const char* path) {
    std::FILE* file = std::fopen(path, "rb");
    if (file == nullptr) {
        fmt::print(stderr, "attention: cannot read {}: {}\n", path, std::strerror(errno));
        std::exit(1);
    }
    std::string text(length, '\0');
    text.resize(std::fread(text.data(), 1, length, file));
    std::fclose(file);
    if (text.empty()) {
        fmt::print(stderr, "attention: {} is empty\n", path);
        std::exit(1);
    }
    for (std::size_t k = 0; text.size() < length; ++k)
        text += text[k];  // a short text starts again
    return text;
}

void embed(const std::string& text, ricci::tensor<double, 2>& x) {
    ricci::tensor<double, 2> table({256, model}), rows({length, model});
    randomise(table, 1, 1);
    for (std::size_t p = 0; p < length; ++p)
        for (std::size_t e = 0; e < model; ++e)
            rows(p, e) = table(static_cast<unsigned char>(text[p]), e);
    x = embedding("T"_t = rows, "d_model"_t = model, "p"_i = length, "e"_i = model)["X"_t].clone();
}

template <class T, int Rank>
void convert(const ricci::tensor<double, Rank>& from, ricci::tensor<T, Rank>& to) {
    for (std::size_t k = 0; k < from.size(); ++k) to.data()[k] = static_cast<T>(from.data()[k]);
}

double now() {
    std::timespec t{};
    std::timespec_get(&t, TIME_UTC);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Median seconds of seven runs, after one to warm up.
template <class Step>
double seconds(Step& step) {
    double times[7] = {};
    step();
    for (int run = 0; run < 7; ++run) {
        const double start = now();
        step();
        double taken = now() - start;
        for (int k = 0; k <= run; ++k)  // keeps the list in order
            if (k == run || taken < times[k]) std::swap(taken, times[k]);
    }
    return times[3];
}

void time_single(const layer<double>& exact) {
    layer<float> l;
    convert(exact.x, l.x), convert(exact.wq, l.wq), convert(exact.wk, l.wk),
        convert(exact.wv, l.wv);
    convert(exact.wo, l.wo), convert(exact.dy, l.dy);
    auto forward = ricci::prepare(attention, "X"_t = l.x, "W_Q"_t = l.wq, "W_K"_t = l.wk,
                                  "W_V"_t = l.wv, "W_O"_t = l.wo, "d_k"_t = width);
    auto both = ricci::prepare(backward, "X"_t = l.x, "W_Q"_t = l.wq, "W_K"_t = l.wk,
                               "W_V"_t = l.wv, "W_O"_t = l.wo, "d_k"_t = width, "dL/dY"_t = l.dy);
    const double n = length, d = model;
    const double projection = 2 * n * d * d, product = 2 * n * n * d;  // one of each, all heads
    const double forward_flops = 4 * projection + 2 * product;
    // each product has two gradients; Q, K, V, S and O are computed once more
    const double backward_flops = 2 * forward_flops + 3 * projection + 2 * product;
    const double tf = seconds(forward), tb = seconds(both);
    fmt::print("forward   {:8.2f} ms  {:7.1f} GFLOP/s\n", 1e3 * tf, 1e-9 * forward_flops / tf);
    fmt::print("backward  {:8.2f} ms  {:7.1f} GFLOP/s (with the forward values it needs)\n",
               1e3 * tb, 1e-9 * backward_flops / tb);
}

/// (L(x + h) - L(x - h)) / 2h against dL/dx, for some entries of one operand.
template <class Loss, int Rank>
double check_entries(const char* name, const Loss& loss, ricci::tensor<double, Rank>& x,
                     const ricci::tensor<double, Rank>& derived) {
    double worst = 0;
    double scale = 0;
    for (std::size_t k = 0; k < derived.size(); ++k)
        scale = std::fmax(scale, std::abs(derived.data()[k]));
    for (std::size_t sample = 0; sample < 3; ++sample) {
        const std::size_t at = (sample * 2654435761u + 12345) % x.size();
        const double old = x.data()[at], h = 1e-5 * std::fmax(1.0, std::abs(old));
        x.data()[at] = old + h;
        const double above = loss();
        x.data()[at] = old - h;
        const double below = loss();
        x.data()[at] = old;
        worst = std::fmax(worst, std::abs((above - below) / (2 * h) - derived.data()[at]) / scale);
    }
    fmt::print("  dL/d{:<4} largest difference at sampled entries, of the largest entry: {:.1e}\n",
               name, worst);
    std::fflush(stdout);
    return worst;
}

template <class Forward>
bool check_gradients(layer<double>& l, Forward& forward) {
    fmt::print("checking the gradients by central differences, in double ...\n");
    std::fflush(stdout);
    const auto g = backward("X"_t = l.x, "W_Q"_t = l.wq, "W_K"_t = l.wk, "W_V"_t = l.wv,
                            "W_O"_t = l.wo, "d_k"_t = width, "dL/dY"_t = l.dy);
    const auto y = forward["Y"_t];
    const auto loss = [&] {
        forward();
        double sum = 0;
        for (std::size_t k = 0; k < l.dy.size(); ++k) sum += l.dy.data()[k] * y.data()[k];
        return sum;
    };
    double worst = 0;
    for (const double found : {check_entries("X", loss, l.x, g["dL/dX"_t]),
                               check_entries("W_Q", loss, l.wq, g["dL/dW_Q"_t]),
                               check_entries("W_K", loss, l.wk, g["dL/dW_K"_t]),
                               check_entries("W_V", loss, l.wv, g["dL/dW_V"_t]),
                               check_entries("W_O", loss, l.wo, g["dL/dW_O"_t])})
        worst = std::fmax(worst, found);
    fmt::print("  {}\n", worst < 1e-6 ? "they agree" : "THEY DO NOT AGREE");
    return worst < 1e-6;
}

bool real_text(const char* path) {
    heading("A text: 1024 bytes, d_model 512, 8 heads");
    const std::string text = read_text(path);
    fmt::print("{}: \"{}...\"\n\n", path, text.substr(0, 50));
    fmt::print("The equations\n{}\n", ricci::to_latex(attention));
    fmt::print("The gradients, as derived from them\n{}\n", ricci::to_latex(backward));

    layer<double> l;
    embed(text, l.x);
    const double deviation = 1 / std::sqrt(static_cast<double>(model));
    randomise(l.wq, deviation, 2), randomise(l.wk, deviation, 3), randomise(l.wv, deviation, 4);
    randomise(l.wo, deviation, 5), randomise(l.dy, 1, 6);

    constexpr auto with_weights = attention.keep("A"_t);
    auto forward = ricci::prepare(with_weights, "X"_t = l.x, "W_Q"_t = l.wq, "W_K"_t = l.wk,
                                  "W_V"_t = l.wv, "W_O"_t = l.wo, "d_k"_t = width);
    forward();
    const auto e = entropy("A"_t = forward["A"_t])["E"_t].clone();
    fmt::print("mean entropy of the attention, by head (at most log 1024 = {:.3f}):",
               std::log(1024.0));
    for (std::size_t h = 0; h < heads; ++h) fmt::print(" {:.3f}", e(h));
    fmt::print("\n\n");
    time_single(l);
    fmt::print("\n");
    return check_gradients(l, forward);
}

}  // namespace

int main(int count, char** arguments) {
    const char* path = RICCI_EXAMPLE_TEXT;
    std::size_t token = 1;
    for (int k = 1; k < count; ++k) {
        if (std::strcmp(arguments[k], "--token") == 0 && k + 1 < count) {
            char* end = nullptr;
            token = std::strtoul(arguments[++k], &end, 10);
            if (*end != '\0' || token > 4) {
                fmt::print(stderr, "attention: a token is a number from 0 to 4\n");
                return 1;
            }
        } else if (arguments[k][0] == '-') {
            fmt::print(stderr, "usage: attention [TEXT FILE] [--token NUMBER]\n");
            return 1;
        } else {
            path = arguments[k];
        }
    }
    try {
        worked_example(token);
        return real_text(path) ? 0 : 1;
    } catch (const std::exception& e) {
        fmt::print(stderr, "attention: {}\n", e.what());
        return 1;
    }
}
