// Layers in words: the equations that are true of each, and how one follows on another.
#pragma once

#include <ricci/derive/repeat.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/engine/executable.hpp>

namespace ricci::engine {

/// A comment, and equations to print below it.
struct layer_words {
    std::string comment;
    ir::program equations;
};
/// `signature`: what a caller of the layers binds and gets.
layer_words words_of_layers(const ir::program_view& signature, const layering& how);

}  // namespace ricci::engine
