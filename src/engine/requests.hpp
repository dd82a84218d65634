// What a request binds: where it lies, the plan for it, and a request that is kept with all it
// refers to.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <ricci/engine/executable.hpp>

#include "src/plan/schedule/plan.hpp"
#include "src/runtime/memory_watch.hpp"

namespace ricci::engine {

/// Whether two operands of a program of this type come near each other: all between the first and
/// the last element of one counts as its own. Then a plan depends on where they are.
bool come_near(const operand& a, const operand& b, element type);

/// Whether an output that the caller bound comes near another operand.
bool outputs_come_near(const request& r);

/// The plan of a request, whatever the settings of the caller's floating-point unit. `around`: see
/// make_plan.
plan::program_plan plan_of(const request& r, const plan::step_loop* around = nullptr);

/// The operand of this name, nullptr where there is none.
const operand* find_operand(ir::ref name, const operand* list, std::int32_t count);
/// The same for many names, of which the next one is usually bound by the next operand.
class operand_finder {
public:
    operand_finder(const operand* list, std::int32_t count) : list_(list), count_(count) {}
    const operand* find(ir::ref name);

private:
    const operand* list_;
    std::int32_t count_;
    std::int32_t next_ = 0;
};

/// Puts lists that live on into a request.
void refer(request& r, const std::vector<operand>& inputs, const std::vector<operand>& outputs,
           const std::vector<index_extent>& extents);

/// A request with the extents, strides and watches of its operands, but without the memory itself.
class kept_request {
public:
    explicit kept_request(const request& r) : kept_request(r, {}, nullptr) {}

    /// A copy with other operands and extents where `changes` has some of the same names.
    kept_request with(const request& changes) const { return {view(), changes, this}; }

    /// As the engine takes it; refers to this. It allocates nothing.
    request view() const;

    /// Throws ricci::error where memory that was bound is gone.
    void check() const {
        for (const auto& [name, memory] : watched_)
            if (memory.fate() != detail::memory_fate::there) refuse(name, memory.fate());
    }

private:
    kept_request(const request& r, const request& changes, const kept_request* before);
    void keep(std::vector<operand>& list, const operand& o, const kept_request* before);
    [[noreturn]] void refuse(ir::ref name, detail::memory_fate fate) const;

    request base_;
    std::vector<operand> inputs_, outputs_;
    std::vector<index_extent> extents_;
    std::vector<std::unique_ptr<std::int64_t[]>> numbers_;  // extents and strides of an operand
    std::vector<std::pair<ir::ref, detail::watched_memory>> watched_;
};

}  // namespace ricci::engine
