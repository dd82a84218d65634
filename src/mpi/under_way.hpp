// Exchanges that have begun and are not done: MPI goes on with them where it is called.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "src/mpi/collectives.hpp"

namespace ricci::mpi {

class exchanges_under_way {
public:
    /// For one more: a run allocates nothing.
    void make_room() { list_.reserve(++most_); }
    void start(collective& c) {
        c.start();
        list_.push_back(&c);
    }
    /// Nothing where it is not under way.
    void finish(collective& c) {
        const auto found = std::find(list_.begin(), list_.end(), &c);
        if (found == list_.end()) return;
        list_.erase(found);
        c.finish();
    }
    void poll() {
        for (collective* const c : list_) c->poll();
    }

private:
    std::vector<collective*> list_;
    std::size_t most_ = 0;
};

}  // namespace ricci::mpi
