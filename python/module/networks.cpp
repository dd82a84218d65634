// Networks of tensors: orders, and what runs them. Indices are numbers here; ricci.Network names
// them.
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <pybind11/stl.h>

#include <ricci/network.hpp>

#include "module/arrays.hpp"
#include "module/element_types.hpp"
#include "module/errors.hpp"
#include "module/one_run.hpp"
#include "module/program.hpp"

namespace ricci::python {
namespace {

using numbers = std::vector<std::int64_t>;

// Asks, while C++ works without the interpreter's lock, whether to go on: Control-C is an exception
// that waits in Python, and whoever wants to see progress is called.
class watched {
public:
    explicit watched(py::object progress) : progress_(std::move(progress)) {}

    detail::progress_function function() {
        return [this](double part, double seconds_left) {
            // the lock is asked for a few dozen times a second, however often this is called
            const auto now = std::chrono::steady_clock::now();
            if (now < next_ && part < 1) return !raised_;
            next_ = now + std::chrono::milliseconds(20);
            const py::gil_scoped_acquire lock;
            if (raised_) return false;
            try {
                if (PyErr_CheckSignals() != 0) throw py::error_already_set();
                if (progress_.is_none()) return true;
                const py::object answer = progress_(part, seconds_left);
                return answer.is_none() || answer.cast<bool>();  // print() goes on
            } catch (...) {
                raised_ = std::current_exception();
                return false;
            }
        };
    }
    /// Runs without the lock; what Python raised meanwhile comes out.
    template <class Work>
    auto run(const Work& work) {
        try {
            auto result = [&] {
                const py::gil_scoped_release unlocked;
                return work();
            }();
            if (raised_) std::rethrow_exception(raised_);
            return result;
        } catch (...) {
            if (raised_) std::rethrow_exception(raised_);
            throw;
        }
    }

private:
    py::object progress_;
    std::chrono::steady_clock::time_point next_;
    std::exception_ptr raised_;
};

template <class Choice>
Choice chosen(const char* what, const std::string& word,
              std::initializer_list<std::pair<const char*, Choice>> choices) {
    std::string known;
    for (const auto& [name, value] : choices) {
        if (word == name) return value;
        known += (known.empty() ? "" : ", ") + std::string(name);
    }
    refuse(fmt::format("{} is one of {}, and not {}", what, known, word));
}

algebra algebra_named(const std::string& word) {
    return chosen<algebra>("algebra", word,
                           {{"sum_product", algebra::sum_product},
                            {"max_sum", algebra::max_sum},
                            {"min_sum", algebra::min_sum},
                            {"logsumexp_sum", algebra::logsumexp_sum}});
}

array operand_of(py::handle x, const std::string& dtype, const char* name) {
    if (auto shape = shape_of(x, element_named(py::str(dtype)))) return *std::move(shape);
    return any_array_of(x, name).value;
}

void add_tensor(network& n, const py::object& x, const numbers& indices, bool conjugate,
                const std::string& dtype) {
    array a = operand_of(x, dtype, "the tensor");
    if (conjugate) n.add_conjugate(std::move(a), indices);
    else n.add(std::move(a), indices);
}

contraction_order found(const network& n, const py::dict& how, const py::object& progress) {
    watched watch(progress);
    order_options o;
    o.seconds = how["seconds"].cast<double>();
    o.trials = how["trials"].cast<std::int64_t>();
    o.memory = how["memory"].cast<double>();
    o.seed = how["seed"].cast<std::uint64_t>();
    o.choices = how["choices"].cast<std::int64_t>();
    o.objective = chosen<objective>("objective", how["objective"].cast<std::string>(),
                                    {{"multiplications", objective::multiplications},
                                     {"largest_product", objective::largest_product},
                                     {"largest_intermediate", objective::largest_intermediate},
                                     {"traffic", objective::traffic},
                                     {"weighed", objective::weighed}});
    o.simplify = chosen<simplify>(
        "simplify", how["simplify"].cast<std::string>(),
        {{"shapes", simplify::shapes}, {"values", simplify::values}, {"none", simplify::none}});
    o.progress = watch.function();
    return watch.run([&] { return find_order(n, o); });
}

contract_options options_of(const std::string& algebra, double memory, watched& watch) {
    contract_options o;
    o.algebra = algebra_named(algebra);
    o.memory = memory;
    o.progress = watch.function();
    return o;
}

py::object contracted(const network& n, const contraction_order* order, const std::string& algebra,
                      double memory, const py::object& progress) {
    watched watch(progress);
    const contract_options o = options_of(algebra, memory, watch);
    return to_numpy(
        watch.run([&] { return order != nullptr ? contract(n, *order, o) : contract(n, o); }));
}

py::tuple contracted_scaled(const network& n, const contraction_order& order, double memory,
                            const py::object& progress) {
    watched watch(progress);
    const contract_options o = options_of("sum_product", memory, watch);
    const scaled s = watch.run([&] { return contract_scaled(n, order, o); });
    return py::make_tuple(to_numpy(s.mantissa), s.exponent10);
}

py::list gradients(const network& n, const contraction_order& order,
                   const std::vector<std::size_t>& operands) {
    std::vector<array> all;
    {
        const py::gil_scoped_release unlocked;
        all = gradient(n, order, operands);
    }
    py::list out;
    for (const array& a : all) out.append(to_numpy(a));
    return out;
}

py::tuple most_likely_places(const network& n, const contraction_order& order) {
    most_likely m;
    {
        const py::gil_scoped_release unlocked;
        m = argmax(n, order);
    }
    return py::make_tuple(m.value, m.places);
}

struct python_prepared {
    prepared_network step;
    one_run running;
};

void add_orders(py::module_& m) {
    using pairs = std::vector<std::pair<std::size_t, std::size_t>>;
    py::class_<contraction_order>(m, "Order")
        .def_property_readonly("multiplications", &contraction_order::multiplications)
        .def_property_readonly("largest", &contraction_order::largest)
        .def_property_readonly("slices", &contraction_order::slices)
        .def_property_readonly("bound", &contraction_order::bound)
        .def_property_readonly("peak_bytes", &contraction_order::peak_bytes)
        .def_property_readonly("ssa", &contraction_order::ssa)
        .def_property_readonly("path", &contraction_order::path)
        .def_property_readonly("sliced",
                               [](const contraction_order& o) {
                                   std::vector<std::pair<std::int64_t, std::int64_t>> all;
                                   for (const sliced_index& s : o.sliced())
                                       all.emplace_back(s.index, s.parts);
                                   return all;
                               })
        .def("json", &contraction_order::json)
        .def("__str__", &contraction_order::words);
    m.def("order_from_ssa",
          [](const network& n, const pairs& p) { return contraction_order::from_ssa(n, p); });
    m.def("order_from_path",
          [](const network& n, const pairs& p) { return contraction_order::from_path(n, p); });
    m.def("order_from_json", [](const network& n, const std::string& text) {
        return contraction_order::from_json(n, text);
    });
    m.def("find_order", found);
}

}  // namespace

void add_networks(py::module_& m) {
    py::class_<network>(m, "Network")
        .def(py::init<>())
        .def("add", add_tensor)
        .def("keep", [](network& n, const numbers& indices) { n.keep(indices); })
        .def("__len__", &network::size)
        .def("extent", &network::extent);
    add_orders(m);
    m.def("contract", contracted);
    m.def("contract_scaled", contracted_scaled);
    m.def("gradient", gradients);
    m.def("argmax", most_likely_places);
    py::class_<python_prepared>(m, "PreparedNetwork")
        .def(py::init([](const network& n, const contraction_order& order) {
            return std::unique_ptr<python_prepared>(new python_prepared{prepare(n, order), {}});
        }))
        .def("bind",
             [](python_prepared& p, std::size_t k, const py::object& x) {
                 const taken given = any_array_of(x, "the tensor");
                 const py::gil_scoped_release unlocked;
                 const std::lock_guard one(p.running);
                 p.step.bind(k, given.value);
             })
        .def("__call__",
             [](python_prepared& p) {
                 const py::gil_scoped_release unlocked;
                 const std::lock_guard one(p.running);
                 p.step();
             })
        .def("result", [](const py::object& self) {
            return to_numpy(self.cast<python_prepared&>().step.result(), false, self);
        });
}

}  // namespace ricci::python
