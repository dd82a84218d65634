// The operands of a call of the run-time face: checked, then laid out as the engine takes them.
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <vector>

#include <ricci/detail/bind/check.hpp>
#include <ricci/engine/executable.hpp>
#include <ricci/program.hpp>

namespace ricci::detail {

/// What a call may bind, and what it is for.
enum class call_kind : std::uint8_t {
    run,      // inputs with memory
    prepare,  // outputs too
    explain,  // outputs too, and shapes
};

/// Operands as a request; refers to those of the caller. Throws ricci::error for a mistake in them.
class call_operands {
public:
    call_operands(const program& p, const operand_list& operands, call_kind kind,
                  const prepare_options& options);
    /// For a program that is prepared for tensors of `type` already.
    call_operands(const program& p, const operand_list& operands, element type);

    /// Without a place for outputs that are not bound.
    engine::request request() const;
    element type() const { return type_; }
    /// The canonical name of operand number k.
    const std::string& name(std::size_t k) const { return names_[k]; }

private:
    void describe(const operand_list& operands);
    void refuse_single(const operand_list& operands) const;
    void refuse_shapes(const operand_list& operands) const;
    void choose_type(const operand_list& operands, const prepare_options& options);
    void add(const operand_list& operands);

    const program_body& body_;
    std::vector<std::string> names_;
    std::vector<operand_facts> facts_;
    std::list<std::vector<std::int64_t>> numbers_;
    std::vector<engine::operand> inputs_, outputs_;
    std::vector<engine::index_extent> indices_;
    element type_ = element::f64;
    bool exact_distances_ = false;
};

/// The program with the tensors as outputs that are computed on the way and have memory bound to
/// them.
program with_bound_kept(const program& p, const operand_list& operands);

/// Throws what the front end found, as a run-time mistake.
[[noreturn]] void refuse(const text_view& words);

}  // namespace ricci::detail
