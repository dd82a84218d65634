// What a random program means: the values that its inputs have, and those of all that it defines, by the
// interpreter. Compiled once, and optimised: differences ask for a value thousands of times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include <ricci/element.hpp>

#include "tests/property/syntax.hpp"
#include "tests/unit/interpreter.hpp"

namespace ricci::testing {

inline std::string spelled(detail::text_view t) { return {t.begin(), t.end()}; }

inline ir::ref find_name(const ir::program_view& p, const std::string& name) {
    return p.find({name.data(), static_cast<std::int32_t>(name.size())});
}

/// The values of a program's inputs, the same whatever runs it.
class input_values {
public:
    explicit input_values(const random_program& p) : p_(p) {}
    /// Values for the tensor as the element type holds them.
    dense of(std::size_t tensor, element type) const;

private:
    const random_program& p_;
};

/// All tensors that a program defines, by name, from its meaning; where `stored` says them, later
/// equations read those.
std::map<std::string, dense> interpret(const random_program& p, element type,
                                       const std::map<std::size_t, dense>& changed = {},
                                       const std::map<std::string, dense>& stored = {});

}  // namespace ricci::testing
