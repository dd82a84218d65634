// Fused groups written by hand whose consumers are folds that are no sums: of rows, of columns and
// of both, with ties and with places, of products and of distances, by the kernels of this processor
// and by plain loops.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "src/fused/group.hpp"
#include "src/runtime/parallel.hpp"
#include "src/steps/fused.hpp"
#include "tests/catch.hpp"
#include "tests/few.hpp"

namespace {

using namespace ricci;
using steps::loop_role;
using steps::monoid;
using steps::opcode;

/// Whole numbers of which many are equal, so that there are ties and every result is exact.
template <class T>
std::vector<T> small_numbers(std::size_t count, unsigned seed) {
    std::mt19937 generator(seed);
    std::vector<T> all(count);
    for (T& x : all) x = static_cast<T>(static_cast<int>(generator() % 5) - 2);
    return all;
}

struct sizes {
    std::int64_t rows, columns, width;
};

/// What is found beside a maximum or minimum.
struct beside {
    bool ties = false, places = false;
};

template <class T>
bool same(T a, T b) {
    return a == b || (a != a && b != b);
}

/// A group over rows and columns: a tile of A and B, perhaps masked, and what takes it up.
template <class T>
class hand_written {
public:
    hand_written(const sizes& s, bool distance, bool masked, monoid by, beside more, bool nan)
        : s_(s), distance_(distance), masked_(masked), by_(by), more_(more) {
        a_ = small_numbers<T>(static_cast<std::size_t>(s.rows * s.width), 1);
        b_ = small_numbers<T>(static_cast<std::size_t>(s.columns * s.width), 2);
        if (nan) spoil(a_, s.rows), spoil(b_, s.columns);
        group_.type = element_v<T>;
        group_.loops = {{s.rows, loop_role::row}, {s.columns, loop_role::column}};
        add_operand(a_.data(), s.width, 0);
        add_operand(b_.data(), 0, s.width);
        steps::tile_product p;
        p.a = 0, p.b = 1;
        p.contracted = {{s.width, 1, 1}};
        p.is_distance = distance;
        group_.products.push_back(p);
        if (masked) add_mask();
        add_consumer(loop_role::column, rows_, s.rows);
        add_consumer(loop_role::row, columns_, s.columns);
    }

    void run(fused::kernel_choice kernels) {
        std::vector<double> numbers(1 + group_.consumers.size(), 1);
        fused::prepared_group prepared(group_, kernels);
        prepared.run(bases_.data(), numbers.data());
    }

    void check() const {
        check(rows_, s_.rows, s_.columns, [&](auto x, auto y) { return value(x, y); });
        check(columns_, s_.columns, s_.rows, [&](auto x, auto y) { return value(y, x); });
    }

private:
    struct results {
        std::vector<T> values, ties;
        std::vector<std::int32_t> places;
    };

    template <class Value>
    void check(const results& got, std::int64_t outer, std::int64_t inner, Value value_at) const {
        std::int64_t wrong = 0, wrong_ties = 0, wrong_places = 0;
        for (std::int64_t x = 0; x < outer; ++x) {
            T all = static_cast<T>(steps::entry_of(by_).identity), equal = 0;
            std::int64_t place = inner;
            for (std::int64_t y = 0; y < inner; ++y) all = steps::joined(by_, all, value_at(x, y));
            for (std::int64_t y = inner; y-- > 0;) {
                equal += value_at(x, y) == all ? T(1) : T(0);
                if (same(value_at(x, y), all)) place = y;
            }
            const auto at = static_cast<std::size_t>(x);
            if (!same(got.values[at], all)) ++wrong;
            if (more_.ties && got.ties[at] != equal) ++wrong_ties;
            if (more_.places && got.places[at] != place) ++wrong_places;
        }
        INFO((&got == &rows_ ? "rows" : "columns"));
        CHECK(wrong == 0);
        CHECK(wrong_ties == 0);
        CHECK(wrong_places == 0);
    }

    T value(std::int64_t i, std::int64_t j) const {
        if (masked_ && j > i) return static_cast<T>(steps::entry_of(by_).identity);
        T sum = 0;
        for (std::int64_t k = 0; k < s_.width; ++k) {
            const T x = a_[static_cast<std::size_t>(i * s_.width + k)],
                    y = b_[static_cast<std::size_t>(j * s_.width + k)];
            sum += distance_ ? (x - y) * (x - y) : x * y;
        }
        // Products stay exact: powers of 2.
        return by_ == monoid::product && masked_ ? (sum > 0 ? T(2) : T(1)) : sum;
    }

    // Some rows are no numbers.
    void spoil(std::vector<T>& m, std::int64_t rows) {
        for (const std::int64_t row : {rows / 3, rows / 2, rows - 1})
            m[static_cast<std::size_t>(row * s_.width)] = std::numeric_limits<T>::quiet_NaN();
    }

    std::int32_t add_operand(void* memory, std::int64_t row, std::int64_t column) {
        steps::operand o;
        o.strides = {row, column};
        group_.operands.push_back(std::move(o));
        bases_.push_back(memory);
        return static_cast<std::int32_t>(bases_.size()) - 1;
    }
    // Where j <= i the value, else what the fold does not see.
    void add_mask() {
        const std::int32_t row = add_operand(nullptr, 1, 0), column = add_operand(nullptr, 0, 1);
        std::vector<steps::instruction> program;
        const auto push = [&](opcode code, std::int32_t operand, double number, std::int32_t first,
                              std::int32_t second, std::int32_t third) {
            steps::instruction i;
            i.code = code;
            i.operand = operand;
            i.value = number;
            i.first = first, i.second = second, i.third = third;
            program.push_back(i);
            return static_cast<std::int32_t>(program.size()) - 1;
        };
        const auto i = push(opcode::position, row, 0, -1, -1, -1);
        const auto j = push(opcode::position, column, 0, -1, -1, -1);
        const auto inside = push(opcode::less_equal, -1, 0, j, i, -1);
        auto x = push(opcode::load, steps::tile_operand(0), 0, -1, -1, -1);
        if (by_ == monoid::product) {
            const auto zero = push(opcode::constant, -1, 0, -1, -1, -1);
            const auto one = push(opcode::constant, -1, 1, -1, -1, -1);
            const auto larger = push(opcode::less, -1, 0, zero, x, -1);
            x = push(opcode::add, -1, 0, larger, one, -1);
        }
        const auto nothing = push(opcode::constant, -1, steps::entry_of(by_).identity, -1, -1, -1);
        push(opcode::select, -1, 0, inside, x, nothing);
        steps::tile_operation masked;
        masked.program = std::move(program);
        group_.operations.push_back(std::move(masked));
    }
    void add_consumer(loop_role over, results& to, std::int64_t count) {
        to.values.assign(static_cast<std::size_t>(count), T(99));
        to.ties.assign(static_cast<std::size_t>(count), T(99));
        to.places.assign(static_cast<std::size_t>(count), -99);
        const auto operand = [&](void* memory) {
            const bool rows = over == loop_role::column;
            return add_operand(memory, rows ? 1 : 0, rows ? 0 : 1);
        };
        steps::tile_consumer c;
        c.tile = masked_ ? 1 : 0;
        c.by = by_;
        c.summed = over;
        c.output = operand(to.values.data());
        if (more_.ties) c.count = operand(to.ties.data());
        if (more_.places) c.place = operand(to.places.data());
        group_.consumers.push_back(std::move(c));
    }

    sizes s_;
    bool distance_, masked_;
    monoid by_;
    beside more_;
    std::vector<T> a_, b_;
    results rows_, columns_;
    steps::fused_group group_;
    std::vector<void*> bases_;
};

template <class T>
void check_everywhere(const sizes& s, bool distance, bool masked, monoid by, beside more,
                      bool nan) {
    INFO(s.rows << " x " << s.columns << ", " << s.width << "  distance " << distance << "  masked "
                << masked << "  " << steps::entry_of(by).word << "  ties " << more.ties
                << "  places " << more.places << "  NaN " << nan);
    for (const auto kernels : {fused::kernel_choice::best, fused::kernel_choice::scalar})
        for (const int threads : {1, 3}) {
            runtime::set_worker_count(threads);
            hand_written<T> group(s, distance, masked, by, more, nan);
            group.run(kernels);
            group.check();
        }
    runtime::set_worker_count(0);
}

template <class T>
void check_all(const sizes& s) {
    constexpr beside kinds[] = {{}, {true, false}, {false, true}, {true, true}};
    for (const bool distance : {false, true})
        for (const bool masked : {false, true}) {
            for (const monoid by : {monoid::maximum, monoid::minimum})
                for (const beside more : kinds)
                    for (const bool nan : {false, true})
                        check_everywhere<T>(s, distance, masked, by, more, nan);
            if (masked && s.columns <= 60)
                check_everywhere<T>(s, distance, masked, monoid::product, {}, false);
        }
}

}  // namespace

TEST_CASE("folds of rows and of columns with their ties and places") {
    for (const sizes& s : testing::few_or<std::vector<sizes>>(
             {{5, 7, 3}, {49, 33, 9}, {70, 520, 4}, {3, 400, 6}}, {{5, 7, 3},
                                                                   {48, 50, 2},
                                                                   {49, 33, 9},
                                                                   {130, 700, 4},
                                                                   {50, 20, 12},
                                                                   {300, 1200, 5},
                                                                   {3, 400, 6}})) {
        check_all<float>(s);
        check_all<double>(s);
    }
}
