// DLPack: memory that libraries of tensors lend.
#include <fmt/core.h>

#include "module/dlpack.hpp"
#include "module/errors.hpp"
#include "module/memory.hpp"

namespace ricci::python {
namespace {

// Calls what the lender wants to be called when nobody reads the memory any more.
template <class Managed>
class lent {
public:
    explicit lent(Managed* what) : what_(what) {}
    lent(const lent&) = delete;
    lent& operator=(const lent&) = delete;
    ~lent() {
        if (!Py_IsInitialized() || what_->release == nullptr) return;
        const py::gil_scoped_acquire lock;
        what_->release(what_);
    }

private:
    Managed* what_;
};

void check_device(py::handle x, const std::string& name) {
    if (!py::hasattr(x, "__dlpack_device__")) return;
    const py::tuple where = x.attr("__dlpack_device__")();
    const auto kind = where[0].cast<std::int32_t>();
    if (kind != dlpack::cpu && kind != dlpack::cuda_host && kind != dlpack::rocm_host)
        refuse(
            fmt::format("{} lies on a device, {}, and ricci computes on the processor; copy it "
                        "there first",
                        name, device_word(kind)));
}

py::object capsule_of(py::handle x) {
    const py::object lend = x.attr("__dlpack__");
    try {
        return lend(py::arg("max_version") = py::make_tuple(1, 0));
    } catch (const py::error_already_set& e) {
        if (!e.matches(PyExc_TypeError)) throw;  // an older library knows no versions
    }
    return lend();
}

template <class Managed>
described_memory opened(py::handle x, const std::string& name, const py::object& capsule,
                        const char* tag, const char* used) {
    auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule.ptr(), tag));
    if (managed == nullptr) throw py::error_already_set();
    const dlpack::tensor& t = managed->tensor;
    PyCapsule_SetName(capsule.ptr(), used);  // it is ours to release now
    described_memory m;
    m.owner = std::make_shared<lent<Managed>>(managed);
    m.format = format_of_dlpack(x, name, t.type.code, t.type.bits, t.type.lanes);
    m.extents.assign(t.extents, t.extents + t.rank);
    const std::size_t bytes = t.type.bits / 8;
    if (t.strides == nullptr) m.strides = dense_strides(m.extents, bytes);
    else
        for (std::int32_t k = 0; k < t.rank; ++k)
            m.strides.push_back(t.strides[k] * static_cast<std::int64_t>(bytes));
    m.data = static_cast<char*>(t.data) + t.byte_offset;
    return m;
}

described_memory lent_memory_of(py::handle x, const std::string& name) {
    check_device(x, name);
    const py::object capsule = capsule_of(x);
    if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned") == 0)
        return opened<dlpack::managed>(x, name, capsule, "dltensor", "used_dltensor");
    auto* const versioned = static_cast<dlpack::managed_versioned*>(
        PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned"));
    if (versioned->major != 1)
        refuse(fmt::format("{} is lent by version {} of DLPack, and ricci reads version 1", name,
                           versioned->major));
    const bool writable = (versioned->flags & dlpack::read_only) == 0;
    auto m = opened<dlpack::managed_versioned>(x, name, capsule, "dltensor_versioned",
                                               "used_dltensor_versioned");
    m.writable = writable;
    return m;
}

}  // namespace

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
            return fmt::format("number {} of DLPack", kind);
    }
}

std::optional<described_memory> of_dlpack(py::handle x, const std::string& name) {
    if (!py::hasattr(x, "__dlpack__")) return std::nullopt;
    try {
        return lent_memory_of(x, name);
    } catch (py::error_already_set& e) {
        // what a library says where it lends nothing, of memory that is sparse or elsewhere
        if (!e.matches(PyExc_Exception) || e.matches(PyExc_MemoryError) || is_error(e)) throw;
        refuse(fmt::format("{} is not lent by its library: {}", name,
                           py::str(e.value()).cast<std::string>()));
    }
}

}  // namespace ricci::python
