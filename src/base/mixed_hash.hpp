// Hashes of lists of numbers, the same on every machine.
#pragma once

#include <cstdint>

namespace ricci {

/// A hash of so far and one more number.
constexpr std::uint64_t mixed(std::uint64_t so_far, std::uint64_t number) {
    std::uint64_t x = so_far + 0x9e3779b97f4a7c15U + number * 0xff51afd7ed558ccdU;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

}  // namespace ricci
