// Functions that leave no symbol in a user's object file.
#pragma once

/// For templates over the operands of a call: their names would run to hundreds of characters.
#define RICCI_INLINE [[gnu::always_inline]] inline
