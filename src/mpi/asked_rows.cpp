// What ranks send each other at places that they have asked for.
#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/core.h>

#include <ricci/error.hpp>

#include "src/mpi/asked_places.hpp"
#include "src/mpi/folds.hpp"

namespace ricci::mpi {
namespace {

/// What lies at each place of an axis, as elements side by side.
class rows_along {
public:
    rows_along(const array& a, std::size_t axis)
        : a_(a), base_(static_cast<char*>(const_cast<void*>(std::as_const(a_).data()))) {
        const auto size = static_cast<std::int64_t>(size_of(a.type()));
        step_ = a.strides()[axis] * size;
        run_ = size_of(a.type());
        for (std::size_t k = a.rank(); k-- > 0;) {
            if (k == axis) continue;
            elements_ *= a.extent(k);
            const std::int64_t step = a.strides()[k] * size;
            if (loops_.empty() && step == static_cast<std::int64_t>(run_)) run_ *= a.extent(k);
            else loops_.push_back({a.extent(k), step});
        }
    }
    std::size_t elements() const { return elements_; }
    std::size_t bytes() const { return elements_ * size_of(a_.type()); }
    void read(std::int64_t place, char* to) const {
        walk(base_ + place * step_, loops_.size(), to,
             [this](char* mine, char* other) { std::memcpy(other, mine, run_); });
    }
    void write(std::int64_t place, const char* from) const {
        char* other = const_cast<char*>(from);
        walk(base_ + place * step_, loops_.size(), other,
             [this](char* mine, char* one) { std::memcpy(mine, one, run_); });
    }

private:
    struct loop {
        std::size_t extent;
        std::int64_t step;
    };
    // Of the loops, fastest first, the ones below `depth`.
    template <class Copy>
    void walk(char* mine, std::size_t depth, char*& other, const Copy& copy) const {
        if (depth == 0) {
            copy(mine, other);
            other += run_;
            return;
        }
        const loop& l = loops_[depth - 1];
        for (std::size_t k = 0; k < l.extent; ++k, mine += l.step)
            walk(mine, depth - 1, other, copy);
    }

    array a_;  // keeps the memory
    char* base_;
    std::int64_t step_ = 0;
    std::size_t run_ = 1, elements_ = 1;
    std::vector<loop> loops_;
};

/// A row as one element for MPI, so that its counts are those of places.
class row_type {
public:
    row_type(element type, std::size_t elements) {
        constexpr auto most = static_cast<std::size_t>(std::numeric_limits<int>::max());
        if (elements > most)
            throw error(
                fmt::format("ricci: {} elements at each place of the shared-out index are "
                            "exchanged; MPI counts up to {}.",
                            elements, most));
        MPI_Type_contiguous(static_cast<int>(elements), datatype_of(type), &type_);
        MPI_Type_commit(&type_);
    }
    ~row_type() {
        int ended = 0;
        MPI_Finalized(&ended);
        if (!ended) MPI_Type_free(&type_);
    }
    row_type(const row_type&) = delete;
    row_type& operator=(const row_type&) = delete;
    MPI_Datatype get() const { return type_; }

private:
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

std::int64_t total(const std::vector<int>& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

class row_exchange final : public collective {
public:
    row_exchange(std::shared_ptr<const asked_places> places, const array& from, const array& to,
                 std::size_t axis)
        : places_(std::move(places)),
          from_(from, axis),
          to_(to, axis),
          row_(to.type(), to_.elements()) {}

    void start() override {
        const asked_places::segments &mine = places_->mine(), &others = places_->others();
        const std::size_t size = to_.bytes(), me = places_->rank();
        sent_ = total(others.counts) * static_cast<std::int64_t>(size);
        if (size == 0) return;
        go_.resize(others.total() * size);
        char* out = go_.data();
        for (const std::int64_t place : places_->asked()) {
            from_.read(place, out);
            out += size;
        }
        come_.resize(mine.total() * size);
        MPI_Alltoallv(go_.data(), others.counts.data(), others.first.data(), row_.get(),
                      come_.data(), places_->sent_counts().data(), mine.first.data(), row_.get(),
                      places_->comm());
        const auto first = static_cast<std::size_t>(mine.first[me]);
        for (std::size_t k = 0; k < static_cast<std::size_t>(mine.counts[me]); ++k)
            from_.read(places_->own()[first + k], come_.data() + (first + k) * size);
        for (std::size_t k = 0; k < mine.total(); ++k)
            to_.write(static_cast<std::int64_t>(k), come_.data() + k * size);
    }
    std::int64_t sent() const override { return sent_; }

private:
    std::shared_ptr<const asked_places> places_;
    rows_along from_, to_;
    row_type row_;
    std::vector<char> go_, come_;  // as long as what numbers have asked for
    std::int64_t sent_ = -1;
};

class row_sums final : public collective {
public:
    row_sums(std::shared_ptr<const asked_places> places, const array& from, const array& to)
        : places_(std::move(places)),
          from_(from),
          to_(to),
          elements_(rows_along(to, 0).elements()),
          row_(to.type(), elements_) {}

    void start() override {
        const asked_places::segments &mine = places_->mine(), &others = places_->others();
        const std::size_t size = elements_ * size_of(to_.type());
        sent_ = total(places_->sent_counts()) * static_cast<std::int64_t>(size);
        if (size == 0) return;
        const char* const here = static_cast<const char*>(std::as_const(from_).data());
        char* const sums = static_cast<char*>(to_.data());
        come_.resize(others.total() * size);
        MPI_Alltoallv(here, places_->sent_counts().data(), mine.first.data(), row_.get(),
                      come_.data(), others.counts.data(), others.first.data(), row_.get(),
                      places_->comm());
        std::memset(sums, 0, to_.size() * size_of(to_.type()));
        for (std::size_t r = 0; r < places_->ranks(); ++r) {
            const bool is_me = r == places_->rank();
            const asked_places::segments& s = is_me ? mine : others;
            const std::int64_t* const at = (is_me ? places_->own() : places_->asked()).data();
            const char* const rows = is_me ? here : come_.data();
            for (int k = s.first[r]; k < s.first[r] + s.counts[r]; ++k)
                add_elements(to_.type(), rows + static_cast<std::size_t>(k) * size,
                             sums + static_cast<std::size_t>(at[k]) * size, elements_);
        }
    }
    std::int64_t sent() const override { return sent_; }

private:
    std::shared_ptr<const asked_places> places_;
    array from_, to_;
    std::size_t elements_;
    row_type row_;
    std::vector<char> come_;
    std::int64_t sent_ = -1;
};

}  // namespace

std::unique_ptr<collective> asked_rows(std::shared_ptr<const asked_places> places,
                                       const array& from, const array& to, std::size_t axis) {
    return std::make_unique<row_exchange>(std::move(places), from, to, axis);
}
std::unique_ptr<collective> sums_at_asked(std::shared_ptr<const asked_places> places,
                                          const array& from, const array& to) {
    return std::make_unique<row_sums>(std::move(places), from, to);
}

}  // namespace ricci::mpi
