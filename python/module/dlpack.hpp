// The structures of DLPack 1, through which libraries of tensors lend each other memory. Written by
// hand from its specification (https://dmlc.github.io/dlpack): Debian 12 has no headers of it.
#pragma once

#include <cstdint>

namespace ricci::python::dlpack {

enum device_kind : std::int32_t { cpu = 1, cuda_host = 3, rocm_host = 11 };
enum type_code : std::uint8_t {
    whole = 0,
    unsigned_whole = 1,
    floating = 2,
    bfloat = 4,
    complex = 5,
    boolean = 6
};

struct device {
    std::int32_t kind;
    std::int32_t number;
};
struct data_type {
    std::uint8_t code;
    std::uint8_t bits;
    std::uint16_t lanes;
};
/// Strides in elements; none where it is row-major.
struct tensor {
    void* data;
    dlpack::device where;
    std::int32_t rank;
    data_type type;
    std::int64_t* extents;
    std::int64_t* strides;
    std::uint64_t byte_offset;
};
/// What a capsule "dltensor" holds.
struct managed {
    dlpack::tensor tensor;
    void* context;
    void (*release)(managed*);
};
/// What a capsule "dltensor_versioned" holds.
struct managed_versioned {
    std::uint32_t major, minor;
    void* context;
    void (*release)(managed_versioned*);
    std::uint64_t flags;
    dlpack::tensor tensor;
};
inline constexpr std::uint64_t read_only = 1;

}  // namespace ricci::python::dlpack
