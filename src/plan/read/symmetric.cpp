#include "src/plan/read/symmetric.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "src/plan/pool/match.hpp"

namespace ricci::plan {
namespace {

/// Writes values so that those which are equal but for signs of differences match.
class sign_writer {
public:
    sign_writer(graph& values, const definitions& defined, loop row, loop column)
        : values_(values), defined_(defined), row_(row), column_(column) {}

    expr written(expr e) {
        if (const auto found = known_.find(e); found != known_.end()) return found->second;
        const expr made = values_.substituted(
            e, [&](expr part) { return part == e ? replaced(e) : written(part); });
        return known_[e] = made;
    }

private:
    expr replaced(expr e) {
        const auto& node = values_[e];
        if (node.kind == kind::load && contains(node.indices, row_) &&
            contains(node.indices, column_)) {
            const expr value = defined_.value_of(e);
            return value ? written(value) : value;
        }
        const bool even = is_even(node);
        if (!even && node.code != opcode::multiply) return expr::none;
        expr_list arguments = node.arguments;
        bool minus = false;
        for (expr& a : arguments) a = oriented(written(a), minus);
        if (minus && !even) arguments.push_back(values_.constant(-1));
        return values_.as_written(node.code, std::move(arguments));
    }
    bool is_even(const expression& e) const {
        if (e.code == opcode::power) {
            const auto& times = values_[e.arguments[1]];
            return times.kind == kind::constant && std::fmod(times.value, 2) == 0;
        }
        return e.code == opcode::square || e.code == opcode::cos || e.code == opcode::absolute;
    }
    // Of a difference and its negative one, the same of both; turns `minus` where it is the latter.
    expr oriented(expr e, bool& minus) {
        const auto span = values_.terms(e);
        expr_list terms(span.begin(), span.end()), negative;
        if (terms.size() < 2 && values_[e].kind != kind::position) return e;
        for (const expr t : terms) negative.push_back(values_.multiply({values_.constant(-1), t}));
        const auto in_order = [&](expr_list& list) {
            std::sort(list.begin(), list.end());
            return list.size() == 1 ? list[0] : values_.as_written(opcode::add, list);
        };
        const expr here = in_order(terms), there = in_order(negative);
        if (there < here) minus = !minus;
        return std::min(here, there);
    }

    graph& values_;
    const definitions& defined_;
    const loop row_, column_;
    std::unordered_map<expr, expr> known_;
};

}  // namespace

bool is_symmetric(graph& values, const definitions& defined, expr matrix, loop row, loop column) {
    forms of(values);
    sign_writer signs(values, defined, row, column);
    const expr here = values.apart({row, column}, matrix);
    const expr turned = values.renamed(here, {{row, column}, {column, row}});
    loop_map same;
    for (const loop l : values[here].indices) same.emplace_back(l, l);
    return match_in_any_order(values, of, signs.written(here), signs.written(turned), same)
        .has_value();
}

}  // namespace ricci::plan
