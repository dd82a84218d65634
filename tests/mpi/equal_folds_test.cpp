// What several equations fold over ranks, or one twice, is computed and exchanged once.
#include <string>
#include <vector>

#include "tests/mpi/ranks.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

const char* const in_one_equation = R"(
    O^{ic} = \operatorname{softmax}_{j \le i}(\frac{1}{2} Q^{ia} K^{ja}) V^{jc})";
const char* const in_three = R"(
    S^{ij} = \frac{1}{2} Q^{ia} K^{ja}
    A^{ij} = \operatorname{softmax}_{j \le i}(S^{ij})
    O^{ic} = A^{ij} V^{jc})";

// so many keys that nobody gathers them
constexpr std::size_t rows = 40, keys = 400, in = 3, out = 2;

std::vector<shared_operand> operands_with(const std::vector<shared_operand>& more = {}) {
    std::vector<shared_operand> all = {{"Q", drawn({rows, in}, 1)},
                                       {"K", drawn({keys, in}, 2), 0},
                                       {"V", drawn({keys, out}, 3), 0}};
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

std::vector<named> whole_of(const std::vector<shared_operand>& operands) {
    std::vector<named> whole;
    for (const shared_operand& o : operands) whole.push_back({o.name, o.value});
    return whole;
}

/// What the first rank sends, counted where it is handed to MPI by check_shared_out.
std::int64_t bytes_of(const program& p, const std::vector<shared_operand>& operands) {
    return bytes_on_paper(p, {"j"}, {ranks_of_world()}, whole_of(operands));
}

std::size_t count_of(const std::string& words, const std::string& part) {
    std::size_t count = 0;
    for (auto at = words.find(part); at != std::string::npos; at = words.find(part, at + 1))
        ++count;
    return count;
}

}  // namespace

TEST_CASE("gradients of attention in one equation exchange what those in three do") {
    const auto operands = operands_with({{"dL/dO", drawn({rows, out}, 4)}});
    const program one = value_and_gradient(parse(in_one_equation).value(), "O", {"Q", "K", "V"});
    const program three = value_and_gradient(parse(in_three).value(), "O", {"Q", "K", "V"});
    for (const cut how : {cut::even, cut::last, cut::uneven})
        check_shared_out(one, "j", operands, {{"dL/dK", 0}, {"dL/dV", 0}}, how);
    if (ranks_of_world() == 1) return;
    const std::string words = check_shared_out(one, "j", operands, {{"dL/dK", 0}, {"dL/dV", 0}});
    INFO(words);
    CHECK(count_of(words, "all-reduce (maximum)") == 1);
    // a maximum and a sum, what the gradient sums for each row, the output and the gradient
    CHECK(bytes_of(one, operands) == 8 * rows * (1 + 1 + 1 + out + in) + 4);
    CHECK(bytes_of(three, operands) == bytes_of(one, operands));
}

TEST_CASE("folds are equal whatever their letters are called and in whatever order factors stand") {
    const program p = parse(R"(
        O^{ic} = \operatorname{softmax}_j(Q^{ia} K^{ja}) V^{jc}
        m^{k} = 2 \max_l(K^{lb} Q^{kb})
        P^{k} = \operatorname{softmax}_j(K^{jb} Q^{kb}) W^{j}
        q^{n} = \operatorname{logsumexp}_j(Q^{na} K^{ja})
        r^{n} = q^{n} \exp(\operatorname{logsumexp}_j(K^{ja} Q^{na})))")
                          .value()
                          .keep({"q"});
    const auto operands = operands_with({{"W", drawn({keys}, 5), 0}});
    for (const cut how : {cut::even, cut::last, cut::uneven})
        check_shared_out(p, "j", operands, {}, how);
    if (ranks_of_world() == 1) return;
    const std::string words = check_shared_out(p, "j", operands, {});
    INFO(words);
    CHECK(count_of(words, "all-reduce (maximum)") == 1);
    CHECK(count_of(words, "all-reduce (log-sum-exp)") == 1);
    // a maximum, a sum, O, P, and a log-sum-exp
    CHECK(bytes_of(p, operands) == 8 * rows * (1 + 1 + out + 1 + 1) + 4);
}

TEST_CASE("a fold that is an equation serves those behind it") {
    const program p = parse(R"(
        m^{i} = \max_j(Q^{ia} K^{ja})
        s^{i} = \sum_j w^{j} Q^{ia} K^{ja}
        O^{i} = \max_j(K^{ja} Q^{ia}) + m^{i} \exp(\sum_j w^{j} K^{ja} Q^{ia})
        t^{i} = \sum_j w^{j} Q^{ia} K^{ja})")
                          .value()
                          .keep({"m", "s"});
    const auto operands = operands_with({{"w", drawn({keys}, 5), 0}});
    for (const cut how : {cut::even, cut::last, cut::uneven}) {
        std::vector<shared_operand> read;
        for (const shared_operand& o : operands)
            if (o.name != "V") read.push_back(o);
        check_shared_out(p, "j", read, {}, how);
        if (how == cut::even && ranks_of_world() > 1) CHECK(bytes_of(p, read) == 8 * rows * 2 + 4);
    }
}

TEST_CASE("folds of other places, or of other extents, are not taken for equal") {
    const program p = parse(R"(
        a^{i} = \exp(\sum_j [j \le i] x^{j})
        b^{i} = \exp(\sum_j [j < i] x^{j})
        c^{i} = \exp(\sum_j j x^{j} y^{i})
        d^{i} = \exp(\sum_j i x^{j} y^{i})
        e^{i} = \max_j(x^{j} y^{i}) + \min_j(x^{j} y^{i})
        f^{k} = \max_j(x^{j} z^{k}) \max_j(z^{k} x^{j})
        g^{i} = \exp(\sum_j x^{j} (y^{i} - u^{j}))
        h^{i} = \exp(\sum_j x^{j} (u^{j} - y^{i})))")
                          .value();
    const std::vector<shared_operand> operands = {{"x", drawn({12}, 1), 0},
                                                  {"u", drawn({12}, 2), 0},
                                                  {"y", drawn({5}, 3)},
                                                  {"z", drawn({4}, 3)}};
    for (const cut how : {cut::even, cut::last, cut::uneven})
        check_shared_out(p, "j", operands, {}, how);
}

TEST_CASE("layers of one equation exchange each fold once, forward and back") {
    const program layer = parse(R"(
        Y^{ia} = X^{ia} + \operatorname{softmax}_j(X^{ib} M^{bc} K^{jc}) V^{ja})")
                              .value();
    const program named_layer = parse(R"(
        A^{ij} = \operatorname{softmax}_j(X^{ib} M^{bc} K^{jc})
        Y^{ia} = X^{ia} + A^{ij} V^{ja})")
                                    .value();
    const auto back_of = [](const program& p) {
        return value_and_gradient(repeat(p, 3, {.from = "Y", .to = "X", .index = "l"}), "Y",
                                  {"X", "M", "K", "V"});
    };
    const std::vector<shared_operand> operands = {{"X", drawn({rows, in}, 1)},
                                                  {"M", drawn({3, in, in}, 2)},
                                                  {"K", drawn({3, keys, in}, 3), 1},
                                                  {"V", drawn({3, keys, in}, 4), 1},
                                                  {"dL/dY", drawn({rows, in}, 5)}};
    for (const cut how : {cut::even, cut::uneven})
        check_shared_out(back_of(layer), "j", operands, {{"dL/dK", 1}, {"dL/dV", 1}}, how);
    CHECK(bytes_of(back_of(layer), operands) <= bytes_of(back_of(named_layer), operands));
}
