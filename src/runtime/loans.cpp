// Which memory a program lends while it runs.
#include "src/runtime/loans.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "src/runtime/parallel.hpp"

namespace ricci::runtime {
namespace {

// How many pieces of at least this size are lent at the same time.
std::int64_t count_of(const loan_list& at_once, std::size_t bytes, int workers) {
    std::int64_t count = 0;
    for (const loan& l : at_once)
        if (l.bytes >= bytes) count += std::min<std::int64_t>(l.tasks, workers);
    return count;
}

}  // namespace

void loan_book::add_step(const loan_list& at_once) {
    loan_list kept;
    std::copy_if(at_once.begin(), at_once.end(), std::back_inserter(kept),
                 [](const loan& l) { return l.bytes > 0 && l.tasks > 0; });
    if (kept.empty()) return;
    steps_.push_back(std::move(kept));
    workers_ = 0;
}

void loan_book::add(const loan_book& others) {
    for (const loan_list& step : others.steps_) add_step(step);
}

std::span<const memory_pieces> loan_book::pieces(int workers) {
    if (workers == workers_) return pieces_;
    std::vector<std::size_t> sizes;
    for (const loan_list& step : steps_)
        for (const loan& l : step) sizes.push_back(l.bytes);
    std::sort(sizes.begin(), sizes.end(), std::greater<>());
    pieces_.clear();
    std::int64_t larger = 0;
    for (const std::size_t bytes : sizes) {
        std::int64_t count = 0;
        for (const loan_list& step : steps_)
            count = std::max(count, count_of(step, bytes, workers));
        if (count > larger) pieces_.push_back({bytes, count - larger});
        larger = std::max(larger, count);
    }
    workers_ = workers;
    return pieces_;
}

// Where that throws there is no destructor to let go of them.
void held_memory::hold(loan_book& book) {
    pieces_ = book.pieces(worker_count());
    lent_memory::hold(pieces_);
}

}  // namespace ricci::runtime
