// Drawing small extents for programs that are recorded with large ones.
#include "tests/unit/plan/interpreted/small.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/front.hpp"
#include "tests/property/corpus_shapes.hpp"

namespace ricci::testing {
namespace {

constexpr double most_combinations = 15000;
constexpr unsigned tries = 400;

std::string spelled(detail::text_view text) { return {text.begin(), text.end()}; }

ir::ref find(const ir::program_view& p, const std::string& name) {
    return p.find({name.data(), static_cast<std::int32_t>(name.size())});
}

void add_indices(const ir::program_view& p, const ir::position& at, std::set<ir::ref>& to) {
    if (at.kind == ir::position_kind::index) to.insert(at.index);
    for (std::int32_t k = 0; k < at.terms.count; ++k)
        to.insert(p.affine_terms[at.terms.first + k].index);
}

void add_indices(const ir::program_view& p, ir::ref node, std::set<ir::ref>& to) {
    const ir::node& n = p.nodes[node];
    for (std::int32_t k = 0; k < n.positions.count; ++k) add_indices(p, p.at(n.positions, k), to);
    for (std::int32_t k = 0; k < n.children.count; ++k) add_indices(p, p.child(n, k), to);
}

/// Of the equation that has most.
double combinations(const ir::program_view& p, const corpus_shapes& shapes) {
    double most = 0;
    for (const ir::equation& e : p.equations) {
        std::set<ir::ref> indices;
        add_indices(p, e.body, indices);
        double count = 1;
        for (const ir::ref i : indices) count *= static_cast<double>(shapes.extent(i));
        most = std::max(most, count);
    }
    return most;
}

struct operand_words {
    std::string number;  // `= 64`
    std::string type;    // `i32`
    std::string below;   // `<193`
};

std::map<std::string, operand_words> operands_of(const recorded_program& program) {
    std::map<std::string, operand_words> all;
    std::istringstream in(program.operands);
    for (std::string item; std::getline(in, item, ';');) {
        std::istringstream words(item);
        std::string name, word;
        words >> name;
        operand_words& x = all[name];
        while (words >> word) {
            if (word == "=") words >> x.number;
            else if (word[0] == '<') x.below = word;
            else if (word[0] < '0' || word[0] > '9') x.type = word;
        }
    }
    return all;
}

std::string words_of_shape(const std::vector<std::int64_t>& extents) {
    std::string words;
    for (const auto e : extents) words += (words.empty() ? "" : "x") + std::to_string(e);
    return words;
}

/// Whether outputs in the memory of inputs have their shape.
bool suits_memory(const recorded_program& program, const ir::program_view& p,
                  const corpus_shapes& shapes) {
    std::istringstream in(program.bound);
    for (std::string word; in >> word;) {
        const auto at = word.find('@');
        if (at == std::string::npos) continue;
        const auto output = find(p, word.substr(0, at)), input = find(p, word.substr(at + 1));
        if (output == ir::none || input == ir::none) continue;  // derivatives have the shape
        if (shapes.shape(output) != shapes.shape(input)) return false;
    }
    return true;
}

}  // namespace

recorded_program with_small_extents(const recorded_program& program, unsigned seed) {
    const ir::program parsed = program_of(read_equations(program.text));
    const ir::program_view p = parsed.view();
    const std::vector<std::int64_t> extents = {1, 2, 3, 4, 5, 7, 9};
    unsigned drawn = seed * tries;
    const auto suits = [&](const corpus_shapes& shapes) {
        return suits_memory(program, p, shapes) && combinations(p, shapes) <= most_combinations;
    };
    while (drawn < (seed + 1) * tries && !suits(corpus_shapes(p, drawn, extents))) ++drawn;
    const corpus_shapes shapes(p, drawn, extents);

    recorded_program small = program;
    small.operands.clear();
    small.given.clear();
    const auto known = operands_of(program);
    for (ir::ref n = 0; n < p.names.size(); ++n) {
        const std::string name = spelled(p.name(n));
        const auto found = known.find(name);
        const operand_words words = found == known.end() ? operand_words{} : found->second;
        const auto shape = shapes.shape(n);
        if (p.definition(n) != ir::none && program.bound.find(name) == std::string::npos) continue;
        small.operands += name + " ";
        if (shape.empty() || !words.number.empty()) {
            small.operands += "= " + (words.number.empty() ? "0.7" : words.number) + "; ";
            continue;
        }
        const auto places = shapes.places(n);
        const std::string type = !words.type.empty() ? words.type : places > 0 ? "i32" : "";
        const std::string below = places > 0 ? "<" + std::to_string(places) : words.below;
        small.operands += words_of_shape(shape) + " " + type + " " + below + "; ";
    }
    for (ir::ref i = 0; i < p.indices.size(); ++i)
        small.given += spelled(p.index(i)) + "=" + std::to_string(shapes.extent(i)) + " ";
    small.letters = small.given;
    return small;
}

}  // namespace ricci::testing
