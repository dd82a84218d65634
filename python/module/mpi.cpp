// ricci._mpi: programs on several ranks. A module beside ricci._core, so that who has no MPI can
// import the package; it has the library within itself, as that one has.
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <ricci/error.hpp>
#include <ricci/mpi.hpp>

#include "module/arrays.hpp"
#include "module/errors.hpp"
#include "module/one_run.hpp"
#include "module/program.hpp"
#include "src/mpi/agreement.hpp"
#include "src/runtime/parallel.hpp"

namespace ricci::python {
namespace {

struct shared_runner {
    std::vector<std::string> outputs;
    bool torch;
    py::dict out_arrays;
    mpi::runner step;
    one_run running = {};
};

/// mpi4py says where its communicator is.
MPI_Comm communicator_at(std::uintptr_t address) {
    return *reinterpret_cast<const MPI_Comm*>(address);
}

std::unique_ptr<shared_runner> prepared(std::uintptr_t address, const python_program& p,
                                        const std::vector<std::string>& letters, int threads,
                                        const py::dict& operands, bool reproducible, int blocks) {
    runtime::set_worker_count(threads);
    const MPI_Comm comm = communicator_at(address);
    call_operands given;
    prepare_options options;
    // what this rank alone cannot read the others have to hear of, who wait for it
    const std::string wrong = mpi::words_of_failure([&] {
        try {
            given = read_operands(py::args(), operands, p.single());
            options = options_of(given);
        } catch (const py::error_already_set& e) {
            throw error(py::str(e.value()).cast<std::string>());
        }
    });
    std::optional<mpi::runner> step;
    {
        const py::gil_scoped_release unlocked;
        mpi::refuse_together(comm, wrong);
        mpi::run_options together;
        together.reproducible = reproducible;
        together.blocks = blocks;
        step.emplace(comm, p.value, letters, given.list, options, together);
    }
    return std::unique_ptr<shared_runner>(
        new shared_runner{p.outputs, given.gives_torch(), given.out_arrays, std::move(*step)});
}

void run(shared_runner& r) {
    const py::gil_scoped_release unlocked;
    const std::lock_guard one(r.running);
    r.step();
}

py::object output_of(const py::object& self, const py::str& name) {
    auto& r = self.cast<shared_runner&>();
    const std::string spelling = canonical(name);
    const py::str key(spelling);
    if (r.out_arrays.contains(key)) return r.out_arrays[key];
    const array a = r.step[spelling];
    return r.torch ? to_torch(a) : to_numpy(a, false, self);
}

py::tuple chosen(int ranks, const python_program& p, const py::dict& operands,
                 const mpi::choose_options& options) {
    const call_operands given = read_operands(py::args(), operands, p.single(), {true});
    mpi::choice c;
    {
        const py::gil_scoped_release unlocked;
        c = mpi::choose_for(ranks, p.value, given.list, options);
    }
    return py::make_tuple(c.letters, c.grid, c.seconds, c.bytes, c.memory, c.why);
}

std::string library_version() {
    char words[MPI_MAX_LIBRARY_VERSION_STRING];
    int size = 0;
    MPI_Get_library_version(words, &size);
    return {words, static_cast<std::size_t>(size)};
}

}  // namespace
}  // namespace ricci::python

PYBIND11_MODULE(_mpi, m) {
    using namespace ricci::python;
    py::module_::import("ricci._core");  // whose programs are taken
    translate_exceptions();
    py::class_<shared_runner>(m, "Shared",
                              "A program that all ranks carry out together: ``s()`` runs it, "
                              "``s[\"Y\"]`` is this\nrank's part of an output, or all of it "
                              "where it has none of the shared-out indices.")
        .def("__call__", run, "Runs the program; all ranks call this at a time.")
        .def("__getitem__", output_of)
        .def(
            "explain", [](const shared_runner& r) { return r.step.explain(); },
            "What is computed, what is exchanged and why.")
        .def_property_readonly(
            "bytes_sent", [](const shared_runner& r) { return r.step.bytes_sent(); },
            "What this rank hands to MPI in a run.")
        .def_readonly("outputs", &shared_runner::outputs, "The names of what it gives.");
    m.def("prepare", prepared);
    m.def("parts", ricci::mpi::parts_of);
    m.def("choose", [](int ranks, const python_program& p, const py::dict& operands,
                       std::pair<double, double> network, double speed, double memory,
                       bool one_copy, std::vector<std::string> letters) {
        ricci::mpi::choose_options options;
        options.network = {network.first, network.second};
        options.speed = speed;
        options.memory = memory;
        options.one_copy = one_copy;
        options.letters = std::move(letters);
        return chosen(ranks, p, operands, options);
    });
    m.def("library_version", library_version);
}
