// Tensors as numpy prints arrays: all numbers of one width, long axes cut in the middle.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <ostream>
#include <vector>

#include <fmt/format.h>

#include <ricci/print.hpp>

namespace ricci::detail {
namespace {

constexpr std::size_t most_elements = 1000, edge = 3, line_width = 75;
constexpr int most_digits = 8;
constexpr double most_exact = 0x1p53;  // whole numbers below are all doubles

template <class T>
T value_at(const void* data, std::ptrdiff_t offset) {
    return static_cast<const T*>(data)[offset];
}

/// The digits that tell a number from the others of its type: 0.d1d2d3... times ten to the power
/// `point`.
struct decimal {
    std::string digits;
    int point = 0;
};

/// Reads "d.ddde+xx".
decimal decimal_of(const char* first, const char* last) {
    decimal d;
    const char* e = std::find(first, last, 'e');
    for (const char* c = first; c < e; ++c)
        if (*c >= '0' && *c <= '9') d.digits += *c;
    d.point = std::atoi(std::string(e + 1, last).c_str()) + 1;
    while (d.digits.size() > 1 && d.digits.back() == '0') d.digits.pop_back();
    return d;
}
template <class T>
decimal shortest(T magnitude) {
    char text[64];
    const auto end =
        std::to_chars(text, text + sizeof text, magnitude, std::chars_format::scientific);
    return decimal_of(text, end.ptr);
}
/// Of a 16-bit number: the fewest digits that are read back as it.
template <class Narrow>
decimal shortest_narrow(float magnitude) {
    for (int digits = 0;; ++digits) {
        const std::string text = fmt::format("{:.{}e}", magnitude, digits);
        const float read = std::strtof(text.c_str(), nullptr);
        const bool same = static_cast<float>(Narrow(read)) == magnitude;
        if (same || digits == 9) return decimal_of(text.data(), text.data() + text.size());
    }
}
/// Rounds half to even to `count` digits, of which there are more.
void round_to(decimal& d, std::ptrdiff_t count) {
    if (count < 0) {
        d = {"0", 1};
        return;
    }
    const auto kept = static_cast<std::size_t>(count);
    const bool half = d.digits[kept] == '5' && kept + 1 == d.digits.size();
    const bool odd = kept > 0 && (d.digits[kept - 1] - '0') % 2 == 1;
    const bool up = half ? odd : d.digits[kept] >= '5';
    d.digits.resize(kept);
    if (up) {
        std::size_t k = kept;
        while (k > 0 && d.digits[k - 1] == '9') d.digits[--k] = '0';
        if (k > 0) {
            ++d.digits[k - 1];
        } else {
            d.digits.insert(d.digits.begin(), '1');
            ++d.point;
        }
    }
    while (d.digits.size() > 1 && d.digits.back() == '0') d.digits.pop_back();
    if (d.digits.empty() || d.digits == "0") d = {"0", 1};
}

/// A real number apart from its sign.
struct real_number {
    double value = 0;
    decimal digits;
};

/// How numbers of one column are written.
class real_format {
public:
    /// `is_alone`: whole numbers are written in full where the type tells each from the next.
    explicit real_format(const std::vector<real_number>& all, bool is_alone) {
        double largest = 0, smallest = 0;
        for (const real_number& x : all) {
            const double size = std::abs(x.value);
            if (!std::isfinite(size) || size == 0) continue;
            largest = std::max(largest, size);
            smallest = smallest == 0 ? size : std::min(smallest, size);
        }
        scientific_ = largest >= 1e8 || (smallest != 0 && smallest < 1e-4) ||
                      (smallest != 0 && largest / smallest > 1000);
        if (is_alone && largest < most_exact && largest == std::floor(largest)) scientific_ = false;
        for (const real_number& x : all)
            if (std::isfinite(x.value)) measure(x);
        for (const real_number& x : all) width_ = std::max(width_, written(x).size());
    }
    /// Right-aligned, the points below each other.
    std::string operator()(const real_number& x) const {
        return fmt::format("{:>{}}", written(x), width_);
    }

private:
    void measure(const real_number& x) {
        decimal d = x.digits;
        if (scientific_) {
            if (d.digits.size() > most_digits + 1) round_to(d, most_digits + 1);
            fraction_ = std::max(fraction_, d.digits.size() - 1);
            if (x.value != 0 && std::abs(d.point - 1) >= 100) exponent_ = 3;
            return;
        }
        shorten(d);
        const auto behind = static_cast<std::ptrdiff_t>(d.digits.size()) - d.point;
        if (d.digits != "0" && behind > 0)
            fraction_ = std::max(fraction_, static_cast<std::size_t>(behind));
    }
    static void shorten(decimal& d) {
        const auto count = static_cast<std::ptrdiff_t>(d.point) + most_digits;
        if (static_cast<std::ptrdiff_t>(d.digits.size()) > count) round_to(d, count);
    }
    std::string written(const real_number& x) const {
        if (std::isnan(x.value)) return "nan";
        std::string text = std::signbit(x.value) ? "-" : "";
        if (std::isinf(x.value)) return text + "inf";
        if (scientific_) {
            // All digits that are shown are the number's own, beyond those that tell it from
            // others.
            const std::string all =
                fmt::format("{:.{}e}", std::abs(x.value), static_cast<int>(fraction_));
            const std::size_t e = all.find('e');
            text += all.substr(0, e) + (fraction_ == 0 ? "." : "");
            const std::string power = all.substr(e + 2);
            return fmt::format("{}{}{:0>{}}", text, all.substr(e, 2), power, exponent_);
        }
        decimal d = x.digits;
        shorten(d);
        std::string whole, behind;
        for (int k = 0; k < std::max(d.point, 1); ++k) {
            const int at = d.point <= 0 ? -1 : k;
            whole += at >= 0 && at < static_cast<int>(d.digits.size())
                         ? d.digits[static_cast<std::size_t>(at)]
                         : '0';
        }
        for (int at = d.point; d.digits != "0" && at < static_cast<int>(d.digits.size()); ++at)
            behind += at < 0 ? '0' : d.digits[static_cast<std::size_t>(at)];
        return fmt::format("{}{}.{:<{}}", text, whole, behind, fraction_);
    }

    bool scientific_ = false;
    std::size_t fraction_ = 0, exponent_ = 2, width_ = 0;
};

class printer {
public:
    explicit printer(const printed_tensor& t) : t_(t) {
        std::size_t elements = 1;
        for (std::size_t axis = 0; axis < t.rank; ++axis) elements *= t.extents[axis];
        cut_ = elements > most_elements;
        empty_ = elements == 0;
    }

    std::string run() {
        std::string out;
        if (t_.rank > 0) {
            out = fmt::format("{}, {}\n", name_of(t_.type),
                              fmt::join(t_.extents, t_.extents + t_.rank, " x "));
        }
        if (empty_) return out + "[]";
        for_each_shown(0, 0, [&](std::ptrdiff_t offset) { collect(offset); });
        write_words();
        if (t_.rank == 0) return words_[0].substr(words_[0].find_first_not_of(' '));
        next_ = 0;
        axis(0, out);
        return out;
    }

private:
    /// The places of an axis that are shown.
    template <class F>
    void for_each_place(std::size_t axis, F visit) const {
        const std::size_t n = t_.extents[axis];
        const bool short_axis = !cut_ || n <= 2 * edge;
        for (std::size_t k = 0; k < n; ++k) {
            if (!short_axis && k == edge) k = n - edge;
            visit(k);
        }
    }
    template <class F>
    void for_each_shown(std::size_t axis, std::ptrdiff_t offset, const F& visit) const {
        if (axis == t_.rank) return visit(offset);
        for_each_place(axis, [&](std::size_t k) {
            for_each_shown(axis + 1, offset + static_cast<std::ptrdiff_t>(k) * t_.strides[axis],
                           visit);
        });
    }

    void collect(std::ptrdiff_t at) {
        switch (t_.type) {
            case element::f32:
                return add_real(value_at<float>(t_.data, at), real_);
            case element::f64:
                return add_real(value_at<double>(t_.data, at), real_);
            case element::i32:
                words_.push_back(fmt::to_string(value_at<std::int32_t>(t_.data, at)));
                return;
            case element::i64:
                words_.push_back(fmt::to_string(value_at<std::int64_t>(t_.data, at)));
                return;
            case element::boolean:
                words_.push_back(value_at<bool>(t_.data, at) ? "True" : "False");
                return;
            case element::bf16:
                return add_narrow(value_at<bf16>(t_.data, at));
            case element::f16:
                return add_narrow(value_at<f16>(t_.data, at));
            case element::c64: {
                const auto z = value_at<std::complex<float>>(t_.data, at);
                add_real(z.real(), real_);
                return add_real(z.imag(), imaginary_);
            }
            case element::c128: {
                const auto z = value_at<std::complex<double>>(t_.data, at);
                add_real(z.real(), real_);
                return add_real(z.imag(), imaginary_);
            }
        }
    }
    template <class T>
    static void add_real(T x, std::vector<real_number>& to) {
        to.push_back(
            {static_cast<double>(x),
             std::isfinite(x) ? (x == 0 ? decimal{"0", 1} : shortest(std::abs(x))) : decimal{}});
    }
    template <class Narrow>
    void add_narrow(Narrow narrow) {
        const auto x = static_cast<float>(narrow);
        real_.push_back({static_cast<double>(x),
                         std::isfinite(x)
                             ? (x == 0 ? decimal{"0", 1} : shortest_narrow<Narrow>(std::abs(x)))
                             : decimal{}});
    }
    /// Gives all numbers one width.
    void write_words() {
        // In single precision, exact whole numbers are below 1e8, and so without exponents.
        const bool is_double = t_.type == element::f64 || t_.type == element::c128;
        const bool is_alone = t_.rank == 0 && is_double;
        if (!real_.empty()) {
            const real_format real(real_, is_alone);
            for (const real_number& x : real_) words_.push_back(real(x));
        }
        if (!imaginary_.empty()) {
            const real_format imaginary(imaginary_, is_alone);
            for (std::size_t k = 0; k < words_.size(); ++k) {
                std::string text = imaginary(imaginary_[k]);
                const std::size_t first = text.find_first_not_of(' ');
                const std::size_t last = text.find_last_not_of(' ') + 1;
                words_[k] += fmt::format("{}{}j{:{}}", text[first] == '-' ? "" : "+",
                                         text.substr(first, last - first), "", text.size() - last);
            }
        }
        std::size_t width = 0;
        for (const auto& word : words_) width = std::max(width, word.size());
        for (auto& word : words_) word = fmt::format("{:>{}}", word, width);
    }

    void axis(std::size_t number, std::string& out) {
        const std::size_t n = t_.extents[number];
        const bool last = number + 1 == t_.rank;
        const bool cut = cut_ && n > 2 * edge;
        out += '[';
        std::size_t line = number + 1;  // characters in it so far
        for_each_place(number, [&](std::size_t k) {
            if (cut && k == n - edge) {
                if (last) put("...", number, line, out, false);
                else out += between_lines(number) + "...";
            }
            if (last) {
                put(words_[next_++], number, line, out, k == 0);
                return;
            }
            if (k > 0) out += between_lines(number);
            axis(number + 1, out);
        });
        out += ']';
    }
    /// As many empty lines as there are axes below.
    std::string between_lines(std::size_t number) const {
        return std::string(t_.rank - number - 1, '\n') + std::string(number + 1, ' ');
    }
    static void put(const std::string& word, std::size_t number, std::size_t& line,
                    std::string& out, bool first) {
        const std::size_t indent = number + 1;
        if (!first && line + 1 + word.size() + indent > line_width) {
            out += "\n" + std::string(indent, ' ');
            line = indent;
        } else if (!first) {
            out += ' ';
            ++line;
        }
        out += word;
        line += word.size();
    }

    const printed_tensor& t_;
    bool cut_ = false, empty_ = false;
    std::vector<real_number> real_, imaginary_;
    std::vector<std::string> words_;
    std::size_t next_ = 0;
};

}  // namespace

std::string text_of(const printed_tensor& t) { return printer(t).run(); }

void write_text(std::ostream& out, const std::string& text) { out << text; }

}  // namespace ricci::detail
