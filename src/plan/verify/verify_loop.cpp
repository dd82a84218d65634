// The invariants of a loop around the steps of a plan, checked.
#include "src/plan/verify/verify_loop.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include <fmt/core.h>

namespace ricci::plan {
namespace {

class loop_verifier {
public:
    loop_verifier(const program_plan& plan, const char* pass)
        : plan_(plan), loop_(plan.around), pass_(pass) {}

    void run() {
        check_moving();
        require(loop_.depends.size() == plan_.compiled.size() &&
                    loop_.moves.size() == plan_.compiled.size(),
                "not every step says what it depends on");
        for (std::size_t k = 0; k < plan_.compiled.size(); ++k) check_step(k);
        if (plan_.workspace_bytes > 0) check_apart();
    }

private:
    void require(bool holds, const std::string& words) const {
        if (!holds) throw std::logic_error(fmt::format("after {}: {}", pass_, words));
    }
    const slot& slot_at(slot_number number) const { return plan_.slots[number.index()]; }

    void check_moving() const {
        for (const std::int64_t n : loop_.counts) require(n > 0, "a loop has no pass");
        std::vector<slot_number> seen;
        for (const moving_slot& m : loop_.moving) {
            require(m.slot && m.slot.index() < plan_.slots.size(), "there is no slot that moves");
            const storage kind = slot_at(m.slot).kind;
            require(kind == storage::input || kind == storage::output,
                    "a slot moves that is not the caller's");
            require(std::ranges::find(seen, m.slot) == seen.end(), "a slot moves twice");
            seen.push_back(m.slot);
            require(m.advance.size() == loop_.counts.size(),
                    "a slot does not say how it moves in every loop");
        }
        for (const slot_number s : loop_.added_up)
            require(slot_at(s).kind == storage::output, "what is added up is no output");
    }

    // Whether a slot is in another place in another pass of the loop, which all that ends the loop
    // elsewhere is.
    bool moves_in(slot_number slot, std::size_t l) const {
        return std::ranges::any_of(loop_.moving, [&](const moving_slot& m) {
            return m.slot == slot &&
                   (m.advance[l] != 0 || m.at_first != nullptr || m.at_last != nullptr);
        });
    }
    bool runs_in(std::size_t step, std::size_t l) const {
        return loop_.depends[step].test(l % loop_set().size());
    }

    void check_step(std::size_t k) const {
        for (std::size_t l = 0; l < loop_.counts.size(); ++l) {
            if (loop_.counts[l] == 1) continue;
            for_each_slot(plan_.compiled[k], [&](slot_number number, bool writes) {
                if (moves_in(number, l) || (writes && slot_at(number).kind == storage::output))
                    require(runs_in(k, l), "a step stays behind while its operands move");
                check_writers(k, l, number, writes);
            });
        }
    }

    void check_writers(std::size_t k, std::size_t l, slot_number number, bool writes) const {
        for (std::size_t w = 0; w < plan_.compiled.size(); ++w)
            for_each_slot(plan_.compiled[w], [&](slot_number written, bool is_written) {
                if (!is_written || written != number) return;
                if (runs_in(w, l))
                    require(runs_in(k, l), "a step stays behind what it reads or adds to");
                else if (!writes && runs_in(k, l) && slot_at(number).kind == storage::workspace)
                    require(slot_at(number).lasts, "what is made less often than read has to last");
            });
    }

    void check_apart() const {
        std::vector<char> used(plan_.slots.size(), false);
        for (const auto& step : plan_.compiled)
            for_each_slot(step, [&](slot_number s, bool) { used[s.index()] = 1; });
        for (std::size_t a = 0; a < plan_.slots.size(); ++a) {
            const slot& lasting = plan_.slots[a];
            if (!lasting.lasts || !used[a]) continue;
            for (std::size_t b = 0; b < plan_.slots.size(); ++b) {
                const slot& other = plan_.slots[b];
                if (a == b || !used[b] || other.kind != storage::workspace) continue;
                require(lasting.workspace_offset + lasting.bytes <= other.workspace_offset ||
                            other.workspace_offset + other.bytes <= lasting.workspace_offset,
                        "what lasts shares its memory");
            }
        }
    }

    const program_plan& plan_;
    const step_loop& loop_;
    const char* pass_;
};

}  // namespace

void verify_loop(const program_plan& plan, const char* pass) { loop_verifier(plan, pass).run(); }

}  // namespace ricci::plan
