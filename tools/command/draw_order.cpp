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

// A factor's first tensor, with dots where it is not all of it.
std::string name_of_factor(const ir::program_view& p, ir::ref f) {
    std::string name;
    ir::for_each_node(p, f, [&](ir::ref n) {
        if (p.nodes[n].kind == ir::op::tensor && name.empty())
            name = draw::plain_text(draw::label_of_name(string_of(p.name(p.nodes[n].name))));
    });
    if (p.nodes[f].kind == ir::op::tensor) return name;
    return name.empty() ? draw::plain_text(draw::label_of_expression(p, f)) : name + "…";
}

// Factors of a product and what is multiplied of them, with the indices that each still has.
class product_order {
public:
    product_order(const ir::program_view& p, const ir::equation& e,
                  const std::vector<ir::ref>& factors, const extents_of_indices& sizes)
        : p_(p), sizes_(sizes) {
        ir::for_each_index(p, e.positions, [&](ir::ref i) { result_.push_back(i); });
        std::sort(result_.begin(), result_.end());
        result_.erase(std::unique(result_.begin(), result_.end()), result_.end());
        for (const ir::ref f : factors) {
            holds_.push_back({static_cast<std::int32_t>(all_.size())});
            all_.push_back(members_of(ir::free_indices(p, f)));
            names_.push_back(name_of_factor(p, f));
        }
        // What one factor alone has is summed before the products.
        used_.assign(all_.size(), false);
        for (std::size_t k = 0; k < all_.size(); ++k) {
            used_[k] = true;
            all_[k] = still_needed(all_[k]);
            used_[k] = false;
        }
    }

    // The cheapest products: each has a number at the lines that it joins, and a note.
    void write_into(draw::diagram& d) {
        const auto path = path::find_path({all_.begin(), all_.end()}, result_,
                                          [&](ir::ref i) { return sizes_.at(i); });
        int number = 0;
        for (const auto& [left, right] : path.products)
            multiply(static_cast<std::size_t>(left), static_cast<std::size_t>(right), ++number, d);
        d.notes.push_back(fmt::format("{} multiplications", rounded(path.multiplications)));
    }

private:
    // Of a list of indices those that the result has, or what is not multiplied yet.
    labels still_needed(const labels& list) const {
        labels kept;
        for (const ir::ref i : list) {
            bool needed = std::binary_search(result_.begin(), result_.end(), i);
            for (std::size_t k = 0; k < all_.size() && !needed; ++k)
                needed = !used_[k] && std::binary_search(all_[k].begin(), all_[k].end(), i);
            if (needed) kept.push_back(i);
        }
        return kept;
    }

    std::string words_of(const labels& list) const {
        std::string text;
        for (const ir::ref i : list)
            text +=
                fmt::format("{}:{} ", draw::plain_text(draw::label_of_index(p_, i)), sizes_.at(i));
        return text.empty() ? std::string("a number") : text.substr(0, text.size() - 1);
    }

    void multiply(std::size_t a, std::size_t b, int number, draw::diagram& d) {
        used_[a] = used_[b] = true;
        std::set<ir::ref> both(all_[a].begin(), all_[a].end());
        both.insert(all_[b].begin(), all_[b].end());
        labels kept = still_needed({both.begin(), both.end()});
        double elements = 1;
        for (const ir::ref i : kept) elements *= static_cast<double>(sizes_.at(i));
        d.notes.push_back(fmt::format("{}: {} with {}: {}, {} element{}", number, names_[a],
                                      names_[b], words_of(kept), rounded(elements),
                                      elements == 1 ? "" : "s"));
        for (draw::edge& line : d.edges) {
            const auto from = d.nodes[static_cast<std::size_t>(line.from)].factor;
            const auto to = d.nodes[static_cast<std::size_t>(line.to)].factor;
            if ((holds_[a].contains(from) && holds_[b].contains(to)) ||
                (holds_[a].contains(to) && holds_[b].contains(from)))
                line.step = fmt::format("{}", number);
        }
        std::set<std::int32_t> together = holds_[a];
        together.insert(holds_[b].begin(), holds_[b].end());
        holds_.push_back(std::move(together));
        all_.push_back(std::move(kept));
        used_.push_back(false);
        names_.push_back(fmt::format("({})", number));
    }

    ir::program_view p_;
    const extents_of_indices& sizes_;
    labels result_;
    // Of each factor, and then of each product:
    std::vector<labels> all_;                    // its indices
    std::vector<bool> used_;                     // whether it is multiplied already
    std::vector<std::set<std::int32_t>> holds_;  // the factors in it
    std::vector<std::string> names_;
};

}  // namespace

void add_order(draw::diagram& d, const ir::program_view& p, const ir::equation& e,
               const std::vector<sized_tensor>& tensors) {
    const extents_of_indices sizes = extents_in(p, e, tensors);
    const auto factors = draw::factors_of(p, e);
    if (factors.size() < 2) return;
    std::set<ir::ref> every;
    for (const ir::ref f : factors)
        for (const ir::ref i : members_of(ir::free_indices(p, f))) every.insert(i);
    for (const ir::ref i : every)
        if (!sizes.contains(i)) {
            d.notes.push_back(fmt::format("no order: nothing gives the extent of {} alone",
                                          string_of(p.index(i))));
            return;
        }
    product_order(p, e, factors, sizes).write_into(d);
}

}  // namespace ricci::command
