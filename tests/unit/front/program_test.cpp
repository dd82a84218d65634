// Programs known at run time compute, say and refuse what those in the source do.
#include <complex>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <ricci/format.hpp>
#include <ricci/print.hpp>
#include <ricci/program.hpp>
#include <ricci/ricci.hpp>

#include "tests/catch.hpp"

using namespace ricci;
using namespace ricci::literals;
using ricci::testing::Contains;

namespace {

constexpr auto attention = R"(Q^{hia} = X^{ib} W_Q^{hba}
       K^{hja} = X^{jb} W_K^{hba}
       V^{hjc} = X^{jb} W_V^{hbc}
       S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja}
       A^{hij} = \frac{\exp(S^{hij})}{\sum_{j'} \exp(S^{hij'})}
       O^{hic} = A^{hij} V^{hjc}
       Y^{id}  = O^{hic} W_O^{hcd})"_eq;

template <class T, int Rank>
tensor<T, Rank> filled(std::array<std::size_t, Rank> extents, double seed) {
    tensor<T, Rank> t(extents);
    for (std::size_t k = 0; k < t.size(); ++k) {
        seed = seed * 1103515245 + 12345;
        seed -= 2147483648.0 * static_cast<double>(static_cast<std::int64_t>(seed / 2147483648.0));
        t.data()[k] = static_cast<T>(seed / 2147483648.0 - 0.5);
    }
    return t;
}

struct operands {
    tensor<float, 2> x = filled<float, 2>({12, 16}, 1);
    tensor<float, 3> wq = filled<float, 3>({2, 16, 8}, 2), wk = filled<float, 3>({2, 16, 8}, 3),
                     wv = filled<float, 3>({2, 16, 8}, 4), wo = filled<float, 3>({2, 8, 16}, 5);
};

program parsed(const char* text) {
    auto read = parse(text);
    REQUIRE(read.has_value());
    return std::move(read).value();
}

template <class T, int Rank>
bool same(const tensor_view<const T, Rank>& a, const tensor_view<const T, Rank>& b) {
    if (a.extents() != b.extents()) return false;
    for (std::size_t k = 0; k < a.size(); ++k)
        if (a.data()[k] != b.data()[k]) return false;
    return true;
}
template <class T, int Rank>
bool same(const array& a, const tensor<T, Rank>& b) {
    return same<T, Rank>(a.as<T, Rank>(), b.view());
}

template <class F>
std::string words_of(F&& f) {
    try {
        f();
    } catch (const error& e) {
        return e.what();
    }
    return "no error";
}

}  // namespace

TEST_CASE("a program from a text computes what the one in the source does") {
    operands o;
    const auto expected = attention("X"_t = o.x, "W_Q"_t = o.wq, "W_K"_t = o.wk, "W_V"_t = o.wv,
                                    "W_O"_t = o.wo, "d_k"_t = 8);
    for (const program& p : {parsed(to_latex(attention).c_str()), program(attention)}) {
        const arrays r = run(
            p,
            {{"X", o.x}, {"W_Q", o.wq}, {"W_K", o.wk}, {"W_V", o.wv}, {"W_O", o.wo}, {"d_k", 8}});
        CHECK(r.size() == 1);
        CHECK(same(r["Y"], expected["Y"_t]));
        // what is remembered of the first call serves the second
        std::vector<named> list{{"d_k", 8.0F}, {"X", o.x.view()}, {"W_Q", array(o.wq.view())}};
        list.push_back({"W_K", o.wk.clone()});
        list.push_back({"W_V", o.wv});
        list.push_back({"W_O", std::as_const(o.wo)});
        CHECK(same(run(p, list)["Y"], expected["Y"_t]));
    }
}

TEST_CASE("a program says what it takes and gives") {
    const program p = parsed(R"(
        Y^{i j} = \exp(x_{i} \beta) M^{i, j}
        Z = Y^{i i})");
    std::string words;
    for (const tensor_info& t : p.inputs())
        words += t.name + " " + std::to_string(t.rank) + " [" + t.indices + "]; ";
    CHECK(words == "x 1 [i]; \\beta 0 []; M 2 [i,j]; ");
    const auto outputs = p.outputs();
    REQUIRE(outputs.size() == 1);
    CHECK(outputs[0].name == "Z");
    CHECK(outputs[0].rank == 0);
    CHECK(outputs[0].equation == "Z = Y^{ii}");
    std::ostringstream out;
    out << p;
    CHECK(out.str() == to_text(p));
    CHECK(fmt::format("{}", p) == to_text(p));
    REQUIRE(p.keep({"Y"}).outputs().size() == 2);
    CHECK(p.keep({"Y"}).outputs()[0].name == "Y");
    CHECK(p.outputs().size() == 1);  // p itself is as it was
}

TEST_CASE("numbers, extents of indices, lists and conditions are bound at run time too") {
    const program heads = parsed("Y^{i (h a)} = 2 X^{h i a}");
    tensor<double, 3> x = filled<double, 3>({2, 3, 4}, 7);
    const arrays merged = run(heads, {{"X", x}});
    CHECK(merged["Y"].extent(1) == 8);
    CHECK(merged["Y"].as<double, 2>()(1, 6) == 2 * x(1, 1, 2));

    const program parts = parsed("Y^{h i a} = X^{i (h a)}");
    CHECK_THAT(words_of([&] { run(parts, {{"X", merged["Y"]}}); }), Contains("h"));
    const arrays split = run(parts, {{"X", merged["Y"]}, {"h", extent(2)}});
    CHECK(split["Y"].as<double, 3>()(1, 2, 3) == 2 * x(1, 2, 3));

    const program sums = parsed("s = c \\sum_i [m^i] v^i");
    const std::vector<double> v{1, 2, 4};
    bool mask[] = {true, false, true};
    CHECK(run(sums, {{"v", v}, {"m", mask}, {"c", 10}})["s"].as<double, 0>()() == 50);
    CHECK(run(sums, {{"v", std::vector<double>{1, 2, 4}},
                     {"m", std::array<std::int32_t, 3>{0, 1, 1}},
                     {"c", 10}})["s"]
              .as<double, 0>()() == 60);
    CHECK_THAT(words_of([&] {
                   run(sums, {{"v", v}, {"m", std::vector<double>{1, 0, 1}}, {"c", 1}});
               }),
               Contains("m holds double, and is a condition"));

    const program complex = parsed("y^i = z x^i");
    std::vector<std::complex<float>> w{{1, 2}};
    CHECK(run(complex, {{"x", w}, {"z", std::complex<float>(0, 1)}})["y"]
              .as<std::complex<float>, 1>()(0) == std::complex<float>(-2, 1));
    const program numbers = parsed("y = a^2 + b");
    CHECK(run(numbers, {{"a", 3}, {"b", 0.5}})["y"].as<double, 0>()() == 9.5);
}

TEST_CASE("a prepared program reads and writes memory that is bound") {
    const program p = parsed("C^{mn} = A^{mk} B^{kn}\n t = C^{nn}").keep({"C"});
    array a(element::f64, {3, 3}), b(element::f64, {3, 3}), c(element::f64, {3, 3});
    runner step = prepare(p, {{"A", a}, {"B", b}, {"C", c}}, {.exact_distances = true});
    for (std::size_t k = 0; k < 3; ++k) a.as<double, 2>()(k, k) = 2, b.as<double, 2>()(k, k) = 3;
    step();
    CHECK(c.as<double, 2>()(1, 1) == 6);
    CHECK(step["t"].as<double, 0>()() == 18);
    CHECK(step["C"].data() == c.data());
    a.as<double, 2>()(1, 1) = 4;
    step();
    CHECK(step["t"].as<double, 0>()() == 24);
    CHECK_THAT(step.explain(), Contains("contract"));
    const array turned(tensor_view<double, 2>(static_cast<double*>(a.data()), {3, 3}, {1, 3}));
    CHECK_THAT(words_of([&] { step["D"]; }), Contains("there is no array D"));
    CHECK_THAT(words_of([&] {
                   prepare(p, {{"A", a}, {"B", b}, {"C", turned}});
               }),
               Contains("the output 'C' overlaps the input 'A'"));
    tensor<double, 2> const fixed({3, 3});
    CHECK_THAT(words_of([&] {
                   prepare(p, {{"A", a}, {"B", b}, {"C", fixed}});
               }),
               Contains("cannot be written"));
}

TEST_CASE("memory that is bound to an intermediate keeps it, and so do values beside gradients") {
    const program p = parse("P^{ik} = A^{ij} B^{jk}\nY^{ik} = 2 P^{ik}").value();
    const auto a = filled<float, 2>({2, 3}, 1), b = filled<float, 2>({3, 4}, 2);
    tensor<float, 2> kept({2, 4});
    runner step = prepare(p, {{"A", a}, {"B", b}, {"P", kept}});
    step();
    CHECK(kept(1, 2) != 0);
    CHECK(step["Y"].as<float, 2>()(1, 2) == 2 * kept(1, 2));
    CHECK(step["P"].as<float, 2>()(1, 2) == kept(1, 2));
    CHECK_THAT(explain(p, {{"A", a}, {"B", b}, {"P", kept}}), Contains("P"));
    const program both = value_and_gradient(p.keep({"P"}), "Y", {"A"});
    REQUIRE(both.outputs().size() == 3);
    CHECK(both.outputs()[0].name == "P");
    const program again = parse(to_latex(both)).value();
    CHECK(again.outputs().size() == 3);
    CHECK(again.inputs().size() == both.inputs().size());
}

TEST_CASE("the type is that of the tensors, or the one that is asked for") {
    const program p = parsed("y = a^2");
    CHECK(run(p, {{"a", 3}})["y"].type() == element::f64);
    CHECK(run(p, {{"a", 3}}, {.type = element::bf16})["y"].type() == element::bf16);
    tensor<float, 0> a;
    CHECK(run(p, {{"a", a}}, {.type = element::f32})["y"].type() == element::f32);
    CHECK_THAT(words_of([&] {
                   run(p, {{"a", a}}, {.type = element::f64});
               }),
               Contains("the tensors hold float, and double is asked for"));
    CHECK_THAT(words_of([&] { run(p, {{"a", 1}}, {.type = element::boolean}); }), Contains("bool"));
    constexpr auto square = "y = a^2"_eq;
    auto step = prepare(square, prepare_options{.exact_distances = true}, "a"_t = a);
    a() = 3;
    step();
    CHECK(step["y"_t]() == 9);
}

TEST_CASE("operands are bound anew, and planned only where they differ") {
    // a masked cache that grows by one key at each step
    const program p = parsed(R"(
        S^{j} = q^{a} K^{ja} - 10^9 [m^{j} = 0]
        A^{j} = \operatorname{softmax}_j(S^j)
        o^{c} = A^{j} V^{jc})");
    constexpr std::size_t most = 9, width = 4;
    tensor<float, 2> keys = filled<float, 2>({most, width}, 3);
    tensor<float, 2> values = filled<float, 2>({most, width}, 4);
    tensor<float, 1> q = filled<float, 1>({width}, 5);
    tensor<std::int32_t, 1> mask({most});
    for (std::size_t k = 0; k < most; ++k) mask(k) = k % 3 != 1;
    const auto first = [](auto& t, std::size_t n) {
        return tensor_view<float, 2>(t.data(), {n, width}, {width, 1});
    };
    const auto masked = [&](std::size_t n) {
        return tensor_view<std::int32_t, 1>(mask.data(), {n});
    };
    runner step =
        prepare(p, {{"q", q}, {"K", first(keys, 1)}, {"V", first(values, 1)}, {"m", masked(1)}});
    for (std::size_t n = 1; n <= most; ++n) {
        if (n > 1) step.bind({{"K", first(keys, n)}, {"V", first(values, n)}, {"m", masked(n)}});
        step();
        const arrays anew =
            run(p, {{"q", q}, {"K", first(keys, n)}, {"V", first(values, n)}, {"m", masked(n)}});
        const array grown = step["o"];
        CHECK(same<float, 1>(grown.as<float, 1>(), anew["o"].as<float, 1>()));
    }
    // one of them alone has other extents: refused, and all is as before
    const float before = step["o"].as<float, 1>()(0);
    CHECK_THAT(words_of([&] { step.bind("K", first(keys, 2)); }), Contains("index j"));
    step();
    CHECK(step["o"].as<float, 1>()(0) == before);
    CHECK_THAT(words_of([&] { step.bind("K", 3); }), Contains("K has 2 indices"));
    CHECK_THAT(words_of([&] { step.bind("keys", q); }), Contains("no tensor keys"));
    CHECK_THAT(
        words_of([&] { step.bind("q", std::vector<double>(width)); }),
        Contains("q holds double, and this program is prepared for tensors that hold float"));
}

TEST_CASE("memory that is gone is noticed, and that of arrays lives") {
    const program p = parsed("y^i = 2 x^i");
    array a(element::f32, {2});
    runner step = prepare(p, {{"x", a}});
    step();
    a.as<float, 1>()(1) = 4;
    step();
    CHECK(step["y"].as<float, 1>()(1) == 8);
    const array kept = a;
    a = array(element::f32, {2});
    CHECK_THAT(words_of([&] { step(); }), Contains("was given other memory"));
    step.bind("x", a);
    step();
    CHECK(step["y"].as<float, 1>()(1) == 0);
    step.bind("x", kept);
    step();
    CHECK(step["y"].as<float, 1>()(1) == 8);
    {
        array gone(element::f32, {2});
        gone.as<float, 1>()(0) = 3;
        step.bind("x", gone);
    }
    step();  // the program keeps it
    CHECK(step["y"].as<float, 1>()(0) == 6);
    step.bind("x", std::vector<float>{1, 5});
    step();
    CHECK(step["y"].as<float, 1>()(1) == 10);
    {
        tensor<float, 1> local({2});
        step.bind("x", local);
        step();
    }
    CHECK_THAT(words_of([&] { step(); }), Contains("was destroyed"));
    runner moved = std::move(step);
    moved.bind("x", kept);
    moved();
    CHECK(moved["y"].as<float, 1>()(1) == 8);
}

TEST_CASE("a program outlives its name, and copies share it") {
    runner step = [] {
        const program p = parsed("y^i = 2 x^i");
        return prepare(program(p), {{"x", std::vector<float>{1, 2}}});
    }();
    step();
    CHECK(step["y"].as<float, 1>()(1) == 4);
    // plans that are remembered for programs which are gone
    for (int k = 0; k < 40; ++k) {
        const program p = parsed(k % 2 == 0 ? "y^i = 2 x^i" : "y^i = 3 x^i");
        CHECK(run(p, {{"x", std::vector<float>{1, 2}}})["y"].as<float, 1>()(1) ==
              (k % 2 == 0 ? 4 : 6));
    }
}

TEST_CASE("plans are explained from shapes, without the memory of either") {
    const program p(attention);
    const std::size_t n = std::size_t{1} << 24;
    const auto weights = [](std::size_t a, std::size_t b) {
        return shape(element::f32, {std::size_t{64}, a, b});
    };
    const std::vector<named> list{{"X", shape(element::f32, {n, 4096})},
                                  {"W_Q", weights(4096, 64)},
                                  {"W_K", weights(4096, 64)},
                                  {"W_V", weights(4096, 64)},
                                  {"W_O", weights(64, 4096)},
                                  {"d_k", 64}};
    CHECK_THAT(explain(p, list), Contains("not stored: S[h,i,j], A[h,i,j]"));
    const memory_needed needed = memory_of(p, list);
    CHECK(needed.outputs == n * 4096 * 4);
    CHECK(needed.workspace >= 3 * n * 4096 * 4);
    CHECK_THAT(words_of([&] { run(p, list); }), Contains("a shape without elements is bound to X"));
    CHECK_THAT(words_of([&] { prepare(p, list); }), Contains("a shape without elements"));
    // in the source views of stride 0 do
    float one = 0;
    const tensor_view<float, 2> x(&one, {n, 4096}, {0, 0});
    const tensor_view<float, 3> w(&one, {64, 4096, 64}, {0, 0, 0}),
        wo(&one, {64, 64, 4096}, {0, 0, 0});
    CHECK_THAT(explain(attention, "X"_t = x, "W_Q"_t = w, "W_K"_t = w, "W_V"_t = w, "W_O"_t = wo,
                       "d_k"_t = 64),
               Contains("not stored: S[h,i,j], A[h,i,j]"));
}

TEST_CASE("derivatives are those of the compiler") {
    const program p(attention);
    constexpr auto backward = ricci::gradient(attention, "Y"_t, ricci::wrt("X"_t, "W_Q"_t));
    CHECK(to_latex(gradient(p, "Y", {"X", "W_Q"})) == to_latex(backward));
    constexpr auto both = ricci::value_and_gradient(attention, "Y"_t, ricci::wrt("X"_t));
    CHECK(to_latex(value_and_gradient(p, "Y", {"X"})) == to_latex(both));
    constexpr auto forward = ricci::tangent(attention, ricci::wrt("X"_t));
    CHECK(to_latex(tangent(p, {"X"})) == to_latex(forward));
    constexpr auto square = "y^i = A^{ij} x^j x^j"_eq;
    constexpr auto matrix = ricci::jacobian(square, "y"_t, ricci::wrt("x"_t));
    CHECK(to_latex(jacobian(program(square), "y", {"x"})) == to_latex(matrix));

    operands o;
    tensor<float, 2> dy = filled<float, 2>({12, 16}, 9);
    const auto expected = backward("X"_t = o.x, "W_Q"_t = o.wq, "W_K"_t = o.wk, "W_V"_t = o.wv,
                                   "W_O"_t = o.wo, "d_k"_t = 8, "dL/dY"_t = dy);
    const arrays r = run(gradient(p, "Y", {"X", "W_Q"}), {{"X", o.x},
                                                          {"W_Q", o.wq},
                                                          {"W_K", o.wk},
                                                          {"W_V", o.wv},
                                                          {"W_O", o.wo},
                                                          {"d_k", 8},
                                                          {"dL/dY", dy}});
    CHECK(same(r["dL/dX"], expected["dL/dX"_t]));
    CHECK(same(r["dL/dW_Q"], expected["dL/dW_Q"_t]));
    CHECK_THAT(words_of([&] { gradient(p, "Z", {"X"}); }), Contains("Z"));
    CHECK_THAT(words_of([&] { gradient(p, "Y", {"W_P"}); }), Contains("W_P"));
}

TEST_CASE("einsum strings of run time") {
    tensor<double, 2> a = filled<double, 2>({3, 4}, 1), b = filled<double, 2>({4, 5}, 2);
    CHECK(same(einsum("ij,jk->ik", {a, b}), ricci::einsum<"ij,jk->ik">(a, b)));
    CHECK(same(einsum("ij->ji", {a}), ricci::einsum<"ij->ji">(a)));
    const std::vector<array> both{a.view(), b.view()};
    CHECK(same(einsum("ij,jk->ik", both), ricci::einsum<"ij,jk->ik">(a, b)));
    CHECK(einsum("...j,j->...", {a, std::vector<double>{1, 0, 0, 0}}).as<double, 1>()(2) ==
          a(2, 0));
    CHECK_THAT(words_of([&] {
                   einsum("ij,jk->ik", {a, a});
               }),
               Contains("the index j has extent 4 in axis 1 of operand 1 and 3"));
    CHECK_THAT(words_of([&] { einsum("ij,jk", {a}); }), Contains("2 operands, and 1 is given"));
}

TEST_CASE("a call is refused with the words of the compiler") {
    const program p(attention);
    operands o;
    const auto with = [&](const char* name, bindable value) {
        return words_of([&] {
            run(p, {{"W_Q", o.wq},
                    {"W_K", o.wk},
                    {"W_V", o.wv},
                    {"W_O", o.wo},
                    {"d_k", 8},
                    {name, value}});
        });
    };
    CHECK_THAT(with("X", o.wq),
               Contains("X has 2 indices in the equations, and a tensor of rank 3"));
    CHECK_THAT(with("X", filled<double, 2>({12, 16}, 1)),
               Contains("X holds double and W_Q holds float"));
    CHECK_THAT(with("Y", o.x), Contains("Y is computed by the equations"));
    CHECK_THAT(with("x", o.x), Contains("the equations have no tensor x; did you mean X?"));
    CHECK_THAT(with("W_Q", o.wq), Contains("W_Q is bound twice"));
    CHECK_THAT(with("h", extent(2)), Contains("the tensor X is not bound"));
    CHECK_THAT(with("z", extent(2)), Contains("the equations have no index z"));
    CHECK_THAT(with("X", filled<float, 2>({12, 17}, 1)), Contains("index b"));
    CHECK_THAT(with("X", std::vector<std::vector<float>>{}), Contains("container of containers"));
    CHECK_THAT(with("X", "text"), Contains("X"));
    CHECK_THAT(words_of([&] { p.keep({"Z"}); }), Contains("define no tensor Z"));
}

TEST_CASE("the extents of all tensors follow from those of the operands") {
    const program p(attention);
    const auto weights = [](std::size_t a, std::size_t b) {
        return shape(element::f32, {std::size_t{8}, a, b});
    };
    std::string words;
    for (const sized_tensor& t : tensors_of(p, {{"X", shape(element::f32, {100, 512})},
                                                {"W_Q", weights(512, 64)},
                                                {"W_K", weights(512, 64)},
                                                {"W_V", weights(512, 64)},
                                                {"W_O", weights(64, 512)},
                                                {"d_k", 64}})) {
        words += t.role == sized_tensor::part::input          ? "< "
                 : t.role == sized_tensor::part::intermediate ? ""
                                                              : "> ";
        words += t.tensor.name + "[" + t.tensor.indices + "]";
        for (const std::size_t e : t.extents.extents()) words += " " + std::to_string(e);
        words += "; ";
    }
    CHECK(
        words ==
        "< X[i,b] 100 512; < W_Q[h,b,a] 8 512 64; < W_K[h,b,a] 8 512 64; < W_V[h,b,c] 8 512 64; "
        "< d_k[]; < W_O[h,c,d] 8 64 512; Q[h,i,a] 8 100 64; K[h,j,a] 8 100 64; V[h,j,c] 8 100 64; "
        "S[h,i,j] 8 100 100; A[h,i,j] 8 100 100; O[h,i,c] 8 100 64; > Y[i,d] 100 512; ");
    CHECK_THAT(words_of([&] {
                   tensors_of(p, {{"X", shape(element::f32, {100})}});
               }),
               Contains("X has 2 indices"));
}
