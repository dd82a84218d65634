#include "module/element_types.hpp"

#include <array>
#include <bit>
#include <iterator>
#include <optional>
#include <string_view>

#include <fmt/core.h>
#include <pybind11/numpy.h>

#include "module/dlpack.hpp"
#include "module/errors.hpp"

namespace ricci::python {
namespace {

constexpr const char* suitable =
    "float16, float32, float64, bfloat16, complex64, complex128, int32, int64 or bool";

// What a library of arrays calls the elements, or else what `otherwise` says.
std::string type_word(py::handle x, const std::string& otherwise) {
    if (!py::hasattr(x, "dtype")) return otherwise;
    const py::object dtype = x.attr("dtype");
    if (py::hasattr(dtype, "names") && !dtype.attr("names").is_none())
        return "a structure of fields";
    return py::str(dtype).cast<std::string>();
}

[[noreturn]] void refuse_type(py::handle x, const std::string& name, const std::string& word) {
    refuse(fmt::format("{} has elements of type {}, and ricci computes with {}", name,
                       type_word(x, word), suitable));
}

[[noreturn]] void refuse_byte_order(const std::string& name) {
    refuse(
        fmt::format("{0} has elements in another byte order than this machine; write "
                    "{0}.astype({0}.dtype.newbyteorder('='))",
                    name));
}

bool is_bfloat16(py::handle x) {
    if (!py::hasattr(x, "dtype")) return false;
    const py::object dtype = x.attr("dtype");
    return py::hasattr(dtype, "name") &&
           py::str(dtype.attr("name")).cast<std::string>() == "bfloat16";
}

std::optional<element_format> whole(std::size_t bytes, bool is_signed) {
    if (bytes == 1) return element_format{element::i32, is_signed ? narrow::i8 : narrow::u8};
    if (bytes == 2) return element_format{element::i32, is_signed ? narrow::i16 : narrow::u16};
    if (bytes == 4 && is_signed) return element_format{element::i32};
    if (bytes == 8 && is_signed) return element_format{element::i64};
    return std::nullopt;
}

std::optional<element_format> floating(std::size_t bytes) {
    if (bytes == 2) return element_format{element::f16};
    if (bytes == 4) return element_format{element::f32};
    if (bytes == 8) return element_format{element::f64};
    return std::nullopt;
}

std::optional<element_format> complex_of(std::size_t bytes) {
    if (bytes == 8) return element_format{element::c64};
    if (bytes == 16) return element_format{element::c128};
    return std::nullopt;
}

// A letter of the module struct that stands alone.
std::optional<element_format> of_letter(char letter, std::size_t bytes) {
    const std::string_view wholes = "bhilqn";
    const std::string_view unsigned_wholes = "BHILQN";
    if (wholes.find(letter) != wholes.npos) return whole(bytes, true);
    if (unsigned_wholes.find(letter) != unsigned_wholes.npos) return whole(bytes, false);
    if (letter == 'e' || letter == 'f' || letter == 'd') return floating(bytes);
    if (letter == '?') return element_format{element::boolean};
    return std::nullopt;
}

std::optional<element> type_called(const std::string& word) {
    constexpr const char* short_names[] = {"f32",  "f64", "bf16", "f16",    "c64",
                                           "c128", "i32", "i64",  "boolean"};
    for (std::size_t k = 0; k < std::size(short_names); ++k)
        if (word == numpy_name(static_cast<element>(k)) || word == short_names[k])
            return static_cast<element>(k);
    return std::nullopt;
}

}  // namespace

element_format format_of_buffer(py::handle x, const std::string& name, const char* format,
                                std::size_t bytes) {
    const bool little = std::endian::native == std::endian::little;
    const bool swapped = little ? *format == '>' || *format == '!' : *format == '<';
    if (swapped && bytes > 1) refuse_byte_order(name);
    const std::string_view orders = "@=<>!";
    if (*format != '\0' && orders.find(*format) != orders.npos) ++format;
    const std::string_view letters = format;
    if (letters == "Zf" || letters == "Zd")
        if (const auto found = complex_of(bytes)) return *found;
    if (letters.size() == 1)
        if (const auto found = of_letter(letters[0], bytes)) return *found;
    if (letters.starts_with('T')) refuse_type(x, name, "a structure of fields");
    refuse_type(x, name, fmt::format("'{}'", letters));
}

element_format format_of_typestr(py::handle x, const std::string& name,
                                 const std::string& typestr) {
    if (is_bfloat16(x)) return {element::bf16};
    if (typestr.size() < 3) refuse_type(x, name, fmt::format("'{}'", typestr));
    const char kind = typestr[1];
    const auto bytes = static_cast<std::size_t>(std::strtoul(typestr.c_str() + 2, nullptr, 10));
    const bool little = std::endian::native == std::endian::little;
    std::optional<element_format> found;
    if (kind == 'b' && bytes == 1) found = element_format{element::boolean};
    if (kind == 'i' || kind == 'u') found = whole(bytes, kind == 'i');
    if (kind == 'f') found = floating(bytes);
    if (kind == 'c') found = complex_of(bytes);
    if (!found) refuse_type(x, name, fmt::format("'{}'", typestr));
    if (bytes > 1 && typestr[0] == (little ? '>' : '<')) refuse_byte_order(name);
    return *found;
}

element_format format_of_dlpack(py::handle x, const std::string& name, std::uint8_t code,
                                std::uint8_t bits, std::uint16_t lanes) {
    std::optional<element_format> found;
    const std::size_t bytes = bits / 8;
    if (lanes == 1 && bits % 8 == 0) {
        if (code == dlpack::whole || code == dlpack::unsigned_whole)
            found = whole(bytes, code == dlpack::whole);
        if (code == dlpack::floating) found = floating(bytes);
        if (code == dlpack::bfloat && bytes == 2) found = element_format{element::bf16};
        if (code == dlpack::complex) found = complex_of(bytes);
        if (code == dlpack::boolean && bytes == 1) found = element_format{element::boolean};
    }
    if (!found) refuse_type(x, name, fmt::format("number {} of DLPack", code));
    return *found;
}

const char* numpy_name(element type) {
    constexpr const char* names[] = {"float32",    "float64", "bfloat16", "float16", "complex64",
                                     "complex128", "int32",   "int64",    "bool"};
    return names[static_cast<std::size_t>(type)];
}

py::object dtype_of(element type) {
    static std::array<PyObject*, 9> known{};  // for as long as the interpreter lives
    PyObject*& dtype = known[static_cast<std::size_t>(type)];
    if (dtype != nullptr) return py::reinterpret_borrow<py::object>(dtype);
    py::object made;
    if (type != element::bf16) {
        made = py::dtype(numpy_name(type));
    } else {
        try {
            made = py::module_::import("numpy").attr("dtype")(
                py::module_::import("ml_dtypes").attr("bfloat16"));
        } catch (const py::error_already_set& e) {
            if (!e.matches(PyExc_ImportError)) throw;
            refuse("numpy has no bfloat16; install ml_dtypes, or pass torch tensors");
        }
    }
    dtype = made.inc_ref().ptr();
    return made;
}

element element_named(py::handle dtype) {
    std::string word = py::str(dtype).cast<std::string>();
    if (word.starts_with("torch.")) word.erase(0, 6);
    if (const auto known = type_called(word)) return *known;
    try {
        word = py::str(py::module_::import("numpy").attr("dtype")(dtype)).cast<std::string>();
    } catch (const py::error_already_set& e) {
        if (!e.matches(PyExc_Exception)) throw;
    }
    if (const auto known = type_called(word)) return *known;
    refuse(fmt::format("{} is no element type of ricci; these are {}", word, suitable));
}

}  // namespace ricci::python
