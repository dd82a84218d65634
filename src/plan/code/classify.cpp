// How assignments run: which way a nominal core would be done first.
#include "src/plan/code/classify.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <vector>

#include "src/plan/schedule/nominal_core.hpp"

namespace ricci::plan {
namespace {

constexpr double line_bytes = 64;
constexpr double cached_bytes_a_cycle = 64, cache_bytes = 1 << 20;
// More than its bytes, for an element that is read on its own.
constexpr double lone_read = 1;
// To begin the sum of a row and to finish it, in double; a log-sum-exp in vectors of its terms.
constexpr double row_start = 128, exponential_row_start = 320;
// A tile of a contraction.
constexpr double tile_rows = 8, tile_vectors = 2;
// To read where something lies, check it and go there.
constexpr double lookup_cycles = 4;

/// Bytes that are moved to read a number of a tensor, when the next one is so many elements away:
/// one that lies apart from others takes a cache line.
double moved(std::int64_t stride, double bytes) {
    if (stride == 0) return 0;
    return std::abs(stride) == 1 ? bytes : line_bytes;
}

decision cheapest(std::initializer_list<priced_way> ways) {
    decision made;
    const auto* const best = std::ranges::min_element(
        ways, [](const auto& x, const auto& y) { return x.cycles < y.cycles; });
    made.taken = *best;
    for (const auto& other : ways)
        if (&other != best && (!made.runner_up || other.cycles < made.runner_up->cycles))
            made.runner_up = other;
    return made;
}

/// Each number is read once for all loops that it does not move along.
double cost_of_lookups(const std::vector<planned_lookup>& lookups,
                       const std::vector<std::int64_t>& extents) {
    double looked_up = 0;
    for (const auto& l : lookups) {
        double places = 1;
        for (std::size_t k = 0; k < extents.size(); ++k)
            if (l.numbers.at.strides[k] != 0) places *= static_cast<double>(extents[k]);
        looked_up += places;
    }
    return looked_up * lookup_cycles;
}

/// Whole tiles are multiplied, and operands read once for all of them.
double cost_of_contraction(const contraction_step& s, const numbers& of) {
    const double batch = iterations_of(s.batch), m = iterations_of(s.m), n = iterations_of(s.n),
                 k = iterations_of(s.k);
    const double bytes = batch * (m * k + k * n + m * n) * of.bytes;
    if (m == 1 || n == 1)  // a matrix and a vector: there is one product for every number
        return start_cycles +
               2 * of.multiplications * batch * m * n * k / of.lanes / vectors_a_cycle +
               bytes / bytes_a_cycle;
    const double columns = tile_vectors * of.lanes;
    const auto tiles_of = [&](double rows, double others) {
        return batch * std::ceil(rows / tile_rows) * std::ceil(others / columns);
    };
    const double tile = of.multiplications * tile_rows * tile_vectors * k / vectors_a_cycle;
    return std::min(tiles_of(m, n), tiles_of(n, m)) * (tile + start_cycles) + bytes / bytes_a_cycle;
}

/// Both operands are read again for every product, and every result begins a row.
double cost_of_fold(const contraction_step& s, const numbers& of) {
    const double batch = iterations_of(s.batch), m = iterations_of(s.m), n = iterations_of(s.n),
                 k = iterations_of(s.k);
    const double results = batch * m * n, products = results * k;
    const auto read = [&](const contraction_loop& l) {
        return moved(l.a, of.bytes) + moved(l.b, of.bytes);
    };
    // The loop of a row: the one along which the operands lie closest.
    const auto inner = std::ranges::min_element(
        s.k, [&](const auto& x, const auto& y) { return read(x) < read(y); });
    const double rows = products / static_cast<double>(inner->extent);
    const auto lone = [](std::int64_t stride) { return std::abs(stride) > 1 ? lone_read : 0; };
    const bool cached = batch * (m + n) * k * of.bytes <= cache_bytes;
    return results * row_start + rows * start_cycles +
           products *
               (of.multiplications / of.lanes / vectors_a_cycle + lone(inner->a) + lone(inner->b) +
                read(*inner) / (cached ? cached_bytes_a_cycle : bytes_a_cycle));
}

/// Sums of products of two matrices alone: nothing is added to, and no factor is left. With one row
/// or one column each element is read once in any case. A fold reads no place beside an axis, and
/// none that a number says.
bool can_fold(const contraction_step& s) {
    return s.a.is_plain() && s.b.is_plain() && s.beta == 0 && s.alpha.is(1) && !s.a.conjugated &&
           !s.b.conjugated && iterations_of(s.m) > 1 && iterations_of(s.n) > 1 &&
           iterations_of(s.k) > 1;
}

/// A sum and an extremum for each pair; exponentials of the pairs, or of the operands where each is
/// used so often that what they give is multiplied.
double cost_of_algebra(const algebra_step& s, const numbers& of) {
    const double batch = iterations_of(s.batch), m = iterations_of(s.m), n = iterations_of(s.n),
                 k = iterations_of(s.k);
    const double pairs = batch * m * n * k, operands = batch * (m * k + k * n),
                 results = batch * m * n;
    const auto cycles_of = [&](double vectors) { return vectors / of.lanes / vectors_a_cycle; };
    const double moves = start_cycles + (operands + results) * of.bytes / bytes_a_cycle;
    if (s.algebra != sum_algebra::logsumexp) return moves + cycles_of(2 * pairs);
    const double exponential = price_of(opcode::exp, of) + 2;
    const double multiplied = cycles_of(pairs + (operands + results) * exponential);
    const double folded = results * exponential_row_start + cycles_of(pairs * exponential);
    return moves + std::min(multiplied, folded);
}

/// A sum, a comparison and a sum for each pair.
double cost_of_ties(const tie_step& s, const numbers& of) {
    return start_cycles + s.bytes / bytes_a_cycle +
           3 * iterations_of(s.extents) / of.lanes / vectors_a_cycle;
}

/// A program is interpreted: what is read and what an operation gives is stored in a tile.
double cost_of_program(const map_step& s, const numbers& of) {
    const double elements = iterations_of(s.extents);
    double vectors = 0, bytes = 0;
    for (const auto& i : s.program) {
        if (i.code == opcode::load) {
            const auto& strides = s.operands[static_cast<std::size_t>(i.operand)].strides;
            bytes += moved(strides.empty() ? 0 : strides.back(), of.bytes);
        }
        if (i.code == opcode::constant) continue;
        bytes += 2 * of.bytes;
        if (arity(i.code) > 0) vectors += price_of(i.code, of);
    }
    return start_cycles + elements * (vectors / of.lanes / vectors_a_cycle + bytes / bytes_a_cycle);
}

}  // namespace

decision classify(const contraction_step& s, element type) {
    const numbers of(type);
    const auto extents = s.extents();
    const priced_way contract{way::contract, cost_of_contraction(s, of) +
                                                 cost_of_lookups(s.a.lookups, extents) +
                                                 cost_of_lookups(s.b.lookups, extents)};
    if (!can_fold(s)) return {contract, std::nullopt};
    return cheapest({contract, {way::fold, cost_of_fold(s, of)}});
}

decision classify(const algebra_step& s, element type) {
    const numbers of(type);
    return {{way::algebra, cost_of_algebra(s, of)}, {}};
}

decision classify(const tie_step& s, element type) {
    return {{way::ties, cost_of_ties(s, numbers(type))}, {}};
}

decision classify(const map_step& s, element type) {
    const numbers of(type);
    const double program = cost_of_program(s, of), elements = iterations_of(s.extents);
    if (s.folding != fold::none) {
        double results = 1;
        for (std::size_t k = 0; k + static_cast<std::size_t>(s.folded) < s.extents.size(); ++k)
            results *= static_cast<double>(s.extents[k]);
        // The exponentials of these, and the sum.
        const double vectors = elements / of.lanes *
                               (sums_exponentials(s.folding) ? price_of(opcode::exp, of) + 1 : 1);
        return {{way::fold, program + results * row_start + vectors / vectors_a_cycle},
                std::nullopt};
    }
    const double written = elements * of.bytes / bytes_a_cycle;
    const priced_way map{way::map, program + written};
    if (s.program.size() != 1 || s.program[0].code != opcode::load) return {map, std::nullopt};
    // Lines are moved as they are or transposed on the way, so that each is read once.
    return cheapest({{way::copy, start_cycles + 2 * written}, map});
}

decision classify(const gather_step& s, element type) {
    const numbers of(type);
    const double elements = iterations_of(s.extents);
    const double moves = s.scatter ? 3 : 2;
    const double cycles = start_cycles + cost_of_lookups(s.lookups, s.extents) +
                          moves * elements * of.bytes / bytes_a_cycle;
    if (s.scatter) return {{way::scatter, cycles + elements / of.lanes / vectors_a_cycle}, {}};
    if (!s.lookups.empty()) return {{way::gather, cycles}, {}};
    return {{way::convert, cycles + elements / of.lanes / vectors_a_cycle}, {}};
}

decision classify(const lookup_sum_step& s, element type) {
    const numbers of(type);
    const double elements = iterations_of(s.extents);
    double lookups = cost_of_lookups(s.scattered, s.extents);
    for (const auto& f : s.factors) lookups += cost_of_lookups(f.lookups, s.extents);
    const double cycles = start_cycles + lookups + elements * of.bytes / bytes_a_cycle +
                          elements / of.lanes / vectors_a_cycle;
    return {{way::lookups, cycles}, {}};
}

decision classify(const matrix_step& s, element type) {
    const numbers of(type);
    return {{way::matrices, start_cycles +
                                s.flops / 2 * of.multiplications / of.lanes / vectors_a_cycle +
                                s.bytes / bytes_a_cycle},
            {}};
}

decision classify(const extremum_step& s, element type) {
    const numbers of(type);
    const double elements = iterations_of(s.extents);
    return {{way::extremum, start_cycles + elements * (1.0 / of.lanes + of.bytes / bytes_a_cycle)},
            {}};
}

decision classify(const scan_step& s, element type) {
    const numbers of(type);
    const double elements = iterations_of(s.extents);
    // Each waits for the one before it, a few rows abreast.
    return {{way::scan,
             start_cycles + elements * (1 + (s.decays() ? 3 : 2) * of.bytes / bytes_a_cycle)},
            {}};
}

}  // namespace ricci::plan
