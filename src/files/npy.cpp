// .npy files: one array of numpy's.
#include <algorithm>
#include <string>
#include <vector>

#include "src/files/formats.hpp"
#include "src/files/npy_header.hpp"

namespace ricci::files {

arrays read_npy(const input_file& file, std::string_view stem, const wanted& what) {
    const place where = file.where();
    if (!what.is(stem)) fail_without(where, what.name, {stem});
    const npy_prefix prefix(file.text(0, std::min(file.size(), npy_prefix::longest)), where);
    const std::size_t rest = file.size() - prefix.bytes;
    if (prefix.header_bytes > rest) fail(where, "it ends within its .npy header");
    const stored_tensor tensor =
        read_npy_header(file.text(prefix.bytes, prefix.header_bytes), prefix, where);
    const std::size_t there = rest - prefix.header_bytes;
    const std::size_t bytes = tensor.bytes(where);
    if (there < bytes)
        fail(where, "it ends early: its shape takes {}, and there are {}", count(bytes, "byte"),
             there);
    // numpy.save may append to a file; reading the first array alone would lose the others
    // silently.
    if (there > bytes)
        fail(where,
             "there is more behind its array, {}; of files that hold several, .npz or "
             ".safetensors are read",
             count(there - bytes, "byte"));
    arrays result;
    result.add(std::string(stem),
               what.shapes
                   ? shape(tensor.type.type, tensor.extents)
                   : array_in(file.contents(), prefix.bytes + prefix.header_bytes, tensor, where));
    return result;
}

void write_npy(new_file& file, const arrays& tensors) {
    if (tensors.size() != 1)
        fail(file.where(),
             "a .npy file holds one tensor, and these are {}; .npz and .safetensors hold any "
             "number",
             tensors.size());
    const array tensor = contiguous(tensors.begin()->second);
    file.write(npy_header(tensor, file.where()));
    if (tensor.size() > 0)
        file.write(std::as_const(tensor).data(), tensor.size() * size_of(tensor.type()));
}

}  // namespace ricci::files
