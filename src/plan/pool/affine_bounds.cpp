// Fourier and Motzkin's elimination: from each pair of a lower and an upper bound of a loop
// follows an inequality without it. Of whole numbers that is all that follows where one of the two
// factors is 1.
#include "src/plan/pool/affine_bounds.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "src/base/arithmetic.hpp"

namespace ricci::plan {
namespace {

// More inequalities than these do not occur; to leave one out only widens the interval.
constexpr std::size_t most_rows = 512;

/// The sum of factor * variable and `offset` is 0 or more.
struct inequality {
    std::vector<std::int64_t> factors;
    std::int64_t offset = 0;
};

/// Of the first variables, each from 0 to below an extent; others are not eliminated.
class elimination {
public:
    elimination(std::span<const loop_extent> box, loop_list others) : box_(box) {
        for (const loop_extent& r : box) variables_.push_back(r.what);
        variables_.insert(variables_.end(), others.begin(), others.end());
        for (std::size_t v = 0; v < box.size(); ++v) {
            inequality low = blank(), high = blank();
            low.factors[v] = 1;
            high.factors[v] = -1;
            high.offset = box[v].extent - 1;
            add(std::move(low));
            add(std::move(high));
        }
    }

    /// What is 0 or more: a multiple of a sum, and of one more variable.
    void add(const place& p, std::int64_t sign, std::int64_t more = 0) {
        inequality r = blank();
        r.offset = sign * p.offset;
        for (std::size_t v = 0; v < variables_.size(); ++v)
            r.factors[v] = sign * p.factor(variables_[v]);
        r.factors.back() = more;
        add(std::move(r));
    }

    void run() {
        std::vector<bool> gone(box_.size(), false);
        for (std::size_t count = 0; count < box_.size() && !empty_; ++count)
            eliminate(cheapest(gone), gone);
    }

    /// Of the variable that stands in no sum.
    std::optional<whole_interval> interval() const {
        if (empty_) return std::nullopt;
        whole_interval t{INT64_MIN, INT64_MAX};
        for (const inequality& r : rows_) {
            const std::int64_t f = r.factors.back();
            if (f > 0) t.least = std::max(t.least, -floor_divide(r.offset, f));
            if (f < 0) t.most = std::min(t.most, floor_divide(r.offset, -f));
        }
        if (t.least > t.most) return std::nullopt;
        return t;
    }

    std::optional<std::vector<place>> left() const {
        std::vector<place> all;
        if (empty_) {
            all.emplace_back().offset = -1;
            return all;
        }
        if (!exact_) return {};
        for (const inequality& r : rows_) {
            place& p = all.emplace_back();
            p.offset = r.offset;
            for (std::size_t v = 0; v < variables_.size(); ++v) p.add(variables_[v], r.factors[v]);
        }
        return all;
    }

private:
    inequality blank() const { return {std::vector<std::int64_t>(variables_.size() + 1, 0), 0}; }
    // In lowest terms: variables are whole, so that 2 x - 1 >= 0 is x - 1 >= 0.
    void add(inequality r) {
        std::int64_t common = 0;
        for (const std::int64_t f : r.factors) common = std::gcd(common, f);
        if (common == 0) {
            empty_ = empty_ || r.offset < 0;
            return;
        }
        for (std::int64_t& f : r.factors) f /= common;
        r.offset = floor_divide(r.offset, common);
        for (inequality& other : rows_)
            if (other.factors == r.factors) {
                other.offset = std::min(other.offset, r.offset);
                return;
            }
        if (rows_.size() < most_rows) rows_.push_back(std::move(r));
        else exact_ = false;
    }
    std::size_t cheapest(const std::vector<bool>& gone) const {
        std::size_t best = box_.size(), least = SIZE_MAX;
        for (std::size_t v = 0; v < box_.size(); ++v) {
            if (gone[v]) continue;
            std::size_t low = 0, high = 0;
            for (const inequality& r : rows_) {
                low += r.factors[v] > 0;
                high += r.factors[v] < 0;
            }
            if (low * high < least) least = low * high, best = v;
        }
        return best;
    }
    void eliminate(std::size_t v, std::vector<bool>& gone) {
        gone[v] = true;
        const auto before = std::move(rows_);
        rows_.clear();
        for (const inequality& r : before)
            if (r.factors[v] == 0) add(r);
        for (const inequality& low : before)
            for (const inequality& high : before)
                if (low.factors[v] > 0 && high.factors[v] < 0) combine(low, high, v);
    }
    // What is beyond 64 bits is left out.
    void combine(const inequality& low, const inequality& high, std::size_t v) {
        const std::int64_t a = -high.factors[v], b = low.factors[v];
        const auto sum = [&](std::int64_t x, std::int64_t y, std::int64_t& out) {
            std::int64_t p = 0, q = 0;
            return !__builtin_mul_overflow(a, x, &p) && !__builtin_mul_overflow(b, y, &q) &&
                   !__builtin_add_overflow(p, q, &out);
        };
        inequality r = blank();
        bool fits = sum(low.offset, high.offset, r.offset);
        for (std::size_t k = 0; k < r.factors.size(); ++k)
            fits = fits && sum(low.factors[k], high.factors[k], r.factors[k]);
        exact_ = exact_ && fits && (a == 1 || b == 1);
        if (fits) add(std::move(r));
    }

    std::span<const loop_extent> box_;
    loop_list variables_;
    std::vector<inequality> rows_;
    bool empty_ = false, exact_ = true;
};

}  // namespace

std::optional<whole_interval> bounds_of(const place& form, std::span<const loop_extent> box,
                                        std::span<const place> conditions) {
    if (conditions.empty()) {
        whole_interval all{form.offset, form.offset};
        for (const loop_extent& r : box) {
            if (r.extent == 0) return std::nullopt;
            all.add(form.factor(r.what), r.extent);
        }
        return all;
    }
    elimination without_loops(box, {});
    for (const place& c : conditions) without_loops.add(c, 1);
    // the form itself is one more variable, t: t - form >= 0 and form - t >= 0
    without_loops.add(form, -1, 1);
    without_loops.add(form, 1, -1);
    without_loops.run();
    return without_loops.interval();
}

std::optional<std::vector<place>> projected(std::span<const place> conditions,
                                            std::span<const loop_extent> box) {
    loop_list others;
    for (const place& c : conditions)
        for (const auto& t : c.terms)
            if (std::ranges::find(box, t.over, &loop_extent::what) == box.end())
                add_loop(others, t.over);
    elimination without_loops(box, std::move(others));
    for (const place& c : conditions) without_loops.add(c, 1);
    without_loops.run();
    return without_loops.left();
}

}  // namespace ricci::plan
