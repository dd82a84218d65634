// The search for contraction orders: a hypergraph in, an order out. It knows shapes only; values,
// text and element types are its callers'.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "src/base/arithmetic.hpp"

namespace ricci::path {

/// A network as its shapes alone: operands over numbered indices, 0 .. extents.size() - 1. Operand
/// t has members[first[t]] .. members[first[t + 1] - 1], each index once: diagonals are the
/// caller's to take. An index may be in any number of operands. Scalars (no members), indices that
/// one operand alone has, extents of 1 and parts that share nothing are all allowed.
struct hypergraph {
    std::vector<std::int32_t> first{0};
    std::vector<std::int32_t> members;
    std::vector<std::int32_t> open;  // indices of the result, each once
    std::vector<double> extents;     // of each index; whole numbers >= 1
    /// Open indices of which only so many combinations are wanted: together they count as
    /// min(product of their extents, choices) in every operand, product and intermediate.
    std::vector<std::int32_t> sparse;
    double choices = 1;

    std::int32_t operands() const { return static_cast<std::int32_t>(first.size()) - 1; }
    std::int32_t indices() const { return static_cast<std::int32_t>(extents.size()); }
};

/// What an order is good for. `traffic` are the elements of both operands and of the result of
/// every product; `weighed` is multiplications + traffic_weight * traffic.
enum class objective { multiplications, largest_product, largest_intermediate, traffic, weighed };

/// An index cut into `parts` ranges of ceil(extent / parts) places; parts == extent fixes it.
/// 1 < parts <= extent.
struct slice {
    std::int32_t index = 0;
    std::int64_t parts = 1;

    /// Places of a range; the last one may have fewer.
    std::int64_t width(std::int64_t extent) const { return ceil_divide(extent, parts); }
};

struct order_found {
    /// Single static assignment: 0 .. operands - 1 are the operands, product k is operands + k,
    /// each is used once; operands - 1 of them, the last is the result. None for one operand or
    /// none.
    std::vector<std::pair<std::int32_t, std::int32_t>> products;
    std::vector<slice> slices;
};

/// What an order costs. A product costs the extents of all indices that either operand has when it
/// begins; an index that nothing later has is summed in it for nothing more; one that a single
/// operand has alone is summed before. Sizes are of one slice, sums are over all of them.
struct order_cost {
    double log2_multiplications = 0;  // minus infinity where there is no product
    double log2_largest_product = 0;
    double log2_largest_intermediate = 0;  // the largest result of a product, the last one too
    double log2_traffic = 0;
    double slices = 1;    // how many runs the slices make
    double overhead = 1;  // multiplications over those of the same products without slices
};

/// Scores an order by its definition; shares nothing with the search, and is near linear in
/// members. Throws ricci::error where the order is not one of this network.
order_cost cost_of(const hypergraph& network, const order_found& order);

/// log2 of what is to be small, of all slices together.
double log2_objective(const order_cost& cost, objective minimize, double traffic_weight);

/// The same of an order's cost_of, for which what it costs without slices is not looked at: near
/// linear in what the slices leave of the intermediates' sets. The order is not checked.
double log2_objective_of(const hypergraph& network, const order_found& order, objective minimize,
                         double traffic_weight);

/// log2 of a number of elements that some product of any order without slices has at least.
double product_bound_log2(const hypergraph& network);

struct search_options {
    double seconds = 1;       // the search ends then, or as soon as a first order stands
    std::int64_t trials = 0;  // where positive: so many, whatever time they take, which gives the
                              // same order for a seed with any number of threads
    /// With trials: they take no longer than about what the products do, and little more than the
    /// first tree where those are over at once. For orders that are looked for at every run.
    bool brief = false;
    /// Elements of the largest intermediate allowed; slices are made to keep below it.
    double largest = std::numeric_limits<double>::infinity();
    std::uint64_t seed = 0;
    objective minimize = objective::multiplications;
    double traffic_weight = 64;
    /// Products that make nothing larger are made before the search, and put back after it.
    bool simplifies = true;
    /// Searches on for all of the time, also where the best order takes none beside the search.
    bool whole_time = false;
    int threads = 0;  // 0: as many as parallel loops have
    /// Called from time to time on the caller's thread; false ends the search with the best so far.
    std::function<bool(double part, double seconds_left)> progress;
};

/// The best order found. Throws ricci::error for a malformed network, and where no slices bring the
/// largest intermediate within the bound.
order_found search_order(const hypergraph& network, const search_options& options = {});

/// The order with slices that keep every intermediate within `largest` elements: what it slices
/// already is sliced first. Near linear in the sets of its intermediates. Throws ricci::error where
/// no slices do.
order_found sliced_within(const hypergraph& network, const order_found& order, double largest);

/// An order of at most a hundredth more multiplications that moves fewer elements, and so runs
/// faster where products are thin; or the same one, as where it has slices. No intermediate has
/// more than `largest` elements where none had before. Near linear in the sets of its
/// intermediates; looks on while `go_on` says so.
order_found with_less_traffic(const hypergraph& network, const order_found& order, double largest,
                              const std::function<bool()>& go_on);

/// Throws ricci::error with one sentence where a network is malformed.
void check_network(const hypergraph& network);

}  // namespace ricci::path
