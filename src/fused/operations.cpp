// The element-wise operations of a fused group on a tile.
#include "src/fused/operations.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "src/tile/program.hpp"
#include "src/fused/conditions.hpp"

namespace ricci::fused {
namespace {

constexpr std::size_t most_variants = 8;
// Ranges that are looked at beforehand to learn which variants there will be.
constexpr std::int64_t most_looks = 1 << 14;

}  // namespace

template <class T>
void transpose(const kernels::kernel_table<T>& packing, const T* from, std::int64_t lines,
               std::int64_t across, std::int64_t depth, std::int64_t along, T* to,
               std::int64_t step) {
    constexpr std::int64_t block = 128;
    constexpr int most_lanes = 64;
    std::int64_t x_offset[most_lanes], k_offset[block];
    std::int32_t x_run[most_lanes], k_run[block];
    const std::int64_t lanes = packing.lanes;
    for (std::int64_t x = 0; x < lanes; ++x) {
        x_offset[x] = x * across;
        x_run[x] = across == 1 ? static_cast<std::int32_t>(lanes - x) : 1;
    }
    const std::int64_t most = std::min(depth, block);
    for (std::int64_t k = 0; k < most; ++k) k_offset[k] = k * along;
    for (std::int64_t k = 0; k < depth; k += block) {
        const std::int64_t deep = std::min(block, depth - k);
        for (std::int64_t d = 0; d < deep; ++d)
            k_run[d] = along == 1 ? static_cast<std::int32_t>(deep - d) : 1;
        for (std::int64_t x = 0; x < lines; x += lanes) {
            const auto wide = static_cast<int>(std::min(lanes, lines - x));
            if (across == 1)
                for (int l = 0; l < wide; ++l) x_run[l] = wide - l;
            packing.pack_columns(
                {from + x * across + k * along, x_offset, k_offset, x_run, k_run, wide, deep},
                to + k * step + x, step);
        }
    }
}

template <class T>
prepared_operation<T>::prepared_operation(const steps::fused_group& what,
                                          const steps::tile_operation& operation, const geometry& g,
                                          const tile_sizes& sizes,
                                          const kernels::kernel_table<T>& packing, double nothing)
    : program_(operation.program.begin(), operation.program.end()),
      nothing_(operation.kind == steps::operation_kind::values
                   ? nothing
                   : -std::numeric_limits<double>::infinity()),
      sizes_(sizes),
      packing_(&packing),
      operands_(g.operands()) {
    for (auto& i : program_)
        if (i.code == steps::opcode::load && i.operand < 0)
            i.operand = static_cast<std::int32_t>(operands_) + (-2 - i.operand);
    for (std::size_t k = 0; k < operands_; ++k) {
        strides_.push_back(g.strides(k));
        looked_up_.emplace_back(what, g, k);
    }
    strides_.resize(operands_ + what.products.size() + what.operations.size());
    analysed_ = program_.size() <= most_instructions;
    // Only conditions and masks that are numbers make a tile empty by themselves.
    unconditional_ =
        std::none_of(program_.begin(), program_.end(), [](const steps::instruction& i) {
            return is_condition(i.code) || i.code == steps::opcode::constant ||
                   i.code == steps::opcode::position;
        });
    add_variant(0, g);
    if (analysed_ && !operation.pinned) find_variants(g);
}

template <class T>
bool prepared_operation<T>::is_copied(std::size_t operand, bool last) const {
    if (operand >= operands_) return false;
    if (is_looked_up(operand)) return true;
    const auto stride = strides_[operand].row;
    const tile_width& w = last ? sizes_.last : sizes_.full;
    return stride != 0 && (stride != 1 || w.rows != w.width || is_repeated(operand));
}

// Whether all columns of a tile have the same values: a chunk of them is enough.
template <class T>
bool prepared_operation<T>::is_repeated(std::size_t operand) const {
    return operand < operands_ && strides_[operand].column == 0 && !is_looked_up(operand);
}

template <class T>
void prepared_operation<T>::add_variant(std::uint64_t signature, const geometry& g) {
    special_case v;
    v.signature = signature;
    const auto program = elementwise::simplify(specialised(program_, signature));
    v.used.assign(strides_.size(), 0);
    std::vector<char> loaded(strides_.size(), 0);
    for (const auto& n : program) {
        if (n.operand < 0) continue;
        v.used[static_cast<std::size_t>(n.operand)] = 1;
        if (elementwise::is(n, steps::opcode::load))
            loaded[static_cast<std::size_t>(n.operand)] = 1;
    }
    for (std::size_t k = 0; k < v.used.size(); ++k)
        if (v.used[k] != 0) v.used_list.push_back(k);
    if (program.size() == 1 && elementwise::is(program[0], steps::opcode::load) &&
        static_cast<std::size_t>(program[0].operand) >= operands_)
        v.identity = program[0].operand - static_cast<std::int32_t>(operands_);
    for (const bool last : {false, true}) {
        const tile_width& w = last ? sizes_.last : sizes_.full;
        std::vector<elementwise::tile_strides> strides;
        std::size_t copied = 0;
        for (std::size_t k = 0; k < strides_.size(); ++k) {
            const bool in_tile = k >= operands_ || (loaded[k] != 0 && is_copied(k, last));
            v.copied[last ? 1 : 0].push_back(in_tile && k < operands_ ? 1 : 0);
            copied += in_tile && k < operands_ ? 1 : 0;
            strides.push_back(in_tile
                                  ? elementwise::tile_strides{w.width, 1}
                                  : elementwise::tile_strides{strides_[k].column, strides_[k].row});
        }
        elementwise::tile_shape shape;
        shape.p_extent = std::max(sizes_.chunk, g.column.extent);
        shape.q_extent = shape.q_chunk = w.width;
        shape.p_chunk = sizes_.chunk;
        auto& code = v.code[last ? 1 : 0];
        code = bodies::line_code<T>(program, strides, shape);
        numbers_ = std::max(numbers_, code.number_elements());
        slots_ = std::max(slots_, code.slot_count());
        copied_ = std::max(copied_, copied);
    }
    variants_.push_back(std::move(v));
}

// The variants that the ranges of the first batch ask for.
template <class T>
void prepared_operation<T>::find_variants(const geometry& g) {
    const bool conditions =
        std::any_of(program_.begin(), program_.end(),
                    [](const steps::instruction& i) { return is_condition(i.code); });
    if (!conditions) return;
    const auto count = [](std::int64_t extent, std::int64_t size) {
        return (extent + size - 1) / std::max<std::int64_t>(size, 1);
    };
    const std::int64_t rows = count(g.row.extent, sizes_.full.rows);
    const std::int64_t columns = count(g.column.extent, sizes_.columns);
    const std::int64_t skip =
        1 + rows / std::max<std::int64_t>(1, most_looks / std::max<std::int64_t>(columns, 1));
    const operand_memory<T> nowhere{nullptr, g.offset.data()};
    std::array<interval, most_instructions> values;
    for (std::int64_t r = 0; r < rows; r += skip) {
        for (std::int64_t c = 0; c < std::min(columns, most_looks); ++c) {
            const tile_range range{
                r * sizes_.full.rows, std::min(g.row.extent, (r + 1) * sizes_.full.rows),
                c * sizes_.columns, std::min(g.column.extent, (c + 1) * sizes_.columns)};
            const auto known = look(range, nowhere, 0);
            if (known.nothing || known.variant != 0 || variants_.size() >= most_variants) continue;
            find_intervals<T>(program_, values.data(), [&](const steps::instruction& i) {
                return leaf(i, range, nowhere, 0);
            });
            const auto signature = signature_of(program_, values.data());
            if (signature != 0) add_variant(signature, g);
        }
    }
    // Conditions on numbers that only the run knows: all of them hold nearly everywhere.
    std::uint64_t all = 0;
    int bit = 0;
    for (const auto& i : program_)
        if (is_condition(i.code) && bit < 64) all |= std::uint64_t{2} << bit, bit += 2;
    const bool there = std::any_of(variants_.begin(), variants_.end(),
                                   [&](const special_case& v) { return v.signature == all; });
    if (!there && variants_.size() < most_variants) add_variant(all, g);
}

template <class T>
interval prepared_operation<T>::leaf(const steps::instruction& i, const tile_range& range,
                                     const operand_memory<T>& operands,
                                     std::uint64_t zero_tiles) const {
    const auto operand = static_cast<std::size_t>(i.operand);
    if (operand >= operands_) {
        const bool zero = ((zero_tiles >> (operand - operands_)) & 1u) != 0;
        return zero ? interval{0, 0, true} : any_number;
    }
    const tile_stride s = strides_[operand];
    if (i.code == steps::opcode::load) return loaded(operand, range, operands);
    const auto start = static_cast<double>(operands.at[operand]);
    double least = start, most = start;
    const auto reach = [&](std::int64_t stride, std::int64_t first, std::int64_t end) {
        const double x = static_cast<double>(stride * first);
        const double y = static_cast<double>(stride * (end - 1));
        least += std::min(x, y);
        most += std::max(x, y);
    };
    reach(s.row, range.row, range.row_end);
    reach(s.column, range.column, range.column_end);
    return rounded<T>({least, most, true});
}

template <class T>
interval prepared_operation<T>::loaded(std::size_t operand, const tile_range& range,
                                       const operand_memory<T>& operands) const {
    if (operands.bases == nullptr || is_looked_up(operand)) return any_number;
    const tile_stride s = strides_[operand];
    const std::int64_t at = operands.at[operand];
    if (s.row == 0 && s.column == 0) {
        const auto value = static_cast<double>(static_cast<const T*>(operands.bases[operand])[at]);
        return value == value ? interval{value, value, value == std::floor(value)} : any_number;
    }
    if (operands.bounds == nullptr || (s.row != 0 && s.column != 0)) return any_number;
    return s.row != 0
               ? operands.bounds->of(operand, at, range.row, range.row_end, operands.trees)
               : operands.bounds->of(operand, at, range.column, range.column_end, operands.trees);
}

template <class T>
std::vector<std::size_t> prepared_operation<T>::compared() const {
    std::vector<std::size_t> found;
    if (!analysed_) return found;
    const auto decides = deciding(program_);
    for (std::size_t k = 0; k < program_.size(); ++k) {
        const auto operand = static_cast<std::size_t>(program_[k].operand);
        if (decides[k] != 0 && program_[k].code == steps::opcode::load && operand < operands_ &&
            !is_looked_up(operand) &&
            (strides_[operand].row != 0) != (strides_[operand].column != 0))
            found.push_back(operand);
    }
    return found;
}

template <class T>
knowledge prepared_operation<T>::look(const tile_range& range, const operand_memory<T>& operands,
                                      std::uint64_t zero_tiles) const {
    knowledge known;
    if (!analysed_ || (unconditional_ && zero_tiles == 0)) return known;
    std::array<interval, most_instructions> values;
    find_intervals<T>(program_, values.data(), [&](const steps::instruction& i) {
        return leaf(i, range, operands, zero_tiles);
    });
    const interval& result = values[program_.size() - 1];
    known.nothing = result.is(nothing_);
    const auto signature = signature_of(program_, values.data());
    int bit = 0;
    for (const auto& i : program_)
        if (is_condition(i.code) && bit < 64) {
            known.partial = known.partial || ((signature >> bit) & 3) == 0;
            bit += 2;
        }
    for (std::size_t v = variants_.size(); v-- > 0;) {
        if (variants_[v].signature != signature) continue;
        known.variant = v;
        break;
    }
    return known;
}

template <class T>
bool prepared_operation<T>::is_fixed(const geometry& g) const {
    if (!analysed_) return true;
    const auto stands_still = [](const std::vector<tile_loop>& loops, std::size_t operand) {
        return std::all_of(loops.begin(), loops.end(),
                           [&](const tile_loop& l) { return l.strides[operand] == 0; });
    };
    // A number that all of a tile has decides conditions; without any it is as good as unknown.
    const bool conditions =
        std::any_of(program_.begin(), program_.end(),
                    [](const steps::instruction& i) { return is_condition(i.code); });
    return std::all_of(program_.begin(), program_.end(), [&](const steps::instruction& i) {
        const auto operand = static_cast<std::size_t>(i.operand);
        if (i.code == steps::opcode::load)
            return !conditions || operand >= operands_ || is_looked_up(operand) ||
                   strides_[operand].row != 0 || strides_[operand].column != 0;
        if (i.code != steps::opcode::position) return true;
        return stands_still(g.batch, operand) && stands_still(g.other_rows, operand) &&
               stands_still(g.other_columns, operand);
    });
}

template <class T>
bool prepared_operation<T>::loads(std::int32_t tile) const {
    return variants_[0].used[operands_ + static_cast<std::size_t>(tile)] != 0;
}

template <class T>
std::size_t prepared_operation<T>::keep_copies(const std::vector<char>& operands) {
    kept_.assign(operands_, -1);
    std::int32_t count = 0;
    for (std::size_t k = 0; k < operands_; ++k)
        if (operands[k] != 0 && std::ranges::any_of(variants_, [&](const special_case& v) {
                return v.copied[0][k] != 0 || v.copied[1][k] != 0;
            }))
            kept_[k] = count++;
    return static_cast<std::size_t>(count);
}

// Whether the place of an operand's copy has that of the tile already; it will have it.
template <class T>
bool prepared_operation<T>::has_copy(std::size_t operand, const memory& m,
                                     std::int64_t columns) const {
    kept_copy& there = m.kept_copies[kept_[operand] * m.tiles + m.tile_number];
    const T* const from = static_cast<const T*>(m.bases[operand]) + m.at[operand];
    if (there.from == from && there.columns == columns) return true;
    there = {from, columns};
    return false;
}

template <class T>
void prepared_operation<T>::operation(std::size_t operand, const T* from, std::int64_t rows,
                                      std::int64_t width, std::int64_t columns, T* to) const {
    transpose(*packing_, from, rows, strides_[operand].row, columns, strides_[operand].column, to,
              width);
}

template <class T>
void prepared_operation<T>::run(std::size_t number, const tile_range& range, bool last,
                                const operand_memory<T>& operands, const memory& m, T* out) const {
    const special_case& v = variants_[number];
    const tile_width& w = last ? sizes_.last : sizes_.full;
    const auto& code = v.code[last ? 1 : 0];
    const std::int64_t columns = range.column_end - range.column;
    T* copied = m.copied;
    for (const std::size_t k : v.used_list) {
        if (k >= operands_) {
            m.bases[k] = m.tile[k - operands_];
            m.at[k] = 0;
            continue;
        }
        const tile_stride s = strides_[k];
        m.bases[k] = operands.bases[k];
        m.at[k] = operands.at[k] + range.row * s.row + range.column * s.column;
        if (is_looked_up(k)) {
            looked_up_[k].read({range.row, w.rows, range.column, columns, w.width}, operands.bases,
                               operands.at, copied);
            m.bases[k] = copied;
            m.at[k] = 0;
            copied += sizes_.columns * sizes_.full.width;
        } else if (v.copied[last ? 1 : 0][k] != 0) {
            const bool repeated = is_repeated(k);
            const bool stays = m.kept != nullptr && kept_[k] >= 0;
            const std::int64_t tile = sizes_.columns * sizes_.full.width;
            T* const to = stays ? m.kept + (kept_[k] * m.tiles + m.tile_number) * tile : copied;
            if (!stays || !has_copy(k, m, columns))
                operation(k, static_cast<const T*>(m.bases[k]) + m.at[k], w.rows, w.width,
                          repeated ? 1 : columns, to);
            if (repeated)
                for (std::int64_t c = 1; c < std::min(columns, sizes_.chunk); ++c)
                    std::copy_n(to, w.width, to + c * w.width);
            m.bases[k] = to;
            m.at[k] = 0;
            if (!stays) copied += tile;
        }
    }
    const bodies::line_memory<T> working{m.numbers, m.slots, m.bases};
    code.start(working);
    for (std::int64_t c = 0; c < columns; c += sizes_.chunk) {
        const std::int64_t some = std::min(sizes_.chunk, columns - c);
        if (c == 0) code.begin(working, m.at);
        code.run(working, m.at, some, w.width, out + c * w.width);
        if (c + sizes_.chunk >= columns) break;
        for (const std::size_t k : v.used_list)
            if (v.copied[last ? 1 : 0][k] == 0 || !is_repeated(k))
                m.at[k] += sizes_.chunk * code.strides(k).p;
    }
}

template class prepared_operation<float>;
template class prepared_operation<double>;
template void transpose(const kernels::kernel_table<float>&, const float*, std::int64_t,
                        std::int64_t, std::int64_t, std::int64_t, float*, std::int64_t);
template void transpose(const kernels::kernel_table<double>&, const double*, std::int64_t,
                        std::int64_t, std::int64_t, std::int64_t, double*, std::int64_t);

}  // namespace ricci::fused
