// Programs over the pairs that a condition leaves of all rows and columns, on one thread or more: a
// window, ranges that tensors say, documents packed in one sequence, near points. The time of each,
// and for each pair inside, beside that of the same values without a condition, where there is a
// way to write them: a window by places, documents as a batch.
//   bench_windows [THREADS] [NAME ...]
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <fmt/core.h>

#include <ricci/program.hpp>
#include <ricci/ricci.hpp>

#include "bench/timing.hpp"

namespace {

struct operand {
    std::string name;
    std::vector<std::size_t> extents;
    std::function<double(std::size_t)> number = {};  // none: random floats
    bool whole = true;
};

struct program_of_pairs {
    std::string text, of;  // of: an output to differentiate, or nothing
    std::vector<std::string> by;
    std::vector<operand> operands;
};

struct windows_case {
    std::string name;
    double pairs = 0;  // inside
    program_of_pairs mine, other;
};

constexpr std::size_t many = 160'000, window = 6, near = 100;
constexpr std::size_t documents = 16, length = 1024, tokens = documents * length;

std::string attention(const std::string& condition) {
    return "M^{ij} = \\begin{cases} Q^{ia} K^{ja} & \\text{if } " + condition +
           " \\\\ -\\infty & \\text{otherwise} \\end{cases}\n"
           "A^{ij} = \\operatorname{softmax}_j(M^{ij})\n O^{ic} = A^{ij} V^{jc}";
}

std::vector<windows_case> all_cases() {
    const std::vector<operand> rows = {{"Q", {many, 64}}}, seen = {{"K", {many + window - 1, 64}},
                                                                   {"V", {many + window - 1, 64}}};
    const auto with = [](std::vector<operand> all, const std::vector<operand>& more) {
        all.insert(all.end(), more.begin(), more.end());
        return all;
    };
    const std::string banded = attention("i \\le j \\land j < i + 6");
    const std::string placed =
        "S^{ip} = Q^{ia} K^{i+p,a}\n A^{ip} = \\operatorname{softmax}_p(S^{ip})\n"
        "O^{ic} = \\sum_{p=0}^{5} A^{ip} V^{i+p,c}";
    const std::vector<std::string> all = {"Q", "K", "V"};
    const std::vector<operand> slope = {{"dL/dO", {many, 64}}};
    const auto first = [](std::size_t i) { return static_cast<double>(i); };
    const auto last = [](std::size_t i) { return static_cast<double>(i + near); };
    const std::string kernel = "\\exp(-\\sum_a (x^{ia} - z^{ja})^2) v^j";
    const std::vector<operand> points = {
        {"x", {many, 3}}, {"z", {many + near, 3}}, {"v", {many + near}}};
    const auto place = [](std::size_t i) { return static_cast<double>(i) / 64; };
    const auto document = [](std::size_t i) { return static_cast<double>(i / length); };
    const std::vector<operand> packed = {
        {"Q", {tokens, 64}}, {"K", {tokens, 64}}, {"V", {tokens, 64}}, {"m", {tokens}, document}};
    const std::vector<operand> batch = {{"Q", {documents, length, 64}},
                                        {"K", {documents, length, 64}},
                                        {"V", {documents, length, 64}}};
    const double inside = static_cast<double>(many * window);
    const double causal = static_cast<double>(documents * length * (length + 1) / 2);
    const std::string batched =
        "M^{bij} = \\begin{cases} Q^{bia} K^{bja} & \\text{if } j \\le i \\\\ -\\infty & "
        "\\text{otherwise} \\end{cases}\n"
        "A^{bij} = \\operatorname{softmax}_j(M^{bij})\n O^{bic} = A^{bij} V^{bjc}";
    const std::string one = attention("m_i = m_j \\land j \\le i");
    return {
        {"window", inside, {banded, "", {}, with(rows, seen)}, {placed, "", {}, with(rows, seen)}},
        {"window-gradients",
         inside,
         {banded, "O", all, with(with(rows, seen), slope)},
         {placed, "O", all, with(with(rows, seen), slope)}},
        {"ranges",
         static_cast<double>(many * near),
         {"f^i = \\sum_j [l_i \\le j] [j < r_i] " + kernel,
          "",
          {},
          with(points, {{"l", {many}, first}, {"r", {many}, last}})},
         {}},
        {"ranges-gradients",
         static_cast<double>(many * near),
         {"f^i = \\sum_j [l_i \\le j] [j < r_i] " + kernel,
          "f",
          {"x", "z", "v"},
          with(points, {{"l", {many}, first}, {"r", {many}, last}, {"dL/df", {many}}})},
         {}},
        {"near",
         static_cast<double>(many * 129),
         {"f^i = \\sum_j [|s_i - t_j| \\le 1] " + kernel,
          "",
          {},
          with(points, {{"s", {many}, place, false}, {"t", {many + near}, place, false}})},
         {}},
        {"documents", causal, {one, "", {}, packed}, {batched, "", {}, batch}},
        {"documents-gradients",
         causal,
         {one, "O", all, with(packed, {{"dL/dO", {tokens, 64}}})},
         {batched, "O", all, with(batch, {{"dL/dO", {documents, length, 64}}})}},
    };
}

ricci::array array_of(const operand& o, std::mt19937& generator) {
    const bool whole = o.number && o.whole;
    ricci::array a(whole ? ricci::element::i32 : ricci::element::f32,
                   std::span<const std::size_t>(o.extents));
    std::normal_distribution<float> normal(0, 0.3f);
    for (std::size_t k = 0; k < a.size(); ++k) {
        if (whole) static_cast<std::int32_t*>(a.data())[k] = static_cast<std::int32_t>(o.number(k));
        else if (o.number) static_cast<float*>(a.data())[k] = static_cast<float>(o.number(k));
        else static_cast<float*>(a.data())[k] = normal(generator);
    }
    return a;
}

ricci::runner prepared(const program_of_pairs& p) {
    std::mt19937 generator(1);
    std::vector<ricci::named> operands;
    for (const auto& o : p.operands) operands.push_back({o.name, array_of(o, generator)});
    ricci::program what = ricci::parse(p.text).value();
    if (!p.of.empty()) what = ricci::value_and_gradient(what, p.of, p.by);
    if (std::getenv("RICCI_BENCH_EXPLAIN")) fmt::print("{}\n", ricci::explain(what, operands));
    return ricci::prepare(what, operands);
}

void measure(const windows_case& c) {
    auto mine = prepared(c.mine);
    ricci::bench::duration time, other;
    if (c.other.text.empty()) {
        const auto nothing = [] {};
        time = ricci::bench::durations_in_turns(nothing, mine, nothing, 5, 0.1).first;
    } else {
        auto peer = prepared(c.other);
        std::tie(time, other) = ricci::bench::durations_in_turns([] {}, mine, peer, 5, 0.1);
    }
    fmt::print("{:22} {:12.3f} {:12.2f}", c.name, time.median * 1e3, time.median / c.pairs * 1e9);
    if (!c.other.text.empty())
        fmt::print(" {:12.3f} {:8.2f}", other.median * 1e3, time.median / other.median);
    fmt::print("\n");
}

}  // namespace

int main(int count, char** words) {
    ricci::threads(count > 1 ? std::atoi(words[1]) : 1);
    fmt::print("{:22} {:>12} {:>12} {:>12} {:>8}\n", "program", "ms", "ns a pair", "without ms",
               "ratio");
    for (const auto& c : all_cases()) {
        bool wanted = count < 3;
        for (int k = 2; k < count; ++k) wanted = wanted || c.name == words[k];
        if (wanted) measure(c);
    }
}
