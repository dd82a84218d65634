// Programs on several ranks compared with the same ones on one.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <ricci/mpi.hpp>

#include "src/placement/paper_run.hpp"
#include "tests/catch.hpp"
#include "tests/mpi/counted_mpi.hpp"

namespace ricci::testing {

inline int rank_of_world() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}
inline int ranks_of_world() {
    int ranks = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return ranks;
}

/// The same numbers on every rank.
inline array drawn(std::vector<std::size_t> extents, unsigned seed) {
    array a(element::f64, extents);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (std::size_t k = 0; k < a.size(); ++k) static_cast<double*>(a.data())[k] = uniform(random);
    return a;
}

/// The places of an axis that rank `rank` has, as rank r has `counts[r]` of them.
inline array part_of_rank(const array& whole, std::size_t axis,
                          const std::vector<std::size_t>& counts, std::size_t rank) {
    std::size_t before = 0;
    for (std::size_t r = 0; r < rank; ++r) before += counts[r];
    std::vector<std::size_t> extents(whole.extents().begin(), whole.extents().end());
    extents[axis] = counts[rank];
    const char* const first = static_cast<const char*>(whole.data()) +
                              static_cast<std::int64_t>(before) * whole.strides()[axis] *
                                  static_cast<std::int64_t>(size_of(whole.type()));
    return array::over(nullptr, whole.type(), const_cast<char*>(first), extents, whole.strides())
        .clone();
}
inline array own_part(const array& whole, std::size_t axis,
                      const std::vector<std::size_t>& counts) {
    return part_of_rank(whole, axis, counts, static_cast<std::size_t>(rank_of_world()));
}

/// `total` places, over as many ranks as there are: as evenly as they go, or all but the last rank
/// none, or the second rank none.
enum class cut { even, last, uneven };
inline std::vector<std::size_t> counts_of(
    std::size_t total, cut how, std::size_t ranks = static_cast<std::size_t>(ranks_of_world())) {
    std::vector<std::size_t> counts(ranks, 0);
    if (how == cut::last) counts.back() = total;
    else if (how == cut::even)
        for (std::size_t r = 0; r < ranks; ++r) counts[r] = total / ranks + (r < total % ranks);
    else
        for (std::size_t k = 0; k < total; ++k) ++counts[k % 3 == 0 ? 0 : (k * 7) % ranks];
    return counts;
}

/// Of complex numbers the real part.
inline double real_element(const array& a, std::size_t k) {
    switch (a.type()) {
        case element::f32:
            return static_cast<const float*>(a.data())[k];
        case element::c128:
            return static_cast<const std::complex<double>*>(a.data())[k].real();
        case element::i32:
            return static_cast<const std::int32_t*>(a.data())[k];
        case element::i64:
            return static_cast<double>(static_cast<const std::int64_t*>(a.data())[k]);
        default:
            return static_cast<const double*>(a.data())[k];
    }
}
inline double largest_difference(const array& a, const array& b) {
    REQUIRE(std::vector<std::size_t>(a.extents().begin(), a.extents().end()) ==
            std::vector<std::size_t>(b.extents().begin(), b.extents().end()));
    const array x = a.clone(), y = b.clone();
    double most = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
        const double u = real_element(x, k), v = real_element(y, k);
        if (u == v || (std::isnan(u) && std::isnan(v))) continue;
        const double apart = std::abs(u - v) / (1 + std::abs(v));
        most = std::isnan(apart) ? INFINITY : std::max(most, apart);
    }
    return most;
}

/// What a mistake says, or "nothing".
inline std::string words_of(const std::function<void()>& f) {
    try {
        f();
    } catch (const error& e) {
        return e.what();
    }
    return "nothing";
}
/// Checks that all ranks have the same words, and gives them.
inline std::string same_words(const std::function<void()>& f) {
    std::string words = words_of(f);
    words.resize(600);
    std::string first = words;
    MPI_Bcast(first.data(), 600, MPI_CHAR, 0, MPI_COMM_WORLD);
    CHECK(words == first);
    return first.c_str();
}
inline bool has(const std::string& words, const std::string& part) {
    INFO(words);
    return words.find(part) != std::string::npos;
}
/// Bit for bit.
inline bool are_same_bits(const array& a, const array& b) {
    if (a.type() != b.type() ||
        !std::equal(a.extents().begin(), a.extents().end(), b.extents().begin(), b.extents().end()))
        return false;
    const array x = a.clone(), y = b.clone();
    return std::memcmp(x.data(), y.data(), x.size() * size_of(x.type())) == 0;
}

inline std::vector<named> as_shapes(const std::vector<named>& whole) {
    std::vector<named> shapes;
    for (const named& o : whole)
        if (o.value.kind() != ricci::detail::operand_kind::tensor) shapes.push_back(o);
        else
            shapes.push_back(
                {o.name, bindable(shape(o.value.value().type(), o.value.value().extents()))});
    return shapes;
}
/// What the first rank would hand to MPI in a run, from shapes alone.
inline std::int64_t bytes_on_paper(const program& p, const std::vector<std::string>& letters,
                                   const std::vector<int>& grid, const std::vector<named>& whole) {
    const mpi::paper_run run(p, letters, grid, as_shapes(whole));
    double bytes = sizeof(int);
    for (const mpi::paper_step& s : run.steps())
        if (s.part == nullptr) bytes += s.times * s.exchange.handed;
    return static_cast<std::int64_t>(bytes);
}

/// An operand, and its axis that is shared out, or -1.
struct shared_operand {
    std::string name;
    bindable value;
    int axis = -1;
};

/// Runs a program on all ranks and by itself, and compares all outputs; `shared` are those that have
/// the index, with their axes. Gives what explain() says.
inline std::string check_shared_out(const program& p, const std::string& letter,
                                    const std::vector<shared_operand>& operands,
                                    const std::vector<std::pair<std::string, int>>& shared,
                                    cut how = cut::even, const mpi::run_options& together = {}) {
    std::vector<named> whole, mine;
    for (const shared_operand& o : operands) {
        whole.push_back({o.name, o.value});
        if (o.axis < 0) {
            mine.push_back({o.name, o.value});
            continue;
        }
        const array& all = o.value.value();
        const auto axis = static_cast<std::size_t>(o.axis);
        mine.push_back({o.name, bindable(own_part(all, axis, counts_of(all.extent(axis), how)))});
    }
    const arrays expected = run(p, whole);
    auto step = mpi::prepare(MPI_COMM_WORLD, p, {letter}, mine, {}, together);
    if (how == cut::even && rank_of_world() == 0)
        CHECK(bytes_on_paper(p, {letter}, {ranks_of_world()}, whole) == step.bytes_sent());
    for (int k = 0; k < 2; ++k) {
        take_counted_bytes();
        step();
        CHECK(take_counted_bytes() == step.bytes_sent());
        for (const auto& [name, value] : expected) {
            array wanted = value;
            for (const auto& [output, axis] : shared)
                if (output == name)
                    wanted = own_part(value, static_cast<std::size_t>(axis),
                                      counts_of(value.extent(static_cast<std::size_t>(axis)), how));
            INFO(name << " on rank " << rank_of_world() << "\n" << step.explain());
            CHECK(largest_difference(step[name], wanted) < 1e-11);
        }
    }
    return step.explain();
}

/// A layer of a network, with its loss and the gradients of all that it takes, for `places` of n.
struct trained_layer {
    program back;
    std::vector<shared_operand> operands;  // that have n in their first axis
};
inline trained_layer layer_for(std::size_t places) {
    const program p = parse(R"(
        H^{nk} = \tanh(X^{ni} W^{ik} + c^{k})
        Z^{nl} = H^{nk} U^{kl}
        L = \sum_n \sum_l (Z^{nl} - T^{nl})^2)")
                          .value();
    trained_layer made{value_and_gradient(p, "L", {"W", "U", "c", "X"}), {}};
    const std::vector<shared_operand> operands = {
        {"X", drawn({places, 3}, 1), 0}, {"W", drawn({3, 4}, 2)},         {"c", drawn({4}, 3)},
        {"U", drawn({4, 2}, 4)},         {"T", drawn({places, 2}, 5), 0}, {"dL/dL", 1}};
    for (const shared_operand& o : operands)
        for (const tensor_info& t : made.back.inputs())
            if (t.name == o.name) made.operands.push_back(o);
    return made;
}

}  // namespace ricci::testing
