// Planned and compiled execution against the interpreter: programs as papers write them, random
// contractions, aliasing, and the refusals.
#include "tests/catch.hpp"

#include <algorithm>
#include <set>
#include <string>

#include <ricci/error.hpp>

#include "src/plan/bind/overlap.hpp"
#include "tests/unit/attention.hpp"
#include "tests/unit/bound_program.hpp"

using namespace ricci;
using testing::attention;
using testing::bound_program;
using testing::Contains;
using testing::layout;
using testing::shape;

namespace {

const element both[] = {element::f32, element::f64};

/// Names with their shapes: "A" 3 4, ...
using named_shapes = std::vector<std::pair<std::string, shape>>;

std::string compared(const std::string& text, const named_shapes& inputs, unsigned seed = 1) {
    std::string words;
    for (const element type : both)
        for (const layout l : {layout::row_major, layout::shuffled}) {
            bound_program program(text, type, seed++);
            for (const auto& [name, extents] : inputs)
                if (program.name(name) != ir::none) program.input(name, extents, l);
            words += program.compare();
        }
    return words;
}

std::string refusal(bound_program& program) {
    try {
        program.prepare();
    } catch (const error& e) {
        return e.what();
    }
    return "";
}

}  // namespace

TEST_CASE("attention forward, twice with the same executable") {
    for (const element type : both) {
        bound_program p(attention, type, 7);
        p.input("X", {9, 12})
            .input("W_Q", {2, 12, 5})
            .input("W_K", {2, 12, 5})
            .input("W_V", {2, 12, 6});
        p.input("W_O", {2, 6, 12}).number("d_k", 5).keep("A");
        CHECK(p.compare(0, 2) == "");
    }
}

TEST_CASE("a scalar operand is read when the steps run") {
    bound_program p(attention, element::f64, 8);
    auto& d = p.allocate({});
    d.set(0, 4.0);
    p.input("X", {5, 6}).input("W_Q", {2, 6, 3}).input("W_K", {2, 6, 3}).input("W_V", {2, 6, 4});
    p.input("W_O", {2, 4, 6}).input("d_k", d);
    CHECK(p.compare() == "");
}

TEST_CASE("element-wise expressions") {
    const std::vector<std::pair<std::string, named_shapes>> cases = {
        {"Y^{ij} = X^{ij} + b^{j}", {{"X", {5, 7}}, {"b", {7}}}},
        {"Y^{ji} = X^{ij} - 2 b^{j} - c", {{"X", {5, 7}}, {"b", {7}}, {"c", {}}}},
        {"Y^{ij} = \\frac{X^{ij}}{2 + (b^{j})^2} \\exp(X^{ij})", {{"X", {5, 7}}, {"b", {7}}}},
        {"Y^{ij} = \\tanh(X^{ij}) \\cos(b^{j}) + (X^{ij})^3 - |X^{ij}|",
         {{"X", {90, 7}}, {"b", {7}}}},
        {"Y^{ij} = \\operatorname{gelu}(X^{ij}) \\operatorname{sigmoid}(b^{j}) "
         "\\operatorname{silu}(X^{ij})",
         {{"X", {5, 7}}, {"b", {7}}}},
        {"Y^{ij} = \\max(X^{ij}, b^{j}) + \\min(X^{ij}, 0.25)", {{"X", {5, 7}}, {"b", {7}}}},
        {"Y^{ij} = X^{ij} [j \\le i] + i - 2 j", {{"X", {5, 7}}}},
        {"Y^{ij} = \\begin{cases} X^{ij} & \\text{if } |i - j| \\le 2 \\\\ -1 & \\text{otherwise} "
         "\\end{cases}",
         {{"X", {6, 7}}}},
        {"Y^{ij} = X^{ij} \\delta^{ij}", {{"X", {6, 6}}}},
        {"Y^{ij} = X^{ji}", {{"X", {33, 21}}}},
        {"Y^{i} = X^{ii}", {{"X", {6, 6}}}},
        {"Y = x y + 1", {{"x", {}}, {"y", {}}}},
        {"Y^{i} = e^{-2 x} X^{i} + \\frac{1}{2}", {{"x", {}}, {"X", {40}}}},
    };
    unsigned seed = 100;
    for (const auto& [text, inputs] : cases) {
        INFO(text);
        CHECK(compared(text, inputs, seed += 10) == "");
    }
}

TEST_CASE("sums, folds and softmax") {
    const std::vector<std::pair<std::string, named_shapes>> cases = {
        {"Y^{i} = \\sum_j X^{ij}", {{"X", {5, 70}}}},
        {"Y = \\sum_{i,j} X^{ij}", {{"X", {5, 7}}}},
        {"Y^{j} = \\sum_i X^{ij} b^{j} c", {{"X", {5, 7}}, {"b", {7}}, {"c", {}}}},
        {"Y^{i} = \\sum_j (X^{ij} + c^{i})", {{"X", {5, 7}}, {"c", {5}}}},
        {"Y^{i} = \\operatorname{mean}_j(X^{ij} Z^{ij})", {{"X", {5, 7}}, {"Z", {5, 7}}}},
        {"Y^{ik} = \\operatorname{mean}_j(X^{ij} Z^{jk})", {{"X", {5, 7}}, {"Z", {7, 4}}}},
        {"Y^{i} = \\max_j(X^{ij} b^{j}) - \\min_j(X^{ij})", {{"X", {5, 7}}, {"b", {7}}}},
        {"Y^{ij} = \\operatorname{softmax}_j(2 X^{ij} + b^{j})", {{"X", {5, 7}}, {"b", {7}}}},
        {"Y^{ij} = 3 \\operatorname{softmax}_i(X^{ij}) + X^{ij}", {{"X", {5, 7}}}},
        {"Y^{i} = \\operatorname{logsumexp}_j(3 X^{ij}) b^{i}", {{"X", {5, 7}}, {"b", {5}}}},
        {"Y^{ik} = \\operatorname{softmax}_k(A^{ij} B^{jk})", {{"A", {5, 3}}, {"B", {3, 8}}}},
        {"Y^{ij} = \\frac{\\exp(X^{ij})}{\\sum_{j'} \\exp(X^{ij'})}", {{"X", {5, 7}}}},
        {"Y^{ij} = \\operatorname{softmax}_j(\\begin{cases} X^{ij} & \\text{if } j < i \\\\ "
         "-\\infty & "
         "\\text{otherwise} \\end{cases})",
         {{"X", {5, 5}}}},
        {"Y^{ia} = \\frac{X^{ia} - \\operatorname{mean}_{a'} "
         "X^{ia'}}{\\sqrt{\\operatorname{mean}_{a'} ((X^{ia'})^2) + 0.1}}",
         {{"X", {5, 7}}}},
        {"Y^{i} = -\\sum_j A^{ij} \\log(2 + A^{ij})", {{"A", {5, 7}}}},
    };
    unsigned seed = 300;
    for (const auto& [text, inputs] : cases) {
        INFO(text);
        CHECK(compared(text, inputs, seed += 10) == "");
    }
}

TEST_CASE("contractions in larger expressions") {
    const std::vector<std::pair<std::string, named_shapes>> cases = {
        {"Y^{ik} = A^{ij} B^{jk} + C^{ik}", {{"A", {5, 3}}, {"B", {3, 8}}, {"C", {5, 8}}}},
        {"Y^{ik} = -A^{ij} B^{jk} + 2 A^{ij} D^{kj} + b^{k}",
         {{"A", {5, 3}}, {"B", {3, 8}}, {"D", {8, 3}}, {"b", {8}}}},
        {"Y^{ik} = c (A^{ij} B^{jk} + 2 A^{ij} D^{kj})",
         {{"A", {5, 3}}, {"B", {3, 8}}, {"D", {8, 3}}, {"c", {}}}},
        {"Y^{ik} = A^{ij} B^{jk} + u^{i} v^{i}",
         {{"A", {5, 3}}, {"B", {3, 8}}, {"u", {5}}, {"v", {5}}}},
        {"Y^{ik} = \\sum_j (A^{ij} B^{jk} + C^{ij})",
         {{"A", {5, 3}}, {"B", {3, 8}}, {"C", {5, 3}}}},
        {"Y^{ik} = \\sum_j \\exp(A^{ij}) B^{jk} / (2 + z^{i})",
         {{"A", {5, 3}}, {"B", {3, 8}}, {"z", {5}}}},
        {"Y^{jb} = \\sum_i A^{ij} (P^{ij} - D^{i}) K^{ib}",
         {{"A", {5, 6}}, {"P", {5, 6}}, {"D", {5}}, {"K", {5, 4}}}},
        {"Y^{ij} = A^{ij} (P^{ij} - \\sum_{j'} A^{ij'} P^{ij'})", {{"A", {5, 6}}, {"P", {5, 6}}}},
        {"Y^{ij} = \\sum_a Q^{ia} (K^{ja} + R^{ia})",
         {{"Q", {5, 6}}, {"K", {7, 6}}, {"R", {5, 6}}}},
        {"Y^{i} = A^{ij} x^{j}", {{"A", {50, 60}}, {"x", {60}}}},
        {"Y^{ij} = u^{i} v^{j}", {{"u", {5}}, {"v", {6}}}},
        {"Y = u^{i} v^{i}", {{"u", {50}}, {"v", {50}}}},
        {"Y = u^{i} M^{ij} v^{j}", {{"u", {5}}, {"M", {5, 6}}, {"v", {6}}}},
        {"Y^{ij} = (u^{a} v^{a}) X^{ij}", {{"u", {5}}, {"v", {5}}, {"X", {3, 4}}}},
        {"Y^{ik} = (u^{a} v^{a}) A^{ij} B^{jk}",
         {{"u", {5}}, {"v", {5}}, {"A", {3, 4}}, {"B", {4, 6}}}},
        {"Y^{il} = A^{ij} (B^{jk} C^{kl})", {{"A", {5, 9}}, {"B", {9, 2}}, {"C", {2, 7}}}},
        {"Y^{il} = \\tanh(A^{ij} B^{jk}) C^{kl}", {{"A", {5, 9}}, {"B", {9, 2}}, {"C", {2, 7}}}},
        {"Y^{i} = \\sum_j A^{ij} \\delta^{ji} + A^{ii}", {{"A", {5, 5}}}},
        {"Y^{ik} = \\sum_j [j \\le i] B^{jk} + z^{i}", {{"B", {6, 4}}, {"z", {6}}}},
        {"Y^{ik} = \\tanh(A^{ij} B^{jk} + z^{i}) - \\max_{i'} (A^{i'j} B^{jk})",
         {{"A", {5, 3}}, {"B", {3, 8}}, {"z", {5}}}},
        {"Y^{ik} = \\operatorname{softmax}_k(z^{i} A^{ij} B^{jk} - (A^{ij} B^{jk})^2)",
         {{"A", {5, 3}}, {"B", {3, 8}}, {"z", {5}}}},
        {"P^{ij} = A^{ia} A^{ja}; R^{ij} = \\exp(P^{ij}); T^{ij} = R^{ij} + P^{ji} + R^{ji}; "
         "Y^{ij} = T^{ij} + T^{ji}",
         {{"A", {6, 3}}}},
        {"P^{ik} = A^{ij} B^{jk}; Y^{ik} = P^{ik} + (P^{ik})^2", {{"A", {5, 3}}, {"B", {3, 8}}}},
    };
    unsigned seed = 600;
    for (const auto& [text, inputs] : cases) {
        INFO(text);
        CHECK(compared(text, inputs, seed += 10) == "");
    }
}

TEST_CASE("merged, fixed and affine positions") {
    for (const element type : both) {
        for (unsigned seed = 1; seed < 4; ++seed) {
            INFO("seed " << seed);
            bound_program split("Q^{hia} = P^{i(ha)}", type, seed);
            CHECK(split.input("P", {5, 12}).extent("h", 3).compare() == "");
            bound_program merge("Y^{i(hc)} = O^{hij} V^{hjc}", type, seed);
            CHECK(merge.input("O", {3, 5, 4}).input("V", {3, 4, 6}).compare() == "");
            bound_program fixed("Q^{hia} = R^{i1ha}", type, seed);
            CHECK(fixed.input("R", {5, 2, 3, 4}).compare() == "");
            bound_program toeplitz("S^{ij} = Q^{ia} K^{ja} + b^{i-j}", type, seed);
            CHECK(toeplitz.input("Q", {5, 3}).input("K", {6, 3}).input("b", {10}).compare() == "");
            bound_program convolution("Y^{ic} = x^{(i+k)d} w^{kdc}", type, seed);
            CHECK(convolution.input("x", {12, 2}).input("w", {3, 2, 4}).compare() == "");
            bound_program odd("Y^{i} = x^{2i+1}", type, seed);
            CHECK(odd.input("x", {12}).compare() == "");
            bound_program parts("Y^{2i} = x^{i}; Y^{2i+1} = w^{ij} x^{j}", type, seed);
            CHECK(parts.input("x", {6}).input("w", {6, 6}).compare() == "");
            bound_program accumulate("Y^{i} = x^{(2i+1)j} w^{j}", type, seed);
            accumulate.alpha = 2, accumulate.beta = -0.5;
            CHECK(accumulate.input("x", {12, 3}).input("w", {3}).output("Y", {6}).compare() == "");
        }
    }
}

TEST_CASE("random contractions of one to four operands") {
    for (unsigned seed = 0; seed < 160; ++seed) {
        std::mt19937 random(seed);
        const std::string letters = "ijklmn";
        std::map<char, std::int64_t> extents;
        for (char c : letters)
            extents[c] = std::vector<std::int64_t>{1, 2, 3, 5, 7, 4}[random() % 6];
        if (random() % 20 == 0) extents['j'] = 0;
        const auto operands = 1 + random() % 4;
        std::map<char, int> seen;
        std::string right, over;
        named_shapes inputs;
        for (unsigned k = 0; k < operands; ++k) {
            std::string at;
            for (auto rank = random() % 4; rank > 0; --rank)
                at += letters[random() % letters.size()];
            const std::string name(1, static_cast<char>('A' + k));
            shape s;
            for (char c : at) s.push_back(extents[c]), ++seen[c];
            right += " " + name + (at.empty() ? "" : "^{" + at + "}");
            inputs.emplace_back(name, s);
        }
        std::string left;
        for (const auto& [c, count] : seen) {
            if (random() % 2)
                left.insert(
                    left.begin() + static_cast<std::ptrdiff_t>(random() % (left.size() + 1)), c);
            else over += (over.empty() ? "" : ",") + std::string(1, c);
        }
        const std::string text = "Y" + (left.empty() ? "" : "^{" + left + "}") + " =" +
                                 (over.empty() ? "" : " \\sum_{" + over + "}") + right;
        INFO(text << " seed " << seed);
        CHECK(compared(text, inputs, 1000 + 7 * seed) == "");
    }
}

TEST_CASE("random chains of equations share the workspace") {
    for (unsigned seed = 0; seed < 60; ++seed) {
        std::mt19937 random(seed);
        std::string text;
        std::vector<std::string> names = {"A", "B"};
        for (int k = 0; k < 7; ++k) {
            const auto any = [&] {
                return names[names.size() - 1 - random() % std::min<std::size_t>(names.size(), 4)];
            };
            const std::string x = any(), y = any(), z = any();
            const std::vector<std::string> bodies = {
                x + "^{ij} + \\tanh(" + y + "^{ij})",
                x + "^{ij} " + y + "^{ji} - " + z + "^{ij}",
                "\\operatorname{softmax}_j(" + x + "^{ij})",
                x + "^{ia} " + y + "^{ja} + " + z + "^{ij}",
                "\\tanh(" + x + "^{ia} " + y + "^{aj}) " + z + "^{ij}",
                x + "^{ij} \\max_{j'} " + y + "^{ij'}"};
            const std::string name = k == 6 ? "Y" : std::string(1, static_cast<char>('C' + k));
            text += name + "^{ij} = " + bodies[random() % bodies.size()] + "\n";
            names.push_back(name);
        }
        INFO(text << " seed " << seed);
        CHECK(compared(text, {{"A", {5, 5}}, {"B", {5, 5}}}, seed) == "");
    }
}

TEST_CASE("products of twelve operands, and of more than have an exact path") {
    const std::string letters = "abcdefghijklmnop";
    for (const int count : {12, 15}) {
        std::string text = "Y^{a" + letters.substr(static_cast<std::size_t>(count), 1) + "} =";
        named_shapes inputs;
        for (int k = 0; k < count; ++k) {
            const auto at = static_cast<std::size_t>(k);
            const std::string name(1, static_cast<char>('A' + k));
            text += " " + name + "^{" + letters.substr(at, 2) + "}";
            inputs.emplace_back(name, shape{1 + k % 2, 1 + (k + 1) % 2});
        }
        CHECK(compared(text, inputs) == "");
    }
}

TEST_CASE("extents of 0 and 1") {
    CHECK(compared("Y^{ik} = A^{ij} B^{jk}", {{"A", {3, 0}}, {"B", {0, 4}}}) == "");
    CHECK(compared("Y^{ik} = A^{ij} B^{jk} + C^{ik}",
                   {{"A", {3, 0}}, {"B", {0, 4}}, {"C", {3, 4}}}) == "");
    CHECK(compared("Y^{ik} = A^{ij} B^{jk}", {{"A", {0, 3}}, {"B", {3, 4}}}) == "");
    CHECK(compared("Y^{ik} = A^{ij} B^{jk}", {{"A", {1, 3}}, {"B", {3, 1}}}) == "");
    CHECK(compared("Y^{ij} = \\operatorname{softmax}_j(A^{ij})", {{"A", {3, 1}}}) == "");
    CHECK(compared("Y^{i} = \\max_j(A^{ij}) + \\exp(\\sum_j A^{ij})", {{"A", {3, 0}}}) == "");
    CHECK(compared("Y^{ij} = \\operatorname{softmax}_j(A^{ia} B^{ja})",
                   {{"A", {0, 4}}, {"B", {3, 4}}}) == "");
}

TEST_CASE("alpha and beta") {
    for (const char* text :
         {"Y^{ik} = A^{ij} B^{jk}", "Y^{ik} = A^{ij} B^{jk} + 2 \\exp(A^{ij} B^{jk})",
          "Y^{ik} = \\operatorname{softmax}_k(A^{ij} B^{jk})"}) {
        bound_program p(text, element::f64, 5);
        p.alpha = 0.5, p.beta = -2;
        p.input("A", {5, 4}).input("B", {4, 6}).output("Y", {5, 6});
        INFO(text);
        CHECK(p.compare(0, 2) == "");
    }
    bound_program kept("P^{ik} = A^{ij} B^{jk}; Y^{i} = \\sum_k P^{ik}", element::f32, 5);
    kept.keep("P");
    kept.alpha = 3, kept.beta = 1;
    kept.input("A", {5, 4}).input("B", {4, 6}).output("P", {5, 6}).output("Y", {5});
    CHECK(kept.compare(0, 2) == "");  // Y is a sum over P as it was before it was scaled
}

TEST_CASE("an output may be an input's memory") {
    const std::vector<std::string> texts = {"Y^{ij} = 2 X^{ij} + \\exp(X^{ij})",
                                            "Y^{ij} = X^{ji}",
                                            "Y^{ij} = X^{ia} X^{ja}",
                                            "Y^{ij} = \\operatorname{softmax}_j(X^{ij})",
                                            "Y^{ij} = X^{ij} - \\max_{j'}(X^{ij'})",
                                            "Z^{ij} = X^{ij} + 1; Y^{ij} = Z^{ij} X^{ji}",
                                            "Y^{ij} = X^{ia} X^{ja} + X^{ij}"};
    for (const auto& text : texts)
        for (const element type : both) {
            bound_program p(text, type, 11);
            auto& m = p.allocate({6, 6});
            p.input("X", m).output("Y", m);
            INFO(text);
            CHECK(p.compare() == "");
        }
}

TEST_CASE("overlap is refused") {
    bound_program p("Y^{i} = 2 X^{i}", element::f32, 3);
    auto& m = p.allocate({20}, layout::row_major);
    auto part = [&](const char* name, std::int64_t first, const shape& extents,
                    const shape& strides) {
        return engine::operand{
            p.name(name),   1, static_cast<float*>(m.data()) + first, extents.data(),
            strides.data(), 0};
    };
    const shape five{5}, one{1}, two{2}, zero{0}, minus{-1};
    p.inputs = {part("X", 0, five, one)};
    p.outputs = {part("Y", 3, five, one)};
    CHECK_THAT(refusal(p), Contains("overlaps the input 'X'"));
    p.outputs = {part("Y", 5, five, one)};
    CHECK(refusal(p) == "");
    p.outputs = {part("Y", 4, five, minus)};
    CHECK_THAT(refusal(p), Contains("overlaps"));
    p.inputs = {part("X", 0, five, two)};
    p.outputs = {part("Y", 1, five, two)};  // interleaved
    CHECK(refusal(p) == "");
    p.outputs = {part("Y", 10, five, zero)};
    CHECK_THAT(refusal(p), Contains("two of its elements at one address"));
}

TEST_CASE("names and shapes are checked") {
    const auto program = [] { return bound_program("Y^{ik} = A^{ij} B^{jk}", element::f32, 3); };
    auto missing = program();
    missing.input("A", {3, 4});
    CHECK_THAT(refusal(missing), Contains("'B'"));
    auto extents = program();
    extents.input("A", {3, 4}).input("B", {5, 6});
    CHECK_THAT(refusal(extents), Contains("index j has extent 4"));
    CHECK_THAT(refusal(extents), Contains("A^{ij} B^{jk}"));
    auto rank = program();
    rank.input("A", {3, 4}).input("B", {4});
    CHECK_THAT(refusal(rank), Contains("rank"));
    auto twice = program();
    twice.input("A", {3, 4}).input("A", {3, 4});
    CHECK_THAT(refusal(twice), Contains("twice"));
    auto output = program();
    output.input("A", {3, 4}).input("B", {4, 6}).output("Y", {3, 5});
    CHECK_THAT(refusal(output), Contains("index k has extent"));
    auto wrong = program();
    wrong.input("A", {3, 4}).input("B", {4, 6}).output("A", {3, 4});
    CHECK_THAT(refusal(wrong), Contains("'A'"));
    bound_program reach("Y^{i} = x^{i} y^{i+1}", element::f32, 3);
    reach.input("x", {5}).input("y", {5});
    CHECK(refusal(reach) != "");
    bound_program huge("Y^{ijk} = x^{i} y^{j} z^{k}", element::f32, 3);
    const std::int64_t n = std::int64_t{1} << 31;
    const shape extent{n}, still{0};
    float value = 1;
    for (const char* name : {"x", "y", "z"})
        huge.inputs.push_back({huge.name(name), 1, &value, extent.data(), still.data(), 0});
    CHECK_THAT(refusal(huge), Contains("more elements than memory has addresses"));
}

TEST_CASE("overlap of strided tensors is exact") {
    // Random small footprints against a set of addresses.
    for (unsigned seed = 0; seed < 2000; ++seed) {
        std::mt19937 random(seed);
        static float ground[400];
        const auto make = [&] {
            plan::footprint f;
            f.element_size = sizeof(float);
            f.data = ground + 150 + random() % 60;
            for (auto rank = random() % 4; rank > 0; --rank) {
                f.extents.push_back(1 + static_cast<std::int64_t>(random() % 4));
                f.strides.push_back(static_cast<std::int64_t>(random() % 19) - 9);
            }
            return f;
        };
        const auto addresses = [](const plan::footprint& f) {
            std::vector<const float*> all{static_cast<const float*>(f.data)};
            for (std::size_t k = 0; k < f.extents.size(); ++k) {
                std::vector<const float*> next;
                for (const auto* p : all)
                    for (std::int64_t x = 0; x < f.extents[k]; ++x)
                        next.push_back(p + x * f.strides[k]);
                all = next;
            }
            return all;
        };
        const auto a = make(), b = make();
        const auto in_a = addresses(a), in_b = addresses(b);
        const std::set<const float*> set_a(in_a.begin(), in_a.end());
        const bool shared = std::any_of(in_b.begin(), in_b.end(),
                                        [&](const float* p) { return set_a.count(p) > 0; });
        INFO("seed " << seed);
        CHECK(plan::overlap(a, b) == shared);
        CHECK(plan::overlaps_itself(a) == (set_a.size() != in_a.size()));
    }
}
