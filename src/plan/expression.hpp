// The planner's own form of one equation's right side: a graph in which equal expressions are one
// node, constants are folded, quotients are products, and strides have replaced positions.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include <ricci/ir/program.hpp>
#include "src/plan/plan.hpp"
#include "src/steps/map.hpp"

namespace ricci::plan {

/// The number of an expression in its graph.
using expr = std::int32_t;

/// How far an address (or the value of a position) moves when an index advances by one.
struct index_stride {
    ir::ref index = ir::none;
    std::int64_t stride = 0;
    bool operator==(const index_stride&) const = default;
};

/// offset + sum of stride * index. Sorted by index; without strides of 0 and indices of extent 1, so
/// that the indices listed are those which the value depends on.
struct linear_form {
    std::int64_t offset = 0;
    std::vector<index_stride> strides;
    bool operator==(const linear_form&) const = default;
    std::int64_t stride(ir::ref index) const;
};

/// Elements of a slot's memory, one for each combination of indices.
struct access {
    std::int32_t slot = -1;
    linear_form at;
    ir::range positions{0, -1};  // as written, for words
};

/// An axis that is read where a tensor says.
struct lookup_axis {
    std::int64_t stride = 0;  // of the axis
    std::int64_t extent = 0;
    std::string words;  // which it is, for messages
    bool operator==(const lookup_axis&) const = default;
};

enum class kind : std::uint8_t {
    constant,  // value
    load,      // source
    gather,    // source, moved along an axis by the value of each argument, as `lookups` say; where
               // one argument more is 0, nobody wants the value and the places need not exist
    position,  // source.at, as a number
    operation,  // code; its arguments (add and multiply: any number of them)
    sum,        // over `over` of a product whose order is still open
    fold,       // folding over `over` of an element-wise body, in one step
};

struct expression {
    plan::kind kind = kind::constant;
    opcode code = opcode::constant;
    fold folding = fold::none;
    double value = 0;
    access source;
    std::vector<lookup_axis> lookups;  // gather: one for each argument but the last of more
    std::vector<expr> arguments;
    std::vector<ir::ref> over;     // sorted
    std::vector<ir::ref> indices;  // what the value depends on; sorted
    bool sums = false;             // a sum is somewhere below, or here
    bool condition = false;        // load: of a tensor that is 1 or 0 everywhere
    expr widest = -1;              // the load below that has most indices
    int uses = 0;                  // how often it was asked for while the graph was built
};

/// The expressions of one equation.
class graph {
public:
    explicit graph(std::vector<std::int64_t> extents, element type = element::f64)
        : extents_(std::move(extents)), type_(type) {}

    element type() const { return type_; }
    /// A function that changes no number of this element type.
    bool is_identity(ir::function f) const {
        namespace types = detail::function_types;
        return (ir::says(f, types::keeps_reals) && !is_complex(type_)) ||
               (ir::says(f, types::keeps_whole) && is_integer(type_));
    }

    const expression& operator[](expr e) const { return nodes_[static_cast<std::size_t>(e)]; }
    std::int64_t extent(ir::ref index) const { return extents_[static_cast<std::size_t>(index)]; }
    /// Elements of a block with these indices.
    double size(const std::vector<ir::ref>& indices) const;

    expr constant(double value);
    expr load(access source, bool condition = false);
    /// `wanted`: conditions; where one is false the value does not count.
    expr gather(access source, std::vector<lookup_axis> lookups, std::vector<expr> numbers,
                const std::vector<expr>& wanted = {});
    expr position(linear_form at);
    expr apply(opcode code, expr first, expr second = -1, expr third = -1);
    expr add(const std::vector<expr>& terms);
    expr multiply(const std::vector<expr>& factors);
    expr power(expr base, expr exponent);
    /// The sum, mean, ... of `body` over `over`; recognises what a contraction computes better.
    expr reduce(ir::reduction r, std::vector<ir::ref> over, expr body);
    /// A fold that runs as one step.
    expr row(fold folding, std::vector<ir::ref> over, expr body);
    expr sum(std::vector<ir::ref> over, expr body);

    bool is_constant(expr e, double value) const;
    bool is_scalar(expr e) const { return (*this)[e].indices.empty(); }
    /// Whether it is a condition as a number, 1 or 0: an Iverson bracket. Where it is 0, the product that it
    /// is a factor of is 0, whatever the other factors are.
    bool is_bracket(expr e) const;
    bool has_bracket(expr product) const;
    /// The factors of a product, or `e` alone.
    std::vector<expr> factors(expr e) const;
    /// The terms of a sum of terms, or `e` alone.
    std::vector<expr> terms(expr e) const;
    void count_use(expr e) { ++nodes_[static_cast<std::size_t>(e)].uses; }

private:
    expr intern(expression node);
    /// A product over more loops than any one factor has: better contracted than folded.
    bool expands(expr product) const;
    /// base^times by repeated squares.
    expr raised(expr base, std::int64_t times);
    expr distributed(const std::vector<ir::ref>& over, expr body);

    expr quotient(expr numerator, expr denominator);
    expr holds_somewhere(const std::vector<expr>& conditions, const std::vector<ir::ref>& indices);
    expr place_exists(expr condition, const std::vector<ir::ref>& others);
    bool folds(opcode code, double argument) const;

    std::vector<std::int64_t> extents_;
    element type_;
    std::vector<expression> nodes_;
    std::unordered_multimap<std::uint64_t, expr> known_;
};

/// The union of two sorted lists, the first without the second, and what is in both.
std::vector<ir::ref> united(const std::vector<ir::ref>& a, const std::vector<ir::ref>& b);
std::vector<ir::ref> without(const std::vector<ir::ref>& a, const std::vector<ir::ref>& b);
std::vector<ir::ref> common(const std::vector<ir::ref>& a, const std::vector<ir::ref>& b);
bool contains(const std::vector<ir::ref>& a, ir::ref index);

}  // namespace ricci::plan
