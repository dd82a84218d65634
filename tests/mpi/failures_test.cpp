// What is wrong is the same sentence on every rank.
#include <functional>
#include <string>

#include "tests/mpi/ranks.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

std::string words_of(const std::function<void()>& f) {
    try {
        f();
    } catch (const error& e) {
        return e.what();
    }
    return "nothing";
}
// Whether all ranks have the words, and which.
std::string same_words(const std::function<void()>& f) {
    std::string words = words_of(f);
    words.resize(600);
    std::string first = words;
    MPI_Bcast(first.data(), 600, MPI_CHAR, 0, MPI_COMM_WORLD);
    CHECK(words == first);
    return first.c_str();
}
bool has(const std::string& words, const std::string& part) {
    INFO(words);
    return words.find(part) != std::string::npos;
}

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
