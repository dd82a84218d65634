// Runs that take more memory than there is cut more indices, and give the same.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <ricci/error.hpp>

#include "src/network/network_run.hpp"
#include "tests/catch.hpp"
#include "tests/few.hpp"

using namespace ricci;
using ricci::testing::Contains;

namespace {

constexpr std::size_t tensors = 8, extent = 6;

// A ring of matrices with an index that all of them have besides, multiplied one after another.
struct ring {
    ring() {
        for (std::size_t k = 0; k < tensors; ++k) {
            axes.push_back({static_cast<std::int32_t>(k),
                            static_cast<std::int32_t>((k + 1) % tensors), tensors});
            std::vector<double> a(extent * extent * extent);
            for (std::size_t e = 0; e < a.size(); ++e)
                a[e] = std::sin(static_cast<double>(1 + e * (k + 3))) + 0.5;
            values.push_back(a);
            slopes.emplace_back(a.size());
            if (k > 0)
                products.emplace_back(static_cast<std::int32_t>(k == 1 ? 0 : tensors + k - 2),
                                      static_cast<std::int32_t>(k));
        }
    }
    networks::run_request request(double memory) {
        networks::run_request asked;
        asked.type = element::f64;
        asked.axes.assign(axes.begin(), axes.end());
        for (const auto& a : values) asked.operands.push_back({a.data(), strides, false});
        asked.extents = extents, asked.products = products;
        asked.memory = memory, asked.may_cut = true;
        return asked;
    }

    std::vector<std::vector<std::int32_t>> axes;
    std::vector<std::vector<double>> values, slopes;
    std::vector<std::pair<std::int32_t, std::int32_t>> products;
    const std::vector<std::size_t> extents = std::vector<std::size_t>(tensors + 1, extent);
    const std::vector<std::int64_t> strides{extent * extent, extent, 1};
};

struct outcome {
    double value = 0;
    std::vector<std::vector<double>> slopes;
    std::vector<std::int64_t> places;
    std::size_t steps = 0;
    std::string words;
};

outcome derivatives_within(double memory) {
    ring r;
    networks::run_request asked = r.request(memory);
    std::vector<std::size_t> all;
    for (std::size_t k = 0; k < tensors; ++k) {
        all.push_back(k);
        asked.results.push_back(r.slopes[k].data());
    }
    asked.derivatives = all;
    outcome made;
    try {
        networks::network_run run(asked);
        run.run();
        made.steps = run.steps_run();
    } catch (const error& e) {
        made.words = e.what();
    }
    made.slopes = r.slopes;
    return made;
}

outcome best_within(double memory) {
    ring r;
    networks::run_request asked = r.request(memory);
    outcome made;
    asked.results = {&made.value};
    asked.algebra = steps::sum_algebra::maximum;
    asked.places = true;
    try {
        made.places = networks::network_run(asked).best();
    } catch (const error& e) {
        made.words = e.what();
        return made;
    }
    // The sum that the places say.
    double sum = 0;
    for (std::size_t k = 0; k < tensors; ++k) {
        std::int64_t offset = 0;
        for (std::size_t axis = 0; axis < 3; ++axis)
            offset += r.strides[axis] * made.places[static_cast<std::size_t>(r.axes[k][axis])];
        sum += r.values[k][static_cast<std::size_t>(offset)];
    }
    made.value = std::abs(sum - made.value) < 1e-12 ? made.value : NAN;
    return made;
}

}  // namespace

TEST_CASE("derivatives cut more indices where the memory is little", "[network]") {
    const outcome whole = derivatives_within(1e9);
    REQUIRE(whole.words.empty());
    std::size_t cut = 0;
    for (const double memory :
         testing::few_or<std::vector<double>>({20e3, 5e3}, {40e3, 20e3, 10e3, 5e3, 2e3})) {
        const outcome made = derivatives_within(memory);
        INFO(memory << " bytes: " << made.words);
        REQUIRE(made.words.empty());
        if (made.steps > whole.steps) ++cut;
        for (std::size_t k = 0; k < tensors; ++k)
            for (std::size_t e = 0; e < whole.slopes[k].size(); ++e)
                REQUIRE(std::abs(made.slopes[k][e] - whole.slopes[k][e]) <=
                        1e-10 * (1 + std::abs(whole.slopes[k][e])));
    }
    CHECK(cut >= testing::few_or(std::size_t{1}, std::size_t{3}));
    CHECK_THAT(derivatives_within(1).words, Contains("there is memory for 1"));
}

TEST_CASE("places take memory, and more indices are cut for it", "[network]") {
    const outcome whole = best_within(1e9);
    REQUIRE(whole.words.empty());
    for (const double memory : {40e3, 20e3, 10e3, 5e3}) {
        const outcome made = best_within(memory);
        INFO(memory << " bytes: " << made.words);
        REQUIRE(made.words.empty());
        CHECK(made.value == whole.value);
        CHECK(made.places == whole.places);
    }
    CHECK_THAT(best_within(1).words, Contains("there is memory for 1"));
}
