// MPI's profiling interface: what is handed to collectives is counted on its way.
#include <mpi.h>

#include <cstdint>

#include "tests/mpi/counted_mpi.hpp"

namespace {

std::int64_t counted = 0;

void count(int elements, MPI_Datatype type) {
    int size = 0;
    PMPI_Type_size(type, &size);
    counted += static_cast<std::int64_t>(elements) * size;
}

}  // namespace

std::int64_t ricci::testing::take_counted_bytes() {
    const std::int64_t bytes = counted;
    counted = 0;
    return bytes;
}

extern "C" {

int MPI_Allreduce(const void* from, void* to, int elements, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
    count(elements, type);
    return PMPI_Allreduce(from, to, elements, type, op, comm);
}

int MPI_Iallreduce(const void* from, void* to, int elements, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Request* request) {
    count(elements, type);
    return PMPI_Iallreduce(from, to, elements, type, op, comm, request);
}

int MPI_Iallgatherv(const void* from, int elements, MPI_Datatype type, void* to,
                    const int* to_elements, const int* first, MPI_Datatype to_type, MPI_Comm comm,
                    MPI_Request* request) {
    count(elements, type);
    return PMPI_Iallgatherv(from, elements, type, to, to_elements, first, to_type, comm, request);
}

int MPI_Ireduce_scatter(const void* from, void* to, const int* elements, MPI_Datatype type,
                        MPI_Op op, MPI_Comm comm, MPI_Request* request) {
    int ranks = 1;
    PMPI_Comm_size(comm, &ranks);
    for (int r = 0; r < ranks; ++r) count(elements[r], type);
    return PMPI_Ireduce_scatter(from, to, elements, type, op, comm, request);
}

int MPI_Alltoall(const void* from, int elements, MPI_Datatype type, void* to, int to_elements,
                 MPI_Datatype to_type, MPI_Comm comm) {
    int ranks = 1;
    PMPI_Comm_size(comm, &ranks);
    count(elements * ranks, type);
    return PMPI_Alltoall(from, elements, type, to, to_elements, to_type, comm);
}

int MPI_Alltoallv(const void* from, const int* elements, const int* first, MPI_Datatype type,
                  void* to, const int* to_elements, const int* to_first, MPI_Datatype to_type,
                  MPI_Comm comm) {
    int ranks = 1;
    PMPI_Comm_size(comm, &ranks);
    for (int r = 0; r < ranks; ++r) count(elements[r], type);
    return PMPI_Alltoallv(from, elements, first, type, to, to_elements, to_first, to_type, comm);
}

int MPI_Isend(const void* from, int elements, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
    count(elements, type);
    return PMPI_Isend(from, elements, type, to, tag, comm, request);
}

}  // extern "C"
