// Programs over all pairs with operands of 16 bits: tiles are floats, results are rounded once, and
// nothing is stored over all pairs.
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "src/plan/make_plan.hpp"
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
         {"O", {2, 130, 8}}},
        {R"(d^{ij} = \sum_a (x^{ia} - z^{ja})^2
            m^i = \min_j d^{ij})",
         {{"x", {131, 20}}, {"z", {150, 20}}},
         {"m", {131}}},
        {R"(d^{ij} = \sum_a (x^{ia} - z^{ja})^2
            K^{ij} = \exp(-\frac{1}{2} d^{ij})
            f^i = K^{ij} v^j)",
         {{"x", {97, 3}}, {"z", {150, 3}}, {"v", {150}}},
         {"f", {97}}},
    };
    return all;
}

/// Half a unit of the last place of a number of about 1.
double rounding(element type) { return type == element::bf16 ? 0x1p-8 : 0x1p-11; }

std::vector<std::pair<std::string, shape>> operands_of(const pairs_program& what, bool with_slope) {
    auto all = what.operands;
    if (with_slope) all.push_back({"dL/d" + what.result.first, what.result.second});
    return all;
}

/// With operands of random numbers, and the slope of the result where that is asked for.
bound_program bound(const ricci::ir::program& program, const pairs_program& what, element type,
                    bool with_slope) {
    bound_program p(ricci::ir::program(program.view()), type, 7);
    for (const auto& [name, extents] : operands_of(what, with_slope)) p.input(name, extents);
    return p;
}

/// No tensor in the workspace has an element for each pair.
void check_nothing_stored(const ricci::ir::program& program, const pairs_program& what,
                          element type, bool with_slope) {
    auto p = bound(program, what, type, with_slope);
    const auto plan = ricci::plan::make_plan(p.request(), {});
    const auto points = [&](std::size_t operand) {
        const shape& extents = what.operands[operand].second;
        return extents[extents.size() < 2 ? 0 : extents.size() - 2];
    };
    const std::int64_t pairs = points(0) * points(1);
    for (const auto& s : plan.slots) {
        if (s.kind != ricci::plan::storage::workspace) continue;
        std::int64_t elements = 1;
        for (const auto extent : s.extents) elements *= extent;
        CHECK(elements < pairs);
    }
}

/// The largest error of the program's results beside what it gives in double of the same numbers,
/// every tensor stored, in halves of units of the last place of numbers as large, or of 1.
double worst(const ricci::ir::program& program, const pairs_program& what, element type,
             bool with_slope) {
    auto narrow = bound(program, what, type, with_slope);
    bound_program wide(ricci::ir::program(program.view()), element::f64, 7);
    wide.fuse = false;
    for (const auto& [name, extents] : operands_of(what, with_slope)) {
        const auto given = narrow.operand(narrow.name(name)).values();
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

/// `most`: in such halves.
void check(const ricci::ir::program& program, const pairs_program& what, element type,
           bool with_slope, double most) {
    INFO(ricci::name_of(type) << "\n" << what.text);
    CHECK(worst(program, what, type, with_slope) <= most);
    check_nothing_stored(program, what, type, with_slope);
}

}  // namespace

TEST_CASE("all pairs of numbers of 16 bits are computed in float", "[narrow]") {
    for (const element type : {element::bf16, element::f16})
        for (const auto& what : programs())
            check(bound_program::parsed(what.text), what, type, false, 1.01);
}

TEST_CASE("gradients over all pairs of numbers of 16 bits are right up to rounding", "[narrow]") {
    for (const element type : {element::bf16, element::f16})
        for (const auto& what : programs()) {
            std::vector<std::string> inputs;
            for (const auto& operand : what.operands) inputs.push_back(operand.first);
            const auto program = ricci::testing::program_of(ricci::testing::gradient_of(
                bound_program::parsed(what.text), what.result.first, inputs, true));
            check(program, what, type, true, 2);
        }
}

TEST_CASE("the maximum of sums of numbers of 16 bits is found among them", "[narrow]") {
    const auto program = ricci::testing::program_of(ricci::testing::gradient_of(
        bound_program::parsed(R"(m^{ik} = \max_j(A^{ij} + B^{jk}))"), "m", {"A", "B"}, true));
    for (const element type : {element::bf16, element::f16}) {
        bound_program p(ricci::ir::program(program.view()), type, 3);
        p.input("A", {30, 40}).input("B", {40, 50}).input("dL/dm", {30, 50});
        CHECK(p.compare(2 * rounding(type)) == "");
    }
}

TEST_CASE("what is compared with what is made of it has the bits that this was made of",
          "[narrow]") {
    // In float no score would be as large as a maximum that was rounded upwards.
    for (const element type : {element::bf16, element::f16}) {
        bound_program p(R"(S^{ij} = Q^{ia} K^{ja}
                           m^i = \max_j S^{ij}
                           n^i = \sum_j [S^{ij} \ge m^i])",
                        type, 5);
        p.input("Q", {150, 16}).input("K", {129, 16});
        p.prepare().run();
        for (const auto n : p.result(p.name("n")).values().values) CHECK(n >= 1);
    }
}
