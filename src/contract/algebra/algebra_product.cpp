// A product in another algebra, prepared once and run many times: what is done before and how.
#include "src/contract/algebra/algebra_product.hpp"

#include <limits>
#include <utility>
#include <vector>

#include <ricci/error.hpp>

#include "src/contract/algebra/algebra_groups.hpp"
#include "src/contract/algebra/line_folds.hpp"
#include "src/contract/algebra/lone_fold.hpp"
#include "src/contract/algebra/packed_extrema.hpp"
#include "src/contract/algebra/shifted_product.hpp"
#include "src/contract/algebra/split_sum.hpp"
#include "src/contract/empty_sum.hpp"
#include "src/kernels/algebra/extrema.hpp"
#include "src/kernels/algebra/logsumexp.hpp"
#include "src/runtime/buffers.hpp"

namespace ricci::contractions {
namespace {

using steps::sum_algebra;

// C of sums of nothing; or nothing at all.
template <class T>
class nothing_folded final : public algebra_strategy<T> {
public:
    nothing_folded(const steps::algebra_product& what)
        : none_(what.algebra == sum_algebra::minimum ? std::numeric_limits<T>::infinity()
                                                     : -std::numeric_limits<T>::infinity()) {
        for (const auto& loops : {what.batch, what.m, what.n})
            loops_.insert(loops_.end(), loops.begin(), loops.end());
    }
    void run(const algebra_operands<T>& given) const override {
        if (given.joins) return;
        for (std::int64_t i = 0, count = iterations(loops_); i < count; ++i) {
            const std::int64_t at = locate(loops_, i).c;
            given.c[at] = none_;
            if (given.places != nullptr) given.places[at] = -1;
        }
    }
    const char* name() const override { return "sums of nothing"; }

private:
    T none_;
    loop_list loops_;
};

template <class T>
std::unique_ptr<const algebra_strategy<T>> extremum_strategy(const steps::algebra_product& what) {
    const kernels::extremum_table<T>& table = what.algebra == sum_algebra::maximum
                                                  ? kernels::maximum_kernels<T>()
                                                  : kernels::minimum_kernels<T>();
    const index_groups groups = make_algebra_groups(what, table.lanes);
    if (suits_packed_extrema(groups, what.places))
        return std::make_unique<const packed_extrema<T>>(groups, table);
    return std::make_unique<const line_folds<T>>(
        groups, fold_kernels<T>{table.line, table.along, table.lanes}, what.places);
}

template <class T>
std::unique_ptr<const algebra_strategy<T>> logsumexp_strategy(const steps::algebra_product& what) {
    const kernels::logsumexp_table<T>& table = kernels::logsumexp_kernels<T>();
    const index_groups groups = make_algebra_groups(what, table.lanes);
    if (suits_shifted_product(groups))
        return std::make_unique<const shifted_product<T>>(groups, table);
    fold_kernels<T> folds{table.line, table.along, table.lanes};
    return std::make_unique<const line_folds<T>>(groups, folds, false);
}

template <class T>
std::unique_ptr<const algebra_strategy<T>> choose_algebra_strategy(
    const steps::algebra_product& what) {
    for (const auto& loops : {what.batch, what.m, what.n, what.k})
        for (const steps::contraction_loop& loop : loops)
            if (loop.extent == 0) return std::make_unique<const nothing_folded<T>>(what);
    if (suits_split_sum(what)) {
        const auto choose = [](const steps::algebra_product& part) {
            return choose_algebra_strategy<T>(part);
        };
        return std::make_unique<const split_sum<T>>(what, choose);
    }
    if (what.algebra == sum_algebra::logsumexp) return logsumexp_strategy<T>(what);
    return extremum_strategy<T>(what);
}

// An operand as it is given, or folded first.
template <class T>
class prepared_operand {
public:
    prepared_operand(const lone_fold& fold, const steps::algebra_product& what)
        : elements_(static_cast<std::size_t>(fold.elements)) {
        if (!fold.folded.empty()) how_ = choose_algebra_strategy<T>(fold.product(what));
    }
    std::size_t bytes() const { return how_ ? elements_ * sizeof(T) : 0; }
    const T* prepare(const T* given, T* memory) const {
        if (!how_) return given;
        // The other operand is the one of the algebra's product: added, it changes nothing.
        const T one = 0;
        algebra_operands<T> fold;
        fold.a = given;
        fold.b = &one;
        fold.c = memory;
        how_->run(fold);
        return memory;
    }
    void add_loans(runtime::loan_list& to) const {
        if (!how_) return;
        to.push_back({bytes(), 1});
        for (const runtime::loan& loan : how_->loans()) to.push_back(loan);
    }
    const char* words() const { return how_ ? "an operand folded first, " : ""; }

private:
    std::unique_ptr<const algebra_strategy<T>> how_;
    std::size_t elements_;
};

template <class T>
class typed_runner final : public algebra_runner {
public:
    explicit typed_runner(const steps::algebra_product& what)
        : typed_runner(what, folds_of(what)) {}
    void run(const void* a, const void* b, void* c, place* places, bool joins,
             place first_place) const override {
        algebra_operands<T> given{static_cast<const T*>(a),
                                  static_cast<const T*>(b),
                                  static_cast<T*>(c),
                                  counts_ ? places : nullptr,
                                  joins,
                                  first_place};
        if (a_.bytes() == 0 && b_.bytes() == 0) {
            how_->run(given);
            return;
        }
        const runtime::lent_memory a_folds(a_.bytes()), b_folds(b_.bytes());
        given.a = a_.prepare(given.a, reinterpret_cast<T*>(a_folds.data()));
        given.b = b_.prepare(given.b, reinterpret_cast<T*>(b_folds.data()));
        how_->run(given);
    }
    runtime::loan_list loans() const override {
        runtime::loan_list all = how_->loans();
        a_.add_loans(all);
        b_.add_loans(all);
        return all;
    }
    std::string words() const override {
        return std::string(a_.words()) + b_.words() + how_->name();
    }

private:
    struct folds {
        algebra_loops loops;
        lone_fold a, b;
    };
    static folds folds_of(const steps::algebra_product& what) {
        folds made{algebra_loops(what), {}, {}};
        // Places are those of all of k, in one order.
        if (what.places) return made;
        made.a = take_lone_loops(made.loops, operand_side::a);
        made.b = take_lone_loops(made.loops, operand_side::b);
        return made;
    }
    typed_runner(const steps::algebra_product& what, const folds& made)
        : a_(made.a, what),
          b_(made.b, what),
          how_(choose_algebra_strategy<T>(made.loops.product(what))),
          counts_(what.places) {}

    prepared_operand<T> a_, b_;
    std::unique_ptr<const algebra_strategy<T>> how_;
    bool counts_;
};

void check_algebra_product(const steps::algebra_product& what) {
    if (what.type != element::f32 && what.type != element::f64)
        throw error("ricci: products with maximum, minimum or logsumexp are of float or double.");
    if (!what.places) return;
    if (what.algebra == sum_algebra::logsumexp)
        throw error(
            "ricci: a logsumexp has no place; the places are those of a maximum or minimum.");
    double places = 1;
    for (const steps::contraction_loop& loop : what.k) places *= static_cast<double>(loop.extent);
    if (places > std::numeric_limits<place>::max())
        throw error("ricci: places of extrema are counted up to 2^31 - 1, and there are more.");
}

}  // namespace

prepared_algebra_product::prepared_algebra_product(const steps::algebra_product& what) {
    check_algebra_product(what);
    if (what.type == element::f32) how_ = std::make_unique<const typed_runner<float>>(what);
    else how_ = std::make_unique<const typed_runner<double>>(what);
}

}  // namespace ricci::contractions
