// Reads and writes .npy headers. The reader knows just the dictionaries that numpy writes, and no
// other Python.
#include "src/files/npy_header.hpp"

#include <charconv>

#include <fmt/format.h>

#include "src/files/npy_type.hpp"

namespace ricci::files {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

std::size_t little_endian(std::string_view bytes) {
    std::size_t value = 0;
    for (std::size_t k = bytes.size(); k-- > 0;)
        value = value * 256 + static_cast<unsigned char>(bytes[k]);
    return value;
}

class dictionary_reader {
public:
    dictionary_reader(std::string_view text, const npy_prefix& prefix, const place& where)
        : text_(text), python_2_(prefix.python_2), where_(where) {}

    stored_tensor read() {
        stored_tensor tensor;
        expect('{');
        bool type = false, order = false, extents = false;
        while (!next_is('}')) {
            const std::string_view key = string();
            expect(':');
            if (key == "descr") once(type), tensor.type = element_type();
            else if (key == "fortran_order") once(order), tensor.column_major = boolean();
            else if (key == "shape") once(extents), tensor.extents = tuple();
            else wrong("has the key {}", printable(key));
            if (!next_is(',')) {
                expect('}');
                break;
            }
        }
        skip_space();
        if (at_ < text_.size()) wrong("goes on after its dictionary");
        if (!type || !order || !extents) wrong("lacks descr, fortran_order or shape");
        return tensor;
    }

private:
    template <class... Values>
    [[noreturn]] void wrong(fmt::format_string<Values...> words, Values&&... values) const {
        fail(where_, "its .npy header {}", fmt::format(words, std::forward<Values>(values)...));
    }
    void once(bool& seen) const {
        if (seen) wrong("has a key twice");
        seen = true;
    }
    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    void skip_space() {
        while (at_ < text_.size() &&
               std::string_view(" \t\n\r").find(text_[at_]) != std::string_view::npos)
            ++at_;
    }
    // Takes a character where it comes next.
    bool next_is(char c) {
        skip_space();
        if (peek() != c) return false;
        ++at_;
        return true;
    }
    void expect(char c) {
        if (!next_is(c)) wrong("lacks {} at its byte {}", c, at_);
    }
    bool take(std::string_view word) {
        if (text_.substr(at_, word.size()) != word) return false;
        at_ += word.size();
        return true;
    }

    std::string_view string() {
        skip_space();
        const char quote = peek();
        if (quote != '\'' && quote != '"') wrong("lacks a string at its byte {}", at_);
        const std::size_t begin = ++at_;
        while (at_ < text_.size() && text_[at_] != quote) {
            if (text_[at_] == '\\' || text_[at_] == '\n') wrong("has a string that is not plain");
            ++at_;
        }
        if (at_ == text_.size()) wrong("ends within a string");
        return text_.substr(begin, at_++ - begin);
    }

    stored_type element_type() {
        skip_space();
        if (peek() == '[' || peek() == '(')
            fail(where_,
                 "its elements are records of several fields, which is no element type of ricci");
        return read_npy_type(string(), where_);
    }

    bool boolean() {
        skip_space();
        const bool value = take("True");
        if (!value && !take("False")) wrong("says a fortran_order that is neither True nor False");
        return value;
    }

    std::size_t extent() {
        if (peek() == '-') wrong("says an extent below 0");
        const std::string_view rest = text_.substr(at_);
        std::size_t value = 0;
        const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
        const auto length = static_cast<std::size_t>(end - rest.data());
        if (problem == std::errc::result_out_of_range || value > PTRDIFF_MAX)
            wrong("says an extent that is too large");
        if (length == 0 || (length > 1 && rest[0] == '0'))
            wrong("says a shape that is no tuple of numbers");
        at_ += length;
        if (python_2_) take("L");
        return value;
    }

    // (), (3,), (3, 4), (3, 4,)
    std::vector<std::size_t> tuple() {
        std::vector<std::size_t> extents;
        if (!next_is('(')) wrong("says a shape that is no tuple of numbers");
        bool comma = true;
        while (!next_is(')')) {
            if (!comma) wrong("says a shape that is no tuple of numbers");
            extents.push_back(extent());
            if (extents.size() > most_axes) wrong("says more than {} axes", most_axes);
            comma = next_is(',');
            skip_space();
        }
        if (extents.size() == 1 && !comma) wrong("says a shape that is no tuple of numbers");
        return extents;
    }

    std::string_view text_;
    bool python_2_;
    place where_;
    std::size_t at_ = 0;
};

}  // namespace

npy_prefix::npy_prefix(std::string_view begin, const place& where) {
    if (begin.substr(0, magic.size()) != magic)
        fail_with(where, begin.empty() ? "it is empty" : "it does not begin as a .npy file does");
    const int version = begin.size() > 7 && begin[7] == 0 ? begin[6] : -1;
    if (begin.size() > 7 && (version < 1 || version > 3))
        fail(where, "it is of version {}.{} of the .npy format; 1.0, 2.0 and 3.0 are read",
             static_cast<unsigned char>(begin[6]), static_cast<unsigned char>(begin[7]));
    bytes = version == 1 ? 10 : 12;
    if (begin.size() < bytes) fail(where, "it ends within its .npy header");
    header_bytes = little_endian(begin.substr(8, bytes - 8));
    python_2 = version < 3;
    // A header of one element type takes some hundred bytes, and what pads it some thousand.
    constexpr std::size_t longest_header = std::size_t{1} << 20;
    if (header_bytes > longest_header)
        fail(where, "its .npy header of {} is longer than any of a tensor",
             count(header_bytes, "byte"));
}

stored_tensor read_npy_header(std::string_view header, const npy_prefix& prefix,
                              const place& where) {
    return dictionary_reader(header, prefix, where).read();
}

std::string npy_header(const array& tensor, const place& where) {
    std::string dictionary =
        fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                    npy_type(tensor.type(), where), fmt::join(tensor.extents(), ", "),
                    tensor.rank() == 1 ? "," : "");
    // The numbers begin at a multiple of 64, behind a newline. 64 axes of 20 digits are far below
    // 65535.
    const std::size_t used = npy_prefix::shortest + dictionary.size() + 1;
    dictionary.append((64 - used % 64) % 64, ' ');
    dictionary += '\n';
    std::string header(magic);
    header += '\x01';
    header += '\0';
    header += static_cast<char>(dictionary.size() % 256);
    header += static_cast<char>(dictionary.size() / 256);
    return header + dictionary;
}

}  // namespace ricci::files
