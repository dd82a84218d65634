// Reads .npz files: zip archives of .npy files, as numpy.savez and numpy.savez_compressed write
// them.
#include <algorithm>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include <unistd.h>
#include <zip.h>

#include "src/files/formats.hpp"
#include "src/files/npy_header.hpp"
#include "src/files/zip_archive.hpp"

namespace ricci::files {
namespace {

constexpr std::string_view npy = ".npy";

struct member {
    std::string name;  // without .npy
    zip_uint64_t index;
    std::size_t bytes, packed_bytes;
};

archive_ptr open_archive(const input_file& file) {
    if (file.size() == 0) fail(file.where(), "it is empty");
    const int descriptor = dup(file.descriptor());
    int code = 0;
    archive_ptr archive(descriptor < 0 ? nullptr : zip_fdopen(descriptor, 0, &code));
    if (archive != nullptr) return archive;
    if (descriptor >= 0) close(descriptor);
    zip_error_t problem;
    zip_error_init_with_code(&problem, code);
    const std::string words = zip_error_strerror(&problem);
    zip_error_fini(&problem);
    fail(file.where(), "it is no zip archive that can be read: {}", words);
}

std::size_t little_endian(const std::string& bytes, std::size_t at, std::size_t count) {
    std::size_t value = 0;
    while (count-- > 0) value = value * 256 + static_cast<unsigned char>(bytes[at + count]);
    return value;
}

// libzip gives names as C strings, which end at a NUL: what stands behind it would not be seen, and
// two members could have one name. The directory itself says how long a name is. Of an archive in
// another form than the usual one nothing is said here.
void refuse_cut_names(const input_file& file) {
    constexpr std::size_t end_size = 22, longest_comment = 65535, entry_size = 46;
    const std::size_t tail = std::min(file.size(), end_size + longest_comment);
    const std::string last = file.text(file.size() - tail, tail);
    const std::size_t end = last.rfind("PK\5\6");
    if (end == std::string::npos || last.size() - end < end_size) return;
    const std::size_t bytes = little_endian(last, end + 12, 4);
    const std::size_t where = file.size() - tail + end;
    if (bytes > where) return;
    const std::string directory = file.text(where - bytes, bytes);
    for (std::size_t at = 0; at + entry_size <= bytes && directory.compare(at, 4, "PK\1\2") == 0;) {
        const std::string name =
            directory.substr(at + entry_size, little_endian(directory, at + 28, 2));
        if (name.find('\0') != std::string::npos)
            fail(file.where(), "it has a member {}, whose name has a NUL in it", printable(name));
        at += entry_size + name.size() + little_endian(directory, at + 30, 2) +
              little_endian(directory, at + 32, 2);
    }
}

// What the directory says of a member, held against what a file of this size can have.
member checked(const zip_stat_t& status, std::string name, const place& where) {
    constexpr zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
    if ((status.valid & needed) != needed || status.size > PTRDIFF_MAX ||
        status.comp_size > PTRDIFF_MAX)
        fail(where, "the archive does not say how large it is");
    if ((status.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && status.encryption_method != ZIP_EM_NONE)
        fail(where, "it is encrypted");
    if (status.comp_method != ZIP_CM_STORE && status.comp_method != ZIP_CM_DEFLATE)
        fail(where, "it is neither stored nor deflated, which are the compressions that are read");
    if (status.comp_method == ZIP_CM_STORE && status.size != status.comp_size)
        fail(where, "the archive says two sizes of it");
    // Two bits of deflated data stand for 258 bytes at most.
    constexpr zip_uint64_t most = 1032;
    if (status.size / most > status.comp_size)
        fail(where, "the archive says {} of it, and {} cannot hold so many",
             count(status.size, "byte"), count(status.comp_size, "compressed byte"));
    return {std::move(name), status.index, status.size, status.comp_size};
}

std::vector<member> members_of(zip_t* archive, const input_file& file, const wanted& what) {
    const place where = file.where();
    std::vector<member> members;
    std::vector<std::string> others;
    std::unordered_set<std::string> names;
    std::size_t left = file.size();
    const zip_int64_t entries = zip_get_num_entries(archive, 0);
    for (zip_int64_t k = 0; k < entries; ++k) {
        const auto index = static_cast<zip_uint64_t>(k);
        zip_stat_t status;
        if (zip_stat_index(archive, index, 0, &status) != 0 || (status.valid & ZIP_STAT_NAME) == 0)
            fail(where, "its directory cannot be read: {}", zip_strerror(archive));
        std::string name = status.name;
        // What else lies in the archive is no array.
        if (!name.ends_with(npy)) continue;
        name.resize(name.size() - npy.size());
        if (!names.insert(name).second) fail(where, "it has two tensors {}", printable(name));
        // Members that share their bytes would be more than the file.
        if (status.comp_size > left) fail(where, "its members together are larger than the file");
        left -= status.comp_size;
        if (what.is(name)) members.push_back(checked(status, name, where.named(name)));
        else others.push_back(name);
    }
    if (what.one && members.empty()) fail_without(where, what.name, {others.begin(), others.end()});
    return members;
}

// The bytes of a member, one after the other.
class member_reader {
public:
    member_reader(zip_t* archive, const member& m, const place& where)
        : file_(zip_fopen_index(archive, m.index, 0)), where_(where) {
        if (file_ == nullptr) fail(where, "it cannot be read: {}", zip_strerror(archive));
    }
    // How many of so many bytes there were.
    std::size_t take(void* to, std::size_t bytes) {
        std::size_t taken = 0;
        while (taken < bytes) {
            const zip_int64_t got =
                zip_fread(file_.get(), static_cast<std::byte*>(to) + taken, bytes - taken);
            if (got < 0) fail(where_, "it cannot be read: {}", zip_file_strerror(file_.get()));
            if (got == 0) break;
            taken += static_cast<std::size_t>(got);
        }
        return taken;
    }
    void read(void* to, std::size_t bytes) {
        if (take(to, bytes) < bytes) fail(where_, "it ends early");
    }
    // Only at the end is the checksum looked at.
    void end() {
        std::byte more;
        if (take(&more, 1) > 0) fail(where_, "it is longer than the archive says");
    }

private:
    member_ptr file_;
    place where_;
};

// The header of the member's .npy file; the reader stands at the first element then.
stored_tensor read_header(member_reader& reader, const member& m, const place& where) {
    if (m.bytes < npy_prefix::shortest) fail(where, "it ends within its .npy header");
    std::string begin(npy_prefix::shortest, '\0');
    reader.read(begin.data(), begin.size());
    constexpr std::size_t more = npy_prefix::longest - npy_prefix::shortest;
    if (begin[6] != 1 && m.bytes >= npy_prefix::longest) {
        begin.resize(npy_prefix::longest);
        reader.read(begin.data() + npy_prefix::shortest, more);
    }
    const npy_prefix prefix(begin, where);
    if (prefix.header_bytes > m.bytes - prefix.bytes) fail(where, "it ends within its .npy header");
    std::string header(prefix.header_bytes, '\0');
    reader.read(header.data(), header.size());
    stored_tensor tensor = read_npy_header(header, prefix, where);
    const std::size_t there = m.bytes - prefix.bytes - prefix.header_bytes;
    const std::size_t bytes = tensor.bytes(where);
    if (there != bytes)
        fail(where, "its shape takes {}, and there are {}", count(bytes, "byte"), there);
    return tensor;
}

// Whether the member has as many bytes as the archive says, before memory is taken for them: a few
// megabytes may claim to be gigabytes.
void check_length(zip_t* archive, const member& m, const place& where) {
    constexpr std::size_t harmless = std::size_t{64} << 20;
    if (m.bytes <= harmless || m.bytes / 16 <= m.packed_bytes) return;
    member_reader reader(archive, m, where);
    std::vector<std::byte> part(std::size_t{1} << 18);
    for (std::size_t left = m.bytes; left > 0;) {
        const std::size_t bytes = std::min(left, part.size());
        reader.read(part.data(), bytes);
        left -= bytes;
    }
    reader.end();
}

}  // namespace

arrays read_npz(const input_file& file, std::string_view, const wanted& what) {
    const place where = file.where();
    const archive_ptr archive = open_archive(file);
    refuse_cut_names(file);
    arrays result;
    std::size_t total = 0;
    for (const member& m : members_of(archive.get(), file, what)) {
        const place tensor = where.named(m.name);
        member_reader reader(archive.get(), m, tensor);
        const stored_tensor stored = read_header(reader, m, tensor);
        if (what.shapes) {
            result.add(m.name, shape(stored.type.type, stored.extents));
            continue;
        }
        const std::size_t bytes = stored.bytes(tensor);
        total += bytes / stored.type.bytes * size_of(stored.type.type);
        check_memory(total, where);
        check_length(archive.get(), m, tensor);
        const file_memory memory = new_memory(bytes, tensor);
        reader.read(memory.data, bytes);
        reader.end();
        result.add(m.name, array_in(memory, 0, stored, tensor));
    }
    return result;
}

}  // namespace ricci::files
