// Results that are the same bits on any number of ranks.
#include <string>
#include <vector>

#include "src/mpi/block_tree.hpp"
#include "tests/mpi/ranks.hpp"

using namespace ricci;
using namespace ricci::testing;
using namespace ricci::literals;

namespace {

/// The first so many ranks.
class first_ranks {
public:
    explicit first_ranks(int count) {
        MPI_Comm_split(MPI_COMM_WORLD, rank_of_world() < count ? 0 : MPI_UNDEFINED, rank_of_world(),
                       &comm_);
    }
    ~first_ranks() {
        if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
    }
    first_ranks(const first_ranks&) = delete;
    first_ranks& operator=(const first_ranks&) = delete;
    MPI_Comm get() const { return comm_; }

private:
    MPI_Comm comm_ = MPI_COMM_NULL;
};

std::vector<named> parts_for(const std::vector<shared_operand>& operands, int ranks, int blocks) {
    std::vector<named> mine;
    for (const shared_operand& o : operands) {
        mine.push_back({o.name, o.value});
        if (o.axis < 0) continue;
        const auto axis = static_cast<std::size_t>(o.axis);
        const array& all = o.value.value();
        mine.back().value =
            bindable(part_of_rank(all, axis, mpi::parts_of(all.extent(axis), ranks, blocks),
                                  static_cast<std::size_t>(rank_of_world())));
    }
    return mine;
}

/// On all counts of ranks that there are: the bits of one rank, which are the values of a program
/// that nobody shares out.
void check_reproducible(const program& p, const std::string& letter,
                        const std::vector<shared_operand>& operands,
                        const std::vector<std::pair<std::string, int>>& shared, int blocks) {
    mpi::run_options together;
    together.reproducible = true;
    together.blocks = blocks;
    std::vector<named> whole;
    for (const shared_operand& o : operands) whole.push_back({o.name, o.value});
    const arrays expected = run(p, whole);
    auto one = mpi::prepare(MPI_COMM_SELF, p, {letter}, whole, {}, together);
    one();
    for (int ranks = 1; ranks <= ranks_of_world(); ++ranks) {
        const first_ranks some(ranks);
        if (some.get() == MPI_COMM_NULL) continue;
        auto step =
            mpi::prepare(some.get(), p, {letter}, parts_for(operands, ranks, blocks), {}, together);
        for (int k = 0; k < 2; ++k) {
            take_counted_bytes();
            step();
            CHECK(take_counted_bytes() == step.bytes_sent());
            for (const auto& [name, value] : expected) {
                INFO(name << " in " << blocks << " blocks on rank " << rank_of_world() << " of "
                          << ranks << "\n"
                          << step.explain());
                array wanted = one[name];
                CHECK(largest_difference(wanted, value) < 1e-11);
                for (const auto& [output, axis] : shared) {
                    if (output != name) continue;
                    const auto at = static_cast<std::size_t>(axis);
                    wanted =
                        part_of_rank(wanted, at, mpi::parts_of(wanted.extent(at), ranks, blocks),
                                     static_cast<std::size_t>(rank_of_world()));
                }
                CHECK(are_same_bits(step[name], wanted));
            }
        }
    }
}

}  // namespace

TEST_CASE("a layer by batch is the same bits on any number of ranks") {
    const trained_layer layer = layer_for(61), small = layer_for(5);
    for (const int blocks : {2, 7, 16})
        check_reproducible(layer.back, "n", layer.operands, {{"dL/dX", 0}}, blocks);
    // more blocks than places
    check_reproducible(small.back, "n", small.operands, {{"dL/dX", 0}}, 16);
}

TEST_CASE("attention by heads and by keys is the same bits on any number of ranks") {
    const program p = parse(R"(
        Q^{hia} = X^{ib} W_Q^{hba}
        K^{hja} = X^{jb} W_K^{hba}
        A^{hij} = \operatorname{softmax}_j(Q^{hia} K^{hja})
        Y^{ib} = A^{hij} X^{jc} W^{hcb})")
                          .value();
    const program back = value_and_gradient(p, "Y", {"X", "W_Q", "W_K", "W"});
    check_reproducible(back, "h",
                       {{"X", drawn({6, 5}, 1)},
                        {"W_Q", drawn({7, 5, 4}, 2), 0},
                        {"W_K", drawn({7, 5, 4}, 3), 0},
                        {"W", drawn({7, 5, 5}, 4), 0},
                        {"dL/dY", drawn({6, 5}, 5)}},
                       {{"dL/dW_Q", 0}, {"dL/dW_K", 0}, {"dL/dW", 0}}, 4);
    const program keys = parse(R"(
        A^{ij} = \operatorname{softmax}_j(Q^{ia} K^{ja})
        O^{ic} = A^{ij} V^{jc})")
                             .value();
    const program keys_back = value_and_gradient(keys, "O", {"Q", "K", "V"});
    check_reproducible(keys_back, "j",
                       {{"Q", drawn({4, 3}, 1)},
                        {"K", drawn({29, 3}, 2), 0},
                        {"V", drawn({29, 2}, 3), 0},
                        {"dL/dO", drawn({4, 2}, 6)}},
                       {{"dL/dK", 0}, {"dL/dV", 0}}, 8);
}

TEST_CASE("folds that several equations have in common are the same bits on any number of ranks") {
    const program p =
        parse(R"(O^{ic} = \operatorname{softmax}_{j \le i}(Q^{ia} K^{ja}) V^{jc})").value();
    check_reproducible(value_and_gradient(p, "O", {"Q", "K", "V"}), "j",
                       {{"Q", drawn({9, 3}, 1)},
                        {"K", drawn({29, 3}, 2), 0},
                        {"V", drawn({29, 2}, 3), 0},
                        {"dL/dO", drawn({9, 2}, 6)}},
                       {{"dL/dK", 0}, {"dL/dV", 0}}, 8);
}

TEST_CASE("every way to exchange is the same bits on any number of ranks") {
    // the second axis, whose parts are no rows
    check_reproducible(parse(R"(
        A^{k} = \max_i x^{ki}
        D^{k} = \prod_i x^{ki}
        E^{k} = \operatorname{logsumexp}_i(x^{ki})
        F^{ki} = \operatorname{softmax}_i(x^{ki})
        H^{k} = 3 \sum_i x^{ki} + v^{k})")
                           .value(),
                       "i", {{"x", drawn({3, 17}, 1), 1}, {"v", drawn({3}, 2)}}, {{"F", 1}}, 5);
    // scattered, gathered
    check_reproducible(
        parse(R"(
        T^{ah} = \sum_g Y^{ag} C^{gh}
        s^{ab} = \max_h(Y^{ah} D^{bh}))")
            .value(),
        "h",
        {{"Y", drawn({3, 11}, 1), 1}, {"C", drawn({11, 11}, 2), 1}, {"D", drawn({2, 11}, 3), 1}},
        {{"T", 1}}, 4);
    check_reproducible(parse(R"(Y^{i} = x^{\operatorname{wrap}(i+2)} x^{i} +
                                        3 x^{\operatorname{wrap}(i-1)})")
                           .value(),
                       "i", {{"x", drawn({23}, 1), 0}}, {{"Y", 0}}, 6);
}

TEST_CASE("parts that are no blocks are refused where bits are to be reproduced") {
    if (ranks_of_world() < 2) return;
    const program p = parse(R"(s = \sum_i x^{i} x^{i})").value();
    mpi::run_options together;
    together.reproducible = true;
    together.blocks = 4;
    const array all = drawn({10}, 1);
    std::vector<std::size_t> counts = mpi::parts_of(10, ranks_of_world(), 4);
    ++counts[0], --counts[1];
    const array mine = own_part(all, 0, counts);
    CHECK_THROWS_WITH(mpi::prepare(MPI_COMM_WORLD, p, {"i"}, {{"x", mine}}, {}, together),
                      Contains("of 10 places of the shared-out index i rank 0 has") &&
                          Contains("in 4 blocks") && Contains("parts_of(10, "));
    together.blocks = 1;
    CHECK_THROWS_WITH(mpi::prepare(MPI_COMM_WORLD, p, {"i"}, {{"x", mine}}, {}, together),
                      Contains("has 2 to 4096 blocks, not 1"));
    together.blocks = rank_of_world() == 0 ? 4 : 5;
    CHECK_THROWS_WITH(mpi::prepare(MPI_COMM_WORLD, p, {"i"}, {{"x", mine}}, {}, together),
                      Contains("rank 1 runs with 5 reproducible blocks"));
}

TEST_CASE("a tree of blocks is the same whoever folds which part of it") {
    for (int blocks = 1; blocks < 20; ++blocks) {
        std::vector<mpi::tree_fold::known> leaves;
        for (int b = 0; b < blocks; ++b)
            leaves.push_back({{b, b + 1}, drawn({1500}, static_cast<unsigned>(b) + 1)});
        array all(element::f64, {1500});
        mpi::tree_fold({0, blocks}, leaves, mpi::fold::sum).run(all);
        for (int cut = 0; cut <= blocks; ++cut) {
            std::vector<mpi::tree_fold::known> parts;
            for (const auto& [first, end] : {std::pair{0, cut}, std::pair{cut, blocks}})
                for (const mpi::tree_node& n : mpi::nodes_within(blocks, first, end)) {
                    std::vector<mpi::tree_fold::known> below(leaves.begin() + n.first,
                                                             leaves.begin() + n.end);
                    array part(element::f64, {1500});
                    mpi::tree_fold(n, below, mpi::fold::sum).run(part);
                    parts.push_back({n, part});
                }
            array again(element::f64, {1500});
            mpi::tree_fold({0, blocks}, parts, mpi::fold::sum).run(again);
            CHECK(are_same_bits(all, again));
        }
    }
}

TEST_CASE("equations in the source are reproducible") {
    constexpr auto product = R"(Y^{ib} = X^{ih} W^{hb})"_eq;
    const array x = drawn({4, 6}, 1), w = drawn({6, 3}, 2);
    const std::vector<std::size_t> counts = mpi::parts_of(6, ranks_of_world(), 3);
    const array mine_x = own_part(x, 1, counts), mine_w = own_part(w, 0, counts);
    const auto view_x = mine_x.as<double, 2>(), view_w = mine_w.as<double, 2>();
    auto step = mpi::prepare(MPI_COMM_WORLD, product, mpi::shard("h"_i),
                             mpi::run_options{.reproducible = true, .blocks = 3}, "X"_t = view_x,
                             "W"_t = view_w);
    step();
    CHECK(step.explain().find("the same bits on any number of ranks") != std::string::npos);
    auto one = mpi::prepare(MPI_COMM_SELF, program(product), {"h"}, {{"X", x}, {"W", w}}, {},
                            {.reproducible = true, .blocks = 3});
    one();
    const auto y = step["Y"_t];
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t b = 0; b < 3; ++b) CHECK(y(i, b) == one["Y"].as<double, 2>()(i, b));
}
