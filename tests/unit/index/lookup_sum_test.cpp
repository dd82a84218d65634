// Sums of products that are read, or added up, at places that tensors say: the step of it against
// loops in long double.
#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "src/index/lookup_sum.hpp"
#include "src/runtime/parallel.hpp"
#include "tests/catch.hpp"
#include "tests/few.hpp"

using namespace ricci;

namespace {

/// A random step over dense memory, and what it means.
template <class T>
class random_sum {
public:
    explicit random_sum(unsigned seed, std::int64_t longest) : random_(seed) {
        const std::size_t free = drawn(3), summed = 1 + drawn(2);
        for (std::size_t l = 0; l < free + summed; ++l)
            extents_.push_back(1 + static_cast<std::int64_t>(drawn(6)));
        if (free > 0 && drawn(2) == 0) extents_[free - 1] = longest;
        if (drawn(3) == 0) extents_.back() = longest;
        what_.free = free;
        const bool scatters = drawn(2) == 0;
        const std::int64_t places = 1 + static_cast<std::int64_t>(drawn(40));
        // the result: its loops in their order, the place that is added up at before them
        std::vector<bool> of_out(extents_.size(), false);
        for (std::size_t l = 0; l < free; ++l) of_out[l] = true;
        std::int64_t size = 0;
        what_.out = dense(of_out, size);
        if (scatters) {
            scattered_ = lookup(std::max<std::int64_t>(size, 1), places, true);
            size *= places;
        }
        out_ = numbers(size);
        const bool joins = scatters && drawn(3) == 0;
        if (joins) what_.by = static_cast<steps::monoid>(1 + drawn(3));
        const std::size_t count = joins ? 1 : drawn(4);
        for (std::size_t k = 0; k < count; ++k) {
            std::vector<bool> moves;
            for (std::size_t l = 0; l < extents_.size(); ++l) moves.push_back(drawn(3) != 0);
            auto& f = factors_.emplace_back();
            std::int64_t length = 0;
            f.at = dense(moves, length);
            if (!joins && drawn(2) == 0) {
                const std::int64_t rows = 1 + static_cast<std::int64_t>(drawn(9));
                f.lookups = lookup(length, rows, false);
                length *= rows;
            }
            f.memory = numbers(length);
        }
        what_.adds = !joins && drawn(2) == 0;
        what_.scaled = !joins && drawn(2) == 0;
        scale_ = what_.scaled ? 1.5 : 1;
    }

    void check() {
        std::vector<long double> expected = meant();
        auto step = what_;
        step.type = element_v<T>;
        step.extents = extents_;
        std::vector<steps::lookup_sum::factor> factors;
        for (const auto& f : factors_) factors.push_back({f.at, f.lookups});
        step.factors = factors;
        if (!scattered_.empty()) step.scattered = scattered_.data();
        const elementwise::prepared_lookup_sum sum(step);
        std::vector<const void*> in, places;
        std::size_t number = 0;
        for (const auto& f : factors_) {
            in.push_back(f.memory.data());
            for (std::size_t k = 0; k < f.lookups.size(); ++k)
                places.push_back(places_[of_factors_[number++]].data());
        }
        if (!scattered_.empty()) places.push_back(places_[of_scatter_].data());
        REQUIRE(!sum.find_stray(places.data()).found());
        const auto before = out_;
        runtime::set_worker_count(1);
        sum.run(out_.data(), in.data(), places.data(), scale_);
        const auto alone = out_;
        out_ = before;
        runtime::set_worker_count(2);
        sum.run(out_.data(), in.data(), places.data(), scale_);
        runtime::set_worker_count(0);
        REQUIRE(alone == out_);
        // One assertion for all elements: each takes longer than the sum.
        const auto is_right = [&](std::size_t k) {
            return static_cast<long double>(out_[k]) == expected[k] ||
                   std::abs(static_cast<long double>(out_[k]) - expected[k]) <=
                       (sizeof(T) == 4 ? 1e-4L : 1e-12L) * (1 + std::abs(expected[k])) *
                           static_cast<long double>(entries_);
        };
        std::size_t right = 0;
        while (right < out_.size() && is_right(right)) ++right;
        REQUIRE(right == out_.size());
    }

private:
    struct factor {
        steps::operand at;
        std::vector<steps::lookup> lookups;
        std::vector<T> memory;
    };

    std::size_t drawn(std::size_t below) { return random_() % below; }
    std::vector<T> numbers(std::int64_t count) {
        std::uniform_real_distribution<double> between(-1, 1);
        std::vector<T> all(static_cast<std::size_t>(count));
        for (T& x : all) x = static_cast<T>(between(random_));
        return all;
    }
    steps::operand dense(const std::vector<bool>& moves, std::int64_t& size) const {
        steps::operand o;
        o.strides.assign(extents_.size(), 0);
        size = 1;
        for (std::size_t l = extents_.size(); l-- > 0;) {
            if (!moves[l]) continue;
            o.strides[l] = size;
            size *= extents_[l];
        }
        return o;
    }
    // What scatters may have numbers that are no places, and depends on summed loops.
    std::vector<steps::lookup> lookup(std::int64_t stride, std::int64_t extent, bool scatters) {
        std::vector<bool> moves;
        for (std::size_t l = 0; l < extents_.size(); ++l) moves.push_back(drawn(2) == 0);
        if (scatters) moves[what_.free] = true;
        std::int64_t size = 0;
        steps::lookup l{element::i32, dense(moves, size), stride, extent};
        std::vector<std::int32_t> places(static_cast<std::size_t>(size));
        for (auto& p : places)
            p = static_cast<std::int32_t>(drawn(static_cast<std::size_t>(extent))) -
                (scatters && drawn(5) == 0 ? static_cast<std::int32_t>(extent) : 0);
        (scatters ? of_scatter_ : of_factors_.emplace_back()) = places_.size();
        places_.push_back(std::move(places));
        return {l};
    }

    std::vector<long double> meant() {
        std::vector<long double> result(out_.begin(), out_.end());
        if (!what_.adds)
            std::fill(result.begin(), result.end(),
                      static_cast<long double>(steps::entry_of(what_.by).identity));
        std::int64_t all = 1;
        for (const auto n : extents_) all *= n;
        entries_ = all;
        std::vector<std::int64_t> at(extents_.size());
        const auto there = [&](const steps::operand& o) {
            std::int64_t offset = o.offset;
            for (std::size_t l = 0; l < at.size(); ++l) offset += at[l] * o.strides[l];
            return static_cast<std::size_t>(offset);
        };
        for (std::int64_t n = 0; n < all; ++n) {
            std::int64_t rest = n;
            for (std::size_t l = at.size(); l-- > 0; rest /= extents_[l])
                at[l] = rest % extents_[l];
            std::size_t to = there(what_.out), number = 0;
            long double product = scale_;
            for (const auto& f : factors_) {
                std::size_t from = there(f.at);
                for (const auto& l : f.lookups)
                    from += static_cast<std::size_t>(
                        places_[of_factors_[number++]][there(l.numbers)] * l.stride);
                product *= static_cast<long double>(f.memory[from]);
            }
            if (!scattered_.empty()) {
                const auto& l = scattered_[0];
                const std::int32_t place = places_[of_scatter_][there(l.numbers)];
                if (place < 0) continue;
                to += static_cast<std::size_t>(place * l.stride);
            }
            result[to] = steps::joined(what_.by, result[to], product);
        }
        return result;
    }

    std::mt19937 random_;
    std::vector<std::int64_t> extents_;
    steps::lookup_sum what_;
    std::vector<factor> factors_;
    std::vector<steps::lookup> scattered_;
    std::vector<std::vector<std::int32_t>> places_;
    std::vector<std::size_t> of_factors_;
    std::size_t of_scatter_ = 0;
    std::vector<T> out_;
    double scale_ = 1;
    std::int64_t entries_ = 1;
};

}  // namespace

TEST_CASE("sums with lookups are what their loops say", "[lookups]") {
    for (unsigned seed = 0; seed < ricci::testing::few_or(200u, 600u); ++seed) {
        INFO("seed " << seed);
        const std::int64_t longest = seed % 3 == 0 ? 200 : seed % 3 == 1 ? 37 : 5;
        random_sum<float>(seed, longest).check();
        random_sum<double>(seed, longest).check();
    }
}
