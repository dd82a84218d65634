// Who may use the memory of a prepared program, one thread at a time.
#pragma once

#include <atomic>

namespace ricci::python {

/// A lock that a child of os.fork() does not wait for where a thread that it has not holds it.
class one_run {
public:
    /// ricci::error where it never comes free.
    void lock();
    void unlock();

private:
    std::atomic<unsigned> holder_{0};  // the number of its process, or 0
};

}  // namespace ricci::python
