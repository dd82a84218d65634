// Intermediates that are stored, in words.
#include "src/plan/words/stored_words.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "src/plan/words/opcode_words.hpp"
#include "src/plan/words/words.hpp"

namespace ricci::plan {
namespace {

/// What is known of a tensor in the workspace: who wrote it last, and how many parts read it.
struct stored_tensor {
    std::string why;
    int readers = 0;
};

class reasons {
public:
    explicit reasons(const ir::program_view& p) : p_(p) {}

    std::string of(const contraction_step& s) const {
        return complete("a product", letters_of(s.k_names));
    }
    std::string of(const algebra_step& s) const {
        return complete("a fold of sums", letters_of(s.k_names));
    }
    std::string of(const tie_step& s) const { return complete("a sum over ties", letters_of(s.k)); }
    std::string of(const map_step& s) const {
        if (s.folding == fold::none) return {};
        const std::vector<ir::ref> over(s.indices.end() - s.folded, s.indices.end());
        return complete(fmt::format("a {}", word_of(s.folding)), over);
    }
    std::string of(const gather_step& s) const {
        if (s.scatter) return "it is added to at places that overlap";
        return s.lookups.empty() ? "numbers of another type, converted" : "rows that numbers pick";
    }
    std::string of(const lookup_sum_step&) const { return "it is added up where numbers say"; }
    std::string of(const extremum_step& s) const {
        return complete("places of extrema", {s.indices.back()});
    }
    std::string of(const scan_step&) const { return "each element rests on the one before it"; }
    std::string of(const matrix_step&) const { return "a function of whole matrices"; }
    std::string of(const fused_step&) const { return "a result of a fused group"; }

private:
    static std::vector<ir::ref> letters_of(const std::vector<named_loop>& loops) {
        std::vector<ir::ref> over;
        for (const auto& l : loops) over.push_back(l.index);
        return over;
    }
    std::string complete(std::string what, const std::vector<ir::ref>& over) const {
        const auto letters = joined(over, ",", [&](ir::ref i) { return words_of_index(p_, i); });
        if (!letters.empty())
            what += fmt::format(" over {}, complete with the last of it", letters);
        return what;
    }

    const ir::program_view& p_;
};

std::string with_unit(std::size_t bytes) {
    if (bytes < 10000) return fmt::format("{} B", bytes);
    return fmt::format("{:.2f} {}B", static_cast<double>(bytes) / (bytes < 10000000 ? 1e3 : 1e6),
                       bytes < 10000000 ? "k" : "M");
}

}  // namespace

std::string words_of_stored(const ir::program_view& program, const program_plan& plan,
                            const std::function<std::string(slot_number, bool indices)>& name) {
    const reasons why(program);
    std::map<slot_number, stored_tensor> all;
    for (std::size_t k = 0; k < plan.compiled.size(); ++k) {
        // Panels of rows: what the first one stores the others store, too.
        if (passes_of(k, plan.compiled_passes) != nullptr) continue;
        for_each_part(plan.compiled[k], [&](const auto& part) {
            for_each_slot(part, [&](slot_number slot, bool writes) {
                slot = plan.whole(slot);
                if (plan.slots[slot.index()].kind != storage::workspace) return;
                if (writes) all[slot].why = why.of(part);
                else ++all[slot].readers;
            });
        });
    }
    std::string text;
    for (const auto& [slot, tensor] : all) {
        const std::string note = fmt::format("{} is stored: ", name(slot, false));
        if (std::ranges::any_of(plan.notes, [&](const auto& n) { return n.starts_with(note); }))
            continue;
        std::string reason = tensor.why;
        if (reason.empty())
            reason = tensor.readers > 1 ? fmt::format("read {} times", tensor.readers)
                                        : "read as a whole by another step";
        text += fmt::format("stored: {}, {}: {}\n", name(slot, true),
                            with_unit(plan.slots[slot.index()].bytes), reason);
    }
    return text;
}

}  // namespace ricci::plan
