// A sequence that a model goes on with, token by token.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <ricci/ricci.hpp>

#include "examples/gpt/weights.hpp"

namespace gpt {

/// A sequence, and the keys and values of all of it in all layers.
class session {
public:
    /// Room for `most` tokens. The weights have to live.
    session(const weights& m, std::size_t most);
    ~session();

    /// The logits behind a prompt, which begins the sequence anew.
    const ricci::tensor<float, 1>& prompt(const std::vector<std::int32_t>& tokens);
    /// The logits behind one more token.
    const ricci::tensor<float, 1>& next(std::int32_t token);

private:
    struct state;
    std::unique_ptr<state> state_;
};

/// Draws a token from its logits; at a temperature of 0 the most probable.
std::int32_t draw(const ricci::tensor<float, 1>& z, double temperature, std::uint64_t& state);

}  // namespace gpt
