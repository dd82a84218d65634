// Gradients by the words of a command line.
#include "command/gradients.hpp"

#include <ricci/error.hpp>

namespace ricci::command {

std::string differentiated_output(const program& p, const std::string& of) {
    if (!of.empty()) return canonical_name(of);
    // A name that is asked for by another one than it has is the mistake of every day: say which
    // there are.
    const auto outputs = p.outputs();
    if (outputs.size() == 1) return outputs[0].name;
    std::string words =
        "ricci: these equations have several outputs; say with --of which is differentiated:";
    for (std::size_t k = 0; k < outputs.size(); ++k)
        words += (k == 0 ? " " : ", ") + outputs[k].name;
    throw error(words + ".");
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
