// Calls that plan and run at once, and the plans that each thread remembers for the next such call.
#include <array>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include <pthread.h>

#include <ricci/engine/executable.hpp>

#include "src/engine/call_key.hpp"
#include "src/engine/execution.hpp"
#include "src/engine/requests.hpp"
#include "src/text/program_body.hpp"

namespace ricci::engine {
namespace {

// How many plans a thread keeps, and how much workspace one of them may hold on to.
constexpr std::size_t plans_kept = 16;
constexpr std::size_t most_workspace = std::size_t{4} << 20;

struct remembered_call {
    call_key key;
    std::uint64_t last_use = 0;
    bool running = false;
    detail::program_part program;  // the plan refers to it
    plan::program_plan plan;
    std::unique_ptr<engine::execution> execution;
};

struct call_memory {
    std::array<remembered_call, plans_kept> calls;
    std::uint64_t uses = 0;
};

// What this thread remembers. Not an object with a destructor: destructors of others, of globals
// too, may call later than that would have run, and C++ registers such an object with memory that
// must be there.
thread_local call_memory* remembered = nullptr;

void forget(void* memory) {
    remembered = nullptr;
    delete static_cast<call_memory*>(memory);
}

// Gives back what a thread remembers when it ends; when the whole process does, nobody has to.
struct end_of_thread {
    pthread_key_t key{};
    bool there = pthread_key_create(&key, &forget) == 0;
    ~end_of_thread() {
        if (std::exchange(there, false)) pthread_key_delete(key);
    }
} at_end_of_thread;

// None where it could not be given back.
call_memory* memory_of_thread() {
    if (remembered != nullptr || !at_end_of_thread.there) return remembered;
    std::unique_ptr<call_memory> made(new (std::nothrow) call_memory);
    if (made != nullptr && pthread_setspecific(at_end_of_thread.key, made.get()) == 0)
        remembered = made.release();
    return remembered;
}

// Gives every slot the memory that this request has for it.
void place(plan::program_plan& plan, const request& r) {
    operand_finder inputs(r.inputs, r.input_count);
    for (auto& slot : plan.slots) {
        if (slot.kind == plan::storage::input && !slot.own) {
            slot.data = inputs.find(slot.name)->data;
        } else if (slot.kind == plan::storage::output) {
            const operand* const bound = find_operand(slot.name, r.outputs, r.output_count);
            slot.data = bound != nullptr ? bound->data : nullptr;
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

// Plans, runs and remembers. All that may fail comes before the run, but for what the run itself
// says.
void run_new(remembered_call& made, const request& r, std::uint64_t use) {
    made.key.clear();
    made.last_use = 0;
    call_key key = key_of(r);
    made.plan = plan_of(r);
    made.program = detail::program_part(r.program_owner);
    const running_mark mark(made);
    place(made.plan, r);
    made.execution = std::make_unique<engine::execution>(made.plan);
    made.execution->run(made.plan);
    if (made.plan.workspace_bytes > most_workspace) {
        made.execution.reset();
        made.plan = {};
        made.program = {};
        return;
    }
    made.key = std::move(key);
    made.last_use = use;
}

}  // namespace

void run(const request& r) {
    call_memory* const memory =
        r.program_key == 0 || r.layers != nullptr || r.allocate == nullptr || outputs_come_near(r)
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
            call.execution->run(call.plan);
            return;
        }
        made = place_for_new(*memory);
    }
    if (made != nullptr) run_new(*made, r, ++memory->uses);
    else executable(r).run();
}

}  // namespace ricci::engine
