// A sum with lookups that runs as one product for each matrix that is looked up.
#include "src/engine/grouped_lookups.hpp"

#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "src/runtime/buffers.hpp"

namespace ricci::engine {

grouped_lookups::grouped_lookups(elementwise::row_groups rows)
    : rows_(std::move(rows)), product_(product<float>(rows_.product())) {
    if (rows_.product().type == element::f64) product_.emplace<product<double>>(rows_.product());
}

std::unique_ptr<const grouped_lookups> grouped_lookups::of(const steps::lookup_sum& what) {
    auto rows = elementwise::row_groups::of(what);
    if (!rows) return nullptr;
    return std::unique_ptr<const grouped_lookups>(new grouped_lookups(std::move(*rows)));
}

std::size_t grouped_lookups::product_bytes() const {
    return rows_.sums() ? rows_.product_elements() * size_of(rows_.product().type) : 0;
}

runtime::loan_list grouped_lookups::loans() const {
    return {{rows_.list_bytes(), 1}, {product_bytes(), 1}};
}

void grouped_lookups::run(void* out, const void* const* in, const void* const* numbers,
                          double scale) const {
    const runtime::lent_memory memory(rows_.list_bytes());
    std::optional<runtime::lent_memory> rows;
    if (rows_.sums()) rows.emplace(product_bytes());
    const auto run_as = [&]<class T>(const product<T>& kernels) {
        for (std::int64_t n = 0; n < rows_.count(); ++n) {
            const auto of = rows_.bind(n, static_cast<T*>(out), in, numbers, memory.data());
            const T number = static_cast<T>(scale);
            if (rows_.sums()) {
                auto* const apart = reinterpret_cast<T*>(rows->data());
                kernels.run(of.at.a, of.at.b, apart, number, false, of.rows);
                elementwise::add_up(of.sums, apart, of.at.c, rows_.adds());
            } else {
                kernels.run(of.at.a, of.at.b, of.at.c, number, rows_.adds(), of.rows);
            }
        }
    };
    std::visit(run_as, product_);
}

std::string grouped_lookups::words() const {
    return fmt::format("by groups of rows: {} products of matrices", rows_.product().groups());
}

}  // namespace ricci::engine
