// The header of a .safetensors file: a JSON object with an entry for each tensor.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "src/files/stored.hpp"
#include "src/files/words.hpp"

namespace ricci::files {

/// A tensor of the file, as its header says it. Types are read where the tensor is wanted: one that
/// the library does not have is no harm to the others.
struct safetensors_entry {
    std::string name;
    std::string type;
    std::vector<std::size_t> extents;
    std::size_t begin = 0, end = 0;  // from the header's end
};

/// Reads the entries, in the header's order. Throws where the text is not JSON of this form.
std::vector<safetensors_entry> read_safetensors_header(const std::string& text, const place& where);

/// Throws for types that the library does not have, by name.
stored_type read_safetensors_type(std::string_view name, const place& where);
/// Throws for c128, which the format does not have.
std::string_view safetensors_type(element type, const place& where);

/// The header, padded so that what follows it in the file begins at a multiple of 64 bytes. Throws
/// for a name that is not UTF-8 or that the format keeps to itself.
std::string safetensors_header(const std::vector<safetensors_entry>& entries, const place& where);

}  // namespace ricci::files
