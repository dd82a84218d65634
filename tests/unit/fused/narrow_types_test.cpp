// Programs over all pairs with operands of 16 bits: each is computed in float, and what the text
// names is rounded once. A plane that no text names is never rounded.
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/catch.hpp"
#include "tests/unit/bound_program.hpp"

namespace {

using ricci::element;
using ricci::testing::bound_program;
using ricci::testing::shape;

struct pairs_program {
    std::string text;
    std::vector<std::pair<std::string, shape>> operands;
    std::pair<std::string, shape> result;
    int rounded = 0;  // tensors that the text names, on the way to a result
};

const std::vector<pairs_program>& programs() {
    static const std::vector<pairs_program> all = {
        {R"(l^i = \operatorname{logsumexp}_j(\frac{1}{4} Q^{ia} K^{ja}))",
         {{"Q", {150, 16}}, {"K", {129, 16}}},
         {"l", {150}}},
        {R"(O^{ic} = \sum_j \operatorname{softmax}_j(\frac{1}{4} Q^{ia} K^{ja}) V^{jc})",
         {{"Q", {130, 16}}, {"K", {97, 16}}, {"V", {97, 8}}},
         {"O", {130, 8}}},
        {R"(m^i = \min_j \sum_a (x^{ia} - z^{ja})^2)",
         {{"x", {131, 20}}, {"z", {150, 20}}},
         {"m", {131}}},
        {R"(f^i = \sum_j \exp(-\frac{1}{2} \sum_a (x^{ia} - z^{ja})^2) v^j)",
         {{"x", {97, 3}}, {"z", {150, 3}}, {"v", {150}}},
         {"f", {97}}},
        {R"(F^{ia} = \sum_j m^j \frac{x^{ja} - x^{ia}}{(\sum_b (x^{jb} - x^{ib})^2 + 0.1)^{3/2}})",
         {{"x", {129, 3}}, {"m", {129}}},
         {"F", {129, 3}}},
        {R"(S^{hij} = \frac{1}{4} Q^{hia} K^{hja}
            M^{hij} = \begin{cases} S^{hij} & \text{if } j \le i \\ -\infty & \text{otherwise} \end{cases}
            A^{hij} = \operatorname{softmax}_j(M^{hij})
            O^{hic} = A^{hij} V^{hjc})",
         {{"Q", {2, 130, 16}}, {"K", {2, 130, 16}}, {"V", {2, 130, 8}}},
         {"O", {2, 130, 8}},
         3},
        {R"(d^{ij} = \sum_a (x^{ia} - z^{ja})^2
            K^{ij} = \exp(-\frac{1}{2} d^{ij})
            f^i = K^{ij} v^j)",
         {{"x", {97, 3}}, {"z", {150, 3}}, {"v", {150}}},
         {"f", {97}},
         2},
    };
    return all;
}

/// Half a unit of the last place of a number of about 1.
double rounding(element type) { return type == element::bf16 ? 0x1p-8 : 0x1p-11; }

/// The largest error of the program's results beside what it gives in double of the same numbers,
/// in halves of units of the last place of numbers as large as the result, or of 1.
double worst(const ricci::ir::program& program, const pairs_program& what, element type,
             bool with_slope) {
    auto operands = what.operands;
    if (with_slope) operands.push_back({"dL/d" + what.result.first, what.result.second});
    bound_program narrow(ricci::ir::program(program.view()), type, 7);
    bound_program wide(ricci::ir::program(program.view()), element::f64, 7);
    wide.fuse = false;
    for (const auto& [name, extents] : operands) {
        const auto given = narrow.input(name, extents).operand(narrow.name(name)).values();
        auto& same = wide.input(name, extents).operand(wide.name(name));
        std::size_t k = 0;
        same.each([&](std::int64_t at) { same.set(at, static_cast<double>(given.values[k++])); });
    }
    auto step = narrow.prepare(), exact = wide.prepare();
    step.run(), exact.run();
    double most = 0;
    for (const auto output : narrow.output_names()) {
        const auto got = narrow.result(output).values(), want = wide.result(output).values();
        for (std::size_t k = 0; k < want.values.size(); ++k) {
            const auto size = 1 + std::abs(static_cast<double>(want.values[k]));
            const auto error = std::abs(static_cast<double>(got.values[k] - want.values[k]));
            if (!(error / size <= most)) most = error / size;  // and where it is no number
        }
    }
    return most / rounding(type);
}

}  // namespace

TEST_CASE("all pairs of numbers of 16 bits are computed in float", "[narrow]") {
    for (const element type : {element::bf16, element::f16})
        for (const auto& what : programs()) {
            INFO(ricci::name_of(type) << "\n" << what.text);
            // A rounded score is off by its size, below 4, and so, as a factor, is its exponential.
            CHECK(worst(bound_program::parsed(what.text), what, type, false) <=
                  1.01 + 4 * what.rounded);
        }
}

TEST_CASE("gradients over all pairs of numbers of 16 bits are right up to rounding", "[narrow]") {
    for (const element type : {element::bf16, element::f16})
        for (const auto& what : programs()) {
            // Values that rounding makes equal share the gradient of a minimum.
            if (what.text.find("\\min") != std::string::npos) continue;
            INFO(ricci::name_of(type) << "\n" << what.text);
            std::vector<std::string> inputs;
            for (const auto& operand : what.operands) inputs.push_back(operand.first);
            const auto program = ricci::testing::program_of(ricci::testing::gradient_of(
                bound_program::parsed(what.text), what.result.first, inputs, true));
            CHECK(worst(program, what, type, true) <= 16);
        }
}
