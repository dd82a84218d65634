// What takes long says so: on a terminal, after a second, and nowhere else.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace ricci::command {

/// While it lives and a second has passed, a line on standard error says what is being done and for
/// how long. The line is gone in the end. Says nothing where standard error is no terminal.
class progress {
public:
    explicit progress(std::string what);
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;
    ~progress();

    /// What is being done from now on.
    void now(std::string what);

private:
    void tell();

    std::mutex lock_;
    std::condition_variable wake_;
    std::string what_;
    bool over_ = false;
    std::thread teller_;
};

}  // namespace ricci::command
