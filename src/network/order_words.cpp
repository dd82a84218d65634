// An order in words, and the bound beside it.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include <fmt/core.h>

#include <ricci/network.hpp>

#include "src/network/order_data.hpp"

namespace ricci {
namespace {

// A core that multiplies so many numbers and moves so many bytes in a second: about what one has.
constexpr double nominal_multiplications = 1e10;
constexpr double nominal_bytes = 1e10;

// As it is up to some digits, then by its decimal logarithm.
std::string number_in_words(const scaled_number& x) {
    const double value = x.value();
    if (value < 1e6) return fmt::format("{:.0f}", value);
    return value < 1e15 ? fmt::format("{:.3g}", value) : fmt::format("10^{:.3f}", x.log10());
}

std::string elements_in_words(const scaled_number& x) {
    return fmt::format("{} elements (2^{:.1f})", number_in_words(x), x.log2());
}

std::string bytes_in_words(double bytes) {
    static constexpr const char* units[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};
    if (std::isinf(bytes)) return "more than 10^308 bytes";
    std::size_t unit = 0;
    while (bytes >= 1000 && unit + 1 < std::size(units)) {
        bytes /= 1000;
        ++unit;
    }
    if (bytes >= 1e6) return fmt::format("10^{:.1f} {}", std::log10(bytes), units[unit]);
    return unit == 0 ? fmt::format("{:.0f} bytes", bytes)
                     : fmt::format("{:.3g} {}", bytes, units[unit]);
}

std::string seconds_in_words(double log10_seconds) {
    constexpr double year = 3.156e7;
    if (log10_seconds > 6 + std::log10(year))
        return fmt::format("10^{:.1f} years", log10_seconds - std::log10(year));
    const double seconds = std::pow(10.0, log10_seconds);
    if (seconds >= 2 * year) return fmt::format("{:.3g} years", seconds / year);
    if (seconds >= 2 * 86400) return fmt::format("{:.3g} days", seconds / 86400);
    if (seconds >= 2 * 3600) return fmt::format("{:.3g} hours", seconds / 3600);
    if (seconds >= 1) return fmt::format("{:.3g} s", seconds);
    if (seconds >= 1e-3) return fmt::format("{:.3g} ms", seconds * 1e3);
    return fmt::format("{:.3g} us", seconds * 1e6);
}

std::string slices_in_words(const networks::order_data& order) {
    if (order.sliced.empty()) return "slices: none\n";
    std::string indices;
    constexpr std::size_t shown = 12;
    for (std::size_t k = 0; k < order.sliced.size() && k < shown; ++k)
        indices += fmt::format("{}{} into {}", k == 0 ? "" : ", ", order.sliced[k].index,
                               order.sliced[k].parts);
    if (order.sliced.size() > shown)
        indices += fmt::format(" and {} more", order.sliced.size() - shown);
    const scaled_number overhead = order.score.multiplications / order.score.unsliced;
    constexpr double most_log10_in_digits = 6;
    return fmt::format("slices: {}, {} times the multiplications without; index {}\n",
                       number_in_words(order.score.slices),
                       overhead.log10() < most_log10_in_digits
                           ? fmt::format("{:.3g}", overhead.value())
                           : fmt::format("10^{:.1f}", overhead.log10()),
                       indices);
}

// What is left out of a network whose order rests on values.
std::string zeros_in_words(const networks::order_data& order) {
    if (order.zeros.empty()) return {};
    const auto joined = std::count_if(order.zeros.begin(), order.zeros.end(),
                                      [](const auto& fact) { return fact.other >= 0; });
    return fmt::format("zeros: join {} pairs of indices, leave places of indices out {} times\n",
                       joined, static_cast<std::ptrdiff_t>(order.zeros.size()) - joined);
}

}  // namespace

double contraction_order::bound() const {
    return std::exp2(path::product_bound_log2(*data_->shapes));
}

std::string contraction_order::words() const {
    const networks::order_score& s = data_->score;
    const scaled_number seconds = s.multiplications / scaled_number(nominal_multiplications) +
                                  s.traffic * scaled_number(data_->element_bytes / nominal_bytes);
    std::string words =
        fmt::format("tensors: {}, indices: {}\n", data_->operands(), data_->shapes->extents.size());
    words += fmt::format("multiplications: {}", number_in_words(s.multiplications));
    if (!data_->products.empty()) words += fmt::format(" (10^{:.3f})", s.multiplications.log10());
    words += fmt::format("\nlargest intermediate: {}\n", elements_in_words(s.largest_intermediate));
    if (!data_->products.empty())
        words += fmt::format("largest product: {}; in any order at least 2^{:.1f} without slices\n",
                             elements_in_words(s.largest_product),
                             path::product_bound_log2(*data_->shapes));
    words += zeros_in_words(*data_);
    words += slices_in_words(*data_);
    if (!data_->shapes->sparse.empty())
        words += fmt::format("choices: {:.0f}, one at a time\n", data_->shapes->choices);
    words += fmt::format("memory: {} of tensors, {} of intermediates at the peak\n",
                         bytes_in_words(data_->operand_bytes),
                         bytes_in_words(s.peak * data_->element_bytes));
    return words +
           fmt::format("time: {} on a core of 10^10 multiplications and bytes a second\n",
                       data_->products.empty() ? "none" : seconds_in_words(seconds.log10()));
}

}  // namespace ricci
