// What the expressions of a plan are worth at one place of all loops: from <cmath>, by
// tests/unit/map/meanings.hpp, and from what the planner says of brackets, lookups and reciprocals.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "src/plan/pool/expression.hpp"
#include "tests/unit/map/meanings.hpp"
#include "tests/unit/plan/interpreted/array.hpp"

namespace ricci::testing {

/// Where all loops are.
class loop_counters {
public:
    explicit loop_counters(const plan::graph& values) : values_(values) {}

    std::int64_t of(plan::loop l) const {
        const std::size_t k = l.index();
        if (k >= at_.size() || at_[k] < 0) throw std::logic_error("a loop that nobody runs");
        return at_[k];
    }
    void set(plan::loop l, std::int64_t n) {
        const std::size_t k = l.index();
        if (k >= at_.size()) at_.resize(k + 1, -1);
        at_[k] = n;
    }
    std::int64_t of(const plan::place& p) const {
        std::int64_t result = p.offset;
        for (const auto& t : p.terms) result += t.factor * of(t.over);
        return result;
    }
    /// Calls f at every place of the loops, the last one fastest; then they are where they were.
    template <class F>
    void each(const plan::loop_list& loops, F f, std::size_t from = 0) {
        if (from == loops.size()) return f();
        const std::size_t k = loops[from].index();
        const std::int64_t before = k < at_.size() ? at_[k] : -1;
        for (std::int64_t n = 0; n < values_.extent(loops[from]); ++n) {
            set(loops[from], n);
            each(loops, f, from + 1);
        }
        set(loops[from], before);
    }

private:
    const plan::graph& values_;
    std::vector<std::int64_t> at_;  // -1: it does not run
};

template <class T>
double real_of(const T& x) {
    if constexpr (std::is_same_v<T, std::complex<double>>) return x.real();
    else return static_cast<double>(x);
}

/// Several values as one.
template <class T>
T folded(steps::fold how, const std::vector<T>& row) {
    using steps::fold;
    T sum = T(0), product = T(1);
    for (const T& x : row) {
        sum = test::meaning(kernels::operation(steps::opcode::add), sum, x, T(0));
        product = test::meaning(kernels::operation(steps::opcode::multiply), product, x, T(0));
    }
    switch (how) {
        case fold::none:
            return row.at(0);
        case fold::sum:
            return sum;
        case fold::product:
            return product;
        case fold::mean:
            return sum / number_from<T>(static_cast<double>(row.size()));
        default:
            break;
    }
    if constexpr (!std::is_same_v<T, std::complex<double>>) {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        T most = number_from<T>(-infinity), least = number_from<T>(infinity);
        for (const T x : row) {
            if (x != x) return x;
            most = std::max(most, x);
            least = std::min(least, x);
        }
        if (how == fold::maximum) return most;
        if (how == fold::minimum) return least;
        const bool excess = how == fold::excess;
        if ((how == fold::logsumexp || excess) && std::is_same_v<T, double>) {
            const auto top = static_cast<double>(most);
            if (std::isinf(top)) return excess ? number_from<T>(0) : most;
            double weights = 0;
            for (const T x : row) weights += std::exp(static_cast<double>(x) - top);
            return number_from<T>((excess ? 0 : top) + std::log(weights));
        }
    }
    throw std::logic_error("a fold that these numbers do not have");
}

/// exp(x - the largest) / the sum of these; zeros where all are -infinity.
template <class T>
std::vector<T> normalised(std::vector<T> row) {
    if constexpr (std::is_same_v<T, double>) {
        double most = -std::numeric_limits<double>::infinity(), sum = 0;
        for (const double x : row) most = std::isnan(x) || most < x ? x : most;
        for (double& x : row) sum += x = std::isinf(most) && most < 0 ? 0 : std::exp(x - most);
        for (double& x : row) x = sum == 0 ? 0 : x / sum;
        return row;
    }
    throw std::logic_error("a softmax of numbers that have none");
}

inline bool is_place(double number, std::int64_t extent) {
    return number >= 0 && number < static_cast<double>(extent) && std::floor(number) == number;
}

template <class T>
class expression_values {
public:
    expression_values(const plan::graph& values, std::vector<array<T>*> memory,
                      loop_counters& loops)
        : graph_(values), memory_(std::move(memory)), loops_(loops) {}

    /// The value where the loops are now.
    T at(plan::expr e) {
        ++now_;
        return value(e);
    }
    array<T>& memory_of(plan::slot_number slot) { return *memory_.at(slot.index()); }
    T load(const plan::access& a) { return is_beyond(a) ? T(0) : memory_of(a.slot)[offset(a)]; }
    void store(const plan::access& a, T x) { memory_of(a.slot).set(offset(a), x); }

private:
    using opcode = steps::opcode;

    // Whether 0 is read, beyond an edge.
    bool is_beyond(const plan::access& a) const {
        for (const auto& p : a.at) {
            const std::int64_t at = loops_.of(p);
            if (plan::is_empty(p.edge) && (at < p.low || at > p.high)) return true;
        }
        return false;
    }
    static std::int64_t within(const plan::place& p, std::int64_t at) {
        const std::int64_t round = p.high - p.low + 1;
        if (p.edge == plan::edge::clamp) return std::min(std::max(at, p.low), p.high);
        if (p.edge == plan::edge::wrap) return p.low + ((at - p.low) % round + round) % round;
        return at;
    }

    // `moved`: of some axes, how far beyond what the access says.
    std::size_t offset(const plan::access& a,
                       const std::vector<std::pair<std::size_t, std::int64_t>>& moved = {}) {
        const auto& extents = memory_of(a.slot).extents();
        if (a.at.size() != extents.size()) throw std::logic_error("an access of another rank");
        std::int64_t result = 0;
        for (std::size_t axis = 0; axis < extents.size(); ++axis) {
            std::int64_t at = within(a.at[axis], loops_.of(a.at[axis]));
            for (const auto& [which, by] : moved) at += which == axis ? by : 0;
            if (at < 0 || at >= extents[axis])
                throw std::out_of_range("a place outside of its axis");
            result = result * extents[axis] + at;
        }
        return static_cast<std::size_t>(result);
    }

    // What has been computed at this place is not computed again.
    T value(plan::expr e) {
        const auto k = e.index();
        if (k >= known_.size()) known_.resize(k + 1, {0, T{}});
        if (known_[k].first == now_) return known_[k].second;
        const T x = computed(graph_[e]);
        known_[k] = {now_, x};
        return x;
    }
    T computed(const plan::expression& n) {
        switch (n.kind) {
            case plan::kind::constant:
                return number_from<T>(n.value);
            case plan::kind::position:
                return number_from<T>(static_cast<double>(loops_.of(n.at)));
            case plan::kind::load:
                return load(n.source);
            case plan::kind::gather:
                return picked(n);
            case plan::kind::operation:
                if (n.code == opcode::add) return sum(n);
                if (n.code == opcode::multiply) return product(n);
                return applied(n);
            case plan::kind::sum:
            case plan::kind::fold:
                return fold_of(n);
        }
        throw std::logic_error("an expression of no kind");
    }
    // A fold inside a body, as equations in the pool have them, whose loops may run outside of it,
    // too. A softmax has a value for each place of its loops.
    T fold_of(const plan::expression& n) {
        const bool is_softmax = n.kind == plan::kind::fold && n.folding == steps::fold::softmax;
        std::vector<std::pair<plan::loop, std::int64_t>> here;
        for (const plan::loop l : n.over)
            if (is_softmax && graph_.extent(l) > 1) here.emplace_back(l, loops_.of(l));
        std::vector<T> row;
        std::size_t own = 0;
        loops_.each(n.over, [&] {
            bool is_here = is_softmax;
            for (const auto& [l, place] : here) is_here = is_here && loops_.of(l) == place;
            if (is_here) own = row.size();
            row.push_back(at(n.arguments[0]));
        });
        ++now_;  // what was computed is of other places
        if (is_softmax) return normalised(std::move(row))[own];
        return folded(n.kind == plan::kind::sum ? steps::fold::sum : n.folding, row);
    }
    static T meaning(opcode code, T x, T y = T(0), T z = T(0)) {
        return test::meaning(kernels::operation(code), x, y, z);
    }
    T applied(const plan::expression& n) {
        T x[3] = {};
        for (std::size_t k = 0; k < n.arguments.size(); ++k) x[k] = value(n.arguments[k]);
        return meaning(n.code, x[0], x[1], x[2]);
    }

    // Where a number is no place and nobody wants the value, it is 1.
    T picked(const plan::expression& n) {
        std::vector<std::pair<std::size_t, std::int64_t>> moved;
        for (std::size_t k = 0; k < n.lookups.size(); ++k) {
            const auto axis = static_cast<std::size_t>(n.lookups[k].axis);
            const double number = real_of(value(n.arguments[k]));
            const auto extent = memory_of(n.source.slot).extents().at(axis);
            if (!is_place(number, extent)) {
                const bool unwanted =
                    n.lookups[k].may_stray ||
                    (n.arguments.size() > n.lookups.size() && value(n.arguments.back()) == T(0));
                if (unwanted) return T(1);
                throw std::out_of_range("a number that is no place");
            }
            moved.emplace_back(axis, static_cast<std::int64_t>(number));
        }
        if (is_beyond(n.source)) return T(0);
        return memory_of(n.source.slot)[offset(n.source, moved)];
    }

    // Minus infinity under brackets masks what it is added to, which may be no number there.
    T sum(const plan::expression& n) {
        T total = T(0);
        for (const plan::expr e : n.arguments) {
            const T x = value(e);
            if (is_mask(e) && x != T(0)) return x;
            total = meaning(opcode::add, total, x);
        }
        return total;
    }
    bool is_mask(plan::expr e) const {
        const auto all = graph_.factors(e);
        return all.size() > 1 && graph_.is_constant(all[0], -HUGE_VAL) &&
               std::all_of(all.begin() + 1, all.end(),
                           [&](plan::expr f) { return graph_.is_bracket(f); });
    }

    // Nothing comes through a bracket that is false; what stands as a reciprocal divides last.
    T product(const plan::expression& n) {
        T total = T(1);
        std::vector<T> divisors;
        for (const plan::expr e : n.arguments)
            if (graph_.is_bracket(e) && value(e) == T(0)) return T(0);
        for (const plan::expr e : n.arguments) {
            const auto& factor = graph_[e];
            if (graph_.is_bracket(e)) continue;
            if (factor.kind == plan::kind::operation && factor.code == opcode::reciprocal)
                divisors.push_back(value(factor.arguments[0]));
            else total = meaning(opcode::multiply, total, value(e));
        }
        for (const T& x : divisors) total = meaning(opcode::divide, total, x);
        return total;
    }

    const plan::graph& graph_;
    std::vector<array<T>*> memory_;  // by slot
    loop_counters& loops_;
    std::vector<std::pair<std::int64_t, T>> known_;
    std::int64_t now_ = 0;
};

}  // namespace ricci::testing
