// Sums of products in which a number of each row says which matrix the row meets.
#include "src/index/row_groups.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace ricci::elementwise {
namespace {

// So many rows for each matrix, on average, and products of so many columns and terms, are worth
// the order.
constexpr std::int64_t least_rows = 4, least_columns = 8, least_terms = 4;
constexpr std::int64_t most_rows = std::int64_t{1} << 31;

bool moves(const steps::operand& o, std::size_t loop) { return o.strides[loop] != 0; }
bool any_moves(std::span<const steps::lookup> lookups, std::size_t loop) {
    return std::any_of(lookups.begin(), lookups.end(),
                       [&](const steps::lookup& l) { return moves(l.numbers, loop); });
}

constexpr std::size_t round_to_line(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace

/// What each loop is of the product: it is read off the factors.
class row_groups::reader {
public:
    explicit reader(const steps::lookup_sum& what) : what_(what) {}

    std::optional<row_groups> read() {
        if ((what_.type != element::f32 && what_.type != element::f64) ||
            what_.by != steps::monoid::sum || what_.factors.size() < 2)
            return {};
        for (std::size_t l = 0; l < what_.extents.size(); ++l)
            if (what_.extents[l] == 0) return {};
        const bool sums_rows = what_.scattered != nullptr;
        for (const bool adjacent : {true, false})
            for (std::size_t a = 0; a < what_.factors.size(); ++a)
                for (std::size_t b = 0; b < what_.factors.size(); ++b)
                    if (a != b && is_product(a, b, sums_rows, adjacent))
                        return made(a, b, sums_rows);
        return {};
    }

private:
    enum class role : std::uint8_t { none, around, row, summed_row, m, n, k };

    static bool is_row(role r) { return r == role::row || r == role::summed_row; }
    const steps::operand& at(std::size_t factor) const { return what_.factors[factor].at; }
    bool is_one(std::size_t loop) const { return what_.extents[loop] == 1; }
    bool is_free(std::size_t loop) const { return loop < what_.free; }

    /// What the loop is in the product of these factors; none: there is no such product.
    role role_of(std::size_t loop, std::size_t a, std::size_t b, bool sums_rows) const {
        const bool in_a = moves(at(a), loop), in_b = moves(at(b), loop);
        const auto by_group = sums_rows ? std::span(what_.scattered, 1) : what_.factors[b].lookups;
        const bool by_number = any_moves(by_group, loop);
        if (is_free(loop)) {
            if (by_number && !sums_rows && !in_b) return role::row;
            if (by_number || (in_a && in_b)) return role::around;
            if (in_b) return role::n;
            return in_a && sums_rows ? role::m : role::none;
        }
        if (by_number) return sums_rows ? role::row : in_b ? role::none : role::summed_row;
        return in_a && in_b ? role::k : role::none;
    }

    /// Whether it is A B, of these factors, with the others as weights of rows, and its columns are
    /// adjacent, if that is asked for: vectors run along them.
    bool is_product(std::size_t a, std::size_t b, bool sums_rows, bool adjacent) {
        roles_.assign(what_.extents.size(), role::none);
        if (!sums_rows && what_.factors[b].lookups.empty()) return false;
        double rows = 1, columns = 1, terms = 1;
        bool has_lines = !adjacent;
        for (std::size_t l = 0; l < roles_.size(); ++l) {
            if (is_one(l)) continue;
            const role r = roles_[l] = role_of(l, a, b, sums_rows);
            if (r == role::none || !suits_others(l, r, a, b, sums_rows)) return false;
            const auto extent = static_cast<double>(what_.extents[l]);
            if (is_row(r)) rows *= extent;
            if (r == role::n) columns *= extent;
            if (r == (sums_rows ? role::m : role::k)) terms *= extent;
            has_lines = has_lines || (r == role::n && what_.out.strides[l] == 1);
        }
        double groups = 1;
        if (sums_rows) groups = static_cast<double>(what_.scattered->extent);
        else
            for (const auto& l : what_.factors[b].lookups) groups *= static_cast<double>(l.extent);
        return has_lines && rows < most_rows && rows >= least_rows * groups &&
               columns >= least_columns && terms >= least_terms;
    }

    /// Numbers of rows, and weights, are of rows alone.
    bool suits_others(std::size_t loop, role r, std::size_t a, std::size_t b,
                      bool sums_rows) const {
        if (is_row(r) || r == role::around) return true;
        for (std::size_t f = 0; f < what_.factors.size(); ++f) {
            const bool is_matrix = f == b && !sums_rows;
            if (!is_matrix && any_moves(what_.factors[f].lookups, loop)) return false;
            if (f != a && f != b && moves(at(f), loop)) return false;
        }
        return true;
    }

    walk walk_of(const steps::operand& o) const {
        walk result;
        result.offset = o.offset;
        for (std::size_t l = 0; l < roles_.size(); ++l) {
            if (roles_[l] == role::around) result.around.push_back(o.strides[l]);
            if (is_row(roles_[l])) result.rows.push_back(o.strides[l]);
        }
        return result;
    }
    lookup lookup_of(const steps::lookup& l, std::size_t number) const {
        return {l.type, walk_of(l.numbers), l.stride, l.extent, number};
    }

    row_groups made(std::size_t a, std::size_t b, bool sums_rows) const {
        row_groups result;
        auto& product = result.product_;
        product.type = what_.type;
        product.sums_rows = sums_rows;
        result.adds_ = what_.adds;
        std::size_t number = 0;
        for (std::size_t f = 0; f < what_.factors.size(); ++f) {
            factor made{f, walk_of(at(f)), {}};
            for (const auto& l : what_.factors[f].lookups) {
                const bool says_group = f == b && !sums_rows;
                (says_group ? result.groups_ : made.lookups).push_back(lookup_of(l, number++));
            }
            if (f == a) result.a_ = std::move(made);
            else if (f == b) result.b_ = std::move(made);
            else result.weights_.push_back(std::move(made));
        }
        result.c_ = walk_of(what_.out);
        if (sums_rows) result.groups_.push_back(lookup_of(*what_.scattered, number));
        for (const lookup& l : result.groups_) {
            product.group_extents.push_back(l.extent);
            product.group_strides.push_back(l.stride);
        }
        add_loops(a, b, result);
        return result;
    }

    void add_loops(std::size_t a, std::size_t b, row_groups& to) const {
        auto& product = to.product_;
        for (std::size_t l = 0; l < roles_.size(); ++l) {
            const std::int64_t extent = what_.extents[l];
            const steps::contraction_loop loop{extent, at(a).strides[l], at(b).strides[l],
                                               is_free(l) ? what_.out.strides[l] : 0};
            switch (roles_[l]) {
                case role::around:
                    to.around_.push_back(extent);
                    to.count_ *= extent;
                    break;
                case role::summed_row:
                    to.each_ *= extent;
                    [[fallthrough]];
                case role::row:
                    to.rows_.push_back(extent);
                    to.row_count_ *= extent;
                    break;
                case role::m:
                    product.m.push_back(loop);
                    break;
                case role::n:
                    product.n.push_back(loop);
                    break;
                case role::k:
                    product.k.push_back(loop);
                    break;
                case role::none:
                    break;
            }
        }
        // Walks of memory from its beginning, as far as may be.
        const auto sort = [](auto& loops, auto stride) {
            std::sort(loops.begin(), loops.end(), [&](const auto& x, const auto& y) {
                return std::abs(x.*stride) > std::abs(y.*stride);
            });
        };
        sort(product.m, &steps::contraction_loop::c);
        sort(product.n, &steps::contraction_loop::c);
        sort(product.k, &steps::contraction_loop::b);
        if (to.sums()) put_side_by_side(product.n, to.c_columns_);
        to.sorts_again_ = to.count_ > 1 && depends_on_around(to);
    }

    /// The columns of the product, which those of the result become.
    static void put_side_by_side(std::vector<steps::contraction_loop>& columns,
                                 std::vector<std::int64_t>& result) {
        result.assign(1, 0);
        for (const auto& loop : columns) {
            std::vector<std::int64_t> more;
            for (const std::int64_t at : result)
                for (std::int64_t j = 0; j < loop.extent; ++j) more.push_back(at + j * loop.c);
            result = std::move(more);
        }
        std::int64_t stride = 1;
        for (auto loop = columns.rbegin(); loop != columns.rend(); ++loop) {
            loop->c = stride;
            stride *= loop->extent;
        }
    }

    /// Whether the order of the rows, where they are, or what they weigh, is another for other
    /// iterations of the loops around them: the latter two move with base addresses otherwise.
    static bool depends_on_around(const row_groups& all) {
        const auto of = [](const std::vector<lookup>& lookups) {
            return std::any_of(lookups.begin(), lookups.end(), [](const lookup& l) {
                return std::any_of(l.numbers.around.begin(), l.numbers.around.end(),
                                   [](std::int64_t s) { return s != 0; });
            });
        };
        return of(all.groups_) || of(all.a_.lookups) || of(all.b_.lookups) ||
               std::any_of(all.weights_.begin(), all.weights_.end(), [&](const factor& w) {
                   return of(w.lookups) || std::any_of(w.at.around.begin(), w.at.around.end(),
                                                       [](std::int64_t s) { return s != 0; });
               });
    }

    const steps::lookup_sum& what_;
    std::vector<role> roles_;
};

std::optional<row_groups> row_groups::of(const steps::lookup_sum& what) {
    return reader(what).read();
}

/// The lists of the rows.
struct row_groups::places {
    std::uint32_t* first;
    std::uint32_t* group;  // of each row, before they are sorted
    std::int64_t* a;
    std::int64_t* other;
    std::byte* weights;
    // Where rows are added up: where each is among the sorted ones, and the rows of the result.
    std::uint32_t* sorted;
    std::int64_t* result;
};

row_groups::places row_groups::places_in(std::byte* memory) const {
    const auto rows = static_cast<std::size_t>(row_count_);
    const auto piece = [&](std::size_t bytes) {
        return std::exchange(memory, memory + round_to_line(bytes));
    };
    places to{};
    to.first = reinterpret_cast<std::uint32_t*>(
        piece((static_cast<std::size_t>(product_.groups()) + 2) * sizeof(std::uint32_t)));
    to.group = reinterpret_cast<std::uint32_t*>(piece(rows * sizeof(std::uint32_t)));
    to.a = reinterpret_cast<std::int64_t*>(piece(rows * sizeof(std::int64_t)));
    to.other = reinterpret_cast<std::int64_t*>(piece(rows * sizeof(std::int64_t)));
    to.weights = weights_.empty() ? nullptr : piece(rows * sizeof(double));
    if (!sums()) return to;
    to.sorted = reinterpret_cast<std::uint32_t*>(piece(rows * sizeof(std::uint32_t)));
    to.result = reinterpret_cast<std::int64_t*>(piece(rows * sizeof(std::int64_t)));
    return to;
}

std::size_t row_groups::list_bytes() const {
    const auto rows = static_cast<std::size_t>(row_count_);
    return round_to_line((static_cast<std::size_t>(product_.groups()) + 2) *
                         sizeof(std::uint32_t)) +
           round_to_line(rows * sizeof(std::uint32_t)) +
           2 * round_to_line(rows * sizeof(std::int64_t)) +
           (weights_.empty() ? 0 : round_to_line(rows * sizeof(double))) +
           (!sums() ? 0
                    : round_to_line(rows * sizeof(std::uint32_t)) +
                          round_to_line(rows * sizeof(std::int64_t)));
}

// Rows are counted by their groups, then written one group after the other, each in the order of
// the loops; last those that are in none, as a number of theirs is no place and need not be one.
template <class T>
void row_groups::sort(const loop_counters& around, const void* const* in,
                      const void* const* numbers, const places& to) const {
    const auto groups = static_cast<std::uint32_t>(product_.groups());
    const auto place = [&](const lookup& l, const loop_counters& row) {
        const std::int64_t where =
            l.numbers.offset + around.along(l.numbers.around) + row.along(l.numbers.rows);
        return place_at(numbers[l.number], l.type, where, l.extent);
    };
    // Where a row of the factor is, beside what moves along the loops around; false: nowhere.
    const auto find = [&](const factor& f, const loop_counters& row, std::int64_t& at) {
        at = row.along(f.at.rows);
        for (const lookup& l : f.lookups) {
            const std::int64_t there = place(l, row);
            if (there < 0) return false;
            at += there * l.stride;
        }
        return true;
    };
    std::fill_n(to.first, groups + 2, 0U);
    std::int64_t at = 0;
    loop_counters row(rows_, rows_.size(), 0);
    for (std::int64_t r = 0; r < row_count_; ++r, row.next(rows_)) {
        std::uint32_t group = 0;
        bool counts = find(a_, row, at) && find(b_, row, at);
        for (const factor& w : weights_) counts = counts && find(w, row, at);
        for (const lookup& l : groups_) {
            const std::int64_t there = counts ? place(l, row) : -1;
            counts = there >= 0;
            if (counts)
                group = group * static_cast<std::uint32_t>(l.extent) +
                        static_cast<std::uint32_t>(there);
        }
        to.group[r] = counts ? group : groups;
        ++to.first[to.group[r] + 1];
    }
    for (std::uint32_t g = 0; g < groups; ++g) to.first[g + 1] += to.first[g];
    // While rows are written first[g] is where the next one of its goes, and in the end where those
    // of the next group begin.
    auto* const weights = reinterpret_cast<T*>(to.weights);
    row = loop_counters(rows_, rows_.size(), 0);
    for (std::int64_t r = 0; r < row_count_; ++r, row.next(rows_)) {
        const std::uint32_t n = to.first[to.group[r]]++;
        const bool counts = to.group[r] < groups;
        to.a[n] = counts && find(a_, row, at) ? at : 0;
        if (product_.sums_rows) to.other[n] = counts && find(b_, row, at) ? at : 0;
        else to.other[n] = row.along(c_.rows);
        if (sums()) {
            to.sorted[r] = counts ? n : row_sums::nowhere;
            to.result[r / each_] = to.other[n];
            to.other[n] = std::int64_t{n} * static_cast<std::int64_t>(c_columns_.size());
        }
        if (weights == nullptr) continue;
        weights[n] = 1;
        for (const factor& w : weights_)
            if (counts && find(w, row, at))
                weights[n] *= static_cast<const T*>(
                    in[w.number])[w.at.offset + around.along(w.at.around) + at];
    }
    for (std::uint32_t g = groups; g > 0; --g) to.first[g] = to.first[g - 1];
    to.first[0] = 0;
}

template <class T>
row_groups::bound<T> row_groups::bind(std::int64_t number, T* out, const void* const* in,
                                      const void* const* numbers, std::byte* memory) const {
    const loop_counters around(around_, around_.size(), number);
    const places to = places_in(memory);
    if (number == 0 || sorts_again_) sort<T>(around, in, numbers, to);
    const auto base = [&](const factor& f) {
        return static_cast<const T*>(in[f.number]) + f.at.offset + around.along(f.at.around);
    };
    return {{base(a_), base(b_), out + c_.offset + around.along(c_.around)},
            {to.first, row_count_, to.a, to.other, reinterpret_cast<const T*>(to.weights)},
            {row_count_ / each_, each_, to.sorted, to.result, c_columns_}};
}

template row_groups::bound<float> row_groups::bind(std::int64_t, float*, const void* const*,
                                                   const void* const*, std::byte*) const;
template row_groups::bound<double> row_groups::bind(std::int64_t, double*, const void* const*,
                                                    const void* const*, std::byte*) const;

}  // namespace ricci::elementwise
