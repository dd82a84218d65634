// Contractions with their kernels, and the lists of rows that they are read through.
#include <algorithm>
#include <span>

#include "src/engine/ready_steps.hpp"
#include "src/engine/stray_words.hpp"
#include "src/runtime/buffers.hpp"

namespace ricci::engine {
namespace {

using plan::contraction_step;

const std::vector<plan::planned_lookup>& lookups_of(const contraction_step& s, bool is_b) {
    return is_b ? s.b_lookups : s.a_lookups;
}

// Of the loops of batch, m, n and k; 1 for those that an operand has not.
std::vector<std::int64_t> extents_for(const contraction_step& s, bool is_b) {
    std::vector<std::int64_t> extents;
    const auto* const lacks = is_b ? &s.m : &s.n;
    for (const auto* const group : {&s.batch, &s.m, &s.n, &s.k})
        for (const auto& loop : *group) extents.push_back(group == lacks ? 1 : loop.extent);
    return extents;
}

}  // namespace

ready_contraction::operand::operand(const plan::program_plan& plan, const planned& s, bool is_b) {
    const auto& lookups = lookups_of(s, is_b);
    if (lookups.empty()) return;
    std::vector<steps::lookup> all;
    for (const auto& l : lookups) {
        all.push_back({plan.type_of(l.numbers.use.slot), l.numbers.at, l.stride, l.extent});
        strays.push_back(l.words);
    }
    rows.emplace(all, extents_for(s, is_b));
    list = {rows->length(), rows->factors()};
    places.resize(all.size());
}

void ready_contraction::operand::bind(const plan_memory& memory, const planned& s, bool is_b) {
    base = is_b ? memory.element(s.b.slot, s.b_offset) : memory.element(s.a.slot, s.a_offset);
    for (std::size_t l = 0; l < places.size(); ++l)
        places[l] = memory.base(lookups_of(s, is_b)[l].numbers.use.slot);
}

elementwise::stray_number ready_contraction::operand::find_stray() const {
    return rows ? rows->find_stray(places.data()) : elementwise::stray_number{};
}

std::size_t ready_contraction::operand::list_bytes() const {
    return rows ? static_cast<std::size_t>(rows->length()) * sizeof(std::int64_t) : 0;
}

contractions::prepared_contraction ready_contraction::kernels(const plan::program_plan& plan,
                                                              const planned& s, const operand& a,
                                                              const operand& b) {
    steps::contraction what{plan.type_of(s.c.slot), s.batch,       s.m,       s.n,      s.k,
                            s.conjugate_a,          s.conjugate_b, s.a_edges, s.b_edges};
    if (a.rows) what.a_list = &a.list;
    if (b.rows) what.b_list = &b.list;
    return contractions::prepared_contraction(what);
}

ready_contraction::ready_contraction(const plan::program_plan& plan, const planned& s)
    : type_(plan.type),
      a_(plan, s, false),
      b_(plan, s, true),
      kernels_(kernels(plan, s, a_, b_)),
      alpha_(s.alpha),
      beta_(s.beta) {
    by_calls_ = !a_.rows && !b_.rows && alpha_.is_constant() && how().calls() > 0;
    calls_.reserve(by_calls_ ? how().calls() : 0);
}

void ready_contraction::bind(const plan_memory& memory, const planned& s) {
    a_.bind(memory, s, false);
    b_.bind(memory, s, true);
    c_ = memory.element(s.c.slot, s.c_offset);
    memory.bind(alpha_, s.alpha);
    if (!by_calls_) return;
    calls_.clear();
    how().list_calls(bound(), calls_);
}

void ready_contraction::list_loans(runtime::loan_book& to) const {
    runtime::loan_list all = how().loans();
    if (a_.rows || b_.rows) all.push_back({a_.list_bytes() + b_.list_bytes()});
    to.add_step(all);
}

void ready_contraction::check() const {
    for (const operand* const one : {&a_, &b_}) refuse(one->find_stray(), one->strays);
}

contractions::bound_contraction ready_contraction::bound() {
    return {a_.base, b_.base, c_, alpha_.evaluate(type_), beta_};
}

void ready_contraction::run() {
    if (by_calls_) {
        for (const auto& call : calls_) call();
        return;
    }
    if (!a_.rows && !b_.rows) return kernels_.run(bound());
    if (!checked_before_) check();
    const runtime::lent_memory memory(a_.list_bytes() + b_.list_bytes());
    auto* const list_a = reinterpret_cast<std::int64_t*>(memory.data());
    std::int64_t* const list_b = list_a + a_.list_bytes() / sizeof(std::int64_t);
    if (a_.rows) a_.rows->fill(a_.places.data(), list_a);
    if (b_.rows) b_.rows->fill(b_.places.data(), list_b);
    auto of = bound();
    of.a_list = list_a;
    of.b_list = list_b;
    kernels_.run(of);
}

}  // namespace ricci::engine
