// The texts of programs as strings, and back.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <ricci/detail/text.hpp>

namespace ricci::detail {

inline std::string string_of(text_view text) { return {text.begin(), text.end()}; }
inline text_view view_of(std::string_view text) {
    return {text.data(), static_cast<std::int32_t>(text.size())};
}

}  // namespace ricci::detail
