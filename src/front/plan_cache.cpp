// Calls that plan and run at once, and the plans that each thread remembers for the next such call.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <ricci/element.hpp>
#include <ricci/plan/engine.hpp>

#include "src/kernels/gemm.hpp"
#include "src/plan/make_plan.hpp"
#include "src/runtime/execute.hpp"

namespace ricci::engine {
namespace {

// How many plans a thread keeps, and how much workspace one of them may hold on to.
constexpr std::size_t plans_kept = 16;
constexpr std::size_t most_workspace = std::size_t{4} << 20;

// Everything of a request that a plan depends on, as numbers; addresses are not among them.
using call_key = std::vector<std::int64_t>;

std::int64_t bits(double value) { return std::bit_cast<std::int64_t>(value); }

// Hands out the numbers of a request, one after the other, until `visit` returns false. Every struct is
// taken apart into all of its members: one that is added does not compile until it stands here too.
template <class Visit>
class key_numbers {
public:
    explicit key_numbers(Visit visit) : visit_(visit) {}

    bool of(const request& r) {
        // The key stands for the program. Where outputs go is the caller's business at each call.
        const auto& [program, program_key, type, inputs, input_count, outputs, output_count,
                     index_extents, index_extent_count, alpha, beta, fuse, allocate, context] = r;
        static_cast<void>(program), static_cast<void>(allocate), static_cast<void>(context);
        // Kernels that a test forces are other kernels.
        const auto kernels = reinterpret_cast<std::intptr_t>(kernels::gemm_kernels<float>().target);
        return all(program_key, kernels, type, fuse) && of(alpha) && of(beta) &&
               of(inputs, input_count) && of(outputs, output_count) &&
               of(index_extents, index_extent_count);
    }

private:
    template <class... Value>
    bool all(Value... values) {
        return (visit_(static_cast<std::int64_t>(values)) && ...);
    }
    template <class T>
    bool of(const T* list, std::int32_t count) {
        if (!all(count)) return false;
        for (std::int32_t k = 0; k < count; ++k)
            if (!of(list[k])) return false;
        return true;
    }
    bool of(const plan::number& n) {
        const auto& [real, imaginary, whole] = n;
        return all(bits(real), bits(imaginary), whole);
    }
    bool of(const index_extent& i) {
        const auto& [index, extent] = i;
        return all(index, extent);
    }
    bool of(const operand& o) {
        const auto& [name, rank, data, extents, strides, value, is_positions, positions] = o;
        // Only where it is a number is the value of one part of the plan.
        if (!all(name, rank, is_positions, positions, data == nullptr)) return false;
        if (data == nullptr && !of(value)) return false;
        for (std::int32_t axis = 0; axis < rank; ++axis)
            if (!all(extents[axis], strides[axis])) return false;
        return true;
    }

    Visit visit_;
};

bool describes(const call_key& key, const request& r) {
    std::size_t at = 0;
    const bool same = key_numbers([&](std::int64_t value) {
                          return at < key.size() && key[at++] == value;
                      }).of(r);
    return same && at == key.size();
}

// The bytes from the first element of an operand to behind the last one; all that there are where they
// cannot be counted.
std::pair<std::intptr_t, std::intptr_t> bytes_of(const operand& o, element type) {
    auto low = reinterpret_cast<std::intptr_t>(o.data);
    auto high = low;
    const auto size = static_cast<std::intptr_t>(size_of(o.is_positions ? o.positions : type));
    for (std::int32_t axis = 0; axis < o.rank; ++axis) {
        if (o.extents[axis] == 0) return {0, 0};
        std::intptr_t reach = 0;
        std::intptr_t& end = o.strides[axis] < 0 ? low : high;
        if (__builtin_mul_overflow(o.extents[axis] - 1, o.strides[axis], &reach) ||
            __builtin_mul_overflow(reach, size, &reach) ||
            __builtin_add_overflow(end, reach, &end) ||
            high > std::numeric_limits<std::intptr_t>::max() - size)
            return {std::numeric_limits<std::intptr_t>::min(),
                    std::numeric_limits<std::intptr_t>::max()};
    }
    return {low, high + size};
}

// Whether an output that the caller bound comes near another operand: then the plan depends on where
// they are.
bool outputs_touch(const request& r) {
    for (std::int32_t k = 0; k < r.output_count; ++k) {
        const auto [low, high] = bytes_of(r.outputs[k], r.type);
        const auto touches = [&, from = low, to = high](const operand& o) {
            if (o.data == nullptr) return false;
            const auto [first, last] = bytes_of(o, r.type);
            return first < to && from < last;
        };
        for (std::int32_t i = 0; i < r.input_count; ++i)
            if (touches(r.inputs[i])) return true;
        for (std::int32_t i = 0; i < k; ++i)
            if (touches(r.outputs[i])) return true;
    }
    return false;
}

struct remembered_call {
    call_key key;
    std::uint64_t last_use = 0;
    bool running = false;
    plan::program_plan plan;
    std::unique_ptr<runtime::execution> execution;
};

struct call_memory {
    std::array<remembered_call, plans_kept> calls;
    std::uint64_t uses = 0;
};

// What this thread remembers, none once it has been given back: destructors that run later, of other
// objects of the thread or of globals, may still call. Pointers stay what they are to the very end.
thread_local call_memory* remembered = nullptr;
thread_local bool forgotten = false;

struct forget_at_end {
    ~forget_at_end() {
        forgotten = true;
        delete std::exchange(remembered, nullptr);
    }
};

call_memory* memory_of_thread() {
    if (remembered == nullptr && !forgotten) {
        thread_local const forget_at_end guard;
        static_cast<void>(guard);
        remembered = new call_memory;
    }
    return remembered;
}

void* data_of(ir::ref name, const operand* list, std::int32_t count) {
    for (std::int32_t k = 0; k < count; ++k)
        if (list[k].name == name) return list[k].data;
    return nullptr;
}

// Gives every slot the memory that this request has for it.
void place(plan::program_plan& plan, const request& r) {
    for (auto& slot : plan.slots) {
        if (slot.kind == plan::storage::input && !slot.own) {
            slot.data = data_of(slot.name, r.inputs, r.input_count);
        } else if (slot.kind == plan::storage::output) {
            slot.data = data_of(slot.name, r.outputs, r.output_count);
            if (slot.data == nullptr) {
                slot.data =
                    r.allocate(r.context, slot.name, static_cast<std::int32_t>(slot.extents.size()),
                               slot.extents.data());
            }
        }
    }
}

// Marks a call as running, so that one made while it waits for other threads does not meet it.
class running_mark {
public:
    explicit running_mark(remembered_call& call) : call_(call) { call_.running = true; }
    ~running_mark() { call_.running = false; }
    running_mark(const running_mark&) = delete;
    running_mark& operator=(const running_mark&) = delete;

private:
    remembered_call& call_;
};

remembered_call* place_for_new(call_memory& memory) {
    remembered_call* oldest = nullptr;
    for (remembered_call& call : memory.calls) {
        if (!call.running && (!oldest || call.last_use < oldest->last_use)) oldest = &call;
    }
    return oldest;
}

// Plans, runs and remembers. All that may fail comes before the run, but for what the run itself says.
void run_new(remembered_call& made, const request& r, std::uint64_t use) {
    made.key.clear();
    made.last_use = 0;
    call_key key;
    key_numbers([&](std::int64_t value) {
        key.push_back(value);
        return true;
    }).of(r);
    made.plan = plan::make_plan(r);
    const running_mark mark(made);
    place(made.plan, r);
    made.execution = std::make_unique<runtime::execution>(made.plan);
    made.execution->run();
    if (made.plan.workspace_bytes > most_workspace) {
        made.execution.reset();
        made.plan = {};
        return;
    }
    made.key = std::move(key);
    made.last_use = use;
}

}  // namespace

void run(const request& r) {
    call_memory* const memory = r.program_key == 0 || r.allocate == nullptr || outputs_touch(r)
                                    ? nullptr
                                    : memory_of_thread();
    remembered_call* made = nullptr;
    if (memory != nullptr) {
        for (remembered_call& call : memory->calls) {
            if (call.running || !describes(call.key, r)) continue;
            const running_mark mark(call);
            call.last_use = ++memory->uses;
            place(call.plan, r);
            call.execution->bind(call.plan);
            call.execution->run();
            return;
        }
        made = place_for_new(*memory);
    }
    if (made != nullptr) run_new(*made, r, ++memory->uses);
    else executable(r).run();
}

}  // namespace ricci::engine
