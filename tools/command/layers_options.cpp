// Equations that are one of several layers.
#include "command/layers_options.hpp"

#include <algorithm>

#include "command/command_line.hpp"
#include "command/gradients.hpp"
#include "command/sentences.hpp"
#include "src/base/texts.hpp"

namespace ricci::command {
namespace {

/// A letter that no index of the equations has.
std::string letter_for_layers(const program& p) {
    const ir::program_view view = p.view();
    const std::string letters = "lmnopqrstuvwxyzabcdefghijkLMNOPQRSTUVWXYZ";
    const auto free = std::find_if(letters.begin(), letters.end(), [&](char letter) {
        for (ir::ref i = 0; i < view.indices.size(); ++i)
            if (ricci::detail::string_of(view.index(i)) == std::string(1, letter)) return false;
        return true;
    });
    return free == letters.end() ? "" : std::string(1, *free);
}

}  // namespace

void layers_options::add_to(command_line& line) {
    constexpr int most = 1 << 20;
    line.option("--layers", count, most, "N",
                "the equations are a layer, carried out so often: --from of each is --to of the "
                "next, and every other operand has a first axis for the layers");
    line.option("--from", from, "NAME", "what a layer gives");
    line.option("--to", to, "NAME", "the input that the next layer takes it as");
    line.option("--shared", shared, "NAME,...", "inputs that are the same for all layers", ',');
    line.flag("--recompute", recompute,
              "the way back makes the tensors of a layer again, instead of storing them");
    line.option("--gradient", by, "NAME,...", "with the gradients by these inputs", ',');
    line.option("--of", of, "NAME",
                "the output that is differentiated; the only one, if there is one");
}

program with_layers(program p, const layers_options& options) {
    const bool named = !options.from.empty() || !options.to.empty() || !options.shared.empty();
    if (options.count == 0 && (named || options.recompute))
        refuse("--from, --to, --shared and --recompute are of layers; say how many with --layers.");
    if (options.count > 0) {
        if (options.from.empty() || options.to.empty())
            refuse(
                "layers follow on each other by what one gives and the next takes; say --from "
                "and --to.");
        p = repeat(
            p, static_cast<std::size_t>(options.count),
            {options.from, options.to, letter_for_layers(p), options.shared, options.recompute});
    }
    if (options.by.empty()) {
        if (!options.of.empty()) refuse("--of is differentiated by what --gradient names.");
        return p;
    }
    return value_and_gradient(p, differentiated_output(p, options.of), options.by);
}

}  // namespace ricci::command
