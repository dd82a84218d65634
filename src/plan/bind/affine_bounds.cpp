// Fourier and Motzkin's elimination: from each pair of a lower and an upper bound of an index
// follows an inequality without it; what is left when all indices are gone bounds the form.
#include "src/plan/bind/affine_bounds.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "src/base/arithmetic.hpp"

namespace ricci::plan {

void affine_form::add(ir::ref index, std::int64_t factor) {
    for (auto& [other, mine] : terms)
        if (other == index) {
            mine += factor;
            return;
        }
    terms.emplace_back(index, factor);
}
void affine_form::add(const affine_form& other, std::int64_t factor) {
    offset += factor * other.offset;
    for (const auto& [index, mine] : other.terms) add(index, factor * mine);
}
std::int64_t affine_form::factor(ir::ref index) const {
    for (const auto& [other, mine] : terms)
        if (other == index) return mine;
    return 0;
}

namespace {

// More inequalities than these do not occur; to leave one out only widens the interval.
constexpr std::size_t most_rows = 512;

/// The sum of factor * variable and `offset` is 0 or more.
struct inequality {
    std::vector<std::int64_t> factors;
    std::int64_t offset = 0;
};

class elimination {
public:
    elimination(const affine_form& form, std::span<const index_range> box,
                std::span<const affine_form> conditions)
        : box_(box) {
        for (std::size_t v = 0; v < box.size(); ++v) {
            inequality low = blank(), high = blank();
            low.factors[v] = 1;
            high.factors[v] = -1;
            high.offset = box[v].extent - 1;
            add(std::move(low));
            add(std::move(high));
        }
        for (const affine_form& c : conditions) add(row_of(c, 1));
        // the form itself is one more variable, t: t - form >= 0 and form - t >= 0
        for (const std::int64_t sign : {1, -1}) {
            inequality r = row_of(form, -sign);
            r.factors.back() = sign;
            add(std::move(r));
        }
    }

    std::optional<whole_interval> run() {
        std::vector<bool> gone(box_.size(), false);
        for (std::size_t count = 0; count < box_.size() && !empty_; ++count)
            eliminate(cheapest(gone), gone);
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

private:
    inequality blank() const { return {std::vector<std::int64_t>(box_.size() + 1, 0), 0}; }
    inequality row_of(const affine_form& form, std::int64_t sign) const {
        inequality r = blank();
        r.offset = sign * form.offset;
        for (std::size_t v = 0; v < box_.size(); ++v)
            r.factors[v] = sign * form.factor(box_[v].index);
        return r;
    }
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
        if (fits) add(std::move(r));
    }

    std::span<const index_range> box_;
    std::vector<inequality> rows_;
    bool empty_ = false;
};

}  // namespace

std::optional<whole_interval> bounds_of(const affine_form& form, std::span<const index_range> box,
                                        std::span<const affine_form> conditions) {
    if (conditions.empty()) {
        whole_interval all{form.offset, form.offset};
        for (const index_range& r : box) {
            if (r.extent == 0) return std::nullopt;
            all.add(form.factor(r.index), r.extent);
        }
        return all;
    }
    return elimination(form, box, conditions).run();
}

}  // namespace ricci::plan
