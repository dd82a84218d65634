// Sums of products whose factors are read where tensors of numbers say, or that are added up there:
// steps::lookup_sum, prepared once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "src/index/lookup_term.hpp"
#include "src/index/numbers.hpp"
#include "src/runtime/loans.hpp"
#include "src/steps/lookup_sum.hpp"

namespace ricci::elementwise {

/// One loop that no number depends on is run as vectors: rows that are multiplied by numbers and
/// added up, or two that are multiplied by each other. Where rows are added up at places that a
/// tensor says, its numbers are sorted first, so that each row of the result is written once. Every
/// element gets its terms in the order of the loops, whatever runs at the same time.
class prepared_lookup_sum {
public:
    /// Copies what it needs. Throws std::invalid_argument for what it has no code for.
    explicit prepared_lookup_sum(const steps::lookup_sum& what);

    /// What a run lends: the numbers in their order.
    runtime::loan_list loans() const;

    /// The first number of a factor's that is no place of its axis and must be one, where the
    /// product is added anywhere. numbers[k]: the base pointer of the k-th lookup of the factors,
    /// in their order, and then of the one that scatters.
    stray_number find_stray(const void* const* numbers) const;

    /// Every number that must be a place has to be one. in[k]: the base pointer of factor k.
    /// `scale`: what each product is multiplied by, 1 where that was not said before.
    void run(void* out, const void* const* in, const void* const* numbers, double scale) const;

private:
    /// How the loops move an operand, or the numbers of a lookup.
    struct walk {
        std::int64_t offset = 0;
        std::vector<std::int64_t> free, summed;
        std::int64_t along = 0;
    };
    struct lookup {
        element type = element::f32;
        walk numbers;
        std::int64_t stride = 0, extent = 0;
        std::size_t number = 0;  // of the base pointers
        bool may_stray = false;
    };
    struct factor {
        walk at;
        std::vector<lookup> lookups;
    };
    static constexpr std::size_t most_factors = 4;
    struct bases;
    template <class T>
    struct operands {
        T* out;
        const T* const* in;
        const void* const* numbers;
        T scale;
    };
    /// Entries of the summed loops by the place that they are added to.
    struct order;

    walk walk_of(const steps::operand& o) const;
    stray_number find_stray(const lookup& l, const void* const* numbers) const;
    lookup lookup_of(const steps::lookup& l, std::size_t number) const;
    std::size_t find_vector_loop(const steps::lookup_sum& what, std::size_t loops) const;
    bool sorts() const;
    std::size_t sorted_bytes() const;  // of the terms' numbers in order, for one run
    bool order_depends_on_free_loops() const;

    bases bases_at(const loop_counters& free) const;
    template <class T>
    bool find_term(lookup_term<T>& found, const bases& from, const loop_counters& entry,
                   const operands<T>& of) const;
    template <class T>
    void add_places(std::int64_t first, std::int64_t last, const order& sorted, const bases& from,
                    T* to, const operands<T>& of) const;
    void sort(order& entries, std::int64_t numbers_at, const void* numbers) const;
    template <class T>
    void run_as(const operands<T>& of) const;
    template <class T>
    void add_sorted(const operands<T>& of) const;
    template <class T>
    void add_in_turn(const operands<T>& of) const;
    bool joins_numbers() const;
    bool joins_rows() const;
    template <class T>
    void join_in_turn(const operands<T>& of) const;
    template <class T>
    void clear(T* out) const;

    element type_;
    steps::monoid by_;
    bool adds_;
    lookup_shape shape_ = lookup_shape::numbers;
    std::vector<std::int64_t> free_, summed_;  // extents
    std::vector<std::size_t> free_loops_, summed_loops_;
    std::size_t vector_loop_ = 0;  // as the step numbers it; the number of loops: none
    std::int64_t length_ = 1;      // of the vectors
    std::int64_t free_count_ = 1, entries_ = 1;
    walk out_;
    std::vector<factor> factors_;
    std::vector<std::size_t> rows_, scalars_;  // factors that move along the vectors, and others
    std::vector<lookup> scattered_;            // one, or none
    std::vector<lookup> conditions_;           // lookups where a stray number adds nothing
};

}  // namespace ricci::elementwise
