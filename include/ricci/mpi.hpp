// Programs on several machines: an index is shared out over the ranks of an MPI communicator, and
// what ranks have to tell each other follows from the equations. A library of its own, ricci-mpi.
#pragma once

#include <mpi.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <ricci/detail/export.hpp>
#include <ricci/mpi_network.hpp>
#include <ricci/placement.hpp>
#include <ricci/prepared.hpp>
#include <ricci/program.hpp>

namespace ricci::mpi {

/// How ranks work together; the same on all of them.
struct run_options {
    /// The same bits on any number of ranks: what is shared out is computed in `blocks` blocks of
    /// the index, whose results are folded by one tree. Parts are those of parts_of(); explain()
    /// says what it costs. Otherwise results are the same bits on as many ranks.
    bool reproducible = false;
    int blocks = 16;
    /// Exchanges run while what does not need them is computed.
    bool overlap = true;
    /// Bytes of a message; what is longer goes in parts.
    std::size_t longest_message = std::size_t{8} << 20;
};

/// How many of the places of an index each rank has to have, where results are to be reproducible:
/// those of its blocks.
RICCI_EXPORT std::vector<std::size_t> parts_of(std::size_t places, int ranks, int blocks = 16);

/// A program that all ranks of a communicator carry out together. Every rank makes one, with its
/// own part of what has the shared-out index and with all of what has not. Parts lie one behind the
/// other, in the order of the ranks; they may differ in length, and be empty.
class RICCI_EXPORT runner {
public:
    /// All ranks call this at a time. Throws the same ricci::error on all of them, where one of
    /// them would throw alone or where they differ in what they bind; it names the rank.
    runner(MPI_Comm comm, const program& p, const std::vector<std::string>& shared_out,
           ricci::detail::operand_list operands, const prepare_options& options = {},
           const run_options& together = {});
    runner(runner&&) noexcept;
    runner& operator=(runner&&) noexcept;
    /// All ranks end theirs before MPI_Finalize.
    ~runner();

    /// All ranks call this at a time. What one of them throws all of them throw, before an output
    /// that was bound is written.
    void operator()();

    /// An output: this rank's part where it has the index, and all of it where not.
    array operator[](std::string_view name) const;

    /// What is computed, what is exchanged and why, with the bytes that this rank sends.
    std::string explain() const;
    /// Those of all exchanges of a run together.
    std::int64_t bytes_sent() const;

private:
    struct state;
    std::unique_ptr<state> state_;
};

/// Checks, places, plans and allocates, on all ranks of `comm` at a time.
inline runner prepare(MPI_Comm comm, const program& p, const std::vector<std::string>& shared_out,
                      ricci::detail::operand_list operands, const prepare_options& options = {},
                      const run_options& together = {}) {
    return runner(comm, p, shared_out, operands, options, together);
}

/// Which indices to share out over which grid of the ranks of `comm`; shapes are those of whole
/// tensors. No rank is asked: all decide alike.
inline choice choose(MPI_Comm comm, const program& p, ricci::detail::operand_list shapes,
                     const choose_options& options = {}) {
    int ranks = 1;
    MPI_Comm_size(comm, &ranks);
    return choose_for(ranks, p, shapes, options);
}
/// The grid of a choice, for prepare(); MPI_COMM_NULL on ranks that it leaves idle. All ranks call
/// this at a time, and free what they get.
inline MPI_Comm grid_of(MPI_Comm comm, const choice& c) {
    const std::vector<int> periods(c.grid.size(), 0);
    MPI_Comm grid = MPI_COMM_NULL;
    MPI_Cart_create(comm, static_cast<int>(c.grid.size()), c.grid.data(), periods.data(), 0, &grid);
    return grid;
}

/// The indices that are shared out: shard("h"_i).
template <std::uint64_t... Hashes>
struct shared_letters {};
template <std::uint64_t... Hashes>
consteval shared_letters<Hashes...> shard(index_name<Hashes>...) {
    return {};
}

namespace inside {

template <std::uint64_t Hash>
std::string spelled() {
    const auto text = ricci::detail::spelling<Hash>();
    return {text.begin(), text.end()};
}
template <std::uint64_t Hash, class T, int Rank, class Known, bool Temporary>
named as_named(const ricci::detail::bound_tensor<Hash, T, Rank, Known, Temporary>& b) {
    ricci::detail::extent_list<Rank> extents;
    ricci::detail::stride_list<Rank> strides;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(Rank); ++axis) {
        extents.values[axis] = static_cast<std::size_t>(b.extents[axis]);
        strides.values[axis] = static_cast<std::ptrdiff_t>(b.strides[axis]);
    }
    return {spelled<Hash>(), bindable(array(tensor_view<T, Rank>(b.data, extents, strides)))};
}
template <std::uint64_t Hash, bool Complex>
named as_named(const ricci::detail::bound_number<Hash, Complex>& b) {
    if constexpr (Complex)
        return {spelled<Hash>(), std::complex<double>(b.value.real, b.value.imaginary)};
    else if (b.value.is_whole()) return {spelled<Hash>(), b.value.whole};
    else return {spelled<Hash>(), b.value.real};
}
template <std::uint64_t Hash>
named as_named(const ricci::detail::bound_index<Hash>& b) {
    return {spelled<Hash>(), extent(b.extent)};
}

}  // namespace inside

/// The same of equations in the source: outputs are views.
template <std::uint64_t Hash, class T>
class prepared {
public:
    template <std::uint64_t... Letters, class... Bound>
    prepared(MPI_Comm comm, shared_letters<Letters...>, const run_options& together,
             const Bound&... bound)
        : runner_(comm, program(equations<Hash>{}), {inside::spelled<Letters>()...},
                  std::vector<named>{inside::as_named(bound)...}, {}, together) {}

    void operator()() { runner_(); }
    template <std::uint64_t Name,
              class Mistake = ricci::detail::mistake_of<ricci::detail::no_such_result<Hash, Name>>>
    auto operator[](name<Name>) const {
        constexpr auto text = ricci::detail::spelling<Name>();
        constexpr auto view = ricci::detail::program_of<Hash>.view();
        constexpr int rank = ir::rank_of(view, view.find(text));
        const array a = runner_[std::string_view(text.data, static_cast<std::size_t>(text.size))];
        return a.as<T, rank>();
    }
    template <std::uint64_t Name,
              class Mistake = ricci::detail::mistake_of<ricci::detail::no_such_result<Hash, Name>>>
    requires ricci::detail::is_a_mistake<Mistake> Mistake operator[](name<Name>) const = delete;

    std::string explain() const { return runner_.explain(); }
    std::int64_t bytes_sent() const { return runner_.bytes_sent(); }

private:
    runner runner_;
};

template <std::uint64_t Hash, std::uint64_t... Letters, class... Bound,
          class Mistake = ricci::detail::mistake_in_keeping<Hash, Bound...>>
auto prepare(MPI_Comm comm, equations<Hash>, shared_letters<Letters...> letters,
             const Bound&... bound) {
    using T = typename ricci::detail::call_element<Bound...>::type;
    return prepared<ricci::detail::keeping_bound<Hash, Bound...>, T>(comm, letters, run_options{},
                                                                     bound...);
}
/// The same with options, which stand in front of the operands.
template <std::uint64_t Hash, std::uint64_t... Letters, class... Bound,
          class Mistake = ricci::detail::mistake_in_keeping<Hash, Bound...>>
auto prepare(MPI_Comm comm, equations<Hash>, shared_letters<Letters...> letters,
             const run_options& together, const Bound&... bound) {
    using T = typename ricci::detail::call_element<Bound...>::type;
    return prepared<ricci::detail::keeping_bound<Hash, Bound...>, T>(comm, letters, together,
                                                                     bound...);
}
template <std::uint64_t Hash, std::uint64_t... Letters, class... Bound,
          class Mistake = ricci::detail::mistake_in_keeping<Hash, Bound...>>
requires ricci::detail::is_a_mistake<Mistake> Mistake prepare(MPI_Comm, equations<Hash>,
                                                              shared_letters<Letters...>,
                                                              const Bound&...)
= delete;

}  // namespace ricci::mpi
