// Orders in files: ours, trees and paths of others.
#include <string>
#include <utility>
#include <vector>

#include <ricci/network_files.hpp>

#include "tests/catch.hpp"
#include "tests/files/folder.hpp"
#include "tests/files/refusal.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

using pair_list = std::vector<std::pair<std::size_t, std::size_t>>;

// A chain of matrices.
network matrices(std::size_t count) {
    network n;
    for (std::size_t k = 0; k < count; ++k) n.add(shape(element::f64, {k + 2, k + 3}), {k, k + 1});
    n.keep({std::size_t{0}, count});
    return n;
}

contraction_order order_in(const std::string& text, const network& n) {
    const temporary_folder folder;
    write_text(folder / "o.json", text);
    return load_order(folder / "o.json", n);
}

std::string refused_order(const std::string& text, const network& n) {
    const temporary_folder folder;
    write_text(folder / "o.json", text);
    return without_file(words_of([&] { load_order(folder / "o.json", n); }), folder / "o.json");
}

}  // namespace

TEST_CASE("orders are saved and loaded") {
    const network n = matrices(4);
    const contraction_order o =
        contraction_order::from_ssa(n, {{1, 2}, {0, 4}, {5, 3}}, {{1, 3}, {2, 2}});
    const temporary_folder folder;
    save_order(folder / "o.json", o);
    const contraction_order again = load_order(folder / "o.json", n);
    CHECK(again.json() == o.json());
    CHECK(again.slices() == 6);
    CHECK(without_file(words_of([&] { load_order(folder / "o.json", matrices(3)); }),
                       folder / "o.json") ==
          "the order is of a network of 4 tensors, and this one has 3");
    CHECK_FALSE(words_of([&] { save_order("/nowhere/o.json", o); }).empty());
}

TEST_CASE("paths of other programs are orders") {
    const network n = matrices(4);
    const pair_list right{{0, 1}, {2, 3}, {4, 5}};
    CHECK(order_in("[[0, 1], [0, 1], [0, 1]]", n).ssa() == right);
    CHECK(order_in(R"({"path": [[0, 1], [0, 1], [0, 1]]})", n).ssa() == right);
    CHECK(order_in(R"({"ssa_path": [[0, 1], [2, 3], [4, 5]]})", n).ssa() == right);
    CHECK(order_in(R"({"format_string": "ab", "paths": {
        "opt_size": {"path": [[2, 3], [0, 1], [0, 1]], "size": 3.5},
        "opt_flops": {"size": 3, "path": [[0, 1], [0, 1], [0, 1]]}}})",
                   n)
              .ssa() == right);
    CHECK(order_in(R"({"paths": {"opt_size": {"path": [[0, 1], [0, 1], [0, 1]]}}})", n).ssa() ==
          right);
    // a step of one operand renames it, one of three is two products
    CHECK(order_in("[[1], [0, 1, 2], [0, 1]]", n).ssa() == pair_list{{0, 2}, {4, 3}, {1, 5}});
    CHECK(order_in(R"({"ssa_path": [[1], [0, 4], [2, 3, 5]]})", n).ssa() ==
          pair_list{{0, 1}, {2, 3}, {5, 4}});
}

TEST_CASE("trees of OMEinsum are orders") {
    const network n = matrices(3);
    const std::string tree =
        R"({"label-type": "Int64", "inputs": [[0, 1]], "output": [0, 3], "tree":
        {"isleaf": false, "eins": {"ixs": [[0, 2], [2, 3]], "iy": [0, 3]}, "args": [
            {"args": [{"isleaf": true, "tensorindex": 1}, {"tensorindex": 2, "isleaf": true}],
             "isleaf": false, "eins": {"ixs": [], "iy": []}},
            {"args": [{"isleaf": true, "tensorindex": 3}], "isleaf": false}]}, "slices": [1, 2]})";
    const contraction_order o = order_in(tree, n);
    CHECK(o.ssa() == pair_list{{0, 1}, {3, 2}});
    REQUIRE(o.sliced().size() == 2);
    CHECK(o.sliced()[0].index == 1);
    CHECK(o.sliced()[0].parts == 3);
    CHECK(refused_order(tree, matrices(4)) == "its tree has 3 tensors, and the network 4");
    CHECK(order_in(R"({"tree": {"isleaf": true, "tensorindex": 1}})", matrices(1)).ssa().empty());
}

TEST_CASE("a tree as deep as it has tensors is read") {
    constexpr std::size_t count = 50000;
    network n;
    for (std::size_t k = 0; k < count; ++k) n.add(shape(element::f64, {2}), {0});
    std::string text = R"({"tree": )", tail;
    for (std::size_t k = 0; k + 1 < count; ++k) {
        text += R"({"args": [)";
        tail += R"(, {"tensorindex": )" + std::to_string(k + 2) + "}]}";
    }
    text += R"({"tensorindex": 1})" + tail + "}";
    const contraction_order o = order_in(text, n);
    CHECK(o.ssa().front() == std::pair<std::size_t, std::size_t>(0, 1));
    CHECK(o.ssa().size() == count - 1);
}

TEST_CASE("what holds no order is refused in one sentence") {
    const network n = matrices(3);
    CHECK(refused_order("{}", n).substr(0, 15) == "it has no order");
    CHECK(refused_order("[[0, 1]\n, [0, -1]]", n) == "line 2: a step takes a number below 0");
    CHECK(refused_order("[[0, 1], [0, 2]]", n) ==
          "step 1 takes position 2, and 2 tensors are left");
    CHECK(refused_order("[[0, 0], [0, 1]]", n) == "step 0 takes a position twice");
    CHECK(refused_order("[[0, 1], []]", n) == "step 1 takes no operands");
    CHECK(refused_order("[[0, 1]]", n) ==
          "this is no order of the network: 3 tensors take 2 products, and 1 are given");
    CHECK(refused_order(R"({"ssa_path": [[0, 1], [0, 2]]})", n) ==
          "step 1 takes entry 0, which was taken before");
    CHECK(refused_order(R"({"ssa_path": [[0, 3], [1, 2]]})", n) ==
          "step 0 takes entry 3, and there are 3 by then");
    CHECK(refused_order(R"({"tree": {"args": [{"tensorindex": 1}, {"tensorindex": 1}]}})",
                        matrices(2)) ==
          "this is no order of the network: product 0 is of entry 0, which product 0 used");
    CHECK(refused_order(R"({"tree": {"args": [{"tensorindex": 1}, {"tensorindex": 9}]}})",
                        matrices(2)) == "line 1: it has 2 tensors, and one is number 9");
    CHECK(refused_order(R"({"tree": {"args": []}})", n) ==
          "line 1: a node of the tree has to have a tensor or arguments");
}

TEST_CASE("orders with a byte changed, or cut, are orders or refused in a sentence") {
    const network n = matrices(3);
    const std::string whole[] = {
        contraction_order::from_ssa(n, {{1, 2}, {0, 3}}, {{1, 3}}).json(),
        "[[0, 1], [0, 1]]",
        R"({"paths": {"opt_size": {"path": [[0, 1], [0, 1]]}}})",
        R"({"ssa_path": [[0, 1], [2, 3]]})",
        R"({"tree": {"args": [{"tensorindex": 1}, {"args": [{"tensorindex": 2}, {"tensorindex": 3}]}]}, "slices": [2]})",
    };
    const temporary_folder folder;
    std::size_t refused = 0, read = 0;
    for (const std::string& text : whole)
        for (std::size_t k = 0; k < text.size(); ++k)
            for (const char c : {'0', '9', '-', ' ', '"', ']', '{', 'x', '\0'}) {
                std::string other = text;
                other[k] = c;
                write_text(folder / "o.json", c == 'x' ? text.substr(0, k) : other);
                const std::string words = words_of([&] { load_order(folder / "o.json", n); });
                if (words.empty()) ++read;
                else ++refused;
                if (!words.empty())
                    REQUIRE(without_file(words, folder / "o.json").substr(0, 11) != "NO SENTENCE");
            }
    CHECK(refused > 1000);
    CHECK(read > 50);
}
