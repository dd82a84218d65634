// The header of a .npy file: a Python dictionary that says an array's type, order and extents.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "src/files/stored.hpp"
#include "src/files/words.hpp"

namespace ricci::files {

/// What stands before a header: the magic string, the version, and the header's length.
struct npy_prefix {
    static constexpr std::size_t shortest = 10, longest = 12;
    std::size_t bytes = 0;
    std::size_t header_bytes = 0;
    bool python_2 = false;  // numbers may end in L

    /// Reads it from the first bytes of a file, as many as there are up to `longest`. Throws for
    /// what is no .npy file, or of an unknown version.
    npy_prefix(std::string_view begin, const place& where);
};

/// Reads the dictionary. Throws for a header that is not exactly one, and for element types that
/// the library does not have, by name.
stored_tensor read_npy_header(std::string_view header, const npy_prefix& prefix,
                              const place& where);

/// Prefix and header of a row-major array, a multiple of 64 bytes. Throws for an element type that
/// numpy does not have.
std::string npy_header(const array& tensor, const place& where);

}  // namespace ricci::files
