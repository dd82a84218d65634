// Which places ranks ask each other for.
#include "src/mpi/asked_places.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/core.h>

#include <ricci/error.hpp>

#include "src/mpi/place_numbers.hpp"

namespace ricci::mpi {
namespace {

void find_first(asked_places::segments& s) {
    std::exclusive_scan(s.counts.begin(), s.counts.end(), s.first.begin(), 0);
}

}  // namespace

asked_places::asked_places(MPI_Comm comm, const array& from, const array& to,
                           const distribution& parts)
    : comm_(comm),
      from_(from),
      to_(to),
      packed_(from.type(), from.extents()),
      parts_(parts),
      numbers_(from.size()),
      last_(from.size()),
      order_(from.size()) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    me_ = static_cast<std::size_t>(rank);
    constexpr auto most = static_cast<std::int64_t>(std::numeric_limits<int>::max());
    if (parts.total() > most)
        throw error(fmt::format(
            "ricci: {} places of a shared-out index are looked up; MPI counts up to {}.",
            parts.total(), most));
    places_.reserve(static_cast<std::size_t>(
        std::min<std::int64_t>(static_cast<std::int64_t>(from.size()), parts.total())));
    for (segments* const s : {&mine_, &others_}) {
        s->counts.resize(parts.counts.size());
        s->first.resize(parts.counts.size());
    }
    sent_counts_.resize(parts.counts.size());
}

// What others ask for is told to them in every run; whose places are asked for is only found again
// where numbers are others than in the last one.
void asked_places::start() {
    copy_elements(from_, packed_);
    with_numbers(packed_.type(), packed_.data(),
                 [&](auto* numbers) { std::copy_n(numbers, numbers_.size(), numbers_.begin()); });
    if (is_fresh_ || numbers_ != last_) {
        renumber();
        find_owners();
        std::copy(numbers_.begin(), numbers_.end(), last_.begin());
        is_fresh_ = false;
    }
    MPI_Alltoall(sent_counts_.data(), 1, MPI_INT, others_.counts.data(), 1, MPI_INT, comm_);
    find_first(others_);
    asked_.resize(others_.total());
    MPI_Alltoallv(places_.data(), sent_counts_.data(), mine_.first.data(), MPI_INT64_T,
                  asked_.data(), others_.counts.data(), others_.first.data(), MPI_INT64_T, comm_);
    const std::int64_t sent =
        std::accumulate(sent_counts_.begin(), sent_counts_.end(), std::int64_t{0});
    sent_ = static_cast<std::int64_t>(sent_counts_.size() * sizeof(int)) +
            sent * static_cast<std::int64_t>(sizeof(std::int64_t));
}

void asked_places::renumber() {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
        return std::pair(numbers_[a], a) < std::pair(numbers_[b], b);
    });
    const std::int64_t all = parts_.total();
    places_.clear();
    for (const std::size_t k : order_) {
        const std::int64_t place = numbers_[k];
        if (place < 0 || place >= all) {
            write_number(to_, k, place);
            continue;
        }
        if (places_.empty() || places_.back() != place) places_.push_back(place);
        write_number(to_, k, static_cast<std::int64_t>(places_.size()) - 1);
    }
}

// Places become those of the ranks that have them.
void asked_places::find_owners() {
    std::fill(mine_.counts.begin(), mine_.counts.end(), 0);
    std::size_t owner = 0;
    std::int64_t before = 0;
    for (std::int64_t& place : places_) {
        while (place >= before + parts_.counts[owner]) before += parts_.counts[owner++];
        ++mine_.counts[owner];
        place -= before;
    }
    find_first(mine_);
    sent_counts_ = mine_.counts;
    sent_counts_[me_] = 0;
}

}  // namespace ricci::mpi
