// Deliberate races, one for each argument: a thread sanitizer that does not report them watches
// nothing.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include <ricci/ricci.hpp>

#include "src/runtime/parallel.hpp"
#include "src/runtime/turns.hpp"

namespace {

using namespace ricci::literals;
using namespace ricci::runtime;

constexpr std::int64_t tasks = 16;

// Long enough for other threads to take tasks, too.
void wait_a_little() { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }

// Tasks that count in one place.
void race_in_body() {
    std::int64_t count = 0;
    auto body = [&](std::int64_t, int) {
        wait_a_little();
        ++count;
    };
    parallel_for(tasks, body);
    std::printf("%d\n", static_cast<int>(count));
}

// Tasks that add to one list and do not wait for their turn.
void race_for_turns() {
    std::vector<std::int64_t> list(1);
    turns order;
    order.reserve(tasks);
    auto body = [&](turn& mine, std::int64_t task, int) {
        wait_a_little();
        list[0] += task;
        mine.advance(1);
    };
    parallel_for_in_turns(order, tasks, body);
    std::printf("%d\n", static_cast<int>(list[0]));
}

// Products that are written to one matrix: only what kernels write is shared.
void race_of_kernels() {
    const std::array<std::size_t, 2> extents{24, 24};
    ricci::tensor<float, 2> a(extents), b(extents), c(extents);
    std::fill_n(a.data(), a.size(), 1.0F);
    std::fill_n(b.data(), b.size(), 2.0F);
    constexpr auto product = R"(C^{ik} = A^{ij} B^{jk})"_eq;
    const auto prepared = [&] { return ricci::prepare(product, "A"_t = a, "B"_t = b, "C"_t = c); };
    std::vector<decltype(prepared())> steps;
    for (std::int64_t k = 0; k < tasks; ++k) steps.push_back(prepared());
    auto body = [&](std::int64_t task, int) {
        wait_a_little();
        steps[static_cast<std::size_t>(task)]();
    };
    parallel_for(tasks, body);
    std::printf("%g\n", static_cast<double>(c(0, 0)));
}

}  // namespace

int main(int count, char** words) {
    set_worker_count(3);
    const std::string which = count > 1 ? words[1] : "";
    if (which == "body") race_in_body();
    else if (which == "turns") race_for_turns();
    else if (which == "kernels") race_of_kernels();
    else return 2;
    return 0;
}
