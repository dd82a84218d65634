// Memory gives and takes short runs far apart at a fraction of its speed: a copy of single lines
// was seen at a tenth, one of kilobytes at three quarters of the speed of a copy in order. A tile
// whose lines are used as they come has runs of a few lines. Here one is read in long runs, put
// down in the second cache, and written in long runs.
#include "src/copy/staged_transposition.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "src/kernels/prefetch.hpp"
#include "src/kernels/elementwise/elementwise.hpp"
#include "src/runtime/buffers.hpp"
#include "src/runtime/cache_sizes.hpp"
#include "src/runtime/caches.hpp"

namespace ricci::elementwise {
namespace {

// Rows that are multiples of this apart have one place in the second cache, and in the first.
constexpr std::int64_t period_of_second = std::int64_t{1} << 16,
                       period_of_first = std::int64_t{1} << 12;
// Rows of the output that are hardly further apart than a page are fast anyway.
constexpr std::int64_t far_row_bytes = std::int64_t{8} << 10;
// Sides of a tile that are few lines.
constexpr std::int64_t short_bytes = 256;

// Whether tiles that are written as they are read would lose lines before they are whole, as their
// rows compete for the same few places in the caches. As measured: where rows of the output are
// short, and the source's, too; when a line is sixteen elements, so many rows are too many wherever
// the second cache has one place for them.
template <class T>
bool competes(const loop& q, const loop& p, std::size_t source) {
    constexpr auto size = static_cast<std::int64_t>(sizeof(T));
    const std::int64_t source_row = q.stride[source] * size, output_row = p.stride[0] * size;
    if (output_row < far_row_bytes || q.extent * size > short_bytes) return false;
    if (size == 4 && source_row % period_of_second == 0) return true;
    return source_row % period_of_first == 0 && p.extent * size <= short_bytes;
}

// Of a run on either side. A tile of them, as many rows of 4 bytes each as there are columns, fills
// half of the second cache at most; longer ones gain nothing.
std::int64_t run_bytes() {
    std::int64_t bytes = 1024;
    while (bytes > 256 && bytes * bytes / 4 > runtime::caches().second / 2) bytes /= 2;
    return bytes;
}

template <class T>
constexpr std::int64_t line_elements = runtime::line_bytes / static_cast<std::int64_t>(sizeof(T));

// Rows in the second cache are a line longer than what is in them: those a power of two apart would
// compete for the same few places.
template <class T>
constexpr std::int64_t pitch_of(std::int64_t elements) {
    constexpr std::int64_t line = line_elements<T>;
    return (elements + line - 1) / line * line + line;
}

// Memory is faster when it is read in a few places at once, and told before where they will be: no
// processor guesses where a run follows another.
constexpr std::int64_t runs_at_once = 8;

// Asks for as many runs that follow.
template <class T>
void copy_runs(const T* from, std::int64_t from_step, T* to, std::int64_t to_step,
               std::int64_t runs, std::int64_t length) {
    constexpr std::int64_t line = line_elements<T>;
    std::int64_t x = 0;
    for (; x + line <= length; x += line)
        for (std::int64_t r = 0; r < runs; ++r) {
            kernels::ask_for(from + (r + runs) * from_step + x, line);
            std::memcpy(to + r * to_step + x, from + r * from_step + x, runtime::line_bytes);
        }
    const auto rest = static_cast<std::size_t>(length - x) * sizeof(T);
    for (std::int64_t r = 0; rest > 0 && r < runs; ++r)
        std::memcpy(to + r * to_step + x, from + r * from_step + x, rest);
}

// Loops lengthen runs: iterations of longer_q follow those of q in the output, and of longer_p
// those of p in the source. When longer_p is `shared`, it lengthens both. They are single
// iterations where there are none.
template <class T>
class staged_transposition final : public copy_strategy {
public:
    /// The last four axes of `units` are longer_q, longer_p, q and p.
    staged_transposition(walk units, bool shared, std::size_t source,
                         const std::vector<std::int64_t>& offset)
        : copy_strategy(std::move(units), source, offset, units_asked_for), shared_(shared) {
        runtime::worker_memory(0);
    }

    void run(void* const* bases) const override {
        T* const to = static_cast<T*>(bases[0]);
        const T* const from = static_cast<const T*>(bases[source_]);
        for_units(
            [&](const copy_unit& unit, const copy_unit* next, int worker) {
                T* const rows = reinterpret_cast<T*>(runtime::worker_memory(worker));
                const tile t = tile_at(unit.chunk);
                read(t, from + unit.from, rows);
                coming_runs coming(*this, from, next);
                write(t, rows, rows + t.rows() * t.pitch, to + unit.to, coming);
            },
            kernels_.end_streams);
    }

private:
    // Iterations of the loops of a tile.
    struct tile {
        std::int64_t longer_q, longer_p, q, p;
        std::int64_t pitch;

        // Runs of the source.
        std::int64_t rows() const { return longer_q * q; }
    };

    // The runs of the tile that is read next, if there is one.
    class coming_runs {
    public:
        coming_runs(const staged_transposition& all, const T* from, const copy_unit* next)
            : all_(all) {
            if (!next) return;
            tile_ = all.tile_at(next->chunk);
            from_ = from + next->from;
            end_ = tile_.rows();
        }

        void ask(std::int64_t runs) {
            for (const std::int64_t last = std::min(end_, next_ + runs); next_ < last; ++next_)
                kernels::ask_for(from_ + next_ / tile_.q * all_.along(0).stride[1] +
                                     next_ % tile_.q * all_.along(2).stride[1],
                                 tile_.longer_p * tile_.p);
        }

    private:
        const staged_transposition& all_;
        tile tile_{};
        const T* from_ = nullptr;
        std::int64_t next_ = 0, end_ = 0;
    };

    const axis& along(std::size_t number) const {
        return units_.axes[units_.axes.size() - 4 + number];
    }

    tile tile_at(const cursor& c) const {
        const std::size_t first = units_.axes.size() - 4;
        tile t{c.size(first), c.size(first + 1), c.size(first + 2), c.size(first + 3), 0};
        t.pitch = pitch_of<T>(t.longer_p * t.p);
        return t;
    }

    // All runs of the source, one below the other.
    void read(const tile& t, const T* from, T* rows) const {
        const std::int64_t length = t.longer_p * t.p, step = along(2).stride[1];
        for (std::int64_t o = 0; o < t.longer_q; ++o) {
            const T* run = from + o * along(0).stride[1];
            for (std::int64_t i = 0; i < t.q; i += runs_at_once) {
                const std::int64_t count = std::min(runs_at_once, t.q - i);
                copy_runs(run, step, rows, t.pitch, count, length);
                run += count * step;
                rows += count * t.pitch;
            }
        }
    }

    // A line's columns of the rows at a time become as many runs of the output, in the first cache.
    // As each of these is written, a few of the coming runs are asked for: all of them at once were
    // seen to be slower.
    void write(const tile& t, const T* rows, T* runs, T* to, coming_runs& coming) const {
        constexpr std::int64_t line = line_elements<T>;
        const std::int64_t parts = shared_ ? t.longer_p : 1, length = parts * t.rows();
        const std::int64_t step = along(3).stride[0], pitch = pitch_of<T>(length);
        const std::int64_t times = t.longer_p / parts * ((t.p + line - 1) / line);
        for (std::int64_t x = 0; x < t.longer_p; x += parts)
            for (std::int64_t j = 0; j < t.p; j += line) {
                const std::int64_t count = std::min(line, t.p - j);
                for (std::int64_t part = 0; part < parts; ++part)
                    kernels_.transpose(rows + (x + part) * t.p + j, t.pitch, runs + part * t.rows(),
                                       pitch, t.rows(), count);
                T* const target = to + x * along(1).stride[0] + j * step;
                for (std::int64_t run = 0; run < count; ++run) {
                    coming.ask((t.rows() + times * count - 1) / (times * count));
                    kernels_.copy_past(runs + run * pitch, pitch, target + run * step, step, 1,
                                       length);
                }
            }
    }

    const kernels::elementwise_table<T>& kernels_ = kernels::elementwise<T>();
    bool shared_;
};

// Takes the loop whose iterations follow each other in an operand after so many elements; a single
// iteration where there is none.
loop take_following(loop_picker& loops, std::size_t operand, std::int64_t elements) {
    loop found = loops.take([&](const loop& l) { return l.stride[operand] == elements; });
    if (found.extent == 0) found.extent = 1;
    return found;
}

}  // namespace

template <class T>
std::unique_ptr<const map_strategy> make_staged_transposition(const loop_nest& nest,
                                                              std::size_t source, const loop& q,
                                                              const loop& p, loop_picker others) {
    if (!competes<T>(q, p, source)) return nullptr;
    const std::int64_t elements = run_bytes() / static_cast<std::int64_t>(sizeof(T));
    const loop none{1, std::vector<std::int64_t>(source + 1, 0)};
    const loop longer_p = p.extent < elements ? take_following(others, source, p.extent) : none;
    const bool shared =
        q.extent < elements && longer_p.extent > 1 && longer_p.stride[0] == q.extent;
    const loop longer_q =
        q.extent < elements && !shared ? take_following(others, 0, q.extent) : none;
    // As many iterations as a run has room for; of a shared loop, as the shorter one of both has,
    // unless that makes the other one very long.
    const auto times = [&](const loop& inner) {
        return std::max<std::int64_t>(1, elements / inner.extent);
    };
    const std::int64_t in_both =
        std::min(std::max(times(p), times(q)), 4 * elements / std::max(p.extent, q.extent));
    const std::int64_t times_p = std::min(longer_p.extent, shared ? in_both : times(p));
    const std::int64_t times_q = std::min(longer_q.extent, times(q));
    const auto run = [&](const loop& inner, std::int64_t longer) {
        return std::min(inner.extent, elements) * longer;
    };
    if (run(p, times_p) < elements / 2 || run(q, shared ? times_p : times_q) < elements / 2)
        return nullptr;
    walk units = others.others();
    others.add(units, longer_q, times_q);
    others.add(units, longer_p, times_p);
    others.add(units, q, elements);
    others.add(units, p, elements);
    return std::make_unique<staged_transposition<T>>(std::move(units), shared, source, nest.offset);
}

template std::unique_ptr<const map_strategy> make_staged_transposition<float>(
    const loop_nest&, std::size_t, const loop&, const loop&, loop_picker);
template std::unique_ptr<const map_strategy> make_staged_transposition<double>(
    const loop_nest&, std::size_t, const loop&, const loop&, loop_picker);

}  // namespace ricci::elementwise
