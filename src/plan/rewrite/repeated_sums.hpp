// Which sums of a program may occur more than once, found without spelling them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

#include "src/base/short_list.hpp"

namespace ricci::plan {

/// Indices of a program, sorted.
using index_list = short_list<ir::ref, 6>;

/// The factors of a summed product, each with its indices, and apart from them those without any.
struct factors {
    std::vector<ir::ref> nodes, scalars;
    std::vector<index_list> indices;
    index_list over;

    /// Whether sums of two of them are looked at. Of more than `most`, planning would take longer
    /// than most programs run.
    bool have_pairs() const { return nodes.size() > 2 && nodes.size() <= most; }
    static constexpr std::size_t most = 8;
};

bool is_sum(const ir::node& x);
/// Those of a sum; none where it is not one of a product.
factors factors_of(const ir::program_view& program, const ir::node& sum);
index_list list_of(const ir::index_set& set);

/// Numbers for expressions: equal ones where the spellings are equal, and seldom elsewhere. Indices
/// count for nothing, so that a number takes one look at each node.
class likeness {
public:
    std::uint64_t of(const ir::program_view& program, ir::ref expression);
    /// Of a sum of the product of two.
    static std::uint64_t of_summed_pair(std::uint64_t a, std::uint64_t b);

private:
    std::vector<std::uint64_t> known_;  // by node; 0: not known yet
};

/// The sums of a program, and of the products in them the sums of two factors, that are like
/// another one of them. Nothing else can be shared, and in most programs nothing is like another.
class repeated_sums {
public:
    explicit repeated_sums(const ir::program_view& program);

    bool empty() const { return found_.empty(); }
    /// Of the program, or of one that has more nodes behind those of the program.
    bool has(const ir::program_view& program, ir::ref sum);
    /// Whether the sum of the product of two factors may be one of them.
    bool has_pair(const ir::program_view& program, ir::ref a, ir::ref b);
    bool has_any_pair(const ir::program_view& program, const factors& f);

private:
    void look(const ir::program_view& program, ir::ref n);
    bool contain(std::uint64_t sum) const;

    likeness likeness_;
    std::vector<std::uint64_t> found_;  // sorted
};

}  // namespace ricci::plan
