// Element types as .safetensors files name them.
#include "src/files/safetensors_header.hpp"

namespace ricci::files {
namespace {

struct safetensors_name {
    std::string_view name;
    stored_type type;
};
constexpr safetensors_name safetensors_names[] = {
    {"F32", stored_as(element::f32)},
    {"F64", stored_as(element::f64)},
    {"F16", stored_as(element::f16)},
    {"BF16", stored_as(element::bf16)},
    {"C64", stored_as(element::c64)},
    {"I32", stored_as(element::i32)},
    {"I64", stored_as(element::i64)},
    {"BOOL", stored_as(element::boolean)},
    {"I8", stored_i8},
    {"U8", stored_u8},
    {"I16", stored_i16},
    {"U16", stored_u16},
};

}  // namespace

stored_type read_safetensors_type(std::string_view name, const place& where) {
    for (const safetensors_name& type : safetensors_names)
        if (type.name == name) return type.type;
    constexpr std::string_view foreign[] = {"U32",     "U64",     "F8_E4M3", "F8_E5M2",
                                            "F8_E8M0", "F6_E2M3", "F6_E3M2", "F4"};
    for (const std::string_view other : foreign)
        if (other == name)
            fail(where, "its elements are {}, which is no element type of ricci", name);
    fail(where, "its elements are of an unknown type, {}", printable(name));
}

std::string_view safetensors_type(element type, const place& where) {
    for (const safetensors_name& k : safetensors_names)
        if (k.type == stored_as(type)) return k.name;
    fail(where, "the .safetensors format has no c128; a .npz file holds it");
}

}  // namespace ricci::files
