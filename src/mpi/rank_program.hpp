// What a rank runs of a program whose indices are shared out, one after another.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <ricci/array.hpp>
#include <ricci/engine/executable.hpp>

#include "src/mpi/distribution.hpp"
#include "src/mpi/own_letters.hpp"
#include "src/mpi/search.hpp"

namespace ricci::mpi {

/// A shared-out index, and the ranks that differ in its places alone.
struct shared_letter {
    std::string letter;
    MPI_Comm comm = MPI_COMM_NULL;
    mpi::sharing sharing;
};

class rank_program {
public:
    virtual ~rank_program() = default;
    /// All ranks call this at a time. `wrong` is what has failed, in words: who has failed goes on
    /// exchanging, so that nobody waits for it.
    virtual void run(std::string& wrong) = 0;
    virtual std::string explain() const = 0;
    virtual std::int64_t bytes_sent() const = 0;
};

/// A program of which some letters are yet to be shared out. Of these its extents are all places;
/// of those that have been, this rank's.
struct rank_request {
    lettered_program text;
    std::vector<shared_letter>* shared = nullptr;
    std::size_t next = 0;                       // the first one that is yet to be shared out
    std::vector<shared_axes> axes;              // by shared letter, in the text
    std::vector<std::vector<ir::ref>> letters;  // by shared letter: what `origin` says of it
    std::vector<ir::ref> inputs, outputs;
    std::map<ir::ref, array> memory;  // of inputs, and of outputs where it is there
    std::map<ir::ref, engine::number> numbers;
    std::map<ir::ref, detail::memory_watch**> watches;
    element type = element::f64;
    ir::program_view program;      // the caller's, for words,
    std::vector<ir::ref> defined;  // and by name: which tensor of it this is for
};

/// Carries out the next shared letter: stages with exchanges between them, each of which is again
/// such a program.
class shared_program final : public rank_program {
public:
    explicit shared_program(rank_request request);
    ~shared_program() override;

    void run(std::string& wrong) override;
    std::string explain() const override;
    std::int64_t bytes_sent() const override;
    /// In the order of the request's outputs.
    const array& output(std::size_t k) const;

private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace ricci::mpi
