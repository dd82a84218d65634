// The search as a whole: what its parts share.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "src/path/search/arm.hpp"
#include "src/path/search/best_order.hpp"
#include "src/path/search/search_clock.hpp"
#include "src/path/search/seed_portfolio.hpp"
#include "src/path/search/sliced_seeds.hpp"
#include "src/runtime/parallel.hpp"

namespace ricci::path {

struct racing_arm {
    std::unique_ptr<search_arm> search;
    bool raw = false;
    bool at_once = false;  // within the limit from its first tree on
};

/// Seeds, arms that race, what was simplified put back; within a limit, all of it with slices.
class order_search {
public:
    order_search(const hypergraph& network, const search_options& options)
        : network_(network),
          options_(options),
          clock_(options, network.operands()),
          raw_(unsimplified(network)),
          simple_(options.simplifies ? simplify_shapes(network) : raw_),
          found_(network, options, raw_.scalars) {
        moves_of_trial_ = std::clamp<std::int64_t>(4000 * std::int64_t{simple_.core.operands()},
                                                   20'000, 4'000'000);
        price_.minimize = options.minimize;
        price_.traffic_weight = options.traffic_weight;
        before_ = tree_score(raw_.core, raw_.within(simple_.before), price_);
        lanes_ = std::max(1, runtime::worker_count());
        if (options.threads > 0) lanes_ = std::min(lanes_, options.threads);
    }

    order_found run();

private:
    // Above that one sweep takes longer than anybody waits.
    static constexpr std::int32_t most_annealed_operands = 400'000;
    // Sets of indices of all nodes at once, which slices are chosen by.
    static constexpr double most_sliced_bytes = 1e9;

    static bool can_anneal(const core_network& core) {
        return core.operands() <= most_annealed_operands;
    }
    // Of all networks or of none: arms with slices are not compared with others.
    bool can_slice() const {
        return limited() && tree_annealer::bytes_for(raw_.core) < most_sliced_bytes;
    }
    bool has_time() const {
        return !clock_.stopped() && (!clock_.timed() || clock_.seconds_left() > 0);
    }
    bool limited() const { return found_.is_limited(); }
    bool keeps_within_limit(const product_list& of_raw) const {
        const auto sizes = entry_sizes(raw_.core, of_raw);
        return *std::max_element(sizes.begin() + raw_.core.operands(), sizes.end()) <=
               std::log2(options_.largest);
    }

    template <class Body>
    void on_all_lanes(std::int64_t count, const Body& body) {
        const std::int64_t lanes = std::min<std::int64_t>(lanes_, count);
        auto lane = [&](std::int64_t l, int) {
            for (std::int64_t k = l; k < count; k += lanes)
                body(k, k / lanes, (count - l - 1) / lanes + 1);
        };
        runtime::parallel_for(lanes, lane);
    }

    void find_seeds();
    void consider_seeds();
    void cut_seeds(double first);
    void search_shorter();
    void find_sliced_seeds();
    std::int64_t brief_moves(double log2_multiplications) const;
    // Slices of a tree are chosen by sets of all its nodes: where time is short, these are not even
    // written.
    keep_going time_to_slice(double until) {
        constexpr double bytes_a_second = 3e8;
        const double last = until - tree_annealer::bytes_for(raw_.core) / bytes_a_second;
        return [this, last] { return clock_.until(last); };
    }
    keep_going time_to_slice() { return time_to_slice(clock_.slices_end()); }
    void race();
    void start_arm(std::size_t k);
    void run_arms(double begin, double end, std::int64_t trials);
    void keep_fewer(std::size_t count);
    void put_back_and_cool();
    void keep_best_arm();
    const simplified_network& network_of(bool raw) const { return raw ? raw_ : simple_; }
    std::vector<char> of_whole(const core_network& core, const std::vector<char>& sliced) const;
    std::vector<char> whole_slices(const racing_arm& arm) const;
    bool is_done(search_arm& arm);

    const hypergraph& network_;
    const search_options& options_;
    search_clock clock_;
    simplified_network raw_, simple_;
    product_price price_;
    std::int64_t moves_of_trial_ = 0;
    double before_ = 0;  // log2 of the price of what simplification has made
    double bound_ = -1, intermediate_bound_ = -1;  // log2 of elements
    int lanes_ = 1;
    std::vector<scored_tree> seeds_;         // best ones first
    std::vector<sliced_seed> sliced_seeds_;  // the same, where slices are needed
    bool takes_many_slices_ = false;
    bool slices_first_ = false;  // the first arm starts from the best of these
    std::vector<racing_arm> arms_;
    product_list best_;  // of the whole network, as the search went on: within no limit yet
    best_order found_;
};

}  // namespace ricci::path
