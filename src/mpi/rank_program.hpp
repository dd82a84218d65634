// What a rank runs of a program whose indices are shared out, one after another.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <ricci/array.hpp>

#include "src/placement/local_request.hpp"
#include "src/placement/placed_program.hpp"

namespace ricci::mpi {

class rank_program {
public:
    virtual ~rank_program() = default;
    /// All ranks call this at a time. `wrong` is what has failed, in words: who has failed goes on
    /// exchanging, so that nobody waits for it.
    virtual void run(std::string& wrong) = 0;
    virtual std::string explain() const = 0;
    virtual std::int64_t bytes_sent() const = 0;
};

/// The next shared letter carried out.
class shared_program final : public rank_program {
public:
    /// By shared letter, the communicator of the ranks that differ in its places alone.
    shared_program(sharing_request request, rank_memory memory, const std::vector<MPI_Comm>& comms);
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
