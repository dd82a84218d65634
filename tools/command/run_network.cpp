// What a network in a file is worth: a partition function, a number of assignments, the most likely
// state.
#include "command/run_network.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include <ricci/prepared.hpp>
#include <ricci/program.hpp>

#include "command/progress.hpp"
#include "command/sentences.hpp"

namespace ricci::command {
namespace {

void refuse_options(const run_network_arguments& given) {
    if (!given.run.type.empty())
        refuse("--type is for equations; a network has the type of its file.");
    if (given.run.outputs.size() > 1) refuse("a network has one result, which -o FILE saves.");
    if (given.most_likely && !given.run.outputs.empty())
        refuse("a most likely state is printed, not saved.");
    if (given.most_likely && given.options.simplify == "values")
        refuse(
            "--simplify values uses zeros of what is multiplied; for a most likely state "
            "logarithms are added.");
}

// The logarithms of all elements: a product of numbers that are not negative is greatest where the
// sum of these is.
network logarithms_of(const network& n) {
    network logs;
    for (std::size_t k = 0; k < n.size(); ++k) {
        array a = n.operand(k).converted(element::f64).clone();
        auto* const x = static_cast<double*>(a.data());
        for (std::size_t e = 0; e < a.size(); ++e) {
            if (!(x[e] >= 0))
                refuse(
                    "tensor {} has the element {}: a most likely state is that of numbers that "
                    "are not negative.",
                    k, x[e]);
            x[e] = std::log(x[e]);
        }
        logs.add(std::move(a), n.indices(k));
    }
    return logs;
}

void print_most_likely(const run_network_arguments& given, const network& n) {
    if (n.is_shape()) refuse("{} has shapes and no values.", given.file);
    const network logs = logarithms_of(n);
    progress doing("looking for an order");
    const contraction_order order = order_of(logs, given.options, given.run.memory);
    doing.now("computing");
    const most_likely state = argmax(logs, order);
    if (state.value == -HUGE_VAL)
        refuse("{}: the product of all tensors is 0 in every state: none is most likely.",
               given.file);
    if (given.run.json) {
        auto places = nlohmann::json::object();
        for (const auto& [index, place] : state.places) places[std::to_string(index)] = place;
        auto value = nlohmann::json(state.value);
        if (!std::isfinite(state.value)) value = fmt::format("{}", state.value);
        fmt::print("{}\n", nlohmann::json{{"log", value}, {"places", std::move(places)}}.dump(2));
        return;
    }
    fmt::print("log {:.15g}\n", state.value);
    for (const auto& [index, place] : state.places) fmt::print("{} {}\n", index, place);
}

// Whether the result is a number of its type, so that a factor says nothing more.
bool is_in_range(const scaled& s) {
    const double power = std::pow(10.0, s.exponent10);
    return std::isfinite(power * 10) && power >= std::numeric_limits<double>::min();
}

// m * 10^exponent. A mantissa is rounded, so that a product with it may miss a count by its last
// bit. Mantissas of whole numbers below 8e15 are further apart than 1 / 10^exponent, so that the
// nearest whole number is the count if its mantissa is this one.
double unscaled(double m, double exponent) {
    const double power = std::pow(10.0, exponent), product = m * power;
    constexpr double exact_power = 22, most_told_apart = 8e15;
    if (!(exponent >= 0 && exponent <= exact_power && std::abs(product) < most_told_apart))
        return product;
    const auto whole = static_cast<double>(std::nearbyint(static_cast<long double>(m) * power));
    return whole / power == m ? whole : product;
}

array unscaled(const scaled& s) {
    const element type = is_complex(s.mantissa.type()) ? element::c128 : element::f64;
    array made = s.mantissa.converted(type).clone();
    auto* const x = static_cast<double*>(made.data());
    const std::size_t count = made.size() * (is_complex(made.type()) ? 2 : 1);
    for (std::size_t e = 0; e < count; ++e) x[e] = unscaled(x[e], s.exponent10);
    return made;
}

// One output; or two, where there is no type that has its numbers.
arrays outputs_of(const scaled& s) {
    arrays all;
    if (is_in_range(s)) {
        all.set("result", unscaled(s));
        return all;
    }
    array exponent(element::f64, {});
    *static_cast<double*>(exponent.data()) = s.exponent10;
    all.set("mantissa", s.mantissa);
    all.set("exponent10", std::move(exponent));
    return all;
}

}  // namespace

void run_network(const run_network_arguments& given) {
    refuse_options(given);
    const auto files = read_outputs(given.run.outputs);
    threads(given.run.threads);
    progress doing("reading");
    const network n = read_network(given.file, given.options);
    if (given.most_likely) return print_most_likely(given, n);
    doing.now("looking for an order");
    const contraction_order order = order_of(n, given.options, given.run.memory);
    doing.now("computing");
    contract_options how;
    if (!given.run.memory.empty()) how.memory = bytes_of(given.run.memory);
    const arrays results = outputs_of(contract_scaled(n, order, how));
    save_outputs(results, files);
    say_outputs(results, files, {}, given.run.json);
}

}  // namespace ricci::command
