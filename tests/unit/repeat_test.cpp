// Layers compute what a loop over single ones does, forward and back; what is refused.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <ricci/print.hpp>
#include <ricci/program.hpp>
#include <ricci/repeat.hpp>
#include <ricci/ricci.hpp>

#include "tests/catch.hpp"

using namespace ricci;
using namespace ricci::literals;
using Catch::Matchers::Contains;

namespace {

using names = std::vector<std::string>;
using extents = std::vector<std::size_t>;

program parsed(const std::string& text) {
    auto read = parse(text);
    INFO(text);
    REQUIRE(read.has_value());
    return std::move(read).value();
}

double next(std::uint64_t& state) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 40) / static_cast<double>(1 << 24);
}

template <class T>
array filled(const extents& e, std::uint64_t& state) {
    array a(element_v<T>, e);
    for (std::size_t k = 0; k < a.size(); ++k)
        static_cast<T*>(a.data())[k] = static_cast<T>(next(state) - 0.4);
    return a;
}

/// Part number `part` of an array along its first axis, in memory of its own.
array part_of(const array& a, std::size_t part) {
    const extents of_part(a.extents().begin() + 1, a.extents().end());
    array out(a.type(), of_part);
    const std::size_t bytes = out.size() * size_of(a.type());
    std::memcpy(out.data(), static_cast<const char*>(a.data()) + part * bytes, bytes);
    return out;
}

template <class T>
void compare(const array& whole, std::size_t first, const array& part, const std::string& name) {
    INFO(name);
    REQUIRE(whole.size() >= first + part.size());
    REQUIRE((whole.is_contiguous() && part.is_contiguous()));
    const double tolerance = sizeof(T) == 4 ? 2e-5 : 1e-12;
    for (std::size_t k = 0; k < part.size(); ++k) {
        const double a = static_cast<double>(static_cast<const T*>(whole.data())[first + k]);
        const double b = static_cast<double>(static_cast<const T*>(part.data())[k]);
        if (std::abs(a - b) <= tolerance * (1 + std::abs(b))) continue;
        CAPTURE(k, a, b);
        FAIL("the layers differ from a loop over them");
    }
}

/// A text of one layer, from Y to X, with the extents of its inputs.
struct layer_case {
    std::string text;
    std::map<std::string, extents> inputs;
    names shared = {};
    names by = {};
};

template <class T>
class loop {
public:
    loop(const layer_case& c, std::size_t count) : c_(c), count_(count), layer_(parsed(c.text)) {
        std::uint64_t state = 11;
        for (const auto& [name, e] : c.inputs) {
            extents all = e;
            if (is_stacked(name)) all.insert(all.begin(), count);
            operands_.set(name, filled<T>(all, state));
        }
        seed_ = filled<T>(c.inputs.at("X"), state);
    }

    void check() {
        const program layers = repeated(false);
        arrays outputs = forward();
        const arrays results = run(layers, bound());
        CHECK(results.size() == outputs.size());
        for (const auto& [name, value] : outputs) compare<T>(results[name], 0, value, name);
        check_prepared(layers, results);
        if (c_.by.empty()) return;
        const arrays derived = backward();
        for (const bool recompute : {false, true}) {
            CAPTURE(recompute);
            const program back = value_and_gradient(repeated(recompute), "Y", c_.by);
            std::vector<named> all = bound();
            all.push_back({"dL/dY", seed_});
            const arrays got = run(back, all);
            CHECK(got.size() == derived.size() + 1);
            for (const auto& [name, value] : derived) compare<T>(got[name], 0, value, name);
            compare<T>(got["Y"], 0, outputs["Y"], "Y");
            const arrays without = run(gradient(repeated(recompute), "Y", c_.by), all);
            CHECK(without.size() == derived.size());
            for (const auto& [name, value] : derived) {
                const array& same = without[name];
                CHECK(std::memcmp(same.data(), got[name].data(),
                                  same.size() * size_of(same.type())) == 0);
            }
        }
    }

private:
    bool is_stacked(const std::string& name) const {
        return name != "X" &&
               std::find(c_.shared.begin(), c_.shared.end(), name) == c_.shared.end();
    }
    program repeated(bool recompute) const {
        return repeat(
            layer_, count_,
            {.from = "Y", .to = "X", .index = "l", .shared = c_.shared, .recompute = recompute});
    }
    std::vector<named> bound() const {
        std::vector<named> all;
        for (const auto& [name, value] : operands_) all.push_back({name, value});
        return all;
    }
    std::vector<named> of_layer(std::size_t k, const array& x) const {
        std::vector<named> all;
        for (const auto& [name, value] : operands_)
            all.push_back({name, name == "X"        ? array(x)
                                 : is_stacked(name) ? part_of(value, k)
                                                    : array(value)});
        return all;
    }
    // Every output but Y with an axis for the layers.
    arrays forward() {
        taken_.assign(1, operands_["X"]);
        arrays all;
        for (std::size_t k = 0; k < count_; ++k) {
            const arrays one = run(layer_.keep({"Y"}), of_layer(k, taken_[k]));
            for (const auto& [name, value] : one) {
                if (name == "Y") continue;
                if (k == 0) {
                    extents e(value.extents().begin(), value.extents().end());
                    e.insert(e.begin(), count_);
                    all.set(name, array(value.type(), e));
                }
                const std::size_t bytes = value.size() * size_of(value.type());
                std::memcpy(static_cast<char*>(all[name].data()) + k * bytes, value.data(), bytes);
            }
            taken_.push_back(one["Y"]);
        }
        all.set("Y", taken_.back());
        return all;
    }
    arrays backward() {
        names by = c_.by;
        const bool asked = std::find(by.begin(), by.end(), "X") != by.end();
        if (!asked) by.push_back("X");
        const program one = gradient(layer_, "Y", by);
        array dy = seed_;
        arrays all;
        for (std::size_t k = count_; k-- > 0;) {
            std::vector<named> o = of_layer(k, taken_[k]);
            o.push_back({"dL/dY", dy});
            const arrays part = run(one, o);
            for (const std::string& name : c_.by) {
                const array& value = part["dL/d" + name];
                const std::size_t bytes = value.size() * size_of(value.type());
                const std::string d = "dL/d" + name;
                if (is_stacked(name)) {
                    if (!all.contains(d)) {
                        extents e(value.extents().begin(), value.extents().end());
                        e.insert(e.begin(), count_);
                        all.set(d, array(value.type(), e));
                    }
                    std::memcpy(static_cast<char*>(all[d].data()) + k * bytes, value.data(), bytes);
                } else if (name == "X") {
                    all.set(d, value);
                } else if (!all.contains(d)) {
                    all.set(d, value.clone());
                } else {
                    for (std::size_t e = 0; e < value.size(); ++e)
                        static_cast<T*>(all[d].data())[e] += static_cast<const T*>(value.data())[e];
                }
            }
            dy = part["dL/dX"];
        }
        return all;
    }
    // Prepared, run twice, with other memory, and in rows that are no rows of the caller's.
    void check_prepared(const program& layers, const arrays& results) {
        runner step = prepare(layers, bound());
        step();
        step();
        for (const auto& [name, value] : results) compare<T>(step[name], 0, value, name);
        const array& x = operands_["X"];
        if (x.rank() != 2) return;
        array wide(x.type(), {x.extent(0), 2 * x.extent(1)});
        auto spaced = wide.as<T, 2>();
        for (std::size_t i = 0; i < x.extent(0); ++i)
            for (std::size_t j = 0; j < x.extent(1); ++j)
                spaced(i, 2 * j) = std::as_const(x).as<T, 2>()(i, j);
        const tensor_view<T, 2> sparse(spaced.data(), {x.extent(0), x.extent(1)},
                                       {static_cast<std::ptrdiff_t>(2 * x.extent(1)), 2});
        std::vector<named> all = bound();
        for (named& n : all)
            if (n.name == "X") n.value = sparse;
        compare<T>(run(layers, all)["Y"], 0, results["Y"], "Y of a view");
        array turned(x.type(), {x.extent(1), x.extent(0)});
        tensor_view<T, 2> y(static_cast<T*>(turned.data()), {x.extent(0), x.extent(1)},
                            {1, static_cast<std::ptrdiff_t>(x.extent(0))});
        all = bound();
        all.push_back({"Y", y});
        runner into = prepare(layers, all);
        into();
        compare<T>(array(y).clone(), 0, results["Y"], "Y in a view");
    }

    layer_case c_;
    std::size_t count_;
    program layer_;
    arrays operands_;
    array seed_;
    std::vector<array> taken_;
};

void check(const layer_case& c) {
    INFO(c.text);
    for (const std::size_t count : {1u, 2u, 5u}) {
        CAPTURE(count);
        loop<double>(c, count).check();
        loop<float>(c, count).check();
    }
}

constexpr const char* transformer = R"(
    \mu^{i}  = \operatorname{mean}_a X^{ia}
    s^{i}    = \operatorname{mean}_a ((X^{ia} - \mu^{i})^2)
    N^{ia}   = g^a \frac{X^{ia} - \mu^{i}}{\sqrt{s^{i} + 10^{-5}}} + c^a
    Q^{hid}  = N^{ia} W_Q^{had}
    K^{hjd}  = N^{ja} W_K^{had}
    V^{hjd}  = N^{ja} W_V^{had}
    S^{hij}  = \begin{cases} t Q^{hid} K^{hjd} & \text{if } j \le i \\
                              -\infty & \text{otherwise} \end{cases}
    A^{hij}  = \operatorname{softmax}_j(S^{hij})
    Z^{ia}   = X^{ia} + A^{hij} V^{hjd} W_O^{hda}
    H^{if}   = Z^{ia} U^{af} + u^f
    Y^{ia}   = Z^{ia} + \operatorname{gelu}(H^{if}) D^{fa}
)";

}  // namespace

TEST_CASE("layers are a loop over them", "[repeat]") {
    check({"Y^{i} = \\tanh(W^{ij} X^{j} + b^i)",
           {{"X", {6}}, {"W", {6, 6}}, {"b", {6}}},
           {},
           {"X", "W", "b"}});
    // by what the last step alone reads, and by no input of the first
    check(
        {"Y^{i} = \\tanh(W^{ij} X^{j}) + b^i", {{"X", {6}}, {"W", {6, 6}}, {"b", {6}}}, {}, {"b"}});
    // linear: nothing of the way forward is needed on the way back, but for W
    check({"Y^{ik} = X^{ij} W^{jk} + X^{ik}", {{"X", {4, 5}}, {"W", {5, 5}}}, {}, {"X", "W"}});
    check({"Y^{ik} = X^{ij} W^{jk}", {{"X", {4, 5}}, {"W", {5, 5}}}, {"W"}, {"X"}});
    check({"Y^{ik} = X^{ij} W^{jk}", {{"X", {4, 5}}, {"W", {5, 5}}}, {"W"}, {"W"}});
    check({"Y^{ik} = \\tanh(X^{ij} W^{jk} + p^m v^{mk})",
           {{"X", {4, 5}}, {"W", {5, 5}}, {"p", {3}}, {"v", {3, 5}}},
           {"p", "v"},
           {"W", "p", "v"}});
    // numbers go from layer to layer, and others have one for each
    check({"Y = \\sin(a X) + c", {{"X", {}}, {"a", {}}, {"c", {}}}, {"c"}, {"X", "a", "c"}});
    // outputs beside the one that goes on
    check({"H^{ik} = X^{ij} W^{jk}; E^{k} = \\sum_i (H^{ik})^2; Y^{ik} = \\tanh(H^{ik})",
           {{"X", {4, 5}}, {"W", {5, 5}}},
           {},
           {"X", "W"}});
    // the next layer takes what others use too
    check({"Y^{i} = W^{ij} X^{j}; n = \\sum_i (Y^i)^2", {{"X", {6}}, {"W", {6, 6}}}, {}, {"W"}});
}

TEST_CASE("layers of a transformer", "[repeat]") {
    check({transformer,
           {{"X", {9, 8}},
            {"g", {8}},
            {"c", {8}},
            {"W_Q", {2, 8, 4}},
            {"W_K", {2, 8, 4}},
            {"W_V", {2, 8, 4}},
            {"W_O", {2, 4, 8}},
            {"t", {}},
            {"U", {8, 16}},
            {"u", {16}},
            {"D", {16, 8}}},
           {"t"},
           {"X", "g", "c", "W_Q", "W_K", "W_V", "W_O", "U", "u", "D", "t"}});
}

// Random layers ------------------------------------------------------------------------------------

namespace {

/// Tensors of the same shape, each made of those before it.
layer_case random_layer(std::uint64_t& state) {
    const auto below = [&](std::size_t n) {
        return static_cast<std::size_t>(next(state) * static_cast<double>(n));
    };
    layer_case c;
    c.inputs["X"] = {5, 4};
    names made{"X"};
    const auto any = [&] { return made[below(made.size())]; };
    const auto input = [&](const extents& e) {
        const std::string name = std::string("W_") + static_cast<char>('A' + c.inputs.size());
        c.inputs[name] = e;
        if (below(4) == 0) c.shared.push_back(name);
        if (below(3) > 0) c.by.push_back(name);
        return name;
    };
    const std::size_t lines = 2 + below(4);
    for (std::size_t k = 0; k < lines; ++k) {
        const std::string t = std::string("T_") + static_cast<char>('A' + k);
        const std::string a = any(), b = any();
        std::string body;
        switch (below(7)) {
            case 0:
                body = a + "^{ib} " + input({4, 4}) + "^{ba}";
                break;
            case 1:
                body = "\\tanh(" + a + "^{ia}) + " + input({4}) + "^{a}";
                break;
            case 2:
                body = a + "^{ia} " + b + "^{ia} + " + input({}) + " " + b + "^{ia}";
                break;
            case 3:
                body = "\\operatorname{softmax}_a(" + a + "^{ia}) " + b + "^{ia}";
                break;
            case 4:
                body = a + "^{ia} - \\operatorname{mean}_{a'} " + b + "^{ia'}";
                break;
            case 5:
                body = "\\sum_j \\operatorname{softmax}_j(\\sum_b " + a + "^{ib} " + b + "^{jb}) " +
                       any() + "^{ja}";
                break;
            default:
                body = "\\sin(" + a + "^{ia}) + \\max(" + b + "^{ia}, 0.1)";
                break;
        }
        c.text += t + "^{ia} = " + body + "\n";
        made.push_back(t);
    }
    c.text += "Y^{ia} = \\frac{1}{2} X^{ia} + \\tanh(" + made.back() + "^{ia})\n";
    if (below(2) == 0) c.by.push_back("X");
    return c;
}

}  // namespace

TEST_CASE("random layers are a loop over them", "[repeat]") {
    std::uint64_t state = 2024;
    for (int k = 0; k < 60; ++k) {
        const layer_case c = random_layer(state);
        // What nothing of the result depends on has no derivative.
        names depends;
        for (const std::string& name : c.by) {
            try {
                gradient(parsed(c.text), "Y", {name});
                depends.push_back(name);
            } catch (const error&) {
            }
        }
        layer_case able = c;
        able.by = depends;
        INFO(c.text);
        loop<double>(able, 3).check();
    }
}

// In the source -------------------------------------------------------------------------------------

namespace {

constexpr auto cell = "Y^{i} = \\tanh(W^{ij} X^{j} + b^i) + c v^i; e = \\sum_i (Y^i)^2"_eq;
constexpr auto cells = repeat(cell, 3, "l"_i, from("Y"_t), to("X"_t), shared("c"_t, "v"_t));

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
        "\\frac{\\partial L}{\\partial W^{lij}} = \\frac{\\partial L}{\\partial Y^{li}} X^{lj}\n"
        "\\frac{\\partial L}{\\partial X^{lj}} = W^{lij} \\frac{\\partial L}{\\partial Y^{li}}\n");
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
          "ricci: layers are repeated once; what repeats them would be a program of its own.");
    CHECK(refused([&] { return gradient(gradient(two, "Y", {"W"}), "Y", {"W"}); }) ==
          "ricci: a derivative of layers is not differentiated again.");
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
          }) == "ricci: 'W' has one for each of 2 layers along its first axis, and 3 are bound.");
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
          "ricci: the output 'Y' of the layers is bound to memory of 'X', which they read; bind "
          "memory of its own.");
}
