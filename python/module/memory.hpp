// Memory of Python's arrays as the protocols of its libraries describe it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <pybind11/pybind11.h>

#include <ricci/array.hpp>

#include "module/element_types.hpp"

namespace ricci::python {

namespace py = pybind11;

/// What is known of an array before it is one of ricci's. Strides are in bytes.
struct described_memory {
    std::shared_ptr<void> owner;
    element_format format;
    void* data = nullptr;
    std::vector<std::size_t> extents;
    std::vector<std::int64_t> strides;
    bool writable = true;
};

/// An array over this memory, or over a copy where elements are widened. Raises ricci.Error for
/// elements that do not lie at multiples of their size.
array array_over(const std::string& name, described_memory m);

/// Through the buffer protocol; none for what has no buffer.
std::optional<described_memory> of_buffer(py::handle x, const std::string& name);
/// Through `__array_interface__`.
std::optional<described_memory> of_interface(py::handle x, const std::string& name);
/// Through `__dlpack__`, by versioned capsules and old ones. Raises ricci.Error for devices other
/// than the processor.
std::optional<described_memory> of_dlpack(py::handle x, const std::string& name);

/// An object of Python that C++ keeps alive. Whoever drops it last may be a thread without the
/// interpreter's lock.
std::shared_ptr<void> kept_alive(py::object x);

/// Row-major, in bytes.
std::vector<std::int64_t> dense_strides(const std::vector<std::size_t>& extents, std::size_t bytes);

/// "CUDA", by a number of DLPack.
std::string device_word(std::int32_t kind);

}  // namespace ricci::python
