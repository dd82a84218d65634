// Compiling a program for tiles: kinds of values, registers by liveness, choice of kernels.

#include "src/tile/tile.hpp"

#include <algorithm>
#include <complex>
#include <utility>

#include "src/tile/instances.hpp"
#include "src/tile/strided.hpp"
#include "src/tile/totals.hpp"

namespace ricci::elementwise {

using steps::opcode;

namespace {

constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

}  // namespace

template <class T>
class tile_code<T>::compiler {
public:
    compiler(tile_code& code, std::span<const node> program) : code_(code), program_(program) {
        classify();
        find_last_uses();
    }

    /// Slots are numbered within their kind first; `finish` puts the kinds one after another.
    void compile() {
        for (std::size_t k = 0; k + 1 < program_.size(); ++k) compile_value(k);
        compile_result(program_.size() - 1);
        finish();
    }

private:
    enum class place : std::uint8_t { none, reg, single, pointer };
    struct location {
        place where = place::none;
        std::size_t number = 0;
    };

    tile_code& code_;
    std::span<const node> program_;
    std::vector<bool> uniform_;
    std::vector<std::size_t> last_use_;
    std::vector<location> at_;
    std::vector<std::size_t> free_registers_;
    std::size_t singles_ = 0, pointers_ = 0;
    std::vector<std::vector<location>> tile_arguments_, begin_arguments_;  // beside the steps
    std::vector<location> tile_targets_, begin_targets_;
    std::vector<std::pair<location, std::size_t>> direct_, single_;
    std::vector<std::pair<location, T>> constants_;

    const tile_strides& strides_of(const node& n) const {
        return code_.strides_[static_cast<std::size_t>(n.operand)];
    }

    bool stands_still(const node& n) const {
        const tile_strides& s = strides_of(n);
        return (s.q == 0 || code_.shape_.q_extent == 1) && (s.p == 0 || code_.shape_.p_chunk == 1);
    }

    void classify() {
        for (const node& n : program_) {
            bool uniform = true;
            if (is(n, opcode::load) || is(n, opcode::position)) uniform = stands_still(n);
            for (const int argument : n.argument) {
                if (argument >= 0)
                    uniform = uniform && uniform_[static_cast<std::size_t>(argument)];
            }
            uniform_.push_back(uniform);
        }
        at_.resize(program_.size());
    }

    void find_last_uses() {
        last_use_.assign(program_.size(), 0);
        for (std::size_t k = 0; k < program_.size(); ++k) {
            for (const int argument : program_[k].argument) {
                if (argument < 0) continue;
                auto& last = last_use_[static_cast<std::size_t>(argument)];
                last = std::max(last, k);
            }
        }
    }

    location new_register() {
        if (free_registers_.empty()) return {place::reg, code_.registers_++};
        const std::size_t number = free_registers_.back();
        free_registers_.pop_back();
        return {place::reg, number};
    }

    /// Operands are fetched when first used, so that they hold a register no longer than needed.
    location locate(std::size_t k) {
        if (at_[k].where != place::none) return at_[k];
        const node& n = program_[k];
        const auto operand = static_cast<std::size_t>(n.operand);
        if (is(n, opcode::constant)) {
            at_[k] = {place::single, singles_++};
            constants_.emplace_back(at_[k], number_from<T>(n.value));
        } else if (is(n, opcode::load) && uniform_[k]) {
            at_[k] = {place::pointer, pointers_++};
            single_.emplace_back(at_[k], operand);
        } else if (is(n, opcode::load) && code_.shape_.contiguous(strides_of(n))) {
            at_[k] = {place::pointer, pointers_++};
            direct_.emplace_back(at_[k], operand);
        } else {
            step s;
            s.what = is(n, opcode::load) ? action::gather : action::count_up;
            s.operand = operand;
            at_[k] = uniform_[k] ? location{place::single, singles_++} : new_register();
            emit(s, uniform_[k], at_[k], {});
        }
        return at_[k];
    }

    void emit(const step& s, bool uniform, location target, std::vector<location> arguments) {
        (uniform ? code_.each_begin_ : code_.each_tile_).push_back(s);
        (uniform ? begin_targets_ : tile_targets_).push_back(target);
        (uniform ? begin_arguments_ : tile_arguments_).push_back(std::move(arguments));
    }

    bool is_leaf(const node& n) const { return n.op < kernels::operation(opcode::negate); }

    void compile_value(std::size_t k) {
        if (is_leaf(program_[k])) return;
        step s;
        std::vector<location> arguments = compile_apply(k, s);
        at_[k] = uniform_[k] ? location{place::single, singles_++} : new_register();
        emit(s, uniform_[k], at_[k], std::move(arguments));
    }

    /// Places of the arguments; registers that die here are free again for the result.
    std::vector<location> compile_apply(std::size_t k, step& s) {
        const node& n = program_[k];
        const int count = kernels::arity(n.op);
        std::vector<location> arguments;
        std::size_t mask = 0;
        int order[3] = {n.argument[0], n.argument[1], n.argument[2]};
        for (int a = 0; a < count; ++a) {
            const auto value = static_cast<std::size_t>(order[a]);
            arguments.push_back(locate(value));
            if (uniform_[value] && !uniform_[k]) mask |= std::size_t{1} << a;
        }
        for (int a = 0; a < count; ++a) {
            const auto value = static_cast<std::size_t>(order[a]);
            const bool repeated = std::find(order, order + a, order[a]) != order + a;
            if (at_[value].where == place::reg && last_use_[value] == k && !repeated) {
                free_registers_.push_back(at_[value].number);
            }
        }
        s.what = action::apply;
        s.kernel = kernels::elementwise<T>().apply[n.op][mask];
        return arguments;
    }

    void compile_result(std::size_t k) {
        const node& n = program_[k];
        step& s = code_.last_;
        location target;
        std::vector<location> arguments;
        code_.uniform_ = uniform_[k];
        if (uniform_[k]) {
            compile_value(k);
            arguments.push_back(locate(k));
            target = new_register();
        } else if (is(n, opcode::load)) {
            const tile_strides& strides = strides_of(n);
            code_.in_place_ =
                strides.q == 1 || code_.shape_.q_extent == 1 || code_.shape_.reads_runs;
            s.what = action::gather;
            s.operand = static_cast<std::size_t>(n.operand);
            // Read in place it needs no register; the caller names the memory when it wants a copy.
            target = code_.in_place_ ? location{} : new_register();
        } else if (is(n, opcode::position)) {
            s.what = action::count_up;
            s.operand = static_cast<std::size_t>(n.operand);
            target = new_register();
        } else {
            arguments = compile_apply(k, s);
            target = new_register();
        }
        tile_targets_.push_back(target);
        tile_arguments_.push_back(std::move(arguments));
    }

    std::size_t slot(location l) const {
        switch (l.where) {
            case place::reg:
                return l.number;
            case place::single:
                return code_.registers_ + l.number;
            case place::pointer:
                return code_.registers_ + singles_ + l.number;
            case place::none:
                break;
        }
        return nowhere;
    }

    void resolve(step& s, location target, const std::vector<location>& arguments) const {
        s.to = slot(target) == nowhere ? 0 : slot(target);
        for (std::size_t a = 0; a < arguments.size(); ++a) s.argument[a] = slot(arguments[a]);
        for (std::size_t a = arguments.size(); a < 3; ++a) s.argument[a] = s.to;  // not read
    }

    void finish() {
        for (std::size_t i = 0; i < code_.each_tile_.size(); ++i) {
            resolve(code_.each_tile_[i], tile_targets_[i], tile_arguments_[i]);
        }
        for (std::size_t i = 0; i < code_.each_begin_.size(); ++i) {
            resolve(code_.each_begin_[i], begin_targets_[i], begin_arguments_[i]);
        }
        resolve(code_.last_, tile_targets_.back(), tile_arguments_.back());
        for (const auto& [where, operand] : direct_)
            code_.direct_.push_back({slot(where), operand});
        for (const auto& [where, operand] : single_)
            code_.single_.push_back({slot(where), operand});
        for (const auto& [where, value] : constants_)
            code_.constants_.push_back({slot(where), value});
        code_.singles_ = singles_;
        code_.slots_ = code_.registers_ + singles_ + pointers_;
    }
};

template <class T>
tile_code<T>::tile_code(std::span<const node> program, std::span<const tile_strides> strides,
                        tile_shape shape)
    : strides_(strides.begin(), strides.end()), shape_(shape) {
    const auto elements = static_cast<std::size_t>(shape.elements());
    register_elements_ = (elements + 15) / 16 * 16;  // whole cache lines
    compiler(*this, program).compile();
}

template <class T>
void tile_code<T>::start(const tile_memory<T>& memory) const {
    for (std::size_t k = 0; k < registers_; ++k) {
        memory.slots[k] = memory.numbers + k * register_elements_;
    }
    for (std::size_t k = 0; k < singles_; ++k) {
        memory.slots[registers_ + k] = memory.numbers + registers_ * register_elements_ + k;
    }
    for (const number& c : constants_) *const_cast<T*>(memory.slots[c.slot]) = c.value;
}

template <class T>
void tile_code<T>::run_step(const step& s, const tile_memory<T>& memory, const std::int64_t* at,
                            std::int64_t p, std::int64_t q, T* to) const {
    switch (s.what) {
        case action::apply:
            s.kernel(to, memory.slots[s.argument[0]], memory.slots[s.argument[1]],
                     memory.slots[s.argument[2]], static_cast<std::size_t>(p * q));
            break;
        case action::gather: {
            const tile_strides& stride = strides_[s.operand];
            const T* from = static_cast<const T*>(memory.bases[s.operand]) + at[s.operand];
            gather(to, from, p, stride.p, q, stride.q);
            break;
        }
        case action::count_up: {
            const tile_strides& stride = strides_[s.operand];
            count_up(kernels::elementwise<T>().count_up, to, at[s.operand], p, stride.p, q,
                     stride.q);
            break;
        }
    }
}

template <class T>
void tile_code<T>::begin(const tile_memory<T>& memory, const std::int64_t* at) const {
    for (const pointer& o : single_) {
        memory.slots[o.slot] = static_cast<const T*>(memory.bases[o.operand]) + at[o.operand];
    }
    for (const step& s : each_begin_) {
        run_step(s, memory, at, 1, 1, const_cast<T*>(memory.slots[s.to]));
    }
}

template <class T>
tile_view<T> tile_code<T>::run(const tile_memory<T>& memory, const std::int64_t* at, std::int64_t p,
                               std::int64_t q, T* out) const {
    for (const pointer& o : direct_) {
        memory.slots[o.slot] = static_cast<const T*>(memory.bases[o.operand]) + at[o.operand];
    }
    for (const step& s : each_tile_) {
        run_step(s, memory, at, p, q, const_cast<T*>(memory.slots[s.to]));
    }
    if (in_place_ && out == nullptr) {
        return {static_cast<const T*>(memory.bases[last_.operand]) + at[last_.operand],
                strides_[last_.operand].p};
    }
    T* to = out != nullptr ? out : const_cast<T*>(memory.slots[last_.to]);
    if (uniform_) {
        std::fill_n(to, p * q, *memory.slots[last_.argument[0]]);
    } else {
        run_step(last_, memory, at, p, q, to);
    }
    return {to, q};
}

#define RICCI_INSTANTIATE(T) template class tile_code<T>
RICCI_FOR_OTHER_TILES(RICCI_INSTANTIATE);

}  // namespace ricci::elementwise
