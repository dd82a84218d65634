// A contraction tree with the sets of indices of all its nodes, and random moves on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "src/kernels/bits/bit_sets.hpp"
#include "src/path/search/core_network.hpp"
#include "src/path/search/random.hpp"
#include "src/path/search/score.hpp"
#include "src/path/search/tree_walk.hpp"

namespace ricci::path {

/// Where an index is in a tree, whether it is sliced or not.
struct index_places {
    std::int32_t index = 0;
    std::vector<std::int32_t> results;   // nodes whose set has it, operands among them
    std::vector<std::int32_t> products;  // nodes one of whose operands has it
};

/// Prices, weights and temperatures are whole multiples of weight_unit: moves cost the same on
/// every machine, and nothing is rounded twice.
class tree_annealer {
public:
    /// The network is looked at while this lives.
    tree_annealer(const core_network& network, const product_price& price);

    void load(const product_list& products);
    void load(const tree_shape& shape);
    const tree_shape& shape();
    product_list products() const;

    /// Every node with so many operands below it tries one move, at this inverse temperature (of
    /// log2 of prices).
    /// Gives how many moves were tried.
    std::int64_t sweep(double inverse_temperature, std::int32_t least_span, random_stream& random);

    /// The largest inverse temperature, which takes no move that makes anything worse.
    static constexpr double frozen = 1e6;

    /// A part of the tree made anew: of these nodes the first `leaves` are what it is made of, the
    /// others its products, each after its children, the last one the root of the part as before.
    /// Children are places in the list.
    void replace(const std::vector<std::int32_t>& nodes, const tree_shape& shape,
                 std::size_t leaves);

    /// log2 of the sum of all prices.
    double score() const;
    /// log2 of the largest result where results are to be small, otherwise of the largest product.
    double largest() const;
    /// Indices that count for nothing from now on; the tree stays.
    void slice(const std::vector<char>& sliced);
    /// The same for one index, whose places are those of this tree; or it counts again.
    void slice(const index_places& places, bool sliced);
    void set_price(const product_price& price);
    /// The price of one product, all in multiples of weight_unit.
    std::int64_t price_of(std::int64_t product, std::int64_t left, std::int64_t right,
                          std::int64_t result) const;
    const product_price& price() const { return price_; }

    std::int32_t operands() const { return operands_; }
    /// How many bytes the sets of a network take.
    static double bytes_for(const core_network& network);

    struct node {
        std::int32_t left = -1, right = -1;
        std::int32_t row = 0;   // of its set
        std::int32_t span = 1;  // operands below it
        std::int64_t size = 0, product = 0, price = 0;
    };
    const std::vector<node>& nodes() const { return nodes_; }
    std::int32_t root() const { return 2 * operands_ - 2; }
    /// The set of a node and the bit of an index.
    const std::uint64_t* set_of(std::int32_t n) const { return row(nodes_[place(n)].row); }
    std::int32_t bit_of(std::int32_t index) const { return bit_of_[place(index)]; }
    const kernels::bit_weights& weights() const { return weights_; }
    const core_network& network() const { return network_; }

private:
    struct aligned_delete {
        void operator()(std::uint64_t* words) const {
            ::operator delete[](words, std::align_val_t{64});
        }
    };

    std::uint64_t* row(std::int32_t number) const {
        return rows_.get() + static_cast<std::size_t>(number) * weights_.words;
    }
    void number_bits();
    void fill_sets();
    void unite_upwards(const std::vector<std::int32_t>& inner);
    void sum_downwards(const std::vector<std::int32_t>& inner);
    void refresh(node& n);
    bool accepts(std::int64_t change, std::int64_t temperature, std::uint64_t bits) const;
    void rotate(node& parent, std::int64_t temperature, std::uint64_t bits);
    void exchange(node& parent, std::int64_t temperature, std::uint64_t bits);

    const core_network& network_;
    product_price price_;
    std::int64_t limit_ = 0, penalty_ = 0, traffic_weight_ = 0;
    std::int32_t operands_;
    std::vector<node> nodes_;
    std::vector<std::int32_t> order_;  // of the inner nodes, each after those below it
    std::vector<std::int32_t> active_;
    std::vector<std::int32_t> bit_of_;
    std::unique_ptr<std::uint64_t[], aligned_delete> rows_, word_weights_, mask_;
    kernels::bit_weights weights_;
    std::int32_t spare_ = 0, second_spare_ = 0;  // rows that are no node's
    tree_shape shape_;
};

}  // namespace ricci::path
