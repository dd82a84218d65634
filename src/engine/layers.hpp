// Layers: one program carried out several times, each time on what it gave before, and its
// gradient, which goes back through them. Each is planned once, for all layers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <ricci/engine/executable.hpp>

#include "src/engine/layer_memory.hpp"
#include "src/engine/layer_operands.hpp"
#include "src/engine/layer_stage.hpp"
#include "src/runtime/loans.hpp"
#include "src/text/program_body.hpp"

namespace ricci::engine {

/// Z = X, or Z = X + Y, of tensors of any rank.
ir::program element_wise(std::int32_t rank, bool sum);

/// All that a request with layers needs to run.
class layers {
public:
    /// `run`: with memory, and ready; `words`: to say how it would be.
    enum class purpose : std::uint8_t { run, words };

    /// Outputs that are not bound get memory by what the request says, or where `before` has it
    /// with the same extents. Throws ricci::error before anything is written.
    layers(const request& r, purpose what, const layers* before = nullptr);

    /// As execution::run().
    void run();
    std::string explain() const;
    std::string explain_passes() const;
    memory_sizes memory() const;
    const layering& how() const { return given_; }

private:
    using stage = std::unique_ptr<layer_stage>;

    /// Where a tensor of the caller lies row-major: there, or in a copy that is made before or
    /// after all layers.
    void* as_row(const layer_operand& w);

    stage make_stage(ir::program program) const;
    void bind_outside(layer_stage& to) const;
    void bind_output(layer_stage& to, ir::ref name) const;
    void make_values();
    void add_chain(layer_stage& to, std::string_view from, std::string_view into);
    void make_gradient();
    std::vector<std::string> tensors_in_memory();
    template <class BindChain>
    void store(const std::vector<std::string>& names, BindChain bind_chain);
    void bind_cotangents(const std::vector<std::string>& outputs, const operand& one);
    void add_sum(const operand& row, const layer_place& place);

    layering given_;
    detail::program_part owner_;
    ir::program_view signature_;
    element type_;
    purpose purpose_;
    layer_operands operands_;
    layer_memory memory_;

    stage forward_, backward_;
    std::vector<stage> before_, after_, sums_;  // copies, and gradients added up
    runtime::loan_book loans_;
    std::string stored_words_;
};

}  // namespace ricci::engine
