// numpy's element types: those that become ours, and the names of the others.
#include "src/files/npy_type.hpp"

#include <string>

namespace ricci::files {
namespace {

struct npy_code {
    std::string_view code;  // without the byte order
    stored_type type;
};
constexpr npy_code npy_codes[] = {
    {"f4", stored_as(element::f32)},
    {"f8", stored_as(element::f64)},
    {"f2", stored_as(element::f16)},
    {"c8", stored_as(element::c64)},
    {"c16", stored_as(element::c128)},
    {"i4", stored_as(element::i32)},
    {"i8", stored_as(element::i64)},
    {"b1", stored_as(element::boolean)},
    {"i1", stored_i8},
    {"u1", stored_u8},
    {"i2", stored_i16},
    {"u2", stored_u16},
};

// What there is in numpy and not in the library.
const char* foreign_name(std::string_view code) {
    if (code == "u4") return "uint32";
    if (code == "u8") return "uint64";
    if (code == "f12" || code == "f16") return "longdouble";
    if (code == "c24" || code == "c32") return "clongdouble";
    switch (code.empty() ? '\0' : code[0]) {
        case 'O':
            return "Python objects";
        case 'S':
        case 'a':
            return "byte strings";
        case 'U':
            return "strings";
        case 'M':
            return "dates";
        case 'm':
            return "spans of time";
        case 'V':
            return "raw bytes (a bfloat16 array is saved so, and stands in a .safetensors file as "
                   "what it is)";
        default:
            return nullptr;
    }
}

}  // namespace

stored_type read_npy_type(std::string_view descr, const place& where) {
    constexpr std::string_view orders = "<>=|";
    const bool has_order = !descr.empty() && orders.find(descr[0]) != std::string_view::npos;
    const std::string_view code = has_order ? descr.substr(1) : descr;
    for (const npy_code& type : npy_codes) {
        if (type.code != code) continue;
        if (descr[0] == '>' && type.type.bytes > 1)
            fail(where,
                 "its numbers have their bytes in big-endian order ({}), which is not read; "
                 "x.astype(x.dtype.newbyteorder('<')) turns them round",
                 printable(descr));
        return type.type;
    }
    if (const char* name = foreign_name(code))
        fail(where, "its elements are {} ({}), which is no element type of ricci", name,
             printable(descr));
    fail(where, "its header says an unknown element type, {}", printable(descr));
}

std::string_view npy_type(element type, const place& where) {
    switch (type) {
        case element::f32:
            return "<f4";
        case element::f64:
            return "<f8";
        case element::f16:
            return "<f2";
        case element::c64:
            return "<c8";
        case element::c128:
            return "<c16";
        case element::i32:
            return "<i4";
        case element::i64:
            return "<i8";
        case element::boolean:
            return "|b1";
        case element::bf16:
            break;
    }
    fail(where, "numpy has no bf16; a .safetensors file holds it, or convert it to f32");
}

}  // namespace ricci::files
