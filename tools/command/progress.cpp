// A line on the terminal for what takes long.
#include "command/progress.hpp"

#include <chrono>
#include <cstdio>
#include <utility>

#include <unistd.h>

#include "command/sentences.hpp"

namespace ricci::command {

progress::progress(std::string what) : what_(std::move(what)) {
    if (isatty(STDERR_FILENO) != 0) teller_ = std::thread([this] { tell(); });
}

progress::~progress() {
    {
        const std::lock_guard guard(lock_);
        over_ = true;
    }
    wake_.notify_all();
    if (teller_.joinable()) teller_.join();
}

void progress::now(std::string what) {
    const std::lock_guard guard(lock_);
    what_ = std::move(what);
}

void progress::tell() {
    const auto begin = std::chrono::steady_clock::now();
    std::unique_lock guard(lock_);
    bool said = false;
    while (!wake_.wait_for(guard, std::chrono::seconds(1), [this] { return over_; })) {
        const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
        remark_aside("\r\033[K{}: {:.0f} s", what_, time.count());
        std::fflush(stderr);
        said = true;
    }
    if (said) std::fputs("\r\033[K", stderr);
}

}  // namespace ricci::command
