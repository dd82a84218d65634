// Annealing of a tree down a ladder of spans: coarse structure first, while what is finer is
// frozen.
#pragma once

#include <cstdint>

#include "src/path/search/annealer.hpp"
#include "src/path/search/seeds.hpp"

namespace ricci::path {

/// One tree that only gets better. Stages end early, with the best so far, when `go_on` says so;
/// it is asked once a sweep.
class ladder_search {
public:
    ladder_search(const core_network& network, const product_price& price, std::uint64_t seed);

    /// Starts from this tree, whatever it costs.
    void start(const product_list& products);
    /// Another tree beside the best one: the next stages are its own until `keep_best`.
    void start_again(const product_list& products);
    /// Goes on from the better of the best tree and the one that was started beside it.
    void keep_best();

    /// All nodes, inverse temperature rising from one to the other; whether the tree got better.
    bool anneal(int sweeps, double from, double to, const keep_going& go_on);
    /// A kick of the coarse structure and all rungs below it; whether the tree got better.
    bool climb_down(const keep_going& go_on);

    double score() const { return best_score_; }
    product_list products();
    tree_annealer& tree() { return annealer_; }
    random_stream& random() { return random_; }
    /// Scores again after slices or prices have changed; the tree is the best one then.
    void rescore();
    std::int64_t sweeps() const { return sweeps_; }

private:
    bool stage(int sweeps, double from, double to, std::int32_t least_span,
               const keep_going& go_on);
    bool look();

    tree_annealer annealer_;
    random_stream random_;
    tree_shape best_, beside_;
    double best_score_ = 0, beside_score_ = 0;
    bool has_beside_ = false;
    std::int64_t sweeps_ = 0;
};

}  // namespace ricci::path
