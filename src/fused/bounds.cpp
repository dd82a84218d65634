// The least and the largest of any part of what conditions compare.
#include "src/fused/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/runtime/parallel.hpp"

namespace ricci::fused {
namespace {

constexpr std::int64_t leaf_size = 8;  // numbers of a part that has no parts
constexpr std::size_t most_lines = 1 << 16;
constexpr std::size_t few_elements = 1 << 14;  // of all trees: one thread is quicker

template <class T>
struct extremes {
    static constexpr T infinity = std::numeric_limits<T>::infinity();
    T least = infinity, most = -infinity;

    void add(T x) {
        least = std::min(least, x);
        most = std::max(most, x);
    }
    void add(const T* pair) {
        add(pair[0]);
        add(pair[1]);
    }
    void write(T* pair) const { pair[0] = least, pair[1] = most; }
};

/// Where lines of an operand begin; nothing where they are too many.
std::vector<std::int64_t> starts_of(const geometry& g, std::size_t operand) {
    std::vector<std::int64_t> at{g.offset[operand]};
    for (const auto* loops : {&g.batch, &g.other_rows, &g.other_columns})
        for (const tile_loop& l : *loops) {
            const std::int64_t stride = l.strides[operand];
            const std::size_t before = at.size();
            if (stride == 0) continue;
            if (l.extent == 0 || before > most_lines / static_cast<std::size_t>(l.extent))
                return {};
            for (std::int64_t n = 1; n < l.extent; ++n)
                for (std::size_t x = 0; x < before; ++x) at.push_back(at[x] + n * stride);
        }
    std::ranges::sort(at);
    at.erase(std::unique(at.begin(), at.end()), at.end());
    return at;
}

}  // namespace

template <class T>
operand_bounds<T>::operand_bounds(const geometry& g, std::span<const std::size_t> operands) {
    for (const std::size_t k : operands) {
        lines mine;
        mine.operand = k;
        const bool rows = g.row.strides[k] != 0;
        mine.stride = rows ? g.row.strides[k] : g.column.strides[k];
        mine.extent = rows ? g.row.extent : g.column.extent;
        mine.leaves = (mine.extent + leaf_size - 1) / leaf_size;
        mine.at = starts_of(g, k);
        if (mine.at.empty() || mine.extent == 0) continue;
        mine.first_tree = elements_;
        elements_ += mine.at.size() * mine.tree();
        count_ += static_cast<std::int64_t>(mine.at.size());
        lines_.push_back(std::move(mine));
    }
}

template <class T>
void operand_bounds<T>::find(void* const* bases, T* trees) const {
    auto body = [&](std::int64_t number, int) {
        for (const lines& l : lines_) {
            const auto mine = static_cast<std::int64_t>(l.at.size());
            if (number < mine) return find(l, static_cast<std::size_t>(number), bases, trees);
            number -= mine;
        }
    };
    if (elements_ > few_elements) return runtime::parallel_for(count_, body);
    for (std::int64_t number = 0; number < count_; ++number) body(number, 0);
}

// The parts of part k are 2k and 2k + 1, the leaves come last; in the place of part 0 stands
// whether all numbers are whole. What holds NaN may be anything.
template <class T>
void operand_bounds<T>::find(const lines& of, std::size_t number, void* const* bases,
                             T* trees) const {
    T* const tree = trees + of.first_tree + number * of.tree();
    const T* from = static_cast<const T*>(bases[of.operand]) + of.at[number];
    bool whole = true;
    for (std::int64_t n = 0; n < of.leaves; ++n) {
        extremes<T> part;
        bool numbers = true;
        for (std::int64_t x = n * leaf_size; x < std::min(of.extent, (n + 1) * leaf_size); ++x) {
            const T value = from[x * of.stride];
            part.add(value);
            numbers = numbers && value == value;
            whole = whole && value == std::floor(value);
        }
        if (!numbers) part = {-part.infinity, part.infinity};
        part.write(tree + 2 * (of.leaves + n));
    }
    for (std::int64_t k = of.leaves - 1; k > 0; --k) {
        extremes<T> part;
        part.add(tree + 4 * k);
        part.add(tree + 4 * k + 2);
        part.write(tree + 2 * k);
    }
    tree[0] = whole ? T{1} : T{0};
    tree[1] = 0;
}

// From the leaves up: a part that is the first or the last of a pair stands for itself.
template <class T>
interval operand_bounds<T>::of(std::size_t operand, std::int64_t at, std::int64_t first,
                               std::int64_t end, const T* trees) const {
    for (const lines& l : lines_) {
        if (l.operand != operand) continue;
        const auto found = std::ranges::lower_bound(l.at, at);
        if (found == l.at.end() || *found != at) return any_number;
        const T* const tree =
            trees + l.first_tree + static_cast<std::size_t>(found - l.at.begin()) * l.tree();
        extremes<T> all;
        std::int64_t x = l.leaves + first / leaf_size,
                     y = l.leaves + (end + leaf_size - 1) / leaf_size;
        for (; x < y; x /= 2, y /= 2) {
            if (x % 2 != 0) all.add(tree + 2 * x++);
            if (y % 2 != 0) all.add(tree + 2 * --y);
        }
        return {static_cast<double>(all.least), static_cast<double>(all.most), tree[0] != 0};
    }
    return any_number;
}

template class operand_bounds<float>;
template class operand_bounds<double>;

}  // namespace ricci::fused
