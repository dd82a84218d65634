// The handler of the signals, which may use nothing but the table below; and the names of files
// that are not finished, which say whose they are.
#include "src/files/unfinished.hpp"

#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <random>
#include <set>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <fmt/core.h>

namespace ricci::files {
namespace {

namespace fs = std::filesystem;

constexpr int most_files = 256;
std::atomic<char*> paths[most_files];
static_assert(std::atomic<char*>::is_always_lock_free, "a handler takes no locks");

constexpr int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXFSZ};
std::mutex handlers;  // of the two below
int files_now = 0;
bool handled[std::size(ending_signals)] = {};

extern "C" void ricci_remove_unfinished(int signal) {
    const int before = errno;
    for (std::atomic<char*>& path : paths)
        if (char* const name = path.exchange(nullptr)) unlink(name);
    errno = before;
    // blocked until this returns, and then it ends the process
    std::signal(signal, SIG_DFL);
    raise(signal);
}

void handle_signals() {
    for (std::size_t k = 0; k < std::size(ending_signals); ++k) {
        struct sigaction now {};
        if (sigaction(ending_signals[k], nullptr, &now) != 0) continue;
        if ((now.sa_flags & SA_SIGINFO) != 0 || now.sa_handler != SIG_DFL) continue;
        struct sigaction ours {};
        ours.sa_handler = ricci_remove_unfinished;
        sigemptyset(&ours.sa_mask);
        handled[k] = sigaction(ending_signals[k], &ours, nullptr) == 0;
    }
}
void leave_signals() {
    for (std::size_t k = 0; k < std::size(ending_signals); ++k) {
        struct sigaction now {};
        if (!std::exchange(handled[k], false)) continue;
        // unless the program has set a handler meanwhile
        if (sigaction(ending_signals[k], nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 &&
            now.sa_handler == ricci_remove_unfinished)
            std::signal(ending_signals[k], SIG_DFL);
    }
}

constexpr std::string_view begins = ".ricci-", ends = ".tmp";

// Whose a file of such a name is; 0 for other names.
pid_t owner_of(std::string_view name) {
    if (name.size() < begins.size() + ends.size() || name.substr(0, begins.size()) != begins ||
        name.substr(name.size() - ends.size()) != ends)
        return 0;
    name.remove_prefix(begins.size());
    pid_t owner = 0;
    const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), owner);
    return problem == std::errc() && *end == '-' ? owner : 0;
}

// Where processes of other machines or containers write too, a number says little: they hold a
// lock.
void remove_if_free(const fs::path& path) {
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0) return;
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) unlink(path.c_str());
    close(descriptor);
}

}  // namespace

unfinished::unfinished(const std::string& path) : path_(new char[path.size() + 1]), slot_(-1) {
    std::memcpy(path_, path.c_str(), path.size() + 1);
    const std::lock_guard lock(handlers);
    if (files_now++ == 0) handle_signals();
    for (int k = 0; k < most_files && slot_ < 0; ++k) {
        char* free = nullptr;
        if (paths[k].compare_exchange_strong(free, path_)) slot_ = k;
    }
}

unfinished::~unfinished() {
    const std::lock_guard lock(handlers);
    // what a handler has taken is its own: the process is about to end
    if (slot_ < 0 || paths[slot_].exchange(nullptr) != nullptr) delete[] path_;
    if (--files_now == 0) leave_signals();
}

std::string unfinished_name(const std::string& folder) {
    static std::atomic<unsigned> number = 0;
    std::random_device random;
    const std::string name =
        fmt::format("{}{}-{}-{:08x}{}", begins, getpid(), number++, random(), ends);
    return (fs::path(folder) / name).string();
}

void hold_unfinished(int descriptor) { static_cast<void>(flock(descriptor, LOCK_EX | LOCK_NB)); }

void remove_abandoned(const std::string& folder) {
    static std::mutex one;
    static std::set<std::string> seen;
    const std::lock_guard lock(one);
    if (!seen.insert(folder).second) return;
    std::error_code none;
    for (fs::directory_iterator at(folder.empty() ? "." : folder, none), end; !none && at != end;
         at.increment(none)) {
        const pid_t owner = owner_of(at->path().filename().string());
        if (owner <= 0 || owner == getpid()) continue;
        if (kill(owner, 0) == 0 || errno != ESRCH) continue;
        remove_if_free(at->path());
    }
}

}  // namespace ricci::files
