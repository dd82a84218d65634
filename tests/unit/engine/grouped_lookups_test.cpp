// Rows of which each meets the matrix that numbers of it say, and sums of rows by such numbers: one
// product for each matrix against loops in long double.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "src/engine/grouped_lookups.hpp"
#include "src/runtime/parallel.hpp"
#include "tests/catch.hpp"

using namespace ricci;

namespace {

/// Which loops there are: those in front are around all, then rows, m, n and k; what is summed
/// comes last in the step.
enum loop : std::size_t { around, row, inner_row, m, n, k, loops };

/// A step over dense memory, with NaN and infinity among what some rows read, and what it means.
template <class T>
class random_product {
public:
    /// `adds_up`: several rows are added up in each of the result.
    random_product(unsigned seed, bool sums_rows, bool adds_up)
        : random_(seed), sums_rows_(sums_rows), adds_up_(adds_up) {
        const auto some = [&](std::size_t most) {
            return 1 + static_cast<std::int64_t>(drawn(most));
        };
        extent_[around] = drawn(3) == 0 ? some(3) : 1;
        extent_[row] = drawn(6) == 0 ? 40 * some(9) : some(60);
        extent_[inner_row] = adds_up ? 2 + some(2) : drawn(3) == 0 ? some(3) : 1;
        extent_[m] = sums_rows ? 4 + some(drawn(3) == 0 ? 150 : 20) : 1;
        extent_[n] = 7 + some(drawn(4) == 0 ? 300 : 40);
        extent_[k] = sums_rows ? drawn(3) == 0 ? some(3) : 1 : 3 + some(drawn(12) == 0 ? 600 : 30);
        for (std::size_t l = 0; l < loops; ++l)
            if (is_free(l)) order_.push_back(l);
        what_.free = order_.size();
        for (std::size_t l = 0; l < loops; ++l)
            if (!is_free(l)) order_.push_back(l);
        const bool own_rows = drawn(3) == 0, stray = drawn(2) == 0;
        // rows of A, perhaps looked up; the matrices, or rows of B; weights
        add_factor({around, row, inner_row, sums_rows ? m : k, k});
        if (own_rows) look_up(0, 5, {row}, drawn(2) == 0);
        if (sums_rows) {
            add_factor({around, row, inner_row, n, k});
            scattered_ = made_lookup(some_groups(), {around, row, inner_row}, stray, true);
        } else {
            add_factor({around, n, k});
            look_up(1, some_groups(), {around, row, inner_row}, stray);
            if (drawn(3) == 0) look_up(1, 2, {inner_row, row}, stray);
        }
        if (drawn(2) == 0) add_factor({row, around});
        if (drawn(4) == 0) add_factor({inner_row});
        for (auto& f : factors_) f.memory = numbers(f.size);
        std::vector<std::size_t> of_out;
        for (std::size_t l = 0; l < loops; ++l)
            if (is_free(l)) of_out.push_back(l);
        std::int64_t size = 0;
        what_.out = dense(of_out, size);
        if (sums_rows) {
            scattered_[0].stride = size;
            size *= scattered_[0].extent;
        }
        out_ = numbers(size);
        what_.adds = drawn(2) == 0;
        what_.scaled = drawn(2) == 0;
        scale_ = what_.scaled ? 1.5 : 1;
        spoil();
    }

    /// Whether it was run as products.
    bool check() {
        const std::vector<long double> expected = meant();
        auto step = what_;
        step.type = element_v<T>;
        std::vector<std::int64_t> extents;
        for (const std::size_t l : order_) extents.push_back(extent_[l]);
        step.extents = extents;
        std::vector<steps::lookup_sum::factor> factors;
        std::vector<const void*> in, places;
        for (const auto& f : factors_) {
            factors.push_back({f.at, f.lookups});
            in.push_back(f.memory.data());
            for (const std::size_t number : f.places) places.push_back(places_[number].data());
        }
        step.factors = factors;
        if (!scattered_.empty()) {
            step.scattered = scattered_.data();
            places.push_back(places_[of_scatter_].data());
        }
        const auto grouped = engine::grouped_lookups::of(step);
        if (!grouped) return false;
        const auto before = out_;
        runtime::set_worker_count(1);
        grouped->run(out_.data(), in.data(), places.data(), scale_);
        const auto alone = out_;
        out_ = before;
        runtime::set_worker_count(2);
        grouped->run(out_.data(), in.data(), places.data(), scale_);
        runtime::set_worker_count(0);
        const long double precision =
            (sizeof(T) == 4 ? 2e-5L : 1e-13L) * static_cast<long double>(terms_);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < out_.size(); ++i) {
            const auto got = static_cast<long double>(out_[i]), want = expected[i];
            const bool same = alone[i] == out_[i] || (alone[i] != alone[i] && got != got);
            const bool near = want != want ? got != got
                                           : got == want || std::abs(got - want) <=
                                                                precision * (1 + std::abs(want));
            wrong += same && near ? 0 : 1;
        }
        CHECK(wrong == 0);
        return true;
    }

private:
    struct factor {
        steps::operand at;
        std::int64_t size = 1;
        std::vector<steps::lookup> lookups;
        std::vector<std::size_t> places;
        std::vector<T> memory;
    };

    bool is_free(std::size_t l) const {
        return l != k && !((sums_rows_ || adds_up_) && l == inner_row) && !(sums_rows_ && l == row);
    }
    std::size_t drawn(std::size_t below) { return random_() % below; }
    // So many groups that rows are enough for most of them.
    std::int64_t some_groups() {
        const std::int64_t rows = extent_[row] * extent_[inner_row];
        return 1 + static_cast<std::int64_t>(drawn(static_cast<std::size_t>(rows / 4 + 1)));
    }
    std::vector<T> numbers(std::int64_t count) {
        std::uniform_real_distribution<double> between(-1, 1);
        std::vector<T> all(static_cast<std::size_t>(count));
        for (T& x : all) x = static_cast<T>(between(random_));
        return all;
    }
    // A row that is not a number, and one that is infinite in a place.
    void spoil() {
        if (drawn(2) == 0) return;
        auto& memory = factors_[drawn(2)].memory;
        memory[drawn(memory.size())] = std::numeric_limits<T>::quiet_NaN();
        memory[drawn(memory.size())] = std::numeric_limits<T>::infinity();
    }
    steps::operand dense(const std::vector<std::size_t>& moves, std::int64_t& size) const {
        steps::operand o;
        o.strides.assign(loops, 0);
        size = 1;
        for (std::size_t l = loops; l-- > 0;) {
            if (std::find(moves.begin(), moves.end(), l) == moves.end()) continue;
            for (std::size_t at = 0; at < order_.size(); ++at)
                if (order_[at] == l) o.strides[at] = size;
            size *= extent_[l];
        }
        return o;
    }
    void add_factor(const std::vector<std::size_t>& moves) {
        auto& f = factors_.emplace_back();
        f.at = dense(moves, f.size);
    }
    std::vector<steps::lookup> made_lookup(std::int64_t extent,
                                           const std::vector<std::size_t>& moves, bool may_stray,
                                           bool scatters) {
        std::int64_t size = 0;
        steps::lookup l{element::i32, dense(moves, size), 0, extent, may_stray};
        std::vector<std::int32_t> places(static_cast<std::size_t>(size));
        for (auto& p : places) {
            p = static_cast<std::int32_t>(drawn(static_cast<std::size_t>(extent)));
            if (may_stray && drawn(7) == 0) p = static_cast<std::int32_t>(extent) + 2;
        }
        if (scatters) of_scatter_ = places_.size();
        else factors_.back().places.push_back(places_.size());
        places_.push_back(std::move(places));
        return {l};
    }
    void look_up(std::size_t number, std::int64_t extent, const std::vector<std::size_t>& moves,
                 bool may_stray) {
        auto l = made_lookup(extent, moves, may_stray, false)[0];
        l.stride = factors_[number].size;
        factors_[number].size *= extent;
        factors_[number].lookups.push_back(l);
    }

    std::vector<long double> meant() {
        std::vector<long double> result(out_.begin(), out_.end());
        if (!what_.adds) std::fill(result.begin(), result.end(), 0.0L);
        std::vector<std::int64_t> at(loops);
        const auto there = [&](const steps::operand& o) {
            std::int64_t offset = o.offset;
            for (std::size_t l = 0; l < loops; ++l) offset += at[l] * o.strides[l];
            return static_cast<std::size_t>(offset);
        };
        std::int64_t all = 1;
        terms_ = 1;
        for (const std::size_t l : order_) {
            all *= extent_[l];
            if (!is_free(l)) terms_ *= extent_[l];
        }
        for (std::int64_t number = 0; number < all; ++number) {
            std::int64_t rest = number;
            for (std::size_t l = loops; l-- > 0; rest /= extent_[order_[l]])
                at[l] = rest % extent_[order_[l]];
            std::size_t to = there(what_.out);
            long double product = scale_;
            bool counts = true;
            for (const auto& f : factors_) {
                std::size_t from = there(f.at);
                for (std::size_t x = 0; x < f.lookups.size(); ++x) {
                    const auto place = places_[f.places[x]][there(f.lookups[x].numbers)];
                    counts = counts && place < f.lookups[x].extent;
                    from += static_cast<std::size_t>(place * f.lookups[x].stride);
                }
                if (counts) product *= static_cast<long double>(f.memory[from]);
            }
            if (!scattered_.empty()) {
                const auto place = places_[of_scatter_][there(scattered_[0].numbers)];
                counts = counts && place < scattered_[0].extent;
                to += static_cast<std::size_t>(place * scattered_[0].stride);
            }
            if (counts) result[to] += product;
        }
        return result;
    }

    std::mt19937 random_;
    bool sums_rows_, adds_up_;
    std::int64_t extent_[loops];
    std::vector<std::size_t> order_;
    steps::lookup_sum what_;
    std::vector<factor> factors_;
    std::vector<steps::lookup> scattered_;
    std::vector<std::vector<std::int32_t>> places_;
    std::size_t of_scatter_ = 0;
    std::vector<T> out_;
    double scale_ = 1;
    std::int64_t terms_ = 1;
};

}  // namespace

TEST_CASE("rows meet the matrices that their numbers say", "[lookups]") {
    int products = 0;
    for (unsigned seed = 0; seed < 100; ++seed) {
        const bool sums_rows = seed % 2 == 0, adds_up = seed % 4 == 1;
        INFO("seed " << seed);
        products += random_product<float>(seed, sums_rows, adds_up).check() ? 1 : 0;
        products += random_product<double>(seed, sums_rows, adds_up).check() ? 1 : 0;
    }
    CHECK(products > 100);
}
