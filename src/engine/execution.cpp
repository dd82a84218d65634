// Walking a plan.
#include "src/engine/execution.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <new>
#include <string>

#include <fmt/core.h>

#include <ricci/error.hpp>

#include "src/engine/whole_numbers.hpp"
#include "src/plan/workspace.hpp"

namespace ricci::engine {
namespace {

constexpr std::align_val_t alignment{plan::workspace_alignment};

/// steps::fused_group of a step, and the lists that it refers to.
class described_stream {
public:
    described_stream(const plan::fused_step& s, element type) {
        for (const auto& o : s.operands) operands_.push_back({o.offset, o.strides});
        for (const auto& p : s.products) products_.push_back({p.a, p.b, p.contracted});
        for (const auto& x : s.stages)
            stages_.push_back({x.kind, x.program, x.log_sum_exp, x.empty});
        for (const auto& x : s.sinks)
            sinks_.push_back(
                {x.tile, x.summed, x.b, x.output, x.weights, x.values, x.beta, x.added});
        what_ = {type, s.loops, operands_, products_, stages_, sinks_};
    }
    described_stream(const described_stream&) = delete;
    described_stream& operator=(const described_stream&) = delete;

    const steps::fused_group& what() const { return what_; }

private:
    std::vector<steps::operand> operands_;
    std::vector<steps::tile_product> products_;
    std::vector<steps::tile_operation> stages_;
    std::vector<steps::tile_consumer> sinks_;
    steps::fused_group what_;
};

}  // namespace

void execution::aligned_delete::operator()(std::byte* memory) const {
    ::operator delete(memory, alignment);
}

execution::execution(const plan::program_plan& plan, purpose what)
    : type_(plan.type), instead_(plan.instead) {
    if (plan.workspace_bytes > 0 && what == purpose::run)
        workspace_.reset(static_cast<std::byte*>(::operator new(plan.workspace_bytes, alignment)));
    steps_.resize(plan.compiled.size());
    for (std::size_t number = 0; number < plan.compiled.size(); ++number) {
        const auto& s = plan.compiled[number];
        prepared_step& ready = steps_[number];
        if (ready.chained) continue;
        if (s.is_stream) {
            if (!prepare_chain(plan, number)) prepare_stream(plan, number);
        } else if (s.is_gather) {
            const auto& g = s.gather;
            std::vector<steps::lookup> lookups;
            ready.checked_first = !g.scatter;
            for (const auto& l : g.lookups) {
                lookups.push_back({plan.type_of(l.numbers.slot),
                                   {l.numbers.offset, l.numbers.strides},
                                   l.stride,
                                   l.extent});
                if (!g.scatter) ready.strays.push_back(l.words);  // [v = x_i] is 0 for those
                ready.checked_first = ready.checked_first &&
                                      plan.slots[static_cast<std::size_t>(l.numbers.slot)].kind ==
                                          plan::storage::input;
            }
            ready.places.resize(lookups.size());
            elementwise::prepared_gather::condition wanted;
            if (g.wanted.slot >= 0) {
                wanted = {plan.type_of(g.wanted.slot), {g.wanted.offset, g.wanted.strides}};
                ready.places.push_back(nullptr);
                ready.first = steps_before_check(plan, number);
                ready.checked_first = ready.checked_first && ready.first.has_value();
            }
            ready.gather = std::make_unique<elementwise::prepared_gather>(
                steps::gather{plan.type_of(g.out.slot),
                              plan.type_of(g.in.slot),
                              g.scatter,
                              g.extents,
                              {g.out.offset, g.out.strides},
                              {g.in.offset, g.in.strides},
                              lookups},
                g.wanted.slot >= 0 ? &wanted : nullptr, plan.is_truth(g.in.slot));
        } else if (s.is_contraction) {
            const auto& c = s.contraction;
            ready.contraction = std::make_unique<contract::prepared_contraction>(steps::contraction{
                plan.type_of(c.c.slot), c.batch, c.m, c.n, c.k, c.conjugate_a, c.conjugate_b});
            ready.beta = c.beta;
            ready.alpha = scalar_program(c.alpha);
        } else {
            const auto& m = s.map;
            std::vector<steps::operand> operands;
            for (const auto& o : m.operands) operands.push_back({o.offset, o.strides});
            ready.bases.resize(operands.size());
            ready.map = std::make_unique<elementwise::prepared_map>(
                steps::map{plan.type_of(m.operands[0].slot), m.folding, m.extents, m.folded,
                           operands, m.program});
        }
    }
    join(plan);
    if (what == purpose::run) bind(plan);
}

void execution::prepare_stream(const plan::program_plan& plan, std::size_t step) {
    const auto& s = plan.compiled[step].stream;
    prepared_step& ready = steps_[step];
    ready.bases.resize(s.operands.size());
    for (const auto& p : s.products) ready.numbers.emplace_back(p.number);
    for (const auto& x : s.sinks) ready.numbers.emplace_back(x.number);
    ready.number_values.resize(ready.numbers.size());
    ready.stream = std::make_unique<fused::prepared_group>(described_stream(s, plan.type).what());
}

// A stream and the steps that continue it, as one. False where there are none, or they are better
// run one after another.
bool execution::prepare_chain(const plan::program_plan& plan, std::size_t first) {
    std::size_t last = first;
    while (last + 1 < plan.compiled.size() && plan.compiled[last + 1].continues_chain) ++last;
    if (last == first) return false;
    const auto& front = plan.compiled[first].stream;
    const auto& back = plan.compiled[last].stream;
    std::vector<steps::operand> operands;
    std::vector<steps::row_dot> sums;
    for (std::size_t s = first + 1; s < last; ++s) {
        const auto& sum = plan.compiled[s].row_sum;
        const auto at = static_cast<std::int32_t>(operands.size());
        for (const auto* o : {&sum.a, &sum.b, &sum.output})
            operands.push_back({o->offset, o->strides});
        sums.push_back({at, at + 1, at + 2, sum.summed, sum.number});
    }
    const described_stream one(front, plan.type), two(back, plan.type);
    auto chain = std::make_unique<fused::prepared_chain>(
        steps::fused_chain{one.what(), operands, sums, two.what(), back.kept});
    if (!chain->is_suitable()) return false;
    prepared_step& ready = steps_[first];
    ready.chain = std::move(chain);
    ready.chain_length = last - first + 1;
    for (std::size_t s = first + 1; s <= last; ++s) steps_[s].chained = true;
    ready.bases.resize(front.operands.size() + operands.size() + back.operands.size());
    for (const auto* s : {&front, &back}) {
        for (const auto& p : s->products) ready.numbers.emplace_back(p.number);
        for (const auto& x : s->sinks) ready.numbers.emplace_back(x.number);
    }
    ready.number_values.resize(ready.numbers.size());
    return true;
}

// Steps that may run together do where that saves work.
void execution::join(const plan::program_plan& plan) {
    const auto joinable = [&](std::size_t k) {
        return contract::joinable{&steps_[k].contraction->how(),
                                  plan.compiled[k].contraction.shared == plan::shared_operand::b};
    };
    for (std::size_t first = 0, end = 0; first < plan.compiled.size(); first = end) {
        end = first + 1;
        while (end < plan.compiled.size() && plan.compiled[end].contraction.joins_previous) ++end;
        if (end == first + 1) continue;
        std::vector<contract::joinable> all;
        for (std::size_t k = first; k < end; ++k) all.push_back(joinable(k));
        prepared_step& ready = steps_[first];
        ready.joined = all[0].which->join(all);
        if (ready.joined) ready.parts.resize(all.size());
    }
}

void execution::bind(const plan::program_plan& plan) {
    const auto base = [&](std::int32_t number) -> std::byte* {
        if (number < 0) return nullptr;
        const auto& slot = plan.slots[static_cast<std::size_t>(number)];
        if (slot.kind == plan::storage::workspace) return workspace_.get() + slot.workspace_offset;
        return static_cast<std::byte*>(slot.data);
    };
    const auto element = [&](std::int32_t number, std::int64_t offset) {
        return base(number) + offset * static_cast<std::int64_t>(size_of(plan.type_of(number)));
    };

    const auto bind_number = [&](scalar_program& number, const plan::scalar& from) {
        for (std::size_t k = 0; k < from.operands.size(); ++k)
            number.bind(k, element(from.operands[k].slot, from.operands[k].offset),
                        plan.type_of(from.operands[k].slot));
    };
    const auto bind_bases = [&](prepared_step& ready, const auto& operands, std::size_t first) {
        for (std::size_t k = 0; k < operands.size(); ++k)
            ready.bases[first + k] = base(operands[k].slot);
        return first + operands.size();
    };
    const auto bind_numbers = [&](prepared_step& ready, const plan::fused_step& s,
                                  std::size_t number) {
        for (const auto& p : s.products) bind_number(ready.numbers[number++], p.number);
        for (const auto& x : s.sinks) bind_number(ready.numbers[number++], x.number);
        return number;
    };
    if (instead_) operands_ = plan.slots;
    rules_.clear();
    for (const auto& r : plan.rules) {
        const auto& slot = plan.slots[static_cast<std::size_t>(r.slot)];
        rules_.push_back({{plan.type_of(r.slot), slot.data, slot.extents, slot.strides},
                          r.is_condition ? 0 : -r.most,
                          r.is_condition ? 1 : r.most,
                          r.words});
    }
    for (std::size_t k = 0; k < steps_.size(); ++k) {
        prepared_step& ready = steps_[k];
        const auto& s = plan.compiled[k];
        if (ready.chained) continue;
        if (instead_) find_results(plan, k, std::max<std::size_t>(ready.chain_length, 1));
        if (s.is_stream) {
            std::size_t bound = bind_bases(ready, s.stream.operands, 0);
            const std::size_t numbers = bind_numbers(ready, s.stream, 0);
            if (!ready.chain) continue;
            const std::size_t last = k + ready.chain_length - 1;
            for (std::size_t sum = k + 1; sum < last; ++sum) {
                const auto& r = plan.compiled[sum].row_sum;
                bound = bind_bases(ready, std::array{r.a, r.b, r.output}, bound);
            }
            bind_bases(ready, plan.compiled[last].stream.operands, bound);
            bind_numbers(ready, plan.compiled[last].stream, numbers);
        } else if (s.is_gather) {
            ready.a = base(s.gather.in.slot);
            ready.c = base(s.gather.out.slot);
            for (std::size_t l = 0; l < s.gather.lookups.size(); ++l)
                ready.places[l] = base(s.gather.lookups[l].numbers.slot);
            if (s.gather.wanted.slot >= 0) ready.places.back() = base(s.gather.wanted.slot);
        } else if (s.is_contraction) {
            const auto& c = s.contraction;
            ready.a = element(c.a.slot, c.a_offset);
            ready.b = element(c.b.slot, c.b_offset);
            ready.c = element(c.c.slot, c.c_offset);
            bind_number(ready.alpha, c.alpha);
        } else {
            bind_bases(ready, s.map.operands, 0);
        }
    }
}

std::string execution::words(std::size_t step) const {
    const prepared_step& s = steps_[step];
    if (s.joined)
        return fmt::format("packed once for {} contractions, from here on", s.parts.size());
    if (s.chain) return s.chain->describe();
    if (s.chained) return "together with the steps above";
    return s.stream ? s.stream->describe() : s.contraction ? s.contraction->words() : std::string();
}

// The steps that make the condition of a gather of operands, which is checked before all others.
// None where that would take a contraction, or would write to an output.
std::optional<std::vector<std::size_t>> execution::steps_before_check(
    const plan::program_plan& plan, std::size_t gather) {
    std::vector<std::int32_t> open{plan.compiled[gather].gather.wanted.slot};
    std::vector<std::size_t> steps;
    for (std::size_t k = gather; k-- > 0;) {
        const auto& s = plan.compiled[k];
        const auto needed = [&](std::int32_t slot) {
            return std::find(open.begin(), open.end(), slot) != open.end();
        };
        bool wanted = false;
        plan::for_each_slot(s, [&](std::int32_t slot, bool writes) {
            wanted = wanted || (writes && needed(slot));
        });
        if (!wanted) continue;
        if (s.is_contraction || s.is_stream) return {};
        plan::for_each_slot(s, [&](std::int32_t slot, bool writes) {
            if (!writes && !needed(slot)) open.push_back(slot);
        });
        steps.push_back(k);
    }
    for (const std::int32_t slot : open)
        if (plan.slots[static_cast<std::size_t>(slot)].kind == plan::storage::output) return {};
    std::reverse(steps.begin(), steps.end());
    return steps;
}

// What a gather that is checked before all other steps needs to be checked.
void execution::run_first(const prepared_step& s) {
    if (!s.first || !s.gather->has_stray(s.places.data())) return;
    for (const std::size_t k : *s.first) {
        const prepared_step& before = steps_[k];
        if (before.gather) {
            if (!before.checked_first) check(before);
            before.gather->run(before.c, before.a, before.places.data());
        } else {
            before.map->run(before.bases.data());
        }
    }
}

void execution::check(const prepared_step& s) {
    if (s.strays.empty()) return;
    const auto stray = s.gather->find_stray(s.places.data());
    if (!stray.found()) return;
    throw error(fmt::format("ricci: {} and a number there is {:g}.",
                            s.strays[static_cast<std::size_t>(stray.lookup)], stray.value));
}

// A step and those that run together with it.
void execution::run_joined(std::size_t first) {
    auto& parts = steps_[first].parts;
    for (std::size_t k = 0; k < parts.size(); ++k) {
        prepared_step& s = steps_[first + k];
        parts[k] = {s.a, s.b, s.c, s.alpha.evaluate(type_), s.beta};
    }
    steps_[first].joined->run(parts);
}

// What steps that run together write, where a bracket hides by zeros.
void execution::find_results(const plan::program_plan& plan, std::size_t first, std::size_t count) {
    auto& results = steps_[first].results;
    results.clear();
    for (std::size_t k = first; k < first + count; ++k) {
        if (!plan.compiled[k].hides) continue;
        plan::for_each_slot(plan.compiled[k], [&](std::int32_t number, bool writes) {
            if (!writes) return;
            const auto& slot = plan.slots[static_cast<std::size_t>(number)];
            const void* data = slot.kind == plan::storage::workspace
                                   ? workspace_.get() + slot.workspace_offset
                                   : slot.data;
            results.push_back({plan.type_of(number), data, slot.extents, slot.strides});
        });
    }
}

// Whether the whole numbers of operands are what the plan takes them for.
bool execution::keeps_rules() const {
    for (const auto& r : rules_) {
        const auto found = number_outside(r.tensor, r.least, r.most);
        if (!found) continue;
        if (r.words.empty()) return false;
        throw error(fmt::format("ricci: {}, and a number there is {}.", r.words, *found));
    }
    return true;
}

void execution::run() {
    if ((keeps_rules() && run_steps()) || !instead_) return;
    plan::program_plan careful = *instead_;
    for (auto& slot : careful.slots)
        for (const auto& bound : operands_)
            if (!slot.own && slot.kind == bound.kind && slot.name == bound.name &&
                (slot.kind == plan::storage::input || slot.kind == plan::storage::output))
                slot.data = bound.data;
    execution(careful).run();
}

// Whether all results are numbers that have to be.
bool execution::run_steps() {
    const auto undefined = [](const prepared_step& s) {
        return std::any_of(s.results.begin(), s.results.end(), holds_nan);
    };
    for (const auto& s : steps_)
        if (s.gather && s.checked_first) {
            run_first(s);
            check(s);
        }
    for (std::size_t step = 0; step < steps_.size(); ++step) {
        prepared_step& s = steps_[step];
        if (s.joined) {
            run_joined(step);
            for (std::size_t k = 1; k < s.parts.size(); ++k)
                if (undefined(steps_[step + k])) return false;
            step += s.parts.size() - 1;
        } else if (s.stream || s.chain) {
            for (std::size_t k = 0; k < s.numbers.size(); ++k)
                s.number_values[k] = s.numbers[k].evaluate(type_).real;
            if (s.stream) {
                s.stream->run(s.bases.data(), s.number_values.data());
            } else {
                s.chain->run(s.bases.data(), s.number_values.data());
                step += s.chain_length - 1;
            }
        } else if (s.gather) {
            if (!s.checked_first) check(s);
            s.gather->run(s.c, s.a, s.places.data());
        } else if (s.contraction) {
            s.contraction->run(s.a, s.b, s.c, s.alpha.evaluate(type_), s.beta);
        } else {
            s.map->run(s.bases.data());
        }
        if (undefined(s)) return false;
    }
    return true;
}

}  // namespace ricci::engine
