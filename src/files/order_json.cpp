// Orders in the JSON of this library and of others.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/files/contraction_steps.hpp"
#include "src/files/labels.hpp"
#include "src/files/mistakes_in_json.hpp"
#include "src/files/network_formats.hpp"

namespace ricci::files {
namespace {

enum class order_form : std::uint8_t { none, own, positions, entries, tree };

// What a file says of an order, by whichever keys.
struct order_in_file {
    order_form form = order_form::none;
    contraction_steps steps;
    ssa_pairs tree;
    std::size_t leaves = 0;
    label_list labels;
    std::vector<std::int64_t> slices;
};

void read_steps(json_reader& r, order_in_file& order, order_form form) {
    order.steps = {};
    for (r.begin_array(); r.next_element();) {
        for (r.begin_array(); r.next_element();) {
            const std::int64_t entry = r.integer();
            if (entry < 0) r.fail("a step takes a number below 0");
            order.steps.entries.push_back(static_cast<std::size_t>(entry));
        }
        order.steps.end_step();
    }
    order.form = form;
}

// {"path": [[0, 1], ...], ...}, as one of several by name.
void read_named_path(json_reader& r, order_in_file& order) {
    std::string key;
    for (r.begin_object(); r.next_key(key);) {
        if (key == "path") read_steps(r, order, order_form::positions);
        else r.skip();
    }
}

// Of the paths of the einsum benchmark the one with fewest multiplications.
void read_paths(json_reader& r, order_in_file& order) {
    bool found = false;
    std::string key;
    for (r.begin_object(); r.next_key(key);) {
        if (key == "opt_flops" || !found) read_named_path(r, order), found = true;
        else r.skip();
    }
}

// A tree of OMEinsum: {"isleaf": true, "tensorindex": 1}, counted from 1, or {"isleaf": false,
// "args": [...], "eins": ...}. A chain of 100,000 operands is as deep: no recursion.
class tree_reader {
public:
    tree_reader(json_reader& r, order_in_file& order) : reader_(r), order_(order) {}

    void read() {
        begin_node();
        while (!nodes_.empty()) {
            node& top = nodes_.back();
            if (!top.in_arguments) read_key(top);
            else if (reader_.next_element()) begin_node();
            else top.in_arguments = false;
        }
        number_products();
        order_.form = order_form::tree;
    }

private:
    struct node {
        bool in_arguments = false;
        std::int64_t tensor = -1;
        std::int64_t so_far = -1;  // the product of the arguments that have been read
    };

    void begin_node() {
        reader_.begin_object();
        nodes_.emplace_back();
    }
    void read_key(node& top) {
        if (!reader_.next_key(key_)) return end_node();
        if (key_ == "args") {
            reader_.begin_array();
            top.in_arguments = true;
        } else if (key_ == "tensorindex") {
            top.tensor = reader_.integer() - 1;
            if (top.tensor < 0) reader_.fail("a tensor's number is below 1");
        } else {
            reader_.skip();
        }
    }
    void end_node() {
        const node ended = nodes_.back();
        if ((ended.tensor < 0) == (ended.so_far < 0))
            reader_.fail("a node of the tree has to have a tensor or arguments");
        if (ended.tensor >= 0) ++order_.leaves;
        nodes_.pop_back();
        if (nodes_.empty()) return;
        const std::int64_t entry = ended.tensor >= 0 ? ended.tensor : ended.so_far;
        std::int64_t& so_far = nodes_.back().so_far;
        so_far = so_far < 0 ? entry : product(so_far, entry);
    }
    // Products are numbered far above all tensors, until it is known how many of those there are.
    static constexpr std::int64_t first_product = std::int64_t{1} << 40;
    std::int64_t product(std::int64_t a, std::int64_t b) {
        if (a >= first_product + count_ || b >= first_product + count_)
            reader_.fail("a tensor's number is too large");
        order_.tree.emplace_back(a, b);
        return first_product + count_++;
    }
    void number_products() {
        const auto numbered = [&](std::size_t& entry) {
            if (entry >= first_product) entry = entry - first_product + order_.leaves;
            else if (entry >= order_.leaves)
                reader_.fail(fmt::format("it has {}, and one is number {}",
                                         count(order_.leaves, "tensor"), entry + 1));
        };
        for (auto& [a, b] : order_.tree) {
            numbered(a);
            numbered(b);
        }
    }

    json_reader& reader_;
    order_in_file& order_;
    std::vector<node> nodes_;
    std::int64_t count_ = 0;
    std::string key_;
};

void read_order_keys(json_reader& r, order_in_file& order) {
    std::string key;
    for (r.begin_object(); r.next_key(key);) {
        if (key == "ricci") {
            order.form = order_form::own;
            r.skip();
        } else if (order.form == order_form::own) {
            r.skip();
        } else if (key == "tree") {
            tree_reader(r, order).read();
        } else if (key == "slices") {
            for (r.begin_array(); r.next_element();) order.slices.push_back(order.labels.read(r));
        } else if (key == "paths") {
            read_paths(r, order);
        } else if (key == "path") {
            read_steps(r, order, order_form::positions);
        } else if (key == "ssa_path") {
            read_steps(r, order, order_form::entries);
        } else {
            r.skip();
        }
    }
}

// Whole indices are sliced, each place on its own; what has one place needs no slices.
std::vector<sliced_index> whole_slices(const order_in_file& order, const network& n) {
    std::vector<sliced_index> slices;
    for (const std::int64_t label : order.slices) {
        const std::int64_t index = order.labels.number(label);
        const std::size_t extent = n.extent(index);
        if (extent > 1) slices.push_back({index, static_cast<std::int64_t>(extent)});
    }
    return slices;
}

}  // namespace

contraction_order read_order_json(std::string_view text, const place& where, const network& n) {
    json_reader r(text);
    order_in_file order;
    read_json(where, [&] {
        if (r.next() == json_reader::kind::array) read_steps(r, order, order_form::positions);
        else read_order_keys(r, order);
        r.end();
    });
    return in_words_of(where, [&] {
        switch (order.form) {
            case order_form::own:
                return contraction_order::from_json(n, text);
            case order_form::positions:
                return contraction_order::from_ssa(n,
                                                   ssa_of_positions(order.steps, n.size(), where));
            case order_form::entries:
                return contraction_order::from_ssa(n, ssa_of_entries(order.steps, n.size(), where));
            case order_form::tree:
                if (order.leaves != n.size())
                    fail(where, "its tree has {}, and the network {}",
                         count(order.leaves, "tensor"), n.size());
                return contraction_order::from_ssa(n, order.tree, whole_slices(order, n));
            case order_form::none:
                break;
        }
        fail(where,
             "it has no order, which is given by \"ssa\", \"tree\", \"paths\", \"path\" or "
             "\"ssa_path\"");
    });
}

}  // namespace ricci::files
