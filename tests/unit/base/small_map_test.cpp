// Maps of few keys, against std::map.
#include <algorithm>
#include <map>
#include <random>

#include "tests/catch.hpp"

#include "src/base/small_map.hpp"

TEST_CASE("a small map is a map, whatever is put in and taken out") {
    std::mt19937 random(1);
    ricci::small_map<int, int, 3> map;
    std::map<int, int> want;
    for (int k = 0; k < 20000; ++k) {
        const int key = static_cast<int>(random() % 12);
        switch (random() % 5) {
            case 0:
            case 1:
                map[key] = k;
                want[key] = k;
                break;
            case 2:
                CHECK(map[key] == want[key]);  // 0 where there was none
                break;
            case 3:
                map.erase_if([&](const auto& entry) { return entry.second % 7 == key % 7; });
                std::erase_if(want, [&](const auto& entry) { return entry.second % 7 == key % 7; });
                break;
            default:
                break;
        }
        REQUIRE(map.size() == want.size());
        REQUIRE(map.empty() == want.empty());
        REQUIRE(std::equal(map.begin(), map.end(), want.begin(), want.end(),
                           [](const auto& a, const auto& b) {
                               return a.first == b.first && a.second == b.second;
                           }));
        const auto found = map.find(key);
        const auto wanted = want.find(key);
        REQUIRE(map.contains(key) == (wanted != want.end()));
        REQUIRE((found == map.end()) == (wanted == want.end()));
        if (found != map.end()) REQUIRE(found->second == wanted->second);
    }
}
