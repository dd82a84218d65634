// Compiling an element-wise program for lines, and running it a tile at a time.
#include "src/bodies/line_code.hpp"

#include <algorithm>
#include <bit>

#include "src/bodies/program.hpp"
#include "src/tile/instances.hpp"
#include "src/tile/strided.hpp"
#include "src/tile/totals.hpp"

namespace ricci::bodies {

using steps::opcode;

namespace {

constexpr std::size_t line_elements = 16;  // at least a cache line
std::size_t whole_lines(std::size_t elements) {
    return (elements + line_elements - 1) / line_elements * line_elements;
}

// In cycles: an instruction of a few vectors, the start of a line, and of a row that is fetched.
constexpr double price_of_instruction = 5, price_of_line = 20, price_of_fetched_row = 12;

/// How often the machine goes through its program for so many vectors.
std::int64_t rounds(std::int64_t vectors) {
    return vectors / 8 + std::popcount(static_cast<std::uint64_t>(vectors % 8));
}

}  // namespace

template <class T, class S>
class line_code<T, S>::compiler {
public:
    compiler(line_code& code, std::span<const node> program) : code_(code), program_(program) {}

    void compile() {
        classify();
        find_bare();
        if (code_.is_bare_) {
            code_.number_elements_ = tile_elements();
            return;
        }
        choose_rows();
        make_bodies();
        const line_program tile = compile_lines(tile_), begin = compile_lines(begin_);
        const auto blocks = static_cast<std::size_t>(std::max(tile.blocks, begin.blocks));
        tile_memory_ = take(tile_elements() * std::max<std::size_t>(streams_of_tiles_, 1));
        blocks_ = take(blocks * static_cast<std::size_t>(code_.machine_->block));
        for (auto& f : code_.fetched_) f.to = tile_memory_ + f.to * tile_elements();
        const std::size_t singles = take(singles_);
        for (auto& f : code_.fetched_numbers_) f.to += singles;
        singles_ = singles;
        place_slots(tile, begin);
        code_.number_elements_ = taken_;
    }

private:
    /// Elements that a tile has one of each: fetched into tile `tile`, or read where they lie.
    struct stream {
        std::size_t operand = 0;
        std::int64_t tile = -1;
    };
    enum class number_kind : std::uint8_t { in_memory, of_row, single };
    struct single_number {
        number_kind kind = number_kind::single;
        std::size_t where = 0;  // operand, or place among the single numbers
    };

    line_code& code_;
    std::span<const node> program_;
    std::vector<char> uniform_;
    body tile_, begin_;
    std::vector<stream> streams_;
    std::vector<single_number> numbers_;
    std::vector<std::int32_t> number_of_, stream_of_;  // of each value
    std::vector<int> in_tile_, in_begin_;
    std::vector<std::int32_t> results_;  // of the beginning: number of the number
    std::size_t streams_of_tiles_ = 0, singles_ = 0;
    std::size_t taken_ = 0, tile_memory_ = 0, blocks_ = 0;

    std::size_t take(std::size_t elements) {
        const std::size_t at = taken_;
        taken_ += whole_lines(elements);
        return at;
    }
    std::size_t tile_elements() const {
        return whole_lines(static_cast<std::size_t>(code_.shape_.elements()));
    }
    const tile_strides& strides_of(const node& n) const {
        return code_.strides_[static_cast<std::size_t>(n.operand)];
    }
    static bool is_leaf(const node& n) { return n.op < kernels::operation(opcode::negate); }

    bool stands_still(const node& n) const {
        const tile_strides& s = strides_of(n);
        return (s.q == 0 || code_.shape_.q_extent == 1) && (s.p == 0 || code_.shape_.p_chunk == 1);
    }
    bool is_direct(const node& n) const {
        return !converts && is(n, opcode::load) &&
               (code_.shape_.contiguous(strides_of(n)) || (code_.by_rows_ && strides_of(n).q == 1));
    }

    void classify() {
        for (const node& n : program_) {
            bool uniform = true;
            if (is(n, opcode::load) || is(n, opcode::position)) uniform = stands_still(n);
            for (const int argument : n.argument)
                if (argument >= 0)
                    uniform = uniform && uniform_[static_cast<std::size_t>(argument)] != 0;
            uniform_.push_back(uniform ? 1 : 0);
        }
    }

    void find_bare() {
        const node& n = program_.back();
        if (uniform_.back() != 0 || !is_leaf(n)) return;
        code_.is_bare_ = true;
        code_.bare_ = {static_cast<std::size_t>(n.operand), 0, is(n, opcode::position)};
        code_.in_place_ =
            !converts && is(n, opcode::load) &&
            (strides_of(n).q == 1 || code_.shape_.q_extent == 1 || code_.shape_.reads_runs);
    }

    /// Whether rows are better lines of their own, with operands where they lie, than one long line
    /// that is fetched first.
    void choose_rows() {
        if (converts || code_.shape_.p_chunk == 1) return;
        const std::int64_t lanes = code_.machine_->lanes;
        const std::int64_t vectors = (code_.shape_.q_chunk + lanes - 1) / lanes;
        double instructions = 2, fetched = 0;
        for (std::size_t k = 0; k < program_.size(); ++k) {
            const node& n = program_[k];
            if (uniform_[k] != 0) continue;
            instructions += is_leaf(n) ? 0 : 1;
            const bool lies_so =
                is(n, opcode::load) && (strides_of(n).q == 1 || strides_of(n).q == 0);
            if (lies_so && !code_.shape_.contiguous(strides_of(n)))
                fetched += price_of_fetched_row + 2 * static_cast<double>(vectors);
        }
        const double by_rows =
            instructions * price_of_instruction * static_cast<double>(rounds(vectors)) +
            price_of_line;
        const double as_one =
            instructions * price_of_instruction * static_cast<double>(vectors) / 8 + fetched;
        code_.by_rows_ = by_rows < as_one;
    }

    // The number that a uniform value is, or a load of one number for each row.
    std::int32_t add_number(number_kind kind, std::size_t where) {
        numbers_.push_back({kind, where});
        return static_cast<std::int32_t>(numbers_.size()) - 1;
    }
    std::int32_t number(std::size_t k) {
        if (number_of_[k] >= 0) return number_of_[k];
        const node& n = program_[k];
        const auto operand = static_cast<std::size_t>(n.operand);
        if (is(n, opcode::load) && !converts) {
            number_of_[k] = add_number(
                uniform_[k] != 0 ? number_kind::in_memory : number_kind::of_row, operand);
            return number_of_[k];
        }
        number_of_[k] = add_number(number_kind::single, singles_++);
        if (is_leaf(n)) {
            code_.fetched_numbers_.push_back({operand, singles_ - 1, is(n, opcode::position)});
        } else {
            begin_.result(begin_value(k));
            results_.push_back(number_of_[k]);
        }
        return number_of_[k];
    }
    int begin_value(std::size_t k) {
        if (in_begin_[k] >= 0) return in_begin_[k];
        const node& n = program_[k];
        if (is(n, opcode::constant)) in_begin_[k] = begin_.constant(n.value);
        else if (is_leaf(n)) in_begin_[k] = begin_.row(number(k));
        else in_begin_[k] = apply(begin_, n, [&](std::size_t a) { return begin_value(a); });
        return in_begin_[k];
    }

    int tile_value(std::size_t k) {
        const node& n = program_[k];
        if (is(n, opcode::constant)) return tile_.constant(n.value);
        const bool number_of_row = code_.by_rows_ && is(n, opcode::load) && strides_of(n).q == 0;
        if (uniform_[k] != 0 || number_of_row) return tile_.row(number(k));
        if (is_leaf(n)) return tile_.element(elements(k));
        return apply(tile_, n, [&](std::size_t a) {
            if (in_tile_[a] < 0) in_tile_[a] = tile_value(a);
            return in_tile_[a];
        });
    }
    std::int32_t elements(std::size_t k) {
        if (stream_of_[k] >= 0) return stream_of_[k];
        const node& n = program_[k];
        stream s{static_cast<std::size_t>(n.operand), -1};
        if (!is_direct(n)) {
            s.tile = static_cast<std::int64_t>(streams_of_tiles_);
            code_.fetched_.push_back({s.operand, streams_of_tiles_++, is(n, opcode::position)});
        }
        streams_.push_back(s);
        return stream_of_[k] = static_cast<std::int32_t>(streams_.size()) - 1;
    }
    template <class Value>
    static int apply(body& to, const node& n, Value value) {
        int a[3] = {-1, -1, -1};
        for (int i = 0; i < 3; ++i)
            if (n.argument[i] >= 0) a[i] = value(static_cast<std::size_t>(n.argument[i]));
        return to.apply(n.op, a[0], a[1], a[2]);
    }

    /// Values in the order of the program, so that none is deep in its arguments.
    void make_bodies() {
        const std::size_t count = program_.size();
        number_of_.assign(count, -1);
        stream_of_.assign(count, -1);
        in_tile_.assign(count, -1);
        in_begin_.assign(count, -1);
        for (std::size_t k = 0; k < count; ++k) {
            if (uniform_[k] == 0) in_tile_[k] = tile_value(k);
            else if (!is_leaf(program_[k])) begin_value(k);
        }
        if (in_tile_.back() < 0) in_tile_.back() = tile_value(count - 1);
        tile_.result(in_tile_.back());
    }

    /// Slots of the tile's program, those that move first, then those of the beginning.
    void place_slots(const line_program& tile, const line_program& begin) {
        const auto moves = [&](const line_operand& o) {
            return o.kind == line_operand_kind::elements || o.kind == line_operand_kind::result ||
                   (o.kind == line_operand_kind::number &&
                    numbers_[static_cast<std::size_t>(o.number)].kind == number_kind::of_row);
        };
        std::vector<std::uint32_t> slot(tile.operands.size());
        for (const bool moving : {true, false}) {
            for (std::size_t k = 0; k < slot.size(); ++k) {
                if (moves(tile.operands[k]) != moving) continue;
                slot[k] = static_cast<std::uint32_t>(code_.slots_);
                place_slot(tile.operands[k], true);
            }
            if (moving) code_.moving_ = code_.slots_;
        }
        code_.code_ = renumbered(tile.code, slot);
        code_.begin_slots_ = code_.slots_;
        slot.clear();
        for (const line_operand& o : begin.operands) {
            slot.push_back(static_cast<std::uint32_t>(code_.slots_ - code_.begin_slots_));
            place_slot(o, false);
        }
        if (!results_.empty()) code_.begin_code_ = renumbered(begin.code, slot);
    }

    static std::vector<kernels::body_instruction> renumbered(
        std::vector<kernels::body_instruction> code, const std::vector<std::uint32_t>& slot) {
        for (auto& i : code) {
            if (i.x < slot.size()) i.x = slot[i.x];
            if (i.y < slot.size()) i.y = slot[i.y];
        }
        return code;
    }

    void place_slot(const line_operand& o, bool of_tile) {
        const std::size_t slot = code_.slots_++;
        const auto number = static_cast<std::size_t>(o.number);
        switch (o.kind) {
            case line_operand_kind::number:
                return place_number(slot, numbers_[number]);
            case line_operand_kind::elements: {
                const stream& s = streams_[number];
                if (s.tile < 0) code_.direct_.push_back({slot, s.operand, true});
                else
                    code_.tiles_.push_back(
                        {slot, tile_memory_ + static_cast<std::size_t>(s.tile) * tile_elements()});
                return;
            }
            case line_operand_kind::constant: {
                const std::size_t at = taken_++;
                code_.constants_.push_back({at, elementwise::number_from<T>(o.value)});
                code_.fixed_.push_back({slot, at});
                return;
            }
            case line_operand_kind::block:
                code_.fixed_.push_back(
                    {slot, blocks_ + number * static_cast<std::size_t>(code_.machine_->block)});
                return;
            case line_operand_kind::result:
                if (of_tile) code_.result_ = slot;
                else place_number(slot, numbers_[static_cast<std::size_t>(results_[number])]);
                return;
        }
    }
    void place_number(std::size_t slot, const single_number& n) {
        if (n.kind == number_kind::single) code_.fixed_.push_back({slot, singles_ + n.where});
        else if (n.kind == number_kind::of_row) code_.direct_.push_back({slot, n.where, false});
        else code_.single_.push_back({slot, n.where, false});
    }
};

template <class T, class S>
line_code<T, S>::line_code(std::span<const node> program, std::span<const tile_strides> strides,
                           tile_shape shape)
    : machine_(&kernels::line_machine<T>()),
      strides_(strides.begin(), strides.end()),
      shape_(shape) {
    compiler(*this, program).compile();
}

template <class T, class S>
void line_code<T, S>::start(const memory_type& m) const {
    for (const number& c : constants_) m.numbers[c.at] = c.value;
    for (const place& f : fixed_) m.slots[f.slot] = {m.numbers + f.at, 0, 0};
}

template <class T, class S>
void line_code<T, S>::begin(const memory_type& m, const std::int64_t* at) const {
    for (const pointer& o : single_)
        m.slots[o.slot] = {static_cast<T*>(m.bases[o.operand]) + at[o.operand], 0, 0};
    for (const fetch& f : fetched_numbers_) fetch_tile(f, m, at, 1, 1, m.numbers + f.to);
    if (!begin_code_.empty()) machine_->run(begin_code_.data(), m.slots + begin_slots_, 0, 1, 1);
}

template <class T, class S>
void line_code<T, S>::fetch_tile(const fetch& f, const memory_type& m, const std::int64_t* at,
                                 std::int64_t p, std::int64_t q, T* to) const {
    const tile_strides& s = strides_[f.operand];
    if (f.is_position) {
        elementwise::count_up(kernels::elementwise<T>().count_up, to, at[f.operand], p, s.p, q,
                              s.q);
        return;
    }
    const S* from = static_cast<const S*>(m.bases[f.operand]) + at[f.operand];
    if constexpr (converts) elementwise::gather_converted(to, from, p, s.p, q, s.q);
    else elementwise::gather(to, from, p, s.p, q, s.q);
}

template <class T, class S>
void line_code<T, S>::run_to_rows(const memory_type& m, const std::int64_t* at, std::int64_t p,
                                  std::int64_t q, T* out, std::int64_t out_step) const {
    for (const fetch& f : fetched_) fetch_tile(f, m, at, p, q, m.numbers + f.to);
    for (const place& t : tiles_) m.slots[t.slot] = {m.numbers + t.at, -1, q};
    for (const pointer& o : direct_)
        m.slots[o.slot] = {static_cast<T*>(m.bases[o.operand]) + at[o.operand], o.moves ? -1 : 0,
                           strides_[o.operand].p};
    m.slots[result_] = {out, -1, out_step};
    if (by_rows_) machine_->run(code_.data(), m.slots, moving_, p, q);
    else machine_->run(code_.data(), m.slots, 0, 1, p * q);
}

template <class T, class S>
tile_view<T> line_code<T, S>::run(const memory_type& m, const std::int64_t* at, std::int64_t p,
                                  std::int64_t q, T* out) const {
    if (in_place_ && out == nullptr)
        return {static_cast<const T*>(m.bases[bare_.operand]) + at[bare_.operand],
                strides_[bare_.operand].p};
    // The first tile is read before it is written, element for element.
    T* const to = out != nullptr ? out : m.numbers;
    if (is_bare_) fetch_tile(bare_, m, at, p, q, to);
    else run_to_rows(m, at, p, q, to, q);
    return {to, q};
}

#define RICCI_INSTANTIATE(...) template class line_code<__VA_ARGS__>
RICCI_FOR_REAL_TILES(RICCI_INSTANTIATE);
#undef RICCI_INSTANTIATE

}  // namespace ricci::bodies
