// What ranks do together, in MPI's words.
#include "src/mpi/collectives.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <ricci/error.hpp>

#include "src/mpi/folds.hpp"
#include "src/mpi/long_types.hpp"
#include "src/mpi/messages.hpp"

namespace ricci::mpi {
namespace {

const char* bytes(const array& a) { return static_cast<const char*>(a.data()); }

void copy_axes(const char* from, char* to, const array& a, const array& b, std::size_t axis) {
    const std::size_t size = size_of(a.type());
    if (axis == a.rank()) {
        std::memcpy(to, from, size);
        return;
    }
    const auto step = a.strides()[axis] * static_cast<std::int64_t>(size);
    const auto step_to = b.strides()[axis] * static_cast<std::int64_t>(size);
    const std::size_t count = a.extent(axis);
    if (axis + 1 == a.rank() && a.strides()[axis] == 1 && b.strides()[axis] == 1 && count > 0) {
        std::memcpy(to, from, count * size);
        return;
    }
    for (std::size_t k = 0; k < count; ++k, from += step, to += step_to)
        copy_axes(from, to, a, b, axis + 1);
}

/// An array whose memory begins at an element of another one, row-major.
array row_major_at(array& memory, std::size_t offset, std::span<const std::size_t> extents) {
    std::vector<std::int64_t> strides(extents.size());
    std::int64_t step = 1;
    for (std::size_t k = extents.size(); k-- > 0;) {
        strides[k] = step;
        step *= static_cast<std::int64_t>(extents[k]);
    }
    char* const first = static_cast<char*>(memory.data()) + offset * size_of(memory.type());
    return array::over(nullptr, memory.type(), first, extents, strides);
}

}  // namespace

void copy_elements(const array& from, array& to) {
    if (from.size() > 0) copy_axes(bytes(from), static_cast<char*>(to.data()), from, to, 0);
}

array part_of(const array& whole, std::size_t axis, std::int64_t before, std::int64_t count) {
    std::vector<std::size_t> extents(whole.extents().begin(), whole.extents().end());
    extents[axis] = static_cast<std::size_t>(count);
    const char* const first = bytes(whole) + before * whole.strides()[axis] *
                                                 static_cast<std::int64_t>(size_of(whole.type()));
    // the copy keeps the memory
    return array::over(std::make_shared<array>(whole), whole.type(), const_cast<char*>(first),
                       extents, whole.strides(), whole.is_writable());
}

namespace {

class all_reduction final : public collective {
public:
    all_reduction(const exchange_settings& s, const array& from, const array& to, fold how)
        : comm_(s.comm),
          from_(from),
          to_(to),
          op_(from.type(), how),
          most_(std::clamp<std::size_t>(s.longest_bytes / size_of(from.type()), 1, longest)) {
        requests_.reserve(from.size() / most_ + 1);
    }

    void start() override {
        const std::size_t size = size_of(from_.type());
        for_each_piece(from_.size(), most_, [&](std::size_t k, int count) {
            MPI_Iallreduce(bytes(from_) + k * size, static_cast<char*>(to_.data()) + k * size,
                           count, datatype_of(from_.type()), op_.get(), comm_, requests_.add());
        });
    }
    void poll() override { requests_.poll(); }
    void finish() override { requests_.finish(); }

private:
    MPI_Comm comm_;
    array from_, to_;
    fold_operation op_;
    std::size_t most_;
    requests requests_;
};

/// Rank by rank, where its places of an axis are in what MPI sends. What lies at one place is one
/// element for MPI, so that its counts and displacements are those of places.
class places_of_ranks {
public:
    places_of_ranks(const array& whole, std::size_t axis, const distribution& parts)
        : whole_(whole), axis_(axis), parts_(parts) {
        for (std::size_t k = 0; k < whole.rank(); ++k)
            if (k != axis) inside_ *= whole.extent(k);
        constexpr auto most = static_cast<std::size_t>(std::numeric_limits<int>::max());
        if (whole.extent(axis) > most)
            throw error(
                fmt::format("ricci: {} places of the shared-out index are exchanged; MPI counts up "
                            "to {}.",
                            whole.extent(axis), most));
        int before = 0;
        for (const std::int64_t count : parts.counts) {
            counts.push_back(static_cast<int>(count));
            first.push_back(before);
            before += counts.back();
        }
        type_ = contiguous_type(inside_, datatype_of(whole.type()));
        MPI_Type_commit(&type_);
    }
    ~places_of_ranks() {
        int ended = 0;
        MPI_Finalized(&ended);
        if (!ended) MPI_Type_free(&type_);
    }
    places_of_ranks(const places_of_ranks&) = delete;
    places_of_ranks& operator=(const places_of_ranks&) = delete;

    MPI_Datatype type() const { return type_; }
    std::size_t bytes_of_place() const { return inside_ * size_of(whole_.type()); }
    /// Each rank's part in the array, and the same in memory that has one part behind the other.
    std::vector<std::pair<array, array>> packed_parts(array& packed) const {
        std::vector<std::pair<array, array>> all;
        for (std::size_t r = 0; r < counts.size(); ++r) {
            const int rank = static_cast<int>(r);
            const array part = part_of(whole_, axis_, parts_.before(rank), parts_.of(rank));
            all.emplace_back(
                part,
                row_major_at(packed, static_cast<std::size_t>(first[r]) * inside_, part.extents()));
        }
        return all;
    }

    std::vector<int> counts, first;

private:
    const array& whole_;
    std::size_t axis_;
    const distribution& parts_;
    std::size_t inside_ = 1;
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

class gathering final : public collective {
public:
    gathering(const exchange_settings& s, const array& from, const array& to, std::size_t axis,
              const distribution& parts)
        : comm_(s.comm),
          from_(from),
          to_(to),
          is_packed_(from.is_contiguous()),
          parts_(parts),
          places_(to_, axis, parts_) {
        if (!is_packed_) mine_ = array(from_.type(), from_.extents());
        int rank = 0;
        MPI_Comm_rank(comm_, &rank);
        me_ = static_cast<std::size_t>(rank);
        find_rounds(s.longest_bytes);
        if (axis == 0) return;
        packed_ = array(to_.type(), to_.extents());
        blocks_ = places_.packed_parts(packed_);
    }

    void start() override {
        if (!is_packed_) copy_elements(from_, mine_);
        const char* const mine = is_packed_ ? bytes(from_) : bytes(mine_);
        for (const round& r : rounds_)
            MPI_Iallgatherv(mine + static_cast<std::size_t>(r.first[me_] - places_.first[me_]) *
                                       places_.bytes_of_place(),
                            r.counts[me_], places_.type(),
                            blocks_.empty() ? to_.data() : packed_.data(), r.counts.data(),
                            r.first.data(), places_.type(), comm_, requests_.add());
    }
    void poll() override { requests_.poll(); }
    void finish() override {
        requests_.finish();
        for (auto& [there, block] : blocks_) copy_elements(block, there);
    }

private:
    /// What is gathered at a time: of each rank so many of its places, from its `first` on.
    struct round {
        std::vector<int> counts, first;
    };
    void find_rounds(std::size_t longest_bytes) {
        const std::size_t of_place = std::max<std::size_t>(places_.bytes_of_place(), 1);
        const auto at_a_time = static_cast<int>(std::clamp<std::size_t>(
            longest_bytes / of_place, 1, std::numeric_limits<int>::max() / 2));
        const std::int64_t most = parts_.most();
        for (std::int64_t done = 0; done == 0 || done < most; done += at_a_time) {
            round r;
            for (std::size_t k = 0; k < places_.counts.size(); ++k) {
                const auto before =
                    static_cast<int>(std::min<std::int64_t>(done, places_.counts[k]));
                r.first.push_back(places_.first[k] + before);
                r.counts.push_back(std::min(at_a_time, places_.counts[k] - before));
            }
            rounds_.push_back(std::move(r));
        }
        requests_.reserve(rounds_.size());
    }

    MPI_Comm comm_;
    array from_, to_, mine_, packed_;
    bool is_packed_;
    distribution parts_;
    places_of_ranks places_;
    std::size_t me_ = 0;
    std::vector<round> rounds_;
    std::vector<std::pair<array, array>> blocks_;
    requests requests_;
};

class scattering final : public collective {
public:
    scattering(const exchange_settings& s, const array& from, const array& to, std::size_t axis,
               fold how, const distribution& parts)
        : comm_(s.comm),
          from_(from),
          to_(to),
          op_(from.type(), how),
          parts_(parts),
          places_(from_, axis, parts_) {
        requests_.reserve(1);
        if (axis == 0) return;
        packed_ = array(from_.type(), from_.extents());
        blocks_ = places_.packed_parts(packed_);
    }

    void start() override {
        for (auto& [there, block] : blocks_) copy_elements(there, block);
        MPI_Ireduce_scatter(blocks_.empty() ? bytes(from_) : bytes(packed_), to_.data(),
                            places_.counts.data(), places_.type(), op_.get(), comm_,
                            requests_.add());
    }
    void poll() override { requests_.poll(); }
    void finish() override { requests_.finish(); }

private:
    MPI_Comm comm_;
    array from_, to_, packed_;
    fold_operation op_;
    distribution parts_;
    places_of_ranks places_;
    std::vector<std::pair<array, array>> blocks_;
    requests requests_;
};

}  // namespace

std::unique_ptr<collective> all_reduce(const exchange_settings& s, const array& from,
                                       const array& to, fold how) {
    return std::make_unique<all_reduction>(s, from, to, how);
}
std::unique_ptr<collective> all_gather(const exchange_settings& s, const array& from,
                                       const array& to, std::size_t axis,
                                       const distribution& parts) {
    return std::make_unique<gathering>(s, from, to, axis, parts);
}
std::unique_ptr<collective> reduce_scatter(const exchange_settings& s, const array& from,
                                           const array& to, std::size_t axis, fold how,
                                           const distribution& parts) {
    return std::make_unique<scattering>(s, from, to, axis, how, parts);
}

}  // namespace ricci::mpi
