// The steps that make a new file whole before the old one goes.
#include "src/files/new_file.hpp"

#include <cerrno>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ricci::files {
namespace {

namespace fs = std::filesystem;

// Where the links end that a name may go through; what they end at need not be there.
fs::path without_links(const place& where, fs::path path) {
    constexpr int most_links = 40;  // as many as the system follows
    std::error_code none;
    for (int n = 0; n <= most_links; ++n) {
        if (!fs::is_symlink(fs::symlink_status(path, none))) return path;
        const fs::path next = fs::read_symlink(path, none);
        if (next.empty()) return path;
        path = path.parent_path() / next;  // `next` alone where it begins at the root
    }
    fail_for(where, "it cannot be written", ELOOP);
}

// What was there before, if anything was: only a file that may be written is replaced.
bool look_at_old(const place& where, const std::string& target, struct stat& old) {
    if (stat(target.c_str(), &old) != 0) {
        if (errno == ENOENT) return false;
        fail_for(where, "it cannot be written", errno);
    }
    if (S_ISDIR(old.st_mode)) fail(where, "it is a directory, not a file");
    if (!S_ISREG(old.st_mode)) fail(where, "it is a device or a pipe, which no file replaces");
    if (faccessat(AT_FDCWD, target.c_str(), W_OK, AT_EACCESS) != 0)
        fail_for(where, "it cannot be written", errno);
    return true;
}

}  // namespace

new_file::new_file(std::string_view name) : name_(name) {
    if (name_.find('\0') != std::string::npos) fail(where(), "no file has a name with a NUL in it");
    target_ = without_links(where(), name_).string();
    struct stat old {};
    const bool replaces = look_at_old(where(), target_, old);
    const std::string folder = fs::path(target_).parent_path().string();
    remove_abandoned(folder);
    std::string temporary = unfinished_name(folder);
    unfinished_.emplace(temporary);
    // A new file gets what the process gives new files; one that replaces another is nobody's until
    // it is whole.
    descriptor_ = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                       static_cast<mode_t>(replaces ? 0600 : 0666));
    if (descriptor_ < 0) fail_for(where(), "it cannot be written", errno);
    temporary_ = std::move(temporary);
    hold_unfinished(descriptor_);
    if (!replaces) return;
    // The group may not be ours to give; then its permissions go, rather than to another group.
    const bool same = old.st_uid == geteuid() && old.st_gid == getegid();
    const bool given = same || fchown(descriptor_, old.st_uid, old.st_gid) == 0;
    const mode_t kept = old.st_mode & (given ? 07777U : 0707U);
    if (fchmod(descriptor_, kept) != 0) {
        const int reason = errno;
        unlink(temporary_.c_str());
        close(descriptor_);
        fail_for(where(), "it cannot be given the permissions of the old file", reason);
    }
}

new_file::~new_file() {
    if (descriptor_ >= 0) close(descriptor_);
    if (!temporary_.empty()) unlink(temporary_.c_str());
}

void new_file::write(const void* data, std::size_t bytes) {
    const int reason = write_at(size_, data, bytes);
    if (reason != 0) fail_for(where(), "it cannot be written", reason);
    size_ += bytes;
}

int new_file::write_at(std::size_t offset, const void* data, std::size_t bytes) noexcept {
    const auto* at = static_cast<const std::byte*>(data);
    while (bytes > 0) {
        const ssize_t put = pwrite(descriptor_, at, bytes, static_cast<off_t>(offset));
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return errno;
        if (put == 0) return ENOSPC;
        const auto n = static_cast<std::size_t>(put);
        at += n;
        offset += n;
        bytes -= n;
    }
    return 0;
}

void new_file::complete() {
    if (fsync(descriptor_) != 0) fail_for(where(), "it cannot be written", errno);
    // Some file systems say only now that the disk is full.
    const int closed = close(descriptor_);
    descriptor_ = -1;
    if (closed != 0) fail_for(where(), "it cannot be written", errno);
}

void new_file::replace() {
    if (rename(temporary_.c_str(), target_.c_str()) != 0)
        fail_for(where(), "it cannot be put into its place", errno);
    temporary_.clear();
    unfinished_.reset();
    // The new name has to last too. Where the folder cannot be opened or synchronised, the file is
    // right anyway.
    const std::string folder = fs::path(target_).parent_path().string();
    const int descriptor = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor >= 0) {
        fsync(descriptor);
        close(descriptor);
    }
}

}  // namespace ricci::files
