// What derived equations cost beside those they are derived from, as the plan counts it.
#include <cstdlib>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <ricci/engine/executable.hpp>

#include "tests/catch.hpp"
#include "tests/unit/bound_program.hpp"

using namespace ricci;
using testing::layout;
using testing::memory;
using testing::shape;

namespace {

using named_shapes = std::map<std::string, shape>;

std::string spelled(detail::text_view t) { return {t.begin(), t.end()}; }

/// The operations of a program as its plan counts them, every tensor stored; nothing is run.
double operations(const ir::program& program, const named_shapes& shapes) {
    const ir::program_view p = program;
    std::mt19937 random(1);
    std::deque<memory> owned;
    std::vector<engine::operand> inputs;
    for (ir::ref n = 0; n < p.names.size(); ++n) {
        const auto found = shapes.find(spelled(p.name(n)));
        if (found == shapes.end() || p.definition(n) != ir::none) continue;
        auto& m = owned.emplace_back(element::f32, found->second, layout::row_major, random);
        engine::operand o;
        o.name = n;
        o.rank = static_cast<std::int32_t>(m.extents.size());
        o.data = m.data();
        o.extents = m.extents.data();
        o.strides = m.strides.data();
        inputs.push_back(o);
    }
    engine::request r;
    r.program = p;
    r.inputs = inputs.data();
    r.input_count = static_cast<std::int32_t>(inputs.size());
    r.fuse = false;
    struct outputs {
        std::deque<memory> owned;
        std::mt19937 random{1};
    } made;
    r.context = &made;
    r.allocate = [](void* self, ir::ref, std::int32_t rank, const std::int64_t* extents) {
        auto& me = *static_cast<outputs*>(self);
        return me.owned
            .emplace_back(element::f32, shape(extents, extents + rank), layout::row_major,
                          me.random)
            .data();
    };
    const std::string words = engine::executable(r).explain();
    // "total: 9 steps, 1.25 GFLOP, ..."
    const auto line = words.find("total: "), number = words.find("steps, ", line) + 7;
    REQUIRE(line != std::string::npos);
    char* end = nullptr;
    double value = std::strtod(words.c_str() + number, &end);
    const std::string prefixes = "kMGTP";
    const auto prefix = prefixes.find(end[1]);
    for (std::size_t k = 0; prefix != std::string::npos && k <= prefix; ++k) value *= 1000;
    return value;
}

/// How many times the operations of a program its value and gradient take.
double growth(const std::string& text, const std::string& of, const std::vector<std::string>& by,
              named_shapes shapes) {
    const auto parsed = testing::read_equations(text);
    REQUIRE(!parsed.mistake);
    const auto derived = testing::gradient_of(parsed.program, of, by, true);
    REQUIRE(!derived.mistake);
    const double forward = operations(parsed.program, shapes);
    const double both = operations(derived.program, shapes);
    INFO(both << " operations, forward alone " << forward);
    CHECK(forward > 0);
    return both / forward;
}

const std::string attention = R"(
    Q^{hia} = X^{ib} W_Q^{hba}
    K^{hja} = X^{jb} W_K^{hba}
    V^{hjc} = X^{jb} W_V^{hbc}
    S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja}
    A^{hij} = \frac{\exp(S^{hij})}{\sum_{j'} \exp(S^{hij'})}
    O^{hic} = A^{hij} V^{hjc}
    Y^{id}  = O^{hic} W_O^{hcd}
)";
named_shapes attention_shapes(std::int64_t n, std::int64_t width, std::int64_t heads) {
    const std::int64_t column = width / heads;
    return {{"X", {n, width}},
            {"W_Q", {heads, width, column}},
            {"W_K", {heads, width, column}},
            {"W_V", {heads, width, column}},
            {"W_O", {heads, column, width}},
            {"d_k", {}},
            {"dL/dY", {n, width}}};
}

}  // namespace

// Every product of the forward program has two in the gradient: three times, and what is left to
// the element-wise steps.
TEST_CASE("value and gradient of the attention layer cost 3.2 times the layer at most") {
    const std::vector<std::string> all{"X", "W_Q", "W_K", "W_V", "W_O"};
    CHECK(growth(attention, "Y", all, attention_shapes(1024, 512, 8)) <= 3.2);
    CHECK(growth(attention, "Y", all, attention_shapes(256, 512, 8)) <= 3.2);
    CHECK(growth(attention, "Y", all, attention_shapes(2048, 256, 4)) <= 3.2);
}

TEST_CASE("value and gradient of a feed-forward layer cost 3.2 times the layer at most") {
    const std::string layer = R"(
        H^{if} = \operatorname{relu}(X^{ia} U^{af} + u^f)
        Y^{ia} = H^{if} W^{fa} + w^a
    )";
    CHECK(growth(layer, "Y", {"X", "U", "u", "W", "w"},
                 {{"X", {128, 64}},
                  {"U", {64, 256}},
                  {"u", {256}},
                  {"W", {256, 64}},
                  {"w", {64}},
                  {"dL/dY", {128, 64}}}) <= 3.2);
}

// What the equations of the gradient have in common with the forward program, and with each other,
// stands inside each of them; it is computed once.
TEST_CASE("a layer written in one equation costs no more than in several") {
    const named_shapes layer{{"X", {128, 64}}, {"U", {64, 256}}, {"u", {256}},
                             {"W", {256, 64}}, {"w", {64}},      {"dL/dY", {128, 64}}};
    CHECK(growth(R"(Y^{ia} = \operatorname{gelu}(X^{ib} U^{bf} + u^f) W^{fa} + w^a)", "Y",
                 {"X", "U", "u", "W", "w"}, layer) <= 3.3);
    const named_shapes heads{{"Q", {4, 128, 64}},
                             {"K", {4, 128, 64}},
                             {"V", {4, 128, 64}},
                             {"d_k", {}},
                             {"dL/dO", {4, 128, 64}}};
    CHECK(
        growth(R"(O^{hic} = \operatorname{softmax}_j(\frac{Q^{hia} K^{hja}}{\sqrt{d_k}}) V^{hjc})",
               "O", {"Q", "K", "V"}, heads) <= 3.3);
}
