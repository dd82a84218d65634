// Text for compile-time and run-time code alike: a view of characters and a builder of messages.
#pragma once

#include <cstdint>

#include <ricci/detail/buffer.hpp>

namespace ricci::detail {

/// Characters that somebody else keeps alive.
struct text_view {
    const char* data = nullptr;
    std::int32_t size = 0;

    constexpr text_view() = default;
    constexpr text_view(const char* characters, std::int32_t count)
        : data(characters), size(count) {}
    constexpr text_view(const char* terminated)
        : data(terminated), size(static_cast<std::int32_t>(__builtin_strlen(terminated))) {}
    constexpr char operator[](std::int32_t k) const { return data[k]; }
    constexpr const char* begin() const { return data; }
    constexpr const char* end() const { return data + size; }
    constexpr bool empty() const { return size == 0; }
    constexpr text_view slice(std::int32_t first, std::int32_t last) const {
        return {data + first, last - first};
    }
    friend constexpr bool operator==(text_view a, text_view b) {
        if (a.size != b.size) return false;
        for (std::int32_t k = 0; k < a.size; ++k)
            if (a.data[k] != b.data[k]) return false;
        return true;
    }
};

/// 64-bit FNV-1a; the key under which names and texts are known to the type system.
constexpr std::uint64_t hash_of(text_view text, std::uint64_t seed = 0xcbf29ce484222325u) {
    for (char c : text) {
        seed ^= static_cast<unsigned char>(c);
        seed *= 0x100000001b3u;
    }
    return seed;
}

/// A text under construction.
class text_builder {
public:
    constexpr text_builder& operator<<(text_view text) {
        characters_.append(text.data, text.size);
        return *this;
    }
    constexpr text_builder& operator<<(const char* text) { return *this << text_view(text); }
    constexpr text_builder& operator<<(char c) {
        characters_.push(c);
        return *this;
    }
    constexpr text_builder& operator<<(std::int64_t number) {
        if (number < 0) {
            *this << '-';
            return digits(~static_cast<std::uint64_t>(number) + 1);
        }
        return digits(static_cast<std::uint64_t>(number));
    }
    constexpr text_builder& operator<<(std::int32_t number) {
        return *this << static_cast<std::int64_t>(number);
    }
    constexpr text_view view() const { return {characters_.data(), characters_.size()}; }
    constexpr operator text_view() const { return {characters_.data(), characters_.size()}; }
    constexpr std::int32_t size() const { return characters_.size(); }
    constexpr char last() const { return size() ? characters_[size() - 1] : '\0'; }

private:
    constexpr text_builder& digits(std::uint64_t number) {
        if (number >= 10) digits(number / 10);
        return *this << static_cast<char>('0' + number % 10);
    }

    buffer<char> characters_;
};

}  // namespace ricci::detail
