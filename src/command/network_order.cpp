// An order for a network of tensors in a file.
#include "command/network_order.hpp"

#include <charconv>
#include <utility>

#include <fmt/core.h>

#include <ricci/network_files.hpp>

#include "command/run_options.hpp"
#include "command/sentences.hpp"

namespace ricci::command {
namespace {

template <class Number>
Number number_of(const std::string& text, const char* option, std::string_view what) {
    Number value{};
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc() || end != text.data() + text.size())
        refuse("{} takes {}, and not {}.", option, what, text);
    return value;
}

objective objective_named(const std::string& name) {
    static constexpr std::pair<std::string_view, objective> names[] = {
        {"multiplications", objective::multiplications},
        {"largest_product", objective::largest_product},
        {"largest_intermediate", objective::largest_intermediate},
        {"traffic", objective::traffic},
        {"weighed", objective::weighed}};
    for (const auto& [known, o] : names)
        if (name == known) return o;
    refuse(
        "--objective takes multiplications, largest_product, largest_intermediate, traffic or "
        "weighed, and not {}.",
        name);
}

simplify simplify_named(const std::string& name) {
    if (name == "shapes") return simplify::shapes;
    if (name == "values") return simplify::values;
    if (name == "none") return simplify::none;
    refuse("--simplify takes shapes, values or none, and not {}.", name);
}

order_options options_of(const network_order_arguments& given) {
    order_options options;
    if (!given.seconds.empty())
        options.seconds = number_of<double>(given.seconds, "--seconds", "a number");
    if (!given.trials.empty())
        options.trials = number_of<std::int64_t>(given.trials, "--trials", "a whole number");
    if (given.seconds.empty() && given.trials.empty()) options.seconds = 1;
    if (!given.memory.empty()) options.memory = static_cast<double>(bytes_of(given.memory));
    if (!given.seed.empty())
        options.seed = number_of<std::uint64_t>(given.seed, "--seed", "a whole number");
    if (!given.objective.empty()) options.objective = objective_named(given.objective);
    if (!given.simplify.empty()) options.simplify = simplify_named(given.simplify);
    return options;
}

}  // namespace

bool network_order_arguments::has_options() const {
    for (const std::string* option :
         {&evidence, &order, &output, &seconds, &trials, &memory, &seed, &objective, &simplify})
        if (!option->empty()) return true;
    return false;
}

bool is_network_file(std::string_view word) {
    for (const std::string_view ending : {".uai", ".cnf", ".json"})
        if (word.ends_with(ending)) return true;
    return false;
}

void order_network(const network_order_arguments& given) {
    const order_options options = options_of(given);
    const network n = given.evidence.empty() ? load_network(given.file)
                                             : load_network(given.file, given.evidence);
    const contraction_order o =
        given.order.empty() ? find_order(n, options) : load_order(given.order, n);
    if (!given.output.empty()) save_order(given.output, o);
    fmt::print("{}", given.json ? o.json() : o.words());
}

}  // namespace ricci::command
