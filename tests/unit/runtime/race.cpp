// Deliberate races, one for each argument: a thread sanitizer that does not report them watches
// nothing.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "src/runtime/parallel.hpp"
#include "src/runtime/turns.hpp"

namespace {

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

}  // namespace

int main(int count, char** words) {
    set_worker_count(3);
    const std::string which = count > 1 ? words[1] : "";
    if (which == "body") race_in_body();
    else if (which == "turns") race_for_turns();
    else return 2;
    return 0;
}
