// Writes .npz files, stored as numpy.savez does. libzip asks for bytes and gives bytes through two
// functions: one says what a member holds, one puts the archive into a new file.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <zip.h>

#include "src/files/formats.hpp"
#include "src/files/npy_header.hpp"
#include "src/files/zip_archive.hpp"

namespace ricci::files {
namespace {

// A problem that libzip asks about afterwards.
class problem {
public:
    problem() { zip_error_init(&error_); }
    ~problem() { zip_error_fini(&error_); }
    problem(const problem&) = delete;
    problem& operator=(const problem&) = delete;

    zip_int64_t set(int code, int system = 0) {
        zip_error_set(&error_, code, system);
        return -1;
    }
    zip_int64_t tell(void* data, zip_uint64_t length) {
        return zip_error_to_data(&error_, data, length);
    }
    int system() const { return zip_error_code_system(&error_); }
    zip_error_t* get() { return &error_; }

private:
    zip_error_t error_;
};

// A member: a header, and the elements of an array, which is copied while it is read if it has
// gaps.
struct written_member {
    std::string header;
    const array* tensor;
    array row_major = {};
    std::size_t at = 0;
    problem error = {};

    written_member(std::string text, const array& t) : header(std::move(text)), tensor(&t) {}
    std::size_t element_bytes() const { return tensor->size() * size_of(tensor->type()); }

    std::size_t take(std::byte* to, std::size_t bytes) {
        std::size_t taken = 0;
        if (at < header.size()) {
            taken = std::min(bytes, header.size() - at);
            std::memcpy(to, header.data() + at, taken);
        }
        if (at + taken >= header.size()) {
            const std::size_t from = at + taken - header.size();
            const std::size_t rest = std::min(bytes - taken, element_bytes() - from);
            const auto* data = static_cast<const std::byte*>(std::as_const(row_major).data());
            if (rest > 0) std::memcpy(to + taken, data + from, rest);
            taken += rest;
        }
        at += taken;
        return taken;
    }
};

zip_int64_t give_member(void* state, void* data, zip_uint64_t length, zip_source_cmd_t command) {
    written_member& m = *static_cast<written_member*>(state);
    switch (command) {
        case ZIP_SOURCE_OPEN:
            m.at = 0;
            try {
                m.row_major = contiguous(*m.tensor);
            } catch (const std::bad_alloc&) {
                return m.error.set(ZIP_ER_MEMORY);
            }
            return 0;
        case ZIP_SOURCE_READ:
            return static_cast<zip_int64_t>(m.take(static_cast<std::byte*>(data), length));
        case ZIP_SOURCE_CLOSE:
            m.row_major = array();
            return 0;
        case ZIP_SOURCE_STAT: {
            auto& status = *static_cast<zip_stat_t*>(data);
            zip_stat_init(&status);
            status.size = m.header.size() + m.element_bytes();
            status.valid = ZIP_STAT_SIZE;
            return sizeof(status);
        }
        case ZIP_SOURCE_ERROR:
            return m.error.tell(data, length);
        case ZIP_SOURCE_FREE:
            return 0;
        case ZIP_SOURCE_SUPPORTS:
            return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ,
                                                  ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT,
                                                  ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, -1);
        default:
            return m.error.set(ZIP_ER_OPNOTSUPP);
    }
}

// The archive, which is not there before it is written.
struct output {
    new_file& file;
    std::size_t at = 0, end = 0;
    problem error = {};
};

zip_int64_t take_archive(void* state, void* data, zip_uint64_t length, zip_source_cmd_t command) {
    output& out = *static_cast<output*>(state);
    switch (command) {
        case ZIP_SOURCE_BEGIN_WRITE:
        case ZIP_SOURCE_COMMIT_WRITE:
        case ZIP_SOURCE_ROLLBACK_WRITE:
        case ZIP_SOURCE_REMOVE:
        case ZIP_SOURCE_FREE:
            return 0;
        case ZIP_SOURCE_WRITE: {
            const int reason = out.file.write_at(out.at, data, length);
            if (reason != 0) return out.error.set(ZIP_ER_WRITE, reason);
            out.at += length;
            out.end = std::max(out.end, out.at);
            return static_cast<zip_int64_t>(length);
        }
        case ZIP_SOURCE_SEEK_WRITE: {
            const zip_int64_t to =
                zip_source_seek_compute_offset(out.at, out.end, data, length, out.error.get());
            if (to < 0) return -1;
            out.at = static_cast<std::size_t>(to);
            return 0;
        }
        case ZIP_SOURCE_TELL_WRITE:
            return static_cast<zip_int64_t>(out.at);
        case ZIP_SOURCE_STAT:
            return out.error.set(ZIP_ER_READ, ENOENT);
        case ZIP_SOURCE_ERROR:
            return out.error.tell(data, length);
        case ZIP_SOURCE_SUPPORTS:
            return zip_source_make_command_bitmap(
                ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT,
                ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL,
                ZIP_SOURCE_BEGIN_WRITE, ZIP_SOURCE_COMMIT_WRITE, ZIP_SOURCE_ROLLBACK_WRITE,
                ZIP_SOURCE_WRITE, ZIP_SOURCE_SEEK_WRITE, ZIP_SOURCE_TELL_WRITE, ZIP_SOURCE_REMOVE,
                -1);
        default:
            return out.error.set(ZIP_ER_OPNOTSUPP);
    }
}

void add_member(zip_t* archive, written_member& m, const std::string& name, const place& where) {
    if (name.find('\0') != std::string::npos)
        fail(where, "no zip archive has a name with a NUL in it");
    zip_source_t* source = zip_source_function(archive, give_member, &m);
    const std::string file = name + ".npy";
    const zip_int64_t index =
        source == nullptr ? -1 : zip_file_add(archive, file.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
        if (source != nullptr) zip_source_free(source);
        fail(where, "it cannot be put into a zip archive: {}", zip_strerror(archive));
    }
    // The same tensors make the same file: the date is the first one of the format, as numpy's.
    constexpr zip_uint16_t first_day = (1 << 5) + 1;
    const auto k = static_cast<zip_uint64_t>(index);
    if (zip_set_file_compression(archive, k, ZIP_CM_STORE, 0) != 0 ||
        zip_file_set_dostime(archive, k, 0, first_day, 0) != 0)
        fail(where, "it cannot be put into a zip archive: {}", zip_strerror(archive));
}

}  // namespace

void write_npz(new_file& file, const arrays& tensors) {
    const place where = file.where();
    if (tensors.empty()) {
        // What libzip writes nothing for: the end of a directory without entries.
        file.write(std::string("PK\5\6") + std::string(18, '\0'));
        return;
    }
    // The members, which the archive looks at until it is closed.
    std::vector<std::unique_ptr<written_member>> members;
    output out{file};
    problem opening;
    zip_source_t* target = zip_source_function_create(take_archive, &out, opening.get());
    archive_ptr archive(
        target == nullptr ? nullptr
                          : zip_open_from_source(target, ZIP_CREATE | ZIP_TRUNCATE, opening.get()));
    if (archive == nullptr) {
        if (target != nullptr) zip_source_free(target);
        fail(where, "a zip archive cannot be begun: {}", zip_error_strerror(opening.get()));
    }
    for (const auto& [name, tensor] : tensors) {
        const place at = where.named(name);
        members.push_back(std::make_unique<written_member>(npy_header(tensor, at), tensor));
        add_member(archive.get(), *members.back(), name, at);
    }
    if (zip_close(archive.get()) == 0) {
        static_cast<void>(archive.release());
        return;
    }
    if (out.error.system() != 0) fail_for(where, "it cannot be written", out.error.system());
    fail(where, "it cannot be written: {}", zip_strerror(archive.get()));
}

}  // namespace ricci::files
