// Which place among all ranks' an extremum is at.
#include "src/mpi/first_places.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "src/mpi/element_types.hpp"
#include "src/mpi/messages.hpp"

namespace ricci::mpi {
namespace {

using place_number = std::int32_t;
constexpr place_number no_place = std::numeric_limits<place_number>::max();

/// A value and its place, one behind the other.
template <class T>
struct pair_of {
    static constexpr std::size_t bytes = sizeof(T) + sizeof(place_number);

    T value;
    place_number at;

    static pair_of read(const char* from) {
        pair_of p;
        std::memcpy(&p.value, from, sizeof(T));
        std::memcpy(&p.at, from + sizeof(T), sizeof(place_number));
        return p;
    }
    void write(char* to) const {
        std::memcpy(to, &value, sizeof(T));
        std::memcpy(to + sizeof(T), &at, sizeof(place_number));
    }
};

/// Whether the first pair is the better one: by its value, and by its place where these are equal.
template <class T>
bool is_better(const pair_of<T>& a, const pair_of<T>& b, fold how) {
    using C = computed<T>;
    const auto x = static_cast<C>(a.value), y = static_cast<C>(b.value);
    // what nobody has found never wins, as the values of a row may be as little
    if (a.at == no_place || b.at == no_place) return b.at == no_place;
    if constexpr (!std::is_integral_v<T>) {
        if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && (!std::isnan(y) || a.at < b.at);
    }
    if (x != y) return how == fold::maximum ? x > y : x < y;
    return a.at < b.at;
}

template <class T, fold How>
void best_of(void* in, void* in_and_out, int* count, MPI_Datatype* type) {
    MPI_Count size = 0;
    MPI_Type_size_x(*type, &size);
    const std::size_t bytes = static_cast<std::size_t>(*count) * static_cast<std::size_t>(size);
    const char* const a = static_cast<const char*>(in);
    char* const b = static_cast<char*>(in_and_out);
    for (std::size_t k = 0; k < bytes; k += pair_of<T>::bytes)
        if (is_better(pair_of<T>::read(a + k), pair_of<T>::read(b + k), How))
            std::memcpy(b + k, a + k, pair_of<T>::bytes);
}

template <class T>
class first_place final : public collective {
public:
    first_place(const exchange_settings& s, std::vector<places_found> mine, const array& to,
                fold how)
        : comm_(s.comm),
          mine_(std::move(mine)),
          to_(to),
          how_(how),
          best_(to.size() * pair_of<T>::bytes),
          most_(std::clamp<std::size_t>(s.longest_bytes / pair_of<T>::bytes, 1, longest)) {
        std::erase_if(mine_, [](const places_found& p) { return p.parts.of(p.part) == 0; });
        MPI_Op_create(
            how == fold::maximum ? &best_of<T, fold::maximum> : &best_of<T, fold::minimum>, 1,
            &op_);
        MPI_Type_contiguous(static_cast<int>(pair_of<T>::bytes), MPI_BYTE, &type_);
        MPI_Type_commit(&type_);
        requests_.reserve(to.size() / most_ + 1);
    }
    ~first_place() override {
        int ended = 0;
        MPI_Finalized(&ended);
        if (ended) return;
        MPI_Op_free(&op_);
        MPI_Type_free(&type_);
    }
    first_place(const first_place&) = delete;
    first_place& operator=(const first_place&) = delete;

    void start() override {
        for (std::size_t k = 0; k < to_.size(); ++k) best_of_mine(k).write(at(k));
        for_each_piece(to_.size(), most_, [&](std::size_t k, int count) {
            MPI_Iallreduce(MPI_IN_PLACE, at(k), count, type_, op_, comm_, requests_.add());
        });
    }
    void poll() override { requests_.poll(); }
    void finish() override {
        requests_.finish();
        auto* const places = static_cast<place_number*>(to_.data());
        for (std::size_t k = 0; k < to_.size(); ++k) places[k] = pair_of<T>::read(at(k)).at;
    }

private:
    char* at(std::size_t k) { return best_.data() + k * pair_of<T>::bytes; }
    pair_of<T> best_of_mine(std::size_t k) const {
        pair_of<T> best{T{}, no_place};
        for (const places_found& p : mine_) {
            const place_number among = static_cast<const place_number*>(p.places.data())[k];
            const pair_of<T> one{static_cast<const T*>(p.values.data())[k],
                                 among + static_cast<place_number>(p.parts.before(p.part))};
            if (is_better(one, best, how_)) best = one;
        }
        return best;
    }

    MPI_Comm comm_;
    std::vector<places_found> mine_;
    array to_;
    fold how_;
    std::vector<char> best_;
    std::size_t most_;
    MPI_Op op_ = MPI_OP_NULL;
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
    requests requests_;
};

}  // namespace

std::unique_ptr<collective> first_places(const exchange_settings& s, std::vector<places_found> mine,
                                         const array& to, element type, fold how) {
    std::unique_ptr<collective> made;
    with_type(type, [&](auto zero, MPI_Datatype) {
        using T = decltype(zero);
        if constexpr (!is_complex_type<T>)
            made = std::make_unique<first_place<T>>(s, std::move(mine), to, how);
    });
    return made;
}

}  // namespace ricci::mpi
