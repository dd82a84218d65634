// What tensors are by definition: what reads one may ask for the value that an equation gives it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "src/base/small_map.hpp"
#include "src/plan/pool/expression.hpp"

namespace ricci::plan {

/// For all loops of the target its elements are the value.
struct definition {
    access target;
    expr value;
    expr written;  // the same before conditions in it were solved
};

/// The loops of a definition and those at which its tensor is read, axis by axis; nothing where it
/// is read at other places than loops as they are.
std::optional<loop_map> names_at(const access& defined, const access& read);

/// The same where it is read at any places without an edge.
struct defined_reading {
    std::vector<moved_loop> fixed;  // loops of the definition that are at one place
    loop_map names;                 // of the others; new ones where they are elsewhere
    std::vector<moved_loop> moved;  // these
};
std::optional<defined_reading> reading_at(graph&, const access& defined, const access& read);
/// A part of the definition there; none: it has no form.
expr value_at(graph&, const defined_reading&, expr part);

class definitions {
public:
    explicit definitions(graph& values) : values_(values) {}

    /// Remembers what an equation computes where that is all of a tensor of these extents. None: it
    /// is no expression.
    void add(const access& target, const std::vector<std::int64_t>& extents, expr value,
             expr written = expr::none);
    /// None: an input, or a tensor of which it is not known.
    const definition* of(slot_number) const;
    /// A part of a definition's value where its tensor is read; none: it has no form there. What
    /// it binds are other loops than those that are read.
    expr part_at(const definition&, expr part, const access& read) const;
    /// The value of a load, and that which was written; none: it is not known.
    expr value_of(expr load) const;
    expr written_of(expr load) const;

private:
    const definition* of_load(expr) const;

    graph& values_;
    small_map<slot_number, definition, 1> known_;
};

}  // namespace ricci::plan
