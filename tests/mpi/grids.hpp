// Programs with several indices shared out over a grid of ranks, compared with the same ones on one.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/mpi/ranks.hpp"

namespace ricci::testing {

/// An operand, and its axis with each shared letter, or -1; none where it has none of them.
struct grid_operand {
    std::string name;
    bindable value;
    std::vector<int> axes = {};
};
/// Outputs that have shared letters.
using output_axes = std::vector<std::pair<std::string, std::vector<int>>>;

/// Ranks along one dimension for each letter.
class dimensions {
public:
    explicit dimensions(std::size_t count) : extents(count, 0), places(count, 0) {
        MPI_Dims_create(ranks_of_world(), static_cast<int>(count), extents.data());
        const std::vector<int> periods(count, 0);
        MPI_Cart_create(MPI_COMM_WORLD, static_cast<int>(count), extents.data(), periods.data(), 0,
                        &comm);
        MPI_Cart_coords(comm, rank_of_world(), static_cast<int>(count), places.data());
    }
    ~dimensions() { MPI_Comm_free(&comm); }
    dimensions(const dimensions&) = delete;
    dimensions& operator=(const dimensions&) = delete;

    /// This rank's part of what has the letters in these axes, or in -1.
    array part(array whole, const std::vector<int>& axes, cut how, int blocks = 0) const {
        for (std::size_t k = 0; k < axes.size(); ++k) {
            if (axes[k] < 0) continue;
            const auto axis = static_cast<std::size_t>(axes[k]);
            const auto ranks = static_cast<std::size_t>(extents[k]);
            whole = part_of_rank(whole, axis,
                                 blocks > 0 ? mpi::parts_of(whole.extent(axis), extents[k], blocks)
                                            : counts_of(whole.extent(axis), how, ranks),
                                 static_cast<std::size_t>(places[k]));
        }
        return whole;
    }

    std::vector<int> extents, places;
    MPI_Comm comm = MPI_COMM_NULL;
};

/// Runs a program on all ranks and by itself, and compares all outputs. Gives what explain() says.
inline std::string check_on_grid(const program& p, const std::vector<std::string>& letters,
                                 const std::vector<grid_operand>& operands,
                                 const output_axes& shared, cut how = cut::even,
                                 const mpi::run_options& together = {}) {
    const dimensions grid(letters.size());
    const int blocks = together.reproducible ? together.blocks : 0;
    std::vector<named> whole, mine;
    for (const grid_operand& o : operands) {
        whole.push_back({o.name, o.value});
        mine.push_back({o.name, o.value});
        if (o.value.kind() == ricci::detail::operand_kind::tensor)
            mine.back().value = grid.part(o.value.value(), o.axes, how, blocks);
    }
    const arrays expected = run(p, whole);
    auto step = mpi::prepare(grid.comm, p, letters, mine, {}, together);
    if (how == cut::even && blocks == 0 && rank_of_world() == 0)
        CHECK(bytes_on_paper(p, letters, grid.extents, whole) == step.bytes_sent());
    for (int k = 0; k < 2; ++k) {
        take_counted_bytes();
        step();
        CHECK(take_counted_bytes() == step.bytes_sent());
        for (const auto& [name, value] : expected) {
            array wanted = value;
            for (const auto& [output, axes] : shared)
                if (output == name) wanted = grid.part(value, axes, how, blocks);
            INFO(name << " on rank " << rank_of_world() << "\n" << step.explain());
            CHECK(largest_difference(step[name], wanted) < 1e-11);
        }
    }
    return step.explain();
}

}  // namespace ricci::testing
