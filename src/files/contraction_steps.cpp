// Steps as products of two: a step of one operand gives it another name, one of three is two
// products.
#include "src/files/contraction_steps.hpp"

#include <limits>

#include "src/base/counted_places.hpp"

namespace ricci::files {
namespace {

constexpr std::size_t nothing = std::numeric_limits<std::size_t>::max();

// What every step takes becomes one entry; `values` knows which entry a name stands for.
class folded_steps {
public:
    explicit folded_steps(std::size_t operands) : next_(operands) {}

    std::size_t join(std::size_t so_far, std::size_t entry) {
        if (so_far == nothing) return entry;
        pairs_.emplace_back(so_far, entry);
        return next_++;
    }
    ssa_pairs pairs() && { return std::move(pairs_); }

private:
    ssa_pairs pairs_;
    std::size_t next_;
};

void check_some_operands(const contraction_steps& steps, std::size_t k, const place& where) {
    if (steps.first[k] == steps.first[k + 1]) fail(where, "step {} takes no operands", k);
}

}  // namespace

ssa_pairs ssa_of_positions(const contraction_steps& steps, std::size_t operands,
                           const place& where) {
    counted_places left(operands + steps.size());
    std::vector<std::size_t> values(operands + steps.size());
    for (std::size_t t = 0; t < operands; ++t) {
        left.take(t);
        values[t] = t;
    }
    folded_steps folded(operands);
    std::vector<std::size_t> taken;
    for (std::size_t k = 0; k < steps.size(); ++k) {
        check_some_operands(steps, k, where);
        taken.clear();
        for (std::size_t e = steps.first[k]; e < steps.first[k + 1]; ++e) {
            if (steps.entries[e] >= left.count())
                fail(where, "step {} takes position {}, and {} are left", k, steps.entries[e],
                     count(left.count(), "tensor"));
            taken.push_back(left.at(steps.entries[e]));
        }
        std::size_t made = nothing;
        for (const std::size_t place_taken : taken) {
            if (values[place_taken] == nothing) fail(where, "step {} takes a position twice", k);
            made = folded.join(made, values[place_taken]);
            values[place_taken] = nothing;
        }
        for (const std::size_t place_taken : taken) left.leave(place_taken);
        left.take(operands + k);
        values[operands + k] = made;
    }
    return std::move(folded).pairs();
}

ssa_pairs ssa_of_entries(const contraction_steps& steps, std::size_t operands, const place& where) {
    std::vector<std::size_t> values(operands + steps.size());
    for (std::size_t t = 0; t < operands; ++t) values[t] = t;
    folded_steps folded(operands);
    for (std::size_t k = 0; k < steps.size(); ++k) {
        check_some_operands(steps, k, where);
        std::size_t made = nothing;
        for (std::size_t e = steps.first[k]; e < steps.first[k + 1]; ++e) {
            const std::size_t entry = steps.entries[e];
            if (entry >= operands + k)
                fail(where, "step {} takes entry {}, and there are {} by then", k, entry,
                     operands + k);
            if (values[entry] == nothing)
                fail(where, "step {} takes entry {}, which was taken before", k, entry);
            made = folded.join(made, values[entry]);
            values[entry] = nothing;
        }
        values[operands + k] = made;
    }
    return std::move(folded).pairs();
}

}  // namespace ricci::files
