// From a body to steps: its values are covered by instructions at the least cost, with one
// accumulator; what does not fit waits in a block of memory.
#include <algorithm>
#include <limits>
#include <utility>

#include "src/bodies/generator.hpp"
#include "src/bodies/patterns.hpp"

namespace ricci::bodies {

using kernels::body_place;
namespace ids = kernels::body_id;

namespace {

// In cycles for each 8 vectors, as those of patterns.
constexpr double price_of_load = 3, price_of_store = 8;
constexpr double price_of_columns = 1, price_of_block = 2, price_of_rows = 0.5;

class generator {
public:
    explicit generator(const body& what) : body_(what), uses_(what.uses()) {
        const std::size_t count = what.values().size();
        block_.assign(count, -1);
        for (auto& list : known_) list.resize(count);
        is_made_.assign(count, 0);
        is_kept_.assign(count, 0);
        for (std::size_t k = 0; k < count; ++k) {
            const int v = static_cast<int>(k);
            is_kept_[k] = uses_[k] > 1 && !what.is_leaf(v) && !is_pair_of_leaves(what, v) ? 1 : 0;
        }
    }

    std::vector<step> run() {
        for (std::size_t k = 0; k < body_.folds().size(); ++k) fold(static_cast<int>(k));
        for (std::size_t k = 0; k < body_.results().size(); ++k) write(static_cast<int>(k));
        drop_unread_blocks();
        return std::move(steps_);
    }
    int blocks() const { return blocks_; }

private:
    struct choice {
        double cost = std::numeric_limits<double>::infinity();
        pattern how;
        std::vector<int> before;  // values that it reads and that are not there yet
        int when = -1;            // found out
    };

    std::size_t at(int value) const { return static_cast<std::size_t>(value); }
    bool is_ready(int v) const { return body_.is_leaf(v) || block_[at(v)] >= 0; }

    double price_of_argument(int v) const {
        if (body_.is_column(v)) return price_of_columns;
        if (body_.is_element(v) || body_.is_pair(v)) return price_of_block;
        return body_.is_leaf(v) ? price_of_rows : price_of_block;
    }
    body_place place_of(int v) const {
        if (body_.is_column(v)) return body_place::columns;
        if (body_.is_element(v) || body_.is_pair(v)) return body_place::block;
        return body_.is_leaf(v) ? body_place::rows : body_place::block;
    }
    place where(int v) const {
        if (v < 0) return {};
        return body_.is_leaf(v) ? place{v} : place{-1, block_[at(v)]};
    }

    // The cheapest way to have a value in the accumulator. `current`: the accumulator is still as
    // it is now.
    choice best(int v, bool current) const {
        choice least;
        if (current && v == accumulator_) return {0, {}, {}, now_};
        if (is_ready(v)) return {price_of_load + price_of_argument(v), {}, {}, now_};
        if (const choice& known = known_[current ? 1 : 0][at(v)]; known.when == now_) return known;
        for (const pattern& p : patterns_of(body_, v, uses_, is_made_)) {
            choice c{p.cost, p, {}, now_};
            for (const int argument : {p.x, p.y}) {
                if (argument < 0) continue;
                if (is_ready(argument)) c.cost += price_of_argument(argument);
                else if (std::ranges::find(c.before, argument) == c.before.end())
                    c.before.push_back(argument);
            }
            if (c.before.size() == 2 &&
                best(c.before[0], false).cost < best(c.before[1], false).cost)
                std::swap(c.before[0], c.before[1]);
            bool still = current;
            for (const int argument : c.before) {
                c.cost += best(argument, still).cost + price_of_store + price_of_block;
                still = false;
            }
            if (p.accumulator >= 0) c.cost += best(p.accumulator, still).cost;
            if (c.cost < least.cost) least = std::move(c);
        }
        known_[current ? 1 : 0][at(v)] = least;
        return least;
    }

    /// What is known holds as long as the same values are in memory and in the accumulator.
    void forget() {
        if (changed_) ++now_;
        changed_ = false;
    }
    void has(int v) {
        changed_ = true;
        accumulator_ = v;
    }

    void put(int id, place x = {}, place y = {}, place z = {}, std::uint32_t apart = 0) {
        steps_.push_back({id, -1, x, y, z, apart});
    }

    /// Has a value in the accumulator.
    void load(int v) {
        if (v == accumulator_) return;
        if (is_ready(v)) {
            put(ids::of(ids::load, place_of(v)), where(v));
            return has(v);
        }
        forget();
        const choice chosen = best(v, true);
        std::vector<int> stored;
        for (const int argument : chosen.before) {
            if (is_ready(argument)) continue;
            keep(argument);
            stored.push_back(argument);
        }
        if (chosen.how.accumulator >= 0) load(chosen.how.accumulator);
        emit(chosen.how);
        has(v);
        for (const int argument : stored)
            if (is_kept_[at(argument)] == 0) let_go(argument);
    }

    void emit(const pattern& p) {
        using enum form;
        const auto x = [&] { return place_of(p.x); };
        const auto y = [&] { return place_of(p.y); };
        switch (p.what) {
            case binary:
                return put(ids::of(static_cast<kernels::body_binary>(p.code), x()), where(p.x));
            case comparison:
                return put(ids::of(static_cast<kernels::body_comparison>(p.code), x()), where(p.x));
            case fused: {
                const auto what = static_cast<kernels::body_fused>(p.code);
                const bool swapped = ids::is_symmetric(what) && x() > y();
                const int first = swapped ? p.y : p.x, second = swapped ? p.x : p.y;
                return put(ids::of(what, place_of(first), place_of(second)), where(first),
                           where(second));
            }
            case square_add:
                return put(ids::of(ids::square_add, x()), where(p.x));
            case add_square:
                return put(ids::of(ids::add_square, x()), where(p.x));
            case select:
                return put(ids::of(ids::select, x(), y()), where(p.x), where(p.y));
            case pair: {
                const auto what = static_cast<kernels::body_pair>(p.code);
                return put(ids::of(what), where(p.x), where(p.y), {},
                           kernels::squares_of(what) > 1 ? 1 : 0);
            }
            case one:
                return put(ids::of(static_cast<steps::opcode>(p.code)));
            case power:
                return put(ids::of(static_cast<kernels::body_power>(p.code)));
            case start:
                return put(ids::of(static_cast<kernels::body_start>(p.code), x()), where(p.x),
                           where(p.y));
            case function:
                return put(ids::of(static_cast<kernels::body_function>(p.code), x()), where(p.x));
        }
    }

    /// Stores a value, which is in the accumulator afterwards.
    void keep(int v) {
        if (is_ready(v)) return;
        load(v);
        block_[at(v)] = blocks_++;
        is_made_[at(v)] = 1;
        changed_ = true;
        put(ids::store, where(v));
    }
    void let_go(int v) {
        block_[at(v)] = -1;
        is_made_[at(v)] = 0;
        changed_ = true;
    }

    /// Makes the shared values that a value needs, those that others need first.
    void make_shared(int v) {
        for (const int argument : body_[v].argument) {
            if (argument < 0 || is_ready(argument)) continue;
            make_shared(argument);
            if (is_kept_[at(argument)] != 0) keep(argument);
        }
    }

    void fold(int number) {
        const body_fold& f = body_.folds()[at(number)];
        if (!is_ready(f.value)) make_shared(f.value);
        if (f.what == kernels::body_fold::add && body_.is(f.value, steps::opcode::multiply) &&
            uses_[at(f.value)] == 1)
            return fold_product(number, f);
        if (is_kept_[at(f.value)] != 0) keep(f.value);
        load(f.value);
        finish(number, f, f.what, f.beside < 0 ? place{} : where(f.beside));
    }

    void write(int number) {
        const int value = body_.results()[at(number)];
        if (!is_ready(value)) make_shared(value);
        if (is_kept_[at(value)] != 0) keep(value);
        load(value);
        put(ids::store, {-1, -1, number});
    }

    // a x is not made: x is read, or is a difference of leaves.
    void fold_product(int number, const body_fold& f) {
        const auto& arguments = body_[f.value].argument;
        struct way {
            double cost = std::numeric_limits<double>::infinity();
            int a = -1, x = -1;
            leaf_difference pair;
        } least;
        forget();
        for (const auto& [a, x] :
             {std::pair(arguments[0], arguments[1]), std::pair(arguments[1], arguments[0])}) {
            const auto pair = difference_of(body_, x);
            way w{0, a, x, {}};
            if (pair && !f.over_rows && !is_ready(x)) {
                w.pair = pair;
                w.cost = best(a, true).cost + 7;
            } else if (is_ready(x)) {
                w.cost = best(a, true).cost + 5 + price_of_argument(x);
            } else {
                w.cost =
                    best(x, true).cost + price_of_store + price_of_block + best(a, false).cost + 5;
            }
            if (w.cost < least.cost) least = w;
        }
        const bool stored = !least.pair && !is_ready(least.x);
        if (stored) keep(least.x);
        load(least.a);
        using kernels::body_fold;
        if (least.pair) {
            finish(number, f, least.pair.other ? body_fold::add_times_other : body_fold::add_times,
                   where(least.pair.row), where(least.pair.column));
        } else {
            constexpr body_fold by_place[] = {body_fold::add_times_rows,
                                              body_fold::add_times_columns,
                                              body_fold::add_times_block};
            finish(number, f, by_place[static_cast<int>(place_of(least.x))], where(least.x));
        }
        if (stored && is_kept_[at(least.x)] == 0) let_go(least.x);
    }

    void finish(int number, const body_fold& f, kernels::body_fold what, place y = {},
                place z = {}) {
        put((f.over_rows ? ids::fold_rows : ids::fold_columns) + ids::number(what), {}, y, z);
        steps_.back().fold = number;
    }

    // Blocks that nobody reads are not stored; the others share memory.
    void drop_unread_blocks() {
        std::vector<int> last(static_cast<std::size_t>(blocks_), -1);
        for (std::size_t k = 0; k < steps_.size(); ++k) {
            if (steps_[k].stores_block()) continue;
            for (const place& p : {steps_[k].x, steps_[k].y, steps_[k].z})
                if (p.block >= 0) last[at(p.block)] = static_cast<int>(k);
        }
        std::erase_if(steps_,
                      [&](const step& s) { return s.stores_block() && last[at(s.x.block)] < 0; });
        share_blocks();
    }

    void share_blocks() {
        std::vector<int> last(static_cast<std::size_t>(blocks_), -1), to(last);
        for (std::size_t k = 0; k < steps_.size(); ++k)
            for (const place& p : {steps_[k].x, steps_[k].y, steps_[k].z})
                if (p.block >= 0) last[at(p.block)] = static_cast<int>(k);
        std::vector<int> busy;  // until which step each block of memory is
        for (std::size_t k = 0; k < steps_.size(); ++k) {
            if (steps_[k].stores_block()) {
                const int block = steps_[k].x.block;
                const auto free = std::ranges::find_if(
                    busy, [&](int until) { return until < static_cast<int>(k); });
                to[at(block)] = static_cast<int>(free - busy.begin());
                if (free == busy.end()) busy.push_back(last[at(block)]);
                else *free = last[at(block)];
            }
            for (place* p : {&steps_[k].x, &steps_[k].y, &steps_[k].z})
                if (p->block >= 0) p->block = to[at(p->block)];
        }
        blocks_ = static_cast<int>(busy.size());
    }

    const body& body_;
    std::vector<int> uses_;
    std::vector<int> block_;  // of each value, -1: it has none
    std::vector<char> is_made_, is_kept_;
    mutable std::vector<choice> known_[2];
    bool changed_ = true;
    int now_ = 0;  // goes on when what is known does not hold any more
    int accumulator_ = -1, blocks_ = 0;
    std::vector<step> steps_;
};

}  // namespace

generated generate(const body& what) {
    generator code(what);
    generated made;
    made.steps = code.run();
    made.blocks = code.blocks();
    return made;
}

}  // namespace ricci::bodies
