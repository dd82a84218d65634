// Which values of a body are never NaN.
#include "src/bodies/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace ricci::bodies {
namespace {

using steps::opcode;

/// What a value may be. Each has all that the ones before it have.
enum class range : std::uint8_t {
    positive,  // a number that is not below 0, or infinity
    above,     // any number, or infinity
    number,    // or -infinity
    anything,  // or NaN
};
struct known {
    range of = range::anything;
    bool finite = false;
};

known apply(int op, known a, known b, known c, bool same) {
    const auto is = [&](opcode code) { return op == kernels::operation(code); };
    const bool numbers = a.of <= range::number && b.of <= range::number;
    // x x, which overflows to infinity.
    const bool square = is(opcode::square) || (is(opcode::multiply) && same);
    if (square && a.of <= range::number) return {range::positive, false};
    if (op == kernels::multiply_add && same && a.of <= range::number && c.of <= range::above)
        return {c.of, false};
    if (is(opcode::add) && a.of == range::positive && b.of == range::positive)
        return {range::positive, false};
    const bool sums = is(opcode::add) || is(opcode::subtract) || is(opcode::multiply);
    if (sums && a.finite && b.finite) return {range::number, false};
    if ((is(opcode::maximum) || is(opcode::minimum)) && numbers)
        return {std::max(a.of, b.of), a.finite && b.finite};
    if (is(opcode::sqrt) && a.of == range::positive) return {range::positive, a.finite};
    if (is(opcode::exp) && a.of <= range::number) return {range::positive, false};
    if (is(opcode::negate) && a.of <= range::number) return {range::number, a.finite};
    return {};
}

}  // namespace

std::vector<char> never_nan(const body& what) {
    std::vector<known> values;
    std::vector<char> result;
    for (std::size_t k = 0; k < what.values().size(); ++k) {
        const int v = static_cast<int>(k);
        const node& n = what[v];
        const auto argument = [&](int i) {
            return n.argument[i] < 0 ? known{} : values[static_cast<std::size_t>(n.argument[i])];
        };
        if (what.is(v, opcode::constant)) {
            // As a float it may be infinite.
            const bool finite = std::abs(n.value) < 0x1p127;
            values.push_back(!finite        ? known{}
                             : n.value >= 0 ? known{range::positive, true}
                                            : known{range::above, true});
        } else if (what.is(v, opcode::load)) {
            values.push_back(what.is_pair(v) ? known{} : known{range::above, true});
        } else {
            values.push_back(
                apply(n.op, argument(0), argument(1), argument(2), n.argument[0] == n.argument[1]));
        }
        result.push_back(values.back().of <= range::number ? 1 : 0);
    }
    return result;
}

}  // namespace ricci::bodies
