// Folds over a letter of which each rank has its places.
#include <algorithm>

#include "src/placement/local_equation.hpp"

namespace ricci::mpi {

std::optional<fold> fold_of(ir::reduction r) {
    switch (r) {
        case ir::reduction::product:
            return fold::product;
        case ir::reduction::maximum:
            return fold::maximum;
        case ir::reduction::minimum:
            return fold::minimum;
        case ir::reduction::logsumexp:
            return fold::logsumexp;
        default:
            return std::nullopt;
    }
}

local_equation::value local_equation::walk_reduction(const ir::node& x) {
    const auto r = static_cast<ir::reduction>(x.detail);
    if (const std::optional<value> read = sum_of_neighbours(x)) return *read;
    if (const std::optional<value> read = sum_of_rows(x)) return *read;
    if (const std::optional<value> sums = sum_at_others(x)) return *sums;
    if (const std::optional<value> sums = sum_of_weights(x)) return *sums;
    const bool over_split = binds_split(x);
    const bool summed = r == ir::reduction::sum || r == ir::reduction::mean;
    if (over_split && !summed && r != ir::reduction::softmax && !fold_of(r)) possible_ = false;
    value child = walk(p_.links[x.children.first]);
    work_ += places(child.node);
    if (over_split || !summed) child = whole(child);
    if (over_split && !cuts_one_letter(x, child.node)) possible_ = false;
    if (over_split && clamps_nothing(x)) possible_ = false;
    if (!over_split || !possible_) return {copy(x, {child.node}), child.at};
    if (r == ir::reduction::softmax) return softmax(x, {with_sums_apart(child.node), child.at});
    if (r == ir::reduction::mean) return mean(x, child);
    if (r == ir::reduction::sum) {
        ir::node own = x;
        own.value = 0;  // no rank has to have as many places as all have together
        const ir::ref sum = copy(own, {child.node});
        const std::optional<value> there = known_whole(spelt(sum, named_form::of_fold(fold::sum)));
        return there ? *there : value{sum, place::partial};
    }
    return fold_over_ranks(r, x, with_sums_apart(child.node));
}

// Whether a fold over places of this rank is its part of the fold over all: it runs over one letter
// that is cut, and is of no other. Places of two letters make pairs of places of two ranks, too.
bool local_equation::cuts_one_letter(const ir::node& x, ir::ref child) const {
    const ir::ref* const first = p_.links.begin() + x.indices.first;
    if (std::count_if(first, first + x.indices.count, [&](ir::ref i) { return is_split(i); }) != 1)
        return false;
    const std::vector<ir::ref> letters = free_letters(child);
    return std::none_of(letters.begin(), letters.end(),
                        [&](ir::ref i) { return is_split(i) && !binds(x, i); });
}

// Whether clamp or wrap would pick among the places of a rank that has none: there is no nearest
// one.
bool local_equation::clamps_nothing(const ir::node& x) {
    const std::vector<std::int64_t>& counts = bench_.sharing.of(all_).counts;
    if (std::find(counts.begin(), counts.end(), 0) == counts.end()) return false;
    for (std::int32_t k = 0; k < x.indices.count; ++k) {
        const ir::ref i = p_.links[x.indices.first + k];
        if (is_split(i) && p_.indices[i].extent == ir::written_out) return true;
    }
    return false;
}

local_equation::value local_equation::fold_over_ranks(ir::reduction r, const ir::node& x,
                                                      ir::ref child) {
    ir::node own = x;
    own.value = 0;
    own.detail = static_cast<std::uint8_t>(r);
    return {extract(copy(own, {child}), *fold_of(r), &x), place::whole};
}

local_equation::value local_equation::mean(const ir::node& x, value child) {
    double count = 1;
    for (std::int32_t k = 0; k < x.indices.count; ++k)
        count *= static_cast<double>(
            bench_.text.extents[static_cast<std::size_t>(p_.links[x.indices.first + k])]);
    ir::node sum = x;
    sum.value = 0;
    sum.detail = static_cast<std::uint8_t>(ir::reduction::sum);
    const ir::ref all = copy(sum, {child.node});
    return {p_.make(ir::op::divide, all, p_.number(count)), place::partial};
}

}  // namespace ricci::mpi
