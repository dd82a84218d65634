#include "module/errors.hpp"

#include <exception>
#include <new>

#include <ricci/error.hpp>

namespace ricci::python {
namespace {

void raise(const char* maker, const py::object& arguments) {
    const py::object made = py::module_::import("ricci._errors").attr(maker)(*arguments);
    PyErr_SetObject(py::type::handle_of(made).ptr(), made.ptr());
}

}  // namespace

void refuse(const std::string& sentence) {
    raise("error", py::make_tuple(sentence));
    throw py::error_already_set();
}

void refuse(const mistake& wrong) {
    raise("mistake", py::make_tuple(wrong.message, wrong.line, wrong.column));
    throw py::error_already_set();
}

bool is_error(const py::error_already_set& e) {
    return e.matches(py::module_::import("ricci._errors").attr("Error"));
}

void translate_exceptions() {
    py::register_exception_translator([](std::exception_ptr thrown) {
        try {
            if (thrown) std::rethrow_exception(thrown);
        } catch (const py::cast_error& e) {
            PyErr_SetString(PyExc_TypeError, e.what());
        } catch (const py::builtin_exception&) {
            throw;  // pybind11's own: a TypeError, say
        } catch (const py::error_already_set&) {
            throw;
        } catch (const std::bad_alloc&) {
            PyErr_SetString(PyExc_MemoryError, "there is no memory for this");
        } catch (const std::exception& e) {
            raise("error", py::make_tuple(e.what()));
        }
    });
}

}  // namespace ricci::python
