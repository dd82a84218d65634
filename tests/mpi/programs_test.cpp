// Attention, layers and all pairs with an index shared out: the same as on one rank.
#include <string>

#include "tests/mpi/ranks.hpp"

using namespace ricci;
using namespace ricci::testing;
using namespace ricci::literals;

namespace {

const char* const heads = R"(
    Q^{hia} = X^{ib} W_Q^{hba}
    K^{hja} = X^{jb} W_K^{hba}
    V^{hjc} = X^{jb} W_V^{hbc}
    S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja}
    A^{hij} = \operatorname{softmax}_j(S^{hij})
    O^{hic} = A^{hij} V^{hjc}
    Y^{ib} = O^{hic} W_O^{hcb})";

std::vector<shared_operand> operands_of_heads() {
    return {{"X", drawn({6, 5}, 1)},
            {"W_Q", drawn({5, 5, 4}, 2), 0},
            {"W_K", drawn({5, 5, 4}, 3), 0},
            {"W_V", drawn({5, 5, 3}, 4), 0},
            {"d_k", 4},
            {"W_O", drawn({5, 3, 5}, 5), 0}};
}

const char* const keys = R"(
    S^{ij} = Q^{ia} K^{ja}
    A^{ij} = \operatorname{softmax}_j(S^{ij})
    O^{ic} = A^{ij} V^{jc})";

std::vector<shared_operand> operands_of_keys() {
    return {{"Q", drawn({4, 3}, 1)}, {"K", drawn({9, 3}, 2), 0}, {"V", drawn({9, 2}, 3), 0}};
}

}  // namespace

TEST_CASE("attention by heads") {
    const program p = parse(heads).value();
    for (const cut how : {cut::even, cut::last, cut::uneven})
        check_shared_out(p, "h", operands_of_heads(), {}, how);
    const program back = gradient(p, "Y", {"X", "W_Q", "W_K", "W_V", "W_O"});
    auto operands = operands_of_heads();
    operands.push_back({"dL/dY", drawn({6, 5}, 6)});
    check_shared_out(back, "h", operands,
                     {{"dL/dW_Q", 0}, {"dL/dW_K", 0}, {"dL/dW_V", 0}, {"dL/dW_O", 0}});
}

TEST_CASE("scores of all pairs are made again behind an exchange, and not stored") {
    // the gradient waits for the sum over heads that it begins with
    const program p =
        parse(std::string(heads) + "\nL = \\sum_i \\sum_b (Y^{ib} - T^{ib})^2").value();
    const program back = gradient(p, "L", {"X", "W_Q", "W_K", "W_V", "W_O"});
    auto operands = operands_of_heads();
    operands[0].value = bindable(drawn({100, 5}, 1));
    operands.push_back({"T", drawn({100, 5}, 6)});
    for (const tensor_info& t : back.inputs())
        if (t.name == "dL/dL") operands.push_back({"dL/dL", 1});
    const std::vector<std::pair<std::string, int>> shared{
        {"dL/dW_Q", 0}, {"dL/dW_K", 0}, {"dL/dW_V", 0}, {"dL/dW_O", 0}};
    for (const cut how : {cut::even, cut::last, cut::uneven})
        check_shared_out(back, "h", operands, shared, how);
    std::vector<named> whole;
    for (const shared_operand& o : operands) whole.push_back({o.name, o.value});
    const mpi::paper_run run(back, {"h"}, {5}, as_shapes(whole));
    CHECK(run.stored() < 8 * 100 * 100);  // what the scores of one head would take
}

TEST_CASE("attention by keys") {
    const program p = parse(keys).value();
    for (const cut how : {cut::even, cut::last, cut::uneven})
        check_shared_out(p, "j", operands_of_keys(), {}, how);
    const program back = value_and_gradient(p, "O", {"Q", "K", "V"});
    auto operands = operands_of_keys();
    operands.push_back({"dL/dO", drawn({4, 2}, 6)});
    check_shared_out(back, "j", operands, {{"dL/dK", 0}, {"dL/dV", 0}});
}

namespace {

void check_long_cache(const char* text) {
    const program p = parse(text).value();
    std::vector<shared_operand> operands = {
        {"Q", drawn({2, 8}, 1)}, {"K", drawn({300, 8}, 2), 0}, {"V", drawn({300, 4}, 3), 0}};
    for (const cut how : {cut::last, cut::uneven}) check_shared_out(p, "j", operands, {}, how);
    const std::string words = check_shared_out(p, "j", operands, {});
    std::vector<named> whole;
    for (const shared_operand& o : operands) whole.push_back({o.name, o.value});
    const int ranks = ranks_of_world();
    if (ranks == 1) return;
    INFO(words);
    CHECK(bytes_on_paper(p, {"j"}, {ranks}, whole) == 8 * 2 * (1 + 1 + 4) + 4);
    // scores once, with what they weigh; the factors take next to nothing
    const mpi::paper_run one(p, {"j"}, {1}, as_shapes(whole)),
        all(p, {"j"}, {ranks}, as_shapes(whole));
    CHECK(mpi::work_of(all).flops < 1.2 * mpi::work_of(one).flops / ranks);
}

}  // namespace

TEST_CASE("outputs of a long cache take one pass and send a maximum, a sum and an output") {
    check_long_cache(keys);
    check_long_cache(R"(O^{ic} = \operatorname{softmax}_j(Q^{ia} K^{ja}) V^{jc})");
}

TEST_CASE("weights of scores that are too large for a log-sum-exp") {
    const program inside = parse(R"(O^{ik} = \operatorname{softmax}_j(x^{ij} - c) v^{jk})").value();
    const program p = parse(R"(
        S^{ij} = x^{ij} - c
        A^{ij} = \operatorname{softmax}_j(S^{ij})
        O^{ik} = A^{ij} v^{jk}
        P^{ij} = A^{ij} A^{ij})")
                          .value();
    const program back = value_and_gradient(p, "O", {"x", "v"});
    for (const cut how : {cut::even, cut::last, cut::uneven}) {
        const std::vector<shared_operand> operands = {
            {"x", drawn({3, 12}, 1), 1}, {"c", 1e17}, {"v", drawn({12, 2}, 2), 0}};
        check_shared_out(p, "j", operands, {{"P", 1}}, how);
        check_shared_out(inside, "j", operands, {}, how);
        std::vector<shared_operand> more = operands;
        more.push_back({"dL/dO", drawn({3, 2}, 3)});
        check_shared_out(back, "j", more, {{"dL/dx", 1}, {"dL/dv", 0}}, how);
    }
}

TEST_CASE("attention by queries, masked by positions of all ranks together") {
    const program p = parse(R"(
        S^{ij} = Q^{ia} K^{ja} + b^{i-j}
        A^{ij} = \operatorname{softmax}_{j \le i}(S^{ij})
        O^{ic} = A^{ij} V^{jc})")
                          .value();
    const std::vector<shared_operand> operands = {{"Q", drawn({7, 3}, 1), 0},
                                                  {"K", drawn({7, 3}, 2)},
                                                  {"V", drawn({7, 2}, 3)},
                                                  {"b", drawn({13}, 4)}};
    for (const cut how : {cut::even, cut::uneven})
        check_shared_out(p, "i", operands, {{"O", 0}}, how);
    const std::vector<shared_operand> by_keys = {{"Q", drawn({7, 3}, 1)},
                                                 {"K", drawn({7, 3}, 2), 0},
                                                 {"V", drawn({7, 2}, 3), 0},
                                                 {"b", drawn({13}, 4)}};
    for (const cut how : {cut::even, cut::uneven}) check_shared_out(p, "j", by_keys, {}, how);
}

TEST_CASE("a layer by batch, with the gradients of its weights") {
    const trained_layer layer = layer_for(8);
    for (const cut how : {cut::even, cut::last, cut::uneven})
        check_shared_out(layer.back, "n", layer.operands, {{"dL/dX", 0}}, how);
}

TEST_CASE("all pairs") {
    const program p = parse(R"(
        r^{ij} = \sum_a (x^{ia} - x^{ja})^2
        f^{i} = \sum_j m^{j} \exp(-r^{ij}))")
                          .value();
    check_shared_out(p, "i", {{"x", drawn({7, 3}, 1), 0}, {"m", drawn({7}, 2)}}, {{"f", 0}});
    const program split = parse(R"(
        r^{ij} = \sum_a (x^{ia} - y^{ja})^2
        f^{i} = \sum_j m^{j} \exp(-r^{ij}))")
                              .value();
    check_shared_out(split, "j",
                     {{"x", drawn({7, 3}, 1)}, {"y", drawn({6, 3}, 2), 0}, {"m", drawn({6}, 2), 0}},
                     {});
}

TEST_CASE("every fold over the shared-out index") {
    const program p = parse(R"(
        A^{k} = \max_i x^{ik}
        B^{k} = \min_i x^{ik}
        C^{k} = \operatorname{mean}_i(x^{ik})
        D^{k} = \prod_i x^{ik}
        E^{k} = \operatorname{logsumexp}_i(x^{ik})
        F^{ik} = \operatorname{softmax}_i(x^{ik})
        G = \sum_i \sum_k (x^{ik} - C^{k})^2
        H^{k} = 3 \sum_i x^{ik} + v^{k} + \max_i(x^{ik})
        R^{ik} = x^{ik} - E^{k})")
                          .value()
                          .keep({"C", "E"});
    for (const cut how : {cut::even, cut::last, cut::uneven})
        check_shared_out(p, "i", {{"x", drawn({7, 3}, 1), 0}, {"v", drawn({3}, 2)}},
                         {{"F", 0}, {"R", 0}}, how);
}

TEST_CASE("pairs of places of two ranks count in folds over two letters") {
    const program p = parse(R"(
        s^{k} = w^{k} x^{a} y^{a} x^{n} y^{n}
        m = \max_{a,n}(x^{a} - y^{n})
        M^{n} = \max_a (x^{a} x^{n} y^{n})
        t = \operatorname{mean}_{a,n}(x^{a} x^{n} y^{n} y^{a})
        u = M^{n} x^{n})")
                          .value();
    // of the subtracted place each rank reads a part of what all have
    const program less = parse("d^{lj} = [j > 0] b^{l-j} x^{l}").value();
    for (const cut how : {cut::even, cut::last, cut::uneven}) {
        const std::vector<shared_operand> operands = {
            {"w", drawn({2}, 1)}, {"x", drawn({7}, 2), 0}, {"y", drawn({7}, 3), 0}};
        check_shared_out(p, "a", operands, {}, how);
        check_shared_out(less, "l",
                         {{"b", drawn({7}, 4)}, {"x", drawn({7}, 2), 0}, {"j", extent(1)}},
                         {{"d", 0}}, how);
    }
}

TEST_CASE("ranks without places have what is whole, and the first one adds it") {
    const program p = parse(R"(
        y^{ib} = 2 \sum_h x^{ih} w^{hb} + c^{ib} d
        z^{i} = \min_h x^{ih} + f^{i}
        s = \sum_i z^{i} + \sum_h u^{h}
        t = \sum_h u^{h} d + 2 s)")
                          .value()
                          .keep({"s"});
    for (const cut how : {cut::even, cut::last, cut::uneven})
        check_shared_out(p, "h",
                         {{"x", drawn({4, 5}, 1), 1},
                          {"w", drawn({5, 3}, 2), 0},
                          {"c", drawn({4, 3}, 3)},
                          {"d", 3},
                          {"f", drawn({4}, 4)},
                          {"u", drawn({5}, 5), 0}},
                         {}, how);
}

TEST_CASE("partial terms are added before one reduction") {
    const program p = parse(R"(
        Y^{ib} = 2 \sum_h X^{ih} W^{hb} + \sum_h Z^{ih} U^{hb} + C^{ib})")
                          .value();
    const std::string words = check_shared_out(p, "h",
                                               {{"X", drawn({40, 6}, 1), 1},
                                                {"W", drawn({6, 3}, 2), 0},
                                                {"Z", drawn({40, 6}, 3), 1},
                                                {"U", drawn({6, 3}, 4), 0},
                                                {"C", drawn({40, 3}, 5)}},
                                               {});
    if (ranks_of_world() == 1) return;
    const auto first = words.find("all-reduce");
    REQUIRE(first != std::string::npos);
    CHECK(words.find("all-reduce", first + 1) == std::string::npos);
}

TEST_CASE("equations in the source") {
    constexpr auto product = R"(Y^{ib} = X^{ih} W^{hb})"_eq;
    const array x = drawn({4, 6}, 1), w = drawn({6, 3}, 2);
    const array mine_x = own_part(x, 1, counts_of(6, cut::even)),
                mine_w = own_part(w, 0, counts_of(6, cut::even));
    const auto view_x = mine_x.as<double, 2>(), view_w = mine_w.as<double, 2>();
    auto step =
        mpi::prepare(MPI_COMM_WORLD, product, mpi::shard("h"_i), "X"_t = view_x, "W"_t = view_w);
    step();
    const auto expected = run(program(product), {{"X", x}, {"W", w}});
    const auto y = step["Y"_t];
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t b = 0; b < 3; ++b)
            CHECK(std::abs(y(i, b) - expected["Y"].as<double, 2>()(i, b)) < 1e-12);
}

TEST_CASE("a run allocates nothing") {
    // the second axis is gathered, folded, and what is partial is scattered over it
    const program p = parse(R"(
        Z^{an} = Y^{a x_n}
        T^{ah} = \sum_g Y^{ag} C^{gh}
        s^{a} = \max_h Y^{ah})")
                          .value();
    array places(element::i32, {2});
    static_cast<std::int32_t*>(places.data())[1] = 4;
    const std::vector<shared_operand> operands = {
        {"Y", drawn({3, 5}, 1), 1}, {"x", places}, {"C", drawn({5, 5}, 2), 1}};
    check_shared_out(p, "h", operands, {{"T", 1}});
    std::vector<named> mine;
    for (const shared_operand& o : operands)
        mine.push_back(
            {o.name, o.axis < 0 ? o.value
                                : bindable(own_part(o.value.value(), 1, counts_of(5, cut::even)))});
    auto step = mpi::prepare(MPI_COMM_WORLD, p, {"h"}, mine);
    step();
    take_counted_allocations();
    step();
    const std::int64_t times = take_counted_allocations();
    CHECK(times == 0);
}
