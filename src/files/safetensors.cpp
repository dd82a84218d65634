// .safetensors files: a length, a header that places the tensors, and their bytes side by side.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "src/files/formats.hpp"
#include "src/files/safetensors_header.hpp"

namespace ricci::files {
namespace {

// As the format's own library has it.
constexpr std::size_t longest_header = 100'000'000;

// The bytes after the header belong to the tensors one after the other, without gaps and without
// overlaps.
void check_offsets(const std::vector<safetensors_entry>& entries, std::size_t bytes,
                   const place& where) {
    std::vector<const safetensors_entry*> in_order;
    for (const safetensors_entry& entry : entries) in_order.push_back(&entry);
    std::sort(in_order.begin(), in_order.end(), [](const auto* a, const auto* b) {
        return a->begin != b->begin ? a->begin < b->begin : a->end < b->end;
    });
    std::size_t at = 0;
    for (const safetensors_entry* entry : in_order) {
        const place tensor = where.named(entry->name);
        if (entry->end < entry->begin) fail(tensor, "its bytes end before they begin");
        if (entry->end > bytes)
            fail(tensor, "its bytes end at {} of {} that the file has", entry->end, bytes);
        if (entry->begin < at) fail(tensor, "its bytes overlap those of another tensor");
        if (entry->begin > at)
            fail(tensor, "before its bytes there is a gap of {}", count(entry->begin - at, "byte"));
        at = entry->end;
    }
    if (at < bytes)
        fail(where, "there is more behind its last tensor, {}", count(bytes - at, "byte"));
}

stored_tensor checked(const safetensors_entry& entry, const place& where) {
    const stored_tensor tensor{read_safetensors_type(entry.type, where), entry.extents};
    const std::size_t bytes = tensor.bytes(where);
    if (bytes != entry.end - entry.begin)
        fail(where, "its shape takes {}, and its data_offsets are for {}", count(bytes, "byte"),
             entry.end - entry.begin);
    return tensor;
}

}  // namespace

arrays read_safetensors(const input_file& file, std::string_view, const wanted& what) {
    const place where = file.where();
    if (file.size() < 8)
        fail_with(where,
                  file.size() == 0 ? "it is empty" : "it ends within the length of its header");
    const std::uint64_t length = file.number(0, 8);
    if (length > longest_header)
        fail(where, "its header of {} is longer than the format allows", count(length, "byte"));
    if (length > file.size() - 8) fail(where, "it ends within its header");
    const std::size_t begin = 8 + length;
    const auto entries = read_safetensors_header(file.text(8, length), where);
    check_offsets(entries, file.size() - begin, where);

    arrays result;
    file_memory memory;
    for (const safetensors_entry& entry : entries) {
        if (!what.is(entry.name)) continue;
        const place tensor = where.named(entry.name);
        const stored_tensor stored = checked(entry, tensor);
        if (!what.shapes && memory.data == nullptr) memory = file.contents();
        result.add(entry.name, what.shapes ? shape(stored.type.type, stored.extents)
                                           : array_in(memory, begin + entry.begin, stored, tensor));
    }
    if (what.one && result.empty()) {
        std::vector<std::string_view> names;
        for (const safetensors_entry& entry : entries) names.emplace_back(entry.name);
        fail_without(where, what.name, names);
    }
    return result;
}

void write_safetensors(new_file& file, const arrays& tensors) {
    std::vector<const array*> list;
    std::vector<safetensors_entry> entries;
    for (const auto& [name, tensor] : tensors) {
        list.push_back(&tensor);
        const place where = file.where().named(name);
        entries.push_back({name,
                           std::string(safetensors_type(tensor.type(), where)),
                           {tensor.extents().begin(), tensor.extents().end()},
                           0,
                           0});
    }
    // The largest elements first: each tensor then begins at a multiple of its element's size.
    std::vector<std::size_t> order(list.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const std::size_t first = size_of(list[a]->type()), second = size_of(list[b]->type());
        return first != second ? first > second : a < b;
    });
    std::size_t at = 0;
    for (const std::size_t k : order) {
        entries[k].begin = at;
        at += list[k]->size() * size_of(list[k]->type());
        entries[k].end = at;
    }
    const std::string header = safetensors_header(entries, file.where());
    if (header.size() > longest_header)
        fail(file.where(), "its header would be longer than the format allows");
    const std::uint64_t length = header.size();
    file.write(&length, sizeof length);
    file.write(header);
    for (const std::size_t k : order) {
        const array tensor = contiguous(*list[k]);
        file.write(tensor.data(), entries[k].end - entries[k].begin);
    }
}

}  // namespace ricci::files
