// Products are carried out on sets of indices; the smaller set always moves into the larger one, so
// that a front of thousands of indices is never walked for each operand that joins it.
#include "src/network/score.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "src/base/mixed_hash.hpp"

namespace ricci::networks {
namespace {

// Which index is in which set: a hash table of pairs. Sets that are done with leave nothing behind.
class memberships {
public:
    explicit memberships(std::size_t most)
        : keys_(std::bit_ceil(2 * most + 2), 0), last_(keys_.size() - 1) {}

    bool contains(std::int32_t set, std::int32_t index) const {
        return keys_[place(key(set, index))] != 0;
    }
    void insert(std::int32_t set, std::int32_t index) {
        const std::uint64_t k = key(set, index);
        keys_[place(k)] = k;
    }
    void erase(std::int32_t set, std::int32_t index) {
        std::size_t hole = place(key(set, index));
        // What stands behind and was pushed past the hole moves into it: no marks are left.
        for (std::size_t at = (hole + 1) & last_; keys_[at] != 0; at = (at + 1) & last_) {
            const std::size_t home = first_place(keys_[at]);
            if (((at - home) & last_) < ((at - hole) & last_)) continue;
            keys_[hole] = keys_[at];
            hole = at;
        }
        keys_[hole] = 0;
    }

private:
    static std::uint64_t key(std::int32_t set, std::int32_t index) {
        return ((static_cast<std::uint64_t>(set) << 32) | static_cast<std::uint32_t>(index)) + 1;
    }
    std::size_t first_place(std::uint64_t k) const { return mixed(0, k) & last_; }
    // Where the key stands, or the free place where it would.
    std::size_t place(std::uint64_t k) const {
        std::size_t at = first_place(k);
        while (keys_[at] != 0 && keys_[at] != k) at = (at + 1) & last_;
        return at;
    }

    std::vector<std::uint64_t> keys_;
    std::size_t last_;
};

// A product of extents: as they are, within one slice, and the parts of sliced indices among them.
struct extent_products {
    scaled_number whole{1.0};
    scaled_number sliced{1.0};
    scaled_number parts{1.0};
    scaled_number chosen{1.0};  // extents of sparse indices, which the others do not count

    void multiply(const extent_products& other) {
        whole = whole * other.whole;
        sliced = sliced * other.sliced;
        parts = parts * other.parts;
        chosen = chosen * other.chosen;
    }
    void divide(const extent_products& other) {
        whole = whole / other.whole;
        sliced = sliced / other.sliced;
        parts = parts / other.parts;
        chosen = chosen / other.chosen;
    }
};

// What is known of an operand, and of a product once it has been made.
struct scored_entry {
    extent_products size;
    bool depends = false;    // on a sliced index
    double elements = 0;     // of the workspace: none of an operand
    double peak = 0;         // elements alive while it is made
    std::int32_t set = 0;    // which one has its indices
    std::int32_t count = 0;  // of indices
};

class scorer {
public:
    scorer(const path::hypergraph& network, std::size_t products,
           std::span<const path::slice> slices)
        : network_(network),
          choices_(network.choices),
          extents_(static_cast<std::size_t>(network.indices())),
          holders_(extents_.size(), 0),
          lists_(static_cast<std::size_t>(network.operands())),
          members_(network.members.size()) {
        prepare_extents(slices);
        for (const std::int32_t i : network.members) ++holders_[static_cast<std::size_t>(i)];
        for (const std::int32_t i : network.open) ++holders_[static_cast<std::size_t>(i)];
        entries_.reserve(lists_.size() + products);
        for (std::int32_t t = 0; t < network.operands(); ++t) add_operand(t);
    }

    void multiply(const ssa_pair& pair) {
        scored_entry a = entries_[static_cast<std::size_t>(pair.first)];
        scored_entry b = entries_[static_cast<std::size_t>(pair.second)];
        if (a.count < b.count) std::swap(a, b);
        extent_products both = a.size;
        scored_entry made = a;
        made.size = join(made, b, both);
        made.depends = a.depends || b.depends;
        made.elements = made.size.sliced.value();
        // Of the two ways the one that has less alive at once.
        const double together = a.elements + b.elements + made.elements;
        made.peak = std::min(std::max({a.peak, a.elements + b.peak, together}),
                             std::max({b.peak, b.elements + a.peak, together}));
        count(a, b, made, both);
        entries_.push_back(made);
    }

    order_score score() const {
        order_score result = score_;
        if (entries_.empty()) return result;
        result.peak = entries_.back().peak;
        if (entries_.size() == lists_.size())
            result.largest_intermediate = entries_.back().size.sliced;
        return result;
    }

private:
    void prepare_extents(std::span<const path::slice> slices) {
        for (std::size_t i = 0; i < extents_.size(); ++i) {
            extents_[i].whole = scaled_number(network_.extents[i]);
            extents_[i].sliced = extents_[i].whole;
        }
        std::vector<char> is_sparse(extents_.size());
        for (const std::int32_t i : network_.sparse) {
            extent_products& e = extents_[static_cast<std::size_t>(i)];
            is_sparse[static_cast<std::size_t>(i)] = true;
            std::swap(e.chosen, e.whole);
            e.sliced = e.whole;
        }
        for (const path::slice& s : slices) {
            if (is_sparse[static_cast<std::size_t>(s.index)]) continue;  // one place at a time
            extent_products& e = extents_[static_cast<std::size_t>(s.index)];
            const auto parts = static_cast<double>(s.parts);
            e.parts = scaled_number(parts);
            e.sliced = scaled_number(
                std::ceil(network_.extents[static_cast<std::size_t>(s.index)] / parts));
            score_.slices = score_.slices * e.parts;
        }
    }

    // Indices that nothing else has are summed before.
    void add_operand(std::int32_t t) {
        const auto k = static_cast<std::size_t>(t);
        scored_entry entry;
        entry.set = t;
        for (std::int32_t m = network_.first[k]; m < network_.first[k + 1]; ++m) {
            const std::int32_t i = network_.members[static_cast<std::size_t>(m)];
            const extent_products& e = extents_[static_cast<std::size_t>(i)];
            entry.depends = entry.depends || !(e.parts == scaled_number(1.0));
            if (holders_[static_cast<std::size_t>(i)] == 1) continue;
            entry.size.multiply(e);
            members_.insert(t, i);
            lists_[k].push_back(i);
            ++entry.count;
        }
        entries_.push_back(entry);
    }

    // Moves b's indices into a's set, where `both` becomes the product of all extents; gives that
    // of the indices that stay.
    extent_products join(scored_entry& a, const scored_entry& b, extent_products& both) {
        extent_products summed;
        auto& list = lists_[static_cast<std::size_t>(a.set)];
        for (const std::int32_t i : lists_[static_cast<std::size_t>(b.set)]) {
            if (!members_.contains(b.set, i)) continue;  // it was summed since it was listed
            members_.erase(b.set, i);
            const extent_products& e = extents_[static_cast<std::size_t>(i)];
            if (!members_.contains(a.set, i)) {
                members_.insert(a.set, i);
                list.push_back(i);
                ++a.count;
                both.multiply(e);
            } else if (--holders_[static_cast<std::size_t>(i)] == 1) {
                members_.erase(a.set, i);
                --a.count;
                summed.multiply(e);
            }
        }
        lists_[static_cast<std::size_t>(b.set)] = {};
        extent_products stays = both;
        stays.divide(summed);
        return stays;
    }

    // Whatever ranges an index is cut into, together they have all its places; what lacks a sliced
    // index is done again for each of its parts.
    scaled_number over_slices(const extent_products& size, bool depends) const {
        const scaled_number once = size.whole * std::min(size.chosen, choices_);
        return depends ? once * (score_.slices / size.parts) : once;
    }

    void count(const scored_entry& a, const scored_entry& b, const scored_entry& made,
               const extent_products& both) {
        score_.multiplications = score_.multiplications + over_slices(both, made.depends);
        score_.unsliced = score_.unsliced + over_slices(both, false);
        score_.traffic = score_.traffic + over_slices(a.size, made.depends) +
                         over_slices(b.size, made.depends) + over_slices(made.size, made.depends);
        score_.largest_product = std::max(score_.largest_product, both.sliced);
        score_.largest_intermediate = std::max(score_.largest_intermediate, made.size.sliced);
    }

    const path::hypergraph& network_;
    scaled_number choices_;
    std::vector<extent_products> extents_;
    std::vector<std::int32_t> holders_;  // sets that have the index, the result's among them
    std::vector<std::vector<std::int32_t>> lists_;  // of each set; some are summed by now
    memberships members_;
    std::vector<scored_entry> entries_;
    order_score score_;
};

}  // namespace

order_score score_of(const path::hypergraph& network, std::span<const ssa_pair> products,
                     std::span<const path::slice> slices) {
    scorer s(network, products.size(), slices);
    for (const ssa_pair& pair : products) s.multiply(pair);
    return s.score();
}

}  // namespace ricci::networks
