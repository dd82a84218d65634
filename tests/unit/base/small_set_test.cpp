// The set of few keys against std::set.
#include <cstddef>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/base/small_set.hpp"
#include "tests/catch.hpp"

using ricci::small_set;

TEST_CASE("a small set has what a set has, in the same order") {
    std::mt19937 random(1);
    for (int round = 0; round < 200; ++round) {
        small_set<int, 3> mine;
        std::set<int> theirs;
        for (int k = 0; k < round % 12; ++k) {
            const int key = static_cast<int>(random() % 10);
            CHECK(mine.insert(key) == theirs.insert(key).second);
        }
        CHECK(mine.size() == theirs.size());
        CHECK(mine.empty() == theirs.empty());
        CHECK(std::vector<int>(mine.begin(), mine.end()) ==
              std::vector<int>(theirs.begin(), theirs.end()));
        for (int key = 0; key < 10; ++key) CHECK(mine.contains(key) == theirs.contains(key));
        if (!mine.empty()) CHECK(*mine.rbegin() == *theirs.rbegin());
    }
}

TEST_CASE("small sets merge, and lose their first key") {
    small_set<std::string, 2> a = {"b", "d"}, b = {"a", "d", "c"};
    a.merge(b);
    CHECK(std::vector<std::string>(a.begin(), a.end()) ==
          std::vector<std::string>{"a", "b", "c", "d"});
    a.pop_front();
    CHECK(!a.contains("a"));
    CHECK(a.size() == 3);
    using entry = std::pair<std::size_t, std::size_t>;
    small_set<entry, 2> pairs = {{2, 1}, {1, 5}};
    CHECK(*pairs.begin() == entry{1, 5});
}
