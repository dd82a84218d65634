// Positions and conditions on them: as sums of indices and inequalities, or as numbers where the
// indices are known.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <ricci/ir/program.hpp>
#include "src/plan/pool/affine_bounds.hpp"

namespace ricci::plan {

/// A node, and whether it is to hold or to fail.
struct position_condition {
    ir::ref node = ir::none;
    bool holds = true;
};

/// Conditions that hold together: sums of indices that are 0 or more, and others, whose value is
/// known where the indices are.
struct conjunction {
    std::vector<place> affine;
    std::vector<position_condition> others;
};

/// The place that a position of a program is, where no tensor says it; of each index `loop_of`
/// gives its loop and `extent_of` how far that runs.
template <class LoopOf, class ExtentOf>
place place_at(const ir::program_view& p, const ir::position& q, const LoopOf& loop_of,
               const ExtentOf& extent_of) {
    place at;
    if (q.kind == ir::position_kind::index) at.add(loop_of(q.index), 1);
    if (q.kind == ir::position_kind::fixed || q.kind == ir::position_kind::affine)
        at.offset = q.offset;
    std::int64_t size = 1;  // of the letters behind one that is merged with them
    for (std::int32_t t = q.terms.count; t-- > 0;) {
        const ir::affine_term& term = p.affine_terms[q.terms.first + t];
        if (q.kind == ir::position_kind::merged) {
            at.add(loop_of(term.index), size);
            size *= extent_of(term.index);
            continue;
        }
        at.add(loop_of(term.index), term.coefficient);
        // Places count from the least value that the index can give.
        if (term.coefficient < 0) at.offset -= term.coefficient * (extent_of(term.index) - 1);
    }
    return at;
}

class position_reader {
public:
    using extent_of = std::function<std::int64_t(ir::ref)>;
    using place_of = std::function<std::int64_t(ir::ref)>;

    /// `extent`: of an index, bound ones too.
    position_reader(const ir::program_view& p, extent_of extent)
        : p_(p), extent_(std::move(extent)) {}

    /// A place on an axis, where it is an index or arithmetic of some.
    std::optional<place> form_of(const ir::position& q) const;
    /// A number that is a sum of positions and whole numbers.
    std::optional<place> form_of(ir::ref n) const;
    /// The conditions as alternatives, at least one of which holds where all of them do. What
    /// depends on more than positions is taken to hold.
    std::vector<conjunction> alternatives(std::span<const position_condition> all) const;

    /// Whether an expression is made of positions and numbers alone.
    bool is_known(ir::ref n) const;
    /// Its number, where the indices are at these places.
    double value(ir::ref n, const place_of& at) const;

private:
    struct real_form {
        place sum;  // without its offset
        double offset = 0;
    };
    std::optional<real_form> real_form_of(ir::ref n) const;
    std::optional<double> count_of(const ir::node& sum) const;
    std::vector<conjunction> alternatives(ir::ref n, bool holds) const;
    std::vector<conjunction> comparison(ir::ref n, bool holds) const;
    std::vector<conjunction> other(ir::ref n, bool holds) const;

    const ir::program_view& p_;
    extent_of extent_;
};

}  // namespace ricci::plan
