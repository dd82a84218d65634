// Values of equations by loops, operation by operation.
#include "tests/unit/interpreter.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <ricci/ir/axes.hpp>

#include "tests/unit/dense_matrix.hpp"
#include "tests/unit/map/meanings.hpp"

namespace ricci::testing {
namespace {

constexpr long double infinity = std::numeric_limits<long double>::infinity();

}  // namespace

void interpreter::run() {
    for (const ir::equation& e : p_.equations) infer(e);  // what each of them says by itself
    for (equation_ = 0; equation_ < p_.equations.size(); ++equation_) {
        const ir::equation& e = p_.equations[equation_];
        if (ir::computes(p_, e)) {
            evaluate_equation(e);
        } else if (ir::gives_axis(p_, e.name)) {  // its shape is all that is asked of it
            infer(e);
            uncomputed_[e.name] = shape_of(e);
        }
    }
}

std::vector<std::int64_t> interpreter::shape_of(const ir::equation& e) const {
    if (const auto known = shapes.find(e.name); known != shapes.end()) return known->second;
    std::vector<std::int64_t> shape;
    for (std::int32_t axis = 0; axis < e.positions.count; ++axis)
        shape.push_back(reach(p_.at(e.positions, axis)));
    return shape;
}

void interpreter::evaluate_equation(const ir::equation& e) {
    infer(e);
    softmax_rows_.clear();
    dense result = dense::zeros(shape_of(e));
    std::vector<ir::ref> free;
    for (std::int32_t axis = 0; axis < e.positions.count; ++axis)
        each_index(p_.at(e.positions, axis), [&](ir::ref i) {
            if (std::find(free.begin(), free.end(), i) == free.end()) free.push_back(i);
        });
    at_.assign(static_cast<std::size_t>(p_.indices.size()), 0);
    loop(free, 0, [&] {
        std::vector<std::int64_t> at;
        for (std::int32_t axis = 0; axis < e.positions.count; ++axis)
            at.push_back(value(p_.at(e.positions, axis)));
        result.values[result.offset(at)] = value(e.body);
    });
    const auto later = stored.find(e.name);
    tensors[e.name] = later == stored.end() ? result : later->second;
    results[e.name] = std::move(result);
}

template <class F>
void interpreter::each_index(const ir::position& q, F f) const {
    if (q.kind == ir::position_kind::index) f(q.index);
    if (q.kind == ir::position_kind::merged || q.kind == ir::position_kind::affine)
        for (std::int32_t k = 0; k < q.terms.count; ++k)
            f(p_.affine_terms[q.terms.first + k].index);
}

template <class F>
void interpreter::loop(const std::vector<ir::ref>& indices, std::size_t k, F body) {
    if (k == indices.size()) return body();
    auto& counter = at_[static_cast<std::size_t>(indices[k])];
    const auto before = counter;
    for (std::int64_t x = 0; x < extent(indices[k]); ++x) {
        counter = x;
        loop(indices, k + 1, body);
    }
    counter = before;
}

std::int64_t interpreter::extent(ir::ref i) const {
    const auto n = extents_[static_cast<std::size_t>(i)];
    if (n < 0)
        throw std::logic_error("interpreter: the extent of the index " + spelled(i) +
                               " is unknown");
    return n;
}

std::int64_t interpreter::reach(const ir::position& q) const {
    if (q.kind == ir::position_kind::index) return extent(q.index);
    std::int64_t length = q.kind == ir::position_kind::merged ? 1 : q.offset + 1;
    for (std::int32_t k = 0; k < q.terms.count; ++k) {
        const auto& term = p_.affine_terms[q.terms.first + k];
        if (q.kind == ir::position_kind::merged) length *= extent(term.index);
        else
            length +=
                std::abs(term.coefficient) * std::max<std::int64_t>(extent(term.index) - 1, 0);
    }
    return length;
}

std::int64_t interpreter::value(const ir::position& q) const {
    const auto current = [&](ir::ref i) { return at_[static_cast<std::size_t>(i)]; };
    if (q.kind == ir::position_kind::index) return current(q.index);
    std::int64_t result = q.kind == ir::position_kind::merged ? 0 : q.offset;
    for (std::int32_t k = 0; k < q.terms.count; ++k) {
        const auto& term = p_.affine_terms[q.terms.first + k];
        if (q.kind == ir::position_kind::merged) {
            result = result * extent(term.index) + current(term.index);
        } else {
            result += term.coefficient * current(term.index);
            if (term.coefficient < 0) result -= term.coefficient * (extent(term.index) - 1);
        }
    }
    return result;
}

long double interpreter::value(ir::ref number) {
    const ir::node& n = p_.nodes[number];
    const auto child = [&](std::int32_t k) { return value(p_.child(n, k)); };
    switch (n.kind) {
        case ir::op::imaginary_unit:
        case ir::op::call:
            break;  // of complex numbers; written out by the parser
        case ir::op::number:
            return n.value;
        case ir::op::tensor: {
            const auto& t = tensors.at(n.name);
            if (t.extents.empty()) return t.values[0];
            std::int64_t at = 0;
            for (std::int32_t axis = 0; axis < n.positions.count; ++axis)
                at = t.offset_beyond(
                    at, static_cast<std::size_t>(axis),
                    p_.at(n.positions, axis).kind == ir::position_kind::gathered
                        ? static_cast<std::int64_t>(child(p_.at(n.positions, axis).offset))
                        : value(p_.at(n.positions, axis)));
            return t.values[static_cast<std::size_t>(at)];
        }
        case ir::op::add: {
            long double total = 0;
            for (std::int32_t k = 0; k < n.children.count; ++k) {
                const long double term = child(k);
                if (is_mask(p_.child(n, k)) && term != 0) return term;
                total += term;
            }
            return total;
        }
        case ir::op::multiply: {
            if (is_hidden(number)) return 0;
            long double total = 1;
            for (std::int32_t k = 0; k < n.children.count; ++k)
                if (!is_bracket(p_.child(n, k))) total *= child(k);
            return total;
        }
        case ir::op::divide:
            if (is_hidden(number)) return 0;
            return child(0) / child(1);
        case ir::op::power: {
            const long double exponent = child(1);
            return exponent == 0 ? 1 : std::pow(child(0), exponent);
        }
        case ir::op::apply:
            return apply(static_cast<ir::function>(n.detail), child(0),
                         n.children.count > 1 ? child(1) : 0);
        case ir::op::reduce:
            return reduce(number);
        case ir::op::delta:
            return value(p_.at(n.positions, 0)) == value(p_.at(n.positions, 1)) ? 1 : 0;
        case ir::op::position:
            return static_cast<long double>(value(p_.at(n.positions, 0)));
        case ir::op::compare:
            return compare(static_cast<ir::comparison>(n.detail), child(0), child(1));
        case ir::op::choose:
            for (std::int32_t k = 0; k + 1 < n.children.count; k += 2)
                if (child(k + 1) != 0) return child(k);
            return child(n.children.count - 1);
    }
    throw std::logic_error("interpreter: an unknown operation");
}

bool interpreter::is_number(ir::ref number, double value) const {
    return p_.nodes[number].kind == ir::op::number && p_.nodes[number].value == value;
}

bool interpreter::is_bracket(ir::ref number) const {
    const ir::node& n = p_.nodes[number];
    if (n.kind == ir::op::choose && n.children.count == 3) {
        const ir::ref then = p_.child(n, 0), otherwise = p_.child(n, 2);
        return (is_number(then, 1) && is_number(otherwise, 0)) ||
               (is_number(then, 0) && is_number(otherwise, 1));
    }
    return n.kind == ir::op::compare || n.kind == ir::op::delta ||
           (n.kind == ir::op::apply &&
            static_cast<ir::function>(n.detail) == ir::function::logical_not);
}

bool interpreter::is_hidden(ir::ref number) {
    const ir::node& n = p_.nodes[number];
    if (n.kind == ir::op::divide) return is_hidden(p_.child(n, 0));
    if (n.kind != ir::op::multiply) return is_bracket(number) && value(number) == 0;
    for (std::int32_t k = 0; k < n.children.count; ++k)
        if (is_hidden(p_.child(n, k))) return true;
    return false;
}

bool interpreter::is_mask(ir::ref number) const {
    bool infinite = false;
    return is_mask(number, infinite) && infinite;
}

bool interpreter::is_mask(ir::ref number, bool& infinite) const {
    const ir::node& n = p_.nodes[number];
    if (n.kind == ir::op::number) {
        infinite = infinite || n.value == -HUGE_VAL || n.value == HUGE_VAL;
        return true;
    }
    if (n.kind != ir::op::multiply) return is_bracket(number);
    for (std::int32_t k = 0; k < n.children.count; ++k)
        if (!is_mask(p_.child(n, k), infinite)) return false;
    return true;
}

long double interpreter::apply(ir::function f, long double x, long double y) {
    return test::meaning<long double>(steps::first_function + static_cast<int>(f), x, y, 0);
}

long double interpreter::compare(ir::comparison c, long double x, long double y) {
    switch (c) {
        case ir::comparison::less:
            return x < y ? 1 : 0;
        case ir::comparison::less_equal:
            return x <= y ? 1 : 0;
        case ir::comparison::equal:
            return x == y ? 1 : 0;
        case ir::comparison::not_equal:
            return x != y ? 1 : 0;
        case ir::comparison::logical_and:
            return x != 0 && y != 0 ? 1 : 0;
        case ir::comparison::logical_or:
            return x != 0 || y != 0 ? 1 : 0;
    }
    throw std::logic_error("interpreter: an unknown comparison");
}

interpreter::softmax_row interpreter::row_of(ir::ref body, const std::vector<ir::ref>& over) {
    softmax_row row{{}, 0, -infinity, 0};
    std::vector<long double> values;
    loop(over, 0, [&] { values.push_back(value(body)); });
    for (const auto x : values) {
        if (std::isnan(x) && !std::isnan(row.first_nan)) row.first_nan = x;
        row.most = std::max(row.most, x);
    }
    if (row.most > -infinity)
        for (const auto x : values) row.weights += std::exp(x - row.most);
    return row;
}

long double interpreter::softmax(ir::ref number, const std::vector<ir::ref>& over) {
    const ir::ref body = p_.child(p_.nodes[number], 0);
    std::vector<std::int64_t> around = at_;
    for (const ir::ref i : over) around[static_cast<std::size_t>(i)] = 0;
    softmax_row& row = softmax_rows_[number];
    if (row.around != around) {
        row = row_of(body, over);
        row.around = std::move(around);
    }
    if (std::isnan(row.first_nan)) return row.first_nan;
    return row.most == -infinity ? 0 : std::exp(value(body) - row.most) / row.weights;
}

long double interpreter::reduce(ir::ref number) {
    const ir::node& n = p_.nodes[number];
    std::vector<ir::ref> over;
    for (std::int32_t k = 0; k < n.indices.count; ++k) over.push_back(p_.reduced(n, k));
    const auto kind = static_cast<ir::reduction>(n.detail);
    if (kind == ir::reduction::softmax) return softmax(number, over);
    const ir::ref body = p_.child(n, 0);
    std::vector<long double> row;
    loop(over, 0, [&] { row.push_back(value(body)); });
    if (kind == ir::reduction::solve) {
        std::vector<long double> right;
        loop({over[0]}, 0, [&] { right.push_back(value(p_.child(n, 1))); });
        const dense_matrix<long double> matrix{right.size(), std::move(row)};
        matrix.solve(right);
        return right[static_cast<std::size_t>(at_[static_cast<std::size_t>(over[1])])];
    }
    if (ir::is_of_matrix(kind)) return of_matrix(kind, over, std::move(row));
    long double total = 0, product = 1, most = -infinity, least = infinity;
    for (auto x : row)
        total += x, product *= x, most = std::max(most, x), least = std::min(least, x);
    switch (kind) {
        case ir::reduction::sum:
            return total;
        case ir::reduction::product:
            return product;
        case ir::reduction::mean:
            return total / static_cast<long double>(row.size());
        case ir::reduction::maximum:
            return most;
        case ir::reduction::minimum:
            return least;
        case ir::reduction::logsumexp:
            return logsumexp(row, most);
        case ir::reduction::argmax:
        case ir::reduction::argmin:
            return first_extremum(row, kind == ir::reduction::argmax);
        default:
            break;
    }
    throw std::logic_error("interpreter: an unknown reduction");
}

long double interpreter::logsumexp(const std::vector<long double>& row, long double most) {
    for (const auto x : row)
        if (std::isnan(x)) return x;
    if (most == -infinity) return most;
    long double weights = 0;
    for (const auto x : row) weights += std::exp(x == most ? 0 : x - most);
    return most + std::log(weights);
}

long double interpreter::first_extremum(const std::vector<long double>& row, bool largest) {
    std::size_t best = 0;
    for (std::size_t k = 1; k < row.size() && !std::isnan(row[best]); ++k)
        if (std::isnan(row[k]) || (largest ? row[k] > row[best] : row[k] < row[best])) best = k;
    return static_cast<long double>(best);
}

long double interpreter::of_matrix(ir::reduction kind, const std::vector<ir::ref>& over,
                                   std::vector<long double> elements) const {
    std::size_t n = 0;
    while (n * n < elements.size()) ++n;
    const dense_matrix<long double> matrix{n, std::move(elements)};
    const auto place = [&](std::size_t k) {
        return static_cast<std::size_t>(at_[static_cast<std::size_t>(over[k])]);
    };
    if (kind == ir::reduction::inverse) {
        std::vector<long double> column(n);
        column[place(0)] = 1;
        matrix.solve(column);
        return column[place(1)];
    }
    if (kind == ir::reduction::cholesky) return matrix.cholesky().at(place(0), place(1));
    if (kind == ir::reduction::cofactors) return matrix.cofactor(place(0), place(1));
    const long double determinant = matrix.determinant();
    if (kind == ir::reduction::determinant) return determinant;
    return std::log(kind == ir::reduction::log_determinant ? std::abs(determinant) : determinant);
}

}  // namespace ricci::testing
