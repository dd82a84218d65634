// A file that takes the place of another when it is whole, and never before.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "src/files/unfinished.hpp"
#include "src/files/words.hpp"

namespace ricci::files {

/// Written beside its place under a name of its own, which is gone when this is, whatever happens;
/// of a process that is killed the next one removes it.
class new_file {
public:
    /// Throws where no file of this name may be written.
    explicit new_file(std::string_view name);
    ~new_file();
    new_file(const new_file&) = delete;
    new_file& operator=(const new_file&) = delete;

    place where() const { return {name_}; }

    /// Writes at the end. Throws where the disk is full.
    void write(const void* data, std::size_t bytes);
    void write(std::string_view text) { write(text.data(), text.size()); }
    /// Writes at any offset, and says the system's error or 0.
    int write_at(std::size_t offset, const void* data, std::size_t bytes) noexcept;

    /// Brings all of it to the disk; nothing is written after that. Throws where the disk is full.
    void complete();
    /// Puts the complete file into its place. Throws where that fails; the old one is still there
    /// then.
    void replace();

private:
    std::string name_;       // as it was given
    std::string target_;     // what it means, links followed
    std::string temporary_;  // empty when there is none
    std::optional<unfinished> unfinished_;
    int descriptor_ = -1;
    std::size_t size_ = 0;
};

}  // namespace ricci::files
