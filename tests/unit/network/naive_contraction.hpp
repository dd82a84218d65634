// A network contracted two tensors at a time by plain loops: what other ways to run it are compared
// with.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <ricci/network.hpp>

namespace ricci::testing {

/// T is the element type: double or std::complex<double>.
template <class T>
class naive_contraction {
public:
    explicit naive_contraction(const network& n) : network_(n) {
        for (std::size_t k = 0; k < n.size(); ++k)
            for (const std::int64_t i : distinct(n.indices(k))) ++holders_[i];
        for (const std::int64_t i : n.kept()) ++holders_[i];
    }

    /// The result, row-major in the order of the kept indices.
    std::vector<T> run(const std::vector<std::pair<std::size_t, std::size_t>>& ssa) {
        std::vector<tensor_values> entries;
        for (std::size_t k = 0; k < network_.size(); ++k) entries.push_back(operand(k));
        for (const auto& [a, b] : ssa) {
            entries.push_back(product(entries[a], entries[b]));
            entries[a] = entries[b] = {};
        }
        return sum(network_.kept(), {&entries.back()}).values;
    }
    /// In the order in which the tensors were added.
    std::vector<T> run() {
        std::vector<std::pair<std::size_t, std::size_t>> ssa;
        for (std::size_t k = 1; k < network_.size(); ++k)
            ssa.emplace_back(k == 1 ? 0 : network_.size() + k - 2, k);
        return run(ssa);
    }

private:
    using index_numbers = std::vector<std::int64_t>;
    // Of distinct indices, row-major.
    struct tensor_values {
        index_numbers indices;
        std::vector<T> values;
    };

    static index_numbers distinct(index_numbers list) {
        index_numbers once;
        for (const std::int64_t i : list)
            if (std::find(once.begin(), once.end(), i) == once.end()) once.push_back(i);
        return once;
    }
    // Calls visit(at) for all places of the indices, the last one fastest.
    template <class Visit>
    void for_all_places(const index_numbers& indices, const Visit& visit) const {
        std::map<std::int64_t, std::size_t> at;
        for (const std::int64_t i : indices) {
            at[i] = 0;
            if (network_.extent(i) == 0) return;
        }
        for (;;) {
            visit(at);
            std::size_t k = indices.size();
            while (k > 0 && ++at[indices[k - 1]] == network_.extent(indices[k - 1]))
                at[indices[--k]] = 0;
            if (k == 0) return;
        }
    }
    std::size_t place(const index_numbers& indices,
                      const std::map<std::int64_t, std::size_t>& at) const {
        std::size_t where = 0;
        for (const std::int64_t i : indices) where = where * network_.extent(i) + at.at(i);
        return where;
    }

    // Diagonals are taken, and what nothing else has is summed.
    tensor_values operand(std::size_t k) {
        const array& a = network_.operand(k);
        const index_numbers axes = network_.indices(k);
        tensor_values whole{distinct(axes), {}};
        for_all_places(whole.indices, [&](const auto& at) {
            std::int64_t offset = 0;
            for (std::size_t axis = 0; axis < axes.size(); ++axis)
                offset += a.strides()[axis] * static_cast<std::int64_t>(at.at(axes[axis]));
            whole.values.push_back(static_cast<const T*>(a.data())[offset]);
        });
        index_numbers needed;
        for (const std::int64_t i : whole.indices)
            if (holders_[i] > 1) needed.push_back(i);
        return sum(needed, {&whole});
    }
    tensor_values product(const tensor_values& a, const tensor_values& b) {
        index_numbers needed;
        index_numbers both = a.indices;
        both.insert(both.end(), b.indices.begin(), b.indices.end());
        for (const std::int64_t i : both)
            if (std::count(both.begin(), both.end(), i) == 2) --holders_[i];
        // Each of those was counted down twice, and is in one tensor less.
        for (const std::int64_t i : distinct(both)) {
            if (std::count(both.begin(), both.end(), i) == 2) ++holders_[i];
            if (holders_[i] > 1) needed.push_back(i);
        }
        return sum(needed, {&a, &b});
    }
    tensor_values sum(const index_numbers& kept, const std::vector<const tensor_values*>& factors) {
        tensor_values result{kept, {}};
        std::size_t size = 1;
        for (const std::int64_t i : kept) size *= network_.extent(i);
        result.values.assign(size, T{});
        index_numbers all;
        for (const tensor_values* f : factors)
            all.insert(all.end(), f->indices.begin(), f->indices.end());
        for_all_places(distinct(all), [&](const auto& at) {
            T factor = 1;
            for (const tensor_values* f : factors) factor *= f->values[place(f->indices, at)];
            result.values[place(kept, at)] += factor;
        });
        return result;
    }

    const network& network_;
    std::map<std::int64_t, int> holders_;  // tensors that are left, and the result, with the index
};

}  // namespace ricci::testing
