// Which indices are chosen for which grid, compared with all grids gone through by hand and with the
// proved bound.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <ricci/placement.hpp>

#include "src/placement/network_model.hpp"
#include "src/placement/product_bound.hpp"
#include "src/placement/report.hpp"
#include "tests/catch.hpp"

using namespace ricci;

namespace {

std::vector<named> product_shapes(std::size_t m, std::size_t k, std::size_t n) {
    return {{"A", shape(element::f64, {m, k})}, {"B", shape(element::f64, {k, n})}};
}
program product() { return parse("C^{ij} = A^{ik} B^{kj}").value(); }

/// Bytes that a rank of the best grid sends: parts of A, B and C that are whole along a dimension
/// are gathered there, or added up.
double least_bytes(double m, double k, double n, int ranks) {
    double least = INFINITY;
    for (int p = 1; p <= ranks; ++p)
        for (int q = 1; ranks % p == 0 && q <= ranks / p; ++q) {
            if (ranks / p % q != 0) continue;
            const int r = ranks / p / q;
            if (p > m || q > k || r > n) continue;
            const double a = m * k / p / q * (1 - 1.0 / r), b = k * n / q / r * (1 - 1.0 / p),
                         c = m * n / p / r * (1 - 1.0 / q);
            least = std::min(least, 8 * (a + b + c));
        }
    return least;
}

}  // namespace

TEST_CASE("of one product the grid that sends least is chosen") {
    // square, flat and deep ones; two of each kind of the bound at some count of ranks
    const std::vector<std::vector<std::size_t>> sizes{{8192, 8192, 8192},    {65536, 1024, 1024},
                                                      {1024, 1048576, 1024}, {16384, 256, 16384},
                                                      {1024, 4096, 16384},   {524288, 4096, 64}};
    std::vector<double> ratios;
    std::set<int> cases;
    for (const auto& s : sizes)
        for (int ranks = 2; ranks <= 4096; ranks *= 2) {
            mpi::choose_options how;
            how.one_copy = true;
            how.network.latency = 0;
            const mpi::choice c =
                mpi::choose_for(ranks, product(), product_shapes(s[0], s[1], s[2]), how);
            const double m = static_cast<double>(s[0]), k = static_cast<double>(s[1]),
                         n = static_cast<double>(s[2]);
            const mpi::product_bound bound = mpi::bound_of({m, k, n}, ranks);
            INFO(m << " " << k << " " << n << " on " << ranks << ": " << c.why);
            CHECK(c.bytes == Approx(least_bytes(m, k, n, ranks)));
            CHECK(c.bytes >= 8 * bound.elements * (1 - 1e-9));
            ratios.push_back(c.bytes / (8 * bound.elements));
            cases.insert(bound.dimensions);
        }
    std::sort(ratios.begin(), ratios.end());
    CHECK(cases.size() == 3);
    CHECK(ratios[ratios.size() / 2] < 1.2);
    CHECK(ratios.back() < 1.6);
}

TEST_CASE("the bound of a product is what a grid of its dimensions sends") {
    // 512 ranks of a cube: 8 x 8 x 8; each has three faces of 1024 x 1024 and an eighth of each
    const double face = 1024.0 * 1024;
    CHECK(mpi::bound_of({8192, 8192, 8192}, 512).elements == Approx(3 * face * (1 - 1.0 / 8)));
    CHECK(mpi::bound_of({8192, 8192, 8192}, 512).dimensions == 3);
    // 4 ranks share out the long axis alone, and each needs all of the small matrix
    CHECK(mpi::bound_of({65536, 512, 512}, 4).elements == Approx(512.0 * 512 * 3 / 4));
    CHECK(mpi::bound_of({65536, 512, 512}, 4).dimensions == 1);
    // 16 ranks of a flat product: 4 x 4, of what is summed each has all
    CHECK(mpi::bound_of({16384, 64, 16384}, 16).elements ==
          Approx(2 * (16384.0 / 4) * 64 * (1 - 1.0 / 4)));
    CHECK(mpi::bound_of({16384, 64, 16384}, 16).dimensions == 2);
}

TEST_CASE("what is no single product has no bound") {
    const auto bound_in = [](const std::string& text, const std::vector<named>& shapes) {
        const mpi::paper_run run(parse(text).value(), {"i"}, {2}, shapes);
        return mpi::words_of_bound(run);
    };
    const array m = shape(element::f32, {64, 64});
    CHECK_FALSE(bound_in("C^{ij} = A^{ik} B^{kj}", {{"A", m}, {"B", m}}).empty());
    CHECK(bound_in("C^{ij} = A^{ij} B^{ij}", {{"A", m}, {"B", m}}).empty());
    CHECK(bound_in("C^{ij} = A^{ik} B^{kj} + B^{ij}", {{"A", m}, {"B", m}}).empty());
    CHECK(bound_in("C^{ij} = A^{ik} B^{kj}\nD^{i} = C^{ij} B^{ji}", {{"A", m}, {"B", m}}).empty());
}

TEST_CASE("collectives take what the model says") {
    const mpi::link n{1e9, 1e-6};
    using kind = mpi::exchange_kind;
    // two ranks tell each other everything
    CHECK(mpi::seconds_of(kind::all_reduce, 1e6, 2, n) == Approx(1e-6 + 1e-3));
    // 1024: 2 * 10 messages of what becomes less and less, or 10 of all of it where it is short
    CHECK(mpi::seconds_of(kind::all_reduce, 1e9, 1024, n) == Approx(20e-6 + 2 * (1023.0 / 1024)));
    CHECK(mpi::seconds_of(kind::all_reduce, 8, 1024, n) == Approx(10 * (1e-6 + 8e-9)));
    CHECK(mpi::seconds_of(kind::all_gather, 1e9, 5, n) == Approx(3e-6 + 4.0 / 5));
    CHECK(mpi::seconds_of(kind::reduce_scatter, 1e9, 5, n) == Approx(3e-6 + 4.0 / 5));
    CHECK(mpi::seconds_of(kind::all_gather, 1e9, 1, n) == 0);
}

TEST_CASE(
    "what is chosen takes no longer than what could have been named, and may leave ranks idle") {
    const program layer = parse(R"(
        Q^{hia} = X^{ib} W_Q^{hba}
        K^{hia} = X^{ib} W_K^{hba}
        V^{hia} = X^{ib} W_V^{hba}
        A^{hij} = \operatorname{softmax}_j(Q^{hia} K^{hja})
        Y^{ib} = A^{hij} V^{hja} W_O^{hab})")
                              .value();
    const array w = shape(element::f32, {16, 1024, 64});
    const std::vector<named> shapes{{"X", shape(element::f32, {2048, 1024})},
                                    {"W_Q", w},
                                    {"W_K", w},
                                    {"W_V", w},
                                    {"W_O", shape(element::f32, {16, 64, 1024})}};
    mpi::choose_options slow;
    slow.network = {1e8, 1e-5};
    const mpi::choice c = mpi::choose_for(8, layer, shapes, slow);
    INFO(c.why);
    CHECK(c.why.find("rather than") != std::string::npos);
    for (const std::vector<std::string>& letters :
         {std::vector<std::string>{"h"}, {"i"}, {"b"}, {"h", "i"}, {"h", "b"}, {"i", "h", "b"}}) {
        mpi::choose_options named = slow;
        named.letters = letters;
        const mpi::choice other = mpi::choose_for(8, layer, shapes, named);
        CHECK(other.letters == letters);
        CHECK(c.seconds <= other.seconds * (1 + 1e-9));
    }
    const mpi::choice prime = mpi::choose_for(17, layer, shapes, slow);
    INFO(prime.why);
    CHECK(prime.why.find("ranks are left idle") != std::string::npos);
    mpi::choose_options grid;
    grid.letters = {"h", "i"};
    CHECK(mpi::choose_for(8, layer, shapes, grid).grid.size() == 2);
    CHECK_THROWS_WITH(mpi::choose_for(7, layer, shapes, grid),
                      "ricci: 7 ranks make no grid of 2 dimensions for h, i.");
}

TEST_CASE("a placement keeps within the memory of a rank, or none is chosen") {
    const std::vector<named> shapes = product_shapes(4096, 4096, 4096);
    const double all = 3 * 8 * 4096.0 * 4096;
    mpi::choose_options how;
    how.memory = all / 3;
    const mpi::choice c = mpi::choose_for(16, product(), shapes, how);
    INFO(c.why);
    CHECK(c.memory <= how.memory);
    CHECK(c.grid.size() > 1);
    how.memory = all / 100;
    CHECK_THROWS_WITH(mpi::choose_for(16, product(), shapes, how),
                      ricci::testing::Contains("keeps within"));
}

namespace {

program feed_forward() {
    return parse(R"(
        H^{nk} = \tanh(X^{na} W^{ak})
        Y^{na} = X^{na} + H^{nk} U^{ka})")
        .value();
}
std::vector<named> shapes_of_layers(std::size_t count) {
    std::vector<named> shapes{{"X", shape(element::f32, {4096, 256})}};
    std::vector<std::size_t> w{256, 256}, u{256, 256};
    if (count > 0) w.insert(w.begin(), count), u.insert(u.begin(), count);
    shapes.push_back({"W", shape(element::f32, w)});
    shapes.push_back({"U", shape(element::f32, u)});
    return shapes;
}

}  // namespace

TEST_CASE("layers forward take as often as much as one, and store the weights of all") {
    const program one = feed_forward();
    const program all = repeat(one, 12, {.from = "Y", .to = "X", .index = "l"});
    for (const std::string letter : {"n", "k", "a"}) {
        mpi::choose_options how;
        how.letters = {letter};
        const mpi::choice single = mpi::choose_for(8, one, shapes_of_layers(0), how),
                          many = mpi::choose_for(8, all, shapes_of_layers(12), how);
        INFO(letter << "\n" << single.why << many.why);
        CHECK(many.grid == single.grid);
        CHECK(many.bytes == Approx(12 * single.bytes));
        // whether a rank has failed is asked once, behind the last one
        const double asked =
            mpi::seconds_of(mpi::exchange_kind::all_reduce, sizeof(int), 8, how.network);
        CHECK(many.seconds - asked == Approx(12 * (single.seconds - asked)));
    }
    const mpi::choice best = mpi::choose_for(64, all, shapes_of_layers(12));
    INFO(best.why);
    CHECK(best.why.find("rather than") != std::string::npos);
    CHECK(best.letters == std::vector<std::string>{"n"});
}

TEST_CASE(
    "on the way back of layers what each has computed is stored, and shared sums are sent once") {
    const program all =
        repeat(feed_forward(), 12, {.from = "Y", .to = "X", .index = "l", .shared = {"U"}});
    const program back = value_and_gradient(all, "Y", {"W", "U"});
    std::vector<named> shapes = shapes_of_layers(12);
    shapes[2] = {"U", shape(element::f32, {256, 256})};
    shapes.push_back({"dL/dY", shape(element::f32, {4096, 256})});
    const mpi::paper_run run(back, {"n"}, {8}, shapes);
    // of a rank: X, dL/dY and Y; X of all layers and of the result; H of all layers; weights
    const double x = 4.0 * 512 * 256, h = 4.0 * 512 * 256, w = 4.0 * 256 * 256;
    CHECK(run.stored() >= 3 * x + 13 * x + 12 * h + 2 * 12 * w + 2 * w);
    CHECK(run.stored() < 1.25 * (3 * x + 13 * x + 12 * h + 2 * 12 * w + 2 * w));
    double of_weights = 0, shared = 0;
    for (const mpi::paper_step& s : run.steps()) {
        if (s.part != nullptr) continue;
        (s.times > 1 ? of_weights : shared) += s.times * s.exchange.handed;
    }
    CHECK(of_weights == 12 * w);
    CHECK(shared == w);
    const mpi::rank_speed speed{1e12, {}, "1 TFLOP/s"};
    const mpi::run_report report = mpi::report(run, {}, speed, mpi::work_of(run).flops);
    INFO(report.text);
    CHECK(report.text.find("in each of 12 layers, from the first one") != std::string::npos);
    CHECK(report.text.find("back from the last one") != std::string::npos);
    CHECK(report.text.find("behind the last layer") != std::string::npos);
    CHECK(report.figures.handed == 13 * w + sizeof(int));
    const program again = value_and_gradient(
        repeat(feed_forward(), 12,
               {.from = "Y", .to = "X", .index = "l", .shared = {"U"}, .recompute = true}),
        "Y", {"W", "U"});
    CHECK(mpi::paper_run(again, {"n"}, {8}, shapes).stored() < run.stored() - 11 * h);
    mpi::choose_options how;
    how.memory = 0.9 * run.stored();
    how.letters = {"n"};
    CHECK_THROWS_WITH(mpi::choose_for(8, back, shapes, how),
                      ricci::testing::Contains("keeps within"));
    CHECK(mpi::choose_for(32, back, shapes, how).grid == std::vector<int>{32});
}
