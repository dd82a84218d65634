// The ways in which the machine can compute a value.
#include "src/bodies/patterns.hpp"

#include <array>
#include <optional>
#include <utility>

#include "src/kernels/elementwise/price.hpp"

namespace ricci::bodies {

using kernels::body_binary;
using kernels::body_comparison;
using kernels::body_function;
using kernels::body_fused;
using kernels::body_pair;
using kernels::body_power;
using kernels::body_start;
using kernels::function_price;
using kernels::body_id::number;
using steps::opcode;

namespace {

double cost_of(opcode code) {
    switch (kernels::price_of(code)) {
        case function_price::quick:
            return 4;
        case function_price::division:
            return 64;
        case function_price::exponential:
            return 60;
        case function_price::series:
            return 200;
        case function_price::each_lane:
            return 1000;
    }
    return 4;
}

class finder {
public:
    finder(const body& what, const std::vector<int>& uses, const std::vector<char>& is_made)
        : body_(what), uses_(uses), is_made_(is_made) {}

    std::vector<pattern> find(int value) {
        const node& n = body_[value];
        const int a = n.argument[0], b = n.argument[1], c = n.argument[2];
        if (n.op == kernels::multiply_add) {
            products(body_fused::scale_add, body_fused::add_product, a, b, c);
            squares_of(value);
        } else if (n.op == less_product) {
            products(body_fused::scale_from, body_fused::less_product, a, b, c);
        } else if (n.op == inverse_root || n.op == inverse_root_cubed) {
            const auto power = static_cast<body_power>(n.op - inverse_root);
            found_.push_back({form::power, number(power), a, -1, -1, 28});
        } else if (n.op == quotient) {
            add(form::binary, number(body_binary::quotient), a, b, -1, 32);
            add(form::binary, number(body_binary::quotient_into), b, a, -1, 32);
        } else {
            operation(static_cast<opcode>(n.op), value, a, b, c);
        }
        return std::move(found_);
    }

private:
    void operation(opcode code, int value, int a, int b, int c) {
        switch (code) {
            case opcode::add:
                starts(body_start::sum, body_start::sum, a, b);
                return both(body_binary::add, a, b, body_pair::sum);
            case opcode::multiply:
                starts(body_start::product, body_start::product, a, b);
                both(body_binary::multiply, a, b, body_pair::product);
                return times_difference(a, b);
            case opcode::maximum:
                return both(body_binary::larger, a, b, {}, 16);
            case opcode::minimum:
                return both(body_binary::smaller, a, b, {}, 16);
            case opcode::logical_and:
                return both(body_binary::logical_and, a, b, {}, 16);
            case opcode::logical_or:
                return both(body_binary::logical_or, a, b, {}, 16);
            case opcode::subtract:
                starts(body_start::difference, body_start::other_difference, a, b);
                add(form::binary, number(body_binary::subtract), a, b, -1, 4);
                add(form::binary, number(body_binary::subtract_from), b, a, -1, 4);
                if (const auto d = difference_of(body_, value))
                    add(form::pair,
                        number(d.other ? body_pair::other_difference : body_pair::difference), -1,
                        d.row, d.column, 4);
                return;
            case opcode::divide:
                add(form::binary, number(body_binary::divide), a, b, -1, 64);
                return add(form::binary, number(body_binary::divide_into), b, a, -1, 64);
            case opcode::power:
                return function(body_function::power, body_function::power_of, a, b);
            case opcode::modulo:
                return function(body_function::modulo, body_function::modulo_of, a, b);
            case opcode::less:
                return compared(body_comparison::less, body_comparison::greater, a, b);
            case opcode::less_equal:
                return compared(body_comparison::less_equal, body_comparison::greater_equal, a, b);
            case opcode::equal:
                return compared(body_comparison::equal, body_comparison::equal, a, b);
            case opcode::not_equal:
                return compared(body_comparison::not_equal, body_comparison::not_equal, a, b);
            case opcode::select:
                add(form::select, 0, a, b, c, 8);
                return kept_where_different(a, b, c);
            case opcode::square:
                add(form::one, number(code), a, -1, -1, 4);
                return squares_of(value);
            default:
                return add(form::one, number(code), a, -1, -1, cost_of(code));
        }
    }

    void add(form what, int code, int accumulator, int x, int y, double cost) {
        found_.push_back({what, code, accumulator, x, y, cost});
    }

    void both(body_binary what, int a, int b, std::optional<body_pair> leaves, double cost = 4) {
        add(form::binary, number(what), a, b, -1, cost);
        add(form::binary, number(what), b, a, -1, cost);
        if (leaves && body_.is_row_or_constant(a) && body_.is_column(b))
            add(form::pair, number(*leaves), -1, a, b, 4);
        if (leaves && body_.is_row_or_constant(b) && body_.is_column(a))
            add(form::pair, number(*leaves), -1, b, a, 4);
    }

    void starts(body_start what, body_start reversed, int a, int b) {
        const auto is_any = [&](int k) {
            return body_.is_element(k) || body_.is_row_or_constant(k);
        };
        if (body_.is_element(b) && is_any(a)) add(form::start, number(what), -1, a, b, 4);
        else if (body_.is_element(a) && is_any(b)) add(form::start, number(reversed), -1, b, a, 4);
    }

    void compared(body_comparison what, body_comparison reversed, int a, int b) {
        add(form::comparison, number(what), a, b, -1, 8);
        add(form::comparison, number(reversed), b, a, -1, 8);
    }

    void function(body_function what, body_function reversed, int a, int b) {
        add(form::function, number(what), a, b, -1, cost_of(opcode::power));
        add(form::function, number(reversed), b, a, -1, cost_of(opcode::power));
    }

    void products(body_fused of_accumulator, body_fused of_others, int a, int b, int c) {
        if (a == b) {
            if (of_accumulator == body_fused::scale_add) {
                add(form::square_add, 0, a, c, -1, 4);
                add(form::add_square, 0, c, a, -1, 4);
                return;
            }
        } else {
            add(form::fused, number(of_accumulator), b, a, c, 4);
        }
        add(form::fused, number(of_accumulator), a, b, c, 4);
        add(form::fused, number(of_others), c, a, b, 4);
        if (of_others != body_fused::add_product) return;
        if (body_.is_row_or_constant(a) && body_.is_column(b))
            add(form::pair, number(body_pair::add_product), c, a, b, 4);
        if (body_.is_row_or_constant(b) && body_.is_column(a))
            add(form::pair, number(body_pair::add_product), c, b, a, 4);
    }

    void times_difference(int a, int b) {
        for (const auto& [difference, other] : {std::pair(a, b), std::pair(b, a)})
            if (const auto d = difference_of(body_, difference); d && !is_made(difference))
                add(form::pair, number(d.other ? body_pair::times_other : body_pair::times), other,
                    d.row, d.column, 7);
    }

    void kept_where_different(int condition, int a, int otherwise) {
        const node& zero = body_[otherwise];
        if (!elementwise::is(zero, opcode::constant) || zero.value != 0 ||
            !body_.is(condition, opcode::not_equal))
            return;
        const int x = body_[condition].argument[0], y = body_[condition].argument[1];
        for (const auto& [row, column] : {std::pair(x, y), std::pair(y, x)})
            if (body_.is_row_or_constant(row) && body_.is_column(column))
                add(form::pair, number(body_pair::keep_where_different), a, row, column, 8);
    }

    // (c - r)^2, added to what is there or not; sums of such squares of operands in order.
    void squares_of(int value) {
        const auto last = squared(value);
        if (!last) return;
        const int rest = rest_of(value);
        add(form::pair, number(rest < 0 ? body_pair::square : body_pair::add_square), rest,
            last.row, last.column, 6);
        std::array<leaf_difference, 3> squares{last};
        int count = 1, v = rest;
        for (; v >= 0 && count < 3 && is_mine(v) && squared(v); v = rest_of(v))
            squares[static_cast<std::size_t>(count++)] = squared(v);
        for (; count >= 2; --count, v = value_above(value, count))
            if (follow_each_other(squares, count)) break;
        if (count < 2) return;
        const auto first = squares[static_cast<std::size_t>(count - 1)];
        const auto code =
            v < 0 ? (count == 2 ? body_pair::two_squares : body_pair::three_squares)
                  : (count == 2 ? body_pair::add_two_squares : body_pair::add_three_squares);
        add(form::pair, number(code), v, first.row, first.column, count == 2 ? 9 : 13);
    }

    /// What is left of a sum of squares beside the last of them.
    int value_above(int value, int count) const {
        for (int k = 0; k < count; ++k) value = rest_of(value);
        return value;
    }
    // Operands of rows and columns, the last squares' first.
    bool follow_each_other(const std::array<leaf_difference, 3>& squares, int count) const {
        const auto& first = squares[static_cast<std::size_t>(count - 1)];
        for (int k = 0; k < count; ++k) {
            const auto& s = squares[static_cast<std::size_t>(count - 1 - k)];
            if (!body_.is_row(s.row) ||
                body_.leaf_of(s.row).number != body_.leaf_of(first.row).number + k ||
                body_.leaf_of(s.column).number != body_.leaf_of(first.column).number + k)
                return false;
        }
        return true;
    }

    /// The difference whose square a value is, or is the last of.
    leaf_difference squared(int value) const {
        const node& n = body_[value];
        const bool alone = elementwise::is(n, opcode::square);
        if (!alone && (n.op != kernels::multiply_add || n.argument[0] != n.argument[1])) return {};
        return is_made(n.argument[0]) ? leaf_difference{} : difference_of(body_, n.argument[0]);
    }
    int rest_of(int value) const {
        return elementwise::is(body_[value], opcode::square) ? -1 : body_[value].argument[2];
    }
    bool is_made(int value) const { return is_made_[static_cast<std::size_t>(value)] != 0; }
    bool is_mine(int value) const {
        return uses_[static_cast<std::size_t>(value)] == 1 && !is_made(value);
    }

    const body& body_;
    const std::vector<int>& uses_;
    const std::vector<char>& is_made_;
    std::vector<pattern> found_;
};

}  // namespace

std::vector<pattern> patterns_of(const body& what, int value, const std::vector<int>& uses,
                                 const std::vector<char>& is_made) {
    return finder(what, uses, is_made).find(value);
}

leaf_difference difference_of(const body& what, int value) {
    if (!what.is(value, opcode::subtract)) return {};
    const int a = what[value].argument[0], b = what[value].argument[1];
    if (what.is_column(a) && what.is_row_or_constant(b)) return {b, a, false};
    if (what.is_column(b) && what.is_row_or_constant(a)) return {a, b, true};
    return {};
}

bool is_pair_of_leaves(const body& what, int value) {
    if (difference_of(what, value)) return true;
    if (!what.is(value, opcode::add) && !what.is(value, opcode::multiply)) return false;
    const int a = what[value].argument[0], b = what[value].argument[1];
    return (what.is_column(a) && what.is_row_or_constant(b)) ||
           (what.is_column(b) && what.is_row_or_constant(a));
}

}  // namespace ricci::bodies
