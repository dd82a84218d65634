// What is next to be done, for whichever rank is free.
#include "src/mpi/turns.hpp"

#include <algorithm>

namespace ricci::mpi {
namespace {

constexpr std::int64_t ended = std::int64_t{1} << 60;  // beyond any number of turns

}  // namespace

turns::turns(MPI_Comm comm, std::int64_t count) : comm_(comm), count_(count) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    std::int64_t* counter = nullptr;
    const MPI_Aint bytes = rank == 0 ? sizeof(std::int64_t) : 0;
    MPI_Win_allocate(bytes, sizeof(std::int64_t), MPI_INFO_NULL, comm, &counter, &window_);
    MPI_Win_lock_all(0, window_);
    if (rank == 0) {
        const std::int64_t none = 0;
        std::int64_t before = 0;
        MPI_Fetch_and_op(&none, &before, MPI_INT64_T, 0, 0, MPI_REPLACE, window_);
        MPI_Win_flush(0, window_);
    }
    MPI_Barrier(comm);
}

turns::~turns() {
    MPI_Barrier(comm_);  // rank 0 answers until the last one has asked
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
}

std::int64_t turns::add(std::int64_t more) {
    std::int64_t before = 0;
    MPI_Fetch_and_op(&more, &before, MPI_INT64_T, 0, 0, more == 0 ? MPI_NO_OP : MPI_SUM, window_);
    MPI_Win_flush(0, window_);
    return before;
}

std::int64_t turns::next() {
    const std::int64_t turn = add(1);
    return turn < count_ ? turn : -1;
}

void turns::end() { add(ended); }

std::int64_t turns::taken() {
    const std::int64_t now = add(0);
    return now >= ended ? -1 : std::min(now, count_);
}

std::int64_t turns::taken_about_now() {
    int there = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &there, MPI_STATUS_IGNORE);
    const auto now = std::chrono::steady_clock::now();
    if (now - asked_ < std::chrono::milliseconds(100)) return known_;
    asked_ = now;
    return known_ = taken();
}

}  // namespace ricci::mpi
