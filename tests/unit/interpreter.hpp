// The meaning of a program, written down as plainly as possible: every operation of the IR by loops
// in long double. The oracle that planned and compiled execution is compared with; shares no code
// with the planner, with the inference of shapes or with the kernels. Compiled once, and optimised:
// differences ask for a value thousands of times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <ricci/ir/program.hpp>

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
        for (std::size_t axis = 0; axis < extents.size(); ++axis)
            result = offset_beyond(result, axis, at[axis]);
        return static_cast<std::size_t>(result);
    }
    /// The offset of the first axes, and of this one at a place.
    std::int64_t offset_beyond(std::int64_t before, std::size_t axis, std::int64_t at) const {
        if (at < 0 || at >= extents[axis]) throw std::out_of_range("interpreter: position");
        return before * extents[axis] + at;
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
    void run();

private:
    void evaluate_equation(const ir::equation& e);
    template <class F>
    void each_index(const ir::position& q, F f) const;
    template <class F>
    void loop(const std::vector<ir::ref>& indices, std::size_t k, F body);
    std::int64_t extent(ir::ref i) const;
    /// The length of the axis that a position fills.
    std::int64_t reach(const ir::position& q) const;
    /// A position at the indices' current values.
    std::int64_t value(const ir::position& q) const;
    long double value(ir::ref number);
    // Brackets: conditions as numbers. A product with a false one is 0 whatever its other factors
    // are, and these need not exist.
    bool is_number(ir::ref number, double value) const;
    bool is_bracket(ir::ref number) const;
    bool is_hidden(ir::ref number);
    // Minus infinity under brackets: what it is added to is masked, whatever it is.
    bool is_mask(ir::ref number) const;
    bool is_mask(ir::ref number, bool& infinite) const;
    static long double apply(ir::function f, long double x, long double y);
    static long double compare(ir::comparison c, long double x, long double y);
    long double reduce(ir::ref number);
    /// What the elements of a row have in common, which is made once for all of them.
    struct softmax_row {
        std::vector<std::int64_t> around;  // the values of the indices that it is not along
        long double first_nan = 0, most = 0, weights = 0;
    };
    long double softmax(ir::ref number, const std::vector<ir::ref>& over);
    softmax_row row_of(ir::ref body, const std::vector<ir::ref>& over);
    static long double logsumexp(const std::vector<long double>& row, long double most);
    /// The first of equal ones; NaN is beyond all numbers.
    static long double first_extremum(const std::vector<long double>& row, bool largest);
    /// At the places of its two indices, where it keeps them.
    long double of_matrix(ir::reduction kind, const std::vector<ir::ref>& over,
                          std::vector<long double> elements) const;
    // The extents of one equation's indices: from axes at one index first, then from axes in which
    // only one index is open, until nothing changes.
    void infer(const ir::equation& e);
    /// i \in \operatorname{axis}_0(x)
    void infer_said();
    std::vector<std::int64_t> shape_of(const ir::equation& e) const;
    /// j''' is as long as j'', and that as j, if nothing else says it. With two primes or more it may
    /// run over an axis that is read at an edge, which says nothing of j.
    void share_letter(ir::ref i);
    std::string spelled(ir::ref i) const;
    void infer_node(ir::ref number);
    void infer_axes(ir::range positions, const std::vector<std::int64_t>& shape);

    ir::program_view p_;
    ir::ref equation_ = 0;
    std::vector<std::int64_t> extents_;                        // by index; -1: not known
    std::vector<std::int64_t> seen_;                           // the same, of the equations so far
    std::vector<std::int64_t> at_;                             // by index: its current value
    std::map<ir::ref, std::vector<std::int64_t>> uncomputed_;  // shapes of what is not computed
    std::map<ir::ref, softmax_row> softmax_rows_;  // by node: the last one, within an equation
};

}  // namespace ricci::testing
