// A copy between two layouts: where its sides are contiguous along different loops, tiles
// transposed in registers; where they share long runs, those. Large outputs are written past the
// caches; those whose rows compete there stand in staged_transposition.cpp.
#include "src/copy/permutation.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <ricci/element.hpp>

#include "src/copy/copy_strategy.hpp"
#include "src/copy/staged_transposition.hpp"
#include "src/kernels/elementwise/elementwise.hpp"
#include "src/runtime/caches.hpp"

namespace ricci::elementwise {
namespace {

// A tile's sides: whole cache lines of both operands, and no more pages than the processor knows by
// heart. Past the caches, the input is read in longer runs.
constexpr std::int64_t tile_side = 64;
constexpr std::int64_t past_rows = 256;
constexpr std::int64_t past_columns = 256;
// Rows of the input that are listed at once, where they are not equally far apart.
constexpr std::int64_t most_listed = 512;
// Shorter sides are left to the general strategy.
constexpr std::int64_t shortest_side = 4;
// Bytes of a row of the output that is worth writing past the caches when it begins and ends within
// cache lines, which then wait for the rest of theirs.
constexpr std::int64_t shortest_split_row = 1024;
// Runs that both sides have in common: the general strategy's below this, cut above that.
constexpr std::int64_t shortest_run_bytes = 256;
constexpr std::int64_t longest_run = 4096;
// How many runs follow each other in the input, and how often that is done for one piece of the
// output, before the copy goes on elsewhere.
constexpr std::int64_t runs_in_a_row = 32;
constexpr std::int64_t rows_of_runs = 16;
// A processor has found out where longer runs go before they end; after shorter ones the next are
// asked for.
constexpr std::int64_t longest_asked_bytes = 1024;

// T stands for any element of its size: its bits are moved. The last two axes make a tile: p is
// that of the source's unit stride, and q, the inner one, that of the output's.
template <class T>
class transposition final : public copy_strategy {
public:
    transposition(walk units, std::int64_t from_step, std::int64_t to_step, std::size_t source,
                  const std::vector<std::int64_t>& offset)
        : copy_strategy(std::move(units), source, offset),
          from_step_(from_step),
          to_step_(to_step) {}

    void run(void* const* bases) const override {
        T* const to = static_cast<T*>(bases[0]);
        const T* const from = static_cast<const T*>(bases[source_]);
        const auto& kernels = kernels::elementwise<T>();
        const std::size_t q = units_.axes.size() - 1, p = q - 1;
        for_units(
            [&](const copy_unit& unit, const copy_unit*, int) {
                kernels.transpose(from + unit.from, from_step_, to + unit.to, to_step_,
                                  unit.chunk.size(q), unit.chunk.size(p));
            },
            [] {});
    }

private:
    std::int64_t from_step_, to_step_;
};

// A row of the output: loops that follow each other there, innermost first, wherever they are in
// the input.
class output_row {
public:
    void add(const loop& l, std::size_t source) {
        loops_.push_back({l.extent, l.stride[source]});
        extent_ *= l.extent;
    }
    std::int64_t extent() const { return extent_; }
    bool is_even() const { return loops_.size() == 1; }
    std::int64_t step() const { return loops_[0].stride; }

    // Where elements [first, end) are in the input.
    void list(std::int64_t first, std::int64_t end, std::int64_t* offsets) const {
        for (std::int64_t i = first; i < end;) {
            std::int64_t at = 0, left = i;
            for (const auto& [count, stride] : loops_) {
                at += left % count * stride;
                left /= count;
            }
            const std::int64_t run = std::min(end - i, loops_[0].extent - i % loops_[0].extent);
            for (std::int64_t x = 0; x < run; ++x, at += step()) *offsets++ = at;
            i += run;
        }
    }

private:
    struct source_loop {
        std::int64_t extent, stride;
    };
    std::vector<source_loop> loops_;
    std::int64_t extent_ = 1;
};

// The same past the caches: p is the inner axis, and q is a row of the output. While a tile is
// written, the next one is asked for: no processor guesses where it begins.
template <class T>
class transposition_past final : public copy_strategy {
public:
    transposition_past(walk units, output_row row, std::int64_t to_step, std::size_t source,
                       const std::vector<std::int64_t>& offset)
        : copy_strategy(std::move(units), source, offset, units_asked_for),
          row_(std::move(row)),
          to_step_(to_step) {}

    void run(void* const* bases) const override {
        T* const to = static_cast<T*>(bases[0]);
        const T* const from = static_cast<const T*>(bases[source_]);
        const auto& kernels = kernels::elementwise<T>();
        const std::size_t p = units_.axes.size() - 1, q = p - 1;
        const auto copy_even = [&](const copy_unit& unit, const copy_unit* next, int) {
            const cursor& c = unit.chunk;
            kernels.transpose_past(from + unit.from, row_.step(), ahead(unit, next), to + unit.to,
                                   to_step_, c.size(q), c.size(p), c.at_begin(q), c.at_end(q));
        };
        const auto copy_listed = [&](const copy_unit& unit, const copy_unit* next, int) {
            const cursor& c = unit.chunk;
            // Those of a line before, which the kernel may read, are listed, too.
            std::int64_t offsets[line + most_listed];
            const std::int64_t first = c.first(q), rows = c.size(q);
            // Rows of another chunk are elsewhere.
            const std::int64_t coming = ahead(unit, c.at_end(p) ? nullptr : next);
            for (std::int64_t i = 0; i < rows; i += most_listed) {
                const std::int64_t count = std::min(most_listed, rows - i);
                const bool begins = c.at_begin(q) && i == 0;
                const std::int64_t lead = begins ? 0 : line;
                row_.list(first + i - lead, first + i + count, offsets);
                kernels.transpose_listed_past(from + unit.from, offsets + lead, coming,
                                              to + unit.to + i, to_step_, count, c.size(p), begins,
                                              c.at_end(q) && i + count == rows);
            }
        };
        if (row_.is_even()) for_units(copy_even, kernels.end_streams);
        else for_units(copy_listed, kernels.end_streams);
    }

private:
    static constexpr std::int64_t line = runtime::line_bytes / sizeof(T);

    // From what is read of a unit to what is asked for meanwhile.
    static std::int64_t ahead(const copy_unit& unit, const copy_unit* next) {
        return next ? next->from - unit.from : 0;
    }

    output_row row_;
    std::int64_t to_step_;
};

// The last three axes are a run, and the loops that move the output and the input least.
template <class T>
class run_copy final : public copy_strategy {
public:
    using copy_strategy::copy_strategy;

    void run(void* const* bases) const override {
        T* const to = static_cast<T*>(bases[0]);
        const T* const from = static_cast<const T*>(bases[source_]);
        const auto& kernels = kernels::elementwise<T>();
        const std::size_t run = units_.axes.size() - 3;
        const axis& outer = units_.axes[run + 1];
        const axis& inner = units_.axes[run + 2];
        for_units(
            [&](const copy_unit& unit, const copy_unit* next, int) {
                const cursor& c = unit.chunk;
                const std::int64_t n = c.size(run), groups = c.size(run + 1);
                const bool asks = n * static_cast<std::int64_t>(sizeof(T)) <= longest_asked_bytes;
                for (std::int64_t i = 0; i < groups; ++i) {
                    const T* const source = from + unit.from + i * outer.stride[1];
                    T* const target = to + unit.to + i * outer.stride[0];
                    const std::int64_t runs = c.size(run + 2);
                    if (!asks) {
                        kernels.copy_past(source, inner.stride[1], target, inner.stride[0], runs,
                                          n);
                        continue;
                    }
                    const T* const coming =
                        i + 1 < groups || !next ? source + outer.stride[1] : from + next->from;
                    kernels.copy_runs_past(source, inner.stride[1], coming, target, inner.stride[0],
                                           runs, n);
                }
            },
            kernels.end_streams);
    }
};

bool writes_past(const loop_nest& nest, std::size_t bytes) {
    return nest.outputs * static_cast<std::int64_t>(bytes) >= runtime::stream_bytes;
}

template <class T>
std::unique_ptr<const map_strategy> make_run_copy(const loop_nest& nest, std::size_t source) {
    constexpr auto shortest = shortest_run_bytes / static_cast<std::int64_t>(sizeof(T));
    if (!writes_past(nest, sizeof(T))) return nullptr;
    loop_picker loops(nest, source);
    const loop run = loops.take([=](const loop& l) {
        return l.stride[0] == 1 && l.stride[source] == 1 && l.extent >= shortest;
    });
    if (run.extent == 0) return nullptr;
    const loop inner = loops.take_shortest_step(source);
    const loop outer = loops.take_shortest_step(0);
    walk units = loops.others();
    loops.add(units, run, longest_run);
    loops.add(units, outer, rows_of_runs);
    loops.add(units, inner, runs_in_a_row);
    return std::make_unique<run_copy<T>>(std::move(units), source, nest.offset);
}

// Whether it is worth writing past the caches.
bool is_whole_lines(const output_row& row, std::int64_t bytes) {
    return row.extent() * bytes % runtime::line_bytes == 0 ||
           row.extent() * bytes >= shortest_split_row;
}

// The row along q; a short one is lengthened by those behind it, whose loops are taken.
output_row lengthened(const loop& q, loop_picker& loops, std::size_t source, std::int64_t bytes) {
    output_row row;
    row.add(q, source);
    while (!is_whole_lines(row, bytes)) {
        const loop next = loops.take([&](const loop& l) { return l.stride[0] == row.extent(); });
        if (next.extent == 0) break;
        row.add(next, source);
    }
    return row;
}

template <class T>
std::unique_ptr<const map_strategy> make_transposition(const loop_nest& nest, std::size_t source) {
    const auto along = [](std::size_t operand) {
        return [=](const loop& l) { return l.stride[operand] == 1 && l.extent >= shortest_side; };
    };
    loop_picker loops(nest, source);
    const loop q = loops.take(along(0));
    const loop p = loops.take(along(source));
    if (q.extent == 0 || p.extent == 0 || q.stride[source] == 0) return nullptr;
    constexpr auto bytes = static_cast<std::int64_t>(sizeof(T));
    const auto chunk = [](std::int64_t side, std::int64_t other_extent, std::int64_t other_side) {
        return std::max(side, side * other_side / std::min(other_extent, other_side) / 16 * 16);
    };
    if (writes_past(nest, sizeof(T))) {
        if (auto staged = make_staged_transposition<T>(nest, source, q, p, loops)) return staged;
        loop_picker others = loops;
        const output_row row = lengthened(q, others, source, bytes);
        if (is_whole_lines(row, bytes)) {
            walk units = others.others();
            const std::int64_t rows = chunk(past_rows, p.extent, past_columns);
            units.axes.push_back(
                {row.extent(), std::min(row.extent(), rows), {1, row.is_even() ? row.step() : 0}});
            others.add(units, p, chunk(past_columns, row.extent(), past_rows));
            return std::make_unique<transposition_past<T>>(std::move(units), row, p.stride[0],
                                                           source, nest.offset);
        }
    }
    walk units = loops.others();
    loops.add(units, p, tile_side);
    loops.add(units, q, chunk(tile_side, p.extent, tile_side));
    return std::make_unique<transposition<T>>(std::move(units), q.stride[source], p.stride[0],
                                              source, nest.offset);
}

template <class T>
std::unique_ptr<const map_strategy> make_copy(const loop_nest& nest, std::size_t source) {
    if (auto copy = make_transposition<T>(nest, source)) return copy;
    return make_run_copy<T>(nest, source);
}

}  // namespace

std::unique_ptr<const map_strategy> make_permutation(const steps::map& map,
                                                     const std::vector<node>& program,
                                                     const loop_nest& nest) {
    if (map.folding != steps::fold::none || program.size() != 1 ||
        !is(program[0], steps::opcode::load) || nest.outputs == 0) {
        return nullptr;
    }
    const auto source = static_cast<std::size_t>(program[0].operand);
    if (size_of(map.type) == 4) return make_copy<float>(nest, source);
    if (size_of(map.type) == 8) return make_copy<double>(nest, source);
    return nullptr;
}

}  // namespace ricci::elementwise
