#include "src/network/passes.hpp"

#include <algorithm>
#include <limits>

#include <ricci/error.hpp>

namespace ricci::networks {
namespace {

// What it costs to have a loop of so many rounds innermost, compared with another one: all that
// depends on it is made in each pass, what depends on others in one of `count`.
double weight_of(double cost, std::int64_t count) {
    return count <= 1 ? std::numeric_limits<double>::infinity()
                      : cost / (1 - 1 / static_cast<double>(count));
}

}  // namespace

pass_sequence::pass_sequence(std::span<const range_loop> loops, const choice_rows* rows,
                             std::span<const double> costs, double cost_of_rows)
    : rows_(rows) {
    const std::size_t columns = rows == nullptr ? 0 : rows->indices.size();
    const std::size_t ranges = loops.size() - columns;
    for (std::size_t l = 0; l < ranges; ++l)
        digits_.push_back({loops[l].count, l, false, weight_of(costs[l], loops[l].count)});
    if (rows != nullptr) {
        std::vector<std::size_t> order(columns);
        for (std::size_t c = 0; c < columns; ++c) order[c] = c;
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            const double x = costs[ranges + a], y = costs[ranges + b];
            return x != y ? x > y : a < b;
        });
        visited_ = visiting_order(*rows, order);
        const auto count = static_cast<std::int64_t>(rows->count);
        digits_.push_back({count, ranges, true, weight_of(cost_of_rows, count)});
    }
    std::sort(digits_.begin(), digits_.end(), [](const digit& a, const digit& b) {
        return a.weight != b.weight ? a.weight > b.weight : a.loop < b.loop;
    });
    for (const digit& d : digits_)
        if (__builtin_mul_overflow(count_, d.count, &count_))
            throw error(
                "ricci: the order slices the network into more passes than can be counted.");
    find_group();
}

// As many of the innermost loops as leave enough groups for the threads of a large machine, and
// then whole rounds of the next one.
void pass_sequence::find_group() {
    constexpr std::int64_t enough = 32, most = 64;
    std::int64_t inner = 1;
    for (std::size_t d = digits_.size(); d-- > 0;) {
        if (count_ / (inner * digits_[d].count) < enough) break;
        inner *= digits_[d].count;
    }
    const std::int64_t outer = count_ / inner;
    group_ = inner * ((outer + most - 1) / most);
}

std::size_t pass_sequence::find(std::int64_t pass, std::span<std::int64_t> counters) const {
    std::size_t row = 0;
    for (std::size_t d = digits_.size(); d-- > 0;) {
        const digit& of = digits_[d];
        std::int64_t counted = pass % of.count;
        pass /= of.count;
        if (pass % 2 != 0) counted = of.count - 1 - counted;  // there and back again
        if (!of.has_rows) {
            counters[of.loop] = counted;
            continue;
        }
        row = visited_[static_cast<std::size_t>(counted)];
        const auto places = rows_->row(row);
        std::copy(places.begin(), places.end(),
                  counters.begin() + static_cast<std::ptrdiff_t>(of.loop));
    }
    return row;
}

}  // namespace ricci::networks
