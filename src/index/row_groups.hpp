// Sums of products in which a number of each row says which matrix the row meets: what of a
// steps::lookup_sum is one product for each matrix, steps::grouped_product, and the lists of rows
// that it is run with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "src/index/numbers.hpp"
#include "src/index/row_sums.hpp"
#include "src/steps/grouped_product.hpp"
#include "src/steps/lookup_sum.hpp"

namespace ricci::elementwise {

/// Which factors are multiplied row by row, and which loops go over the rows.
class row_groups {
public:
    /// None: it is no such sum, or so few rows meet a matrix that each is read as it comes.
    static std::optional<row_groups> of(const steps::lookup_sum& what);

    const steps::grouped_product& product() const { return product_; }
    bool adds() const { return adds_; }
    /// The product is run once for each iteration of the loops that lists of rows may depend on, or
    /// that all operands have.
    std::int64_t count() const { return count_; }
    std::size_t list_bytes() const;

    /// Where A, B and C begin in the factors and the result.
    template <class T>
    struct operands {
        const T* a = nullptr;
        const T* b = nullptr;
        T* c = nullptr;
    };
    template <class T>
    struct bound {
        operands<T> at;
        steps::grouped_rows<T> rows;
        row_sums sums;  // where `sums()`: C of the product is what they add up
    };
    /// Several rows of the product are added up in each of the result: the product is written
    /// elsewhere first, to so many elements.
    bool sums() const { return each_ > 1; }
    std::size_t product_elements() const {
        return static_cast<std::size_t>(row_count_) * c_columns_.size();
    }
    /// The operands of iteration `number`, and the rows, sorted into `memory`; as they are there
    /// already if they are those of the one before. Every number that must be a place has to be
    /// one. in, numbers: as of prepared_lookup_sum.
    template <class T>
    bound<T> bind(std::int64_t number, T* out, const void* const* in, const void* const* numbers,
                  std::byte* memory) const;

private:
    /// How the loops around the rows, and those over them, move an operand or numbers.
    struct walk {
        std::int64_t offset = 0;
        std::vector<std::int64_t> around, rows;
    };
    struct lookup {
        element type = element::f32;
        walk numbers;
        std::int64_t stride = 0, extent = 0;
        std::size_t number = 0;  // of the base pointers
    };
    struct factor {
        std::size_t number = 0;
        walk at;
        std::vector<lookup> lookups;  // but those that say which group it is
    };
    class reader;
    struct places;
    row_groups() = default;
    places places_in(std::byte* memory) const;
    template <class T>
    void sort(const loop_counters& around, const void* const* in, const void* const* numbers,
              const places& to) const;

    steps::grouped_product product_;
    bool adds_ = false;
    std::vector<std::int64_t> around_, rows_;  // extents
    std::int64_t count_ = 1, row_count_ = 1;
    std::int64_t each_ = 1;                // rows that are added up, which lie in turn
    std::vector<std::int64_t> c_columns_;  // where columns of the result are, if rows are added up
    bool sorts_again_ = false;
    std::vector<lookup> groups_;  // what says which group a row is in
    factor a_, b_;
    walk c_;
    std::vector<factor> weights_;
};

}  // namespace ricci::elementwise
