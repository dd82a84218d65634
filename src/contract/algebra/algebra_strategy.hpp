// One way of carrying out a product in another algebra, prepared for one set of loops.
#pragma once

#include <utility>

#include "src/contract/index_groups.hpp"
#include "src/kernels/algebra/terms.hpp"
#include "src/runtime/loans.hpp"

namespace ricci::contractions {

using kernels::place;

/// What a strategy runs on.
template <class T>
struct algebra_operands {
    const T* a = nullptr;
    const T* b = nullptr;
    T* c = nullptr;
    place* places = nullptr;  // as C is laid out
    bool joins = false;       // what C holds is one more term, before all others
    place first_place = 0;    // the place of the first k
};

/// The operands with A and B exchanged where `origin` says so, each from where its walk starts.
template <class T>
algebra_operands<T> from_origin(const walk_origin& origin, algebra_operands<T> given) {
    if (origin.swapped) std::swap(given.a, given.b);
    given.a += origin.a;
    given.b += origin.b;
    given.c += origin.c;
    if (given.places != nullptr) given.places += origin.c;
    return given;
}

template <class T>
class algebra_strategy {
public:
    algebra_strategy() = default;
    algebra_strategy(const algebra_strategy&) = delete;
    algebra_strategy& operator=(const algebra_strategy&) = delete;
    virtual ~algebra_strategy() = default;

    virtual void run(const algebra_operands<T>& given) const = 0;

    /// What it lends while it runs.
    virtual runtime::loan_list loans() const { return {}; }

    /// Its name, for explanations.
    virtual const char* name() const = 0;
};

}  // namespace ricci::contractions
