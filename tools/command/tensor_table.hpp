// The tensors of a program as a table: indices, extents, elements, bytes, and what they are.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <ricci/program.hpp>

namespace ricci::command {

class tensor_table {
public:
    /// `parameters`: names of inputs; where there are none, those that are named W or b. Throws
    /// ricci::error for a name that is no input.
    tensor_table(const program& p, const std::vector<named>& operands,
                 const std::vector<std::string>& parameters);

    std::string text() const;
    /// {"tensors": [{name, indices, extents, elements, bytes, type, is, parameter, equation}],
    /// "parameters": N}
    nlohmann::json json() const;

private:
    struct row {
        sized_tensor tensor;
        bool parameter = false;
    };
    double parameter_count() const;
    std::vector<std::string> trace() const;

    std::vector<row> rows_;
};

}  // namespace ricci::command
