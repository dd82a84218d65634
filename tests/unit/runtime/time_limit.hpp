// An end to tests whose mistake is that they do not come back.
#pragma once

#include <unistd.h>

namespace ricci::testing {

/// Ends the program, as a failure, unless it is gone after so many seconds.
class time_limit {
public:
    explicit time_limit(unsigned seconds) { ::alarm(seconds); }
    ~time_limit() { ::alarm(0); }
    time_limit(const time_limit&) = delete;
    time_limit& operator=(const time_limit&) = delete;
};

}  // namespace ricci::testing
