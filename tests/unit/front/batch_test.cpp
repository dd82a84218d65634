// Batched programs compute what a loop over the batch does, forward and backward.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <ricci/batch.hpp>
#include <ricci/print.hpp>
#include <ricci/program.hpp>
#include <ricci/ricci.hpp>

#include "tests/catch.hpp"
#include "tests/unit/parts_of_arrays.hpp"

using namespace ricci;
using namespace ricci::literals;
using ricci::testing::compare_part;
using ricci::testing::Contains;
using ricci::testing::part_of;

namespace {

constexpr std::size_t count = 3;  // of the batch

program parsed(const char* text) {
    auto read = parse(text);
    INFO(text);
    REQUIRE(read.has_value());
    return std::move(read).value();
}

double next(std::uint64_t& state) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 40) / static_cast<double>(1 << 24);
}

/// What an operand holds: values of the tests' element type, places below a bound, or truth.
struct operand_shape {
    std::vector<std::size_t> extents;
    std::int32_t places = 0;  // one more than the greatest; 0: values
    bool truth = false;
};
using shapes = std::map<std::string, operand_shape>;

template <class T>
array filled(const operand_shape& s, const std::vector<std::size_t>& extents,
             std::uint64_t& state) {
    if (s.truth) {
        array a(element::boolean, extents);
        for (std::size_t k = 0; k < a.size(); ++k)
            static_cast<bool*>(a.data())[k] = next(state) < 0.6;
        return a;
    }
    if (s.places > 0) {
        array a(element::i32, extents);
        for (std::size_t k = 0; k < a.size(); ++k)
            static_cast<std::int32_t*>(a.data())[k] =
                static_cast<std::int32_t>(next(state) * s.places);
        return a;
    }
    array a(element_v<T>, extents);
    for (std::size_t k = 0; k < a.size(); ++k)
        static_cast<T*>(a.data())[k] = static_cast<T>(next(state) + 0.1);
    return a;
}

/// Runs `p` on every part of the batched operands, and its batch on all of them.
template <class T>
void check(const char* text, const shapes& of_all, const std::vector<std::string>& batched,
           const std::vector<std::string>& by = {}) {
    INFO(text);
    const program p = parsed(text);
    const program many = batch(p, {.of = batched, .index = "b"});
    const auto is_batched = [&](const std::string& name) {
        return std::find(batched.begin(), batched.end(), name) != batched.end();
    };
    std::uint64_t state = 7;
    std::vector<named> all;
    std::vector<std::vector<named>> parts(count);
    for (const auto& [name, shape] : of_all) {
        std::vector<std::size_t> extents = shape.extents;
        if (is_batched(name)) extents.insert(extents.begin(), count);
        const array a = filled<T>(shape, extents, state);
        all.push_back({name, a});
        for (std::size_t k = 0; k < count; ++k)
            parts[k].push_back({name, is_batched(name) ? array(part_of(a, k)) : array(a)});
    }
    const arrays results = run(many, all);
    for (std::size_t k = 0; k < count; ++k)
        for (const auto& [name, value] : run(p, parts[k])) {
            const array& whole = results[name];
            const bool stacked = whole.rank() > value.rank();
            if (stacked) CHECK(whole.extent(0) == count);
            compare_part<T>(whole, stacked ? k * value.size() : 0, value, name);
        }

    if (by.empty()) return;
    const std::string of = p.outputs().front().name;
    const program one_gradient = gradient(p, of, by), all_gradients = gradient(many, of, by);
    const std::string seed = canonical_name("dL/d" + of);
    all.push_back(
        {seed, filled<T>({}, {results[of].extents().begin(), results[of].extents().end()}, state)});
    const arrays derived = run(all_gradients, all);
    arrays sums;
    for (std::size_t k = 0; k < count; ++k) {
        parts[k].push_back({seed, part_of(all.back().value.value(), k)});
        for (const auto& [name, value] : run(one_gradient, parts[k])) {
            if (is_batched(name.substr(4))) {  // behind dL/d
                compare_part<T>(derived[name], k * value.size(), value, name);
            } else if (!sums.contains(name)) {
                sums.set(name, value.clone());
            } else {
                for (std::size_t e = 0; e < value.size(); ++e)
                    static_cast<T*>(sums[name].data())[e] += static_cast<const T*>(value.data())[e];
            }
        }
    }
    for (const auto& [name, sum] : sums) {
        CHECK(derived[name].size() == sum.size());
        compare_part<T>(derived[name], 0, sum, name);
    }
}
template <class... Arguments>
void check_all(const Arguments&... arguments) {
    check<float>(arguments...);
    check<double>(arguments...);
}

operand_shape values(std::vector<std::size_t> extents) { return {std::move(extents)}; }
operand_shape places(std::vector<std::size_t> extents, std::int32_t below) {
    return {std::move(extents), below};
}
operand_shape truth(std::vector<std::size_t> extents) { return {std::move(extents), 0, true}; }

constexpr const char* attention_text = R"(Q^{hia} = X^{ic} W_Q^{hca}
       K^{hja} = X^{jc} W_K^{hca}
       V^{hjc} = X^{jd} W_V^{hdc}
       S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja} - \infty \cdot [m^{ij}]
       A^{hij} = \frac{\exp(S^{hij})}{\sum_{j'} \exp(S^{hij'})}
       O^{hic} = A^{hij} V^{hjc}
       Y^{id}  = O^{hic} W_O^{hcd})";

const shapes of_attention = {
    {"X", values({9, 10})},      {"W_Q", values({2, 10, 4})}, {"W_K", values({2, 10, 4})},
    {"W_V", values({2, 10, 5})}, {"W_O", values({2, 5, 10})}, {"d_k", values({})},
    {"m", truth({9, 9})},
};

}  // namespace

TEST_CASE("a batch is its parts, attention", "[batch]") {
    const std::vector<std::string> by = {"X", "W_Q", "W_K", "W_V", "W_O"};
    check_all(attention_text, of_attention, std::vector<std::string>{"X", "m"}, by);
    check_all(attention_text, of_attention, std::vector<std::string>{"X"}, by);
    check_all(attention_text, of_attention, std::vector<std::string>{"m"}, by);
}

TEST_CASE("a batch is its parts, sums and functions", "[batch]") {
    using names = std::vector<std::string>;
    const shapes xw = {{"X", values({4, 5})}, {"W", values({5, 3})}};
    check_all("Y^{ik} = X^{ij} W^{jk}", xw, names{"X"}, names{"X", "W"});
    check_all("Y^{ik} = X^{ij} W^{jk}", xw, names{"W"}, names{"X", "W"});
    check_all("Y^{ik} = X^{ij} W^{jk}", xw, names{"X", "W"}, names{"X", "W"});
    // a scalar loss, for each
    check_all("l = \\sum_{ik} (X^{ij} W^{jk})^2", xw, names{"X"}, names{"X", "W"});
    check_all("L = \\sum_{ik} (X^{ij} W^{jk})^2", xw, names{"X"});
    check_all(
        "Y^{ia} = g^a \\frac{X^{ia} - \\mu^i}{\\sqrt{v^i + \\epsilon}}; \\mu^i = "
        "\\operatorname{mean}_a(X^{ia}); v^i = \\operatorname{mean}_a((X^{ia} - \\mu^i)^2)",
        shapes{{"X", values({4, 6})}, {"g", values({6})}, {"\\epsilon", values({})}}, names{"X"},
        names{"X", "g"});
    check_all("Y^i = \\max_j(X^{ij}) + \\operatorname{logsumexp}_j(X^{ij}) + \\prod_j X^{ij}",
              shapes{{"X", values({4, 5})}}, names{"X"}, names{"X"});
    check_all("Y^i = \\sum_{j \\le i} X^j w^j", shapes{{"X", values({6})}, {"w", values({6})}},
              names{"X"}, names{"X", "w"});
    check_all("B^{ij} = U^{ik} U^{jk}; Y^i = B^{ij} X^j",
              shapes{{"U", values({4, 3})}, {"X", values({4})}}, names{"X"}, names{"X", "U"});
}

TEST_CASE("a batch is its parts, places and cases", "[batch]") {
    using names = std::vector<std::string>;
    const shapes table = {{"E", values({7, 4})}, {"t", places({5}, 7)}};
    check_all("Y^{ia} = E^{t_i a}", table, names{"t"}, names{"E"});
    check_all("Y^{ia} = E^{t_i a}", table, names{"E"}, names{"E"});
    check_all("Y^{ia} = E^{t_i a}", table, names{"E", "t"}, names{"E"});
    check_all(
        "P^{ia} = \\operatorname{softmax}_a(Z^{ia}); "
        "l = -\\operatorname{mean}_i(\\log(P^{i y_i}))",
        shapes{{"Z", values({5, 4})}, {"y", places({5}, 4)}}, names{"Z", "y"}, names{"Z"});
    check_all("Y^i = X^{i+k} w^k", shapes{{"X", values({9})}, {"w", values({3})}}, names{"X"},
              names{"X", "w"});
    check_all("S^{ij} = Q^{ia} R^{(i-j)a}", shapes{{"Q", values({4, 3})}, {"R", values({7, 3})}},
              names{"Q"}, names{"Q", "R"});
    check_all("Q^{hia} = P^{i(ha)}; Y^{i(hc)} = Q^{hia} W^{hac}",
              shapes{{"P", values({5, 6})}, {"W", values({2, 3, 3})}}, names{"P"}, names{"P", "W"});
    check_all("Y^{ij} = [m^{ij}] X^{ij} + [j \\le i] Z^{ij}",
              shapes{{"X", values({4, 4})}, {"Z", values({4, 4})}, {"m", truth({4, 4})}},
              names{"m"}, names{"X", "Z"});
    check_all(
        "Y^i = \\begin{cases} X^i & \\text{if } X^i < c \\\\ c & \\text{otherwise} \\end{cases}",
        shapes{{"X", values({8})}, {"c", values({})}}, names{"X"}, names{"X", "c"});
    check_all("P^{p,2a} = \\sin(p w^a); P^{p,2a+1} = \\cos(p w^a); Y^{pc} = X^{pc} P^{pc}",
              shapes{{"X", values({4, 6})}, {"w", values({3})}}, names{"X"}, names{"X", "w"});
}

TEST_CASE("a gradient that is batched gives one for each", "[batch]") {
    const program p = parsed("Y^{ik} = \\tanh(X^{ij} W^{jk})");
    const program g = gradient(p, "Y", {"X", "W"});
    const program many = batch(g, {.of = {"X", "dL/dY"}, .index = "b"});
    std::uint64_t state = 3;
    const array x = filled<double>({}, {count, 4, 5}, state), w = filled<double>({}, {5, 3}, state),
                seed = filled<double>({}, {count, 4, 3}, state);
    const arrays all = run(many, {{"X", x}, {"W", w}, {"dL/dY", seed}});
    CHECK(all["dL/dW"].rank() == 3);
    for (std::size_t k = 0; k < count; ++k)
        for (const auto& [name, value] :
             run(g, {{"X", part_of(x, k)}, {"W", w}, {"dL/dY", part_of(seed, k)}}))
            compare_part<double>(all[name], k * value.size(), value, name);
}

TEST_CASE("a gradient of each by what all share has all of its elements", "[batch]") {
    struct {
        const char *text, *by;
        std::vector<std::size_t> shared, given;
        std::vector<std::string> of;
    } const cases[] = {
        {"y^t = v^{t+1} - v^t", "v", {7}, {6}, {"dL/dy"}},
        {"y^t = v^{3t}", "v", {9}, {3}, {"dL/dy"}},
        {"y^t = X^{2t+k} v^k", "v", {3}, {2}, {"dL/dy", "X"}},
        {"y^{ik} = X^{i+j} w^{jk} (v^{i+2})^2", "v", {8}, {4, 2}, {"dL/dy", "X"}},
        {"d^t = v^{t+1} - v^t; y^t = \\sum_{s \\ge t} d^s", "v", {7}, {6}, {"dL/dy"}},
        {"y^{ia} = E^{n_{ia} a}", "E", {5, 2}, {3, 2}, {"dL/dy", "n"}},
        {"y^{ia} = E^{n_{ia} a}", "E", {5, 2}, {3, 2}, {"dL/dy"}},
    };
    for (const auto& c : cases) {
        INFO(c.text);
        const program g = gradient(parsed(c.text), "y", {c.by});
        const program many = batch(g, {.of = c.of, .index = "b"});
        const shapes of_all = {{c.by, values(c.shared)},
                               {"dL/dy", values(c.given)},
                               {"X", values({6})},
                               {"w", values({3, 2})},
                               {"n", places({3, 2}, 4)}};
        std::uint64_t state = 3;
        std::vector<named> all;
        std::vector<std::vector<named>> parts(count);
        std::set<std::string> names = {c.by};  // for its shape, where no value of it is read
        for (const tensor_info& t : g.inputs()) names.insert(t.name);
        for (const std::string& name : names) {
            const bool batched = std::find(c.of.begin(), c.of.end(), name) != c.of.end();
            std::vector<std::size_t> extents = of_all.at(name).extents;
            if (batched) extents.insert(extents.begin(), count);
            const array a = filled<double>(of_all.at(name), extents, state);
            all.push_back({name, a});
            for (std::size_t k = 0; k < count; ++k)
                parts[k].push_back({name, batched ? array(part_of(a, k)) : array(a)});
        }
        const std::string name = canonical_name(std::string("dL/d") + c.by);
        const arrays slopes = run(many, all);
        for (std::size_t k = 0; k < count; ++k) {
            const array one = run(g, parts[k])[name];
            REQUIRE(std::equal(one.extents().begin(), one.extents().end(), c.shared.begin(),
                               c.shared.end()));
            REQUIRE(slopes[name].size() == count * one.size());
            compare_part<double>(slopes[name], k * one.size(), one, name);
        }
    }
}

TEST_CASE("products with Hessians of each by what all share", "[batch]") {
    const program g = gradient(parsed("y^t = (v^{3t})^2 w^t"), "y", {"v"});
    const batch_options each = {.of = {"w", "dL/dy"}, .index = "b"};
    const program one = tangent(g, {"v"}), first = batch(one, each),
                  last = tangent(batch(g, each), {"v"});
    std::uint64_t state = 3;
    const array v = filled<double>({}, {12}, state), along = filled<double>({}, {12}, state),
                w = filled<double>({}, {count, 4}, state),
                s = filled<double>({}, {count, 4}, state);
    for (const program& p : {first, last}) {
        const array all =
            run(p, {{"v", v}, {"d/dt v", along}, {"w", w}, {"dL/dy", s}})["d/dt dL/dv"];
        REQUIRE(all.size() == count * 12);
        for (std::size_t k = 0; k < count; ++k)
            compare_part<double>(all, k * 12,
                                 run(one, {{"v", v},
                                           {"d/dt v", along},
                                           {"w", part_of(w, k)},
                                           {"dL/dy", part_of(s, k)}})["d/dt dL/dv"],
                                 "d/dt dL/dv");
    }
}

TEST_CASE("batches in the source and at run time are the same", "[batch]") {
    constexpr auto attention = R"(S^{hij} = Q^{hia} K^{hja}
        A^{hij} = \operatorname{softmax}_j(S^{hij})
        Y^{hic} = A^{hij} V^{hjc})"_eq;
    constexpr auto many = ricci::batch(attention, "b"_i, ricci::of("Q"_t, "K"_t, "V"_t));
    const program same = batch(program(attention), {.of = {"Q", "K", "V"}, .index = "b"});
    CHECK(to_latex(same) == to_latex(many.program()));
    tensor<float, 4> q({2, 3, 4, 5}), k({2, 3, 4, 5}), v({2, 3, 4, 2});
    std::uint64_t state = 1;
    for (auto* t : {&q, &k, &v})
        for (std::size_t e = 0; e < t->size(); ++e) t->data()[e] = static_cast<float>(next(state));
    const auto here = many("Q"_t = q, "K"_t = k, "V"_t = v);
    const arrays there = run(same, {{"Q", q}, {"K", k}, {"V", v}});
    const auto y = here["Y"_t].view();
    CHECK(there["Y"].size() == y.size());
    for (std::size_t e = 0; e < y.size(); ++e)
        CHECK(static_cast<const float*>(there["Y"].data())[e] == y.data()[e]);
    // the plan is that of the text with the index
    const program by_hand = parsed(
        "S^{bhij} = Q^{bhia} K^{bhja}; A^{bhij} = \\operatorname{softmax}_j(S^{bhij}); "
        "Y^{bhic} = A^{bhij} V^{bhjc}");
    CHECK(to_latex(same) == to_latex(by_hand));
    CHECK(explain(same, {{"Q", q}, {"K", k}, {"V", v}}) ==
          explain(by_hand, {{"Q", q}, {"K", k}, {"V", v}}));
}

TEST_CASE("a batch is planned as the text with the index is", "[batch]") {
    const program made = batch(parsed(attention_text), {.of = {"X", "m"}, .index = "b"});
    const program by_hand = parsed(R"(Q^{bhia} = X^{bic} W_Q^{hca}
       K^{bhja} = X^{bjc} W_K^{hca}
       V^{bhjc} = X^{bjd} W_V^{hdc}
       S^{bhij} = \frac{1}{\sqrt{d_k}} Q^{bhia} K^{bhja} - \infty \cdot [m^{bij}]
       A^{bhij} = \frac{\exp(S^{bhij})}{\sum_{j'} \exp(S^{bhij'})}
       O^{bhic} = A^{bhij} V^{bhjc}
       Y^{bid}  = O^{bhic} W_O^{hcd})");
    std::vector<named> all;
    std::uint64_t state = 5;
    for (const auto& [name, shape] : of_attention) {
        std::vector<std::size_t> extents = shape.extents;
        if (name == "X" || name == "m") extents.insert(extents.begin(), count);
        all.push_back({name, filled<float>(shape, extents, state)});
    }
    CHECK(explain(made, all) == explain(by_hand, all));
}

TEST_CASE("what cannot be batched is said", "[batch]") {
    const program p = parsed("Y^{ik} = X^{ij} W_Q^{jk}");
    CHECK_THROWS_WITH(batch(parsed("Q^{hia} = X^{ib} W_Q^{hba}"), {.of = {"X"}, .index = "b"}),
                      Contains("the equations have an index b already; write another, as n"));
    CHECK_THROWS_WITH(batch(p, {.of = {"X"}, .index = "j"}),
                      Contains("the equations have an index j already; write another, as b"));
    CHECK_THROWS_WITH(batch(p, {.of = {"W_K"}, .index = "b"}),
                      Contains("the equations take no tensor W_K; did you mean W_Q?"));
    CHECK_THROWS_WITH(batch(p, {.of = {"X"}, .index = "batch"}), Contains("batch is none"));
    CHECK_THROWS_WITH(batch(p, {.of = {}, .index = "b"}), Contains("no input is named"));
    CHECK_THROWS_WITH(batch(jacobian(p, "Y", {"X"}), {.of = {"X", "W_Q"}, .index = "b"}),
                      Contains("batch the equations before they are differentiated"));
}
