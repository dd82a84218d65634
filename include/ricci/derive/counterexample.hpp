// Trying a claim on numbers: small shapes, small values, both sides at every place.
#pragma once

#include <cstdint>

#include <ricci/derive/evaluate.hpp>
#include <ricci/derive/example_shapes.hpp>
#include <ricci/ir/print_name.hpp>
#include <ricci/ir/program.hpp>

namespace ricci::derive {

/// Inputs for which two tensors of a program are different.
struct counterexample {
    struct input {
        ir::ref name;
        ir::range extents;
        ir::range values;
    };
    bool found = false;
    bool alike = false;         // both sides were equal at every place where they could be compared
    bool gave_up = false;       // it would have taken more work than allowed
    std::int64_t compared = 0;  // places at which both sides have numbers
    double sizes = 0;           // of these numbers, added up
    detail::buffer<input> inputs;
    detail::buffer<std::int64_t> extents;
    detail::buffer<number> values;
    detail::buffer<std::int64_t> place;  // of both tensors
    number claimed = {};
    number derived = {};
};

/// Whether a program says i, Re, Im or the conjugate of something.
constexpr bool speaks_of_complex_numbers(const auto& p) {
    for (const ir::node& x : p.nodes) {
        if (x.kind == ir::op::imaginary_unit) return true;
        if (x.kind != ir::op::apply) continue;
        const auto f = static_cast<ir::function>(x.detail);
        if (f == ir::function::conjugate || f == ir::function::real || f == ir::function::imaginary)
            return true;
    }
    return false;
}

/// Leaves inputs as they are drawn, element by element; positions and conditions are always left.
struct as_drawn {
    static constexpr bool changes = false;
};

/// Looks for inputs for which the tensors `claimed` and `derived`, both defined by `p`, differ.
/// `Transform` may change a tensor after it was drawn, so that it is symmetric, say:
/// transform(name, attempt, shapes, values).
template <class Program = ir::program_view, class Transform = as_drawn>
class counterexample_search {
public:
    /// Inputs are complex if the text speaks of complex numbers.
    constexpr counterexample_search(const ir::program_view& p, ir::ref claimed, ir::ref derived,
                                    bool complex, std::int64_t most_work,
                                    const Transform& transform = {})
        : p_(p),
          claimed_(claimed),
          derived_(derived),
          complex_(complex),
          most_work_(most_work),
          transform_(transform) {}
    /// Says that a tensor holds positions.
    constexpr void set_whole(ir::ref name) { whole_.push(name); }
    constexpr counterexample run() {
        counterexample out;
        for (std::int32_t k = 0; k < attempts && !out.found && !out.gave_up; ++k)
            attempt(k, 2, k >= 2, out);
        out.alike = !out.found && out.compared > 0;
        out.gave_up = out.gave_up && !out.alike;
        return out;
    }
    constexpr std::int64_t work_left() const { return most_work_; }

    /// One draw: every number is another one in attempt number `number_of`, and of another kind in
    /// four attempts that follow on each other. Extents are `least`, or by turns one more.
    constexpr void attempt(std::int32_t number_of, std::int32_t least, bool by_turns,
                           counterexample& out) {
        draw_and_compare(number_of,
                         example_shapes<Program>(p_, least, by_turns, claimed_, derived_), out);
    }

private:
    static constexpr std::int32_t attempts = 4;

    constexpr void draw_and_compare(std::int32_t number_of, const example_shapes<Program>& shapes,
                                    counterexample& out) {
        ir::shape_table table(p_);
        if (!lay_out(shapes, table)) return;
        evaluation values(p_, table, most_work_);
        for (ir::ref n = 0; n < p_.names.size(); ++n)
            if (is_input(shapes, n)) {
                const std::int64_t places = places_of(table, n);
                const bool truth = places == 0 && is_condition(n);
                const auto drawn = [&](std::int64_t k) {
                    const std::uint64_t bits = random(number_of, n, k);
                    if (places > 0)
                        return number::whole(
                            static_cast<std::int64_t>(bits % static_cast<std::uint64_t>(places)));
                    if (truth) return number::whole(static_cast<std::int64_t>(bits % 2));
                    return draw(number_of % attempts, bits, shapes.rank(n) == 0);
                };
                if constexpr (!Transform::changes) {
                    values.set_input(n, drawn);
                } else {
                    detail::buffer<number> all;
                    for (std::int64_t k = 0, count = values.count(n); k < count; ++k)
                        all.push(drawn(k));
                    if (places == 0 && !truth) transform_(n, number_of, table, all);
                    values.set_input(
                        n, [&](std::int64_t k) { return all[static_cast<std::int32_t>(k)]; });
                }
            }
        values.run();
        most_work_ -= values.work();
        std::int64_t at = 0;
        out.gave_up = values.gave_up();
        for (std::int64_t k = 0, all = values.count(claimed_); k < all && !out.gave_up; ++k) {
            const std::int64_t there = Transform::changes ? place_in_derived(table, k) : k;
            if (there < 0) continue;
            const number x = values.value(claimed_, k), y = values.value(derived_, there);
            if (comparable(x, y)) ++out.compared, out.sizes += x.size() + y.size();
            if (!differ(x, y)) continue;
            // one that shows without a magnifying glass, if there is one
            const double difference = (x - y).size(), size = x.size() + y.size();
            const bool plain = difference > 0.05 * size && size > 0.01;
            if (out.found && !plain) continue;
            out.found = true;
            out.claimed = x;
            out.derived = y;
            at = k;
            if (plain) break;
        }
        if (!out.found) return;
        std::int64_t stride = values.count(claimed_);
        for (std::int32_t axis = 0; axis < table.rank(claimed_); ++axis) {
            stride /= table.extent(claimed_, axis);
            out.place.push(at / stride % table.extent(claimed_, axis));
        }
        keep(shapes, table, values, out);
    }
    /// The shapes of a draw; false where the two sides have no places in common.
    constexpr bool lay_out(const example_shapes<Program>& shapes, ir::shape_table& table) const {
        if (!shapes.infer(table) || table.rank(derived_) < 0) return false;
        if (same_shape(table)) return true;
        // what is claimed is claimed of the tensor as it is
        const ir::shape_table first(table);
        table = ir::shape_table(p_);
        table.set_shape(claimed_, first.rank(derived_), first.extents(derived_));
        if (shapes.infer(table) && same_shape(table)) return true;
        table = first;  // z_i = y_{i+1} - y_i = x_i says it of the places that z has
        return Transform::changes && first.rank(claimed_) == first.rank(derived_);
    }
    constexpr bool same_shape(const ir::shape_table& table) const {
        if (table.rank(claimed_) != table.rank(derived_)) return false;
        for (std::int32_t k = 0; k < table.rank(claimed_); ++k)
            if (table.extent(claimed_, k) != table.extent(derived_, k)) return false;
        return true;
    }
    /// Which place of the derived tensor is place `k` of what is claimed; -1 where it has none.
    constexpr std::int64_t place_in_derived(const ir::shape_table& table, std::int64_t k) const {
        std::int64_t out = 0, stride = 1;
        for (std::int32_t axis = table.rank(claimed_); axis-- > 0;
             k /= table.extent(claimed_, axis)) {
            const std::int64_t place = k % table.extent(claimed_, axis);
            if (place >= table.extent(derived_, axis)) return -1;
            out += place * stride;
            stride *= table.extent(derived_, axis);
        }
        return out;
    }
    constexpr bool is_input(const example_shapes<Program>& shapes, ir::ref name) const {
        return shapes.is_used(name) && p_.definition(name) == ir::none;
    }
    constexpr void keep(const example_shapes<Program>& shapes, const ir::shape_table& table,
                        const evaluation<Program>& values, counterexample& out) const {
        for (ir::ref n = 0; n < p_.names.size(); ++n) {
            if (!is_input(shapes, n)) continue;
            const ir::range extents{out.extents.size(), table.rank(n)};
            for (std::int32_t k = 0; k < extents.count; ++k) out.extents.push(table.extent(n, k));
            const auto count = static_cast<std::int32_t>(values.count(n));
            const ir::range all{out.values.size(), count};
            for (std::int32_t k = 0; k < count; ++k) out.values.push(values.value(n, k));
            out.inputs.push({n, extents, all});
        }
    }
    /// For a tensor that says positions: the least axis that it is read for; 0 for others.
    constexpr std::int64_t places_of(const ir::shape_table& table, ir::ref name) const {
        std::int64_t least = 0;
        for (ir::ref said : whole_)  // though no side reads at them, as in [v = x_i]
            if (said == name) least = 2;
        for (const ir::node& x : p_.nodes) {
            if (x.kind != ir::op::tensor || table.rank(x.name) < 0) continue;
            for (std::int32_t k = 0; k < x.positions.count; ++k) {
                const ir::position& q = p_.at(x.positions, k);
                if (q.kind != ir::position_kind::gathered) continue;
                bool reads = false;
                ir::for_each_node(p_, p_.child(x, q.offset), [&](ir::ref n) {
                    reads =
                        reads || (p_.nodes[n].kind == ir::op::tensor && p_.nodes[n].name == name);
                });
                const std::int64_t n = table.extent(x.name, k);
                if (reads && (least == 0 || n < least)) least = n;
            }
        }
        return least;
    }
    /// Whether a tensor is used as a condition: its values are 0 and 1.
    constexpr bool is_condition(ir::ref name) const {
        const auto is_it = [&](ir::ref n) {
            return p_.nodes[n].kind == ir::op::tensor && p_.nodes[n].name == name;
        };
        for (const ir::node& x : p_.nodes) {
            const auto c = static_cast<ir::comparison>(x.detail);
            if (x.kind == ir::op::choose) {
                for (std::int32_t k = 1; k + 1 < x.children.count; k += 2)
                    if (is_it(p_.child(x, k))) return true;
            } else if (x.kind == ir::op::compare) {
                const bool logic =
                    c == ir::comparison::logical_and || c == ir::comparison::logical_or;
                const ir::node& right = p_.nodes[p_.child(x, 1)];
                const bool against_zero = c == ir::comparison::not_equal &&
                                          right.kind == ir::op::number && right.value == 0;
                if ((logic || against_zero) && (is_it(p_.child(x, 0)) || is_it(p_.child(x, 1))))
                    return true;
            } else if (x.kind == ir::op::apply &&
                       x.detail == static_cast<std::uint8_t>(ir::function::logical_not)) {
                if (is_it(p_.child(x, 0))) return true;
            }
        }
        return false;
    }

    static constexpr std::uint64_t random(std::int32_t number_of, ir::ref name, std::int64_t k) {
        std::uint64_t x = static_cast<std::uint64_t>(number_of + 1) * 0x9e3779b97f4a7c15u +
                          static_cast<std::uint64_t>(name) * 0xd1342543de82ef95u +
                          static_cast<std::uint64_t>(k) * 0xaf251af3b0f025b5u;
        x ^= x >> 29;
        x *= 0xbf58476d1ce4e5b9u;
        return (x ^ (x >> 32)) >> 8;
    }
    static constexpr number quotient(std::int64_t a, std::int64_t b) {
        return b == 1 ? number::whole(a) : number::whole(a) / number::whole(b);
    }
    /// First small whole numbers of both signs, then fractions below 1, where logarithms and roots
    /// are, then positive halves, then halves of both signs. A number without indices is positive.
    constexpr number draw(std::int32_t number_of, std::uint64_t bits, bool scalar) const {
        const auto some = static_cast<std::int64_t>(bits % 5);
        const std::int64_t sign = bits / 5 % 2 == 0 || scalar ? 1 : -1;
        number value = number_of == 0   ? number::whole((1 + some % 2) * sign)
                       : number_of == 1 ? quotient(1 + some % 2 + some / 4, 3 + some / 2)
                       : number_of == 2 ? quotient(1 + some, 2)
                                        : quotient((1 + 2 * some) * sign, 2);
        if (complex_ && !scalar && number_of != 1) {
            const auto im = static_cast<std::int64_t>(bits / 10 % 3) - 1;
            value.im = static_cast<double>(im);
            value.exact.im = residue::of(im).re;
        }
        return value;
    }

    Program p_;
    ir::ref claimed_;
    ir::ref derived_;
    bool complex_;
    std::int64_t most_work_;
    Transform transform_;
    detail::buffer<ir::ref> whole_;
};

// Words -------------------------------------------------------------------------------------------

/// A number to read: a whole one, a small fraction, or six digits.
constexpr void print_short(double value, detail::text_builder& out) {
    if (value < 0) out << '-';
    const double size = magnitude(value);
    for (std::int64_t below = 1; below <= 64 && size < 1e6; ++below) {
        const double scaled = size * static_cast<double>(below);
        const auto above = static_cast<std::int64_t>(scaled + 0.5);
        if (magnitude(scaled - static_cast<double>(above)) > 1e-9 * (scaled < 1 ? 1 : scaled))
            continue;
        out << above;
        if (below > 1) out << '/' << below;
        return;
    }
    std::int32_t exponent = 0;
    double digits = size;
    for (; size < 1e-3 && digits < 1 && exponent > -300; digits *= 10) --exponent;
    for (; size >= 1e6 && digits >= 10 && exponent < 300; digits /= 10) ++exponent;
    std::int32_t point = 0;  // six digits
    double scale = 1;
    for (; digits * scale < 1e5; scale *= 10) ++point;
    auto whole = static_cast<std::int64_t>(digits * scale + 0.5);
    for (; point > 0 && whole % 10 == 0; whole /= 10) --point;
    std::int64_t below = 1;
    for (std::int32_t k = 0; k < point; ++k) below *= 10;
    out << whole / below;
    if (point > 0) out << '.';
    while (point-- > 0) {
        below /= 10;
        out << static_cast<char>('0' + whole / below % 10);
    }
    if (exponent != 0) out << "e" << exponent;
}
constexpr void print_short(const number& x, detail::text_builder& out) {
    if (x.is_beyond()) {
        out << "beyond what a double holds";
        return;
    }
    if (x.is_exact && !x.is_zero() && x.re == 0 && x.im == 0) {
        out << "nearer to 0 than a double gets";
        return;
    }
    if (x.im == 0) return print_short(x.re, out);
    out << '(';
    print_short(x.re, out);
    out << (x.im < 0 ? " - " : " + ");
    print_short(magnitude(x.im), out);
    out << " i)";
}

template <class Counterexample, class Input>
constexpr void print_values(const Counterexample& c, const Input& input,
                            detail::text_builder& out) {
    if (input.values.count > 24) {  // too many to read
        for (std::int32_t k = 0; k < input.extents.count; ++k)
            out << (k > 0 ? " x " : "") << c.extents[input.extents.first + k];
        out << " numbers";
        return;
    }
    for (std::int32_t k = 0; k < input.values.count; ++k) {
        std::int64_t run = 1;  // brackets open where an axis begins
        std::int32_t opened = 0;
        for (std::int32_t axis = input.extents.count; axis-- > 0;) {
            run *= c.extents[input.extents.first + axis];
            opened += k % run == 0;
        }
        if (k > 0) out << ", ";
        for (std::int32_t b = 0; b < opened; ++b) out << '[';
        print_short(c.values[input.values.first + k], out);
        run = 1;
        for (std::int32_t axis = input.extents.count; axis-- > 0;) {
            run *= c.extents[input.extents.first + axis];
            if ((k + 1) % run == 0) out << ']';
        }
    }
}

/// "with Q = [[1, 2], [-1, 3]], d_k = 4 it is 3 at i = 0, j = 1, and ": what stands on each side.
template <class Program, class Counterexample>
constexpr void print_counterexample(const Program& p, const Counterexample& c,
                                    const ir::equation& claim, detail::text_view name,
                                    detail::text_builder& out) {
    out << "with ";
    for (std::int32_t k = 0; k < c.inputs.size(); ++k) {
        out << (k > 0 ? ", " : "") << p.name(c.inputs[k].name) << " = ";
        print_values(c, c.inputs[k], out);
    }
    if (c.place.size() > 0) out << ", at ";
    for (std::int32_t k = 0; k < c.place.size(); ++k) {
        const ir::position& q = p.positions[claim.positions.first + k];
        out << (k > 0 ? ", " : "");
        if (q.kind == ir::position_kind::index) out << p.index(q.index) << " = ";
        else out << "place ";
        out << c.place[k];
    }
    detail::text_builder left, right;
    print_short(c.claimed, left);
    print_short(c.derived, right);
    if (left.view() == right.view() && c.claimed.re != c.derived.re) {  // all digits, then
        left = {};
        right = {};
        ir::print_number(c.claimed.re, left);
        ir::print_number(c.derived.re, right);
    }
    out << " this is " << left.view() << " and " << name << " is " << right.view();
    if (left.view() == right.view()) out << ", different in what a double does not hold";
}

}  // namespace ricci::derive
