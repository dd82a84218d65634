// Random numbers that are the same on every machine.
#pragma once

#include <cmath>
#include <cstdint>

namespace ricci::path {

/// One stream of 64-bit numbers a seed (splitmix64).
class random_stream {
public:
    explicit random_stream(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}
    std::uint64_t next() {
        std::uint64_t x = state_ += 0x9E3779B97F4A7C15u;
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
        x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
        return x ^ (x >> 31);
    }
    /// Uniform in (0, 1).
    double uniform() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53; }
    /// Uniform in 0 .. count - 1.
    std::uint32_t below(std::uint32_t count) {
        return static_cast<std::uint32_t>(((next() >> 32) * count) >> 32);
    }
    double gumbel() { return -std::log(-std::log(uniform())); }

private:
    std::uint64_t state_;
};

}  // namespace ricci::path
