// Calling equations: binding by name, results by name, prepared programs, gradients, words,
// threads.
#include "tests/catch.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <ricci/ricci.hpp>

#include "tests/unit/dense.hpp"
#include "tests/unit/face/einsum_oracle.hpp"

namespace {

using namespace ricci::literals;
using ricci::tensor;
using ricci::tensor_view;
using ricci::testing::copy_of;
using ricci::testing::dense_copy;
using ricci::testing::difference;
using ricci::testing::einsum_by_loops;
using ricci::testing::random_tensor;

constexpr auto product = R"(Y^{ik} = c A^{ij} B^{jk})"_eq;

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

template <class T>
struct layer {
    static constexpr std::size_t n = 33, model = 24, heads = 3, width = 8;
    tensor<T, 2> x = random_tensor<T, 2>({n, model}, 1);
    tensor<T, 3> wq = random_tensor<T, 3>({heads, model, width}, 2),
                 wk = random_tensor<T, 3>({heads, model, width}, 3),
                 wv = random_tensor<T, 3>({heads, model, width}, 4),
                 wo = random_tensor<T, 3>({heads, width, model}, 5);
    tensor<T, 2> dy = random_tensor<T, 2>({n, model}, 6);

    auto forward() const {
        return attention("X"_t = x, "W_Q"_t = wq, "W_K"_t = wk, "W_V"_t = wv, "W_O"_t = wo,
                         "d_k"_t = width);
    }
    auto gradients() const {
        return backward("X"_t = x, "W_Q"_t = wq, "W_K"_t = wk, "W_V"_t = wv, "W_O"_t = wo,
                        "d_k"_t = width, "dL/dY"_t = dy);
    }
    dense_copy expected() const {
        const auto q = einsum_by_loops("ib,hba->hia", {copy_of(x), copy_of(wq)});
        const auto k = einsum_by_loops("ib,hba->hia", {copy_of(x), copy_of(wk)});
        const auto v = einsum_by_loops("ib,hba->hia", {copy_of(x), copy_of(wv)});
        dense_copy a = einsum_by_loops("hia,hja->hij", {q, k});
        for (std::size_t row = 0; row < heads * n; ++row) {
            long double sum = 0;
            for (std::size_t j = 0; j < n; ++j)
                sum += std::exp(a.values[row * n + j] / std::sqrt(static_cast<long double>(width)));
            for (std::size_t j = 0; j < n; ++j) {
                long double& value = a.values[row * n + j];
                value = std::exp(value / std::sqrt(static_cast<long double>(width))) / sum;
            }
        }
        return einsum_by_loops("hic,hcd->id",
                               {einsum_by_loops("hij,hjc->hic", {a, v}), copy_of(wo)});
    }
};

template <class A, class B>
bool same_bits(const A& a, const B& b) {
    return a.extents() == b.extents() &&
           std::memcmp(a.data(), b.data(), a.size() * sizeof(*a.data())) == 0;
}

}  // namespace

TEST_CASE("operands are bound by name in any order", "[face]") {
    const auto a = random_tensor<double, 2>({4, 6}, 1), b = random_tensor<double, 2>({6, 3}, 2);
    dense_copy expected = einsum_by_loops("ij,jk->ik", {copy_of(a), copy_of(b)});
    for (long double& v : expected.values) v *= 0.5L;
    const auto y = product("A"_t = a, "B"_t = b, "c"_t = 0.5);
    CHECK(difference(copy_of(y["Y"_t]), expected, 1e-14) == "");
    CHECK(same_bits(product("c"_t = 0.5f, "B"_t = b, "A"_t = a)["Y"_t], y["Y"_t]));
    CHECK(same_bits(product("B"_t = b, "A"_t = a.view(), "c"_t = 0.5)["Y"_t], y["Y"_t]));
    for (long double& v : expected.values) v *= 4;
    CHECK(difference(copy_of(product("A"_t = a, "B"_t = b, "c"_t = 2)["Y"_t]), expected, 1e-14) ==
          "");

    // a scalar that is a tensor, temporaries, a view of transposed memory, a fixed tensor
    tensor<double, 0> c;
    c() = 2;
    const auto transposed = ricci::einsum<"ij->ji">(a);
    const tensor_view<const double, 2> back(transposed.data(), {4, 6}, {1, 4});
    CHECK(difference(copy_of(product("A"_t = back, "B"_t = b.clone(), "c"_t = c)["Y"_t]), expected,
                     1e-14) == "");
    ricci::fixed_tensor<double, 6, 3> fixed;
    std::copy(b.data(), b.data() + b.size(), fixed.data());
    CHECK(difference(copy_of(product("A"_t = a, "B"_t = fixed, "c"_t = c)["Y"_t]), expected,
                     1e-14) == "");
}

TEST_CASE("the same tensor may be bound to two names", "[face]") {
    const auto a = random_tensor<float, 2>({5, 5}, 3);
    const auto y = product("A"_t = a, "B"_t = a, "c"_t = 1);
    CHECK(difference(copy_of(y["Y"_t]), einsum_by_loops("ij,jk->ik", {copy_of(a), copy_of(a)}),
                     1e-6) == "");
}

TEST_CASE("names with labels, Greek letters and accents", "[face]") {
    constexpr auto f =
        R"(\text{Output}^{i} = \beta \tilde{X}^{i} + W_{QKV}^{i} - b_{\text{left}}^{i})"_eq;
    const auto x = random_tensor<double, 1>({9}, 4), w = random_tensor<double, 1>({9}, 5),
               b = random_tensor<double, 1>({9}, 6);
    const auto r = f(R"(\tilde{X})"_t = x, "W_{QKV}"_t = w, "b_left"_t = b, "\\beta"_t = 3);
    for (int i = 0; i < 9; ++i)
        CHECK(std::abs(r["Output"_t](i) - (3 * x(i) + w(i) - b(i))) < 1e-14);
}

TEST_CASE("an index that the shapes do not give is bound", "[face]") {
    constexpr auto split = R"(Y^{hia} = P^{i(ha)})"_eq;
    const auto p = random_tensor<float, 2>({5, 12}, 7);
    const auto y = split("P"_t = p, "h"_i = 3);
    CHECK(y["Y"_t].extents() == std::array<std::size_t, 3>{3, 5, 4});
    CHECK(y["Y"_t](2, 4, 1) == p(4, 9));
}

TEST_CASE("results are a Hana map by name", "[face]") {
    constexpr auto two = R"(Y^{i} = 2 x^{i}; Z^{ij} = x^{i} x^{j}; t = x^{i} x^{i})"_eq;
    const auto x = random_tensor<double, 1>({4}, 8);
    auto r = two("x"_t = x);
    static_assert(std::is_same_v<std::remove_reference_t<decltype(r["Z"_t])>, tensor<double, 2>>);
    CHECK(r["Y"_t](3) == 2 * x(3));
    CHECK(r["Z"_t](1, 2) == x(1) * x(2));
    CHECK(r["t"_t].size() == 1);

    int count = 0;
    std::size_t elements = 0;
    boost::hana::for_each(r, [&](auto&& pair) {
        ++count;
        elements += boost::hana::second(pair).size();
    });
    CHECK(count == 3);
    CHECK(elements == 4 + 16 + 1);
    count = 0;
    boost::hana::for_each(boost::hana::keys(r), [&](auto key) {
        ++count;
        CHECK(r[key].size() > 0);
    });
    CHECK(count == 3);
    tensor<double, 2> moved = std::move(r["Z"_t]);
    CHECK(moved(1, 2) == x(1) * x(2));
}

TEST_CASE("keep makes an intermediate an output", "[face]") {
    const layer<double> l;
    constexpr auto with_weights = attention.keep("A"_t, "S"_t);
    const auto r = with_weights("X"_t = l.x, "W_Q"_t = l.wq, "W_K"_t = l.wk, "W_V"_t = l.wv,
                                "W_O"_t = l.wo, "d_k"_t = 8);
    const auto& a = r["A"_t];
    CHECK(a.extents() == std::array<std::size_t, 3>{3, 33, 33});
    for (std::size_t h = 0; h < 3; ++h)
        for (std::size_t i = 0; i < 33; ++i) {
            double sum = 0;
            for (std::size_t j = 0; j < 33; ++j) sum += a(h, i, j);
            CHECK(std::abs(sum - 1) < 1e-14);
        }
    // The weights are stored here and made in tiles there, which rounds otherwise.
    const auto fused = l.forward();
    const auto& y = r["Y"_t];
    for (std::size_t k = 0; k < y.size(); ++k)
        CHECK(std::abs(y.data()[k] - fused["Y"_t].data()[k]) < 1e-13);
    const auto s = r["S"_t].clone();
    CHECK(s.extents() == a.extents());
}

TEST_CASE("the attention layer is what the loops say", "[face]") {
    const layer<double> exact;
    CHECK(difference(copy_of(exact.forward()["Y"_t]), exact.expected(), 1e-12) == "");
    const layer<float> single;
    CHECK(difference(copy_of(single.forward()["Y"_t]), single.expected(), 1e-4) == "");
}

TEST_CASE("a prepared program reads current contents and writes bound memory", "[face]") {
    auto a = random_tensor<double, 2>({4, 6}, 11);
    const auto b = random_tensor<double, 2>({6, 3}, 12);
    tensor<double, 0> c;
    c() = 1;
    tensor<double, 2> y({4, 3});
    auto step = ricci::prepare(product, "A"_t = a, "B"_t = b, "c"_t = c, "Y"_t = y);
    step();
    CHECK(difference(copy_of(y), einsum_by_loops("ij,jk->ik", {copy_of(a), copy_of(b)}), 1e-14) ==
          "");
    CHECK(step["Y"_t].data() == y.data());
    ricci::testing::randomise(a, 13);
    c() = -2;
    step();
    dense_copy expected = einsum_by_loops("ij,jk->ik", {copy_of(a), copy_of(b)});
    for (long double& v : expected.values) v *= -2;
    CHECK(difference(copy_of(y), expected, 1e-14) == "");

    // an output that is a strided view, in memory that stays as it is around it
    std::vector<double> ground(60, 7);
    const tensor_view<double, 2> out(ground.data() + 3, {4, 3}, {1, 10});
    auto strided = ricci::prepare(product, "A"_t = a, "B"_t = b, "c"_t = c, "Y"_t = out);
    strided();
    CHECK(difference(copy_of(out), expected, 1e-14) == "");
    CHECK(difference(copy_of(strided["Y"_t]), expected, 1e-14) == "");
    CHECK(std::count(ground.begin(), ground.end(), 7) == 48);

    // an output of its own
    auto own = ricci::prepare(product, "A"_t = a, "B"_t = b, "c"_t = c);
    own();
    CHECK(same_bits(own["Y"_t], y));

    // moving a prepared program does not move what it works on
    auto moved = std::move(own);
    ricci::testing::randomise(a, 14);
    moved();
    step();
    CHECK(same_bits(moved["Y"_t], y));
}

TEST_CASE("value and gradient together", "[face]") {
    constexpr auto f = R"(Z^{ij} = X^{ia} W^{aj}; Y^{ij} = \tanh(Z^{ij}) + b^{j})"_eq;
    constexpr auto both = ricci::value_and_gradient(f, "Y"_t, ricci::wrt("W"_t, "b"_t));
    constexpr auto alone = ricci::gradient(f, "Y"_t, ricci::wrt("W"_t, "b"_t));
    const auto x = random_tensor<double, 2>({5, 4}, 15), w = random_tensor<double, 2>({4, 3}, 16),
               dy = random_tensor<double, 2>({5, 3}, 17);
    const auto b = random_tensor<double, 1>({3}, 18);
    const auto r = both("X"_t = x, "W"_t = w, "b"_t = b, "dL/dY"_t = dy);
    CHECK(same_bits(r["Y"_t], f("X"_t = x, "W"_t = w, "b"_t = b)["Y"_t]));
    const auto g = alone("X"_t = x, "W"_t = w, "dL/dY"_t = dy);
    CHECK(difference(copy_of(r["dL/dW"_t]), copy_of(g["dL/dW"_t]), 1e-14) == "");
    CHECK(difference(copy_of(r["dL/db"_t]), einsum_by_loops("ij->j", {copy_of(dy)}), 1e-14) == "");
}

TEST_CASE("what is kept stays beside a value and its gradient", "[face]") {
    constexpr auto f = R"(P^{ik} = A^{ij} B^{jk}
        Y^{ik} = \tanh(P^{ik}))"_eq;
    const auto a = random_tensor<double, 2>({2, 3}, 1), b = random_tensor<double, 2>({3, 4}, 2),
               dy = random_tensor<double, 2>({2, 4}, 3);
    const auto r = ricci::value_and_gradient(f.keep("P"_t), "Y"_t, ricci::wrt("A"_t))(
        "A"_t = a, "B"_t = b, "dL/dY"_t = dy);
    const auto expected = einsum_by_loops("ij,jk->ik", {copy_of(a), copy_of(b)});
    CHECK(difference(copy_of(r["P"_t]), expected, 1e-15) == "");
    CHECK(std::abs(r["Y"_t](1, 2) - std::tanh(r["P"_t](1, 2))) < 1e-15);
}

TEST_CASE("memory that is bound to an intermediate keeps it", "[face]") {
    constexpr auto f = R"(P^{ik} = A^{ij} B^{jk}
        Y^{ik} = \tanh(P^{ik}))"_eq;
    const auto a = random_tensor<double, 2>({2, 3}, 1), b = random_tensor<double, 2>({3, 4}, 2);
    tensor<double, 2> p({2, 4}), other({2, 4});
    auto step = ricci::prepare(f, "A"_t = a, "B"_t = b, "P"_t = p);
    step();
    const auto expected = einsum_by_loops("ij,jk->ik", {copy_of(a), copy_of(b)});
    CHECK(difference(copy_of(p), expected, 1e-15) == "");
    CHECK(std::abs(step["Y"_t](1, 2) - std::tanh(p(1, 2))) < 1e-15);
    step.bind("P"_t = other);
    step();
    CHECK(difference(copy_of(other), expected, 1e-15) == "");
    CHECK(!ricci::explain(f, "A"_t = a, "B"_t = b, "P"_t = p).empty());
}

TEST_CASE("results do not depend on the number of threads", "[face]") {
    const layer<float> l;
    ricci::threads(1);
    const auto forward = l.forward();
    const auto gradients = l.gradients();
    for (const int count : {2, 0, 1}) {
        ricci::threads(count);
        INFO(count << " threads");
        CHECK(same_bits(l.forward()["Y"_t], forward["Y"_t]));
        const auto g = l.gradients();
        CHECK(same_bits(g["dL/dX"_t], gradients["dL/dX"_t]));
        CHECK(same_bits(g["dL/dW_Q"_t], gradients["dL/dW_Q"_t]));
        CHECK(same_bits(g["dL/dW_K"_t], gradients["dL/dW_K"_t]));
        CHECK(same_bits(g["dL/dW_V"_t], gradients["dL/dW_V"_t]));
        CHECK(same_bits(g["dL/dW_O"_t], gradients["dL/dW_O"_t]));
    }
    ricci::threads(0);
}

TEST_CASE("two threads call the same equations at once", "[face]") {
    const layer<double> l;
    const auto expected = l.forward();
    std::vector<int> wrong(2, 0);
    std::vector<std::thread> callers;
    for (std::size_t t = 0; t < 2; ++t)
        callers.emplace_back([&, t] {
            for (int k = 0; k < 20; ++k)
                wrong[t] += !same_bits(l.forward()["Y"_t], expected["Y"_t]);
        });
    for (std::thread& c : callers) c.join();
    CHECK(wrong[0] + wrong[1] == 0);
}

TEST_CASE("words", "[face]") {
    const layer<float> l;
    CHECK(ricci::to_latex(product) == "Y^{ik} = c A^{ij} B^{jk}\n");
    CHECK(ricci::to_text(product) == "Y[i,k] = sum(j) c * A[i,j] * B[j,k]\n");
    CHECK(
        ricci::to_latex(backward).find(
            R"(\frac{\partial L}{\partial W_Q^{hba}} := X^{ib} \frac{\partial L}{\partial Q^{hia}})") !=
        std::string::npos);
    const std::string plan = ricci::explain(attention, "X"_t = l.x, "W_Q"_t = l.wq, "W_K"_t = l.wk,
                                            "W_V"_t = l.wv, "W_O"_t = l.wo, "d_k"_t = 8);
    INFO(plan);
    for (const char* part : {"contract", "Q[h,i,a]", "softmax", "FLOP", "workspace", "total"})
        CHECK(plan.find(part) != std::string::npos);
}

TEST_CASE("the worked example has the known weights and outputs", "[face]") {
    constexpr auto worked = R"(
        S^{hij}   = \frac{1}{\sqrt{d_k}} Q^{i(ha)} K^{j(ha)}
        A^{hij}   = \frac{\exp(S^{hij})}{\sum_{j'} \exp(S^{hij'})}
        Y^{i(hc)} = A^{hij} V^{j(hc)}
    )"_eq.keep("A"_t);
    double q[] = {1, 0, 1, 0, 0, 2, 0, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 1};
    double k[] = {0, 1, 0, 1, 1, 0, 1, 0, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0, .5, .5};
    double v[] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, .5, .5, .5, .5};
    const tensor_view<const double, 2> qs(q, {5, 4}), ks(k, {5, 4}), vs(v, {5, 4});
    const auto r = worked("Q"_t = qs, "K"_t = ks, "V"_t = vs, "d_k"_t = 2, "h"_i = 2);
    const auto& a = r["A"_t];
    const auto& y = r["Y"_t];
    const double cat[] = {.3664, .0891, .3664, .0891, .0891};
    const double on[] = {.1811, .1811, .0893, .3673, .1811};
    const double outputs[5][4] = {{.2491, .3763, .2289, .3663},
                                  {.4109, .1336, .2289, .3663},
                                  {.2717, .2717, .2289, .3663},
                                  {.3000, .3000, .1799, .4579},
                                  {.2491, .3763, .2289, .3663}};
    for (int j = 0; j < 5; ++j) {
        CHECK(std::abs(a(0, 1, j) - cat[j]) < 5.1e-5);
        CHECK(std::abs(a(0, 3, j) - .2) < 1e-15);
        CHECK(std::abs(a(1, 3, j) - on[j]) < 5.1e-5);
    }
    for (int i = 0; i < 5; ++i)
        for (int c = 0; c < 4; ++c) CHECK(std::abs(y(i, c) - outputs[i][c]) < 5.1e-5);
}

TEST_CASE("derivatives in the text are computed", "[face]") {
    constexpr auto f = R"(
        z^i = A^{ij} x^j
        L = \sum_i (z^i)^3
        J^{ij} = \frac{\partial z^i}{\partial x^j}
        G^i = \frac{\partial L}{\partial x^i}
        H^{ij} = \frac{\partial^2 L}{\partial x^i \partial x^j}
    )"_eq;
    const std::size_t n = 3, m = 4;
    ricci::tensor<double, 2> A({n, m});
    ricci::tensor<double, 1> x({m});
    for (std::size_t k = 0; k < A.size(); ++k) A.data()[k] = 0.3 * double(k % 5) - 0.4;
    for (std::size_t k = 0; k < m; ++k) x(k) = 0.5 + 0.25 * double(k);
    const auto r = f.keep("z"_t)("A"_t = A, "x"_t = x);
    for (std::size_t i = 0; i < m; ++i) {
        double g = 0;
        for (std::size_t k = 0; k < n; ++k) g += 3 * r["z"_t](k) * r["z"_t](k) * A(k, i);
        CHECK(std::abs(r["G"_t](i) - g) < 1e-12);
        for (std::size_t j = 0; j < m; ++j) {
            double h = 0;
            for (std::size_t k = 0; k < n; ++k) h += 6 * r["z"_t](k) * A(k, i) * A(k, j);
            CHECK(std::abs(r["H"_t](i, j) - h) < 1e-12);
        }
        for (std::size_t k = 0; k < n; ++k) CHECK(r["J"_t](k, i) == A(k, i));
    }
    CHECK(r["L"_t]() != 0);
}

TEST_CASE("a Jacobian of a softmax, and products with a Hessian", "[face]") {
    constexpr auto f = "A^{ij} = \\text{softmax}_j(2 S^{ij})"_eq;
    constexpr auto jacobian = ricci::jacobian(f, "A"_t, ricci::wrt("S"_t));
    ricci::tensor<double, 2> S({2, 3}), v({2, 3}), w({2, 3});
    for (std::size_t k = 0; k < S.size(); ++k) {
        S.data()[k] = 0.1 * double(k * k % 7);
        v.data()[k] = double(k) - 2;
        w.data()[k] = 1 + double(k % 2);
    }
    const auto a = f("S"_t = S);
    const auto j = jacobian("S"_t = S);
    const auto d = ricci::tangent(f, ricci::wrt("S"_t))("S"_t = S, "d/dt S"_t = v);
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t k = 0; k < 3; ++k) {
            double along = 0;
            for (std::size_t m = 0; m < 2; ++m)
                for (std::size_t n = 0; n < 3; ++n) {
                    const double expected =
                        i == m ? 2 * a["A"_t](i, k) * ((k == n) - a["A"_t](i, n)) : 0;
                    CHECK(std::abs(j["dA/dS"_t](i, k, m, n) - expected) < 1e-14);
                    along += expected * v(m, n);
                }
            CHECK(std::abs(d["d/dt A"_t](i, k) - along) < 1e-14);
        }
    // The Hessian of L = w . A is symmetric, whichever way it is applied.
    constexpr auto slope = ricci::gradient(f, "A"_t, ricci::wrt("S"_t));
    constexpr auto push = ricci::tangent(slope, ricci::wrt("S"_t));
    constexpr auto pull = ricci::gradient(slope, "dL/dS"_t, ricci::wrt("S"_t));
    const auto once = push("S"_t = S, "dL/dA"_t = w, "d/dt S"_t = v);
    const auto twice = pull("S"_t = S, "dL/dA"_t = w, "dL'/d(dL/dS)"_t = v);
    for (std::size_t k = 0; k < S.size(); ++k)
        CHECK(std::abs(once["d/dt dL/dS"_t].data()[k] - twice["dL'/dS"_t].data()[k]) < 1e-13);
}

TEST_CASE("a letter may have another extent in another term", "[public]") {
    using ricci::testing::random_tensor;
    const auto a = random_tensor<double, 2>({3, 4}, 1), b = random_tensor<double, 2>({3, 7}, 2);
    constexpr auto one_letter =
        R"(Y^i = \sum_k A^{ik} B^{i0} + \max_k B^{ik} - \sum_k (A^{ik})^2)"_eq;
    constexpr auto two = R"(Y^i = \sum_k A^{ik} B^{i0} + \max_l B^{il} - \sum_k (A^{ik})^2)"_eq;
    auto r = one_letter("A"_t = a, "B"_t = b);
    auto s = two("A"_t = a, "B"_t = b);
    for (std::size_t i = 0; i < 3; ++i) CHECK(r["Y"_t](i) == s["Y"_t](i));
    const std::string steps = ricci::explain(one_letter, "A"_t = a, "B"_t = b);
    CHECK(steps.find("sum over k=4") != std::string::npos);
    CHECK(steps.find("max over k=7") != std::string::npos);
}
