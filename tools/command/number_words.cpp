// Numbers with commas, rounded, and as bytes.
#include "command/number_words.hpp"

#include <iterator>

#include <fmt/core.h>

namespace ricci::command {
namespace {

std::string by_threes(std::string digits) {
    for (std::size_t k = digits.size(); k > 3;) digits.insert(k -= 3, ",");
    return digits;
}

}  // namespace

std::string with_commas(std::size_t n) { return by_threes(fmt::format("{}", n)); }
std::string with_commas(double n) { return by_threes(fmt::format("{:.0f}", n)); }

std::string rounded(double n) {
    return n < 1e6 ? fmt::format("{:.0f}", n) : fmt::format("{:.4g}", n);
}

std::string words_of_bytes(double bytes) {
    const char* const units[] = {"B", "KB", "MB", "GB", "TB", "PB", "EB"};
    std::size_t k = 0;
    while (bytes >= 1024 && k + 1 < std::size(units)) bytes /= 1024, ++k;
    return fmt::format("{:.{}f} {}", bytes, k == 0 ? 0 : 1, units[k]);
}

}  // namespace ricci::command
