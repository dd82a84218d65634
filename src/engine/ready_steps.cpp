// The steps of a plan with their kernels.
#include "src/engine/ready_steps.hpp"

#include <type_traits>
#include <utility>

#include "src/engine/stray_words.hpp"

namespace ricci::engine {

std::byte* plan_memory::base_of(const plan::slot& window) const {
    std::int64_t elements = 0;
    for (std::size_t axis = 0; axis < window.strides.size(); ++axis)
        elements += (window.window.first[axis] + pass_ * window.window.advance[axis]) *
                    window.strides[axis];
    const std::size_t bytes = window.is_truth     ? 1
                              : window.is_foreign ? size_of(window.own_type)
                                                  : size_of(plan_.type);
    return base(window.window.of) + elements * static_cast<std::int64_t>(bytes);
}

void plan_memory::bind(scalar_program& number, const plan::scalar& from) const {
    for (std::size_t k = 0; k < from.operands.size(); ++k)
        number.bind(k, element(from.operands[k].slot, from.operands[k].offset),
                    plan_.type_of(from.operands[k].slot));
}

namespace {

std::vector<std::int32_t> tensors_of(const plan::map_step& s) {
    std::vector<std::int32_t> tensors;
    for (const auto& use : s.uses) tensors.push_back(use.slot.number());
    return tensors;
}

}  // namespace

ready_algebra::ready_algebra(const plan::program_plan& plan, const planned& s)
    : kernels_(steps::algebra_product{plan.type_of(s.c.slot), s.algebra, s.batch, s.m, s.n, s.k}) {}

void ready_algebra::bind(const plan_memory& memory, const planned& s) {
    a_ = memory.element(s.a.slot, s.a.offset);
    b_ = memory.element(s.b.slot, s.b.offset);
    c_ = memory.element(s.c.slot, s.c.offset);
}

namespace {

steps::tie_sum tie_kernels(const plan::program_plan& plan, const plan::tie_step& s) {
    return {plan.type_of(s.out.use.slot),
            s.test,
            s.extents,
            s.batch.size(),
            s.m.size(),
            s.n.size(),
            s.k.size(),
            s.row.at,
            s.column.at,
            s.kept.at,
            s.weight.at,
            s.out.at,
            s.number};
}

}  // namespace

ready_ties::ready_ties(const plan::program_plan& plan, const planned& s)
    : kernels_(tie_kernels(plan, s)) {}

void ready_ties::bind(const plan_memory& memory, const planned& s) {
    operands_.row = memory.element(s.row.use.slot, 0);
    operands_.column = memory.element(s.column.use.slot, 0);
    operands_.kept = memory.element(s.kept.use.slot, 0);
    if (s.weight.use.slot) operands_.weight = memory.element(s.weight.use.slot, 0);
    operands_.out = memory.element(s.out.use.slot, 0);
}

ready_map::ready_map(const plan::program_plan& plan, const planned& s)
    : kernels_(steps::map{plan.type_of(s.uses[0].slot), s.folding, s.extents, s.folded, s.operands,
                          s.program, tensors_of(s)}),
      bases_(s.operands.size()) {}

namespace {

elementwise::prepared_gather gather_kernels(const plan::program_plan& plan,
                                            const plan::gather_step& s) {
    std::vector<steps::lookup> lookups;
    for (const auto& l : s.lookups)
        lookups.push_back({plan.type_of(l.numbers.use.slot), l.numbers.at, l.stride, l.extent});
    const steps::gather what{plan.type_of(s.out.use.slot),
                             plan.type_of(s.in.use.slot),
                             s.scatter,
                             s.extents,
                             s.out.at,
                             s.in.at,
                             lookups};
    const bool of_truths = plan.is_truth(s.in.use.slot);
    if (!s.wanted.use.slot) return elementwise::prepared_gather(what, nullptr, of_truths);
    const elementwise::prepared_gather::condition wanted{plan.type_of(s.wanted.use.slot),
                                                         s.wanted.at};
    return elementwise::prepared_gather(what, &wanted, of_truths);
}

}  // namespace

ready_gather::ready_gather(const plan::program_plan& plan, const planned& s)
    : kernels_(gather_kernels(plan, s)), places_(s.lookups.size() + (s.wanted.use.slot ? 1 : 0)) {
    for (const auto& l : s.lookups)
        if (!l.may_stray) strays_.push_back(l.words);
}

void ready_gather::bind(const plan_memory& memory, const planned& s) {
    in_ = memory.base(s.in.use.slot);
    out_ = memory.base(s.out.use.slot);
    for (std::size_t l = 0; l < s.lookups.size(); ++l)
        places_[l] = memory.base(s.lookups[l].numbers.use.slot);
    if (s.wanted.use.slot) places_.back() = memory.base(s.wanted.use.slot);
}

void ready_gather::run() {
    if (!checked_before_) check();
    kernels_.run(out_, in_, places_.data());
}

void ready_gather::check() const {
    if (!strays_.empty()) refuse(kernels_.find_stray(places_.data()), strays_);
}

namespace {

/// The descriptor of a sum with lookups, and what it refers to.
struct described_lookup_sum {
    described_lookup_sum(const plan::program_plan& plan, const plan::lookup_sum_step& s) {
        const auto lookup = [&](const plan::planned_lookup& l) {
            return steps::lookup{plan.type_of(l.numbers.use.slot), l.numbers.at, l.stride, l.extent,
                                 l.may_stray};
        };
        for (const auto& f : s.factors) {
            auto& all = lookups.emplace_back();
            for (const auto& l : f.lookups) all.push_back(lookup(l));
        }
        what.type = plan.type_of(s.out.use.slot);
        what.adds = s.adds;
        what.by = s.by;
        what.scaled = !s.scale.is(1);
        what.extents = s.extents;
        what.free = s.free;
        what.out = s.out.at;
        for (std::size_t k = 0; k < s.factors.size(); ++k)
            factors.push_back({s.factors[k].from.at, lookups[k]});
        what.factors = factors;
        if (s.scattered.empty()) return;
        scattered = lookup(s.scattered[0]);
        what.scattered = &scattered;
    }
    described_lookup_sum(const described_lookup_sum&) = delete;
    described_lookup_sum& operator=(const described_lookup_sum&) = delete;

    steps::lookup_sum what;
    std::vector<std::vector<steps::lookup>> lookups;
    std::vector<steps::lookup_sum::factor> factors;
    steps::lookup scattered;
};

}  // namespace

ready_lookup_sum::ready_lookup_sum(const plan::program_plan& plan, const planned& s)
    : ready_lookup_sum(plan, s, described_lookup_sum(plan, s).what) {}

ready_lookup_sum::ready_lookup_sum(const plan::program_plan& plan, const planned& s,
                                   const steps::lookup_sum& what)
    : kernels_(what),
      grouped_(grouped_lookups::of(what)),
      type_(plan.type_of(s.out.use.slot)),
      in_(s.factors.size()),
      scale_(s.scale) {
    for (const auto& f : s.factors)
        for (const auto& l : f.lookups) strays_.push_back(l.words);
    // [v = x_i] is 0 for a number that is no place
    places_.resize(strays_.size() + s.scattered.size());
}

void ready_lookup_sum::bind(const plan_memory& memory, const planned& s) {
    out_ = memory.base(s.out.use.slot);
    std::size_t number = 0;
    for (std::size_t k = 0; k < s.factors.size(); ++k) {
        in_[k] = memory.base(s.factors[k].from.use.slot);
        for (const auto& l : s.factors[k].lookups)
            places_[number++] = memory.base(l.numbers.use.slot);
    }
    for (const auto& l : s.scattered) places_[number++] = memory.base(l.numbers.use.slot);
    memory.bind(scale_, s.scale);
}

void ready_lookup_sum::run() {
    if (!checked_before_) check();
    const double scale = scale_.evaluate(type_).real;
    if (grouped_) grouped_->run(out_, in_.data(), places_.data(), scale);
    else kernels_.run(out_, in_.data(), places_.data(), scale);
}

void ready_lookup_sum::check() const {
    if (!strays_.empty()) refuse(kernels_.find_stray(places_.data()), strays_);
}

void ready_numbers::add(const std::vector<plan::scalar>& numbers) {
    for (const auto& number : numbers) programs_.emplace_back(number);
    values_.resize(programs_.size());
}

std::size_t ready_numbers::bind(const plan_memory& memory, const std::vector<plan::scalar>& numbers,
                                std::size_t first) {
    for (const auto& number : numbers) memory.bind(programs_[first++], number);
    return first;
}

const double* ready_numbers::evaluate() {
    for (std::size_t k = 0; k < programs_.size(); ++k)
        values_[k] = programs_[k].evaluate(type_).real;
    return values_.data();
}

ready_group::ready_group(const plan::program_plan& plan, const planned& s)
    : kernels_(s.group), bases_(s.uses.size()), numbers_(plan.computed_type()) {
    numbers_.add(s.numbers);
}

void ready_group::bind(const plan_memory& memory, const planned& s) {
    memory.bind(bases_, s.uses);
    numbers_.bind(memory, s.numbers);
}

ready_joined::ready_joined(const plan::program_plan& plan, const planned& s) {
    std::vector<contractions::joinable> joinable;
    parts_.reserve(s.parts.size());
    for (const auto& part : s.parts) {
        parts_.emplace_back(plan, part.what);
        joinable.push_back({&parts_.back().how(), part.common == plan::shared_operand::b});
    }
    together_ = parts_[0].how().join(joinable);
    bound_.resize(parts_.size());
}

void ready_joined::bind(const plan_memory& memory, const planned& s) {
    for (std::size_t k = 0; k < parts_.size(); ++k) parts_[k].bind(memory, s.parts[k].what);
}

void ready_joined::run() {
    if (!together_) {
        for (auto& part : parts_) part.run();
        return;
    }
    for (std::size_t k = 0; k < parts_.size(); ++k) bound_[k] = parts_[k].bound();
    together_->run(bound_);
}

void ready_joined::list_loans(runtime::loan_book& to) const {
    if (together_) to.add_step(together_->loans());
    else
        for (const auto& part : parts_) part.list_loans(to);
}

std::string ready_joined::words(std::size_t part) const {
    if (!together_ || part > 0) return parts_[part].words();
    return fmt::format("packed once for {} contractions, from here on", parts_.size());
}

ready_chained::way ready_chained::choose(const plan::program_plan& plan, const planned& s) {
    std::vector<steps::row_dot> sums;
    for (const auto& sum : s.between) sums.push_back(sum.of_rows);
    fused::prepared_chain kernels(
        steps::fused_chain{s.first.group, s.operands, sums, s.second.group, s.kept});
    if (kernels.is_suitable()) {
        together made{std::move(kernels), {}, ready_numbers(plan.computed_type())};
        made.bases.resize(s.first.uses.size() + s.operands.size() + s.second.uses.size());
        made.numbers.add(s.first.numbers);
        made.numbers.add(s.second.numbers);
        return made;
    }
    apart made{{plan, s.first}, {}, {plan, s.second}};
    for (const auto& sum : s.between) made.between.emplace_back(plan, sum.alone);
    return made;
}

ready_chained::ready_chained(const plan::program_plan& plan, const planned& s)
    : how_(choose(plan, s)) {}

void ready_chained::bind(const plan_memory& memory, const planned& s) {
    if (auto* one = std::get_if<together>(&how_)) {
        auto base = one->bases.begin();
        const auto bind = [&](const auto& uses) {
            for (const auto& use : uses) *base++ = memory.base(use.slot);
        };
        bind(s.first.uses);
        for (const auto& sum : s.between) bind(sum.uses);
        bind(s.second.uses);
        one->numbers.bind(memory, s.second.numbers, one->numbers.bind(memory, s.first.numbers));
        return;
    }
    auto& parts = std::get<apart>(how_);
    parts.first.bind(memory, s.first);
    for (std::size_t k = 0; k < parts.between.size(); ++k)
        parts.between[k].bind(memory, s.between[k].alone);
    parts.second.bind(memory, s.second);
}

void ready_chained::run() {
    if (auto* one = std::get_if<together>(&how_)) {
        one->kernels.run(one->bases.data(), one->numbers.evaluate());
        return;
    }
    auto& parts = std::get<apart>(how_);
    parts.first.run();
    for (auto& sum : parts.between) sum.run();
    parts.second.run();
}

void ready_chained::list_loans(runtime::loan_book& to) const {
    if (const auto* one = std::get_if<together>(&how_)) return to.add_step(one->kernels.loans());
    const auto& parts = std::get<apart>(how_);
    parts.first.list_loans(to);
    parts.second.list_loans(to);
}

std::string ready_chained::words(std::size_t part) const {
    if (const auto* one = std::get_if<together>(&how_))
        return part == 0 ? one->kernels.describe() : "together with the steps above";
    const auto& parts = std::get<apart>(how_);
    if (part == 0) return parts.first.words();
    return part <= parts.between.size() ? ready_map::words() : parts.second.words();
}

ready_step prepare(const plan::program_plan& plan, const plan::compiled_step& step) {
    const auto by_kind = [&]<class Planned>(const Planned& s) -> ready_step {
        if constexpr (std::is_same_v<Planned, plan::contraction_step>)
            return ready_contraction(plan, s);
        else if constexpr (std::is_same_v<Planned, plan::algebra_step>)
            return ready_algebra(plan, s);
        else if constexpr (std::is_same_v<Planned, plan::tie_step>) return ready_ties(plan, s);
        else if constexpr (std::is_same_v<Planned, plan::map_step>) return ready_map(plan, s);
        else if constexpr (std::is_same_v<Planned, plan::gather_step>) return ready_gather(plan, s);
        else if constexpr (std::is_same_v<Planned, plan::lookup_sum_step>)
            return ready_lookup_sum(plan, s);
        else if constexpr (std::is_same_v<Planned, plan::extremum_step>)
            return ready_extremum(plan, s);
        else if constexpr (std::is_same_v<Planned, plan::scan_step>) return ready_scan(plan, s);
        else if constexpr (std::is_same_v<Planned, plan::matrix_step>) return ready_matrix(plan, s);
        else if constexpr (std::is_same_v<Planned, plan::fused_step>) return ready_group(plan, s);
        else if constexpr (std::is_same_v<Planned, plan::joined_step>) return ready_joined(plan, s);
        else return ready_chained(plan, s);
    };
    return std::visit(by_kind, step);
}

}  // namespace ricci::engine
