// Lists that are nearly always short, against vectors.
#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

#include "tests/catch.hpp"

#include "src/base/short_list.hpp"

TEST_CASE("a short list is a vector, whatever is done to it") {
    std::mt19937 random(1);
    ricci::short_list<int, 2> list;
    std::vector<int> want;
    for (int k = 0; k < 20000; ++k) {
        const int x = static_cast<int>(random() % 10);
        const std::size_t at = random() % (want.size() + 1);
        switch (random() % 4) {
            case 0:
            case 1:
                list.insert(list.begin() + at, x);
                want.insert(want.begin() + static_cast<std::ptrdiff_t>(at), x);
                break;
            case 2:
                if (at == want.size()) break;
                list.erase(list.begin() + at);
                want.erase(want.begin() + static_cast<std::ptrdiff_t>(at));
                break;
            default:
                list.erase_if([&](int y) { return y == x || y == x + 1; });
                std::erase_if(want, [&](int y) { return y == x || y == x + 1; });
        }
        const auto copy = list;
        REQUIRE(std::equal(copy.begin(), copy.end(), want.begin(), want.end()));
        REQUIRE(list.size() == want.size());
        REQUIRE((copy == list));
    }
}
