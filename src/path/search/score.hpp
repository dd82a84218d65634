// What trees of the core network cost, as the search compares them.
#pragma once

#include <vector>

#include "src/path/search/core_network.hpp"

namespace ricci::path {

/// What an objective counts of one product, from its elements and those of both operands and of the
/// result: as numbers, logarithms or multiples of a unit of these, for which `sum` adds and `weigh`
/// multiplies by the weight of traffic. Of largest ones it is what is compared.
template <class Number, class Sum, class Weigh>
Number counted(objective minimize, Number product, Number left, Number right, Number result,
               const Sum& sum, const Weigh& weigh) {
    switch (minimize) {
        case objective::largest_intermediate:
            return result;
        case objective::traffic:
            return sum(sum(left, right), result);
        case objective::weighed:
            return sum(product, weigh(sum(sum(left, right), result)));
        case objective::multiplications:
        case objective::largest_product:
            break;
    }
    return product;
}

/// What is to be small, as a number for every product.
struct product_price {
    objective minimize = objective::multiplications;
    double traffic_weight = 64;
    /// log2 of the elements of an intermediate above which each power of two costs `penalty` of
    /// them.
    double limit = 1e9;
    double penalty = 0;

    /// Largest products and intermediates are sums of high powers: what is largest decides.
    int power() const {
        return minimize == objective::largest_product || minimize == objective::largest_intermediate
                   ? 4
                   : 1;
    }
    /// log2 of one product's price, of log2 of elements: both operands' indices, left, right and
    /// result.
    double operator()(double product, double left, double right, double result) const;
};

/// log2 of the sum of all products' prices; minus infinity where there is no product.
double tree_score(const core_network& network, const product_list& products,
                  const product_price& price);

/// log2 of the elements of all operands and of the results of all products.
std::vector<double> entry_sizes(const core_network& network, const product_list& products);

/// log2(2^a + 2^b).
double log2_add(double a, double b);

}  // namespace ricci::path
