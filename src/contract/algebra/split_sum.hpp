// Few elements of many terms, in parts of k that are folded first and shared out among the threads.
// How k is cut depends on the loops alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "src/contract/algebra/algebra_strategy.hpp"
#include "src/contract/algebra/lone_fold.hpp"
#include "src/runtime/buffers.hpp"
#include "src/steps/algebra.hpp"

namespace ricci::contractions {

/// Whether elements are so few, and terms so many, that threads share the terms. Not where places
/// are kept.
bool suits_split_sum(const steps::algebra_product& what);

/// The products that such a one is made of. The loop of k that has most iterations is cut: whole
/// parts are folded into rows of `elements` numbers, and those into C; what is left is joined.
struct split_loops {
    explicit split_loops(const steps::algebra_product& what);

    algebra_loops parts, fold, rest;
    std::int64_t elements = 1, count = 1;
    std::int64_t rest_a = 0, rest_b = 0;  // where the rest begins
    bool has_rest = false;
};

template <class T>
class split_sum final : public algebra_strategy<T> {
public:
    using strategy = std::unique_ptr<const algebra_strategy<T>>;

    /// `choose`: makes the strategy of a product.
    template <class Choose>
    split_sum(const steps::algebra_product& what, Choose choose)
        : loops_(what),
          parts_(choose(loops_.parts.product(what))),
          fold_(choose(loops_.fold.product(what))) {
        if (loops_.has_rest) rest_ = choose(loops_.rest.product(what));
    }
    void run(const algebra_operands<T>& given) const override {
        const runtime::lent_memory lent(bytes());
        const T one = 0;  // of the algebra's product
        algebra_operands<T> parts = given;
        parts.c = reinterpret_cast<T*>(lent.data());
        parts.joins = false;
        parts_->run(parts);
        algebra_operands<T> fold = given;
        fold.a = parts.c;
        fold.b = &one;
        fold_->run(fold);
        if (!rest_) return;
        algebra_operands<T> rest = given;
        rest.a += loops_.rest_a;
        rest.b += loops_.rest_b;
        rest.joins = true;
        rest_->run(rest);
    }
    runtime::loan_list loans() const override {
        runtime::loan_list all = parts_->loans();
        all.push_back({bytes(), 1});
        for (const strategy* other : {&fold_, &rest_})
            if (*other)
                for (const runtime::loan& loan : (*other)->loans()) all.push_back(loan);
        return all;
    }
    const char* name() const override { return "parts of k"; }

private:
    std::size_t bytes() const {
        return static_cast<std::size_t>(loops_.elements * loops_.count) * sizeof(T);
    }

    split_loops loops_;
    strategy parts_, fold_, rest_;
};

}  // namespace ricci::contractions
