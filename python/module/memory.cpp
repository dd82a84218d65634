// The buffer protocol, numpy's interface, and what makes an array of the memory that they describe.
#include "module/memory.hpp"

#include <utility>

#include <fmt/core.h>

#include "module/errors.hpp"

namespace ricci::python {
namespace {

template <class T>
void widen(const described_memory& m, std::int32_t* to) {
    std::vector<std::size_t> place(m.extents.size());
    const char* from = static_cast<const char*>(m.data);
    for (;;) {
        T value;
        std::memcpy(&value, from, sizeof value);
        *to++ = value;
        std::size_t axis = place.size();
        for (;; --axis) {
            if (axis == 0) return;
            from += m.strides[axis - 1];
            if (++place[axis - 1] < m.extents[axis - 1]) break;
            from -= m.strides[axis - 1] * static_cast<std::int64_t>(m.extents[axis - 1]);
            place[axis - 1] = 0;
        }
    }
}

array widened(const described_memory& m) {
    array out(element::i32, m.extents);
    if (out.size() == 0) return out;
    auto* const to = static_cast<std::int32_t*>(out.data());
    switch (m.format.narrow) {
        case narrow::i8:
            widen<std::int8_t>(m, to);
            break;
        case narrow::u8:
            widen<std::uint8_t>(m, to);
            break;
        case narrow::i16:
            widen<std::int16_t>(m, to);
            break;
        case narrow::u16:
            widen<std::uint16_t>(m, to);
            break;
        case narrow::none:
            break;
    }
    return out;
}

bool is_empty(const described_memory& m) {
    for (const std::size_t n : m.extents)
        if (n == 0) return true;
    return false;
}

struct held_buffer {
    Py_buffer view{};
    ~held_buffer() {
        if (!Py_IsInitialized()) return;
        const py::gil_scoped_acquire lock;
        PyBuffer_Release(&view);
    }
};

}  // namespace

array array_over(const std::string& name, described_memory m) {
    if (m.format.narrow != narrow::none) return widened(m);
    const element type = m.format.type;
    const auto size = static_cast<std::int64_t>(size_of(type));
    if (is_empty(m)) m.strides = dense_strides(m.extents, size_of(type));
    for (std::size_t k = 0; k < m.strides.size(); ++k) {
        if (m.strides[k] % size != 0 && m.extents[k] > 1)
            refuse(
                fmt::format("the elements of {0} do not lie at multiples of their size, as "
                            "those of a field of a structure; pass a copy, {0}.copy()",
                            name));
        m.strides[k] /= size;
    }
    const std::size_t alignment = is_complex(type) ? size_of(type) / 2 : size_of(type);
    if (!is_empty(m) && reinterpret_cast<std::uintptr_t>(m.data) % alignment != 0)
        refuse(
            fmt::format("the memory of {0} is not aligned to its elements; pass a copy, "
                        "{0}.copy()",
                        name));
    return array::over(std::move(m.owner), type, m.data, m.extents, m.strides, m.writable);
}

std::optional<described_memory> of_buffer(py::handle x, const std::string& name) {
    if (!PyObject_CheckBuffer(x.ptr()) || PyBytes_Check(x.ptr())) return std::nullopt;
    auto held = std::make_shared<held_buffer>();
    Py_buffer& b = held->view;
    if (PyObject_GetBuffer(x.ptr(), &b, PyBUF_STRIDES | PyBUF_FORMAT) != 0) {
        PyErr_Clear();
        b = {};
        return std::nullopt;
    }
    described_memory m;
    m.format = format_of_buffer(x, name, b.format != nullptr ? b.format : "B",
                                static_cast<std::size_t>(b.itemsize));
    m.data = b.buf;
    m.writable = b.readonly == 0;
    m.extents.assign(b.shape, b.shape + b.ndim);
    if (b.strides != nullptr) m.strides.assign(b.strides, b.strides + b.ndim);
    else m.strides = dense_strides(m.extents, static_cast<std::size_t>(b.itemsize));  // ctypes
    m.owner = std::move(held);
    return m;
}

std::optional<described_memory> of_interface(py::handle x, const std::string& name) {
    if (!py::hasattr(x, "__array_interface__")) return std::nullopt;
    const py::dict facts = x.attr("__array_interface__");
    described_memory m;
    m.format = format_of_typestr(x, name, py::str(facts["typestr"]).cast<std::string>());
    const auto bytes = std::stoul(py::str(facts["typestr"]).cast<std::string>().substr(2));
    for (const py::handle n : facts["shape"].cast<py::tuple>())
        m.extents.push_back(n.cast<std::size_t>());
    if (facts.contains("strides") && !facts["strides"].is_none())
        for (const py::handle s : facts["strides"].cast<py::tuple>())
            m.strides.push_back(s.cast<std::int64_t>());
    else m.strides = dense_strides(m.extents, bytes);
    if (!facts.contains("data") || !PyTuple_Check(facts["data"].ptr()))
        refuse(fmt::format("the __array_interface__ of {} says no address", name));
    const py::tuple where = facts["data"];
    m.data = reinterpret_cast<void*>(where[0].cast<std::uintptr_t>());
    m.writable = !where[1].cast<bool>();
    m.owner = kept_alive(py::reinterpret_borrow<py::object>(x));
    return m;
}

std::shared_ptr<void> kept_alive(py::object x) {
    return {x.release().ptr(), [](PyObject* o) {
                if (!Py_IsInitialized()) return;
                const py::gil_scoped_acquire lock;
                Py_DECREF(o);
            }};
}

std::vector<std::int64_t> dense_strides(const std::vector<std::size_t>& extents,
                                        std::size_t bytes) {
    std::vector<std::int64_t> strides(extents.size());
    auto next = static_cast<std::int64_t>(bytes);
    for (std::size_t k = strides.size(); k-- > 0;) {
        strides[k] = next;
        next *= static_cast<std::int64_t>(extents[k]);
    }
    return strides;
}

}  // namespace ricci::python
