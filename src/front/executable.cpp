// The compiled library's door: an executable is a plan, the memory of its outputs and its kernels.
#include <memory>
#include <string>

#include <ricci/plan/engine.hpp>
#include <ricci/error.hpp>

#include "src/kernels/gemm.hpp"
#include "src/plan/explain.hpp"
#include "src/plan/make_plan.hpp"
#include "src/runtime/execute.hpp"
#include "src/runtime/parallel.hpp"

namespace ricci::engine {

struct executable::state {
    ir::program_view program;
    plan::program_plan plan;
    std::unique_ptr<runtime::execution> execution;
};

executable::executable(const request& r) {
    auto made = std::make_unique<state>();
    made->program = r.program;
    made->plan = plan::make_plan(r);
    for (auto& slot : made->plan.slots) {
        if (slot.kind != plan::storage::output || slot.data != nullptr) continue;
        if (r.beta != 0 || r.allocate == nullptr)
            throw error("ricci: the output '" +
                        std::string(r.program.name(slot.name).data,
                                    static_cast<std::size_t>(r.program.name(slot.name).size)) +
                        "' is bound to no memory.");
        slot.data = r.allocate(r.context, slot.name, static_cast<std::int32_t>(slot.extents.size()),
                               slot.extents.data());
    }
    made->execution = std::make_unique<runtime::execution>(made->plan);
    state_ = made.release();
}

executable::~executable() { delete state_; }

void executable::run() { state_->execution->run(); }

namespace {

template <class T>
std::string kernel_words() {
    const auto& k = kernels::gemm_kernels<T>();
    return std::string(k.target) + ", " + name_of(element_v<T>) + ", tiles of " +
           std::to_string(k.mr) + " x " + std::to_string(k.vectors * k.lanes);
}

}  // namespace

std::string executable::explain() const {
    const auto& plan = state_->plan;
    return plan::explain(
        state_->program, plan,
        plan.type == element::f32 ? kernel_words<float>() : kernel_words<double>());
}

void set_threads(int count) { runtime::set_worker_count(count); }

}  // namespace ricci::engine
