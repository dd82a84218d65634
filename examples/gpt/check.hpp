// Whether the cache gives what the whole sequence gives.
#pragma once

namespace gpt {

/// A small model: token by token, the logits are those of the whole sequence as a prompt. Returns
/// the status that the program ends with.
int check();

}  // namespace gpt
