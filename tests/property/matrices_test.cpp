// Random programs with functions of matrices: their values and gradients beside plain loops and
// differences, what they print, and what every pass of the planner makes of them.
// RICCI_SEED and RICCI_PROGRAMS say which and how many.
#include <exception>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/catch.hpp"
#include "tests/property/matrix_generator.hpp"
#include "tests/property/read_back.hpp"
#include "tests/property/run.hpp"
#include "tests/property/settings.hpp"
#include "tests/unit/plan/interpreted/passes.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

template <class Check>
void on_matrix_texts(unsigned usual, Check check) {
    const unsigned first = first_seed(), count = program_count(usual);
    int failures = 0;
    for (unsigned seed = first; seed < first + count && failures < 5; ++seed) {
        const matrix_text m = matrix_generator(seed).run();
        std::string wrong;
        try {
            wrong = check(m, seed);
        } catch (const std::exception& e) {
            wrong = e.what();
        }
        if (wrong.empty()) continue;
        ++failures;
        FAIL_CHECK("seed " << seed << "\n" << m.text << "\n" << wrong);
    }
}

ir::program program_of(const matrix_text& m) { return bound_program::parsed(m.text); }

/// What is wrong with what a program and its gradients by its inputs print, or nothing.
std::string print_and_read(const ir::program& p) {
    std::string wrong = read_back(p, nullptr, true);
    const ir::program_view view = p.view();
    for (ir::ref n = 0; n < view.names.size() && wrong.empty(); ++n) {
        if (!ir::is_input(view, n)) continue;
        const auto derived = gradient_of(view, "y", {spelled(view.name(n))});
        if (!derived.mistake) wrong = read_back(derived.program, nullptr, true);
    }
    return wrong;
}

/// A text in which heights count: some of these terms of a metric, or of one that is made of it.
std::string text_with_heights(unsigned seed) {
    static const std::vector<std::string> terms{
        "u_i (g^{-1})^{ij} v_j",
        "g_{ij} w^i w^j",
        "\\operatorname{logdet}_{ij}(g_{ij})",
        "\\sin(\\det_{ij}(g_{ij}))",
        "u_j \\operatorname{solve}_{ij}(g_{ij}, v_i)",
        "(g^{-1})^{ij} s_{ij}",
        "(g^{-1})^{ij} s_{jk} (g^{-1})^{kl} u_i v_l",
        "w^i u_i",
        "\\exp(\\operatorname{solve}_{ij}(g_{ij}, w^k s_{ki}) u_j)",
        "(g^{-1})^{ij} g_{ij}",
    };
    std::mt19937 random(seed);
    const bool made = random() % 2 == 0;
    std::string body;
    for (std::size_t k = 0; k < 2 + random() % 3 || body.empty(); ++k) {
        std::string term = terms[random() % terms.size()];
        for (auto at = term.find('g'); made && at != std::string::npos; at = term.find('g', at + 1))
            if (term[at + 1] == '_' || term[at + 1] == '^') term[at] = 'P';
        body += (body.empty() ? "" : random() % 2 == 0 ? " - " : " + ") + term;
    }
    return (made ? "P_{ij} = g_{ij} + u_i v_j\ny = " : "y = ") + body;
}

/// What the planner's passes make of a program, with its inputs from -1 to 1.
std::string check_all_passes(const matrix_text& m, ir::program program, unsigned seed,
                             plan_contents& seen) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    bound_program p(std::move(program), element::f64, seed);
    for (const shaped_input& x : m.inputs) {
        if (p.name(x.name) == ir::none) continue;
        memory& at = p.allocate(x.extents);
        at.each([&](std::int64_t k) { at.set(k, uniform(random)); });
        p.input(x.name, at);
    }
    return check_passes(p.request(), seen);
}

}  // namespace

TEST_CASE("random functions of matrices and their gradients are what they mean") {
    on_matrix_texts(300, [](const matrix_text& m, unsigned seed) {
        slopes s(program_of(m), m.result, m.inputs, seed);
        if (!s.usable()) return std::string();
        return s.check_values() + s.check_gradients();
    });
}

TEST_CASE("random functions of matrices and their gradients are printed as they are read") {
    on_matrix_texts(200,
                    [](const matrix_text& m, unsigned) { return print_and_read(program_of(m)); });
}

TEST_CASE("metrics, their inverses and gradients are printed as they are read") {
    const unsigned first = first_seed(), count = program_count(200);
    for (unsigned seed = first; seed < first + count; ++seed) {
        const std::string text = text_with_heights(seed);
        INFO("seed " << seed << "\n" << text);
        CHECK(print_and_read(bound_program::parsed(text)) == "");
    }
}

// Of the programs alone: plain loops make an inverse again for each element of a gradient.
TEST_CASE("every pass leaves the values of random functions of matrices as they were") {
    plan_contents seen;
    on_matrix_texts(40, [&](const matrix_text& m, unsigned seed) {
        return check_all_passes(m, program_of(m), seed, seen);
    });
}
