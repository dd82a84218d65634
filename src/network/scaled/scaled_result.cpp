#include "src/network/scaled/scaled_result.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <utility>

#include "src/network/scaled/block_kernels.hpp"
#include "src/network/scaled/decimal_exponent.hpp"
#include "src/network/scaled/powers_of_two.hpp"

namespace ricci::networks {
namespace {

std::vector<std::int64_t> row_major(std::span<const std::int32_t> axes,
                                    std::span<const std::int64_t> extents) {
    std::vector<std::int64_t> strides(axes.size());
    std::int64_t elements = 1;
    for (std::size_t axis = axes.size(); axis-- > 0;) {
        strides[axis] = elements;
        elements *= extents[at(axes[axis])];
    }
    return strides;
}

/// The exponent that two blocks have in common when they are added, and by which powers of two each
/// is multiplied before.
struct common_exponent {
    common_exponent(std::int64_t own, std::int64_t added)
        : both(added == no_exponent ? own : std::max(own, added)),
          own_power(own == no_exponent ? 0 : own - both),
          added_power(added == no_exponent ? 0 : added - both) {}
    std::int64_t both, own_power, added_power;
};

/// The largest square of an absolute value of the finite ones among complex numbers * 2^power of
/// their block, which is not far from 1.
template <class T>
double largest_square(const block_walk& walk, const std::complex<T>* numbers,
                      const std::int64_t* powers) {
    double most = 0;
    auto visit = [&](const walk_line& line) {
        const auto power = static_cast<int>(powers[line.block]);
        for (std::int64_t k = 0; k < line.count; k += 2) {
            const std::complex<T>& z = numbers[(line.first + k * line.first_step) / 2];
            if (!std::isfinite(z.real()) || !std::isfinite(z.imag())) continue;
            const double re = std::ldexp(static_cast<double>(z.real()), power),
                         im = std::ldexp(static_cast<double>(z.imag()), power);
            most = std::max(most, re * re + im * im);
        }
    };
    walk.run(visit);
    return most;
}

}  // namespace

scaled_result::scaled_result(const run_request& asked, std::span<const std::int32_t> axes,
                             std::span<const std::int32_t> block_indices)
    : type_(asked.type),
      all_block_indices_(block_indices.begin(), block_indices.end()),
      extents_(asked.extents.begin(), asked.extents.end()),
      bytes_(size_of(asked.type)) {
    for (const std::int32_t i : axes)
        if (asked.choices == nullptr || !has_index(asked.choices->indices, i)) axes_.push_back(i);
    for (const std::int32_t i : block_indices)
        if (has_index(axes_, i)) block_indices_.push_back(i);
    std::vector<path::slice> sliced;
    for (const path::slice& s : asked.slices)
        if (has_index(axes_, s.index) && !has_index(block_indices_, s.index)) sliced.push_back(s);
    for (const std::int32_t i : axes_) bytes_ *= asked.extents[at(i)];
    strides_ = row_major(axes_, extents_);
    for (auto& ranges : ranges_of(sliced, asked.extents)) {
        pieces_.push_back(piece_of(std::move(ranges)));
        pieces_.back().entry = entries_;
        entries_ += pieces_.back().walk.blocks();
    }
}

scaled_result::piece scaled_result::piece_of(std::vector<range_loop> ranges) const {
    piece made;
    std::vector<walk_loop> blocks, within;
    for (const std::int32_t i : block_indices_) {
        const std::int64_t stride = stride_of(i, axes_, strides_);
        blocks.push_back({extents_[at(i)], stride, stride});
    }
    std::vector<std::int32_t> cut;
    for (const range_loop& r : ranges) {
        const std::int64_t stride = stride_of(r.index, axes_, strides_);
        blocks.push_back({r.count, r.width * stride, r.width * stride});
        within.push_back({r.width, stride, stride});
        cut.push_back(r.index);
        made.element += r.first * stride;
    }
    for (const std::int32_t i : axes_) {
        if (has_index(block_indices_, i) || has_index(cut, i)) continue;
        const std::int64_t stride = stride_of(i, axes_, strides_);
        within.push_back({extents_[at(i)], stride, stride});
        cut.push_back(i);  // of a diagonal once
    }
    made.steps.resize(blocks.size());
    std::int64_t entries = 1;
    for (std::size_t k = blocks.size(); k-- > 0;) {
        made.steps[k] = entries;
        entries *= blocks[k].extent;
    }
    made.walk = block_walk(std::move(blocks), std::move(within), is_complex(type_));
    made.ranges = std::move(ranges);
    return made;
}

// The piece whose ranges a plan's loops go through.
const scaled_result::piece& scaled_result::piece_with(std::span<const range_loop> loops) const {
    const auto goes_through = [&](const range_loop& r) {
        return std::any_of(loops.begin(), loops.end(), [&](const range_loop& l) {
            return l.index == r.index && l.first == r.first;
        });
    };
    return *std::find_if(pieces_.begin(), pieces_.end(), [&](const piece& p) {
        return std::all_of(p.ranges.begin(), p.ranges.end(), goes_through);
    });
}

scaled_result::part::part(const scaled_result& whole, std::span<const std::int64_t> extents,
                          std::span<const range_loop> loops, const block_table& of_pass) {
    const auto strides = row_major(whole.axes_, extents);
    const auto& all = whole.all_block_indices_;
    const auto& block_indices = whole.block_indices_;
    const piece& in = whole.piece_with(loops);
    first_entry_ = in.entry;
    const auto step_in_pass = [&](std::int32_t index) {
        return of_pass.steps[static_cast<std::size_t>(std::find(all.begin(), all.end(), index) -
                                                      all.begin())];
    };
    std::vector<walk_loop> blocks, within;
    const auto loop = [&](std::int32_t i) {
        return walk_loop{extents[at(i)], stride_of(i, whole.axes_, whole.strides_),
                         stride_of(i, whole.axes_, strides)};
    };
    const block_table numbers = table_of(block_indices, whole.axes_, extents);
    for (std::size_t k = 0; k < block_indices.size(); ++k) {
        const std::int32_t i = block_indices[k];
        blocks.push_back(loop(i));
        loops_.push_back({extents[at(i)], numbers.steps[k], in.steps[k], step_in_pass(i)});
    }
    std::vector<std::int32_t> seen = block_indices;  // of a diagonal once
    for (const std::int32_t i : whole.axes_) {
        if (has_index(seen, i)) continue;
        within.push_back(loop(i));
        seen.push_back(i);
    }
    walk_ = block_walk(std::move(blocks), std::move(within), is_complex(whole.type_));
    for (const range_loop& l : loops) {
        const std::int64_t element = stride_of(l.index, whole.axes_, whole.strides_);
        elements_.push_back({element * l.first, element * l.width});
        moving entries;
        for (std::size_t k = 0; k < block_indices.size(); ++k)
            if (block_indices[k] == l.index)
                entries = {in.steps[k] * l.first, in.steps[k] * l.width};
        for (std::size_t r = 0; r < in.ranges.size(); ++r)
            if (in.ranges[r].index == l.index) entries = {0, in.steps[block_indices.size() + r]};
        entries_.push_back(entries);
    }
}

scaled_sums scaled_result::sums_in(std::vector<void*> rows) const {
    scaled_sums made{std::move(rows), {}};
    made.exponents.resize(made.rows.size() * static_cast<std::size_t>(entries_));
    return made;
}

scaled_result::scratch scaled_result::make_scratch() const {
    const auto entries = static_cast<std::size_t>(entries_);
    return {std::vector<std::int64_t>(entries), std::vector<std::int64_t>(entries),
            std::vector<double>(entries)};
}

double scaled_result::bytes_of_exponents(std::size_t rows) const {
    return static_cast<double>(sizeof(std::int64_t)) * static_cast<double>(rows) *
           static_cast<double>(entries_);
}

double scaled_result::bytes_of_scratch() const {
    return (2.0 * sizeof(std::int64_t) + sizeof(double)) * static_cast<double>(entries_);
}

void scaled_result::clear(scaled_sums& sums) const {
    for (void* const row : sums.rows) std::memset(row, 0, bytes_);
    std::fill(sums.exponents.begin(), sums.exponents.end(), no_exponent);
}

void scaled_result::add(const part& to, const scaled_tensor& pass,
                        std::span<const std::int64_t> counters, scaled_sums& sums, std::size_t row,
                        scratch& room) const {
    std::int64_t element = 0, entry = to.first_entry_;
    for (std::size_t l = 0; l < to.elements_.size(); ++l) {
        element += to.elements_[l].first + counters[l] * to.elements_[l].advance;
        entry += to.entries_[l].first + counters[l] * to.entries_[l].advance;
    }
    std::int64_t* const own = exponents(sums, row) + entry;
    bool moves = false;
    each_place(to.loops_, [&](std::int64_t block, std::int64_t in_sums, std::int64_t in_pass) {
        const common_exponent common(own[in_sums], pass.exponents[in_pass]);
        own[in_sums] = common.both;
        room.powers[static_cast<std::size_t>(block)] = common.own_power;
        room.added_powers[static_cast<std::size_t>(block)] = common.added_power;
        moves = moves || common.own_power != 0;
    });
    auto* const data = static_cast<std::byte*>(sums.rows[row]) +
                       element * static_cast<std::int64_t>(size_of(type_));
    if (moves) multiply_blocks(to.walk_, type_, data, room.powers.data());
    add_blocks(to.walk_, type_, pass.memory, data, room.added_powers.data());
}

void scaled_result::add(const scaled_sums& from, scaled_sums& to, scratch& room) const {
    const auto entries = static_cast<std::size_t>(entries_);
    for (std::size_t row = 0; row < to.rows.size(); ++row) {
        std::int64_t* const own = exponents(to, row);
        for (std::size_t b = 0; b < entries; ++b) {
            const common_exponent common(own[b], from.exponents[row * entries + b]);
            own[b] = common.both;
            room.powers[b] = common.own_power;
            room.added_powers[b] = common.added_power;
        }
        for (const piece& p : pieces_) {
            void* const sums = start_of(to.rows[row], p);
            multiply_blocks(p.walk, type_, sums, room.powers.data() + p.entry);
            add_blocks(p.walk, type_, start_of(from.rows[row], p), sums,
                       room.added_powers.data() + p.entry);
        }
    }
}

std::int64_t scaled_result::finish(scaled_sums& sums, std::size_t row, scratch& room) const {
    void* const data = sums.rows[row];
    const std::int64_t* const own = exponents(sums, row);
    for (const piece& p : pieces_)
        measure_blocks(p.walk, type_, start_of(data, p), room.largest.data() + p.entry);
    std::int64_t exponent = no_exponent;
    for (std::size_t b = 0; b < room.largest.size(); ++b)
        if (room.largest[b] != 0)
            exponent = std::max(exponent, own[b] + exponent_of(room.largest[b]));
    if (exponent == no_exponent) return 0;
    constexpr std::int64_t nothing_left = -10000;
    double largest = 0;  // of the result * 2^-exponent
    for (std::size_t b = 0; b < room.largest.size(); ++b) {
        room.powers[b] = room.largest[b] == 0 ? 0 : std::max(own[b] - exponent, nothing_left);
        largest = std::max(largest, std::ldexp(room.largest[b], static_cast<int>(room.powers[b])));
    }
    if (is_complex(type_)) largest = std::max(largest, largest_absolute(data, room.powers));
    const bool single = type_ == element::f32 || type_ == element::c64;
    const decimal_change change(largest, exponent, single);
    for (const piece& p : pieces_)
        multiply_blocks(p.walk, type_, start_of(data, p), room.powers.data() + p.entry, change.by,
                        change.divides);
    return change.power;
}

double scaled_result::largest_absolute(void* row, const std::vector<std::int64_t>& powers) const {
    double most = 0;
    for (const piece& p : pieces_) {
        const std::int64_t* const of_blocks = powers.data() + p.entry;
        most = std::max(
            most,
            type_ == element::c64
                ? largest_square(p.walk, static_cast<const std::complex<float>*>(start_of(row, p)),
                                 of_blocks)
                : largest_square(p.walk, static_cast<const std::complex<double>*>(start_of(row, p)),
                                 of_blocks));
    }
    return std::sqrt(most);
}

}  // namespace ricci::networks
