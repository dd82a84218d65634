// Opening, reading and mapping a file.
#include "src/files/input_file.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ricci::files {
namespace {

// Mapping costs some microseconds and a page fault for each page, copying a memcpy.
constexpr std::size_t mapped_from = std::size_t{1} << 20;

const char* kind_of(mode_t mode) {
    if (S_ISDIR(mode)) return "a directory";
    if (S_ISFIFO(mode)) return "a pipe";
    return S_ISSOCK(mode) ? "a socket" : "a device";
}

}  // namespace

input_file::input_file(std::string_view name) : name_(name) {
    if (name_.find('\0') != std::string::npos) fail(where(), "no file has a name with a NUL in it");
    // A pipe without a writer must not keep us waiting.
    descriptor_ = open(name_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor_ < 0) fail_for(where(), "it cannot be opened", errno);
    struct stat status {};
    if (fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
        close(descriptor_);
        fail(where(), "it is {}, not a file", kind_of(status.st_mode));
    }
    size_ = static_cast<std::size_t>(status.st_size);
}

input_file::~input_file() { close(descriptor_); }

void input_file::read(std::size_t offset, std::size_t bytes, void* to) const {
    auto* at = static_cast<std::byte*>(to);
    while (bytes > 0) {
        const ssize_t got = pread(descriptor_, at, bytes, static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail_for(where(), "it cannot be read", errno);
        if (got == 0) fail(where(), "it was cut while it was read");
        const auto n = static_cast<std::size_t>(got);
        at += n;
        offset += n;
        bytes -= n;
    }
}

std::string input_file::text(std::size_t offset, std::size_t bytes) const {
    std::string result(bytes, '\0');
    read(offset, bytes, result.data());
    return result;
}

std::uint64_t input_file::number(std::size_t offset, std::size_t bytes) const {
    std::uint64_t value = 0;
    read(offset, bytes, &value);  // the machine's order is the file's
    return value;
}

file_memory input_file::contents() const {
    if (size_ < mapped_from) {
        const file_memory memory = new_memory(size_, where());
        read(0, size_, memory.data);
        return memory;
    }
    const std::size_t size = size_;
    // Without a reserve: a file may be larger than memory, and few of its pages are ever written.
    bool writable = true;
    void* data =
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, descriptor_, 0);
    if (data == MAP_FAILED) {
        // A system that counts every page that could be written may still let us read.
        writable = false;
        data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor_, 0);
    }
    if (data == MAP_FAILED) fail_for(where(), "it cannot be mapped into memory", errno);
    return {{data, [size](void* memory) { munmap(memory, size); }},
            static_cast<std::byte*>(data),
            writable};
}

}  // namespace ricci::files
