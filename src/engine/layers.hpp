// Layers: one program carried out several times, each time on what it gave before, and its
// gradient, which goes back through them. Each is planned once, as a loop around its steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ricci/engine/executable.hpp>

#include "src/engine/execution.hpp"
#include "src/engine/layer_memory.hpp"
#include "src/engine/layer_operands.hpp"
#include "src/engine/looped_program.hpp"
#include "src/engine/workspace_memory.hpp"
#include "src/runtime/loans.hpp"
#include "src/text/program_body.hpp"

namespace ricci::engine {

/// All that a request with layers needs to run.
class layers {
public:
    /// `run`: with memory, and ready; `words`: to say how it would be.
    enum class purpose : std::uint8_t { run, words };

    /// Outputs that are not bound get memory by what the request says, or where `before` has it
    /// with the same extents. Throws ricci::error before anything is written.
    layers(const request& r, purpose what, const layers* before = nullptr);

    /// As execution::run(), with all layers' operands checked before anything is written, but for
    /// what a layer takes of the one before.
    void run();
    std::string explain() const;
    std::string explain_passes() const;
    memory_sizes memory() const;
    const layering& how() const { return given_; }

private:
    using loop = std::unique_ptr<looped_program>;
    using direction = looped_program::direction;

    void prepare();
    std::size_t workspace_bytes() const;

    void* as_row(const layer_operand& w);
    loop make_loop(ir::program program, direction way) const;
    /// The operand of all layers as one of them sees it.
    static std::pair<operand, plan::moving_slot> part_of(const operand& all, bool single,
                                                         element type);
    void bind_outside(looped_program& to) const;
    void bind_output(looped_program& to, ir::ref name) const;
    ir::program tangent_of_each() const;
    void make_values();
    void add_chain(looped_program& to, std::string_view from, std::string_view into);
    void make_gradient();
    struct chain_places;
    chain_places place_chain();
    std::vector<std::string> tensors_in_memory() const;
    void store(const std::vector<std::string>& names, const chain_places& chain);
    void bind_cotangents(const std::vector<std::string>& outputs, const operand& one);

    layering given_;
    detail::program_part owner_;
    ir::program_view signature_;
    element type_;
    bool exact_distances_ = false;
    purpose purpose_;
    layer_operands operands_;
    layer_memory memory_;

    loop forward_, backward_;
    workspace_memory workspace_;                     // of both loops
    std::vector<planned_execution> before_, after_;  // copies of what is not row-major
    runtime::loan_book loans_;
    std::string stored_words_;
};

}  // namespace ricci::engine
