// Parts of arrays that one rank sends another.
#include "src/mpi/messages.hpp"

#include <algorithm>

#include "src/base/arithmetic.hpp"
#include "src/mpi/collectives.hpp"
#include "src/mpi/folds.hpp"

namespace ricci::mpi {

std::size_t messages::elements_of_piece(const array& a) const {
    return std::clamp<std::size_t>(longest_ / size_of(a.type()), 1, longest);
}

void messages::add(std::vector<message>& list, int other, const array& part) {
    if (part.size() == 0) return;
    const bool in_place = part.is_contiguous();
    list.push_back(
        {other, part, in_place, in_place ? array() : array(part.type(), part.extents())});
    pieces_ += ceil_divide(part.size(), elements_of_piece(part));
    requests_.reserve(pieces_);
}

void messages::start() {
    for (message& m : come_) {
        char* const to = static_cast<char*>(const_cast<void*>(m.moved().data()));
        for_each_piece(m.part.size(), elements_of_piece(m.part), [&](std::size_t at, int count) {
            MPI_Irecv(to + at * size_of(m.part.type()), count, datatype_of(m.part.type()), m.other,
                      tag_, comm_, requests_.add());
        });
    }
    for (message& m : go_) {
        if (!m.in_place) copy_elements(m.part, m.packed);
        const char* const from = static_cast<const char*>(m.moved().data());
        for_each_piece(m.part.size(), elements_of_piece(m.part), [&](std::size_t at, int count) {
            MPI_Isend(from + at * size_of(m.part.type()), count, datatype_of(m.part.type()),
                      m.other, tag_, comm_, requests_.add());
        });
    }
    for (auto& [from, to] : own_) copy_elements(from, to);
}

void messages::finish() {
    requests_.finish();
    for (message& m : come_)
        if (!m.in_place) copy_elements(m.packed, m.part);
}

std::int64_t messages::bytes_sent() const {
    std::size_t bytes = 0;
    for (const message& m : go_) bytes += m.part.size() * size_of(m.part.type());
    return static_cast<std::int64_t>(bytes);
}

}  // namespace ricci::mpi
