// Assignments that make a formula true, counted and weighed: formulas are written in DIMACS, read as
// networks, and held against going through all assignments. A long one, whose clauses lie within a
// window that moves along the variables, is held against counting from window to window; its count
// is beyond the range of double.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <fmt/core.h>

#include <ricci/network_files.hpp>

namespace {

using clause = std::vector<int>;  // 3: variable 3 is true, -3: it is false

struct formula {
    int variables = 0;
    std::vector<clause> clauses;
    std::vector<double> weight_true;  // of variable v at v - 1, that of false is 1 less it; or none
};

/// Clauses of three different variables, each from a window that moves on from the first variables
/// to the last ones.
formula random_formula(int variables, int clauses, int window, bool is_weighed, unsigned seed) {
    std::mt19937 random(seed);
    const auto below = [&](int count) {
        return static_cast<int>(random() % static_cast<unsigned>(count));
    };
    formula made{variables, {}, {}};
    for (int c = 0; c < clauses; ++c) {
        const int begin = c * (variables - window + 1) / clauses;
        clause literals;
        while (literals.size() < 3) {
            const int v = begin + 1 + below(window);
            const auto is_there = [&](int l) { return std::abs(l) == v; };
            if (std::any_of(literals.begin(), literals.end(), is_there)) continue;
            literals.push_back(below(2) == 0 ? v : -v);
        }
        made.clauses.push_back(literals);
    }
    for (int v = 0; is_weighed && v < variables; ++v) made.weight_true.push_back(below(100) * 0.01);
    return made;
}

ricci::network network_of(const formula& f) {
    const auto file = std::filesystem::temp_directory_path() /
                      fmt::format("ricci_formula_{}.cnf", std::random_device{}());
    std::ofstream out(file);
    out << "p cnf " << f.variables << " " << f.clauses.size() << "\n";
    for (std::size_t v = 0; v < f.weight_true.size(); ++v)
        out << fmt::format("c p weight {} {} 0\n", v + 1, f.weight_true[v]);
    for (const clause& c : f.clauses) {
        for (const int literal : c) out << literal << " ";
        out << "0\n";
    }
    out.close();
    ricci::network made = ricci::load_network(file);
    std::filesystem::remove(file);
    return made;
}

/// Bit v - 1 of an assignment says whether variable v, counted from `first`, is true.
bool is_true(const clause& c, std::size_t assignment, int first = 1) {
    return std::any_of(c.begin(), c.end(), [&](int literal) {
        return (assignment >> (std::abs(literal) - first) & 1) == (literal > 0 ? 1U : 0U);
    });
}

double logarithm_by_all_assignments(const formula& f) {
    double sum = 0;
    for (std::size_t bits = 0; bits < std::size_t{1} << f.variables; ++bits) {
        if (!std::all_of(f.clauses.begin(), f.clauses.end(),
                         [&](const clause& c) { return is_true(c, bits); }))
            continue;
        double weight = 1;
        for (std::size_t v = 0; v < f.weight_true.size(); ++v)
            weight *= (bits >> v & 1) != 0 ? f.weight_true[v] : 1 - f.weight_true[v];
        sum += weight;
    }
    return std::log(sum);
}

/// Without weights: how many assignments of the variables up to a window's last one make all
/// clauses within true, for each assignment of the window.
double logarithm_by_windows(const formula& f, int window) {
    const std::size_t states = std::size_t{1} << window;
    std::vector<double> count(states, 1);
    double logarithm = 0;
    for (int first = 1; first + window - 1 <= f.variables; ++first) {
        if (first > 1) {  // the lowest variable leaves, and the next one comes in as the highest
            std::vector<double> next(states);
            for (std::size_t s = 0; s < states; ++s) {
                next[s >> 1] += count[s];
                next[s >> 1 | states / 2] += count[s];
            }
            count = std::move(next);
        }
        for (const clause& c : f.clauses) {
            // Each clause once: in the window whose first variable is the clause's own first one,
            // or in the last window.
            int least = f.variables - window + 1;
            for (const int literal : c) least = std::min(least, std::abs(literal));
            if (least != first) continue;
            for (std::size_t s = 0; s < states; ++s)
                if (!is_true(c, s, first)) count[s] = 0;
        }
        const double most = *std::max_element(count.begin(), count.end());
        logarithm += std::log(most);
        for (double& x : count) x /= most;
    }
    double sum = 0;
    for (const double x : count) sum += x;
    return logarithm + std::log(sum);
}

bool check(const char* name, const formula& f, double exact) {
    const ricci::network n = network_of(f);
    const ricci::scaled got = ricci::contract_scaled(n);
    const double mantissa = *static_cast<const double*>(got.mantissa.data());
    const double logarithm = std::log(mantissa) + got.exponent10 * std::log(10.0);
    const double error = std::abs(std::expm1(logarithm - exact));
    const bool is_right = error < 1e-9;
    fmt::print("{:8} {:5} variables, {:5} clauses  {:.12f} * 10^{:<5g} error {:.1e}{}\n", name,
               f.variables, f.clauses.size(), mantissa, got.exponent10, error,
               is_right ? "" : "  WRONG");
    return is_right;
}

}  // namespace

int main() {
    bool right = true;
    for (const int clauses : {20, 60}) {
        const formula counted = random_formula(18, clauses, 18, false, 1);
        right = check("counted", counted, logarithm_by_all_assignments(counted)) && right;
        const formula weighed = random_formula(18, clauses, 18, true, 2);
        right = check("weighed", weighed, logarithm_by_all_assignments(weighed)) && right;
    }
    const formula along = random_formula(3000, 6000, 10, false, 3);
    right = check("long", along, logarithm_by_windows(along, 10)) && right;
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
