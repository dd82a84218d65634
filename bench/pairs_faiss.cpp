// FAISS beside bench_pairs.
#include "bench/pairs_faiss.hpp"

#ifdef RICCI_BENCH_FAISS
#include <cstdint>
#include <vector>

#include <faiss/IndexFlat.h>
#include <omp.h>

namespace ricci::bench {

struct faiss_nearest::state {
    std::unique_ptr<faiss::IndexFlatL2> index;
    std::vector<float> distances;
    std::vector<std::int64_t> places;
};

faiss_nearest::faiss_nearest(int threads) : state_(std::make_unique<state>()) {
    omp_set_num_threads(threads);
}
bool faiss_nearest::exists() { return true; }

void faiss_nearest::run(const pairs_memory& m, std::size_t width) {
    auto& s = *state_;
    if (s.index == nullptr) {
        s.index = std::make_unique<faiss::IndexFlatL2>(static_cast<std::int64_t>(width));
        s.index->add(static_cast<std::int64_t>(m.columns), m.z);
        s.distances.resize(m.rows);
        s.places.resize(m.rows);
    }
    s.index->search(static_cast<std::int64_t>(m.rows), m.x, 1, s.distances.data(), s.places.data());
}

#else
namespace ricci::bench {

struct faiss_nearest::state {};
faiss_nearest::faiss_nearest(int) {}
bool faiss_nearest::exists() { return false; }
void faiss_nearest::run(const pairs_memory&, std::size_t) {}
#endif

faiss_nearest::~faiss_nearest() = default;

}  // namespace ricci::bench
