// The nearest point as FAISS finds it, by way of all squared distances: a peer of bench_pairs, where
// it was found when this was built.
#pragma once

#include <cstddef>
#include <memory>

#include "bench/pairs_loops.hpp"

namespace ricci::bench {

class faiss_nearest {
public:
    explicit faiss_nearest(int threads);
    ~faiss_nearest();
    faiss_nearest(const faiss_nearest&) = delete;
    faiss_nearest& operator=(const faiss_nearest&) = delete;

    static bool exists();
    /// The nearest of the points z to each point x, of `width` coordinates. The index of z is made
    /// in the first run.
    void run(const pairs_memory&, std::size_t width);

private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace ricci::bench
