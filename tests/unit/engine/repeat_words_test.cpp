// Layers in the source beside those known at run time; what they say; what is refused.
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <ricci/program.hpp>
#include <ricci/repeat.hpp>
#include <ricci/ricci.hpp>

#include "tests/catch.hpp"
#include "tests/unit/engine/repeat_support.hpp"

using namespace ricci;
using namespace ricci::literals;
using namespace ricci::testing;
using ricci::testing::Contains;

// In the source
// -------------------------------------------------------------------------------------

namespace {

constexpr auto cell = "Y^{i} = \\tanh(W^{ij} X^{j} + b^i) + c v^i; e = \\sum_i (Y^i)^2"_eq;
constexpr auto cells = repeat(cell, 3, "l"_i, from("Y"_t), to("X"_t), shared("c"_t, "v"_t));
static_assert(std::is_constructible_v<program, decltype(cell)>);
static_assert(!std::is_constructible_v<program, decltype(cells)>);

struct cell_operands {
    static tensor<double, 1> four() { return tensor<double, 1>({4}); }
    tensor<double, 1> x = four(), v = four(), dy = four();
    tensor<double, 3> w = tensor<double, 3>({3, 4, 4});
    tensor<double, 2> b = tensor<double, 2>({3, 4});
    cell_operands() {
        std::uint64_t state = 5;
        const auto fill = [&](auto& t) {
            for (std::size_t k = 0; k < t.size(); ++k) t.data()[k] = next(state) - 0.4;
        };
        fill(x), fill(v), fill(dy), fill(w), fill(b);
    }
    // Row l of what there is one of for each layer.
    auto w_of(std::size_t l) const {
        return tensor_view<const double, 2>(w.data() + 16 * l, {4, 4});
    }
    auto b_of(std::size_t l) const { return tensor_view<const double, 1>(b.data() + 4 * l, {4}); }
};

}  // namespace

TEST_CASE("layers in the source are those known at run time", "[repeat]") {
    const cell_operands o;
    const auto got = cells("X"_t = o.x, "W"_t = o.w, "b"_t = o.b, "c"_t = 0.5, "v"_t = o.v);
    tensor<double, 1> x = o.x.clone();
    for (std::size_t l = 0; l < 3; ++l) {
        auto one = cell.keep("Y"_t)("X"_t = x, "W"_t = o.w_of(l), "b"_t = o.b_of(l), "c"_t = 0.5,
                                    "v"_t = o.v);
        CHECK(got["e"_t](l) == one["e"_t]());
        x = one["Y"_t].clone();
    }
    for (std::size_t i = 0; i < 4; ++i) CHECK(got["Y"_t](i) == x(i));

    constexpr auto back = value_and_gradient(cells, "Y"_t, wrt("W"_t, "v"_t));
    static_assert(back.states(R"(Y^{i} = \tanh(W^{ij} X^{j} + b^i) + c v^i)"));
    static_assert(
        back.states(R"(\frac{\partial L}{\partial v^i} = c \frac{\partial L}{\partial Y^i})"));
    static_assert(!cells.states(R"(Y^{i} = \tanh(W^{ij} X^{j}))"));
    auto step = prepare(back, "X"_t = o.x, "W"_t = o.w, "b"_t = o.b, "c"_t = 0.5, "v"_t = o.v,
                        "dL/dY"_t = o.dy);
    step();
    const program same = value_and_gradient(
        repeat(program(cell), 3, {.from = "Y", .to = "X", .index = "l", .shared = {"c", "v"}}), "Y",
        {"W", "v"});
    const arrays known =
        run(same, {{"X", o.x}, {"W", o.w}, {"b", o.b}, {"c", 0.5}, {"v", o.v}, {"dL/dY", o.dy}});
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(step["dL/dv"_t](i) == known["dL/dv"].as<double, 1>()(i));
        CHECK(step["Y"_t](i) == x(i));
        for (std::size_t j = 0; j < 4; ++j)
            for (std::size_t l = 0; l < 3; ++l)
                CHECK(step["dL/dW"_t](l, i, j) == known["dL/dW"].as<double, 3>()(l, i, j));
    }
    const cell_operands other;
    step.bind("X"_t = other.v);
    step();
    CHECK(step["Y"_t](0) != x(0));
    CHECK_THAT(explain(cells, "X"_t = o.x, "W"_t = o.w, "b"_t = o.b, "c"_t = 0.5, "v"_t = o.v),
               Contains("3 layers, planned as one: Y of each is X of the next"));
    CHECK_THAT(step.explain(), Contains("back, from the last layer"));
}

TEST_CASE("layers in words", "[repeat]") {
    CHECK(to_latex(cells) ==
          "% 3 layers, l = 0, ..., 2: X of each is Y of the one before\n"
          "Y^{li} = \\tanh(\\sum_{j} W^{lij} X^{lj} + b^{li}) + c v^{i}\n"
          "Y^{li}\n"
          "e_{l} = \\sum_{i} (Y^{li})^{2}\n");
    const program p = parsed("Y^{i} = W^{ij} X^{j}");
    const program layers = repeat(p, 2, {.from = "Y", .to = "X", .index = "l"});
    CHECK(to_text(layers) ==
          "% 2 layers, l = 0, ..., 1: X of each is Y of the one before\n"
          "Y[l,i] = sum(j) W[l,i,j] * X[l,j]\n");
    CHECK(
        to_latex(gradient(layers, "Y", {"W"})) ==
        "% 2 layers, l = 0, ..., 1: X of each is Y of the one before\n"
        "Y^{li} = W^{lij} X^{lj}\n"
        "\\frac{\\partial L}{\\partial W^{lij}} := \\frac{\\partial L}{\\partial Y^{li}} X^{lj}\n"
        "\\frac{\\partial L}{\\partial X^{lj}} := W^{lij} \\frac{\\partial L}{\\partial Y^{li}}\n");
    CHECK(layers.states("Y^i = W^{ij} X^j"));
    CHECK(
        gradient(layers, "Y", {"W"})
            .states(
                "\\frac{\\partial L}{\\partial W^{ij}} = X^j \\frac{\\partial L}{\\partial Y^i}"));
    REQUIRE(layers.inputs().size() == 2);
    CHECK(layers.inputs()[0].name == "W");
    CHECK(layers.inputs()[0].indices == "l,i,j");
    CHECK(layers.inputs()[1].indices == "j");
    const array w = shape(element::f32, {2, 5, 5}), x = shape(element::f32, {5});
    CHECK_THAT(explain(layers, {{"W", w}, {"X", x}}), Contains("2 layers, planned as one"));
    const memory_needed needed = memory_of(layers, {{"W", w}, {"X", x}});
    CHECK(needed.outputs == 20);
    CHECK(needed.workspace >= 40);
}

TEST_CASE("tangents go through layers", "[repeat]") {
    const program p = parsed("Y^{i} = \\tanh(W^{ij} X^{j} + b^i)");
    const program layers = repeat(p, 4, {.from = "Y", .to = "X", .index = "l"});
    std::uint64_t state = 3;
    const array x = filled<double>({5}, state), w = filled<double>({4, 5, 5}, state),
                b = filled<double>({4, 5}, state), dx = filled<double>({5}, state),
                dw = filled<double>({4, 5, 5}, state);
    const arrays moved = run(tangent(layers, {"X", "W"}),
                             {{"X", x}, {"W", w}, {"b", b}, {"d/dt X", dx}, {"d/dt W", dw}});
    const auto at = [&](double t) {
        array xt = x.clone(), wt = w.clone();
        for (std::size_t k = 0; k < xt.size(); ++k)
            static_cast<double*>(xt.data())[k] += t * static_cast<const double*>(dx.data())[k];
        for (std::size_t k = 0; k < wt.size(); ++k)
            static_cast<double*>(wt.data())[k] += t * static_cast<const double*>(dw.data())[k];
        return run(layers, {{"X", xt}, {"W", wt}, {"b", b}})["Y"];
    };
    const array plus = at(1e-5), minus = at(-1e-5);
    for (std::size_t i = 0; i < 5; ++i)
        CHECK(std::abs(moved["d/dt Y"].as<double, 1>()(i) -
                       (plus.as<double, 1>()(i) - minus.as<double, 1>()(i)) / 2e-5) < 1e-8);
    CHECK_THROWS_WITH(tangent(layers, {"W"}),
                      "ricci: every layer moves what the next one takes; name X too.");
}

TEST_CASE("the tangent of linear layers goes on from one to the next", "[repeat]") {
    const program layers =
        repeat(parsed("Y^i = W^{ij} X^j"), 3, {.from = "Y", .to = "X", .index = "l"});
    std::uint64_t state = 5;
    const array x = filled<double>({4}, state), w = filled<double>({3, 4, 4}, state),
                dx = filled<double>({4}, state);
    const arrays moved = run(tangent(layers, {"X"}), {{"X", x}, {"W", w}, {"d/dt X", dx}});
    const array expected = run(layers, {{"X", dx}, {"W", w}})["Y"].clone();
    for (std::size_t i = 0; i < 4; ++i)
        CHECK(std::abs(moved["d/dt Y"].as<double, 1>()(i) - expected.as<double, 1>()(i)) < 1e-12);
}

TEST_CASE("a gradient of layers needs nothing of what it leaves out", "[repeat]") {
    const program layers = repeat(parsed("Y^{i} = \\tanh(W^{ij} X^j)\nH^{k} = \\sin(S^{k})"), 3,
                                  {.from = "Y", .to = "X", .index = "l"});
    const program g = gradient(layers, "Y", {"W"});
    std::uint64_t state = 7;
    const array x = filled<double>({4}, state), w = filled<double>({3, 4, 4}, state),
                dy = filled<double>({4}, state), s = filled<double>({3, 5}, state);
    for (const auto& in : g.inputs()) CHECK(in.name != "S");
    const arrays without = run(g, {{"X", x}, {"W", w}, {"dL/dY", dy}});
    const arrays with = run(g, {{"X", x}, {"W", w}, {"dL/dY", dy}, {"S", s}});
    for (std::size_t l = 0; l < 3; ++l)
        CHECK(without["dL/dW"].as<double, 3>()(l, 1, 2) == with["dL/dW"].as<double, 3>()(l, 1, 2));
}

TEST_CASE("what cannot be layers is refused", "[repeat]") {
    const program p = parsed("Y^{ik} = X^{ij} W^{jk}; z = \\sum_i Y^{ii}");
    const auto repeated = [&](std::size_t count, const repeat_options& o) {
        return [&p, count, o] { return repeat(p, count, o); };
    };
    const auto refused = [](auto f) {
        try {
            f();
        } catch (const error& e) {
            return std::string(e.what());
        }
        return std::string("not refused");
    };
    CHECK(refused(repeated(2, {.from = "Q", .to = "X", .index = "l"})) ==
          "ricci: the equations define no tensor Q for the next layer to take.");
    CHECK(refused(repeated(2, {.from = "Y", .to = "Q", .index = "l"})) ==
          "ricci: the equations take no tensor Q that Y of the layer before could be.");
    CHECK(refused(repeated(2, {.from = "z", .to = "X", .index = "l"})) ==
          "ricci: z has 0 indices and X has 2, so that one layer's z is not the next one's X.");
    CHECK(refused(repeated(2, {.from = "Y", .to = "X", .index = "k"})) ==
          "ricci: the equations have an index k already; write another, as b.");
    CHECK(refused(repeated(2, {.from = "Y", .to = "X", .index = "layer"})) ==
          "ricci: the layers need a letter for their index, as l; \"layer\" is none.");
    CHECK(refused(repeated(0, {.from = "Y", .to = "X", .index = "l"})) ==
          "ricci: 0 layers; at least one is needed.");
    CHECK(refused(repeated(2, {.from = "Y", .to = "X", .index = "l", .shared = {"X"}})) ==
          "ricci: X goes from layer to layer, so it is not one that they share.");
    CHECK(refused(repeated(2, {.from = "Y", .to = "X", .index = "l", .shared = {"V"}})) ==
          "ricci: the equations take no tensor V that layers could share.");
    const program two = repeat(p, 2, {.from = "Y", .to = "X", .index = "l"});
    CHECK(refused([&] { return gradient(two, "z", {"W"}); }) ==
          "ricci: the gradient of layers is that of Y, which the last one gives, not of z.");
    CHECK(refused([&] { return jacobian(two, "Y", {"W"}); }) ==
          "ricci: the Jacobian of layers is not derived; gradient and tangent are.");
    CHECK(refused([&] { return batch(two, {.of = {"X"}, .index = "b"}); }) ==
          "ricci: layers are batched before they are repeated: batch one of them.");
    CHECK(refused([&] { return repeat(two, 2, {.from = "Y", .to = "X", .index = "m"}); }) ==
          "ricci: a program of layers, or a derivative of one, is not repeated again; repeat its "
          "layer more often.");
    CHECK(refused([&] { return gradient(gradient(two, "Y", {"W"}), "Y", {"W"}); }) ==
          "ricci: a derivative of layers is not differentiated again; write the layers out, as in "
          "H^i = \\tanh(W^{0ij} X^j), Y^i = \\tanh(W^{1ij} H^j), for derivatives of any order.");
    array x(element::f64, {3, 3}), w(element::f64, {2, 3, 3}), flat(element::f64, {3, 3}),
        three(element::f64, {3, 3, 3}), wide(element::f64, {2, 3, 4});
    CHECK(refused([&] {
              return run(two, {{"X", x}, {"W", flat}});
          }) ==
          "ricci: W has a first axis l for the layers, 3 axes in all, and a tensor of rank 2 is "
          "bound to it; an input that all layers share is named in .shared.");
    const program scaled = repeat(parsed("Y^i = t X^i"), 2, {.from = "Y", .to = "X", .index = "l"});
    CHECK(refused([&] {
              return run(scaled, {{"X", array(element::f64, {3})}, {"t", 2}});
          }) ==
          "ricci: t has a first axis l for the layers, 1 axis in all, and a number is bound to it; "
          "an input that all layers share is named in .shared.");
    CHECK(refused([&] {
              return run(two, {{"X", x}, {"W", three}});
          }) == "ricci: W has one for each of 2 layers along its first axis, and 3 are bound.");
    CHECK(refused([&] {
              return run(two, {{"X", x}, {"W", wide}});
          }) ==
          "ricci: in each layer, in z = Y^{ii} : the index i has extent 3 in axis 0 of Y and 4 in "
          "axis 1 of Y");
    CHECK(refused([&] {
              return run(two, {{"X", x}, {"W", w}, {"l", extent(3)}});
          }) == "ricci: the index l of the layers is given the extent 3, and there are 2.");
    CHECK(refused([&] {
              return prepare(two, {{"X", x}, {"W", w}, {"Y", x}});
          }) ==
          "ricci: the output Y of the layers is in the memory of X, which they read; bind "
          "memory of its own.");
    // nor may what a step gave be bound to it: layers would write it before they have read it
    runner step = prepare(value_and_gradient(two, "Y", {"W"}),
                          {{"X", x}, {"W", w}, {"dL/dY", array(element::f64, {3, 3})}});
    CHECK(refused([&] { step.bind("X", step["Y"]); }) ==
          "ricci: the output Y of the layers is in the memory of X, which they read; bind "
          "memory of its own.");
}
