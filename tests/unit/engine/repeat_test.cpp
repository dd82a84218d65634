// Layers compute what a loop over single ones does, forward and back.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <ricci/program.hpp>

#include "tests/catch.hpp"
#include "tests/unit/engine/repeat_support.hpp"
#include "tests/unit/parts_of_arrays.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

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
        for (const auto& [name, value] : outputs) compare_part<T>(results[name], 0, value, name);
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
            for (const auto& [name, value] : derived) compare_part<T>(got[name], 0, value, name);
            compare_part<T>(got["Y"], 0, outputs["Y"], "Y");
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
        for (const auto& [name, value] : results) compare_part<T>(step[name], 0, value, name);
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
        compare_part<T>(run(layers, all)["Y"], 0, results["Y"], "Y of a view");
        array turned(x.type(), {x.extent(1), x.extent(0)});
        tensor_view<T, 2> y(static_cast<T*>(turned.data()), {x.extent(0), x.extent(1)},
                            {1, static_cast<std::ptrdiff_t>(x.extent(0))});
        all = bound();
        all.push_back({"Y", y});
        runner into = prepare(layers, all);
        into();
        compare_part<T>(array(y).clone(), 0, results["Y"], "Y in a view");
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

TEST_CASE("what is kept of layers stands beside their gradient", "[repeat]") {
    // stored for the way back, which reads it or not, and made again there
    for (const char* const text :
         {"M^i = \\sin(X^i); Y^i = M^i g^i", "M = \\sum_i X^i; Y^i = (X^i - M^2) g^i",
          "M^i = 2 g^i; Y^i = X^i + \\sin(M^i)",
          "M^{ij} = \\operatorname{softmax}_j(X^i X^j); Y^i = M^{ij} g^j"}) {
        std::uint64_t state = 5;
        const array x = filled<double>({4}, state), g = filled<double>({3, 4}, state),
                    seed = filled<double>({4}, state);
        const std::vector<named> operands{{"X", x}, {"g", g}},
            derived{{"X", x}, {"g", g}, {"dL/dY", seed}};
        for (const bool recompute : {false, true}) {
            INFO(text << (recompute ? ", made again" : ""));
            const auto layers = [&](const program& layer) {
                return repeat(layer, 3,
                              {.from = "Y", .to = "X", .index = "l", .recompute = recompute});
            };
            const program kept = layers(parsed(text).keep({"M"}));
            const arrays values = run(kept, operands);
            const arrays got = run(value_and_gradient(kept, "Y", {"X", "g"}), derived);
            const arrays slopes =
                run(value_and_gradient(layers(parsed(text)), "Y", {"X", "g"}), derived);
            for (const char* const name : {"M", "Y"})
                compare_part<double>(got[name], 0, values[name], name);
            for (const char* const name : {"dL/dX", "dL/dg"})
                compare_part<double>(got[name], 0, slopes[name], name);
        }
    }
}

// Random layers
// ------------------------------------------------------------------------------------

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
