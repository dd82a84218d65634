// JSON read as it comes: whoever reads says what has to stand there, and nothing is kept that was
// not asked for.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace ricci {

/// Where a text is not what it should be, and why: words without a full stop.
struct json_mistake {
    std::size_t line = 1;
    std::size_t byte = 0;  // from the beginning of the text
    std::string words;
};

/// Reads a text from its beginning to its end. Strict: no comments, no trailing commas, no other
/// numbers than JSON's. All that reads throws json_mistake. A list is read as
///     for (r.begin_array(); r.next_element();) use(r.integer());
class json_reader {
public:
    explicit json_reader(std::string_view text) : text_(text) {}

    enum class kind : std::uint8_t { object, array, text, number, boolean, null, nothing };
    /// What stands next.
    kind next();

    void begin_object() { expect('{', "an object"); }
    /// The next name of the object that was begun last; false where it ends.
    bool next_key(std::string& key);
    void begin_array() { expect('[', "a list"); }
    /// Whether the list that was begun last has another element; where not, it has ended.
    bool next_element() { return another(']'); }

    std::int64_t integer();
    double number();
    std::string text();
    bool boolean();
    /// Passes over the next value, whatever it is.
    void skip();
    /// Nothing may be left.
    void end();

    [[noreturn]] void fail(std::string words) const {
        const std::string_view before = text_.substr(0, at_);
        const auto lines = std::count(before.begin(), before.end(), '\n');
        throw json_mistake{static_cast<std::size_t>(lines) + 1, at_, std::move(words)};
    }

private:
    static constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    void skip_space() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' ||
                                      text_[at_] == '\r' || text_[at_] == '\t'))
            ++at_;
    }
    void expect(char c, const char* what) {
        skip_space();
        if (at_ == text_.size() || text_[at_] != c) fail(fmt::format("there should be {}", what));
        ++at_;
        fresh_ = true;
    }
    bool another(char closing);
    std::string_view digits();
    std::uint32_t four_hexadecimal();
    void escape(std::string& out);
    static void append_utf8(std::string& out, std::uint32_t code);
    void word(std::string_view expected);

    std::string_view text_;
    std::size_t at_ = 0;
    bool fresh_ = false;  // whether nothing has been read in what was begun last
};

inline json_reader::kind json_reader::next() {
    skip_space();
    const char c = peek();
    if (c == '{') return kind::object;
    if (c == '[') return kind::array;
    if (c == '"') return kind::text;
    if (c == 't' || c == 'f') return kind::boolean;
    if (c == 'n') return kind::null;
    return c == '-' || is_digit(c) ? kind::number : kind::nothing;
}

inline bool json_reader::another(char closing) {
    skip_space();
    const bool first = fresh_;
    fresh_ = false;
    if (at_ < text_.size() && text_[at_] == closing) {
        ++at_;
        return false;
    }
    if (first) return true;
    if (at_ == text_.size() || text_[at_] != ',')
        fail(fmt::format("there should be \",\" or \"{}\"", closing));
    ++at_;
    return true;
}

inline bool json_reader::next_key(std::string& key) {
    if (!another('}')) return false;
    key = text();
    skip_space();
    if (at_ == text_.size() || text_[at_] != ':') fail("there should be \":\"");
    ++at_;
    return true;
}

// The characters of a number by JSON's grammar.
inline std::string_view json_reader::digits() {
    skip_space();
    const std::size_t begin = at_;
    const auto some_digits = [&] {
        if (!is_digit(peek())) fail("there should be a number");
        while (is_digit(peek())) ++at_;
    };
    if (peek() == '-') ++at_;
    if (peek() == '0') ++at_;
    else some_digits();
    if (peek() == '.') {
        ++at_;
        some_digits();
    }
    if (peek() == 'e' || peek() == 'E') {
        ++at_;
        if (peek() == '+' || peek() == '-') ++at_;
        some_digits();
    }
    return text_.substr(begin, at_ - begin);
}

inline std::int64_t json_reader::integer() {
    const std::string_view text = digits();
    std::int64_t value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc() || end != text.data() + text.size())
        fail("there should be a whole number of 64 bits");
    return value;
}

inline double json_reader::number() {
    const std::string_view text = digits();
    double value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc() || end != text.data() + text.size())
        fail("there should be a number within the range of double");
    return value;
}

inline std::string json_reader::text() {
    expect('"', "a text in quotes");
    std::string out;
    for (;;) {
        const std::size_t begin = at_;
        while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\' &&
               static_cast<unsigned char>(text_[at_]) >= 0x20)
            ++at_;
        out.append(text_.substr(begin, at_ - begin));
        if (at_ == text_.size()) fail("a text has no closing quote");
        const char c = text_[at_++];
        if (c == '"') break;
        if (c != '\\') fail("a text has a control character in it");
        escape(out);
    }
    fresh_ = false;
    return out;
}

inline std::uint32_t json_reader::four_hexadecimal() {
    std::uint32_t code = 0;
    const std::string_view four = text_.substr(at_, std::min<std::size_t>(4, text_.size() - at_));
    const auto [end, problem] = std::from_chars(four.data(), four.data() + four.size(), code, 16);
    if (four.size() < 4 || problem != std::errc() || end != four.data() + 4)
        fail("\\u has to be followed by four hexadecimal digits");
    at_ += 4;
    return code;
}

inline void json_reader::append_utf8(std::string& out, std::uint32_t code) {
    const auto byte = [&](std::uint32_t b) { out += static_cast<char>(b); };
    const auto tail = [&](int shift) { byte(0x80 | ((code >> shift) & 0x3f)); };
    if (code < 0x80) return byte(code);
    if (code < 0x800) {
        byte(0xc0 | (code >> 6));
    } else if (code < 0x10000) {
        byte(0xe0 | (code >> 12));
        tail(6);
    } else {
        byte(0xf0 | (code >> 18));
        tail(12);
        tail(6);
    }
    tail(0);
}

// What follows a backslash.
inline void json_reader::escape(std::string& out) {
    constexpr std::string_view letters = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
    const char c = peek();
    if (const std::size_t k = letters.find(c); c != '\0' && k != std::string_view::npos) {
        ++at_;
        out += meant[k];
        return;
    }
    if (c != 'u') fail("a text has a backslash with nothing that it stands for");
    ++at_;
    std::uint32_t code = four_hexadecimal();
    if (code >= 0xd800 && code < 0xdc00 && text_.substr(at_, 2) == "\\u") {
        at_ += 2;
        const std::uint32_t low = four_hexadecimal();
        if (low < 0xdc00 || low >= 0xe000) fail("a text has half a character");
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code >= 0xd800 && code < 0xe000) {
        fail("a text has half a character");
    }
    append_utf8(out, code);
}

inline void json_reader::word(std::string_view expected) {
    if (text_.substr(at_, expected.size()) != expected) fail("there should be a value");
    at_ += expected.size();
}

inline bool json_reader::boolean() {
    if (next() != kind::boolean) fail("there should be true or false");
    const bool value = peek() == 't';
    word(value ? "true" : "false");
    return value;
}

inline void json_reader::skip() {
    std::string closing;  // of what has been begun, innermost last
    do {
        const bool in_object = !closing.empty() && closing.back() == '}';
        std::string key;
        if (!closing.empty() && !(in_object ? next_key(key) : next_element())) {
            closing.pop_back();
            continue;
        }
        switch (next()) {
            case kind::object:
                begin_object();
                closing += '}';
                break;
            case kind::array:
                begin_array();
                closing += ']';
                break;
            case kind::text:
                text();
                break;
            case kind::number:
                digits();
                break;
            case kind::boolean:
                boolean();
                break;
            case kind::null:
                word("null");
                break;
            case kind::nothing:
                fail("there should be a value");
        }
    } while (!closing.empty());
}

inline void json_reader::end() {
    skip_space();
    if (at_ != text_.size()) fail("there should be nothing more");
}

}  // namespace ricci
