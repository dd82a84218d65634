// Elements by the billion, as one of MPI's.
#include "src/mpi/long_types.hpp"

#include <initializer_list>

namespace ricci::mpi {

MPI_Datatype contiguous_type(std::size_t elements, MPI_Datatype of, std::size_t most) {
    MPI_Datatype made = MPI_DATATYPE_NULL;
    if (elements <= most) {
        MPI_Type_contiguous(static_cast<int>(elements), of, &made);
        return made;
    }
    // pieces, one behind the other, and what is left
    MPI_Datatype piece = contiguous_type(most, of, most), pieces = MPI_DATATYPE_NULL;
    pieces = contiguous_type(elements / most, piece, most);
    MPI_Datatype rest = contiguous_type(elements % most, of, most);
    MPI_Aint low = 0, size = 0;
    MPI_Type_get_extent(of, &low, &size);
    const int lengths[] = {1, 1};
    const MPI_Aint places[] = {0, size * static_cast<MPI_Aint>(elements - elements % most)};
    const MPI_Datatype types[] = {pieces, rest};
    MPI_Type_create_struct(2, lengths, places, types, &made);
    for (MPI_Datatype* const t : {&piece, &pieces, &rest}) MPI_Type_free(t);
    return made;
}

}  // namespace ricci::mpi
