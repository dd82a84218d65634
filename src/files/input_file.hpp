// A file that is read: opened once, of a size that is checked, its bytes copied or mapped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "src/files/stored.hpp"
#include "src/files/words.hpp"

namespace ricci::files {

class input_file {
public:
    /// Throws for what is no regular file, or may not be read; waits for nobody.
    explicit input_file(std::string_view name);
    ~input_file();
    input_file(const input_file&) = delete;
    input_file& operator=(const input_file&) = delete;

    place where() const { return {name_}; }
    std::size_t size() const { return size_; }
    int descriptor() const { return descriptor_; }

    /// Copies bytes, which lie within the size. Throws if they cannot be read.
    void read(std::size_t offset, std::size_t bytes, void* to) const;
    std::string text(std::size_t offset, std::size_t bytes) const;
    /// The bytes from `offset` on, as an unsigned number in little-endian order.
    std::uint64_t number(std::size_t offset, std::size_t bytes) const;

    /// All bytes: mapped where they are many. Pages come in when they are touched, and are copied
    /// when they are written; the file stays as it is.
    file_memory contents() const;

private:
    std::string name_;
    int descriptor_ = -1;
    std::size_t size_ = 0;
};

}  // namespace ricci::files
