// The steps of a plan with their kernels, and the addresses of their operands: one class for each
// kind of step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "src/contract/algebra/algebra_product.hpp"
#include "src/contract/algebra/tie_sum.hpp"
#include "src/contract/contraction.hpp"
#include "src/engine/grouped_lookups.hpp"
#include "src/engine/ready_matrix.hpp"
#include "src/engine/scalar_program.hpp"
#include "src/fused/group.hpp"
#include "src/index/extremum_place.hpp"
#include "src/index/gather.hpp"
#include "src/index/lookup_sum.hpp"
#include "src/index/row_offsets.hpp"
#include "src/map/map.hpp"
#include "src/plan/schedule/plan.hpp"
#include "src/runtime/loans.hpp"
#include "src/scan/scan.hpp"

namespace ricci::engine {

/// Where the tensors of a plan are.
class plan_memory {
public:
    /// `pass`: of the steps that run several times.
    plan_memory(const plan::program_plan& plan, std::byte* workspace, std::int64_t pass = 0)
        : plan_(plan), workspace_(workspace), pass_(pass) {}

    /// Null for what is no tensor.
    std::byte* base(plan::slot_number number) const {
        if (!number) return nullptr;
        const auto& slot = plan_.slots[number.index()];
        if (slot.kind == plan::storage::workspace) return workspace_ + slot.workspace_offset;
        if (slot.kind == plan::storage::window) return base_of(slot);
        return static_cast<std::byte*>(slot.data);
    }
    std::byte* element(plan::slot_number number, std::int64_t offset) const {
        return base(number) + offset * static_cast<std::int64_t>(size_of(plan_.type_of(number)));
    }
    template <class Uses>
    void bind(std::vector<void*>& bases, const Uses& uses) const {
        for (std::size_t k = 0; k < uses.size(); ++k) bases[k] = base(uses[k].slot);
    }
    void bind(scalar_program& number, const plan::scalar& from) const;

private:
    std::byte* base_of(const plan::slot& window) const;

    const plan::program_plan& plan_;
    std::byte* workspace_;
    std::int64_t pass_;
};

// Each is made of a step of a plan, is bound to memory, then runs, any number of times, and says
// how it does that where it is worth telling. Running allocates nothing while its loans are held:
// it writes them into a book.

class ready_contraction {
public:
    using planned = plan::contraction_step;
    ready_contraction(const plan::program_plan& plan, const planned& s);
    void bind(const plan_memory& memory, const planned& s);
    void run();
    void list_loans(runtime::loan_book& to) const;
    std::string words(std::size_t = 0) const { return kernels_.words(); }

    const contractions::strategy& how() const { return kernels_.how(); }
    contractions::bound_contraction bound();
    /// Calls of kernels that do the same as run(); none where it takes more than such.
    std::vector<contractions::product_call> calls();

    // As of a gather.
    void check() const;
    bool has_stray() const { return a_.has_stray() || b_.has_stray(); }
    void check_before_all() { checked_before_ = true; }

private:
    /// An operand, and the numbers that it is looked up with, if there are any.
    struct operand {
        operand(const plan::program_plan& plan, const planned& s, bool is_b);
        void bind(const plan_memory& memory, const planned& s, bool is_b);
        elementwise::stray_number find_stray() const;
        bool has_stray() const;
        std::size_t list_bytes() const;
        std::size_t zero_bytes() const;
        /// Writes the list, and zeros where rows that are nowhere are read.
        void fill(std::int64_t* to, std::byte* zeros) const;

        const void* base = nullptr;
        std::optional<elementwise::row_offsets> rows;
        steps::listed_operand list;
        // What loops add to where a row begins.
        std::int64_t least = 0, most = 0;
        std::size_t element_bytes = 0;
        std::vector<const void*> places;
        std::vector<std::string> strays;
    };
    std::size_t lent_bytes() const;
    static contractions::prepared_contraction kernels(const plan::program_plan& plan,
                                                      const planned& s, const operand& a,
                                                      const operand& b);

    element type_;
    operand a_, b_;
    contractions::prepared_contraction kernels_;
    void* c_ = nullptr;
    scalar_program alpha_;
    double beta_ = 0;
    bool checked_before_ = false;
};

class ready_algebra {
public:
    using planned = plan::algebra_step;
    ready_algebra(const plan::program_plan& plan, const planned& s);
    void bind(const plan_memory& memory, const planned& s);
    void run() { kernels_.run(a_, b_, c_); }
    void list_loans(runtime::loan_book& to) const { to.add_step(kernels_.loans()); }
    std::string words(std::size_t = 0) const { return kernels_.words(); }

private:
    contractions::prepared_algebra_product kernels_;
    const void *a_ = nullptr, *b_ = nullptr;
    void* c_ = nullptr;
};

class ready_ties {
public:
    using planned = plan::tie_step;
    ready_ties(const plan::program_plan& plan, const planned& s);
    void bind(const plan_memory& memory, const planned& s);
    void run() { kernels_.run(operands_); }
    static void list_loans(runtime::loan_book&) {}
    static std::string words(std::size_t = 0) { return "packed tiles"; }

private:
    contractions::prepared_tie_sum kernels_;
    contractions::tie_operands operands_;
};

class ready_map {
public:
    using planned = plan::map_step;
    ready_map(const plan::program_plan& plan, const planned& s);
    void bind(const plan_memory& memory, const planned& s) { memory.bind(bases_, s.uses); }
    void run() { kernels_.run(bases_.data()); }
    void list_loans(runtime::loan_book& to) const { to.add_step(kernels_.loans()); }
    static std::string words(std::size_t = 0) { return {}; }

private:
    elementwise::prepared_map kernels_;
    std::vector<void*> bases_;
};

class ready_gather {
public:
    using planned = plan::gather_step;
    ready_gather(const plan::program_plan& plan, const planned& s);
    void bind(const plan_memory& memory, const planned& s);
    void run();
    static void list_loans(runtime::loan_book&) {}
    static std::string words(std::size_t = 0) { return {}; }

    /// Throws ricci::error for a number that is wanted and no place of its axis.
    void check() const;
    /// Whether there is a number that is no place, wanted or not.
    bool has_stray() const { return kernels_.has_stray(places_.data()); }
    /// It is checked before the first step runs, and not again.
    void check_before_all() { checked_before_ = true; }

private:
    elementwise::prepared_gather kernels_;
    void* out_ = nullptr;
    const void* in_ = nullptr;
    std::vector<const void*> places_;  // of lookups, then of the condition
    std::vector<std::string> strays_;  // what to say of a number that is no place
    bool checked_before_ = false;
};

class ready_lookup_sum {
public:
    using planned = plan::lookup_sum_step;
    ready_lookup_sum(const plan::program_plan& plan, const planned& s);
    void bind(const plan_memory& memory, const planned& s);
    void run();
    void list_loans(runtime::loan_book& to) const {
        to.add_step(grouped_ ? grouped_->loans() : kernels_.loans());
    }
    std::string words(std::size_t = 0) const {
        return grouped_ ? grouped_->words() : std::string();
    }

    // As of a gather.
    void check() const;
    bool has_stray() const { return kernels_.find_stray(places_.data()).found(); }
    void check_before_all() { checked_before_ = true; }

private:
    ready_lookup_sum(const plan::program_plan& plan, const planned& s,
                     const steps::lookup_sum& what);

    elementwise::prepared_lookup_sum kernels_;
    std::unique_ptr<const grouped_lookups> grouped_;  // or none; numbers are checked by the other
    element type_;
    void* out_ = nullptr;
    std::vector<const void*> in_;
    std::vector<const void*> places_;  // of lookups, then of what is scattered
    std::vector<std::string> strays_;
    scalar_program scale_;
    bool checked_before_ = false;
};

class ready_extremum {
public:
    using planned = plan::extremum_step;
    ready_extremum(const plan::program_plan& plan, const planned& s)
        : kernels_(steps::extremum_place{plan.type_of(s.in.use.slot), s.largest, s.extents,
                                         s.out.at, s.in.at}) {}
    void bind(const plan_memory& memory, const planned& s) {
        in_ = memory.base(s.in.use.slot);
        out_ = memory.base(s.out.use.slot);
    }
    void run() { kernels_.run(static_cast<std::int32_t*>(out_), in_); }
    static void list_loans(runtime::loan_book&) {}
    static std::string words(std::size_t = 0) { return {}; }

private:
    elementwise::prepared_extremum_place kernels_;
    void* out_ = nullptr;
    const void* in_ = nullptr;
};

class ready_scan {
public:
    using planned = plan::scan_step;
    ready_scan(const plan::program_plan& plan, const planned& s)
        : kernels_(steps::scan{plan.type_of(s.to.slot), s.folding, s.backwards, s.extents, s.along,
                               s.out, s.in, s.decays(), s.decay, s.logarithms}) {}
    void bind(const plan_memory& memory, const planned& s) {
        in_ = memory.base(s.from.slot);
        out_ = memory.base(s.to.slot);
        if (s.decays()) decay_ = memory.base(s.decayed_by.slot);
    }
    void run() { kernels_.run(out_, in_, decay_); }
    static void list_loans(runtime::loan_book&) {}
    static std::string words(std::size_t = 0) { return {}; }

private:
    elementwise::prepared_scan kernels_;
    void* out_ = nullptr;
    const void *in_ = nullptr, *decay_ = nullptr;
};

/// Numbers that are computed when a step runs, in the order in which they are added.
class ready_numbers {
public:
    explicit ready_numbers(element type) : type_(type) {}
    void add(const std::vector<plan::scalar>& numbers);
    /// Those from number `first` on. Returns the number of the next one.
    std::size_t bind(const plan_memory& memory, const std::vector<plan::scalar>& numbers,
                     std::size_t first = 0);
    const double* evaluate();

private:
    element type_;
    std::vector<scalar_program> programs_;
    std::vector<double> values_;
};

class ready_group {
public:
    using planned = plan::fused_step;
    ready_group(const plan::program_plan& plan, const planned& s);
    void bind(const plan_memory& memory, const planned& s);
    void run() { kernels_.run(bases_.data(), numbers_.evaluate()); }
    void list_loans(runtime::loan_book& to) const { to.add_step(kernels_.loans()); }
    std::string words(std::size_t = 0) const { return kernels_.describe(); }

private:
    fused::prepared_group kernels_;
    std::vector<void*> bases_;
    ready_numbers numbers_;
};

/// Contractions with a common operand: in one pass over it where that saves work, otherwise one
/// after another.
class ready_joined {
public:
    using planned = plan::joined_step;
    ready_joined(const plan::program_plan& plan, const planned& s);
    void bind(const plan_memory& memory, const planned& s);
    void run();
    void list_loans(runtime::loan_book& to) const;
    std::string words(std::size_t part) const;

private:
    std::vector<ready_contraction> parts_;
    std::unique_ptr<const contractions::joined_strategy> together_;
    std::vector<contractions::bound_contraction> bound_;
};

/// A chain: by blocks of rows where that pays, otherwise its parts one after another.
class ready_chained {
public:
    using planned = plan::chained_step;
    ready_chained(const plan::program_plan& plan, const planned& s);
    void bind(const plan_memory& memory, const planned& s);
    void run();
    void list_loans(runtime::loan_book& to) const;
    std::string words(std::size_t part) const;

private:
    struct together {
        fused::prepared_chain kernels;
        std::vector<void*> bases;
        ready_numbers numbers;
    };
    struct apart {
        ready_group first;
        std::vector<ready_map> between;
        ready_group second;
    };
    using way = std::variant<together, apart>;
    static way choose(const plan::program_plan& plan, const planned& s);

    way how_;
};

using ready_step = std::variant<ready_contraction, ready_algebra, ready_ties, ready_map,
                                ready_gather, ready_lookup_sum, ready_extremum, ready_scan,
                                ready_matrix, ready_group, ready_joined, ready_chained>;

ready_step prepare(const plan::program_plan& plan, const plan::compiled_step& s);

}  // namespace ricci::engine
