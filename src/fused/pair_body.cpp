// A fused group as one body over pairs.
#include "src/fused/pair_body.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "src/tile/program.hpp"

namespace ricci::fused {
namespace {

using steps::loop_role;
using steps::opcode;

constexpr std::int64_t most_contracted = 8;  // numbers of a product
constexpr std::int64_t most_values = 4;      // of a result
constexpr std::size_t most_nodes = 200;
constexpr std::size_t most_folds = 24;
constexpr std::size_t most_planes = 4;

/// Not of this kind: thrown by the steps of `reader`, caught by `pair_body_of`.
struct unsuitable {};

class reader {
public:
    reader(const steps::fused_group& what, const geometry& g) : group_(what), geometry_(g) {}

    pair_body read() {
        const auto lands = [](const steps::tile_consumer& c) { return c.landing >= 0; };
        require(group_.lookups.empty() && std::ranges::none_of(group_.consumers, lands));
        const auto is_of_rows = [](const steps::tile_consumer& c) {
            return c.summed == loop_role::column;
        };
        const auto has_weights = [](const steps::tile_operation& o) {
            return o.kind == steps::operation_kind::weights;
        };
        made_.swapped = std::ranges::none_of(group_.consumers, is_of_rows) &&
                        std::ranges::none_of(group_.operations, has_weights);
        rounds_freely_ = rounds_freely();
        for (std::size_t k = 0; k < group_.products.size(); ++k) add_product(k);
        for (const auto& o : group_.operations) add_operation(o);
        for (std::size_t k = 0; k < group_.consumers.size(); ++k) add_consumer(k);
        // Their states cannot be added to what is there already, tile of columns by tile.
        const auto over_rows = [](const pair_result& r) { return r.over_rows; };
        require(std::ranges::none_of(group_.operations, has_weights) ||
                std::ranges::none_of(made_.results, over_rows));
        made_.what.simplify(rounds_freely_);
        return std::move(made_);
    }

private:
    static void require(bool suitable) {
        if (!suitable) throw unsuitable();
    }

    // Exponentials of a difference from a maximum that another group has found, or will, ask for
    // the same bits of what both make, however large that is. So does who looks for an extremum. A
    // log-sum-exp by itself is one number, whose digits that makes no difference to.
    bool rounds_freely() const {
        const auto asks_for_bits = [](const steps::tile_operation& o) {
            const auto is_exp = [](const steps::instruction& i) { return i.code == opcode::exp; };
            return o.maximum >= 0 || o.excess >= 0 || o.largest >= 0 ||
                   std::ranges::any_of(o.program, is_exp);
        };
        const auto is_extremum = [](const steps::tile_consumer& c) {
            return steps::is_extremum(c.by);
        };
        return std::ranges::none_of(group_.operations, asks_for_bits) &&
               std::ranges::none_of(group_.consumers, is_extremum);
    }

    std::int64_t stride(std::int32_t operand, bool of_column) const {
        const auto k = static_cast<std::size_t>(operand);
        return of_column != made_.swapped ? geometry_.column.strides[k] : geometry_.row.strides[k];
    }

    static std::int32_t number_of(std::vector<pair_operand>& all, const pair_operand& o) {
        for (std::size_t k = 0; k < all.size(); ++k)
            if (all[k].operand == o.operand && all[k].offset == o.offset &&
                all[k].is_place == o.is_place && all[k].product == o.product &&
                all[k].counts_start == o.counts_start)
                return static_cast<std::int32_t>(k);
        all.push_back(o);
        return static_cast<std::int32_t>(all.size()) - 1;
    }

    /// What does not move along columns is one number for each row, and what moves along both one
    /// for each pair.
    int load(std::int32_t operand, std::int64_t offset, std::int32_t product = -1) {
        const bool of_column = stride(operand, true) != 0;
        const pair_operand o{operand, offset, product, false, true};
        if (!of_column || stride(operand, false) == 0) return leaf(o, of_column);
        require(product < 0);
        const std::int32_t number = number_of(made_.planes, o);
        require(made_.planes.size() <= most_planes);
        return made_.what.pair(number);
    }
    int leaf(const pair_operand& o, bool of_column) {
        return of_column ? made_.what.column(number_of(made_.columns, o))
                         : made_.what.row(number_of(made_.rows, o));
    }

    int position(std::int32_t operand) {
        // All of them have to be exact.
        double reach = std::abs(static_cast<double>(group_.operands[at(operand)].offset));
        for (std::size_t l = 0; l < group_.loops.size(); ++l)
            reach += std::abs(static_cast<double>(group_.operands[at(operand)].strides[l])) *
                     static_cast<double>(group_.loops[l].extent);
        require(reach < (group_.type == element::f32 ? 0x1p24 : 0x1p53));
        const bool of_columns = stride(operand, true) != 0, of_rows = stride(operand, false) != 0;
        pair_operand o{operand, 0, -1, true, true};
        if (!of_columns) return leaf(o, false);
        const int columns = leaf({operand, 0, -1, true, !of_rows}, true);
        return of_rows ? made_.what.apply(opcode::add, leaf(o, false), columns) : columns;
    }

    // As the kernels of products do it, so that whoever compares with the same product elsewhere
    // finds the same bits.
    void add_product(std::size_t number) {
        const auto& p = group_.products[number];
        const auto inner = flatten(p.contracted);
        require(inner.total >= 1 && inner.total <= most_contracted && inner.a.size() == 1);
        int sum = -1;
        for (std::int64_t k = 0; k < inner.last.extent; ++k) {
            const auto scaled = p.is_distance ? -1 : static_cast<std::int32_t>(number);
            const int a = load(p.a, inner.a[0] + k * inner.last.a, scaled);
            const int b = load(p.b, inner.b[0] + k * inner.last.b);
            int first = a, second = b;
            if (p.is_distance) first = second = made_.what.apply(opcode::subtract, b, a);
            if (p.weights >= 0)
                first = made_.what.apply(opcode::multiply, second,
                                         load(p.weights, inner.c[0] + k * inner.last.c));
            if (sum >= 0) sum = made_.what.apply(kernels::multiply_add, first, second, sum);
            else if (first == second) sum = made_.what.apply(opcode::square, first);
            else sum = made_.what.apply(opcode::multiply, first, second);
        }
        tiles_.push_back(sum);
    }

    void add_operation(const steps::tile_operation& o) {
        require(o.kind != steps::operation_kind::recomputed && !o.pinned);
        check_conditions(o.program);
        auto program = o.program;
        const auto operands = static_cast<std::int32_t>(group_.operands.size());
        for (auto& i : program)
            if (i.code == opcode::load && i.operand < 0) i.operand = operands - 2 - i.operand;
        std::vector<int> values;
        for (const auto& n : elementwise::simplify(program, group_.type)) {
            const auto argument = [&](int k) {
                return n.argument[k] < 0 ? -1 : values[static_cast<std::size_t>(n.argument[k])];
            };
            if (elementwise::is(n, opcode::constant)) {
                values.push_back(made_.what.constant(n.value));
            } else if (elementwise::is(n, opcode::position)) {
                values.push_back(position(n.operand));
            } else if (elementwise::is(n, opcode::load)) {
                values.push_back(n.operand >= operands ? tile(n.operand - operands)
                                                       : load(n.operand, 0));
            } else {
                require(bodies::has_instruction(n.op));
                values.push_back(made_.what.apply(n.op, argument(0), argument(1), argument(2)));
            }
            require(made_.what.values().size() <= most_nodes);
        }
        tiles_.push_back(values.back());
        if (o.kind == steps::operation_kind::weights) add_exponentials(o);
    }

    // Of weights what is known of each row, but nothing of each pair.
    void add_exponentials(const steps::tile_operation& o) {
        using enum pair_result_kind;
        const std::size_t number = made_.what.folds().size();
        made_.what.fold({kernels::body_fold::exponentials, false, tiles_.back()});
        for (const auto& [kind, operand] :
             {std::pair(log_sum_exp, o.log_sum_exp), std::pair(maximum, o.maximum),
              std::pair(excess, o.excess), std::pair(largest, o.largest)})
            if (operand >= 0) made_.results.push_back({kind, number, -1, operand, 0, 0, false});
        tiles_.back() = -1;
    }

    int tile(std::int32_t number) const {
        require(tiles_[at(number)] >= 0);
        return tiles_[at(number)];
    }

    // Conditions on places that leave out more than a line of pairs make tiles that nobody has to
    // compute.
    static void check_conditions(const std::vector<steps::instruction>& program) {
        const auto is_position = [&](std::int32_t k) {
            return k >= 0 && program[static_cast<std::size_t>(k)].code == opcode::position;
        };
        for (const auto& i : program)
            if (is_position(i.first) || is_position(i.second) || is_position(i.third))
                require(i.code == opcode::not_equal);
    }

    void add_consumer(std::size_t number) {
        const auto& c = group_.consumers[number];
        require(c.summed != loop_role::batch && !c.added && c.weights < 0);
        require(c.by != steps::monoid::exponentials);
        const bool over_rows = (c.summed == loop_role::row) != made_.swapped;
        const auto values = flatten(c.values);
        require(values.total >= 1 && values.total <= most_values);
        for (std::size_t run = 0; run < values.a.size(); ++run)
            for (std::int64_t k = 0; k < values.last.extent; ++k) {
                int value = tile(c.tile);
                if (c.b >= 0)
                    value = made_.what.apply(opcode::multiply, value,
                                             load(c.b, values.a[run] + k * values.last.a));
                const std::int64_t at = values.b[run] + k * values.last.b;
                if (c.count >= 0 || c.place >= 0) add_beside(c, over_rows, value, at);
                made_.results.push_back(
                    {c.by == steps::monoid::sum ? pair_result_kind::sum : pair_result_kind::fold,
                     made_.what.folds().size(), static_cast<std::int32_t>(number), c.output, at,
                     c.beta, over_rows});
                if (value_fold_ < 0) made_.what.fold({fold_of(c.by), over_rows, value});
                else made_.results.back().fold = static_cast<std::size_t>(value_fold_);
                value_fold_ = -1;
            }
        require(made_.results.size() <= most_folds);
    }

    // The value is the first number of a fold that finds what is beside it.
    void add_beside(const steps::tile_consumer& c, bool over_rows, int value, std::int64_t at) {
        using kernels::body_fold;
        const bool largest = c.by == steps::monoid::maximum;
        value_fold_ = static_cast<int>(made_.what.folds().size());
        const auto add = [&](pair_result_kind kind, std::int32_t operand) {
            made_.results.push_back(
                {kind, made_.what.folds().size(), -1, operand, at, 0, over_rows, c.output});
        };
        if (c.count >= 0) {
            add(pair_result_kind::ties, c.count);
            made_.what.fold(
                {largest ? body_fold::larger_ties : body_fold::smaller_ties, over_rows, value});
        }
        if (c.place < 0) return;
        const auto extent = static_cast<double>(
            (over_rows != made_.swapped ? geometry_.row : geometry_.column).extent);
        require(extent < (group_.type == element::f32 ? 0x1p24 : 0x1p31));
        add(pair_result_kind::place, c.place);
        made_.what.fold({largest ? body_fold::first_larger : body_fold::first_smaller, over_rows,
                         value, leaf({-1, 0, -1, false, true, true}, !over_rows)});
    }

    static kernels::body_fold fold_of(steps::monoid by) {
        switch (by) {
            case steps::monoid::product:
                return kernels::body_fold::multiply;
            case steps::monoid::maximum:
                return kernels::body_fold::larger;
            case steps::monoid::minimum:
                return kernels::body_fold::smaller;
            case steps::monoid::sum:
            case steps::monoid::exponentials:
                break;
        }
        return kernels::body_fold::add;
    }

    static std::size_t at(std::int32_t k) { return static_cast<std::size_t>(k); }

    const steps::fused_group& group_;
    const geometry& geometry_;
    pair_body made_;
    std::vector<int> tiles_;  // the value of each
    int value_fold_ = -1;     // that has the value which is added next already
    bool rounds_freely_ = false;
};

}  // namespace

std::optional<pair_body> pair_body_of(const steps::fused_group& what, const geometry& g) {
    try {
        return reader(what, g).read();
    } catch (const unsuitable&) {
        return {};
    }
}

steps::monoid monoid_of(kernels::body_fold f) {
    using kernels::body_fold;
    switch (f) {
        case body_fold::multiply:
            return steps::monoid::product;
        case body_fold::larger:
        case body_fold::first_larger:
        case body_fold::larger_ties:
            return steps::monoid::maximum;
        case body_fold::smaller:
        case body_fold::first_smaller:
        case body_fold::smaller_ties:
            return steps::monoid::minimum;
        case body_fold::exponentials:
            return steps::monoid::exponentials;
        default:
            return steps::monoid::sum;
    }
}

}  // namespace ricci::fused
