// Claims in numbers: what is proved is equal at random inputs, and what is refuted differs where
// the counterexample says, both by the interpreter, which shares nothing with the compiler's
// arithmetic.
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <ricci/derive/try_on_numbers.hpp>
#include <ricci/detail/bind/parse_and_prove.hpp>

#include "tests/catch.hpp"
#include "tests/property/corpus.hpp"
#include "tests/property/corpus_shapes.hpp"
#include "tests/unit/interpreter.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

constexpr const char* claimed = "what is claimed";

/// Texts about attention whose last line is a claim; the corpus' own claims are the true ones.
const std::string attention =
    "S^{ij} = \\frac{1}{\\sqrt{d_k}} Q^{ia} K^{ja}\nA^{ij} = \\text{softmax}_j(S^{ij})\n"
    "O^{ib} = A^{ij} V^{jb}\n";
const std::vector<std::string> others = {
    "C^{i(hc)} = O^{hic}\nY^{id} = C^{i(hc)} W_O^{hcd} = O^{hic} W_O^{hcd}",
    "Y^{ij} = x^{i+j} = x^{j+i}",
    "Q^{hia} = X^{ib} W^{hba}\n\\frac{\\partial L}{\\partial W^{hba}} = \\frac{\\partial "
    "L}{\\partial "
    "Q^{gic}} \\frac{\\partial Q^{gic}}{\\partial W^{hba}}",
    "Z^{ij} = A^{ik} B^{kj} = A^{ik} B^{jk}",
    "Y^{ij} = x^{2i+j} = x^{i+2j}",
    "y^i = \\sqrt{(x^i)^2} = x^i",
    "E^{ij} = |i - j| = |j - i|",
    "X^{ia} = E^{x_i a}\n\\frac{\\partial L}{\\partial E^{va}} = \\sum_i [v = x_i] "
    "\\frac{\\partial "
    "L}{\\partial X^{ia}}",
    "X^{ia} = E^{x_i a}\n\\frac{\\partial L}{\\partial E^{va}} = \\sum_i [v \\le x_i] "
    "\\frac{\\partial "
    "L}{\\partial X^{ia}}",
    attention +
        "\\frac{\\partial L}{\\partial K^{kl}} = \\frac{1}{\\sqrt{d_k}} \\frac{\\partial "
        "L}{\\partial "
        "S^{ik}} Q^{il}",
    attention + "\\frac{\\partial O^{ib}}{\\partial V^{mn}} = A^{im} \\delta^b_n",
    attention + "\\frac{\\partial O^{ib}}{\\partial A^{mn}} = \\delta^i_m V^{nb}",
    attention +
        "\\frac{\\partial S^{ij}}{\\partial Q^{kl}} = \\frac{1}{\\sqrt{d_k}} \\delta^i_k K^{jl}",
    attention +
        "\\frac{\\partial A^{ij}}{\\partial S^{mn}} = \\delta^i_m A^{ij} (\\delta^j_n - A^{in})",
    attention +
        "\\frac{\\partial A^{ij}}{\\partial S^{mn}} = \\delta^i_m A^{ij} (\\delta^j_n - A^{jn})",
    attention +
        "\\frac{\\partial L}{\\partial S^{ij}} = A^{ij} \\frac{\\partial L}{\\partial A^{ij}}",
    attention + "\\frac{d A^{ij}}{d t} = A^{ij} \\frac{d S^{ij}}{d t}",
};

ir::ref find(const ir::program_view& p, const std::string& name) {
    return p.find({name.data(), static_cast<std::int32_t>(name.size())});
}

/// The shapes of both sides and of all between, and the extents that nothing shows.
void set_shapes(interpreter& oracle, const ir::program_view& p,
                const derive::example_shapes<>& shapes, ir::ref derived) {
    ir::shape_table table(p);
    if (!shapes.infer(table)) return;
    const ir::ref side = find(p, claimed);
    ir::shape_table again(p);
    again.set_shape(side, table.rank(derived), table.extents(derived));
    if (shapes.infer(again)) table = again;
    for (ir::ref n = 0; n < p.names.size(); ++n)
        if (table.rank(n) >= 0)
            oracle.shapes[n] = {table.extents(n), table.extents(n) + table.rank(n)};
    for (ir::ref i = 0; i < p.indices.size(); ++i)
        for (ir::ref e = 0; e < p.equations.size(); ++e)
            if (table.index_extent(e, i) >= 0) oracle.given[i] = table.index_extent(e, i);
}

/// Both sides at random inputs: an empty text where they are equal.
std::string compare(const ir::program_view& p, ir::ref derived) {
    const derive::example_shapes shapes(p, 2, false);
    const corpus_shapes places(p, 5);
    interpreter oracle(p);
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(0.2, 0.9);
    for (ir::ref n = 0; n < p.names.size(); ++n) {
        if (p.definition(n) != ir::none || !shapes.is_used(n)) continue;
        std::vector<std::int64_t> shape;
        for (std::int32_t k = 0; k < shapes.rank(n); ++k) shape.push_back(shapes.extent(n, k));
        dense values = dense::zeros(shape);
        for (auto& x : values.values) x = places.places(n) > 0 ? 1 : uniform(random);
        oracle.tensors[n] = values;
    }
    set_shapes(oracle, p, shapes, derived);
    oracle.run();
    const dense &x = oracle.tensors.at(find(p, claimed)), &y = oracle.tensors.at(derived);
    if (x.extents != y.extents) return "the two sides have different shapes";
    for (std::size_t k = 0; k < x.values.size(); ++k)
        if (!(std::abs(x.values[k] - y.values[k]) <= 1e-12L * (1 + std::abs(x.values[k]))))
            return "the sides of a claim that is proved differ at place " + std::to_string(k);
    return {};
}

/// The numbers of a counterexample by the interpreter.
std::string recompute(const derive::judgement& j, ir::ref derived) {
    const ir::program_view p = j.tried;
    interpreter oracle(p);
    bool by_turns = false;
    const derive::example_shapes small(p, 2, false);
    for (const auto& input : j.numbers.inputs) {
        std::vector<std::int64_t> shape;
        for (std::int32_t k = 0; k < input.extents.count; ++k)
            shape.push_back(j.numbers.extents[input.extents.first + k]);
        dense values = dense::zeros(shape);
        for (std::int32_t k = 0; k < input.values.count; ++k)
            values.values[static_cast<std::size_t>(k)] =
                j.numbers.values[input.values.first + k].re;
        oracle.tensors[input.name] = values;
        for (std::int32_t k = 0; k < input.extents.count; ++k)
            by_turns =
                by_turns || small.extent(input.name, k) != shape[static_cast<std::size_t>(k)];
    }
    set_shapes(oracle, p, derive::example_shapes(p, 2, by_turns), derived);
    oracle.run();
    std::vector<std::int64_t> at;
    for (const std::int64_t k : j.numbers.place) at.push_back(k);
    const auto value = [&](ir::ref name) {
        const dense& t = oracle.tensors.at(name);
        return t.values[t.offset(at)];
    };
    const long double x = value(find(p, claimed)), y = value(derived);
    const auto near = [](long double a, double b) {
        return std::abs(a - b) <= 1e-9L * (1 + std::abs(a));
    };
    if (!near(x, j.numbers.claimed.re)) return "the claimed side is " + std::to_string(x);
    if (!near(y, j.numbers.derived.re)) return "the derived side is " + std::to_string(y);
    return std::abs(x - y) > 1e-9L * (1 + std::abs(x)) ? "" : "the sides are equal";
}

}  // namespace

TEST_CASE(
    "claims that are proved are equal in numbers, and those refuted differ where it is said") {
    std::vector<std::string> texts = corpus();
    texts.insert(texts.end(), others.begin(), others.end());
    int proved = 0, refuted = 0;
    for (const auto& text : texts) {
        INFO(text);
        const auto read =
            detail::parse_and_define({text.data(), static_cast<std::int32_t>(text.size())});
        if (read.mistake) continue;  // other tests say so
        for (std::int32_t e = 0; e < read.program.equations.size(); ++e) {
            if (!read.program.equations[e].claim) continue;
            ir::program alone;
            ir::importer copy(alone, read.program);
            const ir::equation claim = copy.import(read.program.equations[e]);
            alone.equations.push(claim);
            const auto said = derive::judge(read.program, alone);
            if (said.verdict == derive::verdict::unproved) continue;
            const auto tried = derive::try_on_numbers(read.program, alone);
            const ir::program_view names = read.program;
            const auto name = names.name(read.program.equations[e].name);
            const ir::ref derived = tried.tried.find(name);
            if (said.verdict == derive::verdict::proved) {
                ++proved;
                CHECK(!tried.numbers.found);
                if (derived != ir::none) CHECK(compare(tried.tried, derived) == "");
            } else {
                ++refuted;
                CHECK(recompute(said, said.tried.find(name)) == "");
            }
        }
    }
    CHECK(proved >= 13);
    CHECK(refuted >= 6);
}
