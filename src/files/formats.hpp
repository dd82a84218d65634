// The three formats, behind one set of functions: files.cpp picks among them by the name's ending.
#pragma once

#include <string_view>

#include <ricci/array.hpp>

#include "src/files/input_file.hpp"
#include "src/files/new_file.hpp"

namespace ricci::files {

/// How much of a file is wanted: shapes alone, all tensors, or the one of this name.
struct wanted {
    bool shapes = false;
    bool one = false;
    std::string_view name = {};

    bool is(std::string_view other) const { return !one || name == other; }
};

/// A format: how to read from a file, and how to write the tensors to one. `stem` is the file's
/// name without its ending, for tensors that have none.
struct format {
    std::string_view ending;
    arrays (*read)(const input_file& file, std::string_view stem, const wanted& what);
    void (*write)(new_file& file, const arrays& tensors);
};

arrays read_npy(const input_file& file, std::string_view stem, const wanted& what);
void write_npy(new_file& file, const arrays& tensors);

arrays read_npz(const input_file& file, std::string_view stem, const wanted& what);
void write_npz(new_file& file, const arrays& tensors);

arrays read_safetensors(const input_file& file, std::string_view stem, const wanted& what);
void write_safetensors(new_file& file, const arrays& tensors);

}  // namespace ricci::files
