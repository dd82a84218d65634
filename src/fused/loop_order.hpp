// One way of carrying out a streamed group.
#pragma once

#include <string>

namespace ricci::fused {

class sweep {
public:
    sweep() = default;
    sweep(const sweep&) = delete;
    sweep& operator=(const sweep&) = delete;
    virtual ~sweep() = default;

    virtual void run(void* const* bases, const double* numbers) const = 0;
    virtual std::string words() const = 0;
};

}  // namespace ricci::fused
