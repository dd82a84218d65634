// Places with counts before them, against a list of flags.
#include <cstddef>
#include <random>
#include <vector>

#include "src/base/counted_places.hpp"
#include "tests/catch.hpp"

TEST_CASE("positions of places are those in a list of what is taken") {
    std::mt19937 random(3);
    for (const std::size_t size : {1U, 2U, 3U, 7U, 8U, 9U, 100U}) {
        ricci::counted_places places(size);
        std::vector<bool> taken(size, false);
        for (int round = 0; round < 200; ++round) {
            const std::size_t k = random() % size;
            if (taken[k]) places.leave(k);
            else places.take(k);
            taken[k] = !taken[k];
            std::size_t before = 0;
            for (std::size_t place = 0; place < size; ++place) {
                REQUIRE(places.position(place) == before);
                if (!taken[place]) continue;
                REQUIRE(places.at(before) == place);
                ++before;
            }
            REQUIRE(places.count() == before);
        }
    }
}
