// The compiled library's door: an executable is a plan, the memory of its outputs and its kernels.
#include <complex>
#include <memory>
#include <string>

#include <ricci/plan/engine.hpp>
#include <ricci/error.hpp>

#include "src/kernels/gemm.hpp"
#include "src/kernels/gemm_complex.hpp"
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
    if (made->plan.rewritten) made->program = made->plan.rewritten->view();
    for (auto& slot : made->plan.slots) {
        if (slot.kind != plan::storage::output || slot.data != nullptr) continue;
        if (r.beta != plan::number(0) || r.allocate == nullptr)
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

template <class Table>
std::string kernel_words(const Table& k, element type, const char* computes = "") {
    return std::string(k.target) + ", " + name_of(type) + computes + ", tiles of " +
           std::to_string(k.mr) + " x " + std::to_string(k.vectors * k.lanes);
}

std::string kernel_words(element type) {
    using namespace kernels;
    switch (type) {
        case element::f32:
            return kernel_words(gemm_kernels<float>(), type);
        case element::f64:
            return kernel_words(gemm_kernels<double>(), type);
        case element::i32:
            return kernel_words(gemm_kernels<std::uint32_t>(), type);
        case element::i64:
            return kernel_words(gemm_kernels<std::uint64_t>(), type);
        case element::b16:
        case element::h16:
            return kernel_words(gemm_kernels<float>(), type, " computed in float");
        case element::c32:
            return kernel_words(complex_gemm_kernels<std::complex<float>>(false, false), type);
        case element::c64:
            return kernel_words(complex_gemm_kernels<std::complex<double>>(false, false), type);
    }
    return "";
}

}  // namespace

std::string executable::explain() const {
    const auto& plan = state_->plan;
    return plan::explain(
        state_->program, plan, [this](std::size_t step) { return state_->execution->words(step); },
        kernel_words(plan.type));
}

void set_threads(int count) { runtime::set_worker_count(count); }

}  // namespace ricci::engine
