// Interpreting a program, and its plan, after every pass.
#include "tests/unit/plan/interpreted/passes.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "src/plan/bind/operands.hpp"
#include "src/plan/make_plan.hpp"
#include "src/plan/words/notation.hpp"
#include "tests/unit/plan/interpreted/contents.hpp"
#include "tests/unit/plan/interpreted/plan_interpreter.hpp"

namespace ricci::testing {
namespace {

using complex = std::complex<double>;

std::string name_in(const ir::program_view& p, ir::ref n) {
    const auto text = p.name(n);
    return {text.begin(), text.end()};
}

element type_of(const engine::operand& o, element type) {
    return o.is_positions ? o.positions : type;
}

array<complex> bound_elements(const engine::operand& o, element type) {
    return elements_of<complex>(o.data, type_of(o, type),
                                std::vector<std::int64_t>(o.extents, o.extents + o.rank),
                                std::vector<std::int64_t>(o.strides, o.strides + o.rank));
}

dense reals_of(const engine::operand& o, element type) {
    if (o.data == nullptr) return {{}, {o.value.real}};
    const auto all = bound_elements(o, type);
    dense result{all.extents(), {}};
    for (std::size_t k = 0; k < all.size(); ++k) result.values.push_back(all[k].real());
    return result;
}

/// Whether real numbers say what the operands and factors of a request are.
bool is_real(const engine::request& r) {
    if (r.alpha.imaginary != 0 || r.beta.imaginary != 0) return false;
    for (std::int32_t k = 0; is_complex(r.type) && k < r.input_count; ++k) {
        if (r.inputs[k].data == nullptr) continue;
        const auto all = bound_elements(r.inputs[k], r.type);
        for (std::size_t x = 0; x < all.size(); ++x)
            if (all[x].imag() != 0) return false;
    }
    return true;
}

/// Whether a letter has several extents in one equation.
bool splits(const engine::request& r) {
    ir::shape_table shapes(r.program);
    plan::bind_operands(r, plan::find_roles(r.program), shapes);
    return shapes.has_split_indices();
}

using shapes_by_name = std::map<std::string, std::vector<std::int64_t>>;

shapes_by_name shapes_of(const engine::request& r) {
    shapes_by_name all;
    const auto made = plan::make_plan(r);
    for (ir::ref n = 0; n < r.program.names.size(); ++n)
        all[name_in(r.program, n)] = made.slots[static_cast<std::size_t>(n)].extents;
    return all;
}

/// The tensors that the equations define, by the interpreter of programs.
std::map<std::string, dense> values_of(const ir::program_view& p, const engine::request& r,
                                       const shapes_by_name& shapes) {
    interpreter oracle(p);
    for (const auto& e : p.equations)
        if (const auto known = shapes.find(name_in(p, e.name)); known != shapes.end())
            oracle.shapes[e.name] = known->second;
    // What stands for its shape alone is not computed.
    for (const auto& e : p.equations)
        if (!ir::computes(p, e) && !e.claim && oracle.shapes.count(e.name) > 0)
            oracle.tensors[e.name] = dense::zeros(oracle.shapes[e.name]);
    for (std::int32_t k = 0; k < r.input_count; ++k)
        oracle.tensors[r.inputs[k].name] = reals_of(r.inputs[k], r.type);
    for (std::int32_t k = 0; k < r.index_extent_count; ++k)
        oracle.given[r.index_extents[k].index] = r.index_extents[k].extent;
    oracle.run();
    std::map<std::string, dense> all;
    for (const auto& e : p.equations)
        if (ir::computes(p, e)) all[name_in(p, e.name)] = oracle.tensors.at(e.name);
    return all;
}

/// What outputs hold in the end: alpha * value + beta * what they held before.
std::map<std::string, dense> scaled(std::map<std::string, dense> values, const engine::request& r) {
    for (auto& [name, x] : values)
        for (auto& value : x.values) value *= static_cast<long double>(r.alpha.real);
    for (std::int32_t k = 0; r.beta.real != 0 && k < r.output_count; ++k) {
        dense& x = values.at(name_in(r.program, r.outputs[k].name));
        const dense old = reals_of(r.outputs[k], r.type);
        for (std::size_t e = 0; e < x.values.size(); ++e)
            x.values[e] += static_cast<long double>(r.beta.real) * old.values[e];
    }
    return values;
}

long double distance(complex a, complex b) { return std::abs(a - b); }
long double distance(long double a, long double b) { return std::abs(a - b); }
bool is_number(complex x) { return x == x; }
bool is_number(long double x) { return x == x; }

/// Whether two numbers are one, up to rounding. What is no number is one with what is none, and an
/// infinity with itself.
template <class T>
bool same(const T& a, const T& b, double tolerance) {
    if (a == b || (!is_number(a) && !is_number(b))) return true;
    return distance(a, b) <= static_cast<long double>(tolerance) * (1 + distance(b, T(0)));
}

template <class T>
class checker {
public:
    checker(const engine::request& request, plan_contents& seen,
            const std::map<std::string, dense>& expected)
        : request_(request), seen_(seen), real_(is_real(request)) {
        if (real_ && !expected.empty()) expected_ = scaled(expected, request);
        // Programs are read without scopes: each letter has one extent, which the caller gave.
        reads_programs_ = (expected.empty() || request.index_extent_count == 0);
    }

    std::string run() {
        try {
            reads_programs_ = reads_programs_ && !splits(request_);
            shapes_ = shapes_of(request_);
            const auto made = plan::make_plan(
                request_, [&](const char* pass, const ir::program_view& program,
                              const plan::program_plan* plan) { observe(pass, program, plan); });
            std::set<std::string> contents;
            add_contents(made, contents);
            if (made.instead) add_contents(*made.instead, contents);
            for (const auto& what : contents) ++seen_[what];
        } catch (const std::exception& e) {
            words_ << "refused: " << e.what() << "\n";
        }
        return words_.str();
    }

private:
    static constexpr double tolerance = std::is_integral_v<T> ? 0 : 1e-9;  // of numbers about 1
    using results = std::map<std::string, std::vector<T>>;

    void observe(const char* pass, const ir::program_view& program,
                 const plan::program_plan* plan) {
        if (!words_.str().empty()) return;
        try {
            if (plan == nullptr) interpret(pass, program);
            else interpret(pass, program, *plan);
        } catch (const std::exception& e) {
            words_ << "after " << pass << ": " << e.what() << "\n"
                   << plan::notation_of(program, plan);
        }
    }

    void interpret(const char* pass, const ir::program_view& program) {
        shared_ = false;
        if (!real_ || !std::exchange(reads_programs_, false)) return;
        auto now = scaled(values_of(program, request_, shapes_), request_);
        for (const auto& [name, x] : now)
            if (const auto known = expected_.find(name); known != expected_.end())
                compare(pass, program, nullptr, name, x.values, known->second.values, "at first");
        if (expected_.empty()) expected_ = std::move(now);
    }

    void interpret(const char* pass, const ir::program_view& program,
                   const plan::program_plan& plan) {
        for (const char* same : {"rules", "emit", "join"})  // they leave assignments as they are
            if (std::string_view(pass) == same) return;
        shared_ = shared_ || std::string_view(pass) == "protect";
        plan_interpreter<T> steps(plan, shared_);
        if (!steps.run()) return;
        results now;
        for (const auto& [number, x] : steps.outputs()) {
            auto& values = now[name_in(program, number)];
            for (std::size_t k = 0; k < x->size(); ++k) values.push_back((*x)[k]);
        }
        for (const auto& [name, values] : now) {
            const auto before = before_.find(name);
            if (before != before_.end())
                compare(pass, program, &plan, name, values, before->second, "after " + last_);
            const auto known = expected_.find(name);
            if (known == expected_.end()) continue;
            std::vector<long double> reals;
            for (const T& x : values) reals.push_back(real_of(x));
            compare(pass, program, &plan, name, reals, known->second.values, "as a program");
        }
        before_ = std::move(now);
        last_ = pass;
    }

    template <class Number>
    void compare(const char* pass, const ir::program_view& program, const plan::program_plan* plan,
                 const std::string& name, const std::vector<Number>& now,
                 const std::vector<Number>& before, const std::string& when) {
        if (!words_.str().empty()) return;
        if (now.size() != before.size())
            words_ << "after " << pass << ": " << name << " has " << now.size() << " elements, "
                   << before.size() << " " << when << "\n";
        for (std::size_t k = 0; k < now.size() && words_.str().empty(); ++k)
            if (!same(now[k], before[k], tolerance))
                words_ << "after " << pass << ": element " << k << " of " << name << " is "
                       << now[k] << ", and " << before[k] << " " << when << "\n";
        if (!words_.str().empty()) words_ << plan::notation_of(program, plan);
    }

    const engine::request& request_;
    plan_contents& seen_;
    bool real_ = true, reads_programs_ = true;
    bool shared_ = false;  // an output and an input may be one memory by now
    shapes_by_name shapes_;
    std::map<std::string, dense> expected_;  // of the program
    results before_;                         // after the last pass
    std::string last_;
    std::ostringstream words_;
};

}  // namespace

std::string check_passes(const engine::request& request, plan_contents& seen,
                         const std::map<std::string, dense>& expected) {
    if (is_complex(request.type)) return checker<complex>(request, seen, expected).run();
    if (is_integer(request.type)) return checker<std::int64_t>(request, seen, expected).run();
    return checker<double>(request, seen, expected).run();
}

}  // namespace ricci::testing
