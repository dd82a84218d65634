// Networks contracted by several ranks: what they give together is what one of them gives alone.
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

#include "tests/mpi/ranks.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

/// A ring of tensors with bonds of extent `bond`, some of which keep an index, in which everything
/// is sliced that can be.
struct sliced_ring {
    network n;
    std::optional<contraction_order> order;
};

array drawn_as(element type, std::vector<std::size_t> extents, unsigned seed) {
    const array real = drawn(std::move(extents), seed);
    if (type != element::i32) return real.converted(type);
    array whole(type, real.extents());
    for (std::size_t k = 0; k < real.size(); ++k)
        static_cast<std::int32_t*>(whole.data())[k] =
            static_cast<std::int32_t>(10 * real_element(real, k));
    return whole;
}

sliced_ring ring(element type, std::size_t tensors, std::size_t bond,
                 const std::vector<sliced_index>& slices, bool keeps = true) {
    sliced_ring r;
    const auto last = static_cast<std::int64_t>(tensors);
    for (std::int64_t k = 0; k < last; ++k) {
        const bool open = keeps && k % 3 == 0;
        std::vector<std::size_t> extents = {bond, bond};
        std::vector<std::int64_t> indices = {k, (k + 1) % last};
        if (open) extents.push_back(3), indices.push_back(100 + k);
        const array a = drawn_as(type, extents, static_cast<unsigned>(k) + 1);
        if (is_complex(type) && k == 1) r.n.add_conjugate(a, indices);
        else r.n.add(a, indices);
    }
    std::vector<std::int64_t> kept;
    for (std::int64_t k = 0; keeps && k < last; k += 3) kept.push_back(100 + k);
    r.n.keep(kept);
    std::vector<std::pair<std::size_t, std::size_t>> ssa = {{0, 1}};
    for (std::size_t k = 2; k < tensors; ++k) ssa.emplace_back(tensors + k - 2, k);
    r.order = contraction_order::from_ssa(r.n, ssa, slices);
    return r;
}

bool same_bits(const array& x, const array& y) {
    const array a = x.clone(), b = y.clone();
    return a.type() == b.type() && a.size() == b.size() &&
           std::memcmp(a.data(), b.data(), a.size() * size_of(a.type())) == 0;
}

double difference(const array& x, const array& y) {
    const auto real = [](const array& a) {
        return is_complex(a.type()) ? a.converted(element::c128) : a.converted(element::f64);
    };
    return largest_difference(real(x), real(y));
}

}  // namespace

TEST_CASE("slices of a network are shared out, and their sum is the same for any number of ranks") {
    const std::vector<std::vector<sliced_index>> cuts = {
        {},
        {{2, 2}},
        {{2, 4}, {4, 3}},
        {{0, 4}, {103, 3}, {5, 2}},
        {{100, 2}},
        {{0, 4}, {1, 4}, {2, 4}, {3, 4}, {4, 4}, {5, 2}}};
    for (const element type :
         {element::f64, element::f32, element::c128, element::c64, element::i32, element::bf16})
        for (const auto& slices : cuts) {
            const sliced_ring r = ring(type, 6, 4, slices);
            const array alone = mpi::contract(MPI_COMM_SELF, r.n, *r.order);
            const array together = mpi::contract(MPI_COMM_WORLD, r.n, *r.order);
            CHECK(same_bits(alone, together));
            const double error = type == element::f32 || type == element::c64 ? 1e-5
                                 : type == element::bf16                      ? 1e-2
                                                                              : 1e-12;
            CHECK(difference(together, contract(r.n, *r.order)) < error);
        }
}

TEST_CASE("so are they in other algebras") {
    for (const algebra a : {algebra::max_sum, algebra::min_sum, algebra::logsumexp_sum}) {
        const sliced_ring r = ring(element::f64, 5, 3, {{1, 3}, {3, 2}, {100, 3}});
        const contract_options options{.algebra = a};
        const array together = mpi::contract(MPI_COMM_WORLD, r.n, *r.order, options);
        CHECK(same_bits(together, mpi::contract(MPI_COMM_SELF, r.n, *r.order, options)));
        CHECK(difference(together, contract(r.n, *r.order, options)) < 1e-12);
    }
}

TEST_CASE("a diagonal, a hyper-index and a scalar are sliced, too") {
    network n;
    n.add(drawn({5, 5}, 1), {0, 0});
    n.add(drawn({5, 4}, 2), {0, 1});
    n.add(drawn({4}, 3), {1});
    n.add(drawn({5}, 4), {0});
    n.add(drawn({}, 5), {});
    const auto order = contraction_order::from_ssa(n, {{0, 3}, {5, 1}, {6, 2}, {7, 4}}, {{0, 2}});
    CHECK(difference(mpi::contract(MPI_COMM_WORLD, n, order), contract(n, order)) < 1e-13);
}

TEST_CASE("what is stopped goes on where it was") {
    const sliced_ring r = ring(element::f64, 6, 4, {{0, 4}, {2, 4}, {4, 4}});
    const array whole = contract(r.n, *r.order);
    const auto file = (std::filesystem::temp_directory_path() /
                       ("ricci_unfinished_" + std::to_string(ranks_of_world())))
                          .string();
    const auto remove = [&] {
        if (rank_of_world() == 0) std::remove(file.c_str());
        MPI_Barrier(MPI_COMM_WORLD);
    };
    remove();
    // The first rank is asked; where the others had taken all by then, it is begun again.
    contract_options stopping;
    int asked = 0;
    stopping.progress = [&](double, double) { return ++asked < 3; };
    const auto stopped = [&] {
        std::string words;
        for (int tries = 0; tries < 100 && !has(words, "was stopped"); ++tries) {
            asked = 0;
            words =
                same_words([&] { mpi::contract(MPI_COMM_WORLD, r.n, *r.order, stopping, file); });
        }
        return words;
    };
    const std::string words = stopped();
    CHECK(has(words, "was stopped"));
    CHECK(has(words, "64 blocks of slices are in " + file));
    double before = -1;
    contract_options telling;
    telling.progress = [&](double part, double left) {
        CHECK((part >= 0 && part <= 1 && left >= 0));
        before = part;
        return true;
    };
    // A file of another network is not taken for this one's.
    sliced_ring other = ring(element::f64, 6, 4, {{0, 4}, {2, 4}});
    CHECK(has(same_words([&] { mpi::contract(MPI_COMM_WORLD, other.n, *other.order, {}, file); }),
              "is of another network, other values, another order"));
    const array resumed = mpi::contract(MPI_COMM_WORLD, r.n, *r.order, telling, file);
    CHECK(same_bits(resumed, mpi::contract(MPI_COMM_SELF, r.n, *r.order)));
    CHECK(difference(resumed, whole) < 1e-12);
    // Of several ranks the others may have taken what was left.
    CHECK((ranks_of_world() > 1 || before >= 0));
    CHECK((rank_of_world() != 0 || !std::filesystem::exists(file)));
    // Nor is one that has lost its end.
    CHECK(has(stopped(), "was stopped"));
    std::error_code missing;  // which the next check sees on all ranks
    if (rank_of_world() == 0)
        std::filesystem::resize_file(file, std::filesystem::file_size(file, missing) - 3, missing);
    CHECK(has(same_words([&] { mpi::contract(MPI_COMM_WORLD, r.n, *r.order, {}, file); }),
              "is damaged"));
    remove();
}

TEST_CASE("what is wrong with a network is the same sentence on every rank") {
    const sliced_ring r = ring(element::f64, 4, 3, {{1, 3}});
    const bool last = rank_of_world() + 1 == ranks_of_world();
    CHECK(has(same_words([&] { mpi::contract(MPI_COMM_WORLD, r.n, *r.order, {.memory = 10}); }),
              "memory"));
    CHECK(has(same_words([&] { mpi::contract(MPI_COMM_WORLD, r.n, *r.order, {.scaled = true}); }),
              "no exponent"));
    network of_shapes;
    of_shapes.add(shape(element::f64, {2, 2}), {0, 1});
    of_shapes.add(shape(element::f64, {2, 2}), {1, 2});
    const auto pair = contraction_order::from_ssa(of_shapes, {{0, 1}});
    CHECK(has(same_words([&] { mpi::contract(MPI_COMM_WORLD, of_shapes, pair); }), "is a shape"));
    if (ranks_of_world() == 1) return;
    const sliced_ring other = ring(element::f64, 4, 3, {{2, 3}});
    CHECK(
        has(same_words([&] { mpi::contract(MPI_COMM_WORLD, r.n, last ? *other.order : *r.order); }),
            "are others than on rank 0"));
}
