// Element-wise programs over strided loops, optionally folded: steps::map, prepared once, run
// often.
#pragma once

#include <memory>

#include "src/runtime/loans.hpp"
#include "src/steps/map.hpp"

namespace ricci::elementwise {

class map_strategy;

/// A map whose loops are in canonical form, whose program is simplified and bound to kernels, and
/// whose work is cut into tasks in a way that does not depend on the number of threads: results are
/// bitwise the same for any number.
class prepared_map {
public:
    /// Copies what it needs; the spans of `map` need not outlive the call. Throws
    /// std::invalid_argument for a description that contradicts itself.
    explicit prepared_map(const steps::map& map);
    prepared_map(prepared_map&&) noexcept;
    prepared_map& operator=(prepared_map&&) noexcept;
    ~prepared_map();

    /// bases[k] is the base pointer of operand k; the output is operand 0. Operands that are only
    /// positions need none. Does not allocate while its loans are held, unless the same object runs
    /// twice at a time.
    void run(void* const* bases) const;
    /// What a program of very many simultaneous values lends; others lend nothing.
    runtime::loan_list loans() const;

private:
    std::unique_ptr<const map_strategy> strategy_;
};

}  // namespace ricci::elementwise
