// A network without what zeros in its tensors make worth nothing: the same products of smaller
// tensors, which are views of the whole ones.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <ricci/array.hpp>

#include "src/network/index_places.hpp"
#include "src/network/network_data.hpp"

namespace ricci::networks {

class reduced_network {
public:
    /// Throws ricci::error where a fact is none about this network, or its values are others.
    reduced_network(const network_data& n, std::span<const zero_fact> facts);

    /// Its tensors, in their order, over the indices that are roots, with the numbers that these
    /// have in the whole network; the roots of the kept indices are kept.
    const network_data& data() const { return data_; }

    /// What is left of another tensor in the place of number k, of its shape. Throws ricci::error
    /// where its values are not as the facts say.
    array left_of(std::size_t operand, const array& value) const;
    /// Whether a tensor has the shape of number k.
    bool has_shape_of(std::size_t operand, const array& value) const;

    /// A result of the whole network, zeroed, and what is left of it, row-major, put into it.
    array whole_result(element type) const;
    void put(const array& result, array& whole) const;

private:
    /// A fact with the places of its tensor's axes when it was found.
    struct placed_fact {
        zero_fact fact;
        std::vector<place_of_root> axes;
    };

    void take_up(const network_data& n, const zero_fact& fact, index_places& places);
    void check(std::size_t operand, const array& value) const;

    network_data data_;
    std::vector<std::vector<placed_fact>> facts_;   // of each tensor
    std::vector<std::vector<place_of_root>> axes_;  // of each tensor, after all facts
    std::vector<std::vector<std::size_t>> extents_;
    std::vector<place_of_root> kept_;
    std::vector<std::size_t> kept_extents_;
};

}  // namespace ricci::networks
