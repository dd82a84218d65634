// Memory that programs hold ready: whatever runs beside them and in whatever order they lend, no
// loan allocates.
#include "tests/catch.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "src/runtime/loans.hpp"
#include "src/runtime/parallel.hpp"
#include "tests/sanitized.hpp"

// The sanitizers have their own mmap, which is not to be replaced.
#if defined(__GLIBC__) && !defined(RICCI_TEST_SANITIZED)

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {
std::atomic<int> mapped{0};
std::atomic<int> fails_at{-1};
}  // namespace

extern "C" void* mmap(void* at, std::size_t size, int protection, int flags, int file,
                      off_t offset) noexcept {
    if (mapped++ == fails_at) return MAP_FAILED;
    return reinterpret_cast<void*>(::syscall(SYS_mmap, at, size, protection, flags, file, offset));
}

namespace {

using namespace ricci::runtime;

constexpr std::size_t unit = std::size_t{2} << 20;  // pieces are multiples of it

std::vector<std::pair<std::size_t, std::int64_t>> pieces_of(loan_book book, int workers) {
    std::vector<std::pair<std::size_t, std::int64_t>> all;
    for (const memory_pieces& p : book.pieces(workers)) all.emplace_back(p.bytes, p.count);
    return all;
}

// A program in the middle of one of its steps.
struct running {
    std::vector<loan_list> steps;
    loan_book book;
    std::unique_ptr<held_memory> held;
    loan_list left;  // of its step, what is not lent yet
    std::vector<std::unique_ptr<lent_memory>> lent;
};

std::unique_ptr<running> drawn(std::mt19937& random, int workers) {
    const auto below = [&](unsigned n) { return static_cast<std::int64_t>(random() % n); };
    auto made = std::make_unique<running>();
    running& p = *made;
    for (std::int64_t s = below(3); s >= 0; --s) {
        auto& step = p.steps.emplace_back();
        for (std::int64_t l = below(3); l >= 0; --l)
            step.push_back({unit * static_cast<std::size_t>(1 + below(6)), 1 + below(4)});
        p.book.add_step(step);
        for (loan& l : step) l.tasks = std::min<std::int64_t>(l.tasks, workers);
    }
    p.held = std::make_unique<held_memory>(p.book);
    return made;
}

// One loan more, one less, or another step.
void go_on(running& p, std::mt19937& random) {
    auto some = std::find_if(p.left.begin(), p.left.end(), [](const loan& l) { return l.tasks; });
    if (some != p.left.end() && random() % 3 != 0) {
        p.lent.push_back(std::make_unique<lent_memory>(some->bytes));
        --some->tasks;
    } else if (!p.lent.empty() && random() % 2 == 0) {
        p.lent.erase(p.lent.begin() + static_cast<std::ptrdiff_t>(random() % p.lent.size()));
    } else {
        p.lent.clear();
        p.left = p.steps[random() % p.steps.size()];
        std::shuffle(p.left.begin(), p.left.end(), random);
    }
}

}  // namespace

TEST_CASE("the pieces that a program takes", "[loans]") {
    loan_book book;
    CHECK(book.empty());
    book.add_step({{0, 3}, {5, 0}});
    CHECK(book.empty());
    book.add_step({{100, 1}, {40, 8}});
    CHECK(pieces_of(book, 1) ==
          std::vector<std::pair<std::size_t, std::int64_t>>{{100, 1}, {40, 1}});
    CHECK(pieces_of(book, 3) ==
          std::vector<std::pair<std::size_t, std::int64_t>>{{100, 1}, {40, 3}});
    book.add_step({{60, 2}});
    CHECK(pieces_of(book, 3) ==
          std::vector<std::pair<std::size_t, std::int64_t>>{{100, 1}, {60, 1}, {40, 2}});
    loan_book other;
    other.add_step({{40, 9}});
    other.add(book);
    CHECK(pieces_of(other, 16) ==
          std::vector<std::pair<std::size_t, std::int64_t>>{{100, 1}, {60, 1}, {40, 7}});
}

TEST_CASE("no loan that is held allocates", "[loans]") {
    std::mt19937 random(7);
    set_worker_count(3);
    std::vector<std::unique_ptr<running>> all;
    int loans = 0;
    for (int k = 0; k < 20000; ++k) {
        if (all.size() < 2 || (all.size() < 5 && random() % 40 == 0)) {
            all.push_back(drawn(random, 3));
        } else if (random() % 60 == 0) {
            all.erase(all.begin() + static_cast<std::ptrdiff_t>(random() % all.size()));
        } else {
            auto& p = *all[random() % all.size()];
            const auto before = mapped.load();
            const auto lent = p.lent.size();
            go_on(p, random);
            if (p.lent.size() > lent) ++loans;
            REQUIRE(mapped == before);
        }
    }
    CHECK(loans > 1000);
    set_worker_count(0);
}

TEST_CASE("memory that cannot be held is not counted", "[loans]") {
    set_worker_count(4);
    loan_book small, large;
    small.add_step({{unit, 4}});
    large.add_step({{unit * 64, 4}});
    const held_memory held(small);
    fails_at = mapped + 2;
    CHECK_THROWS_AS(held_memory(large), std::bad_alloc);
    fails_at = -1;
    const int before = mapped;
    std::vector<std::unique_ptr<lent_memory>> lent;
    for (int k = 0; k < 4; ++k) lent.push_back(std::make_unique<lent_memory>(unit));
    CHECK(mapped == before);
    lent.clear();
    const held_memory again(large);
    CHECK(mapped > before);
    set_worker_count(0);
}

#else
TEST_CASE("loans cannot be counted here", "[loans]") { SUCCEED(); }
#endif
