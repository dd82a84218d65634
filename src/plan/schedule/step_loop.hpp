// Loops around the steps of a plan: the same steps once for each pass, on memory that moves.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <ricci/ir/program.hpp>

#include "src/plan/pool/slot_number.hpp"

namespace ricci::plan {

struct program_plan;

/// Loops, by their numbers. More than its size share bits: some steps run without need then.
using loop_set = std::bitset<128>;
inline void add_loop(loop_set& to, std::size_t loop_number) { to.set(loop_number % to.size()); }

/// Where the memory of a slot lies, pass by pass.
struct moving_slot {
    slot_number slot;                   // of a plan that is asked for: that of a name
    std::byte* base = nullptr;          // nullptr: nobody has memory for it yet
    std::int64_t first = 0;             // bytes from there to where pass 0 has it
    std::vector<std::int64_t> advance;  // bytes from pass to pass of each loop
    /// After so many passes of a loop it is where it was, as a state in two places by turns; 0:
    /// never.
    std::int64_t turns = 0;
    // Where pass 0 of all loops, and the last pass of all, have it, if somewhere else.
    void* at_first = nullptr;
    void* at_last = nullptr;
    bool carried = false;  // an earlier pass, or a loop before this one, has written it

    /// Its address in a pass; nullptr where there is none.
    void* at(const std::vector<std::int64_t>& pass, const std::vector<std::int64_t>& counts) const;
};

/// Loops around all steps of a plan, the outermost first; without loops steps run once.
struct step_loop {
    std::vector<std::int64_t> counts;  // passes of each loop
    bool backwards = false;            // every loop begins with its last pass
    std::vector<moving_slot> moving;
    /// Outputs that every pass adds to, instead of writing them: they begin with zeros.
    std::vector<slot_number> added_up;
    /// Of each compiled step: a slot that it does not read, and has to run again for where that
    /// changes, or none. Empty: of none.
    std::vector<slot_number> also;

    // Of each compiled step:
    std::vector<loop_set> depends;  // the loops that change what it reads
    std::vector<char> moves;        // whether it touches what moves

    bool empty() const { return counts.empty(); }
    /// nullptr for a slot that stays where it is.
    const moving_slot* find(slot_number slot) const;
    /// Whether a step has nothing to do after the first pass, and there are more.
    bool runs_once(std::size_t step) const;
};

/// Finds what each compiled step depends on: steps that depend on fewer loops than others run less
/// often, and what they make for these lasts. What is written for the caller is written in every
/// pass. `alike`: all steps run in every pass, and nothing has to last. To be called before the
/// workspace is laid out.
void find_dependences(program_plan& plan, bool alike = false);

/// Goes through the passes of loops. Refers to them, and allocates nothing after it is made.
class pass_counter {
public:
    explicit pass_counter(const step_loop& around);

    /// To the first pass.
    void restart();
    /// To the next pass; false: there is none.
    bool advance();
    bool is_first() const { return first_; }
    /// Whether a step has something to do in this pass that it has not done before.
    bool runs(std::size_t step) const { return first_ || (loop_.depends[step] & changed_).any(); }
    /// Gives all that moves its address in this pass.
    void place(std::vector<slot>& slots) const;
    const std::vector<std::int64_t>& counters() const { return counters_; }

private:
    const step_loop& loop_;
    std::vector<std::int64_t> counters_;
    loop_set changed_;  // whose counters the last step forward has changed
    bool first_ = true;
};

}  // namespace ricci::plan
