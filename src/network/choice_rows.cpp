#include "src/network/choice_rows.hpp"

#include <algorithm>
#include <numeric>

namespace ricci::networks {
namespace {

/// Whether row a comes before row b: column by column, each counted backwards where the sum of what
/// stands before it is odd.
bool comes_before(std::span<const std::int64_t> a, std::span<const std::int64_t> b,
                  std::span<const std::size_t> columns) {
    std::int64_t before = 0;
    for (const std::size_t c : columns) {
        if (a[c] != b[c]) return (a[c] < b[c]) == (before % 2 == 0);
        before += a[c] % 2;
    }
    return false;
}

}  // namespace

std::vector<std::size_t> visiting_order(const choice_rows& rows,
                                        std::span<const std::size_t> columns) {
    std::vector<std::size_t> order(rows.count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return comes_before(rows.row(a), rows.row(b), columns);
    });
    return order;
}

distinct_rows distinct_of(const choice_rows& all) {
    std::vector<std::size_t> order(all.count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto less = [&](std::size_t a, std::size_t b) {
        const auto x = all.row(a), y = all.row(b);
        return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
    };
    // Equal rows in the order of the table, so that the first of them stands for all.
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return less(a, b) || (!less(b, a) && a < b); });
    distinct_rows made;
    made.rows.indices = all.indices;
    made.number.resize(all.count);
    for (std::size_t k = 0; k < order.size(); ++k) {
        if (k == 0 || less(order[k - 1], order[k])) {
            const auto row = all.row(order[k]);
            made.rows.places.insert(made.rows.places.end(), row.begin(), row.end());
            ++made.rows.count;
        }
        made.number[order[k]] = made.rows.count - 1;
    }
    return made;
}

}  // namespace ricci::networks
