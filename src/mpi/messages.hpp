// Parts of arrays that one rank sends another.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <ricci/array.hpp>

namespace ricci::mpi {

/// What MPI is asked for, and has not done yet.
class requests {
public:
    /// Adding as many allocates nothing.
    void reserve(std::size_t count) { list_.reserve(count); }
    MPI_Request* add() { return &list_.emplace_back(MPI_REQUEST_NULL); }
    /// Whether all is done; lets MPI go on with it.
    bool poll() {
        int done = 1;
        MPI_Testall(static_cast<int>(list_.size()), list_.data(), &done, MPI_STATUSES_IGNORE);
        return done != 0;
    }
    void finish() {
        MPI_Waitall(static_cast<int>(list_.size()), list_.data(), MPI_STATUSES_IGNORE);
        list_.clear();
    }

private:
    std::vector<MPI_Request> list_;
};

/// Messages that go and come together, again and again. Those between two ranks are in one order on
/// both, and of one length; a tag tells them from others that are under way. What does not lie
/// row-major is packed, what is long goes in pieces, and what has no elements is left out.
class messages {
public:
    messages(MPI_Comm comm, int tag, std::size_t longest_bytes)
        : comm_(comm), tag_(tag), longest_(longest_bytes) {}

    void send(int to, const array& what) { add(go_, to, what); }
    void receive(int from, const array& to) { add(come_, from, to); }
    /// From this rank to itself.
    void copy(const array& from, const array& to) {
        if (from.size() > 0) own_.emplace_back(from, to);
    }

    void start();
    bool poll() { return requests_.poll(); }
    void finish();
    std::int64_t bytes_sent() const;

private:
    struct message {
        int other;
        array part;
        bool in_place;
        array packed;  // where the part itself does not lie row-major
        const array& moved() const { return in_place ? part : packed; }
    };
    void add(std::vector<message>& list, int other, const array& part);
    std::size_t elements_of_piece(const array& a) const;

    MPI_Comm comm_;
    int tag_;
    std::size_t longest_;
    std::vector<std::pair<array, array>> own_;
    std::vector<message> come_, go_;
    mpi::requests requests_;
    std::size_t pieces_ = 0;
};

}  // namespace ricci::mpi
