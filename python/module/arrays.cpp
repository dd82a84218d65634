#include "module/arrays.hpp"

#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <pybind11/numpy.h>

#include "module/errors.hpp"
#include "module/memory.hpp"

namespace ricci::python {
namespace {

std::string type_name(py::handle x) {
    return py::str(py::type::handle_of(x).attr("__name__")).cast<std::string>();
}

bool is_of_torch(py::handle x) {
    const std::string_view type = Py_TYPE(x.ptr())->tp_name;
    if (type != "Tensor" && type != "Parameter") return false;
    const py::object module = py::type::handle_of(x).attr("__module__");
    return py::str(module).cast<std::string>().starts_with("torch");
}

taken taken_over(const std::string& name, described_memory m) {
    const bool copied = m.format.narrow != narrow::none;
    return {array_over(name, std::move(m)), false, copied};
}

// numpy's masked arrays lend their values as if nothing were masked.
void refuse_masks(py::handle x, const std::string& name) {
    if (std::string_view(Py_TYPE(x.ptr())->tp_name) == "ndarray" || !py::hasattr(x, "mask") ||
        !py::hasattr(x, "filled"))
        return;
    refuse(
        fmt::format("{0} is a masked array, and a program reads every element; write "
                    "{0}.filled(0), and the mask as an operand of its own",
                    name));
}

std::optional<taken> of_torch(py::handle x, const std::string& name) {
    if (x.attr("requires_grad").cast<bool>())
        refuse(
            fmt::format("{0} requires gradients; ricci.torch.function differentiates a program, "
                        "and {0}.detach() is a tensor without gradients",
                        name));
    // older versions do not lend what is boolean
    const bool on_processor = py::str(x.attr("device").attr("type")).cast<std::string>() == "cpu";
    const bool boolean = py::str(x.attr("dtype")).cast<std::string>() == "torch.bool";
    auto m = boolean && on_processor ? of_buffer(x.attr("numpy")(), name) : of_dlpack(x, name);
    if (!m) return std::nullopt;
    taken t = taken_over(name, *std::move(m));
    t.of_torch = true;
    return t;
}

}  // namespace

std::optional<taken> array_of(py::handle x, const std::string& name) {
    if (is_of_torch(x)) return of_torch(x, name);
    refuse_masks(x, name);
    auto m = of_buffer(x, name);
    if (!m) m = of_interface(x, name);
    if (!m) m = of_dlpack(x, name);
    if (!m) return std::nullopt;
    return taken_over(name, *std::move(m));
}

taken any_array_of(py::handle x, const std::string& name) {
    if (auto a = array_of(x, name)) return *std::move(a);
    if (py::hasattr(x, "__cuda_array_interface__"))
        refuse(
            fmt::format("{} lies on a device, CUDA, and ricci computes on the processor; copy "
                        "it there first",
                        name));
    const bool list = PyList_Check(x.ptr()) || PyTuple_Check(x.ptr());
    if (list || py::hasattr(x, "__array__")) {
        const py::object values = py::module_::import("numpy").attr("asarray")(x);
        if (auto a = array_of(values, name)) {
            a->copied = true;
            return *std::move(a);
        }
    }
    refuse(fmt::format("{} is a {}, and not an array or a number", name, type_name(x)));
}

py::object to_numpy(const array& a, bool writable, const py::object& owner) {
    struct kept {
        array memory;
        py::object owner;
    };
    const auto bytes = static_cast<py::ssize_t>(size_of(a.type()));
    std::vector<py::ssize_t> extents, strides;
    for (const std::size_t n : a.extents()) extents.push_back(static_cast<py::ssize_t>(n));
    for (const std::int64_t s : a.strides()) strides.push_back(static_cast<py::ssize_t>(s) * bytes);
    const py::object dtype = dtype_of(a.type());
    const py::capsule base(new kept{a, owner}, [](void* k) { delete static_cast<kept*>(k); });
    py::array out(py::reinterpret_borrow<py::dtype>(dtype), std::move(extents), std::move(strides),
                  a.data(), base);
    if (!writable)
        py::detail::array_proxy(out.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
    return out;
}

py::object to_torch(const array& a) {
    const py::object from_numpy = py::module_::import("torch").attr("from_numpy");
    if (a.type() != element::bf16) return from_numpy(to_numpy(a));
    // numpy has no bfloat16: the same bits as other numbers, seen as what they are again
    const array bits = array::over(std::make_shared<array>(a), element::f16,
                                   const_cast<void*>(a.data()), a.extents(), a.strides());
    return from_numpy(to_numpy(bits)).attr("view")(py::module_::import("torch").attr("bfloat16"));
}

std::optional<array> shape_of(py::handle x, element type) {
    if (!PyTuple_Check(x.ptr())) return std::nullopt;
    std::vector<std::size_t> extents;
    for (const py::handle n : py::reinterpret_borrow<py::tuple>(x)) {
        if (PyIndex_Check(n.ptr()) == 0) return std::nullopt;
        const py::ssize_t extent = PyNumber_AsSsize_t(n.ptr(), PyExc_OverflowError);
        if (extent == -1 && PyErr_Occurred() != nullptr) {
            PyErr_Clear();
            return std::nullopt;
        }
        if (extent < 0) refuse(fmt::format("a shape has an extent of {}", extent));
        extents.push_back(static_cast<std::size_t>(extent));
    }
    return shape(type, extents);
}

}  // namespace ricci::python
