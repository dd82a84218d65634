// From a list of operations to programs that a rank runs, and what ranks do together between them.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <ricci/engine/executable.hpp>
#include <ricci/ir/program.hpp>

#include "src/placement/placement.hpp"

namespace ricci::mpi {

/// An exchange: which one of which stage.
struct exchange_place {
    std::size_t stage = 0, number = 0;
    friend auto operator<=>(const exchange_place&, const exchange_place&) = default;
};

/// Equations of which none waits for another rank, and what ranks exchange after them.
struct stage {
    ir::program program;             // of this rank; without equations where it has nothing to do
    std::vector<ir::ref> equations;  // in the text: those that are computed
    struct tensor {
        ir::ref name;  // in `program`
        ir::ref of;    // in the workbench
    };
    std::vector<tensor> reads;                  // what has been made before
    std::vector<tensor> writes;                 // what is needed afterwards
    std::vector<engine::index_extent> extents;  // by index
    std::vector<ir::ref> names, letters;        // by name and by index: which one of the workbench
    std::vector<operation> exchanges;           // that begin when this is done; own places: before
    std::vector<exchange_place> waits;          // for what has to be there first
    std::vector<std::vector<exchange_place>> exchange_waits;  // by exchange: the same
    bool whole = false;  // where what is whole is apart: it is computed once for all blocks
};

/// What a rank does of stages, in order, in a run and on paper: wait(exchange) before what reads
/// what that brings, compute(stage), begin(exchange).
template <class Wait, class Compute, class Begin>
void walk_stages(const std::vector<stage>& stages, const Wait& wait, const Compute& compute,
                 const Begin& begin) {
    for (std::size_t k = 0; k < stages.size(); ++k) {
        const stage& s = stages[k];
        // numbers are counted anew before the equations of a stage, which read them
        const auto begin_all = [&](bool before) {
            for (std::size_t e = 0; e < s.exchanges.size(); ++e) {
                const bool counts = s.exchanges[e].exchange.kind == exchange_kind::own_places;
                if (counts != before) continue;
                for (const exchange_place& other : s.exchange_waits[e]) wait(other);
                begin(exchange_place{k, e});
            }
        };
        for (const exchange_place& other : s.waits) wait(other);
        begin_all(true);
        compute(k);
        begin_all(false);
    }
}

struct staged_program {
    std::vector<stage> stages;
    /// Before which stage an exchange is waited for; as many as there are: in the end.
    std::size_t waited_in(const exchange_place& e) const;
    std::vector<ir::ref> stored;          // all that has memory, but inputs and excerpts
    std::map<ir::ref, excerpt> excerpts;  // views of what has memory, by their names
};

/// `outputs`: names of the workbench that have to be stored.
staged_program staged(const workbench& bench, const std::vector<operation>& operations,
                      const std::vector<ir::ref>& outputs);

/// What a tensor is made of that is not stored itself: the places that are stored for it, and the
/// multiplications that make it of them.
struct made_again {
    double places = 0, work = 0;
};
/// Whether a tensor of `own` places, more than anybody else has, is stored all the same: what it is
/// made of takes as much, or making it more than a row of scores does for each place.
inline bool is_stored_rather(const made_again& made, double own) {
    constexpr double most_work = 512;
    return 2 * made.places > own || made.work > most_work * own;
}

/// What this rank has of a name of the workbench.
std::vector<std::int64_t> own_shape(const workbench& bench, ir::ref name);

}  // namespace ricci::mpi
