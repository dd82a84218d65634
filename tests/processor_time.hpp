// How long something computes: what other programs on the machine take is not counted.
#pragma once

#include <ctime>

namespace ricci::testing {

/// Processor time of this process, of all of its threads, since it was made.
class processor_time {
public:
    double seconds() const {
        return static_cast<double>(std::clock() - begin_) / static_cast<double>(CLOCKS_PER_SEC);
    }

private:
    std::clock_t begin_ = std::clock();
};

}  // namespace ricci::testing
