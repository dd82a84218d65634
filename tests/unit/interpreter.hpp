// The meaning of a program, written down as plainly as possible: every operation of the IR by loops
// in long double. The oracle that planned and compiled execution is compared with; shares no code
// with the planner, with the inference of shapes or with the kernels.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <ricci/ir/program.hpp>

#include "tests/unit/dense_matrix.hpp"
#include "tests/unit/map/meanings.hpp"

namespace ricci::testing {

/// A dense row-major tensor.
struct dense {
    std::vector<std::int64_t> extents;
    std::vector<long double> values;

    static dense zeros(std::vector<std::int64_t> shape) {
        std::size_t count = 1;
        for (auto n : shape) count *= static_cast<std::size_t>(n);
        return {std::move(shape), std::vector<long double>(count, 0.0L)};
    }
    std::size_t offset(const std::vector<std::int64_t>& at) const {
        std::int64_t result = 0;
        for (std::size_t axis = 0; axis < extents.size(); ++axis) {
            if (at[axis] < 0 || at[axis] >= extents[axis])
                throw std::out_of_range("interpreter: position");
            result = result * extents[axis] + at[axis];
        }
        return static_cast<std::size_t>(result);
    }
};

class interpreter {
public:
    explicit interpreter(const ir::program_view& program) : p_(program) {}

    /// Inputs by name; also the shapes of outputs that are longer than their positions reach.
    std::map<ir::ref, dense> tensors;
    std::map<ir::ref, std::vector<std::int64_t>> shapes;
    std::map<ir::ref, std::int64_t> given;  // extents of indices
    std::map<ir::ref, dense> stored;  // results as later equations read them; without: as they are
    std::map<ir::ref, dense> results;

    /// Evaluates all equations that compute something, in their order.
    void run() {
        for (const ir::equation& e : p_.equations) infer(e);  // what each of them says by itself
        for (equation_ = 0; equation_ < p_.equations.size(); ++equation_)
            if (ir::computes(p_, p_.equations[equation_]))
                evaluate_equation(p_.equations[equation_]);
    }

private:
    void evaluate_equation(const ir::equation& e) {
        infer(e);
        std::vector<std::int64_t> shape;
        if (const auto known = shapes.find(e.name); known != shapes.end()) shape = known->second;
        for (std::int32_t axis = 0; axis < e.positions.count && shapes.count(e.name) == 0; ++axis)
            shape.push_back(reach(p_.at(e.positions, axis)));
        dense result = dense::zeros(shape);
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
    void each_index(const ir::position& q, F f) const {
        if (q.kind == ir::position_kind::index) f(q.index);
        if (q.kind == ir::position_kind::merged || q.kind == ir::position_kind::affine)
            for (std::int32_t k = 0; k < q.terms.count; ++k)
                f(p_.affine_terms[q.terms.first + k].index);
    }
    template <class F>
    void loop(const std::vector<ir::ref>& indices, std::size_t k, F body) {
        if (k == indices.size()) return body();
        auto& counter = at_[static_cast<std::size_t>(indices[k])];
        const auto before = counter;
        for (std::int64_t x = 0; x < extent(indices[k]); ++x) {
            counter = x;
            loop(indices, k + 1, body);
        }
        counter = before;
    }

    std::int64_t extent(ir::ref i) const {
        const auto n = extents_[static_cast<std::size_t>(i)];
        if (n < 0) throw std::logic_error("interpreter: the extent of an index is unknown");
        return n;
    }
    /// The length of the axis that a position fills.
    std::int64_t reach(const ir::position& q) const {
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
    /// A position at the indices' current values.
    std::int64_t value(const ir::position& q) const {
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

    long double value(ir::ref number) {
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
                std::vector<std::int64_t> at;
                for (std::int32_t axis = 0; axis < n.positions.count; ++axis)
                    at.push_back(
                        p_.at(n.positions, axis).kind == ir::position_kind::gathered
                            ? static_cast<std::int64_t>(child(p_.at(n.positions, axis).offset))
                            : value(p_.at(n.positions, axis)));
                return t.values[t.offset(at)];
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
                return reduce(n);
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

    // Brackets: conditions as numbers. A product with a false one is 0 whatever its other factors
    // are, and these need not exist.
    bool is_number(ir::ref number, double value) const {
        return p_.nodes[number].kind == ir::op::number && p_.nodes[number].value == value;
    }
    bool is_bracket(ir::ref number) const {
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
    bool is_hidden(ir::ref number) {
        const ir::node& n = p_.nodes[number];
        if (n.kind == ir::op::divide) return is_hidden(p_.child(n, 0));
        if (n.kind != ir::op::multiply) return is_bracket(number) && value(number) == 0;
        for (std::int32_t k = 0; k < n.children.count; ++k)
            if (is_hidden(p_.child(n, k))) return true;
        return false;
    }
    // Minus infinity under brackets: what it is added to is masked, whatever it is.
    bool is_mask(ir::ref number) const {
        bool infinite = false;
        return is_mask(number, infinite) && infinite;
    }
    bool is_mask(ir::ref number, bool& infinite) const {
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

    static long double apply(ir::function f, long double x, long double y) {
        return test::meaning<long double>(steps::first_function + static_cast<int>(f), x, y, 0);
    }
    static long double compare(ir::comparison c, long double x, long double y) {
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

    long double reduce(const ir::node& n) {
        constexpr long double infinity = std::numeric_limits<long double>::infinity();
        std::vector<ir::ref> over;
        for (std::int32_t k = 0; k < n.indices.count; ++k) over.push_back(p_.reduced(n, k));
        const auto kind = static_cast<ir::reduction>(n.detail);
        const ir::ref body = p_.child(n, 0);
        const long double here = kind == ir::reduction::softmax ? value(body) : 0;
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
        if (kind == ir::reduction::softmax || kind == ir::reduction::logsumexp)
            for (auto x : row)
                if (std::isnan(x)) return x;
        long double weights = 0;  // of exp(x - most)
        if (most > -infinity)
            for (auto x : row)
                weights += std::exp(x == most && kind == ir::reduction::logsumexp ? 0 : x - most);
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
                return most == -infinity ? most : most + std::log(weights);
            case ir::reduction::softmax:
                return most == -infinity ? 0 : std::exp(here - most) / weights;
            case ir::reduction::argmax:
            case ir::reduction::argmin:
                return first_extremum(row, kind == ir::reduction::argmax);
            default:
                break;
        }
        throw std::logic_error("interpreter: an unknown reduction");
    }

    /// The first of equal ones; NaN is beyond all numbers.
    static long double first_extremum(const std::vector<long double>& row, bool largest) {
        std::size_t best = 0;
        for (std::size_t k = 1; k < row.size() && !std::isnan(row[best]); ++k)
            if (std::isnan(row[k]) || (largest ? row[k] > row[best] : row[k] < row[best])) best = k;
        return static_cast<long double>(best);
    }

    /// At the places of its two indices, where it keeps them.
    long double of_matrix(ir::reduction kind, const std::vector<ir::ref>& over,
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
        return std::log(kind == ir::reduction::log_determinant ? std::abs(determinant)
                                                               : determinant);
    }

    // The extents of one equation's indices: from axes at one index first, then from axes in which
    // only one index is open, until nothing changes.
    void infer(const ir::equation& e) {
        extents_.assign(static_cast<std::size_t>(p_.indices.size()), -1);
        for (ir::ref i = 0; i < p_.indices.size(); ++i)
            if (p_.indices[i].extent > 0)
                extents_[static_cast<std::size_t>(i)] = p_.indices[i].extent;
        for (const auto& [index, n] : given) extents_[static_cast<std::size_t>(index)] = n;
        for (int round = 0; round < 4; ++round) {
            infer_node(e.body);
            if (const auto known = shapes.find(e.name); known != shapes.end())
                infer_axes(e.positions, known->second);
            for (ir::ref i = 0; i < p_.indices.size(); ++i) share_letter(i);
        }
        // \delta^{jj} Z^i says nothing of j, which the equations before this one do
        seen_.resize(extents_.size(), -1);
        for (std::size_t i = 0; i < seen_.size(); ++i) {
            if (extents_[i] < 0) extents_[i] = seen_[i];
            else seen_[i] = extents_[i];
        }
    }
    /// j''' is as long as j'', and that as j, if nothing else says it. With two primes or more it may
    /// run over an axis that is read at an edge, which says nothing of j.
    void share_letter(ir::ref i) {
        std::string text = spelled(i);
        const bool says = !text.ends_with("''");
        while (!text.empty() && text.back() == '\'') {
            text.pop_back();
            for (ir::ref j = 0; j < p_.indices.size(); ++j) {
                if (j == i || spelled(j) != text) continue;
                auto& a = extents_[static_cast<std::size_t>(i)];
                auto& b = extents_[static_cast<std::size_t>(j)];
                if (a < 0) a = b;
                if (b < 0 && says) b = a;
            }
        }
    }
    std::string spelled(ir::ref i) const {
        const auto text = p_.index(i);
        return {text.data, static_cast<std::size_t>(text.size)};
    }
    void infer_node(ir::ref number) {
        const ir::node& n = p_.nodes[number];
        if (n.kind == ir::op::tensor)
            if (const auto t = tensors.find(n.name); t != tensors.end())
                infer_axes(n.positions, t->second.extents);
        for (std::int32_t k = 0; k < n.children.count; ++k) infer_node(p_.child(n, k));
    }
    void infer_axes(ir::range positions, const std::vector<std::int64_t>& shape) {
        for (std::int32_t axis = 0; axis < positions.count && !shape.empty(); ++axis) {
            const auto& q = p_.at(positions, axis);
            const std::int64_t length = shape[static_cast<std::size_t>(axis)];
            if (q.kind == ir::position_kind::index)
                extents_[static_cast<std::size_t>(q.index)] = length;
            if (q.kind != ir::position_kind::merged && q.kind != ir::position_kind::affine)
                continue;
            const ir::affine_term* open = nullptr;
            int open_count = 0;
            std::int64_t rest = q.kind == ir::position_kind::merged ? 1 : q.offset;
            for (std::int32_t k = 0; k < q.terms.count; ++k) {
                const auto& term = p_.affine_terms[q.terms.first + k];
                const auto n = extents_[static_cast<std::size_t>(term.index)];
                if (n < 0) {
                    open = &term;
                    ++open_count;
                } else if (q.kind == ir::position_kind::merged) {
                    rest *= n;
                } else {
                    rest += std::abs(term.coefficient) * std::max<std::int64_t>(n - 1, 0);
                }
            }
            if (open_count != 1) continue;
            auto& n = extents_[static_cast<std::size_t>(open->index)];
            if (q.kind == ir::position_kind::affine && length > rest)
                n = (length - 1 - rest) / std::abs(open->coefficient) + 1;
            if (q.kind == ir::position_kind::merged && rest > 0) n = length / rest;
        }
    }

    ir::program_view p_;
    ir::ref equation_ = 0;
    std::vector<std::int64_t> extents_;  // by index; -1: not known
    std::vector<std::int64_t> seen_;     // the same, of the equations so far
    std::vector<std::int64_t> at_;       // by index: its current value
};

}  // namespace ricci::testing
