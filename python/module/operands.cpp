#include "module/operands.hpp"

#include <algorithm>
#include <complex>
#include <unordered_map>
#include <utility>

#include <fmt/core.h>

#include "module/arrays.hpp"
#include "module/element_types.hpp"
#include "module/errors.hpp"

namespace ricci::python {
namespace {

template <class T>
T only_element(const array& a) {
    return *static_cast<const T*>(a.data());
}

bindable number_in(const array& a) {
    switch (a.type()) {
        case element::f32:
            return only_element<float>(a);
        case element::f64:
            return only_element<double>(a);
        case element::bf16:
            return only_element<bf16>(a);
        case element::f16:
            return only_element<f16>(a);
        case element::c64:
            return only_element<std::complex<float>>(a);
        case element::c128:
            return only_element<std::complex<double>>(a);
        case element::i32:
            return only_element<std::int32_t>(a);
        case element::i64:
            return only_element<std::int64_t>(a);
        default:
            return static_cast<std::int32_t>(only_element<std::uint8_t>(a) != 0);
    }
}

double as_double(PyObject* o, const std::string& name) {
    const double value = PyFloat_AsDouble(o);
    if (value == -1 && PyErr_Occurred() != nullptr) {
        PyErr_Clear();
        refuse(fmt::format("{} is a number beyond the range of float64", name));
    }
    return value;
}

// Numbers of Python itself. numpy's are arrays without axes, whose element type counts.
std::optional<bindable> number_of(py::handle x, const std::string& name) {
    PyObject* const o = x.ptr();
    if (PyBool_Check(o)) return bindable(static_cast<std::int32_t>(o == Py_True));
    if (PyLong_Check(o)) {
        int beyond = 0;
        const long long value = PyLong_AsLongLongAndOverflow(o, &beyond);
        if (beyond == 0) return bindable(static_cast<std::int64_t>(value));
        return bindable(as_double(o, name));
    }
    if (PyFloat_CheckExact(o)) return bindable(PyFloat_AS_DOUBLE(o));
    if (PyComplex_CheckExact(o))
        return bindable(std::complex<double>(PyComplex_RealAsDouble(o), PyComplex_ImagAsDouble(o)));
    return std::nullopt;
}

// Fractions, decimals and the like: what says a float and has no elements.
bool is_like_a_float(py::handle x) {
    return PyNumber_Check(x.ptr()) != 0 && py::hasattr(x, "__float__") &&
           !py::hasattr(x, "__array__") && !py::hasattr(x, "__len__") &&
           !py::hasattr(x, "__dlpack__") && !PyObject_CheckBuffer(x.ptr());
}

// What two scalars of numpy are together.
element together(element a, element b) {
    if (a == b) return a;
    const bool wide =
        a == element::f64 || b == element::f64 || a == element::c128 || b == element::c128;
    if (is_complex(a) || is_complex(b)) return wide ? element::c128 : element::c64;
    return wide ? element::f64 : element::f32;
}

void add_scalar(call_operands& given, const std::string& name, const taken& a) {
    given.any_torch = given.any_torch || a.of_torch;
    const element type = a.value.type();
    if (!is_whole(type) && type != element::boolean)
        given.of_numbers = given.of_numbers ? together(*given.of_numbers, type) : type;
    given.list.push_back({name, number_in(a.value)});
}

void add_array(call_operands& given, const std::string& name, taken a) {
    given.any_array = true;
    (a.of_torch ? given.any_torch : given.any_other) = true;
    given.list.push_back({name, bindable(std::move(a.value))});
}

void add(call_operands& given, const std::string& name, py::handle x, shapes_allowed shapes) {
    if (auto number = number_of(x, name)) {
        given.list.push_back({name, *std::move(number)});
        return;
    }
    if (py::isinstance<extent>(x)) {
        given.list.push_back({name, bindable(x.cast<extent>())});
        return;
    }
    if (shapes.allowed)
        if (auto shape = shape_of(x, shapes.type)) {
            given.list.push_back({name, bindable(*std::move(shape))});
            return;
        }
    if (is_like_a_float(x)) {
        given.list.push_back({name, bindable(as_double(x.ptr(), name))});
        return;
    }
    taken a = any_array_of(x, name);
    if (a.value.rank() == 0) add_scalar(given, name, a);
    else add_array(given, name, std::move(a));
}

void add_output(call_operands& given, py::handle key, py::handle value) {
    const std::string name = canonical(key);
    auto a = array_of(value, name);
    if (!a) refuse(fmt::format("out= of {} is no array", name));
    if (a->copied)
        refuse(
            fmt::format("out= of {} has elements of 8 or 16 bits that are whole numbers, which "
                        "ricci does not write",
                        name));
    if (!a->value.is_writable())
        refuse(fmt::format("out= of {} is an array that may only be read", name));
    given.list.push_back({name, bindable(std::move(a->value))});
    given.out_arrays[py::str(name)] = value;
}

void add_outputs(call_operands& given, const std::string* single) {
    if (given.out.is_none()) return;
    if (PyDict_Check(given.out.ptr())) {
        for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(given.out))
            add_output(given, key, value);
    } else if (single != nullptr) {
        add_output(given, py::str(*single), given.out);
    } else {
        refuse("out= is a dict of arrays by the names of outputs: out={\"Y\": y}");
    }
}

// A call of numbers alone computes in real ones; a complex one in it is an array without axes.
void add_complex_scalars(call_operands& given) {
    const bool any = std::any_of(given.list.begin(), given.list.end(),
                                 [](const named& n) { return n.value.is_complex_number(); });
    if (given.any_array || !any) return;
    const element with = given.of_numbers.value_or(element::f64);
    given.of_numbers = together(with, with == element::f64 ? element::c128 : element::c64);
    for (named& n : given.list) {
        if (!n.value.is_complex_number()) continue;
        const engine::number& value = n.value.number();
        array a(*given.of_numbers, std::vector<std::size_t>{});
        if (a.type() == element::c64)
            *static_cast<std::complex<float>*>(a.data()) = value.as<std::complex<float>>();
        else *static_cast<std::complex<double>*>(a.data()) = value.as<std::complex<double>>();
        n.value = bindable(std::move(a));
    }
}

}  // namespace

std::string canonical(py::handle name) {
    static auto* const known = new std::unordered_map<std::string, std::string>;
    if (!PyUnicode_Check(name.ptr())) refuse("an operand is bound by its name, a str");
    Py_ssize_t size = 0;
    const char* const text = PyUnicode_AsUTF8AndSize(name.ptr(), &size);
    if (text == nullptr) throw py::error_already_set();
    std::string spelling(text, static_cast<std::size_t>(size));
    if (const auto found = known->find(spelling); found != known->end()) return found->second;
    std::string name_of_it = canonical_name(spelling);
    if (known->size() > 10000) known->clear();  // names that programs make
    return known->emplace(std::move(spelling), std::move(name_of_it)).first->second;
}

call_operands read_operands(const py::args& positional, const py::dict& keywords,
                            const std::string* single, shapes_allowed shapes) {
    call_operands given;
    given.list.reserve(positional.size() + keywords.size());
    if (positional.size() > 1 || (positional.size() == 1 && !PyDict_Check(positional[0].ptr())))
        refuse("operands are given by name: X=x, or {\"X\": x}");
    if (positional.size() == 1)
        for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(positional[0]))
            add(given, canonical(key), value, shapes);
    PyObject *key = nullptr, *value = nullptr;
    Py_ssize_t place = 0;
    while (PyDict_Next(keywords.ptr(), &place, &key, &value) != 0) {
        if (PyUnicode_CompareWithASCIIString(key, "out") == 0)
            given.out = py::reinterpret_borrow<py::object>(value);
        else add(given, canonical(key), value, shapes);
    }
    add_complex_scalars(given);
    add_outputs(given, single);
    return given;
}

prepare_options options_of(const call_operands& given) {
    prepare_options options;
    if (!given.any_array && given.of_numbers) options.type = *given.of_numbers;
    return options;
}

}  // namespace ricci::python
