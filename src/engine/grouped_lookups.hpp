// A sum with lookups that runs as one product for each matrix that is looked up.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <variant>

#include "src/contract/grouped_product.hpp"
#include "src/index/row_groups.hpp"
#include "src/runtime/loans.hpp"

namespace ricci::engine {

class grouped_lookups {
public:
    /// None: it is no such sum, or that takes longer.
    static std::unique_ptr<const grouped_lookups> of(const steps::lookup_sum& what);

    // As of prepared_lookup_sum.
    runtime::loan_list loans() const;
    void run(void* out, const void* const* in, const void* const* numbers, double scale) const;
    std::string words() const;

private:
    template <class T>
    using product = contractions::grouped_product<T>;
    explicit grouped_lookups(elementwise::row_groups rows);
    std::size_t product_bytes() const;

    elementwise::row_groups rows_;
    std::variant<product<float>, product<double>> product_;
};

}  // namespace ricci::engine
