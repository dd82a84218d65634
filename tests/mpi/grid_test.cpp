// Two indices shared out over a grid of ranks: the same as on one.
#include <random>
#include <string>
#include <vector>

#include "tests/mpi/grids.hpp"

using namespace ricci;
using namespace ricci::testing;

TEST_CASE("attention by batch and by heads, with all gradients") {
    const program p = parse(R"(
        Q^{nhia} = X^{nib} W_Q^{hba}
        K^{nhja} = X^{njb} W_K^{hba}
        V^{nhjc} = X^{njb} W_V^{hbc}
        S^{nhij} = \frac{1}{\sqrt{d_k}} Q^{nhia} K^{nhja}
        A^{nhij} = \operatorname{softmax}_j(S^{nhij})
        O^{nhic} = A^{nhij} V^{nhjc}
        Y^{nib} = O^{nhic} W_O^{hcb}
        L = \sum_n \sum_i \sum_b (Y^{nib} - T^{nib})^2)")
                          .value();
    const program back = value_and_gradient(p, "L", {"X", "W_Q", "W_K", "W_V", "W_O"});
    std::vector<grid_operand> operands = {{"X", drawn({3, 4, 5}, 1), {0, -1}},
                                          {"W_Q", drawn({3, 5, 2}, 2), {-1, 0}},
                                          {"W_K", drawn({3, 5, 2}, 3), {-1, 0}},
                                          {"W_V", drawn({3, 5, 2}, 4), {-1, 0}},
                                          {"d_k", 2},
                                          {"W_O", drawn({3, 2, 5}, 5), {-1, 0}},
                                          {"T", drawn({3, 4, 5}, 6), {0, -1}}};
    for (const tensor_info& t : back.inputs())
        if (t.name == "dL/dL") operands.push_back({"dL/dL", 1});
    for (const cut how : {cut::even, cut::last, cut::uneven})
        check_on_grid(back, {"n", "h"}, operands,
                      {{"dL/dX", {0, -1}},
                       {"dL/dW_Q", {-1, 0}},
                       {"dL/dW_K", {-1, 0}},
                       {"dL/dW_V", {-1, 0}},
                       {"dL/dW_O", {-1, 0}}},
                      how);
}

TEST_CASE("a product of which both sides and the sum are shared out") {
    const program p = parse("C^{ik} = A^{ij} B^{jk}").value();
    for (const cut how : {cut::even, cut::last, cut::uneven}) {
        check_on_grid(p, {"i", "k"},
                      {{"A", drawn({5, 4}, 1), {0, -1}}, {"B", drawn({4, 6}, 2), {-1, 1}}},
                      {{"C", {0, 1}}}, how);
        check_on_grid(p, {"i", "j"},
                      {{"A", drawn({5, 4}, 1), {0, 1}}, {"B", drawn({4, 6}, 2), {-1, 0}}},
                      {{"C", {0, -1}}}, how);
        check_on_grid(p, {"j", "i"},
                      {{"A", drawn({5, 4}, 1), {1, 0}}, {"B", drawn({4, 6}, 2), {0, -1}}},
                      {{"C", {-1, 0}}}, how);
    }
}

TEST_CASE("keys and queries over a grid, masked by positions of all ranks together") {
    const program p = parse(R"(
        S^{ij} = Q^{ia} K^{ja} + b^{i-j}
        A^{ij} = \operatorname{softmax}_{j \le i}(S^{ij})
        O^{ic} = A^{ij} V^{jc})")
                          .value();
    for (const cut how : {cut::even, cut::uneven})
        check_on_grid(p, {"i", "j"},
                      {{"Q", drawn({7, 3}, 1), {0, -1}},
                       {"K", drawn({7, 3}, 2), {-1, 0}},
                       {"V", drawn({7, 2}, 3), {-1, 0}},
                       {"b", drawn({13}, 4)}},
                      {{"O", {0, -1}}}, how);
}

namespace {

// One layer of a transformer between embedding and cross entropy; E is both.
const char* const transformer = R"(
    X^{nia} = E^{x_{ni} a} + P^{ia}
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
    Y^{nia} = Z^{nia} + H^{nif} W^{fa}
    T^{niv} = Y^{nia} E^{va}
    L = \operatorname{mean}_{n,i} (\operatorname{logsumexp}_v(T^{niv}) - T^{n i y_{ni}}))";

array drawn_tokens(unsigned seed) {
    array a(element::i32, {4, 5});
    std::mt19937 random(seed);
    for (std::size_t k = 0; k < a.size(); ++k)
        static_cast<std::int32_t*>(a.data())[k] = static_cast<std::int32_t>(random() % 9);
    return a;
}

/// With the axes of n, h and v, or -1.
struct transformer_operand {
    std::string name;
    bindable value;
    int n = -1, h = -1, v = -1;
};
std::vector<transformer_operand> operands_of_transformer() {
    return {{"E", drawn({9, 4}, 1), -1, -1, 0},
            {"P", drawn({5, 4}, 2)},
            {"x", drawn_tokens(3), 0},
            {"y", drawn_tokens(4), 0},
            {"g", drawn({4}, 5)},
            {"b", drawn({4}, 6)},
            {"W_Q", drawn({4, 4, 2}, 7), -1, 0},
            {"W_K", drawn({4, 4, 2}, 8), -1, 0},
            {"W_V", drawn({4, 4, 2}, 9), -1, 0},
            {"W_O", drawn({4, 2, 4}, 10), -1, 0},
            {"d_k", 2},
            {"U", drawn({4, 6}, 11)},
            {"u", drawn({6}, 12)},
            {"W", drawn({6, 4}, 13)}};
}

}  // namespace

TEST_CASE("a training step of a transformer by batch, by heads, by vocabulary, and over grids") {
    const std::vector<std::string> weights = {"E",   "P",   "g", "b", "W_Q", "W_K",
                                              "W_V", "W_O", "U", "u", "W"};
    const program back = value_and_gradient(parse(transformer).value(), "L", weights);
    std::vector<transformer_operand> operands = operands_of_transformer();
    for (const tensor_info& t : back.inputs())
        if (t.name == "dL/dL") operands.push_back({"dL/dL", 1});
    const auto axis = [](const transformer_operand& o, const std::string& letter) {
        return letter == "n" ? o.n : letter == "h" ? o.h : o.v;
    };
    for (const std::string letter : {"n", "h", "v"}) {
        std::vector<shared_operand> one;
        std::vector<std::pair<std::string, int>> shared;
        for (const transformer_operand& o : operands) {
            one.push_back({o.name, o.value, axis(o, letter)});
            if (axis(o, letter) >= 0) shared.emplace_back("dL/d" + o.name, axis(o, letter));
        }
        for (const cut how : {cut::even, cut::uneven})
            check_shared_out(back, letter, one, shared, how);
    }
    for (const std::vector<std::string>& letters :
         {std::vector<std::string>{"n", "h"}, {"n", "v"}, {"v", "h"}}) {
        std::vector<grid_operand> two;
        output_axes shared;
        for (const transformer_operand& o : operands) {
            const std::vector<int> axes = {axis(o, letters[0]), axis(o, letters[1])};
            two.push_back({o.name, o.value, axes});
            if (axes[0] >= 0 || axes[1] >= 0) shared.emplace_back("dL/d" + o.name, axes);
        }
        for (const cut how : {cut::even, cut::uneven})
            check_on_grid(back, letters, two, shared, how);
    }
}
