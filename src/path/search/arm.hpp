// One line of the search: a first tree, ladders, and new starts where ladders gain nothing more.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "src/path/search/ladder.hpp"
#include "src/path/search/seeds.hpp"

namespace ricci::path {

/// Goes on wherever it was stopped. Its network may be a simplified one.
class search_arm {
public:
    /// `before`: log2 of the price of the products that were made in simplification.
    search_arm(const core_network& network, const product_price& price, double before,
               std::uint64_t seed);

    void start(const product_list& products);
    /// With slices, and a limit from the first tree on: where very many slices are needed, what is
    /// cheap without them says little of what is cheap with them.
    void start_within(const product_list& products, const std::vector<char>& sliced,
                      double log2_elements);

    /// Works until told otherwise. `flat_moves`: how many moves one annealing from a new start may
    /// take at most. `may_slice`: for how long slices may be chosen then, so that the arm can be
    /// compared with others.
    void run(std::int64_t flat_moves, const keep_going& go_on, const keep_going& may_slice);
    /// The same with everything at low temperatures: trees get better where they are.
    void run_cold(std::int64_t moves, const keep_going& go_on);

    /// The best parts that there are, at the end.
    void polish(const keep_going& go_on);

    /// No result may have more elements (log2) in the end: after some ladders without a limit it
    /// falls bit by bit, and each time the tree settles around the slices that keep below it; about
    /// `planned_moves` from now on until it has come to its end.
    void limit_to(double log2_elements, std::int64_t planned_moves);
    /// The limit falls to its end at once; slices are chosen for as long as they may be.
    void reach_limit(const keep_going& go_on);

    ladder_search& ladder() { return ladder_; }
    /// log2 of the price with all products and slices, too large results counted by a penalty.
    double score() const { return log2_add(before_ + ladder_.log2_of_slices(), ladder_.score()); }
    /// What arms are compared by, whatever their limits are at the moment: the score of the best
    /// tree that keeps the final limit, infinity where none is known; without a limit the score.
    double reached() const {
        return is_limited()
                   ? log2_add(before_ + ladder_.log2_of_slices_within(), ladder_.score_within())
                   : score();
    }
    /// What it will have reached by its latest slope.
    double projected_score() const { return projected_; }

private:
    bool is_limited() const { return target_ >= 0; }
    std::int64_t planned_ladders() const;
    void start_lowering();
    void lower_limit(const keep_going& go_on);
    enum class start_kind { molten_greedy, elimination, line, warm_greedy, partition };
    static constexpr std::uint32_t kinds = 5;

    start_kind next_kind();
    product_list random_tree(start_kind kind, const keep_going& go_on);
    void new_start(std::int64_t flat_moves, const keep_going& go_on);
    void end_start();
    void rebuild(const keep_going& go_on);

    const core_network& network_;
    ladder_search ladder_;
    double before_, projected_ = 0;
    bool strict_;  // every lowered limit is kept, by slices where the tree does not
    double target_ = -1, limit_ = 0, limit_step_ = 1;  // log2 of elements
    int idle_ = 0;                                     // ladders without gain
    std::uint32_t starts_ = 0, annealed_ = 0;
    std::int64_t planned_moves_ = 0, ladder_moves_ = 0, unlimited_ladders_ = 0;
    bool is_lowering_ = false;
    start_kind kind_ = start_kind::molten_greedy;
    std::array<double, kinds> best_of_kind_{1e9, 1e9, 1e9, 1e9, 1e9};
    std::int64_t flat_moves_ = 0;
    bool settled_ = false;
    bool parts_pay_ = true;  // making parts anew has gained something
    bool beside_ = false;    // on a new start's tree
};

}  // namespace ricci::path
