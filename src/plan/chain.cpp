// Streams that can run together, a block of rows at a time.
#include "src/plan/chain.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include "src/plan/operands.hpp"

namespace ricci::plan {
namespace {

using strides = std::vector<std::int64_t>;

bool same_scalar(const scalar& x, const scalar& y) {
    const auto same_instruction = [](const instruction& a, const instruction& b) {
        return a.code == b.code && a.first == b.first && a.second == b.second &&
               a.third == b.third && a.operand == b.operand && a.value == b.value;
    };
    const auto same_element = [](const scalar::element_use& a, const scalar::element_use& b) {
        return a.slot == b.slot && a.offset == b.offset;
    };
    return x.value == y.value &&
           std::ranges::equal(x.instructions, y.instructions, same_instruction) &&
           std::ranges::equal(x.operands, y.operands, same_element);
}

bool same_operand(const fused_step& x, std::int32_t a, const fused_step& y, std::int32_t b) {
    const auto& p = x.operands[static_cast<std::size_t>(a)];
    const auto& q = y.operands[static_cast<std::size_t>(b)];
    return p.slot == q.slot && p.offset == q.offset && p.strides == q.strides;
}

std::vector<kept_product> common_products(const fused_step& first, const fused_step& second) {
    const auto same_loop = [](const inner_loop& x, const inner_loop& y) {
        return x.extent == y.extent && x.a == y.a && x.b == y.b;
    };
    std::vector<kept_product> result;
    for (std::size_t s = 0; s < second.products.size(); ++s)
        for (std::size_t f = 0; f < first.products.size(); ++f) {
            const auto& p = first.products[f];
            const auto& q = second.products[s];
            if (!same_operand(first, p.a, second, q.a) || !same_operand(first, p.b, second, q.b) ||
                !std::ranges::equal(p.contracted, q.contracted, same_loop) ||
                !same_scalar(p.number, q.number))
                continue;
            const bool taken = std::any_of(result.begin(), result.end(), [&](const auto& k) {
                return k.first == static_cast<std::int32_t>(f);
            });
            if (taken) continue;
            result.push_back({static_cast<std::int32_t>(f), static_cast<std::int32_t>(s)});
            break;
        }
    return result;
}

/// Whether two steps may change places.
bool independent(const compiled_step& x, const compiled_step& y) {
    bool result = true;
    for_each_slot(x, [&](std::int32_t a, bool a_written) {
        for_each_slot(y, [&](std::int32_t b, bool b_written) {
            if (a == b && (a_written || b_written)) result = false;
        });
    });
    return result;
}

/// A map as a sum for each row of a stream, if it is one.
std::optional<row_sum_step> as_row_sum(const compiled_step& s, const fused_step& rows) {
    if (!s.is_map() || s.map.folding != fold::sum || s.map.operands.size() != 3) return {};
    const map_step& m = s.map;
    const auto is_load = [&](std::size_t k, std::int32_t operand) {
        return m.program[k].code == opcode::load && m.program[k].operand == operand;
    };
    const auto multiplies = [&](std::size_t k, std::int32_t first, std::int32_t second) {
        const auto& i = m.program[k];
        return i.code == opcode::multiply && i.first == first && i.second == second;
    };
    const std::size_t size = m.program.size();
    if ((size != 3 && size != 5) || !is_load(0, 1) || !is_load(1, 2) || !multiplies(2, 0, 1))
        return {};
    row_sum_step sum;
    if (size == 5) {
        if (m.program[3].code != opcode::constant || !multiplies(4, 2, 3)) return {};
        sum.number = m.program[3].value;
    }
    sum.output = m.operands[0];
    sum.a = m.operands[1];
    sum.b = m.operands[2];
    for (auto* o : {&sum.output, &sum.a, &sum.b}) o->strides.assign(rows.loops.size(), 0);
    std::size_t own = 0;
    const std::size_t free = m.extents.size() - static_cast<std::size_t>(m.folded);
    for (std::size_t l = 0; l < rows.loops.size(); ++l) {
        if (rows.loops[l].axis == loop_role::column) continue;
        if (own == free || m.extents[own] != rows.loops[l].extent) return {};
        sum.output.strides[l] = m.operands[0].strides[own];
        sum.a.strides[l] = m.operands[1].strides[own];
        sum.b.strides[l] = m.operands[2].strides[own];
        ++own;
    }
    if (own != free) return {};
    for (std::size_t l = free; l < m.extents.size(); ++l)
        sum.summed.push_back({m.extents[l], m.operands[1].strides[l], m.operands[2].strides[l]});
    return sum;
}

/// What is written for each row: where, and over which loops besides.
struct row_result {
    std::int64_t offset = 0;
    plan::strides strides;
    std::vector<std::pair<std::int64_t, std::int64_t>> values;  // extent and stride

    bool has_rows_of(std::int64_t other_offset, const plan::strides& other) const {
        return offset == other_offset && strides == other;
    }
};
using row_results = std::map<std::int32_t, row_result>;  // by slot

/// Finds a chain that begins with a stream and ends with another one behind it.
class finder {
public:
    finder(const program_plan& plan, std::size_t first, std::size_t last)
        : plan_(plan), first_(first), last_(last) {}

    bool find() {
        const compiled_step &first = plan_.compiled[first_], &last = plan_.compiled[last_];
        if (!suits_as_first(first.stream) || !suits_as_second(last.stream) ||
            !same_loops(first.stream, last.stream))
            return false;
        kept_ = common_products(first.stream, last.stream);
        if (kept_.empty() || !add_results(first.stream)) return false;
        for (std::size_t s = first_ + 1; s < last_; ++s)
            if (!place(s)) return false;
        return reads_rows(last);
    }

    /// The steps in their new order, those of the chain marked.
    std::vector<compiled_step> reordered() const {
        auto steps = plan_.compiled;
        steps.resize(first_);
        const auto append = [&](const std::vector<std::size_t>& list) {
            for (const auto s : list) steps.push_back(plan_.compiled[s]);
        };
        append(before_);
        steps.push_back(plan_.compiled[first_]);
        for (std::size_t k = 0; k < between_.size(); ++k) {
            steps.push_back(plan_.compiled[between_[k]]);
            steps.back().continues_chain = true;
            steps.back().row_sum = sums_[k];
        }
        steps.push_back(plan_.compiled[last_]);
        steps.back().continues_chain = true;
        steps.back().stream.kept = kept_;
        append(behind_);
        steps.insert(steps.end(), plan_.compiled.begin() + static_cast<std::ptrdiff_t>(last_) + 1,
                     plan_.compiled.end());
        return steps;
    }

private:
    static bool suits_as_first(const fused_step& s) {
        return std::all_of(s.sinks.begin(), s.sinks.end(), [](const fused_step::sink& x) {
            return x.summed == loop_role::column && !x.added;
        });
    }
    static bool suits_as_second(const fused_step& s) {
        return std::all_of(s.sinks.begin(), s.sinks.end(),
                           [](const fused_step::sink& x) {
                               return x.summed != loop_role::batch && !x.added;
                           }) &&
               std::any_of(s.sinks.begin(), s.sinks.end(),
                           [](const fused_step::sink& x) { return x.summed == loop_role::row; });
    }
    static bool same_loops(const fused_step& x, const fused_step& y) {
        return std::ranges::equal(x.loops, y.loops, [](const fused_loop& a, const fused_loop& b) {
            return a.extent == b.extent && a.axis == b.axis;
        });
    }

    // What the first stream writes. False where it reads any of that, too.
    bool add_results(const fused_step& s) {
        const auto add = [&](std::int32_t operand, const std::vector<inner_loop>& values) {
            const auto& o = s.operands[static_cast<std::size_t>(operand)];
            row_result r{o.offset, o.strides, {}};
            for (const auto& l : values) r.values.emplace_back(l.extent, l.b);
            return results_.emplace(o.slot, std::move(r)).second;
        };
        for (const auto& x : s.sinks)
            if (!add(x.output, x.values)) return false;
        for (const auto& x : s.stages)
            if (x.log_sum_exp >= 0 && !add(x.log_sum_exp, {})) return false;
        bool fine = true;
        for_each_slot(plan_.compiled[first_], [&](std::int32_t slot, bool writes) {
            if (!writes && results_.contains(slot)) fine = false;
        });
        return fine;
    }

    // A step in between: before the chain, in it, or behind it.
    bool place(std::size_t number) {
        const compiled_step& s = plan_.compiled[number];
        const auto free_of = [&](const std::vector<std::size_t>& others) {
            return std::all_of(others.begin(), others.end(), [&](std::size_t other) {
                return independent(s, plan_.compiled[other]);
            });
        };
        if (s.continues_chain || is_chained(number)) return false;
        const bool early =
            independent(s, plan_.compiled[first_]) && free_of(between_) && free_of(behind_);
        if (early) {
            before_.push_back(number);
        } else if (auto sum = as_row_sum(s, plan_.compiled[first_].stream);
                   sum && free_of(behind_) && reads_rows(*sum) && add_result(*sum)) {
            between_.push_back(number);
            sums_.push_back(std::move(*sum));
        } else {
            behind_.push_back(number);
        }
        return true;
    }
    bool is_chained(std::size_t number) const {
        return number + 1 < plan_.compiled.size() && plan_.compiled[number + 1].continues_chain;
    }

    bool reads_rows(const row_sum_step& sum) const {
        for (const bool is_a : {true, false}) {
            const auto& o = is_a ? sum.a : sum.b;
            const auto found = results_.find(o.slot);
            if (found == results_.end()) continue;
            const row_result& r = found->second;
            if (!r.has_rows_of(o.offset, o.strides)) return false;
            for (const auto& l : sum.summed)
                if (l.extent != 1 &&
                    std::find(r.values.begin(), r.values.end(),
                              std::pair(l.extent, is_a ? l.a : l.b)) == r.values.end())
                    return false;
        }
        return true;
    }

    // False where others touch what it writes.
    bool add_result(const row_sum_step& sum) {
        bool fine = true;
        const auto look = [&](std::size_t other) {
            for_each_slot(plan_.compiled[other], [&](std::int32_t slot, bool) {
                if (slot == sum.output.slot) fine = false;
            });
        };
        look(first_);
        for (const auto other : between_) look(other);
        return fine &&
               results_
                   .emplace(sum.output.slot, row_result{sum.output.offset, sum.output.strides, {}})
                   .second;
    }

    bool reads_rows(const compiled_step& last) const {
        const auto& s = last.stream;
        for (const auto number : behind_)
            if (!independent(plan_.compiled[number], last)) return false;
        // What it writes, nobody before it in the chain touches.
        bool fine = true;
        for_each_slot(last, [&](std::int32_t written, bool writes) {
            const auto look = [&](std::size_t other) {
                for_each_slot(plan_.compiled[other], [&](std::int32_t slot, bool) {
                    if (writes && slot == written) fine = false;
                });
            };
            look(first_);
            for (const auto other : between_) look(other);
        });
        const auto is_result = [&](std::int32_t operand) {
            return operand >= 0 &&
                   results_.contains(s.operands[static_cast<std::size_t>(operand)].slot);
        };
        for (const auto& p : s.products)
            fine = fine && !is_result(p.a) && !is_result(p.b) && !reads_results(p.number);
        for (const auto& x : s.sinks) fine = fine && !is_result(x.b) && !reads_results(x.number);
        for (const auto& o : s.operands) {
            const auto found = results_.find(o.slot);
            if (o.slot >= 0 && found != results_.end())
                fine = fine && found->second.has_rows_of(o.offset, o.strides);
        }
        return fine;
    }
    bool reads_results(const scalar& number) const {
        return std::any_of(number.operands.begin(), number.operands.end(),
                           [&](const auto& o) { return results_.contains(o.slot); });
    }

    const program_plan& plan_;
    std::size_t first_ = 0, last_ = 0;
    std::vector<kept_product> kept_;
    row_results results_;  // of the first stream and the sums
    std::vector<std::size_t> before_, between_, behind_;
    std::vector<row_sum_step> sums_;
};

}  // namespace

void chain_streams(program_plan& plan) {
    // The order of steps on shared memory is theirs alone.
    if (!outputs_in_place(plan.slots, plan.type).empty()) return;
    const auto free = [&](std::size_t s) {
        return plan.compiled[s].is_stream && !plan.compiled[s].continues_chain &&
               (s + 1 == plan.compiled.size() || !plan.compiled[s + 1].continues_chain);
    };
    for (std::size_t first = 0; first < plan.compiled.size(); ++first)
        for (std::size_t last = first + 1; last < plan.compiled.size() && free(first); ++last) {
            if (!free(last)) continue;
            finder chain(plan, first, last);
            if (chain.find()) plan.compiled = chain.reordered();
        }
}

}  // namespace ricci::plan
