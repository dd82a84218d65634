// A network in a file, and the order in which its tensors are multiplied.
#include "command/network_options.hpp"

#include <charconv>
#include <utility>

#include <ricci/network_files.hpp>

#include "command/command_line.hpp"
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

order_options sought(const network_options& given, const std::string& memory) {
    order_options options;
    if (!given.seconds.empty())
        options.seconds = number_of<double>(given.seconds, "--seconds", "a number");
    if (!given.trials.empty())
        options.trials = number_of<std::int64_t>(given.trials, "--trials", "a whole number");
    if (given.seconds.empty() && given.trials.empty()) options.seconds = 1;
    if (!memory.empty()) options.memory = bytes_of(memory);
    if (!given.seed.empty())
        options.seed = number_of<std::uint64_t>(given.seed, "--seed", "a whole number");
    if (!given.objective.empty()) options.objective = objective_named(given.objective);
    if (!given.simplify.empty()) options.simplify = simplify_named(given.simplify);
    return options;
}

}  // namespace

void network_options::add_to(command_line& line) {
    line.option("--evidence", evidence, "FILE", "what is observed in a .uai model");
    line.option("--order", order, "FILE",
                "an order for a network's file to read, instead of seeking one");
    line.option("--seconds", seconds, "NUMBER", "how long an order for a file is sought: 1");
    line.option("--trials", trials, "NUMBER", "instead: so many, the same on any machine");
    line.option("--seed", seed, "NUMBER", "another one may find another order");
    line.option("--objective", objective, "NAME",
                "what an order is to have least of: multiplications, largest_product, "
                "largest_intermediate, traffic, weighed");
    line.option("--simplify", simplify, "NAME",
                "before an order is sought: shapes; values, which uses zeros; none");
}

bool network_options::given() const {
    for (const std::string* option :
         {&evidence, &order, &seconds, &trials, &seed, &objective, &simplify})
        if (!option->empty()) return true;
    return false;
}

bool is_network_file(std::string_view word) {
    for (const std::string_view ending : {".uai", ".cnf", ".json"})
        if (word.ends_with(ending)) return true;
    return false;
}

network read_network(const std::string& file, const network_options& given) {
    return given.evidence.empty() ? load_network(file) : load_network(file, given.evidence);
}

contraction_order order_of(const network& n, const network_options& given,
                           const std::string& memory) {
    const order_options options = sought(given, memory);
    return given.order.empty() ? find_order(n, options) : load_order(given.order, n);
}

}  // namespace ricci::command
