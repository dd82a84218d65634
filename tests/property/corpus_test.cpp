// The programs of the literature, run by the engine and by the interpreter, and their gradients
// beside central differences.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <ricci/error.hpp>

#include "tests/catch.hpp"
#include "tests/property/corpus.hpp"
#include "tests/property/corpus_shapes.hpp"
#include "tests/property/run.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

using tensors = std::map<std::string, dense>;

/// A program of the corpus with shapes and values of its own.
class corpus_program {
public:
    explicit corpus_program(const std::string& text)
        : program_(bound_program::parsed(text)), shapes_(program_.view(), 5) {
        const ir::program_view p = program_.view();
        std::mt19937 random(7);
        std::uniform_real_distribution<double> uniform(0.2, 0.9);  // where logarithms and roots are
        for (ir::ref n = 0; n < p.names.size(); ++n) {
            if (p.definition(n) != ir::none) continue;
            dense values = dense::zeros(shapes_.shape(n));
            const auto places = shapes_.places(n);
            for (auto& x : values.values)
                x = places > 0 ? static_cast<double>(random() % static_cast<unsigned>(places))
                               : uniform(random);
            inputs_[spelled(p.name(n))] = values;
        }
    }
    ir::program_view view() const { return program_.view(); }
    const tensors& inputs() const { return inputs_; }
    bool is_places(const std::string& name) const {
        return shapes_.places(find_name(view(), name)) > 0;
    }
    /// The tensors that the equations define.
    tensors interpret(const tensors& given) const {
        const ir::program_view p = program_.view();
        interpreter oracle(p);
        for (const auto& [name, values] : given) oracle.tensors[find_name(p, name)] = values;
        for (ir::ref i = 0; i < p.indices.size(); ++i) oracle.given[i] = shapes_.extent(i);
        for (const ir::equation& e : p.equations) oracle.shapes[e.name] = shapes_.shape(e.name);
        oracle.run();
        tensors out;
        for (const ir::equation& e : p.equations)
            if (!e.claim) out[spelled(p.name(e.name))] = oracle.tensors.at(e.name);
        return out;
    }
    /// The outputs of `program`, this one or one derived from it, by the engine. The extents of
    /// indices are given only where the shapes do not say them: x^{i+k} does not, if x is longer.
    tensors run(const ir::program& program, const tensors& given) const {
        try {
            return run(program, given, false);
        } catch (const error&) {
            return run(program, given, true);
        }
    }

private:
    tensors run(const ir::program& program, const tensors& given, bool extents) const {
        bound_program engine(program, element::f64, 3);
        for (const auto& [name, values] : given) {
            if (engine.name(name) == ir::none) continue;
            if (program.view().definition(engine.name(name)) != ir::none) continue;
            memory& m = engine.allocate(values.extents);
            std::size_t k = 0;
            m.each([&](std::int64_t at) { m.set(at, static_cast<double>(values.values[k++])); });
            engine.input(name, m);
        }
        std::set<std::string> done;
        for (ir::ref i = 0; extents && i < view().indices.size(); ++i)
            if (done.insert(spelled(view().index(i))).second)
                engine.extent(spelled(view().index(i)), shapes_.extent(i));
        engine.prepare().run();
        tensors out;
        for (const ir::ref n : engine.output_names())
            out[spelled(engine.view().name(n))] = engine.result(n).values();
        return out;
    }

    ir::program program_;
    corpus_shapes shapes_;
    tensors inputs_;
};

std::string check_values(const corpus_program& c, const ir::program& program) {
    const tensors expected = c.interpret(c.inputs());
    for (const auto& [name, values] : expected)
        for (const auto x : values.values)
            if (std::isnan(x)) return "nothing is compared: " + name + " is not a number";
    return difference(c.run(program, c.inputs()), expected, 1e-10);
}

/// L = sum of the weights times the last tensor.
dense weights_of(const dense& last) {
    dense w = dense::zeros(last.extents);
    for (std::size_t k = 0; k < w.values.size(); ++k) w.values[k] = 1 + 0.25L * (k % 5);
    return w;
}

std::string check_gradient(const corpus_program& c, const std::string& of, const std::string& by) {
    // L may be a name of the program's
    const auto derived = gradient_of(c.view(), of, {by}, false, "Loss");
    if (derived.mistake) {
        const std::string words = spelled(derived.mistake.words);
        return words.find("does not depend") == std::string::npos ? words : "";
    }
    const dense weights = weights_of(c.interpret(c.inputs()).at(of));
    tensors given = c.inputs();
    given["dLoss/d" + of] = weights;
    const std::string name = "dLoss/d" + by;
    const dense got = c.run(derived.program, given).at(name);
    const auto loss = [&](const dense& at) {
        tensors moved = c.inputs();
        moved[by] = at;
        const dense last = c.interpret(moved).at(of);
        long double total = 0;
        for (std::size_t k = 0; k < last.values.size(); ++k)
            total += weights.values[k] * last.values[k];
        return total;
    };
    const dense at = c.inputs().at(by);
    if (got.extents != at.extents) return "the shape of the derivative by " + by + " differs";
    // Along directions that are random in every entry: an entry that is wrong shows in each of
    // them.
    std::mt19937 random(11);
    std::uniform_real_distribution<double> uniform(0.5, 1.5);
    for (int direction = 0; direction < 3; ++direction) {
        constexpr long double h = 1e-6L;
        std::vector<long double> steps;
        long double along = 0, size = 1;
        for (const auto x : got.values) {
            steps.push_back(uniform(random) * (random() % 2 == 0 ? 1 : -1));
            along += x * steps.back();
            size += std::abs(x * steps.back());
        }
        const auto moved = [&](long double by_how_much) {
            dense there = at;
            for (std::size_t k = 0; k < steps.size(); ++k)
                there.values[k] += by_how_much * steps[k];
            return loss(there);
        };
        const long double expected =  // of fourth order
            (8 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12 * h);
        if (!(std::abs(along - expected) <= 1e-8L * size))
            return "the derivative by " + by + " is " + std::to_string(along) +
                   " along a direction, " + std::to_string(expected) + " by differences";
    }
    return {};
}

}  // namespace

TEST_CASE("the equations of the literature compute what they say") {
    for (const auto& text : corpus()) {
        INFO(text);
        try {
            const ir::program program = bound_program::parsed(text);
            if (program.equations.empty()) continue;  // definitions of functions only
            CHECK(check_values(corpus_program(text), program) == "");
        } catch (const std::exception& e) {
            FAIL_CHECK(e.what());
        }
    }
}

TEST_CASE("the equations of the literature have the gradients that differences show") {
    for (const auto& text : corpus()) {
        INFO(text);
        try {
            const corpus_program c(text);
            const ir::equation* last = nullptr;
            for (const ir::equation& e : c.view().equations)
                if (!e.claim) last = &e;
            if (last == nullptr) continue;
            const std::string of = spelled(c.view().name(last->name));
            for (const auto& [by, values] : c.inputs()) {
                if (c.is_places(by) || by.find('/') != std::string::npos) continue;
                INFO("by " << by);
                CHECK(check_gradient(c, of, by) == "");
            }
        } catch (const std::exception& e) {
            FAIL_CHECK(e.what());
        }
    }
}
