// Layers with an index shared out, forward and back: the same as on one rank.
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "tests/mpi/grids.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

// A layer of a transformer, of which each gives what the next one takes.
const char* const transformer = R"(
    m^{ni} = \operatorname{mean}_a X^{nia}
    s^{ni} = \operatorname{mean}_a ((X^{nia} - m^{ni})^2)
    N^{nia} = g^a \frac{X^{nia} - m^{ni}}{\sqrt{s^{ni} + 10^{-5}}} + b^a
    Q^{nhid} = N^{nia} W_Q^{had}
    K^{nhjd} = N^{nja} W_K^{had}
    V^{nhjd} = N^{nja} W_V^{had}
    S^{nhij} = \begin{cases} \frac{1}{\sqrt{d_k}} Q^{nhid} K^{nhjd} & \text{if } j \le i \\
                             -\infty & \text{otherwise} \end{cases}
    A^{nhij} = \operatorname{softmax}_j(S^{nhij})
    Z^{nia} = X^{nia} + A^{nhij} V^{nhjd} W_O^{hda}
    H^{nif} = \tanh(Z^{nia} U^{af} + u^f)
    Y^{nia} = Z^{nia} + H^{nif} W^{fa})";

struct letters_of_transformer {
    std::string name;
    bindable value;
    int n = -1, h = -1;
};
std::vector<letters_of_transformer> operands_of_transformer() {
    return {{"X", drawn({4, 5, 4}, 1), 0},
            {"g", drawn({3, 4}, 5)},
            {"b", drawn({3, 4}, 6)},
            {"W_Q", drawn({3, 4, 4, 2}, 7), -1, 1},
            {"W_K", drawn({3, 4, 4, 2}, 8), -1, 1},
            {"W_V", drawn({3, 4, 4, 2}, 9), -1, 1},
            {"W_O", drawn({3, 4, 2, 4}, 10), -1, 1},
            {"d_k", 2},
            {"U", drawn({3, 4, 6}, 11)},
            {"u", drawn({3, 6}, 12)},
            {"W", drawn({3, 6, 4}, 13)},
            {"dL/dY", drawn({4, 5, 4}, 14), 0}};
}
std::pair<std::vector<grid_operand>, output_axes> shared_out(
    const std::vector<std::string>& letters) {
    std::vector<grid_operand> operands;
    output_axes shared{{"Y", {}}};
    for (const std::string& letter : letters) shared[0].second.push_back(letter == "n" ? 0 : -1);
    for (const letters_of_transformer& o : operands_of_transformer()) {
        grid_operand one{o.name, o.value, {}};
        for (const std::string& letter : letters) one.axes.push_back(letter == "n" ? o.n : o.h);
        if (o.value.kind() != ricci::detail::operand_kind::tensor) one.axes.clear();
        shared.emplace_back("dL/d" + o.name, one.axes);
        operands.push_back(std::move(one));
    }
    return {operands, shared};
}

program layers_of_transformer(bool recompute) {
    return repeat(
        parse(transformer).value(), 3,
        {.from = "Y", .to = "X", .index = "l", .shared = {"d_k"}, .recompute = recompute});
}

}  // namespace

TEST_CASE("a training step of layers of a transformer by batch, by heads, and over a grid") {
    const std::vector<std::string> weights = {"X",   "g",   "b", "W_Q", "W_K",
                                              "W_V", "W_O", "U", "u",   "W"};
    for (const bool recompute : {false, true}) {
        const program back = value_and_gradient(layers_of_transformer(recompute), "Y", weights);
        for (const std::vector<std::string>& letters :
             {std::vector<std::string>{"n"}, {"h"}, {"n", "h"}}) {
            const auto [operands, shared] = shared_out(letters);
            for (const cut how : {cut::even, cut::uneven})
                check_on_grid(back, letters, operands, shared, how);
        }
    }
}

TEST_CASE("scores of layers are made again on the way back, and what they are made of is stored") {
    const program back = value_and_gradient(layers_of_transformer(false), "Y", {"W_Q", "U"});
    auto [operands, shared] = shared_out({"h"});
    operands.front().value = bindable(drawn({4, 30, 4}, 1));
    operands.back().value = bindable(drawn({4, 30, 4}, 2));
    const std::string words = check_on_grid(back, {"h"}, operands, shared);
    INFO(words);
    CHECK(has(words, "3 layers, planned as one: Y of each is X of the next"));
    CHECK(has(words, "stored of each: X, H, N, Z, m, s"));
}

TEST_CASE("layers forward, with what each computes on the way, and forward derivatives") {
    const program layer = parse(R"(
        H^{nk} = \tanh(X^{ni} W^{ik} + c^{k})
        Z^{k} = \sum_n H^{nk}
        Y^{ni} = X^{ni} + H^{nk} U^{ki} + q^{i})")
                              .value();
    const program all = repeat(layer, 4, {.from = "Y", .to = "X", .index = "l", .shared = {"q"}});
    const std::vector<grid_operand> operands = {{"X", drawn({8, 3}, 1), {0}},
                                                {"W", drawn({4, 3, 5}, 2), {}},
                                                {"c", drawn({4, 5}, 3), {}},
                                                {"U", drawn({4, 5, 3}, 4), {}},
                                                {"q", drawn({3}, 5), {}}};
    for (const cut how : {cut::even, cut::last, cut::uneven})
        check_on_grid(all.keep({"H"}), {"n"}, operands, {{"Y", {0}}, {"H", {1}}}, how);
    std::vector<grid_operand> more = operands;
    more.push_back({"d/dt X", drawn({8, 3}, 6), {0}});
    more.push_back({"d/dt U", drawn({4, 5, 3}, 7), {}});
    check_on_grid(tangent(all, {"X", "U"}), {"n"}, more, {{"Y", {0}}, {"d/dt Y", {0}}});
}

TEST_CASE("derivatives by what layers share are added up, and windows cross ranks in each layer") {
    const program layer = parse(R"(
        Y^{i} = X^{i} + a (X^{\operatorname{wrap}(i+1)} - 2 X^{i} + X^{\operatorname{wrap}(i-1)})
                + f^{i} \sin(X^{i}))")
                              .value();
    for (const std::size_t count : {std::size_t{1}, std::size_t{5}}) {
        const program all =
            repeat(layer, count, {.from = "Y", .to = "X", .index = "t", .shared = {"a", "f"}});
        const std::vector<grid_operand> operands = {{"X", drawn({23}, 1), {0}},
                                                    {"a", 0.125, {}},
                                                    {"f", drawn({23}, 2), {0}},
                                                    {"dL/dY", drawn({23}, 3), {0}}};
        const output_axes shared{{"Y", {0}}, {"dL/dX", {0}}, {"dL/df", {0}}};
        const std::vector<grid_operand> forward(operands.begin(), operands.end() - 1);
        for (const cut how : {cut::even, cut::uneven}) {
            check_on_grid(all, {"i"}, forward, shared, how);
            check_on_grid(gradient(all, "Y", {"f"}), {"i"}, operands, shared, how);
            check_on_grid(value_and_gradient(all, "Y", {"X", "f"}), {"i"}, operands, shared, how);
        }
    }
}

TEST_CASE("what layers share is exchanged once, behind the last layer back") {
    const program layer = parse(R"(
        H^{nihk} = \tanh(X^{nia} W^{hak} s^{h} + c^{k})
        Y^{nia} = X^{nia} + H^{nihk} U^{hka} q^{a})")
                              .value();
    const program all =
        repeat(layer, 6, {.from = "Y", .to = "X", .index = "l", .shared = {"W", "c", "q", "s"}});
    const program back = value_and_gradient(all, "Y", {"W", "c", "q", "s", "U"});
    const auto check = [&](const std::vector<std::string>& letters) {
        std::vector<grid_operand> operands;
        output_axes shared{{"Y", {}}};
        const auto axes = [&](int n, int h) {
            std::vector<int> list;
            for (const std::string& letter : letters) list.push_back(letter == "n" ? n : h);
            return list;
        };
        const auto add = [&](const std::string& name, const array& a, int n, int h) {
            operands.push_back({name, a, axes(n, h)});
            shared.emplace_back("dL/d" + name, axes(n, h));
        };
        add("X", drawn({7, 5, 4}, 1), 0, -1);
        add("W", drawn({4, 4, 3}, 2), -1, 0);
        add("s", drawn({4}, 3), -1, 0);
        add("c", drawn({3}, 4), -1, -1);
        add("U", drawn({6, 4, 3, 4}, 5), -1, 1);
        add("q", drawn({4}, 6), -1, -1);
        add("dL/dY", drawn({7, 5, 4}, 7), 0, -1);
        shared[0].second = axes(0, -1);
        for (const cut how : {cut::uneven, cut::last})
            check_on_grid(back, letters, operands, shared, how);
        return check_on_grid(back, letters, operands, shared);
    };
    const std::string by_batch = check({"n"}), by_heads = check({"h"});
    for (const std::string letters : {"nh", "hn"}) check({letters.substr(0, 1), letters.substr(1)});
    if (ranks_of_world() == 1) return;
    for (const std::string name : {"W", "c", "q", "s"})
        CHECK(has(by_batch,
                  "behind the last layer, all-reduce (sum) over n of what all layers add "
                  "to dL/d" +
                      name));
    CHECK(by_batch.find("all-reduce (sum) over n of terms of dL/dc") == std::string::npos);
    INFO(by_heads);
    CHECK(by_heads.find("add to dL/dW") == std::string::npos);  // each rank has its own
}

TEST_CASE("layers are the same bits on any number of ranks where that is asked for") {
    const program back =
        value_and_gradient(layers_of_transformer(false), "Y", {"X", "W_Q", "W_O", "U", "u"});
    const auto [operands, shared] = shared_out({"n"});
    const mpi::run_options together{.reproducible = true, .blocks = 3};
    check_on_grid(back, {"n"}, operands, shared, cut::even, together);
    std::vector<named> whole, mine;
    const dimensions grid(1);
    for (const grid_operand& o : operands) {
        whole.push_back({o.name, o.value});
        mine.push_back({o.name, o.value});
        if (!o.axes.empty()) mine.back().value = grid.part(o.value.value(), o.axes, cut::even, 3);
    }
    auto one = mpi::prepare(MPI_COMM_SELF, back, {"n"}, whole, {}, together);
    auto all = mpi::prepare(grid.comm, back, {"n"}, mine, {}, together);
    one(), all();
    for (const tensor_info& t : back.outputs()) {
        array wanted = one[t.name];
        for (const auto& [name, axes] : shared)
            if (name == t.name) wanted = grid.part(wanted, axes, cut::even, 3);
        INFO(t.name);
        CHECK(are_same_bits(all[t.name], wanted));
    }
}

TEST_CASE("outputs of layers go where they are bound, and weights may lie in any way") {
    const program layer = parse("Y^{nk} = \\tanh(X^{ni} W^{ik})").value();
    const program all = repeat(layer, 3, {.from = "Y", .to = "X", .index = "l"});
    const program back = value_and_gradient(all, "Y", {"W"});
    const array x = drawn({6, 2}, 1), w = drawn({2, 2, 3}, 2), dy = drawn({6, 2}, 3);
    // the layers are the last axis in memory
    const std::array<std::size_t, 3> extents = {3, 2, 2};
    const std::array<std::int64_t, 3> strides = {1, 6, 3};
    const array turned =
        array::over(nullptr, element::f64, const_cast<void*>(w.data()), extents, strides);
    const std::vector<std::size_t> counts = counts_of(6, cut::even);
    array y = own_part(array(element::f64, {6, 2}), 0, counts), dw(element::f64, {3, 2, 2});
    const arrays expected = run(back, {{"X", x}, {"W", turned}, {"dL/dY", dy}});
    auto step = mpi::prepare(MPI_COMM_WORLD, back, {"n"},
                             {{"X", own_part(x, 0, counts)},
                              {"W", turned},
                              {"dL/dY", own_part(dy, 0, counts)},
                              {"Y", y},
                              {"dL/dW", dw}});
    for (int k = 0; k < 2; ++k) {
        step();
        CHECK(largest_difference(y, own_part(expected["Y"], 0, counts)) < 1e-12);
        CHECK(largest_difference(dw, expected["dL/dW"]) < 1e-12);
        CHECK(step["dL/dW"].data() == dw.data());
    }
}

TEST_CASE("what is wrong with layers is said alike on all ranks") {
    const program layer = parse("Y^{nk} = \\tanh(X^{ni} W^{ik})").value();
    const auto layers = [&](std::size_t count) {
        return repeat(layer, count, {.from = "Y", .to = "X", .index = "l"});
    };
    const array x = drawn({2, 2}, 1), w = drawn({3, 2, 2}, 2);
    const auto prepared = [&](const program& p, const std::string& letter, const array& weights) {
        return same_words([&] {
            mpi::prepare(MPI_COMM_WORLD, p, {letter}, {{"X", x}, {"W", weights}});
        });
    };
    CHECK(has(prepared(layers(4), "n", w), "W has one for each of 4 layers"));
    CHECK(prepared(layers(3), "n", w) == "nothing");
    CHECK(has(prepared(layers(3), "l", w), "index l"));
    if (ranks_of_world() == 1) return;
    CHECK(has(prepared(layers(rank_of_world() == 1 ? 4 : 3), "n", w),
              rank_of_world() < 0 ? "" : "on rank 1"));
    CHECK(has(prepared(rank_of_world() == 1 ? layer : layers(3), "n", w),
              "rank 1 prepares other equations than rank 0"));
    const auto ranks = static_cast<std::size_t>(ranks_of_world());
    CHECK(has(same_words([&] {
                  mpi::prepare(
                      MPI_COMM_WORLD, layers(3), {"k"},
                      {{"X", drawn({2, 2 * ranks}, 1)}, {"W", drawn({3, 2 * ranks, 2}, 2)}});
              }),
              "of the shared-out index k, Y has k in axis 1, and X has no axis with k"));
    // a number that is no place, in the second layer of one rank
    const program lookups = repeat(parse("Y^{n} = X^{n} + v^{p_n}").value(), 2,
                                   {.from = "Y", .to = "X", .index = "l", .shared = {"v"}});
    array places(element::i32, {2, 1});
    if (rank_of_world() == 1) static_cast<std::int32_t*>(places.data())[1] = 7;
    auto step = mpi::prepare(MPI_COMM_WORLD, lookups, {"n"},
                             {{"X", drawn({1}, 1)}, {"v", drawn({3}, 2)}, {"p", places}});
    CHECK(has(same_words([&] { step(); }), "on rank 1"));
    static_cast<std::int32_t*>(places.data())[1] = 2;
    CHECK(same_words([&] { step(); }) == "nothing");
}
