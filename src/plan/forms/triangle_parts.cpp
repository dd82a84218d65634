// How the pairs of places under [j <= i + offset] lie.
#include "src/plan/forms/triangle_parts.hpp"

#include <algorithm>

namespace ricci::plan {

double triangle_parts::pairs() const {
    const double along = static_cast<double>(strict ? size - 1 : size + 1) / 2;
    return static_cast<double>(size) * (along + static_cast<double>(head)) +
           static_cast<double>(full) * static_cast<double>(columns);
}

std::optional<triangle_parts> parts_of(const graph& values, const triangle& pairs) {
    triangle_parts p;
    p.rows = values.extent(pairs.i);
    p.columns = values.extent(pairs.j);
    p.up = pairs.up;
    // Counted from the last places back, i + offset <= j is j <= i + the rest.
    const std::int64_t offset = pairs.up ? pairs.offset : p.columns - p.rows - pairs.offset;
    p.strict = offset < 0;
    p.none = std::max<std::int64_t>(0, -offset - 1);
    p.head = std::max<std::int64_t>(0, offset);
    p.size = std::min(p.rows - p.none, p.columns - p.head);
    p.full = p.rows - p.none - p.size;
    if (p.size <= 0) return {};
    return p;
}

}  // namespace ricci::plan
