// Operands of a command line: read, loaded, and brought to one element type.
#include "command/operand_words.hpp"

#include <algorithm>
#include <charconv>
#include <complex>
#include <map>

#include <ricci/detail/bind/check.hpp>
#include <ricci/detail/letters.hpp>
#include <ricci/files.hpp>

#include "command/sentences.hpp"

namespace ricci::command {
namespace {

[[noreturn]] void refuse_word(const std::string& word) {
    refuse(
        "'{}' binds nothing: write NAME=FILE, NAME=NUMBER, NAME=4x8 for a shape, or INDEX:EXTENT.",
        word);
}

bool is_digits(const std::string& text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::size_t count_of(const std::string& digits, const std::string& word) {
    std::size_t value = 0;
    const auto [end, wrong] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (wrong != std::errc() || end != digits.data() + digits.size())
        refuse("'{}' in '{}' is no extent that memory could have.", digits, word);
    return value;
}

// 1024x512 as its parts; nothing where it is no shape.
std::vector<std::string> parts_of_shape(const std::string& text) {
    std::vector<std::string> parts;
    std::size_t first = 0;
    for (;;) {
        const std::size_t end = std::min(text.find('x', first), text.size());
        parts.push_back(text.substr(first, end - first));
        if (!is_digits(parts.back())) return {};
        if (end == text.size()) return parts;
        first = end + 1;
    }
}

std::optional<double> real_of(const std::string& text) {
    double value = 0;
    const char* first = text.data();
    if (!text.empty() && text[0] == '+') ++first;
    const auto [end, wrong] = std::from_chars(first, text.data() + text.size(), value);
    if (wrong != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

// 3, -1e-5, 2+1i, 1i.
std::optional<std::complex<double>> number_of(const std::string& text) {
    if (const auto real = real_of(text)) return *real;
    if (text.empty() || (text.back() != 'i' && text.back() != 'j')) return std::nullopt;
    const std::string body = text.substr(0, text.size() - 1);
    // the sign between both parts is the last one that no exponent has
    std::size_t sign = 0;
    for (std::size_t k = 1; k < body.size(); ++k)
        if ((body[k] == '+' || body[k] == '-') && body[k - 1] != 'e' && body[k - 1] != 'E')
            sign = k;
    const auto imaginary = real_of(body.substr(sign));
    const auto real = sign == 0 ? std::optional<double>(0) : real_of(body.substr(0, sign));
    if (!imaginary || !real) return std::nullopt;
    return std::complex<double>(*real, *imaginary);
}

// A tensor that no equation reads, as one whose derivative is all that is left of it, has the axes
// that its derivatives have.
std::size_t rank_of_input(const program& p, const std::string& name) {
    const ir::program_view view = p.view();
    const ir::ref n = view.find({name.data(), static_cast<std::int32_t>(name.size())});
    if (n == ir::none) return 0;
    std::int32_t rank = rank_of(view, n);
    for (ir::ref m = 0; rank == 0 && m < view.names.size(); ++m)
        if (const ir::name_symbol& s = view.names[m]; s.kind != ir::name_kind::plain && s.of == n)
            rank = std::max(rank_of(view, m) - s.numerator_rank, 0);
    return static_cast<std::size_t>(rank);
}

// A name that says no kind of file, where a number or a shape would begin: 5x, 4x8y.
bool begins_as_number(const std::string& text) {
    for (const char* const ending : {".npz", ".safetensors", ".npy"})
        if (text.find(ending) != std::string::npos) return false;
    const std::size_t first = text.find_first_not_of("+-.");
    return first < 2 && detail::is_digit(text[first]);
}

void read_file_name(operand_word& o, const std::string& text) {
    o.kind = operand_kind::file;
    o.path = text;
    for (const char* const ending : {".npz:", ".safetensors:", ".npy:"})
        if (const std::size_t at = text.find(ending); at != std::string::npos) {
            const std::size_t colon = text.find(':', at);
            o.path = text.substr(0, colon);
            o.member = text.substr(colon + 1);
        }
}

const std::map<std::string, element>& element_names() {
    static const std::map<std::string, element> names{
        {"f32", element::f32},       {"float", element::f32},     {"float32", element::f32},
        {"f64", element::f64},       {"double", element::f64},    {"float64", element::f64},
        {"bf16", element::bf16},     {"bfloat16", element::bf16}, {"f16", element::f16},
        {"half", element::f16},      {"float16", element::f16},   {"c64", element::c64},
        {"complex64", element::c64}, {"c128", element::c128},     {"complex128", element::c128},
        {"i32", element::i32},       {"int32", element::i32},     {"i64", element::i64},
        {"int64", element::i64},     {"bool", element::boolean},  {"boolean", element::boolean},
    };
    return names;
}

// The least type that holds the numbers of both.
element wider(element a, element b) {
    if (a == b) return a;
    const auto bits = [](element t) {
        if (t == element::i32 || t == element::i64) return t == element::i64 ? 64 : 32;
        return t == element::f64 || t == element::c128  ? 64
               : t == element::f32 || t == element::c64 ? 32
                                                        : 16;
    };
    if (is_integer(a) && is_integer(b)) return element::i64;
    // whole numbers take on the type of the others
    if (is_integer(a)) return b;
    if (is_integer(b)) return a;
    const int most = std::max({bits(a), bits(b), a == b ? 16 : 32});
    if (is_complex(a) || is_complex(b)) return most == 64 ? element::c128 : element::c64;
    return most == 64 ? element::f64 : element::f32;
}

bindable number_operand(const operand_word& o) {
    if (is_digits(o.digits) && o.digits.size() < 19) return bindable(std::stoll(o.digits));
    const std::complex<double> z = *number_of(o.digits);
    if (z.imag() != 0) return bindable(z);
    return bindable(z.real());
}

// A number among no tensors, as a tensor of the type that is computed in.
bindable scalar_operand(const operand_word& o, element type) {
    const std::complex<double> z = *number_of(o.digits);
    array a(element::c128, std::vector<std::size_t>{});
    a.as<std::complex<double>, 0>()() = z;
    if (is_complex(type)) return bindable(a.converted(type));
    if (z.imag() != 0)
        refuse("{} is a complex number, and {} is computed in.", o.name, short_name(type));
    if (is_integer(type)) return number_operand(o);
    array real(element::f64, std::vector<std::size_t>{});
    real.as<double, 0>()() = z.real();
    return bindable(real.converted(type));
}

bindable index_operand(const operand_word& o) {
    return bindable(extent(count_of(o.digits, o.name + ":" + o.digits)));
}

// The type of all tensors that do not stay as they are.
std::optional<element> common_type(const program& p, const std::vector<operand_word>& words,
                                   const std::vector<array>& values) {
    std::optional<element> type;
    for (std::size_t k = 0; k < words.size(); ++k) {
        const bool tensor = words[k].kind == operand_kind::file ||
                            (words[k].kind == operand_kind::shape && words[k].type);
        if (!tensor || values[k].type() == element::boolean) continue;
        if (is_integer(values[k].type()) && stays_whole(p, words[k].name)) continue;
        type = type ? wider(*type, values[k].type()) : values[k].type();
    }
    return type;
}

bool keeps_type(const program& p, const operand_word& o, const array& a) {
    return is_whole(a.type()) && stays_whole(p, o.name);
}

}  // namespace

operand_word file_operand(const std::string& text) {
    operand_word o;
    read_file_name(o, text);
    return o;
}

array shape_in_file(const operand_word& o) {
    return o.member.empty() ? load_shape(o.path) : load_shape(o.path, o.member);
}

bool stays_whole(const program& p, const std::string& name) {
    const ir::program_view view = p.view();
    const ir::ref n = view.find({name.data(), static_cast<std::int32_t>(name.size())});
    return n != ir::none && view.definition(n) == ir::none && holds_places(view, n);
}

element element_named(const std::string& name) {
    const auto found = element_names().find(name);
    if (found == element_names().end())
        refuse("'{}' is no element type: float, double, f16, bf16, c64, c128, i32, i64 or bool.",
               name);
    return found->second;
}

std::string short_name(element type) {
    for (const char* const name :
         {"f32", "f64", "bf16", "f16", "c64", "c128", "i32", "i64", "bool"})
        if (element_named(name) == type) return name;
    return {};
}

operand_word read_operand(const std::string& word, const program& p) {
    operand_word o;
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) {
        const std::size_t colon = word.rfind(':');
        if (colon == std::string::npos || colon == 0 || !is_digits(word.substr(colon + 1)))
            refuse_word(word);
        o.kind = operand_kind::index;
        o.name = word.substr(0, colon);
        o.digits = word.substr(colon + 1);
        return o;
    }
    if (equals == 0 || equals + 1 == word.size())
        refuse("'{}' lacks what stands {} the =.", word, equals == 0 ? "before" : "behind");
    o.name = canonical_name(word.substr(0, equals));
    const std::string text = word.substr(equals + 1);
    const std::size_t colon = text.find(':');
    const auto parts = parts_of_shape(text.substr(0, colon));
    const bool list =
        parts.size() > 1 || colon != std::string::npos || rank_of_input(p, o.name) > 0;
    if (!parts.empty() && list) {
        o.kind = operand_kind::shape;
        for (const std::string& part : parts) o.extents.push_back(count_of(part, word));
        if (colon != std::string::npos) o.type = element_named(text.substr(colon + 1));
    } else if (number_of(text)) {
        o.digits = text;
    } else if (begins_as_number(text)) {
        refuse_word(word);
    } else {
        read_file_name(o, text);
    }
    return o;
}

namespace {

bool names_a_tensor(const program& p, const std::string& name) {
    return p.view().find({name.data(), static_cast<std::int32_t>(name.size())}) != ir::none;
}

// X=4x8 for two axes.
std::string example_shape(const tensor_info& t) {
    std::string shape = "4";
    for (std::size_t axis = 1; axis < t.rank; ++axis) shape += axis % 2 == 1 ? "x8" : "x4";
    return fmt::format(" {}={}", t.name, shape);
}

void refuse_missing(const std::vector<operand_word>& all, const program& p) {
    std::string missing, words, shapes;
    for (const tensor_info& t : p.inputs()) {
        const bool bound = std::any_of(all.begin(), all.end(), [&](const operand_word& o) {
            return o.kind != operand_kind::index && o.name == t.name;
        });
        if (bound) continue;
        missing += (missing.empty() ? "" : ", ") + t.name;
        words += fmt::format(" {}={}", t.name, t.rank == 0 ? "NUMBER" : "FILE");
        if (t.rank > 0) shapes += example_shape(t);
    }
    if (missing.empty()) return;
    if (!shapes.empty()) shapes = fmt::format(", or, to explain, as{}", shapes);
    refuse("nothing is bound to {}: write{}{}.", missing, words, shapes);
}

}  // namespace

std::vector<operand_word> read_operands(const std::vector<std::string>& words, const program& p) {
    std::vector<operand_word> all;
    for (const std::string& word : words) all.push_back(read_operand(word, p));
    // The call says better what a name may have been meant for than what is missing instead of it.
    const bool known = std::all_of(all.begin(), all.end(), [&](const operand_word& o) {
        return o.kind == operand_kind::index || names_a_tensor(p, o.name);
    });
    if (known) refuse_missing(all, p);
    return all;
}

std::vector<named> load_operands(const program& p, const std::vector<operand_word>& words,
                                 std::optional<element> wanted, std::vector<std::string>& said) {
    std::vector<array> values(words.size());
    for (std::size_t k = 0; k < words.size(); ++k) {
        const operand_word& o = words[k];
        if (o.kind == operand_kind::shape)
            refuse("{} is given a shape, which has no numbers; a run takes files.", o.name);
        if (o.kind == operand_kind::file)
            values[k] = o.member.empty() ? load(o.path) : load(o.path, o.member);
    }
    const auto common = common_type(p, words, values);
    auto type = wanted ? wanted : common;
    const bool alone = std::none_of(words.begin(), words.end(), [](const operand_word& o) {
        return o.kind == operand_kind::file;
    });
    const bool complex = std::any_of(words.begin(), words.end(), [](const operand_word& o) {
        return o.kind == operand_kind::number && number_of(o.digits)->imag() != 0;
    });
    if (alone && complex && !type) type = element::c128;
    std::vector<named> operands;
    for (std::size_t k = 0; k < words.size(); ++k) {
        const operand_word& o = words[k];
        if (o.kind == operand_kind::number)
            operands.push_back(
                {o.name, alone && type ? scalar_operand(o, *type) : number_operand(o)});
        if (o.kind == operand_kind::index) operands.push_back({o.name, index_operand(o)});
        if (o.kind != operand_kind::file) continue;
        array& a = values[k];
        if (type && a.type() != *type && a.type() != element::boolean && !keeps_type(p, o, a)) {
            if (is_complex(a.type()) ? !is_complex(*type)
                                     : is_integer(*type) && !is_integer(a.type()))
                refuse("{} holds {}, and would lose a part of its numbers as {}.", o.name,
                       short_name(a.type()), short_name(*type));
            said.push_back(fmt::format("{} holds {} and is computed in {}", o.name,
                                       short_name(a.type()), short_name(*type)));
            a = a.converted(*type);
        }
        operands.push_back({o.name, bindable(std::move(a))});
    }
    return operands;
}

std::vector<named> shapes_of_operands(const program& p, const std::vector<operand_word>& words,
                                      std::optional<element> wanted) {
    std::vector<array> values(words.size());
    for (std::size_t k = 0; k < words.size(); ++k) {
        const operand_word& o = words[k];
        if (o.kind == operand_kind::file) values[k] = shape_in_file(o);
        if (o.kind == operand_kind::shape)
            values[k] = shape(o.type.value_or(element::f32), o.extents);
    }
    const auto common = common_type(p, words, values);
    const element type = wanted.value_or(common.value_or(element::f32));
    std::vector<named> operands;
    for (std::size_t k = 0; k < words.size(); ++k) {
        const operand_word& o = words[k];
        if (o.kind == operand_kind::number) operands.push_back({o.name, number_operand(o)});
        if (o.kind == operand_kind::index) operands.push_back({o.name, index_operand(o)});
        if (o.kind != operand_kind::file && o.kind != operand_kind::shape) continue;
        const bool own = values[k].type() == element::boolean || keeps_type(p, o, values[k]);
        // a shape that says no type, of a tensor of places, stands for whole numbers
        const bool places = o.kind == operand_kind::shape && !o.type && stays_whole(p, o.name);
        const element mine = places ? element::i64 : own ? values[k].type() : type;
        operands.push_back({o.name, bindable(shape(mine, values[k].extents()))});
    }
    return operands;
}

}  // namespace ricci::command
