// A deliberate race of what kernels write alone: a thread sanitizer that does not report it does not
// watch kernels.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

#include <ricci/ricci.hpp>

#include "src/runtime/parallel.hpp"

// Products that are written to one matrix.
int main() {
    using namespace ricci::literals;
    constexpr std::int64_t tasks = 16;
    ricci::runtime::set_worker_count(3);
    const std::array<std::size_t, 2> extents{24, 24};
    ricci::tensor<float, 2> a(extents), b(extents), c(extents);
    std::fill_n(a.data(), a.size(), 1.0F);
    std::fill_n(b.data(), b.size(), 2.0F);
    constexpr auto product = R"(C^{ik} = A^{ij} B^{jk})"_eq;
    const auto prepared = [&] { return ricci::prepare(product, "A"_t = a, "B"_t = b, "C"_t = c); };
    std::vector<decltype(prepared())> steps;
    for (std::int64_t k = 0; k < tasks; ++k) steps.push_back(prepared());
    auto body = [&](std::int64_t task, int) {
        // long enough for other threads to take tasks, too
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        steps[static_cast<std::size_t>(task)]();
    };
    ricci::runtime::parallel_for(tasks, body);
    std::printf("%g\n", static_cast<double>(c(0, 0)));
}
