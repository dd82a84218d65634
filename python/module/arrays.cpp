#include "module/arrays.hpp"

#include <array>
#include <bit>
#include <unordered_map>
#include <vector>

#include <fmt/core.h>

#include "module/dlpack.hpp"
#include "module/errors.hpp"

namespace ricci::python {
namespace {

constexpr const char* suitable =
    "float16, float32, float64, bfloat16, complex64, complex128, int32, int64 or bool";

[[noreturn]] void refuse_type(const std::string& name, const std::string& type) {
    refuse(fmt::format("{} has elements of type {}, and ricci computes with {}", name, type,
                       suitable));
}

// What the elements of a buffer are; `wide` where they have to be widened to int32 first.
struct found_type {
    std::optional<element> type;
    bool wide = false;
};

found_type type_of_whole(std::size_t bytes, bool is_signed) {
    if (bytes < 4) return {std::nullopt, true};
    if (!is_signed) return {};
    return {bytes == 4 ? element::i32 : element::i64, false};
}

std::string unsuitable_word(const char* format, std::size_t bytes) {
    switch (*format) {
        case 'O':
            return "object";
        case 'T':
            return "a structure of fields";
        case 'g':
            return "longdouble";
        case 's':
        case 'w':
        case 'U':
            return "text";
        case 'B':
        case 'H':
        case 'I':
        case 'L':
        case 'Q':
        case 'N':
            return fmt::format("uint{}", 8 * bytes);
        default:
            return fmt::format("'{}'", format);
    }
}

// The format of the buffer protocol, as the module struct writes it.
found_type type_of_format(const std::string& name, const char* format, std::size_t bytes) {
    const bool swapped = std::endian::native == std::endian::little
                             ? *format == '>' || *format == '!'
                             : *format == '<';
    if (swapped && bytes > 1)
        refuse(fmt::format("{} has elements in another byte order than this machine; write "
                           "{}.astype({}.dtype.newbyteorder('='))",
                           name, name, name));
    if (*format == '@' || *format == '=' || *format == '<' || *format == '>' || *format == '!')
        ++format;
    if (format[0] == 'Z' && format[1] == 'f') return {element::c64};
    if (format[0] == 'Z' && format[1] == 'd') return {element::c128};
    if (format[0] == '\0' || format[1] != '\0')
        refuse_type(name, unsuitable_word(format, bytes));
    switch (*format) {
        case 'f':
            return {element::f32};
        case 'd':
            return {element::f64};
        case 'e':
            return {element::f16};
        case '?':
            return {element::boolean};
        case 'b':
        case 'h':
        case 'i':
        case 'l':
        case 'q':
        case 'n':
            return type_of_whole(bytes, true);
        case 'B':
        case 'H':
            return type_of_whole(bytes, false);
        default:
            refuse_type(name, unsuitable_word(format, bytes));
    }
}

array over(const std::string& name, std::shared_ptr<void> owner, element type, void* data,
           const std::vector<std::size_t>& extents, std::vector<std::int64_t> strides,
           bool in_bytes, bool writable) {
    const auto size = static_cast<std::int64_t>(size_of(type));
    for (std::size_t k = 0; in_bytes && k < strides.size(); ++k) {
        if (strides[k] % size != 0 && extents[k] > 1)
            refuse(fmt::format("the elements of {} do not lie at multiples of their size, as those "
                               "of a field of a structure; pass a copy, {}.copy()",
                               name, name));
        strides[k] /= size;
    }
    const auto part = std::min<std::size_t>(size_of(type), alignof(double));
    if (reinterpret_cast<std::uintptr_t>(data) % (is_complex(type) ? size_of(type) / 2 : part) != 0)
        refuse(fmt::format("the memory of {} is not aligned to its elements; pass a copy", name));
    return array::over(std::move(owner), type, data, extents, strides, writable);
}

taken widened(py::handle x, const std::string& name) {
    const py::object wide =
        py::module_::import("numpy").attr("asarray")(x).attr("astype")("int32");
    return *array_of(wide, name);
}

struct held_buffer {
    Py_buffer view{};
    ~held_buffer() {
        if (!Py_IsInitialized()) return;
        const py::gil_scoped_acquire lock;
        PyBuffer_Release(&view);
    }
};

std::optional<taken> of_buffer(py::handle x, const std::string& name) {
    if (!PyObject_CheckBuffer(x.ptr())) return std::nullopt;
    auto held = std::make_shared<held_buffer>();
    if (PyObject_GetBuffer(x.ptr(), &held->view, PyBUF_STRIDES | PyBUF_FORMAT) != 0) {
        PyErr_Clear();
        held->view = {};
        return std::nullopt;
    }
    const Py_buffer& b = held->view;
    const found_type found = type_of_format(name, b.format != nullptr ? b.format : "B",
                                            static_cast<std::size_t>(b.itemsize));
    if (found.wide) return widened(x, name);
    if (!found.type)
        refuse_type(name, fmt::format("uint{}", 8 * b.itemsize));
    std::vector<std::size_t> extents;
    std::vector<std::int64_t> strides;
    for (int k = 0; k < b.ndim; ++k) {
        extents.push_back(static_cast<std::size_t>(b.shape[k]));
        strides.push_back(b.strides[k]);
    }
    void* const data = b.buf;
    const bool writable = b.readonly == 0;
    return taken{over(name, std::move(held), *found.type, data, extents, std::move(strides), true,
                      writable)};
}

bool is_bfloat16(py::handle x) {
    if (!py::hasattr(x, "dtype")) return false;
    const py::object dtype = x.attr("dtype");
    return py::hasattr(dtype, "name") && py::str(dtype.attr("name")).cast<std::string>() == "bfloat16";
}

// The protocol of numpy's arrays as a dictionary; bfloat16 of ml_dtypes has no other.
std::optional<taken> of_interface(py::handle x, const std::string& name) {
    if (!py::hasattr(x, "__array_interface__")) return std::nullopt;
    const py::dict facts = x.attr("__array_interface__");
    const std::string word = py::str(facts["typestr"]);
    if (word.size() < 3) refuse_type(name, "'" + word + "'");
    const std::size_t bytes = static_cast<std::size_t>(std::stoul(word.substr(2)));
    std::optional<element> type;
    if (is_bfloat16(x)) {
        type = element::bf16;
    } else {
        static const std::unordered_map<char, const char*> letters{
            {'b', "?"}, {'i', "q"}, {'u', "Q"}, {'f', "d"}, {'c', "Zd"}, {'O', "O"}, {'V', "T"}};
        const auto letter = letters.find(word[1]);
        std::string format = letter == letters.end() ? word.substr(1, 1) : letter->second;
        if (word[1] == 'f') format = bytes == 2 ? "e" : bytes == 4 ? "f" : bytes == 8 ? "d" : "g";
        if (word[1] == 'c') format = bytes == 8 ? "Zf" : bytes == 16 ? "Zd" : "Zg";
        if (word[0] == '>') format.insert(0, 1, '>');
        const found_type found = type_of_format(name, format.c_str(), bytes);
        if (found.wide) return widened(x, name);
        if (!found.type) refuse_type(name, fmt::format("uint{}", 8 * bytes));
        type = found.type;
    }
    std::vector<std::size_t> extents;
    for (const py::handle n : facts["shape"].cast<py::tuple>())
        extents.push_back(n.cast<std::size_t>());
    std::vector<std::int64_t> strides(extents.size());
    if (facts.contains("strides") && !facts["strides"].is_none()) {
        const py::tuple given = facts["strides"];
        for (std::size_t k = 0; k < strides.size(); ++k) strides[k] = given[k].cast<std::int64_t>();
    } else {
        std::int64_t next = static_cast<std::int64_t>(bytes);
        for (std::size_t k = strides.size(); k-- > 0;) {
            strides[k] = next;
            next *= static_cast<std::int64_t>(extents[k]);
        }
    }
    const py::tuple where = facts["data"];
    return taken{over(name, kept_alive(py::reinterpret_borrow<py::object>(x)), *type,
                      reinterpret_cast<void*>(where[0].cast<std::uintptr_t>()), extents,
                      std::move(strides), true, !where[1].cast<bool>())};
}

std::string device_word(std::int32_t kind) {
    switch (kind) {
        case 2:
        case 13:
            return "CUDA";
        case 7:
            return "Vulkan";
        case 8:
            return "Metal";
        case 10:
            return "ROCm";
        case 14:
            return "oneAPI";
        default:
            return fmt::format("number {}", kind);
    }
}

element type_of_dlpack(const std::string& name, dlpack::data_type t) {
    const int bits = t.bits;
    if (t.lanes == 1) switch (t.code) {
            case dlpack::floating:
                if (bits == 16) return element::f16;
                if (bits == 32) return element::f32;
                if (bits == 64) return element::f64;
                break;
            case dlpack::bfloat:
                if (bits == 16) return element::bf16;
                break;
            case dlpack::complex:
                if (bits == 64) return element::c64;
                if (bits == 128) return element::c128;
                break;
            case dlpack::whole:
                if (bits == 32) return element::i32;
                if (bits == 64) return element::i64;
                break;
            case dlpack::boolean:
                if (bits == 8) return element::boolean;
                break;
            default:
                break;
        }
    const char* const kinds[] = {"int", "uint", "float", "opaque", "bfloat", "complex", "bool"};
    refuse_type(name, t.code < std::size(kinds) ? fmt::format("{}{}", kinds[t.code], bits)
                                                : fmt::format("number {}", t.code));
}

// Calls what a library of tensors wants to be called when nobody reads the memory any more.
template <class Managed>
struct lent {
    Managed* what;
    ~lent() {
        if (!Py_IsInitialized() || what->release == nullptr) return;
        const py::gil_scoped_acquire lock;
        what->release(what);
    }
};

template <class Managed>
array of_capsule(const std::string& name, const py::object& capsule, const char* tag,
                 const char* used, bool writable) {
    auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule.ptr(), tag));
    if (managed == nullptr) throw py::error_already_set();
    const dlpack::tensor& t = managed->tensor;
    PyCapsule_SetName(capsule.ptr(), used);  // it is ours to release now
    auto owner = std::make_shared<lent<Managed>>(lent<Managed>{managed});
    const element type = type_of_dlpack(name, t.type);
    std::vector<std::size_t> extents;
    std::vector<std::int64_t> strides(static_cast<std::size_t>(t.rank));
    for (int k = 0; k < t.rank; ++k) extents.push_back(static_cast<std::size_t>(t.extents[k]));
    std::int64_t next = 1;
    for (std::size_t k = strides.size(); k-- > 0;) {
        strides[k] = t.strides != nullptr ? t.strides[k] : next;
        next *= static_cast<std::int64_t>(extents[k]);
    }
    return over(name, std::move(owner), type, static_cast<char*>(t.data) + t.byte_offset, extents,
                std::move(strides), false, writable);
}

bool is_of_torch(py::handle x) {
    const char* const type = Py_TYPE(x.ptr())->tp_name;
    if (std::string_view(type) != "Tensor" && std::string_view(type) != "Parameter") return false;
    const py::object module = py::type::handle_of(x).attr("__module__");
    return py::str(module).cast<std::string>().starts_with("torch");
}

std::optional<taken> of_dlpack(py::handle x, const std::string& name) {
    if (!py::hasattr(x, "__dlpack__")) return std::nullopt;
    const bool torch = is_of_torch(x);
    if (torch && x.attr("requires_grad").cast<bool>())
        refuse(fmt::format("{} requires gradients; ricci.torch.function differentiates a program, "
                           "and {}.detach() is a tensor without gradients",
                           name, name));
    if (py::hasattr(x, "__dlpack_device__")) {
        const py::tuple where = x.attr("__dlpack_device__")();
        const auto kind = where[0].cast<std::int32_t>();
        if (kind != dlpack::cpu && kind != dlpack::cuda_host && kind != dlpack::rocm_host)
            refuse(fmt::format("{} lies on a device, {}, and ricci computes on the processor; "
                               "copy it there first",
                               name, device_word(kind)));
    }
    const py::object lend = x.attr("__dlpack__");
    py::object capsule;
    try {
        capsule = lend(py::arg("max_version") = py::make_tuple(1, 0));
    } catch (const py::error_already_set& e) {
        if (!e.matches(PyExc_TypeError)) throw;  // an older library knows no versions
        capsule = lend();
    }
    if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned") != 0) {
        auto* const m = static_cast<dlpack::managed_versioned*>(
            PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned"));
        if (m->major != 1)
            refuse(fmt::format("{} is lent by version {} of DLPack, and ricci reads version 1",
                               name, m->major));
        return taken{of_capsule<dlpack::managed_versioned>(
                         name, capsule, "dltensor_versioned", "used_dltensor_versioned",
                         (m->flags & dlpack::read_only) == 0),
                     torch};
    }
    return taken{of_capsule<dlpack::managed>(name, capsule, "dltensor", "used_dltensor", true),
                 torch};
}

py::object dtype_of(element type) {
    if (type == element::bf16) {
        try {
            return py::module_::import("numpy").attr("dtype")(
                py::module_::import("ml_dtypes").attr("bfloat16"));
        } catch (const py::error_already_set& e) {
            if (!e.matches(PyExc_ImportError)) throw;
            refuse("numpy has no bfloat16; install ml_dtypes, or pass torch tensors");
        }
    }
    static auto* const made = new std::array<py::object, 9>;  // lives as long as the interpreter
    py::object& dtype = (*made)[static_cast<std::size_t>(type)];
    if (!dtype) dtype = py::dtype(numpy_name(type));
    return dtype;
}

}  // namespace

std::shared_ptr<void> kept_alive(py::object x) {
    return {x.release().ptr(), [](PyObject* o) {
                if (!Py_IsInitialized()) return;
                const py::gil_scoped_acquire lock;
                Py_DECREF(o);
            }};
}

std::optional<taken> array_of(py::handle x, const std::string& name) {
    if (auto a = of_buffer(x, name)) return a;
    if (auto a = of_interface(x, name)) return a;
    return of_dlpack(x, name);
}

taken any_array_of(py::handle x, const std::string& name) {
    if (auto a = array_of(x, name)) return *std::move(a);
    const bool list = PyList_Check(x.ptr()) || PyTuple_Check(x.ptr());
    const py::object numpy = py::module_::import("numpy");
    if (list || py::hasattr(x, "__array__") || PyNumber_Check(x.ptr()))
        if (auto a = array_of(numpy.attr("asarray")(x), name)) return *std::move(a);
    refuse(fmt::format("{} is a {}, and not an array or a number", name,
                       py::str(py::type::handle_of(x).attr("__name__")).cast<std::string>()));
}

const char* numpy_name(element type) {
    constexpr const char* names[] = {"float32",   "float64",    "bfloat16", "float16", "complex64",
                                     "complex128", "int32", "int64",    "bool"};
    return names[static_cast<std::size_t>(type)];
}

element element_named(py::handle dtype) {
    std::string word;
    if (py::isinstance<py::str>(dtype)) {
        word = dtype.cast<std::string>();
    } else {
        word = py::str(dtype);
        if (word.starts_with("torch.")) word.erase(0, 6);
        else word = py::str(py::module_::import("numpy").attr("dtype")(dtype)).cast<std::string>();
    }
    constexpr const char* short_names[] = {"f32", "f64",  "bf16", "f16", "c64",
                                           "c128", "i32", "i64",  "boolean"};
    for (std::size_t k = 0; k < std::size(short_names); ++k)
        if (word == numpy_name(static_cast<element>(k)) || word == short_names[k])
            return static_cast<element>(k);
    refuse(fmt::format("{} is no element type of ricci; these are {}", word, suitable));
}

py::object to_numpy(const array& a, bool writable, const py::object& owner) {
    struct kept {
        array memory;
        py::object owner;
    };
    std::vector<py::ssize_t> extents, strides;
    for (const std::size_t n : a.extents()) extents.push_back(static_cast<py::ssize_t>(n));
    for (const std::int64_t s : a.strides())
        strides.push_back(static_cast<py::ssize_t>(s) *
                          static_cast<py::ssize_t>(size_of(a.type())));
    const py::object dtype = dtype_of(a.type());
    const py::capsule base(new kept{a, owner}, [](void* k) { delete static_cast<kept*>(k); });
    py::array out(py::reinterpret_borrow<py::dtype>(dtype), extents, strides, a.data(), base);
    if (!writable) py::detail::array_proxy(out.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
    return out;
}

py::object to_torch(const array& a) {
    const py::object torch = py::module_::import("torch");
    if (a.type() != element::bf16) return torch.attr("from_numpy")(to_numpy(a));
    // numpy has no bfloat16: the same bits as whole numbers, seen as what they are again
    const array bits = array::over(std::make_shared<array>(a), element::f16,
                                   const_cast<void*>(a.data()), a.extents(), a.strides());
    return torch.attr("from_numpy")(to_numpy(bits)).attr("view")(torch.attr("bfloat16"));
}

std::optional<array> shape_of(py::handle x, element type) {
    if (!PyTuple_Check(x.ptr())) return std::nullopt;
    std::vector<std::size_t> extents;
    for (const py::handle n : py::reinterpret_borrow<py::tuple>(x)) {
        if (!PyLong_Check(n.ptr())) return std::nullopt;
        const auto extent = n.cast<std::int64_t>();
        if (extent < 0) refuse(fmt::format("a shape has an extent of {}", extent));
        extents.push_back(static_cast<std::size_t>(extent));
    }
    return shape(type, extents);
}

}  // namespace ricci::python
