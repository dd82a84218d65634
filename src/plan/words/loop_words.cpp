// The loop around the steps of a plan, in words.
#include "src/plan/words/loop_words.hpp"

#include <fmt/core.h>

#include "src/plan/words/words.hpp"

namespace ricci::plan {
namespace {

void list(std::string& to, const std::string& item) {
    to += to.empty() ? item : fmt::format(", {}", item);
}

std::string words_of_advance(const moving_slot& m) {
    std::string bytes;
    for (const std::int64_t advance : m.advance) list(bytes, fmt::format("{:+}", advance));
    return m.advance.size() == 1 ? bytes : fmt::format("({})", bytes);
}

}  // namespace

std::string words_of_loop(const ir::program_view& program, const program_plan& plan) {
    const step_loop& around = plan.around;
    if (around.empty()) return "";
    const auto name = [&](slot_number slot) {
        const ir::ref of = plan.slots[slot.index()].name;
        return of == ir::none ? fmt::format("slot {}", slot.number()) : words_of_name(program, of);
    };
    std::string counts, moving, by_turns, added_up;
    for (const std::int64_t count : around.counts)
        counts += fmt::format("{}{}", counts.empty() ? "" : " x ", count);
    for (const moving_slot& m : around.moving) {
        if (m.turns > 0) list(by_turns, name(m.slot));
        else list(moving, fmt::format("{} {}", name(m.slot), words_of_advance(m)));
    }
    for (const slot_number slot : around.added_up) list(added_up, name(slot));
    std::string text = fmt::format("loop: {} pass{}{}\n", counts, counts == "1" ? "" : "es",
                                   around.backwards ? ", from the last to the first" : "");
    if (!moving.empty()) text += fmt::format("  bytes from pass to pass: {}\n", moving);
    if (!by_turns.empty()) text += fmt::format("  in two places by turns: {}\n", by_turns);
    if (!added_up.empty()) text += fmt::format("  added up over the passes: {}\n", added_up);
    int once = 0;
    for (std::size_t k = 0; k < around.depends.size(); ++k) once += around.runs_once(k) ? 1 : 0;
    if (once > 0) text += fmt::format("  steps that run in the first pass only: {}\n", once);
    return text;
}

}  // namespace ricci::plan
