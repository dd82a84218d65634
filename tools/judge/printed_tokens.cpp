// Numbers as pages group and end them: 65,536, 30\,000, 3,5 with decimal commas, 4e3, 0.66\ldots.
#include "judge/printed_tokens.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace ricci::judge {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

class printed_splitter {
public:
    printed_splitter(std::string_view side, bool decimal_comma, std::vector<printed_token>& out)
        : text_(side), comma_(decimal_comma), out_(out) {}

    bool run() {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
                if (!number()) return false;
            } else if (c == '\\') {
                command();
            } else if (std::isspace(static_cast<unsigned char>(c)) || c == '~') {
                ++at_;
            } else {
                if (c == '[' || c == '(') ++lists_;
                if ((c == ']' || c == ')') && lists_ > 0) --lists_;
                out_.push_back({is_letter(c) ? printed_kind::letter : printed_kind::symbol,
                                std::string(1, c),
                                {}});
                ++at_;
            }
        }
        return true;
    }

private:
    char peek(std::size_t k) const { return at_ + k < text_.size() ? text_[at_ + k] : '\0'; }
    bool digits_at(std::size_t from, std::size_t count) const {
        for (std::size_t k = 0; k < count; ++k)
            if (from + k >= text_.size() || !is_digit(text_[from + k])) return false;
        return from + count >= text_.size() || !is_digit(text_[from + count]);
    }
    bool stands(std::size_t from, std::string_view what) const {
        return text_.substr(std::min(from, text_.size()), what.size()) == what;
    }
    /// The size of what groups three digits here: \, or ~ or {,} or a comma.
    std::size_t separator(std::size_t from) const {
        static constexpr std::array<std::string_view, 6> spaces = {"\\,",    "\\;", "\\ ",
                                                                   "\\!\\,", "~",   "{,}"};
        for (const std::string_view s : spaces) {
            if (s == "{,}" && comma_) continue;
            if (stands(from, s) && digits_at(from + s.size(), 3)) return s.size();
        }
        // a comma in a list parts two entries
        if (!comma_ && lists_ == 0 && stands(from, ",") && digits_at(from + 1, 3)) return 1;
        if (!comma_ && stands(from, ",\\!") && digits_at(from + 3, 3)) return 3;
        return 0;
    }
    /// The size of what ends whole digits: a point, or a comma.
    std::size_t point(std::size_t from) const {
        if (stands(from, "{,}") && from + 3 < text_.size() && is_digit(text_[from + 3])) return 3;
        if (comma_ && lists_ == 0 && stands(from, ",") && from + 1 < text_.size() &&
            is_digit(text_[from + 1]))
            return 1;
        return !comma_ && stands(from, ".") ? 1 : 0;
    }
    void take_digits(std::string& digits) {
        while (at_ < text_.size() && is_digit(text_[at_])) digits += text_[at_++];
    }
    /// Digits before the point; true where they are grouped.
    bool take_whole(std::string& digits) {
        take_digits(digits);
        if (digits.empty() || digits.size() > 3) return false;
        bool grouped = false;
        for (std::size_t s; (s = separator(at_)) != 0; grouped = true) {
            at_ += s;
            take_digits(digits);
        }
        return grouped;
    }
    /// A point, and the digits behind it, of which it gives the count; none behind a point at the
    /// end of a sentence.
    int take_decimals(std::string& digits) {
        const std::size_t s = point(at_);
        const bool any = s != 0 && is_digit(peek(s));
        at_ += s;
        if (!any) return 0;
        const std::size_t first = digits.size();
        take_digits(digits);
        for (std::size_t g; (g = digits.size() - first >= 3 ? spaced(at_) : 0) != 0;) {
            at_ += g;
            take_digits(digits);
        }
        return static_cast<int>(digits.size() - first);
    }
    /// e-3
    int take_exponent() {
        if (peek(0) != 'e' && peek(0) != 'E') return 0;
        const std::size_t sign = peek(1) == '-' || peek(1) == '+' ? 1 : 0;
        int exponent = 0;
        std::size_t last = at_ + 1 + sign;
        while (last < text_.size() && is_digit(text_[last]) && last < at_ + 6)
            exponent = 10 * exponent + (text_[last++] - '0');
        if (last == at_ + 1 + sign) return 0;
        if (peek(1) == '-') exponent = -exponent;
        at_ = last;
        return exponent;
    }
    /// Dots that say that digits were cut off.
    bool take_dots() {
        for (const std::string_view dots : {"\\ldots", "\\dots", "\\cdots", "..."})
            if (stands(at_, dots)) {
                at_ += dots.size();
                return true;
            }
        return false;
    }
    bool number() {
        std::string digits;
        const bool grouped = take_whole(digits);
        if (comma_ && stands(at_, ".") && is_digit(peek(1))) return false;
        const int below = take_decimals(digits);
        const bool decimals = below > 0;
        if (digits.size() > 1000) return false;
        const int last_place = (grouped ? 0 : take_exponent()) - below;
        const auto ten = [](int e) {
            return e >= 0 ? rational(integer::power_of_ten(e), integer(1))
                          : rational(integer(1), integer::power_of_ten(-e));
        };
        measured value{rational(integer::of_digits(digits), integer(1)) * ten(last_place), {}};
        const bool cut = decimals && take_dots();
        if (decimals || last_place < 0) {
            value.half = ten(last_place);
            if (!cut) value.half = value.half / rational(2);
        }
        out_.push_back({printed_kind::number, std::move(digits), value, decimals});
        return true;
    }
    /// Between groups of digits behind the point.
    std::size_t spaced(std::size_t from) const {
        for (const std::string_view s : {"\\,", "\\;", "\\ ", "~"})
            if (stands(from, s) && from + s.size() < text_.size() &&
                is_digit(text_[from + s.size()]))
                return s.size();
        return 0;
    }
    void command() {
        std::string name;
        ++at_;
        while (at_ < text_.size() && is_letter(text_[at_])) name += text_[at_++];
        if (name.empty() && at_ < text_.size()) name = text_[at_++];
        static constexpr std::array<std::string_view, 22> of_size = {
            ",",     ";",     ":",     "!",       " ",    ">",    "left", "right", "quad",
            "qquad", "big",   "Big",   "bigl",    "bigr", "Bigl", "Bigr", "bigg",  "displaystyle",
            "Bigg",  "biggl", "biggr", "nonumber"};
        if (std::find(of_size.begin(), of_size.end(), name) != of_size.end()) return;
        out_.push_back({printed_kind::command, std::move(name), {}});
    }

    std::string_view text_;
    bool comma_;
    std::vector<printed_token>& out_;
    std::size_t at_ = 0;
    int lists_ = 0;
};

}  // namespace

bool split_printed(std::string_view side, bool decimal_comma, std::vector<printed_token>& out) {
    return printed_splitter(side, decimal_comma, out).run();
}

}  // namespace ricci::judge
