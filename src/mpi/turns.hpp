// What is next to be done, for whichever rank is free.
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdint>

namespace ricci::mpi {

/// A number that all ranks count up: rank 0 has it, and the others reach it without its help.
class turns {
public:
    /// All ranks make it, and end it, at a time.
    turns(MPI_Comm comm, std::int64_t count);
    ~turns();
    turns(const turns&) = delete;
    turns& operator=(const turns&) = delete;

    /// The next turn, or -1 where there is none.
    std::int64_t next();
    /// Nobody has a turn after this.
    void end();
    /// How many turns have been taken, or -1 after end().
    std::int64_t taken();
    /// As taken(), but asks no more than a few times a second. Where MPI lets a rank answer others
    /// only while it is in one of MPI's functions, this is one.
    std::int64_t taken_about_now();

private:
    std::int64_t add(std::int64_t more);

    MPI_Comm comm_;
    MPI_Win window_ = MPI_WIN_NULL;
    std::int64_t count_ = 0, known_ = 0;
    std::chrono::steady_clock::time_point asked_;
};

}  // namespace ricci::mpi
