// A number that tells bytes from other ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <ricci/array.hpp>

namespace ricci::mpi {

/// FNV-1a of words of eight bytes, with the length of each piece in them.
class fingerprint {
public:
    void add(const void* data, std::size_t bytes) {
        word(bytes);
        const char* const from = static_cast<const char*>(data);
        for (std::size_t k = 0; k < bytes; k += 8) {
            std::uint64_t x = 0;
            std::memcpy(&x, from + k, bytes - k < 8 ? bytes - k : 8);
            word(x);
        }
    }
    void add(const array& a) {
        if (a.size() > 0 && !a.is_contiguous()) return add(a.clone());
        const array& packed = a;
        add(packed.data(), packed.size() * size_of(packed.type()));
    }
    std::uint64_t value() const { return value_; }

private:
    void word(std::uint64_t x) {
        value_ = (value_ ^ x) * 0x100000001b3U;
        value_ ^= value_ >> 32;  // a product alone never carries high bits down
    }
    std::uint64_t value_ = 0xcbf29ce484222325U;
};

}  // namespace ricci::mpi
