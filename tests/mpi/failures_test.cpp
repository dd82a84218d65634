// What is wrong is the same sentence on every rank.
#include <string>

#include "tests/mpi/ranks.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

const program& product() {
    static const program p = parse("Y^{ib} = X^{ih} W^{hb}").value();
    return p;
}

}  // namespace

TEST_CASE("one rank's mistake is everybody's") {
    const bool last = rank_of_world() + 1 == ranks_of_world();
    const array x = drawn({4, 2}, 1), w = drawn({2, 3}, 2), other = drawn({3, 3}, 2);
    const std::vector<std::string> h = {"h"};
    const auto with = [&](const std::vector<named>& list, const std::vector<std::string>& letters) {
        return same_words([&] { mpi::prepare(MPI_COMM_WORLD, product(), letters, list); });
    };
    CHECK(has(with({{"X", x}, {"W", w}}, {"z"}), "the index z is to be shared out"));
    CHECK(has(with({{"X", x}}, h), "W"));
    CHECK(has(with({{"X", x}, {"W", w}}, {"h", "h"}), "the index h is to be shared out twice"));
    CHECK(
        has(with({{"X", x}, {"W", w}}, {"h", "b"}), "the communicator has none; MPI_Cart_create"));
    CHECK(has(with({{"X", x}, {"W", w}}, {}), "no index is named"));
    if (ranks_of_world() == 1) return;
    CHECK(has(with({{"X", x}, {"W", last ? other : w}}, h), "h"));
    CHECK(has(with({{"X", last ? drawn({5, 2}, 1) : x}, {"W", w}}, h), "axis 0 of X has extent"));
    CHECK(has(with({{"X", x}, {"W", w}}, {last ? "i" : "h"}), "shares out"));
    CHECK(has(with({{"X", x}, {last ? "V" : "W", w}}, h), "binds V"));
    CHECK(has(with({{"X", last ? shape(element::f64, {4, 2}) : x}, {"W", w}}, h), "on rank"));
    CHECK(has(same_words([&] {
                  const program p = last ? parse("Y^{ib} = 2 X^{ih} W^{hb}").value() : product();
                  mpi::prepare(MPI_COMM_WORLD, p, h, {{"X", x}, {"W", w}});
              }),
              "other equations"));
}

TEST_CASE("a grid whose ranks do not fit together") {
    const bool last = rank_of_world() + 1 == ranks_of_world();
    int extents[2] = {0, 0};
    const int periods[2] = {0, 0};
    MPI_Dims_create(ranks_of_world(), 2, extents);
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Cart_create(MPI_COMM_WORLD, 2, extents, periods, 0, &comm);
    const auto with = [&](const std::vector<named>& list, const std::vector<std::string>& letters) {
        return same_words([&] { mpi::prepare(comm, product(), letters, list); });
    };
    const array x = drawn({4, 2}, 1), w = drawn({2, 3}, 2);
    if (extents[1] > 1)  // the last rank is not the first one of its line
        CHECK(has(with({{"X", last ? drawn({3, 2}, 1) : x}, {"W", w}}, {"i", "h"}),
                  "which have the same part of the shared-out index i"));
    const program square = parse("Y^{ij} = X^i X^j").value();
    CHECK(has(same_words([&] {
                  mpi::prepare(comm, square, {"i", "j"}, {{"X", drawn({4}, 1)}});
              }),
              "axis 0 of X has both shared-out indices, i and j"));
    MPI_Comm_free(&comm);
}

TEST_CASE("a rank that fails while it runs stops all, and nothing bound is written") {
    const program p = parse(R"(
        s^{n} = \sum_a E^{x_n a}
        Y = \sum_n s^{n})")
                          .value();
    const bool last = rank_of_world() + 1 == ranks_of_world();
    array places(element::i32, {2});
    static_cast<std::int32_t*>(places.data())[1] = last ? 9 : 1;  // of 3
    array y(element::f64, std::vector<std::size_t>{});
    static_cast<double*>(y.data())[0] = 7;
    auto step =
        mpi::prepare(MPI_COMM_WORLD, p, {"n"}, {{"E", drawn({3, 2}, 1)}, {"x", places}, {"Y", y}});
    CHECK(has(same_words([&] { step(); }), "on rank"));
    CHECK(static_cast<double*>(y.data())[0] == 7);
    static_cast<std::int32_t*>(places.data())[1] = 2;
    CHECK(same_words([&] { step(); }) == "nothing");
    CHECK(static_cast<double*>(y.data())[0] != 7);
}

TEST_CASE("a single matrix that would be shared out is refused, and batches and sides are not") {
    array k = drawn({3, 5, 5}, 1);
    for (std::size_t b = 0; b < 3; ++b)
        for (std::size_t i = 0; i < 5; ++i) k.as<double, 3>()(b, i, i) += 5;
    const array y = drawn({3, 5, 4}, 2);
    const program p =
        parse("x^{bjr} = \\operatorname{solve}_{ij}(K^{bij} + \\delta^{ij}, y^{bir})").value();
    if (ranks_of_world() > 1) {
        const std::string words = same_words([&] {
            mpi::prepare(MPI_COMM_WORLD, p, {"i"}, {{"K", k}, {"y", y}});
        });
        CHECK(has(words,
                  "the rows of K are shared out, by the index i, and one rank factors a "
                  "matrix: share out b or r instead, or give every rank all of K"));
        CHECK(has(same_words([&] {
                      mpi::prepare(MPI_COMM_WORLD, gradient(p, "x", {"K"}), {"j"},
                                   {{"K", k}, {"y", y}, {"dL/dx", drawn({3, 5, 4}, 3)}});
                  }),
                  "the columns of K are shared out, by the index j"));
        const program log = parse("s = \\operatorname{logdet}_{ij}(G^{ij})").value();
        CHECK(has(same_words([&] {
                      mpi::prepare(MPI_COMM_WORLD, log, {"i"}, {{"G", drawn({5, 5}, 1)}});
                  }),
                  "matrix: give every rank all of G"));
    }
    for (const cut how : {cut::even, cut::last, cut::uneven}) {
        check_shared_out(p, "b", {{"K", k, 0}, {"y", y, 0}}, {{"x", 0}}, how);
        check_shared_out(p, "r", {{"K", k}, {"y", y, 2}}, {{"x", 2}}, how);
    }
}
