// What a rank runs of a program whose indices are shared out, one after another.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <ricci/array.hpp>
#include <ricci/mpi.hpp>

#include "src/mpi/collectives.hpp"
#include "src/mpi/under_way.hpp"
#include "src/placement/local_request.hpp"
#include "src/placement/placed_program.hpp"

namespace ricci::mpi {

class rank_program {
public:
    virtual ~rank_program() = default;
    /// All ranks call this at a time. `wrong` is what has failed, in words: who has failed goes on
    /// exchanging, so that nobody waits for it.
    virtual void run(std::string& wrong) = 0;
    /// Other memory, with the same extents and strides, of some inputs that `moving` names.
    virtual void bind(const rank_memory& moved) = 0;
    virtual std::string explain() const = 0;
    virtual std::int64_t bytes_sent() const = 0;
    /// By shared letter: over whose ranks an output is yet to be added up.
    virtual std::vector<std::size_t> waits(std::size_t) const { return {}; }
};

/// What all programs of a run have in common.
struct rank_context {
    /// By shared letter, the communicator of the ranks that differ in its places alone.
    std::vector<MPI_Comm> comms;
    run_options options;
    exchanges_under_way under_way = {};
    std::vector<int> tags = {};  // by shared letter, that have been given: the same on these ranks

    exchange_settings settings_of(std::size_t letter) {
        tags.resize(comms.size(), 0);
        // each has two, and there are 2^15 at least; 0 is of what is done at once
        const int tag = 2 + 2 * (tags[letter]++ % ((1 << 14) - 1));
        return {comms[letter], options.longest_message, tag};
    }
};

/// The next shared letter carried out.
class letter_program : public rank_program {
public:
    /// In the order of the request's outputs.
    virtual const array& output(std::size_t k) const = 0;
};
std::unique_ptr<letter_program> program_of_letter(sharing_request request, rank_memory memory,
                                                  rank_context& context);
/// In blocks, whose results are the same bits on any number of ranks.
std::unique_ptr<letter_program> program_in_blocks(sharing_request request, rank_memory memory,
                                                  rank_context& context);

/// Runs it; what it says has failed is said of the whole tensors of `placed`.
void run_step(rank_program& step, const placed_program& placed, std::string& wrong);
/// A line of explain(), or nothing where nothing is sent.
std::string words_of_exchange(const placed_program& placed, const exchange_place& which,
                              std::int64_t bytes);

/// What a stage computes: the next letter shared out, or what the engine runs. Refers to all.
std::unique_ptr<rank_program> program_of_stage(const placed_program& placed, const stage& s,
                                               rank_memory memory, rank_context& context);

}  // namespace ricci::mpi
