// Gradients by the words of a command line.
#include "command/gradients.hpp"

#include <fmt/format.h>

#include "command/sentences.hpp"

namespace ricci::command {

std::string differentiated_output(const program& p, const std::string& of) {
    if (!of.empty()) return canonical_name(of);
    // A name that is asked for by another one than it has is the mistake of every day: say which
    // there are.
    const auto outputs = p.outputs();
    if (outputs.size() == 1) return outputs[0].name;
    std::vector<std::string_view> names;
    for (const tensor_info& t : outputs) names.push_back(t.name);
    refuse("these equations have several outputs; say with --of which is differentiated: {}.",
           fmt::join(names, ", "));
}

program gradients_of(const program& p, const std::string& of, const std::vector<std::string>& by,
                     bool with_value) {
    std::vector<std::string> inputs = by;
    if (inputs.empty())
        for (const tensor_info& t : p.inputs())
            if (t.rank > 0) inputs.push_back(t.name);
    return with_value ? value_and_gradient(p, of, inputs) : gradient(p, of, inputs);
}

}  // namespace ricci::command
