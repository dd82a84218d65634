// A table of names.
#include "judge/printed_functions.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "judge/printed_matrices.hpp"

namespace ricci::judge {
namespace {

struct named_function {
    std::string_view name;
    real_function function;
};
constexpr std::array<named_function, 16> table = {{
    {"exp", real_function::exp},
    {"ln", real_function::log},
    {"log", real_function::log},  // with its base, by which it is divided
    {"sin", real_function::sin},
    {"cos", real_function::cos},
    {"tan", real_function::tan},
    {"sinh", real_function::sinh},
    {"cosh", real_function::cosh},
    {"tanh", real_function::tanh},
    {"arctan", real_function::arctan},
    {"sigmoid", real_function::sigmoid},
    {"relu", real_function::relu},
    {"ReLU", real_function::relu},
    {"abs", real_function::absolute},
    {"erf", real_function::erf},
    {"floor", real_function::floor},
}};

}  // namespace

printed_value applied(std::string_view word, const std::vector<printed_value>& arguments) {
    if (word == "max" || word == "min") return extremum(arguments, word == "max");
    if (word == "softmax") return softmax(arguments.size() == 1 ? arguments[0] : column(arguments));
    if (arguments.size() != 1) throw no_number{};
    if (word == "det") return determinant(arguments[0]);
    if (word == "tr" || word == "Tr" || word == "trace") return trace(arguments[0]);
    const auto* const known =
        std::find_if(table.begin(), table.end(), [&](const auto& f) { return f.name == word; });
    if (known == table.end()) throw no_number{};
    return mapped(arguments[0], known->function);
}

}  // namespace ricci::judge
