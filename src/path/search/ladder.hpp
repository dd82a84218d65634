// Annealing of a tree down a ladder of spans: coarse structure first, while what is finer is
// frozen.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "src/path/search/annealer.hpp"
#include "src/path/search/seeds.hpp"
#include "src/path/search/sparse_tree.hpp"

namespace ricci::path {

/// One tree that only gets better. Stages end early, with the best so far, when `go_on` says so;
/// it is asked once a sweep.
class ladder_search {
public:
    ladder_search(const core_network& network, const product_price& price, std::uint64_t seed);

    /// Starts from this tree, whatever it costs.
    void start(const product_list& products);
    /// Starts from this tree with these slices, with a limit (log2 of elements) that is the final
    /// one.
    void start_within(const product_list& products, const std::vector<char>& sliced,
                      double log2_elements);
    /// Another tree beside the best one: the next stages are its own until `keep_best`.
    void start_again(const product_list& products);
    /// Goes on from the better of the best tree and the one that was started beside it.
    void keep_best();

    /// All nodes, in windows of at most so many products, inverse temperature rising from one to
    /// the other; whether the tree got better.
    bool anneal(int sweeps, double from, double to, std::uint32_t most_products,
                const keep_going& go_on);
    /// A kick of the coarse structure and all rungs below it; whether the tree got better.
    bool climb_down(const keep_going& go_on);
    /// Parts of so many operands made anew, each the best there is, until none gets better; whether
    /// the tree did.
    bool rebuild_parts(std::size_t leaves, const keep_going& go_on);

    /// log2 of the price of the best tree, of all its slices together.
    double score() const { return best_score_; }
    /// log2 of the largest product, or of the largest result, of the best tree when it was found,
    /// where that is what is to be small.
    double largest() const { return best_largest_; }
    product_list products();
    random_stream& random() { return random_; }
    /// How many moves were tried: what work is measured by, the same on every machine.
    std::int64_t moves() const { return moves_; }

    /// Results above this many elements (log2) cost a penalty from now on, and are sliced by
    /// `slice_again`.
    void set_limit(double log2_elements);
    bool has_limit() const { return has_limit_; }
    /// log2 of the largest result of the best tree.
    double largest_result();
    double log2_of_slices() const { return log2_slices_; }
    /// Looks for better slices of the best tree. Where they must suffice, a tree that is too large
    /// gets enough of them, whatever that costs; otherwise only where they cost less than the
    /// penalty does. Stopped early, what has been found counts.
    void slice_again(bool must_suffice, const keep_going& go_on);
    /// The limit that everything has to keep in the end. The best tree whose slices suffice for it
    /// is remembered from now on.
    void set_final_limit(double log2_elements);
    /// Slices the best tree for the final limit, to be remembered if that is the best one so far;
    /// the tree at hand and its limit stay. Stopped early, nothing has been found.
    void look_within_final_limit(const keep_going& go_on);
    /// log2 of the price of the tree that is remembered, of all its slices together, and of their
    /// number; infinity and 0 where there is none.
    double score_within() const { return within_.score; }
    double log2_of_slices_within() const { return within_.log2_slices; }
    /// Where the limit is the final one: slices that suffice, and back to the best tree with such
    /// slices, since a penalty may make a tree look better that takes far more of them. Stopped
    /// before slices suffice, it gives that best tree, or the one at hand where there is none.
    void keep_within_limit(const keep_going& go_on);
    /// Anneals slices and tree together, as far as the network is small enough for that; whether
    /// they got better.
    bool settle_slices(const keep_going& go_on);
    /// Fixes these indices from now on, and takes the best tree for one that has them fixed.
    void slice(const std::vector<char>& sliced);
    const std::vector<char>& sliced() const { return best_sliced_; }

private:
    /// What of a stage's states goes on: the last one, or the best one of each window.
    enum class goes_on { last, best };

    bool stage(int sweeps, double from, double to, std::int32_t least_span, goes_on which,
               std::uint32_t most_products, const keep_going& go_on);
    void anneal_window(tree_window& window, int sweeps, double from, double to, goes_on which,
                       const keep_going& go_on);
    bool anneals_slices() const;
    bool look();
    void load_best();
    void rescore();
    template <class Visit>
    void visit_windows(std::int32_t least_span, std::uint32_t most_products,
                       const keep_going& go_on, const Visit& visit);
    void limit_price(double log2_elements);
    bool is_within_limit() const;
    void remember_within(const std::vector<char>& sliced, double score);
    /// Takes the slices of a tree where they are better.
    void take_slices(const tree_annealer& tree, const std::vector<char>& sliced, bool always);

    const core_network& network_;
    sparse_tree tree_;
    random_stream random_;
    struct limited_tree {
        tree_shape shape;
        std::vector<char> sliced;
        double score = std::numeric_limits<double>::infinity();
        double log2_slices = 0;
    };
    limited_tree within_;  // the best one whose slices suffice
    double final_limit_ = std::numeric_limits<double>::infinity();  // log2 of elements
    tree_shape best_, beside_;
    std::vector<char> best_sliced_, beside_sliced_;
    double best_score_ = 0, beside_score_ = 0;
    double log2_slices_ = 0, best_largest_ = 0;  // of the best tree
    bool has_beside_ = false, has_limit_ = false;
    bool at_best_ = false;  // the tree is the best one
    std::int64_t moves_ = 0;
};

}  // namespace ricci::path
