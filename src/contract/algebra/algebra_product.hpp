// A product in another algebra, prepared once and run many times: a whole step of a network.
#pragma once

#include <memory>
#include <string>

#include "src/contract/algebra/algebra_strategy.hpp"
#include "src/steps/algebra.hpp"

namespace ricci::contractions {

/// What carries out products on elements of one type.
class algebra_runner {
public:
    algebra_runner() = default;
    algebra_runner(const algebra_runner&) = delete;
    algebra_runner& operator=(const algebra_runner&) = delete;
    virtual ~algebra_runner() = default;
    virtual void run(const void* a, const void* b, void* c, place* places, bool joins,
                     place first_place) const = 0;
    virtual runtime::loan_list loans() const = 0;
    virtual std::string words() const = 0;
};

class prepared_algebra_product {
public:
    /// Copies what it needs of the descriptor. Throws ricci::error for elements other than f32 and
    /// f64, for places of a log-sum-exp and for 2^31 places or more; std::bad_alloc.
    explicit prepared_algebra_product(const steps::algebra_product& what);

    /// C = the product of A and B, in the descriptor's element type. `places`, where the descriptor
    /// asks for them, is laid out as C: the place along k of the first extremum, counted over the
    /// loops of k in the order that they are given in, the last one fastest; -1 for a sum of
    /// nothing; the first NaN where an element is NaN. Does not allocate while loans() are held. No
    /// result depends on the number of threads.
    ///
    /// Maxima and minima are those of the rounded sums. With u half the distance from 1 to the next
    /// number, K terms, and p the weight of an element beside the maxima r of its row and c of its
    /// column (result = r + c + log p), the error of a log-sum-exp is at most
    /// u (2 K + 4 |log p| + 2 |r + c| + 16) where p is so large that exponentials shifted by r and
    /// c keep their digits, and u (2 K + 4 |result| + 16) elsewhere: shifted_product.hpp. Sums of
    /// 2^17 terms or more are folded in two steps: u (2 K + 8 |result| + 32).
    void run(const void* a, const void* b, void* c, place* places = nullptr) const {
        how_->run(a, b, c, places, false, 0);
    }

    /// The same with what C holds as one more term, before all others, which keeps its place; the
    /// places of the others begin at `first_place`. So slices of a sum are folded. A log-sum-exp
    /// may take memory for another C besides the loans.
    void join(const void* a, const void* b, void* c, place* places = nullptr,
              place first_place = 0) const {
        how_->run(a, b, c, places, true, first_place);
    }

    /// What it lends while it runs.
    runtime::loan_list loans() const { return how_->loans(); }

    /// How it is carried out.
    std::string words() const { return how_->words(); }

private:
    std::unique_ptr<const algebra_runner> how_;
};

}  // namespace ricci::contractions
