// Fused groups of every shape beside the same programs unfused, on one thread: from one row and one
// column to thousands, few rows, few columns. What a program takes of each is processor time, the
// least of several runs in turns; the largest ratios are printed last.
//   bench_shapes [LARGEST [NAME ...]]
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <ricci/engine/executable.hpp>
#include <ricci/program.hpp>
#include <ricci/ricci.hpp>

#include "bench/timing.hpp"
#include "src/front/call_operands.hpp"

namespace {

constexpr std::size_t extents[] = {1, 4, 16, 50, 256, 1024, 8192, 65536};

/// Operands: letters of an extent each, i of rows and j of columns, a of 64, b of 3.
struct program_of_pairs {
    std::string name, text, of;  // of: an output to differentiate by all operands, or nothing
    std::vector<std::pair<std::string, std::string>> operands;
};

std::vector<program_of_pairs> all_programs() {
    const std::string attention =
        "A^{ij} = \\operatorname{softmax}_j(\\frac{1}{8} Q^{ia} K^{ja})\n O^{ia} = A^{ij} V^{ja}";
    const std::string kernel = "f^i = \\sum_j \\exp(-\\frac{1}{2} \\sum_b (x^{ib} - z^{jb})^2) v^j";
    const std::vector<std::pair<std::string, std::string>> qkv = {
        {"Q", "ia"}, {"K", "ja"}, {"V", "ja"}};
    const std::vector<std::pair<std::string, std::string>> points = {
        {"x", "ib"}, {"z", "jb"}, {"v", "j"}};
    auto attended = qkv, kernels = points;
    attended.push_back({"dL/dO", "ia"});
    kernels.push_back({"dL/df", "i"});
    return {
        {"attention", attention, "", qkv},
        {"attention-gradients", attention, "O", attended},
        {"logsumexp", "l^i = \\operatorname{logsumexp}_j(Q^{ia} K^{ja})", "", {qkv[0], qkv[1]}},
        {"kernel", kernel, "", points},
        {"kernel-gradients", kernel, "f", kernels},
        {"nearest", "m^i = \\min_j(\\sum_b (x^{ib} - z^{jb})^2)", "", {points[0], points[1]}},
        {"squares", "s^j = \\sum_i (Q^{ia} K^{ja})^2", "", {qkv[0], qkv[1]}},
        {"weighted",
         "O^{ia} = \\tanh(Q^{ib} K^{jb}) V^{ja}",
         "",
         {{"Q", "ib"}, {"K", "jb"}, {"V", "ja"}}},
    };
}

struct measured {
    double ratio = 0;
    std::string what;
};

/// A program and its operands, prepared as the engine does it, fused or not.
class prepared {
public:
    prepared(const ricci::program& p, const std::vector<ricci::named>& operands, bool fuse) {
        const ricci::detail::call_operands call(p, operands, ricci::detail::call_kind::run, {});
        auto request = call.request();
        request.fuse = fuse;
        request.context = this;
        request.allocate = [](void* self, ricci::ir::ref, std::int32_t rank,
                              const std::int64_t* shape) -> void* {
            std::size_t size = 1;
            for (std::int32_t k = 0; k < rank; ++k) size *= static_cast<std::size_t>(shape[k]);
            auto& results = static_cast<prepared*>(self)->results_;
            return results.emplace_back(std::max<std::size_t>(size, 1)).data();
        };
        step_ = std::make_unique<ricci::engine::executable>(request);
    }
    bool is_fused() const { return step_->explain().find("not stored: ") != std::string::npos; }
    void operator()() { step_->run(); }

private:
    std::vector<std::vector<float>> results_;
    std::unique_ptr<ricci::engine::executable> step_;
};

void measure(const program_of_pairs& c, std::size_t rows, std::size_t columns,
             std::vector<measured>& all) {
    std::mt19937 generator(1);
    std::normal_distribution<float> normal(0, 1);
    std::vector<ricci::named> operands;
    std::vector<std::string> by;
    for (const auto& [name, letters] : c.operands) {
        std::vector<std::size_t> shape;
        for (const char x : letters)
            shape.push_back(x == 'i' ? rows : x == 'j' ? columns : x == 'a' ? 64 : 3);
        ricci::array a(ricci::element::f32, std::span<const std::size_t>(shape));
        for (std::size_t k = 0; k < a.size(); ++k)
            static_cast<float*>(a.data())[k] = normal(generator);
        if (name.find('/') == std::string::npos) by.push_back(name);
        operands.push_back({name, std::move(a)});
    }
    ricci::program what = ricci::parse(c.text).value();
    if (!c.of.empty()) what = ricci::value_and_gradient(what, c.of, by);
    prepared fused(what, operands, true), parts(what, operands, false);
    if (!fused.is_fused()) {
        fmt::print("{:20} {:>6} x {:<6} not fused\n", c.name, rows, columns);
        return;
    }
    const auto least =
        ricci::bench::least_in_turns({[&] { fused(); }, [&] { parts(); }}, 6, 2e-3, true);
    const double mine = least[0], other = least[1];
    all.push_back(
        {mine / other, fmt::format("{:20} {:>6} x {:<6} {:12.2f} {:12.2f} {:8.2f}", c.name, rows,
                                   columns, mine * 1e6, other * 1e6, mine / other)});
    fmt::print("{}\n", all.back().what);
}

}  // namespace

int main(int count, char** words) {
    const std::size_t largest =
        count > 1 ? static_cast<std::size_t>(std::atoi(words[1])) : std::size_t{8192};
    ricci::threads(1);
    fmt::print("{:20} {:^15} {:>12} {:>12} {:>8}\n", "program", "rows x columns", "fused us",
               "parts us", "ratio");
    std::vector<measured> all;
    for (const auto& c : all_programs()) {
        bool wanted = count < 3;
        for (int k = 2; k < count; ++k) wanted = wanted || c.name == words[k];
        for (const std::size_t rows : std::span(extents).first(7))
            for (const std::size_t columns : extents)
                if (wanted && rows <= largest && columns <= 8 * largest &&
                    (columns <= largest || rows <= 16))
                    measure(c, rows, columns, all);
    }
    std::ranges::sort(all, [](const auto& x, const auto& y) { return x.ratio > y.ratio; });
    fmt::print("the largest ratios:\n");
    for (std::size_t k = 0; k < std::min<std::size_t>(all.size(), 12); ++k)
        fmt::print("{}\n", all[k].what);
}
