// Gradients of random smooth programs, derived at run time, against central differences.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include <ricci/derive/gradient.hpp>

#include "tests/catch.hpp"
#include "tests/property/generator.hpp"
#include "tests/property/run.hpp"
#include "tests/property/settings.hpp"
#include "tests/property/shrink.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

constexpr constructs smooth = [] {
    constructs c;
    c.smooth_only = true;
    c.masks = false;
    // The shape of a tensor that is only read at x^{0j} or x^{i+k} is not found in its gradient.
    c.fixed = true;
    c.arithmetic = true;
    c.primes = true;  // a derivation takes them for indices of its own
    c.merged = true;  // beside another use of the same tensor
    c.written_out = true;
    c.twins = false;  // a letter of the program's is bound once for all of its equations
    return c;
}();

/// Whether every term of an expression has the index.
bool covers(const tree& t, const std::string& i) {
    const auto child_covers = [&](const tree& child) { return covers(child, i); };
    if (t.kind == ir::op::add)
        return std::all_of(t.children.begin(), t.children.end(), child_covers);
    if (t.kind == ir::op::multiply || t.kind == ir::op::divide)
        return std::any_of(t.children.begin(), t.children.end(), child_covers);
    if (t.kind == ir::op::choose) {
        bool all = true;
        for (std::size_t k = 0; k < t.children.size(); k += 2)
            all = all && covers(t.children[k], i);
        return covers(t.children.back(), i) && all;
    }
    if (t.kind == ir::op::reduce || t.kind == ir::op::power) return covers(t.children[0], i);
    return free_letters(t).count(i) > 0;
}
/// Whether a term is summed over an index that it does not have.
bool has_idle_sum(const tree& t) {
    for (const auto& i : t.indices)
        if (binds(t) && !covers(t.children[0], i)) return true;
    return std::any_of(t.children.begin(), t.children.end(), has_idle_sum);
}
/// Switched off: the derivative of a sum over an index that a term lacks.
constexpr bool idle_sums = true;

/// The weights of the loss: L = the sum over the last tensor's elements, each times its weight.
dense weights_of(const random_program& p) {
    dense w = dense::zeros(p.tensors[p.equations.back().tensor].extents);
    for (std::size_t k = 0; k < w.values.size(); ++k)
        w.values[k] = 1 + 0.25 * static_cast<double>(k % 5);
    return w;
}
long double loss(const random_program& p, std::size_t input, const dense& values) {
    const dense result =
        interpret(p, element::f64, {{input, values}}).at(p.tensors[p.equations.back().tensor].name);
    const dense weights = weights_of(p);
    long double total = 0;
    for (std::size_t k = 0; k < result.values.size(); ++k)
        total += weights.values[k] * result.values[k];
    return total;
}

/// Whether the last equation depends on the tensor.
bool reaches(const random_program& p, std::size_t input) {
    std::set<std::size_t> needed{p.equations.back().tensor};
    for (std::size_t e = p.equations.size(); e-- > 0;)
        for (std::size_t t = 0; t < p.tensors.size() && needed.count(p.equations[e].tensor) > 0;
             ++t)
            if (uses(p.equations[e].body, t)) needed.insert(t);
    return needed.count(input) > 0;
}

/// Off: the engine runs the derived equations. They use a sum under a function more than once.
constexpr bool by_engine = true;

/// The tensors that the derived equations define, by the interpreter.
std::map<std::string, dense> interpret_derived(const random_program& p, const ir::program& program,
                                               const std::string& of) {
    const ir::program_view view = program.view();
    interpreter oracle(view);
    for (std::size_t t = 0; t < p.tensors.size(); ++t) {
        const ir::ref n = find_name(view, p.tensors[t].name);
        if (n != ir::none && view.definition(n) == ir::none)
            oracle.tensors[n] = input_values(p).of(t, element::f64);
    }
    oracle.tensors[find_name(view, "dL/d" + of)] = weights_of(p);
    for (ir::ref i = 0; i < view.indices.size(); ++i)
        if (p.has_extent(spelled(view.index(i))))
            oracle.given[i] = p.extent(spelled(view.index(i)));
    oracle.run();
    std::map<std::string, dense> out;
    for (const auto& e : view.equations)
        out[spelled(view.name(e.name))] = oracle.tensors.at(e.name);
    return out;
}

/// The same by the engine. An index of a sum over what lacks it is asked for: then all are given.
std::map<std::string, dense> run_derived(const random_program& p, const ir::program& program,
                                         const std::string& of) {
    const std::map<std::string, dense> weights{{"dL/d" + of, weights_of(p)}};
    try {
        return engine_run(p, program, element::f64, weights).run();
    } catch (const error& e) {
        const std::string words = e.what();
        if (words.find("the shapes do not give the extent") == std::string::npos) throw;
    }
    engine_run engine(p, program, element::f64, weights);
    engine.give_all_extents(p);
    return engine.run();
}

std::string check_input(const random_program& p, const ir::program& program, std::size_t input) {
    const std::string of = p.tensors[p.equations.back().tensor].name, by = p.tensors[input].name;
    const detail::text_view by_view{by.data(), static_cast<std::int32_t>(by.size())};
    derive::gradient_request request;
    request.of = {of.data(), static_cast<std::int32_t>(of.size())};
    request.wrt = &by_view;
    request.wrt_count = 1;
    const auto derived = derive::gradient(program, request);
    // What has cancelled while it was read depends on nothing.
    if (derived.mistake) return {};
    std::map<std::string, dense> got;
    try {
        if (by_engine) got = run_derived(p, derived.program, of);
        else got = interpret_derived(p, derived.program, of);
    } catch (const std::exception& e) {
        return std::string("gradient refused: ") + e.what() + "\n" +
               to_latex(derived.program.view());
    }
    if (got.count("dL/d" + by) == 0)
        return "gradient missing: of " + by + "\n" + to_latex(derived.program.view());
    const dense gradient = got.at("dL/d" + by);
    const dense at = input_values(p).of(input, element::f64);
    for (std::size_t k = 0; k < at.values.size(); ++k) {
        constexpr long double h = 1e-5L;
        dense above = at, below = at;
        above.values[k] += h;
        below.values[k] -= h;
        const long double slope = (loss(p, input, above) - loss(p, input, below)) / (2 * h);
        if (gradient.extents != at.extents)
            return "gradient shape: of " + by + "\n" + to_latex(derived.program.view());
        const long double error = std::abs(slope - gradient.values[k]);
        if (error <= 1e-6L * (1 + std::abs(slope))) continue;
        return "gradient differs: dL/d" + by + " element " + std::to_string(k) + " is " +
               std::to_string(static_cast<double>(gradient.values[k])) + " instead of " +
               std::to_string(static_cast<double>(slope)) + "\n" + to_latex(derived.program.view());
    }
    return {};
}

std::string check_gradient(const random_program& p) {
    const std::string text = text_of(p);
    const auto parsed =
        notation::parse_equations({text.data(), static_cast<std::int32_t>(text.size())});
    if (parsed.mistake) return "not read: " + spelled(parsed.mistake.words);
    for (const auto& e : p.equations)
        if (!idle_sums && has_idle_sum(e.body)) return {};
    for (std::size_t t = 0; t < p.tensors.size(); ++t) {
        if (p.tensors[t].defined || !reaches(p, t)) continue;
        const std::string wrong = check_input(p, parsed.program, t);
        if (!wrong.empty()) return wrong;
    }
    return {};
}

}  // namespace

TEST_CASE("gradients of random programs are what differences say") {
    const unsigned first = first_seed(), count = program_count(300);
    unsigned failures = 0;
    for (unsigned seed = first; seed < first + count && failures < 5; ++seed) {
        const random_program p = generator(seed, smooth).run();
        if (check_gradient(p).empty()) continue;
        ++failures;
        const random_program small = shrinker(check_gradient).run(p);
        UNSCOPED_INFO(describe(small, check_gradient(small)));
        CHECK(false);
    }
    CHECK(failures == 0);
}
