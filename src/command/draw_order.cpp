// The cheapest order of a diagram's products: numbers at its lines, and the results listed below.
#include "command/draw_order.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include <fmt/core.h>

#include <ricci/ir/rewrite.hpp>

#include "command/number_words.hpp"
#include "path/path.hpp"
#include "src/base/texts.hpp"

namespace ricci::command {
namespace {

using extents_of_indices = std::map<ir::ref, std::int64_t>;

// Of every index in the equation that stands alone at an axis, the extent of that axis.
extents_of_indices extents_in(const ir::program_view& p, const ir::equation& e,
                              const std::vector<sized_tensor>& tensors) {
    extents_of_indices all;
    const auto read = [&](ir::ref name, ir::range at) {
        for (const sized_tensor& t : tensors) {
            if (t.tensor.name != string_of(p.name(name))) continue;
            const auto sizes = t.extents.extents();
            for (std::int32_t k = 0; k < at.count; ++k)
                if (p.at(at, k).kind == ir::position_kind::index)
                    all[p.at(at, k).index] =
                        static_cast<std::int64_t>(sizes[static_cast<std::size_t>(k)]);
        }
    };
    read(e.name, e.positions);
    ir::for_each_node(p, e.body, [&](ir::ref n) {
        if (p.nodes[n].kind == ir::op::tensor) read(p.nodes[n].name, p.nodes[n].positions);
    });
    return all;
}

using labels = std::vector<ir::ref>;  // sorted

labels members_of(const ir::index_set& set) {
    labels all;
    for (ir::ref i = 0; i < set.end(); ++i)
        if (set.has(i)) all.push_back(i);
    return all;
}

}  // namespace

void add_order(draw::diagram& d, const ir::program_view& p, const ir::equation& e,
               const std::vector<sized_tensor>& tensors) {
    const extents_of_indices sizes = extents_in(p, e, tensors);
    const auto factors = draw::factors_of(p, e);
    if (factors.size() < 2) return;
    std::vector<labels> all;
    std::set<ir::ref> every;
    for (const ir::ref f : factors) {
        all.push_back(members_of(ir::free_indices(p, f)));
        every.insert(all.back().begin(), all.back().end());
    }
    for (const ir::ref i : every)
        if (!sizes.contains(i)) {
            d.notes.push_back(fmt::format("no order: nothing gives the extent of {} alone",
                                          string_of(p.index(i))));
            return;
        }
    labels result;
    ir::for_each_index(p, e.positions, [&](ir::ref i) { result.push_back(i); });
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    // What one factor alone has is summed before the products.
    const auto kept_of = [&](const labels& list, const std::vector<bool>& used) {
        labels kept;
        for (const ir::ref i : list) {
            bool needed = std::binary_search(result.begin(), result.end(), i);
            for (std::size_t k = 0; k < all.size(); ++k)
                needed =
                    needed || (!used[k] && std::binary_search(all[k].begin(), all[k].end(), i));
            if (needed) kept.push_back(i);
        }
        return kept;
    };
    for (std::size_t k = 0; k < all.size(); ++k) {
        std::vector<bool> me(all.size(), false);
        me[k] = true;
        all[k] = kept_of(all[k], me);
    }
    const auto path =
        path::find_path({all.begin(), all.end()}, result, [&](ir::ref i) { return sizes.at(i); });
    std::vector<bool> used(all.size(), false);
    std::vector<std::set<std::int32_t>> holds;
    for (std::size_t k = 0; k < factors.size(); ++k)
        holds.push_back({static_cast<std::int32_t>(k)});
    std::vector<std::string> names;
    for (const ir::ref f : factors) {
        std::string name;
        ir::for_each_node(p, f, [&](ir::ref n) {
            if (p.nodes[n].kind == ir::op::tensor && name.empty())
                name = draw::plain_text(draw::label_of_name(string_of(p.name(p.nodes[n].name))));
        });
        if (p.nodes[f].kind != ir::op::tensor)
            name = name.empty() ? draw::plain_text(draw::label_of_expression(p, f)) : name + "…";
        names.push_back(name);
    }
    const auto words_of_list = [&](const labels& list) {
        std::string text;
        for (const ir::ref i : list)
            text +=
                fmt::format("{}:{} ", draw::plain_text(draw::label_of_index(p, i)), sizes.at(i));
        return text.empty() ? std::string("a number") : text.substr(0, text.size() - 1);
    };
    int number = 0;
    for (const auto& [left, right] : path.products) {
        ++number;
        const auto a = static_cast<std::size_t>(left), b = static_cast<std::size_t>(right);
        used[a] = used[b] = true;
        std::set<ir::ref> both(all[a].begin(), all[a].end());
        both.insert(all[b].begin(), all[b].end());
        const labels kept = kept_of({both.begin(), both.end()}, used);
        double elements = 1;
        for (const ir::ref i : kept) elements *= static_cast<double>(sizes.at(i));
        d.notes.push_back(fmt::format("{}: {} with {}: {}, {} element{}", number, names[a],
                                      names[b], words_of_list(kept), rounded(elements),
                                      elements == 1 ? "" : "s"));
        for (draw::edge& line : d.edges) {
            const auto from = d.nodes[static_cast<std::size_t>(line.from)].factor;
            const auto to = d.nodes[static_cast<std::size_t>(line.to)].factor;
            if ((holds[a].contains(from) && holds[b].contains(to)) ||
                (holds[a].contains(to) && holds[b].contains(from)))
                line.step = fmt::format("{}", number);
        }
        std::set<std::int32_t> together = holds[a];
        together.insert(holds[b].begin(), holds[b].end());
        holds.push_back(together);
        all.push_back(kept);
        used.push_back(false);
        names.push_back(fmt::format("({})", number));
    }
    d.notes.push_back(fmt::format("{} multiplications", rounded(path.multiplications)));
}

}  // namespace ricci::command
