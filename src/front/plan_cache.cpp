// Calls that plan and run at once, and the plans that each thread remembers for the next such call.
#include <algorithm>
#include <array>
#include <cstdint>
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

std::int64_t bits(double value) {
    std::int64_t result = 0;
    static_assert(sizeof result == sizeof value);
    std::copy_n(reinterpret_cast<const char*>(&value), sizeof value,
                reinterpret_cast<char*>(&result));
    return result;
}

// Hands the numbers of a request to `visit`, one after the other, until it returns false.
template <class Visit>
bool for_each_number(const request& r, Visit visit) {
    const auto number = [&](const plan::number& n) {
        return visit(bits(n.real)) && visit(bits(n.imaginary)) && visit(n.whole);
    };
    const auto operands = [&](const operand* list, std::int32_t count) {
        for (const operand& o : std::span(list, static_cast<std::size_t>(count))) {
            if (!visit(o.name) || !visit(o.rank) || !visit(o.data == nullptr)) return false;
            if (o.data == nullptr && !number(o.value)) return false;
            for (std::int32_t axis = 0; axis < o.rank; ++axis) {
                if (!visit(o.extents[axis]) || !visit(o.strides[axis])) return false;
            }
        }
        return true;
    };
    // Kernels that a test forces are other kernels.
    const auto kernels = reinterpret_cast<std::intptr_t>(kernels::gemm_kernels<float>().target);
    if (!visit(static_cast<std::int64_t>(r.program_key)) || !visit(kernels) ||
        !visit(static_cast<std::int64_t>(r.type)) || !visit(r.input_count) ||
        !visit(r.output_count) || !number(r.alpha) || !number(r.beta) ||
        !operands(r.inputs, r.input_count) || !operands(r.outputs, r.output_count)) {
        return false;
    }
    for (std::int32_t k = 0; k < r.index_extent_count; ++k) {
        if (!visit(r.index_extents[k].index) || !visit(r.index_extents[k].extent)) return false;
    }
    return true;
}

bool describes(const call_key& key, const request& r) {
    std::size_t at = 0;
    const bool same = for_each_number(
        r, [&](std::int64_t value) { return at < key.size() && key[at++] == value; });
    return same && at == key.size();
}

// The bytes between the first and the last element of an operand.
std::pair<std::intptr_t, std::intptr_t> bytes_of(const operand& o, element type) {
    auto low = reinterpret_cast<std::intptr_t>(o.data);
    auto high = low;
    const auto size = static_cast<std::intptr_t>(size_of(type));
    for (std::int32_t axis = 0; axis < o.rank; ++axis) {
        const std::intptr_t reach = (o.extents[axis] - 1) * o.strides[axis] * size;
        (reach < 0 ? low : high) += reach;
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

}  // namespace

void run(const request& r) {
    if (r.program_key == 0 || r.allocate == nullptr || outputs_touch(r)) {
        executable(r).run();
        return;
    }
    thread_local call_memory memory;
    for (remembered_call& call : memory.calls) {
        if (call.running || !describes(call.key, r)) continue;
        const running_mark mark(call);
        call.last_use = ++memory.uses;
        place(call.plan, r);
        call.execution->bind(call.plan);
        call.execution->run();
        return;
    }
    remembered_call* const made = place_for_new(memory);
    if (made == nullptr) {
        executable(r).run();
        return;
    }
    made->key.clear();
    made->last_use = 0;
    made->plan = plan::make_plan(r);
    const running_mark mark(*made);
    place(made->plan, r);
    made->execution = std::make_unique<runtime::execution>(made->plan);
    made->execution->run();
    if (made->plan.workspace_bytes > most_workspace) {
        made->execution.reset();
        made->plan = {};
        return;
    }
    for_each_number(r, [&](std::int64_t value) {
        made->key.push_back(value);
        return true;
    });
    made->last_use = ++memory.uses;
}

}  // namespace ricci::engine
