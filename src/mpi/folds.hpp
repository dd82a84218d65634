// How elements are folded, as operations of MPI.
#pragma once

#include <mpi.h>

#include <cstddef>

#include <ricci/array.hpp>

#include "src/placement/placement.hpp"

namespace ricci::mpi {

MPI_Datatype datatype_of(element type);

/// A fold of elements of a type. NaN goes through maxima and minima, whole numbers wrap.
class fold_operation {
public:
    fold_operation(element type, fold how);
    ~fold_operation();
    fold_operation(const fold_operation&) = delete;
    fold_operation& operator=(const fold_operation&) = delete;
    MPI_Op get() const { return op_; }

private:
    MPI_Op op_ = MPI_OP_NULL;
};

/// to[k] += from[k], as a fold by sum adds.
void add_elements(element type, const void* from, void* to, std::size_t count);
/// `b` = the fold of `a` and `b`, element by element.
void fold_elements(element type, fold how, const void* a, void* b, std::size_t count);

/// Every element is what a fold of nothing is.
void fill_with_nothing(array& a, fold how);

}  // namespace ricci::mpi
