// The grids of ranks that are looked at, and the indices that may be shared out over them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ricci/program.hpp>

namespace ricci::mpi {

/// A letter, and the most places that an operand or a result has of it.
struct letter_places {
    std::string letter;
    std::int64_t extent = 1;
};

/// The letters of a program that can be shared out, and of which there is something to share.
std::vector<letter_places> letters_to_share(const program& p, const std::vector<named>& shapes);

/// How many of `ranks` take part: all, or one of the next few counts above a half of them that
/// divide into small factors.
std::vector<int> counts_of_ranks(int ranks);

/// Every way to write `count` as a product of extents of at least 2, one for each letter, of which
/// none is larger than there are places.
template <class Visit>
void for_each_grid(int count, const std::vector<letter_places>& letters, const Visit& visit,
                   std::vector<int> begun = {}) {
    const std::size_t k = begun.size();
    if (k + 1 == letters.size()) {
        if (count < 2 || count > letters[k].extent) return;
        begun.push_back(count);
        return visit(begun);
    }
    for (int extent = 2; extent <= count / 2; ++extent) {
        if (count % extent != 0 || extent > letters[k].extent) continue;
        begun.push_back(extent);
        for_each_grid(count / extent, letters, visit, begun);
        begun.pop_back();
    }
}

}  // namespace ricci::mpi
