// Random moves of the slices of a tree, between the moves of the tree itself.
#include "src/path/search/slice_moves.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>

namespace ricci::path {
namespace {

bool is_accepted(double change, double inverse_temperature, random_stream& random) {
    return change <= 0 || random.uniform() < std::exp(-inverse_temperature * change);
}

}  // namespace

slice_annealer::slice_annealer(tree_annealer& tree)
    : tree_(tree),
      sliced_(tree.network().weight.size()),
      index_of_(tree.weights().words * 64, -1),
      finder_(tree) {
    for (std::int32_t i = 0; i < tree.network().indices(); ++i)
        index_of_[place(tree.bit_of(i))] = i;
}

void slice_annealer::load(const std::vector<char>& sliced) {
    sliced_ = sliced;
    fixed_.clear();
    log2_runs_ = 0;
    for (std::size_t i = 0; i < sliced.size(); ++i) {
        if (sliced[i] == 0) continue;
        fixed_.push_back(static_cast<std::int32_t>(i));
        log2_runs_ += tree_.network().weight[i];
    }
}

// Places, the total and what is too large, as the tree is now.
void slice_annealer::look() {
    const auto& nodes = tree_.nodes();
    limit_ = std::llround(std::min(tree_.price().limit, 1e9) / weight_unit);
    too_large_.clear();
    for (std::size_t k = place(tree_.operands()); k < nodes.size(); ++k) {
        const auto n = static_cast<std::int32_t>(k);
        if (is_too_large(n)) too_large_.push_back(n);
    }
    finder_.look();
    sum_up();
}

void slice_annealer::sum_up() {
    const auto& nodes = tree_.nodes();
    const auto first = place(tree_.operands());
    reference_ = std::numeric_limits<std::int64_t>::min();
    for (std::size_t n = first; n < nodes.size(); ++n)
        reference_ = std::max(reference_, nodes[n].price);
    total_ = 0;
    for (std::size_t n = first; n < nodes.size(); ++n) total_ += relative(nodes[n].price);
}

bool slice_annealer::is_too_large(std::int32_t node) const {
    const auto& n = tree_.nodes()[place(node)];
    return n.left >= 0 && n.size > limit_;
}

void slice_annealer::change(const index_places& places, bool sliced) {
    const auto& nodes = tree_.nodes();
    for (const std::int32_t n : places.products) total_ -= relative(nodes[place(n)].price);
    tree_.slice(places, sliced);
    for (const std::int32_t n : places.products) total_ += relative(nodes[place(n)].price);
    const double weight = tree_.network().weight[place(places.index)];
    log2_runs_ += sliced ? weight : -weight;
    sliced_[place(places.index)] = sliced ? 1 : 0;
}

// What is far below the largest adds nothing.
double slice_annealer::relative(std::int64_t price) const {
    constexpr std::int64_t far = 40 * 65536;
    if (price < reference_ - far) return 0;
    return std::exp2(static_cast<double>(price - reference_) * weight_unit);
}

double slice_annealer::work() {
    // What is left of a sum whose large terms went away has few digits.
    constexpr double fewest = 1e-6;
    if (total_ < fewest) sum_up();
    return static_cast<double>(reference_) * weight_unit + std::log2(total_) + log2_runs_;
}

std::int32_t slice_annealer::draw_index(std::int32_t node, random_stream& random) const {
    const std::uint64_t* const set = tree_.set_of(node);
    std::uint32_t count = 0;
    for (std::size_t k = 0; k < tree_.weights().words; ++k)
        count += static_cast<std::uint32_t>(std::popcount(set[k]));
    if (count == 0) return -1;
    std::uint32_t left = random.below(count);
    for (std::size_t k = 0; k < tree_.weights().words; ++k) {
        std::uint64_t word = set[k];
        const auto here = static_cast<std::uint32_t>(std::popcount(word));
        if (left >= here) {
            left -= here;
            continue;
        }
        for (; left > 0; --left) word &= word - 1;
        return index_of_[k * 64 + static_cast<std::size_t>(std::countr_zero(word))];
    }
    return -1;
}

// An index of one of the results there that are too large; -1 where none is.
std::int32_t slice_annealer::draw_remedy(const index_places& places, random_stream& random) const {
    std::uint32_t count = 0;
    std::int32_t chosen = -1;
    for (const std::int32_t n : places.results)
        if (is_too_large(n) && random.below(++count) == 0) chosen = n;
    return chosen < 0 ? -1 : draw_index(chosen, random);
}

void slice_annealer::fix_one(double inverse_temperature, random_stream& random) {
    const std::int32_t n = too_large_[random.below(static_cast<std::uint32_t>(too_large_.size()))];
    const std::int32_t added = is_too_large(n) ? draw_index(n, random) : -1;
    if (added < 0) return;
    const double before = work();
    change(finder_.find(added, in_), true);
    if (is_accepted(work() - before, inverse_temperature, random)) fixed_.push_back(added);
    else change(in_, false);
}

void slice_annealer::exchange_one(bool let_go_only, double inverse_temperature,
                                  random_stream& random) {
    const std::uint32_t slot = random.below(static_cast<std::uint32_t>(fixed_.size()));
    const double before = work();
    change(finder_.find(fixed_[slot], out_), false);
    std::int32_t added = let_go_only ? -1 : draw_remedy(out_, random);
    if (added == out_.index) added = -1;
    if (added >= 0) change(finder_.find(added, in_), true);
    if (!is_accepted(work() - before, inverse_temperature, random)) {
        if (added >= 0) change(in_, false);
        change(out_, true);
        return;
    }
    if (added >= 0) {
        fixed_[slot] = added;
        return;
    }
    fixed_[slot] = fixed_.back();
    fixed_.pop_back();
    for (const std::int32_t n : out_.results)
        if (is_too_large(n)) too_large_.push_back(n);
}

std::int64_t slice_annealer::sweep(double inverse_temperature, int moves, random_stream& random) {
    // A move walks through the products of two indices.
    constexpr int work_of_one = 4;
    look();
    for (int k = 0; k < moves; ++k) {
        const std::uint32_t kind = random.below(4);
        if (kind == 0 && !too_large_.empty()) fix_one(inverse_temperature, random);
        else if (!fixed_.empty()) exchange_one(kind == 1, inverse_temperature, random);
    }
    return std::int64_t{work_of_one} * moves;
}

double slice_annealer::score() {
    look();
    return work();
}

}  // namespace ricci::path
