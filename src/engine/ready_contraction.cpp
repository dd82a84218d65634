// Contractions with their kernels, and the lists of rows that they are read through.
#include <algorithm>
#include <cstring>
#include <span>

#include "src/engine/ready_steps.hpp"
#include "src/engine/stray_words.hpp"
#include "src/runtime/buffers.hpp"

namespace ricci::engine {
namespace {

using plan::contraction_step;

// Zeros begin as far beside a multiple of the size of an element as the operand does.
constexpr std::size_t most_element_bytes = 16;

const plan::product_operand& operand_of(const contraction_step& s, bool is_b) {
    return is_b ? s.b : s.a;
}

// Of the loops of batch, m, n and k; 1 for those that an operand has not.
std::vector<std::int64_t> extents_for(const contraction_step& s, bool is_b) {
    std::vector<std::int64_t> extents;
    const auto* const lacks = is_b ? &s.m : &s.n;
    for (const auto* const group : s.groups())
        for (const auto& loop : *group) extents.push_back(group == lacks ? 1 : loop.extent);
    return extents;
}

}  // namespace

ready_contraction::operand::operand(const plan::program_plan& plan, const planned& s, bool is_b) {
    const auto& lookups = operand_of(s, is_b).lookups;
    const auto& wanted = operand_of(s, is_b).wanted;
    if (lookups.empty()) return;
    std::vector<steps::lookup> all;
    for (const auto& l : lookups) {
        all.push_back(
            {plan.type_of(l.numbers.use.slot), l.numbers.at, l.stride, l.extent, l.may_stray});
        strays.push_back(l.words);
    }
    if (wanted.use.slot) {
        const elementwise::row_offsets::condition holds{plan.type_of(wanted.use.slot), wanted.at};
        rows.emplace(all, extents_for(s, is_b), &holds);
        places.resize(all.size() + 1);
    } else {
        rows.emplace(all, extents_for(s, is_b));
        places.resize(all.size());
    }
    list = {rows->length(), rows->factors()};
    element_bytes = size_of(plan.type_of(s.c.slot));
    for (const auto* const group : s.groups())
        for (const auto& loop : *group) {
            const std::int64_t reach = (is_b ? loop.b : loop.a) * (loop.extent - 1);
            (reach < 0 ? least : most) += reach;
        }
}

void ready_contraction::operand::bind(const plan_memory& memory, const planned& s, bool is_b) {
    const auto& from = operand_of(s, is_b);
    base = memory.element(from.slot, from.offset);
    const auto& lookups = from.lookups;
    for (std::size_t l = 0; l < lookups.size(); ++l)
        places[l] = memory.base(lookups[l].numbers.use.slot);
    if (places.size() > lookups.size()) places.back() = memory.base(from.wanted.use.slot);
}

elementwise::stray_number ready_contraction::operand::find_stray() const {
    return rows ? rows->find_stray(places.data()) : elementwise::stray_number{};
}

bool ready_contraction::operand::has_stray() const {
    return rows && rows->has_stray(places.data());
}

// Of a row that is nowhere: what is read around its beginning, and room to begin it right.
std::size_t ready_contraction::operand::zero_bytes() const {
    if (!rows || !rows->may_exclude() || rows->length() == 0) return 0;
    return static_cast<std::size_t>(most - least + 1) * element_bytes + most_element_bytes;
}

// A row that is nowhere begins in these zeros: a list may say any place in memory.
void ready_contraction::operand::fill(std::int64_t* to, std::byte* zeros) const {
    if (!rows) return;
    std::int64_t nowhere = 0;
    if (zero_bytes() > 0) {
        std::memset(zeros, 0, zero_bytes());
        const auto from = reinterpret_cast<std::intptr_t>(base);
        const auto size = static_cast<std::intptr_t>(element_bytes);
        auto begin = reinterpret_cast<std::intptr_t>(zeros);
        begin += ((from - begin) % size + size) % size;
        nowhere = (begin - from) / size - least;
    }
    rows->fill(places.data(), nowhere, to);
}

std::size_t ready_contraction::operand::list_bytes() const {
    return rows ? static_cast<std::size_t>(rows->length()) * sizeof(std::int64_t) : 0;
}

contractions::prepared_contraction ready_contraction::kernels(const plan::program_plan& plan,
                                                              const planned& s, const operand& a,
                                                              const operand& b) {
    steps::contraction what{plan.type_of(s.c.slot), s.batch,        s.m,       s.n,      s.k,
                            s.a.conjugated,         s.b.conjugated, s.a.edges, s.b.edges};
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
      beta_(s.beta) {}

void ready_contraction::bind(const plan_memory& memory, const planned& s) {
    a_.bind(memory, s, false);
    b_.bind(memory, s, true);
    c_ = memory.element(s.c.slot, s.c.offset);
    memory.bind(alpha_, s.alpha);
}

std::size_t ready_contraction::lent_bytes() const {
    return a_.list_bytes() + b_.list_bytes() + a_.zero_bytes() + b_.zero_bytes();
}

void ready_contraction::list_loans(runtime::loan_book& to) const {
    runtime::loan_list all = how().loans();
    if (a_.rows || b_.rows) all.push_back({lent_bytes()});
    to.add_step(all);
}

void ready_contraction::check() const {
    for (const operand* const one : {&a_, &b_}) refuse(one->find_stray(), one->strays);
}

contractions::bound_contraction ready_contraction::bound() {
    return {a_.base, b_.base, c_, alpha_.evaluate(type_), beta_};
}

std::vector<contractions::product_call> ready_contraction::calls() {
    if (a_.rows || b_.rows || !alpha_.is_constant()) return {};
    return how().calls(alpha_.evaluate(type_), beta_);
}

void ready_contraction::run() {
    if (!a_.rows && !b_.rows) return kernels_.run(bound());
    if (!checked_before_) check();
    const runtime::lent_memory memory(lent_bytes());
    auto* const list_a = reinterpret_cast<std::int64_t*>(memory.data());
    std::int64_t* const list_b = list_a + a_.list_bytes() / sizeof(std::int64_t);
    std::byte* const zeros = memory.data() + a_.list_bytes() + b_.list_bytes();
    a_.fill(list_a, zeros);
    b_.fill(list_b, zeros + a_.zero_bytes());
    auto of = bound();
    of.a_list = list_a;
    of.b_list = list_b;
    kernels_.run(of);
}

}  // namespace ricci::engine
