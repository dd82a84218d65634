// `ricci order`: in which order a contraction of many tensors is carried out, two at a time.
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include <ricci/ir/rewrite.hpp>

#include "command/command.hpp"
#include "command/command_line.hpp"
#include "command/einsum_operands.hpp"
#include "command/network_order.hpp"
#include "command/number_words.hpp"
#include "command/operand_words.hpp"
#include "command/sentences.hpp"
#include "path/path.hpp"

namespace ricci::command {
namespace {

using labels = std::vector<ir::ref>;  // sorted

// The letters of a contraction's operands and of its result, and their extents.
struct contraction {
    program text;
    std::vector<labels> operands;
    labels result;
    std::map<ir::ref, std::int64_t> extents;

    std::string letters(const labels& list) const {
        std::string all;
        for (const ir::ref i : list) {
            const auto letter = text.view().index(i);
            all.append(letter.begin(), letter.end());
        }
        return all.empty() ? "a number" : all;
    }
    double size(const labels& list) const {
        double n = 1;
        for (const ir::ref i : list) n *= static_cast<double>(extents.at(i));
        return n;
    }
};

labels indices_at(const ir::program_view& p, ir::range at) {
    std::set<ir::ref> found;
    ir::for_each_index(p, at, [&](ir::ref i) { found.insert(i); });
    return {found.begin(), found.end()};
}

void set_extent(contraction& c, ir::ref index, std::int64_t extent, const std::string& where) {
    const auto [at, fresh] = c.extents.emplace(index, extent);
    if (fresh || at->second == extent) return;
    refuse("the index {} has extent {} and, {}, {}.", c.letters({index}), at->second, where,
           extent);
}

// a:10, and no tensor in a file, weights.npz:10.
bool is_extent_of_letter(const std::string& word) {
    const std::size_t colon = word.find(':');
    return colon != std::string::npos && word.find('.') == std::string::npos &&
           colon + 1 < word.size() &&
           word.find_first_not_of("0123456789", colon + 1) == std::string::npos;
}

ir::ref index_named(const contraction& c, const std::string& letter) {
    for (ir::ref i = 0; i < c.text.view().indices.size(); ++i)
        if (c.letters({i}) == letter) return i;
    refuse("the string has no letter {}.", letter);
}

// Extents come from shapes, from the headers of files, or by letter: a:100.
contraction read_contraction(const std::string& text, const std::vector<std::string>& words) {
    contraction c{einsum_program(text), {}, {}, {}};
    const ir::program_view p = c.text.view();
    const ir::equation& e = p.equations[0];
    c.result = indices_at(p, e.positions);
    std::vector<ir::range> places;  // by the number of the operand
    for (std::int32_t k = 0;; ++k) {
        const std::string name = fmt::format("operand {}", k + 1);
        const ir::ref n = p.find({name.data(), static_cast<std::int32_t>(name.size())});
        if (n == ir::none) break;
        ir::for_each_node(p, e.body, [&](ir::ref node) {
            const ir::node& x = p.nodes[node];
            if (x.kind == ir::op::tensor && x.name == n) places.push_back(x.positions);
        });
        c.operands.push_back(indices_at(p, places.back()));
    }
    std::size_t operand = 0;
    for (const std::string& word : words) {
        const std::string name = fmt::format("operand {}", operand + 1);
        if (is_extent_of_letter(word)) {
            const operand_word o = read_operand(word, c.text);
            set_extent(c, index_named(c, o.name), std::stoll(o.digits), "in " + word);
            continue;
        }
        check_shape(word);
        const operand_word o = read_operand(fmt::format("{}={}", name, word), c.text);
        std::vector<std::size_t> extents = o.extents;
        if (o.kind == operand_kind::file) {
            const array a = shape_in_file(o);
            extents.assign(a.extents().begin(), a.extents().end());
        }
        if (operand >= places.size())
            refuse("the string has {} operands, and more are given.", places.size());
        const ir::range at = places[operand++];
        if (static_cast<std::size_t>(at.count) != extents.size())
            refuse("{} has {} letters in the string, and {} extents.", name, at.count,
                   extents.size());
        for (std::int32_t k = 0; k < at.count; ++k)
            set_extent(c, p.at(at, k).index,
                       static_cast<std::int64_t>(extents[static_cast<std::size_t>(k)]),
                       "in " + name);
    }
    for (ir::ref i = 0; i < p.indices.size(); ++i)
        if (!c.extents.contains(i))
            refuse("nothing gives the extent of {0}; write the operands' shapes, or {0}:100.",
                   c.letters({i}));
    return c;
}

struct ordered_product {
    std::int32_t left, right;
    labels result;
    double multiplications, elements;
};

// Who still needs an index decides whether it stays: another operand, or the result.
std::vector<ordered_product> products_of(const contraction& c, const path::contraction_path& path) {
    std::vector<labels> all = c.operands;
    std::vector<bool> used(all.size(), false);
    std::vector<ordered_product> products;
    for (const auto& [left, right] : path.products) {
        used[static_cast<std::size_t>(left)] = used[static_cast<std::size_t>(right)] = true;
        std::set<ir::ref> both(all[static_cast<std::size_t>(left)].begin(),
                               all[static_cast<std::size_t>(left)].end());
        both.insert(all[static_cast<std::size_t>(right)].begin(),
                    all[static_cast<std::size_t>(right)].end());
        std::set<ir::ref> needed(c.result.begin(), c.result.end());
        for (std::size_t k = 0; k < all.size(); ++k)
            if (!used[k]) needed.insert(all[k].begin(), all[k].end());
        labels kept;
        for (const ir::ref i : both)
            if (needed.contains(i)) kept.push_back(i);
        products.push_back({left, right, kept, c.size({both.begin(), both.end()}), c.size(kept)});
        all.push_back(kept);
        used.push_back(false);
    }
    return products;
}

void print(const contraction& c, const std::vector<ordered_product>& products, bool json) {
    const auto operand = [&](std::int32_t k) {
        const auto count = static_cast<std::int32_t>(c.operands.size());
        return k < count ? fmt::format("operand {}", k + 1)
                         : fmt::format("product {}", k - count + 1);
    };
    double total = 0, largest = products.empty() ? c.size(c.result) : 0;
    labels every;
    for (const auto& [index, extent] : c.extents) every.push_back(index);
    auto list = nlohmann::json::array();
    for (const ordered_product& p : products) {
        total += p.multiplications;
        largest = std::max(largest, p.elements);
        list.push_back({{"left", operand(p.left)},
                        {"right", operand(p.right)},
                        {"indices", c.letters(p.result)},
                        {"elements", p.elements},
                        {"multiplications", p.multiplications}});
        if (!json)
            fmt::print("product {}: {} with {}: {}, {} elements, {} multiplications\n", list.size(),
                       operand(p.left), operand(p.right), c.letters(p.result), rounded(p.elements),
                       rounded(p.multiplications));
    }
    const double at_once =
        c.size(every) * std::max<double>(1, static_cast<double>(c.operands.size()) - 1);
    if (json) {
        const nlohmann::json all{{"products", list},
                                 {"multiplications", total},
                                 {"largest", largest},
                                 {"at_once", at_once}};
        fmt::print("{}\n", all.dump(2));
    } else {
        fmt::print("{} multiplications (all at once: {}); the largest result has {} elements\n",
                   rounded(total), rounded(at_once), rounded(largest));
    }
}

}  // namespace

void add_order(CLI::App& app, int& code) {
    struct order_arguments {
        network_order_arguments network;  // its file is the first word, whatever that is
        std::vector<std::string> operands;
    };
    auto o = std::make_shared<order_arguments>();
    command_line order(app, "order", "in which order a contraction of many tensors costs least");
    order.footer(
        "The best order there is for up to 12 operands, and a good one above; of a network in a "
        "file\n"
        "what is found in the time that is given.\n\n"
        "  ricci order 'ab,bc,cd->ad' 10x2000 2000x30 30x5\n"
        "  ricci order 'ab,bc,cd->ad' a:10 b:2000 c:30 d:5\n"
        "  ricci order model.uai --evidence model.evid --seconds 10 --memory 8G -o order.json\n"
        "  ricci order formula.cnf --order order.json");
    network_order_arguments& n = o->network;
    order.word(n.file, "STRING",
               "the letters of the operands and of the result; or a file: .uai, .cnf, .json");
    order.words(
        o->operands, "SHAPE",
        "the shape of each operand, 10x2000, or its file; or the extent of each letter, a:10");
    order.flag("--json", n.json, "the products as JSON");
    n.options.add_to(order);
    order.option("--memory", n.memory, "BYTES", "what running may take, 8G: indices are sliced");
    order.option("-o,--output", n.output, "FILE", "where the order is written to, as JSON");
    order.call([o, &code] {
        if (is_network_file(o->network.file)) {
            if (!o->operands.empty()) refuse("a network in a file has its shapes there.");
            order_network(o->network);
        } else {
            if (o->network.has_options())
                refuse(
                    "of the options only --json is for a string, the others for networks in "
                    "files.");
            const contraction c = read_contraction(o->network.file, o->operands);
            const auto path = path::find_path({c.operands.begin(), c.operands.end()}, c.result,
                                              [&](ir::ref i) { return c.extents.at(i); });
            print(c, products_of(c, path), o->network.json);
        }
        code = done;
    });
}

}  // namespace ricci::command
