// Layers in words.
#include "src/engine/layer_words.hpp"

#include <string>
#include <utility>

#include <fmt/core.h>

#include <ricci/parse.hpp>
#include <ricci/prepared.hpp>
#include <ricci/repeat.hpp>

#include "src/text/program_body.hpp"
#include "src/base/texts.hpp"

namespace ricci {
namespace engine {

layer_words words_of_layers(const ir::program_view& signature, const layering& how) {
    using detail::string_of;
    derive::layer_names names{how.layer.name(how.from), how.layer.name(how.to), how.index};
    const std::string index = string_of(names.index), from = string_of(names.from),
                      to = string_of(names.to);
    const std::string others = how.count > 1 ? fmt::format(", ..., {}", how.count - 1) : "";
    return {fmt::format("% {} layer{}, {} = 0{}: {} of each is {} of the one before\n", how.count,
                        how.count == 1 ? "" : "s", index, others, to, from),
            std::move(derive::as_true_of_each(signature, names).program)};
}

}  // namespace engine

std::string detail::layers_in_latex(const ir::program_view& signature,
                                    const engine::layering& how) {
    const engine::layer_words words = engine::words_of_layers(signature, how);
    return words.comment + to_latex(words.equations.view());
}
std::string detail::layers_in_text(const ir::program_view& signature, const engine::layering& how) {
    const engine::layer_words words = engine::words_of_layers(signature, how);
    return words.comment + to_text(words.equations.view());
}

std::string to_latex(const program& p) {
    if (const auto* const layers = detail::body_of(p).layers())
        return detail::layers_in_latex(p.view(), layers->how);
    return to_latex(p.view());
}
std::string to_text(const program& p) {
    if (const auto* const layers = detail::body_of(p).layers())
        return detail::layers_in_text(p.view(), layers->how);
    return to_text(p.view());
}

}  // namespace ricci
