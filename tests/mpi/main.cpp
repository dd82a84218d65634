// Every rank runs all tests; a failure of any of them is one of all.
#define CATCH_CONFIG_RUNNER
#include <mpi.h>

#include <ricci/engine/executable.hpp>

#include "tests/catch.hpp"

int main(int count, char** words) {
    MPI_Init(&count, &words);
    ricci::engine::set_threads(1);
    const int failed = Catch::Session().run(count, words);
    int all = 0;
    MPI_Allreduce(&failed, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return all == 0 ? 0 : 1;
}
