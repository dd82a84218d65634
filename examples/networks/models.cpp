// What a graphical model says, held against going through all states: its partition function given
// evidence, the marginals of all variables by one derivative, and the most likely state. Models are
// written in the format of the UAI competitions and read as networks.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <fmt/core.h>

#include <ricci/network_files.hpp>

namespace {

using state = std::vector<std::size_t>;  // a value of each variable

struct table {
    std::vector<std::size_t> variables;
    std::vector<double> values;  // row-major
};

struct model {
    std::vector<std::size_t> values;  // how many each variable has
    std::vector<table> tables;
    std::map<std::size_t, std::size_t> evidence;
};

/// A ring of variables of two and three values, with chords, and one table of three variables.
model random_model(std::size_t variables, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> number(0.05, 1);
    model made;
    for (std::size_t v = 0; v < variables; ++v) made.values.push_back(2 + v % 2);
    std::vector<std::vector<std::size_t>> scopes{{0, variables / 2, variables - 2}};
    for (std::size_t v = 0; v < variables; ++v)
        for (const std::size_t step : {std::size_t{1}, std::size_t{4}})
            scopes.push_back({v, (v + step) % variables});
    for (const auto& scope : scopes) {
        std::size_t size = 1;
        for (const std::size_t v : scope) size *= made.values[v];
        std::vector<double> values(size);
        for (double& x : values) x = number(random);
        made.tables.push_back({scope, values});
    }
    made.evidence = {{1, 2}, {6, 0}};
    return made;
}

double weight_of(const model& m, const state& s) {
    double weight = 1;
    for (const table& t : m.tables) {
        std::size_t place = 0;
        for (const std::size_t v : t.variables) place = place * m.values[v] + s[v];
        weight *= t.values[place];
    }
    return weight;
}

/// What all states say that agree with the evidence.
struct exact_answers {
    double sum = 0;
    std::vector<std::vector<double>> marginals;  // of each variable
    state best;
    double best_weight = 0;
};

exact_answers by_all_states(const model& m) {
    exact_answers found;
    for (const std::size_t count : m.values) found.marginals.emplace_back(count);
    state s(m.values.size());
    for (bool goes_on = true; goes_on;) {
        const bool agrees = std::all_of(m.evidence.begin(), m.evidence.end(),
                                        [&](const auto& e) { return s[e.first] == e.second; });
        const double weight = agrees ? weight_of(m, s) : 0;
        found.sum += weight;
        for (std::size_t v = 0; v < s.size(); ++v) found.marginals[v][s[v]] += weight;
        if (weight > found.best_weight) found.best = s, found.best_weight = weight;
        std::size_t v = 0;
        while (v < s.size() && ++s[v] == m.values[v]) s[v++] = 0;
        goes_on = v < s.size();
    }
    for (auto& marginal : found.marginals)
        for (double& p : marginal) p /= found.sum;
    return found;
}

ricci::network network_of(const model& m) {
    const std::string name = (std::filesystem::temp_directory_path() /
                              fmt::format("ricci_model_{}", std::random_device{}()))
                                 .string();
    std::ofstream out(name + ".uai");
    out << "MARKOV\n" << m.values.size() << "\n";
    for (const std::size_t count : m.values) out << count << " ";
    out << "\n" << m.tables.size() << "\n";
    for (const table& t : m.tables) {
        out << t.variables.size();
        for (const std::size_t v : t.variables) out << " " << v;
        out << "\n";
    }
    for (const table& t : m.tables) {
        out << t.values.size() << "\n";
        for (const double x : t.values) out << fmt::format("{} ", x);
        out << "\n";
    }
    out.close();
    std::ofstream seen(name + ".evid");
    seen << m.evidence.size();
    for (const auto& [v, value] : m.evidence) seen << " " << v << " " << value;
    seen.close();
    ricci::network made = ricci::load_network(name + ".uai", name + ".evid");
    std::filesystem::remove(name + ".uai");
    std::filesystem::remove(name + ".evid");
    return made;
}

bool report(const char* what, double value, double error) {
    const bool is_right = error < 1e-12;
    fmt::print("{:28} {:18.12g}  error {:.1e}{}\n", what, value, error, is_right ? "" : "  WRONG");
    return is_right;
}

bool check_sum(const ricci::network& n, const exact_answers& exact) {
    const ricci::array sum = ricci::contract(n);
    const double got = *static_cast<const double*>(sum.data());
    return report("partition function", got, std::abs(got / exact.sum - 1));
}

/// A table of ones changes nothing. The derivative by one is the sum over all states in which its
/// variable has a value: the marginal, times the partition function.
bool check_marginals(ricci::network n, const exact_answers& exact) {
    const std::vector<std::int64_t> variables = n.indices();
    std::vector<std::size_t> ones;
    for (const std::int64_t v : variables) {
        ricci::array one(ricci::element::f64, {n.extent(v)});
        std::fill_n(static_cast<double*>(one.data()), one.size(), 1.0);
        ones.push_back(n.size());
        n.add(std::move(one), {v});
    }
    const auto sums = ricci::gradient(n, ricci::find_order(n), ones);
    double error = 0;
    for (std::size_t k = 0; k < variables.size(); ++k) {
        const auto* const of_value = static_cast<const double*>(sums[k].data());
        double all = 0;
        for (std::size_t x = 0; x < sums[k].size(); ++x) all += of_value[x];
        const auto& right = exact.marginals[static_cast<std::size_t>(variables[k])];
        for (std::size_t x = 0; x < sums[k].size(); ++x)
            error = std::max(error, std::abs(of_value[x] / all - right[x]));
    }
    return report("marginals, the first one", exact.marginals[0][0], error);
}

/// Where a product is greatest, the sum of the logarithms is.
bool check_most_likely(const ricci::network& n, const model& m, const exact_answers& exact) {
    ricci::network logarithms;
    for (std::size_t k = 0; k < n.size(); ++k) {
        const ricci::array table = n.operand(k).clone();
        ricci::array a(ricci::element::f64, table.extents());
        for (std::size_t e = 0; e < a.size(); ++e)
            static_cast<double*>(a.data())[e] =
                std::log(static_cast<const double*>(table.data())[e]);
        logarithms.add(std::move(a), n.indices(k));
    }
    const ricci::most_likely got = ricci::argmax(logarithms, ricci::find_order(logarithms));
    state found(m.values.size());
    for (std::size_t v = 0; v < found.size(); ++v) {
        const auto seen = m.evidence.find(v);
        found[v] = seen != m.evidence.end()
                       ? seen->second
                       : static_cast<std::size_t>(got.places.at(static_cast<std::int64_t>(v)));
    }
    double error = std::abs(std::exp(got.value) / exact.best_weight - 1);
    if (found != exact.best) error = HUGE_VAL;
    return report("weight of the likeliest", std::exp(got.value), error);
}

}  // namespace

int main() {
    bool right = true;
    for (const unsigned seed : {1U, 2U, 3U}) {
        const model m = random_model(14, seed);
        const exact_answers exact = by_all_states(m);
        const ricci::network n = network_of(m);
        right = check_sum(n, exact) && right;
        right = check_marginals(n, exact) && right;
        right = check_most_likely(n, m, exact) && right;
    }
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
